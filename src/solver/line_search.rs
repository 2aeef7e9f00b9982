//! Backtracking line search: the largest of 1, ½, ¼, … that lowers the objective enough.
//!
//! ```text
//! g(x + αd) ≤ g(x) + γ α ∇g·d,      γ = 0.3
//! ```
//!
//! Armijo's condition \[Liu2017, Alg. 1\]. An infinite or undefined value is never accepted, so a barrier is
//! never crossed. Every try computes value and gradient in one pass: the first one is nearly always accepted,
//! and the next iteration then has its gradient already.
//!
//! Near the minimum the decrease drowns in the rounding of g long before the gradient has lost its digits. Where
//! the two values differ by rounding only, the slopes decide, which for a parabola is the same condition
//! \[Hager2005, Eq. 4\]:
//!
//! ```text
//! ∇g(x + αd)·d ≤ (2γ − 1) ∇g(x)·d
//! ```

use std::time::Instant;

use super::Cost;
use crate::math::lanes::Vec4;
use crate::math::vectors;
use crate::objective::{Iterate, Objective};

const GAMMA: f64 = 0.3;
/// A promised gain below this share of g's rounding changes strains by 1e-13: the floor is reached.
const FLOOR: f64 = 1e-13;
/// Halvings, before the step shrinks to a tenth at a time: a sliver in a random state may have det F = 10¹⁰.
const HALVINGS: u32 = 10;
/// Tries after the first: down to 10⁻³³ of the full step.
const MAX_RETRIES: u32 = 40;

/// When a try is good enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineSearch {
    /// Armijo's condition.
    Armijo,
    /// The full step, halved only while the objective is not finite.
    None,
}

impl LineSearch {
    /// By its config name; the default is Armijo's.
    pub fn named(name: Option<&str>) -> LineSearch {
        if name == Some("none") { LineSearch::None } else { LineSearch::Armijo }
    }

    /// Moves the evaluated `iterate` along `direction` to an accepted, evaluated point, with `trial` as
    /// scratch; false if there is none, and `iterate` is as it was.
    pub fn search(
        self,
        objective: &Objective,
        iterate: &mut Iterate,
        direction: &[Vec4],
        slope: f64,
        trial: &mut Iterate,
        cost: &mut Cost,
    ) -> bool {
        let from = iterate.value;
        let rounding = objective.rounding(&from);
        if slope.abs() <= FLOOR * rounding {
            return false;
        }
        let mut alpha = 1.0;
        for retry in 0..=MAX_RETRIES {
            let start = Instant::now();
            let free = objective.free;
            vectors::combine(alpha, direction, &iterate.x[..free], &mut trial.x[..free]);
            objective.evaluate(trial);
            let value = trial.value.total();
            if retry == 0 {
                cost.local += start.elapsed();
            } else {
                cost.line_search += start.elapsed();
            }
            cost.tries += 1;
            let accepted = match self {
                LineSearch::Armijo => {
                    value <= from.total() + GAMMA * alpha * slope
                        || (value <= from.total() + rounding
                            && vectors::dot(&trial.gradient, direction) <= (2.0 * GAMMA - 1.0) * slope)
                }
                LineSearch::None => value.is_finite(),
            };
            if accepted {
                std::mem::swap(iterate, trial);
                return true;
            }
            alpha *= if retry < HALVINGS { 0.5 } else { 0.1 };
        }
        false
    }
}
