//! `summary.json`: what ran, where, how long. It appears last: a run that has one is complete.

use std::path::Path;

use serde::Serialize;

use crate::error::Result;
use crate::fs::write_atomically;

/// The content.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The run's name.
    pub name: String,
    /// Hash of everything that determines the frames: equal hashes, equal bytes.
    pub config_hash: String,
    /// Version of pliant.
    pub version: &'static str,
    /// The solver's config name.
    pub solver: &'static str,
    /// Frames after the initial one.
    pub frames: u64,
    /// Steps of all frames.
    pub steps: u64,
    /// Frame that this invocation started from; 0 unless resumed.
    pub started_at_frame: u64,
    /// Vertices of all bodies.
    pub vertices: usize,
    /// Tets of all bodies.
    pub tets: usize,
    /// Triangles of all sheets.
    pub triangles: usize,
    /// Edges of all lines.
    pub edges: usize,
    /// Vertices that are solved for.
    pub unknowns: usize,
    /// Entries of the factor, padding included.
    pub factor_entries: usize,
    /// The machine.
    pub machine: Machine,
    /// Seconds of this invocation.
    pub seconds: Seconds,
    /// Whether ordering and factor came from the cache.
    pub cache: CacheUse,
    /// How well steps converged.
    pub convergence: Converged,
}

/// Where it ran.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// Operating system.
    pub os: &'static str,
    /// Processor family.
    pub arch: &'static str,
    /// Threads used.
    pub threads: usize,
}

/// How long things took.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Seconds {
    /// Loading meshes, building the model.
    pub model: f64,
    /// Ordering the unknowns, or loading their order.
    pub ordering: f64,
    /// Factorizing, or loading the factor.
    pub solver: f64,
    /// Time steps.
    pub simulate: f64,
    /// The writer thread at work.
    pub write: f64,
    /// Everything.
    pub total: f64,
    /// Total without preparation, per frame.
    pub per_frame: f64,
}

/// What the cache did.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct CacheUse {
    /// `hit`, `miss` or `replaced`.
    pub ordering: &'static str,
    /// Likewise; `none` where the solver keeps no factor.
    pub factor: &'static str,
    /// Factors for stiffness that changed while it ran.
    pub refactors: u64,
    /// Those of them that came from the cache.
    pub refactor_hits: u64,
}

/// How well steps converged.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Converged {
    /// The largest gradient a step ended with, relative to its first.
    pub worst: f64,
    /// The step where that was.
    pub worst_step: u64,
    /// Steps that ended far from converged.
    pub worrying_steps: u64,
}

impl Summary {
    /// Writes it, whole or not at all.
    pub fn write(&self, path: &Path) -> Result<()> {
        write_atomically(path, |out| {
            serde_json::to_writer_pretty(&mut *out, self)?;
            std::io::Write::write_all(out, b"\n")
        })
    }
}
