//! From a config to a model and its objective.

use std::time::{Duration, Instant};

use super::body::{self, BodyData};
use super::numbering::Numbering;
use super::{BodyModel, HardPin, Model, State};
use crate::cache::{Cache, Outcome};
use crate::config::resolved::{Config, Motion, PinKind};
use crate::energy::Energy;
use crate::energy::attachment::{Attachment, AttachmentTerm};
use crate::energy::tets::TetElements;
use crate::error::{Error, Result};
use crate::math::lanes::Vec4;
use crate::objective::Objective;

/// A model with the objective over it.
pub struct Built {
    /// The model.
    pub model: Model,
    /// The objective, its inertial positions still unset.
    pub objective: Objective,
    /// Whether the ordering came from the cache.
    pub ordering: Outcome,
    /// How long the ordering, or loading it, took.
    pub ordering_time: Duration,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// What pins do to a vertex, input numbering.
#[derive(Clone, Copy)]
struct Hold {
    vertex: usize,
    kind: PinKind,
    motion: Option<usize>,
}

/// Loads all meshes and builds the model.
pub fn build(config: &Config, cache: &Cache) -> Result<Built> {
    let bodies: Vec<BodyData> = config.bodies.iter().map(body::load).collect::<Result<_>>()?;
    let mut notes: Vec<String> = bodies.iter().flat_map(|b| b.notes.clone()).collect();
    let firsts: Vec<usize> = bodies
        .iter()
        .scan(0, |next, b| {
            *next += b.rest.len();
            Some(*next - b.rest.len())
        })
        .collect();
    let mut motions = vec![];
    let holds = collect_pins(config, &bodies, &firsts, &mut motions, &mut notes);
    let (tets, ranges) = join_tets(&bodies, &firsts);

    let mut unknown: Vec<bool> = bodies.iter().flat_map(|b| b.orphans.iter().map(|o| !o)).collect();
    let mut pinned = vec![0u8; unknown.len()];
    for hold in &holds {
        pinned[hold.vertex] = if hold.kind == PinKind::Hard { 1 } else { 2 };
        unknown[hold.vertex] &= hold.kind != PinKind::Hard;
    }
    if !unknown.contains(&true) {
        return Err(Error::Mesh {
            subject: config.name.clone(),
            reason: "every vertex is pinned hard: nothing is left to simulate".into(),
            hint: "make the pins' selections smaller".into(),
        });
    }
    let start = Instant::now();
    let (numbering, ordering) = Numbering::new(&unknown, &tets, cache)?;
    let ordering_time = start.elapsed();
    let rest: Vec<[f64; 3]> = bodies.iter().flat_map(|b| b.rest.iter().copied()).collect();
    let initial = initial_state(&bodies, &holds, &numbering);

    let mut model = Model {
        bodies: (0..bodies.len())
            .map(|i| BodyModel {
                name: config.bodies[i].name.clone(),
                vertices: firsts[i]..firsts[i] + bodies[i].rest.len(),
                tets: ranges[i].clone(),
                surface: bodies[i].surface.clone(),
                material: material_number(config, i),
            })
            .collect(),
        size: diagonal(&rest),
        rest,
        tets,
        pinned,
        initial,
        hard_pins: vec![],
        motions,
        cells: vec![],
        numbering,
    };
    model.hard_pins = hard_pins(&model, &holds);
    let terms = terms(config, &mut model, &holds);
    let mut mass: Vec<f64> = bodies.iter().flat_map(|b| b.mass.iter().copied()).collect();
    mass = model.numbering.order.iter().map(|v| mass[*v as usize]).collect();
    let objective = Objective::new(model.numbering.free, config.time.step, mass, terms);
    Ok(Built { model, objective, ordering, ordering_time, notes })
}

/// Bodies of equal materials share the number of the first of them.
fn material_number(config: &Config, body: usize) -> u32 {
    let mut distinct = vec![];
    for other in &config.bodies[..=body] {
        if !distinct.contains(&&other.material) {
            distinct.push(&other.material);
        }
    }
    distinct.iter().position(|m| **m == config.bodies[body].material).unwrap_or_default() as u32
}

fn diagonal(points: &[[f64; 3]]) -> f64 {
    let mut square = 0.0;
    for k in 0..3 {
        let low = points.iter().fold(f64::INFINITY, |m, p| m.min(p[k]));
        let high = points.iter().fold(f64::NEG_INFINITY, |m, p| m.max(p[k]));
        square += (high - low) * (high - low);
    }
    square.sqrt()
}

/// One hold per pinned vertex: hard pins win over soft ones, among equals the later pin.
fn collect_pins(
    config: &Config,
    bodies: &[BodyData],
    firsts: &[usize],
    motions: &mut Vec<Motion>,
    notes: &mut Vec<String>,
) -> Vec<Hold> {
    let total = firsts.last().map_or(0, |f| f + bodies[bodies.len() - 1].rest.len());
    let mut of_vertex: Vec<Option<Hold>> = vec![None; total];
    for (i, body) in bodies.iter().enumerate() {
        let mut overridden = 0;
        for (pin, vertices) in config.bodies[i].pins.iter().zip(&body.pins) {
            let motion = pin.motion.as_ref().map(|m| {
                motions.push(m.clone());
                motions.len() - 1
            });
            for v in vertices {
                let vertex = firsts[i] + *v as usize;
                let slot = &mut of_vertex[vertex];
                overridden += usize::from(slot.is_some());
                if !(slot.is_some_and(|h| h.kind == PinKind::Hard) && pin.kind != PinKind::Hard) {
                    *slot = Some(Hold { vertex, kind: pin.kind, motion });
                }
            }
        }
        if overridden > 0 {
            notes.push(format!(
                "body '{}': {overridden} vertices are in several pins; hard ones win, then the later one",
                config.bodies[i].name
            ));
        }
    }
    of_vertex.into_iter().flatten().collect()
}

fn join_tets(bodies: &[BodyData], firsts: &[usize]) -> (Vec<[u32; 4]>, Vec<std::ops::Range<usize>>) {
    let mut tets = vec![];
    let mut ranges = vec![];
    for (body, first) in bodies.iter().zip(firsts) {
        let start = tets.len();
        tets.extend(body.tets.iter().map(|t| t.map(|v| v + *first as u32)));
        ranges.push(start..tets.len());
    }
    (tets, ranges)
}

/// Prescribed vertices start at rest: their velocity comes from their motion, step by step.
fn initial_state(bodies: &[BodyData], holds: &[Hold], numbering: &Numbering) -> State {
    let x: Vec<[f64; 3]> = bodies.iter().flat_map(|b| b.initial.iter().copied()).collect();
    let mut v: Vec<[f64; 3]> = bodies.iter().flat_map(|b| b.velocity.iter().copied()).collect();
    for hold in holds.iter().filter(|h| h.kind == PinKind::Hard) {
        v[hold.vertex] = [0.0; 3];
    }
    let internal =
        |values: &[[f64; 3]]| numbering.order.iter().map(|i| Vec4::new(values[*i as usize])).collect();
    State { x: internal(&x), v: internal(&v) }
}

fn hard_pins(model: &Model, holds: &[Hold]) -> Vec<HardPin> {
    holds
        .iter()
        .filter(|h| h.kind == PinKind::Hard)
        .map(|h| {
            let vertex = model.numbering.position[h.vertex];
            HardPin { vertex, origin: model.initial.x[vertex as usize].xyz(), motion: h.motion }
        })
        .collect()
}

/// One tet term per body, then the soft pins; notes the tets of each term in the model.
fn terms(config: &Config, model: &mut Model, holds: &[Hold]) -> Vec<Box<dyn Energy>> {
    let position = &model.numbering.position;
    let rest: Vec<[f64; 3]> = model.numbering.order.iter().map(|v| model.rest[*v as usize]).collect();
    let mut terms: Vec<Box<dyn Energy>> = vec![];
    for (body, place) in config.bodies.iter().zip(&model.bodies) {
        let mut cells: Vec<u32> = (place.tets.start as u32..place.tets.end as u32).collect();
        let internal = |cell: u32| model.tets[cell as usize].map(|v| position[v as usize]);
        // Elements in the order of their vertices stay close to them in memory.
        cells.sort_by_cached_key(|cell| {
            let corners = internal(*cell);
            (corners.iter().min().copied(), corners.iter().max().copied())
        });
        let elements = TetElements::new(cells.iter().map(|c| internal(*c)).collect(), &rest);
        terms.push(body.material.tets(&body.name, &elements));
        model.cells.push(cells);
    }
    let soft: Vec<(Attachment, [f64; 3], Option<Motion>)> = holds
        .iter()
        .filter_map(|h| match h.kind {
            PinKind::Hard => None,
            PinKind::Soft(stiffness) => {
                let vertex = position[h.vertex];
                let origin = model.initial.x[vertex as usize].xyz();
                let motion = h.motion.map(|m| model.motions[m].clone());
                Some((Attachment { vertex, stiffness }, origin, motion))
            }
        })
        .collect();
    if !soft.is_empty() {
        let attachments = soft.iter().map(|(a, _, _)| a.clone()).collect();
        let path = Box::new(move |time: f64| {
            soft.iter()
                .map(|(_, origin, motion)| {
                    Vec4::new(motion.as_ref().map_or(*origin, |m| m.apply(*origin, time)))
                })
                .collect()
        });
        terms.push(Box::new(AttachmentTerm::new(attachments, path)));
    }
    terms
}
