//! Which parts of a surface are inside out.
//!
//! A closed part encloses a volume. It is to point outward if an even number of other closed parts contain it, and
//! inward, as the wall of a cavity, if an odd number do. It counts as contained if the winding number
//!
//! ```text
//! w(p) = 1/4π Σ_t Ω_t(p),      tan(Ω/2) = a·(b×c) / (|a||b||c| + (a·b)|c| + (b·c)|a| + (c·a)|b|)
//! ```
//!
//! with a, b, c the corners seen from p \[VanOosterom1983\], is not 0 at each of a few of its triangles. Parts that
//! cross each other thus count as side by side. A part with a border is judged by the volume of the cones over it from
//! the middle of its border, and only if that volume is large: a flat sheet has no outside.

use super::surface::{area_vector, cone_volume, enclosed_volume, half_edges};
use super::tree::{self, Bounds};
use elements::math::vec3::{add, cross, dot, norm, scale, sub};

/// Volumes below this part of the area to the power 3/2 enclose nothing; a ball has 0.094.
pub(crate) const FLAT: f64 = 1e-9;
/// The same bound for a part with a border, which encloses a volume only roughly.
const FLAT_OPEN: f64 = 1e-2;
/// How many triangles of a part are tested: all of them must be inside of the other.
const SAMPLES: usize = 8;

/// The angles Ω that any surface may take, and those that it may take for each of its triangles in the mean, which is a
/// few seconds. Thousands of parts within each other would take minutes.
const ANGLES: usize = 50_000_000;
const ANGLES_EACH: usize = 256;

/// For every part, true if its triangles face the wrong way; `None` if there are too many parts within each other to tell.
/// `part_of` has the number of the part of every triangle. Triangles must be oriented consistently within a part.
pub fn inside_out(points: &[[f64; 3]], triangles: &[[u32; 3]], part_of: &[u32]) -> Option<Vec<bool>> {
    let count = part_of.iter().max().map_or(0, |&last| last as usize + 1);
    let mut lists = vec![vec![]; count];
    for (triangle, &part) in triangles.iter().zip(part_of) {
        lists[part as usize].push(*triangle);
    }
    let parts: Vec<Part> = lists.into_iter().map(|list| Part::new(points, list)).collect();
    let mut angles = ANGLES + ANGLES_EACH * triangles.len();
    let mut is_wrong = |(i, part): (usize, &Part)| {
        let mut depth = 0usize;
        for (_, other) in parts.iter().enumerate().filter(|&(j, other)| part.closed && j != i && other.closed)
        {
            depth += usize::from(part.is_in(other, points, &mut angles)?);
        }
        Some(part.volume != 0.0 && (part.volume > 0.0) != depth.is_multiple_of(2))
    };
    parts.iter().enumerate().map(&mut is_wrong).collect()
}

/// A connected part of the surface.
struct Part {
    triangles: Vec<[u32; 3]>,
    bounds: Bounds,
    closed: bool,
    /// The signed volume that it encloses; 0 if it is next to nothing.
    volume: f64,
}

impl Part {
    fn new(points: &[[f64; 3]], triangles: Vec<[u32; 3]>) -> Part {
        let border = border(&triangles);
        let closed = border.is_empty();
        let volume = if closed {
            enclosed_volume(points, &triangles)
        } else {
            let sum = border.iter().fold([0.0; 3], |sum, &v| add(sum, points[v as usize]));
            cone_volume(points, &triangles, scale(1.0 / border.len() as f64, sum))
        };
        let area: f64 = triangles.iter().map(|&t| norm(area_vector(points, t))).sum();
        // The comparison is written so that NaN counts as no volume.
        let solid = volume.abs() > area.powf(1.5) * if closed { FLAT } else { FLAT_OPEN };
        let corners = triangles.as_flattened().iter().map(|&v| points[v as usize]);
        let bounds = corners.fold(tree::EMPTY, |b, p| tree::merge(b, [p, p]));
        Part { triangles, bounds, closed, volume: if solid { volume } else { 0.0 } }
    }

    /// True if it is inside of `other`; `None` if that would take more than the angles that are left.
    fn is_in(&self, other: &Part, points: &[[f64; 3]], angles: &mut usize) -> Option<bool> {
        let encloses =
            |k: usize| other.bounds[0][k] <= self.bounds[0][k] && self.bounds[1][k] <= other.bounds[1][k];
        let step = self.triangles.len().div_ceil(SAMPLES);
        let inside = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| points[v as usize]);
            winding(points, &other.triangles, scale(1.0 / 3.0, add(add(a, b), c))).abs() > 0.5
        };
        // To compare the boxes costs about as much as an angle.
        *angles = angles.checked_sub(1)?;
        if !(0..3).all(encloses) {
            return Some(false);
        }
        *angles =
            angles.checked_sub(other.triangles.len().saturating_mul(self.triangles.len().min(SAMPLES)))?;
        Some(self.triangles.iter().step_by(step).all(inside))
    }
}

/// The vertices of the edges that do not run both ways equally often, once for every such edge.
fn border(triangles: &[[u32; 3]]) -> Vec<u32> {
    let sides = half_edges(triangles);
    let edges = sides.chunk_by(|a, b| a.ends == b.ends);
    edges
        .filter(|same| 2 * same.iter().filter(|side| side.forward).count() != same.len())
        .flat_map(|same| same[0].ends)
        .collect()
}

/// How often the triangles wind around a point, positive where they face away from it.
pub fn winding(points: &[[f64; 3]], triangles: &[[u32; 3]], at: [f64; 3]) -> f64 {
    let half_angle = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| sub(points[v as usize], at));
        let [x, y, z] = [a, b, c].map(norm);
        dot(a, cross(b, c)).atan2(x * y * z + dot(a, b) * z + dot(b, c) * x + dot(c, a) * y)
    };
    triangles.iter().map(half_angle).sum::<f64>() / std::f64::consts::TAU
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::generate;
    use crate::mesh::surface::{boundary, patches};
    use crate::scene::Shape;

    /// Adds a ball's surface.
    fn ball(
        points: &mut Vec<[f64; 3]>,
        triangles: &mut Vec<[u32; 3]>,
        centre: [f64; 3],
        radius: f64,
        inward: bool,
    ) {
        let solid = generate(&Shape::Sphere { radius, cells: 2 });
        let first = points.len() as u32;
        points.extend(solid.points.iter().map(|p| add(*p, centre)));
        triangles.extend(boundary(&solid.tets).into_iter().map(|mut t| {
            if inward {
                t.swap(1, 2);
            }
            t.map(|v| first + v)
        }));
    }

    #[test]
    fn balls_in_balls_alternate_and_balls_that_cross_do_not() {
        let (mut points, mut triangles) = (vec![], vec![]);
        ball(&mut points, &mut triangles, [0.0; 3], 4.0, true);
        ball(&mut points, &mut triangles, [1.0, 0.0, 0.0], 2.0, true);
        ball(&mut points, &mut triangles, [1.0, 0.3, 0.0], 0.5, false);
        ball(&mut points, &mut triangles, [-2.5, 0.0, 0.0], 0.5, false);
        ball(&mut points, &mut triangles, [0.0, 4.0, 0.0], 1.0, false);
        ball(&mut points, &mut triangles, [9.0, 4.0, 0.0], 1.0, true);
        let part_of = patches(&triangles);
        let wrong = inside_out(&points, &triangles, &part_of).unwrap();
        assert_eq!(wrong, [true, false, false, true, false, true]);
    }

    #[test]
    fn a_bowl_is_told_from_a_sheet() {
        let (mut points, mut triangles) = (vec![], vec![]);
        ball(&mut points, &mut triangles, [0.0; 3], 1.0, true);
        triangles.retain(|t| t.iter().any(|&v| points[v as usize][2] < 0.3));
        assert_eq!(inside_out(&points, &triangles, &patches(&triangles)), Some(vec![true]));
        for p in &mut points {
            p[2] = 1e-5 * p[0] * p[0];
        }
        assert_eq!(inside_out(&points, &triangles, &patches(&triangles)), Some(vec![false]));
    }

    #[test]
    fn the_winding_number_is_one_inside_and_none_outside() {
        let (mut points, mut triangles) = (vec![], vec![]);
        ball(&mut points, &mut triangles, [0.0; 3], 1.0, false);
        assert!((winding(&points, &triangles, [0.1, -0.2, 0.3]) - 1.0).abs() < 1e-14);
        assert!(winding(&points, &triangles, [0.1, -0.2, 1.3]).abs() < 1e-14);
    }

    #[test]
    fn thousands_of_parts_within_each_other_are_not_judged() {
        let shells = |count: u32| {
            let points: Vec<[f64; 3]> = (0..count)
                .map(|i| 1.0 + 1e-3 * f64::from(i))
                .flat_map(|s| [[-s, -s, -s], [s, -s, -s], [0.0, s, -s], [0.0, 0.0, s]])
                .collect();
            let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
            let triangles: Vec<[u32; 3]> =
                (0..count).flat_map(|i| faces.map(|face| face.map(|v| v + 4 * i))).collect();
            inside_out(&points, &triangles, &patches(&triangles))
        };
        assert_eq!(shells(3), Some(vec![false, true, false]));
        assert_eq!(shells(8000), None);
    }
}
