//! What a run writes: frames in the chosen formats, metrics, checkpoints, a summary.
//!
//! A format is one file and one line in [`FORMATS`]: either it has files for every frame ([`FrameSink`]), or it is
//! assembled of all frames at the end ([`animation`]). Frames are written by a thread of their own, so that files cost
//! the simulation nothing until the disk is the limit.

pub mod animation;
mod cast;
pub mod checkpoint;
pub mod directory;
pub mod execute;
mod fingerprint;
mod frames;
mod grid;
mod maps;
mod mdd;
mod obj;
mod pc2;
mod ply;
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

    /// Writes what can only be written after the last frame, be it that of the run or of an interrupted part of it.
    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

/// What a sink is made from.
pub struct Request<'a> {
    /// What the config asks for.
    pub output: &'a Output,
    /// Which frames there are.
    pub schedule: Schedule,
    /// Where files go.
    pub directory: &'a RunDirectory,
    /// What is written.
    pub scene: Arc<Cast>,
}

/// How a format comes about.
#[derive(Clone, Copy)]
pub enum Making {
    /// Files for every frame, `<directory>/<name>_0000<ending>`.
    Frames {
        /// The directory, also the ending of the files.
        directory: &'static str,
        /// Makes the sink.
        build: fn(&Request) -> Result<Box<dyn FrameSink>>,
    },
    /// Files of the whole animation.
    Animation(fn(&Animation) -> Result<()>),
}

/// Every format of frames.
pub const FORMATS: [(FrameFormat, Making); 8] = [
    (FrameFormat::Vtu, Making::Frames { directory: "vtu", build: vtu::VtuSink::build }),
    (FrameFormat::Vtk, Making::Frames { directory: "vtk", build: vtk::VtkSink::build }),
    (FrameFormat::Ply, Making::Frames { directory: "ply", build: ply::PlySink::build }),
    (FrameFormat::Obj, Making::Frames { directory: "obj", build: obj::ObjSink::build }),
    (FrameFormat::Stl, Making::Frames { directory: "stl", build: stl::StlSink::build }),
    (FrameFormat::Pc2, Making::Animation(pc2::write)),
    (FrameFormat::Mdd, Making::Animation(mdd::write)),
    (FrameFormat::Usd, Making::Animation(usd::write)),
];

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

    /// How many written frames come before a written one.
    pub fn index(&self, frame: u64) -> u64 {
        frame.div_ceil(self.every) - self.first.div_ceil(self.every)
    }

    /// The number of the written frame with an index.
    pub fn frame(&self, index: u64) -> u64 {
        ((index + self.first.div_ceil(self.every)) * self.every).min(self.last)
    }
}

/// The sinks of a run, in the order of its formats; also writes, once, what does not change over the frames.
pub fn sinks(
    output: &Output,
    schedule: Schedule,
    directory: &RunDirectory,
    model: &Arc<Model>,
) -> Result<Vec<Box<dyn FrameSink>>> {
    let build = |scene| sinks_of_scene(&Request { output, schedule, directory, scene });
    if output.bodies.len() < model.bodies.len() {
        return Ok(vec![Box::new(cast::Selected::new(model, &output.bodies, build)?)]);
    }
    build(Arc::new(Cast::new(model, &output.bodies)))
}

/// Likewise for frames that hold just the scene.
pub fn sinks_of_scene(request: &Request) -> Result<Vec<Box<dyn FrameSink>>> {
    let (mut sinks, mut animations) = (vec![], vec![]);
    for format in &request.output.formats {
        match FORMATS.iter().find(|(known, _)| known == format).expect("every format is in the list").1 {
            Making::Frames { build, .. } => sinks.push(build(request)?),
            Making::Animation(write) => animations.push(write),
        }
    }
    if !animations.is_empty() {
        sinks.push(Box::new(AnimationSink::new(request, animations)?));
    }
    maps::write(request)?;
    scripts::write(request)?;
    Ok(sinks)
}
