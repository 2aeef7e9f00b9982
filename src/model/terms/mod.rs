//! The terms of a scene's objective: which vertices are coupled, and with which energy.
//!
//! | body | terms |
//! |---|---|
//! | solid | its materials on tets, limits of their stretches; one length term per family of fibres |
//! | sheet | its materials on triangles, limits; springs along edges and, if asked for, across them; hinges |
//! | line | ropes, rods or springs along its edges |
//! | any | viscosity of each of these, drag, soft pins |

mod line;
mod sheet;
mod solid;

use std::ops::Range;

use super::body::BodyData;
use super::motion::Course;
use super::vertices::Hold;
use super::{BodyModel, Model};
use crate::error::{Error, Result};
use crate::mesh::quadratic;
use crate::scene::{BendingKind, Body, Scene};
use crate::step::Term;
use elements::energy::attachment::{Attachment, AttachmentTerm};
use elements::energy::bending::{Hinge, sides};
use elements::energy::cells::Elements;
use elements::energy::length_viscosity::LengthViscosityTerm;
use elements::energy::lengths::{Length, LengthTerm};
use elements::energy::viscosity::{ViscosityTerm, Viscous};
use elements::energy::{Energy, Properties};
use elements::math::lanes::Vec4;

/// Groups of four vertices that terms couple. Smaller groups repeat a vertex, larger ones are split.
pub(super) fn couplings(
    scene: &Scene,
    tets: &[[u32; 4]],
    triangles: &[[u32; 3]],
    ranges: &[Range<usize>],
    edges: &[[u32; 2]],
) -> Vec<[u32; 4]> {
    let mut out = tets.to_vec();
    out.extend(triangles.iter().map(|[a, b, c]| [*a, *b, *c, *a]));
    out.extend(edges.iter().map(|[a, b]| [*a, *b, *a, *b]));
    for (body, range) in scene.bodies.iter().zip(ranges) {
        if body.bending.is_some() || body.springs.as_ref().is_some_and(|s| s.cross) {
            let hinges = sides::hinges(&triangles[range.clone()]);
            out.extend(hinges.iter().map(|h| [h.far[0], h.far[1], h.edge[0], h.edge[1]]));
            if body.bending.as_ref().is_some_and(|b| b.kind == BendingKind::Plate) {
                out.extend(far_triples(&hinges, range.len()));
            }
        }
    }
    out
}

/// Groups of four nodes that have every two nodes of each quadratic tet of a body together; `first` is its first vertex.
pub(super) fn quadratic_couplings(body: &BodyData, first: u32) -> Vec<[u32; 4]> {
    let mut out = vec![];
    for (tet, middles) in body.tets.iter().zip(&body.middles) {
        let nodes = quadratic::nodes(*tet, *middles).map(|v| v + first);
        for i in 0..5 {
            for j in i + 1..5 {
                out.push([nodes[2 * i], nodes[2 * i + 1], nodes[2 * j], nodes[2 * j + 1]]);
            }
        }
    }
    out
}

/// The far corners across the sides of each triangle, which plate bending couples beyond single hinges.
fn far_triples(hinges: &[Hinge], triangles: usize) -> Vec<[u32; 4]> {
    let mut far: Vec<Vec<u32>> = vec![vec![]; triangles];
    for hinge in hinges {
        for (side, triangle) in hinge.triangles.into_iter().enumerate() {
            far[triangle].push(hinge.far[1 - side]);
        }
    }
    far.iter().filter(|f| f.len() > 1).map(|f| [f[0], f[1], f[f.len() - 1], f[0]]).collect()
}

/// Builds all terms, and records the cells of each in the model.
pub(super) fn build(
    scene: &Scene,
    bodies: &[BodyData],
    model: &mut Model,
    holds: &[Hold],
) -> Result<Vec<Term>> {
    let rest = model.numbering.order.iter().map(|v| model.rest[*v as usize]).collect();
    let step = scene.time.integrator.stage_step(scene.time.step);
    let mut terms = Terms { model, rest, step, list: vec![] };
    let mut all = vec![];
    for (number, ((body, place), data)) in scene.bodies.iter().zip(&model.bodies).zip(bodies).enumerate() {
        let at = Place { body, place, data };
        if let Some(line) = &body.line {
            line::add(&at, line, &mut terms);
        } else if place.tets.is_empty() {
            sheet::add(&at, &mut terms);
        } else {
            solid::add(&at, &mut terms);
        }
        for (energy, cells) in std::mem::take(&mut terms.list) {
            let mut term = Term::new(energy, vec![number]);
            if let Some(track) = &body.stiffness_scale
                && !term.follow(track)
            {
                return Err(Error::Mesh {
                    subject: term.name(),
                    reason: "has no stiffness that stiffness_scale could change".into(),
                    hint: "leave stiffness_scale out".into(),
                });
            }
            all.push((term, cells));
        }
        terms.add_drag(&at);
        let drag = std::mem::take(&mut terms.list);
        all.extend(drag.into_iter().map(|(energy, cells)| (Term::new(energy, vec![number]), cells)));
    }
    for (number, body) in model.bodies.iter().enumerate() {
        let own: Vec<&Hold> = holds.iter().filter(|h| body.vertices.contains(&h.vertex)).collect();
        all.extend(soft_pins(model, &own).map(|energy| (Term::new(energy, vec![number]), vec![])));
    }
    for pin in &mut model.passing {
        if let Some(springs) = pin.springs() {
            pin.term = Some(all.len());
            all.push((Term::new(Box::new(springs), vec![pin.body]), vec![]));
        }
    }
    let (terms, cells) = all.into_iter().unzip();
    model.cells = cells;
    Ok(terms)
}

/// A body together with its place in the model.
struct Place<'a> {
    body: &'a Body,
    place: &'a BodyModel,
    data: &'a BodyData,
}

impl Place<'_> {
    /// The name of a term for messages.
    fn named(&self, what: &str) -> String {
        format!("{what} of body '{}'", self.body.name)
    }
}

/// The terms built so far, and the data they are built from.
struct Terms<'a> {
    model: &'a Model,
    /// The rest positions in internal numbering, in m.
    rest: Vec<[f64; 3]>,
    /// The step of a stage in s.
    step: f64,
    /// The terms, each with the cells of its elements if they have a state for output.
    list: Vec<(Box<dyn Energy>, Vec<u32>)>,
}

impl Terms<'_> {
    /// Adds a length term, and its viscosity if the body has any.
    fn add_lengths(&mut self, at: &Place, what: &str, corners: usize, elements: Vec<Length>) {
        self.add_bounds(at, what, corners, elements, |term| term);
    }

    /// Adds a length term whose bounds are hard, and its viscosity if the body has any.
    fn add_hard_lengths(&mut self, at: &Place, what: &str, corners: usize, elements: Vec<Length>) {
        self.add_bounds(at, what, corners, elements, LengthTerm::hard);
    }

    fn add_bounds(
        &mut self,
        at: &Place,
        what: &str,
        corners: usize,
        elements: Vec<Length>,
        finish: fn(LengthTerm) -> LengthTerm,
    ) {
        if !elements.is_empty() {
            self.add_length_viscosity(at, what, corners, &elements);
            let term = finish(LengthTerm::new(at.named(what), corners, elements));
            self.list.push((Box::new(term), vec![]));
        }
    }

    fn add_length_viscosity(&mut self, at: &Place, what: &str, corners: usize, elements: &[Length]) {
        let factor = at.body.damping.stiffness / self.step;
        if factor > 0.0 {
            let name = at.named(&format!("viscosity of the {what}"));
            let term = LengthViscosityTerm::new(name, corners, elements, factor);
            self.list.push((Box::new(term), vec![]));
        }
    }

    /// Adds the viscosity of cells; `properties` and `elements` have the same order.
    fn add_viscosity(&mut self, at: &Place, corners: usize, properties: &Properties, elements: &Elements) {
        let factor = at.body.damping.stiffness / self.step;
        if factor == 0.0 {
            return;
        }
        let viscous = properties.moduli.iter().enumerate().map(|(i, moduli)| {
            let moduli = moduli.map(|m| factor * elements.volume[i] * m);
            Viscous { vertices: elements.corners[i], gradients: elements.gradients(i), moduli }
        });
        let term = ViscosityTerm::new(at.named("viscosity"), corners, viscous.collect());
        self.list.push((Box::new(term), vec![]));
    }

    /// Adds the part of Rayleigh damping that resists all motion.
    fn add_drag(&mut self, at: &Place) {
        let alpha = at.body.damping.mass;
        if alpha == 0.0 {
            return;
        }
        let position = &self.model.numbering.position[at.place.vertices.clone()];
        let drag = position.iter().zip(&at.data.mass).filter(|(_, mass)| **mass > 0.0);
        let drag =
            drag.map(|(vertex, mass)| Attachment { vertex: *vertex, stiffness: alpha * mass / self.step });
        self.list.push((Box::new(AttachmentTerm::drag(drag.collect())), vec![]));
    }
}

/// Sorts cells by their vertices, so that cells and vertices are close to each other in memory. Returns the places of
/// the cells in `cells` (which count from `first` in `all`), and their corners in internal numbering.
fn sorted<const N: usize>(
    model: &Model,
    all: &[[u32; N]],
    first: usize,
    cells: &[u32],
) -> (Vec<usize>, Vec<[u32; N]>) {
    let internal = |i: &usize| all[first + cells[*i] as usize].map(|v| model.numbering.position[v as usize]);
    let mut places: Vec<usize> = (0..cells.len()).collect();
    places.sort_by_cached_key(|i| {
        let corners = internal(i);
        (corners.iter().min().copied(), corners.iter().max().copied())
    });
    let corners = places.iter().map(internal).collect();
    (places, corners)
}

/// The soft pins of one body.
fn soft_pins(model: &Model, holds: &[&Hold]) -> Option<Box<dyn Energy>> {
    let soft: Vec<(Attachment, [f64; 3], usize, Option<Course>)> = holds
        .iter()
        .filter_map(|h| {
            let stiffness = h.stiffness?;
            let vertex = model.numbering.position[h.vertex];
            let origin = model.initial.x[vertex as usize].xyz();
            let motion = h.motion.map(|m| model.motions[m].clone());
            Some((Attachment { vertex, stiffness }, origin, h.vertex, motion))
        })
        .collect();
    if soft.is_empty() {
        return None;
    }
    let attachments = soft.iter().map(|(a, ..)| a.clone()).collect();
    let path = Box::new(move |time: f64| {
        let place = |(_, origin, vertex, motion): &(Attachment, [f64; 3], usize, Option<Course>)| {
            Vec4::new(motion.as_ref().map_or(*origin, |m| m.at(*vertex, *origin, time)))
        };
        soft.iter().map(place).collect()
    });
    Some(Box::new(AttachmentTerm::new(attachments, path)))
}
