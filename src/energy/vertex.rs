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
use crate::math::lanes::{Kernel, Lane, Number, Vec4, WIDTH};
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

/// An element of a continuum at rest.
pub(super) struct Rest {
    /// g_c, of as many corners as there are.
    pub(super) gradients: [[f64; 3]; 4],
    /// In m³.
    pub(super) volume: f64,
    /// Of the law.
    pub(super) constants: [f64; CONSTANTS],
}

/// A term of deformation gradients, F = Σ g_cᵀ x_c.
pub(super) trait Continuum {
    type Law: Law;

    /// Corners less one.
    const OTHERS: usize;

    fn law(&self) -> &Self::Law;

    fn rest(&self, element: usize) -> Rest;

    /// F from the sum above. Implementations are `#[inline(always)]`.
    #[inline(always)]
    fn complete<L: Lane>(f: Mat3<L>) -> Mat3<L> {
        f
    }

    /// The density as a function of where the corner is. Implementations are `#[inline(always)]`.
    #[inline(always)]
    fn corner<L: Lane>(&self, f: &Mat3<L>, g: &[L; 3], constants: &[L; CONSTANTS]) -> Corner<L> {
        self.law().corner(f, g, constants)
    }
}

/// Numbers per row: the gradients of the other corners, the constants, the volume.
const fn row_length(others: usize) -> usize {
    3 * others + CONSTANTS + 1
}

/// [`Vertexwise::numbers`] of a continuum.
pub(super) fn numbers<T: Continuum>(term: &T, rows: &[[u32; WIDTH]]) -> Vec<[f64; WIDTH]> {
    let corners = T::OTHERS + 1;
    let mut out = vec![[0.0; WIDTH]; row_length(T::OTHERS) * rows.len()];
    for (row, out) in rows.iter().zip(out.chunks_exact_mut(row_length(T::OTHERS))) {
        for lane in 0..WIDTH {
            let (element, corner) = (row[lane] as usize / corners, row[lane] as usize % corners);
            let rest = term.rest(element);
            let others = (1..corners).flat_map(|turn| rest.gradients[(corner + turn) % corners]);
            let all = others.chain(rest.constants).chain([rest.volume]);
            out.iter_mut().zip(all).for_each(|(out, number)| out[lane] = number);
        }
    }
    out
}

/// The numbers of a row behind the gradients: constants and volume.
#[inline(always)]
fn material<L: Lane>(numbers: &[[f64; WIDTH]], others: usize) -> ([L; CONSTANTS], L) {
    let own = &numbers[3 * others..];
    ([L::load(&own[0]), L::load(&own[1]), L::load(&own[2])], L::load(&own[3]))
}

/// g of the vertex, of which all sum up to zero.
#[inline(always)]
fn own_gradient<L: Lane>(numbers: &[[f64; WIDTH]], others: usize) -> [L; 3] {
    let mut g = [L::splat(0.0); 3];
    for n in 0..3 * others {
        g[n % 3] = g[n % 3] - L::load(&numbers[n]);
    }
    g
}

/// [`Vertexwise::vertex_block`] of a continuum. With the edges e_c from the vertex to the other corners, F = Σ e_c g_cᵀ.
pub(super) struct Expand<'a, T> {
    pub(super) term: &'a T,
    pub(super) star: &'a Star<'a>,
    pub(super) x: &'a [Vec4],
    pub(super) at: &'a Points,
    pub(super) memory: &'a mut Memory,
    pub(super) out: &'a mut Expansion,
}

impl<T: Continuum> Expand<'_, T> {
    /// F of the elements of a row.
    #[inline(always)]
    fn deformation<L: Lane>(&self, numbers: &[[f64; WIDTH]], ends: &[[u32; WIDTH]], at: &[L; 3]) -> Mat3<L> {
        let mut f = mat3::zero();
        for c in 0..T::OTHERS {
            let end = L::gather(self.x, &ends[c]);
            for i in 0..3 {
                let edge = end[i] - at[i];
                for j in 0..3 {
                    f[i][j] = f[i][j] + edge * L::load(&numbers[3 * c + j]);
                }
            }
        }
        T::complete(f)
    }
}

impl<T: Continuum> Kernel for Expand<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let zero = L::splat(0.0);
        let at = [L::load(&self.at[0]), L::load(&self.at[1]), L::load(&self.at[2])];
        let (mut energy, mut gradient, mut hessian) = (zero, [zero; 3], [zero; 6]);
        let rows = self.star.numbers.chunks_exact(row_length(T::OTHERS));
        for (n, (numbers, ends)) in rows.zip(self.star.others.chunks_exact(T::OTHERS)).enumerate() {
            let f = self.deformation(numbers, ends, &at);
            for i in 0..3 {
                self.memory.extend([f[i][0].to_array(), f[i][1].to_array(), f[i][2].to_array()]);
            }
            let (constants, volume) = material::<L>(numbers, T::OTHERS);
            let corner = self.term.corner(&f, &own_gradient(numbers, T::OTHERS), &constants);
            let real = self.star.real::<L>(n);
            energy = energy + L::select(real, volume * corner.density, zero);
            for i in 0..3 {
                gradient[i] = gradient[i] + L::select(real, volume * corner.force[i], zero);
            }
            for i in 0..6 {
                hessian[i] = hessian[i] + L::select(real, volume * corner.block[i], zero);
            }
        }
        let out = self.out;
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
    pub(super) shift: &'a Points,
    pub(super) memory: &'a [[f64; WIDTH]],
    pub(super) out: &'a mut [f64; WIDTH],
}

impl<T: Continuum> Kernel for Measure<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let shift = [L::load(&self.shift[0]), L::load(&self.shift[1]), L::load(&self.shift[2])];
        let mut energy = L::load(self.out);
        let rows = self.star.numbers.chunks_exact(row_length(T::OTHERS));
        for (n, (numbers, kept)) in rows.zip(self.memory.chunks_exact(9)).enumerate() {
            let g = own_gradient::<L>(numbers, T::OTHERS);
            let mut f = mat3::zero();
            for i in 0..3 {
                for j in 0..3 {
                    f[i][j] = L::load(&kept[3 * i + j]) + shift[i] * g[j];
                }
            }
            let (constants, volume) = material::<L>(numbers, T::OTHERS);
            let density = self.term.law().energy_density(&T::complete(f), &constants);
            energy = energy + L::select(self.star.real::<L>(n), volume * density, L::splat(0.0));
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
