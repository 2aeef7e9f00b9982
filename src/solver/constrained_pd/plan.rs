//! The multipliers of one body: from sums over A⁻¹∇g and A⁻¹∇c to λ, α and the slope of the merit function.

use crate::step::Iterate;
use crate::step::constraint::{Constraints, Sums};
use elements::math::dense;
use elements::math::vec3::cross;

/// The prices of constraints in the merit function relative to their multipliers; above 1.
const MARGIN: f64 = 1.1;
/// How often a solution for a nearly symmetric matrix is refined.
const REFINEMENTS: u32 = 4;
/// How often λ is solved for, each time with the σ of the solution before.
const STIFFENINGS: u32 = 4;

/// The data that the iterations of a body share, and its current state.
#[derive(Clone)]
pub struct Plan {
    /// The matrix S without its last row and column.
    pub schur: [[f64; 7]; 7],
    /// Sums over A⁻¹q; their second dot is q·A⁻¹q.
    pub pulled: Sums,
    /// The constraints c for α = 0 at the current iterate, and α.
    pub values: [f64; 7],
    pub alpha: f64,
    /// The multipliers and α that the next full step leads to.
    pub lambda: [f64; 7],
    pub next_alpha: f64,
    /// The factor σ on A.
    pub stiffening: f64,
    /// The prices μ of |c_P|, |c_L| and |c_H| in the merit function.
    pub prices: [f64; 3],
    /// |c| relative to its scale; infinite before the first iteration.
    pub violation: f64,
}

/// The rows and columns of S for c_P and c_L, from sums over A⁻¹w(x_n − o).
pub fn schur(turn: &Sums) -> [[f64; 7]; 7] {
    let mut s = [[0.0; 7]; 7];
    let m = turn.moments;
    let trace = m[0][0] + m[1][1] + m[2][2];
    for k in 0..3 {
        s[k][k] = turn.fourth;
        let mut unit = [0.0; 3];
        unit[k] = 1.0;
        let column = cross(unit, turn.linear);
        for i in 0..3 {
            s[i][3 + k] = column[i];
            s[3 + k][i] = column[i];
            // The matrix is symmetric up to rounding; this makes it exactly so.
            s[3 + k][3 + i] = if i == k { trace } else { 0.0 } - 0.5 * (m[i][k] + m[k][i]);
        }
    }
    s
}

/// The term (H − K)²/ε of S, where ε is `regularization` |H − K|.
fn slack(c: &Constraints, regularization: f64) -> f64 {
    (c.energy - c.floor).abs() / regularization
}

/// The lengths of c_P, c_L and c_H; 0 for those that the body does not keep.
fn lengths(c: &Constraints, values: &[f64; 7]) -> [f64; 3] {
    let length = |kept: bool, v: &[f64]| f64::from(kept) * v.iter().map(|c| c * c).sum::<f64>().sqrt();
    let [p, l, h] = [c.kept.linear, c.kept.angular, c.kept.energy];
    [length(p, &values[..3]), length(l, &values[3..6]), length(h, &values[6..])]
}

/// Solves s x = b where s is symmetric but for errors, so that all equations hold to rounding.
fn solve_nearly_symmetric(s: &[[f64; 7]; 7], b: &[f64; 7]) -> [f64; 7] {
    let mut x = dense::solve(s, b);
    for _ in 0..REFINEMENTS {
        let left: [f64; 7] = std::array::from_fn(|i| b[i] - (0..7).map(|j| s[i][j] * x[j]).sum::<f64>());
        let more = dense::solve(s, &left);
        (0..7).for_each(|i| x[i] += more[i]);
    }
    x
}

impl Plan {
    /// Chooses the next step for the increments d = A⁻¹∇g with the sums `d` (whose first dot is with ∇g); returns the
    /// derivative of the merit function along it.
    pub fn choose(&mut self, c: &Constraints, d: &Sums, regularization: f64) -> f64 {
        self.stiffening = 1.0;
        for _ in 0..STIFFENINGS {
            self.lambda = self.multipliers(c, d, slack(c, regularization));
            let needed = (1.0 + self.lambda[6]).max(1.0);
            if needed <= self.stiffening {
                break;
            }
            self.stiffening = needed;
        }
        let l = self.lambda;
        let mut descent = (1.0 + l[6]) * d.dots[0] + l[6] * d.dots[1];
        descent += (0..3).map(|k| l[k] * d.linear[k] + l[3 + k] * d.angular[k]).sum::<f64>();
        self.slope(c, descent, regularization)
    }

    /// Chooses the next step where nothing is known of the matrix B in place of A but products: `products` has ∇cᵢ·B⁻¹∇cⱼ,
    /// `along` ∇cᵢ·B⁻¹∇g, `descent` ∇g·B⁻¹∇g, and `goals` the change that is wanted of each c, `None` if any. Returns the derivative of the merit function along it.
    pub fn choose_among(
        &mut self,
        c: &Constraints,
        products: &[[f64; 7]; 7],
        (along, descent): (&[f64; 7], f64),
        goals: &[Option<f64>; 7],
        regularization: f64,
    ) -> f64 {
        self.stiffening = 1.0;
        for _ in 0..STIFFENINGS {
            let (mut s, mut right) = (*products, [0.0; 7]);
            s[6][6] += self.stiffening * slack(c, regularization);
            for (i, goal) in goals.iter().enumerate() {
                right[i] = self.stiffening * goal.unwrap_or(0.0) - along[i];
                if goal.is_none() {
                    s.iter_mut().for_each(|row| row[i] = 0.0);
                    s[i] = [0.0; 7];
                    right[i] = 0.0;
                }
            }
            self.lambda = solve_nearly_symmetric(&s, &right);
            let needed = (1.0 + self.lambda[6]).max(1.0);
            if needed <= self.stiffening {
                break;
            }
            self.stiffening = needed;
        }
        let promised = descent + (0..7).map(|k| self.lambda[k] * along[k]).sum::<f64>();
        self.slope(c, promised, regularization)
    }

    /// The derivative of the merit function along the chosen step, where (∇g + ∇c λ)·B⁻¹∇g is `descent`.
    fn slope(&mut self, c: &Constraints, descent: f64, regularization: f64) -> f64 {
        let l = self.lambda;
        self.next_alpha = -(c.energy - c.floor).signum() * l[6] / regularization;
        let (costs, values) = (lengths(c, &l), lengths(c, &self.whole(c)));
        let mut slope = -descent / self.stiffening;
        for k in 0..3 {
            self.prices[k] = self.prices[k].max(MARGIN * costs[k]);
            slope -= self.prices[k] * values[k];
        }
        let epsilon = regularization * (c.energy - c.floor).abs();
        slope + epsilon * self.alpha * (self.next_alpha - self.alpha)
    }

    /// The constraints c with α included.
    fn whole(&self, c: &Constraints) -> [f64; 7] {
        let mut whole = self.values;
        whole[6] += self.alpha * (c.energy - c.floor);
        whole
    }

    /// Records that a part of the chosen step led to an evaluated iterate.
    pub fn arrive(&mut self, c: &Constraints, part: f64, iterate: &Iterate) {
        self.values = c.values(iterate);
        self.alpha += part * (self.next_alpha - self.alpha);
        // If nothing is kept, as while hard pins move, the step does not end before its last iteration.
        let is_free = !c.kept.mask().contains(&true);
        self.violation = if is_free { f64::INFINITY } else { c.kept.violation(&self.whole(c), &c.scale) };
    }

    /// The body's part of the merit function, in J.
    pub fn merit(&self, c: &Constraints, regularization: f64) -> f64 {
        let epsilon = regularization * (c.energy - c.floor).abs();
        let misses = lengths(c, &self.whole(c));
        0.5 * epsilon * self.alpha * self.alpha + (0..3).map(|k| self.prices[k] * misses[k]).sum::<f64>()
    }

    /// λ for increments d = A⁻¹∇g with the sums `d` (whose first dot is with ∇g); `slack` is (H − K)²/ε.
    fn multipliers(&self, c: &Constraints, d: &Sums, slack: f64) -> [f64; 7] {
        let (mut s, sigma) = (self.schur, self.stiffening);
        let [gradient, pull] = d.dots;
        let mut right = [0.0; 7];
        for k in 0..3 {
            right[k] = sigma * self.values[k] - d.linear[k];
            right[3 + k] = sigma * self.values[3 + k] - d.angular[k];
            s[6][k] = d.linear[k] + self.pulled.linear[k];
            s[6][3 + k] = d.angular[k] + self.pulled.angular[k];
        }
        // ∇H = ∇g + q, and ∇g·A⁻¹q = q·d.
        s[6][6] = gradient + 2.0 * pull + self.pulled.dots[1] + sigma * slack;
        right[6] = sigma * self.values[6] - gradient - pull;
        for (i, holds) in c.kept.mask().into_iter().enumerate() {
            s[i][6] = s[6][i];
            if !holds {
                s.iter_mut().for_each(|row| row[i] = 0.0);
                s[i] = [0.0; 7];
                right[i] = 0.0;
            }
        }
        dense::solve(&s, &right)
    }
}
