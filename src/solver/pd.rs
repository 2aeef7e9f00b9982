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
//! which is the form used here: the local step is the gradient, prescribed vertices need no special care, and rounding
//! acts on the increment only. `solve_for = "positions"` is the first form, with the entries of A in single precision: stiffness
//! drowns the masses in them, so that translations are hardly resisted any more, and free bodies gain momentum. For other energies the iteration may diverge, so they are refused.
//!
//! Where there are active terms, their Hessian is added to A at every iterate (see `structured::descent`).

use std::time::Instant;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::options::{Options as _, demand};
use super::structured::Descent;
use super::system::{Precision, System, assemble};
use super::{Cost, Preparation, Progress, Refusal, Solver, options};
use crate::cache::Cache;
use crate::error::Result;
use crate::step::active::PublishedWay;
use crate::step::{Iterate, Objective};
use elements::energy::Energy;
use elements::energy::material::{Fault, Material};
use elements::math::lanes::Vec4;
use elements::math::vectors;
use sparse::matrix::SymmetricMatrix;

/// The options of `pd`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// How well each iteration solves its system. Default "single".
    pub precision: Option<Precision>,
    /// What each iteration solves for. Default "increments".
    pub solve_for: Option<Unknown>,
}

/// What the global step solves for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Unknown {
    /// How far vertices move, so that rounding acts on that alone.
    #[default]
    Increments,
    /// The new positions, by a matrix in single precision: stiff free bodies gain momentum by rounding.
    Positions,
}

impl options::Options for Options {
    const NAME: &'static str = "pd";
    const ABOUT: &'static str = "projective dynamics: cheap, robust, projective energies (arap) only";

    fn check(&self) -> Result<(), Fault> {
        let positions = self.solve_for == Some(Unknown::Positions);
        demand(!positions || self.precision.is_none(), "precision", "needs solve_for = \"increments\"")
    }

    fn refuses(&self, term: &dyn Energy) -> Option<Refusal> {
        (!term.is_projective()).then_some(Refusal::NotProjective)
    }

    fn refuses_material(material: &Material) -> Option<Refusal> {
        (!material.solid.is_projective()).then_some(Refusal::NotProjective)
    }

    fn build(&self, _: f64) -> Box<dyn Solver> {
        let precision = self.precision.unwrap_or_default();
        let solve_for = self.solve_for.unwrap_or_default();
        Box::new(ProjectiveDynamics { precision, solve_for, ..Default::default() })
    }
}

/// The solver `pd`.
#[derive(Default)]
pub struct ProjectiveDynamics {
    precision: Precision,
    solve_for: Unknown,
    /// The system matrix, where positions are solved for.
    matrix: Option<SymmetricMatrix>,
    system: Option<System>,
    increment: Vec<Vec4>,
    /// What iterates where there are active terms.
    descent: Option<Descent>,
}

impl Solver for ProjectiveDynamics {
    fn name(&self) -> &'static str {
        Options::NAME
    }

    fn prepare(&mut self, objective: &Objective, cache: &Cache) -> Result<Preparation> {
        let (system, outcome) = if self.solve_for == Unknown::Positions {
            let matrix = self.matrix.insert(assemble(objective, 1.0));
            (System::rounded(matrix, objective.held())?, None)
        } else {
            let (system, outcome) = System::prepare_to(self.precision, objective, cache)?;
            (system, Some(outcome))
        };
        let factor_entries = system.entries();
        self.system = Some(system);
        self.increment = vec![Vec4::ZERO; objective.free];
        self.descent =
            objective.is_bounded().then(|| Descent::new(&assemble(objective, 1.0), factor_entries));
        Ok(Preparation { cache: outcome, factor_entries })
    }

    fn accept_active(&mut self, objective: &Objective) -> Result<()> {
        let entries = self.system.as_ref().map_or(0, System::entries);
        self.descent = objective.is_bounded().then(|| Descent::new(&assemble(objective, 1.0), entries));
        Ok(())
    }

    fn published(&self) -> PublishedWay {
        PublishedWay::Projections { rub: false }
    }

    fn begin_step(&mut self, _: &Objective, iterate: &Iterate) {
        if let Some(descent) = &mut self.descent {
            descent.begin_step(iterate);
        }
    }

    fn iterate(&mut self, objective: &Objective, iterate: &mut Iterate, cost: &mut Cost) -> Result<Progress> {
        let start = Instant::now();
        let system = self.system.as_mut().expect("prepared before the first step");
        if let Some(descent) = &mut self.descent {
            return Ok(descent.iterate(system, objective, iterate, cost));
        }
        match &self.matrix {
            None => {
                system.solve(&iterate.gradient, &mut self.increment);
                vectors::add_scaled(-1.0, &self.increment, &mut iterate.x[..objective.free]);
            }
            Some(matrix) => {
                let right = right_side(matrix, iterate, objective.free);
                system.solve_rounded(&right, &mut iterate.x[..objective.free]);
            }
        }
        objective.project(&mut iterate.x);
        cost.global += start.elapsed();
        let start = Instant::now();
        objective.evaluate(iterate);
        cost.local += start.elapsed();
        Ok(Progress::Moved)
    }
}

/// The right-hand side M y/h² + Σ w Dᵀ p = A x − ∇g of the global step in the unknowns.
fn right_side(matrix: &SymmetricMatrix, at: &Iterate, free: usize) -> Vec<Vec4> {
    let flat: Vec<f64> = at.x[..free].iter().flat_map(|x| x.0).collect();
    let mut product = vec![0.0; flat.len()];
    matrix.multiply_into(4, &flat, &mut product);
    let points = product.chunks_exact(4).zip(&at.gradient);
    points.map(|(ax, g)| Vec4(std::array::from_fn(|k| ax[k] - g.0[k]))).collect()
}
