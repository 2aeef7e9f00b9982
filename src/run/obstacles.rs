//! Obstacles as they are shown: triangles that follow the points of an obstacle.
//!
//! | obstacle | shown as |
//! |---|---|
//! | plane | a square below the bodies, with sides of four diagonals of theirs |
//! | sphere | a sphere of `AROUND` × `ALONG` faces |
//! | capsule | the two halves of one, apart |
//! | all else | the triangles that it is made of |

use std::f64::consts::{PI, TAU};

use crate::mesh::surface::SurfaceMap;
use crate::model::obstacle::{ObstacleKind, ObstacleModel};
use crate::model::{BodyModel, Model};
use elements::math::vec3::{add, cross, dot, norm, scale, sub};

/// The number of faces around a sphere.
const AROUND: u32 = 32;
/// The number of faces from pole to pole.
const ALONG: u32 = 16;
/// Half the side of the square of a plane, in diagonals of the bodies.
const REACH: f64 = 2.0;

/// An obstacle as it is shown.
#[derive(Clone, Debug)]
pub struct Shown {
    /// Its place in the model.
    obstacle: ObstacleModel,
    /// Its triangles, which face outward.
    triangles: Vec<[u32; 3]>,
    /// How its points follow those of the obstacle.
    way: Way,
}

/// How shown points follow those of an obstacle.
#[derive(Clone, Debug)]
enum Way {
    /// They are the obstacle's.
    Same,
    /// At these places along the sides u and v of a plane p, p + u, p + v.
    Along(Vec<[f64; 2]>),
    /// Beside one of the obstacle's points each. A capsule turns them as its axis turns away from the one given here.
    Beside { points: Vec<(usize, [f64; 3])>, axis: Option<[f64; 3]> },
}

impl Shown {
    /// All obstacles of a model.
    pub fn all(model: &Model) -> Vec<Shown> {
        model.obstacles.iter().map(|obstacle| Shown::new(obstacle, model)).collect()
    }

    fn new(obstacle: &ObstacleModel, model: &Model) -> Shown {
        let start = &model.rest[obstacle.vertices.clone()];
        let (triangles, way) = match obstacle.kind {
            ObstacleKind::Triangles => (obstacle.triangles.clone(), Way::Same),
            ObstacleKind::Plane => square(start, model),
            ObstacleKind::Point => ball(obstacle.radius, [0.0, 1.0, 0.0], None),
            ObstacleKind::Segment => {
                let axis = sub(start[1], start[0]);
                ball(obstacle.radius, scale(1.0 / norm(axis).max(f64::MIN_POSITIVE), axis), Some(axis))
            }
        };
        Shown { obstacle: obstacle.clone(), triangles, way }
    }

    /// The obstacle as a body of triangles, whose vertices and triangles begin at these numbers.
    pub fn as_body(&self, vertices: usize, triangles: usize) -> BodyModel {
        let count = self.len();
        BodyModel {
            name: self.obstacle.name.clone(),
            vertices: vertices..vertices + count,
            tets: 0..0,
            middles: vec![],
            triangles: triangles..triangles + self.triangles.len(),
            edges: 0..0,
            radius: None,
            surface: SurfaceMap {
                triangles: self.triangles.clone(),
                edges: vec![],
                vertices: (0..count as u32).collect(),
            },
            embedded: vec![],
            loads: vec![],
            probes: vec![],
        }
    }

    /// True for a plane.
    pub fn is_plane(&self) -> bool {
        self.obstacle.kind == ObstacleKind::Plane
    }

    /// The number of shown points.
    fn len(&self) -> usize {
        match &self.way {
            Way::Same => self.obstacle.vertices.len(),
            Way::Along(places) => places.len(),
            Way::Beside { points, .. } => points.len(),
        }
    }

    /// The shown points in m, for vertices of the model at `x`.
    pub fn points(&self, x: &[[f64; 3]]) -> Vec<[f64; 3]> {
        let own = &x[self.obstacle.vertices.clone()];
        match &self.way {
            Way::Same => own.to_vec(),
            Way::Along(places) => places.iter().map(|place| along(own, *place)).collect(),
            Way::Beside { points, axis } => {
                let turn = turning(*axis, own);
                points.iter().map(|(end, beside)| add(own[*end], turn(*beside))).collect()
            }
        }
    }

    /// The velocities of the shown points in m/s, for vertices of the model at `x` with velocities `v`.
    pub fn velocities(&self, x: &[[f64; 3]], v: &[[f64; 3]]) -> Vec<[f64; 3]> {
        let (own, speeds) = (&x[self.obstacle.vertices.clone()], &v[self.obstacle.vertices.clone()]);
        match &self.way {
            Way::Same => speeds.to_vec(),
            Way::Along(places) => places.iter().map(|place| along(speeds, *place)).collect(),
            Way::Beside { points, axis } => {
                let turn = turning(*axis, own);
                let spin = axis.map_or([0.0; 3], |_| spin(own, speeds));
                let speed = |(end, beside): &(usize, [f64; 3])| add(speeds[*end], cross(spin, turn(*beside)));
                points.iter().map(speed).collect()
            }
        }
    }
}

/// A point of a plane p, p + u, p + v, or its velocity if those of the three points are given.
fn along(own: &[[f64; 3]], [a, b]: [f64; 2]) -> [f64; 3] {
    add(own[0], add(scale(a, sub(own[1], own[0])), scale(b, sub(own[2], own[0]))))
}

/// The angular velocity in 1/s of a capsule that does not turn about its axis.
fn spin(own: &[[f64; 3]], speeds: &[[f64; 3]]) -> [f64; 3] {
    let axis = sub(own[1], own[0]);
    scale(1.0 / dot(axis, axis).max(f64::MIN_POSITIVE), cross(axis, sub(speeds[1], speeds[0])))
}

/// The shortest rotation that turns an axis into that of a capsule; none without an axis.
fn turning(axis: Option<[f64; 3]>, own: &[[f64; 3]]) -> impl Fn([f64; 3]) -> [f64; 3] {
    let unit = |v: [f64; 3]| scale(1.0 / norm(v).max(f64::MIN_POSITIVE), v);
    let [from, to] = match axis {
        Some(axis) => [unit(axis), unit(sub(own[1], own[0]))],
        None => [[0.0, 1.0, 0.0]; 2],
    };
    let (normal, cos) = (cross(from, to), dot(from, to));
    move |v| {
        if normal == [0.0; 3] && cos > 0.0 {
            return v;
        }
        // Where the axis has turned about, every perpendicular one is as good: the capsule looks the same.
        if cos < -1.0 + 1e-12 {
            return sub(v, scale(2.0 * dot(from, v), from));
        }
        let around = scale(dot(normal, v) / (1.0 + cos), normal);
        add(add(scale(cos, v), cross(normal, v)), around)
    }
}

/// The square of a plane about the middle of the bodies where they start.
fn square(start: &[[f64; 3]], model: &Model) -> (Vec<[u32; 3]>, Way) {
    let places = model.numbering.position[..model.body_vertices()].iter();
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for x in places.map(|i| model.initial.x[*i as usize].xyz()) {
        (low, high) = (std::array::from_fn(|k| low[k].min(x[k])), std::array::from_fn(|k| high[k].max(x[k])));
    }
    let from = sub(scale(0.5, add(low, high)), start[0]);
    let [a, b] = [1, 2].map(|i| dot(from, sub(start[i], start[0])));
    let reach = REACH * model.size;
    let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    let places = corners.map(|[u, v]: [f64; 2]| [a + u * reach, b + v * reach]);
    (vec![[0, 1, 2], [0, 2, 3]], Way::Along(places.to_vec()))
}

/// A sphere about a point, with the poles on `axis`, or a capsule: the halves of one, about two points.
fn ball(radius: f64, axis: [f64; 3], capsule: Option<[f64; 3]>) -> (Vec<[u32; 3]>, Way) {
    let [u, v] = crate::model::obstacle::across(axis);
    let last = usize::from(capsule.is_some());
    // A capsule has its equator twice.
    let angle = |ring: u32| f64::from(ring) * PI / f64::from(ALONG);
    let mut rings: Vec<(usize, f64)> = (1..=ALONG / 2).map(|ring| (0, angle(ring))).collect();
    rings.extend((ALONG / 2 + 1 - last as u32..ALONG).map(|ring| (last, angle(ring))));
    let mut points = vec![(0, scale(-radius, axis))];
    for (end, angle) in &rings {
        points.extend((0..AROUND).map(|k| {
            let (sin, cos) = (TAU * f64::from(k) / f64::from(AROUND)).sin_cos();
            let outward = add(scale(cos, u), scale(sin, v));
            (*end, scale(radius, sub(scale(angle.sin(), outward), scale(angle.cos(), axis))))
        }));
    }
    points.push((last, scale(radius, axis)));
    let (count, top) = (rings.len() as u32, points.len() as u32 - 1);
    let at = |ring: u32, k: u32| 1 + ring * AROUND + k % AROUND;
    let mut triangles = vec![];
    for k in 0..AROUND {
        triangles.push([0, at(0, k + 1), at(0, k)]);
        for ring in 0..count - 1 {
            let [a, b, c, d] = [at(ring, k), at(ring, k + 1), at(ring + 1, k + 1), at(ring + 1, k)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
        triangles.push([top, at(count - 1, k), at(count - 1, k + 1)]);
    }
    (triangles, Way::Beside { points, axis: capsule })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::surface::{Topology, enclosed_volume, topology};

    fn shown(kind: ObstacleKind, points: &[[f64; 3]], radius: f64) -> Shown {
        let obstacle = ObstacleModel {
            name: "a".into(),
            vertices: 0..points.len(),
            triangles: vec![],
            edges: vec![],
            radius,
            kind,
            motion: None,
        };
        let axis = (points.len() > 1).then(|| sub(points[1], points[0]));
        let unit = axis.map_or([0.0, 1.0, 0.0], |axis| scale(1.0 / norm(axis), axis));
        let (triangles, way) = ball(radius, unit, axis);
        Shown { obstacle, triangles, way }
    }

    #[test]
    fn balls_and_capsules_are_closed_and_face_outward() {
        let closed = Topology { shells: 1, ..Topology::default() };
        let sphere = PI * 4.0 / 3.0 * 0.027;
        for (points, exact) in
            [(vec![[1.0, 2.0, 3.0]], sphere), (vec![[0.0; 3], [0.0, 1.5, 2.0]], sphere + PI * 0.09 * 2.5)]
        {
            let kind = if points.len() > 1 { ObstacleKind::Segment } else { ObstacleKind::Point };
            let shown = shown(kind, &points, 0.3);
            assert_eq!(topology(&shown.triangles), closed);
            assert_eq!(shown.points(&points).len(), shown.len());
            let volume = enclosed_volume(&shown.points(&points), &shown.triangles);
            assert!(volume < exact && volume > 0.97 * exact, "{volume} {exact}");
        }
    }

    #[test]
    fn capsules_turn_with_their_axis_and_velocities_are_the_rates() {
        let start = [[0.0; 3], [0.0, 1.0, 0.0]];
        let shown = shown(ObstacleKind::Segment, &start, 0.2);
        let at = |t: f64| [[t, 0.0, 0.0], [t + (3.0 * t).sin(), (3.0 * t).cos(), 0.5 * t]];
        for t in [0.0, 0.3, 0.9] {
            let (x, h) = (at(t), 1e-6);
            for (point, end) in shown.points(&x).iter().zip(0..) {
                let nearest = x.iter().map(|p| norm(sub(*p, *point))).fold(f64::INFINITY, f64::min);
                assert!((nearest - 0.2).abs() < 1e-12, "{t} {end}: {nearest}");
            }
            let [before, after] = [at(t - h), at(t + h)];
            let rate = |a: &[f64; 3], b: &[f64; 3]| scale(0.5 / h, sub(*b, *a));
            let v: Vec<[f64; 3]> = before.iter().zip(&after).map(|(a, b)| rate(a, b)).collect();
            let (low, high) = (shown.points(&before), shown.points(&after));
            for ((a, b), v) in low.iter().zip(&high).zip(shown.velocities(&x, &v)) {
                // The shortest rotation from the start may turn it about its axis, which nobody sees.
                let axis = sub(x[1], x[0]);
                let off = sub(rate(a, b), v);
                assert!(dot(off, axis).abs() < 1e-6 * norm(axis).max(1.0), "{t}: {off:?}");
            }
        }
        let over = [[0.0; 3], [0.0, -1.0, 0.0]];
        assert!(shown.points(&over).iter().all(|p| p[1] < 0.2 + 1e-12));
    }
}
