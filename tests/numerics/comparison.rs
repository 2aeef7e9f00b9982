//! Solvers on one step: who needs how many iterations.

use crate::common::scenes::untwisting_beam;
use crate::common::{compared, simulation};
use pliant::simulate::Simulation;

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
        element = "linear"
        generate = {{ shape = "beam", size = [4, 1, 1], cells = {cells:?} }}
        material = {{ model = "arap", young = 1e7 }}
        [[body.pin]]
        select = {{ plane = {{ point = [1e-6, 0, 0], normal = [-1, 0, 0] }} }}
        "#
    ));
    for _ in 0..steps {
        simulation.advance().unwrap();
    }
    simulation
}

/// A beam let go from a stretch and a twist.
fn twisted_beam(cells: [usize; 3]) -> Simulation {
    simulation(&format!(
        r#"
        [[body]]
        element = "linear"
        generate = {{ shape = "beam", size = [4, 1, 1], cells = {cells:?} }}
        material = {{ model = "arap", young = 1e6 }}
        deform = [{{ stretch = [1.2, 1, 1] }}, {{ twist = {{ axis = "x", degrees = 90 }} }}]
        [[body.pin]]
        select = {{ plane = {{ point = [1e-6, 0, 0], normal = [-1, 0, 0] }} }}
        "#
    ))
}

/// The iterations that an accelerated inner solver needs for a relative error of 1e-6, and the error that the inner
/// solver alone has after `times` as many.
fn gain(make: impl Fn() -> Simulation, inner: &str, times: u64) -> (u64, f64) {
    let fast = format!("chebyshev:inner={inner}");
    let needed = compared(make(), &[&fast], 1000).iterations_to(&fast, 1e-6).expect("within 1000 iterations");
    let plain = format!("{fast}:rho=0");
    let comparison = compared(make(), &[&plain, &fast], times * needed);
    let [slow, fast] = [0, 1].map(|i| &comparison.courses[i]);
    println!("{:?}", fast.notes);
    (needed, slow.points[(times * needed) as usize].relative_error)
}

#[test]
fn acceleration_saves_iterations_of_every_inner_solver() {
    for inner in ["direct", "gauss-seidel", "jacobi"] {
        let (needed, left) = gain(|| tablecloth(20, 15), inner, 2);
        assert!(
            left > 1e-6,
            "{inner}: {needed} iterations, {left:e} left by twice as many without acceleration"
        );
    }
}

#[test]
#[ignore = "long: thousands of iterations on 10,000 and 15,616 vertices"]
fn chebyshev_saves_most_iterations_of_every_inner_solver() {
    for inner in ["direct", "gauss-seidel", "jacobi"] {
        let (needed, left) = gain(|| tablecloth(99, 15), inner, 5);
        println!(
            "tablecloth, {inner}: {needed} iterations; five times as many of the inner solver leave {left:e}"
        );
        assert!(left > 1e-6, "{inner}: {left:e}");
        let (needed, left) = gain(|| twisted_beam([60, 15, 15]), inner, 3);
        println!(
            "beam, {inner}: {needed} iterations; three times as many of the inner solver leave {left:e}"
        );
        assert!(left > 1e-6, "{inner}: {left:e}");
    }
}

/// The beam of \[Ledwon2024, 5.5\], of a stiffness in Pa.
fn stiff_beam(step: f64, stiffness: f64) -> Simulation {
    simulation(&untwisting_beam(step, &format!("{{ model = \"arap\", k = {stiffness:e} }}")))
}

#[test]
fn solvers_rank_as_in_the_thesis() {
    let solvers = ["quasi-newton", "admm:weight_scale=0.25", "pd", "xpbd"];
    let comparison = compared(stiff_beam(0.01, 1e8), &solvers, 1000);
    let error = |solver: usize, iteration: usize| {
        let points = &comparison.courses[solver].points;
        points[iteration.min(points.len() - 1)].relative_error
    };
    // Table 5.1: after 40 iterations 0, 0.4, 22.7 and 67.8 percent; after 1000 only xpbd is left, with 1.8.
    let after: Vec<f64> = (0..4).map(|solver| error(solver, 40)).collect();
    assert!(after.windows(2).all(|w| w[0] < w[1]), "{after:?}");
    assert!(after[0] < 1e-9 && after[1] < 4e-3 && after[2] < 0.25 && after[3] > 0.05, "{after:?}");
    let last: Vec<f64> = (0..4).map(|solver| error(solver, 1000)).collect();
    assert!(last[..3].iter().all(|e| *e < 1e-9) && (0.005..0.05).contains(&last[3]), "{last:?}");
}

#[test]
fn minimizers_keep_momenta_that_the_thesis_saw_drift() {
    // Fig. 5.11: h = 0.1 s, k = 1e9 Pa. Masses times size over step is the scale.
    let comparison = compared(stiff_beam(0.1, 1e9), &["quasi-newton", "pd", "xpbd"], 300);
    let norm = |v: [f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let end = |solver: usize| comparison.courses[solver].points.last().unwrap().clone();
    for solver in 0..3 {
        assert!(norm(end(solver).linear) < 1e-9 * 4000.0 * 4.0 / 0.1, "{:?}", end(solver));
    }
    for solver in 0..2 {
        assert!(norm(end(solver).angular) < 1e-9 * 4000.0 * 16.0 / 0.1, "{:?}", end(solver));
    }
    assert!(norm(end(2).angular) > 1.0, "xpbd turns the beam: {:?}", end(2));
}

#[test]
fn a_comparison_starts_alike_and_ends_at_the_minimum() {
    let solvers = ["newton", "quasi-newton", "pd", "chebyshev"];
    let comparison = compared(beam([12, 3, 3], 4), &solvers, 400);
    for course in &comparison.courses {
        let (first, last) = (&course.points[0], &course.points[course.points.len() - 1]);
        assert_eq!((first.iteration, first.relative_error), (0, 1.0));
        assert_eq!(first.value, comparison.courses[0].points[0].value);
        assert!(last.relative_error < 1e-9 && last.relative_error >= 0.0, "{}: {last:?}", course.label);
        assert!(course.points.windows(2).all(|w| w[1].seconds >= w[0].seconds));
        assert!((last.value.total() - comparison.reference).abs() < 1e-9 * first.value.total());
    }
    let csv = comparison.to_csv();
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!(rows[0], pliant::compare::HEADER);
    assert!(
        rows[1].starts_with("\"newton\",0,0,") && rows[1].split(',').count() == rows[0].split(',').count()
    );
    assert_eq!(rows.len(), 1 + comparison.courses.iter().map(|c| c.points.len()).sum::<usize>());
}
