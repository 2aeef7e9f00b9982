//! Rayleigh damping against closed forms.

use crate::common::scenes::HELD;
use crate::common::{place, simulation};
use pliant::simulate::Simulation;

fn energy(simulation: &Simulation) -> f64 {
    let mut at = simulation.objective.iterate_at(simulation.state.x.clone());
    simulation.objective.evaluate(&mut at);
    let kinetic: f64 = simulation
        .state
        .v
        .iter()
        .zip(&simulation.objective.mass)
        .map(|(v, m)| 0.5 * m * (v.0[0] * v.0[0] + v.0[1] * v.0[1] + v.0[2] * v.0[2]))
        .sum();
    at.value.elastic + kinetic
}

/// The rate at which the energy of a bar in its first axial mode, clamped at x = 0, decays over five periods.
fn decay(material: &str, poisson: f64, damping: &str, omega: f64) -> f64 {
    let period = std::f64::consts::TAU / omega;
    let mut simulation = simulation(&format!(
        r#"
        [time]
        step = {}
        frames = 300
        integrator = "midpoint"
        [solver]
        kind = "newton"
        iterations = 3
        [world]
        gravity = [0, 0, 0]
        [[body]]
        element = "linear"
        generate = {{ shape = "beam", size = [1, 0.1, 0.1], cells = [20, 2, 2] }}
        material = {material}
        damping = {damping}
        {HELD}
        "#,
        period / 60.0
    ));
    let wave = 0.5 * std::f64::consts::PI;
    place(&mut simulation, |[x, y, z]| {
        // Slender: it narrows where it is stretched.
        let narrowing = 1.0 - 1e-5 * poisson * wave * (wave * x).cos();
        let across = |c: f64| 0.05 + (c - 0.05) * narrowing;
        [x + 1e-5 * (wave * x).sin(), across(y), across(z)]
    });
    let before = energy(&simulation);
    for _ in 0..300 {
        simulation.advance().unwrap();
    }
    (before / energy(&simulation)).ln() / (5.0 * period)
}

#[test]
fn a_mode_decays_at_rayleighs_rate() {
    // ω = π/2 √(E/ρ)/L; energy decays as exp(−(α + β ω²) t).
    let omega = 0.5 * std::f64::consts::PI * 1e3f64.sqrt();
    let material = "{ model = \"arap\", young = 1e6 }";
    let undamped = decay(material, 0.0, "{}", omega);
    assert!(undamped.abs() < 0.01, "{undamped}");
    for (alpha, beta) in [(3.0, 0.0), (0.0, 0.002), (2.0, 0.001)] {
        let rate = decay(material, 0.0, &format!("{{ mass = {alpha}, stiffness = {beta} }}"), omega);
        let theory = alpha + beta * omega * omega;
        assert!((rate / theory - 1.0).abs() < 0.02, "α = {alpha}, β = {beta}: {rate}, {theory}");
    }
    // With a Poisson effect, K has λ too.
    let material = "{ model = \"neo-hookean\", young = 1e6, poisson = 0.3 }";
    let rate = decay(material, 0.3, "{ stiffness = 0.002 }", omega);
    assert!((rate / (0.002 * omega * omega) - 1.0).abs() < 0.03, "{rate}");
}

#[test]
fn springs_decay_at_rayleighs_rate() {
    // A square of springs that breathes: all damped alike, by β times its own stiffness.
    let run = |beta: f64| {
        let mut simulation = simulation(&format!(
            r#"
            [time]
            step = 0.001
            frames = 600
            integrator = "midpoint"
            [solver]
            kind = "newton"
            iterations = 4
            [world]
            gravity = [0, 0, 0]
            [[body]]
            generate = {{ shape = "cloth", size = [1, 1], cells = [1, 1] }}
            thickness = 1.0
            density = 6.0
            springs = {{ stiffness = 300.0 }}
            damping = {{ stiffness = {beta} }}
            deform = {{ stretch = [1.001, 1, 1.001] }}
            "#
        ));
        // Masses of 2, 1, 2 and 1 kg: the dilation is no mode, but its energy tells the rate of each.
        let before = energy(&simulation);
        for _ in 0..600 {
            simulation.advance().unwrap();
        }
        energy(&simulation) / before
    };
    assert!((run(0.0) - 1.0).abs() < 1e-3, "{}", run(0.0));
    let (weak, strong) = (run(0.0005).ln(), run(0.001).ln());
    assert!(weak < -0.03 && (strong / weak - 2.0).abs() < 0.15, "{weak} {strong}");
}

#[test]
fn drag_stops_free_motion_as_implicit_euler_says() {
    let mut simulation = simulation(
        r#"
        [time]
        step = 0.1
        frames = 10
        # Factors are in single precision: the minimum takes more than the first iteration.
        [solver]
        iterations = 40
        [world]
        gravity = [0, 0, 0]
        [[body]]
        element = "linear"
        generate = { shape = "box", size = [1, 1, 1], cells = [2, 2, 2] }
        material = { model = "stable-neo-hookean", young = 1e5, poisson = 0.3 }
        damping = { mass = 2.0 }
        velocity = { linear = [3, 0, 0] }
        "#,
    );
    for step in 1..=10 {
        simulation.advance().unwrap();
        let expected = 3.0 / 1.2f64.powi(step);
        assert!(simulation.state.v.iter().all(|v| (v.0[0] - expected).abs() < 1e-11), "step {step}");
    }
}

#[test]
fn viscosity_does_not_slow_a_spin() {
    let run = |integrator: &str, damping: &str| {
        let mut simulation = simulation(&format!(
            r#"
            [time]
            step = 0.005
            frames = 100
            integrator = "{integrator}"
            [solver]
            kind = "newton"
            iterations = 5
            [world]
            gravity = [0, 0, 0]
            [[body]]
            element = "linear"
            generate = {{ shape = "box", size = [1, 0.5, 0.5], cells = [4, 2, 2] }}
            material = {{ model = "stable-neo-hookean", young = 1e6, poisson = 0.3 }}
            damping = {damping}
            velocity = {{ angular = [0, 4, 0] }}
            "#
        ));
        let mut last = 0.0;
        for _ in 0..100 {
            last = simulation.advance().unwrap().angular[1];
        }
        last
    };
    for integrator in ["midpoint", "implicit-euler", "bdf2"] {
        let (free, damped) = (run(integrator, "{}"), run(integrator, "{ stiffness = 0.005 }"));
        println!("{integrator}: {free} {damped}");
        assert!((damped / free - 1.0).abs() < 3e-4, "{integrator}: {free} {damped}");
    }
}
