//! Stiffness warping: a matrix of the rest state, turned at each vertex \[Muller2002\].
//!
//! ```text
//! R K Rᵀ,      R_v = polar(Σ_u (x_u − x_v)(X_u − X_v)ᵀ/|X_u − X_v|²)
//! ```
//!
//! Neighbours u are the vertices of the same elements, counted once for each element. The matrix stays symmetric and positive
//! definite, and its factor is that of K. Since the vertices of an element turn by different rotations, its forces do not sum to
//! zero any more \[Liu2017, 5\]. A vertex whose neighbourhood has no area keeps the identity.

use crate::step::Objective;
use elements::math::lanes::{Lane, Portable, Vec4};
use elements::math::mat3;
use elements::math::polar::polar;
use elements::math::vec3;

/// A 3×3 matrix by rows.
type Matrix = [[f64; 3]; 3];

const IDENTITY: Matrix = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// The rotations of all unknowns.
#[derive(Default)]
pub(super) struct Warp {
    rotations: Vec<Matrix>,
    turned: Vec<Vec4>,
}

impl Warp {
    /// Takes the rotations between the rest state and `x`.
    pub(super) fn follow(&mut self, objective: &Objective, x: &[Vec4]) {
        let mut sums: Vec<Matrix> = vec![Matrix::default(); objective.free];
        for term in &objective.terms {
            for element in 0..term.len() {
                let corners = term.element(element);
                for v in corners.iter().map(|v| *v as usize).filter(|v| *v < objective.free) {
                    for u in corners.iter().map(|u| *u as usize).filter(|u| *u != v) {
                        let rest = vec3::sub(objective.rest[u].xyz(), objective.rest[v].xyz());
                        let now = vec3::sub(x[u].xyz(), x[v].xyz());
                        let square = vec3::dot(rest, rest);
                        if square > 0.0 {
                            add_outer(&mut sums[v], now, vec3::scale(1.0 / square, rest));
                        }
                    }
                }
            }
        }
        self.rotations = sums.iter().map(rotation).collect();
    }

    /// Computes `x = R K⁻¹ Rᵀ b`, where `solve` applies K⁻¹.
    pub(super) fn solve(&mut self, b: &[Vec4], x: &mut [Vec4], solve: impl FnOnce(&[Vec4], &mut [Vec4])) {
        self.turned.clear();
        self.turned.extend(b.iter().zip(&self.rotations).map(|(b, r)| Vec4::new(back(r, b.xyz()))));
        solve(&self.turned, x);
        x.iter_mut().zip(&self.rotations).for_each(|(x, r)| *x = Vec4::new(forth(r, x.xyz())));
    }
}

impl Warp {
    /// Computes `R f(Rᵀ x)` on numbers, three for each unknown; without rotations it is `f(x)`.
    pub(super) fn around(&self, x: &[f64], f: impl FnOnce(Vec<f64>) -> Vec<f64>) -> Vec<f64> {
        let turned = |x: &[f64], turn: fn(&Matrix, [f64; 3]) -> [f64; 3]| -> Vec<f64> {
            if self.rotations.is_empty() {
                return x.to_vec();
            }
            x.chunks_exact(3).zip(&self.rotations).flat_map(|(x, r)| turn(r, [x[0], x[1], x[2]])).collect()
        };
        turned(&f(turned(x, back)), forth)
    }
}

fn add_outer(sum: &mut Matrix, a: [f64; 3], b: [f64; 3]) {
    for (row, a) in sum.iter_mut().zip(a) {
        row.iter_mut().zip(b).for_each(|(entry, b)| *entry += a * b);
    }
}

/// The rotation nearest to a matrix; the identity for one of rank below 2, where none is nearest.
fn rotation(f: &Matrix) -> Matrix {
    let cofactors = mat3::cofactor(&mat3::splat::<Portable>(f));
    let area = mat3::dot(&cofactors, &cofactors).to_array()[0].sqrt();
    let square: f64 = f.iter().flatten().map(|entry| entry * entry).sum();
    if area.is_nan() || area <= 1e-9 * square {
        return IDENTITY;
    }
    mat3::extract(&polar(&mat3::splat::<Portable>(f)).0, 0)
}

/// R v.
fn forth(r: &Matrix, v: [f64; 3]) -> [f64; 3] {
    r.map(|row| vec3::dot(row, v))
}

/// Rᵀ v.
fn back(r: &Matrix, v: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| r[0][k] * v[0] + r[1][k] * v[1] + r[2][k] * v[2])
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUARTER: Matrix = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];

    #[test]
    fn a_stretched_quarter_turn_is_a_quarter_turn() {
        let stretched = QUARTER.map(|row| [3.0 * row[0], 2.0 * row[1], 5.0 * row[2]]);
        let found = rotation(&stretched);
        assert!((0..9).all(|i| (found[i / 3][i % 3] - QUARTER[i / 3][i % 3]).abs() < 1e-12), "{found:?}");
        assert_eq!(rotation(&[[1.0, 0.0, 0.0], [0.0; 3], [0.0; 3]]), IDENTITY);
        assert_eq!(rotation(&Matrix::default()), IDENTITY);
    }

    #[test]
    fn vectors_turn_back_and_forth_around_the_solve() {
        let mut warp = Warp { rotations: vec![QUARTER], turned: vec![] };
        let mut x = [Vec4::ZERO];
        // K is diag(1, 2, 4); turned by a quarter about z it is diag(2, 1, 4).
        let inverse = |b: &[Vec4], x: &mut [Vec4]| {
            let b = b[0].xyz();
            x[0] = Vec4::new([b[0], b[1] / 2.0, b[2] / 4.0]);
        };
        warp.solve(&[Vec4::new([1.0, 1.0, 1.0])], &mut x, inverse);
        assert_eq!(x[0].xyz(), [0.5, 1.0, 0.25]);
    }
}
