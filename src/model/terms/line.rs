//! The term of a line: ropes, rods or springs along its edges.

use super::{Place, Terms, sorted};
use crate::scene::{Line, LineKind};
use elements::energy::lengths::{Length, LengthTerm};
use elements::math::vec3::{norm, sub};

/// Adds the term of a line: κ = E A/l, with both bounds at l. The lower bound of a rope is 0.
pub(super) fn add(at: &Place, line: &Line, terms: &mut Terms) {
    let model = terms.model;
    let all: Vec<u32> = (0..at.place.edges.len() as u32).collect();
    let (places, ends) = sorted(model, &model.edges, at.place.edges.start, &all);
    let first = (model.tets.len() + model.triangles.len() + at.place.edges.start) as u32;
    let cells = places.iter().map(|i| first + all[*i]).collect();
    let section = at.body.section();
    let edge = |[a, b]: &[u32; 2]| {
        let length = norm(sub(terms.rest[*a as usize], terms.rest[*b as usize]));
        let shortest = if line.kind == LineKind::Rope { 0.0 } else { length };
        Length::spring(*a, *b, line.young * section / length, shortest, length)
    };
    let elements: Vec<Length> = ends.iter().map(edge).collect();
    let name = at.named(&format!("edges ({})", line.kind.name()));
    terms.add_length_viscosity(at, "edges", 2, &elements);
    let term = LengthTerm::new(name, 2, elements).with_section(section);
    let term = if line.kind == LineKind::Spring { term } else { term.hard() };
    terms.list.push((Box::new(term), cells));
}
