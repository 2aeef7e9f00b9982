//! How much memory a simulation takes at its peak, from nothing over the factorization to the frames.
//!
//! In a program of its own: the peak of a process is that of all its tests.

mod common;

use pliant::cache::Cache;
use pliant::simulate::Simulation;

/// Bytes that a tet may take, with its share of vertices and of the factor (30 f32 entries for each tet here).
const PER_TET: f64 = 1200.0;

#[test]
fn a_tet_takes_twelve_hundred_bytes_at_most() {
    let text = r#"
        name = "beam"
        [time]
        step = "1/30"
        frames = 3
        [solver]
        kind = "quasi-newton"
        iterations = 10
        [[body]]
        density = 1000.0
        material = { model = "neo-hookean", young = 1e6, poisson = 0.3 }
        element = "linear"
        generate = { shape = "beam", size = [4.25, 1.0625, 1.0625], cells = [68, 17, 17], split = 5 }
        [[body.pin]]
        select = { box = { min = [-1, -1, -1], max = [1e-6, 9, 9] } }
        kind = "hard"
    "#;
    let config = pliant::config::parse(text).unwrap().scene;
    let before = common::peak();
    if before == 0 {
        println!("skipped: the system does not tell");
        return;
    }
    let (mut simulation, _) = Simulation::new(&config, &Cache::disabled()).unwrap();
    for _ in 0..3 {
        simulation.advance().unwrap();
    }
    let tets = simulation.model.tets.len() as f64;
    let per_tet = 1024.0 * (common::peak() - before) as f64 / tets;
    println!("{tets} tets: {per_tet:.0} bytes each at the peak");
    assert!(per_tet < PER_TET, "{per_tet} bytes a tet");
}
