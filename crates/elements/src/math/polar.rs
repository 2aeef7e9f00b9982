//! The rotation nearest to a 3×3 matrix, in lanes, without an SVD.
//!
//! ```text
//! R = argmin over rotations of ‖F − R‖²,      s = tr(RᵀF) = σ₁ + σ₂ + σ₃
//! ```
//!
//! With I₁ = ‖F‖² and J = det F, the sum of the signed stretches s is the largest root of
//!
//! ```text
//! s⁴ − 2 I₁ s² − 8 J s + I₁² − 4‖cof F‖²,
//! ```
//!
//! found by Halley's method from √3‖F‖ (monotone, as all four roots ±σ₁±σ₂±σ₃ with an even number of minuses are real), and
//!
//! ```text
//! R = [(s² + I₁) F + 2 s cof F − 2 F FᵀF] / (s³ − I₁ s − 2 J),
//! ```
//!
//! polished by one Newton-Schulz step. Valid for inverted F too. The denominator is
//! 2(σ₁+σ₂)(σ₂+σ₃)(σ₃+σ₁); where it nearly vanishes the rotation is ill defined and that lane takes its
//! answer from the SVD.

use super::lanes::{Lane, Long, Number, Portable, WIDTH};
use super::mat3::{self, Mat3};
use super::svd::svd;
use super::symmetric::{self, Symmetric};

/// Steps on the quartic at the most; 1-2 are usual.
const MAX_STEPS: usize = 12;
/// What may be left of the denominator's error where the rotation is polished, which squares it, and where it is not.
const TO_POLISH: f64 = 3e-9;
const POLISHED: f64 = 1e-16;
/// Below this share of s³ the denominator is left to the SVD.
const WELL_DEFINED: f64 = 1e-3;
/// It counts as at least this share where derivatives divide by it.
const BOUNDED: f64 = 1e-9;

/// `tr(RᵀF)` alone, at less than half the cost.
#[inline(always)]
pub fn stretch_sum<L: Number>(f: &Mat3<L>) -> L {
    struct StretchSum<'a, L>(&'a Mat3<L>);
    impl<L: Number> Long<L> for StretchSum<'_, L> {
        type Output = L;
        #[inline(always)]
        fn compute(self) -> Self::Output {
            stretch_sum_in_place(self.0)
        }
    }
    L::long(StretchSum(f))
}

/// [`stretch_sum`], compiled into its caller.
#[inline(always)]
fn stretch_sum_in_place<L: Number>(f: &Mat3<L>) -> L {
    let cof = mat3::cofactor(f);
    let (i1, j) = (mat3::dot(f, f), mat3::determinant(f, &cof));
    let s = largest_root(i1, j, mat3::dot(&cof, &cof), POLISHED);
    let (_, bad) = denominator(s, i1, j);
    if L::any(bad) {
        return L::select(bad, mat3::dot(&by_svd(f), f), s);
    }
    s
}

/// The rotation by the SVD. It is seldom needed, and stays out of the way of what is: the lanes are the portable ones, which
/// give the same bits.
#[inline(always)]
fn by_svd<L: Number>(f: &Mat3<L>) -> Mat3<L> {
    #[cold]
    #[inline(never)]
    fn portable(f: &[[f64; WIDTH]; 9]) -> [[f64; WIDTH]; 9] {
        let lanes = |i: usize, j: usize| Portable::load(&f[3 * i + j]);
        let d = svd(&std::array::from_fn(|i| std::array::from_fn(|j| lanes(i, j))));
        let rotation = mat3::mul_transpose(&d.u, &d.v);
        std::array::from_fn(|n| rotation[n / 3][n % 3].to_array())
    }
    let [a, b, c] = *f;
    let [a0, a1, a2, b0, b1, b2, c0, c1, c2] =
        L::apart(&[a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]], portable);
    [[a0, a1, a2], [b0, b1, b2], [c0, c1, c2]]
}

/// The denominator of R, and where it is left to the SVD.
#[inline(always)]
fn denominator<L: Number>(s: L, i1: L, j: L) -> (L, L::Mask) {
    let value = s * s * s - i1 * s - (j + j);
    (value, value.lt(L::splat(WELL_DEFINED) * (s * s * s) + L::splat(1e-300)))
}

/// The nearest rotation and `tr(RᵀF)`.
#[inline(always)]
pub fn polar<L: Number>(f: &Mat3<L>) -> (Mat3<L>, L) {
    struct Polar<'a, L>(&'a Mat3<L>);
    impl<L: Number> Long<L> for Polar<'_, L> {
        type Output = (Mat3<L>, L);
        #[inline(always)]
        fn compute(self) -> Self::Output {
            polar_in_place(self.0)
        }
    }
    L::long(Polar(f))
}

/// [`polar`], compiled into its caller.
#[inline(always)]
fn polar_in_place<L: Number>(f: &Mat3<L>) -> (Mat3<L>, L) {
    let cof = mat3::cofactor(f);
    let j = mat3::determinant(f, &cof);
    let i1 = mat3::dot(f, f);
    let s = largest_root(i1, j, mat3::dot(&cof, &cof), TO_POLISH);

    let (denominator, bad) = denominator(s, i1, j);
    let inverse = L::splat(1.0) / L::select(bad, L::splat(1.0), denominator);
    let ftf = mat3::transpose_mul(f, f);
    let fftf = mat3::mul(f, &ftf);
    let (c_f, c_cof, c_cubic) = ((s * s + i1) * inverse, (s + s) * inverse, L::splat(-2.0) * inverse);
    let mut r = mat3::zero();
    for i in 0..3 {
        for k in 0..3 {
            r[i][k] = c_f * f[i][k] + c_cof * cof[i][k] + c_cubic * fftf[i][k];
        }
    }
    r = newton_schulz(&r);
    if L::any(bad) {
        r = mat3::select::<L>(bad, &by_svd(f), &r);
    }
    let sum = mat3::dot(&r, f);
    (r, sum)
}

/// What the rotation makes of one direction.
pub struct Turned<L> {
    /// The turned direction `R g`.
    pub direction: [L; 3],
    /// `F Rᵀ`, the left stretch.
    pub left: Symmetric<L>,
    /// The sum of the stretches, `tr(RᵀF)`.
    pub sum: L,
    /// 1/((σ₁+σ₂)(σ₂+σ₃)(σ₃+σ₁)), at most 1/s³ · 10⁹.
    pub inverse: L,
}

/// The parts of R that derivatives along F + d gᵀ need, without R, to 1e-13:
///
/// ```text
/// R g = [(s² + I₁) F g + 2 s cof(F) g − 2 F Fᵀ F g]/…,      F Rᵀ = [(s² + I₁) F Fᵀ + 2 s J I − 2 (F Fᵀ)²]/…
/// ```
#[inline(always)]
pub fn turned<L: Number>(f: &Mat3<L>, g: &[L; 3]) -> Turned<L> {
    struct Turning<'a, L>(&'a Mat3<L>, &'a [L; 3]);
    impl<L: Number> Long<L> for Turning<'_, L> {
        type Output = Turned<L>;
        #[inline(always)]
        fn compute(self) -> Self::Output {
            turned_in_place(self.0, self.1)
        }
    }
    L::long(Turning(f, g))
}

/// [`turned`], compiled into its caller.
#[inline(always)]
fn turned_in_place<L: Number>(f: &Mat3<L>, g: &[L; 3]) -> Turned<L> {
    let cof = mat3::cofactor(f);
    let j = mat3::determinant(f, &cof);
    let i1 = mat3::dot(f, f);
    let s = largest_root(i1, j, mat3::dot(&cof, &cof), POLISHED);
    let (value, bad) = denominator(s, i1, j);
    let least = L::splat(BOUNDED) * (s * s * s) + L::splat(1e-300);
    let inverse = L::splat(1.0) / value.max(least);
    let (c_f, c_cof, c_cubic) = ((s * s + i1) * inverse, (s + s) * inverse, L::splat(-2.0) * inverse);
    let gram = symmetric::product(f, f);
    let (y, u) = (mat3::apply(f, g), mat3::apply(&cof, g));
    let cubic = symmetric::apply(&gram, &y);
    let mut direction = y;
    for i in 0..3 {
        direction[i] = c_f * y[i] + c_cof * u[i] + c_cubic * cubic[i];
    }
    let mut left = symmetric::add_scaled(&symmetric::isotropic(c_cof * j), c_f, &gram);
    left = symmetric::add_scaled(&left, c_cubic, &symmetric::square(&gram));
    let mut sum = s;
    if L::any(bad) {
        let r = by_svd(f);
        let (q, exact) = (mat3::apply(&r, g), symmetric::product(f, &r));
        for i in 0..3 {
            direction[i] = L::select(bad, q[i], direction[i]);
        }
        for n in 0..6 {
            left[n] = L::select(bad, exact[n], left[n]);
        }
        sum = L::select(bad, exact[0] + exact[1] + exact[2], s);
    }
    Turned { direction, left, sum, inverse: inverse + inverse }
}

/// The root s, so well that the denominator of R is off by at most the part `left` of it, or by rounding.
///
/// A step of Halley's method leaves about ((g″/2g′)² + g‴/6g′) times its cube.
#[inline(always)]
fn largest_root<L: Number>(i1: L, j: L, cof2: L, left: f64) -> L {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let mut s = (L::splat(3.0) * i1).sqrt();
    let constant = i1 * i1 - L::splat(4.0) * cof2;
    let mut open = one;
    for _ in 0..MAX_STEPS {
        let s2 = s * s;
        let value = (s2 - (i1 + i1)) * s2 - L::splat(8.0) * j * s + constant;
        let slope = L::splat(4.0) * ((s2 - i1) * s - (j + j));
        // Half of the second derivative.
        let bend = L::splat(6.0) * s2 - (i1 + i1);
        let denominator = slope * slope - value * bend;
        let safe = L::splat(1e-300).lt(denominator);
        let step = L::select(safe, value * slope / L::select(safe, denominator, one), zero);
        // A lane that has ended stands still: it is independent of its neighbours.
        let was_open = zero.lt(open);
        s = L::select(was_open, s - step, s);
        let (size, steep) = (step.abs(), slope.abs());
        let remains = (bend * bend + L::splat(4.0) * s * steep) * (size * size * size);
        let goes_on = (L::splat(left) * (slope * slope) * steep).lt(L::splat(12.0) * s2 * remains);
        open = L::select(goes_on, open, zero);
        if !L::any(zero.lt(open)) {
            break;
        }
    }
    s
}

/// `R (3I − RᵀR)/2`: halves the digits of the distance to orthogonality.
#[inline(always)]
fn newton_schulz<L: Number>(r: &Mat3<L>) -> Mat3<L> {
    let mut m = mat3::transpose_mul(r, r);
    for i in 0..3 {
        for k in 0..3 {
            m[i][k] = L::splat(-0.5) * m[i][k];
        }
        m[i][i] = m[i][i] + L::splat(1.5);
    }
    mat3::mul(r, &m)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::lanes::Portable;
    use crate::math::svd::tests::hard_matrices;
    use crate::math::symmetric::PLACES;

    #[test]
    fn agrees_with_the_svd_wherever_the_rotation_is_defined() {
        for f in hard_matrices() {
            let lanes = mat3::splat::<Portable>(&f);
            let (r, sum) = polar(&lanes);
            let d = svd(&lanes);
            let want = mat3::extract(&mat3::mul_transpose(&d.u, &d.v), 0);
            let got = mat3::extract(&r, 0);
            let sigma: Vec<f64> = d.sigma.iter().map(|s| s.to_array()[0]).collect();
            let gap = (sigma[1] + sigma[2]) / sigma[0].max(1e-300);
            for i in 0..3 {
                for j in 0..3 {
                    let o: f64 = (0..3).map(|k| got[k][i] * got[k][j]).sum();
                    assert!((o - f64::from(i == j)).abs() < 1e-13, "not orthogonal for {f:?}: {got:?}");
                    if gap > 1e-6 {
                        let error = (got[i][j] - want[i][j]).abs();
                        assert!(error < 2e-14 / gap, "{f:?}: {got:?} {want:?}");
                    }
                }
            }
            let total: f64 = sigma.iter().sum();
            let g = [0.3, -0.8, 0.5];
            let turned = turned(&lanes, &g.map(Portable::splat));
            for sum in [sum, stretch_sum(&lanes), turned.sum] {
                assert!((sum.to_array()[0] - total).abs() <= 1e-13 * sigma[0], "{f:?}");
            }
            for i in 0..3 {
                let direction: f64 = (0..3).map(|k| got[i][k] * g[k]).sum();
                assert!((turned.direction[i].to_array()[0] - direction).abs() < 1e-12, "{f:?}");
            }
            for (number, (i, k)) in turned.left.iter().zip(PLACES) {
                let left: f64 = (0..3).map(|n| f[i][n] * got[k][n]).sum();
                assert!((number.to_array()[0] - left).abs() <= 1e-12 * sigma[0], "{f:?}");
            }
        }
    }
}
