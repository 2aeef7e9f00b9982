//! Frequencies of a free beam of quadratic tets, with the masses that time steps have, against theories of beams.
//!
//! A step of implicit Euler from a small displacement u of the rest state is w = (K + M/h²)⁻¹ (M/h²) u, so steps are inverse
//! iterations, and K w = M (u − w)/h². The frequencies are those of the best combinations of a few motions (Ritz).

use std::f64::consts::PI;

use crate::common::simulation;
use elements::math::vec3::{add, cross, scale};
use pliant::simulate::Simulation;

const YOUNG: f64 = 1e6;
const POISSON: f64 = 0.3;
const DENSITY: f64 = 1000.0;
/// The length of the beam and of the sides of its section in m.
const LENGTH: f64 = 1.0;
const SIDE: f64 = 0.1;
const STEP: f64 = 0.02;

type Motion = Vec<[f64; 3]>;

fn product(a: &Motion, b: &Motion, mass: &[f64]) -> f64 {
    a.iter().zip(b).zip(mass).map(|((a, b), m)| m * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2])).sum()
}

/// Legendre's polynomial and its derivative.
fn legendre(n: usize, x: f64) -> [f64; 2] {
    let value = |x: f64| {
        let (mut before, mut now) = (0.0, 1.0);
        for k in 0..n {
            (before, now) = (now, ((2 * k + 1) as f64 * x * now - k as f64 * before) / (k + 1) as f64);
        }
        now
    };
    [value(x), (value(x + 1e-5) - value(x - 1e-5)) / 2e-5]
}

/// Motions that bend, turn and stretch the beam: about as many as it has frequencies that are looked at, and a few more.
fn motions(rest: &[[f64; 3]]) -> Vec<Motion> {
    let at = |p: &[f64; 3]| [2.0 * p[0] / LENGTH - 1.0, p[1] - SIDE / 2.0, p[2] - SIDE / 2.0];
    let all = |f: &dyn Fn([f64; 3]) -> [f64; 3]| -> Motion { rest.iter().map(|p| f(at(p))).collect() };
    let mut out = vec![];
    for n in 2..8 {
        for axis in [1, 2] {
            out.push(all(&|p| {
                let [value, slope] = legendre(n, p[0]);
                let mut u = [-p[axis] * slope * 2.0 / LENGTH, 0.0, 0.0];
                u[axis] = value;
                u
            }));
        }
    }
    for n in 1..4 {
        out.push(all(&|p| [legendre(n, p[0])[0], 0.0, 0.0]));
        out.push(all(&|p| scale(legendre(n, p[0])[0], cross([10.0, 0.0, 0.0], [0.0, p[1], p[2]]))));
    }
    out
}

/// Takes translations and rotations out of a motion.
fn without_rigid(motion: &mut Motion, rest: &[[f64; 3]], mass: &[f64]) {
    let mut basis: Vec<Motion> = vec![];
    for k in 0..6 {
        let unit: [f64; 3] = std::array::from_fn(|j| if j == k % 3 { 1.0 } else { 0.0 });
        let mut rigid: Motion = rest.iter().map(|p| if k < 3 { unit } else { cross(unit, *p) }).collect();
        for other in &basis {
            subtract(&mut rigid, other, mass);
        }
        basis.push(rigid);
    }
    basis.iter().for_each(|rigid| subtract(motion, rigid, mass));
}

fn subtract(from: &mut Motion, other: &Motion, mass: &[f64]) {
    let share = product(from, other, mass) / product(other, other, mass);
    from.iter_mut().zip(other).for_each(|(a, b)| *a = add(*a, scale(-share, *b)));
}

/// What a step makes of a small displacement of the rest state.
fn step(simulation: &mut Simulation, motion: &Motion) -> Motion {
    let size = 1e-6 / motion.iter().flatten().fold(0.0f64, |m, u| m.max(u.abs()));
    for (v, u) in motion.iter().enumerate() {
        let i = simulation.model.numbering.position[v] as usize;
        for k in 0..3 {
            simulation.state.x[i].0[k] = simulation.model.rest[v][k];
            simulation.state.v[i].0[k] = size * u[k] / STEP;
        }
    }
    simulation.advance().expect("a step");
    let x = simulation.model.to_input(&simulation.state.x);
    let back = |(x, rest): (&[f64; 3], &[f64; 3])| std::array::from_fn(|k| (x[k] - rest[k]) / size);
    x.iter().zip(&simulation.model.rest).map(back).collect()
}

/// Eigenvalues and eigenvectors (columns) of a symmetric matrix, by Jacobi's rotations.
fn eigen(mut a: Vec<Vec<f64>>) -> (Vec<f64>, Vec<Vec<f64>>) {
    let n = a.len();
    let mut vectors: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| f64::from(i == j)).collect()).collect();
    for _ in 0..60 {
        for p in 0..n {
            for q in p + 1..n {
                if a[p][q].abs() < 1e-300 {
                    continue;
                }
                let angle = 0.5 * (2.0 * a[p][q]).atan2(a[q][q] - a[p][p]);
                let (s, c) = angle.sin_cos();
                for k in 0..n {
                    let (x, y) = (a[k][p], a[k][q]);
                    (a[k][p], a[k][q]) = (c * x - s * y, s * x + c * y);
                    let (x, y) = (vectors[k][p], vectors[k][q]);
                    (vectors[k][p], vectors[k][q]) = (c * x - s * y, s * x + c * y);
                }
                for k in 0..n {
                    let (x, y) = (a[p][k], a[q][k]);
                    (a[p][k], a[q][k]) = (c * x - s * y, s * x + c * y);
                }
            }
        }
    }
    ((0..n).map(|i| a[i][i]).collect(), vectors)
}

/// The combinations of `motions` that vibrate on their own, with their ω² in 1/s². `stiff` are K times the motions over M.
fn ritz(motions: &[Motion], stiff: &[Motion], mass: &[f64]) -> (Vec<f64>, Vec<Motion>) {
    let matrix = |a: &[Motion], b: &[Motion]| -> Vec<Vec<f64>> {
        a.iter().map(|a| b.iter().map(|b| product(a, b, mass)).collect()).collect()
    };
    let combine = |of: &[Motion], weights: &[f64]| -> Motion {
        let mut out = vec![[0.0; 3]; of[0].len()];
        for (motion, weight) in of.iter().zip(weights) {
            out.iter_mut().zip(motion).for_each(|(out, u)| *out = add(*out, scale(*weight, *u)));
        }
        out
    };
    // First combinations with mass 1 that are orthogonal, then those of them that vibrate on their own.
    let (values, vectors) = eigen(matrix(motions, motions));
    let n = motions.len();
    let weights: Vec<Vec<f64>> =
        (0..n).map(|k| (0..n).map(|i| vectors[i][k] / values[k].sqrt()).collect()).collect();
    let orthogonal: Vec<Motion> = weights.iter().map(|w| combine(motions, w)).collect();
    let stiff: Vec<Motion> = weights.iter().map(|w| combine(stiff, w)).collect();
    let mut k = matrix(&orthogonal, &stiff);
    for i in 0..n {
        for j in 0..i {
            let mean = 0.5 * (k[i][j] + k[j][i]);
            (k[i][j], k[j][i]) = (mean, mean);
        }
    }
    let (values, vectors) = eigen(k);
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let column = |k: usize| (0..n).map(|i| vectors[i][k]).collect::<Vec<f64>>();
    (
        order.iter().map(|k| values[*k]).collect(),
        order.iter().map(|k| combine(&orthogonal, &column(*k))).collect(),
    )
}

/// The first ω in 1/s of the bending of a free beam by Timoshenko's theory, from the roots of its equation (Huang 1961).
fn bending(count: usize) -> Vec<f64> {
    let (area, second) = (SIDE * SIDE, SIDE.powi(4) / 12.0);
    let shear = YOUNG / (2.0 * (1.0 + POISSON)) * 10.0 * (1.0 + POISSON) / (12.0 + 11.0 * POISSON);
    let (r2, s2) = (second / (area * LENGTH * LENGTH), YOUNG * second / (shear * area * LENGTH * LENGTH));
    let equation = |b: f64| {
        let root = ((r2 - s2).powi(2) + 4.0 / (b * b)).sqrt();
        let [alpha, beta] = [root - (r2 + s2), root + (r2 + s2)].map(|square| (square / 2.0).sqrt());
        let factor = b / (1.0 - b * b * r2 * s2).sqrt();
        2.0 - 2.0 * (b * alpha).cosh() * (b * beta).cos()
            + factor
                * (b * b * r2 * (r2 - s2).powi(2) + (3.0 * r2 - s2))
                * (b * alpha).sinh()
                * (b * beta).sin()
    };
    let (mut out, mut b) = (vec![], 5.0);
    while out.len() < count {
        if equation(b) * equation(b + 0.01) < 0.0 {
            let [mut low, mut high] = [b, b + 0.01];
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if equation(low) * equation(middle) <= 0.0 { high = middle } else { low = middle }
            }
            out.push(low * (YOUNG * second / (DENSITY * area)).sqrt() / (LENGTH * LENGTH));
        }
        b += 0.01;
    }
    out
}

#[test]
fn the_first_ten_frequencies_of_a_free_beam_are_those_of_theory() {
    let mut simulation = simulation(&format!(
        r#"
        [time]
        step = {STEP}
        frames = 1
        [solver]
        kind = "newton"
        iterations = 2
        [world]
        gravity = [0, 0, 0]
        [[body]]
        generate = {{ shape = "beam", size = [{LENGTH}, {SIDE}, {SIDE}], cells = [16, 4, 4], split = 6 }}
        element = "quadratic"
        density = {DENSITY}
        material = {{ model = "corotated", young = {YOUNG:e}, poisson = {POISSON} }}
        "#
    ));
    let mass: Vec<f64> =
        simulation.model.numbering.position.iter().map(|i| simulation.objective.mass[*i as usize]).collect();
    assert!(mass.iter().all(|m| *m > 0.0), "a mass is not positive");
    assert!((mass.iter().sum::<f64>() / (DENSITY * LENGTH * SIDE * SIDE) - 1.0).abs() < 1e-12);
    let rest = simulation.model.rest.clone();
    let (mut motions, mut found) = (motions(&rest), vec![]);
    for _ in 0..3 {
        motions.iter_mut().for_each(|motion| without_rigid(motion, &rest, &mass));
        let after: Vec<Motion> = motions.iter().map(|motion| step(&mut simulation, motion)).collect();
        let back = |(u, w): (&Motion, &Motion)| -> Motion {
            u.iter().zip(w).map(|(u, w)| scale(1.0 / (STEP * STEP), add(*u, scale(-1.0, *w)))).collect()
        };
        let stiff: Vec<Motion> = motions.iter().zip(&after).map(back).collect();
        (found, motions) = ritz(&after, &stiff, &mass);
    }
    // Square sections bend in two directions. Torsion: √(G J/(ρ I)), J = 0.140577 a⁴; along: √(E/ρ). Masses at nodes have a
    // larger moment about the axis than the body, I = a⁴/6, which is the one thing that they get wrong by more than a percent.
    let mut theory: Vec<f64> = bending(4).into_iter().flat_map(|w| [w, w]).collect();
    let about = |p: &[f64; 3]| (p[1] - SIDE / 2.0).powi(2) + (p[2] - SIDE / 2.0).powi(2);
    let moment = rest.iter().zip(&mass).map(|(p, m)| m * about(p)).sum::<f64>() / (DENSITY * LENGTH);
    let excess = moment / (SIDE.powi(4) / 6.0);
    println!("the moment about the axis is {excess:.4} of that of the body");
    assert!((1.0..1.04).contains(&excess), "{excess}");
    let torsion = (YOUNG / (2.0 * (1.0 + POISSON)) * 0.140577 * SIDE.powi(4) / (DENSITY * moment)).sqrt();
    let along = (YOUNG / DENSITY).sqrt();
    theory.extend((1..4).flat_map(|n| [torsion, along].map(|speed| f64::from(n) * PI / LENGTH * speed)));
    theory.sort_by(f64::total_cmp);
    for (n, (found, theory)) in found.iter().zip(&theory).take(10).enumerate() {
        let ratio = found.sqrt() / theory;
        println!("{n}: {:.3} /s, theory {theory:.3}, ratio {ratio:.4}", found.sqrt());
        assert!((ratio - 1.0).abs() < 0.01, "frequency {n}: {ratio}");
    }
}
