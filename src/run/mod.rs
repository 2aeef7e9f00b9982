//! The output of a run: frames in the chosen formats, metrics, checkpoints, a summary.
//!
//! A format is one file and one line in [`FORMATS`]: either it has files for every frame ([`FrameSink`]), or it is
//! assembled of all frames at the end ([`animation`]). Frames are written by a thread of their own, so that files cost
//! the simulation nothing until the disk is the limit.

pub mod animation;
mod cast;
pub mod checkpoint;
pub mod claim;
pub mod contacts;
pub mod difference;
pub mod directory;
pub mod execute;
mod fingerprint;
mod frames;
mod grid;
pub mod lock;
pub mod manifest;
mod maps;
mod mdd;
mod obj;
pub mod obstacles;
mod pc2;
mod ply;
pub mod probes;
pub mod scripts;
mod stl;
pub mod summary;
pub mod surfaces;
mod usd;
mod vtk;
mod vtu;
pub mod writer;

use std::sync::Arc;

use crate::error::Result;
use crate::model::Model;
use crate::scene::{FrameFormat, Output, Time};
use animation::{Animation, AnimationSink};
pub use cast::Cast;
use directory::RunDirectory;
use elements::energy::ElementState;
pub use frames::FrameWriter;

/// A state to be written, in the input's numbering.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// The number of the frame; 0 is the initial state.
    pub number: u64,
    /// The time of the frame in s.
    pub time: f64,
    /// The positions of all vertices in m.
    pub x: Vec<[f64; 3]>,
    /// The velocities of all vertices in m/s.
    pub v: Vec<[f64; 3]>,
    /// The state of every cell: the tets, then the triangles of sheets, then the edges of lines.
    pub elements: Vec<ElementState>,
    /// What touches; `None` in scenes without contact.
    pub contact: Option<Touched>,
}

/// What touches in a frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Touched {
    /// The contact force on each vertex in N.
    pub forces: Vec<[f64; 3]>,
    /// The friction on each vertex in N.
    pub friction: Vec<[f64; 3]>,
    /// The least gap in m of what has a vertex as a corner; d̂ if it is larger.
    pub gaps: Vec<f64>,
    /// The gap d̂ in m from which on nothing is felt.
    pub range: f64,
}

/// A writer of frames in one format.
pub trait FrameSink: Send {
    /// Writes a frame's files, whole or not at all. Frames come in ascending order.
    fn write(&mut self, frame: &Frame) -> Result<()>;

    /// Writes the files that need all frames. It is called after the last frame of the run, or of an
    /// interrupted part of it.
    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

/// The data that a sink is made from.
pub struct Request<'a> {
    /// The output settings of the config.
    pub output: &'a Output,
    /// The schedule of the frames that are written.
    pub schedule: Schedule,
    /// The directory for the files.
    pub directory: &'a RunDirectory,
    /// The bodies that are written.
    pub scene: Arc<Cast>,
}

/// The way in which a format is written.
#[derive(Clone, Copy)]
pub enum Making {
    /// Files for every frame, `<directory>/<name>_0000<ending>`.
    Frames {
        /// The directory, also the ending of the files.
        directory: &'static str,
        /// All files that it writes, as patterns of [`manifest::Manifest`].
        files: &'static [&'static str],
        /// The function that makes the sink.
        build: fn(&Request) -> Result<Box<dyn FrameSink>>,
    },
    /// Files with the whole animation.
    Animation {
        /// All files that it writes, as patterns of [`manifest::Manifest`].
        files: &'static [&'static str],
        /// The function that writes them at the end.
        write: fn(&Animation) -> Result<()>,
    },
}

/// All formats of frames, each with the way in which it is written.
pub const FORMATS: [(FrameFormat, Making); 8] = [
    (FrameFormat::Vtu, vtu::MAKING),
    (FrameFormat::Vtk, vtk::MAKING),
    (FrameFormat::Ply, ply::MAKING),
    (FrameFormat::Obj, obj::MAKING),
    (FrameFormat::Stl, stl::MAKING),
    (FrameFormat::Pc2, pc2::MAKING),
    (FrameFormat::Mdd, mdd::MAKING),
    (FrameFormat::Usd, usd::MAKING),
];

/// The frames that are written: every n-th one, and the last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// The number of the first frame.
    pub first: u64,
    /// The distance between written frames, in frames.
    pub every: u64,
    /// The number of the last frame.
    pub last: u64,
    /// The time settings: frames are `step · substeps` seconds apart. Times are computed as in the simulation.
    pub time: Time,
}

impl Schedule {
    /// True if a frame is written.
    pub fn includes(&self, frame: u64) -> bool {
        frame >= self.first && (frame.is_multiple_of(self.every) || frame == self.last)
    }

    /// The time of a frame in s.
    pub fn time(&self, frame: u64) -> f64 {
        (frame * self.time.substeps) as f64 * self.time.step
    }

    /// How many written frames come before this written one.
    pub fn index(&self, frame: u64) -> u64 {
        frame.div_ceil(self.every) - self.first.div_ceil(self.every)
    }

    /// The number of the written frame with this index.
    pub fn frame(&self, index: u64) -> u64 {
        ((index + self.first.div_ceil(self.every)) * self.every).min(self.last)
    }
}

/// The sinks of a run, in the order of its formats. Also writes, once, the files that are the same for all frames.
pub fn sinks(
    output: &Output,
    schedule: Schedule,
    directory: &RunDirectory,
    model: &Arc<Model>,
) -> Result<Vec<Box<dyn FrameSink>>> {
    let build = |scene| sinks_of_scene(&Request { output, schedule, directory, scene });
    if output.bodies.len() < model.bodies.len() || !model.obstacles.is_empty() {
        return Ok(vec![Box::new(cast::Selected::new(model, &output.bodies, build)?)]);
    }
    build(Arc::new(Cast::new(model, &output.bodies)))
}

/// The same sinks for frames that contain exactly the bodies that are written.
pub fn sinks_of_scene(request: &Request) -> Result<Vec<Box<dyn FrameSink>>> {
    let (mut sinks, mut animations) = (vec![], vec![]);
    for format in &request.output.formats {
        match FORMATS.iter().find(|(known, _)| known == format).expect("every format is in the list").1 {
            Making::Frames { build, .. } => sinks.push(build(request)?),
            Making::Animation { write, .. } => animations.push(write),
        }
    }
    if !animations.is_empty() {
        sinks.push(Box::new(AnimationSink::new(request, animations)?));
    }
    maps::write(request)?;
    scripts::write(request)?;
    Ok(sinks)
}
