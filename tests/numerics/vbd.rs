//! Vertex block descent: every sweep descends, all terms end at Newton's minimum, acceleration helps and is kept in check.

use crate::common::scenes::{held_bar, material, materials, untwisting_beam};
use crate::common::{Descent, compared, distance, place, simulation};
use elements::energy::material::find;
use elements::math::random::SplitMix64;
use pliant::simulate::Simulation;

/// Stretched by half and turned by 180° over its length, then each vertex moved by up to `jitter` cells in any direction.
fn violent(jitter: f64) -> impl Fn(&mut Simulation) {
    move |simulation| {
        place(simulation, |p| {
            let (sin, cos) = (std::f64::consts::PI * p[0] / 2.0).sin_cos();
            let (y, z) = (p[1] - 0.25, p[2] - 0.25);
            let seed = p.map(|c| (c * 64.0).round() as u64);
            let mut random = SplitMix64::new(seed[0] << 32 | seed[1] << 16 | seed[2]);
            [1.5 * p[0], 0.25 + cos * y - sin * z, 0.25 + sin * y + cos * z]
                .map(|c| c + 0.25 * jitter * (2.0 * random.uniform() - 1.0))
        });
    }
}

/// Sweeps and checks that g falls, to less than `part` of what it was in the end.
fn check_descent(mut descent: Descent, sweeps: usize, part: f64, name: &str) {
    let first = descent.value();
    assert!(first.is_finite(), "{name}: infinite from the start");
    for i in 0..sweeps {
        let before = descent.value();
        if !descent.step() {
            break;
        }
        let rise = descent.value() - before;
        let floor = descent.objective.rounding(&descent.iterate.value);
        assert!(rise <= floor, "{name}, sweep {i}: g rises by {rise:e} from {before:e}");
    }
    println!("{name}: {first:.3e} to {:.3e}", descent.value());
    assert!(descent.value() < part * first, "{name}: {first:e} to {:e}", descent.value());
}

#[test]
fn every_sweep_lowers_the_objective() {
    // Most of g at the soft minimum is inertia.
    for (young, part) in [(2e4, 0.98), (1e7, 0.5)] {
        for (name, material) in materials(young) {
            // Barriers must not be crossed from the start; the others recover from inverted elements, or try to.
            let is_barrier = find(name).unwrap().keys.contains(&"inversion");
            let jitter = if is_barrier { [0.0, 0.1] } else { [0.0, 2.0] };
            for jitter in jitter {
                let descent = Descent::new(&held_bar("kind = \"vbd\"", &material), violent(jitter));
                check_descent(descent, 40, part, &format!("{name}, E = {young:e}, jitter {jitter}"));
            }
        }
    }
}

#[test]
fn an_inverted_barrier_that_is_extended_descends_too() {
    let rubber = "{ model = \"neo-hookean\", young = 1e5, poisson = 0.4, inversion = \"extend\" }";
    check_descent(Descent::new(&held_bar("kind = \"vbd\"", rubber), violent(2.0)), 60, 0.5, "extended");
}

#[test]
fn nothing_moves_at_the_minimum() {
    let text = held_bar("kind = \"vbd\"", &material("arap", 1e5))
        .replace("[[body]]", "[world]\ngravity = [0, 0, 0]\n[[body]]");
    let mut descent = Descent::new(&text, |_| {});
    descent.iterate.x.copy_from_slice(&descent.objective.rest);
    descent.objective.evaluate(&mut descent.iterate);
    let before = descent.iterate.x.clone();
    descent.step();
    assert!(distance(&before, &descent.iterate.x) < 1e-15);
}

const CLOTH: &str = "generate = { shape = \"cloth\", size = [1, 1], cells = [6, 6] }\ndensity = 300\n";
const BOX: &str =
    "element = \"linear\"\ngenerate = { shape = \"box\", size = [1, 0.5, 0.5], cells = [4, 2, 2] }\n";
const ARAP: &str = "material = { model = \"arap\", k = 1e4 }\n";

#[test]
fn every_kind_of_term_is_minimized() {
    let cases = [
        ("springs", format!("{CLOTH}springs = {{ stiffness = 30, cross = true }}\n")),
        ("hinges", format!("{CLOTH}springs = {{ stiffness = 30 }}\nbending = {{ kind = \"hinge\", stiffness = 1e-3 }}\n")),
        ("plate", format!("{CLOTH}material = {{ model = \"stvk\", young = 1e5, poisson = 0.3 }}\nbending = {{ stiffness = 1e-3 }}\n")),
        ("sheet of rubber", format!("{CLOTH}material = {{ model = \"neo-hookean\", young = 1e5, poisson = 0.3 }}\n")),
        ("limits", format!("{CLOTH}{ARAP}limits = {{ stretch = [0.98, 1.02], stiffness = 1e5 }}\n")),
        ("rope", "generate = { shape = \"rope\", length = 1, segments = 10 }\nline = { kind = \"spring\", young = 1e5 }\n".into()),
        ("fibers", format!("{BOX}{ARAP}fibers = [{{ direction = [0, 1, 0], stiffness = 1e5 }}]\n")),
        ("drag", format!("{BOX}{ARAP}damping = {{ mass = 2 }}\n")),
        ("viscosity", format!("{BOX}{ARAP}damping = {{ stiffness = 0.05 }}\n")),
        ("viscous sheet", format!("{CLOTH}{ARAP}damping = {{ stiffness = 0.05 }}\n")),
        ("viscous springs", format!("{CLOTH}springs = {{ stiffness = 30 }}\ndamping = {{ stiffness = 0.05 }}\n")),
        ("stiffness_scale", format!("{BOX}{ARAP}stiffness_scale = {{ keys = [{{ time = 0, value = 1 }}, {{ time = 0.1, value = 3 }}] }}\n")),
    ];
    for (name, body) in cases {
        for pin in ["\"hard\"", "{ soft = 1e4 }"] {
            let text = format!(
                "[time]\nstep = 0.02\n[world]\ngravity = [2, -9.81, 0.5]\n[[body]]\n{body}\
                 [[body.pin]]\nselect = {{ plane = {{ point = [1e-6, 0, 0], normal = [-1, 0, 0] }} }}\nkind = {pin}\n"
            );
            let mut moving = simulation(&text);
            for _ in 0..4 {
                moving.advance().unwrap();
            }
            let comparison = compared(moving, &["vbd"], 200);
            let needed = comparison.iterations_to("vbd", 1e-9);
            println!("{name}, {pin}: {needed:?} sweeps");
            assert!(needed.is_some(), "{name}, {pin}: {:?}", comparison.courses[0].points.last());
        }
    }
}

/// A stiff beam let go from a twist, where single vertices see little of the whole.
fn twisted() -> Simulation {
    simulation(&untwisting_beam(0.01, "{ model = \"stable-neo-hookean\", young = 1e8, poisson = 0.3 }"))
}

#[test]
fn acceleration_saves_most_sweeps() {
    let solvers = ["vbd", "vbd:rho=0.95", "vbd:rho=0.99", "vbd:rho=0.999"];
    let comparison = compared(twisted(), &solvers, 400);
    let sweeps = solvers.map(|s| comparison.iterations_to(s, 1e-3).expect("within 400 sweeps"));
    println!("sweeps to 1e-3: {sweeps:?}; {:?}", comparison.courses[3].notes);
    let [plain, low, good, high] = sweeps;
    assert!(2 * low < plain && 5 * good < plain, "{sweeps:?}");
    // Too large a radius is kept in check by refusals.
    assert!(5 * high < plain, "{sweeps:?}");
}

#[test]
fn acceleration_that_would_raise_the_objective_is_refused() {
    let comparison = compared(twisted(), &["vbd:rho=0.9999:delay=1"], 100);
    let course = &comparison.courses[0];
    for pair in course.points.windows(2) {
        let rise = pair[1].value.total() - pair[0].value.total();
        assert!(rise <= 1e-12 * pair[0].value.total(), "{rise:e} at {}", pair[1].iteration);
    }
    assert!(
        course.notes.iter().any(|note| note.contains("refused") && note.contains("rho")),
        "{:?}",
        course.notes
    );
    let quiet = compared(twisted(), &["vbd"], 5);
    assert!(quiet.courses[0].notes.is_empty(), "{:?}", quiet.courses[0].notes);
}
