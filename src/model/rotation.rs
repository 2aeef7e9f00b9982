//! Rotation about an axis through a point, exact at rest.
//!
//! ```text
//! R(θ)x = x + sin θ (k × d) − 2 sin²(θ/2) (d − k (k·d)),      d = x − o
//! ```
//!
//! Rodrigues' formula as a displacement: at θ = 0 every point keeps its bits, wherever the origin is, so that
//! pins hold vertices exactly where they start.

/// `point` turned by `radians` about the unit vector `axis` through `origin`.
pub fn rotate(point: [f64; 3], axis: [f64; 3], origin: [f64; 3], radians: f64) -> [f64; 3] {
    let d: [f64; 3] = std::array::from_fn(|i| point[i] - origin[i]);
    let along = axis[0] * d[0] + axis[1] * d[1] + axis[2] * d[2];
    let cross =
        [axis[1] * d[2] - axis[2] * d[1], axis[2] * d[0] - axis[0] * d[2], axis[0] * d[1] - axis[1] * d[0]];
    let sine = radians.sin();
    let half = (0.5 * radians).sin();
    let versine = 2.0 * half * half;
    std::array::from_fn(|i| point[i] + (sine * cross[i] - versine * (d[i] - axis[i] * along)))
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use super::*;

    #[test]
    fn a_quarter_turn_about_z_takes_x_to_y() {
        let turned = rotate([3.0, 1.0, 5.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0], FRAC_PI_2);
        for (got, expected) in turned.iter().zip([1.0, 3.0, 5.0]) {
            assert!((got - expected).abs() < 1e-15);
        }
    }

    #[test]
    fn no_angle_keeps_the_bits_and_lengths_are_kept() {
        let (point, origin) = ([0.1, 0.2, 0.3], [1e3, -7.7, 1e-3]);
        let axis = [1.0, 2.0, 2.0].map(|x: f64| x / 3.0);
        assert_eq!(rotate(point, axis, origin, 0.0), point);
        let distance = |p: [f64; 3]| (0..3).map(|i| (p[i] - origin[i]).powi(2)).sum::<f64>().sqrt();
        let turned = rotate(point, axis, origin, 2.0);
        assert!((distance(turned) / distance(point) - 1.0).abs() < 1e-14);
        let back = rotate(turned, axis, origin, -2.0);
        assert!((0..3).all(|i| (back[i] - point[i]).abs() < 1e-12));
    }
}
