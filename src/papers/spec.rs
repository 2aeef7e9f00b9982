//! A row as its file has it.

use serde::{Deserialize, Serialize};

use crate::config::raw::Variation;
use crate::error::{Error, Result};

/// A row of the suite: a table or figure of a paper, or a part of one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// The paper, its table or figure, and what is shown there.
    pub title: String,
    /// What the paper says about it, in other words than its own.
    pub claim: String,
    /// What the paper leaves open, and what was chosen here.
    pub chosen: String,
    /// The file of `papers/scenes/` without its ending.
    pub scene: String,
    /// The paper's own meshes, which are used where they are there.
    #[serde(default, rename = "mesh")]
    pub meshes: Vec<PaperMesh>,
    /// The experiment.
    pub measure: Measure,
    /// The figures, each with the paper's and a rule.
    #[serde(rename = "cell")]
    pub cells: Vec<Cell>,
}

/// A mesh that the paper used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaperMesh {
    /// The number of the body that has it.
    pub body: usize,
    /// Its file in the folder of the papers' meshes.
    pub file: String,
    /// Values `key=value` of the config that hold with it.
    #[serde(default)]
    pub set: Vec<String>,
}

/// What is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// The kind of experiment.
    pub kind: Kind,
    /// The solvers, as `compare` takes them.
    pub solvers: Vec<String>,
    /// The frame before the step that is compared.
    #[serde(default)]
    pub at_frame: u64,
    /// Iterations on the step that is compared, of solvers that give none themselves.
    pub iterations: Option<u64>,
    /// Frames that are simulated.
    pub frames: Option<u64>,
    /// Values `key=value` of the config.
    #[serde(default)]
    pub set: Vec<String>,
    /// Values to go through, in all combinations.
    #[serde(default)]
    pub vary: Vec<Variation>,
    /// What the quick form does otherwise.
    #[serde(default)]
    pub quick: Quick,
}

/// The kind of an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// All solvers on one step, from one start.
    Step,
    /// All solvers on the step of every frame; the scene's own solver leads from frame to frame.
    Frames,
    /// Each solver simulates the scene by itself.
    Runs,
    /// How well the matrix that each quasi-Newton solver starts a step with stands for the Hessian, where the step starts.
    Condition,
}

/// What the quick form of an experiment does otherwise; what is left out stays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quick {
    /// Iterations on the step that is compared.
    pub iterations: Option<u64>,
    /// Frames that are simulated.
    pub frames: Option<u64>,
    /// The frame before the step that is compared.
    pub at_frame: Option<u64>,
    /// More values `key=value` of the config.
    #[serde(default)]
    pub set: Vec<String>,
    /// The values to go through.
    pub vary: Option<Vec<Variation>>,
    /// Takes the meshes made here even where the paper's own are there, because those take too long.
    #[serde(default)]
    pub substitutes: bool,
}

impl Measure {
    /// The experiment in the full or in the quick form.
    pub fn plan(&self, quick: bool) -> Measure {
        let mut plan = self.clone();
        if quick {
            let other = &self.quick;
            plan.iterations = other.iterations.or(plan.iterations);
            plan.frames = other.frames.or(plan.frames);
            plan.at_frame = other.at_frame.unwrap_or(plan.at_frame);
            plan.set.extend(other.set.iter().cloned());
            plan.vary = other.vary.clone().unwrap_or(plan.vary);
        }
        plan.quick = Quick::default();
        plan
    }
}

/// One figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// What the figure is; no two cells of a row have the same name.
    pub name: String,
    /// How it comes out of the experiment.
    pub value: Value,
    /// The unit, for the report.
    #[serde(default)]
    pub unit: String,
    /// The paper's figure. Without it there is only the bound that the paper's words mean.
    pub paper: Option<Paper>,
    /// The largest difference from the paper's figure, as a part of it, at which the claim is met.
    pub within: Option<f64>,
    /// The same as a difference, in the unit of the figure.
    pub near: Option<f64>,
    /// On which side of the paper's figure ours would be better.
    pub better: Option<Side>,
    /// The largest figure with which the claim is met.
    pub at_most: Option<f64>,
    /// The least figure with which the claim is met.
    pub at_least: Option<f64>,
    /// True if only the full form measures it.
    #[serde(default)]
    pub full: bool,
    /// The difference that was found and explained.
    pub known: Option<Known>,
}

/// A figure of a paper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Paper {
    /// A number.
    Number(f64),
    /// The word `never`.
    Word(String),
}

/// A side of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// Less is better.
    Lower,
    /// More is better.
    Higher,
}

/// A difference that was looked into. Where ours is neither by the rule nor like this, nobody has explained it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// The figure that was found.
    pub ours: Paper,
    /// How far from it, as a part of it, the explanation holds. Default 0.1.
    pub within: Option<f64>,
    /// The reason, with the experiment that shows it.
    pub why: String,
}

/// How a figure comes out of an experiment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Value {
    /// The quantity (see `outcome`).
    pub of: String,
    /// The solver, as the experiment names it.
    pub solver: String,
    /// The values of the varied keys; fewer than all for quantities over many cases.
    #[serde(default)]
    pub case: Vec<toml::Value>,
    /// The number of the iteration. Default: the last one.
    pub iteration: Option<u64>,
    /// A bound of the quantity.
    pub below: Option<f64>,
    /// A bound of the quantity.
    pub above: Option<f64>,
    /// A factor on the figure. Default 1.
    pub times: Option<f64>,
    /// The quantity that is tested in every case.
    pub test: Option<Box<Value>>,
    /// Another figure, by which this one is divided.
    pub per: Option<Box<Value>>,
}

impl Spec {
    /// Reads the file of a row. A fault in it is one of the program's files.
    pub fn parse(key: &str, text: &str) -> Result<Spec> {
        let file = format!("papers/{key}.toml");
        let fault = |place: String, reason: String| Error::Format {
            path: file.clone().into(),
            place,
            reason,
            hint: String::new(),
        };
        let spec: Spec = toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
            fault(format!("line {line}"), error.message().to_owned())
        })?;
        for (number, cell) in spec.cells.iter().enumerate() {
            let refuse = |reason: &str| Err(fault(format!("cell '{}'", cell.name), reason.into()));
            let by_figure = cell.within.is_some() || cell.near.is_some() || cell.better.is_some();
            let by_bound = cell.at_most.is_some() || cell.at_least.is_some();
            if spec.cells[..number].iter().any(|other| other.name == cell.name) {
                return refuse("there are two cells of this name");
            }
            if !by_bound && cell.paper.is_none() {
                return refuse("has neither a paper's figure nor a bound, so that nothing could fail");
            }
            if by_figure && (by_bound || cell.paper.is_none()) {
                return refuse("within, near and better need a paper's figure and no bound");
            }
        }
        if spec.cells.is_empty() {
            return Err(fault(String::new(), "has no cell".into()));
        }
        if spec.cells.iter().all(|cell| cell.full) {
            return Err(fault(String::new(), "has no cell that the quick form measures".into()));
        }
        Ok(spec)
    }
}
