//! Every file of `../shared/meshes`, damaged thousands of times: it is read or refused, and nothing panics or takes the memory.
//!
//! In a program of its own: the peak of a process is that of all its tests.

mod common;

use std::path::{Path, PathBuf};

use common::damage::{damage, fleeting};
use common::meshes::shared;
use elements::math::random::SplitMix64;
use pliant::io;

/// Bytes of damaged files that are read for each of them, and how many files that may be.
const BYTES: usize = 6 << 20;
const MOST: usize = 2_000;
const FEWEST: usize = 20;
/// What the process may have taken at its peak, in kB; the largest file has 3.5 MB.
const MEMORY: u64 = 1 << 20;

/// All mesh files below a folder.
fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        match path.is_dir() {
            true => files(&path, out),
            false if path.extension().is_some_and(|e| e != "tsv" && e != "md") => out.push(path),
            false => {}
        }
    }
}

#[test]
#[ignore = "about a minute"]
fn damaged_files_are_read_or_refused() {
    let Some(shared) = shared() else { return };
    let mut all = vec![];
    files(&shared, &mut all);
    assert!(all.len() > 200, "{} files", all.len());
    let place = fleeting();
    let (mut read, mut refused) = (0, 0);
    for (seed, path) in all.iter().enumerate() {
        let bytes = std::fs::read(path).unwrap();
        let count = (BYTES / bytes.len().max(1)).clamp(FEWEST, MOST);
        let victim = place.path().join(path.file_name().unwrap());
        // A .node file belongs to its .ele file, which stays whole beside it, and the other way round.
        for other in ["node", "ele", "face"].map(|ending| path.with_extension(ending)) {
            if other != *path && other.is_file() {
                std::fs::write(place.path().join(other.file_name().unwrap()), std::fs::read(&other).unwrap())
                    .unwrap();
            }
        }
        let mut random = SplitMix64::new(seed as u64);
        for round in 0..count {
            let mut damaged = bytes.clone();
            damage(&mut damaged, &mut random);
            std::fs::write(&victim, &damaged).unwrap();
            match std::panic::catch_unwind(|| io::import(&victim)) {
                Ok(Ok(_)) => read += 1,
                Ok(Err(error)) => {
                    let message = error.to_string();
                    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
                    assert!(message.contains(&name), "{message} does not name {}", path.display());
                    refused += 1;
                }
                Err(_) => panic!("{} panics in round {round}", path.display()),
            }
        }
        assert!(common::peak() < MEMORY, "{}: {} kB at the peak", path.display(), common::peak());
    }
    println!(
        "{} files: {read} damaged ones read, {refused} refused; {} kB at the peak",
        all.len(),
        common::peak()
    );
    assert!(read > 10_000 && refused > 10_000, "{read} {refused}");
}
