//! Materials fitted to measured stress over stretch, as \[Narain2016\] wishes for.
//!
//! A measurement is a principal stretch s and the nominal stress P there (force over undeformed area) in one of three
//! experiments. A family of materials has unknowns u ≥ l, and the fit is
//!
//! ```text
//! min ½ Σᵢ wᵢ² (P(sᵢ; u) − Pᵢ)²,      u ≥ l
//! ```
//!
//! with P of the very law that a simulation uses, sides free, so that the numbers can be taken over as they are. Such
//! measurements tell nothing of changes of volume: Poisson's ratio at rest is given, not fitted. The bounds l keep the
//! material stable: positive moduli, and curves of splines that ascend.

pub mod data;
pub mod experiment;
mod family;
mod search;

pub use family::Family;

use crate::error::{Error, Result};
use data::Point;
use elements::energy::material::{Fault, Material, Parameters};
use experiment::Experiment;

/// How deviations are weighted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Errors {
    /// In pascal: large stresses count most.
    #[default]
    Absolute,
    /// Relative to the measured stress: small stresses count as much as large ones.
    Relative,
}

impl Errors {
    /// The factor of the deviation at a point.
    fn weight(self, point: &Point) -> f64 {
        match self {
            Errors::Absolute => point.weight,
            Errors::Relative => point.weight / point.stress.abs(),
        }
    }
}

/// A material, and how near to the measurements it is.
#[derive(Debug)]
pub struct Fit {
    /// The material, made of [`Self::parameters`].
    pub material: Material,
    /// Its parameters as a config has them.
    pub parameters: Parameters,
    /// Unknowns that ended at their bounds, by their names in the config.
    pub bounded: Vec<String>,
    /// Stress in Pa at each measured point.
    pub stresses: Vec<f64>,
    /// The stretch from which on the stress falls while the stretch grows, where it does so between the measured ones.
    pub unstable: Vec<(Experiment, f64)>,
}

/// The deviation of a fit in some of its points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deviation {
    /// The number of points.
    pub points: usize,
    /// The root of the mean square in Pa.
    pub absolute: f64,
    /// The root of the mean square relative to the measured stresses, where these are not 0.
    pub relative: f64,
}

impl Fit {
    /// Fits a family to measurements.
    pub fn new(family: &Family, points: &[Point], poisson: f64, errors: Errors) -> Result<Fit> {
        let used: Vec<Point> =
            points.iter().filter(|p| errors == Errors::Absolute || p.stress != 0.0).copied().collect();
        if used.is_empty() {
            let what = "there is no measurement with a stress other than 0".into();
            return Err(Error::Usage { what, hint: "relative errors need such".into() });
        }
        let problem = family.problem(&used, poisson, errors)?;
        let residuals = |unknowns: &[f64], out: &mut [f64]| {
            let Ok(material) = problem.material(unknowns) else { return out.fill(f64::INFINITY) };
            for (out, point) in out.iter_mut().zip(&used) {
                let stress = point.experiment.stress(&material, point.stretch, poisson);
                *out = errors.weight(point) * (stress - point.stress);
            }
        };
        let unknowns = search::minimize(&problem.start, &problem.least, used.len(), residuals);
        let parameters = problem.parameters(&unknowns);
        let material = Material::new(problem.model, parameters.clone())?;
        let stress = |point: &Point| point.experiment.stress(&material, point.stretch, poisson);
        let stresses: Vec<f64> = points.iter().map(stress).collect();
        if let Some(i) = stresses.iter().position(|stress| !stress.is_finite()) {
            let what = format!(
                "{} has no equilibrium with free sides at the stretch {}",
                problem.model, points[i].stretch
            );
            return Err(Error::Failed { what, hint: "fit another model, or a smaller range".into() });
        }
        let bounded = problem.bounded(&unknowns);
        let unstable = unstable(&material, points, poisson);
        Ok(Fit { material, parameters, bounded, stresses, unstable })
    }

    /// The deviation from the points of an experiment, or from all.
    pub fn deviation(&self, points: &[Point], experiment: Option<Experiment>) -> Deviation {
        let chosen = || {
            let all = points.iter().zip(&self.stresses);
            all.filter(|(point, _)| experiment.is_none_or(|e| e == point.experiment))
        };
        let mean =
            |values: Vec<f64>| (values.iter().map(|v| v * v).sum::<f64>() / values.len() as f64).sqrt();
        let absolute = chosen().map(|(point, stress)| stress - point.stress).collect::<Vec<_>>();
        let relative = chosen().filter(|(point, _)| point.stress != 0.0);
        Deviation {
            points: absolute.len(),
            absolute: mean(absolute),
            relative: mean(relative.map(|(point, stress)| stress / point.stress - 1.0).collect()),
        }
    }

    /// Young's modulus at rest in Pa.
    pub fn young(&self) -> f64 {
        let [mu, lambda] = self.material.solid.moduli();
        mu * (3.0 * lambda + 2.0 * mu) / (lambda + mu)
    }
}

/// Where stress falls with growing stretch, in each experiment that was made, from rest to its outermost points.
fn unstable(material: &Material, points: &[Point], poisson: f64) -> Vec<(Experiment, f64)> {
    const SAMPLES: usize = 200;
    let falls = |experiment: Experiment| {
        let [low, high] = experiment.range(points)?;
        let at = |i: usize| low + (high - low) * i as f64 / SAMPLES as f64;
        let stress = |i: usize| experiment.stress(material, at(i), poisson);
        let rises = |i: &usize| stress(i + 1) > stress(*i);
        (0..SAMPLES).find(|i| !rises(i)).map(|i| (experiment, at(i)))
    };
    Experiment::ALL.into_iter().filter_map(falls).collect()
}

impl Family {
    /// The family with this name; splines have `knots` control points.
    pub fn find(name: &str, knots: usize) -> Result<Family, Fault> {
        family::find(name, knots)
    }
}

#[cfg(test)]
mod tests;
