//! Newton's method with a projected Hessian, a direct solve and a line search: the ground truth for all.
//!
//! ```text
//! (M/h² + Σ H_e) d = −∇g,      H_e the element Hessians with negative eigenvalues clamped
//! ```
//!
//! \[Liu2017, 5; Teran2005\]; the matrix stands in `hessian`.

use std::time::Instant;

use super::hessian::HessianFactor;
use super::line_search::LineSearch;
use super::{Cost, Kind, Preparation, Progress, Solver};
use crate::cache::{Cache, Outcome};
use crate::error::Result;
use crate::math::lanes::Vec4;
use crate::math::vectors;
use crate::objective::{Iterate, Objective};

/// The registry's entry.
pub static KIND: Kind = Kind {
    name: "newton",
    about: "Newton's method with a direct solve: few, dear iterations; the reference",
    keys: &["line_search"],
    refuses: |_| None,
    build: |settings| {
        let line_search = LineSearch::named(settings.options.line_search.as_deref());
        Box::new(Newton { line_search, factor: None, direction: vec![], trial: Iterate::default() })
    },
};

/// The solver.
pub struct Newton {
    line_search: LineSearch,
    factor: Option<HessianFactor>,
    direction: Vec<Vec4>,
    trial: Iterate,
}

impl Solver for Newton {
    fn prepare(&mut self, objective: &Objective, _: &Cache) -> Result<Preparation> {
        let factor = HessianFactor::new(objective)?;
        let factor_entries = factor.entries();
        self.factor = Some(factor);
        self.direction = vec![Vec4::ZERO; objective.free];
        Ok(Preparation { cache: None, factor_entries })
    }

    fn follow(&mut self, _: &Objective, _: &Cache) -> Result<Option<Outcome>> {
        // The pattern stays, and every iteration assembles its own values.
        Ok(None)
    }

    fn begin_step(&mut self, _: &Objective, iterate: &Iterate) {
        self.trial.clone_from(iterate);
    }

    fn iterate(&mut self, objective: &Objective, iterate: &mut Iterate, cost: &mut Cost) -> Result<Progress> {
        let start = Instant::now();
        let factor = self.factor.as_mut().expect("prepared before the first step");
        factor.assemble(objective, &iterate.x);
        factor.factorize(objective)?;
        factor.solve(&iterate.gradient, &mut self.direction);
        for d in &mut self.direction {
            d.0 = d.0.map(|c| -c);
        }
        let slope = vectors::dot(&iterate.gradient, &self.direction);
        cost.global += start.elapsed();
        let found = slope < 0.0
            && self.line_search.search(objective, iterate, &self.direction, slope, &mut self.trial, cost);
        Ok(if found { Progress::Moved } else { Progress::Stalled })
    }
}
