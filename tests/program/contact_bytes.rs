//! Contact and friction have the same bytes for any number of threads, and where a run is killed or resumed, with every solver.

use std::process::Stdio;
use std::time::Duration;

use crate::common::program::{Place, assert_equal_content};
use pliant::solver::KINDS;

/// Two boxes that stick to a slope and to each other under a cloth, with friction.
const STICKING: &str = r#"
name = "sticking"
[time]
step = "1/60"
frames = 24
[solver]
kind = "quasi-newton"
iterations = 30
tolerance = 1e-3
[world]
gravity = [3, -9, 0]
[contact]
distance = 0.01
friction = 0.6
[[obstacle]]
name = "slope"
shape = { plane = { point = [0, 0, 0], normal = [0, 1, 0] } }
[[body]]
name = "low"
element = "linear"
generate = { shape = "box", size = [1, 0.5, 1], cells = [3, 2, 3] }
material = { model = "neo-hookean", young = 2e5, poisson = 0.3 }
transform = { translate = [0, 0.006, 0] }
[[body]]
name = "high"
element = "linear"
generate = { shape = "box", size = [0.6, 0.3, 0.6], cells = [2, 1, 2] }
material = { model = "neo-hookean", young = 2e5, poisson = 0.3 }
transform = { translate = [0.2, 0.513, 0.2] }
[[body]]
name = "cloth"
thickness = 0.002
density = 300
generate = { shape = "cloth", size = [1, 1], cells = [8, 8] }
material = { model = "arap", young = 1e5, poisson = 0.3 }
bending = { stiffness = 1e-2 }
transform = { translate = [0, 0.85, 0] }
"#;

#[test]
fn sticking_contact_has_the_same_bytes_for_any_threads_and_through_resume() {
    let place = Place::new();
    place.write("scene.toml", STICKING);
    place.succeed(&["simulate", "scene.toml", "-o", "one", "--threads", "1"]);
    for threads in ["2", "3", "8"] {
        place.succeed(&["simulate", "scene.toml", "-o", threads, "--threads", threads]);
        assert_equal_content(&place.path("one"), &place.path(threads));
    }
    // Parts of different lengths: a list of pairs that served long before the interruption is made anew after it.
    for frames in ["1", "9", "17"] {
        let resume = if frames == "1" { vec![] } else { vec!["--resume"] };
        place
            .succeed(&[&["simulate", "scene.toml", "-o", "parts", "--frames", frames], &resume[..]].concat());
    }
    place.succeed(&["simulate", "scene.toml", "-o", "parts", "--resume"]);
    assert_equal_content(&place.path("one"), &place.path("parts"));
    let metrics = std::fs::read_to_string(place.path("one/metrics.csv")).unwrap();
    let contacts: Vec<u32> =
        metrics.lines().skip(1).map(|row| row.split(',').nth(19).unwrap().parse().unwrap()).collect();
    assert!(contacts[23] > 50, "{contacts:?}");
}

/// All solvers, as lines of a config.
fn solvers() -> Vec<String> {
    let inners = ["direct", "jacobi", "gauss-seidel"]
        .map(|inner| format!("kind = \"chebyshev\"\ninner = \"{inner}\""));
    let others =
        KINDS.iter().filter(|kind| kind.name != "chebyshev").map(|kind| format!("kind = \"{}\"", kind.name));
    inners.into_iter().chain(others).collect()
}

/// The scene with another solver, and a material that every solver can simulate.
fn sticking_with(solver: &str) -> String {
    STICKING
        .replace("kind = \"quasi-newton\"", solver)
        .replace("\"neo-hookean\"", "\"arap\"")
        .replace("iterations = 30", "iterations = 8")
        .replace("frames = 24", "frames = 16")
}

/// Starts or resumes a run, and kills it once a frame is there.
fn kill_after(place: &Place, frame: u32, flag: &str) {
    let mut child = place
        .pliant(&["simulate", "scene.toml", "-o", "killed", flag])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let file = place.path(&format!("killed/vtu/sticking_{frame:04}.vtu"));
    while !file.exists() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(file.exists(), "the run ended before frame {frame}");
}

#[test]
fn every_solver_has_the_same_bytes_for_any_threads_and_through_kills() {
    for solver in solvers() {
        let place = Place::new();
        place.write("scene.toml", &sticking_with(&solver));
        place.succeed(&["simulate", "scene.toml", "-o", "one", "--threads", "1"]);
        for threads in ["2", "3", "8"] {
            place.succeed(&["simulate", "scene.toml", "-o", threads, "--threads", threads]);
            assert_equal_content(&place.path("one"), &place.path(threads));
        }
        for (frame, flag) in [(3, "--force"), (8, "--resume"), (13, "--resume")] {
            kill_after(&place, frame, flag);
        }
        place.succeed(&["simulate", "scene.toml", "-o", "killed", "--resume"]);
        assert_equal_content(&place.path("one"), &place.path("killed"));
        place.succeed(&["simulate", "scene.toml", "-o", "parts", "--frames", "7"]);
        place.succeed(&["simulate", "scene.toml", "-o", "parts", "--resume"]);
        assert_equal_content(&place.path("one"), &place.path("parts"));
        let table = std::fs::read_to_string(place.path("one/contacts.csv")).unwrap();
        assert!(table.lines().count() > 16, "{solver}: little touches");
    }
}
