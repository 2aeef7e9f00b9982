//! Lengths around a vertex (see `energy::vertex`).

use super::{COLLAPSED, LengthTerm, direction_block};
use crate::energy::vertex::{Expansion, Memory, Points, Star, Vertexwise, take};
use crate::math::lanes::{Vec4, WIDTH};
use crate::math::symmetric::PLACES;

impl Vertexwise for LengthTerm {
    fn vertex_block(&self, star: &Star, x: &[Vec4], at: &Points, memory: &mut Memory, out: &mut Expansion) {
        star.each(self.corners, |lane, e, corner| {
            let e = &self.elements[e];
            let z = e.combine_at(self.corners, corner, x, at.map(|a| a[lane]));
            let (energy, pull, length) = e.energy(z);
            let w = e.weights[corner];
            memory.push([z[0], z[1], z[2], w]);
            // A vanishing z has no direction, neither to be stretched nor to turn in.
            let collapsed = length <= COLLAPSED * e.longest;
            let force = if length > 1e-300 { w * pull / length } else { 0.0 };
            let block = direction_block(e, z, collapsed);
            out.add(lane, energy, z.map(|z| force * z), PLACES.map(|(i, k)| w * w * block[i][k]));
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
