//! What is inside of what: vertices of bodies behind planes, and in spheres, capsules, closed meshes and solid bodies.

use std::sync::{Arc, Mutex, PoisonError};

use crate::contact::surfaces::{Part, Surfaces};
use crate::mesh::tree::Tree;
use crate::mesh::winding::Winding;
use elements::math::lanes::Vec4;
use elements::math::vec3::{add, cross, dot, norm, scale, sub};
use elements::par;

type Point = [f64; 3];

/// The number of vertices that one thread looks at before it takes the next ones.
const AT_ONCE: usize = 256;
/// The winding number from which on a point is inside.
const INSIDE: f64 = 0.5;

/// A vertex that is inside of a part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penetration {
    /// The vertex, internal numbering.
    pub vertex: u32,
    /// The number of its part, and of the part that it is inside of.
    pub parts: [u32; 2],
    /// How deep it is below the surface, its radius included, in m.
    pub depth: f64,
    /// The unit vector along which it gets out.
    pub normal: Point,
    /// The corners of the triangle that it is nearest to, with the weights of the nearest point; `None` for exact shapes.
    pub nearest: Option<([u32; 3], Point)>,
}

/// The surface of a closed mesh, by the places of its triangles' corners.
type Closed = (Vec<Point>, Arc<Winding>);

/// Finds what is inside of what; trees of meshes that stand still are kept.
#[derive(Default)]
pub struct Inside {
    kept: Mutex<Vec<Option<Closed>>>,
}

impl Inside {
    /// The vertices of bodies that are inside of other parts at `x`, ascending by vertex and part.
    pub fn find(&self, surfaces: &Surfaces, x: &[Vec4]) -> Vec<Penetration> {
        let mut found = vec![];
        for (number, part) in surfaces.parts.iter().enumerate() {
            let number = number as u32;
            let closed = (!part.is_sheet && !part.triangles.is_empty()).then(|| self.closed(number, part, x));
            let looked_at = par::map(surfaces.vertices.len().div_ceil(AT_ONCE), |chunk| {
                let vertices = surfaces.vertices.iter().skip(AT_ONCE * chunk).take(AT_ONCE);
                let others = vertices.filter(|(_, own)| *own != number && surfaces.may_touch(*own, number));
                let look = |(vertex, own): &(u32, u32)| {
                    let radius = surfaces.parts[*own as usize].radius;
                    let place = x[*vertex as usize].xyz();
                    let (height, normal, nearest) = match &closed {
                        Some(winding) => above_mesh(part, winding, |v| x[v as usize].xyz(), (place, radius))?,
                        None => above_shape(part, x, place)?,
                    };
                    let depth = radius - height;
                    let parts = [*own, number];
                    (depth > 0.0).then_some(Penetration { vertex: *vertex, parts, depth, normal, nearest })
                };
                others.filter_map(look).collect::<Vec<_>>()
            });
            found.extend(looked_at.into_iter().flatten());
        }
        found.sort_by_key(|found: &Penetration| (found.vertex, found.parts[1]));
        found
    }

    /// The tree of a part's triangles at `x`.
    fn closed(&self, number: u32, part: &Part, x: &[Vec4]) -> Arc<Winding> {
        let places: Vec<Point> = part.triangles.iter().flatten().map(|v| x[*v as usize].xyz()).collect();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let count = kept.len().max(number as usize + 1);
        kept.resize_with(count, || None);
        if let Some((old, winding)) = &kept[number as usize]
            && *old == places
        {
            return winding.clone();
        }
        let corners = |k: usize| [0, 1, 2].map(|i| (3 * k + i) as u32);
        let triangles: Vec<[u32; 3]> = (0..part.triangles.len()).map(corners).collect();
        let winding = Arc::new(Winding::new(Tree::new(&places, &triangles)));
        kept[number as usize] = Some((places, winding.clone()));
        winding
    }
}

/// The height of a place above a surface in m, negative inside, the way up, and the nearest point of a triangle.
type Above = (f64, Point, Option<([u32; 3], Point)>);

fn above_mesh(
    part: &Part,
    winding: &Winding,
    at: impl Fn(u32) -> Point,
    (place, radius): (Point, f64),
) -> Option<Above> {
    let [low, high] = winding.tree().bounds();
    if (0..3).any(|k| place[k] < low[k] - radius || place[k] > high[k] + radius) {
        return None;
    }
    let nearest = winding.tree().nearest(place)?;
    let distance = nearest.distance_squared.sqrt();
    let is_inside = winding.at(place) > INSIDE;
    if distance == 0.0 || (!is_inside && distance > radius) {
        return None;
    }
    let way = scale(1.0 / distance, sub(nearest.point, place));
    let (height, normal) = if is_inside { (-distance, way) } else { (distance, scale(-1.0, way)) };
    let corners = part.triangles[nearest.triangle as usize];
    Some((height, normal, Some((corners, weights(corners.map(at), nearest.point)))))
}

/// The barycentric weights of a point of a triangle.
fn weights([a, b, c]: [Point; 3], point: Point) -> Point {
    let normal = cross(sub(b, a), sub(c, a));
    let square = dot(normal, normal);
    if square <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let v = dot(cross(sub(point, a), sub(c, a)), normal) / square;
    let w = dot(cross(sub(b, a), sub(point, a)), normal) / square;
    [1.0 - v - w, v, w]
}

fn above_shape(part: &Part, x: &[Vec4], place: Point) -> Option<Above> {
    let at = |v: u32| x[v as usize].xyz();
    if let Some(corners) = part.plane {
        let [a, b, c] = corners.map(at);
        let normal = cross(sub(b, a), sub(c, a));
        let normal = scale(1.0 / norm(normal), normal);
        return Some((dot(sub(place, a), normal) - part.radius, normal, None));
    }
    let core = match (part.points.first(), part.edges.first()) {
        (Some(centre), _) => at(*centre),
        (None, Some([a, b])) if part.is_obstacle => {
            let (a, b) = (at(*a), at(*b));
            let way = sub(b, a);
            let along = (dot(sub(place, a), way) / dot(way, way)).clamp(0.0, 1.0);
            add(a, scale(along, way))
        }
        _ => return None,
    };
    let apart = sub(place, core);
    let distance = norm(apart);
    (distance > 0.0).then(|| (distance - part.radius, scale(1.0 / distance, apart), None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_in_an_octahedron_are_known() {
        let octahedron = [
            [1.0, 0.0, 0.0],
            [-1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.0, -1.0, 0.0],
            [0.0, 0.0, 1.0],
            [0.0, 0.0, -1.0],
        ];
        let triangles: Vec<[u32; 3]> =
            vec![[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
        let winding = Winding::new(Tree::new(&octahedron, &triangles));
        let part = Part { triangles, ..Part::default() };
        // The faces are 1/√3 from the centre.
        let above = |place| above_mesh(&part, &winding, |v| octahedron[v as usize], (place, 0.0));
        let (height, normal, nearest) = above([0.1, 0.1, 0.1]).unwrap();
        let third = 1.0 / 3f64.sqrt();
        assert!((height + third - 0.3 * third).abs() < 1e-12, "{height}");
        assert!(normal.iter().all(|n| (n - third).abs() < 1e-12));
        assert!(nearest.unwrap().1.iter().all(|w| (w - 1.0 / 3.0).abs() < 1e-12));
        assert!(above([0.9, 0.9, 0.9]).is_none());
    }
}
