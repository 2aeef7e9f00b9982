//! Files that appear whole or not at all: written beside the target, then renamed over it.
//!
//! This is safe against a process that dies at any moment, and against other processes that write the same file.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::error::{Action, Error, Result};

/// The ending of files that are still being written; a killed process may leave some behind.
pub const TEMPORARY: &str = ".tmp";

/// Calls `write` to fill a new file and then puts it in the place of `path`. On failure the old file, if any, stays,
/// and the new one is removed.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<()> {
    let temporary = beside(path).map_err(|e| Error::io(Action::Write, path, e))?;
    let written = File::create_new(&temporary).and_then(|file| {
        let mut out = BufWriter::with_capacity(1 << 18, file);
        write(&mut out)?;
        out.flush()
    });
    let result = written
        .map_err(|e| Error::io(Action::Write, path, e))
        .and_then(|()| std::fs::rename(&temporary, path).map_err(|e| Error::io(Action::Write, path, e)));
    if result.is_err() {
        // The first failure is the one to report; there may be nothing to remove.
        let _ = std::fs::remove_file(&temporary);
    }
    result
}

/// True for names of files that [`write_atomically`] has not finished, and for no others.
pub fn is_temporary(name: &str) -> bool {
    let unique = name.strip_prefix('.').and_then(|name| name.strip_suffix(TEMPORARY)?.rsplit_once('.'));
    unique.is_some_and(|(_, unique)| {
        let numbers: Vec<&str> = unique.split('-').collect();
        numbers.len() == 3 && numbers.iter().all(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    })
}

/// A name in the same directory that no other process or thread uses.
fn beside(path: &Path) -> io::Result<PathBuf> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name().ok_or_else(|| io::Error::other("the path names no file"))?;
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    // The time distinguishes processes with the same id: one that was killed before, or one on another machine.
    let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos());
    let name = name.to_string_lossy();
    let unique = format!(".{name}.{}-{time}-{number}{TEMPORARY}", std::process::id());
    Ok(path.with_file_name(unique))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unfinished_files_are_told_from_others_by_their_names() {
        for path in ["a.txt", "run/.b", "maps/body one.csv"] {
            let name = beside(Path::new(path)).unwrap().file_name().unwrap().to_string_lossy().into_owned();
            assert!(is_temporary(&name), "{name}");
        }
        for name in
            [".a.tmp", "a.txt.1-2-3.tmp", ".a.txt.1-2-3", ".a.txt.1-2.tmp", ".a.txt.1-x-3.tmp", ".tmp"]
        {
            assert!(!is_temporary(name), "{name}");
        }
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_no_other() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.txt");
        write_atomically(&path, |out| out.write_all(b"old")).unwrap();
        let failed = write_atomically(&path, |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("disk on fire"))
        });
        assert!(failed.unwrap_err().to_string().starts_with("cannot write"));
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
        assert!(write_atomically(&dir.path().join("no/such/dir"), |_| Ok(())).is_err());
    }
}
