//! A scene that general-purpose packages were tried on: a soft, nearly incompressible beam falls over its clamped end.
//!
//! 4×1×1 m, 40×10×10 cubes in five tets each, ρ = 1000, E = 1e6, ν = 0.45, h = 1/60 s, 60 frames. MuJoCo's flex took 40-52 ms
//! a frame and was 0.084 m off (the root mean square over all vertices and frames), pyPBD's XPBD 64-83 ms and 0.087 m
//! with 20 substeps, newton's VBD 97 ms and 0.51 m. Other programs that were run to convergence agree that the free end
//! has moved by −3.60 m along y after a second. The goal is 20 ms and 0.02 m, with implicit Euler as it is.

use elements::par;
use pliant::cache::Cache;
use pliant::simulate::Simulation;

use crate::write_csv;

const FRAMES: usize = 60;
const RUNS: usize = 3;

/// What a run does.
struct Motion {
    /// Positions of all vertices after each frame.
    path: Vec<Vec<[f64; 3]>>,
    /// The mean over frames of their best times, in ms.
    ms: f64,
    /// How far the free end has moved along y, in m.
    tip: f64,
}

fn simulate(solver: &str, runs: usize) -> Motion {
    let text = format!(
        r#"
        name = "soft beam"
        [time]
        step = "1/60"
        frames = {FRAMES}
        [solver]
        {solver}
        [[body]]
        element = "linear"
        generate = {{ shape = "beam", size = [4, 1, 1], cells = [40, 10, 10], split = 5 }}
        density = 1000.0
        material = {{ model = "stable-neo-hookean", young = 1e6, poisson = 0.45 }}
        [[body.pin]]
        select = {{ box = {{ min = [-1, -1, -1], max = [1e-6, 99, 99] }} }}
        kind = "hard"
        "#
    );
    let config = pliant::config::parse(&text).expect("a valid scene").scene;
    let mut best = vec![f64::INFINITY; FRAMES];
    let (mut path, mut tip) = (vec![], 0.0);
    for _ in 0..runs {
        let (mut simulation, _) = Simulation::new(&config, &Cache::disabled()).expect("a beam");
        path.clear();
        for best in &mut best {
            *best = best.min(simulation.advance().expect("a step").total.as_secs_f64() * 1e3);
            path.push(simulation.model.to_input(&simulation.state.x));
        }
        let last = path[FRAMES - 1].iter().zip(&simulation.model.rest);
        let moved: Vec<f64> =
            last.filter(|(_, rest)| rest[0] > 3.99).map(|(x, rest)| x[1] - rest[1]).collect();
        tip = moved.iter().sum::<f64>() / moved.len() as f64;
    }
    Motion { path, ms: best.iter().sum::<f64>() / FRAMES as f64, tip }
}

/// The root mean square of the distances.
fn apart(a: &[Vec<[f64; 3]>], b: &[Vec<[f64; 3]>]) -> f64 {
    let (a, b) = (a.iter().flatten(), b.iter().flatten());
    let squares: Vec<f64> =
        a.zip(b).map(|(a, b)| (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum()).collect();
    (squares.iter().sum::<f64>() / squares.len() as f64).sqrt()
}

pub fn run() {
    let truth =
        par::with_threads(2, || simulate("kind = \"quasi-newton\"\niterations = 400\ntolerance = 1e-7", 1));
    println!("converged: the free end has moved by {:.3} m along y after 1 s", truth.tip);
    println!(
        "{:<14}{:>11}{:>10}{:>12}{:>7}{:>9}{:>10}",
        "solver", "iterations", "ms/frame", "2 threads", "gain", "RMS m", "end's dy"
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
        let Motion { path, ms: one, tip } = par::with_threads(1, || simulate(&settings, RUNS));
        let two = par::with_threads(2, || simulate(&settings, RUNS)).ms;
        let rms = apart(&path, &truth.path);
        let mark = if one <= 20.0 && rms <= 0.02 { " ✓" } else { "" };
        println!(
            "{solver:<14}{iterations:>11}{one:>10.2}{two:>12.2}{:>7.2}{rms:>9.4}{tip:>10.3}{mark}",
            one / two
        );
        lines.push(format!("{solver},{iterations},{one},{two},{rms},{tip}"));
    }
    write_csv("scene.csv", "solver,iterations,ms,two_threads_ms,rms_m,tip_dy_m", &lines);
}
