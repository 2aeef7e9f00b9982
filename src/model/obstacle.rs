//! Obstacles: shapes that become points, edges and triangles, and their place in the model.
//!
//! A plane, a ball and a capsule are all points within a radius of a half-space, a point and a segment, so that distances
//! to them are exact. All other shapes are triangles. The vertices of obstacles come after those of all bodies. They have no
//! mass and are prescribed, so that whatever moves hard pins moves them too.

mod follow;
mod shapes;

use std::ops::Range;
use std::sync::Arc;

use super::motion::Course;
use super::notes::Notes;
use super::rotation::rotate;
use super::sequence::Places;
use super::transform::apply;
use super::vertices::{Hold, Vertices};
use crate::error::{Error, Result};
use crate::io;
use crate::mesh::generate::generate;
use crate::mesh::prepare::prepare;
use crate::mesh::repair::{Repair, repair};
use crate::mesh::surface::{SurfaceMap, Topology};
use crate::mesh::{Kind, Mesh};
use crate::meshing::check;
use crate::scene::{MeshSource, Obstacle, ObstacleShape, Scene};
use elements::math::vec3::add;
pub use shapes::across;
use shapes::{Surface, unit};

/// What the points of an obstacle are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObstacleKind {
    /// Three points p, p + u and p + v: a half-space, free on the side of the normal u × v, where u and v are unit vectors
    /// perpendicular to each other.
    Plane,
    /// One point: the centre of a ball.
    Point,
    /// Two points and the edge between them: the axis of a capsule.
    Segment,
    /// A surface of triangles, which face outward if it is closed.
    Triangles,
}

/// An obstacle where it starts, in its own numbering.
#[derive(Clone, Debug)]
pub struct ObstacleData {
    /// Where its points start, in m.
    pub points: Vec<[f64; 3]>,
    /// Its triangles; none but for [`ObstacleKind::Triangles`].
    pub triangles: Vec<[u32; 3]>,
    /// The edges of its triangles, each once with the lower number first, ascending; or that of a segment.
    pub edges: Vec<[u32; 2]>,
    /// The distance in m from its points, edges and triangles to its surface; 0 but for points and segments.
    pub radius: f64,
    /// What its points are.
    pub kind: ObstacleKind,
    /// Where files have its points over time; `None` if it follows none.
    pub places: Option<Arc<Places>>,
    /// What the user should know of its mesh.
    pub notes: Notes,
}

/// An obstacle's place in the model.
#[derive(Clone, Debug)]
pub struct ObstacleModel {
    /// The name of the obstacle in the scene.
    pub name: String,
    /// Its vertices, input numbering.
    pub vertices: Range<usize>,
    /// Its triangles, by numbers within the obstacle.
    pub triangles: Vec<[u32; 3]>,
    /// Its edges, likewise.
    pub edges: Vec<[u32; 2]>,
    /// The distance in m from its points, edges and triangles to its surface.
    pub radius: f64,
    /// What its points are.
    pub kind: ObstacleKind,
    /// Which of the model's motions it follows; `None`: it stays.
    pub motion: Option<usize>,
}

/// Makes the points and cells of an obstacle, or reads them.
pub fn load(obstacle: &Obstacle) -> Result<ObstacleData> {
    let subject = format!("obstacle '{}'", obstacle.name);
    let mut notes = Notes::default();
    if let (ObstacleShape::Mesh(source), Some(motion)) = (&obstacle.shape, &obstacle.motion)
        && let Some(sequence) = motion.sequence()
    {
        return follow::load(obstacle, source, motion, sequence, &subject);
    }
    let placed = |point: [f64; 3]| apply(&obstacle.transform, point);
    let (turn, radians) = obstacle.transform.rotate;
    let grown = |radius: f64| radius * obstacle.transform.scale;
    let exact = |points, edges, radius, kind| (points, vec![], edges, radius, kind);
    let of_triangles = |(points, triangles): Surface| {
        let edges = edges(&triangles);
        (points.into_iter().map(placed).collect(), triangles, edges, 0.0, ObstacleKind::Triangles)
    };
    let (points, triangles, edges, radius, kind) = match obstacle.shape {
        ObstacleShape::Plane { point, normal } => {
            let normal = rotate(unit(normal), turn, [0.0; 3], radians);
            let (p, [u, v]) = (placed(point), across(normal));
            exact(vec![p, add(p, u), add(p, v)], vec![], 0.0, ObstacleKind::Plane)
        }
        ObstacleShape::Sphere { center, radius } => {
            exact(vec![placed(center)], vec![], grown(radius), ObstacleKind::Point)
        }
        ObstacleShape::Capsule { from, to, radius } => {
            exact(vec![placed(from), placed(to)], vec![[0, 1]], grown(radius), ObstacleKind::Segment)
        }
        ObstacleShape::Box { min, max } => of_triangles(shapes::block(min, max)),
        ObstacleShape::Cylinder { from, to, radius } => of_triangles(shapes::cylinder(from, to, radius)),
        ObstacleShape::Torus { center, axis, major, minor } => {
            of_triangles(shapes::torus(center, axis, major, minor))
        }
        ObstacleShape::Mesh(ref source) => of_triangles(surface(source, &subject, &mut notes)?),
    };
    if !points.iter().flatten().all(|x: &f64| x.is_finite()) || !radius.is_finite() {
        let reason = "its points are not finite".into();
        return Err(Error::Mesh {
            subject,
            reason,
            hint: "use smaller numbers in 'shape' and 'transform'".into(),
        });
    }
    Ok(ObstacleData { points, triangles, edges, radius, kind, places: None, notes })
}

/// The mesh of an obstacle as it was read or made.
fn mesh_of(source: &MeshSource, subject: &str) -> Result<Mesh> {
    match source {
        MeshSource::File(path) => io::read(path),
        MeshSource::Generate(shape) => Ok(generate(shape)),
        MeshSource::Memory(mesh) => Ok(mesh.as_ref().clone()),
        MeshSource::Surface { .. } => Err(Error::Mesh {
            subject: subject.into(),
            reason: "it has no mesh".into(),
            hint: "an obstacle is not filled with tets".into(),
        }),
    }
}

/// The surface of a mesh: one vertex at each place, no triangles without area, outward where it is closed.
fn surface(source: &MeshSource, subject: &str, notes: &mut Notes) -> Result<Surface> {
    let refuse = |reason: &str, hint: &str| {
        Err(Error::Mesh { subject: subject.into(), reason: reason.into(), hint: hint.into() })
    };
    let mut mesh = mesh_of(source, subject)?;
    if mesh.kind() == Some(Kind::Solid) {
        mesh = prepare(mesh, subject, true)?.mesh;
        let SurfaceMap { triangles, vertices, .. } = SurfaceMap::of_mesh(&mesh);
        let points = vertices.iter().map(|v| mesh.points[*v as usize]).collect();
        mesh = Mesh { points, triangles, ..Mesh::default() };
    }
    check(&mesh, subject)?;
    let (mesh, mut report) = repair(mesh, &Repair { holes: 0, small_shells: 0.0, ..Repair::default() });
    if mesh.triangles.is_empty() {
        return refuse("no triangle of its mesh has an area", "write the mesh anew");
    }
    // Files repeat vertices as a matter of course, and an obstacle may be open.
    (report.welded_vertices, report.unreferenced_vertices, report.left) = (0, 0, Topology::default());
    notes.notes.extend(report.to_string().lines().map(|line| format!("{subject}: {line}")));
    Ok((mesh.points, mesh.triangles))
}

/// The edges of triangles, each once with the lower number first, ascending.
fn edges(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let sides = |&[a, b, c]: &[u32; 3]| [[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)]);
    let mut edges: Vec<[u32; 2]> = triangles.iter().flat_map(sides).collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Adds the vertices of all obstacles behind those of the bodies.
pub(super) fn append(scene: &Scene, data: Vec<ObstacleData>, to: &mut Vertices) -> Vec<ObstacleModel> {
    let place = |(obstacle, data): (&Obstacle, ObstacleData)| {
        let motion = obstacle.motion.as_ref().map(|motion| {
            let places = data.places.clone();
            to.motions.push(Course {
                motion: motion.clone(),
                places,
                first: to.rest.len(),
                is_relative: false,
            });
            to.motions.len() - 1
        });
        let vertices = to.rest.len()..to.rest.len() + data.points.len();
        to.holds.extend(vertices.clone().map(|vertex| Hold { vertex, stiffness: None, motion }));
        to.rest.extend(data.points);
        to.pinned.resize(vertices.end, 1);
        to.unknown.resize(vertices.end, false);
        ObstacleModel {
            name: obstacle.name.clone(),
            vertices,
            triangles: data.triangles,
            edges: data.edges,
            radius: data.radius,
            kind: data.kind,
            motion,
        }
    };
    scene.obstacles.iter().zip(data).map(place).collect()
}

#[cfg(test)]
mod tests;
