//! Closest points between the pieces of surfaces.
//!
//! Both of a pair's pieces are convex combinations of corners, so the vector from the closest point of the first piece
//! to that of the second is r = Σ cᵢ xᵢ. At the closest points the distance does not change when they slide, so
//!
//! ```text
//! d = |r|,      ∂d/∂xᵢ = cᵢ r/d
//! ```
//!
//! wherever those points lie: inside, on an edge or at a corner. The distance has a continuous gradient as long as it is
//! above 0, except for edges that are parallel (see `pairs`).

use elements::math::vec3::{add, cross, dot, scale, sub};

type Point = [f64; 3];

/// Below this part of |u|²|v|², |u × v|² is rounding, and the closest points of edges are ends.
const PARALLEL: f64 = 1e-20;

/// The closest points of two pieces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// The factors cᵢ of the four corners: negative on the first piece, where they sum up to −1, positive on the second.
    pub factors: [f64; 4],
    /// The vector from the closest point of the first piece to that of the second, in m.
    pub vector: Point,
}

/// The closest points of a point, the first corner, and a triangle.
pub fn point_triangle([p, a, b, c]: [Point; 4]) -> Closest {
    let (ab, ac, ap) = (sub(b, a), sub(c, a), sub(p, a));
    let normal = cross(ab, ac);
    let area = dot(normal, normal);
    // Barycentric coordinates of the projection to the plane; NaN without area.
    let v = dot(cross(ap, ac), normal) / area;
    let w = dot(cross(ab, ap), normal) / area;
    if v >= 0.0 && w >= 0.0 && v + w <= 1.0 {
        let height = dot(ap, normal) / area;
        return Closest { factors: [-1.0, 1.0 - v - w, v, w], vector: scale(-height, normal) };
    }
    let on = |from: Point, to: Point| {
        let t = along(from, to, p);
        let r = sub(add(from, scale(t, sub(to, from))), p);
        (dot(r, r), t, r)
    };
    let sides = [on(a, b), on(b, c), on(c, a)];
    let nearest = (1..3).fold(0, |best, k| if sides[k].0 < sides[best].0 { k } else { best });
    let (_, t, vector) = sides[nearest];
    let mut factors = [-1.0, 0.0, 0.0, 0.0];
    factors[1 + nearest] = 1.0 - t;
    factors[1 + (nearest + 1) % 3] = t;
    Closest { factors, vector }
}

/// The closest points of a point, the first corner, and a segment, the next two; the fourth corner is not used.
pub fn point_edge([p, a, b, _]: [Point; 4]) -> Closest {
    let t = along(a, b, p);
    let vector = sub(add(a, scale(t, sub(b, a))), p);
    Closest { factors: [-1.0, 1.0 - t, t, 0.0], vector }
}

/// The closest points of two segments. Where they are parallel, any pair of closest points may be found.
pub fn edge_edge([a, b, c, d]: [Point; 4]) -> Closest {
    let (u, v, w) = (sub(b, a), sub(d, c), sub(c, a));
    let normal = cross(u, v);
    let determinant = dot(normal, normal);
    let inside = 0.0..=1.0;
    let s = dot(cross(w, v), normal) / determinant;
    let t = dot(cross(w, u), normal) / determinant;
    let crosses = determinant > PARALLEL * dot(u, u) * dot(v, v);
    if crosses && inside.contains(&s) && inside.contains(&t) {
        let height = dot(w, normal) / determinant;
        return Closest { factors: [s - 1.0, -s, 1.0 - t, t], vector: scale(height, normal) };
    }
    let ends = [(0.0, along(c, d, a)), (1.0, along(c, d, b)), (along(a, b, c), 0.0), (along(a, b, d), 1.0)];
    let measured = ends.map(|(s, t)| {
        let r = sub(add(w, scale(t, v)), scale(s, u));
        (dot(r, r), s, t, r)
    });
    let nearest =
        measured[1..].iter().fold(measured[0], |best, end| if end.0 < best.0 { *end } else { best });
    let (_, s, t, vector) = nearest;
    Closest { factors: [s - 1.0, -s, 1.0 - t, t], vector }
}

/// Where the point of a segment that is closest to `point` lies: 0 at `from`, 1 at `to`.
fn along(from: Point, to: Point, point: Point) -> f64 {
    let way = sub(to, from);
    let length = dot(way, way);
    if length > 0.0 { (dot(sub(point, from), way) / length).clamp(0.0, 1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elements::math::random::SplitMix64;
    use elements::math::vec3::norm;

    type Finder = fn([Point; 4]) -> Closest;

    fn corners(random: &mut SplitMix64) -> [Point; 4] {
        std::array::from_fn(|_| std::array::from_fn(|_| 2.0 * random.uniform() - 1.0))
    }

    /// The points of a piece with `count` corners, on a grid.
    fn samples(piece: &[Point]) -> Vec<Point> {
        let n = 60;
        let mut out = vec![];
        for i in 0..=n {
            for j in 0..=n - i {
                let (u, v) = (f64::from(i) / f64::from(n), f64::from(j) / f64::from(n));
                let factors = [u, v, 1.0 - u - v];
                let sum = piece.iter().zip(factors).fold([0.0; 3], |s, (p, f)| add(s, scale(f, *p)));
                match piece.len() {
                    3 => out.push(sum),
                    2 if (u + v - 1.0).abs() < 1e-9 => out.push(sum),
                    1 if i == n => out.push(sum),
                    _ => {}
                }
            }
        }
        out
    }

    #[test]
    fn parallel_edges_have_the_distance_of_their_ends() {
        let mut random = SplitMix64::new(4);
        for _ in 0..1000 {
            let [a, b, c, _] = corners(&mut random);
            let way = scale(0.1 + random.uniform(), sub(b, a));
            // On one line, a third of the way apart, and side by side.
            let (first, along) = ([a, b], add(b, scale(1.0 / 3.0, way)));
            let found = edge_edge([first[0], first[1], along, add(along, way)]);
            assert!((norm(found.vector) - norm(way) / 3.0).abs() < 1e-12, "{found:?}");
            let found = norm(edge_edge([a, b, c, add(c, way)]).vector);
            let ends = [a, b].map(|p| norm(point_edge([p, c, add(c, way), c]).vector));
            let others = [c, add(c, way)].map(|p| norm(point_edge([p, a, b, a]).vector));
            let least = ends.into_iter().chain(others).fold(f64::INFINITY, f64::min);
            assert!((found - least).abs() < 1e-12, "{found} {least}");
        }
    }

    #[test]
    fn no_samples_are_closer_and_gradients_are_differences() {
        let mut random = SplitMix64::new(3);
        let kinds: [(Finder, usize, usize); 3] =
            [(point_triangle, 1, 3), (point_edge, 1, 2), (edge_edge, 2, 2)];
        for (find, first, second) in kinds {
            for _ in 0..60 {
                let x = corners(&mut random);
                let found = find(x);
                let d = norm(found.vector);
                let sum = x.iter().zip(found.factors).fold([0.0; 3], |s, (p, f)| add(s, scale(f, *p)));
                assert!(norm(sub(sum, found.vector)) < 1e-12);
                let mut least = f64::INFINITY;
                for a in samples(&x[..first]) {
                    for b in samples(&x[first..first + second]) {
                        least = least.min(norm(sub(b, a)));
                    }
                }
                assert!(d <= least + 1e-12 && least < d + 0.05, "{d} against {least}");
                for corner in 0..4 {
                    for k in 0..3 {
                        let at = |step: f64| {
                            let mut moved = x;
                            moved[corner][k] += step;
                            norm(find(moved).vector)
                        };
                        let slope = (at(1e-6) - at(-1e-6)) / 2e-6;
                        let wanted = found.factors[corner] * found.vector[k] / d;
                        assert!((slope - wanted).abs() < 1e-4, "{slope} {wanted}");
                    }
                }
            }
        }
    }
}
