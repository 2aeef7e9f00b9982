//! The proximal operator of neo-Hookean solids without an SVD.
//!
//! Ψ = μ/2 ‖F‖² − μ ln J + λ/2 ln² J leads, with κ = μ + ρ, to an equation for each stretch
//!
//! ```text
//! κ σᵢ + q/σᵢ = ρ σ̃ᵢ,      q = λ y − μ,      y = ln J
//! σᵢ = (ρ σ̃ᵢ + √(ρ² σ̃ᵢ² − 4κq)) / 2κ,      y = ln σ₁σ₂σ₃
//! ```
//!
//! in which only y is unknown. The right-hand side of the last equation falls with y, as long as all roots are real. So
//! there is one solution, and Newton's method on one number finds it. It is a minimum, as ∂²/∂σ² = diag(κ − q/σᵢ²) + λ
//! (1/σᵢ)(1/σⱼ), and κσᵢ² − q is σᵢ times the root. Then F = H F̃ with H = h(B), B = F̃F̃ᵀ, and h(σ̃²) = σ/σ̃. The
//! polynomial that takes these values at the eigenvalues of B has coefficients (divided differences of h) in which
//! nothing cancels, however near to each other the eigenvalues are:
//!
//! ```text
//! h = (ρ + w)/2κ,   wᵢ = √(ρ² + t/sᵢ),   t = −4κq,   s = σ̃²
//! h[1,2] = −t/(s₁s₂ (w₁ + w₂)) / 2κ
//! h[1,2,3] = t/(s₁s₂s₃) (w₂ + (ρ²(s₁ + s₃) + t)/(s₁w₁ + s₃w₃)) / ((w₁ + w₂)(w₂ + w₃)) / 2κ
//! ```
//!
//! Eigenvectors are not needed, and eigenvalues only to the accuracy at which they satisfy their equation.

use crate::math::lanes::{Number, ln};
use crate::math::mat3::{self, Mat3};
use crate::math::symmetric::{self, Symmetric};

/// The largest number of Newton's steps; 3 are usual.
const MAX_STEPS: usize = 12;
/// A step below this size is the last one: the remaining error is about its square.
const SETTLED: f64 = 1e-8;
/// Relative to the smallest ρ²σ̃², 4κq has to be below this for the roots to be real.
const REAL: f64 = 0.5;
/// Relative to the largest eigenvalue, the smallest has to be above this; otherwise rounding spoils it.
const WELL_DEFINED: f64 = 1e-2;

/// The operator's result. The second number is 1 where it holds and 0 where the caller has to use another way.
///
/// `weight` is ρ and positive; the law holds for ln J above `least`. A lane's result does not depend on the others.
#[inline(always)]
pub(in crate::energy) fn prox<L: Number>(
    target: &Mat3<L>,
    weight: L,
    [mu, lambda]: [L; 2],
    least: f64,
) -> (Mat3<L>, L) {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let b = symmetric::product(target, target);
    let mean = (b[0] + b[1] + b[2]) * L::splat(1.0 / 3.0);
    let mut apart = b;
    for i in 0..3 {
        apart[i] = b[i] - mean;
    }
    let d = eigenvalues(&apart);
    let s = [d[0] + mean, d[1] + mean, d[2] + mean];
    let largest = s[0].max(s[1]).max(s[2]);
    let smallest = s[0].min(s[1]).min(s[2]);
    let j = mat3::determinant(target, &mat3::cofactor(target));
    let defined = L::select((L::splat(WELL_DEFINED) * largest).lt(smallest), one, zero)
        * L::select(zero.lt(j), one, zero);
    // Where the result is not defined, any numbers serve.
    let (mut safe, mut stretch) = (s, s);
    for i in 0..3 {
        safe[i] = L::select(zero.lt(defined), s[i], one);
        stretch[i] = safe[i].sqrt();
    }

    let kappa = mu + weight;
    let least_square = L::splat(REAL) * (weight * weight) * safe[0].min(safe[1]).min(safe[2]);
    let most = L::splat(0.25) * least_square / kappa;
    let law = [mu, lambda, most];
    let (y, settled) = log_volume(&safe, &stretch, mean, weight, law);
    let holds =
        L::select((lambda * y - mu).lt(most), one, zero) * L::select(L::splat(least).lt(y), one, zero);
    let t = L::splat(-4.0) * kappa * pull(y, law);
    let out = compose(target, &apart, &d, &safe, &stretch, [weight, t, kappa]);
    (out, defined * settled * holds)
}

/// The coefficient q = λ y − μ, but at most `most`.
#[inline(always)]
fn pull<L: Number>(y: L, [mu, lambda, most]: [L; 3]) -> L {
    (lambda * y - mu).min(most)
}

/// ln J of the result; the second number is 1 where Newton's method has converged.
#[inline(always)]
fn log_volume<L: Number>(s: &[L; 3], stretch: &[L; 3], mean: L, weight: L, law: [L; 3]) -> (L, L) {
    let [mu, lambda, _] = law;
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let kappa = mu + weight;
    let (half, square) = (L::splat(0.5) / kappa, weight * weight);
    // The start is exact to first order in strains: ln J̃ is shared between the weight and the material.
    let share = weight / (weight + mu + mu + L::splat(3.0) * lambda);
    let mut y = share * L::splat(1.5) * (mean - one);
    let mut settled = zero;
    for _ in 0..MAX_STEPS {
        let t = L::splat(-4.0) * kappa * pull(y, law);
        let root = [(square * s[0] + t).sqrt(), (square * s[1] + t).sqrt(), (square * s[2] + t).sqrt()];
        let mut sigma = root;
        for i in 0..3 {
            sigma[i] = half * (weight * stretch[i] + root[i]);
        }
        let a = [root[0] * sigma[0], root[1] * sigma[1], root[2] * sigma[2]];
        let volume = sigma[0] * sigma[1] * sigma[2];
        let (pairs, all) = (a[1] * a[2] + a[0] * (a[1] + a[2]), a[0] * a[1] * a[2]);
        let step = (ln(volume) - y) * all / (lambda * pairs + all);
        y = L::select(zero.lt(settled), y, y + step);
        settled = L::select(step.abs().lt(L::splat(SETTLED)), one, settled);
        if !L::any(settled.lt(one)) {
            break;
        }
    }
    (y, settled)
}

/// The matrix h(B) F̃. `apart` is B less a multiple of the identity, and `d` has the eigenvalues of `apart`.
#[inline(always)]
fn compose<L: Number>(
    target: &Mat3<L>,
    apart: &Symmetric<L>,
    d: &[L; 3],
    s: &[L; 3],
    stretch: &[L; 3],
    [weight, t, kappa]: [L; 3],
) -> Mat3<L> {
    let square = weight * weight;
    let mut w = *s;
    for i in 0..3 {
        w[i] = (square * s[i] + t).sqrt() / stretch[i];
    }
    let half = L::splat(0.5) / kappa;
    let (w12, w23) = (w[0] + w[1], w[1] + w[2]);
    let s12 = s[0] * s[1];
    let first = half * (weight + w[0]);
    let second = -half * t / (s12 * w12);
    let inner = w[1] + (square * (s[0] + s[2]) + t) / (s[0] * w[0] + s[2] * w[2]);
    let third = half * t * inner / (s12 * s[2] * w12 * w23);
    let c0 = first - second * d[0] + third * d[0] * d[1];
    let c1 = second - third * (d[0] + d[1]);
    let h = symmetric::add_scaled(&symmetric::isotropic(c0), c1, apart);
    let h = symmetric::add_scaled(&h, third, &symmetric::square(apart));
    let mut out = *target;
    for j in 0..3 {
        let column = symmetric::apply(&h, &[target[0][j], target[1][j], target[2][j]]);
        for i in 0..3 {
            out[i][j] = column[i];
        }
    }
    out
}

/// The eigenvalues of a symmetric matrix D with trace 0:
///
/// ```text
/// d = 2r cos θ,   r² = tr D²/6,   cos 3θ = det D/2r³
/// ```
///
/// The eigenvalue that is farthest from the others comes first. Its c = cos θ is the root of 4c³ − 3c = |cos 3θ| in
/// [√3/2, 1], found by Halley's method, which starts from a parabola.
#[inline(always)]
fn eigenvalues<L: Number>(a: &Symmetric<L>) -> [L; 3] {
    let [xx, yy, zz, xy, xz, yz] = *a;
    let squares = L::splat(0.5) * (xx * xx + yy * yy + zz * zz) + (xy * xy + xz * xz + yz * yz);
    let r = (squares * L::splat(1.0 / 3.0)).sqrt();
    let det = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
    let k = (det.abs() / (L::splat(2.0) * r * r * r).max(L::splat(1e-300))).min(L::splat(1.0));
    let mut c = L::splat(0.866_025_403_784) + k * (L::splat(1.0 / 6.0) - L::splat(0.032_692_070_451) * k);
    for _ in 0..2 {
        let square = c * c;
        let value = c * (L::splat(4.0) * square - L::splat(3.0)) - k;
        let slope = L::splat(12.0) * square - L::splat(3.0);
        c = c - value * slope / (slope * slope - L::splat(12.0) * value * c);
    }
    let side = (L::splat(3.0) * (L::splat(1.0) - c * c).max(L::splat(0.0))).sqrt() * r;
    let along = L::select(det.lt(L::splat(0.0)), -(r * c), r * c);
    [along + along, side - along, -(side + along)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy::checks::random;
    use crate::energy::law::Law;
    use crate::energy::materials::neo_hookean::NeoHookean;
    use crate::math::lanes::{Lane, Portable};
    use crate::math::svd;

    /// The matrix U diag(σ) Vᵀ with random rotations U and V.
    fn with_stretches(sigma: [f64; 3], random: &mut impl FnMut() -> f64) -> Mat3<Portable> {
        let mut rotation = || {
            let m: [[f64; 3]; 3] = std::array::from_fn(|_| std::array::from_fn(|_| random()));
            svd::svd(&mat3::splat::<Portable>(&m)).u
        };
        let (u, v) = (rotation(), rotation());
        svd::compose(&u, &sigma.map(Portable::splat), &v)
    }

    #[test]
    fn the_gradient_vanishes_wherever_it_holds() {
        let mut random = random(3);
        let law = NeoHookean { inversion: Default::default() };
        let (mut held, mut worst) = (0, 0.0f64);
        for n in 0..2000 {
            let spread = [1e-9, 1e-3, 0.1, 0.6][n % 4];
            let mut sigma: [f64; 3] = std::array::from_fn(|_| 1.0 + spread * random());
            match n / 4 % 4 {
                1 => sigma[1] = sigma[0],
                2 => sigma = [sigma[0]; 3],
                3 => sigma[2] = sigma[0] * (1.0 + 1e-8),
                _ => {}
            }
            let f = with_stretches(sigma, &mut random);
            let (mu, lambda) = (1.5 + random(), [0.0, 5.0 + 4.0 * random(), 100.0][n % 3]);
            let weight = [0.3, 1.0, 5.0][n / 3 % 3] * (2.0 * mu + lambda);
            let constants = [mu, lambda, 0.0].map(Portable::splat);
            let (z, holds) = law.prox(&f, Portable::splat(weight), &constants).unwrap();
            if holds.to_array()[0] == 0.0 {
                continue;
            }
            held += 1;
            let (_, stress) = law.density_and_stress(&z, &constants);
            let left =
                mat3::combine(Portable::splat(1.0), &stress, Portable::splat(weight), &mat3::sub(&z, &f));
            let size = mat3::dot(&left, &left).to_array()[0].sqrt() / (weight + mu + lambda);
            worst = worst.max(size);
            assert!(size < 1e-13, "{sigma:?}: {size:e}");
        }
        println!("held for {held} of 2000, gradient at most {worst:.1e} of its parts");
        assert!(held > 1900, "{held}");
    }

    #[test]
    fn what_it_cannot_do_it_leaves() {
        let mut random = random(5);
        let law = NeoHookean { inversion: Default::default() };
        // Inverted, nearly flat, and blown up so that the roots are not real.
        for (sigma, weight) in [([1.0, 0.9, -0.5], 2.0), ([1.0, 1.0, 1e-3], 2.0), ([9.0, 9.0, 9.0], 0.2)] {
            let f = with_stretches(sigma, &mut random);
            let (_, holds) =
                law.prox(&f, Portable::splat(weight), &[1.0, 2.0, 0.0].map(Portable::splat)).unwrap();
            assert_eq!(holds.to_array(), [0.0; 4], "{sigma:?}");
        }
    }
}
