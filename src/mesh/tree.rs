//! A binary tree of axis-parallel boxes over triangles, to find what is near and what may touch.
//!
//! Nodes are split at the median centroid along the longest side of the centroids' box, so that the depth of the tree
//! is the logarithm of the number of triangles, whatever they look like. The nodes stand depth first in one array.
//! Equal centroids are ordered by the triangles' numbers, so the tree, and every answer, depends on the input alone.

use elements::math::vec3::{add, cross, dot, scale, sub};

/// An axis-parallel box, as its smallest and largest corner.
pub type Bounds = [[f64; 3]; 2];

/// The box that contains nothing: the neutral element of [`merge`].
pub const EMPTY: Bounds = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];

/// The largest number of triangles of a leaf.
const LEAF: usize = 8;

/// The smallest box around two boxes.
pub fn merge(a: Bounds, b: Bounds) -> Bounds {
    [std::array::from_fn(|i| a[0][i].min(b[0][i])), std::array::from_fn(|i| a[1][i].max(b[1][i]))]
}

/// The smallest box around points.
pub fn around(points: &[[f64; 3]]) -> Bounds {
    points.iter().fold(EMPTY, |bounds, &p| merge(bounds, [p, p]))
}

/// True if two boxes have a point in common; touching counts.
pub fn meet(a: &Bounds, b: &Bounds) -> bool {
    (0..3).all(|i| a[0][i] <= b[1][i] && b[0][i] <= a[1][i])
}

/// Squared distance of a point to a box; 0 inside.
fn distance_squared(bounds: &Bounds, point: [f64; 3]) -> f64 {
    (0..3).map(|i| (bounds[0][i] - point[i]).max(point[i] - bounds[1][i]).max(0.0).powi(2)).sum()
}

/// A node: its triangles are a range of the tree's order.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// The box around its triangles.
    pub bounds: Bounds,
    /// Where its triangles begin in the tree's order.
    pub first: u32,
    /// Where its triangles end in the tree's order.
    pub end: u32,
    /// The second child; the first one follows the node itself. 0 for a leaf.
    pub second: u32,
}

impl Node {
    /// True if it has no children.
    pub fn is_leaf(&self) -> bool {
        self.second == 0
    }

    /// Its triangles, as places in the tree's order.
    pub fn range(&self) -> std::ops::Range<usize> {
        self.first as usize..self.end as usize
    }
}

/// The triangle that is closest to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Its number; the smallest one if several are at the same distance.
    pub triangle: u32,
    /// The squared distance to it.
    pub distance_squared: f64,
    /// The closest point of the triangle.
    pub point: [f64; 3],
}

/// The tree, with its own copy of the triangles' corners.
#[derive(Clone, Debug)]
pub struct Tree {
    nodes: Vec<Node>,
    /// The triangles' numbers, those of one leaf side by side, ascending.
    order: Vec<u32>,
    /// The corners of these triangles, in the same order.
    corners: Vec<[[f64; 3]; 3]>,
}

impl Tree {
    /// A tree over all triangles. Corners must be in range and finite; triangles may have no area.
    ///
    /// # Panics
    ///
    /// If a corner is out of range.
    pub fn new(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> Tree {
        let place = |t: &[u32; 3]| t.map(|v| points[v as usize]);
        // Three times the centroid gives the same order as the centroid.
        let centroids: Vec<[f64; 3]> = triangles
            .iter()
            .map(|t| {
                let [a, b, c] = place(t);
                add(add(a, b), c)
            })
            .collect();
        let (mut nodes, order) = nodes_over(&centroids);
        let corners: Vec<[[f64; 3]; 3]> = order.iter().map(|&t| place(&triangles[t as usize])).collect();
        for i in (0..nodes.len()).rev() {
            let node: &Node = &nodes[i];
            nodes[i].bounds = if node.is_leaf() {
                around(corners[node.range()].as_flattened())
            } else {
                merge(nodes[i + 1].bounds, nodes[node.second as usize].bounds)
            };
        }
        Tree { nodes, order, corners }
    }

    /// The nodes, depth first; the first is the root. None without triangles.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The number of the triangle at each place of the tree's order.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The corners of the triangle at each place of the tree's order.
    pub fn corners(&self) -> &[[[f64; 3]; 3]] {
        &self.corners
    }

    /// The box around everything; [`EMPTY`] without triangles.
    pub fn bounds(&self) -> Bounds {
        self.nodes.first().map_or(EMPTY, |root| root.bounds)
    }

    /// The triangle closest to `point`, which must be finite; `None` without triangles.
    pub fn nearest(&self, point: [f64; 3]) -> Option<Nearest> {
        let mut best = Nearest { triangle: u32::MAX, distance_squared: f64::INFINITY, point };
        let mut stack = vec![(0.0, 0)];
        while let Some((distance, i)) = stack.pop() {
            // Nodes at an equal distance are searched too, because the smallest number is wanted.
            if distance > best.distance_squared {
                continue;
            }
            let node = self.nodes.get(i)?;
            if node.is_leaf() {
                for place in node.range() {
                    let closest = closest_point(self.corners[place], point);
                    let apart = sub(closest, point);
                    let candidate = (dot(apart, apart), self.order[place]);
                    if candidate < (best.distance_squared, best.triangle) {
                        let (distance_squared, triangle) = candidate;
                        best = Nearest { triangle, distance_squared, point: closest };
                    }
                }
            } else {
                let [near, far] = [i + 1, node.second as usize]
                    .map(|child| (distance_squared(&self.nodes[child].bounds, point), child));
                let (near, far) = if near.0 <= far.0 { (near, far) } else { (far, near) };
                stack.extend([far, near]);
            }
        }
        Some(best)
    }

    /// Calls `visit` with the number of every triangle whose box meets `bounds`, in the tree's order.
    pub fn overlapping(&self, bounds: &Bounds, mut visit: impl FnMut(u32)) {
        self.overlapping_places(bounds, |place| visit(self.order[place]));
    }

    /// Like [`Self::overlapping`], with places in the tree's order instead of numbers.
    pub fn overlapping_places(&self, bounds: &Bounds, mut visit: impl FnMut(usize)) {
        self.places_while(bounds, |place| {
            visit(place);
            true
        });
    }

    /// Like [`Self::overlapping`], until `visit` returns false.
    pub fn overlapping_while(&self, bounds: &Bounds, mut visit: impl FnMut(u32) -> bool) {
        self.places_while(bounds, |place| visit(self.order[place]));
    }

    fn places_while(&self, bounds: &Bounds, mut visit: impl FnMut(usize) -> bool) {
        let mut stack = vec![0];
        while let Some(i) = stack.pop() {
            let Some(node) = self.nodes.get(i) else { return };
            if !meet(&node.bounds, bounds) {
                continue;
            }
            if node.is_leaf() {
                let mut met = node.range().filter(|&place| meet(&around(&self.corners[place]), bounds));
                if !met.all(&mut visit) {
                    return;
                }
            } else {
                stack.extend([node.second as usize, i + 1]);
            }
        }
    }

    /// Calls `visit(a, b)` once for every pair of triangles `a < b` whose boxes meet.
    ///
    /// The pairs of one triangle come together. To get many pairs in parallel, use [`Self::overlapping`] with the
    /// box of each triangle.
    pub fn pairs(&self, mut visit: impl FnMut(u32, u32)) {
        for (corners, &a) in self.corners.iter().zip(&self.order) {
            self.overlapping(&around(corners), |b| {
                if a < b {
                    visit(a, b);
                }
            });
        }
    }
}

/// The nodes of a tree over things with these centres, their boxes yet to be filled, and the order of the things in it.
pub fn nodes_over(centroids: &[[f64; 3]]) -> (Vec<Node>, Vec<u32>) {
    let mut order: Vec<u32> = (0..centroids.len() as u32).collect();
    let mut nodes = Vec::with_capacity(2 * centroids.len().div_ceil(LEAF / 2));
    if !order.is_empty() {
        split(&mut nodes, &mut order, 0, centroids);
    }
    (nodes, order)
}

/// Appends the node of `order`, which begins at place `first`, and the nodes below it; their boxes come later.
fn split(nodes: &mut Vec<Node>, order: &mut [u32], first: u32, centroids: &[[f64; 3]]) {
    let at = nodes.len();
    nodes.push(Node { bounds: EMPTY, first, end: first + order.len() as u32, second: 0 });
    if order.len() <= LEAF {
        order.sort_unstable();
        return;
    }
    let around = order.iter().map(|&t| centroids[t as usize]).fold(EMPTY, |b, p| merge(b, [p, p]));
    let sides = sub(around[1], around[0]);
    let axis = (1..3).fold(0, |best, i| if sides[i] > sides[best] { i } else { best });
    let middle = order.len() / 2;
    order.select_nth_unstable_by(middle, |&a, &b| {
        centroids[a as usize][axis].total_cmp(&centroids[b as usize][axis]).then(a.cmp(&b))
    });
    let (low, high) = order.split_at_mut(middle);
    split(nodes, low, first, centroids);
    nodes[at].second = nodes.len() as u32;
    split(nodes, high, first + middle as u32, centroids);
}

/// The point of a triangle that is closest to `point`; triangles without area are segments or points.
pub fn closest_point(corners: [[f64; 3]; 3], point: [f64; 3]) -> [f64; 3] {
    let [a, b, c] = corners;
    let (ab, ac, ap) = (sub(b, a), sub(c, a), sub(point, a));
    let normal = cross(ab, ac);
    let area = dot(normal, normal);
    // Barycentric coordinates of the projection to the plane; NaN without area.
    let v = dot(cross(ap, ac), normal) / area;
    let w = dot(cross(ab, ap), normal) / area;
    if v >= 0.0 && w >= 0.0 && v + w <= 1.0 {
        return add(a, add(scale(v, ab), scale(w, ac)));
    }
    let sides = [[a, b], [b, c], [c, a]].map(|[from, to]| {
        let closest = closest_on_segment(from, to, point);
        let apart = sub(closest, point);
        (dot(apart, apart), closest)
    });
    let nearer = |x: (f64, [f64; 3]), y: (f64, [f64; 3])| if y.0 < x.0 { y } else { x };
    nearer(nearer(sides[0], sides[1]), sides[2]).1
}

fn closest_on_segment(from: [f64; 3], to: [f64; 3], point: [f64; 3]) -> [f64; 3] {
    let along = sub(to, from);
    let length = dot(along, along);
    let part = if length > 0.0 { (dot(sub(point, from), along) / length).clamp(0.0, 1.0) } else { 0.0 };
    add(from, scale(part, along))
}

#[cfg(test)]
mod tests {
    use super::*;
    use elements::math::random::SplitMix64;
    use elements::math::vec3::norm;

    fn random_point(random: &mut SplitMix64, size: f64) -> [f64; 3] {
        std::array::from_fn(|_| size * (random.uniform() - 0.5))
    }

    /// Small triangles in a cube; some of them are segments or points, or lie on one another.
    fn soup(count: usize, seed: u64) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
        let mut random = SplitMix64::new(seed);
        let (mut points, mut triangles) = (vec![], vec![]);
        for t in 0..count {
            let (centre, first) = (random_point(&mut random, 2.0), points.len() as u32);
            points.extend((0..3).map(|_| add(centre, random_point(&mut random, 0.3))));
            triangles.push(match t % 10 {
                7 => [first, first, first + 1],
                8 => [first; 3],
                9 => triangles[t / 2],
                _ => [first, first + 1, first + 2],
            });
        }
        (points, triangles)
    }

    #[test]
    fn the_nearest_triangle_is_that_of_a_search_through_all() {
        for (count, seed) in [(1, 1), (8, 2), (9, 3), (700, 4)] {
            let (points, triangles) = soup(count, seed);
            let tree = Tree::new(&points, &triangles);
            let mut random = SplitMix64::new(seed + 100);
            for _ in 0..300 {
                let p = random_point(&mut random, 4.0);
                let all = triangles.iter().zip(0..).map(|(t, i)| {
                    let apart = sub(closest_point(t.map(|v| points[v as usize]), p), p);
                    (dot(apart, apart), i)
                });
                let wanted = all.fold((f64::INFINITY, u32::MAX), |a, b| if b < a { b } else { a });
                let found = tree.nearest(p).unwrap();
                assert_eq!((found.distance_squared, found.triangle), wanted);
                assert_eq!(dot(sub(found.point, p), sub(found.point, p)), found.distance_squared);
            }
        }
        assert_eq!(Tree::new(&[], &[]).nearest([0.0; 3]), None);
    }

    #[test]
    fn no_sample_of_a_triangle_is_closer_than_its_closest_point() {
        let mut random = SplitMix64::new(5);
        for k in 0..400 {
            let mut corners: [[f64; 3]; 3] = std::array::from_fn(|_| random_point(&mut random, 1.0));
            match k % 4 {
                1 => corners[2] = corners[0],
                2 => corners[2] = add(corners[0], scale(0.3, sub(corners[1], corners[0]))),
                _ => {}
            }
            let p = random_point(&mut random, 3.0);
            let distance = norm(sub(closest_point(corners, p), p));
            let mut least = f64::INFINITY;
            for i in 0..=40 {
                for j in 0..=40 - i {
                    let [u, v] = [i, j].map(|n| f64::from(n) / 40.0);
                    let sample =
                        add(scale(1.0 - u - v, corners[0]), add(scale(u, corners[1]), scale(v, corners[2])));
                    least = least.min(norm(sub(sample, p)));
                }
            }
            assert!(distance <= least + 1e-12 && least <= distance + 0.05, "{distance} against {least}");
        }
    }

    #[test]
    fn boxes_and_pairs_that_meet_are_those_of_a_search_through_all() {
        let (points, triangles) = soup(900, 6);
        let tree = Tree::new(&points, &triangles);
        let boxes: Vec<Bounds> = triangles.iter().map(|t| around(&t.map(|v| points[v as usize]))).collect();
        let mut random = SplitMix64::new(7);
        for _ in 0..100 {
            let [a, b] = std::array::from_fn(|_| random_point(&mut random, 2.5));
            let asked = around(&[a, b]);
            let mut found = vec![];
            tree.overlapping(&asked, |t| found.push(t));
            found.sort_unstable();
            let wanted: Vec<u32> =
                (0..boxes.len() as u32).filter(|&t| meet(&boxes[t as usize], &asked)).collect();
            assert_eq!(found, wanted);
        }
        let mut found = vec![];
        tree.pairs(|a, b| found.push((a, b)));
        found.sort_unstable();
        let wanted: Vec<(u32, u32)> = (0..boxes.len() as u32)
            .flat_map(|a| (a + 1..boxes.len() as u32).map(move |b| (a, b)))
            .filter(|&(a, b)| meet(&boxes[a as usize], &boxes[b as usize]))
            .collect();
        assert!(wanted.len() > 300);
        assert_eq!(found, wanted);
    }

    #[test]
    fn nodes_hold_what_is_below_them_and_are_not_deep() {
        let (points, triangles) = soup(1000, 8);
        // A tree of triangles at one place must not be deeper than any other.
        for triangles in [triangles, vec![[0, 1, 2]; 1000]] {
            let tree = Tree::new(&points, &triangles);
            let mut order = tree.order().to_vec();
            order.sort_unstable();
            assert!(order.iter().zip(0..).all(|(&t, i)| t == i));
            let mut stack = vec![(0, 1)];
            let mut depth = 0;
            while let Some((i, level)) = stack.pop() {
                let node = tree.nodes()[i];
                depth = depth.max(level);
                assert_eq!(node.bounds, around(tree.corners()[node.range()].as_flattened()));
                if !node.is_leaf() {
                    let [low, high] = [i + 1, node.second as usize].map(|child| tree.nodes()[child]);
                    assert_eq!((low.first, low.end, high.end), (node.first, high.first, node.end));
                    stack.extend([(i + 1, level + 1), (node.second as usize, level + 1)]);
                }
            }
            assert_eq!(depth, 8, "1000 triangles, 8 in a leaf");
        }
    }
}
