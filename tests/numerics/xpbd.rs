//! XPBD and PBD: closed forms, the way to Newton's point and what remains of it, the hard limit, refusals.

use crate::common::scenes::{HELD, material, materials, weightless};
use crate::common::{Descent, distance, place, simulation};
use pliant::cache::Cache;
use pliant::error::Error;
use pliant::simulate::Simulation;
use pliant::simulate::metrics::momenta;

/// A line of 1 m along x, held at x = 0, under gravity along `gravity`.
fn line(solver: &str, kind: &str, segments: usize, gravity: [f64; 3]) -> String {
    format!(
        r#"
        [time]
        step = "1/60"
        frames = 30
        [solver]
        {solver}
        [world]
        gravity = {gravity:?}
        [[body]]
        generate = {{ shape = "rope", length = 1, segments = {segments} }}
        line = {{ kind = "{kind}", young = 1e5 }}
        [[body.pin]]
        select = {{ ids = [0] }}
        "#
    )
}

const NEWTON: &str = "kind = \"newton\"\niterations = 50";
const ALONG: [f64; 3] = [9.81, 0.0, 0.0];
const ACROSS: [f64; 3] = [0.0, -9.81, 0.0];

#[test]
fn one_iteration_solves_one_spring() {
    let mut simulation = simulation(&line("kind = \"xpbd\"\niterations = 1", "spring", 1, ALONG));
    // κ/m with κ = E A/l and half the line's mass ρ A l at its end.
    let (h, rate) = (1.0 / 60.0, 1e5 / (0.5 * 1000.0));
    let (mut x, mut v) = (1.0, 0.0);
    for _ in 0..30 {
        simulation.advance().unwrap();
        let y = x + h * v + h * h * 9.81;
        let next = (y + h * h * rate) / (1.0 + h * h * rate);
        (v, x) = ((next - x) / h, next);
    }
    let end = simulation.model.to_input(&simulation.state.x)[1];
    assert!((end[0] - x).abs() < 1e-12 && end[1] == 0.0, "{end:?} {x}");
    assert!(x > 1.01, "it hangs down");
}

/// Distances from Newton's point, relative to that of the start, after so many iterations.
fn distances(text: impl Fn(&str) -> String, solver: &str, marks: &[usize]) -> Vec<f64> {
    let mut newton = Descent::new(&text(NEWTON), |_| {});
    let start = newton.iterate.x.clone();
    newton.reach_floor(100);
    let mut xpbd = Descent::new(&text(&format!("{solver}\niterations = 1")), |_| {});
    let mut done = 0;
    let relative = |mark: &usize| {
        while done < *mark {
            assert!(xpbd.step());
            done += 1;
        }
        distance(&xpbd.iterate.x, &newton.iterate.x) / distance(&start, &newton.iterate.x)
    };
    marks.iter().map(relative).collect()
}

#[test]
fn springs_that_only_stretch_end_at_the_minimum() {
    // Along a straight line constraints are linear: nothing is neglected.
    let text = |solver: &str| line(solver, "spring", 20, ALONG);
    let d = distances(text, "kind = \"xpbd\"", &[1, 10, 100, 3000]);
    println!("collinear springs: {d:?}");
    assert!(d[0] > d[1] && d[1] > d[2] && d[3] < 1e-9, "{d:?}");
    let accelerated = distances(text, "kind = \"xpbd\"\nrho = 0.95\ndelay = 2", &[100]);
    println!("accelerated, 100 sweeps: {accelerated:?}");
    assert!(accelerated[0] < 0.1 * d[2], "{accelerated:?} {d:?}");
    let relaxed = distances(text, "kind = \"xpbd\"\nrelaxation = 0.7", &[10, 6000]);
    assert!(relaxed[0] > d[1] && relaxed[1] < 1e-9, "{relaxed:?}");
}

#[test]
fn a_line_that_is_swept_in_regions_ends_at_the_minimum() {
    // Links of a metre, which are soft for their mass: each sweep carries loads a few links on.
    let text = |solver: &str| line(solver, "spring", 20_000, ALONG).replace("length = 1,", "length = 20000,");
    let wave = |simulation: &mut Simulation| place(simulation, |p| [p[0] + 0.3 * p[0].sin(), 0.0, 0.0]);
    let mut newton = Descent::new(&text(NEWTON), wave);
    let start = newton.iterate.x.clone();
    newton.reach_floor(100);
    let mut xpbd = Descent::new(&text("kind = \"xpbd\"\niterations = 1"), wave);
    (0..100).for_each(|_| assert!(xpbd.step()));
    let [first, last] = [&start, &xpbd.iterate.x].map(|x| distance(x, &newton.iterate.x));
    println!("20,000 springs: {first:e} m from the minimum, {last:e} after 100 sweeps");
    assert!(first > 1e-3 && last < 1e-8 * first, "{first:e} {last:e}");
}

#[test]
fn springs_that_turn_come_near_the_minimum() {
    // Let go from a straight line across gravity, with a pin that makes the first springs turn.
    let d = distances(
        |solver| line(solver, "spring", 20, [5.0, -9.81, 0.0]),
        "kind = \"xpbd\"",
        &[1, 10, 100, 1000],
    );
    println!("turning springs: {d:?}");
    assert!(d[0] > d[1] && d[1] > d[2] && d[3] < 0.05, "{d:?}");
}

/// A bar of `model`, twisted, held at one end, with a step of h seconds.
fn bar(solver: &str, model: &str, h: f64) -> String {
    format!(
        r#"
        [time]
        step = {h}
        frames = 1
        [solver]
        {solver}
        [[body]]
        element = "linear"
        generate = {{ shape = "beam", size = [1, 0.3, 0.3], cells = [6, 2, 2] }}
        material = {}
        deform = {{ twist = {{ axis = "x", degrees = 60 }} }}
        {HELD}
        "#,
        material(model, 1e4)
    )
}

#[test]
fn what_remains_to_the_minimum_is_of_second_order_in_the_step() {
    // Sweeps settle where α̃λ = −C, not at the minimum: directions that change on the way are neglected. The start is off
    // by h², so a remainder of the order h⁴ is one of h² relative to it.
    for (model, options) in [
        ("arap", ""),
        ("stable-neo-hookean", ""),
        ("stable-neo-hookean", "\nneo_hookean = \"split\""),
        ("stvk", ""),
    ] {
        let solver = format!("kind = \"xpbd\"{options}");
        let [long, short] =
            [0.004, 0.002].map(|h| distances(|solver| bar(solver, model, h), &solver, &[1, 20, 200]));
        let order = (long[2] / short[2]).log2();
        println!("{model} {options:?}: h = 0.004 {long:?}, h = 0.002 {short:?}, order {order:.2}");
        assert!((order - 2.0).abs() < 0.2, "{model}{options}: {long:?} {short:?}");
        assert!((long[2] / long[1] - 1.0).abs() < 1e-6, "{model}{options}: not settled, {long:?}");
        assert!(model != "arap" || (long[2] < long[0] && short[2] < short[0]), "{long:?} {short:?}");
    }
}

#[test]
fn hard_constraints_of_xpbd_are_those_of_pbd() {
    // Rods and ropes have no compliance, and neither have prescribed vertices.
    for kind in ["rod", "rope"] {
        let end = |solver: &str| {
            let mut simulation =
                simulation(&line(&format!("kind = \"{solver}\"\niterations = 20"), kind, 30, ACROSS));
            for _ in 0..30 {
                simulation.advance().unwrap();
            }
            simulation.state
        };
        assert_eq!(end("xpbd"), end("pbd"), "{kind}");
    }
    let end = |solver: &str| {
        let mut simulation =
            simulation(&line(&format!("kind = \"{solver}\"\niterations = 20"), "spring", 30, ACROSS));
        simulation.advance().unwrap();
        simulation.state
    };
    assert_ne!(end("xpbd"), end("pbd"), "springs are compliant");
}

#[test]
fn ropes_keep_their_length_and_go_slack() {
    let mut simulation = simulation(&line("kind = \"xpbd\"\niterations = 400", "rope", 20, ACROSS));
    let mut shortest = 1.0f64;
    for _ in 0..30 {
        simulation.advance().unwrap();
        let x = simulation.model.to_input(&simulation.state.x);
        for pair in x.windows(2) {
            let length = distance_of(pair[0], pair[1]);
            assert!(length < 0.05 * 1.01, "{length}");
            shortest = shortest.min(length);
        }
    }
    // A pendulum is taut; thrown at its pin, a rope is not.
    assert!(shortest > 0.0495, "{shortest}");
    let text = line("kind = \"xpbd\"\niterations = 400", "rope", 20, [-9.81, 0.0, 0.0]);
    let mut falling = crate::common::simulation(&text);
    falling.advance().unwrap();
    let x = falling.model.to_input(&falling.state.x);
    assert!(distance_of(x[0], x[1]) < 0.0495, "nothing holds a rope that is pushed");
}

fn distance_of(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum::<f64>().sqrt()
}

/// A box without pins, deformed and spinning.
fn free_box(solver: &str, material: &str) -> Simulation {
    let body = format!(
        r#"
        element = "linear"
        generate = {{ shape = "box", size = [1.2, 0.6, 0.3], cells = [6, 3, 2], split = 6 }}
        material = {material}
        deform = {{ twist = {{ axis = "x", degrees = 40 }} }}
        velocity = {{ linear = [0.5, -1, 0.2], angular = [0.5, 6, 1] }}
        "#
    );
    simulation(&weightless("step = \"1/120\"\nframes = 20", &format!("{solver}\niterations = 8"), &body))
}

#[test]
fn every_material_runs_and_keeps_its_momentum() {
    let mut cases: Vec<(String, String)> =
        materials(1e5).into_iter().map(|(_, m)| ("kind = \"xpbd\"".to_owned(), m)).collect();
    cases.extend(materials(1e5).into_iter().map(|(_, m)| ("kind = \"pbd\"".to_owned(), m)));
    let split = "kind = \"xpbd\"\nneo_hookean = \"split\"";
    cases.push((split.into(), material("stable-neo-hookean", 1e5)));
    for (solver, material) in cases {
        let mut simulation = free_box(&solver, &material);
        let sum = |s: &Simulation| momenta(&s.objective.mass, &s.state.x, &s.state.v).linear;
        let first = sum(&simulation);
        for _ in 0..20 {
            let metrics = simulation.advance().unwrap_or_else(|e| panic!("{solver} {material}: {e}"));
            assert_eq!(metrics.iterations, 8);
        }
        let apart = distance_of(sum(&simulation), first) / distance_of(first, [0.0; 3]);
        let (lowest, inverted) = simulation.objective.volumes(&simulation.state.x);
        println!("{solver:?} {material}: P {apart:.1e}, det F ≥ {lowest:.2}, {inverted} inverted");
        assert!(apart < 1e-12, "{solver} {material}: {apart:e}");
        assert_eq!(inverted, 0, "{solver} {material}");
    }
}

#[test]
fn a_step_that_ends_outside_a_barrier_says_so() {
    let mut simulation = simulation(
        r#"
        [time]
        step = "1/30"
        frames = 40
        [solver]
        kind = "xpbd"
        iterations = 3
        [[body]]
        element = "linear"
        generate = { shape = "beam", size = [2.5, 0.625, 0.625], cells = [16, 4, 4], split = 5 }
        material = { model = "neo-hookean", young = 2e5, poisson = 0.3 }
        [[body.pin]]
        select = { box = { min = [-1, -1, -1], max = [1e-6, 9, 9] } }
        kind = "hard"
        "#,
    );
    let error = (0..40).find_map(|_| simulation.advance().err()).expect("tets invert").to_string();
    assert!(error.contains("inverted tets") && error.contains("inversion = \"extend\""), "{error}");
}

fn refusal(text: &str) -> String {
    let config = pliant::config::parse(text).unwrap().scene;
    match Simulation::new(&config, &Cache::disabled()) {
        Err(error @ Error::Unsupported { .. }) => error.to_string(),
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("not refused: {text}"),
    }
}

#[test]
fn what_is_no_constraint_is_refused() {
    let damped = |what: &str| {
        bar("kind = \"xpbd\"", "arap", 0.01)
            .replace("deform =", &format!("damping = {{ {what} = 0.1 }}\ndeform ="))
    };
    for what in ["mass", "stiffness"] {
        let message = refusal(&damped(what));
        assert!(message.contains("'xpbd'") && message.contains("damping"), "{message}");
    }
    let message = refusal(&bar("kind = \"xpbd\"\nneo_hookean = \"split\"", "neo-hookean", 0.01));
    assert!(message.contains("split") && message.contains("stable-neo-hookean"), "{message}");
    let unbounded = bar("kind = \"xpbd\"", "stable-neo-hookean", 0.01)
        .replace("young = 1e4, poisson = 0.3", "mu = 1e4, lambda = 0");
    assert!(refusal(&unbounded).contains("lambda"), "{}", refusal(&unbounded));
    let fault = pliant::config::parse(&bar("kind = \"pbd\"\nneo_hookean = \"split\"", "arap", 0.01));
    assert!(fault.unwrap_err().to_string().contains("does not take this key"));
}
