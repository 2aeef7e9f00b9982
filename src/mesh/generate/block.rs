//! Blocks of cubes, each split into 5 or 6 tets.
//!
//! A cube's corners are numbered by bits: bit 0 is x, bit 1 is y, bit 2 is z. The 5-split has a regular tet
//! on the corners whose *lattice* coordinates have an even sum, and one tet on each other corner: every
//! face diagonal joins even lattice points, so that neighbours agree. The 6-split (Kuhn) has the tets along
//! the six monotone paths from corner 0 to corner 7; it is translation invariant, so that neighbours agree.

use super::oriented;
use crate::mesh::Mesh;

/// The tets of a cube whose corner 0 is even, and of one whose corner 0 is odd.
const FIVE: [[[usize; 4]; 5]; 2] = [
    [[0, 3, 5, 6], [1, 0, 3, 5], [2, 0, 3, 6], [4, 0, 5, 6], [7, 3, 5, 6]],
    [[1, 2, 4, 7], [0, 1, 2, 4], [3, 1, 2, 7], [5, 1, 4, 7], [6, 2, 4, 7]],
];

const SIX: [[usize; 4]; 6] =
    [[0, 1, 3, 7], [0, 1, 5, 7], [0, 2, 3, 7], [0, 2, 6, 7], [0, 4, 5, 7], [0, 4, 6, 7]];

/// The numbers of vertices and tets, saturating.
pub(super) fn size(cells: [usize; 3], split: usize) -> (u64, u64) {
    let product = |n: [u64; 3]| n[0].saturating_mul(n[1]).saturating_mul(n[2]);
    let per_cube = if split == 5 { 5 } else { 6 };
    let cells = cells.map(|n| n as u64);
    (product(cells.map(|n| n.saturating_add(1))), product(cells).saturating_mul(per_cube))
}

/// The block `[0, size]`; any `split` other than 5 means 6.
pub(super) fn generate(size: [f64; 3], cells: [usize; 3], split: usize) -> Mesh {
    let [nx, ny, nz] = cells;
    let mut points = Vec::with_capacity((nx + 1) * (ny + 1) * (nz + 1));
    for k in 0..=nz {
        for j in 0..=ny {
            for i in 0..=nx {
                points.push(
                    [(i, 0), (j, 1), (k, 2)].map(|(n, axis)| size[axis] * n as f64 / cells[axis] as f64),
                );
            }
        }
    }
    let index = |i, j, k| (i + (nx + 1) * (j + (ny + 1) * k)) as u32;
    let mut tets = Vec::with_capacity(nx * ny * nz * if split == 5 { 5 } else { 6 });
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                let corners: [u32; 8] =
                    std::array::from_fn(|c| index(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2)));
                let pattern = if split == 5 { &FIVE[(i + j + k) % 2][..] } else { &SIX[..] };
                tets.extend(pattern.iter().map(|tet| oriented(&points, tet.map(|c| corners[c]))));
            }
        }
    }
    Mesh { points, tets, ..Mesh::default() }
}
