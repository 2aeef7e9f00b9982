//! Symmetric 3×3 matrices in lanes, as six numbers: xx, yy, zz, xy, xz, yz.

use super::lanes::Number;
use super::mat3::Mat3;

/// Four symmetric matrices, one per lane.
pub type Symmetric<L> = [L; 6];

/// Row and column of each number.
pub const PLACES: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];

/// The multiple `s I` of the identity.
#[inline(always)]
pub fn isotropic<L: Number>(s: L) -> Symmetric<L> {
    let zero = L::splat(0.0);
    [s, s, s, zero, zero, zero]
}

/// The sum `A + s B` of matrices.
#[inline(always)]
pub fn add_scaled<L: Number>(a: &Symmetric<L>, s: L, b: &Symmetric<L>) -> Symmetric<L> {
    let mut out = *a;
    for n in 0..6 {
        out[n] = out[n] + s * b[n];
    }
    out
}

/// The rank-one update `A + s v vᵀ`.
#[inline(always)]
pub fn add_outer<L: Number>(a: &Symmetric<L>, s: L, v: &[L; 3]) -> Symmetric<L> {
    let mut out = *a;
    let scaled = [s * v[0], s * v[1], s * v[2]];
    for n in 0..6 {
        let (i, k) = PLACES[n];
        out[n] = out[n] + scaled[i] * v[k];
    }
    out
}

/// The product `A v` of a matrix and a vector.
#[inline(always)]
pub fn apply<L: Number>(a: &Symmetric<L>, v: &[L; 3]) -> [L; 3] {
    let [xx, yy, zz, xy, xz, yz] = *a;
    [xx * v[0] + xy * v[1] + xz * v[2], xy * v[0] + yy * v[1] + yz * v[2], xz * v[0] + yz * v[1] + zz * v[2]]
}

/// The upper half of `A Bᵀ`, for matrices whose product is symmetric.
#[inline(always)]
pub fn product<L: Number>(a: &Mat3<L>, b: &Mat3<L>) -> Symmetric<L> {
    let mut out = [L::splat(0.0); 6];
    for n in 0..6 {
        let (i, k) = PLACES[n];
        out[n] = a[i][0] * b[k][0] + a[i][1] * b[k][1] + a[i][2] * b[k][2];
    }
    out
}

/// The square `A²` of a matrix.
#[inline(always)]
pub fn square<L: Number>(a: &Symmetric<L>) -> Symmetric<L> {
    let [xx, yy, zz, xy, xz, yz] = *a;
    let (xy2, xz2, yz2) = (xy * xy, xz * xz, yz * yz);
    [
        xx * xx + xy2 + xz2,
        yy * yy + xy2 + yz2,
        zz * zz + xz2 + yz2,
        (xx + yy) * xy + xz * yz,
        (xx + zz) * xz + xy * yz,
        (yy + zz) * yz + xy * xz,
    ]
}

/// The cofactors of a matrix, `det(A) A⁻¹`.
#[inline(always)]
pub fn cofactors<L: Number>(a: &Symmetric<L>) -> Symmetric<L> {
    let [xx, yy, zz, xy, xz, yz] = *a;
    [
        yy * zz - yz * yz,
        xx * zz - xz * xz,
        xx * yy - xy * xy,
        xz * yz - xy * zz,
        xy * yz - xz * yy,
        xy * xz - xx * yz,
    ]
}

/// `Qᵀ A Q`, where `Q d = q × d`.
#[inline(always)]
pub fn crossed<L: Number>(q: &[L; 3], a: &Symmetric<L>) -> Symmetric<L> {
    let [xx, yy, zz, xy, xz, yz] = *a;
    let [x2, y2, z2] = [q[0] * q[0], q[1] * q[1], q[2] * q[2]];
    let [xyq, xzq, yzq] = [q[0] * q[1], q[0] * q[2], q[1] * q[2]];
    [
        z2 * yy + y2 * zz - (yzq + yzq) * yz,
        z2 * xx + x2 * zz - (xzq + xzq) * xz,
        y2 * xx + x2 * yy - (xyq + xyq) * xy,
        xzq * yz + yzq * xz - z2 * xy - xyq * zz,
        yzq * xy + xyq * yz - xzq * yy - y2 * xz,
        xzq * xy + xyq * xz - yzq * xx - x2 * yz,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::lanes::{Lane, Portable};
    use crate::math::vec3::{cross, dot};

    const A: [f64; 6] = [2.0, 3.0, -1.5, 0.4, -0.7, 0.9];
    const V: [f64; 3] = [0.3, -1.2, 0.8];

    fn lanes<const N: usize>(a: [f64; N]) -> [Portable; N] {
        a.map(Portable::splat)
    }

    fn full(a: &Symmetric<Portable>) -> [[f64; 3]; 3] {
        let mut out = [[0.0; 3]; 3];
        for (value, (i, k)) in a.iter().zip(PLACES) {
            (out[i][k], out[k][i]) = (value.to_array()[0], value.to_array()[0]);
        }
        out
    }

    fn check(got: &Symmetric<Portable>, want: impl Fn(usize, usize) -> f64) {
        let got = full(got);
        for (i, k) in PLACES {
            assert!((got[i][k] - want(i, k)).abs() < 1e-14, "{i}{k}: {} {}", got[i][k], want(i, k));
        }
    }

    #[test]
    fn every_operation_is_that_of_the_full_matrix() {
        let (a, v) = (lanes(A), lanes(V));
        let m = full(&a);
        let unit = |i: usize| std::array::from_fn::<f64, 3, _>(|k| f64::from(i == k));
        let times = |x: [f64; 3]| m.map(|row| dot(row, x));
        assert_eq!(apply(&a, &v).map(|x| x.to_array()[0]), times(V));
        check(&isotropic(Portable::splat(2.5)), |i, k| 2.5 * unit(i)[k]);
        check(&add_outer(&a, Portable::splat(0.5), &v), |i, k| m[i][k] + 0.5 * V[i] * V[k]);
        check(&add_scaled(&a, Portable::splat(-3.0), &a), |i, k| -2.0 * m[i][k]);
        check(&crossed(&v, &a), |i, k| dot(cross(V, unit(i)), times(cross(V, unit(k)))));
        let rows = m.map(lanes::<3>);
        check(&product(&rows, &rows), |i, k| dot(m[i], m[k]));
        check(&square(&a), |i, k| dot(m[i], m[k]));
        let c = full(&cofactors(&a));
        let det = dot(m[0], c[0]);
        for i in 0..3 {
            for k in 0..3 {
                assert!((dot(m[i], c[k]) - det * unit(i)[k]).abs() < 1e-13);
            }
        }
    }
}
