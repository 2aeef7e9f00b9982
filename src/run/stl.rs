//! STL frames: the triangles of every surface, binary, in constant order. Lines have no place in them.

use std::path::PathBuf;
use std::sync::Arc;

use super::surfaces::seen;
use super::{Cast, Frame, FrameSink, Making, Request};
use crate::error::Result;
use crate::fs::write_atomically;
use crate::io::stl;

/// How the format is made.
pub const MAKING: Making =
    Making::Frames { directory: "stl", files: &["stl/{surface}_{frame}.stl"], build: StlSink::build };

/// The sink that writes `stl/<body>_0000.stl` ….
pub struct StlSink {
    scene: Arc<Cast>,
    dir: PathBuf,
}

impl StlSink {
    /// Makes the sink and its directory.
    pub fn build(request: &Request) -> Result<Box<dyn FrameSink>> {
        let lines = request.scene.bodies.iter().filter(|body| !body.edges.is_empty());
        lines.for_each(|body| tracing::warn!("stl: body '{}' has no triangles and is left out", body.name));
        Ok(Box::new(StlSink { scene: request.scene.clone(), dir: request.directory.subdirectory("stl")? }))
    }
}

impl FrameSink for StlSink {
    fn write(&mut self, frame: &Frame) -> Result<()> {
        let surfaces = self.scene.bodies.iter().flat_map(|body| seen(body, frame));
        for seen in surfaces.filter(|seen| !seen.surface.triangles.is_empty()) {
            let points: Vec<[f64; 3]> =
                seen.surface.vertices.iter().map(|v| seen.points[*v as usize]).collect();
            let path = self.dir.join(format!("{}_{:04}.stl", seen.name, frame.number));
            write_atomically(&path, |out| stl::write(&points, &seen.surface.triangles, out))?;
        }
        Ok(())
    }
}
