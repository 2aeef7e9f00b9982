//! The proximal operator of isotropic laws: a problem in the stretches alone.
//!
//! ```text
//! F̃ = U diag(σ̃) Vᵀ,      prox(F̃) = U diag(σ) Vᵀ,      σ = argmin Ψ(σ) + ρ/2 |σ − σ̃|²,   σ ≥ 0
//! ```
//!
//! ρ = r k is the weight over the volume. \[Narain2016, 4.2\]: the signed SVD of \[Irving2004\], and no stretch becomes
//! negative. Projective laws have the closed form (ρ σ̃ + k p)/(ρ + k) with the projection p = σ̃ − ∇Ψ/k (this one may
//! leave a negative stretch negative, as projective dynamics does); a hard set has p itself. For others there is
//! Newton's method, with the absolute values of the eigenvalues where some are negative, and backtracking; stretches
//! at 0 that want to fall further stay there.
//!
//! Of sheets F̃ is 3×2, and the third stretch is 1.

use crate::energy::law::{self, CONSTANTS, Law};
use crate::math::eigen::symmetric3;
use crate::math::lanes::{Kernel, Lane, WIDTH, dispatch};
use crate::math::{mat3, svd};

/// Steps of Newton's method and halvings of them at the most.
const MAX_TRIES: usize = 200;
/// The part of the promised gain that a step must make.
const ARMIJO: f64 = 1e-4;
/// A gradient is nothing below this part of what it is made of.
const FLOOR: f64 = 1e-13;
/// Where Newton starts, at least, if the density is infinite at σ̃.
const INSIDE: f64 = 0.1;

/// U, σ and V of four matrices, in arrays of lanes.
struct Parts {
    u: [[[f64; WIDTH]; 3]; 3],
    sigma: [[f64; WIDTH]; 3],
    v: [[[f64; WIDTH]; 3]; 3],
}

struct Decompose<'a>(&'a [[[f64; WIDTH]; 3]; 3]);

impl Kernel for Decompose<'_> {
    type Output = Parts;

    #[inline(always)]
    fn run<L: Lane>(self) -> Parts {
        let mut f = mat3::zero();
        for i in 0..3 {
            for j in 0..3 {
                f[i][j] = L::load(&self.0[i][j]);
            }
        }
        let d = svd::svd::<L>(&f);
        Parts {
            u: d.u.map(|row| row.map(L::to_array)),
            sigma: d.sigma.map(L::to_array),
            v: d.v.map(|row| row.map(L::to_array)),
        }
    }
}

/// Changes the stretches of up to four 3×`columns` matrices, each row major, by `f(number, σ̃) = σ`.
pub(in crate::energy) fn change(
    z: &mut [f64],
    columns: usize,
    mut f: impl FnMut(usize, [f64; 3]) -> [f64; 3],
) {
    let mut lanes = [[[0.0; WIDTH]; 3]; 3];
    for (lane, z) in z.chunks_exact(3 * columns).enumerate() {
        for (i, row) in z.chunks_exact(columns).enumerate() {
            for (j, value) in row.iter().enumerate() {
                lanes[i][j][lane] = *value;
            }
        }
    }
    let Parts { u, sigma, v } = dispatch(Decompose(&lanes));
    for (lane, z) in z.chunks_exact_mut(3 * columns).enumerate() {
        let s = f(lane, [sigma[0][lane], sigma[1][lane], sigma[2][lane]]);
        for (i, row) in z.chunks_exact_mut(columns).enumerate() {
            for (j, value) in row.iter_mut().enumerate() {
                *value = (0..columns).map(|k| u[i][k][lane] * s[k] * v[j][k][lane]).sum();
            }
        }
    }
}

/// The problem of one element.
pub(in crate::energy) struct Problem<'a, W> {
    /// The law.
    pub law: &'a W,
    /// Its constants.
    pub constants: &'a [f64; CONSTANTS],
    /// k of the system matrix in Pa.
    pub stiffness: f64,
    /// r.
    pub ratio: f64,
    /// Stretches that may change: 3, or 2 with the third at 1.
    pub free: usize,
}

impl<W: Law> Problem<'_, W> {
    /// σ for σ̃.
    pub fn solve(&self, mut target: [f64; 3]) -> [f64; 3] {
        if self.stiffness == 0.0 {
            return target;
        }
        if self.free == 2 {
            target[2] = 1.0;
        }
        if !self.law.is_projective(self.constants) {
            return self.minimize(&target);
        }
        let slope = law::gradient(self.law, &target, self.constants);
        let part = if self.law.is_hard() { 1.0 } else { 1.0 / (1.0 + self.ratio) };
        std::array::from_fn(|i| target[i] - part * slope[i] / self.stiffness)
    }

    fn minimize(&self, target: &[f64; 3]) -> [f64; 3] {
        let mut s = target.map(|t| t.max(0.0));
        let mut value = self.value(&s, target);
        if !value.is_finite() {
            s = target.map(|t| t.max(INSIDE));
            value = self.value(&s, target);
        }
        let (mut gradient, mut scale) = self.gradient(&s, target);
        let mut part = 1.0;
        let mut direction = self.direction(&s, &gradient);
        for _ in 0..MAX_TRIES {
            if gradient.iter().all(|g| g.abs() <= FLOOR * scale) {
                break;
            }
            let next: [f64; 3] = std::array::from_fn(|i| (s[i] + part * direction[i]).max(0.0));
            let next_value = self.value(&next, target);
            let slope: f64 = (0..3).map(|i| gradient[i] * (next[i] - s[i])).sum();
            // Near the minimum the values differ by rounding only, and the gradients decide.
            let is_flat = (next_value - value).abs() <= 16.0 * f64::EPSILON * scale;
            let is_gain = slope < 0.0 && next_value <= value + ARMIJO * slope;
            if !is_flat && !is_gain {
                part *= 0.5;
                continue;
            }
            let (next_gradient, next_scale) = self.gradient(&next, target);
            if is_flat && square(&next_gradient) >= square(&gradient) {
                break;
            }
            (s, value, gradient, scale) = (next, next_value, next_gradient, next_scale);
            (part, direction) = (1.0, self.direction(&s, &gradient));
        }
        s
    }

    fn value(&self, s: &[f64; 3], target: &[f64; 3]) -> f64 {
        let distance: f64 = (0..self.free).map(|i| (s[i] - target[i]) * (s[i] - target[i])).sum();
        law::density(self.law, s, self.constants) + 0.5 * self.ratio * self.stiffness * distance
    }

    /// The gradient, 0 in what cannot change, and the size of the numbers it is made of.
    fn gradient(&self, s: &[f64; 3], target: &[f64; 3]) -> ([f64; 3], f64) {
        let slope = law::gradient(self.law, s, self.constants);
        let weight = self.ratio * self.stiffness;
        let (mut gradient, mut scale) = ([0.0; 3], self.stiffness + weight);
        for i in 0..self.free {
            let total = slope[i] + weight * (s[i] - target[i]);
            gradient[i] = if s[i] == 0.0 && total > 0.0 { 0.0 } else { total };
            scale = scale.max(slope[i].abs()).max(weight * target[i].abs());
        }
        (gradient, scale)
    }

    /// Newton's direction among the stretches that can change.
    fn direction(&self, s: &[f64; 3], gradient: &[f64; 3]) -> [f64; 3] {
        let weight = self.ratio * self.stiffness;
        let mut bend = law::curvature(self.law, s, self.constants);
        for i in 0..3 {
            bend[i][i] += weight;
            if gradient[i] == 0.0 && (s[i] == 0.0 || i >= self.free) {
                for j in 0..3 {
                    (bend[i][j], bend[j][i]) = (0.0, 0.0);
                }
                bend[i][i] = weight;
            }
        }
        if let Some(step) = solve(&bend, gradient) {
            return step.map(|s| -s);
        }
        let (values, vectors) = symmetric3(bend);
        let mut direction = [0.0; 3];
        for (value, e) in values.iter().zip(vectors) {
            let along: f64 = (0..3).map(|i| e[i] * gradient[i]).sum();
            for i in 0..3 {
                direction[i] -= along / value.abs().max(1e-6 * weight) * e[i];
            }
        }
        direction
    }
}

/// A⁻¹ b by LDLᵀ; `None` where A is not safely positive definite.
fn solve(a: &[[f64; 3]; 3], b: &[f64; 3]) -> Option<[f64; 3]> {
    let least = 1e-6 * a[0][0].max(a[1][1]).max(a[2][2]);
    let d0 = a[0][0];
    let (l1, l2) = (a[1][0] / d0, a[2][0] / d0);
    let d1 = a[1][1] - l1 * a[1][0];
    let l3 = (a[2][1] - l2 * a[1][0]) / d1;
    let d2 = a[2][2] - l2 * a[2][0] - l3 * l3 * d1;
    if !(d0 > least && d1 > least && d2 > least) {
        return None;
    }
    let y1 = b[1] - l1 * b[0];
    let x2 = (b[2] - l2 * b[0] - l3 * y1) / d2;
    let x1 = y1 / d1 - l3 * x2;
    Some([b[0] / d0 - l1 * x1 - l2 * x2, x1, x2])
}

fn square(a: &[f64; 3]) -> f64 {
    a[0] * a[0] + a[1] * a[1] + a[2] * a[2]
}
