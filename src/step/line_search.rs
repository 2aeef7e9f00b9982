//! Line searches: a step that lowers the objective enough.
//!
//! ```text
//! g(x + αd) ≤ g(x) + γ α ∇g·d,      γ = 0.3
//! ```
//!
//! Armijo's condition \[Liu2017, Alg. 1\]: the largest of 1, ½, ¼, … that meets it. Wolfe's conditions add
//! that the slope has risen,
//!
//! ```text
//! ∇g(x + αd)·d ≥ γ₂ ∇g(x)·d,      γ₂ = 0.9
//! ```
//!
//! With them, steps are doubled until they are too long, then bisected between a step that is too short and one that is
//! too long \[Lewis2013, Alg. 2.6\]; the paper interpolates. An infinite or undefined value is never accepted, so a
//! barrier is never crossed. Every try computes value and gradient in one pass: the first try is nearly always
//! accepted, and the next iteration then has its gradient already.
//!
//! Near the minimum the decrease is lost in the rounding of g long before the gradient has lost its digits. If the two
//! values differ by rounding only, the slopes decide, which for a parabola is the same condition
//! \[Hager2005, Eq. 4\]:
//!
//! ```text
//! ∇g(x + αd)·d ≤ (2γ − 1) ∇g(x)·d
//! ```

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Cost;
use super::backtracking::shrinkage;
use crate::step::{Iterate, Objective, Value};
use elements::math::lanes::Vec4;
use elements::math::vectors;

const GAMMA: f64 = 0.3;
const GAMMA_2: f64 = 0.9;
/// The search ends if the promised gain is below this part of g's rounding error, which is a
/// change of strains by 1e-13.
const FLOOR: f64 = 1e-13;
/// How often a step is halved before it shrinks to a tenth at a time.
const HALVINGS: u32 = 10;
/// The number of tries after the first: down to 10⁻³³ of the full step.
const MAX_RETRIES: u32 = 40;

/// When a step along a direction is good enough.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LineSearch {
    /// When it lowers the objective by a part of what the slope promises.
    #[default]
    Armijo,
    /// When, besides, it is not too short: the slope must have risen.
    Wolfe,
    /// Always; it is halved only while the objective is infinite.
    None,
}

impl LineSearch {
    /// Moves the evaluated `iterate` along `direction` to an accepted, evaluated point and returns how far along it
    /// went. `trial` is scratch space, in which the old point is left. Returns `None`, with `iterate` unchanged, if
    /// there is no such point, or if the direction does not descend (its slope is 0 or more).
    pub fn search(
        self,
        objective: &Objective,
        iterate: &mut Iterate,
        direction: &[Vec4],
        slope: f64,
        trial: &mut Iterate,
        cost: &mut Cost,
    ) -> Option<f64> {
        let from = iterate.value;
        let rounding = objective.rounding(&from);
        if slope.is_nan() || -slope <= FLOOR * rounding {
            return None;
        }
        let longest = objective.longest_part(&iterate.x, || {
            let free = objective.free;
            vectors::combine(1.0, direction, &iterate.x[..free], &mut trial.x[..free]);
            &trial.x
        });
        if longest <= 0.0 {
            return None;
        }
        let mut alpha = longest.min(1.0);
        cost.truncated += u64::from(longest < 1.0);
        let (mut short, mut long) = (0.0, f64::INFINITY);
        for retry in 0..=MAX_RETRIES {
            attempt(objective, iterate, direction, alpha, trial, (retry > 0, cost));
            match self.judge(&from, rounding, (alpha, slope), trial, direction) {
                Verdict::Good => {
                    std::mem::swap(iterate, trial);
                    cost.alpha = alpha;
                    return Some(alpha);
                }
                Verdict::Short => short = alpha,
                Verdict::Long => long = alpha,
            }
            alpha = match (short > 0.0, long.is_finite()) {
                (true, true) => 0.5 * (short + long),
                (true, false) if short >= longest => break,
                (true, false) => (2.0 * short).min(longest),
                _ => shrinkage(retry, HALVINGS) * long,
            };
        }
        // A step that is too short is better than none.
        (short > 0.0).then(|| {
            attempt(objective, iterate, direction, short, trial, (true, cost));
            std::mem::swap(iterate, trial);
            cost.alpha = short;
            short
        })
    }

    /// Judges a try at `alpha`; `slope` is the slope at the start.
    fn judge(
        self,
        from: &Value,
        rounding: f64,
        (alpha, slope): (f64, f64),
        trial: &Iterate,
        direction: &[Vec4],
    ) -> Verdict {
        let value = trial.value.total();
        if self == LineSearch::None {
            return if value.is_finite() { Verdict::Good } else { Verdict::Long };
        }
        let new_slope = || vectors::dot(&trial.gradient, direction);
        let lower = value <= from.total() + GAMMA * alpha * slope
            || (value <= from.total() + rounding && new_slope() <= (2.0 * GAMMA - 1.0) * slope);
        if !lower {
            Verdict::Long
        } else if self == LineSearch::Wolfe && new_slope() < GAMMA_2 * slope {
            Verdict::Short
        } else {
            Verdict::Good
        }
    }
}

/// Moves the evaluated `iterate` towards the positions of `trial`, as far as active terms allow, if g is not higher there;
/// returns whether it is. `trial` has the old point afterwards, or the one that was refused.
pub fn approach(objective: &Objective, iterate: &mut Iterate, trial: &mut Iterate, cost: &mut Cost) -> bool {
    let part = objective.longest_part(&iterate.x, || &trial.x);
    if part < 1.0 {
        cost.truncated += 1;
        for (to, x) in trial.x.iter_mut().zip(&iterate.x).take(objective.free) {
            to.0 = std::array::from_fn(|k| x.0[k] + part * (to.0[k] - x.0[k]));
        }
    }
    let start = objective.watch();
    objective.evaluate(trial);
    cost.local += objective.since(start);
    cost.tries += 1;
    // A NaN is not below, so it is refused.
    let is_lower = trial.value.total() <= iterate.value.total() + objective.rounding(&iterate.value);
    if is_lower {
        std::mem::swap(iterate, trial);
    }
    is_lower
}

enum Verdict {
    Good,
    Short,
    Long,
}

/// Evaluates `iterate + alpha direction` in `trial`.
fn attempt(
    objective: &Objective,
    iterate: &Iterate,
    direction: &[Vec4],
    alpha: f64,
    trial: &mut Iterate,
    (again, cost): (bool, &mut Cost),
) {
    let start = objective.watch();
    let free = objective.free;
    vectors::combine(alpha, direction, &iterate.x[..free], &mut trial.x[..free]);
    objective.evaluate(trial);
    *(if again { &mut cost.line_search } else { &mut cost.local }) += objective.since(start);
    cost.tries += 1;
}
