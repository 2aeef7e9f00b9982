//! The tet term as compliant constraints, for XPBD.

use super::TetTerm;
use crate::energy::constraint::{Batch, Changes, Constraints, Corners, Form, Sweep};
use crate::energy::law::Law;
use crate::math::lanes::{Kernel, Lane, Number, Vec4, WIDTH, WideKernel};
use crate::math::mat3::{self, Mat3};
use crate::math::prefetch::{AHEAD, prefetch};
use crate::math::single::Single;

/// The constraints of four elements.
pub(super) struct Constrain<'a, W> {
    pub(super) term: &'a TetTerm<W>,
    pub(super) form: Form,
    pub(super) index: usize,
    pub(super) elements: &'a [u32; WIDTH],
    pub(super) x: &'a Corners,
    pub(super) out: &'a mut Constraints,
}

impl<W: Law> Kernel for Constrain<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let (geometry, x) = (&self.term.elements, self.x);
        let mut packed = [[[0.0; WIDTH]; 3]; 3];
        let mut volume = [0.0; WIDTH];
        for lane in 0..WIDTH {
            let e = self.elements[lane] as usize;
            volume[lane] = geometry.volume[e];
            for i in 0..3 {
                for j in 0..3 {
                    packed[i][j][lane] = geometry.inverse[e][i][j];
                }
            }
        }
        let (mut edges, mut inverse) = (mat3::zero(), mat3::zero());
        for i in 0..3 {
            let first = L::load(&x[0][i]);
            for j in 0..3 {
                edges[i][j] = L::load(&x[j + 1][i]) - first;
                inverse[i][j] = L::load(&packed[i][j]);
            }
        }
        let f = mat3::mul(&edges, &inverse);
        let law = &self.term.constrained;
        let (constants, floor) = self.term.properties.lanes::<W, L>(law, self.elements);
        let (value, slope, stiffness) = law.constraint(self.form, self.index, &f, &constants, floor);
        let h = mat3::mul_transpose(&slope, &inverse);
        self.out.value = value.to_array();
        self.out.bounds = [[0.0; WIDTH]; 2];
        self.out.compliance = (L::splat(1.0) / (stiffness * L::load(&volume))).to_array();
        for i in 0..3 {
            self.out.gradient[0][i] = (-(h[i][0] + h[i][1] + h[i][2])).to_array();
            for j in 0..3 {
                self.out.gradient[j + 1][i] = h[i][j].to_array();
            }
        }
    }
}

/// Numbers per batch: Dm⁻¹, the volume, the constants, the rounding of the density.
pub(super) const PACKED: usize = 14;

/// [`Energy::packed`](crate::energy::Energy::packed) of tets.
pub(super) fn packed<W: Law>(term: &TetTerm<W>, elements: &[u32; WIDTH]) -> Vec<[f64; WIDTH]> {
    let mut out = vec![[0.0; WIDTH]; PACKED];
    for (lane, e) in elements.iter().enumerate() {
        let (constants, floor) = term.properties.lanes::<W, Single>(&term.constrained, &[*e; WIDTH]);
        let index = *e as usize;
        let numbers = (term.elements.inverse[index].as_flattened().iter().copied())
            .chain([term.elements.volume[index]])
            .chain(constants.map(|c| c.0))
            .chain([floor.0]);
        out.iter_mut().zip(numbers).for_each(|(row, number)| row[lane] = number);
    }
    out
}

/// [`Energy::project`](crate::energy::Energy::project) of tets.
pub(super) struct Project<'a, W> {
    pub(super) term: &'a TetTerm<W>,
    pub(super) sweep: &'a Sweep,
    pub(super) batches: &'a mut [Batch],
    pub(super) numbers: &'a [[f64; WIDTH]],
    pub(super) x: &'a [Vec4],
    pub(super) changes: &'a mut [Changes],
}

/// Points of the four corners.
type Places<L> = [[L; 3]; 4];

impl<W: Law> WideKernel for Project<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run<L: Number>(self) {
        let (zero, law) = (L::splat(0.0), &self.term.constrained);
        let constraints = self.term.properties.constraints(law, self.sweep.form);
        let numbers = self.numbers.as_chunks::<PACKED>().0;
        let count = self.batches.len();
        for first in (0..count).step_by(L::BLOCKS) {
            // Where there is no last one, the first is computed twice.
            let pair = [first, (first + L::BLOCKS - 1).min(count - 1)];
            prefetch(&self.batches[first..pair[1] + 1], AHEAD);
            prefetch(&numbers[first..pair[1] + 1], AHEAD);
            let [a, b] = pair.map(|batch| &self.batches[batch].vertices);
            let (mut places, mut change) = ([[zero; 3]; 4], [[zero; 3]; 4]);
            for c in 0..4 {
                places[c] = L::gather_blocks(self.x, &a[c], &b[c]);
            }
            let own = pair.map(|batch| &numbers[batch]);
            for index in 0..constraints {
                project_one(
                    law,
                    self.sweep,
                    index,
                    (&mut *self.batches, pair),
                    own,
                    &mut places,
                    &mut change,
                );
            }
            for block in 0..L::BLOCKS {
                for c in 0..4 {
                    let [x, y, z] = change[c];
                    let of_block = [x.block(block), y.block(block), z.block(block)];
                    L::Block::scatter(of_block, &mut self.changes[pair[block]][c], 1);
                }
            }
        }
    }
}

/// One constraint of a pair of batches.
#[inline(always)]
fn project_one<W: Law, L: Number>(
    law: &W,
    sweep: &Sweep,
    index: usize,
    (batches, pair): (&mut [Batch], [usize; 2]),
    numbers: [&[[f64; WIDTH]; PACKED]; 2],
    places: &mut Places<L>,
    change: &mut Places<L>,
) {
    let (zero, inverse) = (L::splat(0.0), inverse::<L>(numbers));
    let mut edges = mat3::zero();
    for i in 0..3 {
        for j in 0..3 {
            edges[i][j] = places[j + 1][i] - places[0][i];
        }
    }
    let f = mat3::mul(&edges, &inverse);
    let constants = [number(numbers, 10), number(numbers, 11), number(numbers, 12)];
    let (value, slope, stiffness) = law.constraint(sweep.form, index, &f, &constants, number(numbers, 13));
    let h = mat3::mul_transpose(&slope, &inverse);
    let mut gradient = [[zero; 3]; 4];
    for i in 0..3 {
        gradient[0][i] = -(h[i][0] + h[i][1] + h[i][2]);
        for j in 0..3 {
            gradient[j + 1][i] = h[i][j];
        }
    }
    let [a, b] = pair.map(|batch| &batches[batch]);
    let (mut weight, mut mass) = (zero, [zero; 4]);
    for c in 0..4 {
        mass[c] = L::load_blocks(&a.mass[c], &b.mass[c]);
        weight = weight + mass[c] * mat3::dot3(&gradient[c], &gradient[c]);
    }
    let compliance = match sweep.per_step == 0.0 {
        true => zero,
        false => L::splat(1.0) / (stiffness * number(numbers, 9)) * L::splat(sweep.per_step),
    };
    let multiplier = L::load_blocks(&a.multipliers[index], &b.multipliers[index]);
    let step = (zero - value - compliance * multiplier) / (weight + compliance);
    // Nothing where nothing can move it, or nothing in it is a number.
    let step = L::select(step.abs().lt(L::splat(f64::INFINITY)), step, zero);
    let step = L::splat(sweep.relaxation) * L::select(zero.lt(weight), step, zero);
    let multiplier = multiplier + step;
    for block in 0..L::BLOCKS {
        batches[pair[block]].multipliers[index] = multiplier.block(block).to_array();
    }
    for c in 0..4 {
        for i in 0..3 {
            let moved = mass[c] * gradient[c][i] * step;
            places[c][i] = places[c][i] + moved;
            change[c][i] = change[c][i] + moved;
        }
    }
}

/// One of the packed numbers of a pair of batches.
#[inline(always)]
fn number<L: Number>([a, b]: [&[[f64; WIDTH]; PACKED]; 2], index: usize) -> L {
    L::load_blocks(&a[index], &b[index])
}

#[inline(always)]
fn inverse<L: Number>(numbers: [&[[f64; WIDTH]; PACKED]; 2]) -> Mat3<L> {
    let mut inverse = mat3::zero();
    for i in 0..3 {
        for j in 0..3 {
            inverse[i][j] = number(numbers, 3 * i + j);
        }
    }
    inverse
}
