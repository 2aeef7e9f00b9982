//! The Mooney-Rivlin solid with a logarithmic volume term.
//!
//! ```text
//! Ψ(F) = c₁ (‖F‖² − 3) + c₂ (‖cof F‖² − 3) − 2(c₁ + 2c₂) ln J + λ/2 ln² J
//! P(F) = 2c₁ F + 2c₂ (‖F‖² F − F FᵀF) + c′(J) cof F
//! ```
//!
//! Infinite for J ≤ 0, or extended there (see `volume`). Expanding at rest gives μ_Lamé = 2(c₁ + c₂) and
//! λ_Lamé = λ + 4c₂; `young`/`poisson` take c₂ = c₁/4, a usual ratio of rubbers.

use super::volume;
use crate::energy::law::{CONSTANTS, Curve, Law, kept};
use crate::energy::material::{Fault, Inversion, Model, Uniform, positive};
use crate::energy::vertex::Corner;
use crate::math::lanes::Number;
use crate::math::mat3::{self, Mat3};
use crate::math::symmetric;

/// The registry's entry.
pub static MODEL: Model = Model {
    name: "mooney-rivlin",
    about: "rubber with a second invariant and a logarithmic barrier against inversion",
    keys: &["c1", "c2", "lambda", "young", "poisson", "inversion", "fit_interval"],
    build: |p| {
        let law = MooneyRivlin { inversion: p.inversion.unwrap_or_default() };
        let raw = [p.c1.is_some(), p.c2.is_some(), p.lambda.is_some()];
        let constants = match (p.lame()?, raw) {
            (Some((mu, lambda)), [false, false, false]) => {
                let (c1, c2) = (0.4 * mu, 0.1 * mu);
                if lambda < 4.0 * c2 {
                    return Err(Fault::new(
                        "poisson",
                        "is too small here: needs at least 1/7, or give c1, c2, lambda",
                    ));
                }
                [c1, c2, lambda - 4.0 * c2]
            }
            (None, [true, true, true]) => {
                let [c1, c2, lambda] = [p.c1, p.c2, p.lambda].map(Option::unwrap_or_default);
                for (key, value) in [("c2", c2), ("lambda", lambda)] {
                    if !(value >= 0.0 && value.is_finite()) {
                        return Err(Fault::new(key, format!("must not be negative, not {value}")));
                    }
                }
                [positive("c1", c1)?, c2, lambda]
            }
            _ => return Err(Fault::new("", "needs c1, c2 and lambda, or young and poisson")),
        };
        Ok(Uniform::shared(law, constants))
    },
};

/// The law. Constants: c₁, c₂, λ in Pa.
#[derive(Clone, Debug)]
pub struct MooneyRivlin {
    /// What happens at J ≤ 0.
    pub inversion: Inversion,
}

impl MooneyRivlin {
    /// Ψ, cof F, and the derivatives c′ and c″ of the volume term.
    #[inline(always)]
    fn parts<L: Number>(&self, f: &Mat3<L>, [c1, c2, lambda]: &[L; CONSTANTS]) -> (L, Mat3<L>, L, L) {
        let (c1, c2, three) = (*c1, *c2, L::splat(3.0));
        let cof = mat3::cofactor(f);
        let j = mat3::determinant(f, &cof);
        let m = L::splat(2.0) * (c1 + c2 + c2);
        let [value, slope, bend] = volume::barrier(j, m, *lambda, self.inversion);
        let psi = c1 * (mat3::dot(f, f) - three) + c2 * (mat3::dot(&cof, &cof) - three) + value;
        (psi, cof, slope, bend)
    }
}

/// The curve s (x² − 1) with its two derivatives.
#[inline(always)]
fn parabola<L: Number>(x: L, s: L) -> Curve<L> {
    [s * (x * x - L::splat(1.0)), (s + s) * x, s + s]
}

impl Law for MooneyRivlin {
    const INTERLEAVED: bool = true;

    #[inline(always)]
    fn density_and_stress<L: Number>(&self, f: &Mat3<L>, constants: &[L; CONSTANTS]) -> (L, Mat3<L>) {
        let [c1, c2, _] = *constants;
        let (psi, cof, slope, _) = self.parts(f, constants);
        let fftf = mat3::mul(f, &mat3::transpose_mul(f, f));
        let two = L::splat(2.0);
        let p = mat3::combine(two * (c1 + c2 * mat3::dot(f, f)), f, -(two * c2), &fftf);
        (psi, mat3::combine(L::splat(1.0), &p, slope, &cof))
    }

    #[inline(always)]
    fn corner<L: Number>(&self, f: &Mat3<L>, g: &[L; 3], constants: &[L; CONSTANTS]) -> Corner<L> {
        let [c1, c2, _] = *constants;
        let (psi, cof, slope, bend) = self.parts(f, constants);
        let mut out = Corner::of_square_and_volume(psi, c1 + c1, slope, bend, f, &cof, g);
        // The parts of ‖cof F‖²/2: (‖F‖² I − F Fᵀ) y and (|g|²‖F‖² − |y|²) I − |g|² F Fᵀ + y yᵀ.
        let (y, gram, scale) = (mat3::apply(f, g), symmetric::product(f, f), c2 + c2);
        let (square, length) = (mat3::dot(f, f), mat3::dot3(g, g));
        let turned = symmetric::apply(&gram, &y);
        let rest = length * square - mat3::dot3(&y, &y);
        for i in 0..3 {
            out.force[i] = out.force[i] + scale * (square * y[i] - turned[i]);
            out.block[i] = out.block[i] + scale * rest;
        }
        out.block = symmetric::add_scaled(&out.block, -(scale * length), &gram);
        out.block = symmetric::add_outer(&out.block, scale, &y);
        out
    }

    /// Lamé's moduli are 2 (c₁ + c₂) and λ + 4 c₂.
    fn split(&self, [c1, c2, lambda]: &[f64; CONSTANTS]) -> [[f64; CONSTANTS]; 2] {
        let kept = (kept(2.0 * (c1 + c2), lambda + 4.0 * c2) - 4.0 * c2).max(0.0);
        [[*c1, *c2, kept], [0.0, 0.0, lambda - kept]]
    }

    #[inline(always)]
    fn a<L: Number>(&self, x: L, [c1, ..]: &[L; CONSTANTS]) -> Curve<L> {
        parabola(x, *c1)
    }

    #[inline(always)]
    fn b<L: Number>(&self, x: L, [_, c2, _]: &[L; CONSTANTS]) -> Curve<L> {
        parabola(x, *c2)
    }

    #[inline(always)]
    fn c<L: Number>(&self, x: L, [c1, c2, lambda]: &[L; CONSTANTS]) -> Curve<L> {
        volume::barrier(x, L::splat(2.0) * (*c1 + *c2 + *c2), *lambda, self.inversion)
    }

    fn has_barrier(&self) -> bool {
        self.inversion == Inversion::Barrier
    }

    fn without_barrier(&self) -> Self {
        MooneyRivlin { inversion: Inversion::Extend }
    }
}

#[cfg(test)]
mod tests {
    mod barrier {
        crate::energy::checks::check_material!(
            crate::energy::materials::mooney_rivlin::MooneyRivlin { inversion: Default::default() },
            [2.0, 1.0, 5.0]
        );
    }
    mod extended {
        crate::energy::checks::check_material!(
            crate::energy::materials::mooney_rivlin::MooneyRivlin {
                inversion: crate::energy::material::Inversion::Extend
            },
            [2.0, 1.0, 5.0]
        );
    }
}
