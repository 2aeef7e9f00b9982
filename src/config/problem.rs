//! Faults before they have a place: a key path, what is wrong with it, and the way out.

use super::path::KeyPath;

/// Which part of a `key = value` a fault is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The key: it should not be there.
    Key,
    /// The value.
    Value,
}

/// One fault.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The key at fault; one that does not exist stands for what is missing.
    pub path: KeyPath,
    /// Which part of it.
    pub part: Part,
    /// What is wrong.
    pub message: String,
    /// What to do about it; may be empty.
    pub hint: String,
}

/// Collects faults, so that all are reported together.
#[derive(Debug, Default)]
pub struct Report {
    /// The faults found so far.
    pub problems: Vec<Problem>,
    /// What is odd but no fault.
    pub warnings: Vec<String>,
}

impl Report {
    /// A key that should not be there.
    pub fn key(&mut self, path: KeyPath, message: impl Into<String>, hint: impl Into<String>) {
        self.problems.push(Problem { path, part: Part::Key, message: message.into(), hint: hint.into() });
    }

    /// A value that cannot be.
    pub fn value(&mut self, path: KeyPath, message: impl Into<String>, hint: impl Into<String>) {
        self.problems.push(Problem { path, part: Part::Value, message: message.into(), hint: hint.into() });
    }

    /// Reports `message` on a value unless `condition` holds.
    pub fn check(&mut self, condition: bool, path: KeyPath, message: impl Into<String>) {
        if !condition {
            self.value(path, message, "");
        }
    }
}
