//! Sweeps: the same bytes as single runs, through kills; failures that stop no other case; tables of many runs.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use crate::common::program::{Place, assert_equal_content};

const SCENE: &str = r#"
[time]
step = "1/60"
frames = 8

[solver]
kind = "quasi-newton"
iterations = 10

[[body]]
name = "bar"
generate = { shape = "beam", size = [2, 0.5, 0.5], cells = [4, 1, 1] }
material = { model = "stable-neo-hookean", young = 1e5, poisson = 0.3 }

[[body.pin]]
select = { box = { min = [-1, -1, -1], max = [1e-6, 2, 2] } }

[[probe]]
name = "tip"
select = { nearest = { point = [2, 0.25, 0.25] } }
quantity = "displacement"

[output]
formats = ["ply"]
"#;

const SWEEP: &str = r#"
config = "bar.toml"
output = "runs"

[[vary]]
key = "body.0.material.young"
values = [1e5, 1e6]

[sample]
count = 4
seed = 7
keys = [{ key = "body.0.density", min = 500, max = 2000, scale = "log" }]
"#;

fn place() -> Place {
    let place = Place::new();
    place.write("bar.toml", SCENE);
    place.write("soft.toml", SWEEP);
    place
}

/// The rows of a CSV file by their first field, each by the names of the columns.
fn rows(text: &str) -> BTreeMap<String, BTreeMap<String, String>> {
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let named = names.iter().zip(&fields).map(|(name, field)| ((*name).to_owned(), (*field).to_owned()));
        (fields[0].to_owned(), named.collect())
    };
    lines.map(row).collect()
}

/// Holds every case against a run of its own.
fn assert_as_single_runs(place: &Place, count: usize) {
    let cases = rows(&std::fs::read_to_string(place.path("runs/cases.csv")).unwrap());
    assert_eq!(cases.len(), count);
    for (name, values) in &cases {
        let set: Vec<String> = values
            .iter()
            .filter(|(key, _)| *key != "case")
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        let alone = format!("alone/{name}");
        let mut arguments = vec!["-q", "simulate", "bar.toml", "-o", &alone];
        set.iter().for_each(|set| arguments.extend(["--set", set]));
        place.succeed(&arguments);
        assert_equal_content(&place.path(&alone), &place.path(&format!("runs/{name}")));
    }
}

#[test]
fn cases_have_the_bytes_of_single_runs_and_are_not_run_twice() {
    let place = place();
    place.succeed(&["-q", "sweep", "run", "soft.toml", "-j", "3"]);
    assert_as_single_runs(&place, 8);
    let when = |name: &str| std::fs::metadata(place.path(name)).unwrap().modified().unwrap();
    let some = format!(
        "runs/{}/summary.json",
        rows(&std::fs::read_to_string(place.path("runs/cases.csv")).unwrap()).keys().next().unwrap()
    );
    let before = when(&some);
    let told = place.succeed(&["sweep", "run", "soft.toml"]);
    assert!(told.contains("0 cases done") && told.contains("8 were done before"), "{told}");
    assert_eq!(before, when(&some));
}

/// Killed at any moment, the sweep goes on to the same bytes: children of a killed sweep are waited for.
#[cfg(unix)]
#[test]
fn a_sweep_that_is_killed_again_and_again_ends_with_the_same_bytes() {
    let place = place();
    for round in 0..5u64 {
        let mut sweep = place.pliant(&["-q", "sweep", "run", "soft.toml", "-j", "2"]).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(5 + 13 * round));
        sweep.kill().unwrap();
        sweep.wait().unwrap();
    }
    place.succeed(&["-q", "sweep", "run", "soft.toml", "-j", "2"]);
    assert_as_single_runs(&place, 8);
}

#[test]
fn a_case_that_fails_stops_no_other() {
    let place = place();
    // The pin of this case holds nothing.
    let text = "config = 'bar.toml'\noutput = 'runs'\n[[vary]]\nkey = 'body.0.pin.0.select'\n\
                values = [{ plane = { point = [0.6, 0, 0], normal = [-1, 0, 0] } }, { box = { min = [8, 8, 8], max = [9, 9, 9] } }, { plane = { point = [0, 0, 0], normal = [-1, 0, 0] } }]\n";
    place.write("pins.toml", text);
    let told = place.fail(1, &["sweep", "run", "pins.toml"]);
    assert!(told.contains("1 of 3 cases failed") && told.contains("selects no vertex"), "{told}");
    let output = place.run(&["summarize", "pins.toml", "--json"]);
    let table: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let states: Vec<&str> =
        table.as_array().unwrap().iter().map(|run| run["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["done", "failed", "done"]);
    assert!(table[1]["error"].as_str().unwrap().contains("selects no vertex"));
}

#[test]
fn a_demand_that_is_missed_is_told_and_costs_no_frames() {
    let place = place();
    let told = place.fail(4, &["sweep", "run", "soft.toml", "--require-converged", "1e-14"]);
    assert!(told.contains("8 of 8 cases miss a demanded quality"), "{told}");
    assert_as_single_runs(&place, 8);
}

#[cfg(unix)]
#[test]
fn an_interrupted_sweep_says_so_and_goes_on() {
    let place = Place::new();
    place.write("bar.toml", &SCENE.replace("frames = 8", "frames = 100000"));
    place.write("soft.toml", SWEEP);
    let child = place
        .pliant(&["sweep", "run", "soft.toml", "-j", "2"])
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // Until a case has begun.
    let begun = || {
        std::fs::read_dir(place.path("runs"))
            .is_ok_and(|mut list| list.any(|entry| entry.unwrap().path().join("checkpoint.bin").exists()))
    };
    while !begun() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let pid = rustix::process::Pid::from_raw(child.id() as i32).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(
        told.contains("interrupted with 8 cases to go") && told.contains("goes on where it was"),
        "{told}"
    );
}

#[test]
fn faults_of_the_sweep_and_of_its_cases_are_told_before_anything_runs() {
    let place = place();
    place.write(
        "typo.toml",
        "config = 'bar.toml'\noutput = 'runs'\n[[vary]]\nkey = 'body.0.material.yuong'\nvalues = [1e5]\n",
    );
    let told = place.fail(2, &["sweep", "run", "typo.toml"]);
    assert!(told.contains("did you mean 'young'") && !place.path("runs").exists(), "{told}");
    place.write("bad.toml", "config = 'bar.toml'\nvalues = 3\n");
    let told = place.fail(2, &["sweep", "plan", "bad.toml"]);
    assert!(told.contains("bad.toml, line 2"), "{told}");
    let told = place.fail(2, &["sweep", "run", "none.toml"]);
    assert!(told.contains("none.toml"), "{told}");
}

#[test]
fn other_values_under_the_same_name_are_not_overwritten() {
    let place = place();
    place.succeed(&["-q", "sweep", "run", "soft.toml"]);
    place.write("bar.toml", &SCENE.replace("poisson = 0.3", "poisson = 0.4"));
    let told = place.fail(1, &["sweep", "run", "soft.toml"]);
    assert!(
        told.contains("8 of 8 cases failed") && told.contains("body.0.material.poisson (0.3 there, 0.4 now)"),
        "{told}"
    );
}

/// The table against the files of the runs, read here.
#[test]
fn the_table_tells_what_the_runs_have() {
    let place = place();
    place.succeed(&["-q", "sweep", "run", "soft.toml"]);
    let measures = ["--measure", "max:kinetic", "--measure", "last:tip_y", "--measure", "mean:iterations"];
    let output = place.run(&[&["summarize", "runs", "--csv"][..], &measures].concat());
    let table = rows(&String::from_utf8(output.stdout).unwrap());
    let cases = rows(&std::fs::read_to_string(place.path("runs/cases.csv")).unwrap());
    assert_eq!(table.keys().collect::<Vec<_>>(), cases.keys().collect::<Vec<_>>());
    for (name, row) in &table {
        let number = |column: &str| row[column].parse::<f64>().unwrap();
        let column = |file: &str, name: &str, run: &Path| -> Vec<f64> {
            let text = std::fs::read_to_string(run.join(file)).unwrap();
            let place = text.lines().next().unwrap().split(',').position(|c| c == name).unwrap();
            text.lines().skip(1).map(|line| line.split(',').nth(place).unwrap().parse().unwrap()).collect()
        };
        let run = place.path("runs").join(name);
        let kinetic = column("metrics.csv", "kinetic", &run);
        assert_eq!(number("max:kinetic"), kinetic.iter().copied().fold(f64::MIN, f64::max));
        assert_eq!(number("last:tip_y"), *column("probes.csv", "tip_y", &run).last().unwrap());
        let iterations = column("metrics.csv", "iterations", &run);
        assert_eq!(number("mean:iterations"), iterations.iter().sum::<f64>() / 8.0);
        let worst = column("metrics.csv", "gradient_norm", &run)
            .iter()
            .zip(column("metrics.csv", "first_gradient", &run))
            .map(|(last, first)| last / first)
            .fold(0.0, f64::max);
        assert!((number("worst_gradient") - worst).abs() <= 1e-12 * worst, "{name}: {worst}");
        for key in ["body.0.density", "body.0.material.young"] {
            assert_eq!(number(key), cases[name][key].parse::<f64>().unwrap(), "{name}: {key}");
        }
        assert_eq!((row["state"].as_str(), row["status"].as_str(), number("frames")), ("done", "sound", 8.0));
    }
    let page = place.path("table.html");
    place.succeed(&["summarize", "runs", "--html", page.to_str().unwrap()]);
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("8 runs, 8 done") && page.matches("<svg").count() == 2, "a chart for each key");
}

#[test]
fn the_plan_counts_what_is_to_be_done() {
    let place = place();
    place.succeed(&["-q", "simulate", "bar.toml", "--frames", "0"]);
    let plan = |arguments: &[&str]| -> serde_json::Value {
        let output = place.run(&[&["-q", "sweep", "plan", "soft.toml", "--json"][..], arguments].concat());
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let before = plan(&["-j", "2"]);
    assert_eq!(
        (before["cases"].as_array().unwrap().len(), before["estimate"]["frames"].as_u64()),
        (8, Some(64))
    );
    assert!(
        before["probe"]["step"].as_f64().unwrap() > 0.0 && before["estimate"]["disk"].as_u64().unwrap() > 0
    );
    assert!(before["cases"].as_array().unwrap().iter().all(|case| case["state"] == "to do"));
    assert!(!place.path("runs").exists(), "a plan writes nothing");
    place.succeed(&["-q", "sweep", "run", "soft.toml"]);
    let after = plan(&["--probe-frames", "0"]);
    assert!(
        after["cases"].as_array().unwrap().iter().all(|case| case["state"] == "done")
            && after["estimate"].is_null()
    );
}

/// What Slurm runs, without Slurm: the script with the number of a task, for every task.
#[cfg(unix)]
#[test]
fn the_script_of_an_array_job_runs_all_cases() {
    let place = place();
    let output = place.run(&[
        "-q",
        "sweep",
        "slurm",
        "soft.toml",
        "--chunk",
        "3",
        "--write-only",
        "--minutes",
        "5",
        "--megabytes",
        "100",
    ]);
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("sbatch "));
    let script = std::fs::read_to_string(place.path("runs/sweep.sbatch")).unwrap();
    for line in ["#SBATCH --array=1-3", "#SBATCH --time=5", "#SBATCH --mem=100M", "#SBATCH --requeue"] {
        assert!(script.contains(line), "{line} in {script}");
    }
    for task in 1..=3 {
        let status = std::process::Command::new("bash")
            .arg(place.path("runs/sweep.sbatch"))
            .env("SLURM_ARRAY_TASK_ID", task.to_string())
            .env("PLIANT_CACHE_DIR", place.path("cache"))
            .current_dir("/")
            .stderr(std::process::Stdio::null())
            .status();
        assert!(status.unwrap().success());
    }
    assert_as_single_runs(&place, 8);
}

/// Kills the processes that have a path among their arguments: children of a sweep are in groups of their own.
#[cfg(target_os = "linux")]
fn kill_all_that_name(path: &Path) {
    let path = path.to_str().unwrap().as_bytes();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<i32>() else { continue };
        let arguments = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if arguments.windows(path.len()).any(|part| part == path) {
            // One that has ended in the meantime is as good.
            let _ = rustix::process::kill_process(
                rustix::process::Pid::from_raw(pid).unwrap(),
                rustix::process::Signal::KILL,
            );
        }
    }
}

/// A thousand runs on two cores, killed five times with all their processes, at moments that a seed chooses.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "a minute"]
fn a_thousand_runs_have_the_bytes_of_single_ones_through_five_kills() {
    let place = Place::new();
    place.write("bar.toml", &SCENE.replace("frames = 8", "frames = 2"));
    let sweep = SWEEP.replace("count = 4", "count = 500");
    place.write("soft.toml", &sweep);
    let mut random = elements::math::random::SplitMix64::new(24);
    for _ in 0..5 {
        let mut sweep = place.pliant(&["-q", "sweep", "run", "soft.toml", "-j", "2"]).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(200 + random.next_bits() % 3000));
        sweep.kill().unwrap();
        sweep.wait().unwrap();
        kill_all_that_name(place.dir.path());
    }
    place.succeed(&["-q", "sweep", "run", "soft.toml", "-j", "2"]);
    assert_as_single_runs(&place, 1000);
}
