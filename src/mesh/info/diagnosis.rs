//! What kind of surface triangles form, and what is wrong with it.

use crate::mesh::intersect::intersecting_pairs;
use crate::mesh::loops::loops;
use crate::mesh::nesting::inside_out;
use crate::mesh::surface::{Topology, patches, topology};
use crate::mesh::weld::coinciding;

/// The surface that some triangles form.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diagnosis {
    /// The triangles that were judged: with corners that differ, and in common vertices if they were a soup.
    pub triangles: Vec<[u32; 3]>,
    /// Vertices that another one stands for, since the triangles were a soup.
    pub welded: usize,
    /// Edges, vertices and parts.
    pub topology: Topology,
    /// Loops of border edges.
    pub boundary_loops: usize,
    /// Parts of a closed surface that face the wrong way; `None` where that cannot be said.
    pub inside_out: Option<usize>,
    /// Triangles with the corners of an earlier one, in any order.
    pub duplicates: usize,
    /// Pairs of triangles, by their numbers as given, that intersect.
    pub intersections: Vec<[u32; 2]>,
}

/// Judges triangles, whose corners must be in range. Those with a corner twice are left out.
///
/// Files of some formats hold a soup: every triangle has vertices of its own. Then vertices at the same place are one.
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
            .then(|| inside_out(points, &sound, &patches(&sound)).iter().filter(|x| **x).count()),
        duplicates: duplicates(&sound),
        intersections: intersecting_pairs(points, triangles),
        triangles: sound,
    }
}

/// Are there several triangles and no vertex that two of them have?
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
