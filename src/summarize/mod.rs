//! Many runs as one table: a row a run, with the values in which they differ, how they ended, and what was measured.

pub mod measure;
pub mod page;
pub mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::error::{Action, Error, Result};
use crate::run::{difference, lock};
use crate::sweep::{CASES, spec};
use measure::Measure;

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The name of its directory.
    pub name: String,
    /// Its directory.
    pub directory: PathBuf,
    /// How it stands.
    pub state: State,
    /// The keys of its config with their values as TOML; empty if there is no config.
    pub values: BTreeMap<String, String>,
    /// Its `summary.json`; null if there is none.
    pub summary: Value,
    /// What was asked for, in the order of [`Table::measures`]; `None` where a run does not have it.
    pub measured: Vec<Option<f64>>,
}

/// How a run stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// All frames are there.
    Done,
    /// Some frames, or none, and nobody is at it.
    Begun,
    /// The same, and its log ends with an error.
    Failed(String),
    /// A process is at it.
    Running,
    /// A case of a sweep without a run.
    Absent,
}

impl State {
    /// The state in a word.
    pub fn word(&self) -> &'static str {
        match self {
            State::Done => "done",
            State::Begun => "begun",
            State::Failed(_) => "failed",
            State::Running => "running",
            State::Absent => "to do",
        }
    }
}

/// All runs, and what is told of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The runs, in the order of their sweep or as they were named.
    pub runs: Vec<Run>,
    /// The keys whose values differ between runs.
    pub keys: Vec<String>,
    /// The measures.
    pub measures: Vec<Measure>,
}

/// Keys that differ between any two runs, and tell nothing.
const DULL: [&str; 2] = ["output.dir", "name"];

impl Table {
    /// Reads the runs below some paths: run directories, directories of runs, sweeps or their files. Without `measures`, the last
    /// value of every probe is one.
    pub fn read(paths: &[PathBuf], measures: &[Measure]) -> Result<Table> {
        let mut found = vec![];
        for path in paths {
            found.extend(find(path)?);
        }
        let mut runs: Vec<Run> =
            found.into_iter().map(|(directory, log)| look(directory, log)).collect::<Result<_>>()?;
        let measures = if measures.is_empty() { measure::of_probes(&runs)? } else { measures.to_vec() };
        for run in runs.iter_mut().filter(|run| run.state != State::Absent) {
            run.measured =
                measures.iter().map(|measure| measure.of(&run.directory)).collect::<Result<_>>()?;
        }
        let known = |run: &&Run| !run.values.is_empty();
        let all: BTreeSet<&String> = runs.iter().flat_map(|run| run.values.keys()).collect();
        let differs = |key: &&&String| {
            let mut values = runs.iter().filter(known).map(|run| run.values.get(**key));
            let first = values.next();
            !DULL.contains(&key.as_str()) && values.any(|value| Some(value) != first)
        };
        let keys: Vec<String> = all.iter().filter(differs).map(|key| (*key).clone()).collect();
        Ok(Table { runs, keys, measures })
    }
}

impl Run {
    /// A number of the summary, by the keys that lead to it.
    pub fn number(&self, keys: &[&str]) -> Option<f64> {
        keys.iter().try_fold(&self.summary, |at, key| at.get(key)).and_then(Value::as_f64)
    }

    /// The word of the summary on whether the motion can be believed; empty without one.
    pub fn soundness(&self) -> &str {
        self.summary.get("status").and_then(Value::as_str).unwrap_or_default()
    }

    /// The command that ends, mends or continues the run; `None` if nothing is to be done.
    pub fn way_on(&self) -> Option<String> {
        let dir = self.directory.display();
        let resume = format!("pliant simulate {dir}/config.toml -o {dir} --resume");
        match &self.state {
            State::Begun | State::Failed(_) => Some(resume),
            State::Done
                if self.number(&["convergence", "worrying_steps"]).is_some_and(|steps| steps > 0.0) =>
            {
                let now =
                    self.values.get("solver.iterations").and_then(|n| n.parse::<u64>().ok()).unwrap_or(10);
                Some(format!(
                    "pliant simulate {dir}/config.toml -o {dir} --force --set solver.iterations={}",
                    4 * now
                ))
            }
            _ => None,
        }
    }
}

/// The run directories of a path, each with the log of its sweep.
fn find(path: &Path) -> Result<Vec<(PathBuf, Option<PathBuf>)>> {
    if path.is_file() {
        let sweep = spec::read(path)?;
        let of = |case| (sweep.directory_of(case), Some(sweep.log_of(case)));
        return Ok(sweep.cases.iter().map(of).collect());
    }
    let list = path.join(CASES);
    if list.is_file() {
        let text = std::fs::read_to_string(&list).map_err(|e| Error::io(Action::Read, &list, e))?;
        let name = |row: &str| row.split(',').next().unwrap_or_default().to_owned();
        let names = text.lines().skip(1).map(name);
        return Ok(names
            .map(|name| (path.join(&name), Some(path.join("logs").join(format!("{name}.log")))))
            .collect());
    }
    if path.join("config.toml").is_file() {
        return Ok(vec![(path.to_owned(), None)]);
    }
    let listing = std::fs::read_dir(path).map_err(|e| Error::io(Action::List, path, e))?;
    let mut below: Vec<PathBuf> =
        listing.flatten().map(|entry| entry.path()).filter(|dir| dir.join("config.toml").is_file()).collect();
    below.sort();
    if below.is_empty() {
        return Err(Error::Run {
            path: path.to_owned(),
            reason: "holds no run".into(),
            hint: "name run directories, a directory of them, or a sweep".into(),
        });
    }
    Ok(below.into_iter().map(|dir| (dir, None)).collect())
}

/// What there is of a run, without its measures.
fn look(directory: PathBuf, log: Option<PathBuf>) -> Result<Run> {
    let name = directory.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let config = std::fs::read_to_string(directory.join("config.toml")).ok();
    let values = config.as_ref().and_then(|text| text.parse().ok()).map(difference::flat).unwrap_or_default();
    let path = directory.join("summary.json");
    let summary = match std::fs::read(&path) {
        Ok(text) => serde_json::from_slice(&text).map_err(|e| Error::Run {
            path: path.clone(),
            reason: format!("is damaged: {e}"),
            hint: "remove it, and continue the run with --resume".into(),
        })?,
        Err(_) => Value::Null,
    };
    let error = || {
        let text = std::fs::read(log.as_ref()?).ok()?;
        let text = String::from_utf8_lossy(&text).into_owned();
        text.lines().rev().take(3).find_map(|line| line.strip_prefix("error: ")).map(str::to_owned)
    };
    let state = match (lock::is_held(&directory), summary.is_null(), config.is_some()) {
        (true, ..) => State::Running,
        (_, false, _) => State::Done,
        (_, _, begun) => match error() {
            Some(error) => State::Failed(error),
            None if begun => State::Begun,
            None => State::Absent,
        },
    };
    Ok(Run { name, directory, state, values, summary, measured: vec![] })
}
