//! Finding the primitives that come near each other: a tree of boxes, fitted anew to where everything is.
//!
//! A node has two boxes: one around its vertices where they are, and one around their displacements. Two nodes can meet
//! if their boxes do when one is swept by the displacements relative to the other. So what falls together stays apart,
//! however fast. The tree itself is made once; pairs are sorted after they are found, so its shape does not matter.

use super::pairs::Kind;
use super::surfaces::{Primitive, Surfaces};
use crate::mesh::tree::{Bounds, EMPTY, Node, merge, nodes_over};
use elements::math::lanes::Vec4;
use elements::math::vec3::{add, sub};
use elements::par;

/// The number of primitives that one thread looks at before it takes the next ones.
const AT_ONCE: usize = 64;

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
    fn meets(&self, other: &Reach) -> bool {
        (0..3).all(|k| {
            let ahead = (other.way[1][k] - self.way[0][k]).max(0.0);
            let back = (other.way[0][k] - self.way[1][k]).min(0.0);
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
        let mut places = vec![Reach::NOTHING; self.order.len()];
        par::chunks_mut(&mut places, 1024, |chunk, places| {
            for (reach, number) in places.iter_mut().zip(&self.order[1024 * chunk..]) {
                let primitive = &surfaces.primitives[*number as usize];
                for v in primitive.corners.map(|v| v as usize) {
                    let (a, b) = (from[v].xyz(), to[v].xyz());
                    let way = sub(b, a);
                    *reach = reach.merge(Reach { place: [a, a], way: [way, way] });
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
        let found = par::map(order.len().div_ceil(AT_ONCE), |chunk| {
            let mut out = vec![];
            for i in AT_ONCE * chunk..order.len().min(AT_ONCE * (chunk + 1)) {
                let p = &self.surfaces.primitives[order[i] as usize];
                self.later(i, |j| {
                    let q = &self.surfaces.primitives[order[j] as usize];
                    if self.surfaces.may_touch(p.part, q.part) {
                        collect([order[i], order[j]], &mut out);
                    }
                });
            }
            out
        });
        found.into_iter().flatten().collect()
    }

    /// Calls `visit` with the places after `i` whose primitives may meet that at `i`.
    fn later(&self, i: usize, mut visit: impl FnMut(usize)) {
        let own = &self.places[i];
        let mut stack = [0u32; 64];
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let at = stack[height] as usize;
            let Some(node) = self.tree.nodes.get(at) else { return };
            if node.end as usize <= i + 1 || !own.meets(&self.nodes[at]) {
                continue;
            }
            if node.is_leaf() {
                let places = node.range();
                places.filter(|j| *j > i && own.meets(&self.places[*j])).for_each(&mut visit);
            } else {
                // The tree halves its primitives at every node: 64 entries are enough for all of them.
                stack[height] = node.second;
                stack[height + 1] = at as u32 + 1;
                height += 2;
            }
        }
    }
}
