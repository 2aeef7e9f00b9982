//! Balls from an icosahedron.
//!
//! The icosahedron's 20 tets (centre and one face each) are refined to n³ tets by the
//! tetrahedral-octahedral lattice: with integer barycentric coordinates of sum n, upright tets, inverted
//! tets, and octahedra cut in four along their shortest diagonal. A lattice point with the weights a, b, c
//! on the face's corners A, B, C lies at
//!
//! ```text
//! R (a + b + c)/n · (aA + bB + cC)/|aA + bB + cC|
//! ```
//!
//! so that concentric icosahedra become spheres. Points on shared faces, edges and corners are one vertex
//! because they have the same weights on the same corners.

use std::collections::HashMap;

use super::oriented;
use crate::mesh::Mesh;

/// The faces of the icosahedron, by the numbers of [`corners`].
const FACES: [[usize; 3]; 20] = [
    [0, 11, 5],
    [0, 5, 1],
    [0, 1, 7],
    [0, 7, 10],
    [0, 10, 11],
    [1, 5, 9],
    [5, 11, 4],
    [11, 10, 2],
    [10, 7, 6],
    [7, 1, 8],
    [3, 9, 4],
    [3, 4, 2],
    [3, 2, 6],
    [3, 6, 8],
    [3, 8, 9],
    [4, 9, 5],
    [2, 4, 11],
    [6, 2, 10],
    [8, 6, 7],
    [9, 8, 1],
];

/// A lattice point by its weights on the icosahedron's corners: `(corner, weight)` ascending, unused last.
type Key = [(usize, usize); 3];

/// The numbers of vertices and tets, saturating.
pub(super) fn size(n: usize) -> (u64, u64) {
    let n = (n as u64).min(1 << 18);
    (1 + 2 * n + 5 * n * (n + 1) * (2 * n + 1) / 3, 20 * n * n * n)
}

/// The ball of `radius` about the origin with `n ≥ 1` cells across the radius.
pub(super) fn generate(radius: f64, n: usize) -> Mesh {
    let (vertices, tets) = size(n);
    let corners = corners();
    let mut points = Vec::with_capacity(vertices as usize);
    let mut tets = Vec::with_capacity(tets as usize);
    let mut known: HashMap<Key, u32> = HashMap::new();
    let mut local = vec![0; (n + 1).pow(3)];
    let slot = |[a, b, c]: [usize; 3]| a + (n + 1) * (b + (n + 1) * c);
    points.push([0.0; 3]);
    for face in FACES {
        for weights in lattice(n) {
            local[slot(weights)] = if weights == [0; 3] {
                0
            } else {
                *known.entry(key(face, weights)).or_insert_with(|| {
                    points.push(place(radius / n as f64, face.map(|corner| corners[corner]), weights));
                    (points.len() - 1) as u32
                })
            };
        }
        for base in lattice(n - 1) {
            let at = |d: [usize; 3]| local[slot([base[0] + d[0], base[1] + d[1], base[2] + d[2]])];
            refine(n - base.iter().sum::<usize>(), at, &points, &mut tets);
        }
    }
    Mesh { points, tets, ..Mesh::default() }
}

/// The tets of one lattice cell; `room` is how far the cell is from the outer face.
fn refine(room: usize, at: impl Fn([usize; 3]) -> u32, points: &[[f64; 3]], tets: &mut Vec<[u32; 4]>) {
    tets.push(oriented(points, [at([0, 0, 0]), at([1, 0, 0]), at([0, 1, 0]), at([0, 0, 1])]));
    if room >= 2 {
        let near = [at([1, 0, 0]), at([0, 1, 0]), at([0, 0, 1])];
        let far = [at([0, 1, 1]), at([1, 0, 1]), at([1, 1, 0])];
        let length = |i: usize| {
            let (p, q) = (points[near[i] as usize], points[far[i] as usize]);
            (0..3).map(|x| (p[x] - q[x]).powi(2)).sum::<f64>()
        };
        let d = (1..3).fold(0, |best, i| if length(i) < length(best) { i } else { best });
        let (i, j) = ((d + 1) % 3, (d + 2) % 3);
        let ring = [near[i], near[j], far[i], far[j]];
        tets.extend((0..4).map(|r| oriented(points, [near[d], far[d], ring[r], ring[(r + 1) % 4]])));
    }
    if room >= 3 {
        tets.push(oriented(points, [at([1, 1, 0]), at([0, 1, 1]), at([1, 0, 1]), at([1, 1, 1])]));
    }
}

/// All weights `[a, b, c]` with a sum of at most `n`, in a fixed order.
fn lattice(n: usize) -> impl Iterator<Item = [usize; 3]> {
    (0..=n).flat_map(move |a| (0..=n - a).flat_map(move |b| (0..=n - a - b).map(move |c| [a, b, c])))
}

fn key(face: [usize; 3], weights: [usize; 3]) -> Key {
    let mut key: Key = std::array::from_fn(|i| match weights[i] {
        0 => (usize::MAX, 0),
        weight => (face[i], weight),
    });
    key.sort_unstable();
    key
}

fn place(spacing: f64, corners: [[f64; 3]; 3], weights: [usize; 3]) -> [f64; 3] {
    let flat: [f64; 3] = std::array::from_fn(|x| (0..3).map(|i| weights[i] as f64 * corners[i][x]).sum());
    let norm = flat.iter().map(|x| x * x).sum::<f64>().sqrt();
    let level = weights.iter().sum::<usize>() as f64;
    flat.map(|x| x / norm * (spacing * level))
}

/// The corners of the icosahedron, on the unit sphere.
fn corners() -> [[f64; 3]; 12] {
    let golden = (1.0 + 5f64.sqrt()) / 2.0;
    let norm = (1.0 + golden * golden).sqrt();
    let (s, l) = (1.0 / norm, golden / norm);
    [
        [-s, l, 0.0],
        [s, l, 0.0],
        [-s, -l, 0.0],
        [s, -l, 0.0],
        [0.0, -s, l],
        [0.0, s, l],
        [0.0, -s, -l],
        [0.0, s, -l],
        [l, 0.0, -s],
        [l, 0.0, s],
        [-l, 0.0, -s],
        [-l, 0.0, s],
    ]
}
