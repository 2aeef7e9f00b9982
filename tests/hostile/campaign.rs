//! Many damaged inputs of every kind: all of them are used or refused, and nothing panics or takes the memory.
//!
//! Checksums are made anew for three of four checkpoints and entries of the cache, so that the faults are found by what
//! reads the content. Everything follows from the seed, which is printed.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use elements::math::random::SplitMix64;
use pliant::cache::Cache;
use pliant::mesh::Mesh;
use pliant::run::checkpoint::Checkpoint;
use pliant::simulate::Simulation;
use pliant::view::plot::metrics::Metrics;
use pliant::view::plot::runs::charts;
use pliant::view::replay::Run;
use pliant::view::replay::motion::Motion;

use super::entry::{Entry, width};
use super::{allocated, budget, loaded, samples, turn};
use crate::common::damage::{below, damage, fleeting};

/// How many times its budget a reader may allocate on the way.
const SLACK: usize = 3;
/// What the description of a mesh may allocate beside: as much as for a mesh of some hundred cells.
const DESCRIPTION: usize = 64 << 20;

#[test]
fn damaged_inputs_are_used_or_refused() {
    let _turn = turn();
    campaign(1, 2_000);
}

#[test]
#[ignore = "some minutes"]
fn a_hundred_thousand_damaged_inputs_are_used_or_refused() {
    let _turn = turn();
    campaign(2, 100_000);
}

/// Half of the inputs are meshes, a quarter configs, the others checkpoints, entries of the cache and run directories.
fn campaign(seed: u64, inputs: usize) {
    println!("seed {seed}, {inputs} inputs");
    let mut campaign = Campaign { random: SplitMix64::new(seed), seed, tally: BTreeMap::new() };
    let dir = fleeting();
    campaign.meshes(dir.path(), inputs / 2);
    campaign.configs(dir.path(), inputs / 4);
    let place = loaded::place();
    campaign.checkpoints(place.dir.path(), inputs / 10);
    campaign.cache(place.dir.path(), inputs / 50);
    campaign.runs(place.dir.path(), inputs * 13 / 100);
    for (what, tally) in &campaign.tally {
        println!(
            "{what}: {} used, {} refused; the slowest took {:.2} s, the largest {} MB",
            tally.used,
            tally.refused,
            tally.slowest.as_secs_f64(),
            tally.largest >> 20
        );
        assert!(
            tally.used > 0 && tally.refused > 0,
            "{what}: {} used, {} refused",
            tally.used,
            tally.refused
        );
    }
}

#[derive(Default)]
struct Tally {
    used: usize,
    refused: usize,
    slowest: Duration,
    largest: usize,
}

struct Campaign {
    random: SplitMix64,
    seed: u64,
    tally: BTreeMap<&'static str, Tally>,
}

impl Campaign {
    fn damaged(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        damage(&mut bytes, &mut self.random);
        bytes
    }

    /// Tries an input, which may be refused; returns how many bytes that took.
    fn attempt<R, E>(&mut self, what: &'static str, name: &str, f: impl FnOnce() -> Result<R, E>) -> usize {
        let start = Instant::now();
        let (result, bytes) = allocated(|| catch_unwind(AssertUnwindSafe(f)));
        let tally = self.tally.entry(what).or_default();
        let round = tally.used + tally.refused;
        match result {
            Ok(Ok(_)) => tally.used += 1,
            Ok(Err(_)) => tally.refused += 1,
            Err(_) => panic!("{what} {name} panics in round {round} of seed {}", self.seed),
        }
        tally.slowest = tally.slowest.max(start.elapsed());
        tally.largest = tally.largest.max(bytes);
        bytes
    }

    fn meshes(&mut self, dir: &Path, count: usize) {
        let all = samples::meshes();
        for i in 0..count {
            let ((name, bytes), other) = &all[i % all.len()];
            let damaged = self.damaged(bytes);
            let path = dir.join(name);
            std::fs::write(&path, &damaged).unwrap();
            let whole = other.as_ref().map_or(0, |(other, content)| {
                std::fs::write(dir.join(other), content).unwrap();
                content.len()
            });
            let taken = self.attempt("meshes", name, || {
                let stem = path.file_stem().unwrap().to_string_lossy();
                let named = |error: pliant::Error| assert!(error.to_string().contains(&*stem), "{error}");
                let mesh = pliant::io::import(&path).map_err(named)?.mesh;
                check(&mesh);
                let _ = pliant::mesh::info::describe(&mesh).to_string();
                Ok::<(), ()>(())
            });
            let most = SLACK * budget(damaged.len() + whole) + DESCRIPTION;
            assert!(taken < most, "{name}: {taken} bytes were allocated, {most} at most");
        }
    }

    fn configs(&mut self, dir: &Path, count: usize) {
        let all = samples::configs();
        for i in 0..count {
            let (name, bytes) = &all[i % all.len()];
            let path = dir.join(name);
            std::fs::write(&path, self.damaged(bytes)).unwrap();
            self.attempt("configs", name, || pliant::config::load(&path, &Default::default()));
        }
    }

    fn checkpoints(&mut self, place: &Path, count: usize) {
        let path = place.join("first/checkpoint.bin");
        let whole = std::fs::read(&path).unwrap();
        let scene = pliant::config::load(&place.join("scene.toml"), &Default::default()).unwrap().scene;
        let cache = Cache::at(&place.join("cache"));
        let mut simulation = Simulation::new(&scene, &cache).unwrap().0;
        let victim = place.join("damaged.bin");
        for i in 0..count {
            let mut bytes = self.damaged(&whole[..whole.len() - 32]);
            // Faults in so many numbers are mostly places that are a little off, which are used.
            if i % 4 != 0 {
                bytes.extend(blake3::hash(&bytes).as_bytes());
            }
            std::fs::write(&victim, &bytes).unwrap();
            self.attempt("checkpoints", "checkpoint.bin", || {
                let found = Checkpoint::read(&victim).map_err(|_| ())?.ok_or(())?;
                if found.misfit(&simulation, 1).is_some() {
                    return Err(());
                }
                simulation.state = found.state;
                simulation.step = found.step;
                simulation.advance().map(drop).map_err(drop)
            });
        }
    }

    fn cache(&mut self, place: &Path, count: usize) {
        let scene = pliant::config::load(&place.join("scene.toml"), &Default::default()).unwrap().scene;
        let fresh = fleeting();
        let entries: Vec<(PathBuf, Vec<u8>)> = std::fs::read_dir(place.join("cache"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| (fresh.path().join(path.file_name().unwrap()), std::fs::read(&path).unwrap()))
            .collect();
        for i in 0..count {
            for old in std::fs::read_dir(fresh.path()).unwrap() {
                std::fs::remove_file(old.unwrap().path()).unwrap();
            }
            entries.iter().for_each(|(path, bytes)| std::fs::write(path, bytes).unwrap());
            let (path, bytes) = &entries[i % entries.len()];
            let damaged =
                if i % 4 == 0 { self.damaged(bytes) } else { self.lie(Entry::parse(bytes)).signed() };
            std::fs::write(path, damaged).unwrap();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            self.attempt("cache entries", &name, || {
                let (mut simulation, report) =
                    Simulation::new(&scene, &Cache::at(fresh.path())).map_err(|_| ())?;
                simulation.advance().map_err(|_| ())?;
                if report.is_hit() { Ok(()) } else { Err(()) }
            });
        }
    }

    /// Changes some numbers of an entry to ones that are at the edge of their range, or the length of an array.
    fn lie(&mut self, mut entry: Entry) -> Entry {
        for _ in 0..=below(&mut self.random, 3) {
            let array = below(&mut self.random, entry.arrays.len());
            let (kind, bytes) = &mut entry.arrays[array];
            let width = width(*kind);
            if bytes.is_empty() {
                continue;
            }
            let at = below(&mut self.random, bytes.len() / width) * width;
            let number = &mut bytes[at..at + width];
            match below(&mut self.random, 8) {
                0 => number.fill(0),
                1 => number.fill(0xff),
                2 => number[0] = number[0].wrapping_add(1),
                3 => number[0] = number[0].wrapping_sub(1),
                4 => number[width - 1] ^= 0x80,
                5 => number.copy_from_slice(&[0, 0, 0, 0, 0, 0, 0xf0, 0x7f][8 - width..]),
                6 => bytes.truncate(at),
                _ => {
                    let part = bytes[..at].to_vec();
                    bytes.extend(part);
                }
            }
        }
        entry
    }

    fn runs(&mut self, place: &Path, count: usize) {
        let first = place.join("first");
        let cache = Cache::at(&place.join("cache"));
        let names = [
            "vtu/both_0000.vtu",
            "vtu/both_0002.vtu",
            "metrics.csv",
            "summary.json",
            "config.toml",
            "both.pvd",
        ];
        let files: Vec<(PathBuf, Vec<u8>)> = names
            .iter()
            .map(|name| first.join(name))
            .filter_map(|path| std::fs::read(&path).ok().map(|bytes| (path, bytes)))
            .collect();
        assert!(files.len() >= 5, "{files:?}");
        for i in 0..count {
            let (path, bytes) = &files[i % files.len()];
            std::fs::write(path, self.damaged(bytes)).unwrap();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            self.attempt("run directories", &name, || {
                let error = |_| ();
                if name == "config.toml" {
                    // A damaged config may ask for a mesh that no machine can hold, which is not built here.
                    return Run::open(&first, &Default::default()).map(drop).map_err(error);
                }
                let run = Metrics::read(&first).map_err(error)?;
                charts(&[run]).map_err(error)?;
                let motion = Motion::open(&first, &cache).map_err(error)?;
                motion.shot(2, &[]).map(drop).map_err(error)
            });
            std::fs::write(path, bytes).unwrap();
        }
    }
}

/// A mesh that was read has its corners in range and whole arrays.
fn check(mesh: &Mesh) {
    let points = mesh.points.len();
    let corners = mesh.tets.as_flattened().iter().chain(mesh.triangles.as_flattened());
    assert!(corners.chain(mesh.edges.as_flattened()).all(|&v| (v as usize) < points));
    assert!(mesh.point_data.iter().all(|a| a.values.len() == points * a.components));
    assert!(mesh.cell_data.iter().all(|a| a.values.len() == mesh.cells() * a.components));
}
