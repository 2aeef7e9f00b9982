//! Figures on disk: `DIR/KEY/figures.json`, beside the config that they were measured on and its charts.
//!
//! Figures hold as long as all that they come from is the same: the scene, the experiment, the meshes and the program.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Wishes;
use super::outcome::{Figure, Outcome};
use super::scene::{Meshes, Prepared};
use super::spec::{Spec, Value};
use crate::error::{Action, Error, Result};
use crate::fs::write_atomically;
use crate::view::plot::{self, Format, Theme};

/// What the figures of a row come from, as hashes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The scene, the experiment, what is taken from it and the meshes.
    pub experiment: String,
    /// The program; empty if its file cannot be read.
    pub program: String,
}

/// The figures of a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stored {
    /// What they come from.
    pub mark: Mark,
    /// The figure of each cell, by its name.
    pub figures: Vec<(String, Figure)>,
    /// Whose meshes they were measured on.
    pub meshes: Meshes,
    /// The files of the charts.
    pub charts: Vec<String>,
    /// The solvers that stood in the place of others.
    pub swaps: Vec<(String, String)>,
    /// The time that it took, in s.
    pub seconds: f64,
}

impl Stored {
    /// True if a new measurement would give the same. With `keep` the program may be another one.
    pub fn holds(&self, mark: &Mark, keep: bool) -> bool {
        self.mark.experiment == mark.experiment && (keep || self.mark.program == mark.program)
    }
}

/// The mark of a row.
pub fn mark(spec: &Spec, scene: &Prepared, wishes: &Wishes) -> Mark {
    let plan = spec.measure.plan(wishes.quick);
    let cells: Vec<&Value> =
        spec.cells.iter().filter(|cell| !(wishes.quick && cell.full)).map(|cell| &cell.value).collect();
    let names: Vec<&str> = spec.cells.iter().map(|cell| cell.name.as_str()).collect();
    let mut hasher = blake3::Hasher::new();
    let parts = (&scene.text, &scene.set, &plan, &cells, &names, &wishes.swaps);
    // Strings, numbers and lists, all of which JSON can hold.
    hasher.update(&serde_json::to_vec(&parts).expect("specs are JSON"));
    hasher.update(&scene.bytes);
    Mark { experiment: hasher.finalize().to_hex().to_string(), program: program() }
}

/// The hash of the running program.
pub fn program() -> String {
    static HASH: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    let hash = || {
        let bytes = std::env::current_exe().and_then(std::fs::read);
        bytes.map_or_else(|_| String::new(), |bytes| blake3::hash(&bytes).to_hex().to_string())
    };
    HASH.get_or_init(hash).clone()
}

/// The directory with the figures of all rows.
pub struct Files {
    root: PathBuf,
}

impl Files {
    /// The directory, which need not exist.
    pub fn at(root: &Path) -> Files {
        Files { root: root.to_owned() }
    }

    /// The directory of a row.
    pub fn of(&self, key: &str) -> PathBuf {
        self.root.join(key)
    }

    /// The figures of a row; `None` if there are none. What cannot be read counts as none.
    pub fn read(&self, key: &str) -> Result<Option<Stored>> {
        let path = self.of(key).join("figures.json");
        match std::fs::read(&path) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::io(Action::Read, &path, error)),
        }
    }

    /// Writes the config of a row.
    pub fn write_scene(&self, key: &str, text: &str) -> Result<PathBuf> {
        let directory = self.of(key);
        std::fs::create_dir_all(&directory).map_err(|e| Error::io(Action::CreateDirectory, &directory, e))?;
        let path = directory.join("scene.toml");
        write_atomically(&path, |out| out.write_all(text.as_bytes()))?;
        Ok(path)
    }

    /// Draws the charts of a row and writes its table; returns the names of the charts.
    pub fn draw(&self, key: &str, outcome: &Outcome, title: &str) -> Result<Vec<String>> {
        let directory = self.of(key);
        let mut names = vec![];
        for (name, chart) in outcome.charts(title) {
            let file = format!("{name}.svg");
            plot::write(&chart, &directory.join(&file), Format::Svg, Theme::default())?;
            names.push(file);
        }
        for (file, text) in outcome.tables() {
            write_atomically(&directory.join(file), |out| out.write_all(text.as_bytes()))?;
        }
        Ok(names)
    }

    /// Writes the figures of a row, whole or not at all.
    pub fn write(&self, key: &str, stored: &Stored) -> Result<()> {
        // Strings and numbers, all of which JSON can hold.
        let text = serde_json::to_vec_pretty(stored).expect("figures are JSON");
        write_atomically(&self.of(key).join("figures.json"), |out| out.write_all(&text))
    }
}
