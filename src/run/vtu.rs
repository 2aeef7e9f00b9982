//! VTU frames, all bodies in one grid, and the PVD that lists them for ParaView.
//!
//! The PVD is rewritten after every frame, so that a running simulation can be watched. With more than a thousand
//! entries it is rewritten only after every tenth frame and at the end, since the cost grows with the run.

use std::path::PathBuf;
use std::sync::Arc;

use super::grid::Constant;
use super::{Cast, Frame, FrameSink, Making, Request, Schedule};
use crate::error::Result;
use crate::fs::write_atomically;
use crate::io::pvd::write_pvd;
use crate::io::vtu_write::{Compression, write_compressed};

/// How the format is made.
pub const MAKING: Making = Making::Frames {
    directory: "vtu",
    files: &["vtu/{run}_{frame}.vtu", "{run}.pvd"],
    build: VtuSink::build,
};

/// Up to this many entries the list is rewritten after every frame.
const PROMPT: u64 = 1000;

/// The sink that writes `vtu/<name>_0000.vtu` … and `<name>.pvd`.
pub struct VtuSink {
    scene: Arc<Cast>,
    constant: Constant,
    series: Series,
    float32: bool,
    compression: Compression,
    pvd: PathBuf,
}

impl VtuSink {
    /// Makes the sink and its directory.
    pub fn build(request: &Request) -> Result<Box<dyn FrameSink>> {
        let name = request.directory.name();
        Ok(Box::new(VtuSink {
            constant: Constant::new(&request.scene),
            scene: request.scene.clone(),
            series: Series::new(request, "vtu")?,
            float32: request.output.float32,
            compression: request.output.compression,
            pvd: request.directory.path(&format!("{name}.pvd")),
        }))
    }
}

impl FrameSink for VtuSink {
    fn write(&mut self, frame: &Frame) -> Result<()> {
        self.constant.with_grid(&self.scene, frame, self.float32, |grid| {
            let path = self.series.path(frame.number);
            write_atomically(&path, |out| write_compressed(grid, self.compression, out))
        })?;
        self.series.list(frame.number).map_or(Ok(()), |entries| write_pvd(&self.pvd, &entries))
    }
}

/// A series of numbered files, one per frame, with all bodies in each.
pub(super) struct Series {
    schedule: Schedule,
    name: String,
    dir: PathBuf,
    ending: &'static str,
}

impl Series {
    /// A series in a directory of its own, whose name is also the ending of the files' names.
    pub(super) fn new(request: &Request, ending: &'static str) -> Result<Series> {
        let name = request.directory.name().to_owned();
        Ok(Series { schedule: request.schedule, name, dir: request.directory.subdirectory(ending)?, ending })
    }

    fn file(&self, number: u64) -> String {
        format!("{}_{number:04}.{}", self.name, self.ending)
    }

    /// The path of the file of a frame.
    pub(super) fn path(&self, number: u64) -> PathBuf {
        self.dir.join(self.file(number))
    }

    /// The times and files up to frame `last`, relative to the run directory; `None` if the list
    /// need not be written now.
    pub(super) fn list(&self, last: u64) -> Option<Vec<(f64, String)>> {
        let Schedule { every, last: end, .. } = self.schedule;
        let entries = last / every;
        let is_due = entries < PROMPT || entries.is_multiple_of(10) || last == end;
        is_due.then(|| {
            let frames = (0..=self.schedule.index(last)).map(|index| self.schedule.frame(index).min(last));
            frames.map(|f| (self.schedule.time(f), format!("{}/{}", self.ending, self.file(f)))).collect()
        })
    }
}
