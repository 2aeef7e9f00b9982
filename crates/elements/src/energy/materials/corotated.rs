//! Corotated linear elasticity.
//!
//! ```text
//! Ψ(F) = μ ‖F − R‖² + λ/2 tr²(RᵀF − I),      P(F) = 2μ (F − R) + λ (tr(RᵀF) − 3) R
//! ```
//!
//! The trace comes with the rotation, so this costs no more than arap. Finite everywhere; inverted elements
//! come back.

use crate::energy::law::{CONSTANTS, Curve, Law, kept};
use crate::energy::material::{Model, Uniform};
use crate::energy::vertex::Corner;
use crate::math::lanes::Number;
use crate::math::mat3::{self, Mat3};
use crate::math::polar::{polar, stretch_sum};

/// The registry's entry.
pub static MODEL: Model = Model {
    name: "corotated",
    about: "linear elasticity in the rotated frame; recovers from inversion",
    keys: &["young", "poisson", "mu", "lambda", "fit_interval"],
    build: |p| {
        let (mu, lambda) = p.pair(|mu, lambda| (mu, lambda))?;
        Ok(Uniform::shared(Corotated, [mu, lambda, 0.0]))
    },
};

/// The law. Constants: μ, λ in Pa.
#[derive(Clone, Debug)]
pub struct Corotated;

impl Law for Corotated {
    const INTERLEAVED: bool = true;

    #[inline(always)]
    fn density_and_stress<L: Number>(&self, f: &Mat3<L>, constants: &[L; CONSTANTS]) -> (L, Mat3<L>) {
        let [mu, lambda, _] = *constants;
        let (r, sum) = polar(f);
        let strain = mat3::combine(L::splat(1.0), f, L::splat(-1.0), &r);
        let trace = sum - L::splat(3.0);
        let psi = mu * mat3::dot(&strain, &strain) + L::splat(0.5) * lambda * trace * trace;
        (psi, mat3::combine(mu + mu, &strain, lambda * trace, &r))
    }

    /// ‖F − R‖² = ‖F‖² − 2 tr(RᵀF) + 3.
    #[inline(always)]
    fn energy_density<L: Number>(&self, f: &Mat3<L>, constants: &[L; CONSTANTS]) -> L {
        let [mu, lambda, _] = *constants;
        let (sum, three) = (stretch_sum(f), L::splat(3.0));
        let trace = sum - three;
        mu * (mat3::dot(f, f) - (sum + sum) + three) + L::splat(0.5) * lambda * trace * trace
    }

    #[inline(always)]
    fn corner<L: Number>(&self, f: &Mat3<L>, g: &[L; 3], constants: &[L; CONSTANTS]) -> Corner<L> {
        Corner::of_rotation(f, g, constants[0], constants[1])
    }

    fn split(&self, [mu, lambda, _]: &[f64; CONSTANTS]) -> [[f64; CONSTANTS]; 2] {
        let kept = kept(*mu, *lambda);
        [[*mu, kept, 0.0], [0.0, lambda - kept, 0.0]]
    }

    #[inline(always)]
    fn a<L: Number>(&self, x: L, [mu, lambda, _]: &[L; CONSTANTS]) -> Curve<L> {
        let (mu, lambda, three) = (*mu, *lambda, L::splat(3.0));
        let e = x - L::splat(1.0);
        let square = x * x - L::splat(6.0) * x + three;
        [mu * e * e + L::splat(0.5) * lambda * square, (mu + mu) * e + lambda * (x - three), mu + mu + lambda]
    }

    #[inline(always)]
    fn b<L: Number>(&self, x: L, [_, lambda, _]: &[L; CONSTANTS]) -> Curve<L> {
        [*lambda * x, *lambda, L::splat(0.0)]
    }
}

#[cfg(test)]
crate::energy::checks::check_material!(super::Corotated, [2.0, 5.0, 0.0]);
