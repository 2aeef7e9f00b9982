//! Elements as functions of one of their corners: what block descent needs of a term.
//!
//! A corner that moves by d changes a deformation gradient by a matrix of rank one:
//!
//! ```text
//! F(d) = F + d gᵀ,      ∂Ψ/∂d = P g,      ∂²Ψ/∂d² = K,      K_ik = Σ_jl g_j g_l ∂²Ψ/∂F_ij∂F_kl
//! ```
//!
//! J and cof F are linear in d, so that little of the nine by nine numbers of ∂²Ψ/∂F² is left in K:
//!
//! ```text
//! ‖F‖²/2       |g|² I
//! c(J)         c″ u uᵀ                                              u = cof(F) g
//! ‖cof F‖²/2   (|g|²‖F‖² − |y|²) I − |g|² F Fᵀ + y yᵀ               y = F g
//! tr(RᵀF)      [q]ᵀ (tr(RᵀF) I − F Rᵀ)⁻¹ [q]                        q = R g,  [q] d = q × d
//! ```
//!
//! K is exact, hence indefinite where the energy is not convex; where R is ill defined (σ₂ + σ₃ ≈ 0) it is bounded. Laws
//! without such a form take the way over the stretches. Four vertices go side by side, each in a lane.

use super::Energy;
use super::hessian::pair_values;
use super::law::{self, CONSTANTS, Law};
use crate::math::lanes::{Lane, Number, Vec4, WIDTH};
use crate::math::mat3::{self, Mat3};
use crate::math::polar::{Turned, turned};
use crate::math::svd;
use crate::math::symmetric::{self, PLACES, Symmetric};

/// Positions of four vertices.
pub type Points = [[f64; WIDTH]; 3];

/// The elements of one term around each of four vertices.
#[derive(Clone, Copy, Debug)]
pub struct Star<'a> {
    /// `corners` · element + corner, one of each vertex in a row; a vertex with fewer than others has any numbers in its
    /// further rows.
    pub rows: &'a [[u32; WIDTH]],
    /// The vertices of the other corners of each row's elements, in their order after that of the vertex.
    pub others: &'a [[u32; WIDTH]],
    /// What [`Vertexwise::numbers`] gave for the rows.
    pub numbers: &'a [[f64; WIDTH]],
    /// Elements of each vertex.
    pub counts: [u32; WIDTH],
}

/// [`Star::others`] of rows.
pub fn others(term: &dyn Energy, rows: &[[u32; WIDTH]]) -> Vec<[u32; WIDTH]> {
    let corners = term.corners();
    let other = |slot: u32, turn: usize| {
        term.element(slot as usize / corners)[(slot as usize % corners + turn) % corners]
    };
    rows.iter().flat_map(|row| (1..corners).map(|turn| row.map(|slot| other(slot, turn)))).collect()
}

impl Star<'_> {
    /// Elements of all vertices.
    pub(super) fn total(&self) -> usize {
        self.counts.iter().map(|c| *c as usize).sum()
    }

    /// Calls `f(lane, element, corner)` for each element of each vertex.
    pub(super) fn each(&self, corners: usize, mut f: impl FnMut(usize, usize, usize)) {
        for lane in 0..WIDTH {
            for row in &self.rows[..self.counts[lane] as usize] {
                let slot = row[lane] as usize;
                f(lane, slot / corners, slot % corners);
            }
        }
    }

    /// The lanes of a row in which there is an element.
    #[inline(always)]
    pub(super) fn real<L: Lane>(&self, row: usize) -> L::Mask {
        let c = self.counts;
        L::splat(row as f64).lt(L::load(&[
            f64::from(c[0]),
            f64::from(c[1]),
            f64::from(c[2]),
            f64::from(c[3]),
        ]))
    }
}

/// An energy around four vertices to second order: J, N and N/m.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Expansion {
    /// The value.
    pub energy: [f64; WIDTH],
    /// The gradient.
    pub gradient: Points,
    /// The Hessian: xx, yy, zz, xy, xz, yz.
    pub hessian: [[f64; WIDTH]; 6],
}

impl Expansion {
    /// Adds the share of one element to a vertex.
    pub(super) fn add(&mut self, lane: usize, energy: f64, gradient: [f64; 3], hessian: [f64; 6]) {
        self.energy[lane] += energy;
        for k in 0..3 {
            self.gradient[k][lane] += gradient[k];
        }
        for k in 0..6 {
            self.hessian[k][lane] += hessian[k];
        }
    }
}

/// What terms keep of the elements around four vertices from their expansion for their energies.
pub type Memory = Vec<[f64; WIDTH]>;

/// The capability of a term to be minimized vertex by vertex.
pub trait Vertexwise: Energy {
    /// Numbers of the elements of rows that stay the same, so that they need not be collected in each sweep.
    fn numbers(&self, _rows: &[[u32; WIDTH]]) -> Vec<[f64; WIDTH]> {
        vec![]
    }

    /// Adds the elements around four vertices, as functions of where the vertex is, expanded at `at`; all others are at
    /// `x`. Exact: what a Hessian has below zero is left in. Appends to `memory` what [`Vertexwise::vertex_energy`] needs.
    fn vertex_block(&self, star: &Star, x: &[Vec4], at: &Points, memory: &mut Memory, out: &mut Expansion);

    /// Adds their energies where the vertices have moved on by `shift`; infinite outside the domain. Takes what it appended
    /// from the front of `memory`.
    fn vertex_energy(
        &self,
        star: &Star,
        shift: &Points,
        memory: &mut &[[f64; WIDTH]],
        out: &mut [f64; WIDTH],
    );
}

/// The first `count` numbers of a memory, which then begins after them.
pub(super) fn take<'a>(memory: &mut &'a [[f64; WIDTH]], count: usize) -> &'a [[f64; WIDTH]] {
    let (own, rest) = memory.split_at(count);
    *memory = rest;
    own
}

/// Ψ along F + d gᵀ to second order: J/m³, and per motion of the corner.
#[derive(Clone, Copy, Debug)]
pub struct Corner<L> {
    /// Ψ.
    pub density: L,
    /// P g.
    pub force: [L; 3],
    /// K.
    pub block: Symmetric<L>,
}

impl<L: Number> Corner<L> {
    /// Of Ψ = a/2 ‖F‖² + c(J) with a, c′ and c″.
    #[inline(always)]
    pub fn of_square_and_volume(
        density: L,
        a: L,
        slope: L,
        bend: L,
        f: &Mat3<L>,
        cof: &Mat3<L>,
        g: &[L; 3],
    ) -> Corner<L> {
        let (y, u) = (mat3::apply(f, g), mat3::apply(cof, g));
        let mut force = y;
        for i in 0..3 {
            force[i] = a * y[i] + slope * u[i];
        }
        let block = symmetric::add_outer(&symmetric::isotropic(a * mat3::dot3(g, g)), bend, &u);
        Corner { density, force, block }
    }

    /// Of Ψ = μ ‖F − R‖² + λ/2 tr²(RᵀF − I).
    #[inline(always)]
    pub fn of_rotation(f: &Mat3<L>, g: &[L; 3], mu: L, lambda: L) -> Corner<L> {
        let Turned { direction: q, left, sum, inverse } = turned(f, g);
        let (y, length) = (mat3::apply(f, g), mat3::dot3(g, g));
        let (one, two, three) = (L::splat(1.0), mu + mu, L::splat(3.0));
        let trace = sum - three;
        let density = mu * (mat3::dot(f, f) - (sum + sum) + three) + L::splat(0.5) * lambda * trace * trace;
        let slack = lambda * trace - two;
        let mut force = q;
        for i in 0..3 {
            force[i] = two * y[i] + slack * q[i];
        }
        let spread = symmetric::add_scaled(&symmetric::isotropic(sum), -one, &left);
        let turning = symmetric::crossed(&q, &symmetric::cofactors(&spread));
        let block = symmetric::add_outer(&symmetric::isotropic(two * length), lambda, &q);
        let block = symmetric::add_scaled(&block, slack * inverse, &turning);
        Corner { density, force, block }
    }
}

/// The way over the SVD, with the curves evaluated one lane at a time: for laws without a closed form. With F = U diag(σ) Vᵀ
/// and w = Vᵀg, K = U M Uᵀ,
///
/// ```text
/// M_ii = Ψᵢᵢ wᵢ² + Σ_j (flip + twist)ᵢⱼ/2 wⱼ²,      M_ik = (Ψᵢₖ + (flip − twist)ᵢₖ/2) wᵢ wₖ
/// ```
///
/// with the eigenvalues of `hessian`.
#[inline(always)]
pub fn by_stretches<W: Law, L: Number>(
    law: &W,
    f: &Mat3<L>,
    g: &[L; 3],
    constants: &[L; CONSTANTS],
) -> Corner<L> {
    let d = svd::svd(f);
    let at = law::expand(law, &d.sigma, constants);
    let (half, mut w) = (L::splat(0.5), *g);
    for i in 0..3 {
        w[i] = d.v[0][i] * g[0] + d.v[1][i] * g[1] + d.v[2][i] * g[2];
    }
    let (mut force, mut block) = (w, at.bend);
    for i in 0..3 {
        force[i] = at.slope[i] * w[i];
        block[i] = at.bend[i] * w[i] * w[i];
    }
    for n in 3..6 {
        let (i, k) = PLACES[n];
        let limit = half * (at.bend[i] + at.bend[k]) - at.bend[n];
        let (s, slope) = ([d.sigma[i], d.sigma[k]], [at.slope[i], at.slope[k]]);
        let (twist, flip) = pair_values(s, slope, limit, d.sigma[0]);
        block[i] = block[i] + half * (flip + twist) * w[k] * w[k];
        block[k] = block[k] + half * (flip + twist) * w[i] * w[i];
        block[n] = (at.bend[n] + half * (flip - twist)) * w[i] * w[k];
    }
    let mut middle = mat3::zero();
    for n in 0..6 {
        let (i, k) = PLACES[n];
        middle[i][k] = block[n];
        middle[k][i] = block[n];
    }
    let block = symmetric::product(&mat3::mul(&d.u, &middle), &d.u);
    Corner { density: at.density, force: mat3::apply(&d.u, &force), block }
}
