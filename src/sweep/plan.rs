//! What a sweep will take: a short run of its first case, and sums over all.
//!
//! ```text
//! seconds = Σ cases (prepare + steps · seconds per step) / jobs,      disk = Σ cases frames · bytes per frame + rest
//! ```
//!
//! The probe runs a few frames from the start. Cases of other meshes, solvers or stiffnesses take another time than the first
//! one; frames later in a run, with contact, may too.

use std::path::Path;
use std::process::{Command, Stdio};

use serde::Serialize;

use super::local::Wishes;
use super::{State, Sweep};
use crate::config::Loaded;
use crate::error::{Action, Error, Result};

/// What a short run of the first case has shown.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Probe {
    /// The frames that it had.
    pub frames: u64,
    /// The seconds before the first step: meshes, ordering, factor.
    pub prepare: f64,
    /// The seconds of a step.
    pub step: f64,
    /// The bytes of memory at its peak; 0 where the system does not tell.
    pub memory: u64,
    /// The bytes on disk of a written frame.
    pub frame_bytes: f64,
}

/// What the cases that are not done will take.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The number of cases.
    pub cases: usize,
    /// The frames of all of them.
    pub frames: u64,
    /// The seconds of all of them, one after the other.
    pub seconds: f64,
    /// The seconds of the longest one.
    pub longest: f64,
    /// The seconds with so many at a time.
    pub elapsed: f64,
    /// The cases at a time.
    pub jobs: usize,
    /// The bytes of memory of those that run at a time.
    pub memory: u64,
    /// The bytes on disk.
    pub disk: u64,
}

/// Runs the first frames of the first case in a directory that is removed again.
pub fn probe(sweep: &Sweep, loaded: &[Loaded], frames: u64, wishes: &Wishes) -> Result<Probe> {
    let case = &sweep.cases[0];
    let time = loaded[0].scene.time;
    let frames = frames.min(time.frames).max(1);
    let fail = |what: String| Error::Failed { what, hint: "run the case by itself to see why".into() };
    let dir =
        tempfile::tempdir().map_err(|e| Error::io(Action::CreateDirectory, &std::env::temp_dir(), e))?;
    let run = |count: u64, name: &str| -> Result<(serde_json::Value, u64)> {
        let target = dir.path().join(name);
        let mut command = Command::new(&wishes.program);
        command.args(&wishes.flags).args(["-q", "simulate"]).arg(&sweep.config);
        case.set.iter().for_each(|set| {
            command.args(["--set", set]);
        });
        command.args(["--frames", &count.to_string(), "--output"]).arg(&target);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let status = command.status().map_err(|e| Error::io(Action::Find, &wishes.program, e))?;
        if !status.success() {
            return Err(fail(format!("the first frames of case '{}' ended with {status}", case.name)));
        }
        let path = target.join("summary.json");
        let text = std::fs::read(&path).map_err(|e| Error::io(Action::Read, &path, e))?;
        let summary = serde_json::from_slice(&text).map_err(|e| fail(format!("{}: {e}", path.display())))?;
        Ok((summary, bytes_below(&target)))
    };
    // The size of what is there without frames, and the cache filled, so that the second run tells the time of one that is not first.
    let (_, bare) = run(0, "bare")?;
    let (summary, whole) = run(frames, "probe")?;
    let number = |keys: [&str; 2]| summary[keys[0]][keys[1]].as_f64().unwrap_or(0.0);
    let total = number(["seconds", "total"]);
    let prepare = (total - number(["seconds", "simulate"])).max(0.0);
    let written = frames.div_ceil(loaded[0].scene.output.every);
    Ok(Probe {
        frames,
        prepare,
        step: number(["seconds", "simulate"]) / (frames * time.substeps) as f64,
        memory: summary["machine"]["peak_bytes"].as_u64().unwrap_or(0),
        frame_bytes: whole.saturating_sub(bare) as f64 / written as f64,
    })
}

/// What the cases that are not done will take, if all are like the first.
pub fn estimate(loaded: &[Loaded], probe: &Probe, jobs: usize) -> Estimate {
    let open: Vec<&Loaded> = loaded.iter().filter(|loaded| State::of(loaded) != State::Done).collect();
    let seconds_of = |loaded: &&Loaded| {
        let time = loaded.scene.time;
        probe.prepare + (time.frames * time.substeps) as f64 * probe.step
    };
    let frames = |loaded: &&Loaded| loaded.scene.time.frames;
    let seconds: f64 = open.iter().map(seconds_of).sum();
    let longest = open.iter().map(seconds_of).fold(0.0, f64::max);
    let at_a_time = jobs.min(open.len()).max(1);
    let written: u64 = open.iter().map(|loaded| 1 + frames(loaded).div_ceil(loaded.scene.output.every)).sum();
    Estimate {
        cases: open.len(),
        frames: open.iter().map(frames).sum(),
        seconds,
        longest,
        elapsed: (seconds / at_a_time as f64).max(longest),
        jobs: at_a_time,
        memory: probe.memory * at_a_time as u64,
        disk: (written as f64 * probe.frame_bytes) as u64,
    }
}

/// The bytes of all files below a directory; what cannot be read counts as nothing.
fn bytes_below(dir: &Path) -> u64 {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.file_type() {
            Ok(kind) if kind.is_dir() => bytes_below(&entry.path()),
            _ => entry.metadata().map_or(0, |found| found.len()),
        })
        .sum()
}
