//! Pins that begin and end: what they hold stays to the bit, and what they let go flies on.

use crate::common::scenes::material;
use crate::common::simulation;
use elements::math::lanes::Vec4;
use elements::math::vec3::{norm, scale, sub};
use elements::par;
use pliant::cache::Cache;
use pliant::prelude::{Body, Material, Scene, Selection, Shape};
use pliant::simulate::Simulation;
use pliant::simulate::metrics::{Momenta, momenta};
use pliant::solver::KINDS;

/// Steps in a second.
const RATE: u64 = 60;
const STEP: f64 = 1.0 / RATE as f64;

/// A bar of 8×2×2 cells with `pins`, under a solver with its options.
fn bar(solver: &str, gravity: f64, material: &str, pins: &str) -> Simulation {
    simulation(&format!(
        r#"
        [time]
        step = "1/{RATE}"
        frames = 60
        [solver]
        {solver}
        [world]
        gravity = [0, {gravity}, 0]
        [[body]]
        element = "linear"
        generate = {{ shape = "beam", size = [1, 0.2, 0.2], cells = [8, 2, 2] }}
        material = {material}
        {pins}
        "#
    ))
}

/// A pin of the side at x = 0; `keys` follow its selection.
fn side(keys: &str) -> String {
    format!("[[body.pin]]\nselect = {{ box = {{ min = [-1, -1, -1], max = [0.13, 9, 9] }} }}\n{keys}\n")
}

/// All kinds of solvers.
fn solvers() -> impl Iterator<Item = String> {
    KINDS.iter().map(|kind| format!("kind = \"{}\"\niterations = 8", kind.name))
}

fn sums(simulation: &Simulation) -> Momenta {
    momenta(&simulation.objective.mass, &simulation.state.x, &simulation.state.v)
}

/// The momentum of a scene over its mass, in m/s.
fn mean_velocity(simulation: &Simulation) -> [f64; 3] {
    scale(1.0 / simulation.objective.mass.iter().sum::<f64>(), sums(simulation).linear)
}

fn advance(simulation: &mut Simulation, steps: u64) {
    for _ in 0..steps {
        simulation.advance().unwrap();
    }
}

/// The vertices of the first pin, internal numbers.
fn pinned(simulation: &Simulation) -> Vec<usize> {
    simulation.model.passing[0].vertices.iter().map(|v| *v as usize).collect()
}

/// The largest coordinate by which vertices are off their places.
fn off(simulation: &Simulation, vertices: &[usize], places: &[Vec4]) -> f64 {
    let apart = |(v, place): (&usize, &Vec4)| {
        (0..3).map(|k| (simulation.state.x[*v].0[k] - place.0[k]).abs()).fold(0.0, f64::max)
    };
    vertices.iter().zip(places).map(apart).fold(0.0, f64::max)
}

#[test]
fn a_body_that_is_carried_and_let_go_flies_on() {
    let arap = material("arap", 1e5);
    let thrown =
        "[[body.pin]]\nselect = \"all\"\nmotion = { translate = [3, 1, -2] }\nactive = { until = 0.25 }";
    for solver in solvers() {
        let mut simulation = bar(&solver, 0.0, &arap, thrown);
        for step in 1..=60 {
            simulation.advance().unwrap();
            let v = mean_velocity(&simulation);
            assert!(norm(sub(v, [3.0, 1.0, -2.0])) < 1e-9, "{solver}: {v:?} after step {step}");
        }
        let moved = simulation.state.x[0].0[0] - simulation.model.initial.x[0].0[0];
        assert!((moved - 3.0).abs() < 1e-9, "{solver}: {moved}");
    }
}

#[test]
fn every_integrator_gives_what_it_lets_go_the_velocity_of_its_motion() {
    let arap = material("arap", 1e5);
    let thrown = "[[body.pin]]\nselect = \"all\"\nmotion = { translate = [3, 0, 0] }\nactive = { from = 0.1, until = 0.25 }";
    for integrator in ["implicit-euler", "midpoint", "bdf2"] {
        let mut simulation = simulation(&format!(
            "[time]\nstep = \"1/{RATE}\"\nframes = 60\nintegrator = \"{integrator}\"\n[world]\ngravity = [0, 0, 0]\n[[body]]\n\
             element = \"linear\"\n\
             generate = {{ shape = \"box\", size = [1, 1, 1], cells = [2, 2, 2] }}\nmaterial = {arap}\n{thrown}"
        ));
        advance(&mut simulation, 60);
        let v = mean_velocity(&simulation);
        println!("{integrator}: {v:?}");
        assert!(norm(sub(v, [3.0, 0.0, 0.0])) < 1e-9, "{integrator}: {v:?}");
        let moved = simulation.state.x[0].0[0] - simulation.model.initial.x[0].0[0];
        assert!((moved - 2.7).abs() < 1e-9, "{integrator}: {moved}");
    }
}

#[test]
fn what_is_let_go_falls_freely() {
    for solver in ["kind = \"quasi-newton\"\niterations = 20", "kind = \"newton\"\niterations = 5"] {
        for model in ["arap", "neo-hookean"] {
            let mut simulation = bar(solver, -9.81, &material(model, 2e5), &side("active = { until = 0.5 }"));
            advance(&mut simulation, 30);
            let mass: f64 = simulation.objective.mass.iter().sum();
            let (x, v) = (scale(1.0 / mass, sums(&simulation).first), mean_velocity(&simulation));
            // Implicit Euler: n steps later x + n h v + h² g n (n + 1)/2.
            for n in 1..=30 {
                simulation.advance().unwrap();
                let now = scale(1.0 / mass, sums(&simulation).first);
                let n = f64::from(n);
                let mut want: [f64; 3] = std::array::from_fn(|k| x[k] + n * STEP * v[k]);
                want[1] -= 9.81 * STEP * STEP * n * (n + 1.0) / 2.0;
                assert!(norm(sub(now, want)) < 1e-9, "{solver}, {model}: {now:?} {want:?}");
            }
            assert!(v[1].abs() > 1e-3, "the bar swings when it is let go: {v:?}");
        }
    }
}

#[test]
fn a_pin_that_begins_holds_vertices_where_they_are_then() {
    let arap = material("arap", 1e5);
    for solver in solvers() {
        // The bar hangs on one pin, and another takes its place for a while.
        let pins = side("kind = { soft = 500 }") + &side("active = { from = 0.2, until = 0.5 }");
        let mut simulation = bar(&solver, -9.81, &arap, &pins);
        advance(&mut simulation, 12);
        let held = pinned(&simulation);
        let places: Vec<Vec4> = held.iter().map(|v| simulation.state.x[*v]).collect();
        for step in 13..=30 {
            let before = simulation.state.x.clone();
            simulation.advance().unwrap();
            assert_eq!(off(&simulation, &held, &places), 0.0, "{solver}: step {step}");
            assert!(held.iter().all(|v| simulation.state.v[*v].xyz() == [0.0; 3]), "{solver}: step {step}");
            let moves = |v: usize| simulation.state.x[v] != before[v];
            let others = (0..simulation.objective.free).filter(|v| !held.contains(v));
            assert!(
                others.clone().filter(|v| moves(*v)).count() > others.count() / 2,
                "{solver}: step {step}"
            );
        }
        advance(&mut simulation, 2);
        assert!(off(&simulation, &held, &places) > 1e-6, "{solver}: the pin lets go");
        assert!(simulation.state.x.iter().all(|x| x.0.iter().all(|c| c.abs() < 10.0)), "{solver}");
    }
}

#[test]
fn steps_of_a_pin_for_a_time_end_where_those_of_a_lasting_one_do() {
    let rubber = material("neo-hookean", 2e5);
    for solver in [
        "kind = \"newton\"\niterations = 40",
        "kind = \"newton\"\niterations = 40\nlinear = \"cg\"\nlinear_iterations = 2000",
        "kind = \"newton\"\niterations = 40\nlinear = \"pcg\"\nlinear_iterations = 400",
        "kind = \"quasi-newton\"\niterations = 300",
        "kind = \"quasi-newton\"\niterations = 300\nprecision = \"double\"",
        "kind = \"quasi-newton\"\niterations = 300\ninitial_hessian = \"frame\"",
        "kind = \"vbd\"\niterations = 3000",
        "kind = \"admm\"\niterations = 1500",
    ] {
        let turn = "motion = { rotate = { axis = [1, 0, 0], degrees_per_second = 90 } }";
        let mut lasting = bar(&format!("{solver}\ntolerance = 1e-11"), -9.81, &rubber, &side(turn));
        let pin = side(&format!("{turn}\nactive = {{ until = 99 }}"));
        let mut passing = bar(&format!("{solver}\ntolerance = 1e-11"), -9.81, &rubber, &pin);
        assert!(lasting.objective.free < passing.objective.free);
        for _ in 0..6 {
            lasting.advance().unwrap();
            passing.advance().unwrap();
        }
        let name = &lasting.model.bodies[0].name.clone();
        let (a, b) = (lasting.positions(name).unwrap(), passing.positions(name).unwrap());
        let apart = a.iter().zip(&b).map(|(a, b)| norm(sub(*a, *b))).fold(0.0, f64::max);
        println!("{solver:?}: {apart:.1e}");
        assert!(apart < 1e-7, "{solver}: {apart:e}");
    }
}

#[test]
fn motions_go_on_from_where_pins_begin() {
    let arap = material("arap", 1e5);
    let pin = |motion: &str| side(&format!("motion = {motion}\nactive = {{ from = 0.25 }}"));
    for (motion, wanted) in [
        // By 0.25 s the motion of a lasting pin would have led 0.5 m away.
        ("{ translate = [2, 0, 0] }", [0.5, 0.0, 0.0]),
        ("{ shake = { amplitude = [0, 1, 0], frequency = 1 } }", [0.0, -1.0, 0.0]),
        (
            "{ keyframes = { keys = [{ time = 0, translate = [9, 9, 9] }, { time = 1, translate = [9, 9, 10] }] } }",
            [0.0, 0.0, 0.25],
        ),
    ] {
        let mut simulation = bar("", 0.0, &arap, &pin(motion));
        advance(&mut simulation, 30);
        let at = |v: &usize| simulation.model.initial.x[*v].xyz();
        let held = pinned(&simulation);
        let places: Vec<Vec4> =
            held.iter().map(|v| Vec4::new(std::array::from_fn(|k| at(v)[k] + wanted[k]))).collect();
        assert!(off(&simulation, &held, &places) < 1e-12, "{motion}");
    }
    // A quarter turn about the axis after the beginning, whatever the angle was before.
    let turn = "{ rotate = { axis = [0, 0, 1], degrees_per_second = 360 } }";
    let mut simulation = bar("", 0.0, &arap, &pin(turn));
    advance(&mut simulation, 30);
    let held = pinned(&simulation);
    let places: Vec<Vec4> = held
        .iter()
        .map(|v| {
            let [x, y, z] = simulation.model.initial.x[*v].xyz();
            Vec4::new([-y, x, z])
        })
        .collect();
    assert!(off(&simulation, &held, &places) < 1e-12);
}

#[test]
fn pins_that_follow_each_other_hand_vertices_over() {
    let arap = material("arap", 1e5);
    let pins = side("motion = { translate = [0, 0, 1] }\nactive = { until = 0.25 }")
        + &side("motion = { translate = [0, 2, 0] }\nactive = { from = 0.25, until = 0.5 }");
    for solver in solvers() {
        let mut simulation = bar(&solver, 0.0, &arap, &pins);
        advance(&mut simulation, 30);
        let held = pinned(&simulation);
        let places: Vec<Vec4> = held
            .iter()
            .map(|v| {
                let [x, y, z] = simulation.model.initial.x[*v].xyz();
                Vec4::new([x, y + 0.5, z + 0.25])
            })
            .collect();
        assert!(off(&simulation, &held, &places) < 1e-12, "{solver}");
        assert!(simulation.state.v[held[0]].0[1] > 1.9, "{solver}");
    }
}

#[test]
fn soft_pins_begin_slack_and_let_go() {
    let arap = material("arap", 1e5);
    for solver in solvers() {
        let pin = side("kind = { soft = 1e4 }\nactive = { from = 0.2, until = 0.5 }");
        let mut simulation = bar(&solver, -9.81, &arap, &pin);
        advance(&mut simulation, 12);
        let fallen = -9.81 * STEP * STEP * 12.0 * 13.0 / 2.0;
        let mass: f64 = simulation.objective.mass.iter().sum();
        let at = |simulation: &Simulation| sums(simulation).first[1] / mass;
        assert!((at(&simulation) - 0.1 - fallen).abs() < 1e-5, "{solver}: it falls before");
        let begun = at(&simulation);
        let mut lowest = begun;
        for _ in 0..18 {
            simulation.advance().unwrap();
            lowest = lowest.min(at(&simulation));
        }
        // Free fall would have led it 1 m further down; for pbd every spring is hard.
        let is_slack = solver.contains("\"pbd\"") || lowest < begun - 1e-4;
        assert!(is_slack && lowest > begun - 0.8, "{solver}: {lowest} {begun}");
        let v = mean_velocity(&simulation);
        advance(&mut simulation, 10);
        let gained = mean_velocity(&simulation)[1] - v[1];
        // Sweeps over vertices that end early do not keep momentum to rounding.
        let tolerance = if solver.contains("\"vbd\"") { 1e-2 } else { 1e-5 };
        assert!((gained + 9.81 * STEP * 10.0).abs() < tolerance, "{solver}: it falls on by {gained}");
    }
}

#[test]
fn what_is_let_go_keeps_its_momenta_and_energy() {
    let (arap, pin) = (
        material("arap", 1e5),
        side("motion = { shake = { amplitude = [0, 0.1, 0], frequency = 3 } }\nactive = { until = 0.3 }"),
    );
    for solver in [
        "kind = \"constrained-pd\"\niterations = 40\ntolerance = 1e-7",
        "kind = \"pd\"\niterations = 20\nfepr = true",
    ] {
        let mut simulation = bar(solver, 0.0, &arap, &pin);
        advance(&mut simulation, 18);
        let energy = |simulation: &Simulation| {
            let mut at = simulation.objective.iterate_at(simulation.state.x.clone());
            simulation.objective.evaluate(&mut at);
            sums(simulation).kinetic + at.value.elastic
        };
        let (p, h) = (sums(&simulation).linear, energy(&simulation));
        assert!(h > 1.0, "{h}");
        let (mut worst_p, mut worst_h) = (0.0f64, 0.0f64);
        for _ in 0..60 {
            simulation.advance().unwrap();
            worst_p = worst_p.max(norm(sub(sums(&simulation).linear, p)) / norm(p));
            worst_h = worst_h.max((energy(&simulation) - h).abs() / h);
        }
        println!("{solver:?}: P {worst_p:.1e}, H {worst_h:.1e}");
        assert!(worst_p < 1e-5 && worst_h < 1e-3, "{solver}: P {worst_p:e}, H {worst_h:e}");
    }
}

/// A ball that is led towards a floor, let go, and caught at its side on the floor.
fn falling_ball(kind: &str) -> String {
    format!(
        r#"
        [time]
        step = "1/{RATE}"
        frames = 60
        [solver]
        kind = "{kind}"
        iterations = 20
        [contact]
        distance = 0.01
        [[obstacle]]
        name = "floor"
        shape = {{ plane = {{ point = [0, 0, 0], normal = [0, 1, 0] }} }}
        [[body]]
        element = "linear"
        generate = {{ shape = "sphere", radius = 0.3, cells = 4 }}
        material = {}
        transform = {{ translate = [0, 0.5, 0] }}
        [[body.pin]]
        select = {{ plane = {{ point = [0, 0.7, 0], normal = [0, 1, 0] }} }}
        motion = {{ translate = [0, -0.8, 0] }}
        active = {{ until = 0.3 }}
        [[body.pin]]
        select = {{ plane = {{ point = [0.2, 0, 0], normal = [1, 0, 0] }} }}
        active = {{ from = 0.75 }}
        "#,
        material("arap", 1e5)
    )
}

/// Runs [`falling_ball`] under a solver; returns the number of steps in which it touches, and `None` for a solver that
/// refuses contact.
fn drop_ball(kind: &str) -> Option<usize> {
    let scene = pliant::config::parse(&falling_ball(kind)).unwrap().scene;
    let (mut simulation, _) = Simulation::new(&scene, &Cache::disabled()).ok()?;
    let held = pinned(&simulation);
    let at = |v: &usize, time: f64| {
        let [x, y, z] = simulation.model.initial.x[*v].xyz();
        Vec4::new([x, y - 0.8 * time, z])
    };
    let places: Vec<Vec<Vec4>> =
        (1..=18).map(|step| held.iter().map(|v| at(v, step as f64 * STEP)).collect()).collect();
    let caught = |simulation: &Simulation| -> Vec<usize> {
        simulation.model.passing[1].vertices.iter().map(|v| *v as usize).collect()
    };
    let (mut touched, mut stopped) = (0, None::<Vec<Vec4>>);
    for step in 0..60 {
        let metrics = simulation.advance().unwrap();
        touched += usize::from(metrics.contacts > 0);
        assert!(simulation.objective.intersection(&simulation.state.x).is_none(), "{kind}: step {step}");
        let is_above = |x: &Vec4| x.0[1] > 0.0;
        assert!(simulation.state.x[..simulation.objective.free].iter().all(is_above), "{kind}: step {step}");
        if let Some(places) = places.get(step) {
            assert!(off(&simulation, &held, places) < 1e-14, "{kind}: step {step}");
        }
        if step >= 44 {
            let caught = caught(&simulation);
            let places =
                stopped.get_or_insert_with(|| caught.iter().map(|v| simulation.state.x[*v]).collect());
            assert_eq!(off(&simulation, &caught, places), 0.0, "{kind}: step {step}");
        }
    }
    Some(touched)
}

#[test]
fn a_ball_that_is_let_go_lands_on_the_floor() {
    let touched: Vec<_> = KINDS.iter().filter_map(|kind| Some((kind.name, drop_ball(kind.name)?))).collect();
    println!("{touched:?}");
    assert!(touched.len() >= 2 && touched.iter().all(|(_, steps)| *steps > 5), "{touched:?}");
}

#[test]
fn threads_make_no_difference_where_pins_begin_and_end() {
    for kind in KINDS {
        let text = format!(
            r#"
            [time]
            step = "1/30"
            frames = 6
            [solver]
            kind = "{}"
            iterations = 3
            [[body]]
            element = "linear"
            generate = {{ shape = "beam", size = [2, 0.5, 0.5], cells = [24, 8, 8], split = 5 }}
            material = {}
            {}
            [[body.pin]]
            select = {{ box = {{ min = [1.5, -1, -1], max = [9, 9, 9] }} }}
            kind = {{ soft = 1e3 }}
            active = {{ from = 0.1 }}
            "#,
            kind.name,
            material("arap", 1e5),
            side("active = { from = 0.05, until = 0.15 }")
        );
        let run = || {
            let mut simulation = simulation(&text);
            assert!(simulation.objective.elements() >= par::WORTH_WAKING);
            advance(&mut simulation, 6);
            simulation.state
        };
        let (one, two) = (par::with_threads(1, run), par::with_threads(2, run));
        assert!(one == two, "{}", kind.name);
    }
}

#[test]
fn scenes_in_code_let_go_too_and_refuse_periods_that_cannot_be() {
    let scene = |period: [f64; 2]| {
        let cube = Shape::Block { size: [1.0; 3], cells: [1; 3], split: 5 };
        let rubber = Material::elastic("corotated", 1e5, 0.3).unwrap();
        let body = Body::new("cube", cube).material(rubber).pin_between(Selection::All, None, period);
        Scene::new("held").body(body).time_step(STEP)
    };
    let mut simulation = Simulation::start(&scene([0.0, 5.0 * STEP])).unwrap();
    advance(&mut simulation, 5);
    assert_eq!(simulation.state, simulation.model.initial);
    advance(&mut simulation, 1);
    assert!((mean_velocity(&simulation)[1] + 9.81 * STEP).abs() < 1e-9);
    for period in [[1.0, 1.0], [1.0, 0.5], [-1.0, 1.0], [f64::NAN, 1.0], [0.0, f64::NAN]] {
        let error = Simulation::start(&scene(period)).err().expect("no such period").to_string();
        assert!(error.contains("body 'cube': pin 0: active."), "{error}");
    }
}
