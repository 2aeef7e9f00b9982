//! A flat sheet of triangles in the xz plane, normals along +y, all squares cut along the same diagonal.
//!
//! With alternating diagonals every second vertex has four neighbours, and hinges see curvature only there:
//! sheets bend half again as far as they should. On this grid all vertices are alike, and sheets bend as plates
//! do (see `energy::bending`).

use crate::mesh::Mesh;

/// The numbers of vertices and triangles, saturating.
pub(super) fn size(cells: [usize; 2]) -> (u64, u64) {
    let [nx, nz] = cells.map(|n| n as u64);
    (nx.saturating_add(1).saturating_mul(nz.saturating_add(1)), nx.saturating_mul(nz).saturating_mul(2))
}

/// The sheet `[0, size[0]] × [0, size[1]]`.
pub(super) fn generate(size: [f64; 2], cells: [usize; 2]) -> Mesh {
    let [nx, nz] = cells;
    let mut points = Vec::with_capacity((nx + 1) * (nz + 1));
    for k in 0..=nz {
        for i in 0..=nx {
            points.push([size[0] * i as f64 / nx as f64, 0.0, size[1] * k as f64 / nz as f64]);
        }
    }
    let index = |i, k| (i + (nx + 1) * k) as u32;
    let mut triangles = Vec::with_capacity(2 * nx * nz);
    for k in 0..nz {
        for i in 0..nx {
            let [a, b, c, d] = [index(i, k), index(i, k + 1), index(i + 1, k + 1), index(i + 1, k)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    Mesh { points, triangles, ..Mesh::default() }
}
