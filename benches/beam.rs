//! Milliseconds per iteration on the beam that all codes are measured on, and the solve against the memory.
//!
//! 40×10×10 cubes, five tets each: 4,961 vertices, 20,000 tets, x = 0 face pinned, E = 1e6, ν = 0.3, h = 1/30 s,
//! from rest, 10 iterations a frame, 20 frames. Prints, for each solver and material, the time of an iteration and
//! its parts, then the time of one solve of each size beside the time it takes to read its factor twice (the bound),
//! measured in the same run. `cargo bench --bench beam` (one thread; `-- 2` for two).

use std::time::{Duration, Instant};

use pliant::cache::Cache;
use pliant::math::lanes::Vec4;
use pliant::model::build::build;
use pliant::simulate::Simulation;
use pliant::solver::system::System;

const FRAMES: u64 = 20;

fn scene(cells: [u32; 3], solver: &str, material: &str) -> pliant::config::resolved::Config {
    let size = cells.map(|c| f64::from(c) * 0.0625);
    let text = format!(
        r#"
        name = "beam"
        [time]
        step = "1/30"
        frames = {FRAMES}
        [solver]
        kind = "{solver}"
        iterations = 10
        [[body]]
        generate = {{ shape = "beam", size = {size:?}, cells = {cells:?}, split = 5 }}
        density = 1000.0
        material = {{ model = "{material}", young = 1e6, poisson = 0.3 }}
        [[body.pin]]
        select = {{ box = {{ min = [-1, -1, -1], max = [1e-6, 99, 99] }} }}
        kind = "hard"
        "#
    );
    pliant::config::parse(&text).expect("a valid scene").config
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

fn iterations() {
    println!(
        "{:<14}{:<20}{:>9}{:>9}{:>9}{:>9}{:>9}{:>10}{:>10}",
        "solver", "material", "ms/iter", "local", "global", "search", "tries/it", "ns/tet", "tip y"
    );
    for (solver, material) in [
        ("pd", "arap"),
        ("quasi-newton", "arap"),
        ("quasi-newton", "corotated"),
        ("quasi-newton", "neo-hookean"),
        ("quasi-newton", "stable-neo-hookean"),
        ("quasi-newton", "stvk"),
        ("quasi-newton", "mooney-rivlin"),
        ("xpbd", "arap"),
        ("vbd", "arap"),
        ("xpbd", "neo-hookean"),
        ("vbd", "neo-hookean"),
    ] {
        let mut best: Option<[f64; 5]> = None;
        let mut tip = 0.0;
        for _ in 0..3 {
            let config = scene([40, 10, 10], solver, material);
            let (mut simulation, _) = Simulation::new(&config, &Cache::disabled()).expect("a beam");
            let (mut total, mut parts, mut tries) = (0.0, [0.0; 3], 0);
            for _ in 0..FRAMES {
                let m = simulation.advance().expect("a step");
                total += ms(m.total);
                parts = [
                    parts[0] + ms(m.cost.local),
                    parts[1] + ms(m.cost.global),
                    parts[2] + ms(m.cost.line_search),
                ];
                tries += m.cost.tries;
            }
            let n = (FRAMES * 10) as f64;
            let row = [total / n, parts[0] / n, parts[1] / n, parts[2] / n, tries as f64 / n];
            if best.is_none_or(|b| row[0] < b[0]) {
                best = Some(row);
            }
            let x = simulation.model.to_input(&simulation.state.x);
            tip = x
                .iter()
                .zip(&simulation.model.rest)
                .filter(|(_, r)| r[0] > 2.499)
                .map(|(x, _)| x[1])
                .fold(f64::INFINITY, f64::min);
        }
        let b = best.expect("three runs");
        println!(
            "{solver:<14}{material:<20}{:>9.3}{:>9.3}{:>9.3}{:>9.3}{:>9.2}{:>10.1}{tip:>10.4}",
            b[0],
            b[1],
            b[2],
            b[3],
            b[4],
            b[1] * 1e6 / 20_000.0
        );
    }
}

/// Seconds to read `values` once, the best of several.
fn read_time(values: &[f64]) -> f64 {
    let mut best = f64::INFINITY;
    let mut sink = 0.0;
    for _ in 0..7 {
        let start = Instant::now();
        let mut sums = [0.0; 16];
        for chunk in values.chunks_exact(16) {
            for (s, v) in sums.iter_mut().zip(chunk) {
                *s += v;
            }
        }
        sink += sums.iter().sum::<f64>();
        best = best.min(start.elapsed().as_secs_f64());
    }
    std::hint::black_box(sink);
    best
}

fn solves() {
    println!(
        "\n{:<10}{:>12}{:>10}{:>10}{:>8}{:>12}{:>12}",
        "unknowns", "entries", "solve ms", "bound ms", "ratio", "prepare s", "GB/s"
    );
    for cells in [[40, 10, 10], [80, 20, 20], [110, 28, 28]] {
        let config = scene(cells, "pd", "arap");
        let built = build(&config, &Cache::disabled()).expect("a beam");
        let start = Instant::now();
        let (mut system, _) = System::prepare(&built.objective, &Cache::disabled()).expect("a factor");
        let prepare = start.elapsed().as_secs_f64();
        let n = built.objective.free;
        let right: Vec<Vec4> = (0..n).map(|i| Vec4::new([1.0, i as f64, -1.0])).collect();
        let mut x = vec![Vec4::ZERO; n];
        let mut best = f64::INFINITY;
        for _ in 0..if n > 20_000 { 7 } else { 50 } {
            let start = Instant::now();
            system.solve(&right, &mut x);
            best = best.min(start.elapsed().as_secs_f64());
        }
        let values = &system.panels().values;
        let bound = 2.0 * read_time(values);
        println!(
            "{n:<10}{:>12}{:>10.3}{:>10.3}{:>8.2}{prepare:>12.2}{:>12.1}",
            system.entries(),
            best * 1e3,
            bound * 1e3,
            best / bound,
            16e-9 * values.len() as f64 / best
        );
    }
}

fn main() {
    let threads = std::env::args().filter_map(|a| a.parse().ok()).next_back().unwrap_or(1);
    pliant::par::set_threads(threads);
    println!("{threads} thread(s)\n");
    iterations();
    solves();
}
