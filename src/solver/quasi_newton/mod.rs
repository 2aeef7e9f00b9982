//! Quasi-Newton: L-BFGS around the constant matrix of projective dynamics, with a line search.
//!
//! ```text
//! d = −H ∇g,      H the two-loop recursion over the last m pairs (s, t), with A⁻¹ in its middle
//! ```
//!
//! \[Liu2017, Alg. 1-2\]; m = 5. With m = 0 and projective energies it is projective dynamics. A bounds the Hessian
//! from above, so the eigenvalues of A⁻¹∇²g lie between 0 and about 1. Once there are pairs, f A⁻¹ takes the place of
//! A⁻¹ (a departure from the paper), since pairs correct overshooting and undershooting alike, with
//!
//! ```text
//! f = s·A s/s·t of the last pair, at least 1, at most 1 + 0.2 for each pair, at most 2
//! ```
//!
//! `adapt = false` is the published method, f = 1.
//!
//! The history starts anew with every time step, so that a run can resume from positions and velocities alone.
//!
//! With `direction = "chebyshev"` there are no pairs, and the direction is that of Chebyshev's semi-iteration
//!
//! ```text
//! d = ω (x − A⁻¹ ∇g − x_{k−1}) + x_{k−1} − x
//! ```
//!
//! \[Liu2017, Alg. 3\], with −A⁻¹ ∇g in its place where it does not descend.
//!
//! Where there are active terms, the directions of `structured` take the place of both.

mod history;
mod initial;

use std::time::Instant;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::acceleration::Acceleration;
use super::linear::{self, Linear, LinearKind, PreconditionerKind};
use super::options::{Options as _, check_rho, demand};
use super::structured::{Inverse, Structured};
use super::system::Precision;
use super::{Cost, Preparation, Progress, Solver, options, system};
use crate::cache::Cache;
use crate::error::{Error, Result};
use crate::step::line_search::LineSearch;
use crate::step::{Iterate, Objective};
use elements::energy::material::Fault;
use elements::math::lanes::Vec4;
use elements::math::vectors;
use history::History;
use initial::Initial;
pub use initial::InitialHessian;

/// The options of `quasi-newton`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// L-BFGS pairs that are kept, at most 100. Default 5.
    #[schemars(range(max = 100))]
    pub history: Option<u64>,
    /// When a step along a direction is good enough. Default "armijo".
    pub line_search: Option<LineSearch>,
    /// What L-BFGS starts from. Default "system".
    pub initial_hessian: Option<InitialHessian>,
    /// Steps after which initial_hessian = "frame" is computed again; from 2 on those between have the Hessian of an earlier
    /// step, which no checkpoint has, so that the run cannot be resumed. Default 1.
    #[schemars(range(min = 1))]
    pub renew_every: Option<u64>,
    /// How linear systems are solved. "cg" and "pcg" need no factor, hence less memory. Default "cholesky".
    pub linear: Option<LinearKind>,
    /// Iterations of "cg" and "pcg". Default 50.
    #[schemars(range(min = 1))]
    pub linear_iterations: Option<u64>,
    /// What "pcg" takes an incomplete Cholesky factor of. Default "system".
    pub preconditioner: Option<PreconditionerKind>,
    /// How directions learn from earlier iterations. Default "lbfgs".
    pub direction: Option<DirectionKind>,
    /// Spectral radius for direction = "chebyshev", at least 0 and below 1. Default: estimated, printed and cached.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub rho: Option<f64>,
    /// Iterations before direction = "chebyshev" begins to accelerate, at least 1. Default 10.
    pub delay: Option<u64>,
    /// How well each iteration solves its system. Default "single".
    pub precision: Option<Precision>,
    /// Whether initial_hessian = "system" is divided by the factor of 1 to 2 by which the last pair found it too stiff; false
    /// is the published method. Default true.
    pub adapt: Option<bool>,
}

/// How directions learn from earlier iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DirectionKind {
    /// By the two-loop recursion of L-BFGS.
    Lbfgs,
    /// By Chebyshev's semi-iteration.
    Chebyshev,
}

impl options::Options for Options {
    const NAME: &'static str = "quasi-newton";
    const ABOUT: &'static str =
        "L-BFGS around projective dynamics' matrix: any material, the best choice for most scenes";

    fn check(&self) -> Result<(), Fault> {
        demand(self.history.is_none_or(|pairs| pairs <= 100), "history", "must be at most 100")?;
        check_rho(self.rho)?;
        linear::check(self.linear, self.linear_iterations, self.preconditioner)?;
        let factorizes = self.linear.unwrap_or_default() == LinearKind::Cholesky;
        demand(self.precision.is_none() || factorizes, "precision", "needs linear = \"cholesky\"")?;
        let chebyshev = self.direction == Some(DirectionKind::Chebyshev);
        demand(self.history.is_none() || !chebyshev, "history", "needs direction = \"lbfgs\"")?;
        let system = self.initial_hessian.unwrap_or_default() == InitialHessian::System;
        demand(
            self.adapt.is_none() || (system && !chebyshev),
            "adapt",
            "needs initial_hessian = \"system\" and direction = \"lbfgs\"",
        )?;
        let by_frame = self.initial_hessian == Some(InitialHessian::Frame);
        demand(self.renew_every.is_none() || by_frame, "renew_every", "needs initial_hessian = \"frame\"")?;
        demand(self.renew_every != Some(0), "renew_every", "must be at least 1")?;
        demand(self.rho.is_none() || chebyshev, "rho", "needs direction = \"chebyshev\"")?;
        demand(self.delay.is_none() || chebyshev, "delay", "needs direction = \"chebyshev\"")
    }

    fn build(&self, _: f64) -> Box<dyn Solver> {
        let directions = if self.direction == Some(DirectionKind::Chebyshev) {
            Directions::Chebyshev { acceleration: Acceleration::new(self.rho, self.delay), previous: vec![] }
        } else {
            Directions::Lbfgs(History::new(self.history.unwrap_or(5) as usize))
        };
        let linear = Linear::chosen(self.linear, self.linear_iterations, self.preconditioner);
        Box::new(QuasiNewton {
            initial: Initial::new(
                self.initial_hessian.unwrap_or_default(),
                linear,
                self.precision.unwrap_or_default(),
            )
            .renewed_every(self.renew_every.unwrap_or(1)),
            directions,
            adapts: self.adapt.unwrap_or(true),
            line_search: self.line_search.unwrap_or_default(),
            direction: vec![],
            residual: vec![],
            trial: Iterate::default(),
            entries: 0,
        })
    }
}

/// The source of search directions, with its memory.
enum Directions {
    Lbfgs(History),
    Chebyshev {
        acceleration: Acceleration,
        /// The iterate x_{k−1} before the current one.
        previous: Vec<Vec4>,
    },
    Structured(Box<Structured>),
}

/// The solver `quasi-newton`.
pub struct QuasiNewton {
    initial: Initial,
    directions: Directions,
    /// True if A⁻¹ is multiplied by the measured factor f.
    adapts: bool,
    line_search: LineSearch,
    direction: Vec<Vec4>,
    residual: Vec<Vec4>,
    trial: Iterate,
    /// The number of entries of A's factor.
    entries: usize,
}

/// The largest factor f on A⁻¹ in the middle of the pairs: from 2 on A⁻¹ alone diverges. On the papers' meshes (seven
/// meshes, five materials), f = 2 throughout needs 2.2 tries per iteration, f = 1.5 throughout 1.9, and the measured f
/// 1.8, for gradients as small after ten iterations. After fifty iterations on the twisted beam the measured f leaves a
/// twentieth of the error that 1.5 leaves with corotated, and less than a five-hundredth with neo-Hookean.
const LARGEST: f64 = 2.0;
/// How far f may exceed 1 for each pair that corrects it. Otherwise the first steps overshoot: 1.1 tries per iteration
/// on a cantilever of neo-Hookean solid in place of 1.0.
const PER_PAIR: f64 = 0.2;

impl QuasiNewton {
    /// Computes `direction ← −H gradient`; returns its slope.
    fn find_direction(&mut self, objective: &Objective, at: &Iterate) -> f64 {
        match &mut self.directions {
            Directions::Lbfgs(history) => {
                let factor = match (self.initial.choice, history.overestimate()) {
                    (InitialHessian::System, Some(overestimate)) if self.adapts => {
                        let most = 1.0 + PER_PAIR * history.len() as f64;
                        overestimate.clamp(1.0, most.min(LARGEST))
                    }
                    _ => 1.0,
                };
                history.backward(&at.gradient, factor, &mut self.residual);
                self.initial.solve(history.scale(), &self.residual, &mut self.direction);
                return history.forward(&at.gradient, &mut self.direction);
            }
            Directions::Chebyshev { acceleration, previous } => {
                self.initial.solve(None, &at.gradient, &mut self.residual);
                let omega = acceleration.advance();
                let points = self.direction.iter_mut().zip(&self.residual).zip(&at.x).zip(&*previous);
                for (((d, q), x), before) in points {
                    d.0 = std::array::from_fn(|k| {
                        omega * (x.0[k] - q.0[k] - before.0[k]) + before.0[k] - x.0[k]
                    });
                }
                previous.iter_mut().zip(&at.x).for_each(|(before, x)| *before = *x);
            }
            Directions::Structured(structured) => {
                return structured.find(&mut self.initial, objective, at, &mut self.direction);
            }
        }
        vectors::dot(&at.gradient, &self.direction)
    }

    /// Moves by a direction vertex by vertex, where active terms are stiff.
    fn move_by_blocks(&mut self, objective: &Objective, iterate: &mut Iterate, cost: &mut Cost) -> Progress {
        let Directions::Structured(structured) = &self.directions else { return Progress::Stalled };
        let found = structured.find_blocks(iterate, &mut self.direction).and_then(|slope| {
            self.line_search.search(objective, iterate, &self.direction, slope, &mut self.trial, cost)
        });
        if found.is_some() { Progress::Moved } else { Progress::Stalled }
    }

    /// Drops what was learned, so that the next direction is a plain one; returns false if the last one already was.
    fn forget(&mut self) -> bool {
        match &mut self.directions {
            Directions::Lbfgs(history) => {
                let had_pairs = history.len() > 0;
                history.forget();
                had_pairs
            }
            Directions::Chebyshev { acceleration, .. } => {
                let was_on = acceleration.is_on();
                acceleration.begin_step();
                was_on
            }
            Directions::Structured(structured) => structured.forget(),
        }
    }
}

impl Solver for QuasiNewton {
    fn name(&self) -> &'static str {
        Options::NAME
    }

    fn carries(&self) -> Option<&'static str> {
        self.initial.is_kept_over_steps().then_some("solver.renew_every")
    }

    fn prepare(&mut self, objective: &Objective, cache: &Cache) -> Result<Preparation> {
        self.direction = vec![Vec4::ZERO; objective.free];
        self.residual = vec![Vec4::ZERO; objective.free];
        let preparation = self.initial.prepare(objective, cache)?;
        self.entries = preparation.factor_entries;
        if let Directions::Structured(structured) = &mut self.directions {
            **structured = structured.with(&system::assemble(objective, 1.0), self.entries);
        }
        Ok(preparation)
    }

    fn tune(&mut self, objective: &Objective, iterate: &Iterate, cache: &Cache) -> Result<Option<String>> {
        if !matches!(self.directions, Directions::Chebyshev { .. }) {
            return Ok(None);
        }
        // The rate is measured without pairs and without acceleration.
        let plain = Directions::Lbfgs(History::new(0));
        let mut directions = std::mem::replace(&mut self.directions, plain);
        let mut note = None;
        if let Directions::Chebyshev { acceleration, .. } = &mut directions {
            let key = system::start_key(objective, iterate, &format!("directions {:?}", self.initial.choice));
            self.begin_step(objective, iterate);
            let mut at = iterate.clone();
            note = acceleration.tune(&key, cache, || {
                let progress = self.iterate(objective, &mut at, &mut Cost::default());
                if matches!(progress, Ok(Progress::Moved)) { vectors::norm(&self.direction) } else { 0.0 }
            })?;
        }
        self.directions = directions;
        Ok(note.map(|rho| format!("quasi-newton with chebyshev directions: {rho}")))
    }

    /// From now on active terms enter the directions exactly, and pairs do not learn from them.
    fn accept_active(&mut self, objective: &Objective) -> Result<()> {
        if !objective.is_bounded() {
            return Ok(());
        }
        let limit = match &self.directions {
            Directions::Structured(_) => return Ok(()),
            Directions::Lbfgs(history) if self.initial.choice == InitialHessian::System => history.limit(),
            _ => {
                return Err(Error::Unsupported {
                    solver: Options::NAME.into(),
                    subject: objective.active().next().map(|term| term.name()).unwrap_or_default(),
                    reason: "it needs initial_hessian = \"system\" and direction = \"lbfgs\", the defaults"
                        .into(),
                });
            }
        };
        let matrix = system::assemble(objective, 1.0);
        self.directions = Directions::Structured(Box::new(Structured::new(limit, &matrix, self.entries)));
        Ok(())
    }

    fn begin_step(&mut self, objective: &Objective, iterate: &Iterate) {
        self.initial.begin_step();
        match &mut self.directions {
            Directions::Lbfgs(history) => history.forget(),
            Directions::Chebyshev { acceleration, previous } => {
                acceleration.begin_step();
                previous.clear();
                previous.extend_from_slice(&iterate.x[..objective.free]);
            }
            Directions::Structured(structured) => {
                structured.forget();
            }
        }
        self.trial.clone_from(iterate);
    }

    fn relax(&mut self, objective: &Objective, iterate: &mut Iterate, iterations: u64) -> bool {
        for _ in 0..iterations {
            objective.evaluate_projective(iterate);
            self.initial.solve_system(&iterate.gradient, &mut self.direction);
            vectors::add_scaled(-1.0, &self.direction, &mut iterate.x[..objective.free]);
        }
        true
    }

    fn iterate(&mut self, objective: &Objective, iterate: &mut Iterate, cost: &mut Cost) -> Result<Progress> {
        let start = Instant::now();
        self.initial.refresh(objective, &iterate.x)?;
        cost.global += start.elapsed();
        loop {
            let start = Instant::now();
            let slope = self.find_direction(objective, iterate);
            cost.global += start.elapsed();
            let found =
                self.line_search.search(objective, iterate, &self.direction, slope, &mut self.trial, cost);
            if let Some(alpha) = found {
                let start = Instant::now();
                // The line search leaves the old point in `trial`.
                match &mut self.directions {
                    Directions::Lbfgs(history) => history.learn(&self.trial, iterate, alpha),
                    Directions::Structured(structured) => {
                        structured.learn(&mut self.initial, &self.trial, iterate);
                    }
                    Directions::Chebyshev { .. } => {}
                }
                cost.global += start.elapsed();
                return Ok(Progress::Moved);
            }
            if !self.forget() {
                return Ok(self.move_by_blocks(objective, iterate, cost));
            }
        }
    }
}
