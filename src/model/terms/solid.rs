//! The terms of a solid: materials, limits, fibres.

use super::{Place, Terms, sorted};
use elements::energy::Properties;
use elements::energy::cells::Elements;
use elements::energy::lengths::Length;
use elements::energy::limit;
use elements::energy::tets;
use elements::math::vec3::dot;

/// Adds the terms of a solid.
pub(super) fn add(at: &Place, terms: &mut Terms) {
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

fn elements(at: &Place, terms: &Terms, cells: &[u32]) -> (Vec<usize>, Elements) {
    let (places, corners) = sorted(terms.model, &terms.model.tets, at.place.tets.start, cells);
    (places, tets::elements(corners, &terms.rest))
}

fn all(at: &Place) -> Vec<u32> {
    (0..at.place.tets.len() as u32).collect()
}

fn add_limits(at: &Place, terms: &mut Terms) {
    let Some((stiffness, [least, most])) =
        at.data.cells.limits.as_ref().zip(at.body.limits.as_ref().and_then(|limits| limits.stretch))
    else {
        return;
    };
    let (places, elements) = elements(at, terms, &all(at));
    let properties = Properties::limits(&places, stiffness, least, most);
    terms.list.push((limit::tets(at.named("limits"), elements, properties), vec![]));
}

fn add_fibers(at: &Place, terms: &mut Terms) {
    for family in &at.data.cells.fibers {
        let (places, elements) = elements(at, terms, &all(at));
        let fiber = |(e, cell): (usize, &usize)| {
            let weights = elements.gradients(e).map(|g| dot(g, family.directions[*cell]));
            let corners: Vec<(u32, f64)> = elements.corners[e].into_iter().zip(weights).collect();
            Length::new(&corners, family.stiffness[*cell] * elements.volume[e], 1.0, 1.0)
        };
        let fibers = places.iter().enumerate().map(fiber).collect();
        terms.add_lengths(at, "fibers", 4, fibers);
    }
}
