//! The stiffness matrix K = Σ ∇²E of a body at rest, and solves with it, for estimates before a run.

use super::hessian::Hessian;
use crate::error::Result;
use crate::step::Objective;
use elements::math::lanes::Vec4;
use sparse::cholesky::Cholesky;
use sparse::matrix::SymmetricMatrix;

/// The part of the trace of K, over that of M, that is added as σ M so that loose parts do not keep K from being factorized.
const SHIFT: f64 = 1e-10;

/// K in N/m with its factor, for three unknowns of each vertex that is not pinned hard.
pub struct Stiffness {
    matrix: SymmetricMatrix,
    factor: Cholesky,
}

impl Stiffness {
    /// Assembles K at `x` (m) and factorizes K + σ M; `None` if that is not positive definite. Springs of soft pins are in K.
    pub fn at(objective: &mut Objective, x: &[Vec4]) -> Result<Option<Stiffness>> {
        // With steps without end, inertia has no part in the Hessian.
        let step = std::mem::replace(&mut objective.step, f64::INFINITY);
        let mut hessian = Hessian::new(objective);
        hessian.assemble_fixed(objective, x, true);
        objective.step = step;
        let matrix = hessian.matrix;
        let trace: f64 = matrix.diagonal().iter().sum();
        let mass: f64 = 3.0 * objective.mass[..objective.free].iter().sum::<f64>();
        let mut shifted = matrix.values.clone();
        for column in 0..matrix.size {
            // The diagonal is the last entry of its column.
            shifted[matrix.starts[column + 1] as usize - 1] +=
                SHIFT * trace / mass * objective.mass[column / 3];
        }
        let mut factor = Cholesky::analyse(&matrix)?;
        let is_definite = factor.factorize(&shifted);
        Ok(is_definite.then_some(Stiffness { matrix, factor }))
    }

    /// The number of unknowns.
    pub fn size(&self) -> usize {
        self.matrix.size
    }

    /// Solves (K + σ M) u = f in place; σ is so small that it matters for loose parts only.
    pub fn solve(&mut self, f: &mut [f64]) {
        self.factor.solve(f);
    }

    /// K u.
    pub fn times(&self, u: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; u.len()];
        self.matrix.multiply_into(1, u, &mut out);
        out
    }
}
