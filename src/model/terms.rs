//! The terms of a scene's objective: what couples which vertices, and with which energy.
//!
//! | body | terms |
//! |---|---|
//! | solid | its material on tets; one length term per family of fibres |
//! | sheet | its material on triangles; springs along edges and, if asked for, across them |
//! | line | ropes, rods or springs along its edges |
//! | any | soft pins |

use std::ops::Range;

use super::build::Hold;
use super::{BodyModel, Model, distance, sheet};
use crate::config::resolved::{Body, Config, Line, LineKind, Motion, PinKind, Springs};
use crate::energy::Energy;
use crate::energy::attachment::{Attachment, AttachmentTerm};
use crate::energy::lengths::{Length, LengthTerm};
use crate::energy::material::Material;
use crate::energy::tets::TetElements;
use crate::energy::triangles::TriangleElements;
use crate::error::{Error, Result};
use crate::math::lanes::Vec4;

/// Groups of vertices that terms couple, shorter ones filled up by repeating a vertex.
pub(super) fn couplings(
    config: &Config,
    tets: &[[u32; 4]],
    triangles: &[[u32; 3]],
    ranges: &[Range<usize>],
    edges: &[[u32; 2]],
) -> Vec<[u32; 4]> {
    let mut out = tets.to_vec();
    out.extend(triangles.iter().map(|[a, b, c]| [*a, *b, *c, *a]));
    out.extend(edges.iter().map(|[a, b]| [*a, *b, *a, *b]));
    for (body, range) in config.bodies.iter().zip(ranges) {
        if body.springs.is_some_and(|s| s.cross) {
            out.extend(sheet::far_corners(&triangles[range.clone()]).iter().map(|[a, b]| [*a, *b, *a, *b]));
        }
    }
    out
}

/// Builds all terms and notes the cells of each in the model.
pub(super) fn build(config: &Config, model: &mut Model, holds: &[Hold]) -> Result<Vec<Box<dyn Energy>>> {
    let rest: Vec<[f64; 3]> = model.numbering.order.iter().map(|v| model.rest[*v as usize]).collect();
    let mut terms: Vec<(Box<dyn Energy>, Vec<u32>)> = vec![];
    for (body, place) in config.bodies.iter().zip(&model.bodies) {
        if let Some(line) = &body.line {
            terms.push(line_term(line, body, place, model, &rest));
        } else if place.tets.is_empty() {
            add_sheet(body, place, model, &rest, &mut terms)?;
        } else {
            add_solid(body, place, model, &rest, &mut terms);
        }
    }
    terms.extend(soft_pins(model, holds).map(|term| (term, vec![])));
    let (terms, cells) = terms.into_iter().unzip();
    model.cells = cells;
    Ok(terms)
}

/// Cells of a range in the order of their vertices, so that they stay close to them in memory, with their corners
/// in internal numbering.
fn sorted<const N: usize>(
    model: &Model,
    cells: &[[u32; N]],
    range: Range<usize>,
) -> (Vec<u32>, Vec<[u32; N]>) {
    let internal = |cell: &u32| cells[*cell as usize].map(|v| model.numbering.position[v as usize]);
    let mut numbers: Vec<u32> = (range.start as u32..range.end as u32).collect();
    numbers.sort_by_cached_key(|cell| {
        let corners = internal(cell);
        (corners.iter().min().copied(), corners.iter().max().copied())
    });
    let corners = numbers.iter().map(internal).collect();
    (numbers, corners)
}

fn add_solid(
    body: &Body,
    place: &BodyModel,
    model: &Model,
    rest: &[[f64; 3]],
    terms: &mut Vec<(Box<dyn Energy>, Vec<u32>)>,
) {
    let (cells, corners) = sorted(model, &model.tets, place.tets.clone());
    let elements = TetElements::new(corners, rest);
    if let Some(material) = &body.material {
        terms.push((material.tets(&body.name, &elements), cells));
    }
    for fiber in &body.fibers {
        let d = fiber.direction;
        let fibers = (0..elements.corners.len()).map(|e| Length {
            vertices: elements.corners[e],
            weights: elements.gradients(e).map(|g| g[0] * d[0] + g[1] * d[1] + g[2] * d[2]),
            stiffness: fiber.stiffness * elements.volume[e],
            shortest: 1.0,
            longest: 1.0,
        });
        let name = format!("fibers of body '{}'", body.name);
        terms.push((Box::new(LengthTerm::new(name, 4, fibers.collect())), vec![]));
    }
}

fn add_sheet(
    body: &Body,
    place: &BodyModel,
    model: &Model,
    rest: &[[f64; 3]],
    terms: &mut Vec<(Box<dyn Energy>, Vec<u32>)>,
) -> Result<()> {
    let (mut cells, corners) = sorted(model, &model.triangles, place.triangles.clone());
    cells.iter_mut().for_each(|cell| *cell += model.tets.len() as u32);
    if let Some(springs) = &body.springs {
        terms.push((Box::new(spring_term(body, springs, &corners, rest)), vec![]));
    }
    if let Some(material) = &body.material {
        let elements = TriangleElements::new(corners, rest, body.thickness);
        terms.push((sheet_material(material, body, &elements)?, cells));
    }
    Ok(())
}

fn sheet_material(material: &Material, body: &Body, elements: &TriangleElements) -> Result<Box<dyn Energy>> {
    material.triangles(&body.name, elements).map_err(|fault| Error::Mesh {
        subject: format!("body '{}'", body.name),
        reason: format!("as a sheet, its material's {} {}", fault.key, fault.reason),
        hint: "give raw moduli instead".into(),
    })
}

fn spring_term(body: &Body, springs: &Springs, corners: &[[u32; 3]], rest: &[[f64; 3]]) -> LengthTerm {
    let mut pairs = sheet::edges(corners);
    if springs.cross {
        pairs.extend(sheet::far_corners(corners));
    }
    let spring = |[a, b]: &[u32; 2]| {
        let length = distance(rest[*a as usize], rest[*b as usize]);
        Length::spring(*a, *b, springs.stiffness, length, length)
    };
    LengthTerm::new(format!("springs of body '{}'", body.name), 2, pairs.iter().map(spring).collect())
}

/// The edges of a line: κ = E A/l, with both bounds at l or, of a rope, the lower one at 0.
fn line_term(
    line: &Line,
    body: &Body,
    place: &BodyModel,
    model: &Model,
    rest: &[[f64; 3]],
) -> (Box<dyn Energy>, Vec<u32>) {
    let (mut cells, ends) = sorted(model, &model.edges, place.edges.clone());
    cells.iter_mut().for_each(|cell| *cell += (model.tets.len() + model.triangles.len()) as u32);
    let section = body.section();
    let edge = |[a, b]: &[u32; 2]| {
        let length = distance(rest[*a as usize], rest[*b as usize]);
        let shortest = if line.kind == LineKind::Rope { 0.0 } else { length };
        Length::spring(*a, *b, line.young * section / length, shortest, length)
    };
    let name = format!("edges of body '{}' ({})", body.name, line.kind.name());
    let term = LengthTerm::new(name, 2, ends.iter().map(edge).collect()).with_section(section);
    (Box::new(term), cells)
}

fn soft_pins(model: &Model, holds: &[Hold]) -> Option<Box<dyn Energy>> {
    let soft: Vec<(Attachment, [f64; 3], Option<Motion>)> = holds
        .iter()
        .filter_map(|h| match h.kind {
            PinKind::Hard => None,
            PinKind::Soft(stiffness) => {
                let vertex = model.numbering.position[h.vertex];
                let origin = model.initial.x[vertex as usize].xyz();
                let motion = h.motion.map(|m| model.motions[m].clone());
                Some((Attachment { vertex, stiffness }, origin, motion))
            }
        })
        .collect();
    if soft.is_empty() {
        return None;
    }
    let attachments = soft.iter().map(|(a, _, _)| a.clone()).collect();
    let path = Box::new(move |time: f64| {
        let place = |(_, origin, motion): &(Attachment, [f64; 3], Option<Motion>)| {
            Vec4::new(motion.as_ref().map_or(*origin, |m| m.apply(*origin, time)))
        };
        soft.iter().map(place).collect()
    });
    Some(Box::new(AttachmentTerm::new(attachments, path)))
}
