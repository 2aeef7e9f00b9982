//! 3×3 matrices in lanes, row major: `m[row][column]`.

use super::lanes::{Lane, Number};

/// Four 3×3 matrices, one per lane.
pub type Mat3<L> = [[L; 3]; 3];

/// The zero matrix.
#[inline(always)]
pub fn zero<L: Number>() -> Mat3<L> {
    [[L::splat(0.0); 3]; 3]
}

/// The product `A B`.
#[inline(always)]
pub fn mul<L: Number>(a: &Mat3<L>, b: &Mat3<L>) -> Mat3<L> {
    let mut out = zero();
    for i in 0..3 {
        for j in 0..3 {
            out[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
        }
    }
    out
}

/// The product `Aᵀ B`.
#[inline(always)]
pub fn transpose_mul<L: Number>(a: &Mat3<L>, b: &Mat3<L>) -> Mat3<L> {
    let mut out = zero();
    for i in 0..3 {
        for j in 0..3 {
            out[i][j] = a[0][i] * b[0][j] + a[1][i] * b[1][j] + a[2][i] * b[2][j];
        }
    }
    out
}

/// The product `A Bᵀ`.
#[inline(always)]
pub fn mul_transpose<L: Number>(a: &Mat3<L>, b: &Mat3<L>) -> Mat3<L> {
    let mut out = zero();
    for i in 0..3 {
        for j in 0..3 {
            out[i][j] = a[i][0] * b[j][0] + a[i][1] * b[j][1] + a[i][2] * b[j][2];
        }
    }
    out
}

/// The cofactor matrix, `det(A) A⁻ᵀ` where `A` is invertible.
#[inline(always)]
pub fn cofactor<L: Number>(a: &Mat3<L>) -> Mat3<L> {
    let mut out = zero();
    for i in 0..3 {
        let (r, s) = ((i + 1) % 3, (i + 2) % 3);
        for j in 0..3 {
            let (c, d) = ((j + 1) % 3, (j + 2) % 3);
            out[i][j] = a[r][c] * a[s][d] - a[r][d] * a[s][c];
        }
    }
    out
}

/// The determinant, from the cofactors.
#[inline(always)]
pub fn determinant<L: Number>(a: &Mat3<L>, cofactor: &Mat3<L>) -> L {
    a[0][0] * cofactor[0][0] + a[0][1] * cofactor[0][1] + a[0][2] * cofactor[0][2]
}

/// The inner product `Σ a_ij b_ij` of two matrices.
#[inline(always)]
pub fn dot<L: Number>(a: &Mat3<L>, b: &Mat3<L>) -> L {
    let r0 = a[0][0] * b[0][0] + a[0][1] * b[0][1] + a[0][2] * b[0][2];
    let r1 = a[1][0] * b[1][0] + a[1][1] * b[1][1] + a[1][2] * b[1][2];
    let r2 = a[2][0] * b[2][0] + a[2][1] * b[2][1] + a[2][2] * b[2][2];
    r0 + r1 + r2
}

/// The product `A v` of a matrix and a vector.
#[inline(always)]
pub fn apply<L: Number>(a: &Mat3<L>, v: &[L; 3]) -> [L; 3] {
    [dot3(&a[0], v), dot3(&a[1], v), dot3(&a[2], v)]
}

/// `a · b` of two vectors.
#[inline(always)]
pub fn dot3<L: Number>(a: &[L; 3], b: &[L; 3]) -> L {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The linear combination `s A + t B`.
#[inline(always)]
pub fn combine<L: Number>(s: L, a: &Mat3<L>, t: L, b: &Mat3<L>) -> Mat3<L> {
    let mut out = zero();
    for i in 0..3 {
        for j in 0..3 {
            out[i][j] = s * a[i][j] + t * b[i][j];
        }
    }
    out
}

/// The sum `A + B` of two matrices.
#[inline(always)]
pub fn add<L: Number>(a: &Mat3<L>, b: &Mat3<L>) -> Mat3<L> {
    let mut out = zero();
    for i in 0..3 {
        for j in 0..3 {
            out[i][j] = a[i][j] + b[i][j];
        }
    }
    out
}

/// The difference `A − B` of two matrices.
#[inline(always)]
pub fn sub<L: Number>(a: &Mat3<L>, b: &Mat3<L>) -> Mat3<L> {
    let mut out = zero();
    for i in 0..3 {
        for j in 0..3 {
            out[i][j] = a[i][j] - b[i][j];
        }
    }
    out
}

/// The product `s A` of a number and a matrix.
#[inline(always)]
pub fn scale<L: Number>(s: L, a: &Mat3<L>) -> Mat3<L> {
    let mut out = zero();
    for i in 0..3 {
        for j in 0..3 {
            out[i][j] = s * a[i][j];
        }
    }
    out
}

/// The entries of `yes` in the lanes where `mask` holds, those of `no` elsewhere.
#[inline(always)]
pub fn select<L: Number>(mask: L::Mask, yes: &Mat3<L>, no: &Mat3<L>) -> Mat3<L> {
    let mut out = zero();
    for i in 0..3 {
        for j in 0..3 {
            out[i][j] = L::select(mask, yes[i][j], no[i][j]);
        }
    }
    out
}

/// The same matrix in all lanes.
#[inline(always)]
pub fn splat<L: Number>(a: &[[f64; 3]; 3]) -> Mat3<L> {
    let mut out = zero();
    for i in 0..3 {
        for j in 0..3 {
            out[i][j] = L::splat(a[i][j]);
        }
    }
    out
}

/// The matrix of one lane.
#[inline(always)]
pub fn extract<L: Lane>(a: &Mat3<L>, lane: usize) -> [[f64; 3]; 3] {
    let mut out = [[0.0; 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            out[i][j] = a[i][j].to_array()[lane];
        }
    }
    out
}
