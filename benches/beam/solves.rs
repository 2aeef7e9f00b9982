//! The solve against the memory: reading the factor twice is what no solve can do without.
//!
//! The bound is that at the speed of memory, which is measured on more than caches hold; the second one, of factors that fit into
//! a cache, is how long it takes to read this factor twice between solves.

use std::time::Instant;

use elements::math::lanes::Vec4;
use elements::par;
use pliant::cache::Cache;
use pliant::model::build::build;
use pliant::solver::system::System;

use crate::{beam, write_csv};

/// Reads `values` once.
fn read(values: &[f32]) -> f32 {
    let mut sums = [0.0f32; 64];
    for chunk in values.chunks_exact(64) {
        for (s, v) in sums.iter_mut().zip(chunk) {
            *s += v;
        }
    }
    sums.iter().sum()
}

/// Seconds that reading a byte takes from memory.
fn memory() -> f64 {
    let values = vec![1.0f32; 64 << 20];
    let mut best = f64::INFINITY;
    for _ in 0..10 {
        let start = Instant::now();
        std::hint::black_box(read(std::hint::black_box(&values)));
        best = best.min(start.elapsed().as_secs_f64());
    }
    best / (4 * values.len()) as f64
}

pub fn run() {
    let byte = memory();
    println!("memory: {:.1} GB/s\n", 1e-9 / byte);
    println!(
        "{:<10}{:>12}{:>10}{:>10}{:>7}{:>11}{:>7}{:>12}{:>7}{:>11}",
        "unknowns",
        "entries",
        "solve ms",
        "bound ms",
        "ratio",
        "cached ms",
        "ratio",
        "2 threads",
        "gain",
        "prepare s"
    );
    let mut lines = vec![];
    for cells in [[40, 10, 10], [80, 20, 20], [110, 28, 28]] {
        let config = beam(cells, "pd", "arap");
        let built = build(&config, &Cache::disabled()).expect("a beam");
        let start = Instant::now();
        let (mut system, _) = System::prepare(&built.objective, &Cache::disabled()).expect("a factor");
        let prepare = start.elapsed().as_secs_f64();
        let n = built.objective.free;
        let right: Vec<Vec4> = (0..n).map(|i| Vec4::new([1.0, i as f64, -1.0])).collect();
        let mut x = vec![Vec4::ZERO; n];
        let values = system.panels().values.clone();
        let runs = if n > 20_000 { 30 } else { 200 };
        // Solves and reads take turns, so that both see the same machine.
        let (mut one, mut two, mut cached, mut sink) = (f64::INFINITY, f64::INFINITY, f64::INFINITY, 0.0);
        par::with_threads(1, || {
            for _ in 0..runs {
                let start = Instant::now();
                system.solve(&right, &mut x);
                one = one.min(start.elapsed().as_secs_f64());
                let start = Instant::now();
                sink += read(&values);
                cached = cached.min(2.0 * start.elapsed().as_secs_f64());
            }
        });
        par::with_threads(2, || {
            for _ in 0..runs {
                let start = Instant::now();
                system.solve(&right, &mut x);
                two = two.min(start.elapsed().as_secs_f64());
            }
        });
        std::hint::black_box(sink);
        let bound = byte * 8.0 * values.len() as f64;
        println!(
            "{n:<10}{:>12}{:>10.3}{:>10.3}{:>7.2}{:>11.3}{:>7.2}{:>12.3}{:>7.2}{prepare:>11.2}",
            system.entries(),
            one * 1e3,
            bound * 1e3,
            one / bound,
            cached * 1e3,
            one / cached,
            two * 1e3,
            one / two,
        );
        let [one, bound, cached, two] = [one, bound, cached, two].map(|seconds| 1e3 * seconds);
        lines.push(format!("{n},{},{one},{bound},{cached},{two},{prepare}", system.entries()));
    }
    write_csv("solves.csv", "unknowns,entries,ms,bound_ms,cached_ms,two_threads_ms,prepare_s", &lines);
}
