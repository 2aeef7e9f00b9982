//! The guarantee: whichever solver runs and however few iterations it has, nothing intersects in any frame.

use std::sync::{Arc, Mutex};

use pliant::config::parse;
use pliant::error::{Error, Result};
use pliant::prelude::{Scene, Shape};
use pliant::scene::MeshSource;

use crate::contact::cube;

use crate::contact_paths::{SCENES, scene, solvers, with_solver};

/// Simulates a scene of `configs/` from its start with a solver, and asserts that no frame has an intersection. Returns what
/// made it end before `frames`, if anything did.
fn keep_clean(base: &Scene, solver: &str, iterations: u64, frames: u64) -> Result<()> {
    let (_, mut simulation) = with_solver(base, solver, iterations)?;
    while simulation.frame() < frames {
        simulation.advance()?;
        let frame = simulation.frame();
        let clean = simulation.check_clean(frame);
        assert!(clean.is_ok(), "{}, {solver}, {iterations} iterations: {clean:?}", base.name);
    }
    Ok(())
}

/// Asserts that all frames were simulated. Where hard constraints crumple a body, `pbd` may tell that pins cannot go on.
fn assert_told(solver: &str, scene: &str, result: Result<()>) {
    let is_told = |error: &Error| solver == "pbd" && error.to_string().contains("crushed");
    assert!(result.as_ref().err().is_none_or(is_told), "{scene}, {solver}: {result:?}");
}

#[test]
fn a_mat_is_twisted_and_clean_in_every_frame_with_every_solver() {
    // Each end by 28 times 12 degrees.
    let mut base = scene("twisting-mat", "quasi-newton", &["time.step=1/15".into()]);
    let MeshSource::Generate(Shape::Cloth { cells, .. }) = &mut base.bodies[0].mesh else {
        panic!("a mat is a cloth")
    };
    *cells = [16, 8];
    for solver in solvers() {
        let result = keep_clean(&base, &solver, 3, 28);
        assert_told(&solver, &base.name, result);
    }
}

#[test]
#[ignore = "takes long: all scenes with all solvers"]
fn no_solver_lets_anything_intersect() {
    for (name, _) in SCENES {
        let base = scene(name, "quasi-newton", &[]);
        for solver in solvers() {
            assert_told(&solver, name, keep_clean(&base, &solver, 2, 60));
        }
    }
}

/// The least gap in m of all places that the steps of two cubes went through, one of which comes with 2 m/s to where its face would
/// lie in that of the other after exactly three steps.
fn least_gap(solver: &str, iterations: u64) -> f64 {
    let second = cube("second", 2, 0.3, 1e5).replace("[0, 0.3, 0]", "[1.05, 0.3, 0.2]");
    let text = format!(
        "[time]\nstep = \"1/120\"\n[world]\ngravity = [0, 0, 0]\n[contact]\ndistance = 0.005\n\
         {}velocity = {{ linear = [2, 0, 0.3] }}\n{second}",
        cube("first", 2, 0.0, 1e5)
    );
    let (_, mut simulation) = with_solver(&parse(&text).unwrap().scene, solver, iterations).unwrap();
    let places = Arc::new(Mutex::new(vec![]));
    let taken = places.clone();
    simulation.watch(Box::new(move |_, x| taken.lock().unwrap().push(x.to_vec())));
    for _ in 0..6 {
        simulation.advance().unwrap();
    }
    let places = std::mem::take(&mut *places.lock().unwrap());
    places.iter().map(|x| simulation.objective.touching(x).unwrap().least).fold(f64::INFINITY, f64::min)
}

#[test]
fn bodies_that_would_meet_at_the_very_end_of_a_step_keep_a_gap() {
    for solver in solvers() {
        for iterations in [1, 10] {
            let least = least_gap(&solver, iterations);
            assert!(least > 1e-8, "{solver}, {iterations} iterations: {least} m");
        }
    }
}
