//! The global step of ADMM where there are active terms, whose energy is C(x):
//!
//! ```text
//! min_x  M/(2h²) |x − y|² + Σ w²/2 |D x − z + u|² + C(x)
//! ```
//!
//! It is not quadratic any more, and one iteration makes one step towards its minimum: d = −(A + ∇²C)⁻¹ r with the residual r
//! (see `structured`), as far as the filter allows and until Armijo's condition holds. The quadratic part changes by
//! α r₀·d + α²/2 d·A d along it, with r₀ the residual without ∇C, so that a try only evaluates C.

use crate::solver::Cost;
use crate::solver::structured::Structured;
use crate::solver::system::{System, assemble};
use crate::step::backtracking::halves;
use crate::step::{Iterate, Objective};
use elements::math::lanes::Vec4;
use elements::math::vectors;

/// The part of the promised decrease that a step must bring.
const GAMMA: f64 = 0.3;
/// The smallest part of a step that is tried.
const LEAST: f64 = 1e-12;

/// Scratch space for points along a step.
pub(super) struct Touching {
    probe: Iterate,
}

/// What solves with the matrix of these weights and the Hessian of active terms; `None` without them.
pub(super) fn structured(objective: &Objective, scale: f64, system: &System) -> Option<Structured> {
    let new = || Structured::new(0, &assemble(objective, scale), system.entries());
    objective.is_bounded().then(new)
}

impl Touching {
    /// For the unknowns of an objective.
    pub(super) fn new(objective: &Objective) -> Touching {
        Touching { probe: objective.iterate_at(objective.rest.clone()) }
    }

    /// Adds the gradient of active terms to the residual at `at`, and computes the increment to subtract. Returns the part of
    /// it to take, 0 if none is good.
    pub(super) fn solve(
        &mut self,
        objective: &Objective,
        (system, structured): (&mut System, &mut Structured),
        at: &mut Iterate,
        increment: &mut [Vec4],
        cost: &mut Cost,
    ) -> f64 {
        objective.add_active_part(at);
        let slope = structured.find(system, objective, at, increment);
        let curvature = structured.curvature(at, increment);
        let fixed = slope - vectors::dot(&at.active, increment);
        self.probe.x.copy_from_slice(&at.x);
        let free = objective.free;
        let longest = objective.longest_part(&at.x, || {
            vectors::combine(1.0, increment, &at.x[..free], &mut self.probe.x[..free]);
            &self.probe.x
        });
        cost.truncated += u64::from(longest < 1.0);
        let rounding = objective.rounding(&at.value);
        let mut parts = halves(longest, LEAST);
        let part = parts.find(|part| {
            vectors::combine(*part, increment, &at.x[..free], &mut self.probe.x[..free]);
            objective.add_active_part(&mut self.probe);
            let change = self.probe.value.active - at.value.active;
            part * fixed + 0.5 * part * part * curvature + change <= GAMMA * part * slope + rounding
        });
        increment.iter_mut().for_each(|d| d.0 = d.0.map(|c| -c));
        part.unwrap_or(0.0)
    }
}
