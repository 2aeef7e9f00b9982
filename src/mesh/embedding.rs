//! Points bound to tets: a user's own surface that follows the simulated ones.
//!
//! ```text
//! p = Σ_c w_c x_c,      Σ_c w_c = 1
//! ```
//!
//! where w are the barycentric coordinates of p in the tet that contains it at rest. Outside of all tets they are
//! those in the nearest one, and some are negative. Either way the rest position comes back up to rounding. In
//! quadratic tets the weights are those of their ten nodes: the shape functions at the coordinates λ with x(λ) = p. Where edges
//! are bent these are found by Newton's method, and a point for which it finds none near its tet follows the corners alone. The
//! nearest of all faces of tets belongs to the tet that contains p (else another face would lie between) or,
//! outside, to the nearest tet.

use super::tree::Tree;
use elements::energy::lifted::NODES;
use elements::energy::lifted::rule::{shape, shares};
use elements::math::vec3::{add, cross, dot, norm, scale, sub};
use elements::par;

/// The number of points in a chunk of work.
const CHUNK: usize = 256;

/// The three corners opposite to each corner of a tet, in no special orientation.
const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]];

/// Where each point lies in a mesh of tets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Embedding {
    /// The corners of the tet that each point follows.
    pub corners: Vec<[u32; 4]>,
    /// The other nodes of these tets; empty if they are linear.
    pub middles: Vec<[u32; 6]>,
    /// The barycentric coordinates of each point in its tet as if its edges were straight, with sum 1.
    pub weights: Vec<[f64; 4]>,
    /// The weights of the ten nodes for each point, with sum 1; empty if tets are linear.
    pub shapes: Vec<[f64; NODES]>,
}

/// A face by its vertices, ascending, and the number of a tet that has it.
type Face = ([u32; 3], u32);

impl Embedding {
    /// Binds points to tets. There must be at least one tet, and all must have positive volume. `middles` are the further
    /// nodes of quadratic tets, else empty.
    pub fn new(points: &[[f64; 3]], rest: &[[f64; 3]], tets: &[[u32; 4]], middles: &[[u32; 6]]) -> Embedding {
        let mut faces: Vec<Face> = (0u32..).zip(tets).flat_map(|(t, tet)| faces_of(t, tet)).collect();
        faces.sort_unstable();
        let owners = |vertices: [u32; 3]| {
            let first = faces.partition_point(|face| face.0 < vertices);
            faces[first..].iter().take_while(move |face| face.0 == vertices).map(|face| face.1)
        };
        let mut triangles: Vec<[u32; 3]> = faces.iter().map(|face| face.0).collect();
        triangles.dedup();
        let tree = Tree::new(rest, &triangles);
        let bind = |point: [f64; 3]| -> Option<(u32, [f64; 4])> {
            let near = tree.nearest(point)?;
            let candidates = owners(triangles[near.triangle as usize])
                .map(|t| (t, barycentric(tets[t as usize].map(|v| rest[v as usize]), point)));
            candidates.max_by(|a, b| least(&a.1).total_cmp(&least(&b.1)))
        };
        let parts = par::map(points.len().div_ceil(CHUNK), |chunk| {
            let own = &points[chunk * CHUNK..points.len().min((chunk + 1) * CHUNK)];
            own.iter().map(|p| bind(*p)).collect::<Vec<_>>()
        });
        let (own, weights): (Vec<u32>, Vec<_>) = parts.into_iter().flatten().flatten().unzip();
        let corners = own.iter().map(|t| tets[*t as usize]).collect();
        let middles: Vec<[u32; 6]> = own.iter().filter_map(|t| middles.get(*t as usize).copied()).collect();
        let mut bound = Embedding { corners, middles, weights, shapes: vec![] };
        bound.shapes = par::map(bound.middles.len(), |i| bound.shape_at(i, points[i], rest));
        bound
    }

    /// The weights of the ten nodes that make a point of rest positions.
    fn shape_at(&self, i: usize, point: [f64; 3], rest: &[[f64; 3]]) -> [f64; NODES] {
        let nodes: Vec<[f64; 3]> =
            self.corners[i].iter().chain(&self.middles[i]).map(|v| rest[*v as usize]).collect();
        let start = self.weights[i];
        inverse(&nodes, point, start)
            .map_or_else(|| std::array::from_fn(|n| start.get(n).copied().unwrap_or(0.0)), shape)
    }

    /// The vertices that a point follows, with their weights.
    pub fn carriers(&self, point: usize) -> Vec<(u32, f64)> {
        let corners = self.corners[point].into_iter();
        match self.middles.get(point) {
            None => corners.zip(self.weights[point]).collect(),
            Some(middles) => corners.chain(*middles).zip(self.shapes[point]).collect(),
        }
    }

    /// The positions of the points when the vertices of the tets are at `x`.
    pub fn apply(&self, x: &[[f64; 3]]) -> Vec<[f64; 3]> {
        let place = |(corners, weights): (&[u32; 4], &[f64; 4])| {
            let mut p = [0.0; 3];
            for (v, w) in corners.iter().zip(weights) {
                p = std::array::from_fn(|k| p[k] + w * x[*v as usize][k]);
            }
            p
        };
        if self.middles.is_empty() {
            return self.corners.iter().zip(&self.weights).map(place).collect();
        }
        let sum = |p: [f64; 3], (v, w): (u32, f64)| std::array::from_fn(|k| p[k] + w * x[v as usize][k]);
        (0..self.corners.len()).map(|point| self.carriers(point).into_iter().fold([0.0; 3], sum)).collect()
    }
}

/// The sum of points with weights.
fn sum(points: &[[f64; 3]], weights: &[f64]) -> [f64; 3] {
    points.iter().zip(weights).fold([0.0; 3], |all, (p, w)| add(all, scale(*w, *p)))
}

/// The coordinates λ in a tet of ten nodes with x(λ) = p, from those in the straight tet; `None` if Newton's method leaves the
/// neighbourhood of these, or ends above rounding.
fn inverse(nodes: &[[f64; 3]], point: [f64; 3], start: [f64; 4]) -> Option<[f64; 4]> {
    const ITERATIONS: usize = 20;
    let size = norm(sub(nodes[1], nodes[0])) + norm(point);
    let mut place = start;
    for _ in 0..ITERATIONS {
        let off = sub(point, sum(nodes, &shape(place)));
        if norm(off) <= 4.0 * f64::EPSILON * size {
            return Some(place);
        }
        // ∂x/∂λ is made of the virtual corners, so the correction is that of a tet with straight edges between them.
        let corners = shares(place).map(|share| sum(nodes, &share));
        let by = barycentric(corners, add(corners[0], off));
        place = std::array::from_fn(|c| place[c] + by[c] - if c == 0 { 1.0 } else { 0.0 });
        let is_near = |c: usize| (place[c] - start[c]).abs() < 0.5;
        if !(0..4).all(is_near) {
            return None;
        }
    }
    None
}

fn faces_of(number: u32, tet: &[u32; 4]) -> [Face; 4] {
    FACES.map(|face| {
        let mut vertices = face.map(|c| tet[c]);
        vertices.sort_unstable();
        (vertices, number)
    })
}

fn least(weights: &[f64; 4]) -> f64 {
    weights.iter().copied().fold(f64::INFINITY, f64::min)
}

/// The barycentric coordinates of a point in a tet.
fn barycentric(corners: [[f64; 3]; 4], point: [f64; 3]) -> [f64; 4] {
    let [a, b, c] = [1, 2, 3].map(|i| sub(corners[i], corners[0]));
    let p = sub(point, corners[0]);
    let volume = dot(a, cross(b, c));
    let w = [dot(p, cross(b, c)) / volume, dot(p, cross(c, a)) / volume, dot(p, cross(a, b)) / volume];
    [1.0 - w[0] - w[1] - w[2], w[0], w[1], w[2]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::generate;
    use crate::scene::Shape;
    use elements::math::random::SplitMix64;

    fn ball() -> crate::mesh::Mesh {
        generate(&Shape::Sphere { radius: 1.0, cells: 4 })
    }

    #[test]
    fn points_inside_are_in_the_tet_that_contains_them_and_all_come_back() {
        let mesh = ball();
        let mut random = SplitMix64::new(3);
        let points: Vec<[f64; 3]> =
            (0..2000).map(|_| std::array::from_fn(|_| 2.4 * random.uniform() - 1.2)).collect();
        let bound = Embedding::new(&points, &mesh.points, &mesh.tets, &[]);
        let mut inside = 0;
        for (i, (back, p)) in bound.apply(&mesh.points).iter().zip(&points).enumerate() {
            assert!((0..3).all(|k| (back[k] - p[k]).abs() < 1e-14), "{back:?} {p:?}");
            let corners = |t: &[u32; 4]| t.map(|v| mesh.points[v as usize]);
            let is_in = mesh.tets.iter().any(|t| least(&barycentric(corners(t), *p)) > 1e-12);
            inside += usize::from(is_in);
            assert!(!is_in || least(&bound.weights[i]) >= 0.0, "{p:?}: {:?}", bound.weights[i]);
        }
        assert!((200..1800).contains(&inside), "{inside}");
    }

    #[test]
    fn in_quadratic_tets_points_follow_quadratic_motions() {
        let mut mesh = ball();
        crate::mesh::quadratic::promote(&mut mesh);
        let points = vec![[0.1, 0.2, 0.3], [-0.3, 0.5, -0.2], mesh.points[5]];
        let bound = Embedding::new(&points, &mesh.points, &mesh.tets, &mesh.middles);
        let bend = |p: &[f64; 3]| [p[0] + p[1] * p[1], p[1] - p[0] * p[2], p[2] + 0.3 * p[0] * p[0]];
        let moved: Vec<[f64; 3]> = mesh.points.iter().map(bend).collect();
        for (got, p) in bound.apply(&moved).iter().zip(&points) {
            assert!((0..3).all(|k| (got[k] - bend(p)[k]).abs() < 1e-13), "{got:?}");
        }
    }

    #[test]
    fn affine_motions_carry_every_point_exactly() {
        let mesh = ball();
        let points = vec![[0.1, 0.2, 0.3], [1.5, 0.0, -0.2], mesh.points[5]];
        let bound = Embedding::new(&points, &mesh.points, &mesh.tets, &[]);
        let turn = |p: &[f64; 3]| [p[1] + 0.5, 2.0 * p[2] - p[0], 0.3 * p[0]];
        let moved: Vec<[f64; 3]> = mesh.points.iter().map(turn).collect();
        for (got, p) in bound.apply(&moved).iter().zip(&points) {
            assert!((0..3).all(|k| (got[k] - turn(p)[k]).abs() < 1e-13));
        }
    }
}
