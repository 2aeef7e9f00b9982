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

    /// The entry of `key`, or the result of `compute`, which is then stored.
    pub fn fetch<T: Cached>(&self, key: &Key, compute: impl FnOnce() -> Result<T>) -> Result<(T, Outcome)> {
        let Some(dir) = &self.dir else { return Ok((compute()?, Outcome::Miss)) };
        let path = dir.join(format!("{}-{}.{EXTENSION}", T::KIND, key.to_hex()));
        let outcome = match file::read(&path, T::KIND, T::VERSION, key) {
            Ok(arrays) => match T::from_arrays(arrays) {
                Some(value) => return Ok((value, Outcome::Hit)),
                None => {
                    tracing::warn!("cache file {}: inconsistent content; computing it anew", path.display());
                    Outcome::Replaced
                }
            },
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

    /// The path and the size in bytes of each entry, by name.
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
                let size = std::fs::metadata(&path).map_err(|e| Error::io(Action::Read, &path, e))?.len();
                out.push((path, size));
            }
        }
        out.sort();
        Ok(out)
    }

    /// Checks one entry's header and checksum.
    pub fn verify(&self, path: &Path) -> std::result::Result<(), Fault> {
        file::verify(path)
    }

    /// Removes all entries (and nothing else); returns their number and their bytes.
    pub fn clear(&self) -> Result<(usize, u64)> {
        let entries = self.entries()?;
        let mut freed = 0;
        for (path, size) in &entries {
            std::fs::remove_file(path).map_err(|e| Error::io(Action::Remove, path, e))?;
            freed += size;
        }
        Ok((entries.len(), freed))
    }
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
        let fetch = || cache.fetch(&key, || Ok(sample())).unwrap();
        assert_eq!(fetch(), (sample(), Outcome::Miss));
        assert_eq!(fetch(), (sample(), Outcome::Hit));
        let path = cache.entries().unwrap()[0].0.clone();
        let whole = std::fs::read(&path).unwrap();
        let size = whole.len();
        for place in [0, 9, 20, 60, 200, size / 2, size - 1] {
            let mut damaged = whole.clone();
            damaged[place] ^= 0x10;
            std::fs::write(&path, &damaged).unwrap();
            assert!(cache.verify(&path).is_err(), "byte {place}");
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
        cache.fetch(&a, || Ok(Numbers(vec![1.0], vec![]))).unwrap();
        let from = cache.entries().unwrap()[0].0.clone();
        let to = dir.path().join(format!("numbers-{}.{EXTENSION}", b.to_hex()));
        std::fs::rename(from, to).unwrap();
        let (value, outcome) = cache.fetch(&b, || Ok(Numbers(vec![2.0], vec![]))).unwrap();
        assert_eq!((value, outcome), (Numbers(vec![2.0], vec![]), Outcome::Replaced));
    }

    #[test]
    fn a_directory_that_cannot_be_written_is_not_fatal() {
        let dir = tempfile::tempdir().unwrap();
        let blocker = dir.path().join("file");
        std::fs::write(&blocker, b"x").unwrap();
        let cache = Cache::at(&blocker.join("sub"));
        assert_eq!(cache.fetch(&blake3::hash(b"a"), || Ok(sample())).unwrap().1, Outcome::Miss);
    }

    #[test]
    fn clear_removes_entries_only() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::at(dir.path());
        cache.fetch(&blake3::hash(b"a"), || Ok(sample())).unwrap();
        std::fs::write(dir.path().join("notes.txt"), b"mine").unwrap();
        assert_eq!(cache.clear().unwrap().0, 1);
        assert!(dir.path().join("notes.txt").exists() && cache.entries().unwrap().is_empty());
    }
}
