//! Finding the primitives that come near each other: a tree of boxes, fitted anew to where everything is.
//!
//! A node has two boxes: one around its vertices where they are, and one around their displacements. Two nodes can meet
//! if their boxes do when one is swept by the displacements relative to the other. So what falls together stays apart,
//! however fast. The tree itself is made once; pairs are sorted after they are found, so its shape does not matter.

use std::ops::Range;

use super::filter::{high, low};
use super::pairs::Kind;
use super::surfaces::{Primitive, Surfaces};
use crate::mesh::tree::{Bounds, EMPTY, Node, merge, nodes_over};
use elements::math::lanes::Vec4;
use elements::math::vec3::{add, sub};
use elements::par;

/// The number of pairs of leaves that one thread looks at before it takes the next ones.
const AT_ONCE: usize = 32;

/// By which part of d̂ boxes are larger than they have to be.
const ROUNDING: f64 = 1e-9;

/// A tree over all primitives.
#[derive(Clone, Debug)]
pub struct Hierarchy {
    nodes: Vec<Node>,
    /// The numbers of the primitives, those of one leaf side by side.
    order: Vec<u32>,
}

/// Where something is, and by how much it moves.
#[derive(Clone, Copy, Debug)]
struct Reach {
    place: Bounds,
    way: Bounds,
}

impl Reach {
    const NOTHING: Reach = Reach { place: EMPTY, way: EMPTY };

    fn merge(self, other: Reach) -> Reach {
        Reach { place: merge(self.place, other.place), way: merge(self.way, other.way) }
    }

    /// True if the two may meet while they move.
    #[inline]
    fn meets(&self, other: &Reach) -> bool {
        (0..3).all(|k| {
            let ahead = high(other.way[1][k] - self.way[0][k], 0.0);
            let back = low(other.way[0][k] - self.way[1][k], 0.0);
            self.place[0][k] <= other.place[1][k] + ahead && other.place[0][k] + back <= self.place[1][k]
        })
    }
}

/// A tree fitted to positions and displacements.
pub struct Fitted<'a> {
    tree: &'a Hierarchy,
    surfaces: &'a Surfaces,
    nodes: Vec<Reach>,
    places: Vec<Reach>,
}

impl Hierarchy {
    /// The tree over the primitives where they are at `x`.
    pub fn new(surfaces: &Surfaces, x: &[Vec4]) -> Hierarchy {
        let centre = |p: &Primitive| {
            let [a, b, c] = p.corners.map(|v| x[v as usize].xyz());
            add(add(a, b), c)
        };
        let centres: Vec<[f64; 3]> = surfaces.primitives.iter().map(centre).collect();
        let (nodes, order) = nodes_over(&centres);
        Hierarchy { nodes, order }
    }

    /// The tree fitted to a straight motion from `from` to `to`; what comes within `near` of each other meets.
    pub fn fit<'a>(&'a self, surfaces: &'a Surfaces, from: &[Vec4], to: &[Vec4], near: f64) -> Fitted<'a> {
        self.fitted(surfaces, [from, to], near, false)
    }

    /// Like [`Hierarchy::fit`] for motions of which each vertex may make any part.
    pub fn fit_parts<'a>(
        &'a self,
        surfaces: &'a Surfaces,
        from: &[Vec4],
        to: &[Vec4],
        near: f64,
    ) -> Fitted<'a> {
        self.fitted(surfaces, [from, to], near, true)
    }

    fn fitted<'a>(
        &'a self,
        surfaces: &'a Surfaces,
        [from, to]: [&[Vec4]; 2],
        near: f64,
        may_stop: bool,
    ) -> Fitted<'a> {
        let mut places = vec![Reach::NOTHING; self.order.len()];
        par::chunks_mut(&mut places, 1024, |chunk, places| {
            for (reach, number) in places.iter_mut().zip(&self.order[1024 * chunk..]) {
                let primitive = &surfaces.primitives[*number as usize];
                for v in primitive.corners.map(|v| v as usize) {
                    let (a, b) = (from[v].xyz(), to[v].xyz());
                    let way = sub(b, a);
                    let way = if may_stop {
                        [way.map(|w| w.min(0.0)), way.map(|w| w.max(0.0))]
                    } else {
                        [way, way]
                    };
                    *reach = reach.merge(Reach { place: [a, a], way });
                }
                // A bit more, so that rounding does not keep apart what meets.
                let more =
                    0.5 * near + surfaces.parts[primitive.part as usize].radius + ROUNDING * surfaces.range;
                reach.place = [sub(reach.place[0], [more; 3]), add(reach.place[1], [more; 3])];
            }
        });
        let mut nodes = vec![Reach::NOTHING; self.nodes.len()];
        for i in (0..nodes.len()).rev() {
            let node = &self.nodes[i];
            nodes[i] = if node.is_leaf() {
                places[node.range()].iter().fold(Reach::NOTHING, |all, one| all.merge(*one))
            } else {
                nodes[i + 1].merge(nodes[node.second as usize])
            };
        }
        Fitted { tree: self, surfaces, nodes, places }
    }
}

impl Fitted<'_> {
    /// What `collect` makes of all pairs of pieces that may touch and may meet, in no particular order but that of the
    /// tree. It gets the pieces with their primitives and a place for results.
    pub fn collect<R: Send>(
        &self,
        collect: impl Fn(Kind, [u32; 4], [&Primitive; 2], &mut Vec<R>) + Send + Sync,
    ) -> Vec<R> {
        self.collect_primitives(|pair, out| {
            let [p, q] = pair.map(|p| &self.surfaces.primitives[p as usize]);
            self.surfaces.pairs_of(p, q, |kind, corners| {
                if self.surfaces.is_free(&corners) {
                    collect(kind, corners, [p, q], out);
                }
            });
        })
    }

    /// What `collect` makes of all pairs of primitives that may touch and may meet, given by their numbers.
    pub fn collect_primitives<R: Send>(
        &self,
        collect: impl Fn([u32; 2], &mut Vec<R>) + Send + Sync,
    ) -> Vec<R> {
        let order = &self.tree.order;
        let leaves = self.leaves();
        let found = par::map(leaves.len().div_ceil(AT_ONCE), |chunk| {
            let mut out = vec![];
            let (mut firsts, mut seconds) = (vec![], vec![]);
            for [a, b] in leaves.iter().skip(AT_ONCE * chunk).take(AT_ONCE) {
                // Only what meets the other leaf as a whole.
                let meeting = |range: Range<usize>, other: &Reach, places: &mut Vec<usize>| {
                    places.clear();
                    places.extend(range.filter(|i| self.places[*i].meets(other)));
                };
                meeting(self.tree.nodes[*a].range(), &self.nodes[*b], &mut firsts);
                meeting(self.tree.nodes[*b].range(), &self.nodes[*a], &mut seconds);
                for i in &firsts {
                    let (p, own) = (&self.surfaces.primitives[order[*i] as usize], &self.places[*i]);
                    for j in seconds.iter().filter(|j| **j > *i && own.meets(&self.places[**j])) {
                        let q = &self.surfaces.primitives[order[*j] as usize];
                        if self.surfaces.may_touch(p.part, q.part) {
                            collect([order[*i], order[*j]], &mut out);
                        }
                    }
                }
            }
            out
        });
        found.into_iter().flatten().collect()
    }

    /// The pairs of leaves that may meet, the one with the first places first; a leaf meets itself.
    fn leaves(&self) -> Vec<[usize; 2]> {
        let (nodes, mut found) = (&self.tree.nodes, vec![]);
        let mut stack = if nodes.is_empty() { vec![] } else { vec![[0, 0]] };
        while let Some([a, b]) = stack.pop() {
            let [first, second] = [a, b].map(|i: usize| &nodes[i]);
            if a == b && !first.is_leaf() {
                let (left, right) = (a + 1, first.second as usize);
                stack.extend([[right, right], [left, right], [left, left]]);
            } else if a == b {
                found.push([a, a]);
            } else if self.nodes[a].meets(&self.nodes[b]) {
                // The larger of the two is divided.
                let is_first =
                    !first.is_leaf() && (second.is_leaf() || first.range().len() >= second.range().len());
                if is_first {
                    stack.extend([[first.second as usize, b], [a + 1, b]]);
                } else if !second.is_leaf() {
                    stack.extend([[a, second.second as usize], [a, b + 1]]);
                } else {
                    found.push([a, b]);
                }
            }
        }
        found
    }
}
