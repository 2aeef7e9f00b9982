//! Time integrators: how a step becomes one minimization, and its result the next state.
//!
//! All of them minimize the same objective with a stage step ĥ and a base (x̂, v̂), y = x̂ + ĥ v̂ + ĥ² M⁻¹ f_ext, where
//! f_ext are the external forces at the stage's time (see `force`):
//!
//! | integrator | ĥ | base | then |
//! |---|---|---|---|
//! | implicit Euler | h | x_n, v_n | x_{n+1} = x, v_{n+1} = (x − x_n)/h |
//! | implicit midpoint | h/2 | x_n, v_n | x is the midpoint: x_{n+1} = 2x − x_n, v_{n+1} = 2(x − x_n)/ĥ − v_n |
//! | BDF2 | 2h/3 | (4x_n − x_{n−1})/3, (4v_n − v_{n−1})/3 | x_{n+1} = x, v_{n+1} = (x − x̂)/ĥ |
//!
//! Midpoint: eliminate v_{n+1} from x_{n+1} = x_n + h(v_n + v_{n+1})/2 and M(v_{n+1} − v_n) = h f((x_n + x_{n+1})/2);
//! what is left is an implicit Euler step of h/2 to the midpoint. It keeps energy much better and damps nothing:
//! what the solver leaves undone stays in the motion. Prescribed vertices go to the middle of their way.
//!
//! BDF2 needs two states. Its first step is made of two implicit Euler steps of ĥ = 2h/3, whose average lies at
//! time h with an error of second order: the method's order stays, and the factor of the system matrix too.
//! Orders are tested in `tests/numerics/integrators.rs`.

use super::Simulation;
use super::convergence::WORRYING;
use super::metrics::StepMetrics;
use crate::cache::Outcome;
use crate::error::{Error, Result};
use crate::model::State;
use crate::model::forces::Stage;
use crate::scene::Integrator;
use crate::solver::{Cost, Progress};
use crate::step::Iterate;
use elements::energy::Role;
use elements::math::lanes::Vec4;
use elements::math::vectors;
use elements::par;

/// How often what is held fixed in a minimization (forces and normals of friction) is taken anew at the most.
const LAGS: usize = 4;

/// `p a + q b`, elementwise.
fn blend(p: f64, a: &[Vec4], q: f64, b: &[Vec4]) -> Vec<Vec4> {
    a.iter().zip(b).map(|(a, b)| Vec4(std::array::from_fn(|k| p * a.0[k] + q * b.0[k]))).collect()
}

/// What the minimizations of a step did.
#[derive(Default)]
pub(super) struct StageReport {
    pub cost: Cost,
    pub iterations: u64,
    /// Gradient norms before and after the stage that converged worst.
    pub gradients: (f64, f64),
    /// The elastic energy of the state, where it is not that of the last iterate.
    pub elastic: Option<f64>,
}

impl Simulation {
    /// Makes one time step and measures it.
    pub fn advance(&mut self) -> Result<StepMetrics> {
        par::session(self.objective.elements(), || self.take_step())
    }

    fn take_step(&mut self) -> Result<StepMetrics> {
        let started = std::time::Instant::now();
        self.objective.take_searching();
        self.switch_pins()?;
        let mut report = StageReport::default();
        let (start, end) = (self.time_at(self.step), self.time_at(self.step + 1));
        match (self.time.integrator, self.before.take()) {
            (Integrator::ImplicitEuler, _) => self.euler(end, &mut report)?,
            (Integrator::Midpoint, _) => self.midpoint(start, end, &mut report)?,
            (Integrator::Bdf2, Some(before)) => self.bdf2(&before, end, &mut report)?,
            (Integrator::Bdf2, None) => self.first_bdf2(start, end, &mut report)?,
        }
        self.step += 1;
        self.pass_end();
        let state = &self.state;
        self.objective.active_mut().for_each(|term| term.end_step(&state.x));
        let (first, last) = report.gradients;
        let relative = self.convergence.note(self.step, first, last);
        let (total, searching) = (started.elapsed(), self.objective.take_searching());
        self.look_at_contacts();
        let metrics = StepMetrics::measure(self, end, relative, &report, [total, searching]);
        if self.step.is_multiple_of(self.time.substeps) {
            self.soundness.record.note_frame(self.frame(), metrics.volumes);
        }
        Ok(metrics)
    }

    /// An implicit Euler step of the stage step, to the time `end`.
    fn euler(&mut self, end: f64, report: &mut StageReport) -> Result<()> {
        let pins = self.pins_at(end);
        let base = self.state.clone();
        self.solve_stage(&base, end, &pins, report)?;
        self.state.v = blend(1.0 / self.objective.step, &self.iterate.x, -1.0 / self.objective.step, &base.x);
        self.state.x.copy_from_slice(&self.iterate.x);
        self.settle(&base, &base.x, report);
        Ok(())
    }

    fn midpoint(&mut self, start: f64, end: f64, report: &mut StageReport) -> Result<()> {
        let arrived = self.pins_at(end);
        let now = self.pins_now();
        let base = self.state.clone();
        self.solve_stage(&base, 0.5 * (start + end), &blend(0.5, &now, 0.5, &arrived), report)?;
        let rate = 2.0 / self.objective.step;
        let change = blend(rate, &self.iterate.x, -rate, &base.x);
        self.state.v = blend(1.0, &change, -1.0, &base.v);
        self.state.x = blend(2.0, &self.iterate.x, -1.0, &base.x);
        self.place_pins(&arrived);
        // With these velocities what is held would swing about its motion; vertices that are let go have the mean one.
        for v in self.holding.held().iter().map(|pin| pin.vertex as usize) {
            let (x, from, h) = (self.state.x[v].0, base.x[v].0, self.time.step);
            self.state.v[v] = Vec4(std::array::from_fn(|k| (x[k] - from[k]) / h));
        }
        let middle = std::mem::take(&mut self.iterate.x);
        self.settle(&base, &middle, report);
        self.iterate.x = middle;
        Ok(())
    }

    fn bdf2(&mut self, before: &State, end: f64, report: &mut StageReport) -> Result<()> {
        let (old, new) = (-1.0 / 3.0, 4.0 / 3.0);
        let base = State {
            x: blend(new, &self.state.x, old, &before.x),
            v: blend(new, &self.state.v, old, &before.v),
        };
        let pins = self.pins_at(end);
        self.solve_stage(&base, end, &pins, report)?;
        let rate = 1.0 / self.objective.step;
        let v = blend(rate, &self.iterate.x, -rate, &base.x);
        let now = State { x: self.iterate.x.clone(), v };
        self.before = Some(std::mem::replace(&mut self.state, now));
        Ok(())
    }

    fn first_bdf2(&mut self, start: f64, end: f64, report: &mut StageReport) -> Result<()> {
        let before = self.state.clone();
        self.euler(start + self.objective.step, report)?;
        let early = self.state.clone();
        self.euler(start + 2.0 * self.objective.step, report)?;
        let late = std::mem::replace(&mut self.state.x, early.x);
        self.state.x = blend(0.5, &self.state.x, 0.5, &late);
        self.state.v = blend(0.5, &early.v, 0.5, &self.state.v);
        let pins = self.pins_at(end);
        self.place_pins(&pins);
        // The mean of two states that are free of intersections need not be, so it is approached from the later one.
        let part = self.objective.longest_part(&late, || &self.state.x);
        if part < 1.0 {
            self.state.x = blend(1.0 - part, &late, part, &self.state.x);
        }
        self.before = Some(before);
        Ok(())
    }

    /// The times of the stages of the step after `step` steps, for stages made by [`Simulation::advance`].
    fn stage_times(&self, step: u64) -> Vec<f64> {
        let (start, end) = (self.time_at(step), self.time_at(step + 1));
        let stage = self.objective.step;
        match self.time.integrator {
            Integrator::ImplicitEuler => vec![end],
            Integrator::Midpoint => vec![0.5 * (start + end)],
            Integrator::Bdf2 if step == 0 => vec![start + stage, start + 2.0 * stage],
            Integrator::Bdf2 => vec![end],
        }
    }

    /// Prepares the solver for every system matrix of `steps` steps, so that all of them are in the cache.
    pub fn precompute(&mut self, steps: u64) -> Result<()> {
        for step in 0..steps {
            self.prepare_pins(step + 1)?;
            for time in self.stage_times(step) {
                if self.objective.set_time(time) {
                    self.refactor(time)?;
                }
            }
        }
        Ok(())
    }

    /// Lets the solver look at the start of the first step.
    pub(super) fn tune(&mut self) -> Result<Option<String>> {
        let time = self.stage_times(0)[0];
        let (pins, base) = (self.pins_at(time), self.state.clone());
        self.set_stage(&base, time, &pins)?;
        self.start_at_inertial(&pins);
        self.solver.tune(&self.objective, &self.iterate, &self.cache)
    }

    /// Makes the solver follow a change of the system matrix.
    fn refactor(&mut self, time: f64) -> Result<()> {
        let outcome = self.solver.follow(&self.objective, &self.cache)?;
        if let Some(outcome) = outcome {
            let from = if outcome == Outcome::Hit { "loaded from the cache" } else { "made anew" };
            tracing::debug!("time {time} s: stiffness changed, factor {from}");
            self.refactors.count += 1;
            self.refactors.hits += u64::from(outcome == Outcome::Hit);
        }
        Ok(())
    }

    fn pins_at(&self, time: f64) -> Vec<Vec4> {
        let prescribed = self.holding.prescribed(&self.model);
        prescribed.map(|pin| Vec4::new(self.model.pin_position(pin, time))).collect()
    }

    fn pins_now(&self) -> Vec<Vec4> {
        self.holding.prescribed(&self.model).map(|pin| self.state.x[pin.vertex as usize]).collect()
    }

    fn place_pins(&mut self, places: &[Vec4]) {
        for (pin, place) in self.holding.prescribed(&self.model).zip(places) {
            self.state.x[pin.vertex as usize] = *place;
        }
    }

    /// y = x̂ + ĥ v̂ + ĥ² M⁻¹ f_ext. For the forces, prescribed vertices are at `pins` and move there at an even speed.
    /// Returns the forces.
    fn set_inertial(&mut self, base: &State, time: f64, pins: &[Vec4]) -> Vec<Vec4> {
        let h = self.objective.step;
        let mut v = base.v.clone();
        let mut x = blend(1.0, &base.x, h, &v);
        for (pin, place) in self.holding.prescribed(&self.model).zip(pins) {
            let i = pin.vertex as usize;
            v[i] = Vec4(std::array::from_fn(|k| (place.0[k] - base.x[i].0[k]) / h));
            x[i] = *place;
        }
        let duration = self.time.integrator.acting_time(h);
        let stage = Stage { time, duration, x: &x, v: &v, mass: &self.objective.mass };
        let mut forces = self.forces.at(&stage);
        self.objective.add_forces(&base.x, &mut forces);
        for (i, y) in self.objective.inertial.iter_mut().enumerate() {
            let factor = h * h / self.objective.mass[i];
            *y = Vec4(std::array::from_fn(|k| x[i].0[k] + factor * forces[i].0[k]));
        }
        for v in self.holding.held().iter().map(|pin| pin.vertex as usize) {
            self.objective.inertial[v] = x[v];
        }
        forces
    }

    /// Makes the objective that of a stage to `time`, from a base; `pins` are the places of the prescribed vertices then.
    fn set_stage(&mut self, base: &State, time: f64, pins: &[Vec4]) -> Result<()> {
        if self.objective.set_time(time) {
            self.refactor(time)?;
        }
        self.holding.aim(&self.model, time, &mut self.objective);
        self.objective.begin_step(&self.state.x);
        if self.objective.terms.iter().any(|term| term.role() == Role::Dissipation) {
            let part = self.time.integrator.velocity_part() * self.objective.step;
            let middle = blend(1.0, &base.x, part, &base.v);
            for term in &mut self.objective.terms {
                term.set_base(&middle, &base.x);
            }
        }
        let forces = self.set_inertial(base, time, pins);
        self.last_stage.note(base, &forces);
        self.set_constraints(base, time, pins, forces);
        Ok(())
    }

    /// The first stage of the next step, and the start of its minimization: the inertial positions or, where g is infinite
    /// there, the last place on the way to them where it is not. Where active terms bound motions, it is the start of a
    /// simulated step. Returns the base of the stage and its start, evaluated.
    pub fn next_stage(&mut self) -> Result<(State, Iterate)> {
        self.switch_pins()?;
        let time = self.stage_times(self.step)[0];
        let base = match (self.time.integrator, &self.before) {
            (Integrator::Bdf2, Some(before)) => State {
                x: blend(4.0 / 3.0, &self.state.x, -1.0 / 3.0, &before.x),
                v: blend(4.0 / 3.0, &self.state.v, -1.0 / 3.0, &before.v),
            },
            _ => self.state.clone(),
        };
        let mut pins = self.pins_at(time);
        if self.time.integrator == Integrator::Midpoint {
            let arrived = self.pins_at(self.time_at(self.step + 1));
            pins = blend(0.5, &self.pins_now(), 0.5, &arrived);
        }
        self.set_stage(&base, time, &pins)?;
        let bounded = self.objective.is_bounded();
        if !bounded {
            self.start_at_inertial(&pins);
        }
        if bounded || !self.iterate.value.total().is_finite() {
            self.find_start(&pins, &mut Cost::default())?;
        }
        Ok((base, self.iterate.clone()))
    }

    /// Minimizes the objective of a stage; the result is the iterate.
    fn solve_stage(
        &mut self,
        base: &State,
        time: f64,
        pins: &[Vec4],
        report: &mut StageReport,
    ) -> Result<()> {
        self.set_stage(base, time, pins)?;
        if self.minimizes() || self.objective.is_bounded() {
            self.find_start(pins, &mut report.cost)?;
        } else {
            self.start_at_inertial(pins);
            if self.solver.evaluates() && !self.iterate.value.total().is_finite() {
                self.find_start(pins, &mut report.cost)?;
            }
        }
        self.solver.begin_step(&self.objective, &self.iterate);
        let first = vectors::norm(&self.iterate.gradient);
        report.iterations += self.minimize(first, &mut report.cost)?;
        for _ in 0..LAGS {
            if !self.objective.lag(&self.iterate.x) {
                break;
            }
            self.objective.evaluate(&mut self.iterate);
            self.solver.begin_step(&self.objective, &self.iterate);
            report.iterations += self.minimize(first, &mut report.cost)?;
        }
        if self.objective.projects() {
            self.objective.finish(&mut self.iterate.x);
        }
        if !self.solver.evaluates() || self.objective.projects() {
            self.objective.evaluate(&mut self.iterate);
        }
        let mut last = vectors::norm(&self.iterate.gradient);
        if self.minimizes() && last > WORRYING * first && self.stay_if_better(pins, 1.0, &mut report.cost) {
            self.solver.begin_step(&self.objective, &self.iterate);
            report.iterations += self.minimize(first, &mut report.cost)?;
            last = vectors::norm(&self.iterate.gradient);
        }
        if !(last.is_finite() && self.iterate.value.total().is_finite()) {
            return Err(self.not_finite(time));
        }
        let (worst_first, worst_last) = report.gradients;
        if last * worst_first >= worst_last * first {
            report.gradients = (first, last);
        }
        self.note_energy(base, pins, &mut report.cost);
        Ok(())
    }

    /// What is wrong where a stage ended with an infinite energy, or worse.
    fn not_finite(&self, time: f64) -> Error {
        let step = format!("step {} (time {time} s)", self.step + 1);
        let is_somewhere = self.iterate.x.iter().all(|x| x.0.iter().all(|c| c.is_finite()));
        match self.objective.volumes(&self.iterate.x) {
            (lowest, inverted) if is_somewhere && inverted > 0 => Error::Failed {
                what: format!(
                    "{step} ended with {inverted} inverted tets (lowest det F {lowest:.3e}), for which the energy of a \
                     material is infinite"
                ),
                hint: "set inversion = \"extend\" in the material, raise solver.iterations, or use a smaller time \
                       step or solver 'quasi-newton', which never inverts"
                    .into(),
            },
            _ => Error::Failed {
                what: format!("{step} ended in numbers that are not finite"),
                hint: "use a smaller time step or solver 'quasi-newton'".into(),
            },
        }
    }

    fn minimize(&mut self, first: f64, cost: &mut Cost) -> Result<u64> {
        // Solvers that do not minimize have a test of their own.
        let target = if self.minimizes() { self.settings.tolerance * first } else { 0.0 };
        for iteration in 0..self.settings.iterations {
            if target > 0.0 && vectors::norm(&self.iterate.gradient) <= target {
                return Ok(iteration);
            }
            if self.solver.iterate(&self.objective, &mut self.iterate, cost)? == Progress::Stalled {
                return Ok(iteration);
            }
            self.pass_iterate();
        }
        Ok(self.settings.iterations)
    }
}
