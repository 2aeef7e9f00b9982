//! The charts of materials: stress over stretch.
//!
//! A material in the principal stretches σ has the first Piola-Kirchhoff stress P = ∂Ψ/∂σ₁ along the first axis. Two
//! experiments are drawn over σ₁:
//!
//! ```text
//! sides held:   σ₂ = σ₃ = 1
//! sides free:   σ₂ = σ₃ such that ∂Ψ/∂σ₂ = 0          (solids)
//!               σ₂ such that ∂Ψ/∂σ₂ = 0, σ₃ = 1       (sheets, whose normal is a unit vector)
//! ```
//!
//! and the line k(σ − 1) that the solvers' system matrix uses, over the interval of the fit \[Liu2017, Eq. 10-11\]: it
//! approximates the stress with held sides. The curves a′, b′, c′ of splines are in a panel of their own.

use super::{Axis, Chart, Mark, Panel, Series};
use crate::fit::experiment::free_side;
use elements::energy::law::CONSTANTS;
use elements::energy::material::{Material, Solid};
use elements::energy::materials::spline;

/// The range of stretches that are drawn.
pub const STRETCHES: [f64; 2] = [0.4, 2.0];
/// The range of arguments of spline curves that are drawn, if control points reach that far.
const REACH: [f64; 2] = [0.0, 4.0];
const SAMPLES: usize = 320;

/// A material with its constants in one cell of a body.
pub struct Specimen<'a> {
    /// The reason why it is drawn (`softest`, `stiffest`); may be empty.
    pub name: &'static str,
    /// The law of the material.
    pub solid: &'a dyn Solid,
    /// The constants of the law in that cell.
    pub constants: [f64; CONSTANTS],
    /// The stiffness k of that cell in Pa.
    pub stiffness: f64,
}

impl Specimen<'_> {
    fn stress(&self, stretches: [f64; 3]) -> [f64; 3] {
        self.solid.gradient(&stretches, &self.constants)
    }

    /// The stress P in Pa with held sides.
    pub fn held(&self, stretch: f64) -> f64 {
        self.stress([stretch, 1.0, 1.0])[0]
    }

    /// The stretch σ₂ of free sides: the minimum of the energy that is nearest to `guess`, as there may be several.
    /// NaN if there is none.
    pub fn free_side(&self, stretch: f64, guess: f64, is_sheet: bool) -> f64 {
        let push = |side: f64| self.stress([stretch, side, if is_sheet { 1.0 } else { side }])[1];
        free_side(guess, push)
    }

    /// The points `[σ₁, P]` with free sides, over the drawn stretches. Sides are followed from the rest state on.
    pub fn free_curve(&self, is_sheet: bool) -> Vec<[f64; 2]> {
        let walk = |to: f64| {
            let mut side = 1.0;
            let point = move |i: usize| {
                let stretch = 1.0 + (to - 1.0) * i as f64 / SAMPLES as f64;
                side = self.free_side(stretch, side, is_sheet);
                [stretch, self.stress([stretch, side, if is_sheet { 1.0 } else { side }])[0]]
            };
            (0..=SAMPLES).map(point).collect::<Vec<_>>()
        };
        let down = walk(STRETCHES[0]);
        down.into_iter().rev().chain(walk(STRETCHES[1]).into_iter().skip(1)).collect()
    }
}

fn sampled([low, high]: [f64; 2], f: impl Fn(f64) -> f64) -> Vec<[f64; 2]> {
    let at = |i: usize| low + (high - low) * i as f64 / SAMPLES as f64;
    (0..=SAMPLES).map(|i| [at(i), f(at(i))]).collect()
}

/// The chart of one material of a body.
pub fn chart(title: String, material: &Material, specimens: &[Specimen], is_sheet: bool) -> Chart {
    let mut series = vec![];
    for (i, specimen) in specimens.iter().enumerate() {
        let name = |what: &str| match specimen.name {
            "" => what.to_owned(),
            which => format!("{what}, {which}"),
        };
        let [low, high] = material.fit_interval();
        let k = specimen.stiffness;
        let fit = [low, high].map(|s| [s, k * (s - 1.0)]);
        series.push(Series::line(&name("sides held"), 3 * i, sampled(STRETCHES, |s| specimen.held(s))));
        series.push(Series::line(&name("sides free"), 3 * i + 1, specimen.free_curve(is_sheet)));
        series.push(Series::line(&name("k(σ − 1), fitted"), 3 * i + 2, fit.to_vec()));
    }
    let mut panels = vec![Panel { y: Axis::linear("stress P", "Pa"), series }];
    if let Ok(curves) = spline::curves(&material.parameters)
        && curves[0].is_some()
    {
        panels.push(curve_panel(material, &curves));
    }
    Chart { title, x: Axis::linear("stretch", ""), panels }
}

/// The curves of a spline with their control points.
fn curve_panel(material: &Material, curves: &[Option<elements::math::spline::Spline>; 3]) -> Panel {
    let p = &material.parameters;
    let mut series = vec![];
    let all = [("a′, lengths", &p.a), ("b′, areas", &p.b), ("c′, volume", &p.c)];
    for (i, ((name, points), curve)) in all.into_iter().zip(curves).enumerate() {
        let (Some(points), Some(curve)) = (points, curve) else { continue };
        let shown: Vec<[f64; 2]> =
            points.iter().copied().filter(|p| p[0] >= REACH[0] && p[0] <= REACH[1]).collect();
        let low = shown.iter().fold(STRETCHES[0], |m, p| m.min(p[0]));
        let high = shown.iter().fold(STRETCHES[1], |m, p| m.max(p[0]));
        series.push(Series::line(name, 3 + i, sampled([low, high], |x| curve.evaluate(x)[1])));
        series.push(Series { name: name.into(), points: shown, mark: Mark::Points, look: 3 + i });
    }
    Panel { y: Axis::linear("curves", "Pa"), series }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elements::energy::material::Parameters;

    fn made(model: &str, parameters: Parameters) -> Material {
        Material::new(model, parameters).unwrap()
    }

    fn specimen(material: &Material) -> Specimen<'_> {
        let solid = material.solid.as_ref();
        Specimen { name: "", solid, constants: solid.constants(), stiffness: material.stiffness() }
    }

    fn raw(mu: f64, lambda: f64) -> Parameters {
        Parameters { mu: Some(mu), lambda: Some(lambda), ..Default::default() }
    }

    #[test]
    fn held_sides_give_the_closed_form_of_neo_hookean() {
        let (mu, lambda) = (3.0, 5.0);
        let material = made("neo-hookean", raw(mu, lambda));
        for s in [0.4, 0.9, 1.0, 2.0f64] {
            let want = mu * (s - 1.0 / s) + lambda * s.ln() / s;
            assert!((specimen(&material).held(s) - want).abs() < 1e-12);
        }
    }

    /// In corotated, free sides are narrower by ν(σ − 1), and P = E(σ − 1).
    #[test]
    fn free_sides_follow_hookes_law_in_corotated() {
        for (is_sheet, young, poisson) in [(false, 7.0, 0.3), (false, 2.0, 0.45), (true, 5.0, 0.4)] {
            let parameters = Parameters {
                young: Some(young),
                poisson: Some(poisson),
                sheet: is_sheet,
                ..Default::default()
            };
            let material = made("corotated", parameters);
            let curve = specimen(&material).free_curve(is_sheet);
            assert!(curve[0][0] == 0.4 && curve[curve.len() - 1][0] == 2.0);
            for [s, p] in curve {
                assert!((p - young * (s - 1.0)).abs() < 1e-11 * young, "{s} {p}");
            }
            let side = specimen(&material).free_side(1.5, 1.0, is_sheet);
            assert!((side - (1.0 - 0.5 * poisson)).abs() < 1e-13);
        }
    }

    /// With P₂ = 0, neo-Hookean has μ(σ₂² − 1) + λ ln J = 0, and P₁ follows from its own closed form.
    #[test]
    fn free_sides_bear_no_stress_in_neo_hookean() {
        let (mu, lambda) = (3.0f64, 50.0f64);
        let material = made("neo-hookean", raw(mu, lambda));
        for [s, p] in specimen(&material).free_curve(false) {
            let side = specimen(&material).free_side(s, 1.0 / s.sqrt(), false);
            let log = (s * side * side).ln();
            assert!((mu * (side * side - 1.0) + lambda * log).abs() < 1e-10);
            assert!((p - (mu * (s - 1.0 / s) + lambda * log / s)).abs() < 1e-9, "{s}");
        }
    }

    #[test]
    fn flat_and_absent_equilibria_do_no_harm() {
        let quartic = made("polynomial", Parameters { mu: Some(2.0), ..Default::default() });
        assert!((specimen(&quartic).free_side(1.7, 1.0, false) - 1.0).abs() < 1e-4);
        // The rest state is a maximum of this energy, with a minimum on either side.
        let a = Some(vec![[0.4, -9.0], [0.9, 1.0], [1.0, 0.0], [1.1, -1.0], [1.6, 9.0]]);
        let odd = made("spline", Parameters { a, ..Default::default() });
        let side = specimen(&odd).free_side(1.3, 1.0, false);
        let push = |d: f64| odd.solid.gradient(&[1.3, side + d, side + d], &[0.0; 3])[1];
        assert!((side - 1.0).abs() > 0.05 && push(-1e-6) < 0.0 && push(1e-6) > 0.0, "{side}");
        // The sides are pushed outwards wherever they are: there is no equilibrium, and the curve has a gap.
        let a = Some(vec![[0.0, -1.0], [1.0, 0.0], [1.3, 0.3], [1.5, -3.0], [2.0, -9.0]]);
        let c = Some(vec![[0.0, -20.0], [1.0, 0.0], [1.5, 0.0], [3.0, 0.0]]);
        let (monotone, fit_interval) = (Some(true), Some([0.5, 1.1]));
        let fleeing = made("spline", Parameters { a, c, monotone, fit_interval, ..Default::default() });
        assert!(specimen(&fleeing).free_side(0.4, 1.0, false).is_nan());
    }

    #[test]
    fn a_spline_shows_its_curves_and_points() {
        let a = vec![[0.0, -2.0], [0.7, -0.5], [1.0, 0.0], [1.5, 0.6], [9.0, 40.0]];
        let material = made("spline", Parameters { a: Some(a.clone()), ..Default::default() });
        let chart = chart("t".into(), &material, &[specimen(&material)], false);
        assert_eq!(chart.panels.len(), 2);
        let [curve, points] = &chart.panels[1].series[..] else { panic!("two series") };
        assert_eq!(points.points, a[..4]);
        assert_eq!(curve.points[0], [0.0, -2.0]);
        let fit = &chart.panels[0].series[2].points;
        assert_eq!((fit[0][0], fit[1][0]), (0.5, 1.5));
    }
}
