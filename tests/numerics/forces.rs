//! External forces against closed forms: loads, pressure, wind, and what integrators make of them.

use crate::common::meshes::boundary;
use crate::common::scenes::{HELD, equilibrium};
use crate::common::{settle, simulation};
use elements::math::lanes::Vec4;
use elements::par;
use pliant::mesh::surface::enclosed_volume;
use pliant::scene::Shape;
use pliant::simulate::Simulation;

#[test]
fn a_bar_pulled_by_a_load_stretches_by_fl_over_ea_and_pulls_its_pins() {
    let (young, force, stiffness) = (1e6, 100.0, 1e5);
    let mut simulation = simulation(&equilibrium(
        "iterations = 30\ntolerance = 1e-13",
        &format!(
            r#"
        element = "linear"
        generate = {{ shape = "beam", size = [8, 1, 1], cells = [32, 4, 4] }}
        material = {{ model = "corotated", young = {young:e}, poisson = 0.3 }}
        [[body.pin]]
        select = {{ plane = {{ point = [0.001, 0, 0], normal = [-1, 0, 0] }} }}
        kind = {{ soft = {stiffness:e} }}
        [[body.load]]
        select = {{ plane = {{ point = [7.999, 0, 0], normal = [1, 0, 0] }} }}
        force = [{force}, 0, 0]
        "#
        ),
    ));
    settle(&mut simulation, 20, 1e-9);
    let (x, rest) = (simulation.model.to_input(&simulation.state.x), &simulation.model.rest);
    // Between sections two widths away from the ends, where the stress is even.
    let section = |at: f64| {
        let inside: Vec<f64> =
            rest.iter().zip(&x).filter(|(r, _)| (r[0] - at).abs() < 1e-9).map(|(_, x)| x[0]).collect();
        assert_eq!(inside.len(), 25);
        inside.iter().sum::<f64>() / 25.0
    };
    let elongation = section(6.0) - section(2.0) - 4.0;
    let theory = force * 4.0 / young;
    println!("elongation {elongation:.6e} m, F L/(E A) = {theory:.6e} m");
    assert!((elongation / theory - 1.0).abs() < 0.01);
    let reaction: f64 =
        rest.iter().zip(&x).filter(|(r, _)| r[0] < 1e-9).map(|(r, x)| stiffness * (r[0] - x[0])).sum();
    assert!((reaction / -force - 1.0).abs() < 1e-4, "the pins feel {reaction} N");
}

#[test]
fn the_impulse_of_a_load_is_the_momentum_of_a_free_body() {
    // Midpoint integrates a force that is linear in time exactly.
    let mut simulation = simulation(
        r#"
        [time]
        step = 0.05
        frames = 1
        integrator = "midpoint"
        [solver]
        kind = "newton"
        iterations = 30
        [world]
        gravity = [0, 0, 0]
        [[body]]
        element = "linear"
        generate = { shape = "box", size = [1, 1, 1], cells = [2, 2, 2] }
        material = { model = "stable-neo-hookean", young = 1e5, poisson = 0.3 }
        pressure = 2000
        [[body.load]]
        select = { nearest = { point = [1, 1, 1], count = 3 } }
        force = { keys = [{ time = 0, value = [10, -60, 0] }, { time = 1, value = [50, -60, 4] }] }
        "#,
    );
    let mut last = None;
    for _ in 0..20 {
        last = Some(simulation.advance().unwrap());
    }
    let p = last.unwrap().linear;
    for (k, expected) in [30.0, -60.0, 2.0].iter().enumerate() {
        assert!((p[k] - expected).abs() < 1e-6, "{p:?}");
    }
}

#[test]
fn pressure_swells_a_body_and_changes_no_momentum() {
    for integrator in ["implicit-euler", "midpoint", "bdf2"] {
        let mut simulation = simulation(&format!(
            r#"
            [time]
            step = 0.01
            frames = 1
            integrator = "{integrator}"
            [solver]
            kind = "newton"
            iterations = 40
            [world]
            gravity = [0, 0, 0]
            [[body]]
            element = "linear"
            generate = {{ shape = "torus", major = 1, minor = 0.3, cells = 6 }}
            material = {{ model = "stable-neo-hookean", young = 1e5, poisson = 0.3 }}
            pressure = 1e4
            "#
        ));
        let volume = |simulation: &Simulation| {
            let body = &simulation.model.bodies[0];
            let x = simulation.model.to_input(&simulation.state.x);
            let points: Vec<[f64; 3]> = body.surface.vertices.iter().map(|v| x[*v as usize]).collect();
            enclosed_volume(&points, &body.surface.triangles)
        };
        let rest = volume(&simulation);
        for _ in 0..20 {
            let row = simulation.advance().unwrap();
            let scale = (2.0 * row.kinetic * 1000.0 * rest).sqrt();
            assert!(row.linear.iter().all(|p| p.abs() < 1e-10 * scale), "{integrator}: {:?}", row.linear);
        }
        assert!(volume(&simulation) > 1.01 * rest, "{integrator}: it does not swell");
    }
}

/// By how much the radius of a sphere of radius ½ and thickness 1 mm, `n` triangles along an edge of the icosahedron, grows
/// under a pressure that is raised over ten steps.
fn inflated(n: usize, material: &str, pressure: f64) -> f64 {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("sphere.vtu");
    let mut mesh = boundary(&Shape::Sphere { radius: 0.5, cells: n });
    // Inside out: outwards is found by the sign of the volume.
    mesh.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    pliant::io::write(&mesh, &path).unwrap();
    let mut simulation = simulation(&format!(
        r#"
        [time]
        step = 10
        frames = 1
        [solver]
        kind = "newton"
        iterations = 50
        tolerance = 1e-10
        [world]
        gravity = [0, 0, 0]
        [[body]]
        mesh = {path:?}
        thickness = 0.001
        material = {material}
        pressure = {{ keys = [{{ time = 0, value = 0 }}, {{ time = 100, value = {pressure:e} }}] }}
        "#
    ));
    let volume = |simulation: &Simulation| {
        enclosed_volume(&simulation.model.to_input(&simulation.state.x), &simulation.model.triangles).abs()
    };
    let rest = volume(&simulation);
    for _ in 0..10 {
        simulation.advance().unwrap();
    }
    settle(&mut simulation, 100, 1e-7);
    (volume(&simulation) / rest).cbrt()
}

#[test]
fn a_pressurized_sphere_grows_as_shell_theory_says() {
    // Thin sphere: σ = p r/(2t) in both directions, so Δr/r = (1 − ν) σ/E = p r (1 − ν)/(2 E t).
    let (young, poisson, strain) = (1e6, 0.3, 1e-3);
    let pressure = strain * 2.0 * young * 0.001 / (0.5 * (1.0 - poisson));
    for model in ["corotated", "stable-neo-hookean"] {
        let material = format!("{{ model = \"{model}\", young = {young:e}, poisson = {poisson} }}");
        let found = inflated(8, &material, pressure) - 1.0;
        println!("{model}: Δr/r = {found:.6e}, theory {strain:.6e}");
        assert!((found / strain - 1.0).abs() < 0.01, "{model}: {found}");
    }
}

#[test]
fn a_balloon_follows_the_exact_relation_of_its_material() {
    // Our sheet law takes F = [F₂ n], so a stretch λ in both directions of the sheet costs Ψ(λ, λ, 1) per rest volume:
    //
    //     Ψ = μ/2 (2λ² + 1 − 3) − μ ln λ² + Λ/2 ln² λ²,      dΨ/dλ = 2μ (λ − 1/λ) + 4Λ ln λ/λ
    //
    // Virtual work on a sphere of rest radius R, thickness t, radius λR: p dV = p 4π λ²R² R dλ = 4πR² t dΨ, so
    //
    //     p = t/(R λ²) dΨ/dλ,
    //
    // which rises up to λ = 1.6 with these moduli; beyond, a given pressure has no equilibrium.
    let (mu, lame) = (1e5, 8e4);
    for stretch in [1.1f64, 1.25] {
        let slope = 2.0 * mu * (stretch - 1.0 / stretch) + 4.0 * lame * stretch.ln() / stretch;
        let pressure = 0.001 / (0.5 * stretch * stretch) * slope;
        let material = format!("{{ model = \"neo-hookean\", mu = {mu:e}, lambda = {lame:e} }}");
        let found = inflated(8, &material, pressure);
        println!("p = {pressure:.3} Pa: stretch {found:.5}, exact {stretch}");
        assert!(((found - 1.0) / (stretch - 1.0) - 1.0).abs() < 0.015, "{found} {stretch}");
    }
}

#[test]
fn an_open_sheet_cannot_hold_a_pressure() {
    let config = pliant::config::parse(
        "[[body]]\nname = \"towel\"\ngenerate = { shape = \"cloth\", size = [1, 1], cells = [2, 2] }\n\
         material = { model = \"arap\", k = 1e5 }\npressure = 5",
    );
    let built = Simulation::new(&config.unwrap().scene, &pliant::cache::Cache::disabled());
    let error = built.err().expect("an error");
    let message = error.to_string();
    assert!(
        error.exit() == pliant::error::Exit::Usage
            && message.contains("'towel'")
            && message.contains("8 open edges"),
        "{message}"
    );
}

/// A free horizontal sheet of 1 m² and `mass` kg.
fn free_sheet(time: &str, mass: f64, world: &str) -> Simulation {
    simulation(&format!(
        r#"
        [time]
        frames = 1
        {time}
        [world]
        {world}
        [[body]]
        generate = {{ shape = "cloth", size = [1, 1], cells = [4, 4] }}
        thickness = 0.001
        density = {}
        material = {{ model = "arap", k = 1e4 }}
        "#,
        mass / 0.001
    ))
}

#[test]
fn a_falling_sheet_reaches_its_terminal_velocity() {
    // ½ ρ C A v² = m g.
    let (density, drag, mass) = (1.2, 0.9, 1.0f64);
    let theory = (2.0 * mass * 9.81 / (density * drag)).sqrt();
    let world = format!("wind = {{ density = {density}, drag = {drag} }}");
    let mut simulation = free_sheet("step = 0.002", mass, &world);
    let mut speed = 0.0;
    for _ in 0..2000 {
        let row = simulation.advance().unwrap();
        assert!(-row.linear[1] / mass >= speed - 1e-9, "it slows down");
        speed = -row.linear[1] / mass;
    }
    println!("terminal velocity {speed:.4} m/s, theory {theory:.4} m/s");
    assert!((speed / theory - 1.0).abs() < 0.01);
}

#[test]
fn a_light_sheet_in_a_storm_never_overtakes_the_wind() {
    for integrator in ["implicit-euler", "midpoint"] {
        let world = "gravity = [0, 0, 0]\nwind = { velocity = [0, 30, 0] }";
        let mut simulation = free_sheet(&format!("step = 0.1\nintegrator = \"{integrator}\""), 0.005, world);
        let mut before = vec![0.0; simulation.state.v.len()];
        for _ in 0..20 {
            simulation.advance().unwrap();
            let speeds: Vec<f64> = simulation.state.v.iter().map(|v| v.0[1]).collect();
            for (now, before) in speeds.iter().zip(&before) {
                assert!(*now > *before - 1e-9 && *now <= 30.0 + 1e-9, "{integrator}: {before} {now}");
            }
            before = speeds;
        }
        let slowest = before.iter().fold(f64::INFINITY, |m, v| m.min(*v));
        assert!(slowest > 29.5, "{integrator}: {slowest}");
    }
}

/// The end of a few steps of a flag in gusts, as bits.
fn flag(seed: u64) -> Vec<u64> {
    let mut simulation = simulation(&format!(
        r#"
        [time]
        step = "1/60"
        frames = 1
        [world]
        wind = {{ velocity = [6, 0, 2], gusts = 0.5, seed = {seed}, gust_length = 0.2 }}
        [[body]]
        generate = {{ shape = "cloth", size = [1, 1], cells = [36, 36] }}
        density = 150
        springs = {{ stiffness = 50, cross = true }}
        [[body.pin]]
        select = {{ plane = {{ point = [0.001, 0, 0], normal = [-1, 0, 0] }} }}
        [[body.load]]
        select = {{ nearest = {{ point = [1, 0, 0] }} }}
        force = [0, 0.1, 0]
        [[body]]
        element = "linear"
        generate = {{ shape = "sphere", radius = 0.2, cells = 4 }}
        material = {{ model = "stable-neo-hookean", young = 1e4, poisson = 0.3 }}
        pressure = 500
        "#
    ));
    assert!(simulation.objective.elements() >= par::WORTH_WAKING);
    for _ in 0..10 {
        simulation.advance().unwrap();
    }
    simulation.state.x.iter().chain(&simulation.state.v).flat_map(|v| v.0).map(f64::to_bits).collect()
}

#[test]
fn a_seed_makes_the_gusts_and_threads_change_nothing() {
    let one = par::with_threads(1, || flag(1));
    assert_ne!(one, flag(2));
    for threads in [2, 3, 8] {
        assert!(one == par::with_threads(threads, || flag(1)), "{threads} threads make a difference");
    }
}

#[test]
fn the_potential_is_that_of_the_gravity_of_the_moment() {
    let gravity = "gravity = { keys = [{ time = 0, value = [0, -9, 0] }, { time = 1, value = [3, 0, 0] }] }";
    let mut simulation = free_sheet("step = 0.1", 2.0, gravity);
    for i in 1..=12 {
        let row = simulation.advance().unwrap();
        let part = (0.1 * f64::from(i)).min(1.0);
        let g = [3.0 * part, -9.0 * (1.0 - part), 0.0];
        let mut first = [0.0; 3];
        for (m, x) in simulation.objective.mass.iter().zip(&simulation.state.x) {
            (0..3).for_each(|k| first[k] += m * x.0[k]);
        }
        let potential = -(0..3).map(|k| g[k] * first[k]).sum::<f64>();
        assert!((row.potential - potential).abs() < 1e-9, "{} {potential}", row.potential);
    }
}

/// A cube on springs under a load and a pressure that grow; positions and velocities at the end.
fn loaded_cube(integrator: &str, steps: u32) -> Vec<[f64; 3]> {
    let end = 0.08;
    let mut simulation = simulation(&format!(
        r#"
        [time]
        step = {:e}
        frames = {steps}
        integrator = "{integrator}"
        [solver]
        kind = "newton"
        iterations = 30
        [world]
        gravity = {{ keys = [{{ time = 0, value = [0, 0, 0] }}, {{ time = {end}, value = [0, -20, 0] }}] }}
        [[body]]
        element = "linear"
        generate = {{ shape = "box", size = [1, 1, 1], cells = [2, 2, 2] }}
        material = {{ model = "stable-neo-hookean", young = 2e5, poisson = 0.3 }}
        pressure = {{ keys = [{{ time = 0, value = 0 }}, {{ time = {end}, value = 5e3 }}] }}
        {HELD}
        kind = {{ soft = 1e4 }}
        [[body.load]]
        select = {{ plane = {{ point = [0.999, 0, 0], normal = [1, 0, 0] }} }}
        force = {{ keys = [{{ time = 0, value = [0, 0, 0] }}, {{ time = {end}, value = [2e2, 1e3, 0] }}] }}
        "#,
        end / f64::from(steps)
    ));
    for i in 0..simulation.state.x.len() {
        let [x, y, z] = simulation.state.x[i].xyz();
        simulation.state.v[i] = Vec4::new([y * x, 1.5 * x * x, -z * x]);
    }
    for _ in 0..steps {
        simulation.advance().unwrap();
    }
    simulation.state.x.iter().chain(&simulation.state.v).map(|p| p.xyz()).collect()
}

#[test]
fn loads_and_pressure_over_time_keep_the_order_of_integrators() {
    let truth = loaded_cube("midpoint", 512);
    for (integrator, order) in [("implicit-euler", 1.0), ("midpoint", 2.0), ("bdf2", 2.0)] {
        let error = |steps: u32| -> f64 {
            let state = loaded_cube(integrator, steps);
            let pairs = state.iter().flatten().zip(truth.iter().flatten());
            pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
        };
        let errors = [32, 64].map(error);
        let observed = (errors[0] / errors[1]).log2();
        println!("{integrator}: errors {errors:?}, order {observed:.2}");
        assert!((observed - order).abs() < 0.15, "{integrator}: {errors:?}");
    }
}

/// The part of its angular momentum that a spinning block under pressure has lost or gained after 0.2 s.
fn drift(steps: u32) -> f64 {
    let mut simulation = simulation(&format!(
        r#"
        [time]
        step = {:e}
        frames = {steps}
        integrator = "midpoint"
        [solver]
        kind = "newton"
        iterations = 30
        [world]
        gravity = [0, 0, 0]
        [[body]]
        element = "linear"
        generate = {{ shape = "box", size = [1, 0.6, 0.4], cells = [3, 2, 1] }}
        material = {{ model = "stable-neo-hookean", young = 2e5, poisson = 0.3 }}
        velocity = {{ angular = [3, 10, 2] }}
        pressure = {{ keys = [{{ time = 0, value = 0 }}, {{ time = 0.2, value = 2e4 }}] }}
        "#,
        0.2 / f64::from(steps)
    ));
    let rows: Vec<_> = (0..steps).map(|_| simulation.advance().unwrap()).collect();
    let norm = |v: [f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let (first, last) = (rows[0].angular, rows[rows.len() - 1].angular);
    norm(std::array::from_fn(|k| last[k] - first[k])) / norm(first)
}

#[test]
fn pressure_turns_with_a_spinning_body() {
    // Forces where the body was, not where it goes, would lag behind and brake it by an amount of first order.
    let drifts = [20, 40].map(drift);
    let order = (drifts[0] / drifts[1]).log2();
    println!("angular momentum drifts by {drifts:?}, order {order:.2}");
    assert!(drifts[0] < 1e-2 && order > 1.8, "{drifts:?}");
}
