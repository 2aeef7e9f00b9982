//! Charts of a comparison: relative error over iterations, and over seconds.

use super::{Comparison, Point};
use crate::plot::{Axis, Chart, Panel, Series};

/// Relative error over iterations.
pub fn over_iterations(comparison: &Comparison, title: &str) -> Chart {
    draw(comparison, title, Axis::from_zero("iteration", ""), |point| point.iteration as f64)
}

/// Relative error over the time of the iterations.
pub fn over_seconds(comparison: &Comparison, title: &str) -> Chart {
    draw(comparison, title, Axis::from_zero("time of iterations", "s"), |point| point.seconds)
}

fn draw(comparison: &Comparison, title: &str, x: Axis, at: fn(&Point) -> f64) -> Chart {
    let curve = |(look, course): (usize, &super::Course)| {
        let points = course.points.iter().map(|p| [at(p), p.relative_error]).collect();
        Series::line(&course.label, look, points)
    };
    let series = comparison.courses.iter().enumerate().map(curve).collect();
    let panel = Panel { y: Axis::log("relative error", ""), series };
    Chart { title: title.to_owned(), x, panels: vec![panel] }
}
