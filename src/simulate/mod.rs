//! The time loop: states, steps, metrics.
//!
//! One step of implicit Euler is one minimization of the objective (see `objective`), from the inertial
//! positions y, with the prescribed vertices where their motion puts them at the end of the step.

pub mod checkpoint;
pub mod convergence;
pub mod metrics;
pub mod run;
mod start;

use std::sync::Arc;
use std::time::Instant;

use crate::cache::{Cache, Outcome};
use crate::config::resolved::{Config, Time};
use crate::error::{Error, Result};
use crate::math::lanes::Vec4;
use crate::math::vectors;
use crate::model::build::{Built, build};
use crate::model::{Model, State};
use crate::objective::{Iterate, Objective};
use crate::solver::{Cost, Preparation, Progress, Solver, SolverSettings};
use convergence::Convergence;
use metrics::StepMetrics;

/// A running simulation.
pub struct Simulation {
    /// The scene.
    pub model: Arc<Model>,
    /// The function that each step minimizes.
    pub objective: Objective,
    /// Positions and velocities now.
    pub state: State,
    /// Steps done.
    pub step: u64,
    /// How well the steps so far converged.
    pub convergence: Convergence,
    time: Time,
    gravity: [f64; 3],
    settings: SolverSettings,
    solver: Box<dyn Solver>,
    iterate: Iterate,
    spare: Iterate,
}

/// What preparing a simulation took and found.
#[derive(Clone, Debug)]
pub struct PreparationReport {
    /// Whether the vertex ordering came from the cache.
    pub ordering: Outcome,
    /// What the solver prepared.
    pub solver: Preparation,
    /// Loading meshes and building the model, in seconds.
    pub model_seconds: f64,
    /// Ordering the unknowns, or loading their order, in seconds.
    pub ordering_seconds: f64,
    /// Assembling and factorizing, or loading the factor, in seconds.
    pub solver_seconds: f64,
    /// What the user should know.
    pub notes: Vec<String>,
}

impl PreparationReport {
    /// All of it, in seconds.
    pub fn seconds(&self) -> f64 {
        self.model_seconds + self.ordering_seconds + self.solver_seconds
    }

    /// True if everything that can be cached was.
    pub fn is_hit(&self) -> bool {
        self.ordering == Outcome::Hit && self.solver.cache.is_none_or(|c| c == Outcome::Hit)
    }
}

impl Simulation {
    /// Loads meshes, builds the model and prepares the solver.
    pub fn new(config: &Config, cache: &Cache) -> Result<(Simulation, PreparationReport)> {
        let start = Instant::now();
        let Built { model, objective, ordering, ordering_time, notes } = build(config, cache)?;
        let ordering_seconds = ordering_time.as_secs_f64();
        let model_seconds = start.elapsed().as_secs_f64() - ordering_seconds;
        let start = Instant::now();
        let mut solver = (config.solver.kind.build)(&config.solver);
        let preparation = solver.prepare(&objective, cache)?;
        let solver_seconds = start.elapsed().as_secs_f64();
        let simulation = Simulation {
            state: model.initial.clone(),
            iterate: objective.iterate_at(model.initial.x.clone()),
            spare: objective.iterate_at(model.initial.x.clone()),
            convergence: Convergence::new(&objective, model.size),
            model: Arc::new(model),
            objective,
            step: 0,
            time: config.time,
            gravity: config.gravity,
            settings: config.solver.clone(),
            solver,
        };
        let report = PreparationReport {
            ordering,
            solver: preparation,
            model_seconds,
            ordering_seconds,
            solver_seconds,
            notes,
        };
        Ok((simulation, report))
    }

    /// Time in seconds after `step` steps.
    pub fn time_at(&self, step: u64) -> f64 {
        step as f64 * self.time.step
    }

    /// The frame that the current step belongs to.
    pub fn frame(&self) -> u64 {
        self.step.div_ceil(self.time.substeps)
    }

    /// One time step.
    pub fn advance(&mut self) -> Result<StepMetrics> {
        let started = Instant::now();
        let end = self.time_at(self.step + 1);
        let mut cost = Cost::default();
        for term in &mut self.objective.terms {
            term.set_time(end);
        }
        self.set_inertial_positions();
        self.find_start(end, &mut cost)?;
        self.solver.begin_step(&self.objective, &self.iterate);
        let first = vectors::norm(&self.iterate.gradient);
        let iterations = self.minimize(first, &mut cost)?;
        let last = vectors::norm(&self.iterate.gradient);
        if !(last.is_finite() && self.iterate.value.total().is_finite()) {
            return Err(Error::Failed {
                what: format!("step {} (time {end} s) ended in numbers that are not finite", self.step + 1),
                hint: "use a smaller time step or solver 'quasi-newton'".into(),
            });
        }
        self.update_state();
        self.step += 1;
        let relative = self.convergence.note(self.step, first, last);
        let total = started.elapsed();
        Ok(StepMetrics::measure(self, end, iterations, relative, &cost, total))
    }

    fn set_inertial_positions(&mut self) {
        let (h, g) = (self.time.step, self.gravity);
        let fall = Vec4::new(g.map(|g| h * h * g));
        for (y, (x, v)) in self.objective.inertial.iter_mut().zip(self.state.x.iter().zip(&self.state.v)) {
            y.0 = std::array::from_fn(|k| x.0[k] + h * v.0[k] + fall.0[k]);
        }
    }

    fn minimize(&mut self, first: f64, cost: &mut Cost) -> Result<u64> {
        let target = self.settings.tolerance * first;
        for iteration in 0..self.settings.iterations {
            if target > 0.0 && vectors::norm(&self.iterate.gradient) <= target {
                return Ok(iteration);
            }
            let progress = self.solver.iterate(&self.objective, &mut self.iterate, cost)?;
            if progress == Progress::Stalled {
                return Ok(iteration);
            }
        }
        Ok(self.settings.iterations)
    }

    /// `v = (x − x_n)/h` for every vertex, prescribed ones too.
    fn update_state(&mut self) {
        let per_step = 1.0 / self.time.step;
        for ((x, v), new) in self.state.x.iter_mut().zip(&mut self.state.v).zip(&self.iterate.x) {
            v.0 = std::array::from_fn(|k| (new.0[k] - x.0[k]) * per_step);
            *x = *new;
        }
    }

    /// The last iterate, evaluated.
    pub fn iterate(&self) -> &Iterate {
        &self.iterate
    }
}
