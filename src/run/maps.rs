//! `maps/<surface>.csv`: for each vertex of a written surface, the vertices of the mesh that it is or
//! follows. Written once.
//!
//! ```text
//! vertex,mesh_vertex                                        the boundary of a mesh
//! vertex,corner0,…,corner3,weight0,…,weight3                a surface that follows tets: Σ weight · corner
//! ```
//!
//! All numbers count from 0; those of the mesh are the `vertex_id` of the VTU frames.

use std::io::Write;

use super::Request;
use crate::error::Result;
use crate::fs::write_atomically;
use crate::scene::FrameFormat;

/// Writes the maps of all surfaces, if one of the formats has surfaces.
pub fn write(request: &Request) -> Result<()> {
    let is_grid = |format: &FrameFormat| matches!(format, FrameFormat::Vtu | FrameFormat::Vtk);
    if request.output.formats.iter().all(is_grid) {
        return Ok(());
    }
    let dir = request.directory.subdirectory("maps")?;
    for body in &request.scene.bodies {
        if body.embedded.is_empty() {
            write_atomically(&dir.join(format!("{}.csv", body.name)), |out| {
                writeln!(out, "vertex,mesh_vertex")?;
                let mut rows = body.surface.vertices.iter().enumerate();
                rows.try_for_each(|(i, v)| writeln!(out, "{i},{v}"))
            })?;
        }
        for embedded in &body.embedded {
            let bound = &embedded.embedding;
            write_atomically(&dir.join(format!("{}.csv", embedded.name)), |out| {
                writeln!(out, "vertex,corner0,corner1,corner2,corner3,weight0,weight1,weight2,weight3")?;
                let mut rows = bound.corners.iter().zip(&bound.weights).enumerate();
                rows.try_for_each(|(i, ([a, b, c, d], [s, t, u, v]))| {
                    writeln!(out, "{i},{a},{b},{c},{d},{s},{t},{u},{v}")
                })
            })?;
        }
    }
    Ok(())
}
