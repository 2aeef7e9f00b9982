//! The matrix H₀ in the middle of the two-loop recursion \[Liu2017, Fig. 8, 16, 17\].
//!
//! It is the inverse of the constant system matrix A, a scaled identity, or the inverse Hessian in the rest state, there with
//! the rotation of each vertex, or at the start of each step or of each N-th step. All but the identity are applied by a
//! factor or by conjugate gradients (see `linear`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::Preparation;
use super::super::linear::{Conjugate, HessianSolver, Linear};
use super::super::structured::Inverse;
use super::super::system::{self, Precision, System};
use super::super::warp::Warp;
use crate::cache::Cache;
use crate::error::Result;
use crate::step::Objective;
use elements::math::lanes::Vec4;
use sparse::matrix::SymmetricMatrix;

/// What L-BFGS starts from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum InitialHessian {
    /// The constant matrix of projective dynamics.
    #[default]
    System,
    /// The identity, scaled by the last pair; before there is one, by h² over the mean mass.
    Identity,
    /// The Hessian of the rest state.
    Rest,
    /// The Hessian of the rest state, turned at each vertex by the rotation of its neighbourhood where each step starts.
    Warped,
    /// The Hessian where each step starts.
    Frame,
}

/// A way to solve with A.
enum Constant {
    Factor(System),
    Conjugate(SymmetricMatrix, Box<Conjugate>),
}

impl Constant {
    fn solve(&mut self, b: &[Vec4], x: &mut [Vec4]) {
        match self {
            Constant::Factor(system) => system.solve(b, x),
            Constant::Conjugate(matrix, conjugate) => conjugate.solve(matrix, b, x),
        }
    }
}

impl Inverse for Initial {
    fn solve_system(&mut self, b: &[Vec4], x: &mut [Vec4]) {
        self.constant.as_mut().expect("prepared before the first step").solve(b, x);
    }
}

/// The chosen H₀ with the data that applying it needs.
pub(super) struct Initial {
    /// Which matrix H₀ is the inverse of.
    pub(super) choice: InitialHessian,
    linear: Linear,
    precision: Precision,
    constant: Option<Constant>,
    hessian: Option<HessianSolver>,
    warp: Warp,
    /// True as long as the Hessian or the rotations of the step have not been computed.
    fresh: bool,
    /// After how many steps the Hessian of a step is computed again.
    every: u64,
    /// The steps that have begun since it was computed.
    age: u64,
    /// The scale h²/(mean mass) in m/N of the identity before there is a pair.
    first_scale: f64,
}

impl Initial {
    /// H₀ for the chosen matrix and the chosen way to solve with it.
    pub(super) fn new(choice: InitialHessian, linear: Linear, precision: Precision) -> Initial {
        Initial {
            choice,
            linear,
            precision,
            constant: None,
            hessian: None,
            warp: Warp::default(),
            fresh: true,
            every: 1,
            age: 0,
            first_scale: 0.0,
        }
    }

    /// The same with a Hessian that is computed in every `every`-th step only.
    pub(super) fn renewed_every(self, every: u64) -> Initial {
        Initial { every, ..self }
    }

    /// True if a step may begin with the Hessian of an earlier one.
    pub(super) fn is_kept_over_steps(&self) -> bool {
        self.every > 1
    }

    /// Computes or loads everything that stays the same over all steps. A is always among it, as
    /// violent starts need it.
    pub(super) fn prepare(&mut self, objective: &Objective, cache: &Cache) -> Result<Preparation> {
        let total: f64 = objective.mass[..objective.free].iter().sum();
        self.first_scale = objective.step * objective.step * objective.free as f64 / total;
        self.age = 0;
        if matches!(self.choice, InitialHessian::Rest | InitialHessian::Warped | InitialHessian::Frame) {
            let solver = self.hessian.insert(HessianSolver::new(objective, self.linear)?);
            if self.choice != InitialHessian::Frame {
                solver.renew(objective, &objective.rest, true)?;
            }
        }
        match self.linear {
            Linear::Cholesky => {
                let (system, outcome) = System::prepare_to(self.precision, objective, cache)?;
                let factor_entries = system.entries();
                self.constant = Some(Constant::Factor(system));
                Ok(Preparation { cache: Some(outcome), factor_entries })
            }
            Linear::Conjugate { iterations, preconditioner } => {
                let matrix = system::assemble(objective, 1.0);
                let mut conjugate = Conjugate::new(objective, preconditioner, iterations);
                conjugate.follow(objective, &matrix);
                self.constant = Some(Constant::Conjugate(matrix, Box::new(conjugate)));
                Ok(Preparation::default())
            }
        }
    }

    /// Starts a step: the rotations of the last one are outdated, and its Hessian is if it is old enough.
    pub(super) fn begin_step(&mut self) {
        self.fresh = self.choice != InitialHessian::Frame || self.age == 0;
        self.age = (self.age + 1) % self.every;
    }

    /// Computes the Hessian or the rotations at the start of a step if they are needed.
    pub(super) fn refresh(&mut self, objective: &Objective, x: &[Vec4]) -> Result<()> {
        if !std::mem::take(&mut self.fresh) {
            return Ok(());
        }
        match (self.choice, &mut self.hessian) {
            (InitialHessian::Frame, Some(solver)) => solver.renew(objective, x, true),
            (InitialHessian::Warped, _) => {
                self.warp.follow(objective, x);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Computes `x = H₀ b`; `scale`, if given, is the factor on the identity.
    pub(super) fn solve(&mut self, scale: Option<f64>, b: &[Vec4], x: &mut [Vec4]) {
        match self.choice {
            InitialHessian::System => self.solve_system(b, x),
            InitialHessian::Identity => {
                let scale = scale.unwrap_or(self.first_scale);
                x.iter_mut().zip(b).for_each(|(x, b)| x.0 = b.0.map(|c| scale * c));
            }
            InitialHessian::Rest | InitialHessian::Frame => {
                self.hessian.as_mut().expect("prepared before the first step").solve(b, x);
            }
            InitialHessian::Warped => {
                let hessian = self.hessian.as_mut().expect("prepared before the first step");
                self.warp.solve(b, x, |b, x| hessian.solve(b, x));
            }
        }
    }
}
