//! The stable neo-Hookean solid: finite for every F.
//!
//! ```text
//! Ψ(F) = μ/2 (‖F‖² − 3) − μ (J − 1) + λ/2 (J − 1)²,      J = det F
//! P(F) = μ F + (λ (J − 1) − μ) cof F
//! ```
//!
//! The form λ/2 (J − 1 − μ/λ)² less its value at rest [Smith2018, without the origin barrier]. Expanding P at
//! F = I gives λ = λ_Lamé + μ: `young`/`poisson` are converted so. F = 0 is a stationary point: a body
//! collapsed to a point needs a push.

use crate::energy::law::{CONSTANTS, Curve, Law};
use crate::energy::material::{Model, Uniform};
use crate::math::lanes::Lane;
use crate::math::mat3::{self, Mat3};

/// The registry's entry.
pub static MODEL: Model = Model {
    name: "stable-neo-hookean",
    about: "rubber that is finite for any state: inverted elements come back",
    keys: &["young", "poisson", "mu", "lambda", "fit_interval"],
    build: |p| {
        let (mu, lambda) = p.pair(|mu, lambda| (mu, lambda + mu))?;
        Ok(Uniform::shared(StableNeoHookean, [mu, lambda, 0.0]))
    },
};

/// Constants: μ, λ in Pa.
#[derive(Clone, Debug)]
pub struct StableNeoHookean;

impl Law for StableNeoHookean {
    #[inline(always)]
    fn density_and_stress<L: Lane>(&self, f: &Mat3<L>, constants: &[L; CONSTANTS]) -> (L, Mat3<L>) {
        let [mu, lambda, _] = *constants;
        let cof = mat3::cofactor(f);
        let growth = mat3::determinant(f, &cof) - L::splat(1.0);
        let half = L::splat(0.5);
        let psi = half * mu * (mat3::dot(f, f) - L::splat(3.0)) + growth * (half * lambda * growth - mu);
        (psi, mat3::combine(mu, f, lambda * growth - mu, &cof))
    }

    fn a(&self, x: f64, [mu, ..]: &[f64; CONSTANTS]) -> Curve {
        [0.5 * mu * (x * x - 1.0), mu * x, *mu]
    }

    fn c(&self, x: f64, [mu, lambda, _]: &[f64; CONSTANTS]) -> Curve {
        let growth = x - 1.0;
        [growth * (0.5 * lambda * growth - mu), lambda * growth - mu, *lambda]
    }
}

#[cfg(test)]
crate::energy::checks::check_material!(super::StableNeoHookean, [2.0, 7.0, 0.0]);
