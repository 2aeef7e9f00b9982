//! As-rigid-as-possible: the distance to the nearest rotation ("strain" in \[Ledwon2024\]).
//!
//! ```text
//! Ψ(F) = k/2 ‖F − R‖²,      P(F) = k (F − R),      R the rotation of F
//! ```
//!
//! The projective energy: its zero set is the rotations and R is the projection on it. Finite everywhere;
//! inverted elements come back.

use crate::energy::law::{CONSTANTS, Curve, Law};
use crate::energy::material::{Fault, Model, Uniform, positive};
use crate::energy::vertex::Corner;
use crate::math::lanes::Number;
use crate::math::mat3::{self, Mat3};
use crate::math::polar::{polar, stretch_sum};

/// The registry's entry. `young` alone or with `poisson` gives k = 2μ = young/(1 + poisson).
pub static MODEL: Model = Model {
    name: "arap",
    about: "distance to the nearest rotation; the energy of projective dynamics; recovers from inversion",
    keys: &["k", "young", "poisson", "fit_interval"],
    build: |p| {
        let k = match (p.k, p.young) {
            (Some(_), Some(_)) => return Err(Fault::new("k", "give either k or young")),
            (Some(k), None) => positive("k", k)?,
            (None, Some(young)) => {
                let mut both = p.clone();
                both.poisson = Some(p.poisson.unwrap_or(0.0));
                both.young = Some(young);
                both.lame()?.map_or(young, |(mu, _)| 2.0 * mu)
            }
            (None, None) => return Err(Fault::new("", "needs k or young")),
        };
        if p.k.is_some() && p.poisson.is_some() {
            return Err(Fault::new("poisson", "has no meaning beside k"));
        }
        Ok(Uniform::shared(Arap, [k, 0.0, 0.0]))
    },
};

/// The law. Constants: k in Pa.
#[derive(Clone, Debug)]
pub struct Arap;

impl Law for Arap {
    const INTERLEAVED_PROX: bool = false;

    #[inline(always)]
    fn density_and_stress<L: Number>(&self, f: &Mat3<L>, constants: &[L; CONSTANTS]) -> (L, Mat3<L>) {
        let k = constants[0];
        let (r, _) = polar(f);
        let strain = mat3::combine(L::splat(1.0), f, L::splat(-1.0), &r);
        let psi = L::splat(0.5) * k * mat3::dot(&strain, &strain);
        (psi, mat3::scale(k, &strain))
    }

    /// ‖F − R‖² = ‖F‖² − 2 tr(RᵀF) + 3.
    #[inline(always)]
    fn energy_density<L: Number>(&self, f: &Mat3<L>, constants: &[L; CONSTANTS]) -> L {
        let sum = stretch_sum(f);
        L::splat(0.5) * constants[0] * (mat3::dot(f, f) - (sum + sum) + L::splat(3.0))
    }

    #[inline(always)]
    fn corner<L: Number>(&self, f: &Mat3<L>, g: &[L; 3], constants: &[L; CONSTANTS]) -> Corner<L> {
        Corner::of_rotation(f, g, L::splat(0.5) * constants[0], L::splat(0.0))
    }

    #[inline(always)]
    fn a<L: Number>(&self, x: L, [k, ..]: &[L; CONSTANTS]) -> Curve<L> {
        let e = x - L::splat(1.0);
        [L::splat(0.5) * *k * e * e, *k * e, *k]
    }

    fn is_projective(&self) -> bool {
        true
    }
}

#[cfg(test)]
crate::energy::checks::check_material!(super::Arap, [3.0, 0.0, 0.0]);
