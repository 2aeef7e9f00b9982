//! The progress of a run: a bar with the remaining time on a terminal, plain lines otherwise.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::Global;
use crate::cache::Outcome;
use crate::run::execute::Progress;
use crate::simulate::{PreparationReport, Refactors, Simulation};

/// The time between two plain lines.
const INTERVAL: Duration = Duration::from_secs(5);

/// The time between two pictures of what turns while something goes on.
const TICK: Duration = Duration::from_millis(120);

/// Shows on a terminal that something goes on, and for how long, until it is dropped.
pub struct Busy(Option<ProgressBar>);

impl Busy {
    /// Begins to show it, with words such as "filling spot.obj".
    pub fn new(global: &Global, what: impl Into<String>) -> Busy {
        Busy(global.is_for_a_person().then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{spinner} {msg}  {elapsed}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar.set_message(what.into());
            bar.enable_steady_tick(TICK);
            bar
        }))
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

/// Shows the progress of a run.
pub struct Reporter {
    wants_bar: bool,
    /// What is shown until the run is prepared.
    preparing: Option<Busy>,
    bar: Option<ProgressBar>,
    first: u64,
    total: u64,
    started: Instant,
    last_line: Instant,
}

impl Reporter {
    /// A reporter with a bar if there is a terminal, messages are text and there is no `-q`.
    pub fn new(global: &Global) -> Reporter {
        let wants_bar = global.is_for_a_person();
        let now = Instant::now();
        let preparing = Some(Busy::new(global, "preparing: meshes, order, factor"));
        Reporter { wants_bar, preparing, bar: None, first: 0, total: 0, started: now, last_line: now }
    }

    /// Removes what is shown.
    pub fn close(&mut self) {
        self.preparing = None;
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Progress for Reporter {
    fn prepared(&mut self, report: &PreparationReport, simulation: &Simulation, done: u64, total: u64) {
        self.preparing = None;
        log_preparation(report, simulation);
        if done > 0 {
            tracing::info!("resuming after frame {done} of {total}");
        }
        (self.first, self.total) = (done, total);
        self.started = Instant::now();
        self.last_line = self.started;
        if self.wants_bar {
            let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
            let style =
                ProgressStyle::with_template("{bar:30} frame {pos}/{len}  {elapsed} elapsed, {eta} left");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_position(done);
            bar.reset_eta();
            self.bar = Some(bar);
        }
    }

    fn frame(&mut self, done: u64) {
        if let Some(bar) = &self.bar {
            bar.set_position(done);
        } else if self.last_line.elapsed() >= INTERVAL {
            self.last_line = Instant::now();
            let per_frame = self.started.elapsed().as_secs_f64() / (done - self.first) as f64;
            let left = per_frame * (self.total - done) as f64;
            let (total, ms) = (self.total, per_frame * 1e3);
            tracing::info!(
                frame = done,
                frames = total,
                ms_per_frame = ms,
                seconds_left = left,
                "frame {done} of {total}, {ms:.1} ms per frame, {left:.0} s left"
            );
        }
    }
}

/// `12 tets`, `7 triangles`, `9 edges`, or several of them.
pub fn cells(tets: usize, triangles: usize, edges: usize) -> String {
    let kinds = [(tets, "tets"), (triangles, "triangles"), (edges, "edges")];
    let parts: Vec<String> =
        kinds.iter().filter(|(count, _)| *count > 0).map(|(count, kind)| format!("{count} {kind}")).collect();
    parts.join(", ")
}

/// The cost of changes of stiffness; `None` if there were none.
pub fn describe_refactors(refactors: &Refactors) -> Option<String> {
    let Refactors { count, hits } = refactors;
    (*count > 0).then(|| {
        format!(
            "stiffness or pins changed {count} times: {hits} factors from the cache, {} made",
            count - hits
        )
    })
}

/// Logs what was loaded and prepared, and whether it came from the cache.
pub fn log_preparation(report: &PreparationReport, simulation: &Simulation) {
    report.notes.log();
    let model = &simulation.model;
    let word = |outcome: Outcome| match outcome {
        Outcome::Hit => "cache hit",
        Outcome::Miss => "cache miss",
        Outcome::Replaced => "cache entry replaced",
    };
    tracing::info!(
        "{} vertices ({} unknown), {} in {:.2} s; ordering: {} in {:.2} s; {} in {:.2} s",
        model.body_vertices(),
        model.numbering.free,
        cells(model.tets.len(), model.triangles.len(), model.edges.len()),
        report.model_seconds,
        word(report.ordering),
        report.ordering_seconds,
        match report.solver.cache {
            Some(outcome) => format!("factor of {} entries: {}", report.solver.factor_entries, word(outcome)),
            None => "solver".to_owned(),
        },
        report.solver_seconds,
    );
}
