//! Copies of vertices that are outside of others \[Narain2016, 4.2\]:
//!
//! ```text
//! z⁺ = the nearest place outside to x + u,      u⁺ = u + x − z⁺,      with the weight w² of each vertex always in the matrix
//! ```
//!
//! w² is what the objective adds to the diagonal of A (`Objective::extra`).

use crate::step::{Iterate, Objective};
use elements::math::lanes::Vec4;

/// The duals u of the copies, and scratch space for z.
#[derive(Default)]
pub(super) struct Copies {
    dual: Vec<Vec4>,
    places: Vec<Vec4>,
}

impl Copies {
    /// Starts a step: u = 0.
    pub(super) fn begin_step(&mut self, objective: &Objective) {
        self.dual.clear();
        self.dual.resize(objective.free, Vec4::ZERO);
    }

    /// The local step at an iterate; adds w² (x − z + u) to its gradient.
    pub(super) fn step(&mut self, objective: &Objective, at: &mut Iterate) {
        self.places.clone_from(&at.x);
        for (place, dual) in self.places.iter_mut().zip(&self.dual) {
            (0..3).for_each(|k| place.0[k] += dual.0[k]);
        }
        objective.project(&mut self.places);
        let unknowns = at.gradient.iter_mut().zip(&at.x).zip(&self.places).zip(&mut self.dual);
        for ((((gradient, x), z), dual), weight) in unknowns.zip(&objective.extra) {
            for k in 0..3 {
                dual.0[k] += x.0[k] - z.0[k];
                gradient.0[k] += weight * (x.0[k] - z.0[k] + dual.0[k]);
            }
        }
    }
}
