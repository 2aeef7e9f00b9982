//! The curvature of each triangle from the folds at its sides.
//!
//! ```text
//! E = k A/2 (|z_xx|² + |z_yy|² + 2|z_xy|²),      z = S⁻¹ (folds of its three hinges)
//! ```
//!
//! The columns of S are the folds that curvatures of 1 make. Every quadratic shape has its exact energy, on any mesh. A
//! triangle at the border lacks folds. Of all curvatures that make its other folds it takes the one of least energy,
//! which is the natural condition of a free edge. This is the rotation-free plate element of \[Onate2000\], written in
//! x rather than in normals, so that it stays quadratic.
//!
//! Constant curvature is also free of forces inside where all vertices have alike neighbourhoods; on grids whose
//! diagonals alternate it is not, and sheets bend further than they should.

use super::{Frame, Hinge, element, sides};
use crate::energy::lengths::Length;

/// Folds whose Gram determinant is below this part of its diagonal are taken for dependent.
const DEPENDENT: f64 = 1e-4;

/// The elements, up to three for each triangle. `stiffness` is k in N·m for each of `triangles`; with `flat`, a plane
/// is the shape without energy, whatever `rest` is.
pub fn elements(
    hinges: &[Hinge],
    triangles: &[[u32; 3]],
    rest: &[[f64; 3]],
    stiffness: &[f64],
    flat: bool,
) -> Vec<Length> {
    let mut out = vec![];
    for (t, sides) in sides(hinges, triangles.len()).iter().enumerate() {
        let frame = Frame::new(triangles[t], rest);
        let own: Vec<Hinge> = sides.iter().map(|h| hinges[*h]).collect();
        let folds: Vec<[f64; 3]> = own.iter().map(|h| frame.folds(h, t, rest)).collect();
        let Some((used, inverse)) = invert(&folds) else { continue };
        for (row, share) in [1.0, 1.0, 2.0].into_iter().enumerate() {
            let mut corners: Vec<(u32, f64)> = triangles[t].map(|v| (v, 0.0)).to_vec();
            for (i, factors) in used.iter().zip(&inverse) {
                for (v, k) in own[*i].vertices().into_iter().zip(own[*i].cotangents(rest)) {
                    let known = corners.iter().position(|(u, _)| *u == v).unwrap_or_else(|| {
                        corners.push((v, 0.0));
                        corners.len() - 1
                    });
                    corners[known].1 += factors[row] * k;
                }
            }
            out.push(element(&corners, stiffness[t] * frame.area * share, rest, flat));
        }
    }
    out
}

/// The numbers of as many independent folds as there are, and for each of them the curvatures (xx, yy, xy) that it
/// stands for. Together these are the curvatures of least energy that make all folds. `None` without any fold.
fn invert(folds: &[[f64; 3]]) -> Option<(Vec<usize>, Vec<[f64; 3]>)> {
    let mut subsets: Vec<Vec<usize>> = (1..1usize << folds.len())
        .map(|bits| (0..folds.len()).filter(|i| bits >> i & 1 == 1).collect())
        .collect();
    // The largest subsets come first, and among equally large ones the most independent.
    subsets.sort_by(|a, b| {
        let key = |s: &Vec<usize>| gram(folds, s).1;
        b.len().cmp(&a.len()).then(key(b).total_cmp(&key(a)))
    });
    let used = subsets.into_iter().find(|subset| gram(folds, subset).1 > DEPENDENT)?;
    let inverse = inverse(gram(folds, &used).0, used.len());
    let weighted = |i: usize| [folds[i][0], folds[i][1], 0.5 * folds[i][2]];
    let curvature = |column: usize| {
        std::array::from_fn(|row| {
            used.iter().enumerate().map(|(j, i)| weighted(*i)[row] * inverse[j][column]).sum()
        })
    };
    let factors = (0..used.len()).map(curvature).collect();
    Some((used, factors))
}

/// The products of folds in the metric of energies, and their determinant relative to the diagonal.
fn gram(folds: &[[f64; 3]], used: &[usize]) -> ([[f64; 3]; 3], f64) {
    let mut m = [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for (i, a) in used.iter().enumerate() {
        for (j, b) in used.iter().enumerate() {
            let (a, b) = (folds[*a], folds[*b]);
            m[i][j] = a[0] * b[0] + a[1] * b[1] + 0.5 * a[2] * b[2];
        }
    }
    let determinant = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1])
        - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
        + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    (m, determinant / (m[0][0] * m[1][1] * m[2][2]))
}

/// The inverse of the leading n×n part of a positive definite matrix, by Gauss and Jordan.
fn inverse(mut m: [[f64; 3]; 3], n: usize) -> [[f64; 3]; 3] {
    let mut out = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for i in 0..n {
        let pivot = m[i][i];
        for k in 0..n {
            m[i][k] /= pivot;
            out[i][k] /= pivot;
        }
        for j in (0..n).filter(|j| *j != i) {
            let factor = m[j][i];
            for k in 0..n {
                m[j][k] -= factor * m[i][k];
                out[j][k] -= factor * out[i][k];
            }
        }
    }
    out
}
