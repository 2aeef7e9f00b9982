//! The quartic material: soft near rest, stiff far from it.
//!
//! ```text
//! Ψ(σ) = μ Σ (σᵢ − 1)⁴,      P = U diag(4μ (σᵢ − 1)³) Vᵀ
//! ```
//!
//! \[Liu2017, Fig. 2\]. The law needs the stretches. Its Hessian vanishes at rest: only inertia holds a body there.

use crate::energy::law::{self, CONSTANTS, Curve, Law};
use crate::energy::material::{Fault, Model, Uniform, positive};
use crate::math::lanes::Number;
use crate::math::mat3::Mat3;

/// The registry's entry.
pub static MODEL: Model = Model {
    name: "polynomial",
    about: "quartic in the stretches: soft near rest, stiff far from it",
    keys: &["mu", "fit_interval"],
    build: |p| {
        let mu = p.mu.ok_or_else(|| Fault::new("mu", "is missing"))?;
        Ok(Uniform::shared(Polynomial, [positive("mu", mu)?, 0.0, 0.0]))
    },
};

/// The law. Constants: μ in Pa.
#[derive(Clone, Debug)]
pub struct Polynomial;

impl Law for Polynomial {
    #[inline(always)]
    fn density_and_stress<L: Number>(&self, f: &Mat3<L>, constants: &[L; CONSTANTS]) -> (L, Mat3<L>) {
        law::by_stretches(self, f, constants)
    }

    #[inline(always)]
    fn a<L: Number>(&self, x: L, [mu, ..]: &[L; CONSTANTS]) -> Curve<L> {
        let e = x - L::splat(1.0);
        let square = *mu * e * e;
        [square * e * e, L::splat(4.0) * square * e, L::splat(12.0) * square]
    }
}

#[cfg(test)]
crate::energy::checks::check_material!(super::Polynomial, [3.0, 0.0, 0.0]);
