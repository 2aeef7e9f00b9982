//! From a surface as it comes out of a modeller or scanner to one that encloses a volume.
//!
//! The steps, in this order; each can be left out and counts what it did:
//!
//! 1. [`weld`]: vertices at one place become one;
//! 2. [`faces`]: triangles without area and duplicates go;
//! 3. vertices in no triangle go;
//! 4. [`orient`]: neighbours face the same way;
//! 5. [`holes`]: small holes are filled;
//! 6. [`shells`]: parts too small to matter go, and lone triangles beside closed parts;
//! 7. [`orient`] again: closed parts face outward, cavities inward, which can be said only now.
//!
//! Everything that remains keeps its order and its bits: a clean closed surface comes back as it was, and so does
//! a repaired one. Point data stay with their points (welded points keep those of the first), cell data with
//! their triangles. A new triangle takes the values of the one that it was cut from or, in a hole, of the one
//! beyond the loop's first edge.

pub mod faces;
pub mod holes;
pub mod orient;
pub mod shells;
pub mod weld;

use std::fmt;

use serde::Serialize;

use super::prepare::counted;
use super::surface::{Topology, topology};
use super::{DataArray, Kind, Mesh};

/// Which repairs to make. The default makes a volume that can be simulated from a surface that nearly encloses one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Repair {
    /// Weld vertices within this part of the bounding box's diagonal. With 0, only those at exactly the same place are
    /// welded; with `None`, none.
    pub weld: Option<f64>,
    /// Drop triangles without area, duplicates, and walls that consist of opposite duplicates.
    pub faces: bool,
    /// Drop vertices in no triangle.
    pub vertices: bool,
    /// Orient neighbours the same way, closed parts outward and cavities inward.
    pub orient: bool,
    /// Fill holes of up to this many edges; 0 fills none.
    pub holes: usize,
    /// Drop shells whose bounding box has a diagonal below this part of the largest one's, and lone triangles beside
    /// closed shells; 0 drops none.
    pub small_shells: f64,
}

impl Default for Repair {
    /// All repairs: exact welding, holes of up to 100 edges, shells below 1e-4 of the largest, since no mesh of tets
    /// resolves both of these.
    fn default() -> Repair {
        Repair { weld: Some(0.0), faces: true, vertices: true, orient: true, holes: 100, small_shells: 1e-4 }
    }
}

impl Repair {
    /// No repairs: the mesh stays as it is.
    pub fn none() -> Repair {
        Repair { weld: None, faces: false, vertices: false, orient: false, holes: 0, small_shells: 0.0 }
    }
}

/// Counts of the repairs that were made, and the defects that remain.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// The number of vertices that were welded to another one and removed.
    pub welded_vertices: usize,
    /// The number of triangles without area that were dropped, also because welding left them two corners.
    pub degenerate_triangles: usize,
    /// The number of triangles that were split at a vertex on their side, beside a neighbour without area.
    pub split_triangles: usize,
    /// The number of dropped triangles with the corners of another one.
    pub duplicate_triangles: usize,
    /// The number of dropped triangles in inner walls of opposite duplicates.
    pub wall_triangles: usize,
    /// The number of dropped vertices that were in no triangle.
    pub unreferenced_vertices: usize,
    /// The number of triangles that were turned round.
    pub turned_triangles: usize,
    /// The number of holes that were filled.
    pub filled_holes: usize,
    /// The number of triangles that filling the holes added.
    pub hole_triangles: usize,
    /// The number of shells that were dropped.
    pub small_shells: usize,
    /// The number of triangles of the dropped shells.
    pub shell_triangles: usize,
    /// The topology of the surface after the repairs.
    pub left: Topology,
}

/// Repairs a mesh of triangles; a mesh of tets or lines comes back as it is. Corners must be in range. The result
/// depends on the input alone.
pub fn repair(mut mesh: Mesh, options: &Repair) -> (Mesh, Report) {
    let mut report = Report::default();
    if mesh.kind() != Some(Kind::Sheet) {
        return (mesh, report);
    }
    let (groups, points) = (std::mem::take(&mut mesh.groups), mesh.points.clone());
    if let Some(tolerance) = options.weld {
        report.welded_vertices = weld::weld(&mut mesh, tolerance);
    }
    let welded = report.welded_vertices;
    if options.faces {
        faces::drop_degenerate(&mut mesh, &mut report);
        faces::drop_duplicates(&mut mesh, &mut report);
    }
    if options.vertices {
        report.unreferenced_vertices = drop_unreferenced(&mut mesh) - (report.welded_vertices - welded);
    }
    if options.orient {
        let first = orient::consistently(&mut mesh);
        // An array records the number that each triangle had before holes were filled.
        let numbers = (0..first.len()).map(|t| t as f64).collect();
        mesh.cell_data.push(DataArray { name: String::new(), components: 1, values: numbers });
        close(&mut mesh, options, &mut report);
        let numbers = mesh.cell_data.pop().map_or(vec![], |array| array.values);
        report.turned_triangles = count_turned(&first, &numbers, &orient::outward(&mut mesh));
    } else {
        close(&mut mesh, options, &mut report);
    }
    if options.vertices {
        // These are vertices of dropped shells, and of triangles that closed cracks.
        drop_unreferenced(&mut mesh);
    }
    // Otherwise points have other numbers.
    if mesh.points == points {
        mesh.groups = groups;
    }
    report.left = topology(&mesh.triangles);
    (mesh, report)
}

/// Fills holes and drops small shells until neither is possible, because shells can be in each other's way.
fn close(mesh: &mut Mesh, options: &Repair, report: &mut Report) {
    loop {
        holes::fill(mesh, options.holes, options.faces, report);
        if shells::drop_small(mesh, options.small_shells, report) == 0 {
            return;
        }
    }
}

/// How many triangles were turned exactly once, either in `first` or in `then`. `numbers` has the number in `first` of
/// each triangle of `then`. New triangles have the number of an earlier one and do not count.
fn count_turned(first: &[bool], numbers: &[f64], then: &[bool]) -> usize {
    let mut seen = vec![false; first.len()];
    let old = numbers.iter().zip(then).map(|(&number, &then)| (number as usize, then));
    old.filter(|&(t, then)| !std::mem::replace(&mut seen[t], true) && first[t] != then).count()
}

/// Removes the vertices that no triangle uses, with their data; returns how many there were.
fn drop_unreferenced(mesh: &mut Mesh) -> usize {
    let orphans = mesh.orphans();
    let count = orphans.iter().filter(|o| **o).count();
    if count > 0 {
        keep_vertices(mesh, |v| !orphans[v]);
    }
    count
}

/// Removes the vertices that `keep` refuses, which no triangle may use, with their data.
fn keep_vertices(mesh: &mut Mesh, keep: impl Fn(usize) -> bool) {
    let mut number = 0;
    let numbers: Vec<u32> = (0..mesh.points.len())
        .map(|v| {
            number += u32::from(keep(v));
            number.wrapping_sub(1)
        })
        .collect();
    retain_data(&mut mesh.point_data, mesh.points.len(), &keep);
    retain_indexed(&mut mesh.points, &keep);
    mesh.triangles.iter_mut().flatten().for_each(|v| *v = numbers[*v as usize]);
}

/// Removes the triangles that `keep` refuses, with their data.
fn keep_triangles(mesh: &mut Mesh, keep: impl Fn(usize) -> bool) {
    retain_data(&mut mesh.cell_data, mesh.triangles.len(), &keep);
    retain_indexed(&mut mesh.triangles, keep);
}

/// Appends a triangle with the data of triangle `like`.
fn push_triangle(mesh: &mut Mesh, triangle: [u32; 3], like: usize) {
    for DataArray { components, values, .. } in &mut mesh.cell_data {
        if values.len() == mesh.triangles.len() * *components {
            values.extend_from_within(like * *components..(like + 1) * *components);
        }
    }
    mesh.triangles.push(triangle);
}

/// Removes tuples of arrays that have one for each of `count` items.
fn retain_data(arrays: &mut [DataArray], count: usize, keep: impl Fn(usize) -> bool) {
    for DataArray { components, values, .. } in arrays {
        if values.len() == count * *components {
            retain_indexed(values, |i| keep(i / *components));
        }
    }
}

fn retain_indexed<T>(items: &mut Vec<T>, keep: impl Fn(usize) -> bool) {
    let mut i = 0;
    items.retain(|_| {
        i += 1;
        keep(i - 1)
    });
}

impl fmt::Display for Report {
    /// A line for each step that did something, and one for the defects that remain.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [vertices, triangles, edges] =
            [("vertex", "vertices"), ("triangle", "triangles"), ("edge", "edges")]
                .map(|(one, many)| move |count: usize| (count, counted(count, one, many)));
        let told = |all: Vec<((usize, String), &str)>| -> Vec<String> {
            all.into_iter()
                .filter(|((count, _), _)| *count > 0)
                .map(|((_, n), what)| n + " " + what)
                .collect()
        };
        let mut lines = told(vec![
            (vertices(self.welded_vertices), "welded to others"),
            (triangles(self.degenerate_triangles), "without area dropped"),
            (triangles(self.split_triangles), "split at a vertex on a side"),
            (triangles(self.duplicate_triangles), "with the corners of others dropped"),
            (triangles(self.wall_triangles), "of inner walls dropped"),
            (vertices(self.unreferenced_vertices), "in no triangle dropped"),
            (triangles(self.turned_triangles), "turned round"),
        ]);
        if self.filled_holes > 0 {
            let with = counted(self.hole_triangles, "triangle", "triangles");
            lines.push(format!("{} filled with {with}", counted(self.filled_holes, "hole", "holes")));
        }
        if self.small_shells > 0 {
            let of = counted(self.shell_triangles, "triangle", "triangles");
            lines.push(format!(
                "{} of {of} dropped",
                counted(self.small_shells, "small shell", "small shells")
            ));
        }
        let left = told(vec![
            (edges(self.left.open_edges), "of one triangle"),
            (edges(self.left.nonmanifold_edges), "of more than two triangles"),
            (vertices(self.left.nonmanifold_vertices), "where the surface touches itself"),
            (edges(self.left.inconsistent_edges), "between triangles oriented against each other"),
        ]);
        if !left.is_empty() {
            lines.push(format!("left: {}", left.join(", ")));
        }
        f.write_str(&lines.join("\n"))
    }
}

#[cfg(test)]
mod tests;
