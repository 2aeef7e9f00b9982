//! The topology of a surface of triangles, and its defects.

use crate::mesh::intersect::{Intersections, intersecting_pairs};
use crate::mesh::loops::loops;
use crate::mesh::nesting::inside_out;
use crate::mesh::surface::{Topology, patches, topology};
use crate::mesh::weld::coinciding;

/// The surface that some triangles form.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diagnosis {
    /// The triangles that were judged: those with three different corners. If they were a soup,
    /// their vertices are welded.
    pub triangles: Vec<[u32; 3]>,
    /// How many vertices were replaced by another one at the same place, if the triangles were a soup.
    pub welded: usize,
    /// The numbers of irregular edges, vertices and parts.
    pub topology: Topology,
    /// The number of loops of border edges.
    pub boundary_loops: usize,
    /// The number of parts of a closed surface that face the wrong way; `None` if that cannot be decided.
    pub inside_out: Option<usize>,
    /// The number of triangles with the corners of an earlier one, in any order.
    pub duplicates: usize,
    /// The triangles, by their numbers as given, that intersect.
    pub intersections: Intersections,
}

/// Judges triangles, whose corners must be in range. Triangles that have a corner twice are left out.
///
/// Files of some formats hold a soup, in which every triangle has vertices of its own. Vertices at the same place
/// are then treated as one.
pub fn diagnose(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> Diagnosis {
    let mut sound = triangles.to_vec();
    let mut welded = 0;
    if is_soup(points.len(), triangles) {
        let place = coinciding(points);
        sound.iter_mut().flatten().for_each(|v| *v = place[*v as usize]);
        welded = place.iter().zip(0..).filter(|&(&p, v)| p != v).count();
    }
    sound.retain(|[a, b, c]| a != b && b != c && c != a);
    let topology = topology(&sound);
    let finite = sound.as_flattened().iter().all(|&v| points[v as usize].iter().all(|x| x.is_finite()));
    let judged = topology.closed() && topology.inconsistent_edges == 0 && finite && !sound.is_empty();
    Diagnosis {
        welded,
        topology,
        boundary_loops: loops(&sound).len(),
        inside_out: judged
            .then(|| inside_out(points, &sound, &patches(&sound)))
            .flatten()
            .map(|parts| parts.iter().filter(|x| **x).count()),
        duplicates: duplicates(&sound),
        intersections: intersecting_pairs(points, triangles),
        triangles: sound,
    }
}

/// True if there are several triangles and no two of them have a vertex in common.
fn is_soup(vertices: usize, triangles: &[[u32; 3]]) -> bool {
    let mut used = vec![false; vertices];
    triangles.len() > 1
        && triangles.as_flattened().iter().all(|&v| !std::mem::replace(&mut used[v as usize], true))
}

fn duplicates(triangles: &[[u32; 3]]) -> usize {
    let mut keys = triangles.to_vec();
    keys.iter_mut().for_each(|corners| corners.sort_unstable());
    keys.sort_unstable();
    keys.windows(2).filter(|pair| pair[0] == pair[1]).count()
}
