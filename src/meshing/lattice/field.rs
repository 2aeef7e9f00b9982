//! Inside and outside of a surface, and where an edge goes from one to the other.
//!
//! A point is inside if the winding number is above ½ and the surface's box contains it. For a closed surface this
//! changes at its triangles: an edge is cut exactly where it meets one. If a surface is open, the change lies in the
//! hole and is found by bisection.

use crate::mesh::tree::{Bounds, around};
use crate::mesh::winding::Winding;
use elements::math::vec3::{add, cross, dot, scale, sub};

/// The distance to either side of a triangle, as a part of the edge, at which points are tested for a crossing.
const ASIDE: f64 = 1e-6;

/// A body is not thinner than this part of a way through it, or it is not seen.
const LEAST: f64 = 1e-3;

/// The number of bisections of an edge without crossings: down to its length over 2²⁴.
const BISECTIONS: usize = 24;

/// The inside of a surface.
pub(in crate::meshing) struct Field {
    winding: Winding,
    bounds: Bounds,
}

impl Field {
    pub(in crate::meshing) fn new(winding: Winding) -> Field {
        Field { bounds: winding.tree().bounds(), winding }
    }

    /// The winding number of the surface.
    pub(in crate::meshing) fn winding(&self) -> &Winding {
        &self.winding
    }

    /// The box around the surface.
    pub(super) fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// True if the surface's box contains a point.
    pub(super) fn is_in_box(&self, point: [f64; 3]) -> bool {
        (0..3).all(|i| (self.bounds[0][i]..=self.bounds[1][i]).contains(&point[i]))
    }

    /// True if a point is inside.
    pub(super) fn inside(&self, point: [f64; 3]) -> bool {
        self.is_in_box(point) && self.winding.at(point) > 0.5
    }

    /// Whether it is inside just below a point of the surface, and just above it.
    pub(super) fn sides(&self, point: [f64; 3], normal: [f64; 3], spacing: f64) -> [bool; 2] {
        let step = scale(1e-4 * spacing, normal);
        [self.inside(sub(point, step)), self.inside(add(point, step))]
    }

    /// The part of the way `along` from a point on the surface, into the inside, at which the inside ends for the first time.
    pub(super) fn leaves(&self, from: [f64; 3], along: [f64; 3]) -> Option<f64> {
        let inside = |part: f64| self.inside(add(from, scale(part, along)));
        self.crossings(from, along)
            .into_iter()
            .find(|part| *part > LEAST && inside(part - 0.5 * LEAST) && !inside(part + 0.5 * LEAST))
    }

    /// The part of the way from a point inside to one outside at which the surface is crossed, any one of several.
    pub(super) fn cut(&self, from: [f64; 3], to: [f64; 3]) -> f64 {
        let along = sub(to, from);
        let inside = |part: f64| self.inside(add(from, scale(part, along)));
        let crossings = self.crossings(from, along);
        let mut left = &crossings[..];
        let (mut low, mut high) = (0.0, 1.0);
        while !left.is_empty() {
            let middle = left.len() / 2;
            let at = left[middle];
            let before = at - ASIDE <= low || inside(at - ASIDE);
            let after = at + ASIDE < high && inside(at + ASIDE);
            if before && !after {
                return at;
            }
            if before {
                low = at + ASIDE;
                left = &left[middle + 1..];
            } else {
                high = at - ASIDE;
                left = &left[..middle];
            }
        }
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (low + high);
            *(if inside(middle) { &mut low } else { &mut high }) = middle;
        }
        0.5 * (low + high)
    }

    /// The parts at which `from + part · along` meets triangles, ascending.
    fn crossings(&self, from: [f64; 3], along: [f64; 3]) -> Vec<f64> {
        let tree = self.winding.tree();
        let mut parts = vec![];
        tree.overlapping_places(&around(&[from, add(from, along)]), |place| {
            parts.extend(crossing(&tree.corners()[place], from, along));
        });
        parts.sort_unstable_by(f64::total_cmp);
        parts
    }
}

/// The part in \[0, 1\] at which a segment meets a triangle; `None` if it misses it or runs in its plane.
fn crossing(corners: &[[f64; 3]; 3], from: [f64; 3], along: [f64; 3]) -> Option<f64> {
    let [a, b, c] = *corners;
    let (u, v, start) = (sub(b, a), sub(c, a), sub(from, a));
    let normal = cross(u, v);
    let slope = dot(normal, along);
    let part = -dot(normal, start) / slope;
    if !(0.0..=1.0).contains(&part) {
        return None; // NaN too
    }
    let turned = cross(start, along);
    let second = -dot(v, turned) / slope;
    let third = dot(u, turned) / slope;
    (second >= 0.0 && third >= 0.0 && second + third <= 1.0).then_some(part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use elements::math::random::SplitMix64;

    #[test]
    fn a_segment_meets_a_triangle_where_it_should() {
        let mut random = SplitMix64::new(9);
        let mut number = || random.uniform() * 2.0 - 1.0;
        for _ in 0..200 {
            let corners: [[f64; 3]; 3] = std::array::from_fn(|_| std::array::from_fn(|_| number()));
            let [a, b, c] = corners;
            let (s, t) = (number(), number());
            let hit = add(a, add(scale(s, sub(b, a)), scale(t, sub(c, a))));
            let from: [f64; 3] = std::array::from_fn(|_| number());
            let part = 0.5 * (number() + 1.0);
            let along = scale(1.0 / part, sub(hit, from));
            let is_in = s >= 0.0 && t >= 0.0 && s + t <= 1.0;
            match crossing(&corners, from, along) {
                Some(found) => assert!(is_in && (found - part).abs() < 1e-9),
                None => assert!(!is_in),
            }
        }
        let flat = [[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]];
        assert_eq!(crossing(&flat, [0.5, 0.0, -1.0], [0.0, 0.0, 2.0]), None);
    }
}
