//! From [`raw::Config`] with its defaults filled in to [`scene::Scene`]: ranges, names, contradictions, units.
//!
//! Every function reports faults and goes on with a stand-in, so that all faults are reported together; the result is
//! used only if the report stayed empty.

mod body;
mod comparison;
mod contact;
mod control;
mod defaults;
mod elastic;
mod force;
mod material;
mod names;
mod output;
mod pin;
mod preset;
mod probe;
mod sequence;
mod shape;
mod solver;

pub use defaults::{Context, fill};
pub use shape::shape;

use serde::Serialize;

use super::path::KeyPath;
use super::problem::Report;
use super::raw;
use crate::scene;
use crate::solver::SolverSettings;

/// More frames or steps than this must be a typing error.
const MOST_STEPS: u64 = 1_000_000_000_000;

/// Validates a config whose defaults are filled in; `None` if there are faults, which the report has.
pub fn resolve(config: &raw::Config, report: &mut Report) -> Option<scene::Scene> {
    let root = KeyPath::root();
    let name = config.name.clone().unwrap_or_default();
    names::check(&name, root.join("name"), report);
    let time = time(&config.time, report);
    let solver = solver::resolve(&config.solver, report);
    let world = root.join("world");
    let gravity = force::vector(&config.world.gravity, &world.join("gravity"), report);
    let wind = config.world.wind.as_ref().map(|wind| force::wind(wind, &world.join("wind"), report));
    let output = output::output(config, &time, report);
    if config.body.is_empty() {
        report.value(root.join("body"), "a scene wants at least one [[body]]", "");
    }
    check_body_names(&config.body, report);
    check_obstacle_names(config, report);
    let end = time.step * time.frames as f64 * time.substeps as f64;
    let mut bodies: Vec<Option<scene::Body>> = (config.body.iter().enumerate())
        .map(|(i, body)| body::resolve(body, root.join("body").join(i), end, report))
        .collect();
    probe::resolve(config, &mut bodies, report);
    let obstacles = contact::obstacles(config, end, report);
    let contact = contact::contact(config, report);
    contact::check_bodies(config, report);
    let solver = solver.inspect(|solver| check_solver(config, solver, &bodies, report))?;
    let comparisons = comparison::resolve(&config.comparison, &solver, report);
    let bodies = bodies.into_iter().collect::<Option<Vec<_>>>()?;
    let fepr = config.solver.fepr.unwrap_or(false);
    let obstacles = obstacles?;
    Some(scene::Scene {
        name,
        time,
        solver,
        fepr,
        gravity,
        wind,
        bodies,
        obstacles,
        contact,
        output,
        comparisons,
    })
}

/// Refuses materials that the solver cannot simulate, and warns of controls that it ignores.
fn check_solver(
    config: &raw::Config,
    solver: &SolverSettings,
    bodies: &[Option<scene::Body>],
    report: &mut Report,
) {
    let kind = solver.kind();
    control::check(config, kind.conserves, kind.name, report);
    for (i, body) in bodies.iter().enumerate() {
        for (k, part) in body.iter().flat_map(|body| &body.materials).enumerate() {
            let Some(refusal) = (kind.refuses_material)(&part.material) else { continue };
            let at = KeyPath::parse("body").join(i).join("material");
            let at = match config.body[i].material {
                raw::OneOrMany::One(_) => at.join("model"),
                raw::OneOrMany::Many(_) => at.join(k).join("model"),
            };
            report.value(at, format!("solver '{}' cannot simulate this: {refusal}", kind.name), "");
        }
    }
}

fn time(time: &raw::Time, report: &mut Report) -> scene::Time {
    let at = KeyPath::parse("time");
    let step = time.step.as_ref().map_or(Ok(1.0), raw::Step::seconds).unwrap_or_else(|reason| {
        report.value(at.join("step"), reason, "");
        1.0
    });
    report.check(step > 0.0 && step.is_finite(), at.join("step"), "must be above 0");
    let (frames, substeps) = (time.frames.unwrap_or(1), time.substeps.unwrap_or(1));
    report.check(substeps >= 1, at.join("substeps"), "must be at least 1");
    let steps = frames.checked_mul(substeps).filter(|&steps| steps <= MOST_STEPS);
    report.check(steps.is_some(), at.join("frames"), format!("more than {MOST_STEPS} steps"));
    let integrator = match time.integrator.unwrap_or_default() {
        raw::Integrator::ImplicitEuler => scene::Integrator::ImplicitEuler,
        raw::Integrator::Midpoint => scene::Integrator::Midpoint,
        raw::Integrator::Bdf2 => scene::Integrator::Bdf2,
    };
    scene::Time { step, frames, substeps, integrator }
}

/// Refuses names that no file can have, and names that two bodies share (some disks ignore upper and lower case).
fn check_body_names(bodies: &[raw::Body], report: &mut Report) {
    let name = |body: &raw::Body| body.name.clone().unwrap_or_default();
    let all: Vec<String> = bodies.iter().map(name).collect();
    for (i, name) in all.iter().enumerate() {
        let at = KeyPath::parse("body").join(i).join("name");
        names::check(name, at.clone(), report);
        if let Some(first) = scene::names::twin(all[..i].iter().map(String::as_str), name) {
            let message = format!("body.{first} already has the name '{name}'");
            report.value(at, message, "names of bodies must be unique");
        }
    }
}

/// Likewise for the names of obstacles, which no body may have either.
fn check_obstacle_names(config: &raw::Config, report: &mut Report) {
    let bodies: Vec<&str> = config.body.iter().map(|b| b.name.as_deref().unwrap_or_default()).collect();
    let obstacles: Vec<&str> =
        config.obstacle.iter().map(|o| o.name.as_deref().unwrap_or_default()).collect();
    for (i, name) in obstacles.iter().enumerate() {
        let at = KeyPath::parse("obstacle").join(i).join("name");
        names::check(name, at.clone(), report);
        let twin = |names: &[&str]| scene::names::twin(names.iter().copied(), name);
        let of_body = twin(&bodies).map(|first| format!("body.{first}"));
        if let Some(first) = of_body.or(twin(&obstacles[..i]).map(|first| format!("obstacle.{first}"))) {
            let message = format!("{first} already has the name '{name}'");
            report.value(at, message, "names of bodies and obstacles must be unique");
        }
    }
}

/// Reports every key of `table` that `owner` does not take; true if there was none.
fn refuse_keys(
    table: &impl Serialize,
    taken: &[&str],
    at: &KeyPath,
    owner: &str,
    report: &mut Report,
) -> bool {
    let foreign: Vec<String> =
        given_keys(table).into_iter().filter(|key| !taken.contains(&key.as_str())).collect();
    for key in &foreign {
        report.key(
            at.join(key),
            format!("{owner} does not take this key"),
            format!("it takes: {}", taken.join(", ")),
        );
    }
    foreign.is_empty()
}

/// The keys of a table that are given.
fn given_keys(table: &impl Serialize) -> Vec<String> {
    toml::Table::try_from(table).map(|table| table.keys().cloned().collect()).unwrap_or_default()
}

/// `v` with length 1; reports a vector without direction.
fn unit(v: [f64; 3], at: KeyPath, report: &mut Report) -> [f64; 3] {
    // The vector is scaled first, because squares of very small or large components leave the range of numbers.
    let largest = v.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    if largest == 0.0 || !largest.is_finite() {
        report.value(at, "must not be the zero vector", "");
        return [0.0, 0.0, 1.0];
    }
    let scaled = v.map(|x| x / largest);
    let length = scaled.iter().map(|x| x * x).sum::<f64>().sqrt();
    scaled.map(|x| x / length)
}
