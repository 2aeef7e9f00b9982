//! Obstacles whose vertices go where files have them.
//!
//! The mesh gives the triangles, the files give all places, also those of the start. Vertices that are at one place in every
//! frame are one, as those of a mesh that stands are; vertices that ever part are not. No triangle is dropped because it has
//! no area: it may have one in another frame.

use std::sync::Arc;

use super::{ObstacleData, ObstacleKind, edges, mesh_of};
use crate::error::{Error, Result};
use crate::mesh::prepare::prepare;
use crate::mesh::repair::{Repair, repair};
use crate::mesh::surface::SurfaceMap;
use crate::mesh::weld::coinciding;
use crate::mesh::{Kind, Mesh};
use crate::meshing::check;
use crate::model::notes::Notes;
use crate::model::sequence::{Places, Positions, read};
use crate::scene::{MeshSource, Motion, Obstacle, Sequence};

/// The obstacle of a mesh that follows a sequence, where it is at time 0.
pub(super) fn load(
    obstacle: &Obstacle,
    source: &MeshSource,
    motion: &Motion,
    sequence: &Sequence,
    subject: &str,
) -> Result<ObstacleData> {
    let refuse = |reason: &str, hint: &str| {
        Err(Error::Mesh { subject: subject.into(), reason: reason.into(), hint: hint.into() })
    };
    let mesh = mesh_of(source, subject)?;
    let frames = read(sequence, &mesh, true, subject)?;
    let own = triangles(mesh, subject)?;
    let (vertices, triangles) = joined(&own, &frames.points);
    if triangles.is_empty() {
        return refuse(
            "no triangle of its mesh has three corners at different places",
            "write the files anew",
        );
    }
    let count = vertices.len() as u32;
    let places = Places::new(&frames, vertices, &obstacle.transform).renumbered((0..count).collect());
    if !places.is_finite() {
        return refuse("its points are not finite", "use smaller numbers in 'transform'");
    }
    let points: Vec<[f64; 3]> = (0..count).filter_map(|v| places.at(v, motion.elapsed(0.0))).collect();
    let triangles = oriented(points.clone(), triangles);
    Ok(ObstacleData {
        points,
        edges: edges(&triangles),
        triangles,
        radius: 0.0,
        kind: ObstacleKind::Triangles,
        places: Some(Arc::new(places)),
        notes: Notes::default(),
    })
}

/// The triangles of a mesh, or the boundary of its tets, by the numbers of the file.
fn triangles(mesh: Mesh, subject: &str) -> Result<Vec<[u32; 3]>> {
    if mesh.kind() == Some(Kind::Solid) {
        let SurfaceMap { triangles, vertices, .. } = SurfaceMap::of_mesh(&prepare(mesh, subject, true)?.mesh);
        return Ok(triangles.into_iter().map(|t| t.map(|v| vertices[v as usize])).collect());
    }
    check(&mesh, subject)?;
    Ok(mesh.triangles)
}

/// The vertices that triangles have once those at one place in all frames are one, and the triangles by their numbers among
/// these, each once.
fn joined(triangles: &[[u32; 3]], frames: &[Positions]) -> (Vec<u32>, Vec<[u32; 3]>) {
    let first = together(frames);
    let corners = triangles.iter().map(|t| t.map(|v| first[v as usize]));
    let mut kept: Vec<[u32; 3]> = corners.filter(|[a, b, c]| a != b && b != c && c != a).collect();
    let key = |t: &[u32; 3]| {
        let mut key = *t;
        key.sort_unstable();
        key
    };
    let mut seen = std::collections::BTreeSet::new();
    kept.retain(|t| seen.insert(key(t)));
    let mut vertices: Vec<u32> = kept.as_flattened().to_vec();
    vertices.sort_unstable();
    vertices.dedup();
    let number = |v: u32| vertices.partition_point(|own| *own < v) as u32;
    let renumbered = kept.iter().map(|t| t.map(number)).collect();
    (vertices, renumbered)
}

/// For every vertex, the first one that is at its place in all frames: itself if there is none before it.
fn together(frames: &[Positions]) -> Vec<u32> {
    let mut first: Vec<u32> = frames.first().map(|points| coinciding(points)).unwrap_or_default();
    for points in frames {
        if (0..first.len()).all(|v| points[v] == points[first[v] as usize]) {
            continue;
        }
        let now = coinciding(points);
        let mut firsts = std::collections::BTreeMap::new();
        let parted = |(v, before): (usize, &u32)| *firsts.entry((*before, now[v])).or_insert(v as u32);
        first = first.iter().enumerate().map(parted).collect();
    }
    first
}

/// The triangles, turned so that neighbours face the same way and closed parts outward.
fn oriented(points: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>) -> Vec<[u32; 3]> {
    let turning = Repair { orient: true, ..Repair::none() };
    repair(Mesh { points, triangles, ..Mesh::default() }, &turning).0.triangles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_that_ever_part_stay_two() {
        let place = |x: f64| [x, 0.0, 0.0];
        // 0 and 1 stay together, 2 leaves them, 3 and 4 stay together from another start.
        let frames =
            [[0.0, 0.0, 0.0, 3.0, 3.0, 5.0], [1.0, 1.0, 2.0, 4.0, 4.0, 1.0]].map(|xs| xs.map(place).to_vec());
        assert_eq!(together(&frames), [0, 0, 2, 3, 3, 5]);
        let triangles = [[1, 2, 5], [0, 1, 2], [5, 2, 0], [5, 3, 2]];
        let (vertices, kept) = joined(&triangles, &frames);
        assert_eq!((vertices, kept), (vec![0, 2, 3, 5], vec![[0, 1, 3], [3, 2, 1]]));
    }
}
