//! Vertices at one place become one: the first of them, which keeps its place and data.

use super::keep_vertices;
use crate::mesh::Mesh;
use crate::mesh::tree::around;
use crate::mesh::weld::within;
use elements::math::vec3::{norm, sub};

/// Welds vertices within `tolerance` times the diagonal of the bounding box, and further ones within that distance
/// of these. With 0 only vertices at exactly the same place are welded. Returns how many are gone. Triangles may be
/// left with a corner twice.
pub fn weld(mesh: &mut Mesh, tolerance: f64) -> usize {
    let finite: Vec<[f64; 3]> =
        mesh.points.iter().copied().filter(|p| p.iter().all(|x| x.is_finite())).collect();
    let [low, high] = around(&finite);
    let first = within(&mesh.points, if finite.is_empty() { 0.0 } else { tolerance * norm(sub(high, low)) });
    let gone = first.iter().zip(0..).filter(|&(&f, v)| f != v).count();
    if gone > 0 {
        mesh.triangles.iter_mut().flatten().for_each(|v| *v = first[*v as usize]);
        keep_vertices(mesh, |v| first[v] as usize == v);
    }
    gone
}
