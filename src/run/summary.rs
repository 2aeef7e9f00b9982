//! `summary.json`: what ran, where, and how long. It is written last, so a run that has one is complete.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use super::contacts::ContactSummary;
use crate::error::Result;
use crate::fs::write_durably;
use elements::par;

/// The content of `summary.json`.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The name of the run.
    pub name: String,
    /// A hash of everything that determines the frames: equal hashes mean equal bytes.
    pub config_hash: String,
    /// The version of pliant.
    pub version: &'static str,
    /// The name of the solver in configs.
    pub solver: &'static str,
    /// The values of the resolved config by their keys, as TOML.
    pub parameters: BTreeMap<String, String>,
    /// The number of frames after the initial one.
    pub frames: u64,
    /// The number of steps of all frames.
    pub steps: u64,
    /// The frame that this invocation started from; 0 unless the run was resumed.
    pub started_at_frame: u64,
    /// The number of vertices of all bodies.
    pub vertices: usize,
    /// The number of tets of all bodies.
    pub tets: usize,
    /// The number of triangles of all sheets.
    pub triangles: usize,
    /// The number of edges of all lines.
    pub edges: usize,
    /// The number of vertices that are solved for.
    pub unknowns: usize,
    /// The number of entries of the factor, padding included.
    pub factor_entries: usize,
    /// The machine that the run was made on.
    pub machine: Machine,
    /// The times that this invocation took.
    pub seconds: Seconds,
    /// Whether ordering and factor came from the cache.
    pub cache: CacheUse,
    /// How well steps converged.
    pub convergence: Converged,
    /// Gaps and truncated motions; absent without contact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<ContactSummary>,
    /// `sound`, or the worst of what is wrong with the motion: `inverted`, `energy`, `crushed`.
    pub status: &'static str,
    /// The number of frames with inverted cells, after the first frame without.
    pub inverted_frames: u64,
    /// The number of frames without inverted cells but with cells that are crushed to nothing.
    pub crushed_frames: u64,
    /// The largest energy from nowhere that a step ended with, in J.
    pub energy_jump: f64,
    /// How many times too stiff linear tets make bodies at the end, at least; those of more than 1.2.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub too_stiff: BTreeMap<String, f64>,
}

/// The machine that the run was made on.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// The operating system.
    pub os: &'static str,
    /// The processor family.
    pub arch: &'static str,
    /// The number of threads that were used.
    pub threads: usize,
    /// The bytes of memory at the peak of this invocation; 0 where the system does not tell.
    pub peak_bytes: u64,
}

/// How long the parts of a run took, in s.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Seconds {
    /// Loading meshes and building the model.
    pub model: f64,
    /// Ordering the unknowns, or loading their order.
    pub ordering: f64,
    /// Factorizing, or loading the factor.
    pub solver: f64,
    /// Computing all time steps.
    pub simulate: f64,
    /// Writing files, in the thread of the writer.
    pub write: f64,
    /// The whole invocation, from start to end.
    pub total: f64,
    /// The total without preparation, divided by the number of frames.
    pub per_frame: f64,
}

/// What came from the cache.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct CacheUse {
    /// For the ordering of the unknowns: `hit`, `miss` or `replaced`.
    pub ordering: &'static str,
    /// The same for the factor; `none` if the solver keeps no factor.
    pub factor: &'static str,
    /// How many factors were needed because stiffness or pins changed during the run.
    pub refactors: u64,
    /// How many of them came from the cache.
    pub refactor_hits: u64,
}

/// How well steps converged.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Converged {
    /// The largest gradient at the end of a step, relative to the first gradient of the step.
    pub worst: f64,
    /// The number of the step with that gradient.
    pub worst_step: u64,
    /// The number of steps that ended far from convergence.
    pub worrying_steps: u64,
}

impl Machine {
    /// This machine now.
    pub fn now() -> Machine {
        Machine {
            os: std::env::consts::OS,
            arch: std::env::consts::ARCH,
            threads: par::threads(),
            peak_bytes: peak(),
        }
    }
}

/// The bytes of memory that this process has held at most, as Linux tells.
fn peak() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes =
        line.and_then(|line| line.trim().strip_suffix("kB")).and_then(|n| n.trim().parse::<u64>().ok());
    kilobytes.map_or(0, |kilobytes| 1024 * kilobytes)
}

impl Summary {
    /// Writes the file, whole or not at all.
    pub fn write(&self, path: &Path) -> Result<()> {
        write_durably(path, |out| {
            serde_json::to_writer_pretty(&mut *out, self)?;
            std::io::Write::write_all(out, b"\n")
        })
    }
}
