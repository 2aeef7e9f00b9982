//! `pliant check`: validates a config and loads its meshes, without simulating.

use clap::Args;

use super::Global;
use super::intersections::shown;
use super::progress::{Busy, cells};
use super::report::write_stdout;
use super::scene::SceneArgs;
use crate::cache::Cache;
use crate::error::Result;
use crate::model::Model;
use crate::model::build::{Built, build};
use crate::model::motion::Course;
use crate::model::sequence::owners;
use crate::run::claim::Claim;
use crate::scene::{Body, Scene};
use crate::simulate::estimate::estimate;
use crate::simulate::touching::{ContactFacts, Examined, examine};
use crate::solver::SolverSettings;
use elements::math::vec3::norm;

/// Arguments of `pliant check`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Example:\n  pliant check configs/cantilever.toml\n\nAll faults of a config are reported together, with \
                        line and column; the exit code is then 2."
)]
pub struct CheckArgs {
    /// The config with its overrides.
    #[command(flatten)]
    pub scene: SceneArgs,
}

/// The extents of the box around points.
fn extents(points: &[[f64; 3]]) -> [f64; 3] {
    let [low, high] = points.iter().fold([[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]], |[low, high], p| {
        [std::array::from_fn(|k| low[k].min(p[k])), std::array::from_fn(|k| high[k].max(p[k]))]
    });
    std::array::from_fn(|k| (high[k] - low[k]).max(0.0))
}

/// The names of a body's materials, each once, or of what it has instead.
fn made_of(body: &Body) -> String {
    let mut names: Vec<&str> = vec![];
    for part in &body.materials {
        if !names.contains(&part.material.model.name) {
            names.push(part.material.model.name);
        }
    }
    match (names.is_empty(), &body.line) {
        (false, _) => names.join(" and "),
        (true, Some(line)) => line.kind.name().into(),
        (true, None) => "springs".into(),
    }
}

/// What follows files, with their frames and how long they last.
fn of_files(scene: &Scene, model: &Model) -> String {
    let told = |(owner, course): (String, &Course)| {
        let places = course.places.as_ref()?;
        let (frames, duration) = (places.frames(), places.duration());
        Some(format!("  {owner} follows {frames} frames of files, which last {duration:.6} s\n"))
    };
    owners(scene).into_iter().zip(&model.motions).filter_map(told).collect()
}

/// What a scene with contact has: d̂, κ, surfaces, and the least gap at the start, or what it is more than.
fn of_contact(facts: &ContactFacts, gap: Result<f64, f64>) -> String {
    let [low, high] = facts.stiffness;
    let stiffness = if low == high { format!("{low}") } else { format!("{low} to {high}") };
    let gap = match gap {
        Ok(gap) => format!("least gap at the start {gap:.3e} m"),
        Err(least) if least.is_finite() => format!("least gap at the start above {least:.3e} m"),
        Err(_) => "nothing near at the start".into(),
    };
    let (distance, triangles) = (facts.distance, facts.triangles);
    format!(
        "  contact: distance {distance} m, stiffness {stiffness} Pa, {triangles} surface triangles, {gap}\n"
    )
}

/// When a step ends.
fn ends(solver: &SolverSettings) -> String {
    let SolverSettings { iterations, tolerance, .. } = solver;
    if *tolerance > 0.0 {
        format!("at most {iterations} iterations to a tolerance of {tolerance}")
    } else {
        format!("{iterations} iterations")
    }
}

/// What a body has, and what it will do by itself; warns where that is most likely not meant.
fn of_body(config: &Scene, built: &Built, number: usize, cache: &Cache) -> Result<String> {
    let (model, body) = (&built.model, &config.bodies[number]);
    let place = &model.bodies[number];
    let pinned = model.pinned[place.vertices.clone()].iter().filter(|p| **p != 0).count();
    let numbers = &model.numbering.position[place.vertices.clone()];
    let mass: f64 = numbers.iter().map(|v| built.objective.mass[*v as usize]).sum();
    let extents = extents(&model.rest[place.vertices.clone()]);
    let ([x, y, z], size) = (extents, norm(extents));
    let estimate = estimate(config, number, cache)?;
    if let Some(warning) = estimate.warning(size, config.time.step) {
        tracing::warn!("body '{}': {warning}", body.name);
    }
    Ok(format!(
        "  body {}: {} vertices ({pinned} pinned), {}, {}\n    {mass:.4e} kg, {x:.3} x {y:.3} x {z:.3} m; {}\n",
        body.name,
        place.vertices.len(),
        cells(place.tets.len(), place.triangles.len(), place.edges.len()),
        made_of(body),
        estimate.describe(size)
    ))
}

impl CheckArgs {
    /// Loads everything that a run would load, and prints what would run.
    pub fn run(&self, global: &Global) -> Result<()> {
        let loaded = self.scene.load(global)?;
        let config = &loaded.scene;
        let busy = Busy::new(global, "loading meshes");
        let built = build(config, &global.cache())?;
        drop(busy);
        built.notes.log();
        let model = &built.model;
        let mut text = format!(
            "{}: {} frames of {} x {} s, solver {}, {}\n",
            config.name,
            config.time.frames,
            config.time.substeps,
            config.time.step,
            config.solver.kind().name,
            ends(&config.solver)
        );
        for number in 0..config.bodies.len() {
            text += &of_body(config, &built, number, &global.cache())?;
        }
        for obstacle in &config.obstacles {
            let moves = if obstacle.motion.is_some() { ", moving" } else { "" };
            text += &format!("  obstacle {}: {}{moves}\n", obstacle.name, obstacle.shape.name());
        }
        text += &of_files(config, model);
        if let Some(Examined { facts, gap, warnings }) = shown(examine(config, &built), config)? {
            warnings.iter().for_each(|warning| tracing::warn!("{warning}"));
            text += &of_contact(&facts, gap);
        }
        let (lowest, inverted) = built.objective.volumes(&model.initial.x);
        if inverted > 0 {
            text += &format!("  the initial state has {inverted} inverted tets (lowest det F {lowest:.3})\n");
        }
        text += &format!("  writes to {}\n", config.output.dir.display());
        if let Err(error) = Claim::check(config) {
            tracing::warn!("{error}");
        }
        write_stdout(&text)
    }
}
