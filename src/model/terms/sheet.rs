//! The terms of a sheet: materials, limits of its stretches, springs, hinges.

use super::{Place, Terms, sorted};
use crate::scene::BendingKind;
use elements::energy::Properties;
use elements::energy::bending::sides;
use elements::energy::bending::{hinge, plate};
use elements::energy::cells::Elements;
use elements::energy::lengths::Length;
use elements::energy::limit;
use elements::energy::triangles;
use elements::math::vec3::{cross, dot, norm, scale, sub};

/// Adds the terms of a sheet.
pub(super) fn add(at: &Place, terms: &mut Terms) {
    for part in &at.data.cells.parts {
        let (places, elements) = elements(at, terms, &part.cells);
        let properties = part.properties.picked(&places);
        terms.add_viscosity(at, 3, &properties, &elements);
        let name = at.named(&format!("triangles ({})", at.body.materials[part.part].material.model.name));
        let first = (terms.model.tets.len() + at.place.triangles.start) as u32;
        let cells = places.iter().map(|i| first + part.cells[*i]).collect();
        terms.list.push((part.solid.triangles(name, elements, properties), cells));
    }
    add_limits(at, terms);
    add_springs(at, terms);
    add_bending(at, terms);
}

/// The elements of some of the body's cells, and their places in `cells`.
fn elements(at: &Place, terms: &Terms, cells: &[u32]) -> (Vec<usize>, Elements) {
    let (places, corners) = sorted(terms.model, &terms.model.triangles, at.place.triangles.start, cells);
    let thickness: Vec<f64> = places.iter().map(|i| at.data.cells.thickness[cells[*i] as usize]).collect();
    (places, triangles::elements(&corners, &terms.rest, &thickness))
}

fn all(at: &Place) -> Vec<u32> {
    (0..at.place.triangles.len() as u32).collect()
}

/// All triangles in internal numbering, in the order of cells.
fn triangles(at: &Place, terms: &Terms) -> Vec<[u32; 3]> {
    let position = &terms.model.numbering.position;
    let cells = &terms.model.triangles[at.place.triangles.clone()];
    cells.iter().map(|t| t.map(|v| position[v as usize])).collect()
}

fn add_limits(at: &Place, terms: &mut Terms) {
    let Some((stiffness, limits)) = at.data.cells.limits.as_ref().zip(at.body.limits.as_ref()) else {
        return;
    };
    if let Some([least, most]) = limits.stretch {
        let (places, elements) = elements(at, terms, &all(at));
        let properties = Properties::limits(&places, stiffness, least, most);
        terms.list.push((limit::triangles(at.named("limits"), elements, properties), vec![]));
    }
    for (what, bounds, is_weft) in [("warp limits", limits.warp, false), ("weft limits", limits.weft, true)] {
        let Some([shortest, longest]) = bounds else { continue };
        let (places, elements) = elements(at, terms, &all(at));
        let thread = |(e, cell): (usize, &usize)| {
            let [a, b, c, _] = elements.corners[e];
            let given = at.data.cells.warp.as_ref().map(|warp| warp[*cell]);
            let [u, v] = warp([a, b, c].map(|v| terms.rest[v as usize]), given);
            let d = if is_weft { [-v, u] } else { [u, v] };
            let [p, q, r, _] = elements.gradients(e).map(|g| g[0] * d[0] + g[1] * d[1]);
            Length::new(&[(a, p), (b, q), (c, r)], stiffness[*cell] * elements.volume[e], shortest, longest)
        };
        let threads = places.iter().enumerate().map(thread).collect();
        terms.add_hard_lengths(at, what, 3, threads);
    }
}

/// The direction of the warp in the plane of a triangle, in axes of which the first is along its first edge. A
/// direction that is nearly perpendicular to the triangle has no part in its plane. The default x is then replaced by
/// z, and a given direction by the first edge.
fn warp([p, q, r]: [[f64; 3]; 3], given: Option<[f64; 3]>) -> [f64; 2] {
    let edge = sub(q, p);
    let along = scale(1.0 / norm(edge), edge);
    let normal = cross(along, sub(r, p));
    let across = cross(scale(1.0 / norm(normal), normal), along);
    let candidates = given.map_or([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], |d| [d, along]);
    let inside = candidates.map(|d| [dot(d, along), dot(d, across)]);
    let lengths = inside.map(|[u, v]| u.hypot(v));
    let best = usize::from(lengths[0] < 0.1);
    inside[best].map(|x| x / lengths[best])
}

fn add_springs(at: &Place, terms: &mut Terms) {
    let Some((stiffness, springs)) = at.data.cells.springs.as_ref().zip(at.body.springs.as_ref()) else {
        return;
    };
    let triangles = triangles(at, terms);
    let mut pairs = sides::edges(&triangles);
    if springs.cross {
        pairs.extend(sides::hinges(&triangles).iter().map(|h| (h.far, h.triangles.to_vec())));
    }
    let spring = |([a, b], cells): &([u32; 2], Vec<usize>)| {
        let length = norm(sub(terms.rest[*a as usize], terms.rest[*b as usize]));
        let mean = cells.iter().map(|t| stiffness[*t]).sum::<f64>() / cells.len() as f64;
        Length::spring(*a, *b, mean, length, length)
    };
    let elements = pairs.iter().map(spring).collect();
    terms.add_lengths(at, "springs", 2, elements);
}

fn add_bending(at: &Place, terms: &mut Terms) {
    let Some((stiffness, bending)) = at.data.cells.bending.as_ref().zip(at.body.bending.as_ref()) else {
        return;
    };
    let triangles = triangles(at, terms);
    let hinges = sides::hinges(&triangles);
    let (what, corners, elements): (_, _, fn(_, _, _, _, _) -> _) = match bending.kind {
        BendingKind::Plate => ("bending", 6, plate::elements),
        BendingKind::Hinge => ("hinges", 4, hinge::elements),
    };
    let elements = elements(&hinges, &triangles, &terms.rest, stiffness, bending.flat);
    terms.add_lengths(at, what, corners, elements);
}
