//! Polygons to triangles: ears are cut off in the plane of the polygon's area.
//!
//! A polygon of n corners gives n − 2 triangles of the same winding, whatever its shape. Convex polygons are cut into a
//! fan. Corners may repeat and be collinear.
//!
//! To look for an ear is to test whether corners lie in a triangle. What was found is kept until it can change: an ear
//! stays one while its neighbours stay, and another corner is none while its neighbours and the corner in its triangle
//! stay. So n corners take some n² tests instead of n³. There are polygons that take more, and files of many of them: a
//! [`Cutter`] has a number of tests for all of its polygons. Those that are too much for it are cut into fans from there
//! on, and counted.

use elements::math::vec3::{cross, dot, sub};

/// The tests that all polygons of a cutter may take together, which is about a second.
const TESTS: u64 = 100_000_000;
/// The tests that a polygon may take for each of its corners even if the others have used up theirs.
const TESTS_PER_CORNER: u64 = 64;

/// Cuts polygons into triangles, with a limited number of tests for all of them.
#[derive(Clone, Debug)]
pub struct Cutter {
    tests: u64,
    fans: usize,
}

impl Default for Cutter {
    fn default() -> Cutter {
        Cutter { tests: TESTS, fans: 0 }
    }
}

impl Cutter {
    /// Cuts a polygon into triangles between its corners. Corners must be in range of `points`.
    pub fn cut(&mut self, points: &[[f64; 3]], corners: &[u32], mut push: impl FnMut([u32; 3])) {
        if corners.len() < 3 {
            return;
        }
        let place = |i: usize| points[corners[i] as usize];
        let normal = area(corners.len(), place);
        let mut left: Vec<usize> = vec![];
        if corners.len() > 3 && !is_convex(corners.len(), place, normal) {
            let own = TESTS_PER_CORNER * corners.len() as u64;
            let mut ears = Ears::new(corners.len(), self.tests + own);
            while ears.left.len() > 3 && ears.tests > 0 {
                push(ears.cut(place, normal).map(|i| corners[i]));
            }
            // What a polygon leaves of its own tests is not for others.
            self.tests = self.tests.min(ears.tests);
            self.fans += usize::from(ears.left.len() > 3);
            left = ears.left;
        } else {
            left.extend(0..corners.len());
        }
        for pair in left[1..].windows(2) {
            push([left[0], pair[0], pair[1]].map(|i| corners[i]));
        }
    }

    /// The number of polygons that are not convex and were cut into fans, whose triangles may overlap.
    pub fn fans(&self) -> usize {
        self.fans
    }

    /// What is to be told to the user, if some polygons were cut into fans.
    pub fn note(&self) -> Option<String> {
        let fans = self.fans;
        (fans > 0).then(|| {
            format!("{fans} × polygons of many corners are cut into fans, whose triangles may overlap: cut them before")
        })
    }
}

/// What is known of a corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Nothing,
    Ear,
    /// It is cut off.
    Gone,
    /// It turns the wrong way.
    Reflex,
    /// Another corner, by its number, lies in its triangle.
    Blocked(usize),
}

/// The corners of a polygon that are left, and what is known of each corner by its number.
struct Ears {
    left: Vec<usize>,
    known: Vec<Known>,
    /// The tests that are left.
    tests: u64,
}

impl Ears {
    fn new(corners: usize, tests: u64) -> Ears {
        Ears { left: (0..corners).collect(), known: vec![Known::Nothing; corners], tests }
    }

    /// Cuts off an ear and returns its triangle. The corner after the first is cut first, as in a fan. Without an ear,
    /// any corner will do.
    fn cut(&mut self, place: impl Fn(usize) -> [f64; 3] + Copy, normal: [f64; 3]) -> [usize; 3] {
        let n = self.left.len();
        // To go through the corners costs less than a test for each, but is not free.
        self.tests = self.tests.saturating_sub(n as u64 / 4);
        let ear = (1..=n).map(|k| k % n).find(|&k| self.is_ear(k, place, normal)).unwrap_or(1);
        let [before, after] = [(ear + n - 1) % n, (ear + 1) % n].map(|k| self.left[k]);
        let tip = self.left.remove(ear);
        self.known[before] = Known::Nothing;
        self.known[after] = Known::Nothing;
        self.known[tip] = Known::Gone;
        [before, tip, after]
    }

    fn is_ear(&mut self, k: usize, place: impl Fn(usize) -> [f64; 3] + Copy, normal: [f64; 3]) -> bool {
        let corner = self.left[k];
        let is_open = match self.known[corner] {
            Known::Blocked(other) => self.known[other] == Known::Gone,
            known => known == Known::Nothing,
        };
        if is_open {
            self.known[corner] = self.judge(k, place, normal);
        }
        self.known[corner] == Known::Ear
    }

    fn judge(&mut self, k: usize, place: impl Fn(usize) -> [f64; 3] + Copy, normal: [f64; 3]) -> Known {
        let n = self.left.len();
        let [i, j, l] = [self.left[(k + n - 1) % n], self.left[k], self.left[(k + 1) % n]];
        let [a, b, c] = [place(i), place(j), place(l)];
        self.tests = self.tests.saturating_sub(1);
        if turn(a, b, c, normal) <= 0.0 {
            return Known::Reflex;
        }
        let inside = |p: [f64; 3]| {
            [(a, b), (b, c), (c, a)]
                .into_iter()
                .all(|(from, to)| dot(cross(sub(to, from), sub(p, from)), normal) >= 0.0)
        };
        for &other in self.left.iter().filter(|&&o| o != i && o != j && o != l) {
            let p = place(other);
            self.tests = self.tests.saturating_sub(1);
            if p != a && p != b && p != c && inside(p) {
                return Known::Blocked(other);
            }
        }
        Known::Ear
    }
}

/// Twice the area as a vector, by Newell's formula about the first corner.
fn area(n: usize, place: impl Fn(usize) -> [f64; 3]) -> [f64; 3] {
    let first = place(0);
    (1..n.saturating_sub(1)).fold([0.0; 3], |sum, i| {
        let part = cross(sub(place(i), first), sub(place(i + 1), first));
        std::array::from_fn(|k| sum[k] + part[k])
    })
}

/// The sine of the turn at b, times the lengths of both sides; positive to the left, seen from the tip of the normal.
fn turn(a: [f64; 3], b: [f64; 3], c: [f64; 3], normal: [f64; 3]) -> f64 {
    dot(cross(sub(b, a), sub(c, b)), normal)
}

fn is_convex(n: usize, place: impl Fn(usize) -> [f64; 3], normal: [f64; 3]) -> bool {
    (0..n).all(|i| turn(place(i), place((i + 1) % n), place((i + 2) % n), normal) >= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(points: &[[f64; 3]]) -> Vec<[u32; 3]> {
        let corners: Vec<u32> = (0..points.len() as u32).collect();
        let mut triangles = vec![];
        Cutter::default().cut(points, &corners, |t| triangles.push(t));
        triangles
    }

    /// Signed areas about z of the triangles.
    fn areas(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> Vec<f64> {
        let area = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| points[v as usize]);
            0.5 * cross(sub(b, a), sub(c, a))[2]
        };
        triangles.iter().map(area).collect()
    }

    #[test]
    fn convex_polygons_become_fans() {
        let square = [[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 1.0], [0.0, 1.0, 1.0]];
        assert_eq!(cut(&square), [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(cut(&square[..3]), [[0, 1, 2]]);
        assert!(cut(&square[..2]).is_empty());
    }

    #[test]
    fn concave_polygons_keep_their_area_in_both_windings() {
        // A comb: a fan from any of its corners would leave it.
        let mut comb = vec![[0.0, 0.0, 0.0], [6.0, 0.0, 0.0]];
        for tooth in (0..3).rev() {
            let x = 2.0 * f64::from(tooth);
            comb.extend([[x + 1.0, 3.0, 0.0], [x + 0.5, 0.5, 0.0]]);
        }
        let total = 0.5 * area(comb.len(), |i| comb[i])[2];
        let parts = areas(&comb, &cut(&comb));
        assert_eq!(parts.len(), comb.len() - 2);
        assert!(parts.iter().all(|a| *a >= 0.0) && (parts.iter().sum::<f64>() - total).abs() < 1e-12);
        comb.reverse();
        let parts = areas(&comb, &cut(&comb));
        assert!(parts.iter().all(|a| *a <= 0.0) && (parts.iter().sum::<f64>() + total).abs() < 1e-12);
    }

    #[test]
    fn whatever_it_looks_like_there_are_two_triangles_less_than_corners() {
        let same = [[1.0; 3]; 6];
        assert_eq!(cut(&same).len(), 4);
        let crossed = [[0.0; 3], [1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [f64::NAN; 3]];
        assert_eq!(cut(&crossed).len(), 3);
    }

    /// A wheel of spikes with a notch between them, and random corners, which cross each other.
    fn wheel(corners: u32, random: bool) -> Vec<[f64; 3]> {
        let mut next = elements::math::random::signed(7);
        (0..corners)
            .map(|i| {
                let radius = if random { next() } else { 1.0 + f64::from(i % 2) };
                let (sin, cos) = (f64::from(i) / f64::from(corners) * std::f64::consts::TAU).sin_cos();
                [radius * cos, radius * sin, 0.0]
            })
            .collect()
    }

    /// The triangles when all is looked at anew for each ear.
    fn cut_slowly(points: &[[f64; 3]]) -> Vec<[u32; 3]> {
        let normal = area(points.len(), |i| points[i]);
        let mut ears = Ears::new(points.len(), u64::MAX);
        let mut out = vec![];
        while ears.left.len() > 3 {
            ears.known.fill(Known::Nothing);
            out.push(ears.cut(|i| points[i], normal).map(|i| i as u32));
        }
        out.extend([[0, 1, 2].map(|i| ears.left[i] as u32)]);
        out
    }

    #[test]
    fn what_is_kept_of_a_corner_changes_no_triangle() {
        for points in [wheel(60, false), wheel(61, true), wheel(90, true)] {
            assert_eq!(cut(&points), cut_slowly(&points));
        }
    }

    #[test]
    fn many_corners_take_a_limited_number_of_tests() {
        let points = wheel(2000, true);
        let corners: Vec<u32> = (0..2000).collect();
        let mut cutter = Cutter { tests: 1_000_000, ..Cutter::default() };
        for polygons in 1..=20 {
            let mut triangles = 0;
            cutter.cut(&points, &corners, |_| triangles += 1);
            assert_eq!(triangles, 1998, "{polygons}");
        }
        assert!(cutter.tests == 0 && cutter.fans() > 10, "{cutter:?}");
        assert!(cutter.note().unwrap().starts_with(&format!("{} × polygons", cutter.fans())));
        let mut whole = Cutter::default();
        whole.cut(&wheel(2000, false), &corners, |_| {});
        assert!(whole.note().is_none() && TESTS - whole.tests < 10_000_000, "{whole:?}");
    }
}
