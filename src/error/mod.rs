//! The library's error type: what failed, where, why, and the way out.
//!
//! Every variant carries data, not prose alone; `Display` gives one line per cause and
//! [`std::error::Error::source`] the chain behind it.

use std::path::{Path, PathBuf};

pub mod diagnostic;
pub mod suggest;

use diagnostic::Diagnostics;
use elements::energy::material::Fault;
use sparse::cholesky::OutOfMemory;

/// What the library returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The operating system refused something on `path`.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// What was tried.
        action: Action,
        /// The file or directory.
        path: PathBuf,
        /// The system's answer.
        source: std::io::Error,
    },
    /// A mesh file does not hold what its format promises.
    #[error("{}{}: {reason}{}", path.display(), place_suffix(place), hint_suffix(hint))]
    Format {
        /// The file.
        path: PathBuf,
        /// Where in it: `line 12`, `byte 340`, `DataArray 'Points'`; may be empty.
        place: String,
        /// What is wrong.
        reason: String,
        /// What to do about it; may be empty.
        hint: String,
    },
    /// One or more faults of a config, each with its place.
    #[error("{0}")]
    Config(Diagnostics),
    /// A mesh that was read well but cannot be simulated.
    #[error("{subject}: {reason}{}", hint_suffix(hint))]
    Mesh {
        /// The body or file.
        subject: String,
        /// What is wrong, with element numbers.
        reason: String,
        /// What to do about it; may be empty.
        hint: String,
    },
    /// A solver cannot work on a term or material.
    #[error("solver '{solver}' cannot simulate {subject}: {reason}")]
    Unsupported {
        /// The solver's config name.
        solver: String,
        /// The body and material or term.
        subject: String,
        /// The missing capability and the way out.
        reason: String,
    },
    /// A flag with a value that the command cannot work with.
    #[error("{what}{}", hint_suffix(hint))]
    Usage {
        /// The flag and what is wrong with it.
        what: String,
        /// What to do about it; may be empty.
        hint: String,
    },
    /// A run, or a check that was asked for, failed: numbers that are not finite, an interruption …
    #[error("{what}{}", hint_suffix(hint))]
    Failed {
        /// What happened, with step and frame where known.
        what: String,
        /// What to do about it; may be empty.
        hint: String,
    },
    /// A run directory is not in a state that the request can work with.
    #[error("{}: {reason}{}", path.display(), hint_suffix(hint))]
    Run {
        /// The directory or file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
        /// What to do about it; may be empty.
        hint: String,
    },
}

impl Error {
    /// An [`Error::Io`].
    pub fn io(action: Action, path: &Path, source: std::io::Error) -> Self {
        Error::Io { action, path: path.to_owned(), source }
    }

    /// An [`Error::Format`] without a hint.
    pub fn format(path: &Path, place: impl Into<String>, reason: impl Into<String>) -> Self {
        Error::Format {
            path: path.to_owned(),
            place: place.into(),
            reason: reason.into(),
            hint: String::new(),
        }
    }

    /// How the program ends with it.
    pub fn exit(&self) -> Exit {
        match self {
            Error::Failed { .. } | Error::Io { action: Action::Write, .. } => Exit::Failed,
            _ => Exit::Usage,
        }
    }
}

impl From<Fault> for Error {
    /// Parameters given in code that cannot be.
    fn from(Fault { key, reason }: Fault) -> Error {
        let what = if key.is_empty() { reason } else { format!("{key}: {reason}") };
        Error::Usage { what, hint: String::new() }
    }
}

impl From<OutOfMemory> for Error {
    fn from(OutOfMemory(unknowns): OutOfMemory) -> Error {
        Error::Failed {
            what: format!("not enough memory to factorize a system of {unknowns} unknowns"),
            hint: "use a coarser mesh".into(),
        }
    }
}

/// What was tried on a file or directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Reading a file.
    Read,
    /// Reading the second of TetGen's two files.
    ReadOther,
    /// Writing a file, or putting it into its place.
    Write,
    /// Creating a file.
    Create,
    /// Creating a directory.
    CreateDirectory,
    /// Listing a directory.
    List,
    /// Locking a directory.
    Lock,
    /// Removing a file or directory.
    Remove,
    /// Looking for a file or directory.
    Find,
    /// Asking for the working directory.
    FindWorkingDirectory,
}

impl std::fmt::Display for Action {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Action::Read => "read",
            Action::ReadOther => "read TetGen's other file,",
            Action::Write => "write",
            Action::Create => "create",
            Action::CreateDirectory => "create the directory",
            Action::List => "list",
            Action::Lock => "lock",
            Action::Remove => "remove",
            Action::Find => "find",
            Action::FindWorkingDirectory => "find the working directory",
        })
    }
}

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Something failed while it ran.
    Failed = 1,
    /// What the user wrote or named cannot be.
    Usage = 2,
}

fn place_suffix(place: &str) -> String {
    if place.is_empty() { String::new() } else { format!(", {place}") }
}

fn hint_suffix(hint: &str) -> String {
    if hint.is_empty() { String::new() } else { format!(" ({hint})") }
}
