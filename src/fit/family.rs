//! Families of materials: what is unknown in each, where a fit starts, and what keeps it stable.
//!
//! | family | unknowns, in Pa | bounds | from them, with ν at rest |
//! |---|---|---|---|
//! | models with `young` | E | E > 0 | `young`, `poisson` |
//! | `mooney-rivlin` | c₁, c₂ | c₁ > 0, c₂ ≥ 0 | λ = 4(c₁ + c₂) ν/(1 − 2ν) − 4c₂ |
//! | `spline` | increments of a′ and b′ between control points | ≥ 0, the first of a′ > 0 | c′(J) = −a′(1) − 2b′(1) + κ (J − 1) |
//!
//! All start from Young's modulus that fits best by `neo-hookean`. Curves of splines begin at 0 with a′ = b′ = 0 and
//! ascend, so that a, b and c are convex and a, b do not fall: the energy is polyconvex \[Ball1977\]. `stable-neo-hookean`
//! is such a spline, a′(σ) = μσ, and so is `mooney-rivlin` but for its volume term, a′(σ) = 2c₁σ, b′ = 2c₂ σᵢσⱼ. With
//!
//! ```text
//! 2μ = a″ + b″ + a′ + b′,      λ = κ + b″ − b′ − a′,      all at 1
//! ```
//!
//! κ is chosen to have Poisson's ratio at rest.

use elements::energy::material::{Fault, MODELS, Material, Parameters};
use elements::energy::materials::spline;
use elements::math::spline::Spline;

use super::data::Point;
use super::experiment::Experiment;
use super::{Errors, search};
use crate::error::{Error, Result};

/// A family of materials.
#[derive(Clone, Debug, PartialEq)]
pub enum Family {
    /// A model with Young's modulus and Poisson's ratio.
    Elastic(&'static str),
    /// The two moduli of `mooney-rivlin`.
    MooneyRivlin,
    /// A `spline` with so many control points.
    Spline(usize),
}

/// The family with a name, see [`Family::find`].
pub(super) fn find(name: &str, knots: usize) -> std::result::Result<Family, Fault> {
    let names: Vec<&str> = MODELS.iter().filter(|m| m.keys.contains(&"young")).map(|m| m.name).collect();
    match name {
        "mooney-rivlin" => Ok(Family::MooneyRivlin),
        "spline" if (5..=search::MOST).contains(&knots) => Ok(Family::Spline(knots)),
        "spline" => Err(Fault::new("knots", format!("must lie between 5 and {}, not {knots}", search::MOST))),
        // It has no volume term, so its sides do not narrow.
        "arap" => Err(Fault::new("model", "arap has no Poisson's ratio; corotated is like it and has one")),
        _ => match names.iter().find(|known| **known == name) {
            Some(name) => Ok(Family::Elastic(name)),
            None => {
                let known: Vec<&str> =
                    names.into_iter().filter(|name| *name != "arap").chain(["spline"]).collect();
                let reason = format!("'{name}' cannot be fitted; these can: {}", known.join(", "));
                Err(Fault::new("model", reason))
            }
        },
    }
}

/// A family with its unknowns.
pub(super) struct Problem {
    /// The model in configs.
    pub model: &'static str,
    /// Unknowns at the start.
    pub start: Vec<f64>,
    /// Their lower bounds.
    pub least: Vec<f64>,
    /// Poisson's ratio at rest.
    poisson: f64,
    /// Where a spline has the control points of a′ and b′.
    knots: [Vec<f64>; 2],
}

/// A bound above 0 is this part of the start.
const ABOVE_ZERO: f64 = 1e-3;

impl Family {
    pub(super) fn problem(&self, points: &[Point], poisson: f64, errors: Errors) -> Result<Problem> {
        // Stresses of neo-Hookean solids are proportional to Young's modulus.
        let unit = Material::elastic("neo-hookean", 1.0, poisson)?;
        let (mut up, mut down) = (0.0, 0.0);
        for point in points {
            let stress = errors.weight(point) * point.experiment.stress(&unit, point.stretch, poisson);
            up += stress * errors.weight(point) * point.stress;
            down += stress * stress;
        }
        let young = up / down;
        if !(young > 0.0 && young.is_finite()) {
            let what = "the measured stresses do not grow with the stretches".into();
            let hint = "is the sign of the stress right? tension is positive, at stretches above 1";
            return Err(Error::Usage { what, hint: hint.into() });
        }
        let mu = young / (2.0 * (1.0 + poisson));
        let problem = |model, start: Vec<f64>, least, knots| Problem { model, start, least, poisson, knots };
        Ok(match self {
            Family::Elastic(model) => {
                problem(model, vec![young], vec![ABOVE_ZERO * young], Default::default())
            }
            Family::MooneyRivlin if poisson < 1.0 / 3.0 => {
                let what = format!("mooney-rivlin needs a Poisson's ratio of at least 1/3, not {poisson}");
                return Err(Error::Usage { what, hint: "rubber has 0.49 and more".into() });
            }
            Family::MooneyRivlin => problem(
                "mooney-rivlin",
                vec![0.4 * mu, 0.1 * mu],
                vec![ABOVE_ZERO * mu, 0.0],
                Default::default(),
            ),
            Family::Spline(count) => {
                let knots = knots(points, poisson, *count);
                // Four fifths of the modulus in a′ and a fifth in b′, as `mooney-rivlin` has it.
                let shares = [0.8 * mu, 0.2 * mu];
                let increments = |i: usize| knots[i].windows(2).map(move |w| shares[i] * (w[1] - w[0]));
                let start: Vec<f64> = increments(0).chain(increments(1)).collect();
                let mut least = vec![0.0; start.len()];
                least[0] = ABOVE_ZERO * start[0];
                problem("spline", start, least, knots)
            }
        })
    }
}

/// Control points of a′ over stretches, evenly above 1, and a third as many of b′ over products of two, in even ratios.
fn knots(points: &[Point], poisson: f64, count: usize) -> [Vec<f64>; 2] {
    let (mut length, mut area) = (1.1f64, 1.2f64);
    for point in points {
        let side = point.experiment.about_side(point.stretch, poisson);
        let mut s = point.experiment.stretches(point.stretch, side);
        s.sort_by(f64::total_cmp);
        (length, area) = (length.max(s[2]), area.max(s[1] * s[2]));
    }
    let of_areas = (count / 3).max(2);
    let of_lengths = count - of_areas;
    let part = |i: usize, count: usize| i as f64 / (count - 2).max(1) as f64;
    let lengths = (0..of_lengths - 1).map(|i| 1.0 + (length - 1.0) * part(i, of_lengths));
    let areas = (0..of_areas - 1).map(|i| area.powf(part(i, of_areas)));
    // The numbers go into a config.
    let rounded = |s: f64| (s * 1e4).round() / 1e4;
    let from_zero = |knots: Vec<f64>| [0.0].into_iter().chain(knots.into_iter().map(rounded)).collect();
    [from_zero(lengths.collect()), from_zero(areas.collect())]
}

impl Problem {
    /// The material with these unknowns.
    pub fn material(&self, unknowns: &[f64]) -> std::result::Result<Material, Fault> {
        Material::new(self.model, self.parameters(unknowns))
    }

    /// Its parameters.
    pub fn parameters(&self, unknowns: &[f64]) -> Parameters {
        // λ/2μ
        let bulk = self.poisson / (1.0 - 2.0 * self.poisson);
        match (self.model, unknowns) {
            ("spline", increments) => self.spline(increments, bulk),
            ("mooney-rivlin", [c1, c2]) => {
                let lambda = (4.0 * (c1 + c2) * bulk - 4.0 * c2).max(0.0);
                Parameters { c1: Some(*c1), c2: Some(*c2), lambda: Some(lambda), ..Default::default() }
            }
            (_, unknowns) => Parameters {
                young: unknowns.first().copied(),
                poisson: Some(self.poisson),
                ..Default::default()
            },
        }
    }

    /// The curves of a spline; `bulk` is λ/2μ at rest.
    fn spline(&self, increments: &[f64], bulk: f64) -> Parameters {
        let (lengths, areas) = increments.split_at(self.knots[0].len() - 1);
        let curve = |knots: &[f64], increments: &[f64]| {
            let mut sum = 0.0;
            let sums = increments.iter().map(|d| {
                sum += d;
                sum
            });
            knots.iter().copied().zip([0.0].into_iter().chain(sums)).map(|(s, y)| [s, y]).collect::<Vec<_>>()
        };
        let (a, b) = (curve(&self.knots[0], lengths), curve(&self.knots[1], areas));
        let parameters = Parameters { a: Some(a), b: Some(b), monotone: Some(true), ..Default::default() };
        let at_rest = |curve: &Option<Spline>| curve.as_ref().map_or([0.0; 3], |curve| curve.evaluate(1.0));
        let Ok([a, b, _]) = spline::curves(&parameters) else { return parameters };
        let ([_, a1, a2], [_, b1, b2]) = (at_rest(&a), at_rest(&b));
        let stiffness = (bulk * (a2 + b2 + a1 + b1) - b2 + b1 + a1).max(0.0);
        let volume = |j: f64| [j, stiffness * (j - 1.0) - a1 - 2.0 * b1];
        Parameters { c: Some([0.5, 1.0, 1.5].map(volume).to_vec()), ..parameters }
    }

    /// Names of the unknowns at their bounds.
    pub fn bounded(&self, unknowns: &[f64]) -> Vec<String> {
        let at = (0..unknowns.len()).filter(|i| unknowns[*i] <= self.least[*i]);
        let of_lengths = self.knots[0].len().saturating_sub(1);
        at.map(|i| match (self.model, i) {
            ("spline", i) if i < of_lengths => {
                format!("a′ between {} and {}", self.knots[0][i], self.knots[0][i + 1])
            }
            ("spline", i) => {
                let i = i - of_lengths;
                format!("b′ between {} and {}", self.knots[1][i], self.knots[1][i + 1])
            }
            ("mooney-rivlin", 0) => "c1".into(),
            ("mooney-rivlin", _) => "c2".into(),
            _ => "young".into(),
        })
        .collect()
    }
}

impl Experiment {
    /// The nominal stress in Pa of an incompressible neo-Hookean solid of shear modulus 1 Pa.
    #[cfg(test)]
    pub(super) fn incompressible(self, s: f64) -> f64 {
        match self {
            Experiment::Uniaxial => s - s.powi(-2),
            Experiment::Equibiaxial => s - s.powi(-5),
            Experiment::Planar => s - s.powi(-3),
        }
    }
}
