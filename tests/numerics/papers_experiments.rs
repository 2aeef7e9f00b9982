//! The papers' experiments with solvers, as `configs/` holds them: the same orders of curves, the same failures.

use std::path::Path;

use crate::common::scenes::untwisting_beam;
use crate::common::{compared, simulation};
use elements::math::lanes::Vec4;
use pliant::cache::Cache;
use pliant::compare::{Comparison, Course, cases, compare};
use pliant::config::{self, Overrides};
use pliant::simulate::Simulation;
use pliant::solver::quasi_newton::InitialHessian;
use pliant::solver::spectrum::spectrum;
use pliant::solver::system::{System, assemble};
use sparse::matrix::SymmetricMatrix;

/// One comparison of a config, with values put over the config's.
fn experiment(config: &str, name: &str, vary: Vec<String>) -> Comparison {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs").join(config);
    let loaded = config::load(&path, &Overrides { vary, ..Overrides::default() }).unwrap();
    let task = loaded.scene.comparisons.iter().find(|c| c.name == name).expect("a comparison of that name");
    let mut simulation = Simulation::new(&loaded.scene, &Cache::disabled()).unwrap().0;
    for _ in 0..task.at_frame {
        simulation.advance().unwrap();
    }
    compare(&mut simulation, &task.solvers, task.iterations, &Cache::disabled()).unwrap()
}

/// The iterations that each solver needs for a relative error.
fn needed(comparison: &Comparison, error: f64) -> Vec<u64> {
    let to = |course: &Course| comparison.iterations_to(&course.label, error).unwrap_or(u64::MAX);
    comparison.courses.iter().map(to).collect()
}

#[test]
#[ignore = "long: hundreds of Newton iterations"]
fn curves_are_ordered_as_in_liu_2017() {
    let ran = |figure: u32| experiment("twisting-bar.toml", &format!("liu-2017-fig-{figure}"), vec![]);

    let fig_7 = needed(&ran(7), 1e-6);
    println!("Fig. 7: Newton, m = 5, m = 2, Chebyshev, m = 0: {fig_7:?}");
    assert!(fig_7.is_sorted() && fig_7[0] < fig_7[1] && fig_7[2] < fig_7[3] && fig_7[3] < fig_7[4]);

    let fig_8 = needed(&ran(8), 1e-6);
    println!("Fig. 8: frame, system, rest, identity: {fig_8:?}");
    assert!(fig_8.windows(2).all(|w| w[0] < w[1]));

    let fig_13 = needed(&ran(13), 1e-6);
    println!("Fig. 13: m = 0, 1, 5, 20, 100: {fig_13:?}");
    assert!(fig_13[2] < fig_13[0] && fig_13[2] <= fig_13[1]);
    assert!(fig_13[3].abs_diff(fig_13[2]) <= 3 && fig_13[4].abs_diff(fig_13[2]) <= 3);

    let fig_16 = needed(&ran(16), 1e-6);
    println!("Fig. 16: Newton, CG 5, CG 15, Gast 15; ours, CG 15: {fig_16:?}");
    assert!(fig_16[0] < fig_16[2] && fig_16[2] < fig_16[1], "fewer linear iterations, more of Newton's");
    assert!(fig_16[3] < fig_16[1] && fig_16[4].abs_diff(fig_16[5]) <= 3);

    let fig_17 = needed(&ran(17), 1e-6);
    println!("Fig. 17: system; frame direct, rest 5, rest 15, system 5, system 15: {fig_17:?}");
    assert!(fig_17[4] < fig_17[2] && fig_17[3] < fig_17[2] && fig_17[1] <= fig_17[5]);
}

#[test]
#[ignore = "long: tens of steps by 300 iterations"]
fn xpbd_fails_where_the_thesis_says() {
    // Table 5.2, around its thresholds.
    for (step, works, fails) in [(0.1, 1e6, 1e7), (0.01, 1e7, 1e8), (0.001, 1e9, 1e10), (0.0001, 1e11, 1e12)]
    {
        for (k, expected) in [(works, false), (fails, true)] {
            let pins = [0, 1].map(|pin| format!("body.0.pin.{pin}.kind.soft={k:?}"));
            let mut vary = vec![format!("time.step={step}"), format!("body.0.material.k={k:?}")];
            vary.extend(pins);
            let comparison = experiment("twisting-beam.toml", "ledwon-2024-table-5-2", vary);
            let errors: Vec<f64> = comparison.courses.iter().map(|c| c.last().relative_error).collect();
            println!("step {step}, k {k:e}: {errors:?}");
            assert_eq!(errors[3] > 1.0, expected, "xpbd");
            assert!(errors[0] < 1e-9 && errors[1] < 1e-9 && errors[2] < 0.05);
        }
    }
}

#[test]
#[ignore = "long: tens of steps by 1,000 iterations"]
fn one_constraint_an_element_stands_stiffer_materials_than_two() {
    // Tables 5.5 and 5.6, on the first and the last of their steps; inverted elements tell a fault.
    let ran = |step: f64, young: f64| {
        let vary = vec![format!("time.step={step}"), format!("body.0.material.young={young:?}")];
        let comparison = experiment("untwisting-neo-hookean.toml", "ledwon-2024-tables-5-5-and-5-6", vary);
        let [quasi_newton, combined, split] = [0, 1, 2].map(|i| comparison.courses[i].clone());
        assert!(quasi_newton.last().relative_error < 1e-9 && quasi_newton.volumes.1 == 0);
        println!("step {step}, young {young:e}: {:?} {:?}", combined.volumes, split.volumes);
        [combined, split]
    };
    for (step, young, robust) in [
        (0.1, 1e6, [true, false]),
        (0.1, 1e7, [false, false]),
        (0.0001, 1e10, [true, true]),
        (0.0001, 1e12, [true, false]),
    ] {
        assert_eq!(ran(step, young).map(|course| course.volumes.1 == 0), robust);
    }
    let converged = |step, young| ran(step, young).map(|course| course.last().relative_error < 1e-3);
    assert_eq!(converged(0.0001, 1e6), [true, true]);
    assert_eq!(converged(0.001, 1e5), [false, true]);
    assert_eq!(converged(0.01, 1e5), [false, false]);
}

/// |P| after iterations of projective dynamics in the form A x⁺ = b, where `round` acts on b.
fn drift(round: impl Fn(f64) -> f64) -> f64 {
    let mut simulation = simulation(&untwisting_beam(0.1, "{ model = \"arap\", k = 1e9 }"));
    let (base, mut at) = simulation.next_stage().unwrap();
    let objective = &simulation.objective;
    let matrix = assemble(objective, 1.0);
    let (mut system, _) = System::prepare(objective, &Cache::disabled()).unwrap();
    for _ in 0..20 {
        // b = A x − ∇g = M y/h² + Σ w Dᵀp.
        let flat: Vec<f64> = at.x.iter().flat_map(|x| x.0).collect();
        let mut product = vec![0.0; flat.len()];
        matrix.multiply_into(4, &flat, &mut product);
        let right: Vec<Vec4> = (product.chunks_exact(4).zip(&at.gradient))
            .map(|(ax, g)| Vec4(std::array::from_fn(|k| round(ax[k] - g.0[k]))))
            .collect();
        system.solve(&right, &mut at.x);
        objective.evaluate(&mut at);
    }
    let momentum = |k: usize| {
        let moved = at.x.iter().zip(&base.x).zip(&objective.mass);
        moved.map(|((x, b), m)| m * (x.0[k] - b.0[k]) / objective.step).sum::<f64>()
    };
    (0..3).map(|k| momentum(k).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn solving_for_positions_magnifies_rounding_into_momentum() {
    // [Ledwon2024, Fig. 5.11]; solved for increments, the same iterations keep 1e-8 kg·m/s (see `comparison`).
    let (double, single) = (drift(|b| b), drift(|b| f64::from(b as f32)));
    println!("double {double:e} kg·m/s, with b in single precision {single:e} kg·m/s");
    assert!(double > 1e-7 && single > 1e4 * double);
}

#[test]
fn positions_in_single_precision_set_a_stiff_free_beam_in_motion() {
    let momentum = |comparison: &Comparison, solver: usize| {
        let last = comparison.courses[solver].points[20].linear;
        last.iter().map(|p| p * p).sum::<f64>().sqrt()
    };
    let solvers = ["pd", "pd:solve_for=positions"];
    let stiff = simulation(&untwisting_beam(0.1, "{ model = \"arap\", k = 1e9 }"));
    let stiff = compared(stiff, &solvers, 20);
    println!("|P| {:e} and {:e} kg m/s", momentum(&stiff, 0), momentum(&stiff, 1));
    assert!(momentum(&stiff, 0) < 1e-6 && momentum(&stiff, 1) > 1e3);
    // Where masses and stiffness are of one size, both forms are the same iteration.
    let soft = compared(simulation(&untwisting_beam(0.01, "{ model = \"arap\", k = 1e5 }")), &solvers, 20);
    for (a, b) in soft.courses[0].points.iter().zip(&soft.courses[1].points) {
        assert!((a.value.total() / b.value.total() - 1.0).abs() < 1e-4, "iteration {}", a.iteration);
    }
}

#[test]
fn without_its_factor_quasi_newton_is_the_published_method() {
    // [Liu2017, Alg. 1-2] as printed, with dense solves.
    let mut textbook = simulation(&twisted_bar());
    let (_, mut at) = textbook.next_stage().unwrap();
    let objective = &textbook.objective;
    let matrix = assemble(objective, 1.0);
    let inverse = |b: &[Vec4]| {
        let mut x: Vec<f64> = b.iter().flat_map(|b| [b.0[0], b.0[1], b.0[2]]).collect();
        conjugate_gradients(&matrix, &mut x);
        x.chunks_exact(3).map(|x| Vec4::new([x[0], x[1], x[2]])).collect::<Vec<Vec4>>()
    };
    let dot = |a: &[Vec4], b: &[Vec4]| -> f64 {
        a.iter().zip(b).map(|(a, b)| (0..3).map(|k| a.0[k] * b.0[k]).sum::<f64>()).sum()
    };
    let add = |a: &[Vec4], factor: f64, b: &[Vec4]| -> Vec<Vec4> {
        a.iter().zip(b).map(|(a, b)| Vec4(std::array::from_fn(|k| a.0[k] + factor * b.0[k]))).collect()
    };
    let mut pairs: Vec<(Vec<Vec4>, Vec<Vec4>)> = vec![];
    let mut values = vec![at.value.total()];
    for _ in 0..8 {
        let (x, gradient) = (at.x[..objective.free].to_vec(), at.gradient.clone());
        let (mut q, mut factors) = (gradient.clone(), vec![]);
        for (s, t) in pairs.iter().rev() {
            let factor = dot(s, &q) / dot(s, t);
            q = add(&q, -factor, t);
            factors.push(factor);
        }
        let mut r = inverse(&q);
        for ((s, t), factor) in pairs.iter().zip(factors.iter().rev()) {
            let other = dot(t, &r) / dot(s, t);
            r = add(&r, factor - other, s);
        }
        let (from, slope) = (at.value.total(), -dot(&gradient, &r));
        let mut alpha = 1.0;
        loop {
            at.x[..objective.free].copy_from_slice(&add(&x, -alpha, &r));
            objective.evaluate(&mut at);
            if at.value.total() <= from + 0.3 * alpha * slope {
                break;
            }
            alpha *= 0.5;
        }
        pairs.push((add(&at.x[..objective.free], -1.0, &x), add(&at.gradient, -1.0, &gradient)));
        if pairs.len() > 5 {
            pairs.remove(0);
        }
        values.push(at.value.total());
    }
    let solvers = ["quasi-newton:adapt=false:precision=double", "quasi-newton:precision=double"];
    let ours = compared(simulation(&twisted_bar()), &solvers, 8);
    let differs = |course: &Course| {
        let pairs = course.points.iter().zip(&values);
        pairs.map(|(point, value)| (point.value.total() / value - 1.0).abs()).fold(0.0, f64::max)
    };
    let found = [0, 1].map(|i| differs(&ours.courses[i]));
    println!("{found:?}");
    assert!(found[0] < 1e-8 && found[1] > 1e-6, "{found:?}");
}

/// A corotated bar, turned and stretched, in the air.
fn twisted_bar() -> String {
    r#"
    [time]
    step = 0.02
    frames = 1
    [[body]]
    element = "linear"
    generate = { shape = "beam", size = [2, 0.5, 0.5], cells = [8, 2, 2] }
    material = { model = "corotated", young = 1e5, poisson = 0.4 }
    deform = [{ stretch = [1.3, 1, 1] }, { twist = { axis = "x", degrees = 120 } }]
    "#
    .into()
}

/// Solves A x = b in place for three columns, far beyond what a test needs.
fn conjugate_gradients(matrix: &SymmetricMatrix, x: &mut [f64]) {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut residual = x.to_vec();
    let mut direction = residual.clone();
    let mut product = vec![0.0; x.len()];
    x.fill(0.0);
    let first = dot(&residual, &residual);
    let mut square = first;
    for _ in 0..20 * x.len() {
        if square <= 1e-30 * first {
            break;
        }
        matrix.multiply_into(3, &direction, &mut product);
        let alpha = square / dot(&direction, &product);
        x.iter_mut().zip(&direction).for_each(|(x, d)| *x += alpha * d);
        residual.iter_mut().zip(&product).for_each(|(r, p)| *r -= alpha * p);
        let next = dot(&residual, &residual);
        direction.iter_mut().zip(&residual).for_each(|(d, r)| *d = r + next / square * *d);
        square = next;
    }
}

#[test]
fn variations_of_configs_are_whole() {
    // Every combination loads: a typo in a key would only show after minutes of work.
    for name in ["twisting-beam.toml", "untwisting-neo-hookean.toml", "untwisting-beam.toml"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs").join(name);
        let loaded = config::load(&path, &Overrides::default()).unwrap();
        for comparison in &loaded.scene.comparisons {
            for case in cases::combinations(&comparison.vary) {
                config::load(&path, &Overrides { vary: case.assignments, ..Overrides::default() }).unwrap();
            }
        }
    }
}

#[test]
fn condition_numbers_of_a_spring_are_those_of_the_formula() {
    // One vertex of mass m on a spring of stiffness k that has its length: with c = k h²/m the Hessian is
    // m/h² diag(1 + c, 1, 1) along the spring, and A is m/h² (1 + c).
    let scene = |degrees: f64| {
        simulation(&format!(
            "[time]\nstep = 0.1\n[world]\ngravity = [0, 0, 0]\n[[body]]\nline = {{ kind = \"spring\", young = 1e5 }}\n\
             generate = {{ shape = \"rope\", length = 1, segments = 1 }}\n\
             deform = {{ rotate = {{ axis = [0, 0, 1], degrees = {degrees} }} }}\n\
             [[body.pin]]\nselect = {{ nearest = {{ point = [0, 0, 0] }} }}\n"
        ))
    };
    let condition = |degrees: f64, choice: InitialHessian| {
        let mut simulation = scene(degrees);
        let (_, start) = simulation.next_stage().unwrap();
        spectrum(&simulation.objective, &start.x, choice).unwrap().condition().unwrap()
    };
    let objective = scene(0.0).objective;
    let inertia = objective.mass[0] / (objective.step * objective.step);
    let whole = assemble(&objective, 1.0).values[0] / inertia;
    assert!(whole > 2.0, "1 + c is {whole}");
    for (choice, straight, turned) in [
        (InitialHessian::System, whole, whole),
        (InitialHessian::Identity, whole, whole),
        (InitialHessian::Rest, 1.0, whole * whole),
        // A single spring has no rotation of its own, so that nothing is warped.
        (InitialHessian::Warped, 1.0, whole * whole),
        (InitialHessian::Frame, 1.0, 1.0),
    ] {
        let found = [condition(0.0, choice), condition(90.0, choice)];
        println!("{choice:?}: {found:?}, by the formula {straight} and {turned}");
        assert!((found[0] / straight - 1.0).abs() < 1e-9 && (found[1] / turned - 1.0).abs() < 1e-9);
    }
}

#[test]
fn a_warped_hessian_does_not_notice_a_turn_and_a_seldom_one_is_that_of_its_frame() {
    let scene = |degrees: f64| {
        simulation(&format!(
            "[time]\nstep = \"1/30\"\n[world]\ngravity = [0, 0, 0]\n[[body]]\nelement = \"linear\"\n\
             generate = {{ shape = \"box\", size = [1, 1, 1], cells = [3, 3, 2] }}\ndensity = 10\n\
             material = {{ model = \"neo-hookean\", mu = 4e3, lambda = 100 }}\n\
             deform = [{{ stretch = [1.3, 1, 1] }}, {{ rotate = {{ axis = [1, 2, 2], degrees = {degrees} }} }}]\n"
        ))
    };
    let condition = |degrees: f64, choice: InitialHessian| {
        let mut simulation = scene(degrees);
        let (_, start) = simulation.next_stage().unwrap();
        spectrum(&simulation.objective, &start.x, choice).unwrap().condition().unwrap()
    };
    for choice in [InitialHessian::System, InitialHessian::Warped] {
        assert!((condition(130.0, choice) / condition(0.0, choice) - 1.0).abs() < 1e-6, "{choice:?}");
    }
    assert!(condition(130.0, InitialHessian::Rest) > 4.0 * condition(0.0, InitialHessian::Rest));
    let solvers = [
        "quasi-newton:initial_hessian=warped",
        "quasi-newton:initial_hessian=frame",
        "quasi-newton:initial_hessian=frame:renew_every=3",
    ];
    let needed = needed(&compared(scene(130.0), &solvers, 60), 1e-9);
    println!("warped, frame, every third: {needed:?}");
    assert!(needed[0] < 30 && needed[1] == needed[2]);
}
