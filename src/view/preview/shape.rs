//! Surfaces with creases: vertices that are smooth have one normal, those at sharp edges one for each side.
//!
//! Two triangles share the normal at a common edge if they meet at less than 40° at rest; a corner of a box becomes
//! three vertices at one point. Edges that are smooth at rest stay smooth, however they are bent.

use crate::mesh::surface::{area_vector, half_edges};
use crate::mesh::union_find::UnionFind;
use crate::view::replay::motion::Outline;
use elements::math::vec3::{dot, norm};

/// An edge is sharp if the angle between its triangles' normals is at least this, in degrees.
const CREASE: f64 = 40.0;

/// The surfaces of a scene as they are drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shape {
    /// For each vertex, its point in the outline.
    pub points: Vec<u32>,
    /// For each vertex, the number of its part.
    pub parts: Vec<u32>,
    /// The corners of triangles, in the order of the outline's.
    pub triangles: Vec<[u32; 3]>,
    /// The ends of the edges of lines.
    pub edges: Vec<[u32; 2]>,
}

impl Shape {
    /// Splits vertices at the creases of the rest state.
    pub fn new(outline: &Outline) -> Shape {
        let normals: Vec<[f64; 3]> =
            outline.triangles.iter().map(|t| area_vector(&outline.rest, *t)).collect();
        let least = CREASE.to_radians().cos();
        let mut fans = UnionFind::new(3 * outline.triangles.len());
        for same in half_edges(&outline.triangles).chunk_by(|a, b| a.ends == b.ends) {
            let [a, b] = same else { continue };
            let (m, n) = (normals[a.triangle()], normals[b.triangle()]);
            // Triangles that face against each other are two sheets, or one sheet without a consistent orientation.
            let sign = if a.forward == b.forward { -1.0 } else { 1.0 };
            if sign * dot(m, n) >= least * norm(m) * norm(n) {
                fans.union(a.corners[0], b.corners[0]);
                fans.union(a.corners[1], b.corners[1]);
            }
        }
        let mut shape = Shape::default();
        let mut number = vec![u32::MAX; 3 * outline.triangles.len()];
        for (t, triangle) in outline.triangles.iter().enumerate() {
            let corners = std::array::from_fn(|c| {
                let root = fans.find((3 * t + c) as u32) as usize;
                if number[root] == u32::MAX {
                    number[root] = shape.push(triangle[c]);
                }
                number[root]
            });
            shape.triangles.push(corners);
        }
        let mut ends = vec![u32::MAX; outline.rest.len()];
        for edge in &outline.edges {
            let edge = edge.map(|v| {
                if ends[v as usize] == u32::MAX {
                    ends[v as usize] = shape.push(v);
                }
                ends[v as usize]
            });
            shape.edges.push(edge);
        }
        let part_of = |point: &u32| {
            outline.parts.iter().position(|part| part.vertices.contains(&(*point as usize))).unwrap_or(0)
                as u32
        };
        shape.parts = shape.points.iter().map(part_of).collect();
        shape
    }

    fn push(&mut self, point: u32) -> u32 {
        self.points.push(point);
        (self.points.len() - 1) as u32
    }

    /// The unit normals of the vertices, for the outline's points at `points`: those of the
    /// triangles, weighted by area.
    pub fn normals(&self, points: &[[f32; 3]]) -> Vec<[f32; 3]> {
        let mut normals = vec![[0f32; 3]; self.points.len()];
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|v| points[self.points[v as usize] as usize]);
            let (u, v): ([f32; 3], [f32; 3]) =
                (std::array::from_fn(|k| b[k] - a[k]), std::array::from_fn(|k| c[k] - a[k]));
            let area = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
            for v in triangle {
                (0..3).for_each(|k| normals[*v as usize][k] += area[k]);
            }
        }
        for n in &mut normals {
            let length = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt();
            *n = n.map(|x| x / length.max(f32::MIN_POSITIVE));
        }
        normals
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::generate;
    use crate::mesh::surface::extract;
    use crate::view::replay::motion::Part;

    fn outline(shape: &crate::scene::Shape) -> Outline {
        let mesh = generate(shape);
        let surface = extract(&mesh.tets);
        let rest: Vec<[f64; 3]> = surface.vertices.iter().map(|v| mesh.points[*v as usize]).collect();
        let part = Part {
            name: "a".into(),
            body: 0,
            vertices: 0..rest.len(),
            triangles: 0..surface.triangles.len(),
            edges: 0..0,
            radius: 0.0,
            is_plane: false,
        };
        Outline { parts: vec![part], triangles: surface.triangles, rest, ..Outline::default() }
    }

    #[test]
    fn a_box_has_six_flat_sides_and_a_ball_one() {
        let cube = crate::scene::Shape::Block { size: [1.0; 3], cells: [4; 3], split: 5 };
        let shape = Shape::new(&outline(&cube));
        assert_eq!(shape.points.len(), 6 * 25);
        let points: Vec<[f32; 3]> = outline(&cube).rest.iter().map(|p| p.map(|x| x as f32)).collect();
        for normal in shape.normals(&points) {
            assert!(normal.iter().any(|x| (x.abs() - 1.0).abs() < 1e-6), "{normal:?}");
        }
        let ball = outline(&crate::scene::Shape::Sphere { radius: 1.0, cells: 6 });
        assert_eq!(Shape::new(&ball).points.len(), ball.rest.len());
    }
}
