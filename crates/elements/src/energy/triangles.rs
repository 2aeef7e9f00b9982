//! Triangles: membranes and cloth.
//!
//! ```text
//! F₂ = [x₁−x₀, x₂−x₀] Dm⁻¹  (3×2),      F = [F₂ n],  n the unit normal of F₂,      E = A t Ψ(F)
//! ∂E/∂x_c = A t P₂ g_c,      P₂ the first two columns of P(F)
//! ```
//!
//! The third stretch of F is 1 and its direction is n, so Ψ(F) is the law on the two stretches of the sheet, and
//! since P n ∥ n while dn ⟂ n, the motion of the normal adds nothing to the gradient. Every law of the solids
//! serves as it is; `young`/`poisson` are converted for plane stress by the caller.
//!
//! The Hessian has six eigenmatrices: those of the plane (see `hessian`) and, out of it, n vᵢᵀ with Ψᵢ/σᵢ. In the same
//! way, the block K of a corner (see `vertex`) is right for motions in the plane of the triangle. For motions out of
//! the plane only the stress counts, and neither kind of motion causes forces of the other:
//!
//! ```text
//! (I − n nᵀ) K (I − n nᵀ) + s n nᵀ,      s = gᵀ F⁻¹ P g
//! ```

use super::cells::{CellTerm, Elements, Shape};
use super::hessian::{self, Mode};
use super::law::{self, CONSTANTS, Law};
use super::proximal::Row;
use super::vertex::Corner;
use crate::math::lanes::{Lane, Number, WIDTH};
use crate::math::mat3::{self, Mat3};
use crate::math::single::Single;
use crate::math::svd;
use crate::math::symmetric::{self, PLACES};
use crate::math::vec3::{dot, sub};

/// Area ratios are raised to at least this value before they divide.
const FLAT: f64 = 1e-12;

/// The shape of triangles, a marker type for [`CellTerm`].
pub enum Triangle {}

/// The term of triangles with one material law.
pub type TriangleTerm<W> = CellTerm<Triangle, W>;

/// Triangles with the given rest positions and the thickness of each in m; every triangle must have an area.
/// Dm is expressed in axes in the triangle's plane, of which the first is along its first edge. Volumes are
/// areas times thickness.
pub fn elements(corners: &[[u32; 3]], rest: &[[f64; 3]], thickness: &[f64]) -> Elements {
    let mut elements = Elements::default();
    for (&[u, v, w], thickness) in corners.iter().zip(thickness) {
        let [p, q, r] = [u, v, w].map(|corner| rest[corner as usize]);
        let (a, b) = (sub(q, p), sub(r, p));
        let length = dot(a, a).sqrt();
        let along = dot(a, b) / length;
        let height = (dot(b, b) - along * along).max(0.0).sqrt();
        let rows = [[1.0 / length, -along / (length * height), 0.0], [0.0, 1.0 / height, 0.0], [0.0; 3]];
        elements.corners.push([u, v, w, u]);
        elements.inverse.push(rows);
        elements.volume.push(0.5 * length * height * thickness);
    }
    elements
}

impl Shape for Triangle {
    type Inverse = [Row; 4];
    type Corners = [[u32; WIDTH]; 3];

    const NAME: &'static str = "triangles";
    const CORNERS: usize = 3;
    const COLUMNS: usize = 2;

    /// Puts the unit normal of the first two columns into the third.
    #[inline(always)]
    fn complete<L: Number>(mut f: Mat3<L>) -> Mat3<L> {
        let mut n = [
            f[1][0] * f[2][1] - f[2][0] * f[1][1],
            f[2][0] * f[0][1] - f[0][0] * f[2][1],
            f[0][0] * f[1][1] - f[1][0] * f[0][1],
        ];
        let size = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt();
        // A triangle without area has no normal; z is as good as any.
        let flat = size.lt(L::splat(1e-200));
        let inverse = L::splat(1.0) / L::select(flat, L::splat(1.0), size);
        n = [n[0] * inverse, n[1] * inverse, L::select(flat, L::splat(1.0), n[2] * inverse)];
        for i in 0..3 {
            f[i][2] = n[i];
        }
        f
    }

    #[inline(always)]
    fn corner<W: Law, L: Lane>(law: &W, f: &Mat3<L>, g: &[L; 3], constants: &[L; CONSTANTS]) -> Corner<L> {
        let mut corner = law::corner(law, f, g, constants);
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

    fn modes<W: Law>(law: &W, f: &[[f64; 3]; 3], constants: &[f64; CONSTANTS]) -> [Mode; 9] {
        let d = svd::svd(&mat3::splat::<Single>(f));
        let (u, v) = (mat3::extract(&d.u, 0), mat3::extract(&d.v, 0));
        let s = [d.sigma[0].0, d.sigma[1].0, 1.0];
        let (_, slope, bend) = law::expand_one(law, &s, constants);
        let plane = hessian::plane_modes(&s, &slope, &bend);
        let mut out = [(0.0, [[0.0; 3]; 3]); 9];
        for (mode, (value, m)) in out.iter_mut().zip(plane) {
            mode.0 = value;
            for i in 0..3 {
                for j in 0..2 {
                    for (k, l) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                        mode.1[i][j] += u[i][k] * m[k][l] * v[j][l];
                    }
                }
            }
        }
        for k in 0..2 {
            let value = slope[k] / s[k].max(1e-12);
            out[4 + k] = (value, std::array::from_fn(|i| [u[i][2] * v[0][k], u[i][2] * v[1][k], 0.0]));
        }
        out
    }
}
