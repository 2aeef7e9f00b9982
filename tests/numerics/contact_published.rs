//! Contact as published: what it does where closed forms are known, and that it says what it does not promise.

use crate::contact::{FLOOR, cube, start};

/// The lowest vertex in m, the sum of the contact forces up in N, and the deepest vertex in m after some time.
fn rest(solver: &str, more: &str) -> (f64, f64, f64) {
    let text = format!(
        "iterations = 60\n[time]\nstep = \"1/60\"\n[contact]\nresponse = \"published\"\ndistance = 0.005\nstiffness = 1e5\n{more}\n{FLOOR}{}",
        cube("box", 2, 0.004, 1e6)
    );
    let mut simulation = start(solver, &text);
    for _ in 0..120 {
        simulation.advance().unwrap();
    }
    let lowest = simulation.positions("box").unwrap().iter().map(|x| x[1]).fold(f64::INFINITY, f64::min);
    let touching = simulation.touching.clone().unwrap();
    (lowest, touching.forces.iter().map(|force| force[1]).sum(), -touching.least)
}

#[test]
fn springs_carry_a_cube_at_the_depth_that_hooke_tells() {
    // 9,810 N on 1 m² of springs with κ/d̂ = 1e5/0.005 N/m³ each: 0.4905 mm deep.
    for solver in ["quasi-newton", "newton", "vbd"] {
        let (lowest, force, deepest) = rest(solver, "");
        assert!((force / 9810.0 - 1.0).abs() < 1e-2, "{solver}: {force} N");
        assert!((deepest / 4.905e-4 - 1.0).abs() < 0.25 && lowest < 0.0, "{solver}: {deepest} m");
    }
}

#[test]
fn what_is_put_out_stands_on_the_surface() {
    for solver in ["pd", "chebyshev", "xpbd", "pbd"] {
        let (lowest, _, deepest) = rest(solver, "");
        assert!(lowest.abs() < 2e-3 && deepest < 1e-9, "{solver}: lowest vertex at {lowest} m");
    }
    // The copies of admm are outside, the vertices nearly so.
    let (lowest, _, deepest) = rest("admm", "");
    assert!(lowest.abs() < 2e-3 && deepest < 1e-3, "admm: lowest vertex at {lowest} m");
}

#[test]
fn forces_of_the_start_carry_a_body() {
    // κ w/(3 l³) d³ carries 9,810 N at d = 0.665 l, 0.38 m for the edges of these cells, and the body swings about that depth.
    // Without contact it would have fallen 20 m.
    let (lowest, ..) = rest("constrained-pd", "");
    assert!((-0.8..0.05).contains(&lowest), "{lowest}");
}
