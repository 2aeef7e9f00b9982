//! What there is of a case on the disk.

use std::path::Path;

use crate::config::{Loaded, to_toml};
use crate::run::{difference, lock};

/// What there is of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing yet.
    Absent,
    /// A part of its frames, or none.
    Begun,
    /// All of it.
    Done,
    /// Another process is at it.
    Busy,
    /// A run with other values; the keys that differ.
    Other(String),
}

impl State {
    /// Looks at the directory of a case.
    pub fn of(loaded: &Loaded) -> State {
        let dir = &loaded.scene.output.dir;
        if lock::is_held(dir) {
            return State::Busy;
        }
        let Ok(there) = std::fs::read_to_string(dir.join("config.toml")) else { return State::Absent };
        if let Some(keys) = difference::of(&there, &to_toml(loaded)) {
            return State::Other(keys);
        }
        match frames(dir) {
            Some(frames) if frames == loaded.scene.time.frames => State::Done,
            _ => State::Begun,
        }
    }

    /// The state in a word.
    pub fn word(&self) -> &'static str {
        match self {
            State::Absent => "to do",
            State::Begun => "begun",
            State::Done => "done",
            State::Busy => "running",
            State::Other(_) => "other values",
        }
    }
}

/// The frames that a complete run has.
fn frames(dir: &Path) -> Option<u64> {
    let text = std::fs::read(dir.join("summary.json")).ok()?;
    serde_json::from_slice::<serde_json::Value>(&text).ok()?["frames"].as_u64()
}
