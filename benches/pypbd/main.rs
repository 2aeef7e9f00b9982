//! XPBD on the beam of the other bench, beside that of PositionBasedDynamics (pip's `pypbd`), in the same run.
//!
//! `cargo bench --bench pypbd` needs a Python that can import `pypbd` and `numpy`: `python3`, or what the variable PYTHON names.
//! Without one it says so and ends. Both have one thread, 20 frames of 10 iterations and the same 20,000 tets; times are the
//! best of several runs, frame by frame, theirs of the processor and ours by the clock, which is never less.

use std::fmt::Write;
use std::process::Command;

use elements::par;
use pliant::cache::Cache;
use pliant::simulate::Simulation;

const RUNS: usize = 3;
const ITERATIONS: f64 = 10.0;
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/pypbd/beam.py");

const SCENE: &str = r#"
    name = "beam"
    [time]
    step = "1/30"
    frames = 20
    [solver]
    kind = "xpbd"
    iterations = 10
    [[body]]
    element = "linear"
    generate = { shape = "beam", size = [2.5, 0.625, 0.625], cells = [40, 10, 10], split = 5 }
    density = 1000.0
    material = { model = "stvk", young = 1e6, poisson = 0.3 }
    [[body.pin]]
    select = { box = { min = [-1, -1, -1], max = [1e-6, 99, 99] } }
    kind = "hard"
"#;

/// The sum of the best times of each frame, per iteration.
fn fold(runs: &[Vec<f64>]) -> f64 {
    let frames = runs[0].len();
    let best = |frame: usize| runs.iter().map(|run| run[frame]).fold(f64::INFINITY, f64::min);
    (0..frames).map(best).sum::<f64>() / (frames as f64 * ITERATIONS)
}

/// Milliseconds per iteration of pyPBD; why not, where there is none.
fn theirs(mesh: &str) -> Result<f64, String> {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let path = std::env::temp_dir().join(format!("pliant-pypbd-{}.txt", std::process::id()));
    std::fs::write(&path, mesh).map_err(|e| e.to_string())?;
    let run = || -> Result<Vec<f64>, String> {
        let command = Command::new(&python).arg(SCRIPT).arg(&path).env("OMP_NUM_THREADS", "1").output();
        let output = command.map_err(|e| format!("{python}: {e}"))?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr);
            return Err(text.lines().last().unwrap_or("it failed").to_owned());
        }
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let times = text.lines().rev().nth(1).unwrap_or_default().split_whitespace();
        times.map(|t| t.parse::<f64>().map_err(|e| e.to_string())).collect()
    };
    let runs: Result<Vec<_>, _> = (0..RUNS).map(|_| run()).collect();
    std::fs::remove_file(&path).map_err(|e| e.to_string())?;
    runs.map(|runs| fold(&runs))
}

fn main() {
    let config = pliant::config::parse(SCENE).expect("a valid scene").scene;
    let (simulation, _) = Simulation::new(&config, &Cache::disabled()).expect("a beam");
    let mut mesh = String::new();
    for [x, y, z] in &simulation.model.rest {
        writeln!(mesh, "v {x} {y} {z}").expect("strings take all");
    }
    for cell in &simulation.model.tets {
        writeln!(mesh, "t {} {} {} {}", cell[0], cell[1], cell[2], cell[3]).expect("strings take all");
    }
    let theirs = match theirs(&mesh) {
        Ok(ms) => ms,
        Err(reason) => return println!("skipped: no Python with pypbd ({reason})"),
    };
    let run = || {
        let (mut simulation, _) = Simulation::new(&config, &Cache::disabled()).expect("a beam");
        (0..20).map(|_| simulation.advance().expect("a step").total.as_secs_f64() * 1e3).collect()
    };
    let runs: Vec<Vec<f64>> = par::with_threads(1, || (0..RUNS).map(|_| run()).collect());
    let ours = fold(&runs);
    println!("ms per iteration: pyPBD {theirs:.3}, ours {ours:.3}, ratio {:.2}", theirs / ours);
}
