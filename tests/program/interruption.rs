//! Runs that are killed or told to stop: whole files only, and the same bytes once resumed.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::common::program::{Place, assert_equal_content};
use crate::common::scenes::{RUBBER, beam, formats, frame_directories};

/// Panics if a visible file is not whole.
pub fn assert_whole_files(run: &Path) {
    for dir in ["", "vtu", "ply"] {
        let Ok(entries) = std::fs::read_dir(run.join(dir)) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if name.starts_with('.') || path.is_dir() {
                continue;
            }
            let bytes = std::fs::read(&path).unwrap();
            // A file of the user.
            if bytes == b"mine" {
                continue;
            }
            match path.extension().and_then(|e| e.to_str()) {
                Some("vtu") => {
                    let mesh = pliant::io::read(&path).unwrap_or_else(|e| panic!("{e}"));
                    assert!(!mesh.points.is_empty() && !mesh.tets.is_empty());
                }
                Some("ply") => assert_whole_ply(&bytes, &name),
                Some("pvd") => {
                    let text = String::from_utf8(bytes).unwrap();
                    assert!(text.trim_end().ends_with("</VTKFile>"), "{name} is cut");
                    for file in text.split("file=\"").skip(1).map(|t| t.split('"').next().unwrap()) {
                        assert!(run.join(file).exists(), "{name} lists {file}, which is not there");
                    }
                }
                Some("csv") => {
                    let text = String::from_utf8(bytes).unwrap();
                    assert!(text.ends_with('\n') && text.lines().all(|row| row.split(',').count() == 26));
                }
                Some("bin") => {
                    pliant::run::checkpoint::Checkpoint::read(&path).unwrap_or_else(|e| panic!("{e}"));
                }
                Some("toml") => assert!(String::from_utf8(bytes).unwrap().parse::<toml::Table>().is_ok()),
                Some("py") => {
                    assert!(String::from_utf8(bytes).unwrap().trim_end().ends_with(')'), "{name} is cut");
                }
                Some("json" | "series") => {
                    assert!(serde_json::from_slice::<serde_json::Value>(&bytes).is_ok(), "{name} is cut");
                }
                _ => panic!("{name} is no file of a run"),
            }
        }
    }
}

fn assert_whole_ply(bytes: &[u8], name: &str) {
    let end =
        bytes.windows(11).position(|w| w == b"end_header\n").unwrap_or_else(|| panic!("{name} is cut")) + 11;
    let header = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let count = |element: &str| -> usize {
        let line = header.lines().find(|l| l.starts_with(&format!("element {element}"))).unwrap();
        line.rsplit(' ').next().unwrap().parse().unwrap()
    };
    assert_eq!(bytes.len() - end, 24 * count("vertex") + 13 * count("face"), "{name} is cut");
}

#[test]
fn a_run_killed_ten_times_resumes_to_the_same_bytes() {
    let place = Place::new();
    let frames = 120;
    place.write("scene.toml", &beam([16, 5, 5], frames, "iterations = 10", RUBBER));
    let start = std::time::Instant::now();
    place.succeed(&["simulate", "scene.toml", "-o", "unbroken"]);
    let whole = start.elapsed();
    let (mut kills, mut state) = (0, 12345u64);
    while kills < 10 {
        let flag = if place.path("broken").exists() { "--resume" } else { "--force" };
        let mut child = place
            .pliant(&["simulate", "scene.toml", "-o", "broken", flag])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // Up to a sixth of the whole run, start-up included: ten of them do not finish it.
        let wait = whole.mul_f64((state >> 40) as f64 / (1u64 << 24) as f64 / 6.0);
        std::thread::sleep(wait);
        let finished = child.try_wait().unwrap().is_some();
        child.kill().unwrap();
        child.wait().unwrap();
        kills += u32::from(!finished);
        assert_whole_files(&place.path("broken"));
        if finished {
            std::fs::remove_dir_all(place.path("broken")).unwrap();
        }
    }
    place.succeed(&["simulate", "scene.toml", "-o", "broken", "--resume"]);
    assert_equal_content(&place.path("unbroken"), &place.path("broken"));
}

/// A process may be killed between making a file and renaming it, in any directory, and before there is a config.
#[test]
fn files_that_a_killed_run_was_writing_are_gone_once_it_is_resumed_or_replaced() {
    let place = Place::new();
    place.write("scene.toml", &beam([4, 2, 2], 6, "iterations = 3", RUBBER));
    let simulate = |run: &str, more: &[&str]| {
        place.succeed(&[&["simulate", "scene.toml", "--set", formats(), "-o", run], more].concat());
    };
    simulate("unbroken", &[]);
    std::fs::create_dir(place.path("broken")).unwrap();
    std::fs::write(place.path("broken/.config.toml.7-1-0.tmp"), "name = ").unwrap();
    simulate("broken", &["--frames", "3"]);
    for again in ["--resume", "--force"] {
        let unfinished = |sub: &str| match sub {
            "" => ".metrics.csv.7-1-0.tmp".to_owned(),
            "maps" => ".bar.csv.7-1-0.tmp".into(),
            "blender" => ".bar.pc2.7-1-0.tmp".into(),
            "blender/clips" => ".beam_0002.usda.7-1-0.tmp".into(),
            "vtu" | "vtk" => format!(".beam_0002.{sub}.7-1-0.tmp"),
            _ => format!(".bar_0002.{sub}.7-1-0.tmp"),
        };
        // Where a large animation has its clips.
        std::fs::create_dir_all(place.path("broken/blender/clips")).unwrap();
        for sub in frame_directories().chain(["", "maps", "blender", "blender/clips"]) {
            let name = unfinished(sub);
            std::fs::write(place.path("broken").join(sub).join(name), "half").unwrap();
        }
        simulate("broken", &[again]);
        assert_equal_content(&place.path("unbroken"), &place.path("broken"));
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_after_the_frame_with_a_checkpoint() {
    let place = Place::new();
    place.write("scene.toml", &beam([16, 5, 5], 100_000, "", RUBBER));
    let child = place
        .pliant(&["simulate", "scene.toml", "-o", "run", "--set", "output.every=50"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !place.path("run/vtu/beam_0050.vtu").exists() {
        std::thread::sleep(Duration::from_millis(20));
    }
    let status = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(status.success());
    let output = child.wait_with_output().unwrap();
    let messages = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{messages}");
    assert!(messages.contains("interrupted after frame") && messages.contains("--resume"), "{messages}");
    assert_whole_files(&place.path("run"));
    assert!(!place.path("run/summary.json").exists(), "an unfinished run has the mark of a finished one");
    let rows = std::fs::read_to_string(place.path("run/metrics.csv")).unwrap().lines().count() as u64 - 1;
    let checkpoint = pliant::run::checkpoint::Checkpoint::read(&place.path("run/checkpoint.bin"));
    assert_eq!(checkpoint.unwrap().unwrap().frame, rows);
}

/// All forces at once, changing with time.
const FORCES: &str = r#"
name = "forces"
[time]
step = "1/60"
integrator = "INTEGRATOR"
[world]
gravity = { keys = [{ time = 0, value = [0, -9.81, 0] }, { time = 0.2, value = [0, 0, 3] }] }
wind = { velocity = { keys = [{ time = 0, value = [5, 0, 1] }, { time = 0.15, value = [8, 1, 0] }] }, gusts = 0.5, seed = 4 }
[[body]]
element = "linear"
generate = { shape = "sphere", radius = 0.2, cells = 3 }
material = { model = "stable-neo-hookean", young = 1e4, poisson = 0.4 }
pressure = { keys = [{ time = 0, value = 0 }, { time = 0.2, value = 500 }] }
[[body.load]]
select = { nearest = { point = [0, 1, 0], count = 3 } }
force = { keys = [{ time = 0.05, value = [0, 0, 0] }, { time = 0.2, value = [0, 20, 0] }] }
"#;

#[test]
fn forces_over_time_resume_to_the_same_bytes_and_only_with_the_same_forces() {
    for integrator in ["implicit-euler", "bdf2"] {
        let place = Place::new();
        place.write("scene.toml", &FORCES.replace("INTEGRATOR", integrator));
        place.succeed(&["simulate", "scene.toml", "--frames", "12", "-o", "unbroken"]);
        place.succeed(&["simulate", "scene.toml", "--frames", "5", "-o", "broken"]);
        for other in [
            "world.gravity=[0,0,0]",
            "world.wind.seed=5",
            "body.0.pressure=3",
            "body.0.load.0.force=[0,0,1]",
            "body.0.load.0.select.nearest.count=2",
        ] {
            let arguments =
                ["simulate", "scene.toml", "--frames", "12", "-o", "broken", "--resume", "--set", other];
            let refused = place.fail(2, &arguments);
            assert!(refused.contains("another config"), "{other}: {refused}");
        }
        place.succeed(&["simulate", "scene.toml", "--frames", "12", "-o", "broken", "--resume"]);
        assert_equal_content(&place.path("unbroken"), &place.path("broken"));
    }
}

/// Runs that stop before a pin begins, while it holds, where it begins or ends, and after it.
#[test]
fn runs_whose_pins_begin_and_end_resume_to_the_same_bytes() {
    let pins = r#"
        [[body.pin]]
        select = { box = { min = [0.25, -1, -1], max = [9, 9, 9] } }
        motion = { rotate = { axis = [1, 0, 0], degrees_per_second = 90 } }
        active = { from = 0.1, until = 0.2 }
        [[body.pin]]
        select = { box = { min = [0.15, -1, -1], max = [0.25, 9, 9] } }
        kind = { soft = 200 }
        active = { from = 0.1334, until = 0.3 }
    "#;
    let solvers = [
        ("kind = \"quasi-newton\"", "implicit-euler"),
        ("kind = \"newton\"", "bdf2"),
        ("kind = \"constrained-pd\"\niterations = 20", "implicit-euler"),
        ("kind = \"quasi-newton\"\nfepr = true", "midpoint"),
        ("kind = \"xpbd\"", "implicit-euler"),
        ("kind = \"vbd\"", "implicit-euler"),
    ];
    for (solver, integrator) in solvers {
        let place = Place::new();
        let scene = beam([4, 2, 2], 12, solver, RUBBER)
            .replace("select = ", "active = { until = 0.2667 }\nselect = ");
        let scene = scene.replace("[solver]", &format!("integrator = \"{integrator}\"\n[solver]")) + pins;
        place.write("scene.toml", &scene);
        place.succeed(&["simulate", "scene.toml", "-o", "unbroken"]);
        for frames in [1, 2, 3, 4, 6, 8, 10] {
            let resume = if frames == 1 { "--force" } else { "--resume" };
            let frames = frames.to_string();
            place.succeed(&["simulate", "scene.toml", "-o", "broken", "--frames", &frames, resume]);
        }
        place.succeed(&["simulate", "scene.toml", "-o", "broken", "--resume"]);
        assert_equal_content(&place.path("unbroken"), &place.path("broken"));
    }
}

#[test]
fn a_run_whose_steps_depend_on_earlier_ones_is_not_resumed() {
    let place = Place::new();
    place.write("scene.toml", &beam([4, 2, 2], 3, "", RUBBER));
    let seldom = ["--set", "solver.initial_hessian=frame", "--set", "solver.renew_every=2"];
    let run = |more: &[&'static str]| [&["simulate", "scene.toml", "-o", "run"][..], &seldom, more].concat();
    place.succeed(&run(&[]));
    place.succeed(&run(&["--resume"]));
    let error = place.fail(2, &run(&["--resume", "--frames", "5"]));
    assert!(
        error.contains("with solver.renew_every, steps depend on earlier ones") && error.contains("--force")
    );
}
