//! Newton's method with a line search: the reference that all other solvers are compared with.
//!
//! ```text
//! (M/h² + Σ H_e) d = −∇g,      H_e the element Hessians with negative eigenvalues clamped
//! ```
//!
//! \[Liu2017, 5; Teran2005\]; the matrix is made in `hessian` and solved in `linear`. With `hessian = "exact"` nothing
//! is clamped: conjugate gradients then end at negative curvature \[Gast2015\], and for a factor the mass part of the
//! matrix is enlarged until no negative curvature is left.

use std::time::Instant;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::linear::{self, HessianSolver, Linear, LinearKind, PreconditionerKind};
use super::options::Options as _;
use super::{Cost, Preparation, Progress, Solver, options};
use crate::cache::{Cache, Outcome};
use crate::error::Result;
use crate::step::line_search::LineSearch;
use crate::step::{Iterate, Objective};
use elements::energy::material::Fault;
use elements::math::lanes::Vec4;
use elements::math::vectors;

/// The options of `newton`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// When a step along a direction is good enough. Default "armijo".
    pub line_search: Option<LineSearch>,
    /// How linear systems are solved. "cg" and "pcg" need no factor, hence less memory. Default "cholesky".
    pub linear: Option<LinearKind>,
    /// Iterations of "cg" and "pcg". Default 50.
    #[schemars(range(min = 1))]
    pub linear_iterations: Option<u64>,
    /// What "pcg" takes an incomplete Cholesky factor of. Default "system".
    pub preconditioner: Option<PreconditionerKind>,
    /// What becomes of negative eigenvalues of element Hessians. Default "projected".
    pub hessian: Option<HessianKind>,
}

/// What becomes of negative eigenvalues of element Hessians.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HessianKind {
    /// They are clamped to zero, so that every direction descends.
    Projected,
    /// They stay: conjugate gradients end where they meet negative curvature, a factor has its mass part enlarged.
    Exact,
}

impl options::Options for Options {
    const NAME: &'static str = "newton";
    const ABOUT: &'static str =
        "Newton's method, by default with a direct solve: few, dear iterations; the reference";

    fn check(&self) -> Result<(), Fault> {
        linear::check(self.linear, self.linear_iterations, self.preconditioner)
    }

    fn build(&self, _: f64) -> Box<dyn Solver> {
        Box::new(Newton {
            line_search: self.line_search.unwrap_or_default(),
            linear: Linear::chosen(self.linear, self.linear_iterations, self.preconditioner),
            projected: self.hessian != Some(HessianKind::Exact),
            solver: None,
            direction: vec![],
            trial: Iterate::default(),
        })
    }
}

/// The solver `newton`.
pub struct Newton {
    line_search: LineSearch,
    linear: Linear,
    projected: bool,
    solver: Option<HessianSolver>,
    direction: Vec<Vec4>,
    trial: Iterate,
}

impl Solver for Newton {
    fn name(&self) -> &'static str {
        Options::NAME
    }

    fn prepare(&mut self, objective: &Objective, _: &Cache) -> Result<Preparation> {
        let solver = HessianSolver::new(objective, self.linear)?;
        let factor_entries = solver.entries();
        self.solver = Some(solver);
        self.direction = vec![Vec4::ZERO; objective.free];
        Ok(Preparation { cache: None, factor_entries })
    }

    fn follow(&mut self, objective: &Objective, cache: &Cache) -> Result<Option<Outcome>> {
        // Every iteration assembles its own values; only a preconditioner may have to be renewed.
        if self.linear != Linear::Cholesky {
            self.prepare(objective, cache)?;
        }
        Ok(None)
    }

    /// Every iteration takes the active terms as they are there.
    fn accept_active(&mut self, _: &Objective) -> Result<()> {
        Ok(())
    }

    fn begin_step(&mut self, _: &Objective, iterate: &Iterate) {
        if let Some(solver) = &mut self.solver {
            solver.begin_step();
        }
        self.trial.clone_from(iterate);
    }

    fn iterate(&mut self, objective: &Objective, iterate: &mut Iterate, cost: &mut Cost) -> Result<Progress> {
        let start = Instant::now();
        let solver = self.solver.as_mut().expect("prepared before the first step");
        solver.renew(objective, &iterate.x, self.projected)?;
        solver.solve(&iterate.gradient, &mut self.direction);
        for d in &mut self.direction {
            d.0 = d.0.map(|c| -c);
        }
        let slope = vectors::dot(&iterate.gradient, &self.direction);
        cost.global += start.elapsed();
        let found =
            self.line_search.search(objective, iterate, &self.direction, slope, &mut self.trial, cost);
        Ok(if found.is_some() { Progress::Moved } else { Progress::Stalled })
    }
}
