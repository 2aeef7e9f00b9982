//! What implicit Euler keeps when its steps are solved to the end: the balance of linear and angular momentum
//! without outer forces, and the discrete parabola of free fall.

use crate::common::scenes::{material, weightless};
use crate::common::simulation;
use elements::math::lanes::Vec4;
use pliant::simulate::Simulation;
use pliant::simulate::metrics::{Momenta, momenta};

fn spinning(solver: &str, material: &str, rate: u64, deform: &str) -> Simulation {
    let body = format!(
        r#"
        element = "linear"
        generate = {{ shape = "box", size = [1.2, 0.6, 0.3], cells = [8, 4, 2], split = 6 }}
        material = {material}
        deform = {deform}
        velocity = {{ linear = [0.5, -1, 0.2], angular = [0.5, 6, 1] }}
        "#
    );
    simulation(&weightless(&format!("step = \"1/{rate}\"\nframes = 60"), solver, &body))
}

fn sums(simulation: &Simulation) -> Momenta {
    momenta(&simulation.objective.mass, &simulation.state.x, &simulation.state.v)
}

fn length(v: [f64; 3]) -> f64 {
    v.iter().map(|c| c * c).sum::<f64>().sqrt()
}

/// |a − b| / |b|.
fn change(a: [f64; 3], b: [f64; 3]) -> f64 {
    length(std::array::from_fn(|k| a[k] - b[k])) / length(b)
}

/// Σ m x_{n+1} × (v_{n+1} − v_n): the angular momentum that a step makes of nothing.
///
/// Forces that a rotation cannot change have no torque about the point where they act, so a step that is solved
/// to the end makes none. The angular momentum itself is *not* kept by implicit Euler: by the same equation
/// L_{n+1} = L_n + h Σ m v_{n+1} × v_n, which is of the order of h² per step.
fn torque(simulation: &Simulation, before: &[Vec4]) -> [f64; 3] {
    let jump: Vec<Vec4> = (simulation.state.v.iter().zip(before))
        .map(|(a, b)| Vec4(std::array::from_fn(|k| a.0[k] - b.0[k])))
        .collect();
    momenta(&simulation.objective.mass, &simulation.state.x, &jump).angular
}

const DEFORMED: &str = "[{ stretch = [1.2, 0.9, 1.1] }, { twist = { axis = \"x\", degrees = 40 } }]";
const NEWTON: &str = "kind = \"newton\"\niterations = 50\ntolerance = 1e-12";
const QUASI_NEWTON: &str = "kind = \"quasi-newton\"\niterations = 400\ntolerance = 1e-12";

#[test]
fn converged_steps_make_no_linear_or_angular_momentum() {
    for model in ["arap", "corotated", "neo-hookean"] {
        for solver in [NEWTON, QUASI_NEWTON] {
            let mut simulation = spinning(solver, &material(model, 1e5), 60, DEFORMED);
            let first = sums(&simulation);
            let (mut linear, mut made) = (0.0f64, [0.0; 3]);
            let mut iterations = vec![];
            for _ in 0..60 {
                let before = simulation.state.v.clone();
                let metrics = simulation.advance().unwrap();
                iterations.push(metrics.iterations);
                linear = linear.max(change(sums(&simulation).linear, first.linear));
                let torque = torque(&simulation, &before);
                made = std::array::from_fn(|k| made[k] + torque[k].abs());
            }
            let (now, angular) = (sums(&simulation), length(made) / length(first.angular));
            println!(
                "{model:<12} {:<21} P {linear:.1e} L {angular:.1e}, kinetic {:.0} → {:.0} J, {} iterations a step, {} at the most",
                solver.split('\n').next().unwrap(),
                first.kinetic,
                now.kinetic,
                iterations.iter().sum::<u64>() / 60,
                iterations.iter().max().unwrap()
            );
            assert!(linear < 1e-9 && angular < 1e-9, "{model}, {solver}: P {linear:e}, L {angular:e}");
        }
    }
}

#[test]
fn few_iterations_keep_linear_momentum_but_make_angular() {
    // The sum of all gradients vanishes at every point, so the centre of mass moves as it should whatever
    // the solver does; the torque vanishes with convergence only.
    let mut simulation =
        spinning("kind = \"quasi-newton\"\niterations = 2", &material("corotated", 1e5), 60, DEFORMED);
    let first = sums(&simulation);
    let before = simulation.state.v.clone();
    simulation.advance().unwrap();
    let linear = change(sums(&simulation).linear, first.linear);
    let angular = length(torque(&simulation, &before)) / length(first.angular);
    println!("2 iterations: P {linear:.1e} L {angular:.1e}");
    assert!(linear < 1e-13 && angular > 1e-6, "P {linear:e}, L {angular:e}");
}

#[test]
fn the_loss_of_angular_momentum_is_of_first_order() {
    let loss = |rate: u64| {
        let mut simulation = spinning(NEWTON, &material("corotated", 1e6), rate, "[]");
        let first = sums(&simulation);
        for _ in 0..rate / 4 {
            simulation.advance().unwrap();
        }
        change(sums(&simulation).angular, first.angular)
    };
    let losses = [120, 240, 480].map(loss);
    let orders = [losses[0] / losses[1], losses[1] / losses[2]].map(f64::log2);
    println!("loss of L in 0.25 s: {losses:?}, orders {orders:?}");
    assert!(losses[2] > 0.0 && orders.iter().all(|o| (o - 1.0).abs() < 0.25), "{losses:?} {orders:?}");
}

#[test]
fn free_fall_is_the_discrete_parabola() {
    for solver in ["newton", "quasi-newton", "pd", "xpbd", "pbd"] {
        let mut simulation = simulation(&format!(
            r#"
            [time]
            step = "1/60"
            frames = 60
            [solver]
            kind = "{solver}"
            iterations = 10
            [world]
            gravity = [0.3, -9.81, 0]
            [[body]]
            element = "linear"
            generate = {{ shape = "sphere", radius = 0.5, cells = 4 }}
            material = {}
            velocity = {{ linear = [1, 4, -2] }}
            "#,
            material("arap", 1e5)
        ));
        let (h, v, g) = (1.0 / 60.0, [1.0, 4.0, -2.0], [0.3, -9.81, 0.0]);
        let start = simulation.state.clone();
        for _ in 0..60 {
            simulation.advance().unwrap();
        }
        let n = 60.0;
        let fall: [f64; 3] = std::array::from_fn(|k| n * h * v[k] + 0.5 * n * (n + 1.0) * h * h * g[k]);
        let mut worst = 0.0f64;
        for (a, b) in simulation.state.x.iter().zip(&start.x) {
            for k in 0..3 {
                worst = worst.max((a.0[k] - b.0[k] - fall[k]).abs());
            }
        }
        println!("{solver:<13} {worst:.1e} m off after {:?} m", fall);
        assert!(worst < 1e-12, "{solver}: {worst:e}");
    }
}
