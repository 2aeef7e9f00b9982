//! Edges and hinges of a sheet of triangles.

use super::Hinge;

/// The edges of triangles, each once, lower vertex first, ascending, with the numbers of their triangles.
pub fn edges(triangles: &[[u32; 3]]) -> Vec<([u32; 2], Vec<usize>)> {
    let sides = sides(triangles);
    let groups = sides.chunk_by(|a, b| a.edge == b.edge);
    groups.map(|group| (group[0].edge, group.iter().map(|side| side.triangle).collect())).collect()
}

/// The edges that two triangles share, ascending. Edges of more than two triangles are no hinges.
pub fn hinges(triangles: &[[u32; 3]]) -> Vec<Hinge> {
    let sides = sides(triangles);
    let groups = sides.chunk_by(|a, b| a.edge == b.edge).filter(|group| group.len() == 2);
    groups
        .map(|group| Hinge {
            edge: group[0].edge,
            far: [group[0].opposite, group[1].opposite],
            triangles: [group[0].triangle, group[1].triangle],
        })
        .collect()
}

/// One side of a triangle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    /// The vertices of the side, the lower number first.
    edge: [u32; 2],
    opposite: u32,
    triangle: usize,
}

/// Every side of every triangle, ascending.
fn sides(triangles: &[[u32; 3]]) -> Vec<Side> {
    let of_one = |(triangle, t): (usize, &[u32; 3])| {
        [(t[0], t[1], t[2]), (t[1], t[2], t[0]), (t[2], t[0], t[1])].map(|(a, b, opposite)| Side {
            edge: [a.min(b), a.max(b)],
            opposite,
            triangle,
        })
    };
    let mut out: Vec<Side> = triangles.iter().enumerate().flat_map(of_one).collect();
    out.sort_unstable();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_of_two_triangles_has_five_edges_and_one_hinge() {
        let triangles = [[0, 1, 2], [2, 1, 3]];
        let edges = edges(&triangles);
        assert_eq!(edges.iter().map(|e| e.0).collect::<Vec<_>>(), [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]);
        assert_eq!(edges[2].1, [0, 1]);
        assert_eq!(hinges(&triangles), [Hinge { edge: [1, 2], far: [0, 3], triangles: [0, 1] }]);
        assert!(hinges(&[[0, 1, 2], [0, 1, 3], [0, 1, 4]]).is_empty(), "a book of three pages has no hinge");
    }
}
