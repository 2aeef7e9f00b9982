//! Tets with ten nodes: the middles of edges, made or read, and the faces between them.
//!
//! A mesh is quadratic if it has `middles`: for each tet the nodes between its corners, in the order of [`EDGES`], which is
//! VTK's. Everything that knows corners only keeps working with `tets`.

use super::Mesh;
use super::surface::{FACES, boundary_faces};
pub use elements::energy::lifted::rule::EDGES;
use elements::math::vec3::{add, dot, scale, sub};

/// The node between two corners of a tet, among its middles.
fn between(a: usize, b: usize) -> usize {
    EDGES.iter().position(|edge| *edge == [a, b] || *edge == [b, a]).expect("two different corners")
}

/// The ten nodes of a tet.
pub fn nodes(tet: [u32; 4], middles: [u32; 6]) -> [u32; 10] {
    std::array::from_fn(|n| if n < 4 { tet[n] } else { middles[n - 4] })
}

/// The ends of every middle node from `first` on, in the order of these nodes.
pub fn ends(tets: &[[u32; 4]], middles: &[[u32; 6]], first: usize) -> Vec<[u32; 2]> {
    let last = middles.as_flattened().iter().map(|v| *v as usize + 1).max().unwrap_or(first);
    let mut out = vec![[0; 2]; last.saturating_sub(first)];
    for (tet, middles) in tets.iter().zip(middles) {
        for ([a, b], middle) in EDGES.into_iter().zip(middles) {
            if let Some(ends) = (*middle as usize).checked_sub(first).and_then(|n| out.get_mut(n)) {
                *ends = [tet[a].min(tet[b]), tet[a].max(tet[b])];
            }
        }
    }
    out
}

/// Gives a mesh of linear tets middles: a point half-way on every edge, behind the points that it has. Point arrays have the
/// mean of the ends there.
pub fn promote(mesh: &mut Mesh) {
    let mut edges: Vec<([u32; 2], u32)> = vec![];
    for (t, tet) in mesh.tets.iter().enumerate() {
        for (n, [a, b]) in EDGES.into_iter().enumerate() {
            edges.push(([tet[a].min(tet[b]), tet[a].max(tet[b])], (6 * t + n) as u32));
        }
    }
    edges.sort_unstable();
    mesh.middles = vec![[0; 6]; mesh.tets.len()];
    let first = mesh.points.len();
    let mut made = vec![];
    for same in edges.chunk_by(|a, b| a.0 == b.0) {
        for (_, place) in same {
            mesh.middles.as_flattened_mut()[*place as usize] = (first + made.len()) as u32;
        }
        made.push(same[0].0);
    }
    extend_all(mesh, &made);
}

/// Appends the middle of each pair of points to a mesh, with the mean of what point arrays have at the ends.
pub fn extend_all(mesh: &mut Mesh, ends: &[[u32; 2]]) {
    let given = mesh.points.len();
    extend(&mut mesh.points, ends);
    for array in &mut mesh.point_data {
        let n = array.components;
        if array.values.len() == n * given {
            for [a, b] in ends {
                for k in 0..n {
                    let mean = 0.5 * (array.values[n * *a as usize + k] + array.values[n * *b as usize + k]);
                    array.values.push(mean);
                }
            }
        }
    }
}

/// An edge that has different nodes in its middle in two tets, and these.
pub fn torn_edge(mesh: &Mesh) -> Option<([u32; 2], [u32; 2])> {
    let mut edges = vec![];
    for (tet, middles) in mesh.tets.iter().zip(&mesh.middles) {
        let sorted = |[a, b]: [usize; 2]| [tet[a].min(tet[b]), tet[a].max(tet[b])];
        edges.extend(EDGES.into_iter().map(sorted).zip(*middles));
    }
    edges.sort_unstable();
    let torn = edges.windows(2).find(|pair| pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1)?;
    Some((torn[0].0, [torn[0].1, torn[1].1]))
}

/// Brings the middles of a file that may number them in any way into the order of [`EDGES`]: each is the node of that edge
/// whose middle it is nearest to, in the sum over all tets. Where that does not tell them apart, `usual` says on which edges
/// they are one after the other.
pub fn sort_middles(points: &[[f64; 3]], tets: &[[u32; 4]], middles: &mut [[u32; 6]], usual: [usize; 6]) {
    let mut squares = [[0.0; 6]; 6];
    for (tet, middles) in tets.iter().zip(middles.iter()) {
        for (node, squares) in middles.iter().zip(&mut squares) {
            for ([a, b], square) in EDGES.into_iter().zip(squares) {
                let [a, b, at] = [tet[a], tet[b], *node].map(|v| points[v as usize]);
                let off = sub(at, scale(0.5, add(a, b)));
                *square += dot(off, off) / dot(sub(a, b), sub(a, b)).max(f64::MIN_POSITIVE);
            }
        }
    }
    let nearest = |squares: &[f64; 6]| (0..6).min_by(|a, b| squares[*a].total_cmp(&squares[*b])).unwrap_or(0);
    let found = squares.each_ref().map(nearest);
    let is_order = (0..6).all(|edge| found.contains(&edge));
    let order = if is_order { found } else { usual };
    for middles in middles {
        let given = *middles;
        order.iter().zip(given).for_each(|(edge, node)| middles[*edge] = node);
    }
}

/// Takes the middles of tets away, and the points that only they had.
pub fn demote(mesh: &mut Mesh) {
    let mut number: Vec<Option<u32>> = mesh.orphans().iter().map(|orphan| orphan.then_some(0)).collect();
    mesh.middles.clear();
    for v in
        mesh.tets.as_flattened().iter().chain(mesh.triangles.as_flattened()).chain(mesh.edges.as_flattened())
    {
        number[*v as usize] = Some(0);
    }
    for (new, number) in number.iter_mut().flatten().enumerate() {
        *number = new as u32;
    }
    let kept = |v: usize| number[v].is_some();
    for array in &mut mesh.point_data {
        let n = array.components;
        array.values = (0..array.values.len()).filter(|i| kept(i / n)).map(|i| array.values[i]).collect();
    }
    mesh.points = (0..mesh.points.len()).filter(|v| kept(*v)).map(|v| mesh.points[v]).collect();
    let corners = (mesh.tets.as_flattened_mut().iter_mut()).chain(mesh.triangles.as_flattened_mut());
    for v in corners.chain(mesh.edges.as_flattened_mut()) {
        *v = number[*v as usize].unwrap_or(0);
    }
}

/// Appends the middle of each pair of points.
pub fn extend(points: &mut Vec<[f64; 3]>, ends: &[[u32; 2]]) {
    for [a, b] in ends {
        let (a, b) = (points[*a as usize], points[*b as usize]);
        points.push(std::array::from_fn(|k| 0.5 * (a[k] + b[k])));
    }
}

/// The boundary of quadratic tets, each face as four triangles between its corners and middles.
pub fn boundary(tets: &[[u32; 4]], middles: &[[u32; 6]]) -> Vec<[u32; 3]> {
    let split = |(tet, face): (usize, usize)| {
        let [a, b, c] = FACES[face];
        let [ab, bc, ca] = [between(a, b), between(b, c), between(c, a)].map(|n| middles[tet][n]);
        let [a, b, c] = [a, b, c].map(|corner| tets[tet][corner]);
        [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
    };
    boundary_faces(tets).into_iter().flat_map(split).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::DataArray;
    use crate::mesh::generate::generate;
    use crate::mesh::surface::{SurfaceMap, topology};
    use crate::scene::Shape;

    #[test]
    fn every_edge_has_one_middle_and_the_surface_stays_closed() {
        let mut mesh = generate(&Shape::Sphere { radius: 1.0, cells: 3 });
        let corners = mesh.points.len();
        let before = SurfaceMap::of_mesh(&mesh);
        let values = mesh.points.iter().map(|p| p[0] + 2.0 * p[1]).collect();
        mesh.point_data.push(DataArray { name: "a".into(), components: 1, values });
        let linear = mesh.clone();
        promote(&mut mesh);
        let mut back = mesh.clone();
        demote(&mut back);
        assert!(back == linear, "the middles go as they came");
        let ends = ends(&mesh.tets, &mesh.middles, corners);
        assert_eq!(corners + ends.len(), mesh.points.len());
        for (n, [a, b]) in ends.iter().enumerate() {
            let [a, b, middle] = [*a as usize, *b as usize, corners + n].map(|v| mesh.points[v]);
            assert!((0..3).all(|k| (0.5 * (a[k] + b[k]) - middle[k]).abs() < 1e-15));
        }
        let array = &mesh.point_data[0].values;
        assert!(mesh.points.iter().zip(array).all(|(p, a)| (p[0] + 2.0 * p[1] - a).abs() < 1e-12));
        let after = SurfaceMap::of_mesh(&mesh);
        assert_eq!(after.triangles.len(), 4 * before.triangles.len());
        assert_eq!(after.vertices.len(), before.vertices.len() + before.triangles.len() * 3 / 2);
        let topology = topology(&after.triangles);
        assert!(topology.closed() && topology.manifold() && topology.inconsistent_edges == 0);
        let volume = |surface: &SurfaceMap| -> f64 {
            let point = |v: u32| mesh.points[surface.vertices[v as usize] as usize];
            let part = |t: &[u32; 3]| {
                let [a, b, c] = t.map(point);
                dot(a, elements::math::vec3::cross(b, c)) / 6.0
            };
            surface.triangles.iter().map(part).sum()
        };
        assert!((volume(&after) - volume(&before)).abs() < 1e-12 && volume(&after) > 3.0);
    }
}
