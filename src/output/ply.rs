//! PLY frames: the surface of every body, vertex order constant over the run.

use std::path::PathBuf;
use std::sync::Arc;

use super::directory::RunDirectory;
use super::surfaces::seen;
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
    normals: bool,
    dir: PathBuf,
}

impl PlySink {
    /// Creates its directory.
    pub fn new(output: &Output, directory: &RunDirectory, model: &Arc<Model>) -> Result<PlySink> {
        let Output { float32, normals, .. } = *output;
        Ok(PlySink { model: model.clone(), float32, normals, dir: directory.subdirectory("ply")? })
    }
}

impl FrameSink for PlySink {
    fn write(&mut self, frame: &Frame) -> Result<()> {
        for seen in self.model.bodies.iter().flat_map(|body| seen(body, frame)) {
            let normals = self.normals.then(|| seen.normals());
            let surface = PlyFrame {
                points: &seen.points,
                surface: seen.surface,
                normals: normals.as_deref(),
                float32: self.float32,
            };
            let path = self.dir.join(format!("{}_{:04}.ply", seen.name, frame.number));
            write_atomically(&path, |out| surface.write(out))?;
        }
        Ok(())
    }
}
