//! How Newton's method and the Hessians of quasi-Newton solve their linear systems, as a config chooses.
//!
//! `cholesky` factorizes; `cg` runs conjugate gradients with the diagonal as preconditioner, `pcg` with an incomplete
//! Cholesky factor of the constant system matrix A (taken for each of the three coordinates) or of the Hessian in the
//! rest state \[Liu2017, Fig. 16-17\]. Iterations end early only where rounding ends them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::hessian::Hessian;
use super::options::demand;
use super::system;
use crate::error::Result;
use crate::step::Objective;
use elements::energy::material::Fault;
use elements::math::lanes::Vec4;
use sparse::cholesky::Cholesky;
use sparse::conjugate::{ConjugateGradients, Preconditioner};
use sparse::incomplete::IncompleteCholesky;
use sparse::matrix::SymmetricMatrix;

/// The number of iterations of conjugate gradients if a config does not give it.
const ITERATIONS: u64 = 50;

/// The chosen way to solve linear systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Linear {
    /// By a Cholesky factor of the matrix.
    Cholesky,
    /// By conjugate gradients with so many iterations.
    Conjugate { iterations: u64, preconditioner: Choice },
}

/// The choice of a preconditioner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    Jacobi,
    System,
    Rest,
}

/// How linear systems are solved, as a config says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LinearKind {
    /// By a Cholesky factor of the matrix.
    #[default]
    Cholesky,
    /// By conjugate gradients with the diagonal as preconditioner.
    Cg,
    /// By conjugate gradients with an incomplete Cholesky factor as preconditioner.
    Pcg,
}

/// What an incomplete Cholesky factor is taken of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PreconditionerKind {
    /// The constant matrix of projective dynamics.
    #[default]
    System,
    /// The Hessian of the rest state.
    Rest,
}

/// Refuses options of conjugate gradients if these are not chosen.
pub(super) fn check(
    linear: Option<LinearKind>,
    iterations: Option<u64>,
    preconditioner: Option<PreconditionerKind>,
) -> Result<(), Fault> {
    let iterates = matches!(linear, Some(LinearKind::Cg | LinearKind::Pcg));
    demand(iterations.is_none() || iterates, "linear_iterations", "needs linear = \"cg\" or \"pcg\"")?;
    demand(iterations != Some(0), "linear_iterations", "must be at least 1")?;
    let is_preconditioned = linear == Some(LinearKind::Pcg);
    demand(preconditioner.is_none() || is_preconditioned, "preconditioner", "needs linear = \"pcg\"")
}

impl Linear {
    /// The choice that follows from checked options.
    pub(super) fn chosen(
        linear: Option<LinearKind>,
        iterations: Option<u64>,
        preconditioner: Option<PreconditionerKind>,
    ) -> Linear {
        let preconditioner = match (linear.unwrap_or_default(), preconditioner.unwrap_or_default()) {
            (LinearKind::Cholesky, _) => return Linear::Cholesky,
            (LinearKind::Cg, _) => Choice::Jacobi,
            (LinearKind::Pcg, PreconditionerKind::Rest) => Choice::Rest,
            (LinearKind::Pcg, PreconditionerKind::System) => Choice::System,
        };
        Linear::Conjugate { iterations: iterations.unwrap_or(ITERATIONS), preconditioner }
    }
}

/// Conjugate gradients on the unknowns.
pub(super) struct Conjugate {
    choice: Choice,
    iterations: u64,
    gradients: ConjugateGradients,
    preconditioner: Preconditioner,
    right: Vec<f64>,
    solution: Vec<f64>,
}

impl Conjugate {
    /// Computes the parts of the preconditioner that stay the same over all steps.
    pub(super) fn new(objective: &Objective, choice: Choice, iterations: u64) -> Conjugate {
        let preconditioner = match choice {
            Choice::Jacobi => Preconditioner::Jacobi(vec![]),
            Choice::System => {
                let factor = IncompleteCholesky::new(&system::assemble(objective, 1.0));
                Preconditioner::Incomplete { factor, width: 3 }
            }
            Choice::Rest => {
                let mut hessian = Hessian::new(objective);
                hessian.assemble_fixed(objective, &objective.rest, true);
                let factor = IncompleteCholesky::new(&hessian.matrix);
                Preconditioner::Incomplete { factor, width: 1 }
            }
        };
        let size = 3 * objective.free;
        let (right, solution) = (vec![0.0; size], vec![0.0; size]);
        Conjugate { choice, iterations, gradients: Default::default(), preconditioner, right, solution }
    }

    /// Adapts the preconditioner to the matrix of the solves that follow.
    pub(super) fn follow(&mut self, objective: &Objective, matrix: &SymmetricMatrix) {
        if self.choice == Choice::Jacobi {
            // An exact Hessian may have a negative diagonal. Its entries are raised to the mass
            // part, which is positive.
            let width = 3 * objective.free / matrix.size;
            let least = |row: usize| objective.mass[row * width / 3] / (objective.step * objective.step);
            let diagonal = matrix.diagonal().into_iter().enumerate();
            let diagonal = diagonal.map(|(row, entry)| entry.max(least(row))).collect();
            self.preconditioner = Preconditioner::Jacobi(diagonal);
        }
    }

    /// Solves `x ≈ A⁻¹ b`; the matrix has a row for each coordinate, or one row for all three.
    pub(super) fn solve(&mut self, matrix: &SymmetricMatrix, b: &[Vec4], x: &mut [Vec4]) {
        flatten(b, &mut self.right);
        self.gradients.solve(matrix, &self.preconditioner, self.iterations, &self.right, &mut self.solution);
        unflatten(&self.solution, x);
    }
}

/// A solver for the Hessian of the objective at changing positions.
pub(super) struct HessianSolver {
    hessian: Hessian,
    method: Method,
}

enum Method {
    Cholesky { cholesky: Box<Cholesky>, right: Vec<f64> },
    Conjugate(Box<Conjugate>),
}

impl HessianSolver {
    /// Analyses the pattern of the matrix.
    pub(super) fn new(objective: &Objective, linear: Linear) -> Result<HessianSolver> {
        let hessian = Hessian::new(objective);
        let method = match linear {
            Linear::Cholesky => Method::Cholesky {
                cholesky: Box::new(Cholesky::analyse(&hessian.matrix)?),
                right: vec![0.0; hessian.matrix.size],
            },
            Linear::Conjugate { iterations, preconditioner } => {
                Method::Conjugate(Box::new(Conjugate::new(objective, preconditioner, iterations)))
            }
        };
        Ok(HessianSolver { hessian, method })
    }

    /// Begins a step: couplings that only the states of the last one had are dropped.
    pub(super) fn begin_step(&mut self) {
        self.hessian.begin_step();
    }

    /// How many entries the matrix has.
    pub(super) fn entries(&self) -> usize {
        self.hessian.matrix.rows.len()
    }

    /// Computes the Hessian at `x` and gets ready to solve with it; see [`Hessian::assemble`] and
    /// [`Hessian::factorize`].
    pub(super) fn renew(&mut self, objective: &Objective, x: &[Vec4], projected: bool) -> Result<()> {
        let is_new = self.hessian.assemble(objective, x, projected);
        match &mut self.method {
            Method::Cholesky { cholesky, .. } if is_new => {
                **cholesky = Cholesky::analyse(&self.hessian.matrix)?;
                self.hessian.factorize(objective, cholesky)
            }
            Method::Cholesky { cholesky, .. } => self.hessian.factorize(objective, cholesky),
            Method::Conjugate(conjugate) => {
                conjugate.follow(objective, &self.hessian.matrix);
                Ok(())
            }
        }
    }

    /// Solves `x = H⁻¹ b`, or finds an approximation with bᵀx > 0.
    pub(super) fn solve(&mut self, b: &[Vec4], x: &mut [Vec4]) {
        match &mut self.method {
            Method::Cholesky { cholesky, right } => {
                flatten(b, right);
                cholesky.solve(right);
                unflatten(right, x);
            }
            Method::Conjugate(conjugate) => conjugate.solve(&self.hessian.matrix, b, x),
        }
    }
}

fn flatten(points: &[Vec4], out: &mut [f64]) {
    out.chunks_exact_mut(3).zip(points).for_each(|(out, point)| out.copy_from_slice(&point.0[..3]));
}

fn unflatten(values: &[f64], out: &mut [Vec4]) {
    for (out, value) in out.iter_mut().zip(values.chunks_exact(3)) {
        *out = Vec4::new([value[0], value[1], value[2]]);
    }
}
