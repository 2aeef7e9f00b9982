//! Solvers on the steps of many frames: the error that each leaves on every one, from the same starts.
//!
//! The scene's own solver leads from frame to frame, so that all solvers have the same steps before them. A mean over
//! frames says more than a single step does \[Liu2017, Table I\].

use super::{Contender, compare};
use crate::cache::Cache;
use crate::error::Result;
use crate::simulate::Simulation;

/// What one solver left and took on one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Left {
    /// The relative error after its iterations.
    pub relative_error: f64,
    /// The iterations that it made.
    pub iterations: u64,
    /// The evaluations by its line searches.
    pub tries: u64,
    /// The time of its iterations in s.
    pub seconds: f64,
}

/// One solver over all frames.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The solver as the user specified it.
    pub label: String,
    /// Its results, frame by frame.
    pub frames: Vec<Left>,
    /// The notes of the solver for the user, each once.
    pub notes: Vec<String>,
}

impl Record {
    /// The mean of a quantity over the frames.
    pub fn mean(&self, of: impl Fn(&Left) -> f64) -> f64 {
        self.frames.iter().map(of).sum::<f64>() / self.frames.len() as f64
    }
}

/// Compares solvers on the first step of each of the next `frames` frames; each makes the iterations of its settings.
/// Steps that start at their minimum have no relative error and are left out.
pub fn over_frames(
    simulation: &mut Simulation,
    contenders: &[Contender],
    (frames, substeps): (u64, u64),
    cache: &Cache,
) -> Result<Vec<Record>> {
    let record =
        |contender: &Contender| Record { label: contender.label.clone(), frames: vec![], notes: vec![] };
    let mut records: Vec<Record> = contenders.iter().map(record).collect();
    let limited: Vec<Contender> = contenders.iter().map(limited).collect();
    for _ in 0..frames {
        let comparison = compare(simulation, &limited, 1, cache)?;
        for (record, course) in records.iter_mut().zip(&comparison.courses) {
            let last = course.last();
            if last.relative_error.is_nan() {
                continue;
            }
            record.frames.push(Left {
                relative_error: last.relative_error,
                iterations: last.iteration,
                tries: last.tries,
                seconds: last.seconds,
            });
            for note in &course.notes {
                if !record.notes.contains(note) {
                    record.notes.push(note.clone());
                }
            }
        }
        for _ in 0..substeps {
            simulation.advance()?;
        }
    }
    Ok(records)
}

/// The solver with its iterations given, those of the scene if it gives none itself.
fn limited(contender: &Contender) -> Contender {
    Contender { iterations: Some(contender.settings.iterations), ..contender.clone() }
}

/// The header of `frames.csv`.
pub const HEADER: &str = "frame,solver,relative_error,iterations,tries,milliseconds\n";

/// The content of `frames.csv`.
pub fn to_csv(records: &[Record]) -> String {
    let mut text = HEADER.to_owned();
    for record in records {
        for (frame, left) in record.frames.iter().enumerate() {
            text += &format!(
                "{frame},\"{}\",{},{},{},{}\n",
                record.label,
                left.relative_error,
                left.iterations,
                left.tries,
                1e3 * left.seconds
            );
        }
    }
    text
}

/// The text for people: means over all frames.
pub fn summary(records: &[Record]) -> String {
    let width = records.iter().map(|record| record.label.len()).max().unwrap_or(0).max(6);
    let mut text = format!(
        "{:width$}  frames  mean relative error  iterations/frame  tries/frame  ms/frame\n",
        "solver"
    );
    for record in records {
        text += &format!(
            "{:width$}  {:>6}  {:>19.3e}  {:>16.1}  {:>11.1}  {:>8.3}\n",
            record.label,
            record.frames.len(),
            record.mean(|left| left.relative_error),
            record.mean(|left| left.iterations as f64),
            record.mean(|left| left.tries as f64),
            1e3 * record.mean(|left| left.seconds),
        );
    }
    text
}
