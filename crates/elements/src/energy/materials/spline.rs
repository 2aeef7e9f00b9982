//! A material drawn by hand: the derivatives a′, b′, c′ as curves through control points.
//!
//! ```text
//! Ψ(σ) = Σ a(σᵢ) + Σ b(σᵢσⱼ) + c(J),      a′, b′, c′ cubic between the points, linear beyond them
//! ```
//!
//! \[Xu2015; Liu2017, Fig. 4\]. The curves are integrated exactly (see `math::spline`), so that energy and stress
//! belong together; with `monotone` they do not overshoot between their points. The rest state must be free of stress:
//! a′(1) + 2b′(1) + c′(1) = 0.

use std::sync::Arc;

use crate::energy::law::{self, CONSTANTS, Curve, Law, kept};
use crate::energy::material::{Fault, Model, Parameters, Uniform};
use crate::math::lanes::Number;
use crate::math::mat3::Mat3;
use crate::math::spline::Spline;

/// The registry's entry.
pub static MODEL: Model = Model {
    name: "spline",
    about: "stress curves through control points: a = [[stretch, Pa], …], and likewise b and c",
    keys: &["a", "b", "c", "monotone", "fit_interval"],
    build: |p| {
        let curves = curves(p)?;
        if curves[0].is_none() {
            return Err(Fault::new("a", "is missing: the control points [[stretch, Pa], …]"));
        }
        let law = SplineLaw { curves: Arc::new(curves) };
        let none = [0.0; CONSTANTS];
        let rest = law::uniaxial(&law, 1.0, &none);
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

/// The curves a′, b′, c′ (in Pa) that the parameters ask for.
pub fn curves(parameters: &Parameters) -> Result<[Option<Spline>; 3], Fault> {
    let make = if parameters.monotone == Some(true) { Spline::monotone } else { Spline::new };
    let curve = |key: &str, points: &Option<Vec<[f64; 2]>>| match points {
        None => Ok(None),
        Some(points) => make(points.clone()).map(Some).map_err(|reason| Fault::new(key, reason)),
    };
    Ok([curve("a", &parameters.a)?, curve("b", &parameters.b)?, curve("c", &parameters.c)?])
}

/// The law of three curves; an absent curve is 0. It has no constants.
#[derive(Clone, Debug)]
pub struct SplineLaw {
    curves: Arc<[Option<Spline>; 3]>,
}

impl SplineLaw {
    #[inline(always)]
    fn curve<L: Number>(&self, index: usize, x: L) -> Curve<L> {
        match &self.curves[index] {
            None => [L::splat(0.0); 3],
            Some(spline) => x.each(|x| spline.evaluate(x)),
        }
    }
}

impl Law for SplineLaw {
    #[inline(always)]
    fn density_and_stress<L: Number>(&self, f: &Mat3<L>, constants: &[L; CONSTANTS]) -> (L, Mat3<L>) {
        law::by_stretches(self, f, constants)
    }

    /// A share of c less its tangent at rest, so that both parts have no stress there.
    fn parts(&self) -> [Self; 2] {
        let (_, _, [[along, lambda, _], ..]) = law::expand_one(self, &[1.0; 3], &[0.0; CONSTANTS]);
        let excess = lambda - kept(0.5 * (along - lambda), lambda);
        let Some(volume) = self.curves[2].as_ref() else {
            return [self.clone(), SplineLaw { curves: Arc::new([None, None, None]) }];
        };
        let [_, rest, stiffness] = volume.evaluate(1.0);
        let share = if stiffness > 0.0 { (excess / stiffness).clamp(0.0, 1.0) } else { 0.0 };
        let of = |curves| SplineLaw { curves: Arc::new(curves) };
        let [a, b, _] = self.curves.as_ref().clone();
        let kept = volume.mapped(1.0 - share, share * rest);
        [of([a, b, Some(kept)]), of([None, None, Some(volume.mapped(share, -share * rest))])]
    }

    #[inline(always)]
    fn a<L: Number>(&self, x: L, _: &[L; CONSTANTS]) -> Curve<L> {
        self.curve(0, x)
    }

    #[inline(always)]
    fn b<L: Number>(&self, x: L, _: &[L; CONSTANTS]) -> Curve<L> {
        self.curve(1, x)
    }

    #[inline(always)]
    fn c<L: Number>(&self, x: L, _: &[L; CONSTANTS]) -> Curve<L> {
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

#[cfg(test)]
mod monotone {
    use super::*;

    /// A plateau between 1.37 and 1.63 that a natural spline overshoots. The limited slopes bend sharply at 1.18 …
    /// 2.07. No checked stretch is near these points, because finite differences across them are wrong.
    fn plateau() -> SplineLaw {
        let points =
            vec![[0.3, -6.0], [0.7, -1.5], [1.0, 0.0], [1.18, 0.8], [1.37, 1.6], [1.63, 1.65], [2.07, 9.0]];
        let make = |monotone| Parameters { a: Some(points.clone()), monotone, ..Default::default() };
        let [natural, limited] = [None, Some(true)].map(|m| curves(&make(m)).unwrap());
        let slopes = |x: f64| [&natural, &limited].map(|c| c[0].as_ref().unwrap().evaluate(x)[2]);
        assert!(slopes(1.5)[0] < 0.0 && slopes(1.5)[1] > 0.0, "{:?}", slopes(1.5));
        assert_eq!(slopes(1.0)[0], slopes(1.0)[1]);
        SplineLaw { curves: Arc::new(limited) }
    }

    crate::energy::checks::check_material!(super::plateau(), [0.0, 0.0, 0.0]);
}
