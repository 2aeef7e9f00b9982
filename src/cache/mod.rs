//! The disk cache: results that are expensive to compute, under a key that is cheap to compute.
//!
//! The cache is content-addressed: the key is a hash of everything that determines the result, so an entry is right for
//! whoever finds it, after any edit of a config and on any machine. An entry is checked when it is read. One that is
//! damaged, cut short or of another version is reported, recomputed and replaced. Files appear whole or not at all, so
//! any number of processes may share a directory. If the cache cannot be written, a run takes longer but does not fail.

mod file;

use std::path::{Path, PathBuf};

pub use file::{Array, Fault};

use crate::error::{Action, Error, Result};

/// The name of an entry: a 256-bit hash.
pub type Key = blake3::Hash;

/// A result that can be kept in the cache.
pub trait Cached: Sized {
    /// The kind of the result, which is part of the file name.
    const KIND: &'static str;
    /// The version of the content. It must be raised whenever the content for the same key changes.
    const VERSION: u32;
    /// The content as arrays, to be stored.
    fn to_arrays(&self) -> Vec<Array>;
    /// The result from its stored content; `None` if that is not consistent.
    fn from_arrays(arrays: Vec<Array>) -> Option<Self>;
}

/// How the entries of one kind are checked without a request for one.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    kind: &'static str,
    version: u32,
    is_sound: fn(Vec<Array>) -> bool,
}

impl Check {
    /// The check of a result's kind: what a request would refuse, whatever the scene is.
    pub const fn of<T: Cached>() -> Check {
        Check { kind: T::KIND, version: T::VERSION, is_sound: |arrays| T::from_arrays(arrays).is_some() }
    }
}

/// How a request was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The result was read from disk.
    Hit,
    /// The result was computed and stored.
    Miss,
    /// An entry existed but was unusable: the result was computed anew and the entry replaced.
    Replaced,
}

/// A directory of entries, or a cache that is disabled.
#[derive(Clone, Debug)]
pub struct Cache {
    dir: Option<PathBuf>,
}

/// The ending of the cache's files.
const EXTENSION: &str = "pliant-cache";

impl Cache {
    /// A cache in `dir`, which is created with the first entry.
    pub fn at(dir: &Path) -> Cache {
        Cache { dir: Some(dir.to_owned()) }
    }

    /// A cache that stores nothing.
    pub fn disabled() -> Cache {
        Cache { dir: None }
    }

    /// The directory, if there is one.
    pub fn dir(&self) -> Option<&Path> {
        self.dir.as_deref()
    }

    /// The entry of `key`, or the result of `compute`, which is then stored. An entry is used only if it `fits` what
    /// it is asked for, because a file can hold anything, whatever its name says.
    pub fn fetch<T: Cached>(
        &self,
        key: &Key,
        fits: impl FnOnce(&T) -> bool,
        compute: impl FnOnce() -> Result<T>,
    ) -> Result<(T, Outcome)> {
        let Some(dir) = &self.dir else { return Ok((compute()?, Outcome::Miss)) };
        let path = dir.join(file_name(T::KIND, key));
        let found = file::read(&path, T::KIND, T::VERSION, key)
            .and_then(|arrays| T::from_arrays(arrays).filter(fits).ok_or(Fault::Inconsistent));
        let outcome = match found {
            Ok(value) => return Ok((value, Outcome::Hit)),
            Err(Fault::Absent) => Outcome::Miss,
            Err(fault) => {
                tracing::warn!("cache file {}: {fault}; computing it anew", path.display());
                Outcome::Replaced
            }
        };
        let value = compute()?;
        if let Err(error) = file::write(&path, T::KIND, T::VERSION, key, &value.to_arrays()) {
            let cause = std::error::Error::source(&error).map(|c| format!(": {c}")).unwrap_or_default();
            tracing::warn!("{error}{cause}; going on without this cache entry");
        }
        Ok((value, outcome))
    }

    /// The path and the size in bytes of each entry, by name. Links are not followed.
    pub fn entries(&self) -> Result<Vec<(PathBuf, u64)>> {
        let Some(dir) = &self.dir else { return Ok(vec![]) };
        let listing = match std::fs::read_dir(dir) {
            Ok(listing) => listing,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(vec![]),
            Err(e) => return Err(Error::io(Action::List, dir, e)),
        };
        let mut out = vec![];
        for entry in listing {
            let path = entry.map_err(|e| Error::io(Action::List, dir, e))?.path();
            if path.extension().is_some_and(|e| e == EXTENSION) {
                match std::fs::symlink_metadata(&path) {
                    Ok(metadata) => out.push((path, metadata.len())),
                    // Another process has removed it.
                    Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
                    Err(e) => return Err(Error::io(Action::Read, &path, e)),
                }
            }
        }
        out.sort();
        Ok(out)
    }

    /// Checks one entry: its name, header and checksum, and by the check of its kind what it holds.
    pub fn verify(&self, path: &Path, checks: &[Check]) -> std::result::Result<(), Fault> {
        let entry = file::read_any(path)?;
        let check = checks.iter().find(|check| check.kind == entry.kind).ok_or(Fault::Other)?;
        if entry.version != check.version {
            return Err(Fault::Version(entry.version));
        }
        if path.file_name().is_none_or(|name| name != file_name(check.kind, &entry.key).as_str()) {
            return Err(Fault::Other);
        }
        (check.is_sound)(entry.arrays).then_some(()).ok_or(Fault::Inconsistent)
    }

    /// Removes all entries (and nothing else); returns their number and their bytes.
    pub fn clear(&self) -> Result<(usize, u64)> {
        let (mut count, mut freed) = (0, 0);
        for (path, size) in &self.entries()? {
            match std::fs::remove_file(path) {
                Ok(()) => (count, freed) = (count + 1, freed + size),
                // Another process has removed it.
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
                Err(_) if path.is_dir() => {
                    tracing::warn!("{} is a directory and is left alone", path.display());
                }
                Err(e) => return Err(Error::io(Action::Remove, path, e)),
            }
        }
        Ok((count, freed))
    }
}

fn file_name(kind: &str, key: &Key) -> String {
    format!("{kind}-{}.{EXTENSION}", key.to_hex())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    struct Numbers(Vec<f64>, Vec<u32>);

    impl Cached for Numbers {
        const KIND: &'static str = "numbers";
        const VERSION: u32 = 3;
        fn to_arrays(&self) -> Vec<Array> {
            vec![Array::F64(self.0.clone()), Array::U32(self.1.clone())]
        }
        fn from_arrays(arrays: Vec<Array>) -> Option<Self> {
            match <[Array; 2]>::try_from(arrays).ok()? {
                [Array::F64(a), Array::U32(b)] => Some(Numbers(a, b)),
                _ => None,
            }
        }
    }

    fn sample() -> Numbers {
        Numbers((0..700_000).map(|i| f64::from(i) * 0.1).collect(), vec![7, 8, 9])
    }

    #[test]
    fn a_second_request_hits_and_damage_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::at(dir.path());
        let key = blake3::hash(b"a");
        let fetch = || cache.fetch(&key, |_| true, || Ok(sample())).unwrap();
        assert_eq!(fetch(), (sample(), Outcome::Miss));
        assert_eq!(fetch(), (sample(), Outcome::Hit));
        let path = cache.entries().unwrap()[0].0.clone();
        let whole = std::fs::read(&path).unwrap();
        let size = whole.len();
        for place in [0, 9, 20, 60, 200, size / 2, size - 1] {
            let mut damaged = whole.clone();
            damaged[place] ^= 0x10;
            std::fs::write(&path, &damaged).unwrap();
            assert!(cache.verify(&path, &[Check::of::<Numbers>()]).is_err(), "byte {place}");
            assert_eq!(fetch().1, Outcome::Replaced, "byte {place}");
            assert_eq!(fetch().1, Outcome::Hit);
        }
        for length in [0, 1, 50, 120, size / 2, size - 1] {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert_eq!(fetch(), (sample(), Outcome::Replaced), "length {length}");
        }
        let mut longer = whole.clone();
        longer.push(0);
        std::fs::write(&path, &longer).unwrap();
        assert_eq!(fetch().1, Outcome::Replaced);
    }

    #[test]
    fn another_key_under_this_name_is_not_trusted() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::at(dir.path());
        let (a, b) = (blake3::hash(b"a"), blake3::hash(b"b"));
        cache.fetch(&a, |_| true, || Ok(Numbers(vec![1.0], vec![]))).unwrap();
        let from = cache.entries().unwrap()[0].0.clone();
        let to = dir.path().join(format!("numbers-{}.{EXTENSION}", b.to_hex()));
        std::fs::rename(from, to).unwrap();
        let (value, outcome) = cache.fetch(&b, |_| true, || Ok(Numbers(vec![2.0], vec![]))).unwrap();
        assert_eq!((value, outcome), (Numbers(vec![2.0], vec![]), Outcome::Replaced));
    }

    #[test]
    fn a_directory_that_cannot_be_written_is_not_fatal() {
        let dir = tempfile::tempdir().unwrap();
        let blocker = dir.path().join("file");
        std::fs::write(&blocker, b"x").unwrap();
        let cache = Cache::at(&blocker.join("sub"));
        assert_eq!(cache.fetch(&blake3::hash(b"a"), |_| true, || Ok(sample())).unwrap().1, Outcome::Miss);
    }

    #[test]
    fn clear_removes_entries_only() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::at(dir.path());
        cache.fetch(&blake3::hash(b"a"), |_| true, || Ok(sample())).unwrap();
        std::fs::write(dir.path().join("notes.txt"), b"mine").unwrap();
        assert_eq!(cache.clear().unwrap().0, 1);
        assert!(dir.path().join("notes.txt").exists() && cache.entries().unwrap().is_empty());
    }

    #[test]
    fn several_may_clear_while_others_fetch() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::at(dir.path());
        let fetch = |i: u32| {
            let key = blake3::hash(&i.to_le_bytes());
            cache.fetch(&key, |_| true, || Ok(sample())).map(|_| ())
        };
        for _ in 0..5 {
            (0..40).try_for_each(fetch).unwrap();
            std::thread::scope(|scope| {
                let clearing: Vec<_> = (0..4).map(|_| scope.spawn(|| cache.clear())).collect();
                let fetching = scope.spawn(|| (0..40).try_for_each(fetch));
                let removed = clearing.into_iter().map(|thread| thread.join().unwrap().unwrap().0);
                assert!(removed.sum::<usize>() >= 40, "every entry was removed by one of them");
                fetching.join().unwrap().unwrap();
            });
        }
    }

    #[test]
    fn what_does_not_fit_is_computed_anew() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::at(dir.path());
        let key = blake3::hash(b"a");
        let fetch = |length: usize| {
            let fits = move |found: &Numbers| found.0.len() == length;
            cache.fetch(&key, fits, || Ok(Numbers(vec![0.5; length], vec![]))).unwrap()
        };
        assert_eq!((fetch(3).1, fetch(3).1), (Outcome::Miss, Outcome::Hit));
        assert_eq!(fetch(4), (Numbers(vec![0.5; 4], vec![]), Outcome::Replaced));
    }

    #[test]
    fn verify_tells_what_a_run_would_refuse() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::at(dir.path());
        let checks = [Check::of::<Numbers>()];
        let write = |kind: &str, version: u32, arrays: &[Array]| {
            let key = blake3::hash(b"a");
            let path = dir.path().join(file_name(kind, &key));
            file::write(&path, kind, version, &key, arrays).unwrap();
            cache.verify(&path, &checks)
        };
        assert!(write("numbers", 3, &sample().to_arrays()).is_ok());
        assert!(matches!(write("numbers", 3, &[]), Err(Fault::Inconsistent)));
        assert!(matches!(write("numbers", 2, &sample().to_arrays()), Err(Fault::Version(2))));
        assert!(matches!(write("letters", 3, &sample().to_arrays()), Err(Fault::Other)));
        write("numbers", 3, &sample().to_arrays()).unwrap();
        let renamed = dir.path().join("numbers-0.pliant-cache");
        std::fs::rename(cache.entries().unwrap().pop().unwrap().0, &renamed).unwrap();
        assert!(matches!(cache.verify(&renamed, &checks), Err(Fault::Other)));
    }

    /// Links to nowhere, pipes and directories under the names of entries, and a directory that disappears.
    #[cfg(unix)]
    #[test]
    fn strange_files_and_a_directory_that_disappears_do_no_harm() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::at(&dir.path().join("cache"));
        let key = blake3::hash(b"a");
        let path = dir.path().join("cache").join(file_name("numbers", &key));
        let fetch = || cache.fetch(&key, |_| true, || Ok(sample())).unwrap().1;
        std::fs::create_dir(dir.path().join("cache")).unwrap();
        std::os::unix::fs::symlink("nowhere", &path).unwrap();
        assert_eq!(cache.entries().unwrap().len(), 1, "a link to nowhere is listed");
        assert!(matches!(cache.verify(&path, &[]), Err(Fault::Absent)));
        assert_eq!((fetch(), fetch()), (Outcome::Miss, Outcome::Hit));
        let pipe = |path: &Path| {
            let made = std::process::Command::new("mkfifo").arg(path).status();
            assert!(made.is_ok_and(|status| status.success()), "mkfifo");
        };
        std::fs::remove_file(&path).unwrap();
        pipe(&path);
        assert!(matches!(cache.verify(&path, &[]), Err(Fault::Foreign)), "nobody waits for a pipe");
        assert_eq!((fetch(), fetch()), (Outcome::Replaced, Outcome::Hit));
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        assert_eq!(fetch(), Outcome::Replaced, "a directory stays and the run goes on");
        pipe(&path.with_file_name("x.pliant-cache"));
        assert_eq!(cache.clear().unwrap().0, 1, "the pipe, not the directory");
        let gone = || {
            std::fs::remove_dir_all(dir.path().join("cache")).map_err(|e| Error::io(Action::Remove, &path, e))
        };
        let other = blake3::hash(b"b");
        let outcome = cache.fetch(&other, |_| true, || gone().map(|()| sample())).unwrap().1;
        assert_eq!(outcome, Outcome::Miss);
    }
}
