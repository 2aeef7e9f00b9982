//! PLY frames: the surface of every body, vertex order constant over the run.

use std::path::PathBuf;
use std::sync::Arc;

use super::directory::RunDirectory;
use super::{Frame, FrameSink};
use crate::config::resolved::Output;
use crate::error::Result;
use crate::io::atomic::write_atomically;
use crate::io::ply::PlyFrame;
use crate::model::Model;

/// Writes `ply/<body>_0000.ply` ….
pub struct PlySink {
    model: Arc<Model>,
    float32: bool,
    dir: PathBuf,
}

impl PlySink {
    /// Creates its directory.
    pub fn new(output: &Output, directory: &RunDirectory, model: &Arc<Model>) -> Result<PlySink> {
        Ok(PlySink { model: model.clone(), float32: output.float32, dir: directory.subdirectory("ply")? })
    }
}

impl FrameSink for PlySink {
    fn write(&mut self, frame: &Frame) -> Result<()> {
        for body in &self.model.bodies {
            let points = &frame.x[body.vertices.clone()];
            let surface = PlyFrame { points, surface: &body.surface, float32: self.float32 };
            let path = self.dir.join(format!("{}_{:04}.ply", body.name, frame.number));
            write_atomically(&path, |out| surface.write(out))?;
        }
        Ok(())
    }
}
