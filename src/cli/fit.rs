//! `pliant fit`: a material from measured stress over stretch.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::report::write_stdout;
use crate::error::{Error, Result};
use crate::fit::data::{self, Given, Point};
use crate::fit::experiment::Experiment;
use crate::fit::{Deviation, Errors, Family, Fit};
use crate::fs::write_atomically;
use crate::view::plot::{self, Format, Theme};

/// Arguments of `pliant fit`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  pliant fit papers/treloar-1944.csv --model mooney-rivlin\n  pliant fit strip.csv --mode uniaxial --unit MPa \
                        --errors relative -o rubber.toml\n  pliant fit papers/treloar-1944.csv --model spline --knots 12 --chart treloar.svg\n\n\
                        The file has a line of names and then a line a point: mode (uniaxial, equibiaxial, planar), stretch or strain, \
                        stress with its unit, such as 'stress [MPa]', and if you like weight. Stress is nominal: force over undeformed \
                        area, positive in tension. Such measurements tell nothing of Poisson's ratio: give it."
)]
pub struct FitArgs {
    /// Files of measurements (CSV); all points count together.
    #[arg(value_name = "DATA", required = true)]
    pub data: Vec<PathBuf>,
    /// The model: neo-hookean, mooney-rivlin, spline, or another one with a Young's modulus.
    #[arg(long, value_name = "MODEL", default_value = "neo-hookean")]
    pub model: String,
    /// Poisson's ratio of the material at rest.
    #[arg(long, value_name = "RATIO", default_value_t = 0.49)]
    pub poisson: f64,
    /// Whether deviations count in pascal, or relative to the measured stress.
    #[arg(long, value_enum, value_name = "KIND", default_value_t)]
    pub errors: Errors,
    /// Control points of a spline.
    #[arg(long, value_name = "COUNT", default_value_t = 10)]
    pub knots: usize,
    /// The experiment, for files without a column of it: uniaxial, equibiaxial or planar.
    #[arg(long, value_name = "MODE", value_parser = mode)]
    pub mode: Option<Experiment>,
    /// The unit of stress, for files whose column has none: Pa, kPa, MPa, GPa, psi, kgf/cm2.
    #[arg(long, value_name = "UNIT", value_parser = data::unit)]
    pub unit: Option<f64>,
    /// Draw points and curves into this file (.svg or .png).
    #[arg(long, value_name = "FILE")]
    pub chart: Option<PathBuf>,
    /// The background of the chart.
    #[arg(long, value_enum, value_name = "THEME", default_value_t)]
    pub theme: Theme,
    /// Write the material here; default: it is printed.
    #[arg(short, long, value_name = "FILE", conflicts_with = "json")]
    pub output: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

fn mode(name: &str) -> std::result::Result<Experiment, String> {
    Experiment::find(name).ok_or_else(|| "must be uniaxial, equibiaxial or planar".into())
}

impl FitArgs {
    /// Fits the material, and prints or writes it.
    pub fn run(&self) -> Result<()> {
        if !(self.poisson > 0.0 && self.poisson < 0.5) {
            let what = format!("--poisson {}: must lie between 0 and 0.5, both excluded", self.poisson);
            return Err(Error::Usage { what, hint: "0.49 is nearly incompressible".into() });
        }
        let format = self.chart.as_deref().map(chart_format).transpose()?;
        let family = Family::find(&self.model, self.knots).map_err(|fault| Error::Usage {
            what: format!("--{}: {}", fault.key, fault.reason),
            hint: String::new(),
        })?;
        let given = Given { experiment: self.mode, unit: self.unit };
        let mut points = vec![];
        for path in &self.data {
            points.extend(data::read(path, &given)?);
        }
        let fit = Fit::new(&family, &points, self.poisson, self.errors)?;
        self.warn(&fit);
        if let (Some(path), Some(format)) = (&self.chart, format) {
            let title = format!("{} fitted to {} points", self.model, points.len());
            let chart = plot::fit::chart(title, &fit, &points, self.poisson);
            plot::write(&chart, path, format, self.theme)?;
        }
        match &self.output {
            _ if self.json => write_stdout(&self.json(&fit, &points)),
            None => write_stdout(&self.text(&fit, &points)),
            Some(path) => {
                write_atomically(path, |out| out.write_all(self.text(&fit, &points).as_bytes()))?;
                write_stdout(&format!("{}\n", path.display()))
            }
        }
    }

    fn warn(&self, fit: &Fit) {
        if !fit.bounded.is_empty() {
            let names = fit.bounded.join(", ");
            tracing::warn!(
                "at the bound that keeps the material stable: {names}; the points ask for less, or say nothing of it"
            );
        }
        for (experiment, stretch) in &fit.unstable {
            tracing::warn!(
                "{} stress falls from the stretch {stretch:.3} on: the material is not stable there",
                experiment.name()
            );
        }
    }

    /// The material as a line of a config, with comments on how well it fits.
    fn text(&self, fit: &Fit, points: &[Point]) -> String {
        let mut text = format!("# {}\n", self.command());
        for (name, d) in deviations(fit, points) {
            let relative = 100.0 * d.relative;
            let points = if d.points == 1 { "1 point".into() } else { format!("{} points", d.points) };
            text += &format!(
                "# {name}: {points}, root mean square deviation {:.3e} Pa, {relative:.1} % of the stress\n",
                d.absolute
            );
        }
        text += &format!(
            "# at rest: Young's modulus {:.4e} Pa, Poisson's ratio {} (given)\n",
            fit.young(),
            self.poisson
        );
        text + &format!("material = {}\n", self.material(fit))
    }

    /// The command that fits this material again.
    fn command(&self) -> String {
        let files: Vec<String> = self.data.iter().map(|path| path.display().to_string()).collect();
        let mut words = format!("pliant fit {} --model {}", files.join(" "), self.model);
        if self.model == "spline" {
            words += &format!(" --knots {}", self.knots);
        }
        if self.errors == Errors::Relative {
            words += " --errors relative";
        }
        words + &format!(" --poisson {}", self.poisson)
    }

    /// The table of the material, on one line.
    fn material(&self, fit: &Fit) -> String {
        let pairs = numbers(fit).into_iter().map(|(key, value)| format!(", {key} = {}", short(value)));
        let curve = |points: &Vec<[f64; 2]>| {
            let points: Vec<String> = points.iter().map(|[x, y]| format!("[{x}, {}]", short(*y))).collect();
            format!("[{}]", points.join(", "))
        };
        let curves = curves(fit);
        let curves =
            curves.iter().filter_map(|(key, points)| Some(format!(", {key} = {}", curve(points.as_ref()?))));
        let monotone = if fit.parameters.monotone == Some(true) { ", monotone = true" } else { "" };
        let rest = pairs.chain(curves).collect::<String>();
        format!("{{ model = \"{}\"{monotone}{rest} }}", self.model)
    }

    fn json(&self, fit: &Fit, points: &[Point]) -> String {
        let deviations = deviations(fit, points).into_iter().map(|(name, d)| {
            (name.to_owned(), json!({ "points": d.points, "absolute": d.absolute, "relative": d.relative }))
        });
        let mut parameters: serde_json::Map<_, _> =
            numbers(fit).into_iter().map(|(key, value)| (key.to_owned(), json!(value))).collect();
        for (key, curve) in curves(fit) {
            curve.iter().for_each(|curve| drop(parameters.insert(key.into(), json!(curve))));
        }
        let unstable = fit.unstable.iter().map(|(e, s)| json!({ "mode": e.name(), "stretch": s }));
        let value = json!({
            "model": self.model,
            "parameters": parameters,
            "young": fit.young(),
            "poisson": self.poisson,
            "deviation": deviations.collect::<serde_json::Map<_, _>>(),
            "at_bounds": fit.bounded,
            "unstable": unstable.collect::<Vec<_>>(),
        });
        format!("{value:#}\n")
    }
}

/// The deviations of each experiment that was made, and of all together if there are several.
fn deviations(fit: &Fit, points: &[Point]) -> Vec<(&'static str, Deviation)> {
    let own = Experiment::ALL.map(|e| (e.name(), fit.deviation(points, Some(e))));
    let mut list: Vec<_> = own.into_iter().filter(|(_, d)| d.points > 0).collect();
    if list.len() > 1 {
        list.push(("all", fit.deviation(points, None)));
    }
    list
}

/// The parameters that are numbers.
fn numbers(fit: &Fit) -> Vec<(&'static str, f64)> {
    let p = &fit.parameters;
    let all = [("young", p.young), ("poisson", p.poisson), ("c1", p.c1), ("c2", p.c2), ("lambda", p.lambda)];
    all.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
}

/// The curves of a spline.
fn curves(fit: &Fit) -> [(&'static str, &Option<Vec<[f64; 2]>>); 3] {
    [("a", &fit.parameters.a), ("b", &fit.parameters.b), ("c", &fit.parameters.c)]
}

/// Seven digits, in the shortest form that TOML reads as a number.
fn short(value: f64) -> String {
    let rounded: f64 = format!("{value:.6e}").parse().unwrap_or(value);
    if rounded == 0.0 || (1e-3..1e5).contains(&rounded.abs()) {
        format!("{rounded:?}")
    } else {
        format!("{rounded:e}")
    }
}

fn chart_format(path: &Path) -> Result<Format> {
    let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    [Format::Svg, Format::Png].into_iter().find(|f| f.extension() == ending).ok_or_else(|| Error::Usage {
        what: format!("--chart {}: must end with .svg or .png", path.display()),
        hint: String::new(),
    })
}
