//! A whole run: from a config to a finished run directory.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::checkpoint::Checkpoint;
use super::fingerprint;
use crate::cache::{Cache, Outcome};
use crate::config::{Loaded, to_toml};
use crate::error::{Error, Result};
use crate::model::locking;
use crate::run::claim::{Claim, Existing};
use crate::run::contacts::{self, ContactSummary};
use crate::run::directory::RunDirectory;
use crate::run::summary::{CacheUse, Converged, Machine, Seconds, Summary};
use crate::run::writer::{Job, Writer};
use crate::run::{Frame, Schedule, difference, probes, sinks};
use crate::scene::{Scene, Time};
use crate::simulate::convergence::{Record, WORRYING};
use crate::simulate::soundness;
use crate::simulate::{PreparationReport, Refactors, Simulation};
use crate::solver::{Method, SolverSettings, USUAL_MOST, USUAL_TOLERANCE};

/// What is asked of a run beyond its config.
#[derive(Clone, Copy, Debug)]
pub struct Wishes {
    /// What becomes of a run that is there already.
    pub existing: Existing,
    /// Sync all files to the disk before every checkpoint.
    pub sync: bool,
    /// Refuse, before anything is simulated, solvers whose gradients say nothing of how well they did.
    pub must_converge: bool,
}

/// Hears how a run goes on.
pub trait Progress {
    /// Meshes are loaded and the solver is prepared; frames up to `done` of `total` exist already.
    fn prepared(&mut self, report: &PreparationReport, simulation: &Simulation, done: u64, total: u64);
    /// A frame is simulated (not necessarily written yet).
    fn frame(&mut self, done: u64);
}

/// How a run ended.
#[derive(Clone, Debug)]
pub struct RunReport {
    /// Frames that exist now, beyond the initial one.
    pub frames: u64,
    /// Frames that were asked for.
    pub wanted: u64,
    /// Frames that this invocation simulated.
    pub simulated: u64,
    /// The seconds that its parts took.
    pub seconds: Seconds,
    /// Everything cacheable was a hit.
    pub cache_hit: bool,
    /// Factors for stiffness that changed.
    pub refactors: Refactors,
    /// What the solver has to say, and whether it minimizes.
    pub solver_note: Option<String>,
    /// False for solvers whose gradients say nothing of how well they did.
    pub minimizes: bool,
    /// How well steps converged, over all invocations.
    pub convergence: Record,
    /// Whether the frames can be believed, over all invocations.
    pub soundness: soundness::Record,
    /// The bodies that linear tets make too stiff, with the factor; empty for runs that are not at their end.
    pub too_stiff: Vec<(String, f64)>,
    /// Steps per frame, to tell the frame of a step.
    pub substeps: u64,
    /// The time step in s.
    pub step: f64,
    /// The solver with its settings.
    pub settings: SolverSettings,
    /// The run directory.
    pub directory: RunDirectory,
}

impl RunReport {
    /// True if it was told to stop before its last frame.
    pub fn is_interrupted(&self) -> bool {
        self.frames < self.wanted
    }

    /// The warning that steps ended far from converged, with the worst of them and what to change.
    pub fn convergence_warning(&self) -> Option<String> {
        let Record { worst, worst_step, worrying, steps } = &self.convergence;
        (self.minimizes && *worrying > 0).then(|| {
            format!(
                "{worrying} of {steps} steps ended far from converged (gradient above {WORRYING} of its first); \
                 the worst is step {worst_step} (frame {}) with {worst:.2}: {}",
                worst_step.div_ceil(self.substeps),
                self.remedy()
            )
        })
    }

    /// The keys that make steps converge, with values.
    fn remedy(&self) -> String {
        let iterations = self.settings.iterations;
        let more = if iterations < USUAL_MOST {
            format!(
                "set solver.tolerance = {USUAL_TOLERANCE} and solver.iterations = {USUAL_MOST} (now {iterations})"
            )
        } else {
            format!("set solver.iterations = {} (now {iterations})", iterations.saturating_mul(4))
        };
        let newton = if matches!(self.settings.method, Method::Newton(_)) {
            ""
        } else {
            ", or solver.kind = \"newton\""
        };
        let (step, substeps) = (self.step / 2.0, 2 * self.substeps);
        format!("{more}{newton}, or time.step = {step:.3e} with time.substeps = {substeps}")
    }
}

/// Simulates a config into its run directory. Ends after the current frame once `stop` is set.
pub fn run(
    loaded: &Loaded,
    cache: &Cache,
    wishes: Wishes,
    stop: &AtomicBool,
    progress: &mut dyn Progress,
) -> Result<RunReport> {
    let started = Instant::now();
    let scene = &loaded.scene;
    // Locked before anything is looked at, so that no other process changes it until the end.
    let claim = Claim::take(scene, wishes.existing)?;
    let directory = claim.directory.clone();
    let config = to_toml(loaded);
    let found = if wishes.existing == Existing::Resume { claim.checkpoint(&config)? } else { None };
    let last = scene.time.frames;
    let schedule = Schedule { first: 0, every: scene.output.every, last, time: scene.time };
    let (mut simulation, report) = Simulation::new(scene, cache)?;
    if wishes.must_converge {
        refuse_unmeasured(&simulation)?;
    }
    let fingerprint = fingerprint::of(loaded, &simulation)?;
    let first = begin(&claim, &config, found, scene.time, &mut simulation, fingerprint)?;
    progress.prepared(&report, &simulation, first.unwrap_or(0), last);

    let sinks = sinks(&scene.output, schedule, &directory, &simulation.model)?;
    let writer = Writer::start(sinks, directory.clone(), claim.files.clone(), wishes.sync);
    let simulating = Instant::now();
    if first.is_none() {
        let probed = simulation.probe_row();
        writer.send(simulation.job(schedule, 0, [String::new(), String::new(), probed], fingerprint)?);
    }
    let mut frame = first.unwrap_or(0);
    let mut next = |frame: u64| simulation.send_frame(&writer, schedule, frame + 1, fingerprint);
    let outcome = advance(&mut frame, last, stop, progress, &mut next);
    let simulate = simulating.elapsed().as_secs_f64();
    let write = writer.finish()?.as_secs_f64();
    outcome?;
    let simulated = frame - first.unwrap_or(0);
    let seconds = seconds(&report, simulate, write, started.elapsed().as_secs_f64(), simulated);
    let too_stiff = if frame == last { too_stiff(scene, &simulation, cache) } else { vec![] };
    if frame == last {
        let mut summary = summary(loaded, &simulation, &report, seconds, fingerprint, first.unwrap_or(0));
        summary.contact = ContactSummary::of(&simulation, &directory)?;
        summary.too_stiff = too_stiff.iter().cloned().collect();
        summary.write(&directory.summary())?;
    }
    Ok(RunReport {
        frames: frame,
        wanted: last,
        simulated,
        seconds,
        cache_hit: report.is_hit(),
        refactors: simulation.refactors,
        solver_note: solver_note(&simulation),
        minimizes: simulation.minimizes(),
        convergence: simulation.convergence.record.clone(),
        soundness: simulation.soundness.record.clone(),
        too_stiff,
        substeps: scene.time.substeps,
        step: scene.time.step,
        settings: scene.solver.clone(),
        directory,
    })
}

/// The bodies that linear tets make too stiff. Meshes are read once more for it; where that fails, the run is none the worse.
fn too_stiff(scene: &Scene, simulation: &Simulation, cache: &Cache) -> Vec<(String, f64)> {
    let x = simulation.model.to_input(&simulation.state.x);
    locking::too_stiff(scene, &x, cache).unwrap_or_default()
}

/// Simulates frame after frame by `next`, up to the last one, until `stop` is set, or until `next` fails or returns false.
fn advance(
    frame: &mut u64,
    last: u64,
    stop: &AtomicBool,
    progress: &mut dyn Progress,
    next: &mut dyn FnMut(u64) -> Result<bool>,
) -> Result<()> {
    while *frame < last && !stop.load(Ordering::Relaxed) && next(*frame)? {
        *frame += 1;
        progress.frame(*frame);
    }
    Ok(())
}

/// The seconds of a run by part, of which `simulated` frames took what preparing did not.
fn seconds(report: &PreparationReport, simulate: f64, write: f64, total: f64, simulated: u64) -> Seconds {
    Seconds {
        model: report.model_seconds,
        ordering: report.ordering_seconds,
        solver: report.solver_seconds,
        simulate,
        write,
        total,
        per_frame: (total - report.seconds()) / simulated.max(1) as f64,
    }
}

/// Refuses solvers whose gradients say nothing of how well they did.
fn refuse_unmeasured(simulation: &Simulation) -> Result<()> {
    if simulation.minimizes() {
        return Ok(());
    }
    Err(Error::Usage {
        what: format!("--require-converged: solver '{}' does not minimize", simulation.solver().name()),
        hint: "leave the flag out, or use another solver".into(),
    })
}

/// What the solver has to say, with the worst gradient where there will be no warning of it.
fn solver_note(simulation: &Simulation) -> Option<String> {
    let notes = [simulation.penetration_note(), simulation.solver().closing_note()];
    let notes: Vec<String> = notes.into_iter().flatten().collect();
    if notes.is_empty() {
        return None;
    }
    let note = notes.join("; ");
    if simulation.minimizes() || simulation.solver().conserves() {
        return Some(note);
    }
    let Record { worst, worst_step, .. } = &simulation.convergence.record;
    Some(format!("{note}; at worst {worst:.2e} of a step's first gradient was left (step {worst_step})"))
}

/// Starts or resumes the directory; returns the last whole frame of a resumed run.
fn begin(
    claim: &Claim,
    config: &str,
    found: Option<Checkpoint>,
    time: Time,
    simulation: &mut Simulation,
    fingerprint: [u8; 32],
) -> Result<Option<u64>> {
    let Some(checkpoint) = found else {
        claim.begin(config)?;
        return Ok(None);
    };
    let refuse = |reason: String, hint: &str| {
        Err(Error::Run { path: claim.directory.dir().to_owned(), reason, hint: hint.into() })
    };
    if checkpoint.fingerprint != fingerprint {
        return Err(claim.refuse_another(config));
    }
    if checkpoint.frame > time.frames {
        let reason = format!("the run there has {} frames already", checkpoint.frame);
        return refuse(reason, "ask for at least as many with --frames");
    }
    if let Some(misfit) = checkpoint.misfit(simulation, time.substeps) {
        return refuse(format!("its checkpoint {misfit}"), "start the run anew with --force");
    }
    if let Some(option) = simulation.solver().carries().filter(|_| checkpoint.frame < time.frames) {
        let reason = format!("with {option}, steps depend on earlier ones, which a checkpoint does not have");
        return refuse(reason, "start the run anew with --force");
    }
    claim.resume(config, checkpoint.frame, checkpoint.step)?;
    simulation.state = checkpoint.state;
    simulation.before = checkpoint.before;
    simulation.step = checkpoint.step;
    simulation.ledger.accounts = checkpoint.accounts;
    simulation.convergence.record = checkpoint.convergence;
    simulation.soundness.record = checkpoint.soundness;
    if !simulation.restore(&checkpoint.kept)? {
        return refuse(
            "its checkpoint does not hold what the scene's contacts and pins need".into(),
            "start the run anew with --force",
        );
    }
    simulation.look_at_contacts();
    Ok(Some(checkpoint.frame))
}

fn summary(
    loaded: &Loaded,
    simulation: &Simulation,
    report: &PreparationReport,
    seconds: Seconds,
    fingerprint: [u8; 32],
    started_at_frame: u64,
) -> Summary {
    let word = |outcome: Outcome| match outcome {
        Outcome::Hit => "hit",
        Outcome::Miss => "miss",
        Outcome::Replaced => "replaced",
    };
    let (record, sound) = (&simulation.convergence.record, &simulation.soundness.record);
    Summary {
        name: loaded.scene.name.clone(),
        config_hash: blake3::Hash::from_bytes(fingerprint).to_hex().to_string(),
        version: env!("CARGO_PKG_VERSION"),
        solver: loaded.scene.solver.kind().name,
        parameters: to_toml(loaded).parse().map(difference::flat).unwrap_or_default(),
        frames: loaded.scene.time.frames,
        steps: simulation.step,
        started_at_frame,
        vertices: simulation.model.body_vertices(),
        tets: simulation.model.tets.len(),
        triangles: simulation.model.triangles.len(),
        edges: simulation.model.edges.len(),
        unknowns: simulation.model.numbering.free,
        factor_entries: report.solver.factor_entries,
        machine: Machine::now(),
        seconds,
        cache: CacheUse {
            ordering: word(report.ordering),
            factor: report.solver.cache.map_or("none", word),
            refactors: simulation.refactors.count,
            refactor_hits: simulation.refactors.hits,
        },
        convergence: Converged {
            worst: record.worst,
            worst_step: record.worst_step,
            worrying_steps: record.worrying,
        },
        contact: None,
        status: sound.status(),
        inverted_frames: sound.inverted_frames,
        crushed_frames: sound.crushed_frames,
        energy_jump: sound.energy_jump,
        too_stiff: BTreeMap::new(),
    }
}

impl Simulation {
    /// The steps of one frame; returns their rows of `metrics.csv`, `contacts.csv` and `probes.csv`.
    fn advance_frame(&mut self, substeps: u64) -> Result<[String; 3]> {
        let (mut rows, mut touched, mut probed) = (String::new(), String::new(), String::new());
        for _ in 0..substeps {
            rows.push_str(&self.advance()?.to_csv());
            touched.extend(self.touching.iter().map(|touching| contacts::rows(self.step, touching)));
            probed.push_str(&self.probe_row());
        }
        Ok([rows, touched, probed])
    }

    /// The row of `probes.csv` now; empty in scenes without probes.
    fn probe_row(&mut self) -> String {
        let values = self.probe();
        if values.is_empty() {
            String::new()
        } else {
            probes::row(self.frame(), self.step, self.now(), &values)
        }
    }

    /// Simulates a frame and hands it over; false if the writer has failed.
    fn send_frame(
        &mut self,
        writer: &Writer,
        schedule: Schedule,
        frame: u64,
        fingerprint: [u8; 32],
    ) -> Result<bool> {
        let rows = self.advance_frame(schedule.time.substeps)?;
        Ok(writer.send(self.job(schedule, frame, rows, fingerprint)?))
    }

    /// What is to be written after a frame; an error if something intersects in it.
    fn job(
        &self,
        schedule: Schedule,
        frame: u64,
        [rows, contacts, probes]: [String; 3],
        fingerprint: [u8; 32],
    ) -> Result<Job> {
        let state = &self.state;
        let written = match schedule.includes(frame) {
            true => Some(Frame::of(self, frame, schedule.time(frame))?),
            false => None,
        };
        let checkpoint = Checkpoint {
            fingerprint,
            frame,
            step: self.step,
            state: state.clone(),
            before: self.before.clone(),
            accounts: self.ledger.accounts.clone(),
            convergence: self.convergence.record.clone(),
            soundness: self.soundness.record.clone(),
            kept: self.save(),
        };
        Ok(Job { frame: written, rows, contacts, probes, checkpoint })
    }
}
