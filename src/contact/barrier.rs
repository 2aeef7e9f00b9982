//! The barrier, per area and stiffness.
//!
//! ```text
//! b(d) = −d̂ (s − 1)² ln s,      s = d/d̂ < 1,      b = 0 from d̂ on
//! ```
//!
//! Its slope is the pressure over κ, −b' = 2 (s − 1) ln s + (s − 1)²/s: 0 at d̂, with two continuous derivatives, and
//! infinite at 0 \[Li2020, Eq. 6\], there as a function of d² and without units.

/// The barrier with its first and second derivative, in m, 1 and 1/m; infinite at 0 and below.
pub fn barrier(d: f64, range: f64) -> [f64; 3] {
    let s = d / range;
    if s >= 1.0 {
        return [0.0; 3];
    }
    if s <= 0.0 {
        return [f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY];
    }
    let (t, log) = (s - 1.0, s.ln());
    [-range * t * t * log, -(2.0 * t * log + t * t / s), -(2.0 * log + 4.0 * t / s - t * t / (s * s)) / range]
}

/// How the barrier between edges fades as they become parallel, where their distance has no gradient, with its
/// derivative: (2 − c/ε) c/ε below ε, then 1. `square` is c = |e₁ × e₂|² in m⁴ \[Li2020, Eq. 24\].
pub fn fading(square: f64, scale: f64) -> [f64; 2] {
    if square >= scale {
        return [1.0, 0.0];
    }
    let part = square / scale;
    [(2.0 - part) * part, 2.0 * (1.0 - part) / scale]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_are_differences_and_vanish_at_the_range() {
        let range = 5e-3;
        for d in [1e-5, 1e-4, 1e-3, 4e-3, 4.99e-3] {
            let step = 1e-6 * d;
            let [low, high] = [d - step, d + step].map(|d| barrier(d, range));
            let [_, slope, curvature] = barrier(d, range);
            assert!(((high[0] - low[0]) / (2.0 * step) - slope).abs() < 1e-6 * slope.abs().max(1e-3));
            assert!(((high[1] - low[1]) / (2.0 * step) - curvature).abs() < 1e-6 * curvature);
        }
        assert_eq!(barrier(range, range), [0.0; 3]);
        let near = barrier(range * (1.0 - 1e-6), range);
        assert!(near[0].abs() < 1e-18 && near[1].abs() < 1e-11 && near[2] < 1e-2);
        assert_eq!(barrier(0.0, range)[0], f64::INFINITY);
        // A cube of 1 m and 1,000 kg/m³ with κ = 1e5 Pa stands 4.15 mm high.
        assert!((-1e5 * barrier(4.15e-3, range)[1] / 9810.0 - 1.0).abs() < 5e-3);
    }

    #[test]
    fn fading_is_smooth_where_it_ends() {
        assert_eq!(fading(2.0, 1.0), [1.0, 0.0]);
        assert_eq!(fading(0.0, 1.0)[0], 0.0);
        let [value, slope] = fading(1.0 - 1e-9, 1.0);
        assert!((value - 1.0).abs() < 1e-15 && slope < 1e-8);
    }
}
