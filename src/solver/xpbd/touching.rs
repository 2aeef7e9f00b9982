//! Contact as unilateral constraints.
//!
//! A sweep goes over target positions x̃, which start at y and may intersect. The iterate is clean, and follows x̃ after
//! each sweep as far as that is safe, vertex by vertex. Contacts are constraints about the clean positions, with the
//! compliance of the barrier at the gap that x̃ has (see `contact::positional`):
//!
//! ```text
//! Δλ = (d̂ − C − α̃ λ)/(Σ w f² + α̃),      C = gap + n·Σ f (x̃ − x),      x̃ += w f n Δλ,      λ ≥ 0
//! ```
//!
//! Friction holds the tangential motion u since the step began, with at most μλ: a vector of multipliers becomes
//! τ ← τ − u/Σ w f², shortened to μλ. Nothing remembers where a contact stuck, so what sticks may creep as far as
//! iterations leave errors. Contacts go one after the other, in a fixed order.

use std::collections::HashMap;

use super::step;
use crate::solver::Cost;
use crate::step::active::Approach;
use crate::step::{Iterate, Objective};
use elements::energy::constraint::Sweep;
use elements::math::lanes::Vec4;
use elements::math::vec3::{add, dot, norm, scale, sub};

/// The targets, and the multipliers of contacts.
#[derive(Default)]
pub(super) struct Touching {
    /// The positions x̃ of all vertices.
    pub(super) target: Vec<Vec4>,
    /// λ and τ of the contacts of the step.
    multipliers: HashMap<(u8, [u32; 4]), (f64, [f64; 3])>,
    approaches: Vec<Approach>,
    parts: Vec<f64>,
}

impl Touching {
    /// Starts a step: the target is where inertia leads.
    pub(super) fn begin_step(&mut self, objective: &Objective, iterate: &Iterate) {
        self.target.clone_from(&iterate.x);
        self.target[..objective.free].copy_from_slice(&objective.inertial);
        objective.held().iter().for_each(|v| self.target[*v as usize] = iterate.x[*v as usize]);
        self.multipliers.clear();
    }

    /// Projects all contacts near the way to the target, then moves the iterate along it as far as that is safe.
    pub(super) fn follow(
        &mut self,
        objective: &Objective,
        sweep: &Sweep,
        iterate: &mut Iterate,
        cost: &mut Cost,
    ) {
        objective.approaches(&iterate.x, &self.target, &mut self.approaches);
        for contact in std::mem::take(&mut self.approaches) {
            self.project(objective, sweep, &contact, &iterate.x);
        }
        let cut = objective.apart(&iterate.x, &self.target, &mut self.parts);
        cost.truncated += u64::from(cut);
        let moves = iterate.x.iter_mut().zip(&self.target).zip(&self.parts);
        for ((x, to), part) in moves.take(objective.free) {
            x.0 = std::array::from_fn(|k| x.0[k] + part * (to.0[k] - x.0[k]));
        }
    }

    fn project(&mut self, objective: &Objective, sweep: &Sweep, contact: &Approach, x: &[Vec4]) {
        let inverse_mass =
            |v: u32| if objective.moves(v as usize) { 1.0 / objective.mass[v as usize] } else { 0.0 };
        let weights: [f64; 4] =
            std::array::from_fn(|k| inverse_mass(contact.corners[k]) * contact.factors[k]);
        let weight: f64 = weights.iter().zip(contact.factors).map(|(w, f)| w * f).sum();
        if weight <= 0.0 {
            return;
        }
        let (pushed, held) = self.multipliers.get(&contact.key).copied().unwrap_or_default();
        let compliance = if sweep.per_step == 0.0 { 0.0 } else { contact.compliance * sweep.per_step };
        let gap = contact.gap + dot(self.moved(contact, x), contact.normal);
        let bounds = [contact.bound, f64::INFINITY];
        let push = (pushed + sweep.relaxation * step(gap, bounds, weight, compliance, pushed)).max(0.0);
        self.shift(contact, &weights, scale(push - pushed, contact.normal));
        let mut hold = [0.0; 3];
        if contact.friction > 0.0 && push > 0.0 {
            let slid = add(contact.slid, self.moved(contact, x));
            let across = sub(slid, scale(dot(slid, contact.normal), contact.normal));
            let wanted = sub(held, scale(1.0 / weight, across));
            let most = contact.friction * push;
            hold = if norm(wanted) > most { scale(most / norm(wanted), wanted) } else { wanted };
        }
        self.shift(contact, &weights, sub(hold, held));
        if push > 0.0 || pushed > 0.0 {
            self.multipliers.insert(contact.key, (push, hold));
        }
    }

    /// By how much the second piece of a contact moves relative to the first on the way to the target.
    fn moved(&self, contact: &Approach, x: &[Vec4]) -> [f64; 3] {
        let way = |v: u32| sub(self.target[v as usize].xyz(), x[v as usize].xyz());
        let parts = contact.corners.iter().zip(contact.factors).map(|(v, f)| scale(f, way(*v)));
        parts.fold([0.0; 3], add)
    }

    fn shift(&mut self, contact: &Approach, weights: &[f64; 4], push: [f64; 3]) {
        for (v, w) in contact.corners.iter().zip(weights) {
            let to = &mut self.target[*v as usize];
            (0..3).for_each(|k| to.0[k] += w * push[k]);
        }
    }
}
