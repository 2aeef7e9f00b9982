//! The Hessian of an isotropic density, by its eigenpairs.
//!
//! With F = U diag(σ) Vᵀ, ∂²Ψ/∂F² has nine eigenmatrices of the form U M Vᵀ \[Smith2019\]:
//!
//! ```text
//! three M = diag(e):          the eigenpairs (value, e) of ∂²Ψ/∂σᵢ∂σⱼ
//! three M = (Eᵢⱼ − Eⱼᵢ)/√2:   (Ψᵢ + Ψⱼ)/(σᵢ + σⱼ)
//! three M = (Eᵢⱼ + Eⱼᵢ)/√2:   (Ψᵢ − Ψⱼ)/(σᵢ − σⱼ), or its limit Ψᵢᵢ − Ψᵢⱼ at equal stretches
//! ```
//!
//! Clamping the negative ones to zero gives the nearest positive semidefinite block \[Teran2005\].

use super::law::{self, CONSTANTS, Law};
use crate::math::eigen::symmetric3;
use crate::math::lanes::Number;
use crate::math::mat3;
use crate::math::single::Single;
use crate::math::svd;

/// An eigenvalue (Pa) and its eigenmatrix.
pub type Mode = (f64, [[f64; 3]; 3]);

/// The nine modes of ∂²Ψ/∂F² at F.
pub fn modes<W: Law>(law: &W, f: &[[f64; 3]; 3], constants: &[f64; CONSTANTS]) -> [Mode; 9] {
    let d = svd::svd(&mat3::splat::<Single>(f));
    let (u, v) = (mat3::extract(&d.u, 0), mat3::extract(&d.v, 0));
    let s = d.sigma.map(|s| s.0);
    let (_, slope, bend) = law::expand_one(law, &s, constants);

    let mut out = [(0.0, [[0.0; 3]; 3]); 9];
    let (values, vectors) = symmetric3(bend);
    for (m, (value, e)) in values.iter().zip(vectors).enumerate() {
        out[m] = (*value, between(&u, &[[e[0], 0.0, 0.0], [0.0, e[1], 0.0], [0.0, 0.0, e[2]]], &v));
    }
    for (m, (i, j)) in [(0, 1), (0, 2), (1, 2)].into_iter().enumerate() {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let mut twist = [[0.0; 3]; 3];
        (twist[i][j], twist[j][i]) = (half, -half);
        let mut flip = [[0.0; 3]; 3];
        (flip[i][j], flip[j][i]) = (half, half);
        let (twist_value, flip_value) = pair_of_one(i, j, &s, &slope, &bend);
        out[3 + m] = (twist_value, between(&u, &twist, &v));
        out[6 + m] = (flip_value, between(&u, &flip, &v));
    }
    out
}

/// Eigenvalues of the antisymmetric and the symmetric mode of two stretches `s`, where the slopes of Ψ are `slope`.
/// `limit` is the second eigenvalue at equal stretches, and `size` the largest stretch of the element.
#[inline(always)]
pub(super) fn pair_values<L: Number>(s: [L; 2], slope: [L; 2], limit: L, size: L) -> (L, L) {
    let size = size.abs().max(L::splat(1e-12));
    let (sum, gap) = (s[0] + s[1], s[0] - s[1]);
    let least = L::splat(1e-12) * size;
    let twist = (slope[0] + slope[1]) / L::select(sum.abs().lt(least), least, sum);
    let is_equal = gap.abs().lt(L::splat(1e-6) * size);
    let flip = (slope[0] - slope[1]) / L::select(is_equal, size, gap);
    (twist, L::select(is_equal, limit, flip))
}

/// [`pair_values`] of stretches i and j of one element.
fn pair_of_one(i: usize, j: usize, s: &[f64; 3], slope: &[f64; 3], bend: &[[f64; 3]; 3]) -> (f64, f64) {
    let pair = |a: &[f64; 3]| [Single(a[i]), Single(a[j])];
    let limit = 0.5 * (bend[i][i] + bend[j][j]) - bend[i][j];
    let (twist, flip) = pair_values(pair(s), pair(slope), Single(limit), Single(s[0]));
    (twist.0, flip.0)
}

/// The four modes that lie in the plane of the first two stretches, as 2×2 matrices M of U M Vᵀ.
pub fn plane_modes(s: &[f64; 3], slope: &[f64; 3], bend: &[[f64; 3]; 3]) -> [(f64, [[f64; 2]; 2]); 4] {
    // The third direction is decoupled by hand and comes out third.
    let plane = [[bend[0][0], bend[0][1], 0.0], [bend[1][0], bend[1][1], 0.0], [0.0; 3]];
    let (values, e) = symmetric3(plane);
    let (twist, flip) = pair_of_one(0, 1, s, slope, bend);
    let half = std::f64::consts::FRAC_1_SQRT_2;
    [
        (values[0], [[e[0][0], 0.0], [0.0, e[0][1]]]),
        (values[1], [[e[1][0], 0.0], [0.0, e[1][1]]]),
        (twist, [[0.0, half], [-half, 0.0]]),
        (flip, [[0.0, half], [half, 0.0]]),
    ]
}

/// The product `U M Vᵀ`.
fn between(u: &[[f64; 3]; 3], m: &[[f64; 3]; 3], v: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let mut out = [[0.0; 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            for k in 0..3 {
                for l in 0..3 {
                    out[i][j] += u[i][k] * m[k][l] * v[j][l];
                }
            }
        }
    }
    out
}
