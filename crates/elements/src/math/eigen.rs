//! Eigenvalues of symmetric 3×3 matrices, one at a time.

/// Eigenvalues and eigenvectors (as rows) of a symmetric matrix, by cyclic Jacobi; in no special order.
pub fn symmetric3(mut a: [[f64; 3]; 3]) -> ([f64; 3], [[f64; 3]; 3]) {
    let mut rows = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..20 {
        let off = a[0][1].abs() + a[0][2].abs() + a[1][2].abs();
        if off <= 1e-17 * (a[0][0].abs() + a[1][1].abs() + a[2][2].abs()) {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if a[p][q] == 0.0 {
                continue;
            }
            let d = a[q][q] - a[p][p];
            let t = 2.0 * a[p][q] * d.signum() / (d.abs() + (d * d + 4.0 * a[p][q] * a[p][q]).sqrt());
            let c = 1.0 / (1.0 + t * t).sqrt();
            let s = c * t;
            for k in 0..3 {
                let (x, y) = (a[k][p], a[k][q]);
                (a[k][p], a[k][q]) = (c * x - s * y, s * x + c * y);
            }
            for k in 0..3 {
                let (x, y) = (a[p][k], a[q][k]);
                (a[p][k], a[q][k]) = (c * x - s * y, s * x + c * y);
                let (x, y) = (rows[p][k], rows[q][k]);
                (rows[p][k], rows[q][k]) = (c * x - s * y, s * x + c * y);
            }
        }
    }
    ([a[0][0], a[1][1], a[2][2]], rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenpairs_solve_the_equation() {
        let a = [[2.0, -1.0, 0.5], [-1.0, 3.0, 0.25], [0.5, 0.25, -4.0]];
        let (values, rows) = symmetric3(a);
        for (value, row) in values.iter().zip(rows) {
            for i in 0..3 {
                let left: f64 = (0..3).map(|j| a[i][j] * row[j]).sum();
                assert!((left - value * row[i]).abs() < 1e-14);
            }
        }
    }
}
