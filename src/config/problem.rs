//! Faults before they have a place: a key path, the problem, and what to do about it.

use super::path::KeyPath;

/// The part of a `key = value` that a fault is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The key, which should not be there.
    Key,
    /// The value, which is not allowed.
    Value,
}

/// One fault of a config.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The key at fault; if something is missing, the key that it should have.
    pub path: KeyPath,
    /// The part of `key = value` that is at fault.
    pub part: Part,
    /// A description of the fault.
    pub message: String,
    /// What to do about it; may be empty.
    pub hint: String,
}

/// Collects faults, so that all are reported together.
#[derive(Debug, Default)]
pub struct Report {
    /// The faults found so far.
    pub problems: Vec<Problem>,
    /// Notes about what is odd but not a fault.
    pub warnings: Vec<String>,
    /// Notes about what is good to know.
    pub notes: Vec<String>,
}

impl Report {
    /// Reports a key that should not be there.
    pub fn key(&mut self, path: KeyPath, message: impl Into<String>, hint: impl Into<String>) {
        self.problems.push(Problem { path, part: Part::Key, message: message.into(), hint: hint.into() });
    }

    /// Reports a value that is not allowed.
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
