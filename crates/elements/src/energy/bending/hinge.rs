//! A bending energy for each fold separately.
//!
//! ```text
//! E = w/2 |z|²
//! ```
//!
//! This is the energy of \[Bergou2006\] with other weights. Theirs, 3k/(A₀ + A₁), assume that folds spread over all
//! edges alike, and make a square grid three times as stiff when it is bent along its lines. Here every triangle
//! distributes its energy k A κ²/2 over the hinges at its sides. The weights are the non-negative ones that come
//! nearest to this energy over all directions of bending, and are right on average. Single directions may be off by
//! half, where folds mix curvatures, as on a grid of squares cut along the same diagonal.

use super::{Frame, Hinge, element, sides};
use crate::energy::lengths::Length;

/// How many directions of bending are sampled: energies are trigonometric polynomials of degree 4 in the angle.
const DIRECTIONS: usize = 8;

/// One element for each hinge. `stiffness` is k in N·m for each of `triangles`; with `flat`, a plane is the shape
/// without energy, whatever `rest` is.
pub fn elements(
    hinges: &[Hinge],
    triangles: &[[u32; 3]],
    rest: &[[f64; 3]],
    stiffness: &[f64],
    flat: bool,
) -> Vec<Length> {
    let mut weights = vec![0.0; hinges.len()];
    for (t, sides) in sides(hinges, triangles.len()).iter().enumerate() {
        let frame = Frame::new(triangles[t], rest);
        let squares: Vec<[f64; DIRECTIONS]> =
            sides.iter().map(|h| squares(frame.folds(&hinges[*h], t, rest))).collect();
        for (hinge, share) in sides.iter().zip(shares(&squares, frame.area)) {
            weights[*hinge] += stiffness[t] * share;
        }
    }
    let element = |(hinge, weight): (&Hinge, f64)| {
        let corners: Vec<(u32, f64)> = hinge.vertices().into_iter().zip(hinge.cotangents(rest)).collect();
        element(&corners, weight, rest, flat)
    };
    hinges.iter().zip(weights).map(element).collect()
}

/// The squared fold of cylinders of curvature 1 in each direction.
fn squares([xx, yy, xy]: [f64; 3]) -> [f64; DIRECTIONS] {
    std::array::from_fn(|i| {
        let (s, c) = (std::f64::consts::PI * i as f64 / DIRECTIONS as f64).sin_cos();
        let fold = xx * c * c + yy * s * s + xy * c * s;
        fold * fold
    })
}

/// How much weight a triangle contributes to each of its hinges, for k = 1. The best non-negative combination lies on
/// one of the faces of the octant, so all faces are tried.
fn shares(squares: &[[f64; DIRECTIONS]], area: f64) -> Vec<f64> {
    let mut best = (f64::INFINITY, vec![0.0; squares.len()]);
    for subset in 1..1usize << squares.len() {
        let chosen: Vec<usize> = (0..squares.len()).filter(|i| subset >> i & 1 == 1).collect();
        let Some(solution) = least_squares(squares, &chosen, area) else { continue };
        let mut combination = vec![0.0; squares.len()];
        chosen.iter().zip(solution).for_each(|(i, c)| combination[*i] = c);
        let energy = |d: usize| squares.iter().zip(&combination).map(|(s, c)| s[d] * c).sum::<f64>();
        let error: f64 = (0..DIRECTIONS).map(|d| (energy(d) - area) * (energy(d) - area)).sum();
        if combination.iter().all(|c| *c >= 0.0) && error < best.0 {
            let mean = (0..DIRECTIONS).map(energy).sum::<f64>() / DIRECTIONS as f64;
            best = (error, combination.iter().map(|c| c * area / mean).collect());
        }
    }
    best.1
}

/// The combination of the chosen rows that comes nearest to `value` in all directions, by the normal equations; `None`
/// if these have no unique solution.
fn least_squares(rows: &[[f64; DIRECTIONS]], chosen: &[usize], value: f64) -> Option<Vec<f64>> {
    let n = chosen.len();
    let product = |i: usize, j: usize| -> f64 {
        rows[chosen[i]].iter().zip(&rows[chosen[j]]).map(|(a, b)| a * b).sum()
    };
    let mut m: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            let right = rows[chosen[i]].iter().sum::<f64>() * value;
            (0..n).map(|j| product(i, j)).chain([right]).collect()
        })
        .collect();
    for i in 0..n {
        if m[i][i] <= 1e-12 * product(i, i) {
            return None;
        }
        for j in i + 1..n {
            let factor = m[j][i] / m[i][i];
            for k in i..=n {
                m[j][k] -= factor * m[i][k];
            }
        }
    }
    let mut out = vec![0.0; n];
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|j| m[i][j] * out[j]).sum();
        out[i] = (m[i][n] - known) / m[i][i];
    }
    Some(out)
}
