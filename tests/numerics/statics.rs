//! Equilibria with a closed form: the patch test, a bar under tension, a cantilever.

use std::sync::Arc;

use crate::common::scenes::{equilibrium, materials};
use crate::common::{settle, simulation};
use elements::math::lanes::Vec4;
use pliant::simulate::Simulation;

/// F of every tet, from rest and current positions in input numbering.
fn deformations(simulation: &Simulation) -> Vec<[[f64; 3]; 3]> {
    let x = simulation.model.to_input(&simulation.state.x);
    let rest = &simulation.model.rest;
    let edges = |p: &[[f64; 3]], t: &[u32; 4]| -> [[f64; 3]; 3] {
        std::array::from_fn(|e| std::array::from_fn(|k| p[t[e + 1] as usize][k] - p[t[0] as usize][k]))
    };
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    simulation
        .model
        .tets
        .iter()
        .map(|tet| {
            let (d, m) = (edges(&x, tet), edges(rest, tet));
            let dual = [cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])];
            let volume: f64 = (0..3).map(|k| m[0][k] * dual[0][k]).sum();
            std::array::from_fn(|i| {
                std::array::from_fn(|j| (0..3).map(|e| d[e][i] * dual[e][j]).sum::<f64>() / volume)
            })
        })
        .collect()
}

/// All vertices but those inside are prescribed.
fn clamped_box(material: &str) -> Simulation {
    let faces = [[-1, 0, 0], [1, 0, 0], [0, -1, 0], [0, 1, 0], [0, 0, -1], [0, 0, 1]];
    let pins: String = faces
        .iter()
        .map(|n| {
            let point: [f64; 3] =
                std::array::from_fn(|k| if n[k] > 0 { [1.999, 0.999, 0.999][k] } else { 0.001 });
            format!("[[body.pin]]\nselect = {{ plane = {{ point = {point:?}, normal = {n:?} }} }}\n")
        })
        .collect();
    simulation(&equilibrium(
        "iterations = 50\ntolerance = 1e-13",
        &format!(
            r#"
        element = "linear"
        generate = {{ shape = "box", size = [2, 1, 1], cells = [6, 4, 4] }}
        material = {material}
        deform = {{ randomize = {{ seed = 5, amount = 0.02 }} }}
        {pins}
        "#
        ),
    ))
}

#[test]
fn an_affine_boundary_makes_the_same_deformation_everywhere() {
    let affine = [[1.1, 0.2, -0.05], [-0.1, 0.95, 0.1], [0.05, -0.15, 1.05]];
    for (name, material) in materials(1e6) {
        let mut simulation = clamped_box(&material);
        let (free, all) = (simulation.objective.free, simulation.model.rest.len());
        assert_eq!((free, all - free), (5 * 3 * 3, simulation.model.hard_pins.len()));
        // The boundary goes exactly where the map takes its rest positions; the inside starts off by noise.
        let map =
            |p: [f64; 3]| -> [f64; 3] { std::array::from_fn(|i| (0..3).map(|j| affine[i][j] * p[j]).sum()) };
        for v in 0..all {
            let i = simulation.model.numbering.position[v] as usize;
            let from = if i < free { simulation.state.x[i].xyz() } else { simulation.model.rest[v] };
            simulation.state.x[i] = Vec4::new(map(from));
        }
        let model = Arc::get_mut(&mut simulation.model).expect("the only owner");
        for pin in &mut model.hard_pins {
            pin.origin = simulation.state.x[pin.vertex as usize].xyz();
        }
        let error = |simulation: &Simulation| {
            let deformations = deformations(simulation);
            let entries =
                deformations.iter().flat_map(|f| (0..9).map(|e| f[e / 3][e % 3] - affine[e / 3][e % 3]));
            entries.fold(0.0f64, |m, e| m.max(e.abs()))
        };
        let before = error(&simulation);
        settle(&mut simulation, 20, 1e-12);
        let after = error(&simulation);
        println!("{name:<20} F is off by {before:.1e} at first, by {after:.1e} at the end");
        assert!(before > 1e-2 && after < 1e-9, "{name}: {before:e} {after:e}");
    }
}

#[test]
fn a_stretched_bar_contracts_by_poissons_ratio() {
    // Both end faces keep their distance along x only: corners of the model are held in x by end plates that
    // cannot be pinned per axis, so the bar is long and its middle is looked at.
    let (young, poisson, strain) = (1e6, 0.3, 1e-4);
    let mut simulation = simulation(&equilibrium(
        "iterations = 30\ntolerance = 1e-13",
        &format!(
            r#"
        element = "linear"
        generate = {{ shape = "beam", size = [8, 1, 1], cells = [32, 4, 4] }}
        material = {{ model = "corotated", young = {young:e}, poisson = {poisson} }}
        deform = {{ stretch = [{}, 1, 1] }}
        [[body.pin]]
        select = {{ plane = {{ point = [0.001, 0, 0], normal = [-1, 0, 0] }} }}
        [[body.pin]]
        select = {{ plane = {{ point = [7.999, 0, 0], normal = [1, 0, 0] }} }}
        "#,
            1.0 + strain
        ),
    ));
    settle(&mut simulation, 20, 1e-12);
    let x = simulation.model.to_input(&simulation.state.x);
    let at = |p: [f64; 3]| {
        let near = |q: &[f64; 3]| (0..3).all(|k| (p[k] - q[k]).abs() < 1e-9);
        x[simulation.model.rest.iter().position(near).expect("a vertex")]
    };
    let along = (at([4.5, 0.5, 0.5])[0] - at([3.5, 0.5, 0.5])[0]) - 1.0;
    let across = (at([4.0, 1.0, 0.5])[1] - at([4.0, 0.0, 0.5])[1]) - 1.0;
    println!("strain along {along:.6e}, across {across:.6e}, ratio {:.5}", -across / along);
    assert!((-across / along - poisson).abs() < 1e-3);
    // Energy of the middle slice: E ε²/2 per volume.
    let states = simulation.model.element_states(&simulation.objective.terms, &simulation.state.x);
    let middle: Vec<f64> = (simulation.model.tets.iter().zip(&states))
        .filter(|(t, _)| t.iter().all(|v| (simulation.model.rest[*v as usize][0] - 4.0).abs() < 0.6))
        .map(|(_, s)| s.energy_density)
        .collect();
    let mean = middle.iter().sum::<f64>() / middle.len() as f64;
    let expected = 0.5 * young * along * along;
    assert!((mean / expected - 1.0).abs() < 1e-3, "{mean} {expected}");
}

/// Sag of the free end of a cantilever under its own weight, `n` cells over the height.
fn sag(n: usize, poisson: f64) -> f64 {
    let mut simulation = simulation(&format!(
        r#"
        [time]
        step = 100
        frames = 1
        [solver]
        kind = "newton"
        iterations = 30
        tolerance = 1e-12
        [world]
        gravity = [0, -1e-3, 0]
        [[body]]
        element = "linear"
        generate = {{ shape = "beam", size = [10, 1, 1], cells = [{}, {n}, {n}] }}
        density = 1000
        material = {{ model = "corotated", young = 1e6, poisson = {poisson} }}
        [[body.pin]]
        select = {{ plane = {{ point = [0.001, 0, 0], normal = [-1, 0, 0] }} }}
        "#,
        10 * n
    ));
    settle(&mut simulation, 20, 1e-12);
    let x = simulation.model.to_input(&simulation.state.x);
    let tip: Vec<f64> = (simulation.model.rest.iter().zip(&x))
        .filter(|(rest, _)| rest[0] > 9.999)
        .map(|(rest, x)| rest[1] - x[1])
        .collect();
    tip.iter().sum::<f64>() / tip.len() as f64
}

#[test]
fn a_cantilever_converges_to_beam_theory() {
    // Weight q = ρ g A per length. Bending q L⁴/(8 E I) and Timoshenko's shear q L²/(2 κ G A) with κ = 5/6, which
    // is 1% of it here; with ν = 0 the clamp does not hinder any contraction, so nothing else is left out.
    let (young, weight, length) = (1e6, 1000.0 * 1e-3, 10.0f64);
    let bending = weight * length.powi(4) / (8.0 * young / 12.0);
    let shear = weight * length.powi(2) / (2.0 * 5.0 / 6.0 * young / 2.0);
    let theory = bending + shear;
    // Linear tets are too stiff in bending by a part that falls with the square of the cell: it adds to the
    // stiffness, so the stiffness (1/sag) is what converges evenly.
    let stiffness = [2, 4, 8].map(|n| 1.0 / sag(n, 0.0));
    let ratio = (stiffness[0] - stiffness[1]) / (stiffness[1] - stiffness[2]);
    let limit = 1.0 / (stiffness[2] - (stiffness[1] - stiffness[2]) / 3.0);
    let errors = stiffness.map(|k| 1.0 - 1.0 / (k * theory));
    println!("sag below theory by {errors:.4?}, differences of 1/sag shrink by {ratio:.3} per halving");
    println!("extrapolated sag {limit:.6} m, theory {bending:.6} + {shear:.6} = {theory:.6} m");
    assert!((3.5..4.5).contains(&ratio), "{ratio}");
    assert!((limit / theory - 1.0).abs() < 0.005, "{limit} {theory}");
}
