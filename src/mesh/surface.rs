//! The boundary of tets, and the topology of surfaces of triangles.
//!
//! Everything is found by sorting, so that results are the same on every machine.

use serde::Serialize;

use super::union_find::UnionFind;
use super::{Kind, Mesh, quadratic};
use elements::math::vec3::{cross, dot, sub};

/// The faces of a positive tet, seen from outside counterclockwise.
pub(super) const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

/// A surface, or a set of lines, with its own vertex numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceMap {
    /// Corners as indices into `vertices`, counterclockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// The edges of a mesh of lines, as indices into `vertices`; empty if there are triangles.
    pub edges: Vec<[u32; 2]>,
    /// The mesh vertex of each surface vertex, ascending.
    pub vertices: Vec<u32>,
}

impl SurfaceMap {
    /// The surface made of `triangles` over mesh vertices, in their order.
    pub fn compact(triangles: &[[u32; 3]]) -> Self {
        let (triangles, vertices) = renumber(triangles);
        SurfaceMap { triangles, vertices, ..SurfaceMap::default() }
    }

    /// The visible part of a mesh: the boundary of its tets, or its triangles, or its edges.
    pub fn of_mesh(mesh: &Mesh) -> Self {
        match mesh.kind() {
            Some(Kind::Solid) if mesh.middles.is_empty() => extract(&mesh.tets),
            Some(Kind::Solid) => SurfaceMap::compact(&quadratic::boundary(&mesh.tets, &mesh.middles)),
            Some(Kind::Sheet) => SurfaceMap::compact(&mesh.triangles),
            _ => {
                let (edges, vertices) = renumber(&mesh.edges);
                SurfaceMap { edges, vertices, ..SurfaceMap::default() }
            }
        }
    }
}

/// Cells with vertices renumbered among those that they use, and these vertices, ascending.
fn renumber<const N: usize>(cells: &[[u32; N]]) -> (Vec<[u32; N]>, Vec<u32>) {
    let mut vertices: Vec<u32> = cells.as_flattened().to_vec();
    vertices.sort_unstable();
    vertices.dedup();
    let local = |v: u32| vertices.partition_point(|&u| u < v) as u32;
    (cells.iter().map(|cell| cell.map(local)).collect(), vertices)
}

/// The faces that belong to exactly one tet, ordered by tet; they point outward if the tet is positive.
pub fn extract(tets: &[[u32; 4]]) -> SurfaceMap {
    SurfaceMap::compact(&boundary(tets))
}

/// The triangles of [`extract`] in the mesh's vertex numbers.
pub fn boundary(tets: &[[u32; 4]]) -> Vec<[u32; 3]> {
    boundary_faces(tets).into_iter().map(|(tet, face)| FACES[face].map(|c| tets[tet][c])).collect()
}

/// The faces that belong to exactly one tet, as the numbers of the tet and of the face in it, ascending.
pub(super) fn boundary_faces(tets: &[[u32; 4]]) -> Vec<(usize, usize)> {
    let mut faces: Vec<([u32; 3], u64)> = Vec::with_capacity(4 * tets.len());
    for (t, tet) in tets.iter().enumerate() {
        for (f, face) in FACES.iter().enumerate() {
            let mut key = face.map(|c| tet[c]);
            key.sort_unstable();
            faces.push((key, (4 * t + f) as u64));
        }
    }
    faces.sort_unstable();
    let mut single: Vec<u64> =
        faces.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() == 1).map(|same| same[0].1).collect();
    single.sort_unstable();
    single.iter().map(|&id| (id as usize / 4, id as usize % 4)).collect()
}

/// The regular and the irregular features of a surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Topology {
    /// The number of edges of one triangle.
    pub open_edges: usize,
    /// The number of edges of more than two triangles.
    pub nonmanifold_edges: usize,
    /// The number of edges of two triangles that run through them in the same direction.
    pub inconsistent_edges: usize,
    /// The number of vertices whose triangles form more than one fan.
    pub nonmanifold_vertices: usize,
    /// The number of parts that are connected by edges.
    pub shells: usize,
}

impl Topology {
    /// True if every edge belongs to exactly two triangles.
    pub fn closed(&self) -> bool {
        self.open_edges == 0 && self.nonmanifold_edges == 0
    }

    /// True if no edge has more than two triangles, and no vertex more than one fan. A border is allowed.
    pub fn manifold(&self) -> bool {
        self.nonmanifold_edges == 0 && self.nonmanifold_vertices == 0
    }
}

/// Examines triangles; vertex numbers need not be consecutive.
pub fn topology(triangles: &[[u32; 3]]) -> Topology {
    let mut result = Topology::default();
    let mut fans = UnionFind::new(3 * triangles.len());
    let mut shells = UnionFind::new(triangles.len());
    for same in half_edges(triangles).chunk_by(|a, b| a.ends == b.ends) {
        match same {
            [_] => result.open_edges += 1,
            [a, b] => result.inconsistent_edges += usize::from(a.forward == b.forward),
            _ => result.nonmanifold_edges += 1,
        }
        for pair in same.windows(2) {
            shells.union(pair[0].corners[0] / 3, pair[1].corners[0] / 3);
            fans.union(pair[0].corners[0], pair[1].corners[0]);
            fans.union(pair[0].corners[1], pair[1].corners[1]);
        }
    }
    result.shells = (0..triangles.len() as u32).filter(|&t| shells.find(t) == t).count();
    let mut roots: Vec<u32> = (0..3 * triangles.len() as u32)
        .filter(|&c| fans.find(c) == c)
        .map(|c| triangles[c as usize / 3][c as usize % 3])
        .collect();
    roots.sort_unstable();
    result.nonmanifold_vertices = roots.chunk_by(|a, b| a == b).filter(|same| same.len() > 1).count();
    result
}

/// The number of the part that each triangle belongs to. Parts are connected by edges, and numbered in the order of
/// their first triangles.
pub fn shells(triangles: &[[u32; 3]]) -> Vec<u32> {
    parts(triangles, |_| true)
}

/// Like [`shells`], for parts that are connected by edges of exactly two triangles: each can be oriented by itself.
pub fn patches(triangles: &[[u32; 3]]) -> Vec<u32> {
    parts(triangles, |sides| sides == 2)
}

/// The parts that are connected by edges whose number of triangles `joins` accepts.
fn parts(triangles: &[[u32; 3]], joins: impl Fn(usize) -> bool) -> Vec<u32> {
    let mut sets = UnionFind::new(triangles.len());
    for same in half_edges(triangles).chunk_by(|a, b| a.ends == b.ends).filter(|same| joins(same.len())) {
        for pair in same.windows(2) {
            sets.union(pair[0].corners[0] / 3, pair[1].corners[0] / 3);
        }
    }
    let mut number_of_root = vec![None; triangles.len()];
    let mut count = 0;
    (0..triangles.len() as u32)
        .map(|t| {
            *number_of_root[sets.find(t) as usize].get_or_insert_with(|| {
                count += 1;
                count - 1
            })
        })
        .collect()
}

/// One side of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct HalfEdge {
    /// The vertices, ascending.
    pub(crate) ends: [u32; 2],
    /// The corners (`3 · triangle + corner`) at those vertices.
    pub(crate) corners: [u32; 2],
    /// True if the triangle runs from the lower to the higher vertex.
    pub(crate) forward: bool,
}

impl HalfEdge {
    /// The triangle that it is a side of.
    pub(crate) fn triangle(&self) -> usize {
        self.corners[0] as usize / 3
    }
}

/// All sides of all triangles; the sides of one edge are adjacent.
pub(crate) fn half_edges(triangles: &[[u32; 3]]) -> Vec<HalfEdge> {
    let mut edges = Vec::with_capacity(3 * triangles.len());
    for (t, triangle) in triangles.iter().enumerate() {
        for c in 0..3 {
            let next = (c + 1) % 3;
            let corners = [(3 * t + c) as u32, (3 * t + next) as u32];
            let (a, b) = (triangle[c], triangle[next]);
            edges.push(if a < b {
                HalfEdge { ends: [a, b], corners, forward: true }
            } else {
                HalfEdge { ends: [b, a], corners: [corners[1], corners[0]], forward: false }
            });
        }
    }
    edges.sort_unstable();
    edges
}

/// The triangle's normal, whose length is its area.
pub fn area_vector(points: &[[f64; 3]], triangle: [u32; 3]) -> [f64; 3] {
    let [a, b, c] = triangle.map(|v| points[v as usize]);
    cross(sub(b, a), sub(c, a)).map(|x| x / 2.0)
}

/// The volume inside a closed surface, by the divergence theorem about the first corner; positive if the
/// normals point outward.
pub fn enclosed_volume(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> f64 {
    triangles.first().map_or(0.0, |first| cone_volume(points, triangles, points[first[0] as usize]))
}

/// The signed volume of the cones from `origin` over the triangles.
pub fn cone_volume(points: &[[f64; 3]], triangles: &[[u32; 3]], origin: [f64; 3]) -> f64 {
    let cone = |&t: &[u32; 3]| dot(area_vector(points, t), sub(points[t[0] as usize], origin)) / 3.0;
    triangles.iter().map(cone).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_tet_has_four_outward_faces() {
        let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [9.0; 3]];
        let surface = extract(&[[0, 1, 2, 3]]);
        assert_eq!(surface.triangles.len(), 4);
        assert!((enclosed_volume(&points, &surface.triangles) - 1.0 / 6.0).abs() < 1e-16);
        let topology = topology(&surface.triangles);
        assert_eq!(topology, Topology { shells: 1, ..Topology::default() });
    }

    #[test]
    fn surfaces_number_only_their_own_vertices() {
        let surface = extract(&[[10, 20, 30, 40], [20, 30, 40, 50]]);
        assert_eq!(surface.vertices, [10, 20, 30, 40, 50]);
        assert_eq!(surface.triangles.len(), 6);
        assert!(surface.triangles.iter().flatten().all(|&v| v < 5));
    }

    #[test]
    fn tets_that_touch_in_a_vertex_are_not_manifold() {
        let t = topology(&boundary(&[[0, 1, 2, 3], [3, 4, 5, 6]]));
        assert!(t.closed() && !t.manifold());
        assert_eq!((t.nonmanifold_vertices, t.shells), (1, 2));
    }

    #[test]
    fn tets_that_touch_in_an_edge_are_neither_closed_nor_manifold() {
        let t = topology(&boundary(&[[0, 1, 2, 3], [2, 3, 4, 5]]));
        assert!(!t.closed() && !t.manifold());
        assert_eq!(t.nonmanifold_edges, 1);
    }

    #[test]
    fn parts_are_numbered_by_their_first_triangles() {
        let triangles = [[5, 6, 7], [0, 1, 2], [6, 8, 7], [2, 1, 3], [9, 3, 10]];
        assert_eq!(shells(&triangles), [0, 1, 0, 1, 2]);
        assert_eq!(topology(&triangles).shells, 3);
    }

    #[test]
    fn turned_triangles_are_noticed() {
        assert_eq!(topology(&[[0, 1, 2], [1, 2, 3]]).inconsistent_edges, 1);
        assert_eq!(topology(&[[0, 1, 2], [2, 1, 3]]).inconsistent_edges, 0);
        assert_eq!(topology(&[[0, 1, 2], [2, 1, 3]]).open_edges, 4);
        assert_eq!(topology(&[]), Topology::default());
    }
}
