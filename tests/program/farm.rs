//! What a farm needs: caches that several processes fill at once, file systems without locks, and messages for programs.

use serde_json::Value;

use crate::common::program::{Place, assert_equal_content};

const SCENE: &str = r#"
[time]
step = "1/60"
frames = 4

[solver]
kind = "quasi-newton"
iterations = 10

[[body]]
name = "bar"
generate = { shape = "beam", size = [4, 1, 1], cells = [16, 4, 4] }
material = { model = "stable-neo-hookean", young = 1e5, poisson = 0.3 }

[[body.pin]]
select = { box = { min = [-1, -1, -1], max = [1e-6, 2, 2] } }

[output]
formats = ["ply"]
"#;

fn place() -> Place {
    let place = Place::new();
    place.write("bar.toml", SCENE);
    place
}

/// A library that takes away all locks of files from a process that loads it.
#[cfg(target_os = "linux")]
fn without_locks(place: &Place) -> std::path::PathBuf {
    let source = place.write(
        "nolock.c",
        "#include <errno.h>\n#include <stdarg.h>\n#include <fcntl.h>\n\
         int flock(int file, int what) { (void)file; (void)what; errno = ENOLCK; return -1; }\n",
    );
    let library = place.path("nolock.so");
    let status =
        std::process::Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(source).status();
    assert!(status.expect("a C compiler, which building the program takes too").success());
    library
}

/// Four processes begin at once with an empty cache. However they meet, all of them end with the bytes of a run by itself, and
/// the cache has each entry once, whole.
#[cfg(target_os = "linux")]
#[test]
fn four_processes_share_a_cold_cache_without_locks() {
    let place = place();
    let library = without_locks(&place);
    let start = |name: String| {
        let mut command = place.pliant(&["simulate", "bar.toml", "-o", &name]);
        command.env("LD_PRELOAD", &library).stderr(std::process::Stdio::piped()).spawn().unwrap()
    };
    let runs: Vec<_> = (0..4).map(|i| start(format!("run{i}"))).collect();
    for run in runs {
        let output = run.wait_with_output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{told}");
        assert!(told.contains("the file system has no locks"), "the locks were there: {told}");
    }
    let listed = place.run(&["cache", "verify", "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let entries = listed["entries"].as_array().unwrap();
    assert!(entries.iter().all(|entry| entry["sound"] == true), "{listed}");
    // Nothing unfinished is left behind either.
    assert_eq!(std::fs::read_dir(place.path("cache")).unwrap().count(), entries.len());
    let factors =
        entries.iter().filter(|entry| entry["name"].as_str().unwrap().starts_with("factor")).count();
    assert_eq!(factors, 1, "{listed}");
    let alone = Place::new();
    alone.write("bar.toml", SCENE);
    alone.succeed(&["-q", "simulate", "bar.toml", "-o", "alone"]);
    for i in 0..4 {
        assert_equal_content(&alone.path("alone"), &place.path(&format!("run{i}")));
    }
}

/// The lines of stderr, each of which must be an object.
fn messages(place: &Place, arguments: &[&str]) -> (Option<i32>, Vec<Value>) {
    let output = place.run(arguments);
    let text = String::from_utf8(output.stderr).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}")));
    (output.status.code(), lines.collect())
}

#[test]
fn messages_have_fields_for_programs() {
    let place = place();
    let (code, told) =
        messages(&place, &["--log-format=json", "simulate", "bar.toml", "--set", "solver.iterations=1"]);
    assert_eq!(code, Some(0));
    let warning =
        told.iter().find(|line| line["code"] == "unconverged").expect("one iteration is not enough");
    assert!(warning["worst"].as_f64().unwrap() > 0.1 && warning["step"].as_u64().is_some(), "{warning}");
    let last = told.iter().find(|line| line["frames"] == 4).expect("a closing line");
    assert!(last["ms_per_frame"].as_f64().unwrap() > 0.0, "{last}");

    place.write("typo.toml", &SCENE.replace("iterations", "iteratons").replace("young = 1e5", "young = -1"));
    let (code, told) = messages(&place, &["--log-format=json", "check", "typo.toml"]);
    let faults: Vec<_> =
        told.iter().map(|f| (f["line"].as_u64(), f["key"].as_str().unwrap_or_default())).collect();
    assert_eq!(code, Some(2));
    assert!(faults.iter().any(|(line, key)| *line == Some(8) && key.contains("iteratons")), "{told:?}");
    assert!(
        told.iter().all(|f| f["code"] == "config" && f["exit"] == 2 && f["file"] == "typo.toml"),
        "{told:?}"
    );

    for arguments in [
        &["simulate", "--log-format", "json", "bar.toml", "--tread=2"][..],
        &["--log-format=json", "simulat"],
    ] {
        let (code, told) = messages(&place, arguments);
        assert_eq!((code, told.len()), (Some(2), 1), "{told:?}");
        assert!(
            told[0]["code"] == "usage" && told[0]["level"] == "ERROR" && told[0]["exit"] == 2,
            "{told:?}"
        );
    }
    let (code, told) = messages(&place, &["--log-format=json", "info", "absent.obj"]);
    assert_eq!(
        (code, told[0]["code"].as_str(), told[0]["file"].as_str()),
        (Some(2), Some("io"), Some("absent.obj"))
    );
}

#[test]
fn tables_are_there_for_programs_too() {
    let place = place();
    let json =
        |arguments: &[&str]| -> Value { serde_json::from_slice(&place.run(arguments).stdout).unwrap() };
    let solvers = json(&["solvers", "--json"]);
    let solvers = solvers["solvers"].as_array().unwrap();
    let named = |name: &str| solvers.iter().find(|solver| solver["name"] == name).unwrap();
    assert_eq!(solvers.len(), 9);
    assert!(named("pd")["refuses"]["solid: neo-hookean"].is_string());
    assert!(named("newton")["simulates"].as_array().unwrap().contains(&"solid: neo-hookean".into()));
    place.succeed(&["-q", "precompute", "bar.toml"]);
    let listed = json(&["cache", "list", "--json"]);
    let sizes = listed["entries"].as_array().unwrap().iter().map(|entry| entry["bytes"].as_u64().unwrap());
    let on_disk =
        std::fs::read_dir(place.path("cache")).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len());
    assert_eq!(listed["bytes"].as_u64().unwrap(), on_disk.sum::<u64>());
    assert_eq!(listed["bytes"].as_u64().unwrap(), sizes.sum::<u64>());
    assert_eq!(json(&["cache", "clear", "--json"])["bytes"], listed["bytes"]);
}
