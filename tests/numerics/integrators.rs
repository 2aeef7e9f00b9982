//! Time integrators against their orders, and what they do to energy.

use crate::common::scenes::HELD;
use crate::common::simulation;
use elements::math::lanes::Vec4;
use pliant::simulate::Simulation;

const END: f64 = 0.08;

/// A cube held at one face by springs, with a smooth velocity field: no pin moves, nothing is stiff.
fn cube(integrator: &str, steps: u32) -> Simulation {
    let step = END / f64::from(steps);
    let mut simulation = simulation(&format!(
        r#"
        [time]
        step = {step:e}
        frames = {steps}
        integrator = "{integrator}"
        [solver]
        kind = "newton"
        iterations = 30
        [[body]]
        element = "linear"
        generate = {{ shape = "box", size = [1, 1, 1], cells = [2, 2, 2] }}
        material = {{ model = "stable-neo-hookean", young = 2e5, poisson = 0.3 }}
        {HELD}
        kind = {{ soft = 1e4 }}
        motion = {{ shake = {{ amplitude = [0, 0.05, 0], frequency = 3 }} }}
        "#
    ));
    for i in 0..simulation.state.x.len() {
        let [x, y, z] = simulation.state.x[i].xyz();
        simulation.state.v[i] = Vec4::new([y * x, 1.5 * x * x, -z * x]);
    }
    simulation
}

fn end_state(integrator: &str, steps: u32) -> Vec<[f64; 3]> {
    let mut simulation = cube(integrator, steps);
    for _ in 0..steps {
        simulation.advance().unwrap();
    }
    simulation.state.x.iter().chain(&simulation.state.v).map(|p| p.xyz()).collect()
}

#[test]
fn orders_are_one_two_and_two() {
    let truth = end_state("midpoint", 512);
    for (integrator, order) in [("implicit-euler", 1.0), ("midpoint", 2.0), ("bdf2", 2.0)] {
        let error = |steps: u32| -> f64 {
            let state = end_state(integrator, steps);
            state
                .iter()
                .flatten()
                .zip(truth.iter().flatten())
                .map(|(a, b)| (a - b) * (a - b))
                .sum::<f64>()
                .sqrt()
        };
        let errors = [16, 32, 64].map(error);
        let observed = (errors[1] / errors[2]).log2();
        println!("{integrator}: errors {errors:?}, order {observed:.2}");
        assert!((observed - order).abs() < 0.15, "{integrator}: {errors:?}");
    }
}

#[test]
fn midpoint_keeps_the_energy_that_euler_loses() {
    let kept = |integrator: &str| -> f64 {
        let mut simulation = simulation(&format!(
            r#"
            [time]
            step = "1/60"
            frames = 1
            integrator = "{integrator}"
            [solver]
            kind = "newton"
            iterations = 30
            [world]
            gravity = [0, 0, 0]
            [[body]]
            element = "linear"
            generate = {{ shape = "box", size = [1, 1, 1], cells = [3, 3, 3] }}
            material = {{ model = "stable-neo-hookean", young = 1e5, poisson = 0.3 }}
            deform = {{ stretch = [1.2, 1, 1] }}
            "#
        ));
        let rows: Vec<_> = (0..120).map(|_| simulation.advance().unwrap()).collect();
        // The elastic part of a midpoint row is that of the midpoint; the kinetic part tells enough.
        let kinetic = |r: std::ops::Range<usize>| rows[r].iter().map(|m| m.kinetic).fold(0.0, f64::max);
        kinetic(90..120) / kinetic(0..30)
    };
    let [euler, bdf2, midpoint] = ["implicit-euler", "bdf2", "midpoint"].map(kept);
    println!(
        "peak kinetic energy after two seconds: Euler {euler:.3}, BDF2 {bdf2:.3}, midpoint {midpoint:.3}"
    );
    assert!(euler < 0.02 && bdf2 > 5.0 * euler && midpoint > 0.8, "{euler} {bdf2} {midpoint}");
}
