//! The minimization over single vertices, four side by side.

use super::layout::{Bundle, Layout};
use super::touching::Touching;
use crate::step::Objective;
use crate::step::backtracking::shrinkage;
use elements::energy::vertex::{Expansion, Memory, Points};
use elements::math::eigen::symmetric3;
use elements::math::lanes::{Vec4, WIDTH};
use elements::math::symmetric::PLACES;
use elements::math::vec3::{add, dot, norm, scale, sub};

/// A step must bring at least this part of the decrease that its slope promises.
const GAMMA: f64 = 0.1;
/// Steps below this part of an element's size are taken without a test of the energy.
const TINY: f64 = 1e-7;
/// How often a step is halved before it shrinks to a tenth at a time.
const HALVINGS: u32 = 5;
/// The number of tries after the first: down to 10⁻¹¹ of the full step.
const MAX_RETRIES: u32 = 15;
/// Pivots and eigenvalues below this part of the largest count as zero.
const SINGULAR: f64 = 1e-12;

/// What is known of four vertices where they start: places, energies and slopes of their steps.
struct Known {
    from: [[f64; 3]; WIDTH],
    energies: [f64; WIDTH],
    slopes: [f64; WIDTH],
    touched: Touched,
}

/// Four vertices and the data of their surroundings.
pub(super) struct Neighbourhood<'a> {
    pub(super) objective: &'a Objective,
    pub(super) layout: &'a Layout,
    pub(super) bundle: &'a Bundle,
    /// The positions of all vertices. Those of other bundles of the same colour have no influence.
    pub(super) x: &'a [Vec4],
    /// The model of active terms.
    pub(super) touching: Option<&'a Touching>,
}

/// The gradient and the six numbers of a block for each lane, of what touches a vertex.
type Touched = [Option<([f64; 3], [f64; 6])>; WIDTH];

impl Neighbourhood<'_> {
    /// The positions to which one Newton step takes each of the vertices. Up to rounding, g is not higher there.
    /// `memory` is scratch space.
    pub(super) fn minimize(&self, memory: &mut Memory) -> [Vec4; WIDTH] {
        let from = self.bundle.vertices.map(|v| self.x[v as usize].xyz());
        memory.clear();
        let touched = self.touched();
        let expansion = self.expand(from, &touched, memory);
        let mut steps = [[0.0; 3]; WIDTH];
        let mut slopes = [0.0; WIDTH];
        let mut waits = [false; WIDTH];
        for lane in 0..self.bundle.count {
            let gradient = expansion.gradient.map(|g| g[lane]);
            let step = newton_step(expansion.hessian.map(|h| h[lane]), gradient);
            // A vertex whose Hessian is zero has no step and stays.
            if norm(step).is_finite() {
                steps[lane] = step;
                slopes[lane] = dot(gradient, step);
                waits[lane] = norm(step) > TINY * self.bundle.size[lane];
            }
        }
        let known = Known { from, energies: expansion.energy, slopes, touched };
        let parts = self.search(&known, &steps, memory, waits);
        std::array::from_fn(|lane| Vec4::new(add(from[lane], scale(parts[lane], steps[lane]))))
    }

    /// The part of each step to take. Lanes that do not wait take all of it. Waiting lanes take the largest part whose
    /// decrease is what the slope promises, or 0 if no part achieves that.
    fn search(
        &self,
        known: &Known,
        steps: &[[f64; 3]; WIDTH],
        memory: &[[f64; WIDTH]],
        mut waits: [bool; WIDTH],
    ) -> [f64; WIDTH] {
        let mut parts = [1.0; WIDTH];
        for retry in 0..=MAX_RETRIES {
            if waits == [false; WIDTH] {
                break;
            }
            let shifts = std::array::from_fn(|lane| scale(parts[lane], steps[lane]));
            let reached = self.energies(known, shifts, memory);
            for lane in 0..WIDTH {
                let promised = GAMMA * parts[lane] * known.slopes[lane];
                let is_low = reached[lane] <= known.energies[lane] + promised;
                waits[lane] &= !is_low;
                if waits[lane] {
                    parts[lane] *= shrinkage(retry, HALVINGS);
                }
            }
        }
        std::array::from_fn(|lane| if waits[lane] { 0.0 } else { parts[lane] })
    }

    /// What active terms are like at the vertices.
    fn touched(&self) -> Touched {
        let Some(touching) = self.touching else { return [None; WIDTH] };
        self.bundle.vertices.map(|v| touching.block(v))
    }

    fn expand(&self, at: [[f64; 3]; WIDTH], touched: &Touched, memory: &mut Memory) -> Expansion {
        let (mut out, points) = (Expansion::default(), points(&at));
        for (term, star) in self.layout.stars(self.bundle) {
            if let Some(term) = self.objective.terms[term].vertexwise() {
                term.vertex_block(&star, self.x, &points, memory, &mut out);
            }
        }
        for (lane, at) in at.into_iter().enumerate() {
            let (weight, d) = self.inertia(lane, at);
            out.energy[lane] += 0.5 * weight * dot(d, d);
            for k in 0..3 {
                out.gradient[k][lane] += weight * d[k];
                out.hessian[k][lane] += weight;
            }
            if let Some((gradient, block)) = &touched[lane] {
                (0..3).for_each(|k| out.gradient[k][lane] += gradient[k]);
                (0..6).for_each(|k| out.hessian[k][lane] += block[k]);
            }
        }
        out
    }

    fn energies(
        &self,
        known: &Known,
        shifts: [[f64; 3]; WIDTH],
        mut memory: &[[f64; WIDTH]],
    ) -> [f64; WIDTH] {
        let (mut out, points) = ([0.0; WIDTH], points(&shifts));
        for (term, star) in self.layout.stars(self.bundle) {
            if let Some(term) = self.objective.terms[term].vertexwise() {
                term.vertex_energy(&star, &points, &mut memory, &mut out);
            }
        }
        for lane in 0..WIDTH {
            let (weight, d) = self.inertia(lane, add(known.from[lane], shifts[lane]));
            out[lane] += 0.5 * weight * dot(d, d);
            if let Some((gradient, block)) = &known.touched[lane] {
                let product = dot(shifts[lane], times(*block, shifts[lane]));
                out[lane] += dot(*gradient, shifts[lane]) + 0.5 * product;
            }
        }
        out
    }

    /// The weight m/h² in N/m, and the distance x − y from the inertial position.
    fn inertia(&self, lane: usize, at: [f64; 3]) -> (f64, [f64; 3]) {
        let v = self.bundle.vertices[lane] as usize;
        let step = self.objective.step;
        (self.objective.mass[v] / (step * step), sub(at, self.objective.inertial[v].xyz()))
    }
}

fn points(at: &[[f64; 3]; WIDTH]) -> Points {
    std::array::from_fn(|k| at.map(|x| x[k]))
}

/// The product of the six numbers of a symmetric matrix with a vector.
fn times(hessian: [f64; 6], v: [f64; 3]) -> [f64; 3] {
    let mut out = [0.0; 3];
    for (value, (i, k)) in hessian.into_iter().zip(PLACES) {
        out[i] += value * v[k];
        if i != k {
            out[k] += value * v[i];
        }
    }
    out
}

/// The step −|H|⁻¹ g for the six numbers of H; not finite if H is zero.
fn newton_step(hessian: [f64; 6], gradient: [f64; 3]) -> [f64; 3] {
    let [xx, yy, zz, xy, xz, yz] = hessian;
    let least = SINGULAR * (xx.abs() + yy.abs() + zz.abs());
    let (l, m) = (xy / xx, xz / xx);
    let second = yy - l * xy;
    let n = (yz - l * xz) / second;
    let third = zz - m * xz - n * n * second;
    if !(xx > least && second > least && third > least) {
        return filtered_step(hessian, gradient);
    }
    let [a, b, c] = gradient;
    let b = b - l * a;
    let z = (c - m * a - n * b) / third;
    let y = b / second - n * z;
    [m * z + l * y - a / xx, -y, -z]
}

/// The same step for an H that is not positive definite.
fn filtered_step(hessian: [f64; 6], gradient: [f64; 3]) -> [f64; 3] {
    let mut full = [[0.0; 3]; 3];
    for (value, (i, k)) in hessian.into_iter().zip(PLACES) {
        (full[i][k], full[k][i]) = (value, value);
    }
    let (values, vectors) = symmetric3(full);
    let largest = values.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let mut step = [0.0; 3];
    for (value, vector) in values.into_iter().zip(vectors) {
        let part = -dot(vector, gradient) / value.abs().max(SINGULAR * largest);
        step = add(step, scale(part, vector));
    }
    step
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_solves_with_a_definite_block_and_descends_with_any() {
        let gradient = [0.3, -1.0, 0.7];
        let definite = [2.0, 3.0, 1.5, 0.4, -0.3, 0.9];
        let step = newton_step(definite, gradient);
        assert!(norm(add(times(definite, step), gradient)) < 1e-15, "{step:?}");
        assert!(norm(sub(step, filtered_step(definite, gradient))) < 1e-14);
        for indefinite in [[2.0, -3.0, 1.5, 0.4, -0.3, 0.9], [-1.0, -2.0, -3.0, 0.1, 0.0, 0.2]] {
            let step = newton_step(indefinite, gradient);
            assert!(dot(step, gradient) < 0.0, "{indefinite:?}: {step:?}");
        }
        assert!(!norm(newton_step([0.0; 6], gradient)).is_finite());
        // The Hessian has the eigenvalues 3, −1 and 2 along known axes.
        let step = newton_step([1.0, 1.0, 2.0, 2.0, 0.0, 0.0], [1.0, 1.0, 2.0]);
        assert!(norm(sub(step, [-1.0 / 3.0, -1.0 / 3.0, -1.0])) < 1e-15, "{step:?}");
        let step = newton_step([1.0, 1.0, 2.0, 2.0, 0.0, 0.0], [1.0, -1.0, 0.0]);
        assert!(norm(sub(step, [-1.0, 1.0, 0.0])) < 1e-15, "{step:?}");
    }
}
