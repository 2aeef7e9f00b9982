//! Solvers on one step: who needs how many iterations.

mod common;

use common::simulation;
use pliant::cache::Cache;
use pliant::compare::{Comparison, compare, parse};
use pliant::simulate::Simulation;
use pliant::solver::{Options, SolverSettings};

fn compared(mut simulation: Simulation, solvers: &[&str], iterations: u64) -> Comparison {
    let base = SolverSettings::new("quasi-newton", iterations, 0.0, Options::default()).unwrap();
    let contenders: Vec<_> = solvers.iter().map(|s| parse(s, &base).unwrap()).collect();
    compare(&mut simulation, &contenders, iterations, &Cache::disabled()).unwrap()
}

/// A cloth of springs and hinges on its way down, pinned at its corners.
fn tablecloth(cells: usize, steps: usize) -> Simulation {
    let mut simulation = simulation(&format!(
        r#"
        [time]
        step = "1/60"
        frames = 60
        [[body]]
        generate = {{ shape = "cloth", size = [2, 2], cells = [{cells}, {cells}] }}
        density = 300
        springs = {{ stiffness = 60 }}
        bending = {{ kind = "hinge", stiffness = 1e-3 }}
        [[body.pin]]
        select = {{ ids = [0, {cells}] }}
        [[body.pin]]
        select = {{ nearest = {{ point = [0, 0, 2] }} }}
        [[body.pin]]
        select = {{ nearest = {{ point = [2, 0, 2] }} }}
        "#
    ));
    for _ in 0..steps {
        simulation.advance().unwrap();
    }
    simulation
}

/// A cantilever on its way down.
fn beam(cells: [usize; 3], steps: usize) -> Simulation {
    let mut simulation = simulation(&format!(
        r#"
        [time]
        step = "1/30"
        frames = 60
        [[body]]
        generate = {{ shape = "beam", size = [4, 1, 1], cells = {cells:?} }}
        material = {{ model = "arap", young = 1e6 }}
        [[body.pin]]
        select = {{ plane = {{ point = [1e-6, 0, 0], normal = [-1, 0, 0] }} }}
        "#
    ));
    for _ in 0..steps {
        simulation.advance().unwrap();
    }
    simulation
}

/// How many iterations of the inner solver one accelerated iteration is worth, for a relative error of 1e-6.
fn gain(make: impl Fn() -> Simulation, inner: &str, most: u64) -> (u64, u64) {
    let plain = format!("chebyshev:inner={inner}:rho=0");
    let fast = format!("chebyshev:inner={inner}");
    let comparison = compared(make(), &[&plain, &fast], most);
    for course in &comparison.courses {
        println!("{}: {:?}", course.label, course.notes);
        for point in course.points.iter().filter(|p| p.iteration.count_ones() == 1) {
            println!("  {} {:.3e}", point.iteration, point.relative_error);
        }
    }
    let to = |label: &str| comparison.iterations_to(label, 1e-6).unwrap_or(most);
    (to(&plain), to(&fast))
}

#[test]
#[ignore = "long: thousands of iterations on 10,000 and 15,616 vertices"]
fn chebyshev_saves_most_iterations_of_every_inner_solver() {
    for (inner, most) in [("direct", 3000), ("gauss-seidel", 3000), ("jacobi", 6000)] {
        let (plain, fast) = gain(|| tablecloth(99, 15), inner, most);
        println!("tablecloth, {inner}: {plain} / {fast}");
        let (plain, fast) = gain(|| beam([60, 15, 15], 8), inner, most);
        println!("beam, {inner}: {plain} / {fast}");
    }
}
