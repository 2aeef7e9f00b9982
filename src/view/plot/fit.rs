//! The chart of a fit: measured points, and the curve of the material in each experiment.

use super::{Axis, Chart, Mark, Panel, Series};
use crate::fit::Fit;
use crate::fit::data::Point;
use crate::fit::experiment::Experiment;

const SAMPLES: usize = 200;

/// Stress over stretch of a material that was fitted to these points.
pub fn chart(title: String, fit: &Fit, points: &[Point], poisson: f64) -> Chart {
    let mut series = vec![];
    for (look, experiment) in Experiment::ALL.into_iter().enumerate() {
        let Some([low, high]) = experiment.range(points) else { continue };
        let at = |i: usize| low + (high - low) * i as f64 / SAMPLES as f64;
        let stress = |s: f64| experiment.stress(&fit.material, s, poisson);
        let curve = (0..=SAMPLES).map(|i| [at(i), stress(at(i))]).collect();
        series.push(Series::line(&format!("{}, fitted", experiment.name()), look, curve));
        let measured = points.iter().filter(|p| p.experiment == experiment);
        series.push(Series {
            name: format!("{}, measured", experiment.name()),
            points: measured.map(|p| [p.stretch, p.stress]).collect(),
            mark: Mark::Points,
            look,
        });
    }
    Chart {
        title,
        x: Axis::linear("stretch", ""),
        panels: vec![Panel { y: Axis::linear("nominal stress", "Pa"), series }],
    }
}
