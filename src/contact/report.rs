//! What touches, for people: forces, gaps, and sums between bodies and obstacles.

use std::collections::BTreeMap;

use super::Contact;
use super::hierarchy::Scope;
use super::pairs::{Pair, Touch};
use crate::step::active::{Between, Touching};
use elements::math::lanes::Vec4;
use elements::math::vec3::{add, dot, sub};

/// How far apart parts are looked for to tell the least gap, in times of d̂.
const FAR: f64 = 8.0;

impl Contact {
    /// The least gap in m between different parts at `x`; `Err(g)` if it is more than g.
    pub fn least_gap(&self, x: &[Vec4]) -> Result<f64, f64> {
        let (surfaces, far) = (&self.surfaces, FAR * self.surfaces.range);
        let mut pairs: Vec<Pair> =
            self.hierarchy.fit(surfaces, Scope::All, [x, x], far).collect(|kind, corners, [p, q], out| {
                if p.part != q.part {
                    out.extend(surfaces.complete(kind, corners, p, q));
                }
            });
        for plane in &self.planes {
            pairs.extend(self.above_plane(*plane, x, f64::INFINITY, |pair| Some(*pair)));
        }
        let least = pairs.iter().map(|pair| pair.gap(pair.places(x)).0).fold(f64::INFINITY, f64::min);
        // Parts that are further apart than this were left out, and one of them may be nearer than a plane.
        let known = if surfaces.parts.iter().filter(|part| part.plane.is_none()).count() < 2 {
            f64::INFINITY
        } else {
            far
        };
        if least <= known && least.is_finite() { Ok(least) } else { Err(known.min(least)) }
    }

    /// What touches at `x`.
    pub(super) fn report(&self, x: &[Vec4]) -> Touching {
        let mut out = Touching::nothing(x.len(), self.surfaces.range);
        out.excluded = self.surfaces.excluded.count();
        let mut sums: BTreeMap<[u32; 2], [[f64; 3]; 2]> = BTreeMap::new();
        for Touch { pair, gap, gradients, .. } in self.touches(x) {
            out.pairs += 1;
            out.least = out.least.min(gap);
            let (first, second) = self.parts_of(&pair);
            let sum = sums.entry([first.min(second), first.max(second)]).or_default();
            for (k, v) in pair.corners.iter().enumerate() {
                let (force, v) = (sub([0.0; 3], gradients[k]), *v as usize);
                out.forces[v] = add(out.forces[v], force);
                out.gaps[v] = out.gaps[v].min(gap);
                // What the part of the lower number feels.
                if (k < pair.kind.first()) == (first <= second) {
                    sum[0] = add(sum[0], force);
                }
            }
        }
        for rub in &self.rubs {
            let (_, gradients) = rub.evaluate(x);
            out.friction_work += self.friction.work(rub, &gradients, x);
            let [own, other] = [0, 1].map(|k: usize| self.surfaces.part_of(rub.corners[k]));
            let sum = sums.entry([own.min(other), own.max(other)]).or_default();
            for (k, v) in rub.corners.iter().enumerate() {
                let force = sub([0.0; 3], gradients[k]);
                out.friction[*v as usize] = add(out.friction[*v as usize], force);
                if (k == 0) == (own <= other) {
                    sum[1] = add(sum[1], force);
                }
            }
        }
        let name = |part: u32| self.surfaces.parts[part as usize].name.clone();
        out.between = sums
            .into_iter()
            .map(|([a, b], [normal, friction])| Between { names: [name(a), name(b)], normal, friction })
            .collect();
        out
    }

    /// The pairs of parts that may feel each other in a motion, each once, obstacles as `None`.
    pub(super) fn meetings(&self, from: &[Vec4], to: &[Vec4]) -> Vec<[Option<usize>; 2]> {
        let surfaces = &self.surfaces;
        let mut found = self
            .hierarchy
            .fit(surfaces, Scope::All, [from, to], 2.0 * surfaces.range)
            .collect_primitives(|[p, q], out| out.push([p, q].map(|p| surfaces.primitives[p as usize].part)));
        for plane in &self.planes {
            let [origin, normal] = self.plane_at(*plane, to);
            let [near, _] = self.plane_at(*plane, from);
            for (vertex, part) in &surfaces.vertices {
                let heights = [(from, near), (to, origin)]
                    .map(|(x, origin)| dot(sub(x[*vertex as usize].xyz(), origin), normal));
                let reach = surfaces.offset_to_plane(*part, *plane) + 2.0 * surfaces.range;
                if heights[0].min(heights[1]) < reach && surfaces.may_touch(*part, *plane) {
                    found.push([*part, *plane]);
                }
            }
        }
        found.iter_mut().for_each(|pair| pair.sort_unstable());
        found.sort_unstable();
        found.dedup();
        let body = |part: u32| (!surfaces.parts[part as usize].is_obstacle).then_some(part as usize);
        found.into_iter().map(|pair| pair.map(body)).collect()
    }

    /// Adds what contact stores at `x` less the work of friction, half of it to each body of a pair, all of it where the
    /// other one is an obstacle.
    pub(super) fn share(&self, x: &[Vec4], out: &mut [f64]) {
        let stored = self.near(x, |pair| pair.evaluate(pair.places(x)).map(|(energy, _)| (*pair, energy)));
        for (pair, energy) in stored {
            let (first, second) = self.parts_of(&pair);
            share_out([first, second], energy, out);
        }
        for rub in &self.rubs {
            let (_, gradients) = rub.evaluate(x);
            let parts = [0, 1].map(|k: usize| self.surfaces.part_of(rub.corners[k]));
            share_out(parts, -self.friction.work(rub, &gradients, x), out);
        }
    }

    /// The parts of a pair's first and second piece.
    fn parts_of(&self, pair: &Pair) -> (u32, u32) {
        let of = |corner: usize| self.surfaces.part_of(pair.corners[corner]);
        (of(0), of(pair.kind.first()))
    }
}

/// Adds an energy between two parts to the bodies among them, which have the first numbers, in equal shares.
pub(super) fn share_out(parts: [u32; 2], energy: f64, out: &mut [f64]) {
    let bodies = parts.map(|part| Some(part as usize).filter(|part| *part < out.len()));
    let each = energy / bodies.iter().flatten().count().max(1) as f64;
    bodies.into_iter().flatten().for_each(|body| out[body] += each);
}
