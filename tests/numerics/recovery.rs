//! Bodies in hopeless states come back: vertices anywhere in the bounding box, or all in one point.

use std::path::Path;

use crate::common::meshes::papers;
use crate::common::scenes::{HELD, material, weightless};
use crate::common::{rigid_distances, simulation};
use pliant::cache::Cache;
use pliant::scene::{MeshSource, Scene};
use pliant::simulate::Simulation;
use pliant::solvers::{Admm, SolverSettings};

/// A body in free space, 10 iterations of quasi-Newton a frame at 30 frames a second.
fn scene(material: &str, deform: &str) -> Scene {
    let body = format!(
        "element = \"linear\"\ngenerate = {{ shape = \"sphere\", radius = 0.5, cells = 4 }}\nmaterial = {material}\ndeform = {deform}"
    );
    let solver = "kind = \"quasi-newton\"\niterations = 10";
    let text = weightless("step = \"1/30\"\nframes = 300", solver, &body);
    pliant::config::parse(&text).unwrap_or_else(|e| panic!("{e}")).scene
}

/// What is left after ten seconds: the share of vertices within 1% of the body's size, the farthest in sizes, and
/// inverted elements.
struct Outcome {
    recovered: f64,
    farthest: f64,
    inverted: usize,
}

fn recover(config: &Scene) -> Outcome {
    let (mut simulation, _) = Simulation::new(config, &Cache::disabled()).unwrap();
    let mut second = 0.0;
    for frame in 1..=300 {
        let metrics = simulation.advance().unwrap_or_else(|e| panic!("frame {frame}: {e}"));
        if second == 0.0 && metrics.volumes.1 == 0 {
            second = metrics.time;
        }
    }
    let x = simulation.model.to_input(&simulation.state.x);
    let distances = rigid_distances(&x, &simulation.model.rest);
    let near = distances.iter().filter(|d| **d < 0.01 * simulation.model.size).count();
    let outcome = Outcome {
        recovered: near as f64 / distances.len() as f64,
        farthest: distances.iter().fold(0.0, |m: f64, d| m.max(*d)) / simulation.model.size,
        inverted: simulation.objective.volumes(&simulation.state.x).1,
    };
    println!(
        "{:<20} {:<50} {:>6.2}% within 1%, farthest {:.4}, {} inverted; first without inversion at {second:.2} s",
        config.bodies[0].materials[0].material.model.name,
        format!("{:?}", config.bodies[0].deform),
        100.0 * outcome.recovered,
        outcome.farthest,
        outcome.inverted
    );
    outcome
}

const RANDOM: &str = "{ randomize = { seed = 7 } }";
const POINT: &str = "{ collapse = { jitter = 0, seed = 1 } }";
const JITTER: &str = "{ collapse = { jitter = 0.3, seed = 1 } }";
const TANGLED: &str = "{ randomize = { seed = 7, amount = 0.2 } }";

/// Starts that a material comes back from. Arap and corotated: anything. Stable neo-Hookean: F = 0 is a local
/// minimum (Ψ ≈ μ/2 ‖F‖² there, J being cubic), so all vertices in one point, or nearly (jitter 0.2), stay there.
/// The extended logarithmic ones: states with some inverted elements; from amount 0.3 on, neo-Hookean ends in tangled
/// local minima without any inverted element.
fn cases() -> Vec<(String, &'static str)> {
    let extended = |model: &str| material(model, 1e5).replace('}', ", inversion = \"extend\" }");
    vec![
        (material("arap", 1e5), RANDOM),
        (material("corotated", 1e5), RANDOM),
        (material("stable-neo-hookean", 1e5), RANDOM),
        (material("arap", 1e5), POINT),
        (material("corotated", 1e5), POINT),
        (material("stable-neo-hookean", 1e5), JITTER),
        (extended("neo-hookean"), TANGLED),
        (extended("mooney-rivlin"), TANGLED),
    ]
}

#[test]
fn a_ball_comes_back_from_anywhere() {
    let mut failures = vec![];
    for (material, deform) in cases() {
        let outcome = recover(&scene(&material, deform));
        if outcome.recovered < 0.99 || outcome.inverted > 0 {
            failures.push(format!("{material} from {deform}: {:.3}", outcome.recovered));
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// The hippo of [Liu2017, Fig. 18], a metre across: sliver tets down to a dihedral angle of 0.008°.
fn hippo(folder: &Path, material: &str, deform: &str) -> Scene {
    let mut config = scene(material, deform);
    let path = folder.join("gpd_hippo.mesh");
    let [low, high] = pliant::io::read(&path).unwrap().bounds().unwrap();
    config.bodies[0].transform.scale = 1.0 / (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
    config.bodies[0].mesh = MeshSource::File(path);
    config
}

#[test]
#[ignore = "minutes"]
fn the_hippo_comes_back_from_anywhere() {
    let Some(folder) = papers() else { return };
    let mut failures = vec![];
    for (model, deform) in [
        ("arap", RANDOM),
        ("corotated", RANDOM),
        ("stable-neo-hookean", RANDOM),
        ("stable-neo-hookean", "{ randomize = { seed = 1 } }"),
        ("arap", POINT),
        ("corotated", POINT),
        ("stable-neo-hookean", JITTER),
    ] {
        let outcome = recover(&hippo(&folder, &material(model, 1e5), deform));
        if outcome.recovered < 0.99 {
            failures.push(format!("{model} from {deform}: {:.3}", outcome.recovered));
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn a_barrier_in_every_direction_is_no_dead_end() {
    // Velocities so wild that no part of the way to the inertial positions is free of inverted elements.
    for pins in ["", HELD] {
        let mut simulation = simulation(&format!(
            r#"
            [time]
            step = "1/30"
            frames = 1
            [solver]
            kind = "quasi-newton"
            iterations = 10
            [[body]]
            element = "linear"
            generate = {{ shape = "box", size = [1, 1, 1], cells = [3, 3, 3] }}
            material = {}
            {pins}
            "#,
            material("neo-hookean", 1e5)
        ));
        for (i, v) in simulation.state.v.iter_mut().enumerate() {
            let sign = if i % 2 == 0 { 1e6 } else { -1e6 };
            v.0 = [sign, 0.5 * sign, -sign, 0.0];
        }
        let metrics = simulation.advance().unwrap();
        assert!(metrics.volumes.0 > 0.0 && metrics.value.total().is_finite());
    }
}

/// The bunny of [Narain2016, Fig. 6] under admm: 1124 vertices, half a metre across, in free space.
fn bunny(folder: &Path, deform: &str) -> Scene {
    let mut config = scene(&material("stvk", 1e5), deform);
    let path = folder.join("admm_bunny_1124.node");
    let [low, high] = pliant::io::read(&path).unwrap().bounds().unwrap();
    config.bodies[0].transform.scale = 0.5 / (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
    config.bodies[0].mesh = MeshSource::File(path);
    config.solver = SolverSettings::new(Admm::default(), 10, 0.0).unwrap();
    config
}

#[test]
fn under_admm_the_bunny_comes_back_from_a_point_and_from_anywhere() {
    let Some(folder) = papers() else { return };
    for deform in [POINT, RANDOM] {
        let outcome = recover(&bunny(&folder, deform));
        assert!(outcome.recovered > 0.99 && outcome.inverted == 0, "{deform}: {:.3}", outcome.recovered);
    }
}

/// The pulled armadillo of [Narain2016, Fig. 1], at h = 0.08 s; returns the potential energy of every frame in J.
fn armadillo(folder: &Path, solver: &str) -> Vec<f64> {
    let mut simulation = simulation(&format!(
        r#"
        [time]
        step = 0.08
        frames = 40
        [solver]
        {solver}
        [[body]]
        mesh = {:?}
        transform = {{ scale = 0.01 }}
        material = {{ model = "neo-hookean", mu = 1e5, lambda = 1e5 }}
        [[body.pin]]
        select = {{ sphere = {{ center = [0.6, 0.8, 0.5], radius = 0.2 }} }}
        [[body.pin]]
        select = {{ sphere = {{ center = [-0.25, -0.6, -0.1], radius = 0.2 }} }}
        "#,
        folder.join("admm_dillo919.node")
    ));
    let frames = (0..40).map(|_| simulation.advance().unwrap());
    frames
        .map(|metrics| {
            assert!(metrics.volumes.0 > 0.0, "{solver}: frame {} is inverted", metrics.frame);
            metrics.potential
        })
        .collect()
}

#[test]
fn under_admm_a_barrier_does_not_freeze_the_armadillo() {
    let Some(folder) = papers() else { return };
    let truth = armadillo(&folder, "kind = \"newton\"\niterations = 60\ntolerance = 1e-7");
    let range = truth.iter().fold(0.0f64, |m, p| m.max(p.abs()));
    let many = armadillo(&folder, "kind = \"admm\"\niterations = 200");
    let worst = truth.iter().zip(&many).fold(0.0f64, |m, (a, b)| m.max((a - b).abs())) / range;
    println!("200 iterations: at most {:.2} % from newton", 100.0 * worst);
    assert!(worst < 0.05, "{worst}");
    // Few iterations are too stiff, but the body moves to the end.
    let few = armadillo(&folder, "kind = \"admm\"\niterations = 7");
    let moved: Vec<f64> = few[20..].windows(2).map(|w| (w[1] - w[0]).abs() / range).collect();
    println!("7 iterations: ends at {:.1} J, newton at {:.1} J", few[39], truth[39]);
    assert!(moved.iter().all(|m| *m > 1e-6) && few[39] < 0.0, "{few:?}");
}
