//! Vertices of tets that go where a surface goes that files move.
//!
//! Files know the vertices of a surface, and pins hold those of the tets that were made from it. Such a vertex x is bound to the
//! nearest triangle at rest, and goes with it as a rigid body does:
//!
//! ```text
//! x = Σ b_i a_i + R d,      d = Rᵀ₀ (x₀ − Σ b_i a_i⁰)
//! ```
//!
//! where b are the barycentric coordinates of the nearest point and R is the frame of the triangle's first side and normal. Motions
//! of the whole surface as a rigid body are exact; within one that bends, x is off by the bending over the distance to the surface,
//! which is less than a cell.

use crate::mesh::tree::Tree;
use elements::math::vec3::{add, cross, dot, norm, scale, sub};
use elements::par;

/// The least ratio of a triangle's height to its longest side that gives it a frame.
const FLAT: f64 = 1e-9;

/// The positions of all vertices in a frame.
type Positions = Vec<[f64; 3]>;

/// The number of frames of a chunk of work.
const CHUNK: usize = 4;

/// A vertex bound to a triangle.
struct Bound {
    corners: [u32; 3],
    weights: [f64; 3],
    /// The vector from the nearest point in the frame of the triangle, in m.
    offset: [f64; 3],
}

/// Three unit vectors at right angles: along the first side, within the triangle, and along its normal; `None` if it is flat.
fn frame([a, b, c]: [[f64; 3]; 3]) -> Option<[[f64; 3]; 3]> {
    let (side, other) = (sub(b, a), sub(c, a));
    let normal = cross(side, other);
    let longest = dot(side, side).max(dot(other, other));
    let is_flat = norm(side) <= FLAT * longest.sqrt() || norm(normal) <= FLAT * longest;
    (!is_flat && longest > 0.0).then(|| {
        let (x, z) = (scale(1.0 / norm(side), side), scale(1.0 / norm(normal), normal));
        [x, cross(z, x), z]
    })
}

/// The barycentric coordinates of a point within a triangle that is not flat.
fn barycentric([a, b, c]: [[f64; 3]; 3], p: [f64; 3]) -> [f64; 3] {
    let normal = cross(sub(b, a), sub(c, a));
    let area = dot(normal, normal);
    let v = dot(cross(sub(p, a), sub(c, a)), normal) / area;
    let w = dot(cross(sub(b, a), sub(p, a)), normal) / area;
    [1.0 - v - w, v, w]
}

/// Where vertices that rest at `rest` are in each of some frames of a surface, which rests at `surface`. `None` if the surface
/// has no triangle with an area.
pub(super) fn carried(
    rest: &[[f64; 3]],
    (surface, triangles): (&[[f64; 3]], &[[u32; 3]]),
    frames: &[Positions],
) -> Option<Vec<Positions>> {
    let places = |points: &[[f64; 3]], t: [u32; 3]| t.map(|v| points[v as usize]);
    let proper: Vec<[u32; 3]> =
        triangles.iter().copied().filter(|t| frame(places(surface, *t)).is_some()).collect();
    let tree = Tree::new(surface, &proper);
    let bind = |x: &[f64; 3]| {
        let near = tree.nearest(*x)?;
        let corners = proper[near.triangle as usize];
        let place = places(surface, corners);
        let weights = barycentric(place, near.point);
        let away = sub(*x, near.point);
        let offset = frame(place)?.map(|axis| dot(axis, away));
        Some(Bound { corners, weights, offset })
    };
    let bound: Vec<Bound> = rest.iter().map(bind).collect::<Option<_>>()?;
    let place = |points: &Positions, bound: &Bound| {
        let now = places(points, bound.corners);
        // A triangle that a frame has crushed keeps the directions of rest.
        let axes = frame(now).or_else(|| frame(places(surface, bound.corners))).unwrap_or_default();
        let nearest = (0..3).fold([0.0; 3], |p, i| add(p, scale(bound.weights[i], now[i])));
        (0..3).fold(nearest, |p, i| add(p, scale(bound.offset[i], axes[i])))
    };
    let chunks = par::map(frames.len().div_ceil(CHUNK), |chunk| {
        let own = &frames[chunk * CHUNK..frames.len().min((chunk + 1) * CHUNK)];
        own.iter().map(|points| bound.iter().map(|b| place(points, b)).collect()).collect::<Vec<Positions>>()
    });
    Some(chunks.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TENT: [[f64; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.2], [1.0, 1.0, 0.0]];
    const SIDES: [[u32; 3]; 3] = [[0, 1, 2], [1, 3, 2], [0, 0, 1]];

    #[test]
    fn what_is_near_a_surface_turns_with_it() {
        let rest = [[0.3, 0.2, -0.1], [1.4, 0.6, 0.3], [0.0, 1.0, 0.2]];
        let (sin, cos) = 0.7f64.sin_cos();
        let turn = |p: [f64; 3]| [cos * p[0] - sin * p[1] + 2.0, sin * p[0] + cos * p[1] - 1.0, p[2] + 0.5];
        let frames = vec![TENT.to_vec(), TENT.iter().map(|p| turn(*p)).collect()];
        let found = carried(&rest, (&TENT, &SIDES), &frames).unwrap();
        for (k, x) in rest.iter().enumerate() {
            assert!(norm(sub(found[0][k], *x)) < 1e-14, "{:?}", found[0][k]);
            assert!(norm(sub(found[1][k], turn(*x))) < 1e-14, "{:?}", found[1][k]);
        }
    }

    #[test]
    fn crushed_triangles_carry_on_and_nothing_carries_without_triangles() {
        let crushed = vec![vec![[1.0, 2.0, 3.0]; 4]];
        let found = carried(&[[0.2, 0.2, 1.0]], (&TENT, &SIDES), &crushed).unwrap();
        assert!(found[0][0].iter().all(|x| x.is_finite()));
        assert!(carried(&[[0.0; 3]], (&TENT, &SIDES[2..]), &crushed).is_none());
    }
}
