//! Tets: linear tetrahedra, whose four corners determine F.

use super::cells::{CellTerm, Elements, Shape};
use super::hessian::{self, Mode};
use super::law::{self, CONSTANTS, Law};
use super::proximal::Row;
use super::vertex::Corner;
use crate::math::lanes::{Lane, Number, WIDTH};
use crate::math::mat3::Mat3;
use crate::math::vec3::{cross, dot, sub};

/// The shape of tets, a marker type for [`CellTerm`].
pub enum Tet {}

/// The term of tets with one material law.
pub type TetTerm<W> = CellTerm<Tet, W>;

/// Tets with the given rest positions in m; every tet must have a positive volume.
pub fn elements(corners: Vec<[u32; 4]>, rest: &[[f64; 3]]) -> Elements {
    let mut elements = Elements { corners, ..Default::default() };
    for tet in &elements.corners {
        let [p, q, r, s] = tet.map(|v| rest[v as usize]);
        let (a, b, c) = (sub(q, p), sub(r, p), sub(s, p));
        let rows = [cross(b, c), cross(c, a), cross(a, b)];
        let det = dot(a, rows[0]);
        elements.inverse.push(rows.map(|row| row.map(|x| x / det)));
        elements.volume.push(det / 6.0);
    }
    elements
}

impl Shape for Tet {
    type Inverse = [Row; 9];
    type Corners = [[u32; WIDTH]; 4];

    const NAME: &'static str = "tets";
    const CORNERS: usize = 4;
    const COLUMNS: usize = 3;

    #[inline(always)]
    fn complete<L: Number>(f: Mat3<L>) -> Mat3<L> {
        f
    }

    #[inline(always)]
    fn corner<W: Law, L: Lane>(law: &W, f: &Mat3<L>, g: &[L; 3], constants: &[L; CONSTANTS]) -> Corner<L> {
        law::corner(law, f, g, constants)
    }

    fn modes<W: Law>(law: &W, f: &[[f64; 3]; 3], constants: &[f64; CONSTANTS]) -> [Mode; 9] {
        hessian::modes(law, f, constants)
    }
}
