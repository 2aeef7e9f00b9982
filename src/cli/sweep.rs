//! `pliant sweep`: one config with many values, here or on a cluster.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;

use super::report::write_stdout;
use super::signals::stop_on_interrupt;
use super::size::shown;
use super::threads::{self, ThreadArgs};
use super::{Global, log};
use crate::config::Loaded;
use crate::error::{Action as Doing, Error, Result};
use crate::sweep::local::{self, Ending, Endings, Progress, Wishes};
use crate::sweep::plan::{self, Estimate, Probe};
use crate::sweep::scripts::{self, Needs};
use crate::sweep::{State, Sweep, spec};

/// Arguments of `pliant sweep`.
#[derive(Args, Clone, Debug)]
pub struct SweepArgs {
    /// What to do with the sweep.
    #[command(subcommand)]
    pub action: Action,
}

/// What to do with a sweep.
#[derive(Clone, Debug, Subcommand)]
pub enum Action {
    /// List the cases, and estimate time, memory and disk by a short run of the first one
    Plan(PlanArgs),
    /// Run the cases that are not done, several at a time
    Run(RunArgs),
    /// Write an array job for Slurm, and submit it
    Slurm(SlurmArgs),
    /// Write a workflow for Snakemake
    Snakemake(ScriptArgs),
}

/// Arguments of `pliant sweep plan`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example:\n  pliant sweep plan examples/sweep.toml --json")]
pub struct PlanArgs {
    /// The sweep, a TOML file.
    pub sweep: PathBuf,
    /// Frames of the first case that are run to estimate with; 0 for no estimate.
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub probe_frames: u64,
    /// Cases at a time; default: one per core.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub jobs: Option<u32>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `pliant sweep run`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Example:\n  pliant sweep run examples/sweep.toml -j 4\n\nWhat is done is left alone, what was begun goes on; so a \
                        sweep that was interrupted is continued by the same command. A case that fails stops no other. The \
                        exit code is 1 if one failed, 3 if the sweep was interrupted, 4 if a demanded quality is missed."
)]
pub struct RunArgs {
    /// The sweep, a TOML file.
    pub sweep: PathBuf,
    /// Cases at a time; default: one per core.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub jobs: Option<u32>,
    /// The threads of all cases together.
    #[command(flatten)]
    pub threads: ThreadArgs,
    /// How often a case that was killed is started again.
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub retries: u32,
    /// Count a case as missed if a step ends with a gradient above TOL times its first norm.
    #[arg(long, value_name = "TOL", value_parser = super::simulate::parse_tolerance)]
    pub require_converged: Option<f64>,
    /// Count a case as missed if frames have inverted or crushed cells, or steps end with energy from nowhere.
    #[arg(long)]
    pub require_sound: bool,
}

/// Arguments of the commands that write scripts.
#[derive(Args, Clone, Debug)]
pub struct ScriptArgs {
    /// The sweep, a TOML file.
    pub sweep: PathBuf,
    /// Threads of a case.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub threads: u32,
    /// The program as the other machines find it; default: this one.
    #[arg(long, value_name = "PATH")]
    pub program: Option<String>,
    /// Minutes that a job may take; default: three times the estimate.
    #[arg(long, value_name = "N")]
    pub minutes: Option<u64>,
    /// Megabytes that a job may take; default: one and a half times the estimate, and 200 more.
    #[arg(long, value_name = "N")]
    pub megabytes: Option<u64>,
}

/// Arguments of `pliant sweep slurm`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Example:\n  pliant sweep slurm examples/sweep.toml --chunk 10 --write-only\n\nThe directories of the sweep must be \
                        the same on all machines."
)]
pub struct SlurmArgs {
    /// The sweep and what its cases need.
    #[command(flatten)]
    pub script: ScriptArgs,
    /// Cases that a task runs one after the other.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub chunk: u64,
    /// Tasks at a time; default: as many as Slurm grants.
    #[arg(long, value_name = "N")]
    pub at_a_time: Option<usize>,
    /// Write the script, but do not call sbatch.
    #[arg(long)]
    pub write_only: bool,
}

impl SweepArgs {
    /// Does it.
    pub fn run(&self, global: &Global) -> Result<()> {
        match &self.action {
            Action::Plan(args) => args.run(global),
            Action::Run(args) => args.run(global),
            Action::Slurm(args) => args.run(global),
            Action::Snakemake(args) => {
                let (sweep, needs) = args.needs(global, 1, None)?;
                let path = scripts::snakemake(&sweep, &needs)?;
                write_stdout(&format!(
                    "snakemake --snakefile {} --cores {}\n",
                    path.display(),
                    threads::budget()?
                ))
            }
        }
    }
}

/// This program, with the global flags that its children take over.
fn program(global: &Global) -> Result<(PathBuf, Vec<String>)> {
    let path = std::env::current_exe().map_err(|e| Error::io(Doing::Find, "pliant".as_ref(), e))?;
    let mut flags = vec!["--color=never".to_owned()];
    if let Some(dir) = &global.cache_dir {
        let here = std::env::current_dir().map_err(|e| Error::io(Doing::FindWorkingDirectory, dir, e))?;
        let all = std::env::join_paths(std::env::split_paths(dir).map(|dir| here.join(dir)));
        let all = all.unwrap_or_else(|_| here.join(dir).into_os_string());
        flags.extend(["--cache-dir".to_owned(), all.to_string_lossy().into_owned()]);
    }
    if let Some(bytes) = global.max_decoded {
        flags.extend(["--max-decoded".to_owned(), bytes.to_string()]);
    }
    Ok((path, flags))
}

/// What children are started with.
fn wishes(global: &Global, jobs: usize, demands: Vec<String>, retries: u32) -> Result<Wishes> {
    let (program, flags) = program(global)?;
    Ok(Wishes { program, flags, demands, jobs, retries })
}

impl PlanArgs {
    fn run(&self, global: &Global) -> Result<()> {
        let sweep = spec::read(&self.sweep)?;
        let loaded = sweep.load_all()?;
        let states: Vec<State> = loaded.iter().map(State::of).collect();
        let jobs = self.jobs.map_or_else(threads::budget, |jobs| Ok(jobs as usize))?;
        let estimate = if self.probe_frames == 0 {
            None
        } else {
            let probe = plan::probe(&sweep, &loaded, self.probe_frames, &wishes(global, jobs, vec![], 0)?)?;
            Some((probe, plan::estimate(&loaded, &probe, jobs)))
        };
        write_stdout(&if self.json {
            as_json(&sweep, &states, estimate)
        } else {
            text(&sweep, &states, estimate)
        })
    }
}

fn as_json(sweep: &Sweep, states: &[State], estimate: Option<(Probe, Estimate)>) -> String {
    let cases = sweep.cases.iter().zip(states).map(|(case, state)| {
        let values: serde_json::Map<String, serde_json::Value> =
            sweep.keys.iter().cloned().zip(case.values.iter().map(|value| json!(value))).collect();
        json!({ "name": case.name, "directory": sweep.directory_of(case), "state": state.word(), "values": values })
    });
    let mut out = json!({ "name": sweep.name, "config": sweep.config, "directory": sweep.directory, "cases": cases.collect::<Vec<_>>() });
    if let Some((probe, estimate)) = estimate {
        out["probe"] = json!(probe);
        out["estimate"] = json!(estimate);
    }
    format!("{out:#}\n")
}

/// The most cases that are listed for people.
const LISTED: usize = 30;

fn text(sweep: &Sweep, states: &[State], estimate: Option<(Probe, Estimate)>) -> String {
    let width = sweep.cases.iter().take(LISTED).map(|case| case.name.len()).max().unwrap_or(0);
    let mut out = format!("{}: {} cases of {}\n", sweep.name, sweep.cases.len(), sweep.config.display());
    for (case, state) in sweep.cases.iter().zip(states).take(LISTED) {
        out += &format!("  {:<width$}  {}\n", case.name, state.word());
    }
    if sweep.cases.len() > LISTED {
        out += &format!("  and {} more\n", sweep.cases.len() - LISTED);
    }
    out += &format!("into {}\n", sweep.directory.display());
    let Some((probe, estimate)) = estimate else { return out };
    out += &format!(
        "probe of {} frames: {:.2} s to prepare, {:.1} ms a step, {} of memory, {} a frame\n",
        probe.frames,
        probe.prepare,
        probe.step * 1e3,
        shown(probe.memory),
        shown(probe.frame_bytes as u64)
    );
    out + &format!(
        "estimate, if all cases are like the first: {} cases, {} frames, {}; {} at a time: {}, {} of memory; {} on disk\n",
        estimate.cases,
        estimate.frames,
        duration(estimate.seconds),
        estimate.jobs,
        duration(estimate.elapsed),
        shown(estimate.memory),
        shown(estimate.disk)
    )
}

/// Seconds in the unit that people would use.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.1} h", s / 3600.0),
        s => format!("{:.1} days", s / 86_400.0),
    }
}

impl RunArgs {
    fn run(&self, global: &Global) -> Result<()> {
        let sweep = spec::read(&self.sweep)?;
        let loaded = sweep.load_all()?;
        let budget = self.threads.threads.map_or_else(threads::budget, Ok)?;
        let jobs = self.jobs.map_or(budget, |jobs| jobs as usize).min(sweep.cases.len().max(1));
        let mut demands = vec!["--threads".to_owned(), (budget / jobs).max(1).to_string()];
        demands.extend(self.require_converged.map(|tolerance| format!("--require-converged={tolerance:e}")));
        demands.extend(self.require_sound.then(|| "--require-sound".to_owned()));
        let stop = stop_on_interrupt();
        let _claim = crate::run::lock::Lock::take(&sweep.directory)?;
        sweep.write_cases()?;
        let telling = Telling::new(global, &sweep);
        let started = Instant::now();
        let endings =
            local::run(&sweep, &loaded, &wishes(global, jobs, demands, self.retries)?, &stop, &telling)?;
        telling.close();
        conclude(&sweep, &loaded, &endings, started.elapsed())
    }
}

/// The closing lines, and the error that the exit code comes from.
fn conclude(sweep: &Sweep, loaded: &[Loaded], endings: &Endings, elapsed: Duration) -> Result<()> {
    let count = |is: fn(&Ending) -> bool| endings.values().filter(|ending| is(ending)).count();
    let (failed, missed) = (count(|e| matches!(e, Ending::Failed(_))), count(|e| *e == Ending::Missed));
    let stopped = count(|e| *e == Ending::Stopped);
    let before = loaded.len() - endings.len();
    let done = endings.len() - failed - stopped;
    tracing::info!(
        "{}: {done} cases done in {:.1} s, {before} were done before, {failed} failed; 'pliant summarize {}' shows them",
        sweep.name,
        elapsed.as_secs_f64(),
        sweep.directory.display()
    );
    for (i, ending) in endings {
        match ending {
            Ending::Failed(why) => tracing::error!("case '{}' failed: {why}", sweep.cases[*i].name),
            Ending::Missed => tracing::warn!("case '{}' misses a demanded quality", sweep.cases[*i].name),
            Ending::Done | Ending::Stopped => {}
        }
    }
    let hint = || "the same command goes on where it was".to_owned();
    match (stopped, failed, missed) {
        (1.., ..) => {
            Err(Error::Interrupted { what: format!("interrupted with {stopped} cases to go"), hint: hint() })
        }
        (_, 1.., _) => Err(Error::Failed {
            what: format!("{failed} of {} cases failed", loaded.len()),
            hint: format!("logs are in {}", sweep.directory.join("logs").display()),
        }),
        (_, _, 1..) => Err(Error::Missed {
            what: format!("{missed} of {} cases miss a demanded quality", loaded.len()),
            hint: "their frames are complete".into(),
        }),
        _ => Ok(()),
    }
}

/// The time between two plain lines.
const INTERVAL: Duration = Duration::from_secs(5);

/// One line or bar for all cases.
struct Telling {
    bar: Option<ProgressBar>,
    name: String,
    started: Instant,
    last_line: Mutex<Instant>,
}

impl Telling {
    fn new(global: &Global, sweep: &Sweep) -> Telling {
        let wants_bar =
            std::io::stderr().is_terminal() && global.log_format == log::Format::Text && global.quiet == 0;
        let bar = wants_bar.then(|| {
            let bar =
                ProgressBar::with_draw_target(Some(sweep.cases.len() as u64), ProgressDrawTarget::stderr());
            let style =
                ProgressStyle::with_template("{bar:30} case {pos}/{len}{msg}  {elapsed} elapsed, {eta} left");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        });
        let now = Instant::now();
        Telling { bar, name: sweep.name.clone(), started: now, last_line: Mutex::new(now) }
    }

    fn close(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Progress for Telling {
    fn ended(&self, endings: &Endings, total: usize) {
        let failed = endings.values().filter(|ending| matches!(ending, Ending::Failed(_))).count();
        let failures = if failed > 0 { format!(", {failed} failed") } else { String::new() };
        if let Some(bar) = &self.bar {
            bar.set_length(total as u64);
            bar.set_position(endings.len() as u64);
            bar.set_message(failures);
            return;
        }
        let mut last = self.last_line.lock().expect("no thread panics with it");
        if last.elapsed() >= INTERVAL {
            *last = Instant::now();
            let left =
                self.started.elapsed().as_secs_f64() / endings.len() as f64 * (total - endings.len()) as f64;
            tracing::info!(
                "{}: {} of {total} cases{failures}, {} left",
                self.name,
                endings.len(),
                duration(left)
            );
        }
    }

    fn again(&self, case: &str) {
        tracing::warn!("case '{case}' was killed and is started again");
    }
}

impl ScriptArgs {
    /// Reads the sweep, checks all its cases, and finds out what they need.
    fn needs(&self, global: &Global, chunk: usize, at_a_time: Option<usize>) -> Result<(Sweep, Needs)> {
        let sweep = spec::read(&self.sweep)?;
        let loaded = sweep.load_all()?;
        let (own, flags) = program(global)?;
        let estimate = match (self.minutes, self.megabytes) {
            (Some(_), Some(_)) => None,
            _ => {
                let probe = plan::probe(&sweep, &loaded, 3, &wishes(global, 1, vec![], 0)?)?;
                Some(plan::estimate(&loaded, &probe, 1))
            }
        };
        let guess = |of: fn(&Estimate) -> f64| estimate.as_ref().map_or(0.0, of);
        let minutes = 1 + (3.0 * guess(|e| e.longest) * chunk as f64 / 60.0).ceil() as u64;
        let megabytes = 200 + (1.5 * guess(|e| e.memory as f64) / 1e6).ceil() as u64;
        sweep.write_cases()?;
        let logs = sweep.directory.join("logs");
        std::fs::create_dir_all(&logs).map_err(|e| Error::io(Doing::CreateDirectory, &logs, e))?;
        let needs = Needs {
            program: self.program.clone().unwrap_or_else(|| own.to_string_lossy().into_owned()),
            flags,
            chunk,
            threads: self.threads as usize,
            minutes: self.minutes.unwrap_or(minutes),
            megabytes: self.megabytes.unwrap_or(megabytes),
            at_a_time,
        };
        Ok((sweep, needs))
    }
}

impl SlurmArgs {
    fn run(&self, global: &Global) -> Result<()> {
        let (sweep, needs) = self.script.needs(global, self.chunk as usize, self.at_a_time)?;
        let script = scripts::slurm(&sweep, &needs)?;
        if self.write_only {
            return write_stdout(&format!("sbatch {}\n", script.display()));
        }
        let status = std::process::Command::new("sbatch").arg(&script).status();
        match status {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(Error::Failed {
                what: format!("sbatch {} ended with {status}", script.display()),
                hint: "see what it says above".into(),
            }),
            Err(_) => Err(Error::Usage {
                what: "the program sbatch was not found".into(),
                hint: format!("on a machine with Slurm: sbatch {}", script.display()),
            }),
        }
    }
}
