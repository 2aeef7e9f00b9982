//! OBJ frames: the surface of every body, or the user's own file with moved vertices.

use std::path::PathBuf;
use std::sync::Arc;

use super::surfaces::seen;
use super::{Cast, Frame, FrameSink, Making, Request};
use crate::error::{Action, Error, Result};
use crate::fs::write_atomically;
use crate::io::obj_frame::{ObjFrame, Template};

/// How the format is made.
pub const MAKING: Making =
    Making::Frames { directory: "obj", files: &["obj/{surface}_{frame}.obj"], build: ObjSink::build };

/// The sink that writes `obj/<body>_0000.obj` ….
pub struct ObjSink {
    scene: Arc<Cast>,
    normals: bool,
    dir: PathBuf,
    /// For each body, the files of its surfaces, if they are OBJ files.
    templates: Vec<Vec<Option<Template>>>,
}

impl ObjSink {
    /// Makes the sink and its directory, and reads the files whose vertices it moves.
    pub fn build(request: &Request) -> Result<Box<dyn FrameSink>> {
        let mut templates = vec![];
        for body in &request.scene.bodies {
            let mut own = vec![];
            for embedded in &body.embedded {
                let text = std::fs::read(&embedded.source)
                    .map_err(|e| Error::io(Action::Read, &embedded.source, e))?;
                own.push(Template::new(text, embedded.surface.vertices.len()));
            }
            templates.push(own);
        }
        let dir = request.directory.subdirectory("obj")?;
        let normals = request.output.normals;
        Ok(Box::new(ObjSink { scene: request.scene.clone(), normals, dir, templates }))
    }
}

impl FrameSink for ObjSink {
    fn write(&mut self, frame: &Frame) -> Result<()> {
        for (body, templates) in self.scene.bodies.iter().zip(&self.templates) {
            for (i, seen) in seen(body, frame).iter().enumerate() {
                let normals = self.normals.then(|| seen.normals());
                let path = self.dir.join(format!("{}_{:04}.obj", seen.name, frame.number));
                let obj =
                    ObjFrame { points: &seen.points, surface: seen.surface, normals: normals.as_deref() };
                write_atomically(&path, |out| match templates.get(i).and_then(Option::as_ref) {
                    Some(template) => template.write(&obj, out),
                    None => obj.write(out),
                })?;
            }
        }
        Ok(())
    }
}
