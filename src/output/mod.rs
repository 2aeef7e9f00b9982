//! What a run writes: frames in the chosen formats, metrics, checkpoints, a summary.
//!
//! A format is one file with a [`FrameSink`] and one line in [`sinks`]. Frames are written by a thread of
//! their own, so that files cost the simulation nothing until the disk is the limit.

pub mod directory;
mod obj;
mod ply;
pub mod summary;
pub mod surfaces;
mod vtu;
pub mod writer;

use std::sync::Arc;

use crate::config::resolved::{FrameFormat, Output, Time};
use crate::energy::ElementState;
use crate::error::Result;
use crate::model::Model;
use directory::RunDirectory;

/// A state to be written, in the input's numbering.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// From 0, the initial state.
    pub number: u64,
    /// In s.
    pub time: f64,
    /// Positions in m.
    pub x: Vec<[f64; 3]>,
    /// Velocities in m/s.
    pub v: Vec<[f64; 3]>,
    /// The state of every cell: the tets, then the triangles of sheets, then the edges of lines.
    pub elements: Vec<ElementState>,
}

/// Writes frames in one format.
pub trait FrameSink: Send {
    /// Writes a frame's files, whole or not at all. Frames come in ascending order.
    fn write(&mut self, frame: &Frame) -> Result<()>;
}

/// Which frames are written: every n-th, and the last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// The first frame's number.
    pub first: u64,
    /// Every how many frames.
    pub every: u64,
    /// The last frame's number.
    pub last: u64,
    /// Seconds from frame to frame are `step · substeps`; times are computed as the simulation does.
    pub time: Time,
}

impl Schedule {
    /// True if a frame is written.
    pub fn includes(&self, frame: u64) -> bool {
        frame >= self.first && (frame.is_multiple_of(self.every) || frame == self.last)
    }

    /// The frame's time in s.
    pub fn time(&self, frame: u64) -> f64 {
        (frame * self.time.substeps) as f64 * self.time.step
    }
}

/// The sinks of a run, in the order of its formats.
pub fn sinks(
    output: &Output,
    schedule: Schedule,
    directory: &RunDirectory,
    model: &Arc<Model>,
) -> Result<Vec<Box<dyn FrameSink>>> {
    output
        .formats
        .iter()
        .map(|format| -> Result<Box<dyn FrameSink>> {
            Ok(match format {
                FrameFormat::Vtu => Box::new(vtu::VtuSink::new(output, schedule, directory, model)?),
                FrameFormat::Ply => Box::new(ply::PlySink::new(output, directory, model)?),
                FrameFormat::Obj => Box::new(obj::ObjSink::new(output, directory, model)?),
            })
        })
        .collect()
}
