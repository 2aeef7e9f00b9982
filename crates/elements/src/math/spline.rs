//! A cubic curve through control points, linear beyond them, with its exact integral.
//!
//! The natural cubic spline is C² and straight at its ends, so that the lines beyond them join smoothly. It serves as
//! the derivative of an energy. Its integral, a quartic in each interval, is therefore summed up exactly, and anchored
//! at 1, where the energy is 0.
//!
//! A natural spline overshoots where the data turn sharply. The monotone one has the same slopes, but limited on every
//! interval of secant d so that it ascends or descends with its end points:
//!
//! ```text
//! α = m₀/d, β = m₁/d:    α, β ≥ 0  and  α² + β² ≤ 9
//! ```
//!
//! \[Fritsch1980\]. A limited slope costs smoothness: the curve is C¹ only, its second derivative jumps at the points
//! around the limited ones. As the derivative of an energy that leaves the Hessian continuous.

/// A cubic curve through control points, linear beyond them, with its integral.
#[derive(Clone, Debug, PartialEq)]
pub struct Spline {
    points: Vec<[f64; 2]>,
    slopes: Vec<f64>,
    /// Integral from the first point to each point.
    sums: Vec<f64>,
    /// Integral from the first point to 1.
    anchor: f64,
}

impl Spline {
    /// The natural spline through `points`. There must be at least two; they must be finite, and their first
    /// coordinates strictly ascending.
    pub fn new(points: Vec<[f64; 2]>) -> Result<Spline, String> {
        Spline::through(points, |_, _| {})
    }

    /// Like [`Spline::new`], but monotone between every two points.
    pub fn monotone(points: Vec<[f64; 2]>) -> Result<Spline, String> {
        Spline::through(points, limit)
    }

    fn through(points: Vec<[f64; 2]>, adjust: fn(&[[f64; 2]], &mut [f64])) -> Result<Spline, String> {
        if points.len() < 2 {
            return Err("needs at least two control points".into());
        }
        if let Some(p) = points.iter().find(|p| !p[0].is_finite() || !p[1].is_finite()) {
            return Err(format!("control point [{}, {}] is not finite", p[0], p[1]));
        }
        if let Some(w) = points.windows(2).find(|w| w[1][0] <= w[0][0]) {
            return Err(format!("control points must ascend: {} comes before {}", w[0][0], w[1][0]));
        }
        let mut slopes = slopes(&points);
        adjust(&points, &mut slopes);
        Ok(Spline::summed(points, slopes))
    }

    /// The curve with these slopes, and its integral.
    fn summed(points: Vec<[f64; 2]>, slopes: Vec<f64>) -> Spline {
        let mut spline = Spline { slopes, sums: vec![0.0; points.len()], points, anchor: 0.0 };
        for i in 1..spline.points.len() {
            let [_, _, whole] = spline.cubic(i - 1, spline.points[i][0]);
            spline.sums[i] = spline.sums[i - 1] + whole;
        }
        spline.anchor = spline.raw_integral(1.0);
        spline
    }

    /// The curve `factor` f + `offset`.
    pub fn mapped(&self, factor: f64, offset: f64) -> Spline {
        let points = self.points.iter().map(|[x, y]| [*x, factor * y + offset]).collect();
        Spline::summed(points, self.slopes.iter().map(|slope| factor * slope).collect())
    }

    /// `[∫₁ˣ f, f(x), f′(x)]`.
    pub fn evaluate(&self, x: f64) -> [f64; 3] {
        let [value, slope] = self.value(x);
        [self.raw_integral(x) - self.anchor, value, slope]
    }

    fn interval(&self, x: f64) -> usize {
        self.points.partition_point(|p| p[0] <= x).clamp(1, self.points.len() - 1) - 1
    }

    fn value(&self, x: f64) -> [f64; 2] {
        let last = self.points.len() - 1;
        for end in [0, last] {
            let outside = if end == 0 { x < self.points[0][0] } else { x > self.points[last][0] };
            if outside {
                return [
                    self.points[end][1] + self.slopes[end] * (x - self.points[end][0]),
                    self.slopes[end],
                ];
            }
        }
        let [value, slope, _] = self.cubic(self.interval(x), x);
        [value, slope]
    }

    /// Integral from the first point to `x`.
    fn raw_integral(&self, x: f64) -> f64 {
        let last = self.points.len() - 1;
        let line = |end: usize| {
            let d = x - self.points[end][0];
            d * (self.points[end][1] + 0.5 * self.slopes[end] * d)
        };
        if x < self.points[0][0] {
            return line(0);
        }
        if x > self.points[last][0] {
            return self.sums[last] + line(last);
        }
        let i = self.interval(x);
        self.sums[i] + self.cubic(i, x)[2]
    }

    /// Value, slope and integral from the left end on interval `i`.
    fn cubic(&self, i: usize, x: f64) -> [f64; 3] {
        let ([x0, y0], [x1, y1]) = (self.points[i], self.points[i + 1]);
        let h = x1 - x0;
        let t = (x - x0) / h;
        let (m0, m1) = (self.slopes[i] * h, self.slopes[i + 1] * h);
        let c2 = 3.0 * (y1 - y0) - 2.0 * m0 - m1;
        let c3 = 2.0 * (y0 - y1) + m0 + m1;
        [
            y0 + t * (m0 + t * (c2 + t * c3)),
            (m0 + t * (2.0 * c2 + 3.0 * t * c3)) / h,
            h * t * (y0 + t * (m0 / 2.0 + t * (c2 / 3.0 + t * c3 / 4.0))),
        ]
    }
}

/// Slopes that make the second derivative continuous, and zero at both ends: a tridiagonal system, solved by
/// elimination (it is diagonally dominant).
fn slopes(points: &[[f64; 2]]) -> Vec<f64> {
    let n = points.len();
    let width = |i: usize| points[i + 1][0] - points[i][0];
    let secant = |i: usize| (points[i + 1][1] - points[i][1]) / width(i);
    let mut upper = vec![0.0; n];
    let mut out = vec![0.0; n];
    for i in 0..n {
        let (low, diagonal, high, right) = if i == 0 {
            (0.0, 2.0, 1.0, 3.0 * secant(0))
        } else if i == n - 1 {
            (1.0, 2.0, 0.0, 3.0 * secant(n - 2))
        } else {
            let (l, r) = (1.0 / width(i - 1), 1.0 / width(i));
            (l, 2.0 * (l + r), r, 3.0 * (l * secant(i - 1) + r * secant(i)))
        };
        let (previous_upper, previous) = if i == 0 { (0.0, 0.0) } else { (upper[i - 1], out[i - 1]) };
        let pivot = diagonal - low * previous_upper;
        upper[i] = high / pivot;
        out[i] = (right - low * previous) / pivot;
    }
    for i in (0..n - 1).rev() {
        out[i] -= upper[i] * out[i + 1];
    }
    out
}

/// Limits slopes interval by interval. Limiting one interval only brings slopes nearer to 0, which
/// neighbouring intervals allow.
fn limit(points: &[[f64; 2]], slopes: &mut [f64]) {
    for i in 0..points.len() - 1 {
        let secant = (points[i + 1][1] - points[i][1]) / (points[i + 1][0] - points[i][0]);
        for slope in &mut slopes[i..i + 2] {
            if *slope * secant.signum() < 0.0 || secant == 0.0 {
                *slope = 0.0;
            }
        }
        let steepness = slopes[i].hypot(slopes[i + 1]);
        if steepness > 3.0 * secant.abs() {
            let factor = 3.0 * secant.abs() / steepness;
            slopes[i] *= factor;
            slopes[i + 1] *= factor;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::quadrature::integrate;

    #[test]
    fn is_smooth_and_belongs_to_its_integral() {
        let points = vec![[0.2, -3.0], [0.5, -1.0], [1.1, 0.4], [1.4, 0.2], [2.0, 5.0]];
        let s = Spline::new(points.clone()).unwrap();
        for p in &points {
            assert!((s.evaluate(p[0])[1] - p[1]).abs() < 1e-14);
            let [left, right] = [-1e-6, 1e-6].map(|d| s.evaluate(p[0] + d));
            let bend = |d: f64| (s.evaluate(p[0] + 2.0 * d)[2] - s.evaluate(p[0] + d)[2]) / d;
            assert!((left[2] - right[2]).abs() < 1e-3 && (bend(1e-6) - bend(-1e-6)).abs() < 1e-3, "{p:?}");
        }
        for i in 0..100 {
            let x = 0.05 + 0.0217 * f64::from(i);
            let d = 1e-4;
            let slope = (s.evaluate(x + d)[0] - s.evaluate(x - d)[0]) / (2.0 * d);
            assert!((slope - s.evaluate(x)[1]).abs() < 1e-6, "at {x}");
        }
        assert_eq!(s.evaluate(1.0)[0], 0.0);
    }

    /// Points whose values climb by steps of very different heights, some of which are 0.
    fn staircase(random: &mut impl FnMut() -> f64, direction: f64) -> Vec<[f64; 2]> {
        let mut point = [0.1, -2.0];
        (0..12)
            .map(|_| {
                point[0] += 0.02 + 0.2 * random().abs();
                point[1] += direction * (2.0 * random()).exp2().powi(4) * f64::from(random() > -0.7);
                point
            })
            .collect()
    }

    #[test]
    fn monotone_curves_follow_their_points() {
        let mut random = crate::energy::checks::random(41);
        let mut overshoots = 0;
        for round in 0..200 {
            let direction = if round % 2 == 0 { 1.0 } else { -1.0 };
            let points = staircase(&mut random, direction);
            let s = Spline::monotone(points.clone()).unwrap();
            let natural = Spline::new(points.clone()).unwrap();
            for w in points.windows(2) {
                let height = (w[1][1] - w[0][1]).abs();
                let at = |i: i32| w[0][0] + (w[1][0] - w[0][0]) * f64::from(i) / 100.0;
                for i in 0..100 {
                    let climb = |s: &Spline| direction * (s.evaluate(at(i + 1))[1] - s.evaluate(at(i))[1]);
                    assert!(climb(&s) >= -1e-12 * (1.0 + height + w[1][1].abs()), "{points:?} at {}", at(i));
                    overshoots += u32::from(climb(&natural) < -1e-6);
                }
                let [left, right] = [-1e-12, 1e-12].map(|d| s.evaluate(w[0][0] + d)[2]);
                assert!((left - right).abs() < 1e-5 * (1.0 + left.abs()), "not C¹ at {}", w[0][0]);
                let sum = s.evaluate(w[1][0])[0] - s.evaluate(w[0][0])[0];
                let quadrature = integrate(w[0][0], w[1][0], |x| s.evaluate(x)[1]);
                assert!((sum - quadrature).abs() < 1e-11 * (1.0 + s.evaluate(w[1][0])[0].abs()));
            }
        }
        assert!(overshoots > 100, "the data are too tame to tell the two curves apart");
    }

    #[test]
    fn monotone_curves_have_extrema_only_at_points() {
        let points = vec![[0.0, 0.0], [0.5, 4.0], [0.6, 4.1], [1.0, -1.0], [1.2, -1.0], [2.0, 3.0]];
        let s = Spline::monotone(points.clone()).unwrap();
        assert_eq!(s.evaluate(0.6)[2], 0.0);
        for w in points.windows(2) {
            for i in 0..=50 {
                let y = s.evaluate(w[0][0] + (w[1][0] - w[0][0]) * f64::from(i) / 50.0)[1];
                assert!(y >= w[0][1].min(w[1][1]) - 1e-14 && y <= w[0][1].max(w[1][1]) + 1e-14);
            }
        }
    }

    #[test]
    fn gentle_data_need_no_limits() {
        let points: Vec<[f64; 2]> = (0..9).map(|i| [0.3 * f64::from(i), f64::from(i * i + 4 * i)]).collect();
        assert_eq!(Spline::monotone(points.clone()), Spline::new(points));
    }

    #[test]
    fn continues_as_a_line() {
        let s = Spline::new(vec![[0.5, -1.0], [1.0, 0.0], [2.0, 1.0]]).unwrap();
        for (end, beyond) in [(0.5, -0.7), (2.0, 5.0)] {
            let [i0, v0, d0] = s.evaluate(end);
            let [i1, v1, d1] = s.evaluate(beyond);
            assert!((d0 - d1).abs() < 1e-12);
            assert!((v1 - v0 - d0 * (beyond - end)).abs() < 1e-13);
            assert!((i1 - i0 - 0.5 * (v0 + v1) * (beyond - end)).abs() < 1e-13);
        }
    }

    #[test]
    fn refuses_what_is_no_curve() {
        assert!(Spline::new(vec![[1.0, 0.0]]).is_err());
        assert!(Spline::new(vec![[1.0, 0.0], [1.0, 2.0]]).unwrap_err().contains("ascend"));
        assert!(Spline::new(vec![[1.0, 0.0], [2.0, f64::NAN]]).is_err());
    }
}
