//! VTU frames, all bodies in one grid, and the PVD that lists them for ParaView.
//!
//! The PVD is rewritten after every frame, so that a running simulation can be watched; beyond a thousand
//! entries only after every tenth and at the end, since its cost grows with the run.

use std::path::PathBuf;
use std::sync::Arc;

use super::grid::Constant;
use super::{Cast, Frame, FrameSink, Request, Schedule};
use crate::error::Result;
use crate::fs::write_atomically;
use crate::io::pvd::write_pvd;
use crate::io::vtu_write::{Compression, write_compressed};

/// Entries of a series up to which it is rewritten after every frame.
const PROMPT: u64 = 1000;

/// Writes `vtu/<name>_0000.vtu` … and `<name>.pvd`.
pub struct VtuSink {
    scene: Arc<Cast>,
    constant: Constant,
    series: Series,
    float32: bool,
    compression: Compression,
    pvd: PathBuf,
}

impl VtuSink {
    /// Creates its directory.
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

/// Numbered files, one a frame, all bodies in each.
pub(super) struct Series {
    schedule: Schedule,
    name: String,
    dir: PathBuf,
    ending: &'static str,
}

impl Series {
    /// In a directory of its own, which also is the ending of the files' names.
    pub(super) fn new(request: &Request, ending: &'static str) -> Result<Series> {
        let name = request.directory.name().to_owned();
        Ok(Series { schedule: request.schedule, name, dir: request.directory.subdirectory(ending)?, ending })
    }

    fn file(&self, number: u64) -> String {
        format!("{}_{number:04}.{}", self.name, self.ending)
    }

    /// The file of a frame.
    pub(super) fn path(&self, number: u64) -> PathBuf {
        self.dir.join(self.file(number))
    }

    /// Times and files up to frame `last`, relative to the run directory; `None` where the list need not be written now.
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
