//! The lock of a run directory, so that two processes never write to the same one.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use crate::error::{Action, Error, Result};
use crate::fs::open_regular;

/// The name of the locked file.
pub const NAME: &str = ".lock";

/// How often a lock is asked for anew, if others remove it at the same moment.
const TRIES: usize = 1000;

/// A locked directory. It is released at the latest when the process ends, even by a kill.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    /// The directories that were made for it, the innermost first.
    made: Vec<PathBuf>,
    _file: File,
}

impl Lock {
    /// Makes a directory if it is not there, and locks it for this process.
    pub fn take(dir: &Path) -> Result<Lock> {
        let path = dir.join(NAME);
        let absent = |dir: &&Path| std::fs::symlink_metadata(dir).is_err_and(|e| is_missing(&e));
        let made: Vec<PathBuf> = dir.ancestors().take_while(absent).map(Path::to_owned).collect();
        for _ in 0..TRIES {
            match std::fs::create_dir_all(dir) {
                Err(e) if !is_missing(&e) => return Err(Error::io(Action::CreateDirectory, dir, e)),
                _ => {}
            }
            let options = OpenOptions::new().write(true).create(true).truncate(false).clone();
            let file = match open_regular(&path, &options) {
                // Another process that had made the directory has removed it.
                Err(e) if is_missing(&e) => continue,
                opened => opened.map_err(|e| Error::io(Action::Lock, &path, e))?,
            };
            match file.try_lock() {
                Ok(()) if is_at(&file, &path) => return Ok(Lock { path, made, _file: file }),
                // The file was removed by the process that had it locked: the lock of a file without a name excludes nobody.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => break,
                Err(TryLockError::Error(e)) if has_no_locks(&e) => {
                    tracing::warn!(
                        code = "no-locks",
                        file = %path.display(),
                        "{}: the file system has no locks, so nothing keeps two processes from writing the same run: start one only",
                        dir.display()
                    );
                    return Ok(Lock { path, made, _file: file });
                }
                Err(TryLockError::Error(e)) => return Err(Error::io(Action::Lock, &path, e)),
            }
        }
        Err(Error::Run {
            path: dir.to_owned(),
            reason: "another process is writing this run".into(),
            hint: "wait for it, or choose another directory with -o".into(),
        })
    }
}

/// True if a lock was refused because there are none, as on network file systems without a service for them.
fn has_no_locks(error: &std::io::Error) -> bool {
    #[cfg(unix)]
    let none = [rustix::io::Errno::NOLCK, rustix::io::Errno::NOSYS, rustix::io::Errno::OPNOTSUPP];
    #[cfg(unix)]
    let is_none = none.iter().any(|code| error.raw_os_error() == Some(code.raw_os_error()));
    #[cfg(not(unix))]
    let is_none = false;
    is_none || error.kind() == std::io::ErrorKind::Unsupported
}

/// True if another process writes in a directory at this moment.
pub fn is_held(dir: &Path) -> bool {
    File::open(dir.join(NAME)).is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

impl Drop for Lock {
    fn drop(&mut self) {
        // If this fails, an empty hidden file stays behind, which the next run takes over.
        let _ = std::fs::remove_file(&self.path);
        // Directories that were made for a run that wrote nothing are empty; others stay.
        self.made.iter().all(|dir| std::fs::remove_dir(dir).is_ok());
    }
}

fn is_missing(error: &std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::NotFound
}

/// True if the open file still has this path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |found: std::fs::Metadata| (found.dev(), found.ino());
    let named = std::fs::symlink_metadata(path).map(place).ok();
    named.is_some() && named == file.metadata().map(place).ok()
}

/// An open file cannot be removed on other systems.
#[cfg(not(unix))]
fn is_at(_file: &File, _path: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_excludes_others_and_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let run = dir.path().join("a/b");
        let lock = Lock::take(&run).unwrap();
        assert!(Lock::take(&run).unwrap_err().to_string().contains("another process"));
        drop(lock);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        let lock = Lock::take(&run).unwrap();
        std::fs::write(run.join("file"), "").unwrap();
        drop(lock);
        assert_eq!(std::fs::read_dir(&run).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_lock_never_touches_what_a_link_points_to() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("precious");
        std::fs::write(&file, "text").unwrap();
        let run = dir.path().join("run");
        std::fs::create_dir(&run).unwrap();
        std::os::unix::fs::symlink(&file, run.join(NAME)).unwrap();
        let refused = Lock::take(&run).unwrap_err();
        assert!(std::error::Error::source(&refused).unwrap().to_string().contains("symbolic link"));
        assert_eq!(std::fs::read(&file).unwrap(), b"text");
    }
}
