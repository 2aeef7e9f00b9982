//! Lengths around a vertex (see `energy::vertex`).

use super::{COLLAPSED, Length, LengthTerm, direction_block};
use crate::energy::constraint::Corners;
use crate::energy::vertex::{Expanding, Expansion, Memory, Points, Star, Vertexwise, take};
use crate::math::lanes::{Vec4, WIDTH};
use crate::math::symmetric::PLACES;

impl Length {
    /// Adds the energy at z, expanded in a displacement that moves z by w times itself.
    fn expand(&self, z: [f64; 3], w: f64, lane: usize, out: &mut Expansion) {
        let (energy, pull, length) = self.energy(z);
        // A vanishing z has no direction, neither to be stretched nor to turn in.
        let collapsed = length <= COLLAPSED * self.longest;
        let force = if length > 1e-300 { w * pull / length } else { 0.0 };
        let block = direction_block(self, z, collapsed);
        out.add(lane, energy, z.map(|z| force * z), PLACES.map(|(i, k)| w * w * block[i][k]));
    }

    /// z with the corners of a lane at `x`.
    pub(in crate::energy) fn combine_lane(&self, x: &Corners, lane: usize) -> [f64; 3] {
        let sum = |k: usize| self.weights.iter().zip(x).map(|(w, x)| w * x[k][lane]).sum();
        [sum(0), sum(1), sum(2)]
    }

    /// By how much a displacement moves z that moves each corner by a share of itself.
    pub(in crate::energy) fn moved(&self, shares: &[[f64; WIDTH]; 4], lane: usize) -> f64 {
        self.weights.iter().zip(shares).map(|(w, share)| w * share[lane]).sum()
    }
}

impl Expanding for LengthTerm {
    fn expand(&self, elements: &[u32; WIDTH], x: &Corners, shares: &[[f64; WIDTH]; 4], out: &mut Expansion) {
        for (lane, e) in elements.iter().enumerate() {
            let e = &self.elements[*e as usize];
            e.expand(e.combine_lane(x, lane), e.moved(shares, lane), lane, out);
        }
    }

    fn energies(&self, elements: &[u32; WIDTH], x: &Corners) -> [f64; WIDTH] {
        std::array::from_fn(|lane| {
            let e = &self.elements[elements[lane] as usize];
            e.energy(e.combine_lane(x, lane)).0
        })
    }
}

impl Vertexwise for LengthTerm {
    fn vertex_block(&self, star: &Star, x: &[Vec4], at: &Points, memory: &mut Memory, out: &mut Expansion) {
        star.each(self.corners, |lane, e, corner| {
            let e = &self.elements[e];
            let z = e.combine_at(self.corners, corner, x, at.map(|a| a[lane]));
            let w = e.weights[corner];
            memory.push([z[0], z[1], z[2], w]);
            e.expand(z, w, lane, out);
        });
    }

    fn vertex_energy(
        &self,
        star: &Star,
        shift: &Points,
        memory: &mut &[[f64; WIDTH]],
        out: &mut [f64; WIDTH],
    ) {
        let mut kept = take(memory, star.total()).iter();
        star.each(self.corners, |lane, e, _| {
            let Some([x, y, z, w]) = kept.next() else { return };
            let z = [x + w * shift[0][lane], y + w * shift[1][lane], z + w * shift[2][lane]];
            out[lane] += self.elements[e].energy(z).0;
        });
    }
}
