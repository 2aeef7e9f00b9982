//! Holes are filled with the triangles of least area between the vertices of their loops.
//!
//! ```text
//! A(i, k) = min_j A(i, j) + A(j, k) + |ijk|,      A(i, i + 1) = 0
//! ```
//!
//! over the vertices i < j < k of the loop \[Barequet1995\]. A diagonal that is already an edge of the surface is not
//! allowed, so that no edge gets a third triangle. Triangles without area are used only if there is no other way, as in
//! the crack along a side on which a vertex lies; they are removed at once, as all such triangles are ([`faces`]).
//! Loops too long for this method take the ears of a [`Cutter`]. Holes that cannot be filled stay open. So does a sheet
//! whose border would be sewn up to a surface without volume.

use std::collections::BTreeSet;

use super::{Report, faces, push_triangle};
use crate::mesh::Mesh;
use crate::mesh::loops::{Loop, loops};
use crate::mesh::nesting::FLAT;
use crate::mesh::polygon::Cutter;
use crate::mesh::prepare::is_degenerate_triangle;
use crate::mesh::surface::{area_vector, enclosed_volume, half_edges, shells, topology};
use elements::math::vec3::{norm, sub};

/// The number of edges of the longest loop that is filled with least area. The time grows with its cube.
const LONGEST: usize = 500;

/// Fills the loops of up to `most` edges. Triangles without area, which are removed again, are used only if `faces` is
/// true. If neighbours are not oriented the same way along a loop, it stays open.
pub fn fill(mesh: &mut Mesh, most: usize, faces: bool, report: &mut Report) {
    let mut left = if most == 0 { vec![] } else { loops(&mesh.triangles) };
    let (holes, triangles) = (left.len(), mesh.triangles.len());
    while !left.is_empty() {
        let (mut filled, mut after) = (mesh.clone(), report.clone());
        fill_loops(&mut filled, &left, most, faces);
        if faces {
            faces::flatten(&mut filled, &mut after);
            faces::drop_duplicates(&mut filled, &mut after);
        }
        // A filling that does not shorten the border is discarded, because it would be repeated for ever.
        if topology(&filled.triangles).open_edges >= topology(&mesh.triangles).open_edges {
            break;
        }
        (*mesh, *report) = (filled, after);
        left = loops(&mesh.triangles);
    }
    report.filled_holes += holes.saturating_sub(left.len());
    report.hole_triangles += mesh.triangles.len().saturating_sub(triangles);
}

/// Appends the triangles that fill those loops that can be filled.
fn fill_loops(mesh: &mut Mesh, all: &[Loop], most: usize, faces: bool) {
    let shell_of = shells(&mesh.triangles);
    let mut edges: BTreeSet<[u32; 2]> = half_edges(&mesh.triangles).iter().map(|side| side.ends).collect();
    let mut fillings: Vec<(u32, usize, Vec<[u32; 3]>)> = vec![];
    let mut cutter = Cutter::default();
    for border in all.iter().filter(|border| border.vertices.len() <= most) {
        if let Some(triangles) = filling(&mesh.points, border, &edges, faces, &mut cutter) {
            edges.extend(triangles.iter().flat_map(|&t| faces::sides(t)));
            let beyond = border.triangles[0] as usize;
            fillings.push((shell_of[beyond], beyond, triangles));
        }
    }
    fillings.sort_by_key(|(shell, ..)| *shell);
    let mut by_shell: Vec<(u32, usize)> = shell_of.iter().copied().zip(0..).collect();
    by_shell.sort_unstable();
    for same in fillings.chunk_by(|a, b| a.0 == b.0) {
        let first = by_shell.partition_point(|(shell, _)| *shell < same[0].0);
        let shell = by_shell[first..].iter().take_while(|(shell, _)| *shell == same[0].0);
        let new = same.iter().flat_map(|(_, _, new)| new.iter().copied());
        let whole: Vec<[u32; 3]> = shell.map(|&(_, t)| mesh.triangles[t]).chain(new).collect();
        if !is_flat(&mesh.points, &whole) {
            for (_, beyond, new) in same {
                new.iter().for_each(|&triangle| push_triangle(mesh, triangle, *beyond));
            }
        }
    }
}

/// The triangles that fill a loop, facing as those around it; `None` if there is no way.
fn filling(
    points: &[[f64; 3]],
    border: &Loop,
    edges: &BTreeSet<[u32; 2]>,
    faces: bool,
    cutter: &mut Cutter,
) -> Option<Vec<[u32; 3]>> {
    let mut corners = border.vertices.clone();
    if border.along.iter().any(|along| *along != border.along[0]) {
        return None;
    }
    if border.along[0] {
        corners.reverse();
    }
    let is_taken = |a: u32, b: u32| edges.contains(&[a.min(b), a.max(b)]);
    if corners.len() <= LONGEST {
        return least_area(points, &corners, is_taken, faces);
    }
    let mut triangles = vec![];
    cutter.cut(points, &corners, |triangle| triangles.push(triangle));
    let mut new: Vec<[u32; 2]> = triangles.iter().flat_map(|&t| faces::sides(t)).collect();
    new.sort_unstable();
    // Sides of the loop occur once in the filling and exist already; diagonals occur twice and are new.
    let sound = new.chunk_by(|a, b| a == b).all(|same| match same {
        [[a, b]] => is_taken(*a, *b),
        [[a, b], _] => !is_taken(*a, *b),
        _ => false,
    });
    (sound && !triangles.iter().any(|&t| is_degenerate_triangle(points, t))).then_some(triangles)
}

/// The triangulation of least area whose diagonals are not edges of the surface.
fn least_area(
    points: &[[f64; 3]],
    corners: &[u32],
    is_taken: impl Fn(u32, u32) -> bool,
    faces: bool,
) -> Option<Vec<[u32; 3]>> {
    let n = corners.len();
    let longest = corners.iter().map(|&v| norm(sub(points[v as usize], points[corners[0] as usize])));
    // The penalty is more than all areas together, so that triangles without area are the last resort.
    let penalty = if faces { 4.0 * n as f64 * longest.fold(0.0, f64::max).powi(2) } else { f64::INFINITY };
    let weight = |triangle: [u32; 3]| {
        let flat = is_degenerate_triangle(points, triangle);
        norm(area_vector(points, triangle)) + if flat { penalty } else { 0.0 }
    };
    // For the polygon from i to k: the least area, and the corner that forms a triangle with its ends.
    let mut best = vec![(0.0, 0); n * n];
    for length in 2..n {
        for i in 0..n - length {
            let k = i + length;
            let mut least = (f64::INFINITY, 0);
            if length == n - 1 || !is_taken(corners[i], corners[k]) {
                for j in i + 1..k {
                    let parts = best[i * n + j].0 + best[j * n + k].0;
                    if parts < least.0 {
                        let sum = parts + weight([corners[i], corners[j], corners[k]]);
                        least = if sum < least.0 { (sum, j) } else { least };
                    }
                }
            }
            best[i * n + k] = least;
        }
    }
    best[n - 1].0.is_finite().then(|| {
        let (mut triangles, mut open) = (vec![], vec![(0, n - 1)]);
        while let Some((i, k)) = open.pop() {
            if k - i > 1 {
                let j = best[i * n + k].1;
                triangles.push([i, j, k].map(|c| corners[c]));
                open.extend([(j, k), (i, j)]);
            }
        }
        triangles
    })
}

/// True if the triangles form a closed surface that encloses nothing.
fn is_flat(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> bool {
    let closed = half_edges(triangles).chunk_by(|a, b| a.ends == b.ends).all(|same| same.len() == 2);
    let area: f64 = triangles.iter().map(|&t| norm(area_vector(points, t))).sum();
    closed && enclosed_volume(points, triangles).abs() <= FLAT * area.powf(1.5)
}
