//! Running the real binary on scenes in temporary directories.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A directory of its own with a cache of its own.
pub struct Place {
    pub dir: tempfile::TempDir,
}

impl Place {
    pub fn new() -> Place {
        Place { dir: tempfile::tempdir().expect("a temporary directory") }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, text).expect("a writable directory");
        path
    }

    /// The binary, in this directory, with this directory's cache.
    pub fn pliant(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pliant"));
        command.args(arguments).current_dir(self.dir.path()).env("PLIANT_CACHE_DIR", self.path("cache"));
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.pliant(arguments).output().expect("the binary runs")
    }

    /// Runs and expects success; returns stderr.
    pub fn succeed(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments:?}: {error}");
        error
    }

    /// Runs and expects an exit code; returns stderr.
    pub fn fail(&self, code: i32, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {error}");
        error
    }
}

/// Every file of a run that must not depend on anything but the scene, by relative name. Metrics come without their
/// timing columns; the config, which names its directory, and the summary, which has timings, are left out.
pub fn content(run: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut directories = vec![run.to_owned()];
    while let Some(dir) = directories.pop() {
        for entry in std::fs::read_dir(&dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display())) {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
                continue;
            }
            let name = path.strip_prefix(run).unwrap().to_string_lossy().into_owned();
            // A run that was killed at its very end leaves its lock behind, which the next one takes over.
            if name == "config.toml" || name == "summary.json" || name == ".lock" {
                continue;
            }
            let mut bytes = std::fs::read(&path).unwrap();
            if name == "metrics.csv" {
                bytes = without_timings(&String::from_utf8(bytes).unwrap()).into_bytes();
            }
            files.insert(name, bytes);
        }
    }
    files
}

fn without_timings(csv: &str) -> String {
    let kept = |row: &str| -> String {
        let columns = row.split(',').enumerate().filter(|(i, _)| !(20..25).contains(i));
        columns.map(|(_, value)| value).collect::<Vec<_>>().join(",") + "\n"
    };
    csv.lines().map(kept).collect()
}

/// Panics naming the first file that differs.
pub fn assert_equal_content(a: &Path, b: &Path) {
    let (left, right) = (content(a), content(b));
    assert!(left.keys().eq(right.keys()), "{:?} {:?}", left.keys(), right.keys());
    for (name, bytes) in &left {
        assert!(bytes == &right[name], "{name} differs between {} and {}", a.display(), b.display());
    }
}
