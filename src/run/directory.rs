//! The places of a run's files, and the removal of listed ones.

use std::fs::FileType;
use std::path::{Path, PathBuf};

use super::contacts;
use super::manifest::Manifest;
use crate::error::{Action, Error, Result};

/// The directory of one run.
#[derive(Clone, Debug)]
pub struct RunDirectory {
    dir: PathBuf,
    name: String,
}

impl RunDirectory {
    /// The directory of a run with this name; nothing is looked at or made.
    pub fn new(dir: &Path, name: &str) -> RunDirectory {
        RunDirectory { dir: dir.to_owned(), name: name.to_owned() }
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

    /// The path of `contacts.csv`, which scenes with contact have.
    pub fn contacts(&self) -> PathBuf {
        self.path(contacts::NAME)
    }

    /// The path of `checkpoint.bin`.
    pub fn checkpoint(&self) -> PathBuf {
        self.path("checkpoint.bin")
    }

    /// The path of `summary.json`, which exists once the run is complete.
    pub fn summary(&self) -> PathBuf {
        self.path("summary.json")
    }

    /// The entries of the directories that `files` has files in, as paths within this one, with their types. Files
    /// come before those of subdirectories, which they may name. Symbolic links are not followed: what is behind them is not
    /// the run's.
    pub fn entries(&self, files: &Manifest) -> Result<Vec<(String, FileType)>> {
        let mut out = vec![];
        for sub in files.directories().iter().rev().filter(|sub| self.is_own(sub)) {
            let dir = self.path(sub);
            let listing = |e| Error::io(Action::List, &dir, e);
            for entry in std::fs::read_dir(&dir).map_err(listing)? {
                let entry = entry.map_err(listing)?;
                // A name that is not Unicode is none of ours.
                if let Ok(name) = entry.file_name().into_string() {
                    let path = if sub.is_empty() { name } else { format!("{sub}/{name}") };
                    out.push((path, entry.file_type().map_err(listing)?));
                }
            }
        }
        Ok(out)
    }

    /// True for a directory within this one that is there and is reached without a symbolic link.
    fn is_own(&self, sub: &str) -> bool {
        let is_directory = |path: PathBuf| std::fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
        let parents = sub.match_indices('/').map(|(at, _)| &sub[..at]).chain([sub]);
        if sub.is_empty() {
            self.dir.is_dir()
        } else {
            parents.into_iter().all(|part| is_directory(self.path(part)))
        }
    }

    /// Removes the files that `listed` has and that `is_removed` chooses. What is not listed stays.
    pub fn remove(&self, listed: &Manifest, is_removed: impl Fn(&str) -> bool) -> Result<()> {
        for (file, kind) in self.entries(listed)? {
            if !kind.is_dir() && is_removed(&file) {
                let path = self.path(&file);
                match std::fs::remove_file(&path) {
                    Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                        return Err(Error::io(Action::Remove, &path, e));
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Removes the directories of listed files that are empty.
    pub fn remove_empty(&self, listed: &Manifest) {
        for sub in listed.directories().iter().filter(|sub| !sub.is_empty() && self.is_own(sub)) {
            // The directory stays if it has files of the user.
            let _ = std::fs::remove_dir(self.path(sub));
        }
    }
}
