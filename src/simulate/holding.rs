//! Pins that begin and end: which hold in a step, and what changes where one begins or ends.
//!
//! A pin holds in the steps of its period. Before its first one, the positions of its vertices are taken down; its motion
//! leads them on from there. Vertices that a hard pin holds are unknowns of the objective that are held, so between two
//! changes a step is like any other. At a change the solver is prepared anew, which the cache remembers, and the accounts
//! of bodies whose held vertices change start anew. Velocities need nothing: those of held vertices are those of
//! their motion, with which they fly on.

use std::collections::BTreeMap;

use super::Simulation;
use crate::cache::Outcome;
use crate::error::Result;
use crate::model::passing::PassingPin;
use crate::model::{HardPin, Model};
use crate::step::Objective;
use elements::math::lanes::Vec4;

/// The state of pins that hold for a time only.
#[derive(Default)]
pub(super) struct Holding {
    /// For each of them and each of its vertices, where its motion maps from, in m. It has no meaning before the pin begins.
    origins: Vec<Vec<[f64; 3]>>,
    /// Which of them hold in the steps that the objective and the solver are ready for.
    is_on: Vec<bool>,
    /// The vertices that hard ones hold, ascending.
    held: Vec<HardPin>,
}

/// Which of the pins of a model hold in step `number`, counted from 1, of length `step` (s); none in step 0.
fn active(model: &Model, number: u64, step: f64) -> Vec<bool> {
    let holds = |pin: &PassingPin| number > 0 && pin.period.has_step(number as f64 * step, step);
    model.passing.iter().map(holds).collect()
}

impl Holding {
    /// Makes an objective ready for the first step, of length `step` (s), from the initial state.
    pub(super) fn new(model: &Model, objective: &mut Objective, step: f64) -> Holding {
        let mut holding = Holding {
            origins: model.passing.iter().map(|pin| vec![[0.0; 3]; pin.vertices.len()]).collect(),
            is_on: vec![],
            held: vec![],
        };
        if !model.passing.is_empty() {
            let first = active(model, 1, step);
            holding.begin(model, &first, &model.initial.x);
            holding.switch(model, first, objective);
        }
        holding
    }

    /// All vertices that are prescribed now: those of pins and obstacles that always hold, then those that are held for a time.
    pub(super) fn prescribed<'a>(&'a self, model: &'a Model) -> impl Iterator<Item = &'a HardPin> {
        model.hard_pins.iter().chain(&self.held)
    }

    /// The vertices that are held for a time.
    pub(super) fn held(&self) -> &[HardPin] {
        &self.held
    }

    /// Lets the pins that are marked begin at the positions `x`.
    fn begin(&mut self, model: &Model, begins: &[bool], x: &[Vec4]) {
        for ((pin, origins), _) in
            model.passing.iter().zip(&mut self.origins).zip(begins).filter(|(_, begins)| **begins)
        {
            for (origin, v) in origins.iter_mut().zip(&pin.vertices) {
                *origin = pin.origin(model, *v, x[*v as usize].xyz());
            }
        }
    }

    /// Lets the pins that are marked hold, and no others. Where several hard ones have a vertex, the last of them holds it.
    fn switch(&mut self, model: &Model, on: Vec<bool>, objective: &mut Objective) {
        let mut held = BTreeMap::new();
        for ((pin, origins), is_on) in model.passing.iter().zip(&self.origins).zip(&on) {
            if let Some(term) = pin.term {
                objective.terms[term].rescale(if *is_on { 1.0 } else { 0.0 });
            }
            if *is_on && pin.stiffness.is_none() {
                let hold = |(vertex, origin): (&u32, &[f64; 3])| {
                    (*vertex, HardPin { vertex: *vertex, origin: *origin, motion: pin.motion })
                };
                held.extend(pin.vertices.iter().zip(origins).map(hold));
            }
        }
        self.held = held.into_values().collect();
        self.is_on = on;
        objective.hold(self.held.iter().map(|pin| pin.vertex).collect());
    }

    /// Moves the targets of soft pins to where they are at `time` (s).
    pub(super) fn aim(&self, model: &Model, time: f64, objective: &mut Objective) {
        for ((pin, origins), is_on) in model.passing.iter().zip(&self.origins).zip(&self.is_on) {
            if let (Some(term), true) = (pin.term, *is_on) {
                let place = |vertex: &u32, origin: &[f64; 3]| {
                    let spring = HardPin { vertex: *vertex, origin: *origin, motion: pin.motion };
                    Vec4::new(model.pin_position(&spring, time))
                };
                let targets: Vec<Vec4> =
                    pin.vertices.iter().zip(origins).map(|(vertex, origin)| place(vertex, origin)).collect();
                objective.terms[term].set_targets(&targets);
            }
        }
    }

    /// Restores the numbers of [`Simulation::save`]; false if these are not as many numbers as there should be.
    fn restore(&mut self, bytes: &[u8]) -> bool {
        let (numbers, rest) = bytes.as_chunks();
        let mut numbers = numbers.iter().map(|bytes| f64::from_le_bytes(*bytes));
        let count: usize = self.origins.iter().map(|origins| 3 * origins.len()).sum();
        if numbers.len() != count || !rest.is_empty() || numbers.clone().any(|x| !x.is_finite()) {
            return false;
        }
        let origins = self.origins.iter_mut().flatten().flatten();
        origins.for_each(|x| *x = numbers.next().unwrap_or(0.0));
        true
    }
}

impl Simulation {
    /// Lets pins begin and end that do so with the next step.
    pub(super) fn switch_pins(&mut self) -> Result<()> {
        if self.model.passing.is_empty() {
            return Ok(());
        }
        let now = active(&self.model, self.step, self.time.step);
        let next = active(&self.model, self.step + 1, self.time.step);
        let begins: Vec<bool> = next.iter().zip(&now).map(|(next, now)| *next && !now).collect();
        self.holding.begin(&self.model, &begins, &self.state.x);
        let changes = next != self.holding.is_on;
        if changes && self.ledger.is_open() {
            // Accounts that start anew are measured with the energies of the last step.
            let time = self.now();
            self.objective.set_time(time);
            self.holding.aim(&self.model, time, &mut self.objective);
            self.spare.x.copy_from_slice(&self.state.x);
            self.objective.evaluate(&mut self.spare);
        }
        self.holding.switch(&self.model, next, &mut self.objective);
        if changes {
            self.ledger.follow(&self.model, &self.objective, Some((&self.state, &self.spare)));
            self.prepare_again()?;
        }
        Ok(())
    }

    /// Makes the solver ready for the pins that hold in a step, counted from 1.
    pub(super) fn prepare_pins(&mut self, step: u64) -> Result<()> {
        let on = active(&self.model, step, self.time.step);
        if on != self.holding.is_on {
            self.holding.switch(&self.model, on, &mut self.objective);
            self.prepare_again()?;
        }
        Ok(())
    }

    fn prepare_again(&mut self) -> Result<()> {
        let cache = self.solver.prepare(&self.objective, &self.cache)?.cache;
        tracing::debug!("time {} s: pins begin or end; factor: {cache:?}", self.now());
        self.refactors.count += u64::from(cache.is_some());
        self.refactors.hits += u64::from(cache == Some(Outcome::Hit));
        Ok(())
    }

    /// What a resumed run needs beyond positions, velocities and accounts: what active terms keep, in their order, then where
    /// pins began, if some hold for a time only.
    pub fn save(&self) -> Vec<Vec<u8>> {
        let mut kept: Vec<Vec<u8>> = self.objective.active().map(|term| term.save()).collect();
        if !self.model.passing.is_empty() {
            let numbers = self.holding.origins.iter().flatten().flatten();
            kept.push(numbers.flat_map(|x| x.to_le_bytes()).collect());
        }
        kept
    }

    /// Restores what [`Simulation::save`] returned, for a run that goes on after its last step; false if the bytes are not
    /// valid.
    pub fn restore(&mut self, kept: &[Vec<u8>]) -> Result<bool> {
        let mut kept = kept.iter();
        if !self.objective.active_mut().all(|term| kept.next().is_some_and(|kept| term.restore(kept))) {
            return Ok(false);
        }
        if self.model.passing.is_empty() {
            return Ok(true);
        }
        if !kept.next().is_some_and(|bytes| self.holding.restore(bytes)) {
            return Ok(false);
        }
        self.prepare_pins(self.step)?;
        self.ledger.follow(&self.model, &self.objective, None);
        Ok(true)
    }
}
