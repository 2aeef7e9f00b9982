//! Negligible parts of the surface: dust, and lone triangles beside closed parts.

use super::{Report, keep_triangles};
use crate::mesh::Mesh;
use crate::mesh::surface::{half_edges, shells};
use crate::mesh::tree::{EMPTY, around, merge};
use elements::math::vec3::{norm, sub};

/// Drops the shells whose bounding box has a diagonal below `part` of the largest one's, and the lone triangles if
/// there is a closed shell. Drops nothing if `part` is 0. Returns how many shells were dropped.
pub fn drop_small(mesh: &mut Mesh, part: f64, report: &mut Report) -> usize {
    let shell_of = shells(&mesh.triangles);
    let count = shell_of.iter().max().map_or(0, |&last| last as usize + 1);
    let mut boxes = vec![EMPTY; count];
    for (triangle, &shell) in mesh.triangles.iter().zip(&shell_of) {
        let bounds = &mut boxes[shell as usize];
        *bounds = merge(*bounds, around(&triangle.map(|v| mesh.points[v as usize])));
    }
    let sizes: Vec<f64> = boxes.iter().map(|[low, high]| norm(sub(*high, *low))).collect();
    let least = part * sizes.iter().copied().fold(0.0, f64::max);
    let (mut closed, mut triangles) = (vec![true; count], vec![0; count]);
    shell_of.iter().for_each(|&shell| triangles[shell as usize] += 1);
    for same in half_edges(&mesh.triangles).chunk_by(|a, b| a.ends == b.ends).filter(|same| same.len() != 2) {
        closed[shell_of[same[0].triangle()] as usize] = false;
    }
    let lone = part > 0.0 && closed.contains(&true);
    let is_small = |shell: u32| sizes[shell as usize] < least || lone && triangles[shell as usize] == 1;
    let small = (0..count as u32).filter(|&shell| is_small(shell)).count();
    if small > 0 {
        let before = mesh.triangles.len();
        keep_triangles(mesh, |t| !is_small(shell_of[t]));
        report.small_shells += small;
        report.shell_triangles += before - mesh.triangles.len();
    }
    small
}
