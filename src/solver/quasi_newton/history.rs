//! The pairs of L-BFGS and the two loops over them \[Liu2017, Alg. 2\].
//!
//! The loops are the paper's with their sums written out. With r = g at first and q = H₀ r at last,
//!
//! ```text
//! αᵢ = ρᵢ sᵢ·(g − Σ_{j>i} αⱼ tⱼ),      r = g − Σ αᵢ tᵢ,
//! βᵢ = ρᵢ tᵢ·(q + Σ_{j<i} (αⱼ − βⱼ) sⱼ),      H g = q + Σ (αᵢ − βᵢ) sᵢ,      ρᵢ = 1/(sᵢ·tᵢ)
//! ```
//!
//! so that four passes over all pairs replace one pass per pair and operation: sᵢ·g, r, tᵢ·q and the direction. All
//! products sᵢ·tⱼ follow without a pass: those of older with newer pairs because tⱼ is the difference of two gradients,
//! those of newer with older ones because sᵢ is a multiple of the direction. (Pairs in f32, half the bytes, would lose
//! the linear momentum at 1e-8.)
//!
//! The products sᵢ·A sⱼ follow too where H₀ = f A⁻¹. With q = f A⁻¹ r, the direction d = −q − Σ cᵢ sᵢ has
//!
//! ```text
//! sⱼ·A d = −f sⱼ·r − Σ cᵢ sᵢ·A sⱼ,      d·A d = f (q·r + Σ cᵢ sᵢ·r) − Σ cᵢ sᵢ·A d
//! ```
//!
//! and s·A s/s·t of the last pair tells by how much A was too stiff along the last step.
//!
//! Pairs without curvature (s·t ≈ 0 or less) are left out.

use std::collections::VecDeque;

use crate::step::Iterate;
use elements::math::lanes::{Kernel, Lane, Vec4, dispatch};
use elements::math::vectors::{Add, Dot};
use elements::par;

/// Pairs whose cosine between s and t is below this contain no usable curvature.
const MIN_COSINE: f64 = 1e-10;
/// The number of vertices in a chunk of work: few enough to stay in a cache while all pairs are applied to them.
const CHUNK: usize = 512;

/// A step s and the change t of the gradient over it.
#[derive(Default)]
struct Pair {
    step: Vec<Vec4>,
    change: Vec<Vec4>,
    /// The factor ρ = 1/(s·t).
    inverse: f64,
    /// The square t·t of the change.
    square: f64,
    /// The product s·g with the last gradient.
    along: f64,
    /// The products s·t with the t of every pair.
    changes: VecDeque<f64>,
    /// The products s·A s with the s of every pair.
    weights: VecDeque<f64>,
    /// The factor α after the first loop, α − β after the second.
    factor: f64,
}

/// Products with the last direction d.
#[derive(Default)]
struct Ahead {
    /// The products t·d of every pair.
    changes: Vec<f64>,
    /// The products s·A d of every pair.
    weights: Vec<f64>,
    /// The product d·A d.
    square: f64,
}

/// The last pairs, up to a limit.
pub(super) struct History {
    limit: usize,
    pairs: VecDeque<Pair>,
    spare: Vec<Pair>,
    ahead: Ahead,
    /// The factor f of H₀ = f A⁻¹.
    scale: f64,
    /// The products s·r of every pair.
    residuals: Vec<f64>,
    /// The sums of each chunk, and the totals of all chunks.
    partial: Vec<f64>,
    sums: Vec<f64>,
    learned: Vec<[f64; 3]>,
}

impl History {
    /// An empty history that will hold at most `limit` pairs.
    pub(super) fn new(limit: usize) -> History {
        History {
            limit,
            pairs: VecDeque::new(),
            spare: vec![],
            ahead: Ahead::default(),
            scale: 1.0,
            residuals: vec![],
            partial: vec![],
            sums: vec![],
            learned: vec![],
        }
    }

    /// The number of pairs that are kept at the most.
    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    /// The number of pairs; without any the loops do nothing.
    pub(super) fn len(&self) -> usize {
        self.pairs.len()
    }

    /// The ratio s·t/t·t of the last pair, by which the identity is scaled.
    pub(super) fn scale(&self) -> Option<f64> {
        self.pairs.back().map(|pair| 1.0 / (pair.inverse * pair.square))
    }

    /// The ratio s·A s/s·t of the last pair, if H₀ has been a multiple of A⁻¹ for all pairs.
    pub(super) fn overestimate(&self) -> Option<f64> {
        let last = self.pairs.back()?;
        last.weights.back().map(|weight| weight * last.inverse)
    }

    /// The loop from the last pair to the first; computes `residual ← scale r`.
    pub(super) fn backward(&mut self, gradient: &[Vec4], scale: f64, residual: &mut [Vec4]) {
        self.note(gradient);
        for i in (0..self.pairs.len()).rev() {
            let newer = self.pairs[i].changes.range(i + 1..).zip(self.pairs.range(i + 1..));
            let rest: f64 = newer.map(|(product, pair)| product * pair.factor).sum();
            let pair = &mut self.pairs[i];
            pair.factor = pair.inverse * (pair.along - rest);
        }
        self.scale = scale;
        self.residuals.clear();
        for pair in &self.pairs {
            let taken = pair.changes.iter().zip(&self.pairs).map(|(product, pair)| product * pair.factor);
            self.residuals.push(pair.along - taken.sum::<f64>());
        }
        let pairs = &self.pairs;
        par::chunks_mut(residual, CHUNK, |chunk, out| {
            let first = chunk * CHUNK;
            out.copy_from_slice(&gradient[first..first + out.len()]);
            for pair in pairs {
                dispatch(Add(-pair.factor, &pair.change[first..], out));
            }
            dispatch(Scale { scale, gradient: &[], out });
        });
    }

    /// The loop from the first pair to the last on q = H₀ r, which becomes −H g; returns its slope.
    pub(super) fn forward(&mut self, gradient: &[Vec4], direction: &mut [Vec4]) -> f64 {
        self.sum_up(direction, |pair| &pair.change);
        let sums = &self.sums;
        let taken: f64 = self.pairs.iter().zip(sums).map(|(pair, sum)| pair.factor * sum).sum();
        for i in 0..self.pairs.len() {
            let rest: f64 = self.pairs.range(..i).map(|pair| pair.factor * pair.changes[i]).sum();
            let pair = &mut self.pairs[i];
            pair.factor -= pair.inverse * (sums[i] + rest);
        }
        let pairs = &self.pairs;
        self.partial.resize(direction.len().div_ceil(CHUNK), 0.0);
        par::chunks_mut_with(direction, CHUNK, &mut self.partial, |chunk, out| {
            let first = chunk * CHUNK;
            for pair in pairs {
                dispatch(Add(pair.factor, &pair.step[first..], out));
            }
            dispatch(Scale { scale: -1.0, gradient: &gradient[first..], out })
        });
        let slope = self.partial.iter().sum();
        self.look_ahead(slope, taken);
        slope
    }

    /// Computes the products with the direction, whose slope is given. `sums` has t·q of all pairs,
    /// and `taken` is Σ α t·q.
    fn look_ahead(&mut self, slope: f64, taken: f64) {
        let History { pairs, ahead, scale, residuals, sums, .. } = self;
        ahead.changes.clear();
        ahead.weights.clear();
        // This begins as g·q and ends as q·r.
        let mut square = -slope;
        for (i, (sum, residual)) in sums.iter().zip(&*residuals).enumerate() {
            let steps: f64 = pairs.iter().map(|pair| pair.factor * pair.changes[i]).sum();
            let weights: f64 = pairs.iter().map(|pair| pair.factor * pair.weights[i]).sum();
            ahead.changes.push(-sum - steps);
            ahead.weights.push(-*scale * residual - weights);
            square -= pairs[i].factor * pairs[i].along;
        }
        square -= taken;
        for (pair, residual) in pairs.iter().zip(residuals) {
            square += pair.factor * *residual;
        }
        ahead.square = *scale * square;
        for (pair, weight) in pairs.iter().zip(&ahead.weights) {
            ahead.square -= pair.factor * weight;
        }
    }

    /// Keeps s·g of all pairs. For the newest pair, whose t ends at this gradient, the products s·t are completed.
    fn note(&mut self, gradient: &[Vec4]) {
        self.sum_up(gradient, |pair| &pair.step);
        let count = self.pairs.len();
        for (pair, sum) in self.pairs.iter_mut().zip(&self.sums) {
            if pair.changes.len() < count {
                pair.changes.push_back(sum - pair.along);
            }
            pair.along = *sum;
        }
    }

    /// Computes `sums` ← s·v, or t·v, of all pairs.
    fn sum_up(&mut self, v: &[Vec4], array: impl Fn(&Pair) -> &Vec<Vec4> + Send + Sync) {
        let (pairs, count) = (&self.pairs, self.pairs.len());
        self.sums.clear();
        self.sums.resize(count, 0.0);
        if count == 0 {
            return;
        }
        self.partial.resize(v.len().div_ceil(CHUNK) * count, 0.0);
        par::chunks_mut(&mut self.partial, count, |chunk, out| {
            let range = chunk * CHUNK..v.len().min((chunk + 1) * CHUNK);
            for (pair, out) in pairs.iter().zip(out) {
                *out = dispatch(Dot(&array(pair)[range.clone()], &v[range.clone()]));
            }
        });
        for chunk in self.partial.chunks_exact(count) {
            self.sums.iter_mut().zip(chunk).for_each(|(sum, part)| *sum += part);
        }
    }

    /// Makes a pair of the step between two evaluated points, which is `alpha` times the last direction.
    pub(super) fn learn(&mut self, from: &Iterate, to: &Iterate, alpha: f64) {
        if self.limit == 0 {
            return;
        }
        let free = to.gradient.len();
        let mut pair = self.take_room();
        pair.step.resize(free, Vec4::ZERO);
        pair.change.resize(free, Vec4::ZERO);
        self.learned.resize(free.div_ceil(CHUNK), [0.0; 3]);
        let Pair { step, change, .. } = &mut pair;
        par::pairs_mut_with(step, change, CHUNK, &mut self.learned, |chunk, step, change| {
            dispatch(Learn { from, to, first: chunk * CHUNK, step, change })
        });
        let [curvature, steps, square] =
            self.learned.iter().fold([0.0; 3], |a, b| std::array::from_fn(|k| a[k] + b[k]));
        if curvature > MIN_COSINE * (steps * square).sqrt() {
            pair.inverse = 1.0 / curvature;
            pair.square = square;
            self.join(&mut pair, curvature, alpha);
            self.pairs.push_back(pair);
        } else {
            self.spare.push(pair);
        }
    }

    /// Memory for a new pair; that of the oldest if all is in use.
    fn take_room(&mut self) -> Pair {
        if self.pairs.len() < self.limit {
            return self.spare.pop().unwrap_or_default();
        }
        self.ahead.changes.remove(0);
        self.ahead.weights.remove(0);
        let oldest = self.pairs.pop_front();
        for pair in &mut self.pairs {
            pair.changes.pop_front();
            pair.weights.pop_front();
        }
        oldest.expect("a limit above 0")
    }

    /// Computes the products of a new pair, whose step is `alpha` times the last direction, with all pairs including
    /// itself. The products of other steps with its change t follow with the next gradient.
    fn join(&mut self, pair: &mut Pair, curvature: f64, alpha: f64) {
        let Ahead { changes, weights, square } = &self.ahead;
        pair.changes.clear();
        pair.changes.extend(changes.iter().map(|product| alpha * product));
        pair.changes.push_back(curvature);
        pair.weights.clear();
        pair.weights.extend(weights.iter().map(|product| alpha * product));
        pair.weights.push_back(alpha * alpha * square);
        for (other, weight) in self.pairs.iter_mut().zip(weights) {
            other.weights.push_back(alpha * weight);
        }
    }

    /// Drops all pairs.
    pub(super) fn forget(&mut self) {
        self.spare.extend(self.pairs.drain(..));
    }
}

/// The kernel of x ← s x; returns g·x, or 0 without g.
struct Scale<'a> {
    scale: f64,
    gradient: &'a [Vec4],
    out: &'a mut [Vec4],
}

impl Kernel for Scale<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lane>(self) -> f64 {
        let (s, mut sums) = (L::splat(self.scale), [L::splat(0.0); 4]);
        for out in &mut *self.out {
            out.0 = (s * L::load(&out.0)).to_array();
        }
        for (i, (out, g)) in self.out.iter().zip(self.gradient).enumerate() {
            sums[i % 4] = sums[i % 4] + L::load(&out.0) * L::load(&g.0);
        }
        let s = ((sums[0] + sums[1]) + (sums[2] + sums[3])).to_array();
        (s[0] + s[1]) + (s[2] + s[3])
    }
}

/// The kernel that makes the pair of a step; returns s·t, s·s and t·t.
struct Learn<'a> {
    from: &'a Iterate,
    to: &'a Iterate,
    first: usize,
    step: &'a mut [Vec4],
    change: &'a mut [Vec4],
}

impl Kernel for Learn<'_> {
    type Output = [f64; 3];

    #[inline(always)]
    fn run<L: Lane>(self) -> [f64; 3] {
        let mut sums = [L::splat(0.0); 3];
        let range = self.first..self.first + self.step.len();
        let places = self.from.x[range.clone()].iter().zip(&self.to.x[range.clone()]);
        let gradients = self.from.gradient[range.clone()].iter().zip(&self.to.gradient[range]);
        let pairs = self.step.iter_mut().zip(self.change);
        for (((step, change), (x0, x1)), (g0, g1)) in pairs.zip(places).zip(gradients) {
            let (s, t) = (L::load(&x1.0) - L::load(&x0.0), L::load(&g1.0) - L::load(&g0.0));
            step.0 = s.to_array();
            change.0 = t.to_array();
            sums[0] = sums[0] + s * t;
            sums[1] = sums[1] + s * s;
            sums[2] = sums[2] + t * t;
        }
        let mut out = [0.0; 3];
        for k in 0..3 {
            let s = sums[k].to_array();
            out[k] = (s[0] + s[1]) + (s[2] + s[3]);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elements::math::vectors;

    const SIZE: usize = 40;

    /// The product of `x` with the matrix of a chain of springs that stiffen along it, plus `mass`.
    fn chain(mass: f64, stiffness: f64, x: &[Vec4]) -> Vec<Vec4> {
        let mut out: Vec<Vec4> = x.iter().map(|x| Vec4(x.0.map(|c| mass * c))).collect();
        for i in 1..x.len() {
            let weight = stiffness * (1.0 + i as f64 / 10.0);
            for k in 0..3 {
                let force = weight * (x[i].0[k] - x[i - 1].0[k]);
                out[i].0[k] += force;
                out[i - 1].0[k] -= force;
            }
        }
        out
    }

    fn at(x: Vec<Vec4>, hessian: impl Fn(&[Vec4]) -> Vec<Vec4>) -> Iterate {
        let mut iterate = Iterate::default();
        iterate.gradient = hessian(&x);
        iterate.x = x;
        iterate
    }

    /// The loops as they stand in the paper, around A⁻¹ = 1/7.
    fn two_loops(pairs: &[(Vec<Vec4>, Vec<Vec4>)], gradient: &[Vec4], scale: f64) -> Vec<Vec4> {
        let mut r = gradient.to_vec();
        let mut alphas = vec![];
        for (s, t) in pairs.iter().rev() {
            alphas.push(vectors::dot(s, &r) / vectors::dot(s, t));
            vectors::add_scaled(-alphas[alphas.len() - 1], t, &mut r);
        }
        r.iter_mut().for_each(|r| r.0 = r.0.map(|c| scale / 7.0 * c));
        for ((s, t), alpha) in pairs.iter().zip(alphas.into_iter().rev()) {
            let beta = vectors::dot(t, &r) / vectors::dot(s, t);
            vectors::add_scaled(alpha - beta, s, &mut r);
        }
        r.iter_mut().for_each(|r| r.0 = r.0.map(|c| -c));
        r
    }

    #[test]
    fn directions_and_products_are_those_of_the_paper() {
        // A = 7, a Hessian below it, at most three pairs, steps of different lengths.
        let hessian = |x: &[Vec4]| chain(0.5, 0.2, x);
        let x = (0..SIZE).map(|i| Vec4::new([(i * i) as f64 % 7.0, (i as f64).sin(), 1.0])).collect();
        let mut iterate = at(x, hessian);
        let mut history = History::new(3);
        let (mut pairs, mut residual) = (vec![], vec![Vec4::ZERO; SIZE]);
        for round in 0..12 {
            let (scale, alpha) =
                (1.0 + 0.25 * f64::from(round % 3), [1.0, 0.5, 0.1, 1.0][round as usize % 4]);
            history.backward(&iterate.gradient, scale, &mut residual);
            let mut d: Vec<Vec4> = residual.iter().map(|r| Vec4(r.0.map(|c| c / 7.0))).collect();
            let slope = history.forward(&iterate.gradient, &mut d);
            let wanted = two_loops(&pairs, &iterate.gradient, scale);
            let difference = |a: &[Vec4], b: &[Vec4]| -> Vec<Vec4> {
                a.iter().zip(b).map(|(a, b)| Vec4(std::array::from_fn(|k| a.0[k] - b.0[k]))).collect()
            };
            let apart = vectors::norm(&difference(&d, &wanted));
            assert!(apart < 1e-9 * vectors::norm(&wanted), "round {round}: {apart:e}");
            assert!(slope < 0.0 && (slope - vectors::dot(&d, &iterate.gradient)).abs() < 1e-9 * slope.abs());
            let mut x = iterate.x.clone();
            vectors::add_scaled(alpha, &d, &mut x);
            let next = at(x, hessian);
            history.learn(&iterate, &next, alpha);
            let (s, t) = (difference(&next.x, &iterate.x), difference(&next.gradient, &iterate.gradient));
            let overestimate = 7.0 * vectors::dot(&s, &s) / vectors::dot(&s, &t);
            let found = history.overestimate().expect("a pair");
            assert!((found - overestimate).abs() < 1e-9 * overestimate, "{round}: {found} {overestimate}");
            pairs.push((s, t));
            pairs.drain(..pairs.len().saturating_sub(3));
            iterate = next;
        }
    }
}
