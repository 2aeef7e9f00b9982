//! Probes against closed forms and against the state that frames are made of.

use crate::common::{settle, simulation};

/// A block that hangs by a side, with probes.
fn hanging(kind: &str) -> String {
    format!(
        r#"
        [time]
        step = "1/10"
        frames = 1
        [solver]
        kind = "newton"
        iterations = 30
        [[body]]
        name = "block"
        generate = {{ shape = "box", size = [1, 0.5, 0.5], cells = [4, 2, 2] }}
        density = 800
        material = {{ model = "stable-neo-hookean", young = 1e6, poisson = 0.3 }}
        [[body.pin]]
        select = {{ box = {{ min = [-1, -1, -1], max = [1e-6, 2, 2] }} }}
        kind = {kind}
        [[probe]]
        name = "hold"
        quantity = "pin_force"
        [[probe]]
        name = "tip"
        select = {{ nearest = {{ point = [1, 0.25, 0.25] }} }}
        quantity = "displacement"
        [[probe]]
        name = "far"
        reduce = "max"
        "#
    )
}

#[test]
fn pins_at_rest_carry_the_weight() {
    for kind in ["\"hard\"", "{ soft = 1e6 }"] {
        let mut simulation = simulation(&hanging(kind));
        settle(&mut simulation, 400, 1e-12);
        let values = simulation.probe();
        let weight = 0.25 * 800.0 * 9.81;
        let hold: [f64; 3] = values[..3].try_into().unwrap();
        assert!((hold[1] - weight).abs() < 1e-6 * weight, "{kind}: {hold:?}, {weight}");
        assert!(hold[0].abs() < 1e-5 * weight && hold[2].abs() < 1e-5 * weight, "{kind}: {hold:?}");
    }
}

#[test]
fn places_are_those_of_the_state() {
    let mut simulation = simulation(&hanging("\"hard\""));
    assert_eq!(simulation.probe()[..6], [0.0; 6], "nothing has moved and no step was made");
    for _ in 0..3 {
        simulation.advance().unwrap();
    }
    let values = simulation.probe();
    let x = simulation.positions("block").unwrap();
    let rest = &simulation.model.rest;
    let near = |p: &[f64; 3]| (p[0] - 1.0).powi(2) + (p[1] - 0.25).powi(2) + (p[2] - 0.25).powi(2);
    let tip = (0..rest.len()).min_by(|a, b| near(&rest[*a]).total_cmp(&near(&rest[*b]))).unwrap();
    let moved: Vec<f64> = (0..3).map(|k| x[tip][k] - rest[tip][k]).collect();
    assert_eq!(values[3..6], moved);
    let length = |p: &[f64; 3]| p.iter().map(|c| c * c).sum::<f64>();
    let far = x.iter().max_by(|a, b| length(a).total_cmp(&length(b))).unwrap();
    assert_eq!(values[6..9], far[..]);
}

/// A moving pin needs the force that its vertices' own masses take: on a free fall along with the body, none.
#[test]
fn pins_that_fall_with_the_body_carry_nothing() {
    let text = hanging("\"hard\"").replace(
        "kind = \"hard\"",
        "motion = { keyframes = { keys = [{ time = 0 }, { time = 0.1, translate = [0, -0.0981, 0] }, \
         { time = 0.2, translate = [0, -0.2943, 0] }, { time = 0.3, translate = [0, -0.5886, 0] }] } }",
    );
    // Implicit Euler falls by g h² (1 + 2 + … + n).
    let mut simulation = simulation(&text);
    for _ in 0..3 {
        simulation.advance().unwrap();
        let hold = &simulation.probe()[..3];
        assert!(hold.iter().all(|f| f.abs() < 1e-6 * 0.25 * 800.0 * 9.81), "{hold:?}");
    }
}

/// A stiff bar swings about its upper edge: T = 2π √(I / (m g s)), for a swing of few degrees.
#[test]
fn the_period_of_a_pendulum_is_that_of_a_rigid_body() {
    let (length, width) = (1.0f64, 0.1f64);
    // The mesh is turned about its corner; this is the middle line of its upper side then.
    let (sin, cos) = 3f64.to_radians().sin_cos();
    let pivot = [0.05 * cos - sin, 0.05 * sin + cos];
    let [low, high] = [-0.01, 0.01].map(|d| pivot.map(|c| c + d));
    let mut simulation = simulation(&format!(
        r#"
        [time]
        step = 0.005
        frames = 1
        integrator = "bdf2"
        [solver]
        kind = "newton"
        iterations = 10
        [[body]]
        name = "bar"
        generate = {{ shape = "box", size = [0.1, 1, 0.1], cells = [1, 8, 1] }}
        material = {{ model = "corotated", young = 1e9, poisson = 0.3 }}
        transform = {{ rotate = {{ axis = [0, 0, 1], degrees = 3 }} }}
        [[body.pin]]
        select = {{ box = {{ min = [{}, {}, -1], max = [{}, {}, 1] }} }}
        [[probe]]
        name = "end"
        select = {{ nearest = {{ point = [0.05, 0, 0] }} }}
        "#,
        low[0], low[1], high[0], high[1]
    ));
    let mut crossings = vec![];
    let mut before = simulation.probe()[0];
    let middle = pivot[0];
    let mut time = 0.0;
    while crossings.len() < 5 && time < 20.0 {
        simulation.advance().unwrap();
        let now = simulation.probe()[0];
        if (before - middle) * (now - middle) < 0.0 {
            crossings.push(time + 0.005 * (before - middle) / (before - now));
        }
        (before, time) = (now, time + 0.005);
    }
    let period = (crossings[4] - crossings[0]) / 2.0;
    // About the middle of the upper side, parallel to z.
    let inertia = (length * length + width * width) / 12.0 + length * length / 4.0;
    let expected = 2.0 * std::f64::consts::PI * (inertia / (9.81 * length / 2.0)).sqrt();
    assert!((period / expected - 1.0).abs() < 0.01, "{period} for {expected}: {crossings:?}");
}

/// The tip of a cantilever of two quadratic cells across: q L⁴ / (8 E I), q = ρ g a², I = a⁴/12.
#[test]
fn the_tip_of_a_cantilever_sags_as_beams_do() {
    let mut simulation = simulation(
        r#"
        [time]
        step = 1000
        frames = 1
        [solver]
        kind = "newton"
        iterations = 30
        tolerance = 1e-11
        [world]
        gravity = [0, -1e-4, 0]
        [[body]]
        name = "beam"
        generate = { shape = "beam", size = [1, 0.1, 0.1], cells = [20, 2, 2] }
        density = 1000
        material = { model = "neo-hookean", young = 1e6, poisson = 0.3 }
        [[body.pin]]
        select = { box = { min = [-1, -1, -1], max = [1e-6, 1, 1] } }
        [[probe]]
        name = "tip"
        select = { nearest = { point = [1, 0.05, 0.05] } }
        quantity = "displacement"
        "#,
    );
    settle(&mut simulation, 20, 1e-13);
    let sag = simulation.probe()[1];
    let theory = 1000.0 * 1e-4 * 0.01 / (8.0 * 1e6 * 1e-4 / 12.0);
    assert!((sag / -theory - 1.0).abs() < 0.02, "{sag} for {theory}");
    let rest = &simulation.model.rest;
    let is_tip = |p: &[f64; 3]| p.iter().zip([1.0, 0.05, 0.05]).all(|(a, b)| (a - b).abs() < 1e-9);
    let tip = rest.iter().position(is_tip).expect("a vertex in the middle of the free end");
    let x = simulation.positions("beam").unwrap();
    assert_eq!(sag, x[tip][1] - rest[tip][1]);
}
