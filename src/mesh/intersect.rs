//! Triangles of a surface that intersect each other.
//!
//! Two triangles intersect if they have a point in common beyond the vertices and the edge that they share: if they
//! pierce each other, overlap in a plane, or touch (a vertex on another's side). Vertices at the same place are the
//! same vertex here, whatever their numbers, so that seams are no intersections. Every decision is the sign of a
//! determinant, found exactly for coordinates whose products neither overflow nor underflow \[Shewchuk1997\].
//!
//! The test depends on how many vertices the triangles have in common:
//!
//! - None: a side of one meets the other.
//! - One: the side opposite to it, in one triangle, meets the other triangle. (Follow the common part from the vertex
//!   to its end: it leaves one of the triangles there, through that side.)
//! - Two: they lie in a plane, on the same side of their edge.
//! - Three: they are duplicates, which are not counted as intersections.
//!
//! Triangles are compared if their boxes meet, which is some ten others for each in a surface and all of them in a heap.
//! The comparisons have a limit, therefore, and it is told how many triangles were not compared with all others.

use robust::{Coord, Coord3D};

use super::prepare::is_degenerate_triangle;
use super::tree::{self, Tree};
use super::weld::coinciding;
use elements::math::vec3::{cross, sub};
use elements::par;

type Point = [f64; 3];

/// The comparisons that any surface may take, and those that it may take for each of its triangles in the mean. A
/// million takes about a second.
const COMPARISONS: usize = 4_000_000;
const COMPARISONS_EACH: usize = 64;
/// The comparisons that one triangle may take.
const MOST_FOR_ONE: usize = 20_000;
/// How many triangles are compared with all others before the comparisons are counted.
const AT_ONCE: usize = 256;

/// What was found of triangles that intersect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Intersections {
    /// The pairs `[a, b]`, `a < b`, of triangles that intersect, ascending.
    pub pairs: Vec<[u32; 2]>,
    /// The number of triangles that were not compared with all others, because that would have taken too long.
    pub uncompared: usize,
}

/// The pairs of triangles that intersect. Degenerate triangles, and those with coordinates that are not finite, are left
/// out. Corners must be in range.
pub fn intersecting_pairs(points: &[Point], triangles: &[[u32; 3]]) -> Intersections {
    let place = coinciding(points);
    let numbers: Vec<u32> = (0..triangles.len() as u32)
        .filter(|&t| !is_degenerate_triangle(points, triangles[t as usize]))
        .collect();
    let sound: Vec<[u32; 3]> =
        numbers.iter().map(|&t| triangles[t as usize].map(|v| place[v as usize])).collect();
    let tree = Tree::new(points, &sound);
    let partners = |a: usize| {
        let bounds = tree::around(&sound[a].map(|v| points[v as usize]));
        let (mut partners, mut compared) = (vec![], 0);
        tree.overlapping_while(&bounds, |b| {
            compared += 1;
            if a < b as usize && intersect(points, sound[a], sound[b as usize]) {
                partners.push(b);
            }
            compared < MOST_FOR_ONE
        });
        partners.sort_unstable();
        (partners, compared)
    };
    let (mut out, mut left) = (Intersections::default(), COMPARISONS + COMPARISONS_EACH * sound.len());
    for first in (0..sound.len()).step_by(AT_ONCE) {
        if left == 0 {
            out.uncompared += sound.len() - first;
            break;
        }
        let found = par::map(AT_ONCE.min(sound.len() - first), |i| partners(first + i));
        for (a, (partners, compared)) in (first..).zip(&found) {
            left = left.saturating_sub(*compared);
            out.uncompared += usize::from(*compared == MOST_FOR_ONE);
            out.pairs.extend(partners.iter().map(|&b| [numbers[a], numbers[b as usize]]));
        }
    }
    out
}

/// True if two triangles with areas intersect beyond the vertices that they share.
fn intersect(points: &[Point], mut s: [u32; 3], mut t: [u32; 3]) -> bool {
    let shared = |v: &u32, other: [u32; 3]| other.contains(v);
    let count = s.iter().filter(|v| shared(v, t)).count();
    // Shared vertices come first, in the same order in both.
    let rotate = |corners: &mut [u32; 3], first: u32| {
        while corners[0] != first {
            corners.rotate_left(1);
        }
    };
    match count {
        0 => {
            let [s, t] = [s, t].map(|t| t.map(|v| points[v as usize]));
            !apart(s, t) && !apart(t, s) && (sides_meet(s, t) || sides_meet(t, s))
        }
        1 => {
            let vertex = *s.iter().find(|v| shared(v, t)).expect("one is shared");
            rotate(&mut s, vertex);
            rotate(&mut t, vertex);
            let [s, t] = [s, t].map(|t| t.map(|v| points[v as usize]));
            meets([s[1], s[2]], t) || meets([t[1], t[2]], s)
        }
        2 => {
            let [a, b] = [(s, t), (t, s)]
                .map(|(one, other)| *one.iter().find(|v| !shared(v, other)).expect("one is not shared"));
            rotate(&mut s, a);
            let [a, u, v, b] = [s[0], s[1], s[2], b].map(|v| points[v as usize]);
            let flat = Plane::of([a, u, v]);
            orient3d(a, u, v, b) == 0.0 && flat.side(u, v, a) * flat.side(u, v, b) > 0.0
        }
        _ => false,
    }
}

/// True if `t` is on one side of the plane of `s`, without touching it.
fn apart(s: [Point; 3], t: [Point; 3]) -> bool {
    let sides = t.map(|p| orient3d(s[0], s[1], s[2], p));
    sides.iter().all(|x| *x > 0.0) || sides.iter().all(|x| *x < 0.0)
}

fn sides_meet(s: [Point; 3], t: [Point; 3]) -> bool {
    (0..3).any(|i| meets([s[i], s[(i + 1) % 3]], t))
}

/// True if a segment and a triangle with an area have a point in common.
pub fn meets([p, q]: [Point; 2], t: [Point; 3]) -> bool {
    let [a, b, c] = t;
    let [above, below] = [p, q].map(|x| orient3d(a, b, c, x));
    if above == 0.0 && below == 0.0 {
        return Plane::of(t).meets([p, q], t);
    }
    if above * below > 0.0 {
        return false;
    }
    // The segment crosses the plane. It meets the triangle if it passes all sides on the same side.
    let turns = [[a, b], [b, c], [c, a]].map(|[from, to]| orient3d(p, q, from, to));
    turns.iter().all(|x| *x >= 0.0) || turns.iter().all(|x| *x <= 0.0)
}

/// True if a segment passes through the inside of a triangle, from one side to the other.
pub fn passes_through([p, q]: [Point; 2], [a, b, c]: [Point; 3]) -> bool {
    let [above, below] = [p, q].map(|x| orient3d(a, b, c, x));
    let turns = [[a, b], [b, c], [c, a]].map(|[from, to]| orient3d(p, q, from, to));
    above * below < 0.0 && (turns.iter().all(|x| *x > 0.0) || turns.iter().all(|x| *x < 0.0))
}

/// A coordinate plane onto which flat figures are projected: the two axes that are kept.
struct Plane([usize; 2]);

impl Plane {
    /// The coordinate plane in which the triangle is largest.
    fn of([a, b, c]: [Point; 3]) -> Plane {
        let normal = cross(sub(b, a), sub(c, a)).map(f64::abs);
        let dropped = (1..3).fold(0, |best, i| if normal[i] > normal[best] { i } else { best });
        Plane([(dropped + 1) % 3, (dropped + 2) % 3])
    }

    /// Positive if `p` is left of the line from `a` to `b`.
    fn side(&self, a: Point, b: Point, p: Point) -> f64 {
        let [a, b, p] = [a, b, p].map(|x| Coord { x: x[self.0[0]], y: x[self.0[1]] });
        sign(robust::orient2d(a, b, p))
    }

    /// True if a segment and a triangle in one plane have a point in common.
    fn meets(&self, [p, q]: [Point; 2], [a, b, c]: [Point; 3]) -> bool {
        let sides = [[a, b], [b, c], [c, a]];
        let turns = sides.map(|[from, to]| self.side(from, to, p));
        let inside = turns.iter().all(|x| *x >= 0.0) || turns.iter().all(|x| *x <= 0.0);
        inside || sides.into_iter().any(|side| self.segments_meet([p, q], side))
    }

    fn segments_meet(&self, [p, q]: [Point; 2], [a, b]: [Point; 2]) -> bool {
        let [at_a, at_b, at_p, at_q] =
            [self.side(p, q, a), self.side(p, q, b), self.side(a, b, p), self.side(a, b, q)];
        if [at_a, at_b, at_p, at_q] == [0.0; 4] {
            // All points are on one line: the figures meet if their extents meet along both axes.
            return self
                .0
                .iter()
                .all(|&k| p[k].min(q[k]) <= a[k].max(b[k]) && a[k].min(b[k]) <= p[k].max(q[k]));
        }
        at_a * at_b <= 0.0 && at_p * at_q <= 0.0
    }
}

/// The side of the plane through a, b, c that d is on: −1, 0 or 1.
fn orient3d(a: Point, b: Point, c: Point, d: Point) -> f64 {
    let [a, b, c, d] = [a, b, c, d].map(|[x, y, z]| Coord3D { x, y, z });
    sign(robust::orient3d(a, b, c, d))
}

/// The sign alone, because products of determinants could underflow.
fn sign(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.signum() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elements::math::random::SplitMix64;
    use elements::math::vec3::{add, dot, scale};

    const FLOOR: [Point; 3] = [[0.0; 3], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];

    /// True if a triangle with these corners, vertices shared by place, intersects the floor's.
    fn hits(other: [Point; 3]) -> bool {
        let points: Vec<Point> = FLOOR.into_iter().chain(other).collect();
        // The answer must be the same for both orders and all rotations of either triangle.
        let answers: Vec<bool> = (0..3)
            .flat_map(|r| {
                let mut turned = [3, 4, 5];
                turned.rotate_left(r);
                [[[0, 1, 2], turned], [turned, [2, 1, 0]]]
            })
            .map(|pair| !intersecting_pairs(&points, &pair).pairs.is_empty())
            .collect();
        assert!(answers.iter().all(|a| *a == answers[0]), "{other:?}: {answers:?}");
        answers[0]
    }

    #[test]
    fn triangles_without_common_vertices() {
        assert!(hits([[1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [9.0, 9.0, 0.0]]), "a side pierces");
        assert!(hits([[-1.0, 1.0, 1.0], [9.0, 1.0, 1.0], [1.0, 1.0, -3.0]]), "cut across");
        assert!(hits([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [2.0, 1.0, 1.0]]), "a vertex touches");
        assert!(hits([[2.0, 0.0, 0.0], [2.0, -1.0, 1.0], [2.0, -1.0, -1.0]]), "a vertex on a side");
        assert!(hits([[1.0, 1.0, 0.0], [1.5, 1.0, 0.0], [1.0, 1.5, 0.0]]), "within, in the plane");
        assert!(hits([[-1.0, -1.0, 0.0], [20.0, -1.0, 0.0], [-1.0, 20.0, 0.0]]), "around, in the plane");
        assert!(hits([[1.0, 0.0, 0.0], [3.0, 0.0, 0.0], [2.0, -5.0, 0.0]]), "side on side");
        assert!(!hits([[5.0, 0.0, 0.0], [7.0, 0.0, 0.0], [6.0, -5.0, 0.0]]), "on the line of a side");
        assert!(!hits([[3.0, 3.0, -1.0], [3.0, 3.0, 1.0], [9.0, 9.0, 0.0]]), "beside");
        assert!(!hits([[1.0, 1.0, 1e-300], [1.0, 2.0, 1.0], [2.0, 1.0, 1.0]]), "just above");
    }

    #[test]
    fn triangles_with_one_common_vertex() {
        let o = [0.0; 3];
        assert!(hits([o, [1.0, 1.0, 1.0], [1.0, 1.0, -1.0]]), "it passes through");
        assert!(hits([o, [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]]), "a side lies in the other");
        assert!(hits([o, [9.0, 9.0, 0.0], [9.0, 9.0, 1.0]]), "a side lies in the other and beyond");
        assert!(hits([o, [1.0, 0.0, 0.0], [1.0, -1.0, 0.0]]), "sides upon each other");
        assert!(hits([o, [1.0, 2.0, 0.0], [-1.0, 2.0, 0.0]]), "they overlap in the plane");
        assert!(!hits([o, [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]), "opposite in the plane");
        assert!(!hits([o, [1.0, 1.0, 1.0], [2.0, 1.0, 1.0]]), "above");
        assert!(!hits([o, [-1.0, -1.0, 1.0], [-1.0, -1.0, -1.0]]), "through the plane elsewhere");
    }

    #[test]
    fn triangles_with_a_common_edge() {
        let [a, b, _] = FLOOR;
        assert!(hits([a, b, [1.0, 1.0, 0.0]]), "folded onto it");
        assert!(hits([b, a, [9.0, 9.0, 0.0]]), "folded onto it and beyond");
        assert!(!hits([a, b, [1.0, -1.0, 0.0]]), "the flat neighbour");
        assert!(!hits([a, b, [1.0, 1.0, 1e-300]]), "nearly folded onto it");
        assert!(!hits(FLOOR), "a duplicate");
    }

    #[test]
    fn tiny_steps_are_told_apart_exactly() {
        // A tilted floor has rounded coordinates, and the steps are one or two units in the last place.
        let tilt = |x: f64, y: f64, up: f64| [x, y, x / 2.0 + y / 4.0 + up];
        let floor = [tilt(0.1, 0.1, 0.0), tilt(4.7, 0.3, 0.0), tilt(0.3, 4.1, 0.0)];
        let middle = scale(1.0 / 3.0, add(add(floor[0], floor[1]), floor[2]));
        for (step, expected) in [(4e-16, false), (-4e-16, true)] {
            let low = [middle[0], middle[1], middle[2] + step];
            let points =
                [floor[0], floor[1], floor[2], low, add(low, [0.0, 1.0, 2.0]), add(low, [1.0, 0.0, 2.0])];
            let pairs = intersecting_pairs(&points, &[[0, 1, 2], [3, 4, 5]]);
            assert_eq!(!pairs.pairs.is_empty(), expected, "{step}");
        }
    }

    /// True if the segment passes through the triangle. Solves
    /// p + r (q − p) = a + u (b − a) + v (c − a) by Cramer's rule.
    fn passes([p, q]: [Point; 2], [a, b, c]: [Point; 3]) -> bool {
        let (along, u, v, from) = (sub(p, q), sub(b, a), sub(c, a), sub(p, a));
        let whole = dot(along, cross(u, v));
        let [r, u, v] = [dot(from, cross(u, v)), dot(along, cross(from, v)), dot(along, cross(u, from))]
            .map(|part| part / whole);
        (0.0..=1.0).contains(&r) && u >= 0.0 && v >= 0.0 && u + v <= 1.0
    }

    #[test]
    fn random_triangles_agree_with_the_points_where_their_sides_pass_through() {
        let mut random = SplitMix64::new(11);
        let mut hits = 0;
        for _ in 0..2000 {
            let points: Vec<Point> = (0..6).map(|_| std::array::from_fn(|_| random.uniform())).collect();
            let [s, t] = [0, 3].map(|i| [points[i], points[i + 1], points[i + 2]]);
            let any = |s: [Point; 3], t| (0..3).any(|i| passes([s[i], s[(i + 1) % 3]], t));
            let expected = any(s, t) || any(t, s);
            assert_eq!(
                !intersecting_pairs(&points, &[[0, 1, 2], [3, 4, 5]]).pairs.is_empty(),
                expected,
                "{points:?}"
            );
            hits += usize::from(expected);
        }
        assert!((200..1800).contains(&hits), "{hits}");
    }

    #[test]
    fn a_heap_of_triangles_takes_a_limited_number_of_comparisons() {
        let mut random = SplitMix64::new(5);
        let points: Vec<Point> = (0..60_000).map(|_| std::array::from_fn(|_| random.uniform())).collect();
        let heap: Vec<[u32; 3]> = (0..20_000).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        let found = intersecting_pairs(&points, &heap);
        // Without a limit there would be 2e8 comparisons.
        let compared = (heap.len() - found.uncompared) * 10_000;
        assert!(found.uncompared > 18_000 && compared < 3 * COMPARISONS, "{}", found.uncompared);
        assert!(found.pairs.len() > 10_000 && found.pairs.is_sorted(), "{}", found.pairs.len());
        let few = intersecting_pairs(&points, &heap[..1000]);
        assert!(few.uncompared == 0 && few.pairs.len() > 1000);
    }
}
