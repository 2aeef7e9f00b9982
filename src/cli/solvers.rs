//! `pliant solvers`: which solver can simulate what, found by asking every kind about the terms of small scenes.

use clap::Args;
use serde_json::json;
use toml::Table;

use super::report::write_stdout;
use crate::cache::Cache;
use crate::config;
use crate::error::Result;
use crate::model::build::build;
use crate::simulate::Simulation;
use crate::solver::{KINDS, Kind, Refusal};
use crate::step::Objective;
use crate::step::active::PublishedWay;
use elements::energy::material::MODELS;

/// Arguments of `pliant solvers`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  pliant solvers\n  pliant solvers --json | jq '.solvers[].options'")]
pub struct SolversArgs {
    /// Print JSON for programs.
    #[arg(long)]
    pub json: bool,
}

const BOX: &str =
    "element = \"linear\"\ngenerate = { shape = \"box\", size = [1, 1, 1], cells = [1, 1, 1] }\n";
const CLOTH: &str = "generate = { shape = \"cloth\", size = [1, 1], cells = [2, 2] }\n";
const ARAP: &str = "material = { model = \"arap\", k = 1e5 }\n";

/// The features of scenes, each with a small body that has it.
fn features() -> Vec<(String, String)> {
    let mut all = vec![];
    for (name, shape) in [("solid", BOX), ("sheet", CLOTH)] {
        for model in MODELS {
            let parameters = match model.name {
                "arap" => "k = 1e5",
                "polynomial" => "mu = 1e5",
                "spline" => "a = [[0.5, -1e5], [1, 0], [1.5, 1e5]]",
                _ => "young = 1e5, poisson = 0.3",
            };
            let body = format!("{shape}material = {{ model = \"{}\", {parameters} }}\n", model.name);
            all.push((format!("{name}: {}", model.name), body));
        }
    }
    let rope = "generate = { shape = \"rope\", length = 1, segments = 3 }\n";
    for (name, body) in [
        ("fibers", format!("{BOX}{ARAP}fibers = [{{ direction = [0, 1, 0], stiffness = 1e5 }}]\n")),
        ("springs", format!("{CLOTH}springs = {{ stiffness = 10 }}\n")),
        ("bending", format!("{CLOTH}{ARAP}bending = {{ stiffness = 1e-3 }}\n")),
        ("limits", format!("{CLOTH}{ARAP}limits = {{ stretch = [0.9, 1.1], stiffness = 1e6 }}\n")),
        ("ropes and rods", rope.to_owned()),
        ("damping: mass", format!("{BOX}{ARAP}damping = {{ mass = 1 }}\n")),
        ("damping: stiffness", format!("{BOX}{ARAP}damping = {{ stiffness = 0.01 }}\n")),
        ("stiffness_scale", format!("{BOX}{ARAP}stiffness_scale = 2\n")),
        (
            "soft pins",
            format!("{BOX}{ARAP}[[body.pin]]\nselect = {{ ids = [0] }}\nkind = {{ soft = 1e4 }}\n"),
        ),
    ] {
        all.push((name.to_owned(), body));
    }
    all
}

/// The objective of a scene with one body.
fn objective(body: &str) -> Result<Objective> {
    let loaded = config::parse(&format!("[[body]]\n{body}"))?;
    Ok(build(&loaded.scene, &Cache::disabled())?.objective)
}

/// Why a kind of solver cannot work on some terms; `None` if it can.
fn refusal(kind: &Kind, objective: &Objective) -> Option<Refusal> {
    let method = kind.read(Table::new()).ok()?;
    objective.terms.iter().filter(|term| !term.is_empty()).find_map(|term| method.refuses(term.as_ref()))
}

/// What a kind of solver does about contact with `contact.response = "published"`; an error if it has no contact at all.
fn published(kind: &Kind) -> Result<&'static str> {
    let text = format!(
        "[solver]\nkind = \"{}\"\n[[obstacle]]\nname = \"floor\"\n\
         shape = {{ plane = {{ point = [0, -1, 0], normal = [0, 1, 0] }} }}\n[[body]]\n{BOX}{ARAP}",
        kind.name
    );
    let simulation = Simulation::start(&config::parse(&text)?.scene)?;
    Ok(match simulation.solver().published() {
        PublishedWay::Springs => "springs",
        PublishedWay::Projections { .. } => "vertices put out",
        PublishedWay::Forces => "forces of the step's start",
        PublishedWay::Copies => "copies of vertices",
    })
}

/// A feature and, for every kind of solver, why it cannot simulate it; `None` where it can.
type Row = (String, Vec<Option<Refusal>>);

/// Asks all kinds about all features.
fn ask() -> Result<Vec<Row>> {
    let row = |(name, body): (String, String)| {
        let objective = objective(&body)?;
        Ok((name, KINDS.iter().map(|kind| refusal(kind, &objective)).collect()))
    };
    features().into_iter().map(row).collect()
}

impl SolversArgs {
    /// Asks all kinds about all features and prints the table.
    pub fn run(&self) -> Result<()> {
        let rows = ask()?;
        let contacts: Vec<&str> = KINDS.iter().map(published).collect::<Result<_>>()?;
        write_stdout(&if self.json { as_json(&rows, &contacts) } else { as_text(&rows, &contacts) })
    }
}

fn as_json(rows: &[Row], contacts: &[&str]) -> String {
    let solver = |(i, kind): (usize, &Kind)| {
        let refused = rows
            .iter()
            .filter_map(|(name, cells)| Some((name.clone(), json!(cells[i].as_ref()?.to_string()))));
        let refused: serde_json::Map<String, serde_json::Value> = refused.collect();
        let simulates: Vec<&String> =
            rows.iter().filter(|(_, cells)| cells[i].is_none()).map(|(name, _)| name).collect();
        json!({
            "name": kind.name, "about": kind.about, "options": kind.keys(), "simulates": simulates, "refuses": refused,
            "contact": true, "published_contact": contacts[i],
        })
    };
    let solvers: Vec<_> = KINDS.iter().enumerate().map(solver).collect();
    format!("{:#}\n", json!({ "solvers": solvers }))
}

fn as_text(rows: &[Row], contacts: &[&str]) -> String {
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut reasons: Vec<&Refusal> = vec![];
    let mut text = format!("{:width$}", "");
    KINDS.iter().for_each(|kind| text += &format!("  {}", kind.name));
    text += "\n";
    for (name, cells) in rows {
        text += &format!("{name:width$}");
        for (kind, cell) in KINDS.iter().zip(cells) {
            let cell = cell.as_ref().map_or_else(
                || "yes".to_owned(),
                |reason| {
                    let known = reasons.iter().position(|r| *r == reason).unwrap_or_else(|| {
                        reasons.push(reason);
                        reasons.len() - 1
                    });
                    format!("({})", known + 1)
                },
            );
            text += &format!("  {cell:<0$}", kind.name.len());
        }
        text.truncate(text.trim_end().len());
        text += "\n";
    }
    text += &format!("{:width$}", "contact");
    KINDS.iter().for_each(|kind| text += &format!("  {:<1$}", "yes", kind.name.len()));
    text.truncate(text.trim_end().len());
    text += "\n";
    for (i, reason) in reasons.iter().enumerate() {
        text += &format!("({}) {reason}\n", i + 1);
    }
    text += "\n";
    for (kind, contact) in KINDS.iter().zip(contacts) {
        let keys = kind.keys();
        let keys = if keys.is_empty() { "none".to_owned() } else { keys.join(", ") };
        text += &format!("{}: {}; options: {keys}; published contact: {contact}\n", kind.name, kind.about);
    }
    text
}
