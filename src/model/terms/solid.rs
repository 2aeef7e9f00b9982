//! The terms of a solid: materials, limits, fibres.

use super::{Place, Terms, sorted};
use crate::mesh::quadratic::nodes;
use elements::energy::Properties;
use elements::energy::cells::Elements;
use elements::energy::length_viscosity::LengthViscosityTerm;
use elements::energy::lengths::{Length, LengthTerm};
use elements::energy::limit;
use elements::energy::quadratic::{Quadratic, repeated};
use elements::energy::tets;
use elements::math::vec3::dot;

/// Adds the terms of a solid.
pub(super) fn add(at: &Place, terms: &mut Terms) {
    if !at.place.middles.is_empty() {
        return add_quadratic(at, terms);
    }
    for part in &at.data.cells.parts {
        let (places, elements) = elements(at, terms, &part.cells);
        let properties = part.properties.picked(&places);
        terms.add_viscosity(at, 4, &properties, &elements);
        let name = at.named(&format!("tets ({})", at.body.materials[part.part].material.model.name));
        let cells = places.iter().map(|i| at.place.tets.start as u32 + part.cells[*i]).collect();
        terms.list.push((part.solid.tets(name, elements, properties), cells));
    }
    add_limits(at, terms);
    add_fibers(at, terms);
}

/// Adds the terms of a solid of quadratic tets.
fn add_quadratic(at: &Place, terms: &mut Terms) {
    let factor = at.body.damping.stiffness / terms.step;
    for part in &at.data.cells.parts {
        let (places, tets) = quadratic(at, terms, &part.cells);
        let properties = part.properties.picked(&places);
        if factor > 0.0 {
            terms.list.push((tets.viscosity(at.named("viscosity"), &properties.moduli, factor), vec![]));
        }
        let material = &at.body.materials[part.part].material;
        let name = at.named(&format!("quadratic tets ({})", material.model.name));
        let cells = places.iter().map(|i| at.place.tets.start as u32 + part.cells[*i]).collect();
        terms.list.push((part.solid.quadratic(name, &tets, &properties, material.fit_interval()), cells));
    }
    if let Some((stiffness, [least, most])) = limits(at) {
        let (places, tets) = quadratic(at, terms, &all(at));
        let properties = repeated(&Properties::limits(&places, stiffness, least, most), 4);
        let inner = limit::tets(at.named("limits"), tets.points().clone(), properties);
        terms.list.push((tets.at_points(inner), vec![]));
    }
    for family in &at.data.cells.fibers {
        let (places, tets) = quadratic(at, terms, &all(at));
        let points = tets.points();
        let fiber = |point: usize| {
            let cell = places[point / 4];
            fiber(points, point, family.directions[cell], family.stiffness[cell])
        };
        let fibers: Vec<Length> = (0..points.corners.len()).map(fiber).collect();
        if factor > 0.0 {
            let name = at.named("viscosity of the fibers");
            let inner = LengthViscosityTerm::new(name, 4, &fibers, factor);
            terms.list.push((tets.at_points(Box::new(inner)), vec![]));
        }
        let inner = LengthTerm::new(at.named("fibers"), 4, fibers);
        terms.list.push((tets.at_points(Box::new(inner)), vec![]));
    }
}

fn elements(at: &Place, terms: &Terms, cells: &[u32]) -> (Vec<usize>, Elements) {
    let (places, corners) = sorted(terms.model, &terms.model.tets, at.place.tets.start, cells);
    (places, tets::elements(corners, &terms.rest))
}

/// Likewise for quadratic tets.
fn quadratic(at: &Place, terms: &Terms, cells: &[u32]) -> (Vec<usize>, Quadratic) {
    let (model, first) = (terms.model, at.place.vertices.start as u32);
    let own = model.tets[at.place.tets.clone()].iter().zip(&at.place.middles);
    let all: Vec<[u32; 10]> = own.map(|(tet, middles)| nodes(*tet, middles.map(|v| v + first))).collect();
    let (places, nodes) = sorted(model, &all, 0, cells);
    (places, Quadratic::new(nodes, &terms.rest))
}

fn all(at: &Place) -> Vec<u32> {
    (0..at.place.tets.len() as u32).collect()
}

/// The stiffness of limits in each cell and the bounds of stretches, if there are limits.
fn limits<'a>(at: &'a Place) -> Option<(&'a [f64], [f64; 2])> {
    let stiffness = at.data.cells.limits.as_deref()?;
    Some((stiffness, at.body.limits.as_ref().and_then(|limits| limits.stretch)?))
}

fn add_limits(at: &Place, terms: &mut Terms) {
    let Some((stiffness, [least, most])) = limits(at) else { return };
    let (places, elements) = elements(at, terms, &all(at));
    let properties = Properties::limits(&places, stiffness, least, most);
    terms.list.push((limit::tets(at.named("limits"), elements, properties), vec![]));
}

/// The fibres along a direction in one element, of stiffness κ in Pa.
fn fiber(elements: &Elements, e: usize, direction: [f64; 3], stiffness: f64) -> Length {
    let weights = elements.gradients(e).map(|g| dot(g, direction));
    let corners: Vec<(u32, f64)> = elements.corners[e].into_iter().zip(weights).collect();
    Length::new(&corners, stiffness * elements.volume[e], 1.0, 1.0)
}

fn add_fibers(at: &Place, terms: &mut Terms) {
    for family in &at.data.cells.fibers {
        let (places, elements) = elements(at, terms, &all(at));
        let of = |(e, cell): (usize, &usize)| {
            fiber(&elements, e, family.directions[*cell], family.stiffness[*cell])
        };
        let fibers = places.iter().enumerate().map(of).collect();
        terms.add_lengths(at, "fibers", 4, fibers);
    }
}
