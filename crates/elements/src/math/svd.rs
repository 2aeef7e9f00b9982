//! Signed singular value decomposition of 3×3 matrices, in lanes.
//!
//! ```text
//! F = U diag(σ) Vᵀ,      U, V rotations,      σ₁ ≥ σ₂ ≥ |σ₃|,      sign σ₃ = sign det F
//! ```
//!
//! \[Irving2004\]. Two Jacobi sweeps on FᵀF give V nearly; one-sided Jacobi on the columns of F V then
//! removes the error that squaring made. A lane that has converged rotates by exactly zero, so its result
//! does not depend on the matrices that share its block.

use super::lanes::{Long, Number};
use super::mat3::{self, Mat3, dot3};

/// `F = U diag(σ) Vᵀ`.
pub struct Svd<L> {
    /// The left rotation U.
    pub u: Mat3<L>,
    /// Signed stretches, descending.
    pub sigma: [L; 3],
    /// Right rotation.
    pub v: Mat3<L>,
}

/// Columns count as orthogonal below this cosine.
const ORTHOGONAL: f64 = 1e-15;
/// One-sided sweeps at the most; two are usual.
const MAX_SWEEPS: usize = 8;
const PAIRS: [(usize, usize); 3] = [(0, 1), (0, 2), (1, 2)];

/// The decomposition of any finite matrix, singular and inverted ones included.
#[inline(always)]
pub fn svd<L: Number>(f: &Mat3<L>) -> Svd<L> {
    struct Decomposition<'a, L>(&'a Mat3<L>);
    impl<L: Number> Long<L> for Decomposition<'_, L> {
        type Output = Svd<L>;
        #[inline(always)]
        fn compute(self) -> Self::Output {
            in_place(self.0)
        }
    }
    L::long(Decomposition(f))
}

/// [`svd`], compiled into its caller.
#[inline(always)]
fn in_place<L: Number>(f: &Mat3<L>) -> Svd<L> {
    let mut v = eigenvectors(mat3::transpose_mul(f, f));
    let mut b = mat3::mul(f, &v);
    for _ in 0..MAX_SWEEPS {
        if !orthogonalize(&mut b, &mut v) {
            break;
        }
    }
    sort(&mut b, &mut v);
    let (u, sigma) = left(&b);
    Svd { u, sigma, v }
}

/// Cosine, sine and tangent of the rotation that makes `[[p, g], [g, q]]` diagonal; zero angle where it is not wanted.
#[inline(always)]
fn rotation<L: Number>(p: L, q: L, g: L, wanted: L::Mask) -> (L, L, L) {
    let zero = L::splat(0.0);
    let d = q - p;
    let root = (d * d + L::splat(4.0) * g * g).sqrt();
    let denominator = (d.abs() + root).max(L::splat(1e-300));
    let t = (g + g) / denominator;
    let t = L::select(d.lt(zero), -t, t);
    let t = L::select(wanted, t, zero);
    let c = L::splat(1.0) / (L::splat(1.0) + t * t).sqrt();
    (c, c * t, t)
}

/// Rotates columns `p` and `q`.
#[inline(always)]
fn rotate<L: Number>(m: &mut Mat3<L>, p: usize, q: usize, c: L, s: L) {
    for row in 0..3 {
        let (a, b) = (m[row][p], m[row][q]);
        m[row][p] = c * a - s * b;
        m[row][q] = s * a + c * b;
    }
}

/// Two cyclic Jacobi sweeps on a symmetric matrix.
#[inline(always)]
fn eigenvectors<L: Number>(mut s: Mat3<L>) -> Mat3<L> {
    let mut v = mat3::splat(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    for _ in 0..2 {
        for (p, q) in PAIRS {
            let r = 3 - p - q;
            let g = s[p][q];
            let (c, sn, t) = rotation(s[p][p], s[q][q], g, L::splat(0.0).lt(g.abs()));
            s[p][p] = s[p][p] - t * g;
            s[q][q] = s[q][q] + t * g;
            s[p][q] = L::splat(0.0);
            s[q][p] = L::splat(0.0);
            let (a, b) = (s[r][p], s[r][q]);
            s[r][p] = c * a - sn * b;
            s[p][r] = s[r][p];
            s[r][q] = sn * a + c * b;
            s[q][r] = s[r][q];
            rotate(&mut v, p, q, c, sn);
        }
    }
    v
}

/// One sweep of one-sided Jacobi; true if any lane rotated.
#[inline(always)]
fn orthogonalize<L: Number>(b: &mut Mat3<L>, v: &mut Mat3<L>) -> bool {
    let mut rotated = false;
    for (p, q) in PAIRS {
        let pp = b[0][p] * b[0][p] + b[1][p] * b[1][p] + b[2][p] * b[2][p];
        let qq = b[0][q] * b[0][q] + b[1][q] * b[1][q] + b[2][q] * b[2][q];
        let g = b[0][p] * b[0][q] + b[1][p] * b[1][q] + b[2][p] * b[2][q];
        let wanted = (L::splat(ORTHOGONAL * ORTHOGONAL) * pp * qq).lt(g * g);
        if L::any(wanted) {
            rotated = true;
            let (c, s, _) = rotation(pp, qq, g, wanted);
            rotate(b, p, q, c, s);
            rotate(v, p, q, c, s);
        }
    }
    rotated
}

/// Sorts the columns by length, descending; swapped columns change one sign, so that V stays a rotation.
#[inline(always)]
fn sort<L: Number>(b: &mut Mat3<L>, v: &mut Mat3<L>) {
    for (p, q) in [(0, 1), (0, 2), (1, 2)] {
        let pp = b[0][p] * b[0][p] + b[1][p] * b[1][p] + b[2][p] * b[2][p];
        let qq = b[0][q] * b[0][q] + b[1][q] * b[1][q] + b[2][q] * b[2][q];
        let swap = pp.lt(qq);
        for row in 0..3 {
            let (x, y) = (b[row][p], b[row][q]);
            b[row][p] = L::select(swap, y, x);
            b[row][q] = L::select(swap, -x, y);
            let (x, y) = (v[row][p], v[row][q]);
            v[row][p] = L::select(swap, y, x);
            v[row][q] = L::select(swap, -x, y);
        }
    }
}

/// U and the signed stretches from orthogonal, sorted columns; where a column vanishes, any completion to a
/// rotation serves, and for F = 0 it is the identity.
#[inline(always)]
fn left<L: Number>(b: &Mat3<L>) -> (Mat3<L>, [L; 3]) {
    let zero = L::splat(0.0);
    let one = L::splat(1.0);
    let tiny = L::splat(1e-150);
    let column = [[b[0][0], b[1][0], b[2][0]], [b[0][1], b[1][1], b[2][1]], [b[0][2], b[1][2], b[2][2]]];
    let norm0 = dot3(&column[0], &column[0]).sqrt();
    let vanished = norm0.lt(tiny);
    let inverse = one / L::select(vanished, one, norm0);
    let u0 = [
        L::select(vanished, one, column[0][0] * inverse),
        L::select(vanished, zero, column[0][1] * inverse),
        L::select(vanished, zero, column[0][2] * inverse),
    ];
    let norm1 = dot3(&column[1], &column[1]).sqrt();
    let w = reject(&column[1], &u0);
    let length = dot3(&w, &w).sqrt();
    // Noise instead of a direction: shorter than rounding of the first column would allow.
    let lost = length.lt((norm1 * L::splat(0.5)).max(norm0 * L::splat(1e-15)).max(tiny));
    let flat = u0[0].abs().lt(L::splat(0.6));
    let axis = [L::select(flat, one, zero), L::select(flat, zero, one), zero];
    let other = reject(&axis, &u0);
    let w =
        [L::select(lost, other[0], w[0]), L::select(lost, other[1], w[1]), L::select(lost, other[2], w[2])];
    let inverse = one / dot3(&w, &w).sqrt();
    let u1 = [w[0] * inverse, w[1] * inverse, w[2] * inverse];
    let u2 = [u0[1] * u1[2] - u0[2] * u1[1], u0[2] * u1[0] - u0[0] * u1[2], u0[0] * u1[1] - u0[1] * u1[0]];
    let sigma = [dot3(&u0, &column[0]), dot3(&u1, &column[1]), dot3(&u2, &column[2])];
    let u = [[u0[0], u1[0], u2[0]], [u0[1], u1[1], u2[1]], [u0[2], u1[2], u2[2]]];
    (u, sigma)
}

/// `a` without its part along the unit vector `u`.
#[inline(always)]
fn reject<L: Number>(a: &[L; 3], u: &[L; 3]) -> [L; 3] {
    let s = dot3(a, u);
    [a[0] - s * u[0], a[1] - s * u[1], a[2] - s * u[2]]
}

/// `U diag(d) Vᵀ`.
#[inline(always)]
pub fn compose<L: Number>(u: &Mat3<L>, d: &[L; 3], v: &Mat3<L>) -> Mat3<L> {
    let mut ud = mat3::zero();
    for i in 0..3 {
        for j in 0..3 {
            ud[i][j] = u[i][j] * d[j];
        }
    }
    mat3::mul_transpose(&ud, v)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::math::lanes::{Kernel, Lane, Portable, dispatch};

    /// Matrices that break decompositions: random, inverted, flat, zero, equal and nearly equal stretches.
    pub(crate) fn hard_matrices() -> Vec<[[f64; 3]; 3]> {
        let mut state = 7u64;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
        };
        let mut matrix =
            move || -> [[f64; 3]; 3] { std::array::from_fn(|_| std::array::from_fn(|_| random())) };
        let mut all = vec![
            [[0.0; 3]; 3],
            [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]],
            [[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]],
            [[2.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
            [[0.0, 0.0, 3.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
            [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]],
            [[1.0, 1e-9, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1e-9]],
            [[1e-8, 0.0, 0.0], [0.0, 1e-3, 0.0], [0.0, 1e-14, 1e5]],
            [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0 + 1e-12]],
        ];
        for i in 0..400 {
            let mut m = matrix();
            match i % 5 {
                1 => m[2] = [m[0][0] + m[1][0], m[0][1] + m[1][1], m[0][2] + m[1][2]],
                2 => (0..3).for_each(|j| m[j][0] *= 1e-7),
                3 => (0..3).for_each(|j| m[1][j] = m[0][j] * 2.0),
                4 => m.iter_mut().flatten().for_each(|a| *a *= 1e4),
                _ => {}
            }
            all.push(m);
        }
        all
    }

    struct Decompose<'a>(&'a [[[f64; 3]; 3]]);
    impl Kernel for Decompose<'_> {
        type Output = Vec<[f64; 21]>;
        #[inline(always)]
        fn run<L: Lane>(self) -> Self::Output {
            let mut out = Vec::new();
            for block in self.0.chunks(4) {
                let mut f = mat3::zero::<L>();
                for i in 0..3 {
                    for j in 0..3 {
                        let mut lanes = [0.0; 4];
                        for (k, m) in block.iter().enumerate() {
                            lanes[k] = m[i][j];
                        }
                        f[i][j] = L::load(&lanes);
                    }
                }
                let d = svd(&f);
                for k in 0..block.len() {
                    let (u, v) = (mat3::extract(&d.u, k), mat3::extract(&d.v, k));
                    let mut row = [0.0; 21];
                    for i in 0..9 {
                        row[i] = u[i / 3][i % 3];
                        row[9 + i] = v[i / 3][i % 3];
                    }
                    for i in 0..3 {
                        row[18 + i] = d.sigma[i].to_array()[k];
                    }
                    out.push(row);
                }
            }
            out
        }
    }

    #[test]
    fn decomposes_everything_to_rounding() {
        let matrices = hard_matrices();
        let results = dispatch(Decompose(&matrices));
        assert_eq!(results, Decompose(&matrices).run::<Portable>());
        for (f, r) in matrices.iter().zip(&results) {
            let at = |m: usize, i: usize, j: usize| r[m + 3 * i + j];
            let size = f.iter().flatten().fold(0.0f64, |a, x| a.max(x.abs()));
            for i in 0..3 {
                for j in 0..3 {
                    let back: f64 = (0..3).map(|k| at(0, i, k) * r[18 + k] * at(9, j, k)).sum();
                    assert!((back - f[i][j]).abs() <= 1e-14 * size, "{f:?}: {back} at {i}{j}");
                    for m in [0, 9] {
                        let o: f64 = (0..3).map(|k| at(m, k, i) * at(m, k, j)).sum();
                        assert!((o - f64::from(i == j)).abs() < 4e-15, "not orthogonal: {f:?}");
                    }
                }
            }
            for m in [0, 9] {
                let det: f64 = (0..3)
                    .map(|k| {
                        at(m, 0, k)
                            * (at(m, 1, (k + 1) % 3) * at(m, 2, (k + 2) % 3)
                                - at(m, 1, (k + 2) % 3) * at(m, 2, (k + 1) % 3))
                    })
                    .sum();
                assert!((det - 1.0).abs() < 1e-14, "reflection: {f:?}");
            }
            assert!(r[18] >= r[19] - 1e-15 * size && r[19] >= r[20].abs() - 1e-14 * size, "{f:?} {r:?}");
        }
    }

    #[test]
    fn a_lane_does_not_depend_on_its_neighbours() {
        let matrices = hard_matrices();
        let together = dispatch(Decompose(&matrices));
        for (m, t) in matrices.iter().zip(&together) {
            assert_eq!(dispatch(Decompose(&[*m]))[0], *t);
        }
    }
}
