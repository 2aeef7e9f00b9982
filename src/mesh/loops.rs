//! The borders of a surface as loops of edges.
//!
//! A border edge belongs to one triangle. The next border edge is found through the fan of triangles at its end. A loop
//! that comes to a vertex for the second time is cut there, so that holes that touch in a vertex are separate loops.
//! Orientations do not matter.

use std::collections::BTreeMap;

use super::surface::{HalfEdge, half_edges};
use super::union_find::UnionFind;

/// A closed walk along the border that visits no vertex twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Its vertices in order; the last one is joined to the first.
    pub vertices: Vec<u32>,
    /// The triangle at each edge, beginning with that from the first vertex to the second.
    pub triangles: Vec<u32>,
    /// For each edge, true if its triangle runs through it in the direction of the walk.
    pub along: Vec<bool>,
}

/// All loops, in the order of their lowest edges. Border edges that end where an edge has more than two
/// triangles may be in no loop.
pub fn loops(triangles: &[[u32; 3]]) -> Vec<Loop> {
    let border = Border::new(triangles);
    let mut used = vec![false; border.edges.len()];
    let mut found = vec![];
    for start in 0..border.edges.len() {
        if !used[start] {
            border.walk(start, &mut used, &mut found);
        }
    }
    found
}

/// The border edges, with the edge that follows each.
struct Border {
    edges: Vec<HalfEdge>,
    /// For each edge and each of its ends, the border edge that follows and its end; `None` if
    /// there is not exactly one.
    next: Vec<[Option<(usize, usize)>; 2]>,
}

impl Border {
    fn new(triangles: &[[u32; 3]]) -> Border {
        let mut fans = UnionFind::new(3 * triangles.len());
        let mut edges = vec![];
        for same in half_edges(triangles).chunk_by(|a, b| a.ends == b.ends) {
            if let [single] = same {
                edges.push(*single);
            }
            for pair in same.windows(2) {
                fans.union(pair[0].corners[0], pair[1].corners[0]);
                fans.union(pair[0].corners[1], pair[1].corners[1]);
            }
        }
        let mut ends: Vec<(u32, usize, usize)> = edges
            .iter()
            .enumerate()
            .flat_map(|(e, edge)| [0, 1].map(|end| (edge.corners[end], e, end)))
            .map(|(corner, e, end)| (fans.find(corner), e, end))
            .collect();
        ends.sort_unstable();
        let mut next = vec![[None; 2]; edges.len()];
        for same in ends.chunk_by(|a, b| a.0 == b.0) {
            if let [(_, e, end), (_, f, other)] = *same {
                next[e][end] = Some((f, other));
                next[f][other] = Some((e, end));
            }
        }
        Border { edges, next }
    }

    /// Walks from `start`, marks the edges that it uses and adds the loops that it closes.
    fn walk(&self, start: usize, used: &mut [bool], found: &mut Vec<Loop>) {
        // The edges behind the walker, each with the end at which it was entered.
        let mut path: Vec<(usize, usize)> = vec![];
        let mut place_of = BTreeMap::new();
        let mut at = Some((start, 0));
        while let Some((edge, end)) = at.filter(|&(edge, _)| !used[edge]) {
            used[edge] = true;
            place_of.insert(self.edges[edge].ends[end], path.len());
            path.push((edge, end));
            if let Some(&first) = place_of.get(&self.edges[edge].ends[1 - end]) {
                let walk = path.split_off(first);
                for &(e, end) in &walk {
                    place_of.remove(&self.edges[e].ends[end]);
                }
                found.push(self.cut(&walk));
            }
            at = self.next[edge][1 - end];
        }
    }

    fn cut(&self, walk: &[(usize, usize)]) -> Loop {
        Loop {
            vertices: walk.iter().map(|&(e, end)| self.edges[e].ends[end]).collect(),
            triangles: walk.iter().map(|&(e, _)| self.edges[e].triangle() as u32).collect(),
            along: walk.iter().map(|&(e, end)| self.edges[e].forward == (end == 0)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six triangles about vertex 0.
    fn wheel() -> Vec<[u32; 3]> {
        (0..6).map(|i| [0, 1 + i, 1 + (i + 1) % 6]).collect()
    }

    #[test]
    fn a_disc_has_one_loop_whatever_way_its_triangles_run() {
        let mut disc = wheel();
        let border = loops(&disc);
        assert_eq!(border.len(), 1);
        assert_eq!(border[0].vertices, [1, 2, 3, 4, 5, 6]);
        assert_eq!(
            (&border[0].triangles[..], &border[0].along[..]),
            (&[0, 1, 2, 3, 4, 5][..], &[true; 6][..])
        );
        disc[2].swap(0, 1);
        let border = loops(&disc);
        assert_eq!((border.len(), border[0].vertices.len()), (1, 6));
        assert_eq!(border[0].along.iter().filter(|a| !**a).count(), 1);
    }

    #[test]
    fn holes_that_touch_in_a_vertex_are_two_loops() {
        // A closed bipyramid without two opposite triangles of its upper half.
        let lower = (0..6).map(|i| [7, 1 + (i + 1) % 6, 1 + i]);
        let mut surface: Vec<[u32; 3]> = wheel().into_iter().chain(lower).collect();
        surface.remove(3);
        surface.remove(0);
        let mut corners: Vec<Vec<u32>> = loops(&surface).into_iter().map(|l| l.vertices).collect();
        corners.iter_mut().for_each(|c| c.sort_unstable());
        assert_eq!(corners, [[0, 1, 2], [0, 4, 5]]);
    }

    #[test]
    fn borders_that_end_at_an_edge_of_three_triangles_are_no_loops() {
        assert!(loops(&[[0, 1, 2], [0, 1, 3], [0, 1, 4]]).iter().all(|l| l.vertices.len() > 2));
        assert!(loops(&[]).is_empty());
    }
}
