//! Sweeps: one config with many values, a run for each.
//!
//! ```text
//! sweep.toml ─ spec ─▶ cases ─▶ plan (a probe of one case, estimates)
//!                            ├▶ local (child processes here)
//!                            └▶ scripts (Slurm, Snakemake)
//! ```
//!
//! A case is a config with overrides and a directory; it is run by plain `pliant simulate`, here as on a cluster, so that its
//! bytes are those of a single run. What is there already is looked up on the disk and kept nowhere else: a sweep that was
//! killed goes on from there.

pub mod local;
pub mod plan;
pub mod scripts;
pub mod spec;
mod state;
mod values;

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::config::{self, Loaded, Overrides};
use crate::error::{Action, Error, Result};
use crate::fs::write_atomically;

pub use state::State;
pub(crate) use values::csv_field;

/// The file in a sweep's directory that lists its cases.
pub const CASES: &str = "cases.csv";

/// One config and the values that it is run with.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// The name of the sweep.
    pub name: String,
    /// The config of all cases.
    pub config: PathBuf,
    /// The directory with a run directory for each case.
    pub directory: PathBuf,
    /// The keys that differ between cases, in the order of the file.
    pub keys: Vec<String>,
    /// The cases, in the order in which they run.
    pub cases: Vec<Case>,
}

/// One run of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The name, made of the values; also that of its directory.
    pub name: String,
    /// The value of each key as TOML, in the order of [`Sweep::keys`].
    pub values: Vec<String>,
    /// The overrides `key=value`, those of all cases among them.
    pub set: Vec<String>,
}

impl Sweep {
    /// The run directory of a case.
    pub fn directory_of(&self, case: &Case) -> PathBuf {
        self.directory.join(&case.name)
    }

    /// The file for what a case's program says.
    pub fn log_of(&self, case: &Case) -> PathBuf {
        self.directory.join("logs").join(format!("{}.log", case.name))
    }

    /// The arguments that run a case, or continue it, without the name of the program.
    pub fn arguments(&self, case: &Case) -> Vec<String> {
        let path = |path: &Path| path.to_string_lossy().into_owned();
        let mut out = vec!["simulate".to_owned(), path(&self.config)];
        out.extend(case.set.iter().flat_map(|set| ["--set".to_owned(), set.clone()]));
        out.extend(["--output".to_owned(), path(&self.directory_of(case)), "--resume".to_owned()]);
        out
    }

    /// The config of a case with its values, as its run would load it.
    pub fn load(&self, case: &Case) -> Result<Loaded> {
        let overrides = Overrides {
            set: case.set.clone(),
            output: Some(self.directory_of(case)),
            ..Overrides::default()
        };
        config::load(&self.config, &overrides)
    }

    /// Loads the configs of all cases; the first one with faults is told with the name of its case.
    pub fn load_all(&self) -> Result<Vec<Loaded>> {
        let load = |case: &Case| {
            self.load(case)
                .inspect_err(|_| tracing::error!("case '{}' of {} cannot run:", case.name, self.name))
        };
        self.cases.iter().map(load).collect()
    }

    /// Writes the list of the cases: name and values.
    pub fn write_cases(&self) -> Result<()> {
        let dir = &self.directory;
        std::fs::create_dir_all(dir).map_err(|e| Error::io(Action::CreateDirectory, dir, e))?;
        let row = |name: &str, values: &[String]| {
            let fields = std::iter::once(name).chain(values.iter().map(String::as_str));
            fields.map(csv_field).collect::<Vec<_>>().join(",") + "\n"
        };
        let rows = self.cases.iter().map(|case| row(&case.name, &case.values));
        let text: String = std::iter::once(row("case", &self.keys)).chain(rows).collect();
        write_atomically(&self.directory.join(CASES), |out| out.write_all(text.as_bytes()))
    }
}
