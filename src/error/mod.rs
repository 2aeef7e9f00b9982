//! The library's error type: what failed, where, why, and what to do about it.
//!
//! Every variant carries data, not text alone. `Display` gives one line per cause, and
//! [`std::error::Error::source`] the chain behind it.

use std::path::{Path, PathBuf};

pub mod diagnostic;
pub mod intersecting;
pub mod printable;
pub mod suggest;

use diagnostic::Diagnostics;
use elements::energy::material::Fault;
use intersecting::Intersecting;
use sparse::cholesky::OutOfMemory;

/// The result of functions of the library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can fail.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The operating system refused something on `path`.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// The action that failed.
        action: Action,
        /// The file or directory.
        path: PathBuf,
        /// The system's answer.
        source: std::io::Error,
    },
    /// A mesh file does not have the content that its format requires.
    #[error("{}{}: {reason}{}", path.display(), place_suffix(place), hint_suffix(hint))]
    Format {
        /// The path of the mesh file.
        path: PathBuf,
        /// The place in the file: `line 12`, `byte 340`, `DataArray 'Points'`; may be empty.
        place: String,
        /// A description of the defect.
        reason: String,
        /// A hint how to correct it; may be empty.
        hint: String,
    },
    /// One or more faults of a config, each with its place.
    #[error("{0}")]
    Config(Diagnostics),
    /// A mesh was read without errors but cannot be simulated.
    #[error("{subject}: {reason}{}", hint_suffix(hint))]
    Mesh {
        /// The body or file that has the mesh.
        subject: String,
        /// A description of the defect, with element numbers.
        reason: String,
        /// A hint how to correct it; may be empty.
        hint: String,
    },
    /// Surfaces intersect where a scene with contact starts.
    #[error("{subject}: {reason}{}", hint_suffix(hint))]
    Intersecting {
        /// The name of the scene.
        subject: String,
        /// What intersects, and where.
        reason: String,
        /// A hint how to correct it.
        hint: String,
        /// The surfaces that do.
        found: Box<Intersecting>,
    },
    /// A solver cannot work on a term or material.
    #[error("solver '{solver}' cannot simulate {subject}: {reason}")]
    Unsupported {
        /// The name of the solver in configs.
        solver: String,
        /// The body and material or term.
        subject: String,
        /// The missing capability, and what to do about it.
        reason: String,
    },
    /// A flag with a value that the command cannot work with.
    #[error("{what}{}", hint_suffix(hint))]
    Usage {
        /// The flag, and what is wrong with it.
        what: String,
        /// A hint how to correct it; may be empty.
        hint: String,
    },
    /// A run, or a check that was asked for, failed: numbers that are not finite …
    #[error("{what}{}", hint_suffix(hint))]
    Failed {
        /// A description of the failure, with step and frame if they are known.
        what: String,
        /// A hint how to correct it; may be empty.
        hint: String,
    },
    /// A run was told to stop before its last frame; it can be resumed.
    #[error("{what}{}", hint_suffix(hint))]
    Interrupted {
        /// How far the run got.
        what: String,
        /// A hint how to continue.
        hint: String,
    },
    /// A run is complete, but misses a quality that was demanded.
    #[error("{what}{}", hint_suffix(hint))]
    Missed {
        /// The quality, and where the run misses it.
        what: String,
        /// A hint how to reach it.
        hint: String,
    },
    /// A run directory is not in a state that the request can work with.
    #[error("{}: {reason}{}", path.display(), hint_suffix(hint))]
    Run {
        /// The directory or file.
        path: PathBuf,
        /// A description of the problem.
        reason: String,
        /// A hint how to correct it; may be empty.
        hint: String,
    },
}

impl Error {
    /// Makes an [`Error::Io`].
    pub fn io(action: Action, path: &Path, source: std::io::Error) -> Self {
        Error::Io { action, path: path.to_owned(), source }
    }

    /// Makes an [`Error::Format`] without a hint.
    pub fn format(path: &Path, place: impl Into<String>, reason: impl Into<String>) -> Self {
        Error::Format {
            path: path.to_owned(),
            place: place.into(),
            reason: reason.into(),
            hint: String::new(),
        }
    }

    /// What kind of error it is, in a word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Io { .. } => "io",
            Error::Format { .. } => "format",
            Error::Config(_) => "config",
            Error::Mesh { .. } => "mesh",
            Error::Intersecting { .. } => "intersecting",
            Error::Unsupported { .. } => "unsupported",
            Error::Usage { .. } => "usage",
            Error::Failed { .. } => "failed",
            Error::Interrupted { .. } => "interrupted",
            Error::Missed { .. } => "missed",
            Error::Run { .. } => "run",
        }
    }

    /// The file or directory that it is about, if it is about one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Error::Io { path, .. } | Error::Format { path, .. } | Error::Run { path, .. } => Some(path),
            _ => None,
        }
    }

    /// The exit code of the program after this error.
    pub fn exit(&self) -> Exit {
        match self {
            Error::Failed { .. } | Error::Io { action: Action::Write, .. } => Exit::Failed,
            Error::Interrupted { .. } => Exit::Interrupted,
            Error::Missed { .. } => Exit::Missed,
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

/// An action on a file or directory.
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

/// The exit codes of the program after an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Something failed while the program ran.
    Failed = 1,
    /// The user's command line, config or files cannot be used.
    Usage = 2,
    /// A run was told to stop and can be resumed.
    Interrupted = 3,
    /// A run is complete, but misses a quality that was demanded.
    Missed = 4,
}

fn place_suffix(place: &str) -> String {
    if place.is_empty() { String::new() } else { format!(", {place}") }
}

fn hint_suffix(hint: &str) -> String {
    if hint.is_empty() { String::new() } else { format!(" ({hint})") }
}
