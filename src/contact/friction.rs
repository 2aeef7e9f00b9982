//! Friction that sticks: anchors with return mapping.
//!
//! A vertex that a part presses with the force λ (the sum of the contact forces between them, along n) has an anchor: a
//! material point of that part, with an offset. u is the motion of the vertex away from its anchor, across n. Friction of a
//! step is a potential with the force μλ at the most,
//!
//! ```text
//! E = k_t |u|²/2  up to  |u| = μλ/k_t,  then  μλ (|u| − μλ/(2 k_t)),      k_t = 0.1 κ w/d̂
//! ```
//!
//! with λ and n lagged: those of the last state at first, then those where the minimization ended, until they agree. At the
//! end of a step an anchor from which a vertex has slipped follows it, to the distance μλ/k_t; all others stay. So what
//! sticks does not creep, at any step size, unlike with friction that is a function of the velocity \[Li2020, 5\].
//!
//! Between bodies both sides have anchors, each with half the force; with obstacles, which do not move, only the body has.
//! A vertex of a sheet has an anchor for each of its two sides.

use std::collections::BTreeMap;

use super::pairs::Touch;
use super::surfaces::Surfaces;
use crate::step::active::Square;
use elements::math::lanes::Vec4;
use elements::math::vec3::{add, cross, dot, norm, scale, sub};

type Point = [f64; 3];

/// The stiffness of sticking, as a part of κ w/d̂.
const STICKING: f64 = 0.1;
/// The part of the way from sticking to slipping by which directions may be off.
const HARMLESS: f64 = 0.01;
/// Lags agree if the forces differ by less than this part of their sum.
const AGREEMENT: f64 = 1e-3;
/// The bytes of an anchor in a checkpoint.
const BYTES: usize = 6 * 4 + 6 * 8;

/// A vertex, the part that it rubs against, and for a sheet 1 if that presses it against its normal.
type Carrier = (u32, u32, u32);

/// A material point of a part, with an offset from it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Anchor {
    corners: [u32; 3],
    weights: Point,
    /// The offset in the frame of the three corners; in that of the world where they have none.
    offset: Point,
}

/// What presses a vertex.
#[derive(Clone, Copy, Debug)]
struct Load {
    force: Point,
    /// The corners of the nearest piece, with the factors of its closest point.
    corners: [u32; 3],
    weights: Point,
    gap: f64,
    stiffness: f64,
}

/// Friction of one vertex in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rub {
    /// The vertex, then the corners of its anchor.
    pub corners: [u32; 4],
    weights: Point,
    offset: Point,
    normal: Point,
    /// The largest force μλ in N.
    limit: f64,
    /// The stiffness k_t in N/m.
    stiffness: f64,
    /// The side of the vertex.
    side: u32,
}

impl Rub {
    fn places(&self, x: &[Vec4]) -> [Point; 4] {
        self.corners.map(|v| x[v as usize].xyz())
    }

    /// The motion u away from the anchor, across the normal, in m.
    fn slip(&self, [v, a, b, c]: [Point; 4]) -> Point {
        let [p, q, r] = self.weights;
        let anchor = add(add(scale(p, a), scale(q, b)), add(scale(r, c), self.offset));
        let apart = sub(v, anchor);
        sub(apart, scale(dot(apart, self.normal), self.normal))
    }

    fn factors(&self) -> [f64; 4] {
        let [p, q, r] = self.weights;
        [1.0, -p, -q, -r]
    }

    /// The energy in J, with the gradients of the corners.
    pub fn evaluate(&self, x: &[Vec4]) -> (f64, [Point; 4]) {
        let u = self.slip(self.places(x));
        let length = norm(u);
        let reach = self.limit / self.stiffness;
        let (energy, pull) = if length <= reach {
            (0.5 * self.stiffness * length * length, self.stiffness)
        } else {
            (self.limit * (length - 0.5 * reach), self.limit / length)
        };
        (energy, self.factors().map(|f| scale(f * pull, u)))
    }

    /// Appends the squares of which its Hessian is the sum.
    pub fn squares(&self, x: &[Vec4], out: &mut Vec<Square>) {
        let u = self.slip(self.places(x));
        let length = norm(u);
        let slips = length > self.limit / self.stiffness;
        let stiffness = if slips { self.limit / length } else { self.stiffness };
        if stiffness <= 0.0 {
            return;
        }
        // Along u nothing holds what slips.
        let first = if slips { scale(1.0 / length, u) } else { across(self.normal) };
        let second = cross(self.normal, first);
        let kept = if slips { &[second][..] } else { &[first, second][..] };
        for axis in kept {
            let vectors = self.factors().map(|f| scale(f * stiffness.sqrt(), *axis));
            let harmless = HARMLESS * stiffness.sqrt() * self.limit / self.stiffness;
            out.push(Square { corners: self.corners, vectors, harmless });
        }
    }
}

/// A unit vector across a unit vector.
fn across(n: Point) -> Point {
    let other = if n[0].abs() < 0.7 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    let t = cross(n, other);
    scale(1.0 / norm(t), t)
}

/// The frame of a triangle: unit vectors along a side, across it in the plane, and normal; `None` without an area.
fn frame([a, b, c]: [Point; 3]) -> Option<[Point; 3]> {
    let (along, normal) = (sub(b, a), cross(sub(b, a), sub(c, a)));
    let (length, area) = (norm(along), norm(normal));
    if !(area > 1e-12 * length * length && length > 0.0) {
        return None;
    }
    let (e, n) = (scale(1.0 / length, along), scale(1.0 / area, normal));
    Some([e, cross(n, e), n])
}

fn to_world(offset: Point, corners: [Point; 3]) -> Point {
    let Some([e, f, n]) = frame(corners) else { return offset };
    add(add(scale(offset[0], e), scale(offset[1], f)), scale(offset[2], n))
}

fn to_local(offset: Point, corners: [Point; 3]) -> Point {
    frame(corners).map_or(offset, |axes| axes.map(|axis| dot(axis, offset)))
}

/// All friction of a scene.
#[derive(Clone, Debug, Default)]
pub struct Friction {
    /// The coefficient μ of every two parts, parts × parts; empty without friction.
    coefficients: Vec<f64>,
    parts: usize,
    anchors: BTreeMap<Carrier, Anchor>,
    /// Where vertices were when the step began.
    start: Vec<Vec4>,
    /// The normals of the vertices of sheets then, not of unit length; 0 for others.
    normals: Vec<Point>,
    forces: BTreeMap<Carrier, f64>,
}

impl Friction {
    /// Friction with a coefficient for every two parts, parts × parts.
    pub fn new(coefficients: Vec<f64>, parts: usize) -> Friction {
        let acts = coefficients.iter().any(|c| *c > 0.0);
        Friction { coefficients: if acts { coefficients } else { vec![] }, parts, ..Friction::default() }
    }

    /// True if some parts rub.
    pub fn acts(&self) -> bool {
        !self.coefficients.is_empty()
    }

    /// Where vertices were when the step began; `None` before the first one, and without friction.
    pub fn start(&self) -> Option<&[Vec4]> {
        (!self.start.is_empty()).then_some(&self.start)
    }

    /// The coefficient μ of two parts; there must be friction.
    pub fn coefficient(&self, a: u32, b: u32) -> f64 {
        self.coefficients[a as usize * self.parts + b as usize]
    }

    /// Begins a step with vertices at `x`, where these pairs touch; returns the friction of the step.
    pub fn begin(&mut self, surfaces: &Surfaces, touches: &[Touch], x: &[Vec4]) -> Vec<Rub> {
        self.start.clear();
        self.start.extend_from_slice(x);
        self.normals.clear();
        self.normals.resize(x.len(), [0.0; 3]);
        for triangle in surfaces.parts.iter().filter(|part| part.is_sheet).flat_map(|part| &part.triangles) {
            let [a, b, c] = triangle.map(|v| x[v as usize].xyz());
            let normal = cross(sub(b, a), sub(c, a));
            for v in triangle {
                self.normals[*v as usize] = add(self.normals[*v as usize], normal);
            }
        }
        self.lag(surfaces, touches).0
    }

    /// The friction with the forces and normals of pairs that touch, and whether the forces differ from the last ones.
    pub fn lag(&mut self, surfaces: &Surfaces, touches: &[Touch]) -> (Vec<Rub>, bool) {
        let loads = self.loads(surfaces, touches);
        let (mut rubs, mut forces) = (vec![], BTreeMap::new());
        for (carrier, load) in &loads {
            let force = norm(load.force);
            forces.insert(*carrier, force);
            if force > 0.0 {
                rubs.push(self.rub(surfaces, *carrier, load, force));
            }
        }
        let change = |(carrier, force): (&Carrier, &f64)| {
            (force - self.forces.get(carrier).copied().unwrap_or(0.0)).abs()
        };
        let gone =
            self.forces.iter().filter(|(carrier, _)| !forces.contains_key(carrier)).map(|(_, force)| force);
        let changed: f64 = forces.iter().map(change).sum::<f64>() + gone.sum::<f64>();
        let total: f64 = forces.values().sum();
        self.forces = forces;
        (rubs, changed > AGREEMENT * total)
    }

    fn rub(&self, surfaces: &Surfaces, carrier: Carrier, load: &Load, force: f64) -> Rub {
        let (vertex, other, side) = carrier;
        let own = surfaces.part_of(vertex);
        let anchor = self.anchors.get(&carrier).copied().unwrap_or_else(|| self.anchor(vertex, load));
        let corners = anchor.corners.map(|v| self.start[v as usize].xyz());
        let is_obstacle = surfaces.parts[other as usize].is_obstacle;
        let share = if is_obstacle { 1.0 } else { 0.5 };
        let area = surfaces.vertex_area(vertex);
        let [a, b, c] = anchor.corners;
        Rub {
            corners: [vertex, a, b, c],
            weights: anchor.weights,
            offset: to_world(anchor.offset, corners),
            normal: scale(1.0 / force, load.force),
            limit: share * self.coefficient(own, other) * force,
            stiffness: share * STICKING * load.stiffness * area / surfaces.range,
            side,
        }
    }

    /// The work in J of a friction with these gradients over the step that ends at `x`.
    pub fn work(&self, rub: &Rub, gradients: &[Point; 4], x: &[Vec4]) -> f64 {
        let corners = rub.corners.iter().zip(gradients);
        corners.map(|(v, g)| -dot(*g, sub(x[*v as usize].xyz(), self.start[*v as usize].xyz()))).sum()
    }

    /// An anchor at the nearest piece, from which the vertex was not away when the step began.
    fn anchor(&self, vertex: u32, load: &Load) -> Anchor {
        let places = load.corners.map(|v| self.start[v as usize].xyz());
        let [p, q, r] = load.weights;
        let point = add(add(scale(p, places[0]), scale(q, places[1])), scale(r, places[2]));
        let offset = to_local(sub(self.start[vertex as usize].xyz(), point), places);
        Anchor { corners: load.corners, weights: load.weights, offset }
    }

    /// What presses each vertex of each part that rubs, with the nearest piece.
    fn loads(&self, surfaces: &Surfaces, touches: &[Touch]) -> BTreeMap<Carrier, Load> {
        let mut loads: BTreeMap<Carrier, Load> = BTreeMap::new();
        for Touch { pair, gap, closest, gradients } in touches {
            let (gap, first) = (*gap, pair.kind.first());
            for (k, vertex) in pair.corners.iter().enumerate() {
                let opposite = if k < first { first..4 } else { 0..first };
                let other = surfaces.part_of(pair.corners[opposite.start]);
                let own = surfaces.part_of(*vertex);
                if surfaces.parts[own as usize].is_obstacle || self.coefficient(own, other) == 0.0 {
                    continue;
                }
                let nearest = || {
                    let at = |i: usize| opposite.clone().nth(i).unwrap_or(opposite.end - 1);
                    let corners = [0, 1, 2].map(|i| pair.corners[at(i)]);
                    let weights = [0, 1, 2]
                        .map(|i| if i < opposite.len() { closest.factors[at(i)].abs() } else { 0.0 });
                    (corners, weights)
                };
                let (corners, weights) = nearest();
                let fresh = Load { force: [0.0; 3], corners, weights, gap, stiffness: pair.stiffness };
                let side = u32::from(dot(gradients[k], self.normals[*vertex as usize]) > 0.0);
                let load = loads.entry((*vertex, other, side)).or_insert(fresh);
                load.force = sub(load.force, gradients[k]);
                if gap < load.gap {
                    *load = Load { force: load.force, ..fresh };
                }
            }
        }
        loads
    }

    /// Ends a step at `x`: anchors follow what slipped, and those that nothing presses are dropped.
    pub fn end(&mut self, surfaces: &Surfaces, rubs: &[Rub], x: &[Vec4]) {
        let mut kept = BTreeMap::new();
        for rub in rubs {
            let vertex = rub.corners[0];
            let other = surfaces.part_of(rub.corners[1]);
            let [_, a, b, c] = rub.corners;
            let u = rub.slip(rub.places(x));
            let (length, reach) = (norm(u), rub.limit / rub.stiffness);
            let mut offset = rub.offset;
            if length > reach {
                offset = add(offset, scale(1.0 - reach / length, u));
            }
            // The frame that the offset was in is that of the step's start.
            let start = [a, b, c].map(|v| self.start[v as usize].xyz());
            let anchor = Anchor { corners: [a, b, c], weights: rub.weights, offset: to_local(offset, start) };
            kept.insert((vertex, other, rub.side), anchor);
        }
        self.anchors = kept;
    }

    /// The anchors as bytes.
    pub fn save(&self) -> Vec<u8> {
        let mut out = vec![];
        for ((vertex, part, side), anchor) in &self.anchors {
            let [a, b, c] = anchor.corners;
            [*vertex, *part, *side, a, b, c].iter().for_each(|n| out.extend(n.to_le_bytes()));
            anchor.weights.iter().chain(&anchor.offset).for_each(|n| out.extend(n.to_le_bytes()));
        }
        out
    }

    /// Reads what [`Friction::save`] wrote; false if it cannot be.
    pub fn restore(&mut self, bytes: &[u8], vertices: usize) -> bool {
        let mut anchors = BTreeMap::new();
        for anchor in bytes.chunks(BYTES) {
            if anchor.len() < BYTES {
                return false;
            }
            let number = |i: usize| u32::from_le_bytes(std::array::from_fn(|k| anchor[4 * i + k]));
            let real = |i: usize| f64::from_le_bytes(std::array::from_fn(|k| anchor[24 + 8 * i + k]));
            let [vertex, part, side, a, b, c] = [0, 1, 2, 3, 4, 5].map(number);
            let (weights, offset) = ([0, 1, 2].map(real), [3, 4, 5].map(real));
            let is_known = [vertex, a, b, c].iter().all(|v| (*v as usize) < vertices)
                && (part as usize) < self.parts
                && side < 2;
            if !is_known || !weights.iter().chain(&offset).all(|n| n.is_finite()) {
                return false;
            }
            anchors.insert((vertex, part, side), Anchor { corners: [a, b, c], weights, offset });
        }
        self.anchors = anchors;
        true
    }
}
