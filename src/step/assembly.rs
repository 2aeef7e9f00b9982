//! From gradients of corners to those of vertices, in two stages.
//!
//! Elements write the gradient of each corner into a slot of its own. The slots of a chunk of elements are scratch
//! space of the thread that computes it and stay in its cache. They are added up at once, into one sum for each vertex
//! of the chunk. Then every vertex gathers its sums from the chunks in which it occurs. Elements are sorted by vertex,
//! so there are few sums. All orders are fixed: the bits do not depend on the number of threads.

use std::cell::Cell;
use std::ops::Range;

use super::Term;
use elements::energy::{CHUNK, Energy, chunks};
use elements::math::lanes::{Kernel, Lane, Vec4, dispatch};

/// Maps all corners to sums and all sums to unknowns.
pub(super) struct Assembly {
    parts: Vec<Part>,
    /// For each unknown, where its sums start in `list`. The sums are ascending.
    starts: Vec<u32>,
    list: Vec<u32>,
}

/// The corners of one term.
struct Part {
    /// The range of the term's sums among those of all terms.
    sums: Range<usize>,
    /// The number of sums in each chunk: one for each unknown of the chunk that has most, and a last one that collects
    /// the gradients of prescribed vertices, which nobody reads.
    stride: usize,
    /// The number of slots in each chunk; the last chunk may have fewer.
    slots: usize,
    /// For each slot, the number of its sum within the chunk.
    places: Vec<u16>,
}

thread_local! {
    static SLOTS: Cell<Vec<Vec4>> = const { Cell::new(vec![]) };
}

impl Assembly {
    /// The maps for the unknowns 0 … `free`−1 of some terms.
    pub(super) fn new(free: usize, terms: &[Term]) -> Assembly {
        let mut total = 0;
        // Pairs of an unknown and one of its sums.
        let mut pairs: Vec<(u32, u32)> = vec![];
        let parts = terms
            .iter()
            .map(|term| {
                let (part, vertices) = part(free, term.as_ref(), total);
                for (chunk, vertices) in vertices.iter().enumerate() {
                    let first = total + chunk * part.stride;
                    pairs.extend(vertices.iter().enumerate().map(|(k, v)| (*v, (first + k) as u32)));
                }
                total = part.sums.end;
                part
            })
            .collect();
        let mut starts = vec![0u32; free + 1];
        pairs.iter().for_each(|(v, _)| starts[*v as usize + 1] += 1);
        for v in 0..free {
            starts[v + 1] += starts[v];
        }
        let (mut next, mut list) = (starts.clone(), vec![0; pairs.len()]);
        for (v, sum) in pairs {
            list[next[v as usize] as usize] = sum;
            next[v as usize] += 1;
        }
        Assembly { parts, starts, list }
    }

    /// The number of sums of all terms.
    pub(super) fn len(&self) -> usize {
        self.parts.last().map_or(0, |part| part.sums.end)
    }

    /// The number of sums of a term.
    pub(super) fn sums(&self, term: usize) -> usize {
        self.parts[term].sums.len()
    }

    /// The number of sums of a chunk of a term.
    pub(super) fn stride(&self, term: usize) -> usize {
        self.parts[term].stride
    }

    /// Calls `f` with the slots of a chunk, which hold arbitrary numbers, and adds up the gradients
    /// that `f` writes to them.
    pub(super) fn collect<R>(
        &self,
        (term, chunk): (usize, usize),
        sums: &mut [Vec4],
        f: impl FnOnce(&mut [Vec4]) -> R,
    ) -> R {
        let part = &self.parts[term];
        let places = &part.places[chunk * part.slots..part.places.len().min((chunk + 1) * part.slots)];
        let mut slots = SLOTS.take();
        if slots.len() < places.len() {
            slots.resize(places.len(), Vec4::ZERO);
        }
        let result = f(&mut slots[..places.len()]);
        dispatch(Add { slots: &slots, places, sums });
        SLOTS.set(slots);
        result
    }

    /// The numbers of the sums of an unknown.
    #[inline(always)]
    pub(super) fn of(&self, vertex: usize) -> &[u32] {
        &self.list[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }
}

/// The corners of a term whose sums begin at `first`, and the unknowns of each chunk in the order of its sums.
fn part(free: usize, term: &dyn Energy, first: usize) -> (Part, Vec<Vec<u32>>) {
    const NEW: u32 = u32::MAX;
    let corners = term.corners();
    let mut vertices: Vec<Vec<u32>> = vec![vec![]; chunks(term)];
    let mut place = vec![NEW; free];
    let mut places = vec![u16::MAX; term.slots()];
    for (chunk, own) in vertices.iter_mut().enumerate() {
        for e in chunk * CHUNK..term.len().min((chunk + 1) * CHUNK) {
            for (c, v) in term.element(e).iter().enumerate().filter(|(_, v)| (**v as usize) < free) {
                let at = &mut place[*v as usize];
                if *at == NEW {
                    *at = own.len() as u32;
                    own.push(*v);
                }
                places[e * corners + c] = *at as u16;
            }
        }
        own.iter().for_each(|v| place[*v as usize] = NEW);
    }
    let stride = vertices.iter().map(|own| own.len()).max().unwrap_or(0) + 1;
    places.iter_mut().for_each(|place| *place = (*place).min(stride as u16 - 1));
    let sums = first..first + vertices.len() * stride;
    (Part { sums, stride, slots: CHUNK * corners, places }, vertices)
}

/// The kernel that adds the slots of a chunk to its sums.
struct Add<'a> {
    slots: &'a [Vec4],
    places: &'a [u16],
    sums: &'a mut [Vec4],
}

impl Kernel for Add<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        self.sums.fill(Vec4::ZERO);
        for (slot, place) in self.slots.iter().zip(self.places) {
            let sum = &mut self.sums[*place as usize];
            sum.0 = (L::load(&sum.0) + L::load(&slot.0)).to_array();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::Cache;
    use crate::model::build::build;
    use elements::math::random::signed;

    #[test]
    fn vertices_get_the_sums_of_their_corners() {
        let text = r#"
            [time]
            step = "1/30"
            frames = 1
            [[body]]
            element = "linear"
            generate = { shape = "beam", size = [4, 1, 1], cells = [9, 4, 5], split = 6 }
            material = { model = "arap", young = 1e5 }
            [[body.pin]]
            select = { box = { min = [-1, -1, -1], max = [0.1, 9, 9] } }
            kind = "hard"
            [[body]]
            generate = { shape = "cloth", size = [1, 1], cells = [20, 20] }
            material = { model = "arap", young = 1e4 }
            bending = { kind = "hinge", stiffness = 1e-3 }
            transform = { translate = [0, 3, 0] }
        "#;
        let built = build(&crate::config::parse(text).unwrap().scene, &Cache::disabled()).unwrap();
        let (objective, mut random) = (built.objective, signed(4));
        let mut x = built.model.initial.x.clone();
        x.iter_mut().for_each(|x| (0..3).for_each(|k| x.0[k] += 0.02 * random()));
        let mut at = objective.iterate_at(x);
        objective.evaluate(&mut at);
        let per_step = 1.0 / (objective.step * objective.step);
        let mut want: Vec<[f64; 3]> = (0..objective.free)
            .map(|v| {
                let d = |k: usize| at.x[v].0[k] - objective.inertial[v].0[k];
                std::array::from_fn(|k| objective.mass[v] * per_step * d(k))
            })
            .collect();
        assert!(objective.terms.iter().any(|term| chunks(term.as_ref()) > 2), "one chunk is no test");
        for term in &objective.terms {
            let corners = term.corners();
            let mut slots = vec![Vec4::ZERO; term.slots()];
            for (chunk, slots) in slots.chunks_mut(CHUNK * corners).enumerate() {
                term.evaluate(chunk, &at.x, slots);
            }
            for e in 0..term.len() {
                for (c, v) in
                    term.element(e).iter().enumerate().filter(|(_, v)| (**v as usize) < objective.free)
                {
                    (0..3).for_each(|k| want[*v as usize][k] += slots[corners * e + c].0[k]);
                }
            }
        }
        let scale = want.iter().flatten().fold(0.0f64, |m, w| m.max(w.abs()));
        for (got, want) in at.gradient.iter().zip(&want) {
            assert!((0..3).all(|k| (got.0[k] - want[k]).abs() < 1e-13 * scale), "{got:?} {want:?}");
        }
    }
}
