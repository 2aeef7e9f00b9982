//! Points of quadrature in a quadratic tet, and the virtual corners there.
//!
//! With barycentric coordinates λ the shape functions are N_c = λ_c (2λ_c − 1) for corner c and N_cd = 4 λ_c λ_d for the
//! middle of the edge between c and d. The virtual corner c at a point is ∂x/∂λ_c:
//!
//! ```text
//! x̃_c = (4λ_c − 1) x_c + 4 Σ_d λ_d x_cd
//! ```
//!
//! Nodes have VTK's order: the four corners, then the middles of [`EDGES`].

use super::NODES;
use crate::math::lanes::{Kernel, Lane, Vec4};

/// The corners at the ends of each edge, in the order of its middle nodes.
pub const EDGES: [[usize; 2]; 6] = [[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]];

/// The node between two different corners, counted from the first middle node.
const BETWEEN: [[usize; 4]; 4] = [[9, 0, 2, 3], [0, 9, 1, 4], [2, 1, 9, 5], [3, 4, 5, 9]];

/// λ of a point in the corner that it is near to, (5 + 3√5)/20, and in the others, (5 − √5)/20.
const NEAR: f64 = 0.585_410_196_624_968_5;
const FAR: f64 = 0.138_196_601_125_010_5;

/// Virtual corners of a point.
pub(super) const CORNERS: usize = 4;

/// Where an element is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// At four points of equal weight, exact for polynomials of degree 2.
    Four,
    /// At the centre alone, with the whole weight, exact for degree 1. Corner nodes do not count there.
    Centre,
}

impl Rule {
    /// How many points it has.
    pub fn points(self) -> usize {
        match self {
            Rule::Four => 4,
            Rule::Centre => 1,
        }
    }

    /// The barycentric coordinates of a point.
    pub fn place(self, point: usize) -> [f64; 4] {
        match self {
            Rule::Four => std::array::from_fn(|c| if c == point { NEAR } else { FAR }),
            Rule::Centre => [0.25; 4],
        }
    }

    /// By how much each node moves each virtual corner of a point: `[corner][node]`.
    pub fn shares(self, point: usize) -> [[f64; NODES]; CORNERS] {
        shares(self.place(point))
    }
}

/// By how much each node moves each virtual corner at barycentric coordinates λ.
pub fn shares(place: [f64; 4]) -> [[f64; NODES]; CORNERS] {
    let mut shares = [[0.0; NODES]; CORNERS];
    for c in 0..CORNERS {
        shares[c][c] = 4.0 * place[c] - 1.0;
        for d in (0..CORNERS).filter(|d| *d != c) {
            shares[c][CORNERS + BETWEEN[c][d]] = 4.0 * place[d];
        }
    }
    shares
}

/// The shape functions at barycentric coordinates λ, in the order of nodes.
pub fn shape(place: [f64; 4]) -> [f64; NODES] {
    let corner = |c: usize| place[c] * (2.0 * place[c] - 1.0);
    std::array::from_fn(|n| match n.checked_sub(CORNERS) {
        None => corner(n),
        Some(middle) => 4.0 * place[EDGES[middle][0]] * place[EDGES[middle][1]],
    })
}

/// The kernel that computes the virtual corners of elements, point by point.
pub(super) struct Lift<'a> {
    pub(super) rule: Rule,
    pub(super) nodes: &'a [[u32; NODES]],
    pub(super) x: &'a [Vec4],
    pub(super) out: &'a mut [Vec4],
}

impl Kernel for Lift<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let all = self.out.chunks_exact_mut(CORNERS * self.rule.points());
        for (nodes, out) in self.nodes.iter().zip(all) {
            let mut x = [L::splat(0.0); NODES];
            for n in 0..NODES {
                x[n] = L::load(&self.x[nodes[n] as usize].0);
            }
            match self.rule {
                Rule::Four => lift_four(&x, out),
                Rule::Centre => {
                    for c in 0..CORNERS {
                        out[c] = Vec4(around(&x, c).to_array());
                    }
                }
            }
        }
    }
}

/// The sum of the middle nodes at a corner.
#[inline(always)]
fn around<L: Lane>(x: &[L; NODES], c: usize) -> L {
    let [a, b, d] = [(c + 1) % 4, (c + 2) % 4, (c + 3) % 4];
    let at = BETWEEN[c];
    x[CORNERS + at[a]] + x[CORNERS + at[b]] + x[CORNERS + at[d]]
}

/// λ is [`FAR`] everywhere but in one corner: most of a virtual corner is the same at all four points.
#[inline(always)]
fn lift_four<L: Lane>(x: &[L; NODES], out: &mut [Vec4]) {
    let (far, more) = (L::splat(4.0 * FAR), L::splat(4.0 * (NEAR - FAR)));
    for c in 0..CORNERS {
        let common = far * (x[c] + around(x, c)) - x[c];
        for point in 0..CORNERS {
            let near = if c == point { x[c] } else { x[CORNERS + BETWEEN[c][point]] };
            out[CORNERS * point + c] = Vec4((common + more * near).to_array());
        }
    }
}

/// The kernel that brings forces from virtual corners to nodes, and adds them there.
pub(super) struct Drop<'a> {
    pub(super) rule: Rule,
    pub(super) forces: &'a [Vec4],
    pub(super) slots: &'a mut [Vec4],
}

impl Kernel for Drop<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let all = self.forces.chunks_exact(CORNERS * self.rule.points());
        for (slots, forces) in self.slots.chunks_exact_mut(NODES).zip(all) {
            let mut sum = [L::splat(0.0); NODES];
            match self.rule {
                Rule::Four => drop_four(forces, &mut sum),
                Rule::Centre => {
                    for (n, [c, d]) in EDGES.into_iter().enumerate() {
                        sum[CORNERS + n] = L::load(&forces[c].0) + L::load(&forces[d].0);
                    }
                }
            }
            for n in 0..NODES {
                slots[n] = Vec4((L::load(&slots[n].0) + sum[n]).to_array());
            }
        }
    }
}

#[inline(always)]
fn drop_four<L: Lane>(forces: &[Vec4], sum: &mut [L; NODES]) {
    let (far, more) = (L::splat(4.0 * FAR), L::splat(4.0 * (NEAR - FAR)));
    let mut total = [L::splat(0.0); CORNERS];
    for c in 0..CORNERS {
        let [p, q, r, s] = [c, CORNERS + c, 2 * CORNERS + c, 3 * CORNERS + c];
        let (a, b) =
            (L::load(&forces[p].0) + L::load(&forces[q].0), L::load(&forces[r].0) + L::load(&forces[s].0));
        total[c] = a + b;
        sum[c] = (far - L::splat(1.0)) * total[c] + more * L::load(&forces[CORNERS * c + c].0);
    }
    for (n, [c, d]) in EDGES.into_iter().enumerate() {
        let near = L::load(&forces[CORNERS * d + c].0) + L::load(&forces[CORNERS * c + d].0);
        sum[CORNERS + n] = far * (total[c] + total[d]) + more * near;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::lanes::dispatch;
    use crate::math::random::signed as random;

    #[test]
    fn virtual_corners_are_the_derivatives_of_the_shape_and_forces_go_back_by_the_transpose() {
        let mut r = random(4);
        let mut points = |n: usize| -> Vec<Vec4> { (0..n).map(|_| Vec4::new([r(), r(), r()])).collect() };
        let x = points(NODES);
        let nodes = [std::array::from_fn(|n| n as u32)];
        for rule in [Rule::Four, Rule::Centre] {
            let (mut lifted, forces) = (vec![Vec4::ZERO; 4 * rule.points()], points(4 * rule.points()));
            dispatch(Lift { rule, nodes: &nodes, x: &x, out: &mut lifted });
            let mut slots = points(NODES);
            let before = slots.clone();
            dispatch(Drop { rule, forces: &forces, slots: &mut slots });
            let mut want = before;
            for point in 0..rule.points() {
                let (place, h) = (rule.place(point), 1e-5);
                assert!((place.iter().sum::<f64>() - 1.0).abs() < 1e-15);
                for c in 0..4 {
                    let moved =
                        |d: f64| shape(std::array::from_fn(|k| place[k] + if k == c { d } else { 0.0 }));
                    let (up, down) = (moved(h), moved(-h));
                    for k in 0..3 {
                        let slope: f64 = (0..NODES).map(|n| (up[n] - down[n]) / (2.0 * h) * x[n].0[k]).sum();
                        assert!((slope - lifted[4 * point + c].0[k]).abs() < 1e-9, "{rule:?}");
                        for n in 0..NODES {
                            want[n].0[k] += rule.shares(point)[c][n] * forces[4 * point + c].0[k];
                        }
                    }
                }
            }
            for (a, b) in slots.iter().zip(&want) {
                assert!((0..3).all(|k| (a.0[k] - b.0[k]).abs() < 1e-13), "{rule:?}");
            }
        }
    }
}
