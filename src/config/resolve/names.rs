//! Names that become parts of file names, and files that must exist.

use std::path::Path;

use super::super::path::KeyPath;
use super::super::problem::Report;
use crate::error::suggest::nearest;
use crate::scene::names::fault;

/// Refuses a name that cannot be part of a file name on any common system.
pub fn check(name: &str, at: KeyPath, report: &mut Report) {
    if let Some(reason) = fault(name) {
        report.value(at, reason, "the name becomes part of file names");
    }
}

/// Refuses a path that is not a file, naming the most similar file of its directory.
pub fn check_file(path: &str, at: KeyPath, report: &mut Report) {
    let file = Path::new(path);
    // An empty path was refused when it was made absolute.
    if path.is_empty() || file.is_file() {
        return;
    }
    if file.is_dir() {
        return report.value(at, format!("{path} is a directory, not a file"), "");
    }
    let directory = file.parent().unwrap_or(Path::new("/"));
    let Ok(entries) = std::fs::read_dir(directory) else {
        let message = format!("no such file: {path}");
        return report.value(at, message, format!("the directory {} cannot be read", directory.display()));
    };
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    let wanted = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let hint = nearest(wanted, names.iter().map(String::as_str));
    let hint = hint.map_or(String::new(), |name| format!("did you mean '{name}'?"));
    report.value(at, format!("no such file: {path}"), hint);
}
