//! Meshes with every edge cut in half: a tet becomes eight, a triangle four, an edge two.
//!
//! The vertices keep their numbers, and new ones follow them; the children of cell i are 8i to 8i + 7 (4i to 4i + 3, 2i and
//! 2i + 1). Tets with ten nodes are cut at their middles, and get new ones half-way.

use super::{Kind, Mesh, quadratic};

/// The inner four tets lie around the line between two opposite middles, through the others in this order.
const AXIS: [usize; 2] = [2, 4];
const AROUND: [usize; 4] = [0, 1, 5, 3];

/// How many cells each one becomes.
pub fn children(kind: Kind) -> usize {
    match kind {
        Kind::Solid => 8,
        Kind::Sheet => 4,
        Kind::Line => 2,
    }
}

/// A refined mesh, and the ends of the edges in whose middles its new vertices are, in their order.
pub struct Refined {
    /// The mesh.
    pub mesh: Mesh,
    /// The ends of each new vertex.
    pub ends: Vec<[u32; 2]>,
}

/// Cuts all edges of a mesh of one kind of cells. Point arrays have means in new vertices, cell arrays what the parent has.
pub fn refine(mesh: &Mesh) -> Refined {
    let mut mesh = mesh.clone();
    let Some(kind) = mesh.kind() else { return Refined { mesh, ends: vec![] } };
    let (given, is_quadratic) = (mesh.points.len(), !mesh.middles.is_empty());
    let mut ends = match kind {
        Kind::Solid => refine_tets(&mut mesh),
        Kind::Sheet => {
            let sides = |t: &[u32; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
            let ends = edges(mesh.triangles.iter().flat_map(sides));
            let middle = |edge| middle(&ends, given, edge);
            let cut = |t: &[u32; 3]| {
                let [a, b, c] = *t;
                let [ab, bc, ca] = sides(t).map(middle);
                [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
            };
            mesh.triangles = mesh.triangles.iter().flat_map(cut).collect();
            ends
        }
        Kind::Line => {
            let ends = edges(mesh.edges.iter().copied());
            let middle = |edge| middle(&ends, given, edge);
            mesh.edges = mesh.edges.iter().flat_map(|e| [[e[0], middle(*e)], [middle(*e), e[1]]]).collect();
            ends
        }
    };
    if kind != Kind::Solid {
        quadratic::extend_all(&mut mesh, &ends);
    }
    for array in &mut mesh.cell_data {
        let tuples = array.values.chunks_exact(array.components);
        array.values = tuples.flat_map(|tuple| tuple.repeat(children(kind))).collect();
    }
    if is_quadratic {
        quadratic::promote(&mut mesh);
        ends = quadratic::ends(&mesh.tets, &mesh.middles, given);
    }
    Refined { mesh, ends }
}

/// Cuts tets at their middles, which they get if they have none; returns the ends of vertices that are new.
fn refine_tets(mesh: &mut Mesh) -> Vec<[u32; 2]> {
    let given = mesh.points.len();
    let mut ends = vec![];
    if mesh.middles.is_empty() {
        quadratic::promote(mesh);
        ends = quadratic::ends(&mesh.tets, &mesh.middles, given);
    }
    let cut = |(tet, m): (&[u32; 4], &[u32; 6])| -> [[u32; 4]; 8] {
        let [a, b, c, d] = *tet;
        let inner = |k: usize| [m[AXIS[0]], m[AXIS[1]], m[AROUND[k]], m[AROUND[(k + 1) % 4]]];
        [
            [a, m[0], m[2], m[3]],
            [m[0], b, m[1], m[4]],
            [m[2], m[1], c, m[5]],
            [m[3], m[4], m[5], d],
            inner(0),
            inner(1),
            inner(2),
            inner(3),
        ]
    };
    mesh.tets = mesh.tets.iter().zip(&mesh.middles).flat_map(cut).collect();
    mesh.middles.clear();
    ends
}

/// Edges, each once, with its lower end first.
fn edges(all: impl Iterator<Item = [u32; 2]>) -> Vec<[u32; 2]> {
    let mut edges: Vec<[u32; 2]> = all.map(|[a, b]| [a.min(b), a.max(b)]).collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// The number of the new vertex on an edge, where `given` vertices come before the new ones.
fn middle(ends: &[[u32; 2]], given: usize, [a, b]: [u32; 2]) -> u32 {
    (given + ends.binary_search(&[a.min(b), a.max(b)]).expect("all edges are there")) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::generate;
    use crate::mesh::quality::volume;
    use crate::mesh::surface::{SurfaceMap, topology};
    use crate::mesh::{DataArray, surface};
    use crate::scene::Shape;

    #[test]
    fn children_fill_their_tet_and_fit_together() {
        let mut mesh = generate(&Shape::Sphere { radius: 1.0, cells: 2 });
        let cells = mesh.tets.len();
        let values = (0..cells).map(|c| c as f64).collect();
        mesh.cell_data.push(DataArray { name: "cell".into(), components: 1, values });
        let whole: Vec<f64> = mesh.tets.iter().map(|t| volume(&mesh.points, *t)).collect();
        for is_quadratic in [false, true] {
            if is_quadratic {
                quadratic::promote(&mut mesh);
            }
            let Refined { mesh: fine, ends } = refine(&mesh);
            assert_eq!(
                (fine.tets.len(), fine.middles.len()),
                (8 * cells, 8 * cells * usize::from(is_quadratic))
            );
            assert_eq!(fine.points[..mesh.points.len()], mesh.points);
            assert_eq!(mesh.points.len() + ends.len(), fine.points.len());
            for (c, children) in fine.tets.chunks(8).enumerate() {
                let volumes: Vec<f64> = children.iter().map(|t| volume(&fine.points, *t)).collect();
                assert!(volumes.iter().all(|v| (8.0 * v / whole[c] - 1.0).abs() < 1e-9), "{volumes:?}");
                assert_eq!(fine.cell_data[0].values[8 * c..8 * c + 8], [c as f64; 8]);
            }
            let found = topology(&surface::extract(&fine.tets).triangles);
            assert!(found.closed() && found.manifold(), "tets do not fit together");
        }
    }

    #[test]
    fn sheets_and_lines_are_cut_too() {
        let cloth = generate(&Shape::Cloth { size: [1.0, 2.0], cells: [2, 3] });
        let fine = refine(&cloth);
        assert_eq!(fine.mesh.triangles.len(), 4 * cloth.triangles.len());
        assert_eq!(fine.mesh.points.len(), 5 * 7);
        assert_eq!(topology(&SurfaceMap::of_mesh(&fine.mesh).triangles).open_edges, 20);
        let rope = generate(&Shape::Rope { length: 1.0, segments: 4 });
        let fine = refine(&rope);
        assert_eq!((fine.mesh.edges.len(), fine.mesh.points.len(), fine.ends.len()), (8, 9, 4));
    }
}
