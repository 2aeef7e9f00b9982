//! Polygons to triangles: ears are cut off in the plane of the polygon's area.
//!
//! A polygon of n corners gives n − 2 triangles of the same winding, whatever its shape. Convex polygons are cut into a
//! fan, and so are those with thousands of corners. Corners may repeat and be collinear.

use elements::math::vec3::{cross, dot, sub};

/// The largest number of corners for which ears are looked for. The time for that grows at least with its square.
const MOST_CORNERS: usize = 2000;

/// Cuts a polygon into triangles between its corners. Corners must be in range of `points`.
pub fn triangulate(points: &[[f64; 3]], corners: &[u32], mut push: impl FnMut([u32; 3])) {
    if corners.len() < 3 {
        return;
    }
    let place = |i: usize| points[corners[i] as usize];
    let normal = area(corners.len(), place);
    let mut left: Vec<usize> = (0..corners.len()).collect();
    if (4..=MOST_CORNERS).contains(&corners.len()) && !is_convex(corners.len(), place, normal) {
        while left.len() > 3 {
            let n = left.len();
            // The corner after the first is cut first, as in a fan. Without an ear, any corner will do.
            let ear = (1..=n).map(|k| k % n).find(|&k| is_ear(&left, k, place, normal)).unwrap_or(1);
            push([left[(ear + n - 1) % n], left[ear], left[(ear + 1) % n]].map(|i| corners[i]));
            left.remove(ear);
        }
    }
    for pair in left[1..].windows(2) {
        push([left[0], pair[0], pair[1]].map(|i| corners[i]));
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

fn is_ear(left: &[usize], k: usize, place: impl Fn(usize) -> [f64; 3], normal: [f64; 3]) -> bool {
    let n = left.len();
    let [i, j, l] = [left[(k + n - 1) % n], left[k], left[(k + 1) % n]];
    let [a, b, c] = [place(i), place(j), place(l)];
    if turn(a, b, c, normal) <= 0.0 {
        return false;
    }
    let inside = |p: [f64; 3]| {
        [(a, b), (b, c), (c, a)]
            .into_iter()
            .all(|(from, to)| dot(cross(sub(to, from), sub(p, from)), normal) >= 0.0)
    };
    let others = left.iter().filter(|&&o| o != i && o != j && o != l).map(|&o| place(o));
    !others.filter(|p| *p != a && *p != b && *p != c).any(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(points: &[[f64; 3]]) -> Vec<[u32; 3]> {
        let corners: Vec<u32> = (0..points.len() as u32).collect();
        let mut triangles = vec![];
        triangulate(points, &corners, |t| triangles.push(t));
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
}
