//! The pairs of L-BFGS and the two loops over them \[Liu2017, Alg. 2\].
//!
//! The loops are the paper's with their sums written out. With r = g at first and q = H₀ r at last,
//!
//! ```text
//! αᵢ = ρᵢ sᵢ·(g − Σ_{j>i} αⱼ tⱼ),      r = g − Σ αᵢ tᵢ,
//! βᵢ = ρᵢ tᵢ·(q + Σ_{j<i} (αⱼ − βⱼ) sⱼ),      H g = q + Σ (αᵢ − βᵢ) sᵢ,      ρᵢ = 1/(sᵢ·tᵢ)
//! ```
//!
//! so that four passes over all pairs do what one pass per pair and operation would: sᵢ·g, r, tᵢ·q and the direction.
//! The sᵢ·tⱼ of older with newer pairs come for nothing, as tⱼ is the difference of two gradients. (Pairs in f32, half the
//! bytes, would lose the linear momentum at 1e-8.)
//!
//! Pairs without curvature (s·t ≈ 0 or less) are left out.

use std::collections::VecDeque;

use crate::math::lanes::{Kernel, Lane, Vec4, dispatch};
use crate::math::vectors::{Add, Dot};
use crate::objective::Iterate;
use crate::par;

/// Pairs with a cosine between step and change below this have no curvature to learn from.
const MIN_COSINE: f64 = 1e-10;
/// Vertices per chunk of work: what all pairs are applied to while it is at hand.
const CHUNK: usize = 512;

/// A step s and the change t of the gradient over it.
#[derive(Default)]
struct Pair {
    step: Vec<Vec4>,
    change: Vec<Vec4>,
    /// ρ.
    inverse: f64,
    /// t·t.
    square: f64,
    /// s·g of the last gradient.
    along: f64,
    /// s·t of each newer pair.
    products: Vec<f64>,
    /// α, and then α − β.
    factor: f64,
}

/// The last pairs, at most so many.
pub(super) struct History {
    limit: usize,
    pairs: VecDeque<Pair>,
    spare: Vec<Pair>,
    /// Sums of each chunk.
    partial: Vec<f64>,
}

impl History {
    /// An empty one.
    pub(super) fn new(limit: usize) -> History {
        History { limit, pairs: VecDeque::new(), spare: vec![], partial: vec![] }
    }

    /// True where the loops do nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// s·t/t·t of the last pair.
    pub(super) fn scale(&self) -> Option<f64> {
        self.pairs.back().map(|pair| 1.0 / (pair.inverse * pair.square))
    }

    /// The loop from the last pair to the first: `residual ← scale r`.
    pub(super) fn backward(&mut self, gradient: &[Vec4], scale: f64, residual: &mut [Vec4]) {
        self.note(gradient);
        for i in (0..self.pairs.len()).rev() {
            let newer = self.pairs[i].products.iter().zip(self.pairs.range(i + 1..));
            let rest: f64 = newer.map(|(product, pair)| product * pair.factor).sum();
            let pair = &mut self.pairs[i];
            pair.factor = pair.inverse * (pair.along - rest);
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
        let sums = self.sums(direction, |pair| &pair.change);
        for i in 0..self.pairs.len() {
            let older = self.pairs.range(..i);
            // The newer pairs of the j-th begin with j + 1.
            let rest: f64 = older.enumerate().map(|(j, pair)| pair.factor * pair.products[i - j - 1]).sum();
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
        self.partial.iter().sum()
    }

    /// Keeps s·g of all pairs, of which the newest has the change to this gradient.
    fn note(&mut self, gradient: &[Vec4]) {
        let sums = self.sums(gradient, |pair| &pair.step);
        let count = self.pairs.len();
        for (i, (pair, sum)) in self.pairs.iter_mut().zip(sums).enumerate() {
            if i + 1 < count && pair.products.len() < count - i - 1 {
                pair.products.push(sum - pair.along);
            }
            pair.along = sum;
        }
    }

    /// s·v, or t·v, of all pairs.
    fn sums(&mut self, v: &[Vec4], array: impl Fn(&Pair) -> &Vec<Vec4> + Send + Sync) -> Vec<f64> {
        let (pairs, count) = (&self.pairs, self.pairs.len());
        if count == 0 {
            return vec![];
        }
        self.partial.resize(v.len().div_ceil(CHUNK) * count, 0.0);
        par::chunks_mut(&mut self.partial, count, |chunk, out| {
            let range = chunk * CHUNK..v.len().min((chunk + 1) * CHUNK);
            for (pair, out) in pairs.iter().zip(out) {
                *out = dispatch(Dot(&array(pair)[range.clone()], &v[range.clone()]));
            }
        });
        let mut sums = vec![0.0; count];
        for chunk in self.partial.chunks_exact(count) {
            sums.iter_mut().zip(chunk).for_each(|(sum, part)| *sum += part);
        }
        sums
    }

    /// Learns from the step from one evaluated point to another.
    pub(super) fn learn(&mut self, from: &Iterate, to: &Iterate) {
        if self.limit == 0 {
            return;
        }
        let free = to.gradient.len();
        let full = self.pairs.len() == self.limit;
        let oldest = if full { self.pairs.pop_front() } else { self.spare.pop() };
        let mut pair = oldest.unwrap_or_default();
        pair.step.resize(free, Vec4::ZERO);
        pair.change.resize(free, Vec4::ZERO);
        let mut sums = vec![[0.0; 3]; free.div_ceil(CHUNK)];
        let Pair { step, change, .. } = &mut pair;
        par::pairs_mut_with(step, change, CHUNK, &mut sums, |chunk, step, change| {
            dispatch(Learn { from, to, first: chunk * CHUNK, step, change })
        });
        let [curvature, steps, square] =
            sums.iter().fold([0.0; 3], |a, b| std::array::from_fn(|k| a[k] + b[k]));
        if curvature > MIN_COSINE * (steps * square).sqrt() {
            pair.inverse = 1.0 / curvature;
            pair.square = square;
            pair.products.clear();
            self.pairs.push_back(pair);
        } else {
            self.spare.push(pair);
        }
    }

    /// Drops all pairs.
    pub(super) fn forget(&mut self) {
        self.spare.extend(self.pairs.drain(..));
    }
}

/// x ← s x; returns g·x, or 0 without g.
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

/// The pair of a step; returns s·t, s·s and t·t.
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
