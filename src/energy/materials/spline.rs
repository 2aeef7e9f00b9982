//! A material drawn by hand: the derivatives a′, b′, c′ as curves through control points.
//!
//! ```text
//! Ψ(σ) = Σ a(σᵢ) + Σ b(σᵢσⱼ) + c(J),      a′, b′, c′ cubic between the points, linear beyond them
//! ```
//!
//! [Xu2015; Liu2017, Fig. 4]. The curves are integrated exactly (see `math::spline`), so that energy and stress
//! belong together. The rest state must be free of stress: a′(1) + 2b′(1) + c′(1) = 0.

use std::sync::Arc;

use crate::energy::law::{self, CONSTANTS, Curve, Law};
use crate::energy::material::{Fault, Model, Uniform};
use crate::math::lanes::Lane;
use crate::math::mat3::Mat3;
use crate::math::spline::Spline;

/// The registry's entry.
pub static MODEL: Model = Model {
    name: "spline",
    about: "stress curves through control points: a = [[stretch, Pa], …], and likewise b and c",
    keys: &["a", "b", "c", "fit_interval"],
    build: |p| {
        let curve = |key: &str, points: &Option<Vec<[f64; 2]>>| match points {
            None => Ok(None),
            Some(points) => Spline::new(points.clone()).map(Some).map_err(|reason| Fault::new(key, reason)),
        };
        let curves = [curve("a", &p.a)?, curve("b", &p.b)?, curve("c", &p.c)?];
        if curves[0].is_none() {
            return Err(Fault::new("a", "is missing: the control points [[stretch, Pa], …]"));
        }
        let law = SplineLaw { curves: Arc::new(curves) };
        let none = [0.0; CONSTANTS];
        let rest = law.a(1.0, &none)[1] + 2.0 * law.b(1.0, &none)[1] + law.c(1.0, &none)[1];
        let all = [&p.a, &p.b, &p.c].into_iter().flatten().flatten();
        let scale = all.fold(0.0f64, |m, point| m.max(point[1].abs()));
        if rest.abs() > 1e-9 * scale {
            let reason =
                format!("the rest state is under stress: a'(1) + 2b'(1) + c'(1) = {rest} Pa, must be 0");
            return Err(Fault::new("a", reason));
        }
        Ok(Uniform::shared(law, none))
    },
};

/// The three curves; an absent one is 0. No constants.
#[derive(Clone, Debug)]
pub struct SplineLaw {
    curves: Arc<[Option<Spline>; 3]>,
}

impl SplineLaw {
    fn curve(&self, index: usize, x: f64) -> Curve {
        self.curves[index].as_ref().map_or([0.0; 3], |s| s.evaluate(x))
    }
}

impl Law for SplineLaw {
    #[inline(always)]
    fn density_and_stress<L: Lane>(&self, f: &Mat3<L>, constants: &[L; CONSTANTS]) -> (L, Mat3<L>) {
        law::by_stretches(self, f, constants)
    }

    fn a(&self, x: f64, _: &[f64; CONSTANTS]) -> Curve {
        self.curve(0, x)
    }

    fn b(&self, x: f64, _: &[f64; CONSTANTS]) -> Curve {
        self.curve(1, x)
    }

    fn c(&self, x: f64, _: &[f64; CONSTANTS]) -> Curve {
        self.curve(2, x)
    }
}

#[cfg(test)]
fn example() -> SplineLaw {
    let curve = |points: &[[f64; 2]]| Some(Spline::new(points.to_vec()).unwrap());
    SplineLaw {
        curves: Arc::new([
            curve(&[[0.3, -6.0], [0.7, -1.5], [1.0, 0.0], [1.4, 1.0], [2.0, 9.0]]),
            curve(&[[0.2, -2.0], [1.0, 0.0], [2.0, 3.0]]),
            curve(&[[0.1, -4.0], [1.0, 0.0], [3.0, 5.0]]),
        ]),
    }
}

#[cfg(test)]
crate::energy::checks::check_material!(super::example(), [0.0, 0.0, 0.0]);
