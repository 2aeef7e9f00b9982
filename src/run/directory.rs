//! A run directory: which files may be written there, and which may be removed.
//!
//! An existing run is overwritten only on request, and a directory that is no run of ours is never touched. When a run
//! is replaced, only files that a run writes are removed.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use super::animation::GATHERED;
use super::{FORMATS, Making, Schedule};
use crate::error::{Action, Error, Result};
use crate::fs::{is_temporary, write_atomically};
use crate::simulate::metrics::HEADER;

/// What to do if a run already exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Report an error and leave the run as it is.
    Refuse,
    /// Remove the run's files and start anew.
    Replace,
    /// Continue the run from its last checkpoint.
    Resume,
}

/// The directory of one run.
#[derive(Clone, Debug)]
pub struct RunDirectory {
    dir: PathBuf,
    name: String,
}

/// The lock of a directory while a run writes, so that two processes never write to the same one. It is released at the
/// latest when the process ends, even by a kill.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    _file: File,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // If this fails, an empty hidden file stays behind, which the next run takes over.
        let _ = std::fs::remove_file(&self.path);
    }
}

const LOCK: &str = ".lock";

impl RunDirectory {
    /// Checks that `dir` may be written, without writing anything.
    pub fn check(dir: &Path, name: &str, existing: Existing) -> Result<RunDirectory> {
        let run = RunDirectory { dir: dir.to_owned(), name: name.to_owned() };
        let refuse = |reason: &str, hint: &str| {
            Err(Error::Run { path: dir.to_owned(), reason: reason.into(), hint: hint.into() })
        };
        if dir.exists() && !dir.is_dir() {
            return refuse("is not a directory", "choose another one with -o");
        }
        if !run.is_empty()? {
            if !run.config().exists() {
                return refuse("holds files but no run of pliant", "choose another directory with -o");
            }
            if existing == Existing::Refuse {
                return refuse(
                    "holds a run already",
                    "continue it with --resume, replace it with --force, or choose another one with -o",
                );
            }
        }
        Ok(run)
    }

    fn is_empty(&self) -> Result<bool> {
        match std::fs::read_dir(&self.dir) {
            Ok(mut entries) => Ok(entries.all(|entry| {
                let name = entry.map(|e| e.file_name()).unwrap_or_default();
                name == LOCK || is_temporary(&name.to_string_lossy())
            })),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(true),
            Err(e) => Err(Error::io(Action::List, &self.dir, e)),
        }
    }

    /// Makes the directory and locks it for this process.
    pub fn lock(&self) -> Result<Lock> {
        std::fs::create_dir_all(&self.dir).map_err(|e| Error::io(Action::CreateDirectory, &self.dir, e))?;
        let path = self.path(LOCK);
        let file = File::create(&path).map_err(|e| Error::io(Action::Create, &path, e))?;
        match file.try_lock() {
            Ok(()) => Ok(Lock { path, _file: file }),
            Err(TryLockError::WouldBlock) => Err(Error::Run {
                path: self.dir.clone(),
                reason: "another process is writing this run".into(),
                hint: "wait for it, or choose another directory with -o".into(),
            }),
            Err(TryLockError::Error(e)) => Err(Error::io(Action::Lock, &path, e)),
        }
    }

    /// Writes the config and an empty metrics file, after removing an older run.
    pub fn begin(&self, config: &str) -> Result<()> {
        self.remove_run()?;
        write_atomically(&self.config(), |out| std::io::Write::write_all(out, config.as_bytes()))?;
        write_atomically(&self.metrics(), |out| {
            std::io::Write::write_all(out, format!("{HEADER}\n").as_bytes())
        })
    }

    /// Prepares an interrupted run to continue after `step`. Removes leftovers, later rows of the metrics, and frames
    /// that `schedule` does not have (such as the last frame of a shorter run).
    pub fn resume(&self, config: &str, step: u64, schedule: Schedule) -> Result<()> {
        self.remove_temporaries()?;
        for (sub, ending) in frame_files() {
            remove_matching(&self.path(sub), |name| {
                frame_number(name, ending).is_some_and(|n| !schedule.includes(n))
            })?;
        }
        remove_file(&self.summary())?;
        write_atomically(&self.config(), |out| std::io::Write::write_all(out, config.as_bytes()))?;
        let metrics = self.metrics();
        let text = std::fs::read_to_string(&metrics).map_err(|e| Error::io(Action::Read, &metrics, e))?;
        let rows = text.lines().skip(1).take_while(|row| {
            row.split(',').nth(1).and_then(|s| s.parse::<u64>().ok()).is_some_and(|s| s <= step)
        });
        let kept: String = std::iter::once(HEADER).chain(rows).flat_map(|row| [row, "\n"]).collect();
        write_atomically(&metrics, |out| std::io::Write::write_all(out, kept.as_bytes()))
    }

    /// Removes the temporary files of a killed process.
    fn remove_temporaries(&self) -> Result<()> {
        directories().try_for_each(|sub| remove_matching(&self.path(sub), is_temporary))
    }

    fn remove_run(&self) -> Result<()> {
        self.remove_temporaries()?;
        for (sub, ending) in frame_files() {
            remove_matching(&self.path(sub), |name| frame_number(name, ending).is_some())?;
        }
        for (sub, endings) in OTHERS {
            remove_matching(&self.path(sub), |name| endings.iter().any(|e| name.ends_with(e)))?;
        }
        for sub in directories().filter(|sub| !sub.is_empty()) {
            // The directory stays if it has files of the user.
            let _ = std::fs::remove_dir(self.path(sub));
        }
        let scripts = super::scripts::NAMES.map(|name| self.path(name));
        for file in
            [self.summary(), self.checkpoint(), self.metrics(), self.config()].into_iter().chain(scripts)
        {
            remove_file(&file)?;
        }
        Ok(())
    }

    /// The name of the run.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The path of a file in the directory.
    pub fn path(&self, file: &str) -> PathBuf {
        self.dir.join(file)
    }

    /// The path of the directory itself.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The path of a directory within it, which is made if needed.
    pub fn subdirectory(&self, name: &str) -> Result<PathBuf> {
        let dir = self.path(name);
        std::fs::create_dir_all(&dir).map_err(|e| Error::io(Action::CreateDirectory, &dir, e))?;
        Ok(dir)
    }

    /// The path of `config.toml`.
    pub fn config(&self) -> PathBuf {
        self.path("config.toml")
    }

    /// The path of `metrics.csv`.
    pub fn metrics(&self) -> PathBuf {
        self.path("metrics.csv")
    }

    /// The path of `checkpoint.bin`.
    pub fn checkpoint(&self) -> PathBuf {
        self.path("checkpoint.bin")
    }

    /// The path of `summary.json`, which exists once the run is complete.
    pub fn summary(&self) -> PathBuf {
        self.path("summary.json")
    }
}

/// The directories of frames, and the endings of the frames' names.
fn frame_files() -> impl Iterator<Item = (&'static str, &'static str)> {
    let numbered = FORMATS.iter().filter_map(|(_, making)| match making {
        Making::Frames { directory, .. } => Some((*directory, *directory)),
        Making::Animation(_) => None,
    });
    numbered.chain([("blender/clips", "usda")])
}

/// The directories of a run's other files, and the endings of their names; subdirectories come before their parents.
const OTHERS: [(&str, &[&str]); 4] = [
    ("", &[".pvd", ".vtk.series"]),
    ("maps", &[".csv"]),
    ("blender/clips", &[".manifest.usda"]),
    ("blender", &[".obj", ".pc2", ".mdd", ".usda", GATHERED, super::scripts::NAMES[0]]),
];

/// Every directory that a run writes files to, itself among them; subdirectories come before their parents.
fn directories() -> impl Iterator<Item = &'static str> {
    frame_files().map(|(sub, _)| sub).chain(OTHERS.map(|(sub, _)| sub))
}

/// The number in the name of a frame's file, `<name>_0012.<ending>`.
fn frame_number(name: &str, ending: &str) -> Option<u64> {
    let (_, number) = name.strip_suffix(ending)?.strip_suffix('.')?.rsplit_once('_')?;
    let is_number = number.len() >= 4 && number.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| number.parse().ok())?
}

fn remove_file(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(Error::io(Action::Remove, path, e)),
        _ => Ok(()),
    }
}

fn remove_matching(dir: &Path, matches: impl Fn(&str) -> bool) -> Result<()> {
    let entries = match std::fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(Error::io(Action::List, dir, e)),
    };
    for entry in entries {
        let path = entry.map_err(|e| Error::io(Action::List, dir, e))?.path();
        if path.is_file() && path.file_name().is_some_and(|n| matches(&n.to_string_lossy())) {
            remove_file(&path)?;
        }
    }
    Ok(())
}
