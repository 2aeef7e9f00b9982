//! What probes measure at the end of a step.
//!
//! The force of a hard pin is what balances its vertex in the stage that was solved,
//!
//! ```text
//! f_pin = m ((x − x̂)/ĥ − v̂)/ĥ − f_ext + ∂E/∂x − f_contact
//! ```
//!
//! with the base (x̂, v̂) and the step ĥ of the integrator; that of a soft pin is −∂E_pin/∂x. At other vertices it is 0.

use super::Simulation;
use crate::model::State;
use crate::model::probe::ProbeModel;
use crate::scene::{Probed, Reduce};
use elements::energy::Role;
use elements::math::lanes::Vec4;
use elements::math::vec3::norm;

/// What the last stage started from, for the forces of pins; empty if no probe asks for them.
#[derive(Default)]
pub(super) struct LastStage {
    wanted: bool,
    base: State,
    forces: Vec<Vec4>,
}

impl LastStage {
    /// Keeps stages if a probe needs them.
    pub(super) fn of<'a>(mut probes: impl Iterator<Item = &'a ProbeModel>) -> LastStage {
        LastStage {
            wanted: probes.any(|probe| probe.probe.quantity == Probed::PinForce),
            ..LastStage::default()
        }
    }

    /// Notes a stage: its base, and the external forces in N.
    pub(super) fn note(&mut self, base: &State, forces: &[Vec4]) {
        if self.wanted {
            self.base.x.clone_from(&base.x);
            self.base.v.clone_from(&base.v);
            self.forces.clear();
            self.forces.extend_from_slice(forces);
        }
    }
}

impl Simulation {
    /// The values of all probes now, in the order of their columns (`Scene::probe_columns`).
    pub fn probe(&mut self) -> Vec<f64> {
        let wants = |quantity| self.probes().iter().any(|(_, probe)| probe.probe.quantity == quantity);
        let (pins, energy) = (wants(Probed::PinForce), wants(Probed::Energy));
        let forces = if pins { self.pin_forces() } else { vec![] };
        if energy {
            self.spare.x.copy_from_slice(&self.state.x);
            self.objective.evaluate_fixed(&mut self.spare);
        }
        let probes = self.probes();
        probes.iter().flat_map(|(body, probe)| self.measure(*body, probe, &forces)).collect()
    }

    /// All probes with the numbers of their bodies, in the order of the scene.
    fn probes(&self) -> Vec<(usize, &ProbeModel)> {
        let bodies = self.model.bodies.iter().enumerate();
        let mut all: Vec<_> =
            bodies.flat_map(|(i, body)| body.probes.iter().map(move |probe| (i, probe))).collect();
        all.sort_by_key(|(_, probe)| probe.probe.place);
        all
    }

    fn measure(&self, body: usize, ProbeModel { probe, points }: &ProbeModel, pins: &[Vec4]) -> Vec<f64> {
        if probe.quantity == Probed::Energy {
            let terms = self.objective.terms.iter().zip(&self.spare.parts);
            let own = terms.filter(|(term, _)| term.role() == Role::Elastic && term.bodies == [body]);
            return vec![own.map(|(_, energy)| energy).sum()];
        }
        let first = self.model.bodies[body].vertices.start;
        let at = |vertex: u32| -> [f64; 3] {
            let input = first + vertex as usize;
            let v = self.model.numbering.position[input] as usize;
            match probe.quantity {
                Probed::Position => self.state.x[v].xyz(),
                Probed::Displacement => {
                    let (x, rest) = (self.state.x[v].xyz(), self.model.rest[input]);
                    std::array::from_fn(|k| x[k] - rest[k])
                }
                Probed::Velocity => self.state.v[v].xyz(),
                Probed::PinForce => pins[v].xyz(),
                Probed::ContactForce => self.touching.as_ref().map_or([0.0; 3], |touching| {
                    std::array::from_fn(|k| touching.forces[v][k] + touching.friction[v][k])
                }),
                Probed::Energy => [0.0; 3],
            }
        };
        let sum = |a: [f64; 3], b: [f64; 3]| std::array::from_fn(|k| a[k] + b[k]);
        let value = |point: &Vec<(u32, f64)>| {
            point.iter().fold([0.0; 3], |total, (v, w)| sum(total, at(*v).map(|c| w * c)))
        };
        let values = points.iter().map(value);
        let out = match probe.reduce {
            Reduce::Sum => values.fold([0.0; 3], sum),
            Reduce::Mean => values.fold([0.0; 3], sum).map(|c| c / points.len() as f64),
            Reduce::Max => values.fold([0.0; 3], |most, v| if norm(v) > norm(most) { v } else { most }),
        };
        out.to_vec()
    }

    /// The forces of pins on all vertices in N, after a step.
    fn pin_forces(&self) -> Vec<Vec4> {
        let count = self.state.x.len();
        let LastStage { base, forces, .. } = &self.last_stage;
        if self.step == 0 || forces.len() != count {
            // No stage has been solved.
            return vec![Vec4::ZERO; count];
        }
        let (x, h) = (&self.iterate.x, self.objective.step);
        let mut soft = vec![Vec4::ZERO; count];
        self.objective.add_gradients(x, |role| role == Role::Anchor, &mut soft);
        let mut all = vec![Vec4::ZERO; count];
        self.objective.add_gradients(x, |_| true, &mut all);
        (0..count)
            .map(|v| {
                if self.objective.moves(v) || self.objective.mass[v] == 0.0 {
                    return Vec4(soft[v].0.map(|c| -c));
                }
                let touched = |k: usize| {
                    self.touching
                        .as_ref()
                        .filter(|_| k < 3)
                        .map_or(0.0, |t| t.forces[v][k] + t.friction[v][k])
                };
                Vec4(std::array::from_fn(|k| {
                    let change = (x[v].0[k] - base.x[v].0[k]) / h - base.v[v].0[k];
                    self.objective.mass[v] * change / h - forces[v].0[k] + all[v].0[k] - touched(k)
                }))
            })
            .collect()
    }
}
