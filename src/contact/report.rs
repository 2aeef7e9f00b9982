//! What touches, for people: forces, gaps, and sums between bodies and obstacles.

use std::collections::BTreeMap;

use super::Contact;
use super::pairs::Pair;
use crate::step::active::{Between, Touching};
use elements::math::lanes::Vec4;
use elements::math::vec3::{add, sub};

impl Contact {
    /// The state of all listed contacts at `x`.
    pub(super) fn report(&self, x: &[Vec4]) -> Touching {
        let range = self.surfaces.range;
        let mut out = Touching {
            forces: vec![[0.0; 3]; x.len()],
            friction: vec![[0.0; 3]; x.len()],
            gaps: vec![range; x.len()],
            range,
            least: range,
            pairs: 0,
            between: vec![],
        };
        let mut sums: BTreeMap<[u32; 2], [f64; 3]> = BTreeMap::new();
        for pair in &self.pairs.list {
            let places = pair.places(x);
            let (gap, _) = pair.gap(places);
            let Some((_, gradients)) = pair.evaluate(places) else { continue };
            out.pairs += 1;
            out.least = out.least.min(gap);
            let (first, second) = self.parts_of(pair);
            let sum = sums.entry([first.min(second), first.max(second)]).or_default();
            for (k, v) in pair.corners.iter().enumerate() {
                let (force, v) = (sub([0.0; 3], gradients[k]), *v as usize);
                out.forces[v] = add(out.forces[v], force);
                out.gaps[v] = out.gaps[v].min(gap);
                // What the part of the lower number feels.
                if (k < pair.kind.first()) == (first <= second) {
                    *sum = add(*sum, force);
                }
            }
        }
        let name = |part: u32| self.surfaces.parts[part as usize].name.clone();
        out.between = sums
            .into_iter()
            .map(|([a, b], normal)| Between { names: [name(a), name(b)], normal, friction: [0.0; 3] })
            .collect();
        out
    }

    /// The parts of a pair's first and second piece.
    fn parts_of(&self, pair: &Pair) -> (u32, u32) {
        let of = |corner: usize| self.surfaces.part_of(pair.corners[corner]);
        (of(0), of(pair.kind.first()))
    }
}
