//! Numbered files: `walk_####.obj` stands for `walk_0001.obj`, `walk_0002.obj` and so on.
//!
//! The signs # stand for a number with leading zeros up to as many digits; larger numbers have more. So one # is a number
//! without leading zeros. The least number that exists is the first, and from there on none may be missing.

use std::path::{Path, PathBuf};

/// What is wrong with numbered files, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// A description of the fault.
    pub reason: String,
    /// A hint how to correct it; may be empty.
    pub hint: String,
}

/// True if the name of a file has a number for which # stands.
pub fn is_numbered(path: &Path) -> bool {
    name(path).contains('#')
}

/// The files that a pattern stands for, by ascending numbers, at least one.
pub fn files(pattern: &Path) -> Result<Vec<PathBuf>, Refusal> {
    let refuse = |reason: String, hint: &str| Err(Refusal { reason, hint: hint.into() });
    let name = name(pattern);
    let (before, signs) = name.split_at(name.find('#').unwrap_or(name.len()));
    let after = signs.trim_start_matches('#');
    let digits = signs.len() - after.len();
    if digits == 0 || after.contains('#') {
        let reason = format!("{name} has no number, or several");
        return refuse(reason, "put # for the digits of the number, such as walk_####.obj");
    }
    let directory = pattern.parent().unwrap_or(Path::new("/"));
    let entries = match std::fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) => return refuse(format!("cannot list {}: {error}", directory.display()), ""),
    };
    let written = |number: u64| format!("{before}{number:0digits$}{after}");
    let number = |entry: std::io::Result<std::fs::DirEntry>| {
        let entry = entry.ok()?;
        let found = entry.file_name().into_string().ok()?;
        let number: u64 = found.strip_prefix(before)?.strip_suffix(after)?.parse().ok()?;
        (written(number) == found && entry.path().is_file()).then_some(number)
    };
    let mut numbers: Vec<u64> = entries.filter_map(number).collect();
    numbers.sort_unstable();
    let (Some(first), Some(last)) = (numbers.first(), numbers.last()) else {
        let reason = format!("no such files: {}", pattern.display());
        return refuse(
            reason,
            "each # is a digit of the number; one alone is a number without leading zeros",
        );
    };
    if let Some(pair) = numbers.windows(2).find(|pair| pair[1] - pair[0] > 1) {
        let reason = format!(
            "the files go from {} to {}, but {} is missing",
            written(*first),
            written(*last),
            written(pair[0] + 1)
        );
        return refuse(reason, "number them without gaps");
    }
    Ok(numbers.into_iter().map(|number| directory.join(written(number))).collect())
}

fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(names: &[&str], pattern: &str) -> Result<Vec<String>, Refusal> {
        let dir = tempfile::tempdir().unwrap();
        for file in names {
            std::fs::write(dir.path().join(file), "").unwrap();
        }
        std::fs::create_dir(dir.path().join("walk_0009.obj")).unwrap();
        let files = files(&dir.path().join(pattern))?;
        assert!(files.iter().all(|path| path.is_file()));
        Ok(files.iter().map(|path| name(path)).collect())
    }

    #[test]
    fn files_come_by_their_numbers() {
        let names = [
            "walk_0011.obj",
            "walk_0010.obj",
            "walk_012.obj",
            "walk_0013.ply",
            "walk_00012.obj",
            "walk_.obj",
        ];
        assert_eq!(found(&names, "walk_####.obj").unwrap(), ["walk_0010.obj", "walk_0011.obj"]);
        assert_eq!(
            found(&["9.ply", "10.ply", "8.ply", "08.ply"], "#.ply").unwrap(),
            ["8.ply", "9.ply", "10.ply"]
        );
        assert_eq!(found(&["a99b", "a100b"], "a##b").unwrap(), ["a99b", "a100b"]);
        let huge = ["a-99999999999999999999999.obj", "a+1.obj", "a7.obj"];
        assert_eq!(found(&huge, "a#.obj").unwrap(), ["a7.obj"]);
    }

    #[test]
    fn gaps_and_patterns_without_a_number_are_refused() {
        let names = ["walk_0001.obj", "walk_0002.obj", "walk_0004.obj", "walk_0007.obj"];
        let reason = found(&names, "walk_####.obj").unwrap_err().reason;
        assert_eq!(reason, "the files go from walk_0001.obj to walk_0007.obj, but walk_0003.obj is missing");
        for (pattern, text) in [
            ("run_####.obj", "no such files: "),
            ("walk_##_##.obj", "no number, or several"),
            ("walk.obj", "no number, or several"),
            ("none/walk_#.obj", "cannot list "),
        ] {
            let reason = found(&names, pattern).unwrap_err().reason;
            assert!(reason.contains(text), "{pattern}: {reason}");
        }
        assert!(is_numbered(Path::new("/a/b#.obj")) && !is_numbered(Path::new("/a#/b.obj")));
    }
}
