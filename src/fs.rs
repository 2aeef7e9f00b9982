//! Files that appear whole or not at all: written beside the target, then renamed over it.
//!
//! This is safe against a process that dies at any moment, and against other processes that write the same file. After a
//! loss of power, a file is sure to be there only if it and its directory were synced: [`write_durably`], [`sync`].

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::error::{Action, Error, Result};

/// The ending of files that are still being written; a killed process may leave some behind.
pub const TEMPORARY: &str = ".tmp";

/// A new file that is whole but not yet in its place. It is removed if it is dropped before.
#[derive(Debug)]
#[must_use]
pub struct Pending {
    temporary: PathBuf,
    path: PathBuf,
}

impl Pending {
    /// Calls `write` to fill a new file beside `path`. On failure there is no new file.
    pub fn write(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> Result<Pending> {
        Pending::fill(path, write, false)
    }

    fn fill(
        path: &Path,
        write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
        sync: bool,
    ) -> Result<Pending> {
        let failed = |e| Error::io(Action::Write, path, e);
        let temporary = beside(path).map_err(failed)?;
        let file = File::create_new(&temporary).map_err(failed)?;
        let pending = Pending { temporary, path: path.to_owned() };
        let mut out = BufWriter::with_capacity(1 << 18, file);
        write(&mut out).and_then(|()| out.flush()).map_err(failed)?;
        if sync {
            out.get_ref().sync_all().map_err(failed)?;
        }
        Ok(pending)
    }

    /// Puts the file into its place. On failure the old file, if any, stays, and the new one is removed.
    pub fn place(self) -> Result<()> {
        std::fs::rename(&self.temporary, &self.path).map_err(|e| Error::io(Action::Write, &self.path, e))
    }

    /// Puts several files into their places. On failure none of them is there, and the old ones are.
    pub fn place_all(files: Vec<Pending>) -> Result<()> {
        let mut placed: Vec<(PathBuf, Option<PathBuf>)> = vec![];
        let mut place = |file: Pending| {
            let path = file.path.clone();
            let old = set_aside(&path).map_err(|e| Error::io(Action::Write, &path, e))?;
            let result = file.place();
            placed.push((path, old));
            result
        };
        let result = files.into_iter().try_for_each(&mut place);
        for (path, old) in placed.into_iter().rev() {
            // The first failure is the one to report; what is set aside stays there if it cannot be put back.
            let _ = match (&result, old) {
                (Ok(()), Some(old)) => std::fs::remove_file(old),
                (Ok(()), None) => Ok(()),
                (Err(_), Some(old)) => std::fs::rename(old, path),
                (Err(_), None) => std::fs::remove_file(path),
            };
        }
        result
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        // After the renaming there is nothing to remove.
        let _ = std::fs::remove_file(&self.temporary);
    }
}

/// Gives an existing file another name beside its own, and returns that name. Directories are refused.
fn set_aside(path: &Path) -> io::Result<Option<PathBuf>> {
    match std::fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(_) => {
            let aside = beside(path)?;
            std::fs::rename(path, &aside).map(|()| Some(aside))
        }
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e),
    }
}

/// Calls `write` to fill a new file and then puts it in the place of `path`. On failure the old file, if any, stays,
/// and the new one is removed.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<()> {
    Pending::write(path, write)?.place()
}

/// Like [`write_atomically`]; after a loss of power too, there is the new file or the old one, and it is whole.
pub fn write_synced(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> Result<()> {
    Pending::fill(path, write, true)?.place()
}

/// Like [`write_synced`]; after it, not even a loss of power leaves the old file.
pub fn write_durably(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> Result<()> {
    write_synced(path, write)?;
    path.parent().map_or(Ok(()), sync_directory)
}

/// Waits until the content of a file is on the disk. What is not there, or is no file, needs no waiting.
pub fn sync(path: &Path) -> Result<()> {
    match open_regular(path, OpenOptions::new().read(true)) {
        Ok(file) => file.sync_all().map_err(|e| Error::io(Action::Write, path, e)),
        Err(_) => Ok(()),
    }
}

/// Waits until the names of a directory's files are on the disk, on systems that can.
pub fn sync_directory(path: &Path) -> Result<()> {
    use io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
    if !cfg!(unix) {
        return Ok(());
    }
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    match File::open(path).and_then(|directory| directory.sync_all()) {
        // Some network file systems have no such call.
        Err(e) if !matches!(e.kind(), InvalidInput | PermissionDenied | Unsupported) => {
            Err(Error::io(Action::Write, path, e))
        }
        _ => Ok(()),
    }
}

/// Opens a regular file and nothing else: neither what a symbolic link points to, nor a FIFO, which would block for ever.
pub fn open_regular(path: &Path, options: &OpenOptions) -> io::Result<File> {
    let mut options = options.clone();
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32);
    }
    let strange = || match std::fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => Some(io::Error::other("it is a symbolic link")),
        Ok(found) if !found.is_file() => Some(io::Error::other("it is not a regular file")),
        _ => None,
    };
    let file = options.open(path).map_err(|e| strange().unwrap_or(e))?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is not a regular file")) }
}

/// Reads a file with [`open_regular`].
pub fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = vec![];
    open_regular(path, OpenOptions::new().read(true))?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// For the name of a file that [`write_atomically`] has not finished: the name that it would have got.
pub fn unfinished(name: &str) -> Option<&str> {
    let (target, unique) = name.strip_prefix('.')?.strip_suffix(TEMPORARY)?.rsplit_once('.')?;
    let numbers: Vec<&str> = unique.split('-').collect();
    let is_unique =
        numbers.len() == 3 && numbers.iter().all(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    is_unique.then_some(target)
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
            let path = Path::new(path);
            let name = beside(path).unwrap().file_name().unwrap().to_string_lossy().into_owned();
            assert_eq!(unfinished(&name), path.file_name().unwrap().to_str(), "{name}");
        }
        for name in
            [".a.tmp", "a.txt.1-2-3.tmp", ".a.txt.1-2-3", ".a.txt.1-2.tmp", ".a.txt.1-x-3.tmp", ".tmp"]
        {
            assert_eq!(unfinished(name), None, "{name}");
        }
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_no_other() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.txt");
        write_atomically(&path, |out| out.write_all(b"old")).unwrap();
        let burn = |out: &mut BufWriter<File>| {
            out.write_all(b"half")?;
            Err(io::Error::other("disk on fire"))
        };
        for failed in [write_atomically(&path, burn), write_durably(&path, burn)] {
            assert!(failed.unwrap_err().to_string().starts_with("cannot write"));
            assert_eq!(std::fs::read(&path).unwrap(), b"old");
            assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
        }
        assert!(write_atomically(&dir.path().join("no/such/dir"), |_| Ok(())).is_err());
        write_durably(&path, |out| out.write_all(b"new")).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn several_files_appear_together_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        let put = |names: &[&str]| {
            let pending = |name: &&str| Pending::write(&path(name), |out| out.write_all(b"new")).unwrap();
            Pending::place_all(names.iter().map(pending).collect())
        };
        std::fs::write(path("a"), "old").unwrap();
        std::fs::create_dir(path("wall")).unwrap();
        assert!(put(&["a", "b", "wall", "c"]).is_err());
        assert_eq!(std::fs::read(path("a")).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2);
        put(&["a", "b"]).unwrap();
        assert_eq!(std::fs::read(path("a")).unwrap(), b"new");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 3);
    }

    #[cfg(unix)]
    #[test]
    fn only_regular_files_are_opened() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        std::fs::write(path("file"), "text").unwrap();
        assert_eq!(read_regular(&path("file")).unwrap(), b"text");
        std::os::unix::fs::symlink(path("file"), path("link")).unwrap();
        std::os::unix::fs::symlink(path("nowhere"), path("dangling")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(path("fifo")).status().unwrap().success());
        for name in ["link", "dangling", "fifo", "."] {
            for options in [OpenOptions::new().read(true), OpenOptions::new().append(true).create(true)] {
                assert!(open_regular(&path(name), options).is_err(), "{name}");
            }
        }
        assert_eq!(read_regular(&path("nowhere")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
