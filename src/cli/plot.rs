//! `pliant plot`: charts of runs, or of the materials of a config.

use std::path::{Path, PathBuf};

use clap::Args;

use super::report::write_stdout;
use crate::cache::Cache;
use crate::config::{self, Overrides};
use crate::error::{Action, Error, Result};
use crate::model::body::{self, BodyData};
use crate::model::cells::PartCells;
use crate::scene::Body;
use crate::view::plot::material::{Specimen, chart};
use crate::view::plot::metrics::Metrics;
use crate::view::plot::{self, Chart, Format, Theme, runs};
use elements::energy::material::Material;

/// Arguments of `pliant plot`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  pliant plot outputs/cantilever\n  pliant plot outputs/compare-pd outputs/compare-qn -o \
                        charts --format svg --format png\n  pliant plot --material configs/spline-jiggle.toml --theme dark"
)]
pub struct PlotArgs {
    /// Run directories; several are drawn together.
    #[arg(value_name = "RUN_DIR", required_unless_present = "material")]
    pub runs: Vec<PathBuf>,
    /// Draw the stress curves of this config's materials instead of runs.
    #[arg(long, value_name = "CONFIG", conflicts_with = "runs")]
    pub material: Option<PathBuf>,
    /// Replace a value of the config, such as body.0.material.young=1e5; may be repeated.
    #[arg(long, value_name = "KEY=VALUE", requires = "material", conflicts_with = "runs")]
    pub set: Vec<String>,
    /// Where charts go; default: the first run directory, or for materials the working directory.
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// The format; may be repeated for several.
    #[arg(long, value_enum, value_name = "FORMAT", default_values_t = [Format::Svg])]
    pub format: Vec<Format>,
    /// The background.
    #[arg(long, value_enum, value_name = "THEME", default_value_t)]
    pub theme: Theme,
}

impl PlotArgs {
    /// Draws the charts and prints the names of the files.
    pub fn run(&self) -> Result<()> {
        let (default, charts) = match &self.material {
            Some(config) => (Path::new("."), self.material_charts(config)?),
            None => (self.runs[0].as_path(), self.run_charts()?),
        };
        let directory = self.output.as_deref().unwrap_or(default);
        std::fs::create_dir_all(directory).map_err(|e| Error::io(Action::CreateDirectory, directory, e))?;
        let mut text = String::new();
        for (name, chart) in &charts {
            for format in [Format::Svg, Format::Png].into_iter().filter(|f| self.format.contains(f)) {
                let path = directory.join(format!("{name}.{}", format.extension()));
                plot::write(chart, &path, format, self.theme)?;
                text += &format!("{}\n", path.strip_prefix(".").unwrap_or(&path).display());
            }
        }
        write_stdout(&text)
    }

    fn run_charts(&self) -> Result<Vec<(String, Chart)>> {
        let mut all: Vec<Metrics> = self.runs.iter().map(|run| Metrics::read(run)).collect::<Result<_>>()?;
        let names: Vec<String> = all.iter().map(|m| m.name.clone()).collect();
        for ((metrics, run), name) in all.iter_mut().zip(&self.runs).zip(&names) {
            if names.iter().filter(|other| *other == name).count() > 1 {
                metrics.name = run.display().to_string();
            }
        }
        Ok(runs::charts(&all)?.into_iter().map(|(name, chart)| (name.to_owned(), chart)).collect())
    }

    fn material_charts(&self, path: &Path) -> Result<Vec<(String, Chart)>> {
        let overrides = Overrides { set: self.set.clone(), ..Overrides::default() };
        let loaded = config::load(path, &overrides)?;
        for warning in &loaded.warnings {
            tracing::warn!("{}: {warning}", path.display());
        }
        let mut charts = vec![];
        for body in &loaded.scene.bodies {
            if body.materials.is_empty() {
                tracing::info!("body '{}' has no material: nothing to draw", body.name);
                continue;
            }
            charts.extend(body_charts(body, &body::load(body, &Cache::disabled())?));
        }
        if charts.is_empty() {
            return Err(Error::Mesh {
                subject: path.display().to_string(),
                reason: "no body has a material".into(),
                hint: "lines and sheets of springs have no stress curves".into(),
            });
        }
        Ok(charts)
    }
}

/// A chart for each material that at least one cell of the body has.
fn body_charts(body: &Body, data: &BodyData) -> Vec<(String, Chart)> {
    let is_sheet = data.tets.is_empty();
    let draw = |part: &PartCells| {
        let material = &body.materials[part.part].material;
        let number = if body.materials.len() == 1 { String::new() } else { format!("-{}", part.part) };
        let title = format!("{}: {}{}", body.name, material.model.name, numbers(material, part));
        let name = format!("material-{}{number}", body.name);
        (name, chart(title, material, &specimens(part), is_sheet))
    };
    data.cells.parts.iter().map(draw).collect()
}

/// The parameters of uniform materials, which fit into a title.
fn numbers(material: &Material, part: &PartCells) -> String {
    let p = &material.parameters;
    let is_uniform = part.properties.constants.iter().all(|c| *c == part.properties.constants[0]);
    let given = [
        ("young", p.young),
        ("poisson", p.poisson),
        ("mu", p.mu),
        ("lambda", p.lambda),
        ("k", p.k),
        ("c1", p.c1),
        ("c2", p.c2),
    ];
    let given = given
        .iter()
        .filter(|_| is_uniform)
        .filter_map(|(key, v)| v.map(|v| format!(", {key} {}", number(v))));
    let monotone = if p.monotone == Some(true) { ", monotone" } else { "" };
    given.collect::<String>() + monotone
}

/// The number in its shortest readable form.
fn number(value: f64) -> String {
    if (0.01..1e4).contains(&value.abs()) { value.to_string() } else { format!("{value:e}") }
}

/// The material in the body's cells: one specimen, or the softest and the stiffest.
fn specimens(part: &PartCells) -> Vec<Specimen<'_>> {
    let properties = &part.properties;
    let by_stiffness = |a: &usize, b: &usize| properties.stiffness[*a].total_cmp(&properties.stiffness[*b]);
    let softest = (0..part.cells.len()).min_by(by_stiffness).unwrap_or(0);
    let stiffest = (0..part.cells.len()).max_by(by_stiffness).unwrap_or(0);
    let specimen = |name, cell: usize| Specimen {
        name,
        solid: part.solid.as_ref(),
        constants: properties.constants[cell],
        stiffness: properties.stiffness[cell],
    };
    if properties.stiffness[softest] == properties.stiffness[stiffest] {
        vec![specimen("", softest)]
    } else {
        vec![specimen("softest", softest), specimen("stiffest", stiffest)]
    }
}
