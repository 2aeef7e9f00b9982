//! The stable neo-Hookean solid: finite for every F.
//!
//! ```text
//! Ψ(F) = μ/2 (‖F‖² − 3) − μ (J − 1) + λ/2 (J − 1)²,      J = det F
//! P(F) = μ F + (λ (J − 1) − μ) cof F
//! ```
//!
//! The form λ/2 (J − 1 − μ/λ)² less its value at rest \[Smith2018, without the origin barrier\]. Expanding P at
//! F = I gives λ = λ_Lamé + μ: `young`/`poisson` are converted so. F = 0 is a stationary point: a body
//! collapsed to a point needs a push.
//!
//! As constraints \[Ledwon2024, Eq. 4.32-4.35; Macklin2021\], with γ = 1 + μ/λ and x = max(μ, λ):
//!
//! ```text
//! combined   C = √(μ/x ‖F‖² + λ/x (J − γ)²)             α = 1/(x V)
//! split      C = ‖F‖, then C = J − γ                    α = 1/(μ V), 1/(λ V)
//! ```
//!
//! Both stand for Ψ + 3μ/2 + μ²/(2λ), which is positive, whereas Ψ itself need not be. For λ = 0 there is no lower
//! bound. C is not 0 at rest, so neither can be hard: for PBD the constraint is √(2Ψ), where Ψ is not negative.

use crate::energy::constraint::Form;
use crate::energy::law::{self, CONSTANTS, Curve, Law, kept};
use crate::energy::material::{Model, Uniform};
use crate::energy::vertex::Corner;
use crate::math::lanes::Number;
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

/// The law. Constants: μ, λ in Pa.
#[derive(Clone, Debug)]
pub struct StableNeoHookean;

impl StableNeoHookean {
    /// Ψ, cof F, and c′ of the volume term, whose c″ is λ.
    #[inline(always)]
    fn parts<L: Number>(&self, f: &Mat3<L>, [mu, lambda, _]: &[L; CONSTANTS]) -> (L, Mat3<L>, L) {
        let cof = mat3::cofactor(f);
        let growth = mat3::determinant(f, &cof) - L::splat(1.0);
        let half = L::splat(0.5);
        let psi = half * *mu * (mat3::dot(f, f) - L::splat(3.0)) + growth * (half * *lambda * growth - *mu);
        (psi, cof, *lambda * growth - *mu)
    }
}

impl Law for StableNeoHookean {
    #[inline(always)]
    fn density_and_stress<L: Number>(&self, f: &Mat3<L>, constants: &[L; CONSTANTS]) -> (L, Mat3<L>) {
        let (psi, cof, slope) = self.parts(f, constants);
        (psi, mat3::combine(constants[0], f, slope, &cof))
    }

    #[inline(always)]
    fn corner<L: Number>(&self, f: &Mat3<L>, g: &[L; 3], constants: &[L; CONSTANTS]) -> Corner<L> {
        let (psi, cof, slope) = self.parts(f, constants);
        Corner::of_square_and_volume(psi, constants[0], slope, constants[1], f, &cof, g)
    }

    /// Lamé's λ is less than the constant by μ.
    fn split(&self, [mu, lambda, _]: &[f64; CONSTANTS]) -> [[f64; CONSTANTS]; 2] {
        let kept = mu + kept(*mu, lambda - mu);
        [[*mu, kept, 0.0], [0.0, lambda - kept, 0.0]]
    }

    #[inline(always)]
    fn a<L: Number>(&self, x: L, [mu, ..]: &[L; CONSTANTS]) -> Curve<L> {
        [L::splat(0.5) * *mu * (x * x - L::splat(1.0)), *mu * x, *mu]
    }

    #[inline(always)]
    fn c<L: Number>(&self, x: L, [mu, lambda, _]: &[L; CONSTANTS]) -> Curve<L> {
        let growth = x - L::splat(1.0);
        [growth * (L::splat(0.5) * *lambda * growth - *mu), *lambda * growth - *mu, *lambda]
    }

    fn constraints(&self, form: Form, [_, lambda, _]: &[f64; CONSTANTS]) -> usize {
        match form {
            Form::Hard => 1,
            _ if *lambda == 0.0 => 0,
            Form::Combined => 1,
            Form::Split => 2,
        }
    }

    #[inline(always)]
    fn constraint<L: Number>(
        &self,
        form: Form,
        index: usize,
        f: &Mat3<L>,
        constants: &[L; CONSTANTS],
        floor: L,
    ) -> (L, Mat3<L>, L) {
        let ([mu, lambda, _], one) = (*constants, L::splat(1.0));
        let (square, cof) = (mat3::dot(f, f), mat3::cofactor(f));
        let excess = mat3::determinant(f, &cof) - one - mu / lambda;
        match (form, index) {
            (Form::Hard, _) => {
                let (psi, stress) = self.density_and_stress(f, constants);
                let (value, slope) = law::root(psi, &stress, floor);
                (value, slope, one)
            }
            (Form::Combined, _) => {
                let larger = mu.max(lambda);
                let (shape, volume) = (mu / larger, lambda / larger);
                let value = (shape * square + volume * excess * excess).sqrt();
                // It is 0 only at rest and without μ, where the gradient has no direction.
                let safe = L::select(L::splat(0.0).lt(value), value, one);
                (value, mat3::combine(shape / safe, f, volume * excess / safe, &cof), larger)
            }
            (Form::Split, 0) => {
                let value = square.sqrt();
                // ‖F‖ has no gradient at F = 0, where a body has collapsed to a point: 0 takes its place.
                let safe = L::splat(1e-150).lt(value);
                let inverse = L::select(safe, one / L::select(safe, value, one), L::splat(0.0));
                (value, mat3::scale(inverse, f), mu)
            }
            (Form::Split, _) => (excess, cof, lambda),
        }
    }
}

#[cfg(test)]
crate::energy::checks::check_material!(super::StableNeoHookean, [2.0, 7.0, 0.0]);
