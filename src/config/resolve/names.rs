//! Names that become parts of file names, and files that must exist.

use std::path::Path;

use super::super::path::KeyPath;
use super::super::problem::Report;
use crate::error::suggest::nearest;

/// The greatest length of a name in bytes; it leaves room for a frame number and an extension.
const LONGEST: usize = 200;

/// Refuses a name that cannot be part of a file name on any common system.
pub fn check(name: &str, at: KeyPath, report: &mut Report) {
    let stem = name.split('.').next().unwrap_or_default().to_uppercase();
    let device = ["CON", "PRN", "AUX", "NUL"].contains(&stem.as_str())
        || (stem.len() == 4
            && (stem.starts_with("COM") || stem.starts_with("LPT"))
            && stem.ends_with(char::is_numeric));
    let bad = name.chars().find(|c| c.is_control() || "/\\:*?\"<>|".contains(*c));
    let reason = if name.is_empty() {
        "must not be empty".to_owned()
    } else if let Some(c) = bad {
        format!("{c:?} cannot be part of a file name")
    } else if name.starts_with(['.', '-', ' ']) || name.ends_with(['.', ' ']) {
        "as a file name, it must not begin with a dot, dash or space, nor end with a dot or space".to_owned()
    } else if device {
        format!("'{name}' is the name of a device on Windows")
    } else if name.len() > LONGEST {
        format!("longer than {LONGEST} bytes")
    } else {
        return;
    };
    report.value(at, reason, "the name becomes part of file names");
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_no_file_can_have_are_refused() {
        for name in ["", "a/b", "a\\b", "..", ".a", "a.", "a\n", "nul", "com1.x", "-a", "a:b"] {
            let mut report = Report::default();
            check(name, KeyPath::root(), &mut report);
            assert_eq!(report.problems.len(), 1, "{name:?}");
        }
        for name in ["a", "bar.v2", "Würfel 1", "console", "x_0-1"] {
            let mut report = Report::default();
            check(name, KeyPath::root(), &mut report);
            assert!(report.problems.is_empty(), "{name:?}");
        }
    }
}
