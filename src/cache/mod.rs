//! The disk cache: results that are expensive to compute, under a key that is cheap to compute.
//!
//! The cache is content-addressed: the key is a hash of everything that determines the result, so an entry is right for
//! whoever finds it, after any edit of a config and on any machine. An entry is checked when it is read. One that is
//! damaged, cut short or of another version is reported, recomputed and replaced. Files appear whole or not at all, so
//! any number of processes may share a directory. If the cache cannot be written, a run takes longer but does not fail.

mod file;

use std::path::{Path, PathBuf};
use std::time::Duration;

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

/// A directory of entries, possibly over others that are only read, or a cache that is disabled.
#[derive(Clone, Debug)]
pub struct Cache {
    dir: Option<PathBuf>,
    /// Directories that are looked through first and never written to.
    shared: Vec<PathBuf>,
}

/// Entries that were used within this time keep the time of their last use.
const RECENT: Duration = Duration::from_secs(3600);

/// The ending of the cache's files.
const EXTENSION: &str = "pliant-cache";

impl Cache {
    /// A cache in `dir`, which is created with the first entry.
    pub fn at(dir: &Path) -> Cache {
        Cache { dir: Some(dir.to_owned()), shared: vec![] }
    }

    /// A cache that stores nothing.
    pub fn disabled() -> Cache {
        Cache { dir: None, shared: vec![] }
    }

    /// This cache over others, such as one that a farm shares: their entries are used, and new ones go into this one.
    pub fn over(self, shared: Vec<PathBuf>) -> Cache {
        Cache { shared, ..self }
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
        fits: impl Fn(&T) -> bool,
        compute: impl FnOnce() -> Result<T>,
    ) -> Result<(T, Outcome)> {
        let Some(dir) = &self.dir else { return Ok((compute()?, Outcome::Miss)) };
        let read = |path: &Path| {
            file::read(path, T::KIND, T::VERSION, key)
                .and_then(|arrays| T::from_arrays(arrays).filter(&fits).ok_or(Fault::Inconsistent))
        };
        for path in self.shared.iter().map(|dir| dir.join(file_name(T::KIND, key))) {
            match read(&path) {
                Ok(value) => return Ok((value, Outcome::Hit)),
                Err(Fault::Absent) => {}
                Err(fault) => {
                    let file = path.display();
                    tracing::warn!(code = "cache", file = %file, "cache file {file}: {fault}; it is passed over");
                }
            }
        }
        let path = dir.join(file_name(T::KIND, key));
        let outcome = match read(&path) {
            Ok(value) => {
                note_use(&path);
                return Ok((value, Outcome::Hit));
            }
            Err(Fault::Absent) => Outcome::Miss,
            Err(fault) => {
                tracing::warn!(code = "cache", file = %path.display(), "cache file {}: {fault}; computing it anew", path.display());
                Outcome::Replaced
            }
        };
        let value = compute()?;
        if let Err(error) = file::write(&path, T::KIND, T::VERSION, key, &value.to_arrays()) {
            let cause = std::error::Error::source(&error).map(|c| format!(": {c}")).unwrap_or_default();
            tracing::warn!(code = "cache", file = %path.display(), "{error}{cause}; going on without this cache entry");
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

    /// Removes the entries that were not used for longer than `older_than`, and then those whose last use is the longest ago until
    /// all others have `most` bytes or fewer; returns their number and their bytes.
    pub fn prune(&self, older_than: Option<Duration>, most: Option<u64>) -> Result<(usize, u64)> {
        let age = |path: &Path| {
            let used = std::fs::symlink_metadata(path).and_then(|found| found.modified());
            used.ok().and_then(|used| used.elapsed().ok()).unwrap_or_default()
        };
        let mut entries: Vec<(Duration, PathBuf, u64)> =
            self.entries()?.into_iter().map(|(path, size)| (age(&path), path, size)).collect();
        // The newest first; names decide between equals.
        entries.sort();
        let mut kept = 0;
        entries.retain(|(age, _, size)| {
            let stays =
                older_than.is_none_or(|limit| *age <= limit) && most.is_none_or(|most| kept + size <= most);
            kept += if stays { *size } else { 0 };
            !stays
        });
        remove(entries.into_iter().map(|(_, path, size)| (path, size)))
    }

    /// Removes all entries (and nothing else); returns their number and their bytes.
    pub fn clear(&self) -> Result<(usize, u64)> {
        remove(self.entries()?)
    }
}

/// Notes that an entry was used, for [`Cache::prune`]. Where that is not allowed, the entry only looks older.
fn note_use(path: &Path) {
    let is_recent = |file: &std::fs::File| {
        file.metadata()
            .and_then(|found| found.modified())
            .is_ok_and(|used| used.elapsed().is_ok_and(|age| age < RECENT))
    };
    if let Ok(file) = std::fs::File::open(path)
        && !is_recent(&file)
    {
        let _ = file.set_modified(std::time::SystemTime::now());
    }
}

/// Removes entries that are still there; returns their number and their bytes.
fn remove(entries: impl IntoIterator<Item = (PathBuf, u64)>) -> Result<(usize, u64)> {
    let (mut count, mut freed) = (0, 0);
    for (path, size) in &entries.into_iter().collect::<Vec<_>>() {
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
    fn entries_of_shared_directories_are_used_and_never_written() {
        let (shared, own) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let [a, b] = [b"a", b"b"].map(|name| blake3::hash(name));
        Cache::at(shared.path()).fetch(&a, |_| true, || Ok(sample())).unwrap();
        let both = Cache::at(own.path()).over(vec![shared.path().to_owned()]);
        let fetch = |key: &Key| both.fetch(key, |_| true, || Ok(sample())).unwrap().1;
        assert_eq!([fetch(&a), fetch(&b), fetch(&b)], [Outcome::Hit, Outcome::Miss, Outcome::Hit]);
        let count = |dir: &Path| Cache::at(dir).entries().unwrap().len();
        assert_eq!([count(shared.path()), count(own.path())], [1, 1]);
        // A damaged shared entry is passed over, and left as it is.
        let path = Cache::at(shared.path()).entries().unwrap()[0].0.clone();
        std::fs::write(&path, b"damaged").unwrap();
        assert_eq!([fetch(&a), fetch(&a)], [Outcome::Miss, Outcome::Hit]);
        assert_eq!(std::fs::read(&path).unwrap(), b"damaged");
    }

    #[test]
    fn prune_removes_what_was_not_used_for_the_longest_time() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::at(dir.path());
        let day = Duration::from_secs(86_400);
        for days in 0..4u32 {
            let key = blake3::hash(&days.to_le_bytes());
            cache.fetch(&key, |_| true, || Ok(Numbers(vec![0.5; 100], vec![]))).unwrap();
            let file = std::fs::File::open(dir.path().join(file_name("numbers", &key))).unwrap();
            file.set_modified(std::time::SystemTime::now() - days * day - day / 2).unwrap();
        }
        let size = cache.entries().unwrap()[0].1;
        assert_eq!(cache.prune(Some(3 * day), None).unwrap(), (1, size));
        // The oldest that is left is used, so that another one goes.
        let old = blake3::hash(&2u32.to_le_bytes());
        assert_eq!(cache.fetch(&old, |_| true, || Ok(sample())).unwrap().1, Outcome::Hit);
        assert_eq!(cache.prune(None, Some(2 * size)).unwrap(), (1, size));
        let left =
            |days: u32| dir.path().join(file_name("numbers", &blake3::hash(&days.to_le_bytes()))).exists();
        assert_eq!([0, 1, 2].map(left), [true, false, true]);
        assert_eq!(cache.prune(None, Some(0)).unwrap().0, 2);
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
