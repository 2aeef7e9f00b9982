//! A scene that general-purpose packages were tried on: a soft, nearly incompressible beam falls over its clamped end.
//!
//! 4×1×1 m, 40×10×10 cubes in five tets each, ρ = 1000, E = 1e6, ν = 0.45, h = 1/60 s, 60 frames. MuJoCo's flex took 40-52 ms
//! a frame and was 0.084 m off (the root mean square over all vertices and frames), pyPBD's XPBD 64-83 ms and 0.087 m
//! with 20 substeps, newton's VBD 97 ms and 0.51 m. The goal is 20 ms and 0.02 m, with implicit Euler as it is.

use pliant::cache::Cache;
use pliant::par;
use pliant::simulate::Simulation;

use crate::write_csv;

const FRAMES: usize = 60;
const RUNS: usize = 3;

/// Positions of all vertices after each frame, and the best time of each frame in ms over so many runs.
fn simulate(solver: &str, runs: usize) -> (Vec<Vec<[f64; 3]>>, Vec<f64>) {
    let text = format!(
        r#"
        name = "soft beam"
        [time]
        step = "1/60"
        frames = {FRAMES}
        [solver]
        {solver}
        [[body]]
        generate = {{ shape = "beam", size = [4, 1, 1], cells = [40, 10, 10], split = 5 }}
        density = 1000.0
        material = {{ model = "stable-neo-hookean", young = 1e6, poisson = 0.45 }}
        [[body.pin]]
        select = {{ box = {{ min = [-1, -1, -1], max = [1e-6, 99, 99] }} }}
        kind = "hard"
        "#
    );
    let config = pliant::config::parse(&text).expect("a valid scene").config;
    let mut best = vec![f64::INFINITY; FRAMES];
    let mut path = vec![];
    for _ in 0..runs {
        let (mut simulation, _) = Simulation::new(&config, &Cache::disabled()).expect("a beam");
        path.clear();
        for best in &mut best {
            *best = best.min(simulation.advance().expect("a step").total.as_secs_f64() * 1e3);
            path.push(simulation.model.to_input(&simulation.state.x));
        }
    }
    (path, best)
}

/// The root mean square of the distances.
fn apart(a: &[Vec<[f64; 3]>], b: &[Vec<[f64; 3]>]) -> f64 {
    let (a, b) = (a.iter().flatten(), b.iter().flatten());
    let squares: Vec<f64> =
        a.zip(b).map(|(a, b)| (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum()).collect();
    (squares.iter().sum::<f64>() / squares.len() as f64).sqrt()
}

pub fn run() {
    let lowest = |path: &[Vec<[f64; 3]>]| path[FRAMES - 1].iter().map(|x| x[1]).fold(f64::INFINITY, f64::min);
    let (truth, _) =
        par::with_threads(2, || simulate("kind = \"quasi-newton\"\niterations = 400\ntolerance = 1e-7", 1));
    println!("converged: the lowest vertex is at y = {:.3} m after 1 s", lowest(&truth));
    println!(
        "{:<14}{:>11}{:>10}{:>12}{:>7}{:>9}{:>10}",
        "solver", "iterations", "ms/frame", "2 threads", "gain", "RMS m", "lowest y"
    );
    let mut lines = vec![];
    for (solver, iterations) in [
        ("quasi-newton", 5),
        ("quasi-newton", 10),
        ("quasi-newton", 15),
        ("quasi-newton", 20),
        ("xpbd", 40),
        ("vbd", 10),
    ] {
        let settings = format!("kind = \"{solver}\"\niterations = {iterations}");
        let (path, one) = par::with_threads(1, || simulate(&settings, RUNS));
        let (_, two) = par::with_threads(2, || simulate(&settings, RUNS));
        let mean = |times: &[f64]| times.iter().sum::<f64>() / FRAMES as f64;
        let (one, two, rms) = (mean(&one), mean(&two), apart(&path, &truth));
        let mark = if one <= 20.0 && rms <= 0.02 { " ✓" } else { "" };
        println!(
            "{solver:<14}{iterations:>11}{one:>10.2}{two:>12.2}{:>7.2}{rms:>9.4}{:>10.3}{mark}",
            one / two,
            lowest(&path)
        );
        lines.push(format!("{solver},{iterations},{one},{two},{rms},{}", lowest(&path)));
    }
    write_csv("scene.csv", "solver,iterations,ms,two_threads_ms,rms_m,lowest_y_m", &lines);
}
