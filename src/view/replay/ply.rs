//! Surfaces from PLY frames, for runs that have no VTU.

use std::path::{Path, PathBuf};

use super::Run;
use super::motion::Outline;
use crate::error::{Error, Result};
use crate::io;
use crate::mesh::Mesh;
use crate::model::embedded::surface_names;
use crate::scene::Body;

/// The PLY frames of a run.
pub(super) struct PlyFrames {
    dir: PathBuf,
}

impl PlyFrames {
    /// The frames that all parts have, and their outline; `None` if there are none.
    pub(super) fn new(run: &Run) -> Result<Option<(PlyFrames, Outline, Vec<u64>)>> {
        let dir = run.dir.join("ply");
        let files = run.files("ply")?;
        let names =
            |(body, own): (usize, &Body)| surface_names(own).into_iter().map(move |name| (body, name));
        let bodies = run.scene.bodies.len();
        let mut stems: Vec<(usize, String)> = run.scene.bodies.iter().enumerate().flat_map(names).collect();
        let obstacles = run.scene.obstacles.iter().enumerate();
        stems.extend(obstacles.map(|(k, obstacle)| (bodies + k, obstacle.name.clone())));
        stems.retain(|(_, name)| files.iter().any(|(stem, _)| stem == name));
        stems.sort_unstable();
        let is_part = |stem: &str| stems.iter().any(|(_, name)| name == stem);
        let mut frames: Vec<u64> =
            files.iter().filter(|(stem, _)| is_part(stem)).map(|(_, number)| *number).collect();
        frames.sort_unstable();
        frames.dedup();
        frames.retain(|n| stems.iter().all(|(_, stem)| dir.join(format!("{stem}_{n:04}.ply")).is_file()));
        if stems.is_empty() || frames.is_empty() {
            return Ok(None);
        }
        let source = PlyFrames { dir };
        let mut outline = Outline { name: run.scene.name.clone(), ..Outline::default() };
        for (body, stem) in stems {
            let mesh = read(&source.path(&stem, frames[0]))?;
            if let Some(k) = body.checked_sub(bodies) {
                outline.push_obstacle((k, &run.scene.obstacles[k]), &mesh.points, &mesh.triangles);
                continue;
            }
            let radius = if mesh.edges.is_empty() { 0.0 } else { run.scene.bodies[body].radius };
            outline.push(&stem, body as i32, radius, &mesh.points, &mesh.triangles, &mesh.edges);
        }
        Ok(Some((source, outline, frames)))
    }

    fn path(&self, stem: &str, number: u64) -> PathBuf {
        self.dir.join(format!("{stem}_{number:04}.ply"))
    }

    /// The positions of a frame.
    pub(super) fn read(&self, number: u64, outline: &Outline) -> Result<Vec<[f32; 3]>> {
        let mut points = Vec::with_capacity(outline.rest.len());
        for part in &outline.parts {
            let path = self.path(&part.name, number);
            let mesh = read(&path)?;
            let counts = (mesh.points.len(), mesh.triangles.len(), mesh.edges.len());
            let wanted = (part.vertices.len(), part.triangles.len(), part.edges.len());
            if counts != wanted {
                return Err(Error::Run {
                    path,
                    reason: format!("{} vertices, where the first frame has {}", counts.0, wanted.0),
                    hint: "the frames are of different runs: simulate again".into(),
                });
            }
            points.extend(mesh.points.iter().map(|p| p.map(|x| x as f32)));
        }
        Ok(points)
    }
}

/// Reads a surface and checks that its positions are finite.
fn read(path: &Path) -> Result<Mesh> {
    let mesh = io::read(path)?;
    match mesh.points.iter().position(|p| p.iter().any(|x| !x.is_finite())) {
        Some(i) => Err(Error::format(path, format!("vertex {i}"), "its position is not finite")),
        None => Ok(mesh),
    }
}
