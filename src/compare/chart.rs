//! Charts of a comparison: relative error over iterations and over seconds, the parts of g, and momenta.

use super::frames::Record;
use super::{Comparison, Point};
use crate::view::plot::{Axis, Chart, Panel, Series};

/// The quantity of an iterate that a curve shows.
type Quantity = fn(&Point) -> f64;

/// The chart of the relative error over iterations.
pub fn over_iterations(comparison: &Comparison, title: &str) -> Chart {
    let error = [(Axis::log("relative error", ""), (|p| p.relative_error) as Quantity)];
    draw(comparison, title, iterations(), error.into())
}

/// The chart of the relative error over the time of the iterations.
pub fn over_seconds(comparison: &Comparison, title: &str) -> Chart {
    let x = (Axis::from_zero("time of iterations", "s"), (|p| p.seconds) as Quantity);
    let error = [(Axis::log("relative error", ""), (|p| p.relative_error) as Quantity)];
    draw(comparison, title, x, error.into())
}

/// The chart of elastic energy and inertia over iterations.
pub fn parts(comparison: &Comparison, title: &str) -> Chart {
    let panels = vec![
        (Axis::log("elastic energy", "J"), (|p| p.value.elastic) as Quantity),
        (Axis::log("inertia", "J"), |p| p.value.inertia),
    ];
    draw(comparison, title, iterations(), panels)
}

/// The chart of the sizes of linear and angular momentum over iterations.
pub fn momenta(comparison: &Comparison, title: &str) -> Chart {
    let panels = vec![
        (Axis::from_zero("linear momentum", "kg m/s"), (|p| norm(p.linear)) as Quantity),
        (Axis::from_zero("angular momentum", "kg m²/s"), |p| norm(p.angular)),
    ];
    draw(comparison, title, iterations(), panels)
}

/// The chart of the relative error that each solver leaves, over frames.
pub fn over_frames(records: &[Record], title: &str) -> Chart {
    let curve = |(look, record): (usize, &Record)| {
        let points = record.frames.iter().enumerate().map(|(i, left)| [i as f64, left.relative_error]);
        Series::line(&record.label, look, points.collect())
    };
    let series = records.iter().enumerate().map(curve).collect();
    let panel = Panel { y: Axis::log("relative error", ""), series };
    Chart { title: title.to_owned(), x: Axis::from_zero("frame", ""), panels: vec![panel] }
}

fn norm(v: [f64; 3]) -> f64 {
    v.iter().map(|c| c * c).sum::<f64>().sqrt()
}

fn iterations() -> (Axis, Quantity) {
    (Axis::from_zero("iteration", ""), |point| point.iteration as f64)
}

fn draw(
    comparison: &Comparison,
    title: &str,
    (x, at): (Axis, Quantity),
    panels: Vec<(Axis, Quantity)>,
) -> Chart {
    let panel = |(y, of): (Axis, Quantity)| {
        let curve = |(look, course): (usize, &super::Course)| {
            let points = course.points.iter().map(|p| [at(p), of(p)]).collect();
            Series::line(&course.label, look, points)
        };
        Panel { y, series: comparison.courses.iter().enumerate().map(curve).collect() }
    };
    Chart { title: title.to_owned(), x, panels: panels.into_iter().map(panel).collect() }
}
