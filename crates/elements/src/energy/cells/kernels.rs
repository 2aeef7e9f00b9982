//! The loops over blocks of cells: energy and gradient, volumes, states for output; and what all loops share.

use super::{Block, Elements, MOST, Shape};
use crate::energy::ElementState;
use crate::energy::law::{self, CONSTANTS, Law};
use crate::energy::proximal::Row;
use crate::math::lanes::{Kernel, Lane, Number, Vec4, WIDTH, WideKernel};
use crate::math::mat3::{self, Mat3};
use crate::math::prefetch::{AHEAD, prefetch};

/// Consecutive blocks that a kernel computes at once: the first and the last, which are the same block if there is one.
pub(super) type Blocks<'a, S> = [&'a Block<S>; 2];

/// A point or vector for each corner; a triangle has arbitrary numbers in the last.
pub(super) type Places<L> = [[L; 3]; MOST];

/// Dm⁻¹ of two blocks, from rows that begin with its entries. Entries that the shape does not use are 0.
#[inline(always)]
pub(super) fn inverse<S: Shape, L: Number>([a, b]: [&[Row]; 2]) -> Mat3<L> {
    let mut inverse = mat3::zero();
    for i in 0..S::COLUMNS {
        for j in 0..S::COLUMNS {
            let n = S::COLUMNS * i + j;
            inverse[i][j] = L::load_blocks(&a[n], &b[n]);
        }
    }
    inverse
}

/// Dm⁻¹ and the volume of any four cells.
#[inline(always)]
pub(super) fn load_geometry<L: Lane>(geometry: &Elements, elements: &[u32; WIDTH]) -> (Mat3<L>, L) {
    let (mut packed, mut volume) = ([[[0.0; WIDTH]; 3]; 3], [0.0; WIDTH]);
    for lane in 0..WIDTH {
        let e = elements[lane] as usize;
        volume[lane] = geometry.volume[e];
        for i in 0..3 {
            for j in 0..3 {
                packed[i][j][lane] = geometry.inverse[e][i][j];
            }
        }
    }
    let mut inverse = mat3::zero();
    for i in 0..3 {
        for j in 0..3 {
            inverse[i][j] = L::load(&packed[i][j]);
        }
    }
    (inverse, L::load(&volume))
}

#[inline(always)]
pub(super) fn constants<S: Shape, L: Number>([first, last]: Blocks<S>) -> [L; CONSTANTS] {
    let (a, b) = (&first.constants, &last.constants);
    [L::load_blocks(&a[0], &b[0]), L::load_blocks(&a[1], &b[1]), L::load_blocks(&a[2], &b[2])]
}

/// F from the positions of the corners and Dm⁻¹.
#[inline(always)]
pub(super) fn deformation<S: Shape, L: Number>(places: &Places<L>, inverse: &Mat3<L>) -> Mat3<L> {
    let mut f = mat3::zero();
    for i in 0..3 {
        for j in 0..S::COLUMNS {
            f[i][j] = (places[1][i] - places[0][i]) * inverse[0][j];
            for k in 1..S::COLUMNS {
                f[i][j] = f[i][j] + (places[k + 1][i] - places[0][i]) * inverse[k][j];
            }
        }
    }
    S::complete(f)
}

/// F and Dm⁻¹ of the cells of some blocks.
#[inline(always)]
pub(super) fn gradient<S: Shape, L: Number>([first, last]: Blocks<S>, x: &[Vec4]) -> (Mat3<L>, Mat3<L>) {
    let (a, b) = (first.corners.as_ref(), last.corners.as_ref());
    let mut places = [[L::splat(0.0); 3]; MOST];
    for c in 0..S::CORNERS {
        places[c] = L::gather_blocks(x, &a[c], &b[c]);
    }
    let inverse = inverse::<S, L>([first.inverse.as_ref(), last.inverse.as_ref()]);
    (deformation::<S, L>(&places, &inverse), inverse)
}

/// The vectors M g_c of all corners.
#[inline(always)]
pub(super) fn pulled<S: Shape, L: Number>(m: &Mat3<L>, inverse: &Mat3<L>) -> Places<L> {
    let mut out = [[L::splat(0.0); 3]; MOST];
    for i in 0..3 {
        for c in 0..S::COLUMNS {
            let mut sum = m[i][0] * inverse[c][0];
            for k in 1..S::COLUMNS {
                sum = sum + m[i][k] * inverse[c][k];
            }
            out[c + 1][i] = sum;
            out[0][i] = if c == 0 { sum } else { out[0][i] + sum };
        }
        out[0][i] = -out[0][i];
    }
    out
}

/// Writes M g_c of the cells of some blocks to `slots`.
#[inline(always)]
pub(super) fn scatter<S: Shape, L: Number>(m: &Mat3<L>, inverse: &Mat3<L>, slots: &mut [Vec4]) {
    let pulled = pulled::<S, L>(m, inverse);
    for c in 0..S::CORNERS {
        L::scatter_blocks(pulled[c], &mut slots[c..], S::CORNERS);
    }
}

/// The matrix with the columns set to 0 that the positions do not determine.
#[inline(always)]
pub(super) fn own_columns<S: Shape, L: Number>(mut m: Mat3<L>) -> Mat3<L> {
    for i in 0..3 {
        for j in S::COLUMNS..3 {
            m[i][j] = L::splat(0.0);
        }
    }
    m
}

/// The kernel of energies and their gradients.
pub(super) struct Evaluate<'a, S: Shape, W> {
    pub(super) law: &'a W,
    /// True if the stiffness of the blocks stands in place of their constants.
    pub(super) projective: bool,
    pub(super) blocks: &'a [Block<S>],
    pub(super) x: &'a [Vec4],
    pub(super) slots: &'a mut [Vec4],
}

impl<S: Shape, W: Law> WideKernel for Evaluate<'_, S, W> {
    type Output = f64;
    const INTERLEAVED: bool = W::INTERLEAVED;

    #[inline(always)]
    fn run<L: Number>(self) -> f64 {
        let (zero, mut sum) = (L::splat(0.0), L::Block::splat(0.0));
        let slots = self.slots.chunks_exact_mut(S::CORNERS * WIDTH * L::BLOCKS);
        for (blocks, slots) in self.blocks.chunks_exact(L::BLOCKS).zip(slots) {
            prefetch(blocks, AHEAD);
            let (first, last) = (&blocks[0], &blocks[L::BLOCKS - 1]);
            let (f, inverse) = gradient::<S, L>([first, last], self.x);
            let constants = match self.projective {
                true => [L::load_blocks(&first.stiffness, &last.stiffness), zero, zero],
                false => constants([first, last]),
            };
            let (psi, stress) = law::stress(self.law, &f, &constants);
            let volume = L::load_blocks(&first.volume, &last.volume);
            let energy = L::select(zero.lt(volume), volume * psi, zero);
            sum = energy.added_to(sum);
            scatter::<S, L>(&mat3::scale(volume, &stress), &inverse, slots);
        }
        let s = sum.to_array();
        (s[0] + s[1]) + (s[2] + s[3])
    }
}

/// The kernel of the lowest det F and the number of inverted cells.
pub(super) struct Volumes<'a, S: Shape> {
    pub(super) blocks: &'a [Block<S>],
    pub(super) x: &'a [Vec4],
}

impl<S: Shape> Kernel for Volumes<'_, S> {
    type Output = (f64, usize);

    #[inline(always)]
    fn run<L: Lane>(self) -> (f64, usize) {
        let zero = L::splat(0.0);
        // Areas have no sign: a triangle cannot be inverted in space.
        let each = L::splat(if S::COLUMNS == 3 { 1.0 } else { 0.0 });
        let (mut lowest, mut inverted) = (L::splat(f64::INFINITY), zero);
        for block in self.blocks {
            let (f, _) = gradient::<S, L>([block, block], self.x);
            let det = mat3::determinant(&f, &mat3::cofactor(&f));
            // Padding repeats an element: harmless for the minimum, masked in the count.
            lowest = det.min(lowest);
            let one = L::select(zero.lt(L::load(&block.volume)), each, zero);
            inverted = inverted + L::select(det.lt(zero), one, zero);
        }
        let (l, n) = (lowest.to_array(), inverted.to_array());
        (l[0].min(l[1]).min(l[2].min(l[3])), (n[0] + n[1] + n[2] + n[3]) as usize)
    }
}

/// The von Mises norm of the Cauchy stress. `t` is the Kirchhoff stress P Fᵀ, which is J times the Cauchy stress.
#[inline(always)]
fn von_mises<L: Lane>(t: &Mat3<L>, det: L) -> L {
    let (d0, d1, d2) = (t[0][0] - t[1][1], t[1][1] - t[2][2], t[2][2] - t[0][0]);
    let shear = t[0][1] * t[0][1] + t[1][2] * t[1][2] + t[2][0] * t[2][0];
    let square = L::splat(0.5) * (d0 * d0 + d1 * d1 + d2 * d2) + L::splat(3.0) * shear;
    square.sqrt() / det.abs().max(L::splat(1e-12))
}

/// The kernel of the element states that are written to output.
pub(super) struct Inspect<'a, S: Shape, W> {
    pub(super) law: &'a W,
    pub(super) blocks: &'a [Block<S>],
    pub(super) x: &'a [Vec4],
    pub(super) states: &'a mut [ElementState],
}

impl<S: Shape, W: Law> Kernel for Inspect<'_, S, W> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        for (block, states) in self.blocks.iter().zip(self.states.chunks_mut(WIDTH)) {
            let (f, _) = gradient::<S, L>([block, block], self.x);
            let (psi, stress) = law::stress(self.law, &f, &constants([block, block]));
            let det = mat3::determinant(&f, &mat3::cofactor(&f));
            // The stress normal to a sheet is 0, because its surface is free.
            let mises = von_mises(&mat3::mul_transpose(&own_columns::<S, L>(stress), &f), det);
            let (psi, mises, det) = (psi.to_array(), mises.to_array(), det.to_array());
            for (lane, state) in states.iter_mut().enumerate() {
                *state = ElementState { energy_density: psi[lane], von_mises: mises[lane], det_f: det[lane] };
            }
        }
    }
}
