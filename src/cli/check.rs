//! `pliant check`: validates a config and loads its meshes, without simulating.

use clap::Args;
use serde_json::{Value, json};

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
use crate::scene::{Body, Obstacle, Scene};
use crate::simulate::estimate::{Estimate, estimate};
use crate::simulate::touching::{ContactFacts, Examined, examine};
use crate::solver::SolverSettings;
use elements::math::vec3::norm;

/// Arguments of `pliant check`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  pliant check configs/cantilever.toml\n  pliant check configs/cantilever.toml --json | jq .bodies[].mass\n\nAll faults of a config are reported together, with \
                        line and column; the exit code is then 2."
)]
pub struct CheckArgs {
    /// The config with its overrides.
    #[command(flatten)]
    pub scene: SceneArgs,
    /// Print JSON for programs.
    #[arg(long)]
    pub json: bool,
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

/// What follows files: who, with how many frames, for how many seconds.
fn of_files(scene: &Scene, model: &Model) -> Vec<(String, usize, f64)> {
    let told = |(owner, course): (String, &Course)| {
        let places = course.places.as_ref()?;
        Some((owner, places.frames(), places.duration()))
    };
    owners(scene).into_iter().zip(&model.motions).filter_map(told).collect()
}

/// What a body is, as it would be simulated.
struct Checked {
    name: String,
    vertices: usize,
    pinned: usize,
    cells: [usize; 3],
    made_of: String,
    mass: f64,
    extents: [f64; 3],
    estimate: Estimate,
}

impl Checked {
    fn of(scene: &Scene, built: &Built, number: usize, cache: &Cache) -> Result<Checked> {
        let (body, place, model) = (&scene.bodies[number], &built.model.bodies[number], &built.model);
        let position = &model.numbering.position[place.vertices.clone()];
        Ok(Checked {
            name: body.name.clone(),
            vertices: place.vertices.len(),
            pinned: model.pinned[place.vertices.clone()].iter().filter(|p| **p != 0).count(),
            cells: [place.tets.len(), place.triangles.len(), place.edges.len()],
            made_of: made_of(body),
            mass: position.iter().map(|v| built.objective.mass[*v as usize]).sum(),
            extents: extents(&model.rest[place.vertices.clone()]),
            estimate: estimate(scene, number, cache)?,
        })
    }

    fn text(&self) -> String {
        let Checked { name, vertices, pinned, cells: [tets, triangles, edges], made_of, mass, .. } = self;
        let ([x, y, z], told) = (self.extents, self.estimate.describe(norm(self.extents)));
        format!(
            "  body {name}: {vertices} vertices ({pinned} pinned), {}, {made_of}\n    {mass:.4e} kg, {x:.3} x {y:.3} x {z:.3} m; {told}\n",
            cells(*tets, *triangles, *edges)
        )
    }

    fn json(&self) -> Value {
        let [tets, triangles, edges] = self.cells;
        let (sag, frequency) = match self.estimate {
            Estimate::Held { sag, frequency } => (Some(sag), Some(frequency)),
            _ => (None, None),
        };
        json!({
            "name": self.name, "vertices": self.vertices, "pinned": self.pinned, "tets": tets, "triangles": triangles,
            "edges": edges, "made_of": self.made_of, "mass": self.mass, "extents": self.extents, "sag": sag,
            "lowest_frequency": frequency,
        })
    }
}

/// Everything that is told of a scene.
struct Told<'a> {
    scene: &'a Scene,
    bodies: Vec<Checked>,
    files: Vec<(String, usize, f64)>,
    contact: Option<(ContactFacts, Result<f64, f64>)>,
    /// The lowest det F of the initial state, and how many tets are inverted.
    volumes: (f64, usize),
}

impl Told<'_> {
    fn text(&self) -> String {
        let scene = self.scene;
        let mut text = format!(
            "{}: {} frames of {} x {} s, solver {}, {}\n",
            scene.name,
            scene.time.frames,
            scene.time.substeps,
            scene.time.step,
            scene.solver.kind().name,
            ends(&scene.solver)
        );
        text.extend(self.bodies.iter().map(Checked::text));
        for obstacle in &scene.obstacles {
            let moves = if obstacle.motion.is_some() { ", moving" } else { "" };
            text += &format!("  obstacle {}: {}{moves}\n", obstacle.name, obstacle.shape.name());
        }
        for (owner, frames, duration) in &self.files {
            text += &format!("  {owner} follows {frames} frames of files, which last {duration:.6} s\n");
        }
        if let Some((facts, gap)) = &self.contact {
            text += &of_contact(facts, *gap);
        }
        let (lowest, inverted) = self.volumes;
        if inverted > 0 {
            text += &format!("  the initial state has {inverted} inverted tets (lowest det F {lowest:.3})\n");
        }
        text + &format!("  writes to {}\n", scene.output.dir.display())
    }

    fn json(&self) -> String {
        let scene = self.scene;
        let obstacle = |obstacle: &Obstacle| json!({ "name": obstacle.name, "shape": obstacle.shape.name(), "moves": obstacle.motion.is_some() });
        let file = |(owner, frames, duration): &(String, usize, f64)| json!({ "owner": owner, "frames": frames, "seconds": duration });
        let contact = self.contact.as_ref().map(|(facts, gap)| {
            json!({
                "distance": facts.distance, "stiffness": facts.stiffness, "triangles": facts.triangles, "least_gap": gap.ok(),
                "least_gap_above": gap.err().filter(|least| least.is_finite()),
            })
        });
        let out = json!({
            "name": scene.name, "frames": scene.time.frames, "substeps": scene.time.substeps, "step": scene.time.step,
            "solver": scene.solver.kind().name, "iterations": scene.solver.iterations, "directory": scene.output.dir,
            "bodies": self.bodies.iter().map(Checked::json).collect::<Vec<_>>(),
            "obstacles": scene.obstacles.iter().map(obstacle).collect::<Vec<_>>(),
            "files": self.files.iter().map(file).collect::<Vec<_>>(),
            "contact": contact, "inverted": self.volumes.1,
        });
        format!("{out:#}\n")
    }
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

impl CheckArgs {
    /// Loads everything that a run would load, and prints what would run.
    pub fn run(&self, global: &Global) -> Result<()> {
        let loaded = self.scene.load(global)?;
        let config = &loaded.scene;
        let cache = global.cache();
        let busy = Busy::new(global, "loading meshes");
        let built = build(config, &cache)?;
        drop(busy);
        built.notes.log();
        let bodies: Vec<Checked> = (0..config.bodies.len())
            .map(|n| Checked::of(config, &built, n, &cache))
            .collect::<Result<_>>()?;
        for Checked { name, estimate, extents, .. } in &bodies {
            if let Some(warning) = estimate.warning(norm(*extents), config.time.step) {
                tracing::warn!(code = "stiffness", body = name, "body '{name}': {warning}");
            }
        }
        let contact = shown(examine(config, &built), config)?.map(|Examined { facts, gap, warnings }| {
            warnings.iter().for_each(|warning| tracing::warn!(code = "contact", "{warning}"));
            (facts, gap)
        });
        let told = Told {
            scene: config,
            bodies,
            files: of_files(config, &built.model),
            contact,
            volumes: built.objective.volumes(&built.model.initial.x),
        };
        if let Err(error) = Claim::check(config) {
            tracing::warn!(code = error.code(), "{error}");
        }
        write_stdout(&if self.json { told.json() } else { told.text() })
    }
}
