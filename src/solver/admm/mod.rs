//! ADMM: every element has a copy z of its own part of the positions, which a dual variable u pulls towards agreement.
//!
//! ```text
//! z⁺ = argmin E(z) + w²/2 |z − (D x + u)|²,      u⁺ = u + D x − z⁺            each element by itself
//! (M/h² + Σ w² DᵀD) x⁺ = M y/h² + Σ w² Dᵀ(z⁺ − u⁺)
//! ```
//!
//! \[Narain2016, Alg. 1; Ledwon2024, 4.4\]. w² = `weight_scale` · measure · k with k the stiffness of the system
//! matrix: at 1 the matrix is that of projective dynamics, and so is the iteration, exactly where zero-energy sets are
//! affine and nearly elsewhere. Smaller weights are often faster and may diverge \[Ledwon2024, 5.4\]. Rods, ropes and
//! limits of strain are kept exactly, as hard sets: z is projected onto them, and x arrives there in the limit. These
//! sets are not convex, so weights well below M/h² may cycle. With `tolerance`, scenes with hard sets stop on the
//! residuals, because ∇g does not vanish there.
//!
//! The iteration does not use the objective: iterates are not evaluated unless there is a tolerance to test.
//!
//! As in `pd`, the global step solves for the increment, so that prescribed vertices need no care. Two things differ
//! from the papers. A step starts with z = D x, u = 0 at the start that the driver finds, without the duals of the last
//! step, so that a run can resume from positions and velocities alone. And iterates never leave the domain of a barrier.
//!
//! \[Narain2016, Alg. 1\] looks at energies in z only and lets x invert. It does not come back: u = −P/w² at the solution, so
//! that z* + u, of which z* must be the prox, has the stretches σᵢ + Ψᵢ/ρ with ρ = w²/measure. z* is a minimum of that problem
//! only if (Ψᵢ + Ψⱼ)/(σᵢ + σⱼ) + ρ > 0, that is if no two of these stretches have a negative sum. In a cell under strong
//! pressure they have: there the solution is no fixed point of the iteration, whatever the number of iterations, and the cell
//! ends turned inside out. Halving the increment until x is inside is no way out either, because one such cell then freezes
//! the whole body. So once an increment leads outside, `quasi-newton` makes the other iterations of the step, from the lower one
//! of the last iterate and the start. Larger weights (`weight_scale`) put that off, and a note tells how many steps ended so.
//!
//! `relaxation` is the α of over-relaxation (see `energy::proximal`). With `balance`, the weights double where the
//! primal residual is more than 10 times the dual one and halve in the opposite case. They change at most every 5
//! iterations and stay within a factor 16 of their first values, to which each step returns.
//!
//! With `weights = "own"` the solver chooses the factor on all weights itself, step by step (see `own`).
//!
//! Active terms belong to the global step: they are functions of x (see `touching`).

mod copies;
mod own;
mod touching;

use std::time::Instant;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::options::{Options as _, check_positive, check_relaxation, demand};
use super::structured::Structured;
use super::system::System;
use super::{Cost, Preparation, Progress, Refusal, Solver, options, quasi_newton};
use crate::cache::Cache;
use crate::error::Result;
use crate::step::active::PublishedWay;
use crate::step::{Iterate, Objective};
use copies::Copies;
use elements::energy::Energy;
use elements::energy::material::Fault;
use elements::energy::proximal::{Residuals, Split, Splitting};
use elements::math::lanes::Vec4;
use elements::math::vectors;
use own::Own;
use touching::Touching;

/// Who chooses the weights of `admm`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Weights {
    /// The config, by weight_scale.
    #[default]
    Fixed,
    /// Every step, from the curvature along its iterates; it gives away its lowest iterate. Scenes with rods, ropes, limits or
    /// contact as published keep the weights of the system matrix.
    Own,
}

/// The options of `admm`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// Factor on all weights, above 0; at 1 they are those of the system matrix. Default 1.
    pub weight_scale: Option<f64>,
    /// Over-relaxation where it is above 1, below 2; 1.5 is often faster. Default 1.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub relaxation: Option<f64>,
    /// Doubles or halves all weights where primal and dual residuals are more than 10 times apart, at most every 5
    /// iterations and by at most 16 in all; every weight needs a factor of its own. Default false.
    pub balance: Option<bool>,
    /// Who chooses the weights. Default "fixed".
    pub weights: Option<Weights>,
}

impl options::Options for Options {
    const NAME: &'static str = "admm";
    const ABOUT: &'static str = "alternating directions: any material; keeps rods, ropes and limits exactly; sensitive to its weights";

    fn check(&self) -> Result<(), Fault> {
        check_relaxation(self.relaxation)?;
        let is_fixed = self.weights != Some(Weights::Own);
        demand(is_fixed || self.weight_scale.is_none(), "weight_scale", "needs weights = \"fixed\"")?;
        demand(is_fixed || self.balance != Some(true), "balance", "needs weights = \"fixed\"")?;
        check_positive("weight_scale", self.weight_scale)
    }

    fn refuses(&self, term: &dyn Energy) -> Option<Refusal> {
        term.proximal().is_none().then_some(Refusal::NoProximal)
    }

    fn build(&self, tolerance: f64) -> Box<dyn Solver> {
        Box::new(Admm {
            weight_scale: self.weight_scale.unwrap_or(1.0),
            relaxation: self.relaxation.unwrap_or(1.0),
            balance: self.balance.unwrap_or(false),
            weights: self.weights.unwrap_or_default(),
            own: None,
            tolerance,
            cache: Cache::disabled(),
            is_hard: false,
            descends: false,
            descended: 0,
            descent: None,
            start: Iterate::default(),
            systems: vec![],
            touching: None,
            copies: None,
            power: 0,
            rest: 0,
            first: None,
            is_lagging: false,
            lagging: 0,
            last: Residuals::default(),
            splits: vec![],
            trial: Iterate::default(),
            increment: vec![],
        })
    }
}

/// Residuals that differ by more than this factor are out of balance (their squares are compared).
const IMBALANCE: f64 = 10.0;
/// The least number of iterations between two changes of the weights.
const PATIENCE: u64 = 5;
/// The largest number of doublings or halvings of the weights.
const MAX_POWER: i32 = 4;

/// Steps that leave more than this part of their first residuals are reported in a note.
const WORRYING: f64 = 0.1;
/// Squared residuals below this count as zero. The unit is the energy of a strain of order one: strains of 1e-10.
const NOTHING: f64 = 1e-20;

/// The solver `admm` with its split variables and its factors.
pub struct Admm {
    weight_scale: f64,
    relaxation: f64,
    balance: bool,
    weights: Weights,
    /// What chooses the weights, if the solver does.
    own: Option<Own>,
    tolerance: f64,
    cache: Cache,
    /// True if some term stands for a hard set.
    is_hard: bool,
    /// True if an increment of this step led outside the domain of a barrier.
    descends: bool,
    /// How many steps ended with [`Admm::descends`] true.
    descended: u64,
    /// What descends then; made when it is first needed.
    descent: Option<Box<dyn Solver>>,
    /// The start of the step.
    start: Iterate,
    /// The exponents n that were used, each with the factor for the weights `weight_scale` · 2ⁿ, and for active terms
    /// with what solves with their Hessian added.
    systems: Vec<(i32, System, Option<Structured>)>,
    /// What the global step needs where there are active terms.
    touching: Option<Touching>,
    /// Copies of vertices that are outside of others.
    copies: Option<Copies>,
    /// The exponent n of the current weights.
    power: i32,
    /// The number of iterations since the weights changed.
    rest: u64,
    /// The sum of both squared residuals at the start of the step, in J.
    first: Option<f64>,
    /// True if the last iteration left more than [`WORRYING`] of the first residuals.
    is_lagging: bool,
    /// How many earlier steps ended with [`Admm::is_lagging`] true.
    lagging: u64,
    last: Residuals,
    splits: Vec<Vec<Split>>,
    trial: Iterate,
    increment: Vec<Vec4>,
}

impl Admm {
    fn scale(&self) -> f64 {
        self.weight_scale * f64::from(self.power).exp2()
    }

    /// Changes the weights if the residuals of the last iteration are out of balance.
    fn rebalance(&mut self, objective: &Objective) -> Result<()> {
        self.rest += 1;
        if !self.balance || self.rest <= PATIENCE {
            return Ok(());
        }
        let limit = IMBALANCE * IMBALANCE;
        let change = if self.last.primal > limit * self.last.dual {
            1
        } else if self.last.dual > limit * self.last.primal {
            -1
        } else {
            return Ok(());
        };
        if (self.power + change).abs() > MAX_POWER {
            return Ok(());
        }
        self.rest = 0;
        let factor = f64::from(-change).exp2();
        self.splits.iter_mut().flatten().for_each(|split| split.scale_dual(factor));
        self.turn_to(self.power + change, objective)
    }

    /// Goes on with the weights that the solver chooses itself.
    fn reweigh(&mut self, objective: &Objective) -> Result<()> {
        let Some(own) = &mut self.own else { return Ok(()) };
        let power = own.choose();
        if power != self.power {
            let factor = f64::from(self.power - power).exp2();
            for (term, splits) in objective.terms.iter().zip(&mut self.splits) {
                let Some(term) = term.proximal() else { continue };
                splits.iter_mut().for_each(|split| split.scale_dual_upright(term, factor));
            }
        }
        self.turn_to(power, objective)
    }

    /// Makes the weights `weight_scale` · 2ⁿ the current ones, with a factor for them.
    fn turn_to(&mut self, power: i32, objective: &Objective) -> Result<()> {
        self.power = power;
        if self.systems.iter().all(|(power, ..)| *power != self.power) {
            let (system, _) = System::prepare_scaled(objective, self.scale(), &self.cache)?;
            let structured = touching::structured(objective, self.scale(), &system);
            self.systems.push((self.power, system, structured));
        }
        Ok(())
    }

    /// Solves the global step at the trial point, whose gradient is its residual: computes the increment to subtract;
    /// returns the part of it to take.
    fn find_increment(&mut self, objective: &Objective, cost: &mut Cost) -> f64 {
        let system = self.systems.iter_mut().find(|(power, ..)| *power == self.power);
        let (_, system, structured) = system.expect("prepared before the first step");
        match (structured, &mut self.touching) {
            (Some(structured), Some(touching)) => {
                let at = &mut self.trial;
                touching.solve(objective, (system, structured), at, &mut self.increment, cost)
            }
            _ => {
                system.solve(&self.trial.gradient, &mut self.increment);
                1.0
            }
        }
    }

    /// True if a scene of hard sets, whose gradient does not vanish, has reached the tolerance by its residuals.
    fn is_done(&mut self, objective: &Objective) -> bool {
        let both = self.last.primal + self.last.dual;
        let first = *self.first.get_or_insert(both);
        self.is_lagging = both > WORRYING * WORRYING * first && both > NOTHING * objective.scale();
        self.is_hard && self.tolerance > 0.0 && both <= self.tolerance * self.tolerance * first
    }

    /// Moves by a part of the increment, or turns to descent if that leads outside the domain of a barrier.
    fn advance(
        &mut self,
        objective: &Objective,
        part: f64,
        iterate: &mut Iterate,
        cost: &mut Cost,
    ) -> Result<()> {
        let started = objective.watch();
        let work = vectors::dot(&self.increment, &self.trial.gradient);
        let free = objective.free;
        let from = self.own.as_ref().map_or(&iterate.x, |own| &own.x);
        vectors::combine(-part, &self.increment, &from[..free], &mut self.trial.x[..free]);
        let is_inside = objective.is_feasible(&self.trial.x);
        if let Some(own) = &mut self.own {
            let mut goes_on = is_inside;
            if is_inside {
                objective.evaluate(&mut self.trial);
                goes_on = own.follow(objective, &self.trial, &self.increment, part, work);
                if self.trial.value.total() <= iterate.value.total() + objective.rounding(&iterate.value) {
                    std::mem::swap(iterate, &mut self.trial);
                }
            }
            if !goes_on && own.retreat(iterate) {
                objective.restart_splits(&iterate.x, &mut self.splits);
            } else if !goes_on {
                self.turn_to_descent(objective, iterate)?;
            }
        } else if is_inside {
            if self.evaluates() {
                objective.evaluate(&mut self.trial);
            }
            std::mem::swap(iterate, &mut self.trial);
        } else {
            self.turn_to_descent(objective, iterate)?;
        }
        cost.local += objective.since(started);
        cost.tries += 1;
        Ok(())
    }

    /// Evaluates the iterate, or goes back to the start of the step if that is lower, and lets quasi-Newton go on from there.
    fn turn_to_descent(&mut self, objective: &Objective, iterate: &mut Iterate) -> Result<()> {
        objective.evaluate(iterate);
        if self.start.value.total() < iterate.value.total() {
            iterate.clone_from(&self.start);
        }
        if self.descent.is_none() {
            let mut solver = quasi_newton::Options::default().build(0.0);
            solver.prepare(objective, &self.cache)?;
            if objective.has_active() {
                solver.accept_active(objective)?;
            }
            self.descent = Some(solver);
        }
        if let Some(solver) = &mut self.descent {
            solver.begin_step(objective, iterate);
        }
        self.descends = true;
        self.descended += 1;
        Ok(())
    }
}

impl Solver for Admm {
    fn name(&self) -> &'static str {
        Options::NAME
    }

    fn prepare(&mut self, objective: &Objective, cache: &Cache) -> Result<Preparation> {
        self.is_hard = objective.terms.iter().any(|t| t.proximal().is_some_and(|p| p.is_hard()));
        let (system, outcome) = System::prepare_scaled(objective, self.weight_scale, cache)?;
        let factor_entries = system.entries();
        self.systems = vec![(0, system, None)];
        self.descent = None;
        self.own = (self.weights == Weights::Own && !self.is_hard).then(|| Own::new(objective));
        if objective.has_active() {
            self.accept_active(objective)?;
        }
        self.power = 0;
        self.cache = cache.clone();
        self.splits = objective.splits();
        self.increment = vec![Vec4::ZERO; objective.free];
        Ok(Preparation { cache: Some(outcome), factor_entries })
    }

    fn accept_active(&mut self, objective: &Objective) -> Result<()> {
        self.touching = objective.is_bounded().then(|| Touching::new(objective));
        self.copies = (!objective.extra.is_empty()).then(Copies::default);
        if self.copies.is_some() {
            self.own = None;
        }
        for (power, system, structured) in &mut self.systems {
            let scale = self.weight_scale * f64::from(*power).exp2();
            *structured = touching::structured(objective, scale, system);
        }
        Ok(())
    }

    fn published(&self) -> PublishedWay {
        PublishedWay::Copies
    }

    fn begin_step(&mut self, objective: &Objective, iterate: &Iterate) {
        if let Some(copies) = &mut self.copies {
            copies.begin_step(objective);
        }
        self.power = 0;
        self.rest = 0;
        self.first = None;
        self.lagging += u64::from(self.is_lagging);
        self.is_lagging = false;
        self.last = Residuals::default();
        self.descends = false;
        self.trial.clone_from(iterate);
        self.start.clone_from(iterate);
        objective.restart_splits(&iterate.x, &mut self.splits);
        if let Some(own) = &mut self.own {
            own.begin_step(iterate);
            self.power = own.power;
        }
    }

    /// False with hard sets, whose solution is not the minimum of their stiff energies.
    fn minimizes(&self) -> bool {
        !self.is_hard
    }

    /// True only if the driver tests a gradient, or the solver itself looks at it.
    fn evaluates(&self) -> bool {
        self.minimizes() && (self.tolerance > 0.0 || self.own.is_some())
    }

    fn closing_note(&self) -> Option<String> {
        if self.descended > 0 {
            let (why, advice) = match self.own {
                Some(_) => ("went astray even with the largest weights", ""),
                None => {
                    ("would have turned cells inside out", "; a larger solver.weight_scale puts that off")
                }
            };
            return Some(format!("{} steps {why} and were ended by quasi-newton{advice}", self.descended));
        }
        let steps = self.lagging + u64::from(self.is_lagging);
        (self.is_hard && steps > 0).then(|| {
            format!(
                "{steps} steps ended with more than {:.0} % of the residuals that their hard sets (rods, ropes, limits) \
                 began with; raise solver.iterations, or solver.weight_scale if that does not help",
                100.0 * WORRYING
            )
        })
    }

    fn iterate(&mut self, objective: &Objective, iterate: &mut Iterate, cost: &mut Cost) -> Result<Progress> {
        if let (true, Some(solver)) = (self.descends, &mut self.descent) {
            return solver.iterate(objective, iterate, cost);
        }
        let start = Instant::now();
        self.rebalance(objective)?;
        self.reweigh(objective)?;
        cost.global += start.elapsed();
        let start = Instant::now();
        self.trial.x.copy_from_slice(self.own.as_ref().map_or(&iterate.x, |own| &own.x));
        let splitting = Splitting { ratio: self.scale(), relaxation: self.relaxation };
        self.last = objective.split(&mut self.trial, &mut self.splits, splitting);
        if let Some(copies) = &mut self.copies {
            copies.step(objective, &mut self.trial);
        }
        cost.local += start.elapsed();
        if self.is_done(objective) {
            return Ok(Progress::Stalled);
        }
        let start = objective.watch();
        let part = self.find_increment(objective, cost);
        cost.global += objective.since(start);
        if self.minimizes() {
            self.advance(objective, part, iterate, cost)?;
        } else {
            vectors::add_scaled(-part, &self.increment, &mut iterate.x[..objective.free]);
        }
        Ok(Progress::Moved)
    }
}
