//! Accelerated iterations where active terms are stiff.
//!
//! ```text
//! d = −(B + C)⁻¹ ∇g(x_k),      x_{k+1} = x_k + β (ω (x_k + d − x_{k−1}) + x_{k−1} − x_k)
//! ```
//!
//! C is the Hessian of the active terms: with `direct` it is added to A exactly (see `structured`), with `jacobi` and
//! `gauss-seidel` by blocks on the diagonal (see `structured::blocks`). β ≤ 1 is how far the filter lets the motion go. An
//! accelerated point that does not lower g is refused: then a line search goes along d, and ω begins anew. That is where
//! the set of contacts has changed, mostly.

use super::{Chebyshev, Inner};
use crate::solver::structured::{Descent, blocks, solve_blocks};
use crate::solver::{Cost, Progress};
use crate::step::active::Square;
use crate::step::line_search::{LineSearch, approach};
use crate::step::{Iterate, Objective};
use elements::math::dense::solve;
use elements::math::lanes::Vec4;
use elements::math::vectors;
use sparse::matrix::SymmetricMatrix;

use std::time::Instant;

/// What iterations with active terms need.
pub(super) struct Touching {
    /// For `direct`.
    pub(super) descent: Option<Descent>,
    squares: Vec<Square>,
    direction: Vec<Vec4>,
    trial: Iterate,
}

impl Touching {
    /// For so many unknowns; `descent` for `direct` only.
    pub(super) fn new(free: usize, descent: Option<Descent>) -> Touching {
        let direction = vec![Vec4::ZERO; free];
        Touching { descent, squares: vec![], direction, trial: Iterate::default() }
    }

    /// Starts a step at an evaluated iterate.
    pub(super) fn begin_step(&mut self, iterate: &Iterate) {
        self.trial.clone_from(iterate);
        if let Some(descent) = &mut self.descent {
            descent.begin_step(iterate);
        }
    }

    /// Computes the direction of the plain iteration; returns its slope.
    fn find(&mut self, inner: &mut Inner, relaxation: f64, objective: &Objective, at: &Iterate) -> f64 {
        match (inner, &mut self.descent) {
            (Inner::Direct(system), Some(descent)) => {
                let (direction, slope) = descent.find(system, objective, at);
                self.direction.copy_from_slice(direction);
                slope
            }
            (Inner::Jacobi(diagonal), _) => {
                objective.squares(&at.x, &mut self.squares);
                let diagonal: Vec<f64> = diagonal.iter().map(|d| d / relaxation).collect();
                solve_blocks(&blocks(&diagonal, &self.squares), &at.gradient, &mut self.direction)
            }
            (Inner::GaussSeidel(matrix), _) => {
                objective.squares(&at.x, &mut self.squares);
                sweep(matrix, &self.squares, relaxation, &at.gradient, &mut self.direction);
                vectors::dot(&at.gradient, &self.direction)
            }
            _ => unreachable!("prepared before the first step"),
        }
    }

    /// Goes along the direction of the plain iteration.
    fn go(&mut self, objective: &Objective, slope: f64, iterate: &mut Iterate, cost: &mut Cost) -> Progress {
        if let Some(descent) = &mut self.descent {
            return descent.go(objective, slope, iterate, cost);
        }
        let found =
            LineSearch::Armijo.search(objective, iterate, &self.direction, slope, &mut self.trial, cost);
        if found.is_some() { Progress::Moved } else { Progress::Stalled }
    }

    /// Moves to the accelerated point, as far as that is safe, if g is lower there.
    fn accelerate(
        &mut self,
        objective: &Objective,
        (omega, previous): (f64, &[Vec4]),
        iterate: &mut Iterate,
        cost: &mut Cost,
    ) -> bool {
        let points = self.trial.x.iter_mut().zip(&iterate.x).zip(&self.direction).zip(previous);
        for (((to, x), d), old) in points {
            to.0 = std::array::from_fn(|k| omega * (x.0[k] + d.0[k] - old.0[k]) + old.0[k]);
        }
        approach(objective, iterate, &mut self.trial, cost)
    }
}

impl Chebyshev {
    /// One iteration where there are active terms.
    pub(super) fn iterate_touching(
        &mut self,
        objective: &Objective,
        iterate: &mut Iterate,
        cost: &mut Cost,
    ) -> Progress {
        let Some(mut own) = self.touching.take() else { return Progress::Stalled };
        let start = Instant::now();
        let slope = own.find(&mut self.inner, self.relaxation, objective, iterate);
        let omega = self.acceleration.advance();
        cost.global += start.elapsed();
        let before = iterate.x[..objective.free].to_vec();
        let mut progress = Progress::Moved;
        if omega == 1.0 || !own.accelerate(objective, (omega, &self.previous), iterate, cost) {
            if omega > 1.0 {
                self.acceleration.begin_anew();
            }
            progress = own.go(objective, slope, iterate, cost);
        }
        self.previous = before;
        self.touching = Some(own);
        progress
    }
}

/// One symmetric Gauss-Seidel sweep for (A + C) x = −b from x = 0, where C has blocks on its diagonal only.
fn sweep(matrix: &SymmetricMatrix, squares: &[Square], relaxation: f64, b: &[Vec4], x: &mut [Vec4]) {
    let column = |j: usize| matrix.starts[j] as usize..matrix.starts[j + 1] as usize;
    let blocks = blocks(&matrix.diagonal(), squares);
    // Rows ascend within a column: the diagonal is its last entry.
    let mut right = vec![[0.0; 3]; matrix.size];
    for j in 0..matrix.size {
        let mut sum = b[j].xyz().map(|b| -relaxation * b);
        for k in column(j).start..column(j).end - 1 {
            let other = x[matrix.rows[k] as usize].0;
            (0..3).for_each(|i| sum[i] -= matrix.values[k] * other[i]);
        }
        right[j] = sum;
        x[j] = Vec4::new(solve(&blocks[j], &sum));
    }
    for j in (0..matrix.size).rev() {
        x[j] = Vec4::new(solve(&blocks[j], &right[j]));
        for k in column(j).start..column(j).end - 1 {
            let other = &mut right[matrix.rows[k] as usize];
            (0..3).for_each(|i| other[i] -= matrix.values[k] * x[j].0[i]);
        }
    }
}
