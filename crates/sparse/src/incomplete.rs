//! Incomplete Cholesky factors without fill-in, as preconditioners.
//!
//! ```text
//! L Lᵀ ≈ A,      L has the pattern of A's lower triangle, and (L Lᵀ)_ij = A_ij on that pattern
//! ```
//!
//! A pivot may fail to be positive, even if A is positive definite. Then everything is done again with A + σ diag A and
//! a larger σ \[Manteuffel1980\].

use super::matrix::SymmetricMatrix;

/// The shift σ of the second try; each further try takes four times the last one.
const FIRST_SHIFT: f64 = 1e-3;
const LARGEST_SHIFT: f64 = 1e6;
/// A pivot must keep at least this part of its diagonal entry.
const SMALLEST_PIVOT: f64 = 1e-6;

/// The factor L by rows, which is Lᵀ in the layout of the matrix, with the diagonal last in each column.
pub struct IncompleteCholesky {
    factor: SymmetricMatrix,
}

impl IncompleteCholesky {
    /// Factorizes a matrix with a positive diagonal.
    pub fn new(matrix: &SymmetricMatrix) -> IncompleteCholesky {
        let mut factor = matrix.clone();
        let mut shift = 0.0;
        // A NaN would remain with any shift, so the shifts are bounded.
        while !factorize(matrix, shift, &mut factor) && shift < LARGEST_SHIFT {
            shift = if shift == 0.0 { FIRST_SHIFT } else { 4.0 * shift };
        }
        IncompleteCholesky { factor }
    }

    /// Computes `x ← (L Lᵀ)⁻¹ x` for `width` interleaved right-hand sides.
    pub fn solve(&self, width: usize, x: &mut [f64]) {
        let factor = &self.factor;
        for j in 0..factor.size {
            let (before, own) = x.split_at_mut(width * j);
            let (rows, values) = factor.column(j);
            let last = rows.len() - 1;
            for (i, value) in rows[..last].iter().zip(values) {
                let other = &before[width * *i as usize..][..width];
                own.iter_mut().zip(other).for_each(|(x, other)| *x -= value * other);
            }
            own[..width].iter_mut().for_each(|x| *x /= values[last]);
        }
        for j in (0..factor.size).rev() {
            let (before, own) = x.split_at_mut(width * j);
            let (rows, values) = factor.column(j);
            let last = rows.len() - 1;
            own[..width].iter_mut().for_each(|x| *x /= values[last]);
            for (i, value) in rows[..last].iter().zip(values) {
                let other = &mut before[width * *i as usize..][..width];
                other.iter_mut().zip(&*own).for_each(|(other, x)| *other -= value * x);
            }
        }
    }
}

/// The sum of L_ik L_jk over all k < i that both rows have.
fn common(rows: (&[u32], &[u32]), values: (&[f64], &[f64])) -> f64 {
    let (mut a, mut b, mut sum) = (0, 0, 0.0);
    while a < rows.0.len() && b < rows.1.len() {
        match rows.0[a].cmp(&rows.1[b]) {
            std::cmp::Ordering::Less => a += 1,
            std::cmp::Ordering::Greater => b += 1,
            std::cmp::Ordering::Equal => {
                sum += values.0[a] * values.1[b];
                (a, b) = (a + 1, b + 1);
            }
        }
    }
    sum
}

/// Computes L row by row; false if a pivot is too small.
fn factorize(matrix: &SymmetricMatrix, shift: f64, factor: &mut SymmetricMatrix) -> bool {
    for j in 0..matrix.size {
        let start = matrix.starts[j] as usize;
        let (rows, values) = matrix.column(j);
        let (done, own) = factor.values.split_at_mut(start);
        let last = rows.len() - 1;
        for k in 0..last {
            let i = rows[k] as usize;
            let row = matrix.starts[i] as usize..matrix.starts[i + 1] as usize - 1;
            let sum = common((&rows[..k], &matrix.rows[row.clone()]), (&own[..k], &done[row.clone()]));
            own[k] = (values[k] - sum) / done[row.end];
        }
        let diagonal = (1.0 + shift) * values[last];
        let pivot = diagonal - own[..last].iter().map(|v| v * v).sum::<f64>();
        if pivot <= SMALLEST_PIVOT * diagonal || pivot.is_nan() {
            return false;
        }
        own[last] = pivot.sqrt();
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_fill_the_factor_is_complete() {
        // A path has no fill-in, so the solve is exact, for one right-hand side and for three.
        let n = 40;
        let mut triplets = vec![];
        for i in 0..n as u32 {
            triplets.push((i, i, 2.0 + 0.01 * f64::from(i)));
            if i > 0 {
                triplets.push((i - 1, i, -1.0));
            }
        }
        let matrix = SymmetricMatrix::from_triplets(n, &triplets);
        let factor = IncompleteCholesky::new(&matrix);
        for width in [1, 3] {
            let wanted: Vec<f64> = (0..width * n).map(|i| (i as f64 * 0.7).sin()).collect();
            let mut x = vec![0.0; width * n];
            matrix.multiply_into(width, &wanted, &mut x);
            factor.solve(width, &mut x);
            assert!(x.iter().zip(&wanted).all(|(x, wanted)| (x - wanted).abs() < 1e-12));
        }
    }

    #[test]
    fn a_breakdown_is_cured_by_a_shift() {
        // Kershaw's matrix is positive definite, but its incomplete factor has a negative pivot.
        let matrix = SymmetricMatrix::from_triplets(
            4,
            &[
                (0, 0, 3.0),
                (0, 1, -2.0),
                (1, 1, 3.0),
                (1, 2, -2.0),
                (2, 2, 3.0),
                (0, 3, 2.0),
                (2, 3, -2.0),
                (3, 3, 3.0),
            ],
        );
        assert!(!factorize(&matrix, 0.0, &mut matrix.clone()));
        let factor = IncompleteCholesky::new(&matrix);
        for j in 0..4 {
            let mut x = [0.0; 4];
            x[j] = 1.0;
            factor.solve(1, &mut x);
            assert!(x[j] > 0.0 && x.iter().all(|v| v.is_finite()));
        }
    }
}
