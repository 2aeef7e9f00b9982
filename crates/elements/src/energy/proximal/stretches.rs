//! The proximal operator of isotropic laws: a problem in the stretches alone.
//!
//! ```text
//! F̃ = U diag(σ̃) Vᵀ,      prox(F̃) = U diag(σ) Vᵀ,      σ = argmin Ψ(σ) + ρ/2 |σ − σ̃|²,   σ ≥ 0
//! ```
//!
//! The weight per volume is ρ = r k. As in \[Narain2016, 4.2\], the SVD is the signed one of \[Irving2004\], and no
//! stretch becomes negative. Projective laws have the closed form (ρ F̃ + k p)/(ρ + k) with the projection
//! p = F̃ − P(F̃)/k, which may leave a negative stretch negative, as projective dynamics does. A hard set has p itself.
//! All other laws need Newton's method with backtracking, which takes the absolute values of negative eigenvalues.
//! Stretches at 0 that would fall further stay there. Elements go side by side. One that has converged is frozen, so
//! that its result does not depend on the elements that share its register.
//!
//! A law may have a shorter way (see `logarithmic`); where that does not hold, the stretches serve.
//!
//! For sheets F̃ is 3×2, and the third stretch is 1.

use super::Row;
use crate::energy::law::{self, CONSTANTS, Law};
use crate::math::eigen::symmetric3;
use crate::math::lanes::{Lane, Number, WIDTH};
use crate::math::mat3::{self, Mat3};
use crate::math::svd;
use crate::math::symmetric::{PLACES, Symmetric};

/// The largest number of Newton steps, including those that are halved.
const MAX_TRIES: usize = 200;
/// A step must gain at least this part of what the slope promises.
const ARMIJO: f64 = 1e-4;
/// A Newton step is the last one if it changes stretches by less than this part. The remaining
/// error is about its square.
const SETTLED: f64 = 1e-8;
/// A gradient counts as zero below this part of the numbers that it is the sum of.
const FLOOR: f64 = 1e-13;
/// Newton's method starts from stretches of at least this much if the density is infinite at σ̃.
const INSIDE: f64 = 0.1;
/// Newton's method starts from stretches of at least this much: at 0, many densities have a maximum or a saddle, whose
/// gradient vanishes, and a flat or collapsed cell would stay there.
const OPEN: f64 = 0.01;
/// Pivots below this part of the largest diagonal entry are not safely positive.
const PIVOT: f64 = 1e-6;

/// Loads the 3×`columns` matrices of some blocks from rows of numbers in row-major order; a third column is 0.
#[inline(always)]
pub(in crate::energy) fn load<L: Number>(columns: usize, z: &[Row]) -> Mat3<L> {
    let last = 3 * columns * (L::BLOCKS - 1);
    let mut out = mat3::zero();
    for i in 0..3 {
        for j in 0..columns {
            out[i][j] = L::load_blocks(&z[columns * i + j], &z[last + columns * i + j]);
        }
    }
    out
}

/// Stores matrices in the order in which [`load`] reads them.
#[inline(always)]
pub(in crate::energy) fn store<L: Number>(m: &Mat3<L>, columns: usize, z: &mut [Row]) {
    for index in 0..L::BLOCKS {
        for i in 0..3 {
            for j in 0..columns {
                z[3 * columns * index + columns * i + j] = m[i][j].block(index).to_array();
            }
        }
    }
}

/// The minimization problems of the elements of some blocks.
pub(in crate::energy) struct Problem<'a, W, L> {
    /// The material law of all elements.
    pub law: &'a W,
    /// The constants of the law in each element.
    pub constants: [L; CONSTANTS],
    /// The stiffness k of the system matrix in Pa.
    pub stiffness: L,
    /// The factor r on all weights.
    pub ratio: f64,
    /// How many stretches may change: 3, or 2 if the third stays at 1.
    pub free: usize,
}

/// The objective Ψ(σ) + ρ/2 |σ − σ̃|² and its derivatives at the stretches `s`.
#[derive(Clone, Copy)]
struct At<L> {
    s: [L; 3],
    value: L,
    /// The gradient, with 0 for stretches that cannot change.
    gradient: [L; 3],
    bend: Symmetric<L>,
    /// The size of the numbers that the gradient is made of.
    scale: L,
}

/// 1 where `mask` holds, 0 elsewhere.
#[inline(always)]
fn truth<L: Number>(mask: L::Mask) -> L {
    L::select(mask, L::splat(1.0), L::splat(0.0))
}

impl<W: Law, L: Number> Problem<'_, W, L> {
    /// prox(F̃). The third column of a sheet is 0, or its normal if the law is projective; the third column of the
    /// result then has no meaning.
    #[inline(always)]
    pub fn solve(&self, f: &Mat3<L>) -> Mat3<L> {
        let part = if self.law.is_hard() { 1.0 } else { 1.0 / (1.0 + self.ratio) };
        let acts = L::splat(0.0).lt(self.stiffness);
        let less = L::splat(-part) / L::select(acts, self.stiffness, L::splat(1.0));
        let out = if self.law.is_projective() {
            let (_, stress) = self.law.density_and_stress(f, &self.constants);
            mat3::combine(L::splat(1.0), f, less, &stress)
        } else {
            self.shortest(f, acts)
        };
        mat3::select::<L>(acts, &out, f)
    }

    /// prox(F̃) by the law's own way, and by the stretches in lanes where that does not hold. Lanes where `acts` is
    /// false have arbitrary numbers.
    #[inline(always)]
    fn shortest(&self, f: &Mat3<L>, acts: L::Mask) -> Mat3<L> {
        let weight = L::splat(self.ratio) * self.stiffness;
        let own = if self.free == 3 { self.law.prox(f, weight, &self.constants) } else { None };
        let Some((own, holds)) = own else { return self.by_stretches(f) };
        let is_found = L::splat(0.0).lt(holds);
        if L::any(L::select(acts, holds, L::splat(1.0)).lt(L::splat(1.0))) {
            return mat3::select::<L>(is_found, &own, &self.by_stretches(f));
        }
        own
    }

    #[inline(always)]
    fn by_stretches(&self, f: &Mat3<L>) -> Mat3<L> {
        let d = svd::svd(f);
        let mut target = d.sigma;
        if self.free == 2 {
            target[2] = L::splat(1.0);
        }
        svd::compose(&d.u, &self.minimize(&target), &d.v)
    }

    /// The minimizing stretches σ for the target stretches σ̃.
    #[inline(always)]
    fn minimize(&self, target: &[L; 3]) -> [L; 3] {
        let (zero, one) = (L::splat(0.0), L::splat(1.0));
        let mut now = self.start(target);
        let (mut part, mut direction) = (one, self.direction(&now));
        let mut active = unfinished(&now);
        for _ in 0..MAX_TRIES {
            if !L::any(zero.lt(active)) {
                break;
            }
            let (mut s, mut slope) = (now.s, zero);
            for i in 0..3 {
                s[i] = (now.s[i] + part * direction[i]).max(zero);
                slope = slope + now.gradient[i] * (s[i] - now.s[i]);
            }
            let last = active * settles(&now.s, &direction, part);
            for i in 0..3 {
                now.s[i] = L::select(zero.lt(last), s[i], now.s[i]);
            }
            active = active * (one - last);
            if !L::any(zero.lt(active)) {
                break;
            }
            let next = self.at(s, target);
            // Near the minimum the values differ by rounding only, and the gradients decide.
            let rounding = L::splat(16.0 * f64::EPSILON) * now.scale;
            let steep = truth::<L>(rounding.lt((next.value - now.value).abs()));
            let descends = truth::<L>(slope.lt(zero));
            let gain = descends * truth::<L>(next.value.lt(now.value + L::splat(ARMIJO) * slope));
            let better = truth::<L>(square(&next.gradient).lt(square(&now.gradient)));
            let accept = active * (steep * gain + (one - steep) * better);
            let is_accepted = zero.lt(accept);
            part = L::select(is_accepted, one, L::select(zero.lt(steep), L::splat(0.5) * part, part));
            // A lane that is neither steep nor better has converged.
            active = active * (steep + (one - steep) * better);
            now = now.or(is_accepted, &next);
            active = active * unfinished(&now);
            let newton = self.direction(&now);
            for i in 0..3 {
                direction[i] = L::select(is_accepted, newton[i], direction[i]);
            }
        }
        now.s
    }

    /// The objective at σ̃, raised to [`OPEN`], if that is within the domain, else at stretches well inside of it.
    #[inline(always)]
    fn start(&self, target: &[L; 3]) -> At<L> {
        let (mut near, mut inside) = (*target, *target);
        for i in 0..3 {
            near[i] = target[i].max(L::splat(OPEN));
            inside[i] = target[i].max(L::splat(INSIDE));
        }
        let at = self.at(near, target);
        let is_finite = at.value.lt(L::splat(f64::MAX));
        if L::any(truth::<L>(is_finite).lt(L::splat(1.0))) {
            return at.or_else(is_finite, &self.at(inside, target));
        }
        at
    }

    #[inline(always)]
    fn at(&self, s: [L; 3], target: &[L; 3]) -> At<L> {
        let zero = L::splat(0.0);
        let weight = L::splat(self.ratio) * self.stiffness;
        let law::Stretched { density, slope, mut bend } = law::expand(self.law, &s, &self.constants);
        let (mut gradient, mut scale, mut distance) = ([zero; 3], self.stiffness + weight, zero);
        for i in 0..3 {
            if i >= self.free {
                hold(&mut bend, i, L::splat(1.0), weight);
                continue;
            }
            let gap = s[i] - target[i];
            let total = slope[i] + weight * gap;
            distance = distance + gap * gap;
            bend[i] = bend[i] + weight;
            let held = L::select(zero.lt(s[i]), zero, L::select(total.lt(zero), zero, L::splat(1.0)));
            gradient[i] = L::select(zero.lt(held), zero, total);
            hold(&mut bend, i, held, weight);
            scale = scale.max(slope[i].abs()).max(weight * target[i].abs());
        }
        let value = density + L::splat(0.5) * weight * distance;
        At { s, value, gradient, bend, scale }
    }

    /// Newton's direction in the stretches that can change, by LDLᵀ.
    #[inline(always)]
    fn direction(&self, at: &At<L>) -> [L; 3] {
        let [xx, yy, zz, xy, xz, yz] = at.bend;
        let b = &at.gradient;
        let least = L::splat(PIVOT) * xx.max(yy).max(zz);
        let (l1, l2) = (xy / xx, xz / xx);
        let d1 = yy - l1 * xy;
        let l3 = (yz - l2 * xy) / d1;
        let d2 = zz - l2 * xz - l3 * l3 * d1;
        let y1 = b[1] - l1 * b[0];
        let x2 = (b[2] - l2 * b[0] - l3 * y1) / d2;
        let x1 = y1 / d1 - l3 * x2;
        let mut out = [-(b[0] / xx - l1 * x1 - l2 * x2), -x1, -x2];
        let safe = truth::<L>(least.lt(xx)) * truth::<L>(least.lt(d1)) * truth::<L>(least.lt(d2));
        if L::any(safe.lt(L::splat(1.0))) {
            let weight = L::splat(self.ratio) * self.stiffness;
            let numbers = [safe, weight, b[0], b[1], b[2], xx, yy, zz, xy, xz, yz, out[0], out[1], out[2]];
            out = L::apart(&numbers, bounded);
        }
        out
    }
}

impl<L: Number> At<L> {
    /// `other` in the lanes where `mask` holds, else `self`.
    #[inline(always)]
    fn or(&self, mask: L::Mask, other: &At<L>) -> At<L> {
        other.or_else(mask, self)
    }

    /// `self` in the lanes where `mask` holds, else `other`.
    #[inline(always)]
    fn or_else(&self, mask: L::Mask, other: &At<L>) -> At<L> {
        let mut out = *self;
        for i in 0..3 {
            out.s[i] = L::select(mask, self.s[i], other.s[i]);
            out.gradient[i] = L::select(mask, self.gradient[i], other.gradient[i]);
        }
        for n in 0..6 {
            out.bend[n] = L::select(mask, self.bend[n], other.bend[n]);
        }
        out.value = L::select(mask, self.value, other.value);
        out.scale = L::select(mask, self.scale, other.scale);
        out
    }
}

/// 1 where a full step is small enough to be the last.
#[inline(always)]
fn settles<L: Number>(s: &[L; 3], direction: &[L; 3], part: L) -> L {
    let step = direction[0].abs().max(direction[1].abs()).max(direction[2].abs());
    let size = s[0].max(s[1]).max(s[2]);
    truth::<L>(step.lt(L::splat(SETTLED) * size)) * truth::<L>(L::splat(0.5).lt(part))
}

/// 1 where some component of the gradient is above its rounding error.
#[inline(always)]
fn unfinished<L: Number>(at: &At<L>) -> L {
    let largest = at.gradient[0].abs().max(at.gradient[1].abs()).max(at.gradient[2].abs());
    truth::<L>((L::splat(FLOOR) * at.scale).lt(largest))
}

/// Takes stretch `i` out of the equations where `held` is 1.
#[inline(always)]
fn hold<L: Number>(bend: &mut Symmetric<L>, i: usize, held: L, weight: L) {
    let is_held = L::splat(0.0).lt(held);
    for n in 0..6 {
        let (j, k) = PLACES[n];
        if j == i || k == i {
            let instead = if j == k { weight } else { L::splat(0.0) };
            bend[n] = L::select(is_held, instead, bend[n]);
        }
    }
}

#[inline(always)]
fn square<L: Number>(a: &[L; 3]) -> L {
    a[0] * a[0] + a[1] * a[1] + a[2] * a[2]
}

/// The direction with the absolute values of the eigenvalues, in the lanes that are not safe. The input rows are: 1
/// where the lane is safe, the weight, the gradient, the second derivatives, the direction to keep in safe lanes.
#[cold]
#[inline(never)]
fn bounded(numbers: &[[f64; WIDTH]; 14]) -> [[f64; WIDTH]; 3] {
    let [safe, weight, ..] = numbers;
    let (gradient, bend) = (&numbers[2..5], &numbers[5..11]);
    let mut out = [numbers[11], numbers[12], numbers[13]];
    for lane in (0..WIDTH).filter(|lane| safe[*lane] == 0.0) {
        let mut matrix = [[0.0; 3]; 3];
        for (value, (i, j)) in bend.iter().zip(PLACES) {
            (matrix[i][j], matrix[j][i]) = (value[lane], value[lane]);
        }
        let (values, vectors) = symmetric3(matrix);
        let mut direction = [0.0; 3];
        for (value, e) in values.iter().zip(vectors) {
            let along: f64 = (0..3).map(|i| e[i] * gradient[i][lane]).sum();
            for i in 0..3 {
                direction[i] -= along / value.abs().max(PIVOT * weight[lane]) * e[i];
            }
        }
        for i in 0..3 {
            out[i][lane] = direction[i];
        }
    }
    out
}
