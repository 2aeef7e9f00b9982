//! The time loop: states, steps, metrics.
//!
//! A step is one minimization of the objective (see `objective`); which one, and what its result means, is up to the
//! integrator (see `integrator`).

mod accounts;
#[cfg(test)]
mod active_tests;
pub mod conserve;
mod contact;
mod contact_numbers;
mod contact_start;
pub mod convergence;
pub mod estimate;
mod holding;
pub mod integrator;
pub mod metrics;
mod probes;
pub mod soundness;
mod start;
pub mod touching;
pub mod watch;

use std::sync::Arc;
use std::time::Instant;

use crate::cache::{Cache, Outcome};
use crate::error::suggest::suggestion;
use crate::error::{Error, Result};
use crate::model::build::{Built, build_with};
use crate::model::forces::Forces;
use crate::model::notes::Notes;
use crate::model::{Model, State};
use crate::scene::{Scene, Time};
use crate::simulate::conserve::Ledger;
use crate::solver::{Preparation, Solver, SolverSettings};
use crate::step::active::{Active, Touching};
use crate::step::{Iterate, Objective};
use convergence::Convergence;
use elements::energy::custom::ElementEnergy;
use elements::math::lanes::Vec4;
use holding::Holding;
use soundness::Soundness;
use touching::ContactFacts;
use watch::Watcher;

/// A running simulation.
pub struct Simulation {
    /// The bodies, their numbering and their pins.
    #[doc(hidden)]
    pub model: Arc<Model>,
    /// The function that each step minimizes.
    #[doc(hidden)]
    pub objective: Objective,
    /// Positions and velocities now.
    #[doc(hidden)]
    pub state: State,
    /// How many steps were done.
    #[doc(hidden)]
    pub step: u64,
    /// The state before the last step, where the integrator needs it.
    #[doc(hidden)]
    pub before: Option<State>,
    /// How well the steps so far converged.
    #[doc(hidden)]
    pub convergence: Convergence,
    /// Whether the states so far can be believed.
    #[doc(hidden)]
    pub soundness: Soundness,
    /// What bodies should keep.
    #[doc(hidden)]
    pub ledger: Ledger,
    /// What contact is like in this scene; `None` without contact.
    #[doc(hidden)]
    pub contact: Option<ContactFacts>,
    /// What touches now; `None` without contact.
    #[doc(hidden)]
    pub touching: Option<Touching>,
    /// How many steps ended with vertices inside of others, and how deep in m at the most.
    penetrations: (u64, f64),
    time: Time,
    forces: Forces,
    fepr: bool,
    acting: accounts::Acting,
    last_stage: probes::LastStage,
    holding: Holding,
    settings: SolverSettings,
    solver: Box<dyn Solver>,
    /// Factors for stiffness and pins that changed while it ran.
    #[doc(hidden)]
    pub refactors: Refactors,
    cache: Cache,
    iterate: Iterate,
    spare: Iterate,
    watcher: Option<Watcher>,
}

/// How often the system matrix changed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Refactors {
    /// Factors needed.
    pub count: u64,
    /// Those that came from the cache.
    pub hits: u64,
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
    pub notes: Notes,
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
    pub fn new(scene: &Scene, cache: &Cache) -> Result<(Simulation, PreparationReport)> {
        Simulation::with_energies(scene, vec![], cache)
    }

    /// Loads meshes, builds the model and prepares the solver, without a cache on disk.
    ///
    /// ```
    /// use pliant::prelude::*;
    ///
    /// let cube = Shape::Block { size: [1.0; 3], cells: [2; 3], split: 5 };
    /// let body = Body::new("cube", cube).material(Material::elastic("corotated", 1e5, 0.3)?);
    /// let mut simulation = Simulation::start(&Scene::new("falling").body(body))?;
    /// simulation.advance()?;
    /// // One step of implicit Euler from rest: g h² lower.
    /// let height = simulation.positions("cube")?[0][1];
    /// assert!((height + 9.81 / 900.0).abs() < 1e-9);
    /// # Ok::<(), pliant::Error>(())
    /// ```
    pub fn start(scene: &Scene) -> Result<Simulation> {
        Ok(Simulation::new(scene, &Cache::disabled())?.0)
    }

    /// Like [`Simulation::new`], with energies from outside.
    pub fn with_energies(
        scene: &Scene,
        energies: Vec<Box<dyn ElementEnergy>>,
        cache: &Cache,
    ) -> Result<(Simulation, PreparationReport)> {
        let start = Instant::now();
        let Built { model, mut objective, forces, ordering, ordering_time, mut notes } =
            build_with(scene, energies, cache)?;
        let ordering_seconds = ordering_time.as_secs_f64();
        let model_seconds = start.elapsed().as_secs_f64() - ordering_seconds;
        let start = Instant::now();
        let holding = Holding::new(&model, &mut objective, scene.time.step);
        scene.solver.check_terms(&objective)?;
        let mut solver = scene.solver.build();
        let preparation = solver.prepare(&objective, cache)?;
        let mut simulation = Simulation {
            state: model.initial.clone(),
            iterate: objective.iterate_at(model.initial.x.clone()),
            spare: objective.iterate_at(model.initial.x.clone()),
            convergence: Convergence::new(&objective, model.size),
            soundness: Soundness::of(&model, &objective),
            ledger: Ledger::new(scene, &model, &objective),
            contact: None,
            touching: None,
            penetrations: (0, 0.0),
            fepr: scene.fepr,
            acting: Default::default(),
            last_stage: probes::LastStage::of(model.bodies.iter().flat_map(|body| &body.probes)),
            holding,
            model: Arc::new(model),
            objective,
            step: 0,
            before: None,
            time: scene.time,
            forces,
            settings: scene.solver.clone(),
            solver,
            refactors: Refactors::default(),
            cache: cache.clone(),
            watcher: None,
        };
        if simulation.solver.conserves() || scene.fepr {
            simulation.conserve();
        }
        notes.warnings.append(&mut simulation.add_contact(scene)?);
        simulation.look_at_contacts();
        if let Some(note) = simulation.tune()? {
            notes.notes.push(note);
        }
        let solver_seconds = start.elapsed().as_secs_f64();
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

    /// Adds a term whose elements change between iterations; the solver may refuse it.
    pub fn add_active(&mut self, term: Box<dyn Active>) -> Result<()> {
        self.objective.add_active(term);
        self.solver.accept_active(&self.objective)
    }

    /// The positions of a body's vertices in m, in the order that its mesh has.
    pub fn positions(&self, body: &str) -> Result<Vec<[f64; 3]>> {
        self.of_body(body, &self.state.x)
    }

    /// The velocities of a body's vertices in m/s, in the order that its mesh has.
    pub fn velocities(&self, body: &str) -> Result<Vec<[f64; 3]>> {
        self.of_body(body, &self.state.v)
    }

    fn of_body(&self, name: &str, values: &[Vec4]) -> Result<Vec<[f64; 3]>> {
        let Some(body) = self.model.body(name) else {
            let names: Vec<&str> = self.model.bodies.iter().map(|body| body.name.as_str()).collect();
            let hint = suggestion(name, "names", &names);
            return Err(Error::Usage { what: format!("there is no body '{name}'"), hint });
        };
        let numbers = &self.model.numbering.position[body.vertices.clone()];
        Ok(numbers.iter().map(|v| values[*v as usize].xyz()).collect())
    }

    /// Time in seconds now.
    pub fn now(&self) -> f64 {
        self.time_at(self.step)
    }

    /// Time in seconds after `step` steps.
    pub fn time_at(&self, step: u64) -> f64 {
        step as f64 * self.time.step
    }

    /// The frame that the current step belongs to.
    pub fn frame(&self) -> u64 {
        self.step.div_ceil(self.time.substeps)
    }

    /// The solver of this simulation.
    pub fn solver(&self) -> &dyn Solver {
        self.solver.as_ref()
    }

    /// True if the steps approach minima of g, so that gradients tell how well they converged.
    pub fn minimizes(&self) -> bool {
        self.solver.minimizes() && !self.objective.projects()
    }

    /// The last iterate, evaluated.
    pub fn iterate(&self) -> &Iterate {
        &self.iterate
    }
}
