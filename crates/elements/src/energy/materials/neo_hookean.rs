//! The neo-Hookean solid with a logarithmic barrier against inversion.
//!
//! ```text
//! Ψ(F) = μ/2 (‖F‖² − 3) − μ ln J + λ/2 ln² J,      J = det F
//! P(F) = μ F + (λ ln J − μ) J⁻¹ cof F
//! ```
//!
//! \[Liu2017, Eq. 14\]. Infinite for J ≤ 0, or extended there (see `volume`). No SVD: closed forms only.

use super::volume;
use crate::energy::law::{CONSTANTS, Curve, Law, kept};
use crate::energy::material::{Inversion, Model, Uniform};
use crate::energy::proximal::logarithmic;
use crate::energy::vertex::Corner;
use crate::math::lanes::Number;
use crate::math::mat3::{self, Mat3};

/// The registry's entry.
pub static MODEL: Model = Model {
    name: "neo-hookean",
    about: "rubber with a logarithmic barrier: never inverts; inversion = \"extend\" lets inverted states recover",
    keys: &["young", "poisson", "mu", "lambda", "inversion", "fit_interval"],
    build: |p| {
        let (mu, lambda) = p.pair(|mu, lambda| (mu, lambda))?;
        Ok(Uniform::shared(NeoHookean { inversion: p.inversion.unwrap_or_default() }, [mu, lambda, 0.0]))
    },
};

/// The law. Constants: μ, λ in Pa.
#[derive(Clone, Debug)]
pub struct NeoHookean {
    /// What happens at J ≤ 0.
    pub inversion: Inversion,
}

impl NeoHookean {
    /// Ψ, cof F, and the derivatives c′ and c″ of the volume term.
    #[inline(always)]
    fn parts<L: Number>(&self, f: &Mat3<L>, [mu, lambda, _]: &[L; CONSTANTS]) -> (L, Mat3<L>, L, L) {
        let cof = mat3::cofactor(f);
        let j = mat3::determinant(f, &cof);
        let [value, slope, bend] = volume::barrier(j, *mu, *lambda, self.inversion);
        let psi = L::splat(0.5) * *mu * (mat3::dot(f, f) - L::splat(3.0)) + value;
        (psi, cof, slope, bend)
    }
}

impl Law for NeoHookean {
    const INTERLEAVED: bool = true;

    #[inline(always)]
    fn density_and_stress<L: Number>(&self, f: &Mat3<L>, constants: &[L; CONSTANTS]) -> (L, Mat3<L>) {
        let (psi, cof, slope, _) = self.parts(f, constants);
        (psi, mat3::combine(constants[0], f, slope, &cof))
    }

    #[inline(always)]
    fn corner<L: Number>(&self, f: &Mat3<L>, g: &[L; 3], constants: &[L; CONSTANTS]) -> Corner<L> {
        let (psi, cof, slope, bend) = self.parts(f, constants);
        Corner::of_square_and_volume(psi, constants[0], slope, bend, f, &cof, g)
    }

    fn split(&self, [mu, lambda, _]: &[f64; CONSTANTS]) -> [[f64; CONSTANTS]; 2] {
        let kept = kept(*mu, *lambda);
        [[*mu, kept, 0.0], [0.0, lambda - kept, 0.0]]
    }

    #[inline(always)]
    fn a<L: Number>(&self, x: L, [mu, ..]: &[L; CONSTANTS]) -> Curve<L> {
        [L::splat(0.5) * *mu * (x * x - L::splat(1.0)), *mu * x, *mu]
    }

    #[inline(always)]
    fn c<L: Number>(&self, x: L, [mu, lambda, _]: &[L; CONSTANTS]) -> Curve<L> {
        volume::barrier(x, *mu, *lambda, self.inversion)
    }

    #[inline(always)]
    fn prox<L: Number>(&self, f: &Mat3<L>, weight: L, constants: &[L; CONSTANTS]) -> Option<(Mat3<L>, L)> {
        let [mu, lambda, _] = *constants;
        let least = match self.inversion {
            Inversion::Barrier => f64::NEG_INFINITY,
            Inversion::Extend => volume::J_MIN.ln(),
        };
        Some(logarithmic::prox(f, weight, [mu, lambda], least))
    }

    fn has_barrier(&self) -> bool {
        self.inversion == Inversion::Barrier
    }

    fn without_barrier(&self) -> Self {
        NeoHookean { inversion: Inversion::Extend }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::single::Single;

    mod barrier {
        crate::energy::checks::check_material!(
            crate::energy::materials::neo_hookean::NeoHookean { inversion: Default::default() },
            [2.0, 5.0, 0.0]
        );
    }
    mod extended {
        crate::energy::checks::check_material!(
            crate::energy::materials::neo_hookean::NeoHookean {
                inversion: crate::energy::material::Inversion::Extend
            },
            [2.0, 5.0, 0.0]
        );
    }

    #[test]
    fn extension_joins_with_two_continuous_derivatives() {
        let law = NeoHookean { inversion: Inversion::Extend };
        let (below, above) = (volume::J_MIN - 1e-9, volume::J_MIN + 1e-9);
        let at = |j: f64| law.c(Single(j), &[2.0, 5.0, 0.0].map(Single)).map(|c| c.0);
        let (l, r) = (at(below), at(above));
        for i in 0..3 {
            assert!((l[i] - r[i]).abs() < 1e-5 * r[i].abs(), "derivative {i}: {} {}", l[i], r[i]);
        }
    }
}
