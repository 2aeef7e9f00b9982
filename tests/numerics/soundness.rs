//! Motions that no body makes are told, and good ones are not called bad.
//!
//! The judge is independent of the solvers: gravity and elasticity are conservative, and pins that stand still do no work, so the
//! sum of kinetic, elastic and gravitational energy cannot rise; and no cell of a body turns inside out.

use crate::common::scenes::{HELD, material};
use crate::common::simulation;
use pliant::simulate::Simulation;
use pliant::simulate::soundness::{CRUSHED, Record};
use pliant::solver::KINDS;

/// Scenes from heavy to absurd: what replaces time, gravity, material and velocity or start.
const EXTREMES: &[(&str, &str, &str, &str)] = &[
    ("heavy", "1/30", "[0, -1000, 0]", ""),
    ("crushing", "1/30", "[0, -1e5, 0]", ""),
    ("long steps", "1", "[0, -9.81, 0]", ""),
    ("very long steps", "10", "[0, -9.81, 0]", ""),
    ("short steps", "1/10000", "[0, -1e4, 0]", ""),
    ("fast", "1/30", "[0, 0, 0]", "velocity = { linear = [0, 1e4, 0] }"),
    ("spinning", "1/30", "[0, 0, 0]", "velocity = { angular = [0, 300, 0] }"),
    ("spinning fast", "1/30", "[0, 0, 0]", "velocity = { angular = [30, 3000, 0] }"),
    ("stretched", "1/30", "[0, 0, 0]", "deform = { stretch = [8, 8, 8] }"),
    ("flat", "1/30", "[0, 0, 0]", "deform = { squash = { axis = \"x\", factor = 0.01 } }"),
    ("random", "1/30", "[0, 0, 0]", "deform = { randomize = { seed = 3 } }"),
    ("twisted", "1/30", "[0, 0, 0]", "deform = { twist = { axis = \"x\", degrees = 1500 } }"),
    ("a point", "1/30", "[0, 0, 0]", "deform = { collapse = { jitter = 0 } }"),
    ("nearly a point", "1/30", "[0, 0, 0]", "deform = { collapse = {} }"),
];

fn extreme(kind: &str, model: &str, [step, gravity, more]: [&str; 3]) -> String {
    format!(
        r#"
        [time]
        step = "{step}"
        frames = 30
        [solver]
        kind = "{kind}"
        iterations = 10
        [world]
        gravity = {gravity}
        [[body]]
        element = "linear"
        generate = {{ shape = "beam", size = [1, 0.4, 0.4], cells = [5, 2, 2] }}
        material = {}
        {more}
        {HELD}
        "#,
        material(model, 1e5)
    )
}

/// How a run ended by the judge's own measures.
struct Verdict {
    /// The largest rise of the energy between two steps, as a part of all energy that there was.
    rise: f64,
    /// Cells with det F ≤ 0 in the last frame.
    inverted: usize,
    /// The lowest det F in the last frame.
    lowest: f64,
    record: Record,
}

/// Runs a scene; `None` if it ends with an error, which is as loud as a warning.
fn run(mut simulation: Simulation) -> Option<Verdict> {
    let mut energy = None;
    let mut verdict =
        Verdict { rise: 0.0, inverted: 0, lowest: 0.0, record: simulation.soundness.record.clone() };
    for _ in 0..30 {
        let metrics = simulation.advance().ok()?;
        let now = metrics.kinetic + metrics.value.elastic + metrics.potential;
        let before = energy.replace(now).unwrap_or(now);
        let size = metrics.kinetic + metrics.value.elastic + metrics.potential.abs() + before.abs();
        verdict.rise = f64::max(verdict.rise, (now - before) / size.max(simulation.objective.scale()));
        (verdict.lowest, verdict.inverted) = metrics.volumes;
    }
    verdict.record = simulation.soundness.record.clone();
    Some(verdict)
}

#[test]
fn no_absurd_motion_goes_without_a_warning() {
    let (mut runs, mut absurd, mut silent) = (0, 0, vec![]);
    for kind in KINDS.iter().map(|kind| kind.name) {
        let model =
            if ["pd", "chebyshev", "constrained-pd"].contains(&kind) { "arap" } else { "stable-neo-hookean" };
        for (name, step, gravity, more) in EXTREMES {
            runs += 1;
            let Some(end) = run(simulation(&extreme(kind, model, [step, gravity, more]))) else { continue };
            let is_absurd = end.inverted > 0 || end.lowest < CRUSHED || end.rise > 0.5 || end.rise.is_nan();
            absurd += u32::from(is_absurd);
            let told = end.record.warning(1);
            let (rise, inverted, lowest) = (end.rise, end.inverted, end.lowest);
            println!(
                "{kind:<15} {name:<16} rise {rise:>9.2e} inverted {inverted:>3} det F {lowest:>9.2e} {}",
                end.record.status()
            );
            if is_absurd && told.is_none() {
                silent.push(format!(
                    "{kind}, {name}: rise {rise:.2e}, {inverted} inverted, det F {lowest:.2e}"
                ));
            }
        }
    }
    println!("{runs} runs, {absurd} absurd");
    assert!(runs >= 120 && absurd >= 10 && silent.is_empty(), "{runs} runs, {absurd} absurd: {silent:#?}");
}

#[test]
fn ordinary_motions_are_sound_with_every_solver() {
    for kind in KINDS.iter().map(|kind| kind.name) {
        // Without stiffness, pbd gives back more than the material has stored in a deformed start, and it is told so.
        let knows_stiffness = kind != "pbd";
        for (step, gravity, more) in [
            ("1/60", "[0, -9.81, 0]", ""),
            ("1/30", "[0, 0, 0]", "deform = { twist = { axis = \"x\", degrees = 60 } }"),
            ("1/60", "[0, 0, 0]", "velocity = { linear = [0, 3, 0] }"),
        ] {
            let end = run(simulation(&extreme(kind, "arap", [step, gravity, more]))).unwrap();
            if !knows_stiffness && more.contains("deform") {
                assert_eq!(end.record.status(), "energy");
                continue;
            }
            assert_eq!(end.record.warning(1), None, "{kind}: {step} {gravity} {more}");
        }
    }
}

#[test]
fn pins_that_move_and_loads_are_not_taken_for_energy_from_nowhere() {
    for kind in ["quasi-newton", "xpbd", "pd"] {
        let scene = extreme(kind, "arap", ["1/60", "[0, -9.81, 0]", ""]);
        let shaken = format!("{scene}\nmotion = {{ shake = {{ amplitude = [0, 0.1, 0], frequency = 3 }} }}");
        let pulled = format!("{scene}\n[[body.load]]\nselect = \"all\"\nforce = [0, 50, 0]");
        for scene in [shaken, pulled] {
            assert_eq!(run(simulation(&scene)).unwrap().record.warning(1), None, "{kind}: {scene}");
        }
    }
}
