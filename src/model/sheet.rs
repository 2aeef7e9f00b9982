//! Edges and hinges of a sheet of triangles.

/// The edges of triangles, each once, lower vertex first, ascending.
pub fn edges(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let mut out: Vec<[u32; 2]> = sides(triangles).map(|(edge, _)| edge).collect();
    out.sort_unstable();
    out.dedup();
    out
}

/// The far corners of each two triangles that share an edge, ascending by that edge. Edges of more than two triangles
/// have none.
pub fn far_corners(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let mut all: Vec<([u32; 2], u32)> = sides(triangles).collect();
    all.sort_unstable();
    let groups = all.chunk_by(|a, b| a.0 == b.0);
    groups.filter(|g| g.len() == 2).map(|g| [g[0].1, g[1].1]).collect()
}

/// Every side of every triangle, lower vertex first, with the corner opposite.
fn sides(triangles: &[[u32; 3]]) -> impl Iterator<Item = ([u32; 2], u32)> + '_ {
    let of_one = |t: &[u32; 3]| [([t[0], t[1]], t[2]), ([t[1], t[2]], t[0]), ([t[2], t[0]], t[1])];
    triangles.iter().flat_map(of_one).map(|([a, b], opposite)| ([a.min(b), a.max(b)], opposite))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_of_two_triangles_has_five_edges_and_one_hinge() {
        let triangles = [[0, 1, 2], [2, 1, 3]];
        assert_eq!(edges(&triangles), [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]);
        assert_eq!(far_corners(&triangles), [[0, 3]]);
        assert!(
            far_corners(&[[0, 1, 2], [0, 1, 3], [0, 1, 4]]).is_empty(),
            "a book of three pages has no hinge"
        );
    }
}
