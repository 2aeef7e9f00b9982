//! Tets around a vertex (see `energy::vertex`).
//!
//! With the edges e_c from the vertex to the three other corners, F = Σ e_c g_cᵀ and the vertex's own g is −Σ g_c.

use super::TetTerm;
use crate::energy::law::Law;
use crate::energy::vertex::{Continuum, Expand, Expansion, Four, Measure, Points, Star, Vertexwise};
use crate::math::lanes::{Lane, Vec4, WIDTH, dispatch};
use crate::math::mat3;

/// Elements one by one, so that any four can be loaded together.
pub(super) struct Packed {
    /// g_c of the four corners of each element.
    gradients: Vec<Vec4>,
    /// The constants of each element's law.
    constants: Vec<Vec4>,
}

impl<W: Law> TetTerm<W> {
    fn packed(&self) -> &Packed {
        self.packed.get_or_init(|| Packed {
            gradients: (0..self.elements.corners.len())
                .flat_map(|e| self.elements.gradients(e).map(Vec4::new))
                .collect(),
            constants: self.properties.constants.iter().map(|c| Vec4::new(*c)).collect(),
        })
    }
}

impl<W: Law> Continuum for TetTerm<W> {
    type Law = W;

    fn law(&self) -> &W {
        &self.law
    }

    #[inline(always)]
    fn four<L: Lane>(&self, row: &[u32; WIDTH], x: &[Vec4], at: &[L; 3]) -> Four<L> {
        let (packed, vertices) = (self.packed(), self.elements.corners.as_flattened());
        let (mut f, mut g) = (mat3::zero(), [L::splat(0.0); 3]);
        for turn in 1..4 {
            let (mut slots, mut ends) = ([0; WIDTH], [0; WIDTH]);
            for lane in 0..WIDTH {
                slots[lane] = (row[lane] & !3) | ((row[lane] + turn) & 3);
                ends[lane] = vertices[slots[lane] as usize];
            }
            let (end, own) = (L::gather(x, &ends), L::gather(&packed.gradients, &slots));
            for i in 0..3 {
                let edge = end[i] - at[i];
                for j in 0..3 {
                    f[i][j] = f[i][j] + edge * own[j];
                }
                g[i] = g[i] - own[i];
            }
        }
        let elements = [row[0] / 4, row[1] / 4, row[2] / 4, row[3] / 4];
        let mut volume = [0.0; WIDTH];
        for lane in 0..WIDTH {
            volume[lane] = self.elements.volume[elements[lane] as usize];
        }
        Four { f, g, volume: L::load(&volume), constants: L::gather(&packed.constants, &elements) }
    }
}

impl<W: Law> Vertexwise for TetTerm<W> {
    fn vertex_block(&self, star: &Star, x: &[Vec4], at: &Points, out: &mut Expansion) {
        dispatch(Expand { term: self, star, x, at, out });
    }

    fn vertex_energy(&self, star: &Star, x: &[Vec4], at: &Points, out: &mut [f64; WIDTH]) {
        dispatch(Measure { term: self, star, x, at, out });
    }
}
