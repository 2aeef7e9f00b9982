//! The papers' tables and figures, measured again: what they say, what this program gives, and whether that agrees.
//!
//! ```text
//! papers/KEY.toml + papers/scenes/NAME.toml ─ measure ─▶ figures (kept on disk) ─ verdict ─▶ report
//! ```
//!
//! A row is one file of `papers/`: the scene, what is measured on it, and cells with the paper's figure and the rule by
//! which ours is judged. Both are part of the program, so that it works wherever it is installed.
//!
//! | file | what it has |
//! |---|---|
//! | `registry` | the files of `papers/` |
//! | `spec` | a row as its file has it |
//! | `scene` | the config that a row is measured on, with the paper's mesh where that is there |
//! | `measure` | the experiment: solvers on one step, on many frames, or on whole runs |
//! | `outcome` | figures of an experiment |
//! | `verdict` | the rule of a cell: met, better, differs |
//! | `store` | figures on disk, and whether they still hold |
//! | `report` | one page for browsers, and one in Markdown |

pub mod measure;
pub mod outcome;
mod registry;
pub mod report;
mod scene;
pub mod spec;
pub mod store;
pub mod verdict;

use std::path::{Path, PathBuf};

use crate::cache::Cache;
use crate::error::suggest::nearest;
use crate::error::{Error, Result};
use crate::solver::SolverSettings;
use crate::solver::specification::{Contender, parse};
use outcome::Outcome;
use spec::Spec;
use store::{Files, Stored};

/// How rows are measured.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// The quick form of every row.
    pub quick: bool,
    /// The folder with the papers' own meshes, if there is one.
    pub meshes: Option<PathBuf>,
    /// Solvers to put in the place of others, each as the text of the row and what stands for it.
    pub swaps: Vec<(String, String)>,
    /// A folder with rows and scenes, in the place of those of the program.
    pub rows: Option<PathBuf>,
    /// Takes figures of another build of the program for good.
    pub keep: bool,
}

/// A row of the suite.
#[derive(Clone, Debug)]
pub struct Row {
    /// The name of its file without the ending, such as `ledwon2024-table5-1`.
    pub key: String,
    /// What the file holds.
    pub spec: Spec,
}

/// All rows: those of the program, or those of a folder that is laid out like `papers/`.
pub fn rows(folder: Option<&Path>) -> Result<Vec<Row>> {
    let row = |(key, text): (String, String)| Ok(Row { spec: Spec::parse(&key, &text)?, key });
    registry::specs(folder)?.into_iter().map(row).collect()
}

/// The rows that one of `keys` names: a whole key, or its beginning up to a `-`. All rows if there are no keys.
pub fn chosen(keys: &[String], folder: Option<&Path>) -> Result<Vec<Row>> {
    let all = rows(folder)?;
    let names = |key: &str, row: &Row| {
        row.key == key || (row.key.starts_with(key) && row.key.as_bytes().get(key.len()) == Some(&b'-'))
    };
    for key in keys {
        if !all.iter().any(|row| names(key, row)) {
            let hint = nearest(key, all.iter().map(|row| row.key.as_str()))
                .map_or("'pliant paper list' shows all rows".into(), |near| {
                    format!("did you mean '{near}'? 'pliant paper list' shows all rows")
                });
            return Err(Error::Usage { what: format!("there is no row '{key}'"), hint });
        }
    }
    Ok(all.into_iter().filter(|row| keys.is_empty() || keys.iter().any(|key| names(key, row))).collect())
}

/// Measures a row, or finds its figures in `files`. Returns them, and whether they were measured now.
pub fn run(row: &Row, wishes: &Wishes, files: &Files, cache: &Cache) -> Result<(Stored, bool)> {
    let scene = scene::prepare(&row.spec, wishes)?;
    let mark = store::mark(&row.spec, &scene, wishes);
    if let Some(stored) = files.read(&row.key)?
        && stored.holds(&mark, wishes.keep)
    {
        return Ok((stored, false));
    }
    let started = std::time::Instant::now();
    let path = files.write_scene(&row.key, &scene.text)?;
    let plan = row.spec.measure.plan(wishes.quick);
    let outcome = measure::measure(&plan, &path, &scene.set, &wishes.swaps, cache)?;
    let charts = files.draw(&row.key, &outcome, &row.spec.title)?;
    let stored = Stored {
        mark,
        figures: figures(&row.spec, &outcome, wishes.quick)?,
        meshes: scene.meshes,
        charts,
        swaps: wishes.swaps.clone(),
        seconds: started.elapsed().as_secs_f64(),
    };
    files.write(&row.key, &stored)?;
    Ok((stored, true))
}

/// The figure of each cell, those left out that the quick form does not measure.
fn figures(spec: &Spec, outcome: &Outcome, quick: bool) -> Result<Vec<(String, outcome::Figure)>> {
    let wanted = spec.cells.iter().filter(|cell| !(quick && cell.full));
    wanted
        .map(|cell| {
            let figure = outcome.figure(&cell.value).map_err(|what| Error::Failed {
                what: format!("cell '{}': {what}", cell.name),
                hint: "the file of this row asks for what it does not measure".into(),
            })?;
            Ok((cell.name.clone(), figure))
        })
        .collect()
}

/// A solver by its text in a row, with what was put into its place.
fn contender(text: &str, swaps: &[(String, String)], base: &SolverSettings) -> Result<Contender> {
    let meant = swaps.iter().find(|(old, _)| old == text).map_or(text, |(_, new)| new);
    let parsed = parse(meant, base).map_err(|reason| Error::Usage {
        what: format!("solver '{meant}': {reason}"),
        hint: "a solver is kind or kind:key=value, such as pd:iterations=20".into(),
    })?;
    Ok(Contender { label: text.to_owned(), ..parsed })
}

#[cfg(test)]
mod tests;
