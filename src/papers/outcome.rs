//! Figures of an experiment: what the cells of rows ask for.
//!
//! | quantity | of | meaning |
//! |---|---|---|
//! | `error` | step | relative error after `iteration` |
//! | `level` | step | g after `iteration`, as a part of its first value |
//! | `highest` | step | the largest g, as a part of its first value |
//! | `inertia`, `elastic` | step | the parts of g after `iteration`, in J |
//! | `momentum`, `spin` | step | the sizes of linear and angular momentum after `iteration` |
//! | `iterations` | step | the first iteration with a relative error of at most `below` |
//! | `iterations-by-gradient` | step | the first iteration from which on ‖∇g‖ is at most `below` times its first value |
//! | `tries`, `milliseconds` | step | evaluations by the line search and time, an iteration |
//! | `alpha` | step | the part of the direction that `iteration` took, or the least of all iterations |
//! | `full-steps` | step | the iterations that took the whole direction, as a part of all that the line search ended |
//! | `inverted` | step | cells that are inverted at the end |
//! | `mean-error` | frames | the mean of relative errors |
//! | `worst-error` | frames | the largest of them |
//! | `tries-a-frame`, `milliseconds-a-frame` | frames | means over the frames |
//! | `least-milliseconds-a-frame` | frames | the least of them, which other work on the machine disturbs less |
//! | `iterations-a-step`, `milliseconds-an-iteration` | runs | means over the steps |
//! | `energy-drift` | runs | the largest change of the whole energy, as a part of that at the start |
//! | `energy-left` | runs | the whole energy at the end, as a part of that at the start |
//! | `elastic-left` | runs | the largest elastic energy of the last quarter, as a part of that at the start |
//! | `highest-elastic` | runs | the largest elastic energy in J; infinite for a run that breaks |
//! | `last-elastic` | runs | the largest elastic energy of the last quarter in J; infinite for a run that breaks |
//! | `spin-left` | runs | the angular momentum at the end, as a part of that after the first step |
//! | `frames-done` | runs | steps until numbers were not finite any more, as a part of all |
//! | `condition` | condition | the condition number of the Hessian against the solver's matrix; never, if it is indefinite |
//! | `least-eigenvalue`, `most-eigenvalue` | condition | the extreme eigenvalues that it comes from |
//! | `holds-to` | step, cases | the largest value of the last key up to which `test` is at most `below` |
//! | `fails-from` | step, cases | the least value of the last key from which on `test` is above `above` |

use serde::{Deserialize, Serialize};

use super::spec::Value;
use crate::compare::frames::{self, Record};
use crate::compare::{Comparison, Course, chart};
use crate::simulate::metrics::StepMetrics;
use crate::solver::spectrum::Spectrum;
use crate::view::plot::{Axis, Chart, Panel, Series};

/// A figure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Figure {
    /// A number, possibly infinite.
    Number(f64),
    /// What was looked for did not come.
    Never,
}

impl From<Figure> for String {
    fn from(figure: Figure) -> String {
        match figure {
            Figure::Number(number) => number.to_string(),
            Figure::Never => "never".into(),
        }
    }
}

impl TryFrom<String> for Figure {
    type Error = String;

    fn try_from(text: String) -> Result<Figure, String> {
        if text == "never" {
            return Ok(Figure::Never);
        }
        text.parse().map(Figure::Number).map_err(|_| format!("'{text}' is no figure"))
    }
}

/// What an experiment gave.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The results of every combination of values.
    pub cases: Vec<Case>,
}

/// The results with one combination of values.
#[derive(Clone, Debug)]
pub struct Case {
    /// The values of the varied keys.
    pub values: Vec<String>,
    /// The results.
    pub data: Data,
}

/// The results of the kinds of experiments.
#[derive(Clone, Debug)]
pub enum Data {
    /// Of solvers on one step.
    Step(Comparison),
    /// Of solvers on many steps.
    Frames(Vec<Record>),
    /// Of whole runs.
    Runs(Vec<Run>),
    /// Of matrices on one step, each with its solver.
    Conditions(Vec<(String, Spectrum)>),
}

/// A whole run.
#[derive(Clone, Debug)]
pub struct Run {
    /// The solver as the row names it.
    pub solver: String,
    /// The elastic, kinetic and potential energy of the start in J.
    pub start: [f64; 3],
    /// The measurements of all steps.
    pub steps: Vec<StepMetrics>,
    /// True if it ended because numbers were not finite any more.
    pub broke: bool,
}

impl Outcome {
    /// A figure; an error says what of it the experiment does not have.
    pub fn figure(&self, value: &Value) -> Result<Figure, String> {
        let figure = match value.of.as_str() {
            "holds-to" | "fails-from" => self.threshold(value)?,
            _ => self.case(value)?.figure(value)?,
        };
        let scaled = match figure {
            Figure::Number(number) => Figure::Number(number * value.times.unwrap_or(1.0)),
            Figure::Never => Figure::Never,
        };
        let Some(other) = &value.per else { return Ok(scaled) };
        match (scaled, self.figure(other)?) {
            (Figure::Number(a), Figure::Number(b)) => Ok(Figure::Number(a / b)),
            _ => Ok(Figure::Never),
        }
    }

    fn case(&self, value: &Value) -> Result<&Case, String> {
        let same = |case: &&Case| {
            value.case.len() == case.values.len()
                && value.case.iter().zip(&case.values).all(|(a, b)| is_same(a, b))
        };
        self.cases.iter().find(same).ok_or_else(|| format!("there is no case {:?}", value.case))
    }

    /// The value of the last key at which a test begins or ends to hold.
    fn threshold(&self, value: &Value) -> Result<Figure, String> {
        let test = value.test.as_ref().ok_or("it needs a test")?;
        let begins = |case: &&Case| {
            value.case.len() + 1 == case.values.len()
                && value.case.iter().zip(&case.values).all(|(a, b)| is_same(a, b))
        };
        let mut tested = vec![];
        for case in self.cases.iter().filter(begins) {
            let last =
                case.values.last().and_then(|text| text.parse::<f64>().ok()).ok_or("a value is no number")?;
            let mut wanted = test.as_ref().clone();
            wanted.case = case.values.iter().map(|text| toml::Value::String(text.clone())).collect();
            if let Some(per) = &mut wanted.per {
                per.case.clone_from(&wanted.case);
            }
            tested.push((last, self.figure(&wanted)?));
        }
        if tested.is_empty() {
            return Err(format!("there is no case that begins with {:?}", value.case));
        }
        tested.sort_by(|a, b| a.0.total_cmp(&b.0));
        let passes = |figure: &Figure| match (figure, value.below, value.above) {
            (Figure::Number(n), Some(below), _) => *n <= below,
            // What is not a number has failed.
            (Figure::Number(n), _, Some(above)) => n.is_nan() || *n > above,
            _ => false,
        };
        let found = if value.of == "holds-to" {
            tested.iter().take_while(|(_, figure)| passes(figure)).last()
        } else {
            tested.iter().rev().take_while(|(_, figure)| passes(figure)).last()
        };
        Ok(found.map_or(Figure::Never, |(at, _)| Figure::Number(*at)))
    }

    /// The charts of the first case, each with the name of its file.
    pub fn charts(&self, title: &str) -> Vec<(&'static str, Chart)> {
        match self.cases.first().map(|case| &case.data) {
            Some(Data::Step(comparison)) if self.cases.len() == 1 => {
                vec![
                    ("relative-error", chart::over_iterations(comparison, title)),
                    ("parts", chart::parts(comparison, title)),
                ]
            }
            Some(Data::Frames(records)) => vec![("errors", chart::over_frames(records, title))],
            Some(Data::Runs(runs)) => vec![("energy", energies(runs, title))],
            _ => vec![],
        }
    }

    /// The tables of all numbers, each with the name of its file.
    pub fn tables(&self) -> Vec<(&'static str, String)> {
        match self.cases.first().map(|case| &case.data) {
            Some(Data::Step(comparison)) if self.cases.len() == 1 => {
                vec![("convergence.csv", comparison.to_csv())]
            }
            Some(Data::Frames(records)) => vec![("frames.csv", frames::to_csv(records))],
            _ => vec![],
        }
    }
}

/// True if a value of a row's file is that of a case.
fn is_same(wanted: &toml::Value, has: &str) -> bool {
    if let Some(wanted) = wanted.as_array() {
        let has: Vec<&str> = has.trim_matches(['[', ']']).split(',').map(str::trim).collect();
        return wanted.len() == has.len() && wanted.iter().zip(has).all(|(wanted, has)| is_same(wanted, has));
    }
    let number = wanted.as_float().or(wanted.as_integer().map(|n| n as f64));
    match (number.or(wanted.as_str().and_then(|text| text.parse().ok())), has.parse::<f64>()) {
        (Some(wanted), Ok(has)) => wanted == has,
        _ => wanted.as_str() == Some(has.trim_matches('"')),
    }
}

impl Case {
    fn figure(&self, value: &Value) -> Result<Figure, String> {
        let unknown = || format!("there is no solver '{}'", value.solver);
        match &self.data {
            Data::Step(comparison) => {
                let course =
                    comparison.courses.iter().find(|c| c.label == value.solver).ok_or_else(unknown)?;
                of_step(course, value)
            }
            Data::Frames(records) => {
                let record = records.iter().find(|r| r.label == value.solver).ok_or_else(unknown)?;
                of_frames(record, value)
            }
            Data::Runs(runs) => {
                let run = runs.iter().find(|r| r.solver == value.solver).ok_or_else(unknown)?;
                of_run(run, value)
            }
            Data::Conditions(found) => {
                let (_, spectrum) =
                    found.iter().find(|(label, _)| *label == value.solver).ok_or_else(unknown)?;
                let number = |found: Option<f64>| found.map_or(Figure::Never, Figure::Number);
                match value.of.as_str() {
                    "condition" => Ok(number(spectrum.condition())),
                    "least-eigenvalue" => Ok(number(spectrum.least)),
                    "most-eigenvalue" => Ok(Figure::Number(spectrum.most)),
                    other => Err(format!("'{other}' is no quantity of matrices")),
                }
            }
        }
    }
}

fn of_step(course: &Course, value: &Value) -> Result<Figure, String> {
    let (first, last) = (&course.points[0], course.last());
    // A solver that has stopped stays where it is.
    let at = match value.iteration {
        None => last,
        Some(number) => course.points.get(number as usize).unwrap_or(last),
    };
    let per_iteration = |sum: f64| sum / last.iteration.max(1) as f64;
    let norm = |v: [f64; 3]| v.iter().map(|c| c * c).sum::<f64>().sqrt();
    let below = || value.below.ok_or("it needs 'below'");
    Ok(Figure::Number(match value.of.as_str() {
        "error" => at.relative_error,
        "level" => at.value.total() / first.value.total(),
        "highest" => {
            let values = course.points.iter().map(|p| p.value.total());
            values.fold(0.0, f64::max) / first.value.total()
        }
        "inertia" => at.value.inertia,
        "elastic" => at.value.elastic,
        "momentum" => norm(at.linear),
        "spin" => norm(at.angular),
        "tries" => per_iteration(last.tries as f64),
        "milliseconds" => per_iteration(1e3 * last.seconds),
        "alpha" if value.iteration.is_some() => {
            return Ok(at.alpha.map_or(Figure::Never, Figure::Number));
        }
        "alpha" => course.points.iter().filter_map(|p| p.alpha).fold(f64::INFINITY, f64::min),
        "full-steps" => {
            let taken: Vec<f64> = course.points.iter().filter_map(|p| p.alpha).collect();
            taken.iter().filter(|alpha| **alpha == 1.0).count() as f64 / taken.len() as f64
        }
        "inverted" => course.volumes.1 as f64,
        "iterations" => {
            let bound = below()?;
            let found = course.points.iter().find(|p| p.relative_error <= bound);
            return Ok(found.map_or(Figure::Never, |p| Figure::Number(p.iteration as f64)));
        }
        "iterations-by-gradient" => {
            let bound = below()? * first.gradient_norm;
            let above =
                course.points.iter().rposition(|p| p.gradient_norm > bound || p.gradient_norm.is_nan());
            let found = course.points.get(above.map_or(0, |position| position + 1));
            return Ok(found.map_or(Figure::Never, |p| Figure::Number(p.iteration as f64)));
        }
        other => return Err(format!("'{other}' is no quantity of one step")),
    }))
}

fn of_frames(record: &Record, value: &Value) -> Result<Figure, String> {
    Ok(Figure::Number(match value.of.as_str() {
        "mean-error" => record.mean(|left| left.relative_error),
        "worst-error" => record.frames.iter().map(|left| left.relative_error).fold(0.0, f64::max),
        "tries-a-frame" => record.mean(|left| left.tries as f64),
        "least-milliseconds-a-frame" => {
            1e3 * record.frames.iter().map(|left| left.seconds).fold(f64::INFINITY, f64::min)
        }
        "milliseconds-a-frame" => 1e3 * record.mean(|left| left.seconds),
        other => return Err(format!("'{other}' is no quantity of frames")),
    }))
}

fn of_run(run: &Run, value: &Value) -> Result<Figure, String> {
    let whole = |m: &StepMetrics| m.value.elastic + m.kinetic + m.potential;
    let spin = |m: &StepMetrics| m.angular.iter().map(|c| c * c).sum::<f64>().sqrt();
    let start: f64 = run.start.iter().sum();
    let count = run.steps.len().max(1) as f64;
    let (Some(first), Some(last)) = (run.steps.first(), run.steps.last()) else {
        // A run that breaks in its first step has no measurements.
        return match value.of.as_str() {
            "energy-drift" | "highest-elastic" | "last-elastic" if run.broke => {
                Ok(Figure::Number(f64::INFINITY))
            }
            "frames-done" if run.broke => Ok(Figure::Number(0.0)),
            _ => Err("the run has no step".into()),
        };
    };
    let late = &run.steps[run.steps.len() * 3 / 4..];
    let iterations = run.steps.iter().map(|m| m.iterations as f64).sum::<f64>();
    Ok(Figure::Number(match value.of.as_str() {
        "iterations-a-step" => iterations / count,
        "milliseconds-an-iteration" => {
            let cost =
                run.steps.iter().map(|m| (m.cost.local + m.cost.global + m.cost.line_search).as_secs_f64());
            1e3 * cost.sum::<f64>() / iterations
        }
        // A run that breaks has lost all of it.
        "energy-drift" if run.broke => f64::INFINITY,
        "energy-drift" => {
            run.steps.iter().map(|m| (whole(m) - start).abs()).fold(0.0, f64::max) / start.abs()
        }
        "energy-left" => whole(last) / start,
        "elastic-left" => late.iter().map(|m| m.value.elastic).fold(0.0, f64::max) / run.start[0],
        "highest-elastic" | "last-elastic" if run.broke => f64::INFINITY,
        "highest-elastic" => run.steps.iter().map(|m| m.value.elastic).fold(run.start[0], f64::max),
        "last-elastic" => late.iter().map(|m| m.value.elastic).fold(0.0, f64::max),
        "spin-left" => spin(last) / spin(first),
        "frames-done" => {
            if run.broke {
                0.0
            } else {
                1.0
            }
        }
        other => return Err(format!("'{other}' is no quantity of runs")),
    }))
}

fn energies(runs: &[Run], title: &str) -> Chart {
    type Quantity = fn(&StepMetrics) -> f64;
    let panels: [(&str, &str, Quantity); 3] = [
        ("whole energy", "J", |m| m.value.elastic + m.kinetic + m.potential),
        ("elastic energy", "J", |m| m.value.elastic),
        ("iterations", "", |m| m.iterations as f64),
    ];
    let panel = |(label, unit, of): (&str, &str, Quantity)| {
        let curve = |(look, run): (usize, &Run)| {
            Series::line(&run.solver, look, run.steps.iter().map(|m| [m.time, of(m)]).collect())
        };
        Panel { y: Axis::from_zero(label, unit), series: runs.iter().enumerate().map(curve).collect() }
    };
    Chart { title: title.to_owned(), x: Axis::from_zero("time", "s"), panels: panels.map(panel).into() }
}
