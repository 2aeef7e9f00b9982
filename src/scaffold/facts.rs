//! What a mesh file is, as far as a first scene needs to know it.

use std::path::Path;

use crate::error::Result;
use crate::io;
use crate::mesh::info::is_degenerate_somewhere;
use crate::mesh::nesting::winding;
use crate::mesh::surface::{area_vector, topology};
use crate::mesh::weld::coinciding;
use crate::mesh::{Kind, Mesh};
use elements::math::vec3::{norm, sub};

/// A border longer than this, relative to the root of the area, may be that of a sheet; a shorter one is that of holes in the skin
/// of a body. A disc has 3.5, a sphere without a tenth of its skin 0.7.
const LONG_BORDER: f64 = 1.0;
/// A mean winding number beside a surface from which on it is the skin of a body, whatever its border. A flat sheet has 0.5, a
/// hemisphere 0.8, a monkey's head without eyes 0.96.
const ENCLOSING: f64 = 0.9;
/// At so many places the winding number is taken.
const SAMPLES: usize = 100;
/// How far beside the surface, as a part of its size.
const BESIDE: f64 = 1e-4;
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
    /// The mean length of the edges of its triangles or of itself, in the file's unit.
    pub edge: f64,
    /// True if it has cells without volume, area or length.
    pub is_degenerate: bool,
}

/// Reads a mesh file and looks at it.
pub fn look(path: &Path) -> Result<Facts> {
    let mesh = io::read(path)?;
    let border = border(&mesh);
    let role = match mesh.kind() {
        Some(Kind::Solid) => Role::Solid,
        Some(Kind::Sheet) if border < LONG_BORDER || enclosing(&mesh) > ENCLOSING => Role::Filled,
        Some(Kind::Sheet) => Role::Sheet,
        _ => Role::Line,
    };
    let vertices = mesh.points.len();
    let about = match role {
        Role::Solid => format!("{vertices} vertices, {} tets", mesh.tets.len()),
        Role::Filled if border > 0.0 => {
            format!("a surface with holes, {vertices} vertices, {} triangles", mesh.triangles.len())
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
        edge: edge(&mesh),
        is_degenerate: is_degenerate_somewhere(&mesh),
    })
}

/// The mean length of the sides of triangles and of edges; 0 for tets.
fn edge(mesh: &Mesh) -> f64 {
    let length = |a: u32, b: u32| norm(sub(mesh.points[a as usize], mesh.points[b as usize]));
    let sides = mesh.triangles.iter().flat_map(|[a, b, c]| [(*a, *b), (*b, *c), (*c, *a)]);
    let edges = mesh.edges.iter().map(|[a, b]| (*a, *b));
    let (count, sum) =
        sides.chain(edges).fold((0, 0.0), |(count, sum), (a, b)| (count + 1, sum + length(a, b)));
    sum / f64::from(count.max(1))
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

/// How well a surface encloses what is beside it: the mean of the winding numbers at places close to it, each on the side where
/// it is larger. It is 1 for closed surfaces of either orientation.
fn enclosing(mesh: &Mesh) -> f64 {
    let [low, high] = used_bounds(mesh);
    let away = BESIDE * norm(sub(high, low));
    let area = |t: &[u32; 3]| norm(area_vector(&mesh.points, *t));
    let whole: f64 = mesh.triangles.iter().map(area).sum();
    let (mut passed, mut next, mut found) = (0.0, 0.5, vec![]);
    for triangle in &mesh.triangles {
        passed += area(triangle);
        // Places are spread evenly over the area.
        if passed * (SAMPLES as f64) < whole * next {
            continue;
        }
        let count = (passed * SAMPLES as f64 / whole - next).floor() + 1.0;
        next += count;
        let corners = triangle.map(|v| mesh.points[v as usize]);
        let centre: [f64; 3] = std::array::from_fn(|k| (corners[0][k] + corners[1][k] + corners[2][k]) / 3.0);
        let normal = area_vector(&mesh.points, *triangle);
        let step = away / norm(normal).max(f64::MIN_POSITIVE);
        let sides = [step, -step].map(|step| {
            let beside = std::array::from_fn(|k| centre[k] + step * normal[k]);
            winding(&mesh.points, &mesh.triangles, beside).abs()
        });
        found.push((count, sides[0].max(sides[1])));
    }
    let all: f64 = found.iter().map(|(count, _)| count).sum();
    found.iter().map(|(count, winding)| count * winding).sum::<f64>() / all.max(1.0)
}

/// The box around the vertices that are in a cell.
fn used_bounds(mesh: &Mesh) -> [[f64; 3]; 2] {
    let orphans = mesh.orphans();
    let used =
        mesh.points.iter().zip(&orphans).filter(|(p, orphan)| !**orphan && p.iter().all(|x| x.is_finite()));
    let points = used.map(|(p, _)| *p).collect();
    Mesh { points, ..Mesh::default() }.bounds().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sphere of triangles about z, from its north pole down to a part of the way to the south.
    fn cap(part: f64) -> Mesh {
        let (rings, around) = (24, 48);
        let at = |i: usize, j: usize| {
            let (a, b) = (
                part * std::f64::consts::PI * i as f64 / rings as f64,
                std::f64::consts::TAU * j as f64 / around as f64,
            );
            [a.sin() * b.cos(), a.sin() * b.sin(), a.cos()]
        };
        let points = (0..=rings).flat_map(|i| (0..around).map(move |j| at(i, j))).collect();
        let vertex = |i: usize, j: usize| (i * around + j % around) as u32;
        let triangles = (0..rings)
            .flat_map(|i| (0..around).map(move |j| (i, j)))
            .flat_map(|(i, j)| {
                let [a, b, c, d] = [vertex(i, j), vertex(i, j + 1), vertex(i + 1, j), vertex(i + 1, j + 1)];
                [[a, c, d], [a, d, b]]
            })
            .collect();
        Mesh { points, triangles, ..Mesh::default() }
    }

    #[test]
    fn skins_with_holes_enclose_and_bowls_and_sheets_do_not() {
        assert!((enclosing(&cap(1.0)) - 1.0).abs() < 1e-2 && border(&cap(1.0)) < 1e-9);
        assert!(enclosing(&cap(0.9)) > ENCLOSING, "{}", enclosing(&cap(0.9)));
        assert!(
            enclosing(&cap(0.5)) < ENCLOSING && border(&cap(0.5)) > LONG_BORDER,
            "{}",
            enclosing(&cap(0.5))
        );
        assert!((enclosing(&cap(0.01)) - 0.5).abs() < 0.05, "{}", enclosing(&cap(0.01)));
        let mut turned = cap(0.95);
        turned.triangles.iter_mut().for_each(|t| t.swap(0, 1));
        assert!(enclosing(&turned) > ENCLOSING);
    }
}
