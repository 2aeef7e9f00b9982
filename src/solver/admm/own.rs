//! Weights that ADMM chooses by itself, in every step anew, from the curvature that its own iterates show.
//!
//! For a strongly convex quadratic whose curvature, in units of the energy's stiffness, is between μ and 1, the best factor on all
//! weights is √μ. Small ones suit modes that inertia and elasticity hardly hold back, and √μ is as small as the stiffest modes
//! bear. Two iterates in a row measure μ along what is still to be done, which after a few iterations are the slow modes:
//!
//! ```text
//! μ = d·(∇g(x + d) − ∇g(x)) / d·L d,      L = Σ measure k DᵀD,      d·L d = (d·A d − d·M d/h²)/s,      A d = −r
//! ```
//!
//! with the residual r and the matrix A = M/h² + s L of the global step, so that d·L d costs two sums. The factor s is a power of
//! two ([`Own::power`]), whose factor of A stays for later steps. It follows √(μ/2), the half because the slowest modes are slower
//! than what was measured: down where it is too large, soon; up where it is too small, later and by one power at a time, because
//! an iteration after weights fell moves stiff modes first. Duals are scaled so that forces stay, except where that would turn a
//! compressed cell inside out ([`elements::energy::proximal::Split::scale_dual_upright`]).
//!
//! A step begins at half the weights of the system matrix, or more where inertia outweighs stiffness, which its diagonals
//! tell. Energies that projective dynamics knows never need more than the system matrix, by which it is exact where inertia rules;
//! others, which k underrates far from rest, may have four times as much.
//!
//! ADMM does not descend. What the solver gives away is therefore the lowest of its iterates, and the iteration goes on beside it.
//! Where that stays above the start of the step, or leads outside the domain of a barrier, it begins anew at the lowest iterate with
//! twice the weights, which are the least of the step from then on. At the largest weights `quasi-newton` goes on from there.
//!
//! Nothing of this is kept from one step to the next.

use crate::step::{Iterate, Objective};
use elements::math::lanes::Vec4;
use elements::math::vectors;

/// The lowest power of two that is ever used.
const LOWEST: i32 = -6;
/// The highest one where some energy is not projective.
const HIGHEST: i32 = 2;
/// How many iterations pass before weights fall.
const SOON: u32 = 2;
/// How many iterations pass before weights rise.
const LATE: u32 = 3;
/// Weights fall by a power of two where s² is above so many times μ/2, and by two powers beyond the second bound.
const TOO_LARGE: [f64; 2] = [2.8, 8.0];
/// They rise where μ/2 is above so many times s².
const TOO_SMALL: f64 = 2.8;
/// Directions whose d·L d is below this part of the largest one of the step are rounding.
const NOTHING: f64 = 1e-10;
/// How many iterations in a row may be above the start of the step.
const PATIENCE: u32 = 5;

/// What chooses the weights, and the iteration that goes on beside the lowest iterate.
pub(super) struct Own {
    /// The power of two that the weights of the system matrix are multiplied by.
    pub power: i32,
    /// The first one of every step.
    first: i32,
    /// The highest one.
    top: i32,
    /// The lowest one in the rest of the step.
    bottom: i32,
    /// The number of iterations since the weights changed.
    rest: u32,
    /// How many iterations in a row were above the start.
    above: u32,
    /// μ of the last iteration, `None` where it says nothing.
    curvature: Option<f64>,
    /// The largest d·L d of the step.
    longest: f64,
    /// g at the start of the step.
    start: f64,
    /// The positions of the iteration, in m.
    pub x: Vec<Vec4>,
    /// ∇g there, in N.
    gradient: Vec<Vec4>,
}

impl Own {
    /// For the terms and the step of an objective.
    pub fn new(objective: &Objective) -> Own {
        let free = objective.free;
        let (mut stiffness, mut is_projective) = (0.0, true);
        for term in objective.terms.iter().filter(|term| !term.is_empty()) {
            is_projective &= term.is_projective();
            term.add_system(&mut |row, column, value| {
                if row == column && (row as usize) < free {
                    stiffness += value;
                }
            });
        }
        let mass: f64 = objective.mass[..free].iter().sum();
        let inertia = mass / (objective.step * objective.step);
        let top = if is_projective { 0 } else { HIGHEST };
        // The powers n of the factors 2ⁿ whose squares are nearest to the ratio, from −1 on.
        let first = [0.5, 2.0, 8.0].iter().filter(|bound| inertia >= **bound * stiffness).count() as i32 - 1;
        Own::between(first.min(top), top)
    }

    /// With the power that every step begins with, and the highest one.
    fn between(first: i32, top: i32) -> Own {
        Own {
            power: 0,
            first,
            top,
            bottom: LOWEST,
            rest: 0,
            above: 0,
            curvature: None,
            longest: 0.0,
            start: 0.0,
            x: vec![],
            gradient: vec![],
        }
    }

    /// Starts a step at an evaluated iterate.
    pub fn begin_step(&mut self, iterate: &Iterate) {
        self.power = self.first;
        self.bottom = LOWEST;
        self.start = iterate.value.total();
        self.longest = 0.0;
        self.begin_at(iterate);
    }

    fn begin_at(&mut self, iterate: &Iterate) {
        self.x.clone_from(&iterate.x);
        self.gradient.clone_from(&iterate.gradient);
        (self.rest, self.above, self.curvature) = (0, 0, None);
    }

    /// Follows an iteration to an evaluated point: `increment` was subtracted, times `part`, and `work` is d·A d of it. False
    /// if the iteration has been above the start for too long.
    pub fn follow(
        &mut self,
        objective: &Objective,
        at: &Iterate,
        increment: &[Vec4],
        part: f64,
        work: f64,
    ) -> bool {
        let bent = part * (vectors::dot(increment, &self.gradient) - vectors::dot(increment, &at.gradient));
        let squares = increment
            .iter()
            .zip(&objective.mass)
            .map(|(d, m)| m * d.0[..3].iter().map(|c| c * c).sum::<f64>());
        let inertia = squares.sum::<f64>() / (objective.step * objective.step);
        let length = part * part * (work - inertia) / f64::from(self.power).exp2();
        self.longest = self.longest.max(length);
        self.curvature = (length > NOTHING * self.longest).then(|| bent / length);
        self.rest += 1;
        self.x.copy_from_slice(&at.x);
        self.gradient.copy_from_slice(&at.gradient);
        let value = at.value.total();
        let is_above = value.is_nan() || value > self.start + objective.rounding(&at.value);
        self.above = if is_above { self.above + 1 } else { 0 };
        self.above <= PATIENCE
    }

    /// Chooses the power for the next iteration.
    pub fn choose(&mut self) -> i32 {
        let Some(curvature) = self.curvature.filter(|curvature| *curvature > 0.0) else { return self.power };
        let square = f64::from(2 * self.power).exp2();
        let wanted = 0.5 * curvature;
        let change = if square > TOO_LARGE[1] * wanted {
            -2
        } else if square > TOO_LARGE[0] * wanted {
            -1
        } else {
            i32::from(wanted > TOO_SMALL * square)
        };
        let patience = if change < 0 { SOON } else { LATE };
        let power = (self.power + change).clamp(self.bottom, self.top);
        if power != self.power && self.rest >= patience {
            self.power = power;
            self.rest = 0;
        }
        self.power
    }

    /// Begins anew at an evaluated iterate with larger weights, which are the least from now on. False if these are the largest.
    pub fn retreat(&mut self, iterate: &Iterate) -> bool {
        if self.power >= self.top {
            return false;
        }
        self.power += 1;
        self.bottom = self.power;
        self.begin_at(iterate);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(top: i32) -> Own {
        Own { rest: LATE, ..Own::between(0, top) }
    }

    #[test]
    fn weights_settle_within_a_power_of_two_of_the_wanted_ones() {
        for exponent in -10..=4 {
            let curvature = f64::from(exponent).exp2();
            let mut own = own(HIGHEST);
            for _ in 0..40 {
                own.curvature = Some(curvature);
                own.rest += 1;
                own.choose();
            }
            let ratio = f64::from(2 * own.power).exp2() / (0.5 * curvature);
            let bounds = 1.0 / TOO_SMALL..=TOO_LARGE[0];
            assert!(bounds.contains(&ratio), "2^{exponent}: 2^{}", own.power);
        }
    }

    #[test]
    fn weights_stay_within_their_bounds_and_where_nothing_is_known() {
        for (top, curvature, wanted) in [
            (0, Some(1e9), 0),
            (HIGHEST, Some(1e9), HIGHEST),
            (0, Some(1e-9), LOWEST),
            (0, None, 0),
            (0, Some(-1.0), 0),
        ] {
            let mut own = own(top);
            for _ in 0..40 {
                own.curvature = curvature;
                own.rest += 1;
                own.choose();
            }
            assert_eq!(own.power, wanted, "{curvature:?}");
        }
    }
}
