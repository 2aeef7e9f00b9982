//! Solid tori: a triangulated disc swept around the z axis.
//!
//! The disc has a centre and about `cells/2π` concentric rings; ring k of m has `cells·k/m` vertices, and
//! the strip between two rings is triangulated by always advancing on the ring that lags behind. A triangle
//! i < j < k swept from one section to the next (primed) is a prism, cut into (i, j, k, k′), (i, j, j′, k′)
//! and (i, i′, j′, k′): on every side the diagonal leads from the lower disc vertex to the next section's
//! higher one, so that neighbours agree all the way around.

use std::f64::consts::TAU;

use super::oriented;
use crate::mesh::Mesh;

/// The numbers of vertices and tets, saturating.
pub(super) fn size(major: f64, minor: f64, cells: usize) -> (u64, u64) {
    let rings = ring_counts(cells.min(1 << 20));
    let outer = *rings.last().unwrap_or(&0) as u64;
    let vertices = 1 + rings.iter().sum::<usize>() as u64;
    // Euler: a triangulated disc with V vertices, B of them on its rim, has 2V − B − 2 triangles.
    let triangles = 2 * vertices - outer - 2;
    let sections = sections(major, minor, cells) as u64;
    (vertices.saturating_mul(sections), triangles.saturating_mul(sections).saturating_mul(3))
}

/// The torus about the z axis with `cells` vertices around the tube.
pub(super) fn generate(major: f64, minor: f64, cells: usize) -> Mesh {
    let (disc, triangles) = disc(&ring_counts(cells));
    let sections = sections(major, minor, cells);
    let mut points = Vec::with_capacity(disc.len() * sections);
    for section in 0..sections {
        let (sin, cos) = (TAU * section as f64 / sections as f64).sin_cos();
        points.extend(disc.iter().map(|&[u, v]| {
            let distance = major + minor * u;
            [distance * cos, distance * sin, minor * v]
        }));
    }
    let mut tets = Vec::with_capacity(3 * triangles.len() * sections);
    for section in 0..sections {
        let here = (section * disc.len()) as u32;
        let next = ((section + 1) % sections * disc.len()) as u32;
        for &[i, j, k] in &triangles {
            let (i1, j1, k1) = (next + i, next + j, next + k);
            let (i0, j0, k0) = (here + i, here + j, here + k);
            for tet in [[i0, j0, k0, k1], [i0, j0, j1, k1], [i0, i1, j1, k1]] {
                tets.push(oriented(&points, tet));
            }
        }
    }
    Mesh { points, tets, ..Mesh::default() }
}

/// The number of sections around the major circle that makes cells about as long as wide; at least 3.
fn sections(major: f64, minor: f64, cells: usize) -> usize {
    ((major / minor * cells.max(3) as f64).round() as usize).max(3)
}

/// The number of vertices of each ring, from the inside out.
fn ring_counts(cells: usize) -> Vec<usize> {
    let cells = cells.max(3);
    let rings = ((cells as f64 / TAU).round() as usize).max(1);
    (1..=rings).map(|k| ((cells * k) as f64 / rings as f64).round().max(3.0) as usize).collect()
}

/// The unit disc: points ring by ring from the centre, triangles with ascending corners.
fn disc(rings: &[usize]) -> (Vec<[f64; 2]>, Vec<[u32; 3]>) {
    let mut points = vec![[0.0, 0.0]];
    let mut triangles = Vec::new();
    let mut inner = (0, 1);
    for (k, &count) in rings.iter().enumerate() {
        let radius = (k + 1) as f64 / rings.len() as f64;
        let outer = (points.len(), count);
        points.extend((0..count).map(|i| {
            let (sin, cos) = (TAU * i as f64 / count as f64).sin_cos();
            [radius * cos, radius * sin]
        }));
        strip(inner, outer, &mut triangles);
        inner = outer;
    }
    triangles.iter_mut().for_each(|t| t.sort_unstable());
    (points, triangles)
}

/// Triangulates between two rings, each given as `(first vertex, count)`; an inner count of 1 is the centre.
fn strip(inner: (usize, usize), outer: (usize, usize), triangles: &mut Vec<[u32; 3]>) {
    let vertex = |ring: (usize, usize), i: usize| (ring.0 + i % ring.1) as u32;
    let inner_steps = if inner.1 == 1 { 0 } else { inner.1 };
    let (mut i, mut o) = (0, 0);
    while i < inner_steps || o < outer.1 {
        // The ring whose edge has the earlier midpoint advances first; this is exact in integers.
        let outer_first = i == inner_steps || (o < outer.1 && (2 * o + 1) * inner.1 <= (2 * i + 1) * outer.1);
        if outer_first {
            triangles.push([vertex(inner, i), vertex(outer, o), vertex(outer, o + 1)]);
            o += 1;
        } else {
            triangles.push([vertex(inner, i), vertex(outer, o), vertex(inner, i + 1)]);
            i += 1;
        }
    }
}
