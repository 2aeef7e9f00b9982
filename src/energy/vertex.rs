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
use crate::math::lanes::{Kernel, Lane, Vec4, WIDTH};
use crate::math::mat3::{self, Mat3};
use crate::math::polar::polar;
use crate::math::svd;
use crate::math::symmetric::{self, PLACES, Symmetric};

/// (σ₁+σ₂)(σ₂+σ₃)(σ₃+σ₁) counts as at least this part of (σ₁+σ₂+σ₃)³.
const WELL_DEFINED: f64 = 1e-9;

/// Positions of four vertices.
pub type Points = [[f64; WIDTH]; 3];

/// The elements of one term around each of four vertices.
#[derive(Clone, Copy, Debug)]
pub struct Star<'a> {
    /// `corners` · element + corner, one of each vertex in a row; a vertex with fewer than others has any numbers in its
    /// further rows.
    pub rows: &'a [[u32; WIDTH]],
    /// Elements of each vertex.
    pub counts: [u32; WIDTH],
}

impl Star<'_> {
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
    /// Adds `scale` times another.
    pub(super) fn add_scaled(&mut self, scale: f64, other: &Expansion) {
        for lane in 0..WIDTH {
            self.energy[lane] += scale * other.energy[lane];
            for k in 0..3 {
                self.gradient[k][lane] += scale * other.gradient[k][lane];
            }
            for k in 0..6 {
                self.hessian[k][lane] += scale * other.hessian[k][lane];
            }
        }
    }

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

/// The capability of a term to be minimized vertex by vertex.
pub trait Vertexwise: Energy {
    /// Adds the elements around four vertices, as functions of where the vertex is, expanded at `at`; all others are at
    /// `x`. Exact: what a Hessian has below zero is left in.
    fn vertex_block(&self, star: &Star, x: &[Vec4], at: &Points, out: &mut Expansion);

    /// Adds their energies only; infinite outside the domain.
    fn vertex_energy(&self, star: &Star, x: &[Vec4], at: &Points, out: &mut [f64; WIDTH]);
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

impl<L: Lane> Corner<L> {
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
        let (r, sum) = polar(f);
        let (one, two) = (L::splat(1.0), mu + mu);
        let strain = mat3::combine(one, f, -one, &r);
        let trace = sum - L::splat(3.0);
        let density = mu * mat3::dot(&strain, &strain) + L::splat(0.5) * lambda * trace * trace;
        let (stretched, q) = (mat3::apply(&strain, g), mat3::apply(&r, g));
        let mut force = q;
        for i in 0..3 {
            force[i] = two * stretched[i] + lambda * trace * q[i];
        }
        let minus = symmetric::product(f, &r);
        let (cofactors, det) =
            symmetric::cofactors(&symmetric::add_scaled(&symmetric::isotropic(sum), -one, &minus));
        let det = det.max(L::splat(WELL_DEFINED) * (sum * sum * sum) + L::splat(1e-300));
        let turning = symmetric::crossed(&q, &cofactors);
        let block = symmetric::add_outer(&symmetric::isotropic(two * mat3::dot3(g, g)), lambda, &q);
        let block = symmetric::add_scaled(&block, (lambda * trace - two) / det, &turning);
        Corner { density, force, block }
    }
}

/// Four elements of deformation gradients, each at one of four vertices.
pub(super) struct Four<L> {
    /// F.
    pub(super) f: Mat3<L>,
    /// g of the vertex.
    pub(super) g: [L; 3],
    /// Rest volumes in m³.
    pub(super) volume: L,
    /// Constants of the law.
    pub(super) constants: [L; CONSTANTS],
}

/// What the kernels below need of a term of deformation gradients.
pub(super) trait Continuum {
    type Law: Law;

    fn law(&self) -> &Self::Law;

    /// The elements of one row of a star, the vertices at `at`. Implementations are `#[inline(always)]`.
    fn four<L: Lane>(&self, row: &[u32; WIDTH], x: &[Vec4], at: &[L; 3]) -> Four<L>;

    /// Their densities as functions of where the vertices are. Implementations are `#[inline(always)]`.
    #[inline(always)]
    fn corner<L: Lane>(&self, four: &Four<L>) -> Corner<L> {
        self.law().corner(&four.f, &four.g, &four.constants)
    }
}

/// [`Vertexwise::vertex_block`] of a continuum.
pub(super) struct Expand<'a, T> {
    pub(super) term: &'a T,
    pub(super) star: &'a Star<'a>,
    pub(super) x: &'a [Vec4],
    pub(super) at: &'a Points,
    pub(super) out: &'a mut Expansion,
}

impl<T: Continuum> Kernel for Expand<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let (out, zero) = (self.out, L::splat(0.0));
        let at = [L::load(&self.at[0]), L::load(&self.at[1]), L::load(&self.at[2])];
        let (mut energy, mut gradient, mut hessian) = (zero, [zero; 3], [zero; 6]);
        for (n, row) in self.star.rows.iter().enumerate() {
            let four = self.term.four(row, self.x, &at);
            let corner = self.term.corner(&four);
            let real = self.star.real::<L>(n);
            energy = energy + L::select(real, four.volume * corner.density, zero);
            for i in 0..3 {
                gradient[i] = gradient[i] + L::select(real, four.volume * corner.force[i], zero);
            }
            for i in 0..6 {
                hessian[i] = hessian[i] + L::select(real, four.volume * corner.block[i], zero);
            }
        }
        out.energy = (L::load(&out.energy) + energy).to_array();
        for i in 0..3 {
            out.gradient[i] = (L::load(&out.gradient[i]) + gradient[i]).to_array();
        }
        for i in 0..6 {
            out.hessian[i] = (L::load(&out.hessian[i]) + hessian[i]).to_array();
        }
    }
}

/// [`Vertexwise::vertex_energy`] of a continuum.
pub(super) struct Measure<'a, T> {
    pub(super) term: &'a T,
    pub(super) star: &'a Star<'a>,
    pub(super) x: &'a [Vec4],
    pub(super) at: &'a Points,
    pub(super) out: &'a mut [f64; WIDTH],
}

impl<T: Continuum> Kernel for Measure<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let at = [L::load(&self.at[0]), L::load(&self.at[1]), L::load(&self.at[2])];
        let mut energy = L::load(self.out);
        for (n, row) in self.star.rows.iter().enumerate() {
            let four = self.term.four(row, self.x, &at);
            let density = self.term.law().energy_density(&four.f, &four.constants);
            energy = energy + L::select(self.star.real::<L>(n), four.volume * density, L::splat(0.0));
        }
        *self.out = energy.to_array();
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
pub fn by_stretches<W: Law, L: Lane>(
    law: &W,
    f: &Mat3<L>,
    g: &[L; 3],
    constants: &[L; CONSTANTS],
) -> Corner<L> {
    let d = svd::svd(f);
    let sigma = [d.sigma[0].to_array(), d.sigma[1].to_array(), d.sigma[2].to_array()];
    let constants = [constants[0].to_array(), constants[1].to_array(), constants[2].to_array()];
    let mut w = [[0.0; WIDTH]; 3];
    for i in 0..3 {
        w[i] = (d.v[0][i] * g[0] + d.v[1][i] * g[1] + d.v[2][i] * g[2]).to_array();
    }
    let mut density = [0.0; WIDTH];
    let mut slopes = [[0.0; WIDTH]; 3];
    let mut block = [[0.0; WIDTH]; 6];
    for lane in 0..WIDTH {
        let s = [sigma[0][lane], sigma[1][lane], sigma[2][lane]];
        let c = [constants[0][lane], constants[1][lane], constants[2][lane]];
        let w = [w[0][lane], w[1][lane], w[2][lane]];
        density[lane] = law::density(law, &s, &c);
        let (slope, bend) = (law::gradient(law, &s, &c), law::curvature(law, &s, &c));
        for i in 0..3 {
            slopes[i][lane] = slope[i] * w[i];
            block[i][lane] = bend[i][i] * w[i] * w[i];
        }
        for n in 3..6 {
            let (i, k) = PLACES[n];
            let (twist, flip) = pair_values(i, k, &s, &slope, &bend);
            block[i][lane] += 0.5 * (flip + twist) * w[k] * w[k];
            block[k][lane] += 0.5 * (flip + twist) * w[i] * w[i];
            block[n][lane] = (bend[i][k] + 0.5 * (flip - twist)) * w[i] * w[k];
        }
    }
    let force = [L::load(&slopes[0]), L::load(&slopes[1]), L::load(&slopes[2])];
    let mut middle = mat3::zero();
    for n in 0..6 {
        let (i, k) = PLACES[n];
        middle[i][k] = L::load(&block[n]);
        middle[k][i] = middle[i][k];
    }
    let block = symmetric::product(&mat3::mul(&d.u, &middle), &d.u);
    Corner { density: L::load(&density), force: mat3::apply(&d.u, &force), block }
}
