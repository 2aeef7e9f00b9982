//! A straight line of segments along +x from the origin.

use crate::mesh::Mesh;

/// The numbers of vertices and edges, saturating.
pub(super) fn size(segments: usize) -> (u64, u64) {
    ((segments as u64).saturating_add(1), segments as u64)
}

/// A line of `segments` edges of equal length, which are `length` long together.
pub(super) fn generate(length: f64, segments: usize) -> Mesh {
    Mesh {
        points: (0..=segments).map(|i| [length * i as f64 / segments as f64, 0.0, 0.0]).collect(),
        edges: (0..segments as u32).map(|i| [i, i + 1]).collect(),
        ..Mesh::default()
    }
}
