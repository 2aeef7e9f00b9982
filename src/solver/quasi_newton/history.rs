//! The pairs of L-BFGS and the two loops over them \[Liu2017, Alg. 2\].
//!
//! Pairs without curvature (s·t ≈ 0 or less) are left out.

use std::collections::VecDeque;

use crate::math::lanes::Vec4;
use crate::math::vectors;
use crate::objective::Iterate;

/// Pairs with a cosine between step and change below this have no curvature to learn from.
const MIN_COSINE: f64 = 1e-10;

/// A step s, the change t of the gradient over it, and 1/(s·t).
struct Pair {
    step: Vec<Vec4>,
    change: Vec<Vec4>,
    inverse: f64,
}

/// The last pairs, at most so many.
pub(super) struct History {
    limit: usize,
    pairs: VecDeque<Pair>,
    spare: Vec<Pair>,
}

impl History {
    /// An empty one.
    pub(super) fn new(limit: usize) -> History {
        History { limit, pairs: VecDeque::new(), spare: vec![] }
    }

    /// True where the loops do nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// s·t/t·t of the last pair.
    pub(super) fn scale(&self) -> Option<f64> {
        self.pairs.back().map(|pair| 1.0 / (pair.inverse * vectors::dot(&pair.change, &pair.change)))
    }

    /// The loop from the last pair to the first, on the gradient; returns what the other one needs.
    pub(super) fn backward(&self, residual: &mut [Vec4]) -> Vec<f64> {
        let mut factors = vec![0.0; self.pairs.len()];
        for (factor, pair) in factors.iter_mut().zip(&self.pairs).rev() {
            *factor = pair.inverse * vectors::dot(&pair.step, residual);
            vectors::add_scaled(-*factor, &pair.change, residual);
        }
        factors
    }

    /// The loop from the first pair to the last, on H₀ times what the other one left.
    pub(super) fn forward(&self, factors: &[f64], direction: &mut [Vec4]) {
        for (factor, pair) in factors.iter().zip(&self.pairs) {
            let beta = pair.inverse * vectors::dot(&pair.change, direction);
            vectors::add_scaled(factor - beta, &pair.step, direction);
        }
    }

    /// Learns from the step from one evaluated point to another.
    pub(super) fn learn(&mut self, from: &Iterate, to: &Iterate) {
        if self.limit == 0 {
            return;
        }
        let free = to.gradient.len();
        let blank = || Pair { step: vec![Vec4::ZERO; free], change: vec![Vec4::ZERO; free], inverse: 0.0 };
        let full = self.pairs.len() == self.limit;
        let oldest = if full { self.pairs.pop_front() } else { self.spare.pop() };
        let mut pair = oldest.unwrap_or_else(blank);
        vectors::combine(-1.0, &from.x[..free], &to.x[..free], &mut pair.step);
        vectors::combine(-1.0, &from.gradient, &to.gradient, &mut pair.change);
        let curvature = vectors::dot(&pair.step, &pair.change);
        let scale = vectors::norm(&pair.step) * vectors::norm(&pair.change);
        if curvature > MIN_COSINE * scale {
            pair.inverse = 1.0 / curvature;
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
