//! Systems that give no threads or little memory, and numbers that a file cannot hold.

use std::path::Path;
use std::process::{Command, Output};

use super::turn;
use crate::common::program::{Place, assert_equal_content};

const BEAM: &str = r#"
    [time]
    step = "1/30"
    frames = 2
    [solver]
    kind = "pd"
    [output]
    formats = ["vtu"]
    [[body]]
    name = "beam"
    element = "linear"
    generate = { shape = "beam", size = [4, 1, 1], cells = CELLS }
    material = { model = "arap", young = 1e4, poisson = 0.3 }
"#;

/// A place with a beam of so many cells.
fn place(cells: &str) -> Place {
    let place = Place::new();
    place.write("scene.toml", &BEAM.replace("CELLS", cells));
    place
}

/// Runs the program after a line of the shell.
fn within(place: &Place, before: &str, arguments: &[&str]) -> Output {
    let plain = place.pliant(arguments);
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("{before}; exec \"$0\" \"$@\"")])
        .arg(plain.get_program())
        .args(plain.get_args());
    command.current_dir(place.dir.path()).env("PLIANT_CACHE_DIR", place.path("cache"));
    command.output().unwrap()
}

/// The number of threads of a finished run.
fn threads(run: &Path) -> u64 {
    let text = std::fs::read_to_string(run.join("summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&text).unwrap();
    summary["machine"]["threads"].as_u64().unwrap()
}

#[test]
fn without_room_for_the_stacks_of_threads_there_is_one_thread() {
    let _turn = turn();
    let place = place("[16, 8, 8]");
    place.succeed(&["simulate", "scene.toml", "-o", "first"]);
    // 4096 stacks of 8 MB are more than 4 GB.
    let output =
        within(&place, "ulimit -v 4000000", &["simulate", "scene.toml", "-o", "second", "--threads", "4096"]);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && !message.contains("panicked"), "{message}");
    assert_equal_content(&place.path("first"), &place.path("second"));
    assert_eq!(threads(&place.path("second")), 1);
}

/// Nobody may start a process or a thread beside those that there are.
#[cfg(target_os = "linux")]
#[test]
fn without_any_threads_a_run_goes_on() {
    let _turn = turn();
    use std::os::unix::fs::PermissionsExt;
    let place = place("[16, 8, 8]");
    place.succeed(&["simulate", "scene.toml", "-o", "first"]);
    let all = std::fs::Permissions::from_mode(0o777);
    std::fs::set_permissions(place.dir.path(), all).unwrap();
    let own = ["simulate", "scene.toml", "-o", "second"];
    let plain = place.pliant(&own);
    let program = plain.get_program().to_string_lossy().into_owned();
    // The limit does not hold for root, who becomes nobody.
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout == b"0\n");
    let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups"];
    let mut command = if is_root { Command::new("setpriv") } else { Command::new("env") };
    command.args(nobody.iter().filter(|_| is_root)).args(["prlimit", "--nproc=1", &program]);
    command.args(own).current_dir(place.dir.path()).env("PLIANT_CACHE_DIR", place.path("other"));
    let output = match command.output() {
        Ok(output) if !matches!(output.status.code(), Some(126 | 127)) => output,
        other => {
            println!("skipped: the program cannot be run as nobody: {other:?}");
            return;
        }
    };
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && !message.contains("panicked"), "{message}");
    assert_equal_content(&place.path("first"), &place.path("second"));
    assert_eq!(threads(&place.path("second")), 1);
}

#[test]
fn without_memory_there_is_one_clear_error() {
    let _turn = turn();
    let place = place("[150, 60, 60]");
    let output = within(&place, "ulimit -v 300000", &["simulate", "scene.toml", "--threads", "2"]);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("error: the system has no memory for"), "{message}");
    assert!(message.contains("ulimit") && !message.contains("panicked"), "{message}");
}

#[test]
fn numbers_too_large_for_single_precision_are_refused() {
    let _turn = turn();
    let place = Place::new();
    place.write("huge.obj", "v 0 0 0\nv 1e308 0 0\nv 0 1e308 0\nf 1 2 3\n");
    let message = place.fail(1, &["convert", "huge.obj", "huge.stl"]);
    assert!(
        message.contains("huge.stl") && message.contains("1e308 does not fit into single precision"),
        "{message}"
    );
    assert!(!place.path("huge.stl").exists(), "nothing is left of it");
    for name in ["huge.ply", "huge.vtu", "huge.vtk"] {
        place.succeed(&["convert", "huge.obj", name]);
        assert_eq!(pliant::io::read(&place.path(name)).unwrap().points[1], [1e308, 0.0, 0.0], "{name}");
    }
    for format in ["vtu", "vtk", "ply", "stl", "pc2"] {
        let text = BEAM.replace("CELLS", "[1, 1, 1]").replace("[4, 1, 1]", "[1e39, 1e39, 1e39]");
        let text = text.replace("\"vtu\"]", &format!("\"{format}\"]\nfloat32 = true"));
        place.write("scene.toml", &text);
        let message = place.fail(1, &["simulate", "scene.toml", "--force"]);
        assert!(message.contains("single precision"), "{format}: {message}");
    }
}
