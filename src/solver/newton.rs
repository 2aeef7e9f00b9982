//! Newton's method with a line search: the ground truth for all.
//!
//! ```text
//! (M/h² + Σ H_e) d = −∇g,      H_e the element Hessians with negative eigenvalues clamped
//! ```
//!
//! \[Liu2017, 5; Teran2005\]; the matrix stands in `hessian`, its solvers in `linear`. With `hessian = "exact"` nothing is
//! clamped: conjugate gradients then end where they meet negative curvature \[Gast2015\], and a factor has its mass part
//! enlarged until there is none.

use std::time::Instant;

use super::linear::{HessianSolver, Linear};
use super::{Cost, Kind, Preparation, Progress, Solver};
use crate::cache::{Cache, Outcome};
use crate::error::Result;
use crate::step::line_search::LineSearch;
use crate::step::{Iterate, Objective};
use elements::math::lanes::Vec4;
use elements::math::vectors;

/// The registry's entry.
pub static KIND: Kind = Kind {
    name: "newton",
    about: "Newton's method, by default with a direct solve: few, dear iterations; the reference",
    keys: &["line_search", "linear", "linear_iterations", "preconditioner", "hessian"],
    refuses: |_| None,
    build: |settings| {
        let options = &settings.options;
        Box::new(Newton {
            line_search: LineSearch::named(options.line_search.as_deref()),
            linear: Linear::chosen(options),
            projected: options.hessian.as_deref() != Some("exact"),
            solver: None,
            direction: vec![],
            trial: Iterate::default(),
        })
    },
};

/// The solver.
pub struct Newton {
    line_search: LineSearch,
    linear: Linear,
    projected: bool,
    solver: Option<HessianSolver>,
    direction: Vec<Vec4>,
    trial: Iterate,
}

impl Solver for Newton {
    fn prepare(&mut self, objective: &Objective, _: &Cache) -> Result<Preparation> {
        let solver = HessianSolver::new(objective, self.linear)?;
        let factor_entries = solver.entries();
        self.solver = Some(solver);
        self.direction = vec![Vec4::ZERO; objective.free];
        Ok(Preparation { cache: None, factor_entries })
    }

    fn follow(&mut self, objective: &Objective, cache: &Cache) -> Result<Option<Outcome>> {
        // Every iteration assembles its own values; only a preconditioner may have to be made anew.
        if self.linear != Linear::Cholesky {
            self.prepare(objective, cache)?;
        }
        Ok(None)
    }

    fn begin_step(&mut self, _: &Objective, iterate: &Iterate) {
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
