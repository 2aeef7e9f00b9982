//! Common parts of forces on surfaces: triangles in internal numbering, and a third of a triangle's
//! force to each corner.

use crate::mesh::surface::area_vector;
use crate::model::{BodyModel, Model};
use elements::math::lanes::Vec4;
use elements::par;

/// The triangles of a sheet or of the boundary of a solid, in internal numbering.
pub fn triangles(model: &Model, body: &BodyModel) -> Vec<[u32; 3]> {
    let internal = |local: u32| {
        let vertex = body.vertices.start + body.surface.vertices[local as usize] as usize;
        model.numbering.position[vertex]
    };
    body.surface.triangles.iter().map(|t| t.map(internal)).collect()
}

/// The normal of a triangle, whose length is its area in m².
pub fn area(corners: [u32; 3], x: &[Vec4]) -> [f64; 3] {
    area_vector(&corners.map(|v| x[v as usize].xyz()), [0, 1, 2])
}

/// The mean of a quantity over the corners of a triangle.
pub fn mean(corners: [u32; 3], values: &[Vec4]) -> [f64; 3] {
    let [a, b, c] = corners.map(|v| values[v as usize].xyz());
    std::array::from_fn(|k| (a[k] + b[k] + c[k]) / 3.0)
}

/// Adds `force(triangle)` (N) to the corners of each triangle, a third each, in the order of the triangles.
pub fn add_thirds(triangles: &[[u32; 3]], force: impl Fn(usize) -> [f64; 3] + Send + Sync, out: &mut [Vec4]) {
    let thirds = par::map(triangles.len(), |t| force(t).map(|f| f / 3.0));
    for (corners, third) in triangles.iter().zip(&thirds) {
        for v in corners {
            for k in 0..3 {
                out[*v as usize].0[k] += third[k];
            }
        }
    }
}
