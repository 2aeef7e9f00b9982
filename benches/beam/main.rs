//! The table of how fast, with ratios to bounds that are measured in the same run.
//!
//! `cargo bench --bench beam` prints, for one thread and for two,
//!
//! 1. milliseconds per iteration on the beam that other codes were measured on, beside theirs and what ours must reach,
//! 2. the solve of three sizes beside the time that it takes to read its factor twice (the bound),
//! 3. a scene that general-purpose packages were tried on: milliseconds per frame and distance to the converged motion,
//! 4. how cost, memory and start-up grow from 1,000 to 455,000 tets,
//!
//! and writes the rows as CSV and the last part as a plot to `target/bench`. Parts are chosen by name: `cargo bench --bench
//! beam -- table solves scene growth`. With `avx2` or `portable` among them, kernels use no wider registers.
//!
//! Every time is the best of several runs of the same work, frame by frame: what a busy machine adds is never negative.

mod growth;
mod scene;
mod solves;
mod table;

use std::alloc::System;
use std::path::PathBuf;

use elements::math::lanes::{Instructions, limit};
use pliant::scene::Scene;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

/// Counts bytes; iterations allocate nothing, so that it costs them nothing.
#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The beam, h = 1/30 s, 10 iterations a frame; cubes with edges of 1/16 m in five tets each.
fn beam(cells: [u32; 3], solver: &str, material: &str) -> Scene {
    let size = cells.map(|c| f64::from(c) * 0.0625);
    let body = format!(
        r#"
        element = "linear"
        generate = {{ shape = "beam", size = {size:?}, cells = {cells:?}, split = 5 }}
        [[body.pin]]
        select = {{ box = {{ min = [-1, -1, -1], max = [1e-6, 99, 99] }} }}
        kind = "hard"
        "#
    );
    scene_of(&body, solver, material)
}

/// A body, given by its mesh and what else it has.
fn scene_of(body: &str, solver: &str, material: &str) -> Scene {
    let text = format!(
        r#"
        name = "beam"
        [time]
        step = "1/30"
        frames = 20
        [solver]
        kind = "{solver}"
        iterations = 10
        [[body]]
        density = 1000.0
        material = {{ model = "{material}", young = 1e6, poisson = 0.3 }}
        {body}
        "#
    );
    pliant::config::parse(&text).expect("a valid scene").scene
}

/// Writes rows as CSV to `target/bench`.
fn write_csv(name: &str, header: &str, rows: &[String]) {
    let path = directory().join(name);
    std::fs::write(&path, format!("{header}\n{}\n", rows.join("\n"))).expect("target/bench can be written");
    println!("→ {}\n", path.display());
}

/// Where results go.
fn directory() -> PathBuf {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target/bench");
    std::fs::create_dir_all(&path).expect("target/bench can be made");
    path
}

/// What each argument that is no part limits lanes to.
const LIMITS: [(&str, Instructions); 2] =
    [("portable", Instructions::Portable), ("avx2", Instructions::Avx2)];

fn main() {
    let parts: [(&str, fn()); 4] =
        [("table", table::run), ("solves", solves::run), ("scene", scene::run), ("growth", growth::run)];
    let mut wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    for (name, instructions) in LIMITS {
        if wanted.iter().any(|w| w == name) {
            limit(instructions);
            wanted.retain(|w| w != name);
        }
    }
    for (name, run) in parts {
        if wanted.is_empty() || wanted.iter().any(|w| w == name) {
            run();
        }
    }
}
