//! The visible surfaces of a body: the user's own surfaces if it has some, else its boundary.

use std::borrow::Cow;

use super::Frame;
use crate::mesh::surface::{SurfaceMap, area_vector};
use crate::model::BodyModel;
use elements::math::vec3::{add, norm, scale};

/// A surface in a frame.
pub struct Seen<'a> {
    /// The name of its files.
    pub name: &'a str,
    /// The positions in m of the vertices that the surface refers to.
    pub points: Cow<'a, [[f64; 3]]>,
    /// The triangles or edges, and the vertices that they use.
    pub surface: &'a SurfaceMap,
}

/// All visible surfaces of a body.
pub fn seen<'a>(body: &'a BodyModel, frame: &'a Frame) -> Vec<Seen<'a>> {
    let surfaces: Vec<(&str, &SurfaceMap)> = match &body.embedded[..] {
        [] => vec![(&body.name, &body.surface)],
        embedded => embedded.iter().map(|e| (e.name.as_str(), &e.surface)).collect(),
    };
    let points = moved(body, &frame.x);
    let seen = surfaces.into_iter().zip(points);
    seen.map(|((name, surface), points)| Seen { name, points, surface }).collect()
}

/// Positions or velocities of the vertices that each surface of a body refers to, from those of all vertices.
pub fn moved<'a>(body: &'a BodyModel, values: &'a [[f64; 3]]) -> Vec<Cow<'a, [[f64; 3]]>> {
    let own = &values[body.vertices.clone()];
    match &body.embedded[..] {
        [] => vec![own.into()],
        embedded => embedded.iter().map(|e| e.embedding.apply(own).into()).collect(),
    }
}

impl Seen<'_> {
    /// The unit normal at each vertex of the surface: the mean of its triangles' normals, weighted
    /// by area; 0 without any.
    pub fn normals(&self) -> Vec<[f64; 3]> {
        let mut sums = vec![[0.0; 3]; self.surface.vertices.len()];
        for triangle in &self.surface.triangles {
            let corners = triangle.map(|v| self.points[self.surface.vertices[v as usize] as usize]);
            let area = area_vector(&corners, [0, 1, 2]);
            for v in triangle {
                sums[*v as usize] = add(sums[*v as usize], area);
            }
        }
        sums.into_iter().map(|n| scale(1.0 / norm(n).max(f64::MIN_POSITIVE), n)).collect()
    }
}
