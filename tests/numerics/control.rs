//! The user's hand on momenta and energy, and the projection of other solvers' steps (FEPR).

use crate::common::program::{Place, assert_equal_content};
use crate::common::scenes::{material, weightless};
use crate::common::simulation;
use pliant::simulate::Simulation;
use pliant::simulate::metrics::StepMetrics;

fn ball(time: &str, solver: &str, more: &str) -> Simulation {
    let body = format!(
        "element = \"linear\"\ngenerate = {{ shape = \"sphere\", radius = 0.5, cells = 4 }}\nmaterial = {}\n{more}",
        material("arap", 1e5)
    );
    simulation(&weightless(&format!("step = \"1/30\"\n{time}"), solver, &body))
}

fn energy(m: &StepMetrics) -> f64 {
    m.kinetic + m.value.elastic
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum::<f64>().sqrt()
}

const CONSTRAINED: &str = "kind = \"constrained-pd\"\niterations = 100\ntolerance = 1e-6";
const KEYED: &str = r#"
    [body.control]
    linear_momentum = { keys = [{ time = 0, value = [0, 0, 0] }, { time = 1, value = [0, 500, 0] }] }
    angular_momentum = { keys = [{ time = 1, value = [0, 0, 0] }, { time = 2, value = [0, 0, 80] }] }
    energy = { keys = [{ time = 0, value = 1000 }, { time = 2, value = 3000 }] }
"#;

#[test]
fn prescribed_momenta_and_energy_are_what_the_body_has() {
    for solver in [CONSTRAINED, "kind = \"pd\"\niterations = 10\nfepr = true"] {
        let mut simulation = ball("", solver, &format!("deform = {{ stretch = [1.3, 1, 1] }}\n{KEYED}"));
        let mut worst = [0.0f64; 3];
        for _ in 0..90 {
            let m = simulation.advance().unwrap();
            let t = m.time;
            let wanted = (500.0 * t.min(1.0), 80.0 * (t - 1.0).clamp(0.0, 1.0), 1000.0 + 1000.0 * t.min(2.0));
            // About the centre of mass; the ball flies along y through x = z = 0.
            let spin = simulation.ledger.accounts[0].angular;
            worst[0] = worst[0].max(distance(m.linear, [0.0, wanted.0, 0.0]) / 500.0);
            worst[1] = worst[1].max(distance(spin, [0.0, 0.0, wanted.1]) / 80.0);
            worst[1] = worst[1].max((m.angular[2] - wanted.1).abs() / 80.0);
            worst[2] = worst[2].max((energy(&m) - wanted.2).abs() / wanted.2);
        }
        println!("{solver:?}: P, L, H off by {worst:?}");
        assert!(worst[0] < 1e-8 && worst[1] < 1e-5 && worst[2] < 1e-3, "{worst:?}");
    }
}

#[test]
fn an_energy_below_that_of_the_momenta_gives_way() {
    // P > 0, L = 0, H = 0 \[Kee2021, 4.2\]: α goes to 1 and the body moves as a rigid one.
    let control = "control = { linear_momentum = [300, 0, 0], energy = 0 }";
    let mut simulation = ball("", CONSTRAINED, control);
    let mass: f64 = simulation.objective.mass.iter().sum();
    let mut last = simulation.advance().unwrap();
    for _ in 0..30 {
        last = simulation.advance().unwrap();
    }
    let least = 0.5 * 300.0 * 300.0 / mass;
    println!("H {:.6e} for K {least:.6e}, elastic {:.1e}", energy(&last), last.value.elastic);
    assert!((last.linear[0] - 300.0).abs() < 1e-6);
    assert!((energy(&last) / least - 1.0).abs() < 1e-2 && last.value.elastic < 1e-2 * least);
}

#[test]
fn what_is_not_to_be_kept_is_lost_as_ever() {
    let more = "deform = { stretch = [1.3, 1, 1] }\nvelocity = { angular = [0, 0, 5] }";
    let run = |names: &str| {
        let control = format!("{more}\ncontrol = {{ conserve = {names} }}");
        let mut simulation = ball("", CONSTRAINED, &control);
        let first = simulation.ledger.accounts[0];
        let mut last = simulation.advance().unwrap();
        for _ in 0..60 {
            last = simulation.advance().unwrap();
        }
        (energy(&last) / first.energy, last.angular[2] / first.angular[2])
    };
    let (h, l) = run("[\"angular\", \"linear\"]");
    println!("without energy: {h:.3} of H, {l:.9} of L");
    assert!(h < 0.9 && (l - 1.0).abs() < 1e-9);
    let (h, l) = run("[\"energy\"]");
    println!("with energy alone: {h:.6} of H, {l:.3} of L");
    assert!((h - 1.0).abs() < 1e-3 && (l - 1.0).abs() > 1e-3);
}

#[test]
fn projected_steps_of_other_solvers_keep_momenta_and_energy() {
    let body = "deform = { stretch = [1.2, 1, 1] }\nvelocity = { linear = [1, 0, 0], angular = [0, 1, 5] }";
    for (integrator, solver, iterations) in [
        ("implicit-euler", "pd", 10),
        ("implicit-euler", "quasi-newton", 10),
        ("implicit-euler", "newton", 5),
        ("midpoint", "quasi-newton", 10),
    ] {
        let time = format!("integrator = \"{integrator}\"");
        let solver = format!("kind = \"{solver}\"\niterations = {iterations}\nfepr = true");
        let mut simulation = ball(&time, &solver, body);
        let first = simulation.ledger.accounts[0];
        let mut worst = [0.0f64; 3];
        let mut spin = None;
        for _ in 0..60 {
            let m = simulation.advance().unwrap();
            let spin = *spin.get_or_insert(m.angular);
            worst[0] = worst[0].max(distance(m.linear, first.linear) / first.linear[0].abs());
            worst[1] = worst[1].max(distance(m.angular, spin) / distance(first.angular, [0.0; 3]));
            worst[2] = worst[2].max((energy(&m) / first.energy - 1.0).abs());
        }
        println!("{integrator}, {}: P, L, H off by {worst:?}", solver.replace('\n', ", "));
        assert!(worst.iter().all(|w| *w < 1e-6), "{worst:?}");
    }
}

const SCENE: &str = r#"
name = "scene"
[time]
step = "1/30"
frames = 12
[solver]
kind = "KIND"
iterations = 8
EXTRA
[[body]]
element = "linear"
generate = { shape = "box", size = [1, 1, 1], cells = [3, 3, 3] }
material = { model = "arap", young = 1e5 }
deform = { stretch = [1.4, 1, 1] }
velocity = { angular = [0, 3, 1] }
stiffness_scale = { keys = [{ time = 0.1, value = 1 }, { time = 0.2, value = 2 }] }
control = { damping = 0.3 }
"#;

#[test]
fn accounts_resume_to_the_same_bytes() {
    for (kind, extra) in [("constrained-pd", ""), ("pd", "fepr = true")] {
        let place = Place::new();
        place.write("scene.toml", &SCENE.replace("KIND", kind).replace("EXTRA", extra));
        place.succeed(&["simulate", "scene.toml", "-o", "unbroken"]);
        place.succeed(&["simulate", "scene.toml", "--frames", "5", "-o", "broken"]);
        let other =
            ["simulate", "scene.toml", "-o", "broken", "--resume", "--set", "body.0.control.damping=0.4"];
        assert!(place.fail(2, &other).contains("another config"));
        place.succeed(&["simulate", "scene.toml", "-o", "broken", "--resume"]);
        assert_equal_content(&place.path("unbroken"), &place.path("broken"));
    }
}

#[test]
fn what_cannot_go_together_is_refused_with_its_place() {
    let place = Place::new();
    place.write("scene.toml", &SCENE.replace("KIND", "constrained-pd").replace("EXTRA", ""));
    for (set, expected) in [
        ("solver.fepr=true", "solver.fepr: solver 'constrained-pd' keeps momenta and energy by itself"),
        (
            "time.integrator=\"midpoint\"",
            "time.integrator: solver 'constrained-pd' goes with \"implicit-euler\"",
        ),
        ("solver.regularization=0", "solver.regularization: must be above 0"),
        ("body.0.control.damping=-1", "body.0.control.damping: must not be negative"),
        ("body.0.control.energy=3", "body.0.control.damping: has no meaning beside energy"),
        ("body.0.control.conserve=[\"linear\"]", "body.0.control.damping: needs \"energy\" in conserve"),
        ("body.0.control.conserve=[\"mass\"]", "body.0.control.conserve.0"),
        ("body.0.damping.mass=1", "it keeps energy; use damping of body.control instead"),
    ] {
        let refused = place.fail(2, &["simulate", "scene.toml", "--set", set]);
        assert!(refused.contains(expected), "{set}: {refused}");
    }
    let warned = place.succeed(&["check", "scene.toml", "--solver", "pd"]);
    assert!(warned.contains("body.0.control has no effect with solver 'pd'"), "{warned}");
    for (set, expected) in [
        ("time.integrator=\"bdf2\"", "time.integrator: solver.fepr goes with"),
        ("body.0.damping.mass=1", "body.0.damping: does not go with solver.fepr"),
    ] {
        let arguments = ["check", "scene.toml", "--solver", "pd", "--set", "solver.fepr=true", "--set", set];
        let refused = place.fail(2, &arguments);
        assert!(refused.contains(expected), "{set}: {refused}");
    }
}
