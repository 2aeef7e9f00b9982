//! Contact for solvers of positions: unilateral constraints, and a filter for each vertex.
//!
//! Such a solver has positions x̃ that it sweeps over, and clean ones x that follow them as far as that is safe. Its
//! constraints are those of the pairs near the way from x to x̃, linear in x̃:
//!
//! ```text
//! gap(x) + n·Σ f (x̃ − x) ≥ d̂,      compliance (d̂ − d)/(w κ |b′(d)|) at d = gap(x̃)
//! ```
//!
//! A constraint that has settled at the gap d pushes with the barrier's force there, w κ |b′(d)|. d is taken within
//! [`SOFTEST`] and [`STIFFEST`] of d̂.
//!
//! The filter scales the way of each vertex. Every pair of pieces whose corners, as they are scaled so far, are not safe
//! (see `filter`) is scaled down, until all pairs are safe at once. What is far from any contact moves all its way.

use super::Contact;
use super::barrier::barrier;
use super::filter::{self, longest_of};
use super::hierarchy::Scope;
use super::list::{FREE, Moved};
use super::pairs::{Kind, Pair};
use crate::step::active::Approach;
use elements::math::lanes::Vec4;
use elements::math::vec3::{add, dot, norm, scale, sub};

/// The gap as a part of d̂ at which constraints are softest.
const SOFTEST: f64 = 0.95;
/// The gap as a part of d̂ at which they are stiffest.
const STIFFEST: f64 = 0.05;
/// A pair that is not safe is scaled by a bit less than it could be, so that few passes are needed.
const LESS: f64 = 0.95;
/// Passes after which what is not safe stands still.
const PASSES: usize = 50;

impl Contact {
    /// The constraints of the pairs near the motion from `from` to `to`.
    pub(super) fn constraints(&self, from: &[Vec4], to: &[Vec4], out: &mut Vec<Approach>) {
        let surfaces = &self.surfaces;
        let way = Moved::between(surfaces, from, to);
        let mut pairs = self.listed(from, &way).unwrap_or_else(|| {
            let fitted = self.hierarchy.fit(surfaces, Scope::All, [from, to], surfaces.range);
            fitted.collect(|kind, corners, [p, q], out| {
                let (x, way) = between(&corners, from, to);
                if filter::may_meet(kind.first(), &x, &way, surfaces.range + surfaces.radii(p, q)) {
                    out.extend(surfaces.complete(kind, corners, p, q));
                }
            })
        });
        for plane in &self.planes {
            pairs.extend(self.above_plane(*plane, to, f64::INFINITY, |pair| Some(*pair)));
        }
        pairs.sort_unstable_by_key(|pair| (pair.kind, pair.corners));
        out.extend(pairs.iter().filter_map(|pair| self.constraint(pair, from, to)));
    }

    /// The pairs whose gap may be less than their range on a way that begins at `x`, by the lists; `None` where they do not
    /// tell.
    fn listed(&self, x: &[Vec4], way: &Moved) -> Option<Vec<Pair>> {
        let lists = self.lists_at(x);
        let found: Option<Vec<Vec<Pair>>> =
            lists.iter().map(|(list, moved)| list.within(moved, way)).collect();
        found.map(|found| found.concat())
    }

    fn constraint(&self, pair: &Pair, from: &[Vec4], to: &[Vec4]) -> Option<Approach> {
        let (x, end) = (pair.places(from), pair.places(to));
        let (gap, closest) = pair.gap(x);
        let normal = scale(1.0 / norm(closest.vector), closest.vector);
        let moved = |to: &[[f64; 3]; 4], from: &[[f64; 3]; 4]| {
            let parts = (0..4).map(|k| scale(closest.factors[k], sub(to[k], from[k])));
            parts.fold([0.0; 3], add)
        };
        let reached = gap + dot(moved(&end, &x), normal);
        let (_, way) = between(&pair.corners, from, to);
        let passes = pair.kind != Kind::Plane
            && !filter::may_meet(pair.kind.first(), &x, &way, pair.range + pair.offset);
        if gap.min(reached) >= pair.range || passes {
            return None;
        }
        let near = reached.clamp(STIFFEST * pair.range, SOFTEST * pair.range);
        let [_, slope, _] = barrier(near, pair.range);
        let stiffness = -pair.strength(x) * slope / (pair.range - near);
        let [own, other] =
            [pair.corners[0], pair.corners[pair.kind.first()]].map(|v| self.surfaces.part_of(v));
        let slid = self.friction.start().map(|start| moved(&x, &pair.places(start)));
        Some(Approach {
            key: (pair.kind as u8, pair.corners),
            corners: pair.corners,
            factors: closest.factors,
            normal,
            gap,
            bound: pair.range,
            compliance: 1.0 / stiffness,
            friction: if self.friction.acts() { self.friction.coefficient(own, other) } else { 0.0 },
            slid: slid.unwrap_or_default(),
        })
    }

    /// Lowers `parts`, one for each vertex, until the motion of each vertex by its part of the way is safe.
    pub(super) fn separate(&self, from: &[Vec4], to: &[Vec4], parts: &mut [f64]) {
        let surfaces = &self.surfaces;
        let way = Moved::stopping(surfaces, from, to);
        let mut pairs = self.listed(from, &way).unwrap_or_else(|| {
            self.hierarchy.fit_parts(surfaces, [from, to], filter::BESIDE * surfaces.range).collect(
                |kind, corners, [p, q], out| {
                    let (x, way) = between(&corners, from, to);
                    if filter::may_meet_parts(kind.first(), &x, &way, surfaces.range + surfaces.radii(p, q)) {
                        out.extend(surfaces.complete(kind, corners, p, q));
                    }
                },
            )
        });
        // What is left does not depend on where the pairs are from.
        pairs.retain(|pair| {
            let (x, way) = between(&pair.corners, from, to);
            filter::may_meet_parts(pair.kind.first(), &x, &way, filter::BESIDE * surfaces.range + pair.offset)
        });
        for plane in &self.planes {
            pairs.extend(self.above_plane(*plane, to, f64::INFINITY, |pair| {
                let [start, end] = [from, to].map(|x| pair.gap(pair.places(x)).0);
                let is_free = start - end < FREE * start - filter::KEPT * pair.range;
                (!is_free).then_some(*pair)
            }));
        }
        pairs.sort_unstable_by_key(|pair| (pair.kind, pair.corners));
        for pass in 0.. {
            let mut is_safe = true;
            for pair in &pairs {
                let (x, end) = (pair.places(from), pair.places(to));
                let scaled = |k: usize| scale(parts[pair.corners[k] as usize], sub(end[k], x[k]));
                let longest = longest_of(pair, x, std::array::from_fn(scaled));
                if longest < 1.0 {
                    is_safe = false;
                    let less = if pass < PASSES { LESS * longest } else { 0.0 };
                    let corners = if pair.kind == Kind::Plane { 1 } else { 4 };
                    let mut corners = pair.corners[..corners].to_vec();
                    corners.dedup();
                    corners.iter().for_each(|v| parts[*v as usize] *= less);
                }
            }
            if is_safe {
                break;
            }
        }
    }
}

/// Where four vertices are, and their ways.
fn between(corners: &[u32; 4], from: &[Vec4], to: &[Vec4]) -> ([[f64; 3]; 4], [[f64; 3]; 4]) {
    let x = corners.map(|v| from[v as usize].xyz());
    (x, std::array::from_fn(|k| sub(to[corners[k] as usize].xyz(), x[k])))
}
