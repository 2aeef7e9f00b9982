//! The quartic material: soft near rest, stiff far from it.
//!
//! ```text
//! Ψ(σ) = μ Σ (σᵢ − 1)⁴,      P = U diag(4μ (σᵢ − 1)³) Vᵀ
//! ```
//!
//! [Liu2017, Fig. 2]. Needs the stretches. Its Hessian vanishes at rest: only inertia holds it there.

use crate::energy::law::{CONSTANTS, Curve, Law};
use crate::energy::material::{Fault, Model, Uniform, positive};
use crate::math::lanes::Lane;
use crate::math::mat3::Mat3;
use crate::math::svd;

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

/// Constants: μ in Pa.
#[derive(Clone, Debug)]
pub struct Polynomial;

impl Law for Polynomial {
    #[inline(always)]
    fn density_and_stress<L: Lane>(&self, f: &Mat3<L>, constants: &[L; CONSTANTS]) -> (L, Mat3<L>) {
        let mu = constants[0];
        let d = svd::svd(f);
        let mut psi = L::splat(0.0);
        let mut slopes = [psi; 3];
        for i in 0..3 {
            let e = d.sigma[i] - L::splat(1.0);
            let cube = e * e * e;
            psi = psi + mu * cube * e;
            slopes[i] = L::splat(4.0) * mu * cube;
        }
        (psi, svd::compose(&d.u, &slopes, &d.v))
    }

    fn a(&self, x: f64, [mu, ..]: &[f64; CONSTANTS]) -> Curve {
        let e = x - 1.0;
        [mu * e.powi(4), 4.0 * mu * e.powi(3), 12.0 * mu * e * e]
    }
}

#[cfg(test)]
crate::energy::checks::check_material!(super::Polynomial, [3.0, 0.0, 0.0]);
