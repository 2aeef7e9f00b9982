//! A first scene for a mesh: a commented config with the file's own bounds, a pin that holds something, a material of a
//! sensible softness and a sensible step.
//!
//! `pliant new` prints it, and `pliant simulate MESH` simulates it. The text follows from the file and the wishes alone, so that both
//! are the same scene and a run can be resumed.

mod facts;
mod pins;
mod text;

use std::path::Path;

use crate::cache::Cache;
use crate::config::{Overrides, load_made};
use crate::error::suggest::suggestion;
use crate::error::{Error, Result};
use crate::model::body::{self, BodyData};
use crate::scene::preset::{self, PRESETS, Preset, PresetKind};
use crate::simulate::estimate::{Estimate, estimate};
use elements::math::vec3::{norm, sub};
use facts::{Facts, Role};
use pins::Hold;

/// What the scene should have; everything else is chosen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wishes {
    /// A side of the body, a point array of the file, or "none".
    pub pin: Option<String>,
    /// The axis along which what is pinned is shaken.
    pub shake: Option<usize>,
    /// A floor below the body.
    pub floor: bool,
    /// The name of a preset.
    pub preset: Option<String>,
}

/// A config, and what was chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// The config as TOML with comments.
    pub text: String,
    /// What nobody asked for and was chosen, and what there is to know.
    pub notes: Vec<String>,
}

/// The part of its size by which a body should sag, so that one sees that it is soft.
const SAG: f64 = 0.05;
/// How much stiffer than a column of its height a body is made at the most: what hangs by a thread is not made of steel for it.
const MOST_STIFFENED: f64 = 200.0;
/// Edges that a wave may run along in a step of a sheet or line, so that quasi-newton converges.
const MOST_EDGES: f64 = 40.0;
/// Steps per period of the lowest vibration.
const STEPS_PER_PERIOD: f64 = 20.0;
/// A part of its size by which a body of a preset sags that is worth a note.
const TOO_SOFT: f64 = 0.5;
/// Frames per second.
const RATE: f64 = 30.0;
/// Poisson's ratio of a material that was chosen for its softness; linear tets become too stiff above 0.45.
const POISSON: f64 = 0.4;
/// The density in kg/m³ of such a material.
const DENSITY: f64 = 1000.0;
/// The preset of sheets.
const USUAL_FABRIC: &str = "cotton";

/// Everything that the text of a config says.
#[derive(Clone)]
struct Plan<'a> {
    /// The path of the mesh as the config has it.
    path: &'a str,
    /// The name of the scene and of the body.
    name: String,
    facts: Facts,
    /// The factor from the file's unit to metres.
    scale: f64,
    /// The corners of the box around the rest state in m.
    bounds: [[f64; 3]; 2],
    hold: Option<Hold>,
    /// The axis along which the pin is shaken.
    shake: Option<usize>,
    /// The frequency of the shaking in Hz.
    frequency: f64,
    floor: bool,
    preset: Option<&'static Preset>,
    /// Young's modulus in Pa, without a preset.
    young: f64,
    substeps: u64,
    /// The mass in kg.
    mass: f64,
    estimate: Estimate,
}

/// Makes the config of a mesh file. `path` is the file, and `named` its path as the config should have it.
pub fn draft(path: &Path, named: &str, wishes: &Wishes, cache: &Cache) -> Result<Draft> {
    let mut facts = facts::look(path)?;
    let preset = wishes.preset.as_deref().map(find_preset).transpose()?;
    if facts.role == Role::Filled && preset.is_some_and(|preset| preset.bodies() == "sheets") {
        facts.role = Role::Sheet;
    }
    let preset = fitting(preset, &facts)?;
    let scale = if size(&facts.bounds) > facts::LARGE { 1e-3 } else { 1.0 };
    let mut plan = Plan {
        path: named,
        name: name_of(path),
        scale,
        bounds: facts.bounds.map(|corner| corner.map(|x| scale * x)),
        facts,
        hold: None,
        shake: wishes.shake,
        frequency: 2.0,
        floor: wishes.floor,
        preset,
        young: 1e5,
        substeps: 2,
        mass: 0.0,
        estimate: Estimate::None("it was not made"),
    };
    let mut notes = vec![];
    let rest = match plan.load(path, cache) {
        Err(Error::Mesh { reason, .. }) if plan.facts.role == Role::Filled => {
            notes.push(format!("it is taken as a sheet, because it cannot be filled: {reason}"));
            plan.facts.role = Role::Sheet;
            plan.preset = plan.preset.or(preset::find(USUAL_FABRIC));
            plan.load(path, cache)?
        }
        rest => rest?,
    };
    plan.mass = rest.mass.iter().sum();
    plan.hold = plan.choose_pin(wishes, &rest, &mut notes)?;
    plan.soften(path, cache)?;
    if let (Some(preset), Estimate::Held { sag, .. }) = (preset, &plan.estimate)
        && *sag > TOO_SOFT * size(&plan.bounds)
    {
        notes.push(format!(
            "a body of {} so large ({:.2} m) would sag by {:.0} % of its size: take a stiffer preset, or make it smaller with \
             transform = {{ scale = … }}",
            preset.name,
            size(&plan.bounds),
            100.0 * sag / size(&plan.bounds)
        ));
    }
    if scale != 1.0 {
        notes.push(format!(
            "the file is {:.0} units large, which was taken as millimetres: transform = {{ scale = 0.001 }}",
            size(&plan.facts.bounds)
        ));
    }
    Ok(Draft { text: plan.text(), notes })
}

fn size([low, high]: &[[f64; 3]; 2]) -> f64 {
    norm(sub(*high, *low))
}

/// A name for the scene that can be part of a file name.
fn name_of(path: &Path) -> String {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let safe = |c: char| if c.is_alphanumeric() || "_-.".contains(c) { c } else { '-' };
    let name: String = stem.chars().map(safe).take(100).collect();
    let name = name.trim_matches(['.', '-']).to_owned();
    if crate::scene::names::fault(&name).is_some() {
        format!("mesh-{name}").trim_end_matches('-').into()
    } else {
        name
    }
}

fn find_preset(name: &str) -> Result<&'static Preset> {
    preset::find(name).ok_or_else(|| {
        let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
        Error::Usage {
            what: format!("--preset: unknown preset '{name}'"),
            hint: suggestion(name, "presets", &names),
        }
    })
}

/// The preset of a mesh: the one that was asked for, if the mesh can have it; cotton for sheets.
fn fitting(preset: Option<&'static Preset>, facts: &Facts) -> Result<Option<&'static Preset>> {
    let is = match facts.role {
        Role::Filled | Role::Solid => "solids",
        Role::Sheet => "sheets",
        Role::Line => "lines",
    };
    match preset {
        Some(preset) if preset.bodies() == is || is == "sheets" && preset.bodies() == "solids" => {
            Ok(Some(preset))
        }
        Some(preset) => Err(Error::Usage {
            what: format!(
                "--preset: '{}' is for {}, and the mesh is {}",
                preset.name,
                preset.bodies(),
                facts.about
            ),
            hint: format!("presets for {is}: {}", preset::names_for(is).join(", ")),
        }),
        None if is == "sheets" => Ok(preset::find(USUAL_FABRIC)),
        None => Ok(None),
    }
}

impl Plan<'_> {
    /// The solver that converges: sheets and lines that are stiff for their steps want Newton's method. What counts is how many edges
    /// a wave runs along in a step.
    fn solver(&self) -> &'static str {
        let Some(preset) = self.preset else { return "quasi-newton" };
        let (PresetKind::Sheet { young, .. } | PresetKind::Line { young, .. }) = preset.kind else {
            return "quasi-newton";
        };
        let step = 1.0 / (RATE * self.substeps as f64);
        let edges = (young / preset.density).sqrt() * step / (self.scale * self.facts.edge);
        if edges > MOST_EDGES { "newton" } else { "quasi-newton" }
    }

    /// The scene as it is planned so far.
    fn scene(&self, path: &Path) -> Result<crate::scene::Scene> {
        // The path of the mesh may be meant for another directory.
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let named = absolute.to_string_lossy();
        let text = Plan { path: &named, ..self.clone() }.text();
        Ok(load_made(path, &text, &Overrides::default())?.scene)
    }

    /// The body at rest.
    fn load(&self, path: &Path, cache: &Cache) -> Result<BodyData> {
        body::load(&self.scene(path)?.bodies[0], cache)
    }

    /// Chooses Young's modulus such that the body sags visibly, and a step that is short against its vibrations. Linear theory is
    /// linear in 1/E: one estimate is enough.
    fn soften(&mut self, path: &Path, cache: &Cache) -> Result<()> {
        let size = size(&self.bounds);
        let height = (self.bounds[1][1] - self.bounds[0][1]).max(0.1 * size);
        // A column that stands on its end sags by ρ g H²/(2 E).
        self.young = rounded(DENSITY * 9.81 * height / (2.0 * SAG));
        self.estimate = estimate(&self.scene(path)?, 0, cache)?;
        let Estimate::Held { sag, frequency } = &mut self.estimate else { return Ok(()) };
        if self.preset.is_none() {
            let young = rounded(self.young * (*sag / (SAG * size)).clamp(0.1, MOST_STIFFENED));
            let factor = young / self.young;
            self.young = young;
            *sag /= factor;
            *frequency *= factor.sqrt();
        }
        self.substeps = (STEPS_PER_PERIOD * *frequency / RATE).ceil().clamp(2.0, 10.0) as u64;
        self.frequency = rounded((0.7 * *frequency).clamp(0.5, 5.0));
        Ok(())
    }
}

/// A positive number to two digits.
fn rounded(x: f64) -> f64 {
    format!("{x:.1e}").parse().unwrap_or(x)
}
