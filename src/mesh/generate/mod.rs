//! Procedural meshes.
//!
//! Every tet is positively oriented, neighbours share whole faces, and vertices are shared by construction
//! (lattice identity), never welded by distance. Tet meshes carry no triangles: their surface is extracted.

mod block;
mod cloth;
mod rope;
mod sphere;
mod torus;

use crate::mesh::{Mesh, quality};

/// A procedural mesh with its sizes in m and its resolution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// A block `[0,size]` of cubes, each split into 5 (alternating parity) or 6 tets; `beam` and `box`.
    Block {
        /// The edge lengths along x, y and z in m.
        size: [f64; 3],
        /// The number of cubes along each axis.
        cells: [usize; 3],
        /// The number of tets of each cube: 5 or 6.
        split: usize,
    },
    /// A ball about the origin.
    Sphere {
        /// The radius of the ball in m.
        radius: f64,
        /// The number of cells across the radius.
        cells: usize,
    },
    /// A solid torus about the z axis, centred at the origin.
    Torus {
        /// The distance in m from the centre to the tube's centre line.
        major: f64,
        /// The radius of the tube in m.
        minor: f64,
        /// The number of cells around the tube.
        cells: usize,
    },
    /// A flat sheet of triangles in the xz plane, corner at the origin.
    Cloth {
        /// The edge lengths along x and z in m.
        size: [f64; 2],
        /// The number of squares along each edge.
        cells: [usize; 2],
    },
    /// A straight line along +x from the origin.
    Rope {
        /// The whole length in m.
        length: f64,
        /// The number of edges, of equal length.
        segments: usize,
    },
}

/// The mesh of `shape`.
///
/// Vertex order: `x` fastest, then `y`, then `z` for blocks (`x`, then `z` for a cloth, `x` for a rope); spheres begin
/// with the centre; a torus is section after section, each from the inside out.
///
/// # Panics
///
/// If the mesh has more vertices than a `u32` can number: refuse such shapes with [`size`] first.
pub fn generate(shape: &Shape) -> Mesh {
    assert!(size(shape).is_some(), "the shape has more vertices than can be numbered");
    match *shape {
        Shape::Block { size, cells, split } => block::generate(size, cells, split),
        Shape::Sphere { radius, cells } => sphere::generate(radius, cells.max(1)),
        Shape::Torus { major, minor, cells } => torus::generate(major, minor, cells),
        Shape::Cloth { size, cells } => cloth::generate(size, cells),
        Shape::Rope { length, segments } => rope::generate(length, segments),
    }
}

/// The numbers of vertices and cells (tets, a cloth's triangles or a rope's edges) that [`generate`] would give,
/// without making them. `None` if the numbers do not fit into a `u32`.
pub fn size(shape: &Shape) -> Option<(u32, u32)> {
    let (vertices, cells) = match *shape {
        Shape::Block { cells, split, .. } => block::size(cells, split),
        Shape::Sphere { cells, .. } => sphere::size(cells.max(1)),
        Shape::Torus { major, minor, cells } => torus::size(major, minor, cells),
        Shape::Cloth { cells, .. } => cloth::size(cells),
        Shape::Rope { segments, .. } => rope::size(segments),
    };
    Some((u32::try_from(vertices).ok()?, u32::try_from(cells).ok()?))
}

/// The `tet`, with two corners exchanged if that makes it positive.
pub fn oriented(points: &[[f64; 3]], tet: [u32; 4]) -> [u32; 4] {
    if quality::shape_ratio(points, tet) < 0.0 { [tet[0], tet[1], tet[3], tet[2]] } else { tet }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;
    use crate::mesh::surface;

    /// Checks the properties of every generated solid: counts as announced, no orphans, all tets positive, conforming
    /// (a closed manifold boundary with the expected Euler number), and the volume.
    fn check_solid(shape: Shape, euler: i64, volume: f64, tolerance: f64, min_dihedral: f64) {
        let mesh = generate(&shape);
        assert_eq!(size(&shape), Some((mesh.points.len() as u32, mesh.tets.len() as u32)), "{shape:?}");
        assert!(mesh.triangles.is_empty());
        assert!(!mesh.orphans().contains(&true), "{shape:?}");
        let quality = quality::measure(&mesh.points, &mesh.tets);
        assert_eq!((quality.inverted, quality.degenerate), (0, 0), "{shape:?}");
        assert!((quality.volume / volume - 1.0).abs() <= tolerance, "{shape:?}: {}", quality.volume);
        assert!(quality.min_dihedral_deg > min_dihedral, "{shape:?}: {}", quality.min_dihedral_deg);
        let surface = surface::extract(&mesh.tets);
        let topology = surface::topology(&surface.triangles);
        assert!(topology.closed() && topology.manifold(), "{shape:?}: {topology:?}");
        assert_eq!((topology.shells, topology.inconsistent_edges), (1, 0), "{shape:?}");
        let (v, f) = (surface.vertices.len() as i64, surface.triangles.len() as i64);
        assert_eq!(v - f / 2, euler, "{shape:?}: V − E + F, with E = 3F/2");
    }

    #[test]
    fn blocks_conform_and_fill_the_box() {
        for split in [5, 6] {
            for cells in [[1, 1, 1], [2, 3, 4], [5, 1, 2]] {
                check_solid(Shape::Block { size: [4.0, 1.0, 2.0], cells, split }, 2, 8.0, 1e-12, 5.0);
            }
        }
        let mesh = generate(&Shape::Block { size: [4.0, 1.0, 1.0], cells: [40, 10, 10], split: 5 });
        assert_eq!((mesh.points.len(), mesh.tets.len()), (4961, 20000));
        assert_eq!(mesh.bounds(), Some([[0.0; 3], [4.0, 1.0, 1.0]]));
        assert_eq!(mesh.points[1], [0.1, 0.0, 0.0]);
    }

    #[test]
    fn spheres_are_round_and_well_shaped() {
        for (cells, tolerance) in [(1, 0.4), (2, 0.2), (3, 0.08), (8, 0.012), (16, 0.004)] {
            check_solid(Shape::Sphere { radius: 2.0, cells }, 2, 32.0 / 3.0 * PI, tolerance, 20.0);
        }
        let mesh = generate(&Shape::Sphere { radius: 2.0, cells: 5 });
        for &v in &surface::extract(&mesh.tets).vertices {
            let radius = mesh.points[v as usize].iter().map(|x| x * x).sum::<f64>().sqrt();
            assert!((radius - 2.0).abs() < 1e-14);
        }
    }

    #[test]
    fn tori_close_on_themselves() {
        for (cells, tolerance) in [(3, 0.7), (4, 0.5), (7, 0.25), (12, 0.1), (24, 0.03)] {
            let shape = Shape::Torus { major: 1.0, minor: 0.25, cells };
            check_solid(shape, 0, 2.0 * PI * PI * 0.0625, tolerance, 10.0);
        }
    }

    #[test]
    fn a_cloth_is_an_oriented_disc() {
        let shape = Shape::Cloth { size: [2.0, 1.0], cells: [5, 4] };
        let mesh = generate(&shape);
        assert_eq!((mesh.points.len(), mesh.triangles.len(), mesh.tets.len()), (30, 40, 0));
        assert_eq!(size(&shape), Some((30, 40)));
        let topology = surface::topology(&mesh.triangles);
        assert!(topology.manifold() && !topology.closed());
        assert_eq!((topology.open_edges, topology.inconsistent_edges, topology.shells), (18, 0, 1));
        let area: f64 = mesh.triangles.iter().map(|&t| surface::area_vector(&mesh.points, t)[1]).sum();
        assert!((area - 2.0).abs() < 1e-14, "the normals point to +y");
    }

    #[test]
    fn a_rope_is_a_straight_chain() {
        let shape = Shape::Rope { length: 3.0, segments: 7 };
        let mesh = generate(&shape);
        assert_eq!(size(&shape), Some((8, 7)));
        assert_eq!((mesh.points.len(), mesh.edges.len(), mesh.cells()), (8, 7, 7));
        assert_eq!((mesh.points[0], mesh.points[7]), ([0.0; 3], [3.0, 0.0, 0.0]));
        for (i, &[a, b]) in mesh.edges.iter().enumerate() {
            assert_eq!((a as usize, b as usize), (i, i + 1));
            let step = mesh.points[b as usize][0] - mesh.points[a as usize][0];
            assert!((step - 3.0 / 7.0).abs() < 1e-15);
        }
    }

    #[test]
    fn sizes_that_cannot_be_numbered_are_known_beforehand() {
        let block = |n| Shape::Block { size: [1.0; 3], cells: [n; 3], split: 5 };
        assert_eq!(size(&block(2000)), None);
        assert_eq!(size(&block(usize::MAX)), None);
        assert_eq!(size(&Shape::Sphere { radius: 1.0, cells: 100_000 }), None);
        assert_eq!(size(&Shape::Torus { major: 1e300, minor: 1e-3, cells: 10 }), None);
        assert_eq!(size(&Shape::Cloth { size: [1.0; 2], cells: [usize::MAX; 2] }), None);
        assert_eq!(size(&Shape::Rope { length: 1.0, segments: usize::MAX }), None);
    }
}
