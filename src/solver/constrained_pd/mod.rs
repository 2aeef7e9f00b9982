//! Constrained projective dynamics: a step of projective dynamics that keeps the momenta and the energy of every body.
//!
//! ```text
//! min g(x) + ½ε α²   subject to   c(x, α) = (c_P, c_L, c_H) = 0           for each body, see `conserve`
//! S λ = c − ∇cᵀA⁻¹∇g,      S = ∇cᵀA⁻¹∇c + (H − K)²/ε e_H e_Hᵀ,      x⁺ = x − A⁻¹(∇g + ∇c λ)
//! ```
//!
//! This is sequential quadratic programming with the constant matrix A in place of the Hessian \[Kee2021, Eq. 15-21\].
//! A has no entries between bodies, so each body has a 7×7 system of its own. The columns of A⁻¹∇c are
//!
//! - A⁻¹∇c_P = A⁻¹w e, which is h e without pins, and A⁻¹∇c_L = e × A⁻¹w(x_n − o). Both are computed once in a step:
//!   two solves give all of them, as A acts on each coordinate alike;
//! - A⁻¹∇c_H = A⁻¹∇g + A⁻¹q. The first part is the solve of projective dynamics. The second is one more solve in a
//!   step, or in an iteration if bodies are on springs.
//!
//! Solves in single precision leave 1e-6 of their right-hand sides. ∇g does not vanish where the step ends, but ∇g + ∇c
//! λ does. So, once |c| is small, the system is solved for ∇g + ∇c λ with the multipliers of the iteration before, and
//! A⁻¹∇c λ, which is known in double precision, is subtracted again. Where λ_H is near −1, the sum contains little of
//! ∇g, and the solve for ∇g is in double precision instead.
//!
//! Without constraints the iteration is that of projective dynamics. c_H is linear in α, so α drops out of
//! the iteration: α = −(H − K) λ_H/ε. The step ends when |c| is below `tolerance` of the scale of P, L and H,
//! or after `iterations`.
//!
//! The Hessian of the Lagrangian is (1 + λ_H)∇²g up to small parts. A approximates it where λ_H is not positive,
//! that is, where energy has to be added. Where energy has to be removed, λ_H can be large, and σA with σ = 1 + λ_H
//! takes the place of A.
//!
//! The paper treats projective energies, for which full steps suffice. It leaves others to future work. For them a step
//! is halved here until it lowers the merit function
//!
//! ```text
//! φ = g + ½ε α² + μ_P |c_P| + μ_L |c_L| + μ_H |c_H|,      μ ≥ |λ|
//! ```
//!
//! along which it descends: φ′ = ∇g·Δx + ε α Δα − Σ μ|c|. Infinite energies are never accepted. A is that of
//! \[Liu2017\], fitted to the material. Pairs of L-BFGS are not used: with them all of A⁻¹∇c would change in every
//! iteration, which costs four solves in place of one.
//!
//! Where bodies may touch, `touching` has the iteration.

mod combination;
mod plan;
mod touching;

use crate::step::backtracking::halves;
use elements::energy::material::Fault;
use elements::energy::{Energy, Role};
use std::time::Instant;

use self::combination::{Move, Recover, Residual, Solved};
use self::plan::{Plan, schur};
use self::touching::Touching;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::options::{Options as _, check_positive};
use super::system::System;
use super::{Cost, Preparation, Progress, Refusal, Solver, options};
use crate::cache::Cache;
use crate::error::Result;
use crate::step::active::PublishedWay;
use crate::step::constraint::Constraints;
use crate::step::{Iterate, Objective};
use elements::math::lanes::{Vec4, dispatch};
use elements::math::vectors;

/// The options of `constrained-pd`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// The price of missing the energy to keep, above 0. Smaller ones let motion turn round more easily where momenta
    /// and energy contradict, and keep energy to their inverse at best. Default 1e4.
    pub regularization: Option<f64>,
}

impl options::Options for Options {
    const NAME: &'static str = "constrained-pd";
    const ABOUT: &'static str =
        "projective dynamics that keeps momenta and energy of every body: motion that rings and spins on";
    const CONSERVES: bool = true;
    const MINIMIZES: bool = false;

    fn check(&self) -> Result<(), Fault> {
        check_positive("regularization", self.regularization)
    }

    fn refuses(&self, term: &dyn Energy) -> Option<Refusal> {
        (term.role() == Role::Dissipation).then_some(Refusal::UnbookedDamping)
    }

    fn build(&self, tolerance: f64) -> Box<dyn Solver> {
        Box::new(ConstrainedPd {
            regularization: self.regularization.unwrap_or(REGULARIZATION),
            tolerance,
            system: None,
            turn: vec![],
            pull: vec![],
            pulled: vec![],
            increment: vec![],
            residual: vec![],
            plans: vec![],
            is_projective: true,
            trial: Iterate::default(),
            record: Record::default(),
            touching: None,
        })
    }
}

/// ε in units of |H − K|.
const REGULARIZATION: f64 = 1e4;
/// Without a tolerance, steps that end with |c| above this part of its scale are reported in a note.
const WORRYING: f64 = 1e-3;
/// The merit function has to fall by at least this part of what its slope promises.
const GAMMA: f64 = 0.01;
/// As long as |c| is above this part of its scale, the error of single precision in A⁻¹∇g does not matter.
const NEAR: f64 = 1e-4;
/// If 1 + λ_H, the part of ∇g in ∇g + ∇c λ, is below this, A⁻¹∇g is solved for directly.
const MIN_SHARE: f64 = 0.1;
/// The smallest part of a step that is tried.
const MIN_PART: f64 = 1e-6;

/// How well the steps so far kept their constraints.
#[derive(Clone, Copy, Default)]
struct Record {
    steps: u64,
    missed: u64,
    worst: f64,
}

/// The solver `constrained-pd`.
pub struct ConstrainedPd {
    regularization: f64,
    tolerance: f64,
    system: Option<System>,
    /// A⁻¹w(x_n − o) of the step, and A⁻¹w in the fourth place.
    turn: Vec<Vec4>,
    /// The vectors q and A⁻¹q of ∇H = ∇g + q.
    pull: Vec<Vec4>,
    pulled: Vec<Vec4>,
    /// The vectors A⁻¹∇g and ∇g + ∇c λ.
    increment: Vec<Vec4>,
    residual: Vec<Vec4>,
    plans: Vec<Plan>,
    /// True if all energies are projective, so that full steps suffice.
    is_projective: bool,
    trial: Iterate,
    record: Record,
    /// What iterates where bodies may touch.
    touching: Option<Touching>,
}

impl ConstrainedPd {
    /// Solves for the vectors that all iterations of a step share.
    fn plan(&mut self, objective: &Objective, iterate: &Iterate) {
        let system = self.system.as_mut().expect("prepared before the first step");
        let free = objective.free;
        let lists =
            [&mut self.turn, &mut self.pull, &mut self.pulled, &mut self.increment, &mut self.residual];
        for list in lists {
            list.resize(free, Vec4::ZERO);
        }
        for c in &objective.constraints {
            for (v, lever) in c.vertices.iter().zip(&c.lever) {
                self.pull[*v as usize] = Vec4(*lever);
            }
        }
        system.solve_wide(&self.pull, &mut self.turn);
        // The weights, which stand in the fourth place, need a solve of their own.
        self.pull.iter_mut().for_each(|pull| *pull = Vec4([pull.0[3], 0.0, 0.0, 0.0]));
        system.solve_wide(&self.pull, &mut self.pulled);
        self.turn.iter_mut().zip(&self.pulled).for_each(|(turn, weight)| turn.0[3] = weight.0[0]);
        self.pull_at(objective, iterate);
        let plan = |c: &Constraints| Plan {
            schur: schur(&c.project(&self.turn, &self.pull, &self.turn)),
            pulled: c.project(&self.turn, &self.pull, &self.pulled),
            values: c.values(iterate),
            alpha: 0.0,
            lambda: [0.0; 7],
            next_alpha: 0.0,
            stiffening: 1.0,
            prices: [0.0; 3],
            violation: f64::INFINITY,
        };
        self.plans = objective.constraints.iter().map(plan).collect();
    }

    /// Computes q at an iterate, and A⁻¹q.
    fn pull_at(&mut self, objective: &Objective, iterate: &Iterate) {
        for c in &objective.constraints {
            c.pull_at(&iterate.x, &mut self.pull);
        }
        let system = self.system.as_mut().expect("prepared before the first step");
        system.solve_wide(&self.pull, &mut self.pulled);
    }

    /// Computes A⁻¹∇g. Near the end of a step it is exact relative to ∇g + ∇c λ.
    fn solve(&mut self, objective: &Objective, iterate: &Iterate) {
        let system = self.system.as_mut().expect("prepared before the first step");
        let bodies = || self.plans.iter().zip(&objective.constraints);
        if bodies().all(|(plan, _)| plan.violation > NEAR) {
            system.solve(&iterate.gradient, &mut self.increment);
            return;
        }
        if bodies().any(|(plan, _)| 1.0 + plan.lambda[6] < MIN_SHARE) {
            system.solve_wide(&iterate.gradient, &mut self.increment);
            return;
        }
        for (plan, c) in bodies() {
            dispatch(Residual {
                lambda: &plan.lambda,
                vertices: &c.vertices,
                gradient: &iterate.gradient,
                pull: &self.pull,
                lever: &c.lever,
                out: &mut self.residual,
            });
        }
        system.solve(&self.residual, &mut self.increment);
        for (plan, c) in bodies() {
            let solved = Solved { vertices: &c.vertices, pulled: &self.pulled, turn: &self.turn };
            dispatch(Recover { lambda: &plan.lambda, solved, increment: &mut self.increment });
        }
    }

    /// The largest |c| relative to its scale.
    fn violation(&self) -> f64 {
        self.plans.iter().map(|plan| plan.violation).fold(0.0, f64::max)
    }

    /// The record with the step that is about to end included.
    fn recorded(&self) -> Record {
        let violation = self.violation();
        if !violation.is_finite() || self.plans.is_empty() {
            return self.record;
        }
        Record {
            steps: self.record.steps + 1,
            missed: self.record.missed + u64::from(violation > self.wanted()),
            worst: self.record.worst.max(violation),
        }
    }

    /// Steps with a violation above this are reported in a note.
    fn wanted(&self) -> f64 {
        if self.tolerance > 0.0 { self.tolerance } else { WORRYING }
    }

    /// Goes a part of the chosen step and evaluates the objective there.
    fn advance(&mut self, objective: &Objective, part: f64, iterate: &mut Iterate, cost: &mut Cost) {
        let start = Instant::now();
        if self.plans.is_empty() {
            vectors::add_scaled(-part, &self.increment, &mut iterate.x[..objective.free]);
        }
        for (plan, c) in self.plans.iter().zip(&objective.constraints) {
            dispatch(Move {
                lambda: &plan.lambda,
                part: part / plan.stiffening,
                increment: &self.increment,
                solved: Solved { vertices: &c.vertices, pulled: &self.pulled, turn: &self.turn },
                x: &mut iterate.x,
            });
        }
        cost.global += start.elapsed();
        let start = Instant::now();
        objective.evaluate(iterate);
        cost.local += start.elapsed();
        let start = Instant::now();
        for (plan, c) in self.plans.iter_mut().zip(&objective.constraints) {
            plan.arrive(c, part, iterate);
        }
        cost.global += start.elapsed();
    }

    /// The merit function at an evaluated iterate that the plans belong to.
    fn merit(&self, objective: &Objective, iterate: &Iterate) -> f64 {
        let plans = self.plans.iter().zip(&objective.constraints);
        iterate.value.total() + plans.map(|(p, c)| p.merit(c, self.regularization)).sum::<f64>()
    }

    /// Goes the largest of 1, ½, ¼, … of the chosen step that lowers the merit function enough;
    /// `slope` is its derivative.
    fn search(
        &mut self,
        objective: &Objective,
        iterate: &mut Iterate,
        slope: f64,
        cost: &mut Cost,
    ) -> Progress {
        let from = self.merit(objective, iterate);
        let before: Vec<Plan> = self.plans.clone();
        let rounding = objective.rounding(&iterate.value);
        let mut trial = std::mem::take(&mut self.trial);
        let mut progress = Progress::Stalled;
        for part in halves(f64::INFINITY, MIN_PART) {
            trial.x.copy_from_slice(&iterate.x);
            self.plans.clone_from(&before);
            let mut spent = Cost::default();
            self.advance(objective, part, &mut trial, &mut spent);
            cost.tries += 1;
            if part == 1.0 {
                (cost.local, cost.global) = (cost.local + spent.local, cost.global + spent.global);
            } else {
                cost.line_search += spent.local + spent.global;
            }
            if self.merit(objective, &trial) <= from + GAMMA * part * slope + rounding {
                std::mem::swap(iterate, &mut trial);
                progress = Progress::Moved;
                break;
            }
        }
        if progress == Progress::Stalled {
            self.plans = before;
        }
        self.trial = trial;
        progress
    }
}

impl Solver for ConstrainedPd {
    fn name(&self) -> &'static str {
        Options::NAME
    }

    fn prepare(&mut self, objective: &Objective, cache: &Cache) -> Result<Preparation> {
        let (system, outcome) = System::prepare(objective, cache)?;
        let factor_entries = system.entries();
        self.system = Some(system);
        // Unknowns that no body moves any more have zeros in these.
        for list in [&mut self.pull, &mut self.residual] {
            list.clear();
        }
        self.is_projective = objective.terms.iter().all(|term| term.is_projective());
        if objective.is_bounded() {
            self.accept_active(objective)?;
        }
        Ok(Preparation { cache: Some(outcome), factor_entries })
    }

    fn accept_active(&mut self, objective: &Objective) -> Result<()> {
        let system = self.system.as_ref().expect("prepared before the first step");
        self.touching = objective.is_bounded().then(|| Touching::new(objective, system));
        Ok(())
    }

    fn published(&self) -> PublishedWay {
        PublishedWay::Forces
    }

    fn begin_step(&mut self, objective: &Objective, iterate: &Iterate) {
        self.record = self.recorded();
        self.plan(objective, iterate);
        if let Some(touching) = &mut self.touching {
            touching.begin_step();
        }
        if !self.is_projective || self.touching.is_some() {
            self.trial.clone_from(iterate);
        }
    }

    fn conserves(&self) -> bool {
        true
    }

    fn evaluates(&self) -> bool {
        true
    }

    fn minimizes(&self) -> bool {
        false
    }

    fn closing_note(&self) -> Option<String> {
        let Record { steps, missed, worst } = self.recorded();
        (missed > 0).then(|| {
            format!(
                "{missed} of {steps} steps ended with momenta or energy off by more than {:.0e} of their scale, the worst \
                 by {worst:.1e}; what is missing is made up for later; raise solver.iterations for less",
                self.wanted()
            )
        })
    }

    fn iterate(&mut self, objective: &Objective, iterate: &mut Iterate, cost: &mut Cost) -> Result<Progress> {
        if !self.plans.is_empty() && self.violation() < self.tolerance {
            return Ok(Progress::Stalled);
        }
        if self.touching.is_some() {
            return Ok(self.iterate_touching(objective, iterate, cost));
        }
        let start = Instant::now();
        if objective.constraints.iter().any(|c| !c.springs.is_empty()) {
            self.pull_at(objective, iterate);
        }
        self.solve(objective, iterate);
        let mut slope = 0.0;
        for (plan, c) in self.plans.iter_mut().zip(&objective.constraints) {
            if !c.springs.is_empty() {
                plan.pulled = c.project(&self.turn, &self.pull, &self.pulled);
            }
            let d = c.project(&iterate.gradient, &self.pull, &self.increment);
            slope += plan.choose(c, &d, self.regularization);
        }
        cost.global += start.elapsed();
        if self.is_projective {
            self.advance(objective, 1.0, iterate, cost);
            return Ok(Progress::Moved);
        }
        Ok(self.search(objective, iterate, slope, cost))
    }
}
