//! Least squares with lower bounds, by the method of Levenberg and Marquardt.
//!
//! ```text
//! (JᵀJ + λ diag JᵀJ) p = −Jᵀr,      u ← max(l, u + p)
//! ```
//!
//! Unknowns are counted in units of their start. One that is at its bound and would go beyond it is left where it is.

use elements::math::dense;

/// The most unknowns that there may be.
pub const MOST: usize = 24;
const ITERATIONS: usize = 200;
/// The unknowns are numbers of four to six digits for a config: what changes the sum of squares by less is no matter.
const ENOUGH: f64 = 1e-12;

/// The unknowns with the least sum of squares. `residuals` fills in `count` values, which are infinite where there are none.
pub fn minimize(
    start: &[f64],
    least: &[f64],
    count: usize,
    residuals: impl Fn(&[f64], &mut [f64]),
) -> Vec<f64> {
    let scaled = |u: &[f64]| u.iter().zip(start).map(|(u, start)| u * start).collect::<Vec<_>>();
    let squares = |u: &[f64]| {
        let mut r = vec![0.0; count];
        residuals(&scaled(u), &mut r);
        (r.iter().map(|r| r * r).sum::<f64>(), r)
    };
    let least: Vec<f64> = least.iter().zip(start).map(|(least, start)| least / start).collect();
    let mut u: Vec<f64> = least.iter().map(|least| least.max(1.0)).collect();
    let (mut sum, mut r) = squares(&u);
    let mut damping = 1e-3;
    for _ in 0..ITERATIONS {
        let columns: Vec<Vec<f64>> = (0..u.len()).map(|k| difference(&u, k, |u| squares(u).1)).collect();
        let mut better = None;
        while better.is_none() && damping < 1e12 {
            let to = step(&u, &least, &columns, &r, damping);
            let (new, at) = squares(&to);
            if new < sum {
                better = Some((to, new, at));
                damping /= 5.0;
            } else {
                damping *= 4.0;
            }
        }
        let Some((to, new, at)) = better else { break };
        let gain = sum - new;
        (u, sum, r) = (to, new, at);
        if gain <= ENOUGH * sum {
            break;
        }
    }
    scaled(&u)
}

/// The derivative of all residuals by one unknown.
fn difference(u: &[f64], k: usize, residuals: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
    const H: f64 = 1e-5;
    let shifted = |by: f64| {
        let mut u = u.to_vec();
        u[k] += by;
        residuals(&u)
    };
    shifted(H).iter().zip(shifted(-H)).map(|(a, b)| (a - b) / (2.0 * H)).collect()
}

/// One damped step, which ends within the bounds.
fn step(u: &[f64], least: &[f64], columns: &[Vec<f64>], r: &[f64], damping: f64) -> Vec<f64> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let slopes: Vec<f64> = columns.iter().map(|column| dot(column, r)).collect();
    let is_free = |k: usize| u[k] > least[k] || slopes[k] < 0.0;
    // An unknown with an empty row stays where it is.
    let (mut matrix, mut right) = ([[0.0; MOST]; MOST], [0.0; MOST]);
    for i in (0..u.len()).filter(|i| is_free(*i)) {
        right[i] = -slopes[i];
        for j in (0..u.len()).filter(|j| is_free(*j)) {
            matrix[i][j] = dot(&columns[i], &columns[j]);
        }
        matrix[i][i] *= 1.0 + damping;
    }
    let p = dense::solve(&matrix, &right);
    (0..u.len()).map(|k| least[k].max(u[k] + p[k])).collect()
}
