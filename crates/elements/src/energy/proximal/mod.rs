//! Proximal operators and the local step that is made of them: what the solver admm needs of a term.
//!
//! ```text
//! prox(z̃) = argmin_z E(z) + w²/2 |z − z̃|²,      w² = r · measure · k
//! ```
//!
//! k is the stiffness of the system matrix and r a factor on all weights. Where a term stands for a hard set, prox is
//! the projection on it, whatever the weight \[Narain2016, 4.2\]. The local step of an element is
//!
//! ```text
//! z̃ = α D x + (1 − α) z + u,      z⁺ = prox(z̃),      u⁺ = z̃ − z⁺
//! ```
//!
//! with the over-relaxation α (1: none), and its share of the global system's residual is w² Dᵀ(D x − z⁺ + u⁺).

#[cfg(test)]
pub(crate) mod checks;
pub(super) mod logarithmic;
pub(super) mod stretches;

use super::Energy;
use super::packing::count_blocks;
use crate::math::lanes::{Kernel, Lane, Vec4, WIDTH, dispatch};
use crate::math::vec3;

/// The largest number of entries in the z of an element.
const LARGEST: usize = 9;

/// One entry of the z of four consecutive elements.
pub type Row = [f64; WIDTH];

/// The capability of a term to be split. Elements go four at a time: block b has the elements from 4 b on. Lanes
/// without an element in the last block have arbitrary numbers.
pub trait Proximal: Energy {
    /// How many entries the z of an element has, at most 9.
    fn reduced(&self) -> usize;

    /// True if prox projects onto a hard set. The solution is then not the minimum of the stiff energy.
    fn is_hard(&self) -> bool {
        false
    }

    /// measure · k of an element: its weight in the system matrix.
    fn weight(&self, element: usize) -> f64;

    /// The weights of a block, 0 for missing elements.
    fn weights(&self, block: usize) -> Row {
        let elements = block * WIDTH..self.len().min((block + 1) * WIDTH);
        let mut out = [0.0; WIDTH];
        elements.zip(&mut out).for_each(|(e, weight)| *weight = self.weight(e));
        out
    }

    /// Computes `z ← D x`, up to a constant that the term may subtract.
    fn reduce(&self, block: usize, x: &[Vec4], z: &mut [Row]);

    /// Computes `slots ← Dᵀ z`, with an entry for each corner of each element.
    fn pull_back(&self, block: usize, z: &[Row], slots: &mut [Vec4]);

    /// Replaces z̃ by prox(z̃); `ratio` is r.
    fn prox(&self, block: usize, ratio: f64, z: &mut [Row]);

    /// Makes the local step of the blocks from `first` on, as many as `z` and `u` hold. `slots` receives their part of
    /// the residual. Returns the sums of the primal and the dual residual in each lane.
    fn local_step(
        &self,
        first: usize,
        x: &[Vec4],
        splitting: Splitting,
        (z, u): (&mut [Row], &mut [Row]),
        slots: &mut [Vec4],
    ) -> [Row; 2] {
        let n = self.reduced();
        let (mut now, mut next) = ([[0.0; WIDTH]; LARGEST], [[0.0; WIDTH]; LARGEST]);
        let (now, next) = (&mut now[..n], &mut next[..n]);
        let mut sums = [[0.0; WIDTH]; 2];
        let parts = z.chunks_exact_mut(n).zip(u.chunks_exact_mut(n));
        for ((block, (z, u)), slots) in (first..).zip(parts).zip(slots.chunks_mut(WIDTH * self.corners())) {
            self.reduce(block, x, now);
            dispatch(Target { relaxation: splitting.relaxation, now, z, u });
            next.copy_from_slice(u);
            self.prox(block, splitting.ratio, next);
            let weights = self.weights(block).map(|w| splitting.ratio * w);
            dispatch(Update { weights: &weights, now, next, z, u, sums: &mut sums });
            self.pull_back(block, now, slots);
        }
        sums
    }
}

/// Calls `f(element, z)` for each element of a block, with the entries of its z side by side. The
/// term has `len` elements.
pub(super) fn each(block: usize, len: usize, z: &mut [Row], mut f: impl FnMut(usize, &mut [f64])) {
    let mut own = [0.0; LARGEST];
    let own = &mut own[..z.len()];
    for (lane, element) in (block * WIDTH..len.min((block + 1) * WIDTH)).enumerate() {
        own.iter_mut().zip(&*z).for_each(|(own, row)| *own = row[lane]);
        f(element, own);
        own.iter().zip(&mut *z).for_each(|(own, row)| row[lane] = *own);
    }
}

/// Like [`each`], with the `corners` slots of each element and without changing z.
pub(super) fn each_slots(
    block: usize,
    [len, corners]: [usize; 2],
    z: &[Row],
    slots: &mut [Vec4],
    mut f: impl FnMut(usize, &[f64], &mut [Vec4]),
) {
    let mut own = [0.0; LARGEST];
    let own = &mut own[..z.len()];
    let elements = block * WIDTH..len.min((block + 1) * WIDTH);
    for ((lane, element), slots) in elements.enumerate().zip(slots.chunks_exact_mut(corners)) {
        own.iter_mut().zip(z).for_each(|(own, row)| *own = row[lane]);
        f(element, own, slots);
    }
}

/// The settings that all elements share in a local step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Splitting {
    /// The factor r on all weights.
    pub ratio: f64,
    /// The over-relaxation α, in (0, 2).
    pub relaxation: f64,
}

/// How far the splitting is from convergence, in J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residuals {
    /// The primal residual Σ w² |D x − z⁺|².
    pub primal: f64,
    /// The dual residual Σ w² |z⁺ − z|².
    pub dual: f64,
}

/// How much of a change of u is tried, most first.
const UPRIGHT: [f64; 3] = [1.0, 0.5, 0.25];

/// True if the symmetric part of zᵀ(z + `part` u) is positive definite in one lane, z and u being matrices of three rows.
/// For isotropic energies, whose u has the axes of z, no stretch of z + u is negative then.
fn is_upright(z: &[Row], u: &[Row], lane: usize, part: f64) -> bool {
    let columns = z.len() / 3;
    let mut m = [[0.0; 3]; 3];
    for i in 0..columns {
        for j in 0..columns {
            for k in 0..3 {
                let (a, b) = (columns * k + i, columns * k + j);
                let product = z[a][lane] * (z[b][lane] + part * u[b][lane]);
                m[i][j] += 0.5 * product;
                m[j][i] += 0.5 * product;
            }
        }
    }
    let minor = m[0][0] * m[1][1] - m[0][1] * m[1][0];
    m[0][0] > 0.0 && minor > 0.0 && (columns == 2 || vec3::dot(vec3::cross(m[0], m[1]), m[2]) > 0.0)
}

/// The split variables of one chunk of elements.
#[derive(Clone, Debug, Default)]
pub struct Split {
    z: Vec<Row>,
    u: Vec<Row>,
    /// The residuals of the last local step.
    pub residuals: Residuals,
}

impl Split {
    /// Room for so many elements of a term.
    pub fn new(term: &dyn Proximal, elements: usize) -> Split {
        let zeros = vec![[0.0; WIDTH]; count_blocks(elements) * term.reduced()];
        Split { z: zeros.clone(), u: zeros, residuals: Residuals::default() }
    }

    /// Sets z = D x and u = 0 for the blocks from `first` on.
    pub fn restart(&mut self, term: &dyn Proximal, first: usize, x: &[Vec4]) {
        for (block, z) in self.z.chunks_exact_mut(term.reduced()).enumerate() {
            term.reduce(first + block, x, z);
        }
        self.u.fill([0.0; WIDTH]);
    }

    /// Scales u by `factor` when all weights w² are divided by it, so that w² u, the estimate of the
    /// forces, stays the same.
    pub fn scale_dual(&mut self, factor: f64) {
        self.u.as_flattened_mut().iter_mut().for_each(|u| *u *= factor);
    }

    /// Like [`Split::scale_dual`] by a factor above 1, but less where a cell's z + u would be turned inside out by it: prox
    /// would give the cell back inverted.
    pub fn scale_dual_upright(&mut self, term: &dyn Proximal, factor: f64) {
        let n = term.reduced();
        for (z, u) in self.z.chunks_exact(n).zip(self.u.chunks_exact_mut(n)) {
            for lane in 0..WIDTH {
                let is_upright = |part: &f64| is_upright(z, u, lane, *part);
                let parts = UPRIGHT.map(|part| 1.0 + part * (factor - 1.0));
                let can_invert = factor > 1.0 && n.is_multiple_of(3) && n > 3 && is_upright(&1.0);
                let part = if can_invert { parts.into_iter().find(is_upright) } else { None };
                let part = part.unwrap_or(if can_invert { 1.0 } else { factor });
                u.iter_mut().for_each(|row| row[lane] *= part);
            }
        }
    }

    /// Makes the local step of the blocks from `first` on; `slots` receives their part of the residual.
    pub fn step(
        &mut self,
        term: &dyn Proximal,
        first: usize,
        x: &[Vec4],
        splitting: Splitting,
        slots: &mut [Vec4],
    ) {
        let sums = term.local_step(first, x, splitting, (&mut self.z, &mut self.u), slots);
        let [primal, dual] = sums.map(|s| (s[0] + s[1]) + (s[2] + s[3]));
        self.residuals = Residuals { primal, dual };
    }
}

/// The kernel that replaces u by z̃.
struct Target<'a> {
    relaxation: f64,
    now: &'a [Row],
    z: &'a [Row],
    u: &'a mut [Row],
}

impl Kernel for Target<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let (old, new) = (L::splat(1.0 - self.relaxation), L::splat(self.relaxation));
        for ((now, z), u) in self.now.iter().zip(self.z).zip(self.u) {
            *u = (L::load(u) + new * L::load(now) + old * L::load(z)).to_array();
        }
    }
}

/// The kernel that makes z and u of the next iteration. It replaces D x by the part of the residual, and adds to the
/// sums of the residuals.
struct Update<'a> {
    weights: &'a Row,
    now: &'a mut [Row],
    next: &'a [Row],
    z: &'a mut [Row],
    u: &'a mut [Row],
    sums: &'a mut [Row; 2],
}

impl Kernel for Update<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let weight = L::load(self.weights);
        let (mut primal, mut dual) = (L::splat(0.0), L::splat(0.0));
        for (((now, next), z), u) in self.now.iter_mut().zip(self.next).zip(self.z).zip(self.u) {
            let next = L::load(next);
            let (apart, change) = (L::load(now) - next, next - L::load(z));
            let dual_variable = L::load(u) - next;
            primal = primal + apart * apart;
            dual = dual + change * change;
            *z = next.to_array();
            *u = dual_variable.to_array();
            *now = (weight * (apart + dual_variable)).to_array();
        }
        // Lanes without an element may hold arbitrary numbers.
        let is_real = L::splat(0.0).lt(weight);
        let none = L::splat(0.0);
        self.sums[0] = (L::load(&self.sums[0]) + L::select(is_real, weight * primal, none)).to_array();
        self.sums[1] = (L::load(&self.sums[1]) + L::select(is_real, weight * dual, none)).to_array();
    }
}
