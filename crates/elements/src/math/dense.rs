//! Small dense symmetric systems.

/// A pivot below this part of its diagonal entry is a rounding error.
const SMALLEST_PIVOT: f64 = 1e-13;

/// Solves S x = b for a symmetric, positive semidefinite S by Cholesky's factorization, scaled to a unit diagonal.
///
/// An unknown whose pivot is a rounding error depends on those before it, or takes no part in the system. It is
/// zero in the solution.
#[inline]
pub fn solve<const N: usize>(s: &[[f64; N]; N], b: &[f64; N]) -> [f64; N] {
    let scale: [f64; N] = std::array::from_fn(|i| if s[i][i] > 0.0 { 1.0 / s[i][i].sqrt() } else { 0.0 });
    // Row i of the factor; its diagonal holds the inverse, 0 where the unknown is left out.
    let mut factor = [[0.0; N]; N];
    let mut x = [0.0; N];
    for i in 0..N {
        for j in 0..=i {
            let mut sum = scale[i] * s[i][j] * scale[j];
            for k in 0..j {
                sum -= factor[i][k] * factor[j][k];
            }
            factor[i][j] = match i == j {
                true if sum > SMALLEST_PIVOT => 1.0 / sum.sqrt(),
                true => 0.0,
                false => sum * factor[j][j],
            };
        }
        let known: f64 = (0..i).map(|k| factor[i][k] * x[k]).sum();
        x[i] = (scale[i] * b[i] - known) * factor[i][i];
    }
    for i in (0..N).rev() {
        let known: f64 = (i + 1..N).map(|k| factor[k][i] * x[k]).sum();
        x[i] = (x[i] - known) * factor[i][i];
    }
    std::array::from_fn(|i| scale[i] * x[i])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product<const N: usize>(s: &[[f64; N]; N], x: &[f64; N]) -> [f64; N] {
        std::array::from_fn(|i| (0..N).map(|j| s[i][j] * x[j]).sum())
    }

    #[test]
    fn solves_systems_of_any_scale() {
        let rows = [[1.0, 2.0, 0.5, -1.0], [0.0, 3.0, 1.0, 0.2], [2.0, 0.1, -1.0, 0.7], [0.3, 0.0, 0.4, 1.5]];
        let units = [1.0, 1e-8, 1e6, 1.0];
        let s: [[f64; 4]; 4] = std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                units[i] * units[j] * (0..4).map(|k| rows[k][i] * rows[k][j]).sum::<f64>()
            })
        });
        let wanted = [1.0, -2e8, 3e-6, 0.25];
        let found = solve(&s, &product(&s, &wanted));
        for (found, wanted) in found.iter().zip(wanted) {
            assert!((found / wanted - 1.0).abs() < 1e-11, "{found} for {wanted}");
        }
    }

    #[test]
    fn what_depends_on_others_is_left_out() {
        // The third row is the sum of the first two; the fourth unknown takes no part in the system.
        let s = [[2.0, 1.0, 3.0, 0.0], [1.0, 3.0, 4.0, 0.0], [3.0, 4.0, 7.0, 0.0], [0.0; 4]];
        let b = [1.0, 2.0, 3.0, 0.0];
        let x = solve(&s, &b);
        assert_eq!(x[2..], [0.0, 0.0]);
        for (found, wanted) in product(&s, &x).iter().zip(b) {
            assert!((found - wanted).abs() < 1e-14);
        }
    }
}
