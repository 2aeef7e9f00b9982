//! Momenta and energy in the time loop: what acts in a step, its constraints, and its booking.

use super::Simulation;
use super::integrator::StageReport;
use crate::model::State;
use crate::simulate::conserve::Departure;
use crate::simulate::conserve::projection::{self, Landing};
use elements::math::lanes::Vec4;
use elements::math::vec3::{dot, sub};

/// What acts in the current stage.
#[derive(Default)]
pub(super) struct Acting {
    force: Vec<Vec4>,
    time: f64,
    stored: Option<Vec<f64>>,
    moving: Vec<u32>,
}

impl Acting {
    fn on<'a>(&'a self, state: &'a State) -> Departure<'a> {
        let Acting { force, time, stored, moving } = self;
        Departure { state, force, time: *time, stored: stored.as_deref(), moving }
    }
}

impl Simulation {
    /// From now on, constrains every step to the momenta and energy that bodies have now.
    pub fn conserve(&mut self) {
        self.spare.x.copy_from_slice(&self.state.x);
        self.objective.evaluate(&mut self.spare);
        self.ledger.open(&self.objective, &self.state, &self.spare);
    }

    /// Notes what acts in a stage and makes its constraints, where somebody asks for them.
    pub(super) fn set_constraints(&mut self, base: &State, time: f64, pins: &[Vec4], force: Vec<Vec4>) {
        if !self.ledger.is_open() {
            return;
        }
        let hard = self.holding.prescribed(&self.model).zip(pins);
        let moving = hard.filter(|(pin, place)| base.x[pin.vertex as usize] != **place);
        let moving = moving.map(|(pin, _)| pin.vertex).collect();
        let stored = self.ledger.is_animated().then(|| {
            self.spare.x.copy_from_slice(&base.x);
            self.objective.evaluate(&mut self.spare);
            self.spare.parts.clone()
        });
        self.acting = Acting { force, time, stored, moving };
        let departure = self.acting.on(base);
        self.objective.constraints = self.ledger.constraints(&self.objective, &departure);
    }

    /// Books the work of forces that active terms had at the step's start as what they have given, −ΔE.
    fn correct_work(&mut self, base: &State) {
        let mut force = vec![Vec4::ZERO; base.x.len()];
        self.objective.add_forces(&base.x, &mut force);
        if self.objective.is_bounded() || force.iter().all(|f| *f == Vec4::ZERO) {
            return;
        }
        let [before, after] = [&base.x, &self.state.x].map(|x| self.objective.shares(x));
        for (number, account) in self.ledger.accounts.iter_mut().enumerate() {
            let body = &self.model.bodies[number];
            let vertices = self.model.numbering.position[body.vertices.clone()].iter().map(|v| *v as usize);
            let work: f64 = vertices
                .filter(|v| *v < self.objective.free)
                .map(|v| dot(force[v].xyz(), sub(self.state.x[v].xyz(), base.x[v].xyz())))
                .sum();
            let given = |shares: &[f64]| shares.get(number).copied().unwrap_or(0.0);
            account.energy += given(&before) - given(&after) - work;
        }
    }

    /// Ends a step from `base` by what keeps the accounts; forces acted at `acted`.
    pub(super) fn settle(&mut self, base: &State, acted: &[Vec4], report: &mut StageReport) {
        if self.fepr {
            let (duration, time_scale) = (self.time.step, projection::time_scale(&self.objective));
            let landing = Landing { from: self.acting.on(base), acted, duration, time_scale };
            self.ledger.project(&self.objective, &landing, &mut self.state, &mut self.spare);
            report.elastic = Some(self.spare.value.elastic);
        } else if self.ledger.is_open() {
            self.ledger.settle(&self.objective, &self.state, &self.iterate);
            self.correct_work(base);
        }
    }
}
