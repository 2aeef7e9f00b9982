//! Placement of a mesh: `x ↦ rotate(scale · x) + translate`.

use super::rotation::rotate;
use crate::scene::Transform;

/// The `point`, scaled, then rotated about the origin, then moved.
pub fn apply(transform: &Transform, point: [f64; 3]) -> [f64; 3] {
    let (axis, radians) = transform.rotate;
    let turned = rotate(point.map(|x| x * transform.scale), axis, [0.0; 3], radians);
    std::array::from_fn(|i| turned[i] + transform.translate[i])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scale_comes_first_and_translation_last() {
        let transform = Transform {
            translate: [10.0, 0.0, 0.0],
            rotate: ([0.0, 0.0, 1.0], std::f64::consts::PI),
            scale: 2.0,
        };
        let moved = apply(&transform, [1.0, 2.0, 3.0]);
        for (got, expected) in moved.iter().zip([8.0, -4.0, 6.0]) {
            assert!((got - expected).abs() < 1e-14);
        }
    }

    #[test]
    fn the_identity_keeps_the_bits() {
        let identity = Transform { translate: [0.0; 3], rotate: ([0.0, 0.0, 1.0], 0.0), scale: 1.0 };
        assert_eq!(apply(&identity, [0.1, 1e-300, -3.3]), [0.1, 1e-300, -3.3]);
    }
}
