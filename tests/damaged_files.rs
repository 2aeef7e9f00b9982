//! Every file of `../shared/meshes`, damaged thousands of times: it is read or refused, and nothing panics or takes the memory.
//!
//! In a program of its own: the peak of a process is that of all its tests.

mod common;

use std::path::{Path, PathBuf};

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

/// A number below `bound`, which is not 0.
fn below(random: &mut SplitMix64, bound: usize) -> usize {
    (random.uniform() * bound as f64) as usize % bound
}

/// One to four faults: bytes changed, taken out, put in or repeated, numbers made huge or negative, the end cut off.
fn damage(bytes: &mut Vec<u8>, random: &mut SplitMix64) {
    for _ in 0..=below(random, 4) {
        if bytes.is_empty() {
            return;
        }
        let at = below(random, bytes.len());
        let end = (at + 1 + below(random, 40)).min(bytes.len());
        match below(random, 8) {
            0 => bytes[at] = below(random, 256) as u8,
            1 => bytes[at] ^= 1 << below(random, 8),
            2 => drop(bytes.drain(at..end)),
            3 => {
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
            4 => bytes.truncate(at),
            5 => bytes[at..end].fill(0xff),
            // A digit becomes a number that no file has.
            kind => {
                let digit = bytes[at..].iter().position(u8::is_ascii_digit).map(|i| at + i);
                let text: &[u8] =
                    [&b"4294967295"[..], b"-7", b"99999999999999999999", b"nan"][below(random, 4)];
                match digit {
                    Some(place) if kind == 6 => drop(bytes.splice(place..place + 1, text.iter().copied())),
                    _ => drop(bytes.splice(at..at, text.iter().copied())),
                }
            }
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
    // Memory, where there is a folder in it: a disk would take minutes.
    let memory = Path::new("/dev/shm");
    let place = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap();
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
