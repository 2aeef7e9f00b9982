//! PLY frames: the surface of every body, vertex order constant over the run.

use std::path::PathBuf;
use std::sync::Arc;

use super::surfaces::seen;
use super::{Cast, Frame, FrameSink, Making, Request};
use crate::error::Result;
use crate::fs::write_atomically;
use crate::io::ply::PlyFrame;
use crate::scene::Output;

/// How the format is made.
pub const MAKING: Making =
    Making::Frames { directory: "ply", files: &["ply/{surface}_{frame}.ply"], build: PlySink::build };

/// The sink that writes `ply/<body>_0000.ply` ….
pub struct PlySink {
    scene: Arc<Cast>,
    float32: bool,
    normals: bool,
    dir: PathBuf,
}

impl PlySink {
    /// Makes the sink and its directory.
    pub fn build(request: &Request) -> Result<Box<dyn FrameSink>> {
        let Output { float32, normals, .. } = *request.output;
        let dir = request.directory.subdirectory("ply")?;
        Ok(Box::new(PlySink { scene: request.scene.clone(), float32, normals, dir }))
    }
}

impl FrameSink for PlySink {
    fn write(&mut self, frame: &Frame) -> Result<()> {
        for seen in self.scene.bodies.iter().flat_map(|body| seen(body, frame)) {
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
