//! Cleaning up tets: bits that float beside a body, and vertices at which parts only touch.

use crate::mesh::tree::Tree;
use crate::mesh::union_find::UnionFind;
use crate::mesh::{Mesh, quality, surface};

/// Parts of fewer cubes than this are bits, unless they are shells of their own.
const BIT: f64 = 2.0;

/// A part of the tets that is connected by faces.
#[derive(Clone, Debug, PartialEq)]
struct Part {
    /// The numbers of its tets.
    tets: Vec<u32>,
    /// The sum of their volumes.
    volume: f64,
}

/// Pairs of tets with a common face, as `4 · tet + corner` of the three corners that they share, in the same order.
fn shared_faces(tets: &[[u32; 4]]) -> Vec<[[u32; 3]; 2]> {
    let mut faces: Vec<([u32; 3], [u32; 3])> = Vec::with_capacity(4 * tets.len());
    for (tet, t) in tets.iter().zip(0u32..) {
        for left_out in 0..4u32 {
            let mut corners: [u32; 3] = std::array::from_fn(|i| 4 * t + (left_out + 1 + i as u32) % 4);
            corners.sort_unstable_by_key(|c| tet[*c as usize % 4]);
            faces.push((corners.map(|c| tet[c as usize % 4]), corners));
        }
    }
    faces.sort_unstable();
    faces.windows(2).filter(|w| w[0].0 == w[1].0).map(|w| [w[0].1, w[1].1]).collect()
}

/// The parts of a mesh, the largest volume first.
fn parts(mesh: &Mesh) -> Vec<Part> {
    let mut sets = UnionFind::new(mesh.tets.len());
    for [a, b] in shared_faces(&mesh.tets) {
        sets.union(a[0] / 4, b[0] / 4);
    }
    let mut by_root: Vec<(u32, u32)> = (0..mesh.tets.len() as u32).map(|t| (sets.find(t), t)).collect();
    by_root.sort_unstable();
    let volume = |&(_, t): &(u32, u32)| quality::volume(&mesh.points, mesh.tets[t as usize]);
    let mut parts: Vec<Part> = by_root
        .chunk_by(|a, b| a.0 == b.0)
        .map(|same| Part { tets: same.iter().map(|s| s.1).collect(), volume: same.iter().map(volume).sum() })
        .collect();
    parts.sort_by(|a, b| b.volume.total_cmp(&a.volume));
    parts
}

/// Drops small parts of shells that also have a larger part. Returns the shells that have more than one part left, with
/// the number of parts. `shells` has the shell of each triangle of the surface in `tree`.
pub(super) fn drop_bits(mesh: &mut Mesh, shells: &[u32], tree: &Tree, spacing: f64) -> Vec<(u32, usize)> {
    let parts = parts(mesh);
    if parts.len() < 2 {
        return vec![];
    }
    let mut keep = vec![true; mesh.tets.len()];
    let mut parts_of_shell = vec![0; shells.iter().max().map_or(0, |&last| last as usize + 1)];
    for part in &parts {
        let tets: Vec<[u32; 4]> = part.tets.iter().map(|&t| mesh.tets[t as usize]).collect();
        let nearest = |v: u32| tree.nearest(mesh.points[v as usize]).map(|n| shells[n.triangle as usize]);
        let mut of: Vec<u32> = surface::extract(&tets).vertices.into_iter().filter_map(nearest).collect();
        of.sort_unstable();
        of.dedup();
        if part.volume < BIT * spacing.powi(3) && of.iter().all(|&s| parts_of_shell[s as usize] > 0) {
            part.tets.iter().for_each(|&t| keep[t as usize] = false);
        } else {
            of.iter().for_each(|&s| parts_of_shell[s as usize] += 1);
        }
    }
    retain(mesh, &keep);
    (0..).zip(parts_of_shell).filter(|&(_, count)| count > 1).collect()
}

/// Finds parts that touch only in a vertex, or in an edge around a vertex, and gives them vertices of their own there.
/// Returns how many vertices were added at the end of the points.
pub(super) fn split_touching(mesh: &mut Mesh) -> usize {
    let mut corners = UnionFind::new(4 * mesh.tets.len());
    for [a, b] in shared_faces(&mesh.tets) {
        for (a, b) in a.into_iter().zip(b) {
            corners.union(a, b);
        }
    }
    let vertex = |corner: u32| mesh.tets[corner as usize / 4][corner as usize % 4];
    let mut roots: Vec<(u32, u32)> =
        (0..4 * mesh.tets.len() as u32).filter(|&c| corners.find(c) == c).map(|c| (vertex(c), c)).collect();
    roots.sort_unstable();
    let before = mesh.points.len();
    let mut number_of_root = vec![0; 4 * mesh.tets.len()];
    for same in roots.chunk_by(|a, b| a.0 == b.0) {
        number_of_root[same[0].1 as usize] = same[0].0;
        for &(v, root) in &same[1..] {
            number_of_root[root as usize] = mesh.points.len() as u32;
            mesh.points.push(mesh.points[v as usize]);
        }
    }
    for (corner, slot) in mesh.tets.as_flattened_mut().iter_mut().enumerate() {
        *slot = number_of_root[corners.find(corner as u32) as usize];
    }
    mesh.points.len() - before
}

/// Keeps the tets for which `keep` is true, and the points that they use, in their order.
fn retain(mesh: &mut Mesh, keep: &[bool]) {
    let mut kept = keep.iter();
    mesh.tets.retain(|_| *kept.next().expect("one answer per tet"));
    let is_orphan = mesh.orphans();
    let mut count = 0;
    let number: Vec<u32> = is_orphan
        .iter()
        .map(|&orphan| {
            count += u32::from(!orphan);
            count.wrapping_sub(1)
        })
        .collect();
    let mut orphans = is_orphan.iter();
    mesh.points.retain(|_| !orphans.next().expect("one answer per point"));
    mesh.tets.as_flattened_mut().iter_mut().for_each(|v| *v = number[*v as usize]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate;

    /// Two tets that share a face, one that touches in a vertex, one that touches in an edge, one alone.
    fn touching() -> Mesh {
        let mut points: Vec<[f64; 3]> = vec![
            [0.0; 3],
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.0, 0.0, 1.0],
            [-1.0, 0.0, 0.0],
            [-1.0, -1.0, 0.0],
            [-1.0, 0.0, -1.0],
            [-2.0, -1.0, -1.0],
            [3.0, 1.0, 0.0],
            [3.0, 0.0, 2.0],
        ];
        points.extend([[9.0, 0.0, 0.0], [10.0, 0.0, 0.0], [9.0, 1.0, 0.0], [9.0, 0.0, 1.0]]);
        let tets = [[0, 1, 2, 3], [0, 2, 4, 3], [4, 5, 6, 7], [1, 3, 8, 9], [10, 11, 12, 13]];
        let tets = tets.map(|tet| generate::oriented(&points, tet)).to_vec();
        Mesh { points, tets, ..Mesh::default() }
    }

    #[test]
    fn parts_hang_together_by_faces() {
        let mesh = touching();
        let parts = parts(&mesh);
        let mut tets: Vec<Vec<u32>> = parts.iter().map(|p| p.tets.clone()).collect();
        assert!(parts.windows(2).all(|w| w[0].volume >= w[1].volume));
        tets.sort();
        assert_eq!(tets, [vec![0, 1], vec![2], vec![3], vec![4]]);
    }

    #[test]
    fn parts_that_touch_get_their_own_vertices() {
        let mut mesh = touching();
        let volume = quality::measure(&mesh.points, &mesh.tets).volume;
        assert_eq!(split_touching(&mut mesh), 3);
        let topology = surface::topology(&surface::boundary(&mesh.tets));
        assert!(topology.closed() && topology.manifold());
        assert_eq!(topology.shells, 4);
        assert_eq!(quality::measure(&mesh.points, &mesh.tets).volume, volume);
        assert_eq!(split_touching(&mut mesh), 0);
    }

    #[test]
    fn what_is_dropped_takes_its_points_along() {
        let mut mesh = touching();
        retain(&mut mesh, &[false, true, false, false, true]);
        assert_eq!(mesh.tets, [[0, 1, 3, 2], [4, 5, 6, 7]]);
        assert_eq!(
            (mesh.points.len(), mesh.points[3], mesh.points[5]),
            (8, [-1.0, 0.0, 0.0], [10.0, 0.0, 0.0])
        );
    }

    #[test]
    fn bits_go_unless_they_are_large_or_shells_of_their_own() {
        let triangles = surface::boundary(&touching().tets);
        let tree = Tree::new(&touching().points, &triangles);
        let dropped = |shells: &[u32], spacing: f64| {
            let mut mesh = touching();
            (drop_bits(&mut mesh, shells, &tree, spacing), mesh.tets.len())
        };
        let one = vec![0; triangles.len()];
        assert_eq!(dropped(&one, 0.1), (vec![(0, 4)], 5));
        let (apart, left) = dropped(&one, 10.0);
        assert!(apart.is_empty() && left <= 2, "the largest part alone");
        let own: Vec<u32> = triangles.iter().map(|t| u32::from(t.iter().all(|&v| v >= 10))).collect();
        assert_eq!(dropped(&own, 10.0), (vec![], left + 1), "the tet apart is a shell of its own");
    }
}
