//! The charts of runs: energy, momentum, iterations, convergence, times.
//!
//! With one run, quantities that share a unit are curves of one panel. With several runs, each quantity has a panel,
//! with a curve for each run.

use super::metrics::Metrics;
use super::{Axis, Chart, Panel, Series};
use crate::error::Result;

/// A quantity over time: its name, and the way to compute it.
struct Quantity<'a> {
    name: &'a str,
    values: &'a dyn Fn(&Metrics) -> Result<Vec<f64>>,
}

/// The charts with the names of their files, without extension.
pub fn charts(runs: &[Metrics]) -> Result<Vec<(&'static str, Chart)>> {
    Ok(vec![
        ("energy", energy(runs)?),
        ("momentum", momentum(runs)?),
        ("iterations", iterations(runs)?),
        ("convergence", convergence(runs)?),
        ("timings", timings(runs)?),
    ])
}

fn energy(runs: &[Metrics]) -> Result<Chart> {
    let quantities = [
        Quantity { name: "elastic", values: &|m| m.column("elastic") },
        Quantity { name: "kinetic", values: &|m| m.column("kinetic") },
        Quantity { name: "potential", values: &|m| m.column("potential") },
        Quantity { name: "total", values: &|m| m.sum(&["elastic", "kinetic", "potential"]) },
    ];
    over_time(runs, "Energy", &Axis::linear("energy", "J"), &quantities)
}

fn momentum(runs: &[Metrics]) -> Result<Chart> {
    let linear = Quantity { name: "|P|", values: &|m| m.length(&["px", "py", "pz"]) };
    let angular = Quantity { name: "|L|", values: &|m| m.length(&["lx", "ly", "lz"]) };
    let panels = [("|P|", "kg m/s", linear), ("|L|", "kg m²/s", angular)]
        .map(|(label, unit, quantity)| panel_of_runs(runs, Axis::from_zero(label, unit), &quantity));
    let title = title("Linear and angular momentum", runs);
    Ok(Chart { title, x: time(), panels: panels.into_iter().collect::<Result<_>>()? })
}

fn iterations(runs: &[Metrics]) -> Result<Chart> {
    let quantities = [
        Quantity { name: "iterations", values: &|m| m.column("iterations") },
        Quantity { name: "line search", values: &|m| m.column("line_search") },
    ];
    over_time(
        runs,
        "Iterations and line search tries per step",
        &Axis::from_zero("per step", ""),
        &quantities,
    )
}

fn convergence(runs: &[Metrics]) -> Result<Chart> {
    let norm = Quantity { name: "", values: &|m| m.column("gradient_norm") };
    let panel = panel_of_runs(runs, Axis::log("gradient norm", "N"), &norm)?;
    Ok(Chart { title: title("Gradient at the end of each step", runs), x: time(), panels: vec![panel] })
}

fn timings(runs: &[Metrics]) -> Result<Chart> {
    const PARTS: [&str; 4] = ["local_ms", "global_ms", "line_search_ms", "collision_ms"];
    let other = |m: &Metrics| {
        let columns = [&["total_ms"], &PARTS[..]].concat();
        // Because of rounding, the parts may add up to more than the whole.
        m.combine(&columns, |row| (row[0] - row[1..].iter().sum::<f64>()).max(0.0))
    };
    let quantities = [
        Quantity { name: "local", values: &|m| m.column(PARTS[0]) },
        Quantity { name: "global", values: &|m| m.column(PARTS[1]) },
        Quantity { name: "line search", values: &|m| m.column(PARTS[2]) },
        Quantity { name: "collision", values: &|m| m.column(PARTS[3]) },
        Quantity { name: "other", values: &other },
    ];
    over_time(runs, "Time per step", &Axis::from_zero("time", "ms"), &quantities)
}

fn time() -> Axis {
    Axis::from_zero("time", "s")
}

/// The title, which names the run if there is only one.
fn title(what: &str, runs: &[Metrics]) -> String {
    match runs {
        [run] => format!("{what}: {}", run.name),
        _ => what.to_owned(),
    }
}

/// The chart of quantities of one unit: curves of one panel, or a panel each if there are several runs.
fn over_time(runs: &[Metrics], what: &str, axis: &Axis, quantities: &[Quantity]) -> Result<Chart> {
    let panels = match runs {
        [run] => {
            let series = quantities.iter().enumerate().map(|(look, q)| series(run, q.name, look, q));
            vec![Panel { y: axis.clone(), series: series.collect::<Result<_>>()? }]
        }
        _ => quantities
            .iter()
            .map(|q| panel_of_runs(runs, Axis { label: q.name.into(), ..axis.clone() }, q))
            .collect::<Result<_>>()?,
    };
    Ok(Chart { title: title(what, runs), x: time(), panels })
}

/// The panel of one quantity, with a curve for each run.
fn panel_of_runs(runs: &[Metrics], y: Axis, quantity: &Quantity) -> Result<Panel> {
    let series = runs.iter().enumerate().map(|(look, run)| {
        // A single curve needs no name: the axis has it.
        let name = if runs.len() == 1 { "" } else { &run.name };
        series(run, name, look, quantity)
    });
    Ok(Panel { y, series: series.collect::<Result<_>>()? })
}

fn series(run: &Metrics, name: &str, look: usize, quantity: &Quantity) -> Result<Series> {
    let values = (quantity.values)(run)?;
    let points = run.column("time")?.into_iter().zip(values).map(|(t, v)| [t, v]).collect();
    Ok(Series::line(name, look, points))
}
