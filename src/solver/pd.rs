//! Projective dynamics: local projections, then one global solve with the constant matrix.
//!
//! ```text
//! A x⁺ = M y/h² + Σ w Dᵀ p(D x),      A = M/h² + Σ w DᵀD
//! ```
//!
//! \[Ledwon2024, 4.2\]. Where E = w/2 |D x − p(D x)|², subtracting A x from both sides gives
//!
//! ```text
//! x⁺ = x − A⁻¹ ∇g(x),
//! ```
//!
//! which is what runs here: the local step is the gradient, prescribed vertices need no special care, and
//! rounding acts on the increment only. For other energies the iteration may diverge: they are refused.

use std::time::Instant;

use super::system::{Precision, System};
use super::{Cost, Kind, Preparation, Progress, Solver};
use crate::cache::Cache;
use crate::error::{Error, Result};
use crate::step::{Iterate, Objective};
use elements::math::lanes::Vec4;
use elements::math::vectors;

/// The registry's entry.
pub static KIND: Kind = Kind {
    name: "pd",
    about: "projective dynamics: cheap, robust, projective energies (arap) only",
    keys: &["precision"],
    refuses: |material| {
        (!material.solid.is_projective()).then(|| {
            format!(
                "projective dynamics needs a projective energy and '{}' is not one; \
                 use material model 'arap', or solver 'quasi-newton'",
                material.model.name
            )
        })
    },
    build: |settings| {
        let precision = Precision::chosen(&settings.options);
        Box::new(ProjectiveDynamics { precision, ..Default::default() })
    },
};

/// The solver.
#[derive(Default)]
pub struct ProjectiveDynamics {
    precision: Precision,
    system: Option<System>,
    increment: Vec<Vec4>,
}

/// Refuses terms that are not projective, on behalf of a solver of that name.
pub(super) fn refuse_others(solver: &str, objective: &Objective) -> Result<()> {
    match objective.terms.iter().find(|term| !term.is_projective()) {
        None => Ok(()),
        Some(term) => Err(Error::Unsupported {
            solver: solver.into(),
            subject: term.name(),
            reason: "its energy is not projective; use solver 'quasi-newton'".into(),
        }),
    }
}

impl Solver for ProjectiveDynamics {
    fn prepare(&mut self, objective: &Objective, cache: &Cache) -> Result<Preparation> {
        refuse_others(KIND.name, objective)?;
        let (system, outcome) = System::prepare_to(self.precision, objective, cache)?;
        let factor_entries = system.entries();
        self.system = Some(system);
        self.increment = vec![Vec4::ZERO; objective.free];
        Ok(Preparation { cache: Some(outcome), factor_entries })
    }

    fn begin_step(&mut self, _: &Objective, _: &Iterate) {}

    fn iterate(&mut self, objective: &Objective, iterate: &mut Iterate, cost: &mut Cost) -> Result<Progress> {
        let start = Instant::now();
        let system = self.system.as_mut().expect("prepared before the first step");
        system.solve(&iterate.gradient, &mut self.increment);
        vectors::add_scaled(-1.0, &self.increment, &mut iterate.x[..objective.free]);
        cost.global += start.elapsed();
        let start = Instant::now();
        objective.evaluate(iterate);
        cost.local += start.elapsed();
        Ok(Progress::Moved)
    }
}
