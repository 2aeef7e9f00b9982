//! The vertices of a scene in the input numbering: where they are, which are unknowns, and how pins hold them.

use std::ops::Range;

use super::body::BodyData;
use super::motion::Course;
use super::numbering::Numbering;
use super::passing::PassingPin;
use super::{HardPin, Model, State};
use crate::error::{Error, Result};
use crate::scene::Scene;
use elements::math::lanes::Vec4;

/// How a pin holds one vertex.
#[derive(Clone, Copy)]
pub struct Hold {
    /// The input number of the vertex.
    pub vertex: usize,
    /// The stiffness of the spring of a soft pin in N/m; `None` for a hard one.
    pub stiffness: Option<f64>,
    /// The number of the model's motion that the vertex follows.
    pub motion: Option<usize>,
}

/// The vertices of all bodies, then those of obstacles, input numbering.
pub struct Vertices {
    /// Rest positions in m.
    pub rest: Vec<[f64; 3]>,
    /// How they are pinned: not (0), hard (1), soft (2) or for a time only (3).
    pub pinned: Vec<u8>,
    /// Whether they are unknowns.
    pub unknown: Vec<bool>,
    /// How pins hold them, in the order of the vertices.
    pub holds: Vec<Hold>,
    /// The pins that hold for a time only, with vertices in input numbering.
    pub passing: Vec<PassingPin>,
    /// The motions that they follow.
    pub motions: Vec<Course>,
}

impl Vertices {
    /// Those of the bodies, whose first ones have the numbers `firsts`.
    pub fn of_bodies(
        scene: &Scene,
        bodies: &[BodyData],
        firsts: &[usize],
        notes: &mut Vec<String>,
    ) -> Result<Vertices> {
        let mut motions = vec![];
        let (holds, mut passing) = collect_pins(scene, bodies, firsts, &mut motions, notes);
        let (mut pinned, unknown) = pinned_and_unknown(scene, bodies, &holds)?;
        for pin in &mut passing {
            pin.leave_out(|v| !unknown[v as usize]);
            for v in &pin.vertices {
                let own = &mut pinned[*v as usize];
                *own = if *own == 0 { 3 } else { *own };
            }
        }
        passing.retain(|pin| !pin.vertices.is_empty());
        let rest = bodies.iter().flat_map(|b| b.rest.iter().copied()).collect();
        Ok(Vertices { rest, pinned, unknown, holds, passing, motions })
    }
}

/// The vertices of each body, input numbering.
pub fn ranges(bodies: &[BodyData]) -> Vec<Range<usize>> {
    let mut next = 0;
    let range = |body: &BodyData| {
        let first = next;
        next += body.rest.len();
        first..next
    };
    bodies.iter().map(range).collect()
}

/// For every vertex, how it is pinned (0: not, 1: hard, 2: soft) and whether it is an unknown, in input numbering. Refuses
/// scenes without unknowns.
fn pinned_and_unknown(scene: &Scene, bodies: &[BodyData], holds: &[Hold]) -> Result<(Vec<u8>, Vec<bool>)> {
    let mut unknown: Vec<bool> = bodies.iter().flat_map(|b| b.orphans.iter().map(|o| !o)).collect();
    let mut pinned = vec![0u8; unknown.len()];
    for hold in holds {
        pinned[hold.vertex] = if hold.stiffness.is_none() { 1 } else { 2 };
        unknown[hold.vertex] &= hold.stiffness.is_some();
    }
    if unknown.contains(&true) {
        return Ok((pinned, unknown));
    }
    Err(Error::Mesh {
        subject: scene.name.clone(),
        reason: "every vertex is pinned hard: nothing is left to simulate".into(),
        hint: "make the pins' selections smaller".into(),
    })
}

/// One hold per vertex that is always pinned: hard pins win over soft ones, and among equals the later pin. Pins that hold for a
/// time only come after them.
fn collect_pins(
    scene: &Scene,
    bodies: &[BodyData],
    firsts: &[usize],
    motions: &mut Vec<Course>,
    notes: &mut Vec<String>,
) -> (Vec<Hold>, Vec<PassingPin>) {
    let mut passing = vec![];
    let total = firsts.last().map_or(0, |f| f + bodies[bodies.len() - 1].rest.len());
    let mut of_vertex: Vec<Option<Hold>> = vec![None; total];
    for (i, body) in bodies.iter().enumerate() {
        let mut overridden = 0;
        for ((pin, held), places) in scene.bodies[i].pins.iter().zip(&body.pins).zip(&body.places) {
            let motion = pin.motion.as_ref().map(|m| {
                let is_relative = pin.active.is_some_and(|active| active.from > 0.0);
                let (motion, places) = (m.clone(), places.clone());
                motions.push(Course { motion, places, first: firsts[i], is_relative });
                motions.len() - 1
            });
            if let Some(period) = pin.active.filter(|active| !active.is_always()) {
                let vertices = held.vertices.iter().map(|v| firsts[i] as u32 + v).collect();
                let stiffness = held.stiffness.clone();
                passing.push(PassingPin { body: i, period, stiffness, motion, vertices, term: None });
                continue;
            }
            for (n, v) in held.vertices.iter().enumerate() {
                let vertex = firsts[i] + *v as usize;
                let stiffness = held.stiffness.as_ref().map(|each| each[n]);
                let slot = &mut of_vertex[vertex];
                overridden += usize::from(slot.is_some());
                if !(slot.is_some_and(|h| h.stiffness.is_none()) && stiffness.is_some()) {
                    *slot = Some(Hold { vertex, stiffness, motion });
                }
            }
        }
        if overridden > 0 {
            notes.push(format!(
                "body '{}': {overridden} vertices are in several pins; hard ones win, then the later one",
                scene.bodies[i].name
            ));
        }
    }
    (of_vertex.into_iter().flatten().collect(), passing)
}

/// The initial state. Prescribed vertices start at rest: their velocity comes from their motion, step by step.
pub fn initial_state(bodies: &[BodyData], vertices: &Vertices, numbering: &Numbering) -> State {
    let mut x: Vec<[f64; 3]> = bodies.iter().flat_map(|b| b.initial.iter().copied()).collect();
    let mut v: Vec<[f64; 3]> = bodies.iter().flat_map(|b| b.velocity.iter().copied()).collect();
    // Obstacles start where they are at rest.
    x.extend(&vertices.rest[x.len()..]);
    v.resize(x.len(), [0.0; 3]);
    for hold in vertices.holds.iter().filter(|h| h.stiffness.is_none()) {
        v[hold.vertex] = [0.0; 3];
    }
    for pin in vertices.passing.iter().filter(|p| p.stiffness.is_none() && p.period.from <= 0.0) {
        pin.vertices.iter().for_each(|vertex| v[*vertex as usize] = [0.0; 3]);
    }
    let internal =
        |values: &[[f64; 3]]| numbering.order.iter().map(|i| Vec4::new(values[*i as usize])).collect();
    State { x: internal(&x), v: internal(&v) }
}

/// The pins that hold for a time only, with vertices in internal numbering.
pub fn passing_pins(numbering: &Numbering, mut pins: Vec<PassingPin>) -> Vec<PassingPin> {
    pins.iter_mut().flat_map(|pin| &mut pin.vertices).for_each(|v| *v = numbering.position[*v as usize]);
    pins
}

/// The prescribed vertices, in the order of their input numbers.
pub fn hard_pins(model: &Model, holds: &[Hold]) -> Vec<HardPin> {
    holds
        .iter()
        .filter(|h| h.stiffness.is_none())
        .map(|h| {
            let vertex = model.numbering.position[h.vertex];
            HardPin { vertex, origin: model.initial.x[vertex as usize].xyz(), motion: h.motion }
        })
        .collect()
}
