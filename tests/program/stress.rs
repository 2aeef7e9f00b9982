//! Hundreds of kills, full disks and races at random moments: nothing is lost, and the bytes are the same once resumed.

use std::process::Stdio;
use std::time::{Duration, Instant, SystemTime};

use super::interruption::assert_whole_files;
use super::keeping::limited;
use crate::common::program::{Place, assert_equal_content};
use crate::common::scenes::{RUBBER, beam, formats};

/// Random numbers from 0 to 1 of a seed that is printed; `PLIANT_SEED` repeats one.
struct Chance(u64);

impl Chance {
    fn new() -> Chance {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos() as u64;
        let seed = std::env::var("PLIANT_SEED").map_or(now, |seed| seed.parse().expect("a number"));
        println!("PLIANT_SEED={seed}");
        Chance(seed)
    }

    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f64 / (1u64 << 24) as f64
    }
}

const MINE: &str = "ply/scan_0001.ply";

#[test]
#[ignore = "a minute or two: 200 kills"]
fn two_hundred_kills_lose_nothing() {
    let (place, mut chance) = (Place::new(), Chance::new());
    place.write("scene.toml", &beam([8, 4, 4], 60, "iterations = 10", RUBBER));
    let simulate =
        |run: &str, flag| place.pliant(&["simulate", "scene.toml", "--set", formats(), "-o", run, flag]);
    let start = Instant::now();
    assert!(simulate("unbroken", "--resume").stderr(Stdio::null()).status().unwrap().success());
    place.write(&format!("unbroken/{MINE}"), "mine");
    let whole = start.elapsed();
    let (mut kills, mut finished) = (0, 0);
    while kills < 200 {
        // A finished run is replaced, and that too is killed.
        let is_complete = place.path("broken/summary.json").exists();
        let flag = if is_complete { "--force" } else { "--resume" };
        let mut child = simulate("broken", flag).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(whole.mul_f64(0.6 * chance.next()));
        if child.try_wait().unwrap().is_some() {
            let output = child.wait_with_output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            // A run that was killed while it was being replaced may be half removed.
            if said.contains("checkpoint.bin is not there") {
                assert!(simulate("broken", "--force").stderr(Stdio::null()).status().unwrap().success());
            } else {
                assert!(output.status.success(), "{said}");
            }
            finished += 1;
            std::fs::write(place.path("broken").join(MINE), "mine").unwrap();
            assert_equal_content(&place.path("unbroken"), &place.path("broken"));
        } else {
            child.kill().unwrap();
            child.wait().unwrap();
            kills += 1;
            if place.path("broken").exists() {
                assert_whole_files(&place.path("broken"));
            }
        }
        assert!(finished == 0 || place.path("broken").join(MINE).exists(), "a file of the user is lost");
    }
    let output = simulate("broken", "--resume").output().unwrap();
    if !output.status.success() {
        assert!(String::from_utf8_lossy(&output.stderr).contains("checkpoint.bin is not there"));
        assert!(simulate("broken", "--force").stderr(Stdio::null()).status().unwrap().success());
    }
    std::fs::write(place.path("broken").join(MINE), "mine").unwrap();
    assert_equal_content(&place.path("unbroken"), &place.path("broken"));
    println!("200 kills of a run of {whole:?}; {finished} times it came to its end");
}

#[cfg(unix)]
#[test]
#[ignore = "half a minute: twenty full disks"]
fn twenty_full_disks_lose_nothing() {
    let (place, mut chance) = (Place::new(), Chance::new());
    place.write("scene.toml", &beam([8, 4, 4], 20, "iterations = 3", RUBBER));
    let simulate = |run| ["simulate", "scene.toml", "--set", formats(), "-o", run, "--resume"];
    place.succeed(&simulate("unbroken"));
    let largest = place.path("unbroken/blender/beam.usda").metadata().unwrap().len();
    let mut failures = 0;
    for _ in 0..20 {
        let _ = std::fs::remove_dir_all(place.path("full"));
        let mut blocks = (chance.next() * largest as f64 / 512.0) as u64;
        loop {
            let output = limited(&place, blocks, &simulate("full"));
            let said = String::from_utf8_lossy(&output.stderr);
            if output.status.success() {
                break;
            }
            assert_eq!(output.status.code(), Some(1), "{blocks} blocks: {said}");
            assert!(said.contains("cannot write") && said.contains("too large"), "{said}");
            assert_whole_files(&place.path("full"));
            failures += 1;
            blocks += 1 + (chance.next() * largest as f64 / 1024.0) as u64;
        }
        assert_equal_content(&place.path("unbroken"), &place.path("full"));
    }
    assert!(failures > 0);
    println!("20 full disks, {failures} failures");
}

#[test]
#[ignore = "half a minute: fifty races"]
fn fifty_races_of_two_writers_make_one_run_each() {
    let (place, mut chance) = (Place::new(), Chance::new());
    place.write("scene.toml", &beam([4, 2, 2], 4, "iterations = 3", RUBBER));
    place.succeed(&["simulate", "scene.toml", "-o", "alone"]);
    for round in 0..50 {
        let run = format!("run{round}");
        let start = |flag: &[&str]| {
            let arguments = [&["simulate", "scene.toml", "-o", &run], flag].concat();
            place.pliant(&arguments).stderr(Stdio::piped()).spawn().unwrap()
        };
        let second = [&[][..], &["--force"], &["--resume"]][(3.0 * chance.next()) as usize];
        let first = start(&[]);
        std::thread::sleep(Duration::from_secs_f64(0.05 * chance.next()));
        let ended = [first, start(second)].map(|child| child.wait_with_output().unwrap());
        let wins = ended.iter().filter(|output| output.status.success()).count();
        let said = ended.each_ref().map(|output| String::from_utf8_lossy(&output.stderr).into_owned());
        // One after the other, both may come to their end: the second replaces or continues a whole run.
        assert!(wins == 1 || (wins == 2 && !second.is_empty()), "{said:?}");
        for output in ended.iter().filter(|output| !output.status.success()) {
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{said}");
            assert!(said.contains("another process") || said.contains("holds a run already"), "{said}");
        }
        assert_equal_content(&place.path("alone"), &place.path(&run));
    }
}
