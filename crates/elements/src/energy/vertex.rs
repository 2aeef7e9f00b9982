//! Elements as functions of one of their corners: what block descent needs of a term.
//!
//! A corner that moves by d changes a deformation gradient by a matrix of rank one:
//!
//! ```text
//! F(d) = F + d gᵀ,      ∂Ψ/∂d = P g,      ∂²Ψ/∂d² = K,      K_ik = Σ_jl g_j g_l ∂²Ψ/∂F_ij∂F_kl
//! ```
//!
//! J and cof F are linear in d, so only few of the nine by nine numbers of ∂²Ψ/∂F² enter K:
//!
//! ```text
//! ‖F‖²/2       |g|² I
//! c(J)         c″ u uᵀ                                              u = cof(F) g
//! ‖cof F‖²/2   (|g|²‖F‖² − |y|²) I − |g|² F Fᵀ + y yᵀ               y = F g
//! tr(RᵀF)      [q]ᵀ (tr(RᵀF) I − F Rᵀ)⁻¹ [q]                        q = R g,  [q] d = q × d
//! ```
//!
//! K is exact, hence indefinite where the energy is not convex. Where R is ill defined (σ₂ + σ₃ ≈ 0) K is bounded. Laws
//! without such a closed form take the way over the stretches. Four vertices go side by side, each in a lane.

use super::Energy;
use super::constraint::Corners;
use super::hessian::pair_values;
use super::law::{self, CONSTANTS, Law};
use crate::math::lanes::{Lane, Number, Vec4, WIDTH};
use crate::math::mat3::{self, Mat3};
use crate::math::polar::{Turned, turned};
use crate::math::svd;
use crate::math::symmetric::{self, PLACES, Symmetric};

/// The positions of four vertices: `[coordinate][vertex]`.
pub type Points = [[f64; WIDTH]; 3];

/// The elements of one term around each of four vertices.
#[derive(Clone, Copy, Debug)]
pub struct Star<'a> {
    /// Each row has one element of each of the four vertices, as `corners` · element + corner. A vertex that has fewer
    /// elements than others has arbitrary numbers in its further rows.
    pub rows: &'a [[u32; WIDTH]],
    /// The vertices at the other corners of each row's elements, in their cyclic order after the vertex itself.
    pub others: &'a [[u32; WIDTH]],
    /// The numbers that [`Vertexwise::numbers`] gave for the rows.
    pub numbers: &'a [[f64; WIDTH]],
    /// How many elements each vertex has.
    pub counts: [u32; WIDTH],
}

/// Computes [`Star::others`] for rows of a term.
pub fn others(term: &dyn Energy, rows: &[[u32; WIDTH]]) -> Vec<[u32; WIDTH]> {
    let corners = term.corners();
    let other = |slot: u32, turn: usize| {
        term.element(slot as usize / corners)[(slot as usize % corners + turn) % corners]
    };
    rows.iter().flat_map(|row| (1..corners).map(|turn| row.map(|slot| other(slot, turn)))).collect()
}

impl Star<'_> {
    /// How many elements all four vertices have together.
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

/// An energy as a function of the positions of four vertices, expanded to second order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Expansion {
    /// The energy around each vertex, in J.
    pub energy: [f64; WIDTH],
    /// The gradient at each vertex, in N.
    pub gradient: Points,
    /// The Hessian of each vertex, in N/m, as xx, yy, zz, xy, xz, yz.
    pub hessian: [[f64; WIDTH]; 6],
}

impl Expansion {
    /// Adds another expansion in the lanes that count.
    pub(super) fn add_lanes(&mut self, other: &Expansion, counts: [bool; WIDTH]) {
        for lane in (0..WIDTH).filter(|lane| counts[*lane]) {
            let gradient = other.gradient.map(|row| row[lane]);
            self.add(lane, other.energy[lane], gradient, other.hessian.map(|row| row[lane]));
        }
    }

    /// Adds the contribution of one element to the expansion at a vertex.
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

/// Numbers that terms keep from the expansion of the elements around four vertices, to evaluate energies faster.
pub type Memory = Vec<[f64; WIDTH]>;

/// The capability of a term to be minimized vertex by vertex.
pub trait Vertexwise: Energy {
    /// Constant numbers of the elements of rows, so that they need not be collected in each sweep.
    fn numbers(&self, _rows: &[[u32; WIDTH]]) -> Vec<[f64; WIDTH]> {
        vec![]
    }

    /// Adds the energies of the elements around four vertices, expanded in the position of the vertex at `at`; all
    /// other vertices are at `x`. The Hessian is exact: its negative eigenvalues are kept. What
    /// [`Vertexwise::vertex_energy`] needs is appended to `memory`.
    fn vertex_block(&self, star: &Star, x: &[Vec4], at: &Points, memory: &mut Memory, out: &mut Expansion);

    /// Adds the energies after the vertices have moved by `shift`; they are infinite outside the domain. The numbers
    /// that [`Vertexwise::vertex_block`] appended are taken from the front of `memory`.
    fn vertex_energy(
        &self,
        star: &Star,
        shift: &Points,
        memory: &mut &[[f64; WIDTH]],
        out: &mut [f64; WIDTH],
    );
}

/// The capability of a term of elements with four corners to be expanded where a point moves several corners of an element,
/// each by a share of its own: what quadratic elements need to be [`Vertexwise`].
pub trait Expanding: Energy {
    /// Adds the energies of four elements with corners at `x`, expanded in a displacement d that moves corner c by
    /// `shares[c]` d. The Hessian is exact.
    fn expand(&self, elements: &[u32; WIDTH], x: &Corners, shares: &[[f64; WIDTH]; 4], out: &mut Expansion);

    /// The energies of four elements with corners at `x`, in J; infinite outside the domain.
    fn energies(&self, elements: &[u32; WIDTH], x: &Corners) -> [f64; WIDTH];
}

/// Takes the first `count` numbers from the front of a memory.
pub(super) fn take<'a>(memory: &mut &'a [[f64; WIDTH]], count: usize) -> &'a [[f64; WIDTH]] {
    let (own, rest) = memory.split_at(count);
    *memory = rest;
    own
}

/// Ψ as a function of the displacement d of one corner, F + d gᵀ, to second order.
#[derive(Clone, Copy, Debug)]
pub struct Corner<L> {
    /// The energy density Ψ in J/m³.
    pub density: L,
    /// Its gradient P g, in J/m³ per m of displacement.
    pub force: [L; 3],
    /// Its Hessian K, in J/m³ per m² of displacement.
    pub block: Symmetric<L>,
}

impl<L: Number> Corner<L> {
    /// The expansion of Ψ = a/2 ‖F‖² + c(J), from a, c′ and c″.
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

    /// The expansion of Ψ = μ ‖F − R‖² + λ/2 tr²(RᵀF − I).
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

/// The expansion by way of the SVD, for laws without a closed form; their curves are evaluated one lane at a time. With
/// F = U diag(σ) Vᵀ and w = Vᵀg, K = U M Uᵀ,
///
/// ```text
/// M_ii = Ψᵢᵢ wᵢ² + Σ_j (flip + twist)ᵢⱼ/2 wⱼ²,      M_ik = (Ψᵢₖ + (flip − twist)ᵢₖ/2) wᵢ wₖ
/// ```
///
/// where twist and flip are the eigenvalues of the antisymmetric and the symmetric modes in `hessian`.
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
