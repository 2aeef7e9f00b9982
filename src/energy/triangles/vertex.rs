//! Triangles around a vertex (see `energy::vertex`).
//!
//! With F = [F₂ n] and g in the plane of the rest state, the law's K is right for motions in the plane of the triangle.
//! For those out of it only the stress counts, and neither kind causes forces of the other:
//!
//! ```text
//! (I − n nᵀ) K (I − n nᵀ) + s n nᵀ,      s = gᵀ F⁻¹ P g
//! ```

use super::{TriangleTerm, deformation};
use crate::energy::law::{CONSTANTS, Law};
use crate::energy::vertex::{Continuum, Corner, Expand, Expansion, Four, Measure, Points, Star, Vertexwise};
use crate::math::lanes::{Lane, Vec4, WIDTH, dispatch};
use crate::math::mat3;
use crate::math::symmetric::{self, PLACES};

/// Area ratios count as at least this much where they divide.
const FLAT: f64 = 1e-12;

impl<W: Law> Continuum for TriangleTerm<W> {
    type Law = W;

    fn law(&self) -> &W {
        &self.law
    }

    #[inline(always)]
    fn four<L: Lane>(&self, row: &[u32; WIDTH], x: &[Vec4], at: &[L; 3]) -> Four<L> {
        let mut others = [[0; WIDTH]; 2];
        let mut inverse = [[[0.0; WIDTH]; 2]; 2];
        let (mut volume, mut constants) = ([0.0; WIDTH], [[0.0; WIDTH]; CONSTANTS]);
        for lane in 0..WIDTH {
            let (e, c) = ((row[lane] / 3) as usize, (row[lane] % 3) as usize);
            let gradients = self.elements.gradients(e);
            for turn in 0..2 {
                let other = (c + turn + 1) % 3;
                others[turn][lane] = self.elements.corners[e][other];
                for j in 0..2 {
                    inverse[turn][j][lane] = gradients[other][j];
                }
            }
            volume[lane] = self.elements.volume[e];
            for k in 0..CONSTANTS {
                constants[k][lane] = self.properties.constants[e][k];
            }
        }
        let m = [
            [L::load(&inverse[0][0]), L::load(&inverse[0][1])],
            [L::load(&inverse[1][0]), L::load(&inverse[1][1])],
        ];
        Four {
            f: deformation(at, &L::gather(x, &others[0]), &L::gather(x, &others[1]), &m),
            g: [-(m[0][0] + m[1][0]), -(m[0][1] + m[1][1]), L::splat(0.0)],
            volume: L::load(&volume),
            constants: [L::load(&constants[0]), L::load(&constants[1]), L::load(&constants[2])],
        }
    }

    #[inline(always)]
    fn corner<L: Lane>(&self, four: &Four<L>) -> Corner<L> {
        let mut corner = self.law.corner(&four.f, &four.g, &four.constants);
        let cof = mat3::cofactor(&four.f);
        let det = mat3::determinant(&four.f, &cof).max(L::splat(FLAT));
        let across = mat3::dot3(&mat3::apply(&cof, &four.g), &corner.force) / det;
        let n = [four.f[0][2], four.f[1][2], four.f[2][2]];
        // K − n (Kn)ᵀ − (Kn) nᵀ + (nᵀKn + s) n nᵀ.
        let kn = symmetric::apply(&corner.block, &n);
        for place in 0..6 {
            let (i, k) = PLACES[place];
            corner.block[place] = corner.block[place] - n[i] * kn[k] - kn[i] * n[k];
        }
        corner.block = symmetric::add_outer(&corner.block, mat3::dot3(&n, &kn) + across, &n);
        corner
    }
}

impl<W: Law> Vertexwise for TriangleTerm<W> {
    fn vertex_block(&self, star: &Star, x: &[Vec4], at: &Points, out: &mut Expansion) {
        dispatch(Expand { term: self, star, x, at, out });
    }

    fn vertex_energy(&self, star: &Star, x: &[Vec4], at: &Points, out: &mut [f64; WIDTH]) {
        dispatch(Measure { term: self, star, x, at, out });
    }
}
