//! Eigenvalues of symmetric matrices, one at a time.

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

/// Replaces a symmetric matrix of `n` rows by the nearest one without negative eigenvalues, by cyclic Jacobi.
pub fn clamp(n: usize, matrix: &mut [f64]) {
    let mut rows: Vec<f64> = (0..n * n).map(|k| f64::from(k / n == k % n)).collect();
    for _ in 0..50 {
        let size = |diagonal: bool| {
            let of = (0..n * n).filter(|k| (k / n == k % n) == diagonal);
            of.map(|k| matrix[k].abs()).sum::<f64>()
        };
        if size(false) <= 1e-16 * size(true) {
            break;
        }
        for (p, q) in (0..n).flat_map(|p| (p + 1..n).map(move |q| (p, q))) {
            let off = matrix[n * p + q];
            if off == 0.0 {
                continue;
            }
            let d = matrix[n * q + q] - matrix[n * p + p];
            let t = 2.0 * off * d.signum() / (d.abs() + (d * d + 4.0 * off * off).sqrt());
            let c = 1.0 / (1.0 + t * t).sqrt();
            let s = c * t;
            for k in 0..n {
                let (x, y) = (matrix[n * k + p], matrix[n * k + q]);
                (matrix[n * k + p], matrix[n * k + q]) = (c * x - s * y, s * x + c * y);
            }
            for k in 0..n {
                for a in [&mut *matrix, &mut rows] {
                    let (x, y) = (a[n * p + k], a[n * q + k]);
                    (a[n * p + k], a[n * q + k]) = (c * x - s * y, s * x + c * y);
                }
            }
        }
    }
    let values: Vec<f64> = (0..n).map(|k| matrix[n * k + k].max(0.0)).collect();
    for i in 0..n {
        for j in 0..n {
            matrix[n * i + j] = (0..n).map(|k| values[k] * rows[n * k + i] * rows[n * k + j]).sum();
        }
    }
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

    #[test]
    fn clamping_keeps_what_is_positive_and_removes_the_rest() {
        let mut random = crate::math::random::signed(5);
        let n = 5;
        let mut a = vec![0.0; n * n];
        for (i, j) in (0..n).flat_map(|i| (i..n).map(move |j| (i, j))) {
            (a[n * i + j], a[n * j + i]) = (random(), 0.0);
            a[n * j + i] = a[n * i + j];
        }
        let mut once = a.clone();
        clamp(n, &mut once);
        let mut twice = once.clone();
        clamp(n, &mut twice);
        assert!(once.iter().zip(&twice).all(|(x, y)| (x - y).abs() < 1e-13), "a projection");
        // The part that was taken away is negative: minus it is its own projection.
        let mut rest: Vec<f64> = once.iter().zip(&a).map(|(x, y)| x - y).collect();
        let wanted = rest.clone();
        clamp(n, &mut rest);
        assert!(rest.iter().zip(&wanted).all(|(x, y)| (x - y).abs() < 1e-13));
        let product: f64 = once.iter().zip(&wanted).map(|(x, y)| x * y).sum();
        assert!(product.abs() < 1e-13, "both parts are orthogonal: {product}");
    }
}
