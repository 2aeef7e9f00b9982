//! Triangles around a vertex (see `energy::vertex`).
//!
//! With F = [F₂ n] and g in the plane of the rest state, the law's K is right for motions in the plane of the triangle.
//! For those out of it only the stress counts, and neither kind causes forces of the other:
//!
//! ```text
//! (I − n nᵀ) K (I − n nᵀ) + s n nᵀ,      s = gᵀ F⁻¹ P g
//! ```

use super::{TriangleTerm, with_normal};
use crate::energy::law::{CONSTANTS, Law};
use crate::energy::vertex::{
    self, Continuum, Corner, Expand, Expansion, Measure, Memory, Points, Rest, Star, Vertexwise, take,
};
use crate::math::lanes::{Lane, Vec4, WIDTH, dispatch};
use crate::math::mat3::{self, Mat3};
use crate::math::symmetric::{self, PLACES};

/// Area ratios count as at least this much where they divide.
const FLAT: f64 = 1e-12;

impl<W: Law> Continuum for TriangleTerm<W> {
    type Law = W;

    const OTHERS: usize = 2;

    fn law(&self) -> &W {
        &self.law
    }

    fn rest(&self, element: usize) -> Rest {
        let [a, b, c] = self.elements.gradients(element).map(|g| [g[0], g[1], 0.0]);
        Rest {
            gradients: [a, b, c, [0.0; 3]],
            volume: self.elements.volume[element],
            constants: self.properties.constants[element],
        }
    }

    #[inline(always)]
    fn complete<L: Lane>(f: Mat3<L>) -> Mat3<L> {
        with_normal(f)
    }

    #[inline(always)]
    fn corner<L: Lane>(&self, f: &Mat3<L>, g: &[L; 3], constants: &[L; CONSTANTS]) -> Corner<L> {
        let mut corner = self.law.corner(f, g, constants);
        let cof = mat3::cofactor(f);
        let det = mat3::determinant(f, &cof).max(L::splat(FLAT));
        let across = mat3::dot3(&mat3::apply(&cof, g), &corner.force) / det;
        let n = [f[0][2], f[1][2], f[2][2]];
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
    fn numbers(&self, rows: &[[u32; WIDTH]]) -> Vec<[f64; WIDTH]> {
        vertex::numbers(self, rows)
    }

    fn vertex_block(&self, star: &Star, x: &[Vec4], at: &Points, memory: &mut Memory, out: &mut Expansion) {
        dispatch(Expand { term: self, star, x, at, memory, out });
    }

    fn vertex_energy(
        &self,
        star: &Star,
        shift: &Points,
        memory: &mut &[[f64; WIDTH]],
        out: &mut [f64; WIDTH],
    ) {
        let memory = take(memory, 9 * star.rows.len());
        dispatch(Measure { term: self, star, shift, memory, out });
    }
}
