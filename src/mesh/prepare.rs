//! From a mesh as it was read to one that can be simulated, or a refusal that names the elements.
//!
//! Refused are meshes without cells, coordinates that are not finite, corners out of range, and degenerate cells
//! (unless they may be dropped). Tets of negative volume are turned round, with a note. Cells that repeat others, and
//! vertices in no cell, are noted. Vertices are never removed or renumbered.

use super::quality::{DEGENERATE, is_degenerate, shape_ratio};
use super::{DataArray, Kind, Mesh};
use crate::{Error, Result};
use elements::math::vec3::{cross, dot, sub};

/// How many element numbers a message lists.
const LISTED: usize = 5;

/// A mesh that can be simulated: all cells have an extent, and all tets a positive volume. Notes tell what was changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Prepared {
    /// The mesh, with the vertices as read and all tets positive.
    pub mesh: Mesh,
    /// Notes for the user, one sentence each.
    pub notes: Vec<String>,
    /// For every vertex, true if it is in no cell.
    pub orphans: Vec<bool>,
}

/// Checks `mesh`, called `subject` in errors, and makes its tets positive. `repair` drops degenerate cells
/// with their cell data; without it they are an error.
pub fn prepare(mut mesh: Mesh, subject: &str, repair: bool) -> Result<Prepared> {
    let refuse =
        |reason: String, hint: &str| Error::Mesh { subject: subject.into(), reason, hint: hint.into() };
    if mesh.kind().is_none() {
        return Err(refuse("the mesh has no tetrahedra, no triangles and no edges".into(), ""));
    }
    let bad = numbers_where(&mesh.points, |p| !p.iter().all(|x| x.is_finite()));
    if !bad.is_empty() {
        let reason =
            format!("{} not finite: {}", counted(bad.len(), "vertex is", "vertices are"), list(&bad));
        return Err(refuse(reason, "the file's coordinates hold NaN or infinity"));
    }
    check_range(&mesh.tets, mesh.points.len(), "tet").map_err(|reason| refuse(reason, ""))?;
    check_range(&mesh.middles, mesh.points.len(), "tet").map_err(|reason| refuse(reason, ""))?;
    check_range(&mesh.triangles, mesh.points.len(), "triangle").map_err(|reason| refuse(reason, ""))?;
    check_range(&mesh.edges, mesh.points.len(), "edge").map_err(|reason| refuse(reason, ""))?;

    let mut notes = Vec::new();
    let bad = degenerate_cells(&mesh);
    if let Some(kind) = mesh.kind().filter(|_| !bad.is_empty()) {
        let extent = if kind == Kind::Line { "length" } else { "volume or area" };
        let what = format!("{} without {extent}: {}", counted_cells(bad.len(), kind.cell()), list(&bad));
        if !repair {
            return Err(refuse(what, "repair = true on the body drops them"));
        }
        drop_cells(&mut mesh, kind, &bad);
        if mesh.cells() == 0 {
            return Err(refuse(format!("nothing is left after dropping {what}"), ""));
        }
        notes.push(format!("dropped {what}"));
    }
    let turned = turn_negative(&mut mesh);
    if turned > 0 {
        notes.push(format!("turned round {} of negative volume", counted_cells(turned, "tet")));
    }
    let repeated = repeated_cells(&mesh);
    if !repeated.is_empty() {
        let what =
            format!("{} the corners of an earlier one", counted(repeated.len(), "cell has", "cells have"));
        notes.push(format!("{what} and add to it: {}", list(&repeated)));
    }
    let orphans = mesh.orphans();
    let lone = numbers_where(&orphans, |&o| o);
    if !lone.is_empty() {
        notes.push(format!(
            "{} in no cell: {}",
            counted(lone.len(), "vertex is", "vertices are"),
            list(&lone)
        ));
    }
    Ok(Prepared { mesh, notes, orphans })
}

/// The numbers of the degenerate cells.
pub(super) fn degenerate_cells(mesh: &Mesh) -> Vec<usize> {
    match mesh.kind() {
        Some(Kind::Solid) => numbers_where(&mesh.tets, |&t| is_degenerate(shape_ratio(&mesh.points, t))),
        Some(Kind::Sheet) => numbers_where(&mesh.triangles, |&t| is_degenerate_triangle(&mesh.points, t)),
        _ => degenerate_edges(mesh),
    }
}

/// The numbers of the edges shorter than [`DEGENERATE`] times the longest side of the mesh's bounding box.
pub(super) fn degenerate_edges(mesh: &Mesh) -> Vec<usize> {
    let [low, high] = mesh.bounds().unwrap_or_default();
    let size = sub(high, low).into_iter().filter(|side| side.is_finite()).fold(0.0, f64::max);
    numbers_where(&mesh.edges, |&[a, b]| {
        let along = sub(mesh.points[b as usize], mesh.points[a as usize]);
        let longest = along.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        // NaN, from coordinates that are not finite, is degenerate too.
        !matches!(longest.partial_cmp(&(DEGENERATE * size)), Some(std::cmp::Ordering::Greater))
    })
}

/// True for a triangle whose height is below [`DEGENERATE`] times its longest edge.
pub(super) fn is_degenerate_triangle(points: &[[f64; 3]], triangle: [u32; 3]) -> bool {
    let [a, b, c] = triangle.map(|v| points[v as usize]);
    let edges = [sub(b, a), sub(c, a), sub(c, b)];
    let largest = edges.iter().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
    let [u, v, _] = edges.map(|e| e.map(|x| x / largest));
    let normal = cross(u, v);
    // NaN, from three coinciding corners, is degenerate too.
    !matches!(dot(normal, normal).sqrt().partial_cmp(&DEGENERATE), Some(std::cmp::Ordering::Greater))
}

/// Removes the cells with these ascending numbers, and their data.
fn drop_cells(mesh: &mut Mesh, kind: Kind, numbers: &[usize]) {
    let keep = |i: usize| numbers.binary_search(&i).is_err();
    let cells = mesh.cells();
    for DataArray { components, values, .. } in &mut mesh.cell_data {
        if values.len() == cells * *components {
            retain_indexed(values, |i| keep(i / *components));
        }
    }
    match kind {
        Kind::Solid => {
            retain_indexed(&mut mesh.tets, keep);
            retain_indexed(&mut mesh.middles, keep);
        }
        Kind::Sheet => retain_indexed(&mut mesh.triangles, keep),
        Kind::Line => retain_indexed(&mut mesh.edges, keep),
    }
}

fn retain_indexed<T>(items: &mut Vec<T>, keep: impl Fn(usize) -> bool) {
    let mut i = 0;
    items.retain(|_| {
        i += 1;
        keep(i - 1)
    });
}

/// Exchanges two corners of every negative tet; returns how many there were.
fn turn_negative(mesh: &mut Mesh) -> usize {
    let mut turned = 0;
    for (t, tet) in mesh.tets.iter_mut().enumerate() {
        if shape_ratio(&mesh.points, *tet) < 0.0 {
            tet.swap(2, 3);
            if let Some(middles) = mesh.middles.get_mut(t) {
                // The edges 01, 12, 20, 03, 13, 23 become 01, 13, 30, 02, 12, 32.
                let [ab, bc, ca, ad, bd, cd] = *middles;
                *middles = [ab, bd, ad, ca, bc, cd];
            }
            turned += 1;
        }
    }
    turned
}

/// The numbers of cells that have the same corners as an earlier cell.
fn repeated_cells(mesh: &Mesh) -> Vec<usize> {
    fn repeats<const N: usize>(cells: &[[u32; N]]) -> Vec<usize> {
        let mut keys: Vec<([u32; N], usize)> = cells.iter().copied().zip(0..).collect();
        keys.iter_mut().for_each(|(corners, _)| corners.sort_unstable());
        keys.sort_unstable();
        let mut numbers: Vec<usize> = keys.windows(2).filter(|w| w[0].0 == w[1].0).map(|w| w[1].1).collect();
        numbers.sort_unstable();
        numbers
    }
    match mesh.kind() {
        Some(Kind::Solid) => repeats(&mesh.tets),
        Some(Kind::Sheet) => repeats(&mesh.triangles),
        _ => repeats(&mesh.edges),
    }
}

fn check_range<const N: usize>(cells: &[[u32; N]], vertices: usize, kind: &str) -> Result<(), String> {
    match cells
        .iter()
        .zip(0..)
        .find_map(|(cell, i)| Some((i, *cell.iter().find(|&&v| v as usize >= vertices)?)))
    {
        None => Ok(()),
        Some((i, v)) => {
            Err(format!("{kind} {i} uses vertex {v}, but there are only {vertices} (numbered from 0)"))
        }
    }
}

fn numbers_where<T>(items: &[T], is: impl Fn(&T) -> bool) -> Vec<usize> {
    items.iter().zip(0..).filter(|(item, _)| is(item)).map(|(_, i)| i).collect()
}

/// A number and its noun, such as "2 tets".
pub(super) fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

fn counted_cells(n: usize, kind: &str) -> String {
    format!("{n} {kind}{}", if n == 1 { "" } else { "s" })
}

/// The first few numbers (from 0), and whether there are more.
fn list(numbers: &[usize]) -> String {
    let shown: Vec<String> = numbers.iter().take(LISTED).map(usize::to_string).collect();
    format!("{}{}", shown.join(", "), if numbers.len() > LISTED { ", …" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_tets() -> Mesh {
        Mesh {
            points: vec![
                [0.0; 3],
                [1.0, 0.0, 0.0],
                [0.0, 1.0, 0.0],
                [0.0, 0.0, 1.0],
                [-1.0, 0.0, 0.0],
                [0.5, 0.5, 0.0],
            ],
            tets: vec![[0, 1, 2, 3], [0, 4, 2, 3]],
            cell_data: vec![DataArray { name: "m".into(), components: 2, values: vec![1.0, 2.0, 3.0, 4.0] }],
            ..Mesh::default()
        }
    }

    fn refusal(mesh: Mesh) -> String {
        prepare(mesh, "body 'x'", false).unwrap_err().to_string()
    }

    #[test]
    fn negative_tets_are_turned_and_orphans_listed() {
        let prepared = prepare(two_tets(), "x", false).unwrap();
        assert_eq!(prepared.mesh.tets, [[0, 1, 2, 3], [0, 4, 3, 2]]);
        assert_eq!(prepared.notes, ["turned round 1 tet of negative volume", "1 vertex is in no cell: 5"]);
        assert_eq!(prepared.orphans, [false, false, false, false, false, true]);
    }

    #[test]
    fn degenerate_tets_are_refused_by_number_or_dropped_with_their_data() {
        let mut mesh = two_tets();
        mesh.tets.insert(1, [0, 1, 2, 5]);
        mesh.tets.insert(0, [1, 1, 2, 3]);
        mesh.cell_data[0].values = (0..8).map(f64::from).collect();
        let message = refusal(mesh.clone());
        assert_eq!(
            message,
            "body 'x': 2 tets without volume or area: 0, 2 (repair = true on the body drops them)"
        );
        let prepared = prepare(mesh, "x", true).unwrap();
        assert_eq!(prepared.mesh.tets.len(), 2);
        assert_eq!(prepared.mesh.cell_data[0].values, [2.0, 3.0, 6.0, 7.0]);
        assert_eq!(prepared.notes[0], "dropped 2 tets without volume or area: 0, 2");
    }

    #[test]
    fn nothing_is_left_of_a_flat_mesh() {
        let mut mesh = two_tets();
        mesh.tets = vec![[0, 1, 2, 5]];
        assert!(prepare(mesh, "x", true).unwrap_err().to_string().contains("nothing is left"));
        assert!(refusal(Mesh::default()).contains("no tetrahedra"));
    }

    #[test]
    fn bad_coordinates_and_corners_are_named() {
        let mut mesh = two_tets();
        mesh.points[2][1] = f64::NAN;
        assert!(refusal(mesh).contains("1 vertex is not finite: 2"));
        let mut mesh = two_tets();
        mesh.tets[1][3] = 6;
        assert!(refusal(mesh).contains("tet 1 uses vertex 6, but there are only 6"));
    }

    #[test]
    fn cloth_is_checked_by_its_triangles() {
        let mut mesh = two_tets();
        (mesh.tets, mesh.cell_data) = (Vec::new(), Vec::new());
        mesh.triangles = vec![[0, 1, 2], [1, 2, 5], [2, 0, 1]];
        assert!(refusal(mesh.clone()).contains("1 triangle without volume or area: 1"));
        let prepared = prepare(mesh, "x", true).unwrap();
        assert_eq!(prepared.mesh.triangles, [[0, 1, 2], [2, 0, 1]]);
        assert!(prepared.notes[1].contains("1 cell has the corners of an earlier one"));
    }

    #[test]
    fn lines_are_checked_by_their_edges() {
        let mut mesh = two_tets();
        (mesh.tets, mesh.cell_data) = (Vec::new(), Vec::new());
        mesh.points[4] = mesh.points[1];
        mesh.edges = vec![[0, 1], [1, 4], [2, 2], [1, 0]];
        mesh.cell_data =
            vec![DataArray { name: "m".into(), components: 1, values: vec![1.0, 2.0, 3.0, 4.0] }];
        assert_eq!(
            refusal(mesh.clone()),
            "body 'x': 2 edges without length: 1, 2 (repair = true on the body drops them)"
        );
        let prepared = prepare(mesh.clone(), "x", true).unwrap();
        assert_eq!(prepared.mesh.edges, [[0, 1], [1, 0]]);
        assert_eq!(prepared.mesh.cell_data[0].values, [1.0, 4.0]);
        assert_eq!(prepared.orphans, [false, false, true, true, true, true]);
        assert!(prepared.notes[1].contains("1 cell has the corners of an earlier one"));
        mesh.edges = vec![[0, 7]];
        assert!(refusal(mesh).contains("edge 0 uses vertex 7, but there are only 6"));
    }
}
