//! `pliant compare`: several solvers on one step of a scene, or on whole runs of it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use clap::Args;

use super::Global;
use super::intersections::shown;
use super::progress::Reporter;
use super::report::write_stdout;
use super::threads::ThreadArgs;
use crate::compare::cases::{self, Case};
use crate::compare::{Comparison, Contender, chart, compare, frames, over_frames, parse};
use crate::config::{self, Loaded, Overrides};
use crate::error::suggest::nearest;
use crate::error::{Action, Error, Result};
use crate::fs::write_atomically;
use crate::run::claim::Existing;
use crate::run::execute::{Wishes, run};
use crate::scene;
use crate::simulate::Simulation;
use crate::view::plot::metrics::Metrics;
use crate::view::plot::{self, Chart, Format, Theme, runs};

/// Arguments of `pliant compare`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  pliant compare configs/cantilever.toml --solvers pd,quasi-newton,newton\n  pliant compare \
                        configs/tablecloth.toml --at-frame 15 --iterations 300 --solvers pd,chebyshev:inner=jacobi\n  \
                        pliant compare configs/compare-qn.toml --runs --solvers pd,quasi-newton:history=0\n  pliant compare \
                        configs/twisting-bar.toml --only liu-2017-fig-7\n\nA solver may have \
                        options after its name: kind:key=value:key=value. Every kind takes iterations and tolerance, and \
                        with --runs fepr and integrator. The step starts at the inertial positions, with \
                        contact as near to them as it may; its minimum is found by Newton's method."
)]
pub struct CompareArgs {
    /// The config, a TOML file.
    pub config: PathBuf,
    /// The solvers, each with options if need be; default: the comparisons that the config holds.
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    pub solvers: Vec<String>,
    /// Of the config's comparisons, the one with this name; may be repeated.
    #[arg(long, value_name = "NAME", conflicts_with = "solvers")]
    pub only: Vec<String>,
    /// Compare on the step after this frame, which the config's own solver leads to; default 0.
    #[arg(long, value_name = "N", conflicts_with = "runs")]
    pub at_frame: Option<u64>,
    /// Iterations of each solver; default 100.
    #[arg(long, value_name = "K", conflicts_with = "runs", value_parser = clap::value_parser!(u64).range(1..))]
    pub iterations: Option<u64>,
    /// Compare whole runs: each solver simulates all frames with the config's number of iterations.
    #[arg(long, requires = "solvers")]
    pub runs: bool,
    /// Compare on the first step of each of this many frames, with the config's number of iterations; the config's own
    /// solver leads from frame to frame.
    #[arg(long, value_name = "N", requires = "solvers", conflicts_with_all = ["runs", "at_frame", "iterations"])]
    pub frames: Option<u64>,
    /// Replace a value of the config, such as body.0.material.young=1e5; may be repeated.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Where results go; default: outputs/NAME-compare, with the name of the config.
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Replace the results of an earlier comparison there.
    #[arg(long)]
    pub force: bool,
    /// The format of charts; may be repeated for several.
    #[arg(long, value_enum, value_name = "FORMAT", default_values_t = [Format::Svg])]
    pub format: Vec<Format>,
    /// The background of charts.
    #[arg(long, value_enum, value_name = "THEME", default_value_t)]
    pub theme: Theme,
    /// The number of threads.
    #[command(flatten)]
    pub threads: ThreadArgs,
}

impl CompareArgs {
    /// Compares, writes tables and charts, and prints how far each solver came.
    pub fn run(&self, global: &Global) -> Result<()> {
        let loaded = self.load(&[], None)?;
        let root =
            self.output.clone().unwrap_or_else(|| format!("outputs/{}-compare", loaded.scene.name).into());
        self.tell_what_is_left_out(&loaded);
        if self.runs {
            self.claim(&root, "energy.svg")?;
            return self.whole_runs(global, &self.contenders(&loaded)?, &root);
        }
        if let Some(frames) = self.frames {
            self.claim(&root, "frames.csv")?;
            return self.many_steps(global, &loaded, frames, &root);
        }
        let tasks = self.tasks(&loaded, root)?;
        for (comparison, directory) in &tasks {
            self.claim(directory, table_name(comparison))?;
        }
        for (comparison, directory) in &tasks {
            if tasks.len() > 1 {
                write_stdout(&format!("{}\n", comparison.name))?;
            }
            let cases = cases::combinations(&comparison.vary);
            // All cases are checked before the first one starts.
            let scenes: Vec<Loaded> = cases.iter().map(|case| self.load_case(case)).collect::<Result<_>>()?;
            match scenes.as_slice() {
                [scene] => self.one_step(global, scene, comparison, directory)?,
                _ => self.cases(global, comparison, (&cases, &scenes), directory)?,
            }
        }
        Ok(())
    }

    /// With `--solvers`, the comparisons of the config do not count; warns where they vary values.
    fn tell_what_is_left_out(&self, loaded: &Loaded) {
        let vary = |comparison: &&scene::Comparison| !comparison.vary.is_empty();
        let names: Vec<&str> =
            loaded.scene.comparisons.iter().filter(vary).map(|c| c.name.as_str()).collect();
        if !self.solvers.is_empty() && !names.is_empty() {
            tracing::warn!(
                "--solvers compares the scene as it is: 'vary' of the config's comparisons ({}) is left out; give the values \
                 with --set, or leave out --solvers",
                names.join(", ")
            );
        }
    }

    /// The comparisons to make, and the directories for their results.
    fn tasks(&self, loaded: &Loaded, root: PathBuf) -> Result<Vec<(scene::Comparison, PathBuf)>> {
        let config = &loaded.scene;
        if !self.solvers.is_empty() {
            let solvers = self.contenders(loaded)?;
            let name = config.name.clone();
            let mut task = scene::Comparison { name, solvers, at_frame: 0, iterations: 100, vary: vec![] };
            self.adjust(&mut task);
            return Ok(vec![(task, root)]);
        }
        let known: Vec<&str> = config.comparisons.iter().map(|c| c.name.as_str()).collect();
        if let Some(name) = self.only.iter().find(|name| !known.contains(&name.as_str())) {
            let hint = nearest(name, known.iter().copied())
                .map_or(format!("known are {}", known.join(", ")), |near| format!("did you mean '{near}'?"));
            return Err(Error::Usage { what: format!("--only: no comparison '{name}' in the config"), hint });
        }
        if known.is_empty() {
            return Err(Error::Usage {
                what: format!("{} holds no [[comparison]]", self.config.display()),
                hint: "name the solvers, such as --solvers pd,quasi-newton,newton".into(),
            });
        }
        let wanted = |c: &&scene::Comparison| self.only.is_empty() || self.only.contains(&c.name);
        let task = |comparison: &scene::Comparison| {
            let mut comparison = comparison.clone();
            self.adjust(&mut comparison);
            let directory = root.join(&comparison.name);
            (comparison, directory)
        };
        Ok(config.comparisons.iter().filter(wanted).map(task).collect())
    }

    fn adjust(&self, comparison: &mut scene::Comparison) {
        comparison.at_frame = self.at_frame.unwrap_or(comparison.at_frame);
        comparison.iterations = self.iterations.unwrap_or(comparison.iterations);
    }

    fn contenders(&self, loaded: &Loaded) -> Result<Vec<Contender>> {
        let refuse = |reason: String| Error::Usage {
            what: format!("--solvers: {reason}"),
            hint: "a solver is kind or kind:key=value, such as chebyshev:inner=jacobi".into(),
        };
        let one = |text: &String| {
            let contender = parse(text, &loaded.scene.solver).map_err(refuse)?;
            match &contender.whole {
                Some(key) if !self.runs => Err(refuse(format!("{key} in '{text}' needs --runs"))),
                _ => Ok(contender),
            }
        };
        self.solvers.iter().map(one).collect()
    }

    /// Makes a directory for results. If it already has results, `--force` is needed.
    fn claim(&self, directory: &Path, marker: &str) -> Result<()> {
        if directory.join(marker).exists() && !self.force {
            return Err(Error::Run {
                path: directory.to_owned(),
                reason: "holds a comparison already".into(),
                hint: "replace it with --force, or choose another directory with -o".into(),
            });
        }
        std::fs::create_dir_all(directory).map_err(|e| Error::io(Action::CreateDirectory, directory, e))
    }

    fn load(&self, more: &[String], output: Option<(&str, PathBuf)>) -> Result<Loaded> {
        let (solver, output) = output.map_or((None, None), |(kind, dir)| (Some(kind.to_owned()), Some(dir)));
        let set = self.set.iter().chain(more).cloned().collect();
        config::load(&self.config, &Overrides { set, solver, output, ..Overrides::default() })
    }

    fn load_case(&self, case: &Case) -> Result<Loaded> {
        let (set, vary) = (self.set.clone(), case.assignments.clone());
        config::load(&self.config, &Overrides { set, vary, ..Overrides::default() })
    }

    /// Makes the comparison on one step of a scene; notes that were printed before are not repeated.
    fn compare(
        &self,
        global: &Global,
        loaded: &Loaded,
        task: &scene::Comparison,
        said: &mut BTreeSet<String>,
    ) -> Result<Comparison> {
        let cache = global.cache();
        let (mut simulation, report) = shown(Simulation::new(&loaded.scene, &cache), &loaded.scene)?;
        report.notes.log();
        for _ in 0..task.at_frame * loaded.scene.time.substeps {
            simulation.advance()?;
        }
        let comparison = compare(&mut simulation, &task.solvers, task.iterations, &cache)?;
        for course in &comparison.courses {
            for note in course.notes.iter().map(|note| format!("{}: {note}", course.label)) {
                if said.insert(note.clone()) {
                    tracing::info!("{note}");
                }
            }
        }
        Ok(comparison)
    }

    fn one_step(&self, global: &Global, loaded: &Loaded, task: &scene::Comparison, to: &Path) -> Result<()> {
        let comparison = self.compare(global, loaded, task, &mut BTreeSet::new())?;
        let table = to.join(table_name(task));
        write_atomically(&table, |out| std::io::Write::write_all(out, comparison.to_csv().as_bytes()))?;
        let title = format!("{}, step after frame {}", loaded.scene.name, task.at_frame);
        let charts = [
            ("relative-error-iterations", chart::over_iterations(&comparison, &title)),
            ("relative-error-seconds", chart::over_seconds(&comparison, &title)),
            ("parts-iterations", chart::parts(&comparison, &title)),
            ("momenta-iterations", chart::momenta(&comparison, &title)),
        ];
        let mut files = vec![table];
        files.extend(self.draw(charts.map(|(name, chart)| (name.to_owned(), chart)), to)?);
        write_stdout(&(summary(&comparison) + &list(&files)))
    }

    /// Makes a comparison for every combination of values.
    fn cases(
        &self,
        global: &Global,
        task: &scene::Comparison,
        (cases, scenes): (&[Case], &[Loaded]),
        to: &Path,
    ) -> Result<()> {
        let mut text = cases::header(&task.vary);
        let mut said = BTreeSet::new();
        write_stdout(&cases::title(cases, &task.solvers))?;
        for (case, scene) in cases.iter().zip(scenes) {
            let comparison = self.compare(global, scene, task, &mut said)?;
            text += &cases::rows(case, &comparison);
            write_stdout(&cases::line(cases, case, &comparison))?;
        }
        let table = to.join(table_name(task));
        write_atomically(&table, |out| std::io::Write::write_all(out, text.as_bytes()))?;
        write_stdout(&list(&[table]))
    }

    /// Compares on many steps, and writes a table and a chart.
    fn many_steps(&self, global: &Global, loaded: &Loaded, frames: u64, to: &Path) -> Result<()> {
        let cache = global.cache();
        let (mut simulation, report) = shown(Simulation::new(&loaded.scene, &cache), &loaded.scene)?;
        report.notes.log();
        let span = (frames, loaded.scene.time.substeps);
        let records = over_frames(&mut simulation, &self.contenders(loaded)?, span, &cache)?;
        let table = to.join("frames.csv");
        write_atomically(&table, |out| std::io::Write::write_all(out, frames::to_csv(&records).as_bytes()))?;
        let drawn = chart::over_frames(&records, &format!("{}, {frames} frames", loaded.scene.name));
        let mut files = vec![table];
        files.extend(self.draw([("relative-error-frames".to_owned(), drawn)], to)?);
        write_stdout(&(frames::summary(&records) + &list(&files)))
    }

    fn whole_runs(&self, global: &Global, contenders: &[Contender], to: &Path) -> Result<()> {
        let mut all = vec![];
        let existing = if self.force { Existing::Replace } else { Existing::Refuse };
        for contender in contenders {
            let slug: String = contender
                .label
                .chars()
                .map(|c| if c.is_ascii_alphanumeric() || "-._".contains(c) { c } else { '_' })
                .collect();
            let directory = std::path::absolute(to.join(slug)).map_err(|e| Error::io(Action::Find, to, e))?;
            let loaded =
                self.load(&contender.assignments, Some((contender.settings.kind().name, directory.clone())))?;
            tracing::info!("{}", contender.label);
            let mut reporter = Reporter::new(global);
            let wishes = Wishes { existing, sync: false, must_converge: false };
            let report = run(&loaded, &global.cache(), wishes, &AtomicBool::new(false), &mut reporter);
            reporter.close();
            let report = report?;
            report.solver_note.iter().for_each(|note| tracing::info!("{note}"));
            let mut metrics = Metrics::read(&directory)?;
            metrics.name.clone_from(&contender.label);
            all.push(metrics);
        }
        let charts = runs::charts(&all)?.into_iter().map(|(name, chart)| (name.to_owned(), chart));
        let files = self.draw(charts, to)?;
        write_stdout(&list(&files))
    }

    fn draw(&self, charts: impl IntoIterator<Item = (String, Chart)>, to: &Path) -> Result<Vec<PathBuf>> {
        let mut files = vec![];
        for (name, chart) in charts {
            for format in [Format::Svg, Format::Png].into_iter().filter(|f| self.format.contains(f)) {
                let path = to.join(format!("{name}.{}", format.extension()));
                plot::write(&chart, &path, format, self.theme)?;
                files.push(path);
            }
        }
        Ok(files)
    }
}

fn table_name(comparison: &scene::Comparison) -> &'static str {
    let single = comparison.vary.iter().all(|(_, values)| values.len() == 1);
    if single { "convergence.csv" } else { "cases.csv" }
}

fn list(files: &[PathBuf]) -> String {
    files.iter().map(|path| format!("{}\n", path.display())).collect()
}

/// The text that says how far each solver came.
fn summary(comparison: &Comparison) -> String {
    let width = comparison.courses.iter().map(|c| c.label.len()).max().unwrap_or(0).max(6);
    let mut text = format!(
        "{:width$}  iterations  relative error  to 1e-2  to 1e-4  to 1e-6  tries/iteration  ms/iteration\n",
        "solver"
    );
    for course in &comparison.courses {
        let last = &course.points[course.points.len() - 1];
        let to = |error: f64| {
            comparison.iterations_to(&course.label, error).map_or("-".to_owned(), |n| n.to_string())
        };
        text += &format!(
            "{:width$}  {:>10}  {:>14.3e}  {:>7}  {:>7}  {:>7}  {:>15.2}  {:>12.3}\n",
            course.label,
            last.iteration,
            last.relative_error,
            to(1e-2),
            to(1e-4),
            to(1e-6),
            last.tries as f64 / last.iteration.max(1) as f64,
            1e3 * last.seconds / last.iteration.max(1) as f64
        );
    }
    text
}
