//! What a mesh file is, as far as a first scene needs to know it.

use std::path::Path;

use crate::error::Result;
use crate::io;
use crate::mesh::info::is_degenerate_somewhere;
use crate::mesh::surface::{area_vector, topology};
use crate::mesh::weld::coinciding;
use crate::mesh::{Kind, Mesh};
use elements::math::vec3::{norm, sub};

/// A border longer than this, relative to the root of the area, is that of a sheet; a shorter one is that of holes in the skin
/// of a body. A disc has 3.5, a sphere without a tenth of its skin 0.7.
const LONG_BORDER: f64 = 1.0;
/// A file that is larger than this can hardly be meant in metres.
pub const LARGE: f64 = 50.0;

/// What a file becomes in a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A closed surface, filled with tets.
    Filled,
    /// Tets.
    Solid,
    /// An open surface.
    Sheet,
    /// Edges.
    Line,
}

/// A mesh file.
#[derive(Clone, Debug)]
pub struct Facts {
    /// What it becomes.
    pub role: Role,
    /// One line about the file.
    pub about: String,
    /// The corners of the box around it, in the file's unit.
    pub bounds: [[f64; 3]; 2],
    /// Scalar arrays of points: their names with their least and greatest values.
    pub arrays: Vec<(String, [f64; 2])>,
    /// True if it has cells without volume, area or length.
    pub is_degenerate: bool,
}

/// Reads a mesh file and looks at it.
pub fn look(path: &Path) -> Result<Facts> {
    let mesh = io::read(path)?;
    let border = border(&mesh);
    let role = match mesh.kind() {
        Some(Kind::Solid) => Role::Solid,
        Some(Kind::Sheet) if border < LONG_BORDER => Role::Filled,
        Some(Kind::Sheet) => Role::Sheet,
        _ => Role::Line,
    };
    let vertices = mesh.points.len();
    let about = match role {
        Role::Solid => format!("{vertices} vertices, {} tets", mesh.tets.len()),
        Role::Filled if border > 0.0 => {
            format!("a surface with small holes, {vertices} vertices, {} triangles", mesh.triangles.len())
        }
        Role::Filled => format!("a closed surface, {vertices} vertices, {} triangles", mesh.triangles.len()),
        Role::Sheet => format!("an open surface, {vertices} vertices, {} triangles", mesh.triangles.len()),
        Role::Line => format!("{vertices} vertices, {} edges", mesh.edges.len()),
    };
    let scalar = mesh.point_data.iter().filter(|array| array.components == 1);
    let range = |values: &[f64]| {
        values.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| [low.min(*v), high.max(*v)])
    };
    Ok(Facts {
        role,
        about,
        bounds: used_bounds(&mesh),
        arrays: scalar.map(|array| (array.name.clone(), range(&array.values))).collect(),
        is_degenerate: is_degenerate_somewhere(&mesh),
    })
}

/// The length of the border of a surface over the root of its area; 0 for what has none.
fn border(mesh: &Mesh) -> f64 {
    let place = coinciding(&mesh.points);
    let mut triangles: Vec<[u32; 3]> = mesh.triangles.iter().map(|t| t.map(|v| place[v as usize])).collect();
    triangles.retain(|[a, b, c]| a != b && b != c && c != a);
    if topology(&triangles).open_edges == 0 {
        return 0.0;
    }
    let mut edges: Vec<[u32; 2]> = triangles
        .iter()
        .flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]])
        .map(|[a, b]| [a.min(b), a.max(b)])
        .collect();
    edges.sort_unstable();
    let open = edges.chunk_by(|a, b| a == b).filter(|same| same.len() == 1).map(|same| same[0]);
    let length = |[a, b]: [u32; 2]| norm(sub(mesh.points[a as usize], mesh.points[b as usize]));
    let area: f64 = triangles.iter().map(|t| norm(area_vector(&mesh.points, *t))).sum();
    open.map(length).sum::<f64>() / area.sqrt().max(f64::MIN_POSITIVE)
}

/// The box around the vertices that are in a cell.
fn used_bounds(mesh: &Mesh) -> [[f64; 3]; 2] {
    let orphans = mesh.orphans();
    let used =
        mesh.points.iter().zip(&orphans).filter(|(p, orphan)| !**orphan && p.iter().all(|x| x.is_finite()));
    let points = used.map(|(p, _)| *p).collect();
    Mesh { points, ..Mesh::default() }.bounds().unwrap_or_default()
}
