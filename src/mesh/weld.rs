//! Vertices at the same place.
//!
//! Places are compared by value, so that −0 is 0. A vertex that is not finite coincides with no other. Everything is
//! found by sorting, so that results are the same on every machine.

use super::union_find::UnionFind;
use elements::math::vec3::{norm, sub};

/// For every vertex, the first one at exactly its place: itself if there is none before it.
pub fn coinciding(points: &[[f64; 3]]) -> Vec<u32> {
    // Adding 0 turns −0 into 0.
    let key = |v: &u32| points[*v as usize].map(|x| x + 0.0);
    let mut order: Vec<u32> = (0..points.len() as u32).filter(|v| is_finite(points[*v as usize])).collect();
    order.sort_unstable_by(|a, b| {
        let (p, q) = (key(a), key(b));
        let places = p[0].total_cmp(&q[0]).then(p[1].total_cmp(&q[1])).then(p[2].total_cmp(&q[2]));
        places.then(a.cmp(b))
    });
    let mut first: Vec<u32> = (0..points.len() as u32).collect();
    for same in order.chunk_by(|a, b| key(a) == key(b)) {
        for &v in same {
            first[v as usize] = same[0];
        }
    }
    first
}

/// For every vertex, the first one of its cluster. Vertices within `distance` of each other are in one cluster, so that
/// vertices of two clusters are farther apart than that.
pub fn within(points: &[[f64; 3]], distance: f64) -> Vec<u32> {
    let mut clusters = UnionFind::new(points.len());
    let first = coinciding(points);
    for (v, &first) in (0..).zip(&first) {
        clusters.union(v, first);
    }
    if distance > 0.0 {
        join_near(points, &first, distance, &mut clusters);
    }
    (0..points.len() as u32).map(|v| clusters.find(v)).collect()
}

/// Joins vertices within `distance` of each other, by means of a grid of cells of that size. Of vertices at one place, the
/// `first` stands for all.
fn join_near(points: &[[f64; 3]], first: &[u32], distance: f64, clusters: &mut UnionFind) {
    let finite = || points.iter().filter(|p| is_finite(**p));
    let low = finite().fold([f64::INFINITY; 3], |low, p| std::array::from_fn(|i| low[i].min(p[i])));
    // Numbers too large for a cell share the last cell, which only costs time.
    let cell = |p: [f64; 3]| -> [i64; 3] { std::array::from_fn(|i| ((p[i] - low[i]) / distance) as i64) };
    let mut cells: Vec<([i64; 3], u32)> = (0..)
        .zip(points)
        .filter(|(v, p)| is_finite(**p) && first[*v as usize] == *v)
        .map(|(v, p)| (cell(*p), v))
        .collect();
    cells.sort_unstable();
    for &([x, y, z], v) in &cells {
        for (dx, dy) in [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 0)] {
            // The cells of a column are adjacent in the order. Pairs with earlier cells of it have
            // been seen from there.
            let [x, y] = [x.saturating_add(dx), y.saturating_add(dy)];
            let from = cells.partition_point(|(c, _)| *c < [x, y, z.saturating_sub(1)]);
            let near = cells[from..].iter().take_while(|(c, _)| *c <= [x, y, z.saturating_add(1)]);
            for &(_, u) in near {
                if norm(sub(points[u as usize], points[v as usize])) <= distance {
                    clusters.union(u, v);
                }
            }
        }
    }
}

fn is_finite(p: [f64; 3]) -> bool {
    p.iter().all(|x| x.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use elements::math::random::SplitMix64;

    #[test]
    fn places_are_compared_by_value_and_what_is_not_finite_stays_apart() {
        let nan = [f64::NAN, 0.0, 0.0];
        let points =
            [[0.0; 3], nan, [1.0; 3], [-0.0, 0.0, -0.0], nan, [1.0, 1.0, 1.0 + f64::EPSILON], [1.0; 3]];
        assert_eq!(coinciding(&points), [0, 1, 2, 0, 4, 5, 2]);
        assert_eq!(within(&points, 0.0), coinciding(&points));
        assert_eq!(within(&points, 1e-9), [0, 1, 2, 0, 4, 2, 2]);
    }

    #[test]
    fn clusters_are_those_of_all_pairs() {
        let mut random = SplitMix64::new(7);
        let points: Vec<[f64; 3]> =
            (0..300).map(|_| std::array::from_fn(|_| random.uniform() * 2.0 - 1.0)).collect();
        for distance in [1e-300, 0.05, 0.2, 10.0] {
            let mut slow = UnionFind::new(points.len());
            for a in 0..points.len() {
                for b in 0..a {
                    if norm(sub(points[a], points[b])) <= distance {
                        slow.union(a as u32, b as u32);
                    }
                }
            }
            let expected: Vec<u32> = (0..300).map(|v| slow.find(v)).collect();
            assert_eq!(within(&points, distance), expected, "{distance}");
        }
    }
}
