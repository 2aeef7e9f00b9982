//! Saint Venant-Kirchhoff: linear in the Green strain.
//!
//! ```text
//! E = (FᵀF − I)/2,      Ψ(F) = μ ‖E‖² + λ/2 tr²E,      P(F) = F (2μE + λ tr(E) I)
//! ```
//!
//! Closed form. It cannot see inversion (Ψ(F) = Ψ(reflected F)) and softens to nothing under compression
//! beyond a stretch of 1/√3: an inverted element may stay inverted.

use crate::energy::law::{CONSTANTS, Curve, Law, kept};
use crate::energy::material::{Model, Uniform};
use crate::energy::vertex::Corner;
use crate::math::lanes::Number;
use crate::math::mat3::{self, Mat3};
use crate::math::symmetric;

/// The registry's entry.
pub static MODEL: Model = Model {
    name: "stvk",
    about: "linear in the Green strain; blind to inversion (inverted elements may stay so), weak in compression",
    keys: &["young", "poisson", "mu", "lambda", "fit_interval"],
    build: |p| {
        let (mu, lambda) = p.pair(|mu, lambda| (mu, lambda))?;
        Ok(Uniform::shared(Stvk, [mu, lambda, 0.0]))
    },
};

/// The law. Constants: μ, λ in Pa.
#[derive(Clone, Debug)]
pub struct Stvk;

/// Ψ and the second Piola-Kirchhoff stress S = 2μE + λ tr(E) I.
#[inline(always)]
fn parts<L: Number>(f: &Mat3<L>, [mu, lambda, _]: &[L; CONSTANTS]) -> (L, Mat3<L>) {
    let half = L::splat(0.5);
    let mut e = mat3::scale(half, &mat3::transpose_mul(f, f));
    for i in 0..3 {
        e[i][i] = e[i][i] - half;
    }
    let trace = e[0][0] + e[1][1] + e[2][2];
    let psi = *mu * mat3::dot(&e, &e) + half * *lambda * trace * trace;
    let mut s = mat3::scale(*mu + *mu, &e);
    for i in 0..3 {
        s[i][i] = s[i][i] + *lambda * trace;
    }
    (psi, s)
}

impl Law for Stvk {
    #[inline(always)]
    fn density_and_stress<L: Number>(&self, f: &Mat3<L>, constants: &[L; CONSTANTS]) -> (L, Mat3<L>) {
        let (psi, s) = parts(f, constants);
        (psi, mat3::mul(f, &s))
    }

    /// The block of a corner is K = (gᵀS g) I + μ |g|² F Fᵀ + (μ + λ) y yᵀ, y = F g.
    #[inline(always)]
    fn corner<L: Number>(&self, f: &Mat3<L>, g: &[L; 3], constants: &[L; CONSTANTS]) -> Corner<L> {
        let [mu, lambda, _] = *constants;
        let (density, s) = parts(f, constants);
        let traction = mat3::apply(&s, g);
        let block = symmetric::isotropic(mat3::dot3(g, &traction));
        let block = symmetric::add_scaled(&block, mu * mat3::dot3(g, g), &symmetric::product(f, f));
        let block = symmetric::add_outer(&block, mu + lambda, &mat3::apply(f, g));
        Corner { density, force: mat3::apply(f, &traction), block }
    }

    fn split(&self, [mu, lambda, _]: &[f64; CONSTANTS]) -> [[f64; CONSTANTS]; 2] {
        let kept = kept(*mu, *lambda);
        [[*mu, kept, 0.0], [0.0, lambda - kept, 0.0]]
    }

    #[inline(always)]
    fn a<L: Number>(&self, x: L, [mu, lambda, _]: &[L; CONSTANTS]) -> Curve<L> {
        let (mu, lambda, one) = (*mu, *lambda, L::splat(1.0));
        let q = x * x;
        let quartic = q * q - L::splat(6.0) * q + L::splat(3.0);
        [
            L::splat(0.25) * mu * (q - one) * (q - one) + L::splat(0.125) * lambda * quartic,
            mu * x * (q - one) + lambda * x * (L::splat(0.5) * q - L::splat(1.5)),
            mu * (L::splat(3.0) * q - one) + L::splat(1.5) * lambda * (q - one),
        ]
    }

    #[inline(always)]
    fn b<L: Number>(&self, x: L, [_, lambda, _]: &[L; CONSTANTS]) -> Curve<L> {
        let half = L::splat(0.5) * *lambda;
        [L::splat(0.5) * half * x * x, half * x, half]
    }
}

#[cfg(test)]
crate::energy::checks::check_material!(super::Stvk, [2.0, 5.0, 0.0]);
