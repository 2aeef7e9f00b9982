//! Finding the primitives that come near each other: a tree of boxes, fitted anew to where everything is.
//!
//! A node has two boxes: one around its vertices where they are, and one around their displacements. Two nodes can meet
//! if their boxes do when one is swept by the displacements relative to the other. So what falls together stays apart,
//! however fast. Every part has a tree of its own, so that a search passes over parts that it is not about. The trees are
//! made once; pairs are sorted after they are found, so their shape does not matter.

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

/// Which pairs of parts a search is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All.
    All,
    /// Each part with itself.
    Own,
    /// Different bodies.
    Bodies,
    /// Bodies and obstacles.
    Obstacles,
}

impl Scope {
    /// True if it has these two parts, and they may touch.
    pub fn has(self, surfaces: &Surfaces, p: u32, q: u32) -> bool {
        let is_obstacle = |part: u32| surfaces.parts[part as usize].is_obstacle;
        let is_in = match self {
            Scope::All => true,
            Scope::Own => p == q,
            Scope::Bodies => p != q && !is_obstacle(p) && !is_obstacle(q),
            Scope::Obstacles => is_obstacle(p) != is_obstacle(q),
        };
        is_in && surfaces.may_touch(p, q)
    }
}

/// A tree over the primitives of each part.
#[derive(Clone, Debug)]
pub struct Hierarchy {
    nodes: Vec<Node>,
    /// The numbers of the primitives, those of one leaf side by side.
    order: Vec<u32>,
    /// The parts that have primitives, ascending, with the roots of their trees.
    roots: Vec<(u32, usize)>,
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

/// Trees fitted to positions and displacements.
pub struct Fitted<'a> {
    tree: &'a Hierarchy,
    surfaces: &'a Surfaces,
    scope: Scope,
    nodes: Vec<Reach>,
    places: Vec<Reach>,
}

impl Hierarchy {
    /// The trees over the primitives where they are at `x`.
    pub fn new(surfaces: &Surfaces, x: &[Vec4]) -> Hierarchy {
        let mut hierarchy = Hierarchy { nodes: vec![], order: vec![], roots: vec![] };
        let centre = |p: &Primitive| {
            let [a, b, c] = p.corners.map(|v| x[v as usize].xyz());
            add(add(a, b), c)
        };
        for primitives in surfaces.primitives.chunk_by(|p, q| p.part == q.part) {
            let centres: Vec<[f64; 3]> = primitives.iter().map(centre).collect();
            let (nodes, order) = nodes_over(&centres);
            let (place, root) = (hierarchy.order.len() as u32, hierarchy.nodes.len());
            hierarchy.roots.push((primitives[0].part, root));
            hierarchy.order.extend(order.iter().map(|i| place + i));
            hierarchy.nodes.extend(nodes.iter().map(|node| Node {
                first: place + node.first,
                end: place + node.end,
                second: if node.is_leaf() { 0 } else { root as u32 + node.second },
                ..*node
            }));
        }
        hierarchy
    }

    /// The pairs of parts that a search is about, given by the places of their roots.
    fn pairs<'a>(&'a self, surfaces: &'a Surfaces, scope: Scope) -> impl Iterator<Item = [usize; 2]> + 'a {
        let count = self.roots.len();
        (0..count).flat_map(move |i| {
            let is_in = move |j: &usize| scope.has(surfaces, self.roots[i].0, self.roots[*j].0);
            (i..count).filter(is_in).map(move |j| [i, j])
        })
    }

    /// True if there is nothing to search for.
    pub fn is_empty(&self, surfaces: &Surfaces, scope: Scope) -> bool {
        self.pairs(surfaces, scope).next().is_none()
    }

    /// The trees fitted to a straight motion from `from` to `to`; what comes within `near` of each other meets.
    pub fn fit<'a>(
        &'a self,
        surfaces: &'a Surfaces,
        scope: Scope,
        [from, to]: [&[Vec4]; 2],
        near: f64,
    ) -> Fitted<'a> {
        self.fitted(surfaces, scope, [from, to], near, false)
    }

    /// Like [`Hierarchy::fit`] for motions of which each vertex may make any part.
    pub fn fit_parts<'a>(
        &'a self,
        surfaces: &'a Surfaces,
        [from, to]: [&[Vec4]; 2],
        near: f64,
    ) -> Fitted<'a> {
        self.fitted(surfaces, Scope::All, [from, to], near, true)
    }

    fn fitted<'a>(
        &'a self,
        surfaces: &'a Surfaces,
        scope: Scope,
        [from, to]: [&[Vec4]; 2],
        near: f64,
        may_stop: bool,
    ) -> Fitted<'a> {
        let mut is_in = vec![false; surfaces.parts.len()];
        for pair in self.pairs(surfaces, scope) {
            pair.iter().for_each(|i| is_in[self.roots[*i].0 as usize] = true);
        }
        let mut places = vec![Reach::NOTHING; self.order.len()];
        par::chunks_mut(&mut places, 1024, |chunk, places| {
            for (reach, number) in places.iter_mut().zip(&self.order[1024 * chunk..]) {
                let primitive = &surfaces.primitives[*number as usize];
                if !is_in[primitive.part as usize] {
                    continue;
                }
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
        Fitted { tree: self, surfaces, scope, nodes, places }
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
                    let own = &self.places[*i];
                    for j in seconds.iter().filter(|j| **j > *i && own.meets(&self.places[**j])) {
                        collect([order[*i], order[*j]], &mut out);
                    }
                }
            }
            out
        });
        found.into_iter().flatten().collect()
    }

    /// The pairs of parts with what is between the boxes around them in m, less `near` and their thickness: 0 or less if
    /// the boxes meet.
    pub fn parts(&self) -> impl Iterator<Item = ([u32; 2], f64)> + '_ {
        self.tree.pairs(self.surfaces, self.scope).map(|pair| {
            let [(p, first), (q, second)] = pair.map(|i| self.tree.roots[i]);
            let [a, b] = [first, second].map(|root| &self.nodes[root].place);
            let apart = (0..3).map(|k| (a[0][k] - b[1][k]).max(b[0][k] - a[1][k])).fold(0.0, f64::max);
            ([p, q], apart)
        })
    }

    /// The pairs of leaves that may meet, the one with the first places first; a leaf meets itself.
    fn leaves(&self) -> Vec<[usize; 2]> {
        let (nodes, mut found) = (&self.tree.nodes, vec![]);
        let pairs = self.tree.pairs(self.surfaces, self.scope);
        let mut stack: Vec<[usize; 2]> = pairs.map(|pair| pair.map(|i| self.tree.roots[i].1)).collect();
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
