//! ADMM against projective dynamics, Newton's minimizers and closed forms of hard sets.

use crate::common::scenes::{HELD, held_bar, material, materials};
use crate::common::{Descent, compared, distance, simulation, stretch_and_twist};
use elements::energy::Energy;
use elements::energy::attachment::{Attachment, AttachmentTerm};
use elements::energy::lengths::{Length, LengthTerm};
use elements::math::lanes::Vec4;
use pliant::cache::Cache;
use pliant::simulate::Simulation;
use pliant::solver::{Cost, SolverSettings, find};
use pliant::step::{Objective, Term};

/// A bar, stretched by 1.2 and twisted by 90°, held at one end; h = 1/30 s.
fn descent(solver: &str, material: &str) -> Descent {
    Descent::new(&held_bar(solver, material), stretch_and_twist([2.0, 0.5, 0.5]))
}

/// Iterations until the gradient is 1e-9 of its first value, `most` if it never is.
fn iterations(descent: &mut Descent, most: usize) -> usize {
    let first = descent.gradient();
    for done in 0..most {
        if descent.gradient() <= 1e-9 * first {
            return done;
        }
        descent.step();
    }
    most
}

#[test]
fn it_ends_where_newton_does_for_every_material_and_option() {
    for (name, material) in materials(2e4) {
        let mut newton = descent("kind = \"newton\"", &material);
        newton.reach_floor(100);
        for options in [
            "",
            "weight_scale = 0.5",
            "weight_scale = 3",
            "relaxation = 1.5",
            "balance = true",
            "weights = \"own\"",
        ] {
            let mut admm = descent(&format!("kind = \"admm\"\n{options}"), &material);
            let done = iterations(&mut admm, 1000);
            let apart = distance(&newton.iterate.x, &admm.iterate.x);
            println!("{name:<20} {options:<20} {apart:.1e} m after {done} iterations");
            assert!(apart < 1e-6 * 2.1, "{name}, {options}: {apart}");
        }
    }
}

#[test]
fn on_arap_it_takes_nearly_the_steps_of_projective_dynamics() {
    let material = material("arap", 1e6);
    let mut best = descent("kind = \"newton\"", &material);
    best.reach_floor(100);
    let (mut pd, mut admm) = (descent("kind = \"pd\"", &material), descent("kind = \"admm\"", &material));
    let (first, best) = (pd.value(), best.value());
    for i in 0..40 {
        pd.step();
        admm.step();
        let (p, a) = ((pd.value() - best) / (first - best), (admm.value() - best) / (first - best));
        println!("{i:>3} relative errors {p:.3e} {a:.3e}");
        assert!((p / a).ln().abs() < 0.25, "iteration {i}: {p} {a}");
    }
}

/// A chain of springs of rest length zero, tied to points.
fn affine() -> Objective {
    let springs = (0..9).map(|v| Length::spring(v, v + 1, 50.0 + f64::from(v), 0.0, 0.0)).collect();
    let ties = [0, 4, 9].map(|vertex| Attachment { vertex, stiffness: 70.0 + f64::from(vertex) });
    let path = Box::new(|_| (0..3).map(|i| Vec4::new([f64::from(i), 1.0, -f64::from(i * i)])).collect());
    let terms: Vec<Box<dyn Energy>> = vec![
        Box::new(LengthTerm::new("springs".into(), 2, springs)),
        Box::new(AttachmentTerm::new(ties.to_vec(), path)),
    ];
    let terms = terms.into_iter().map(|energy| Term::new(energy, vec![0])).collect();
    let mut objective = Objective::new(9, 0.1, vec![0.3; 10], vec![Vec4::ZERO; 10], terms);
    for (v, y) in objective.inertial.iter_mut().enumerate() {
        *y = Vec4::new([v as f64, (v as f64).sin(), 0.2]);
    }
    objective
}

#[test]
fn on_affine_sets_it_is_projective_dynamics() {
    let objective = affine();
    let mut found = vec![];
    for kind in ["pd", "admm"] {
        let method = find(kind).expect("a known kind").read(Default::default()).expect("no options");
        let settings = SolverSettings::new(method, 1, 0.0).expect("in range");
        let mut solver = settings.build();
        let x = (0..10).map(|v| Vec4::new([0.3 * f64::from(v), -1.0, f64::from(v * v)])).collect();
        let mut iterate = objective.iterate_at(x);
        objective.evaluate(&mut iterate);
        solver.prepare(&objective, &Cache::disabled()).expect("a solvable scene");
        solver.begin_step(&objective, &iterate);
        let mut path = vec![];
        for _ in 0..10 {
            solver.iterate(&objective, &mut iterate, &mut Cost::default()).expect("no trouble");
            path.extend(iterate.x.clone());
        }
        found.push(path);
    }
    let apart = distance(&found[0], &found[1]);
    assert!(apart < 1e-12, "{apart}");
}

#[test]
fn balancing_repairs_weights_that_are_far_off() {
    let material = material("neo-hookean", 2e4);
    for scale in [0.02, 40.0] {
        let run = |balance: bool| {
            let text = format!("kind = \"admm\"\nweight_scale = {scale}\nbalance = {balance}");
            iterations(&mut descent(&text, &material), 2000)
        };
        let (fixed, balanced) = (run(false), run(true));
        println!("weights {scale}: {fixed} iterations, {balanced} with balance");
        assert!(balanced < fixed, "{scale}: {fixed} {balanced}");
    }
}

/// The beam of Ledwon 2024, 5.5, let go from a twist of 270°, with a step of 0.01 s.
fn untwisting(material: &str) -> Simulation {
    simulation(&format!(
        r#"
        [time]
        step = 0.01
        frames = 1
        [world]
        gravity = [0, 0, 0]
        [[body]]
        element = "linear"
        generate = {{ shape = "beam", size = [3, 0.5, 0.5], cells = [30, 5, 5] }}
        material = {material}
        deform = {{ twist = {{ axis = "x", degrees = 270 }} }}
        "#
    ))
}

#[test]
fn its_own_weights_keep_up_with_hand_screened_ones() {
    let arap = |k: f64| format!("{{ model = \"arap\", k = {k:e} }}");
    let stable =
        |young: f64| format!("{{ model = \"stable-neo-hookean\", young = {young:e}, poisson = 0.45 }}");
    let scales = ["1", "0.5", "0.25", "0.125", "0.0625"].map(|scale| format!("admm:weight_scale={scale}"));
    let mut solvers: Vec<&str> = scales.iter().map(String::as_str).collect();
    solvers.push("admm:weights=own");
    for material in [arap(1e6), arap(1e8), arap(1e12), stable(1e5), stable(1e6)] {
        let comparison = compared(untwisting(&material), &solvers, 300);
        let needed = |label: &str| comparison.iterations_to(label, 1e-4);
        let best = scales.iter().filter_map(|label| needed(label)).min().expect("some weights converge");
        let own = needed("admm:weights=own").expect("own weights converge");
        println!("{material}: {own} iterations, {best} at best");
        assert!(own as f64 <= 1.5 * best as f64, "{material}: {own} of {best}");
        let course = comparison.courses.last().expect("own weights are the last contender");
        // Values that differ by rounding, which stiffness magnifies, count as equal.
        let slack = 1e-6 * course.points[0].value.total();
        let is_falling = course.points.is_sorted_by(|a, b| b.value.total() <= a.value.total() + slack);
        assert!(is_falling, "{material}: g rises");
    }
}

#[test]
fn its_own_weights_stay_below_the_start_where_fixed_ones_rise() {
    let material = "{ model = \"arap\", k = 1e8 }";
    let solvers = ["admm:weight_scale=0.01", "admm:weights=own", "admm:weights=own:relaxation=1.9"];
    let comparison = compared(untwisting(material), &solvers, 60);
    let highest = |label: &str| {
        let course = comparison.courses.iter().find(|course| course.label == label).expect("a contender");
        course.points.iter().map(|point| point.relative_error).fold(0.0, f64::max)
    };
    assert!(highest(solvers[0]) > 2.0, "weights of k/100 do not rise");
    for label in &solvers[1..] {
        assert!(highest(label) <= 1.0 + 1e-9, "{label}: {}", highest(label));
    }
}

/// One edge of 1 m from a pin at the origin, its free end at `end` with `velocity`; h = 0.1 s. As a spring it would
/// lengthen by 5 mm under its weight.
fn pendulum(kind: &str, end: [f64; 3], velocity: [f64; 3]) -> [f64; 3] {
    let mut simulation = simulation(&format!(
        r#"
        [time]
        step = 0.1
        frames = 1
        [solver]
        kind = "admm"
        iterations = 2000
        tolerance = 1e-12
        [[body]]
        generate = {{ shape = "rope", length = 1, segments = 1 }}
        line = {{ kind = "{kind}", young = 1e6 }}
        [[body.pin]]
        select = {{ ids = [0] }}
        "#
    ));
    let free = simulation.model.numbering.position[1] as usize;
    simulation.state.x[free] = Vec4::new(end);
    simulation.state.v[free] = Vec4::new(velocity);
    simulation.advance().unwrap();
    simulation.model.to_input(&simulation.state.x)[1]
}

#[test]
fn rods_and_ropes_end_at_the_nearest_point_that_they_allow() {
    // argmin |x − y|² with |x| = 1 or |x| ≤ 1 is y brought to length 1, if need be; y = x_n + h v + h² g.
    let cases =
        [([1.0, 0.0, 0.0], [2.0, 0.0, 0.5]), ([0.0, -1.0, 0.0], [0.0; 3]), ([0.5, 0.2, 0.0], [0.0; 3])];
    for (end, velocity) in cases {
        let gravity = [0.0, -9.81, 0.0];
        let y: [f64; 3] = std::array::from_fn(|k| end[k] + 0.1 * velocity[k] + 0.01 * gravity[k]);
        let length = y.iter().map(|c| c * c).sum::<f64>().sqrt();
        for kind in ["rod", "rope"] {
            let found = pendulum(kind, end, velocity);
            let wanted = if kind == "rope" { length.min(1.0) } else { 1.0 };
            for k in 0..3 {
                let want = y[k] * wanted / length;
                assert!((found[k] - want).abs() < 1e-9, "{kind} at {end:?}: {found:?}, {want} of {y:?}");
            }
        }
    }
}

/// The largest stretch of the edges along x of a sheet that hangs by one side from weak springs; and of its own weight.
fn hanging_sheet(solver: &str) -> f64 {
    let mut simulation = simulation(&format!(
        r#"
        [time]
        step = 0.02
        frames = 20
        [world]
        gravity = [9.81, 0, 0]
        [solver]
        {solver}
        [[body]]
        generate = {{ shape = "cloth", size = [1, 0.5], cells = [8, 4] }}
        thickness = 0.001
        springs = {{ stiffness = 0.1 }}
        limits = {{ warp = [0.9, 1.05], weft = [0.9, 1.05], direction = [1, 0, 0], stiffness = 1e5 }}
        {HELD}
        "#
    ));
    let mut largest = 0.0f64;
    for _ in 0..20 {
        simulation.advance().unwrap();
        let x = simulation.model.to_input(&simulation.state.x);
        let rest = &simulation.model.rest;
        for t in &simulation.model.triangles {
            for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
                let (a, b) = (a as usize, b as usize);
                let d: [f64; 3] = std::array::from_fn(|k| rest[b][k] - rest[a][k]);
                let now: f64 = (0..3).map(|k| (x[b][k] - x[a][k]).powi(2)).sum::<f64>().sqrt();
                if d[2].abs() < 1e-9 {
                    largest = largest.max(now / d[0].abs());
                }
            }
        }
    }
    largest
}

#[test]
fn limits_of_strain_are_kept_exactly() {
    let stiff = hanging_sheet("kind = \"newton\"\niterations = 30");
    let hard = hanging_sheet("kind = \"admm\"\niterations = 3000\ntolerance = 1e-9");
    println!("stretched by at most {stiff} (newton), {hard} (admm); the limit is 1.05");
    assert!(stiff > 1.06, "the scene does not pull: {stiff}");
    assert!(hard < 1.05 + 1e-6, "{hard}");
}

#[test]
fn its_options_are_checked() {
    for (option, place) in [
        ("weight_scale = 0", "solver.weight_scale"),
        ("relaxation = 2", "solver.relaxation"),
        ("weights = \"own\"\nweight_scale = 0.5", "solver.weight_scale"),
        ("weights = \"own\"\nbalance = true", "solver.balance"),
        ("weights = \"other\"", "solver.weights"),
        ("history = 3", "solver.history"),
    ] {
        let text = format!(
            "[solver]\nkind = \"admm\"\n{option}\n[[body]]\n\
             element = \"linear\"\n\
             generate = {{ shape = \"box\" }}\nmaterial = {{ model = \"arap\", k = 1 }}\n"
        );
        let error = pliant::config::parse(&text).expect_err(option).to_string();
        assert!(error.contains(place), "{option}: {error}");
    }
}
