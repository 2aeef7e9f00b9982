//! Cells as compliant constraints, for XPBD.

use super::kernels::{Places, deformation, inverse, load_geometry, pulled};
use super::{CellTerm, MOST, Shape};
use crate::energy::constraint::{Batch, Changes, Constraints, Corners, Form, Sweep};
use crate::energy::law::Law;
use crate::energy::proximal::Row;
use crate::math::lanes::{Kernel, Lane, Number, Vec4, WIDTH, WideKernel};
use crate::math::mat3;
use crate::math::prefetch::{AHEAD, prefetch};
use crate::math::single::Single;

/// The constraints of four elements.
pub(super) struct Constrain<'a, S: Shape, W> {
    pub(super) term: &'a CellTerm<S, W>,
    pub(super) form: Form,
    pub(super) index: usize,
    pub(super) elements: &'a [u32; WIDTH],
    pub(super) x: &'a Corners,
    pub(super) out: &'a mut Constraints,
}

impl<S: Shape, W: Law> Kernel for Constrain<'_, S, W> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let (inverse, volume) = load_geometry::<L>(&self.term.elements, self.elements);
        let mut places = [[L::splat(0.0); 3]; MOST];
        for i in 0..3 {
            for c in 0..S::CORNERS {
                places[c][i] = L::load(&self.x[c][i]);
            }
        }
        let f = deformation::<S, L>(&places, &inverse);
        let law = &self.term.constrained;
        let (constants, floor) = self.term.properties.lanes::<W, L>(law, self.elements);
        let (value, slope, stiffness) = law.constraint(self.form, self.index, &f, &constants, floor);
        let gradient = pulled::<S, L>(&slope, &inverse);
        self.out.value = value.to_array();
        self.out.bounds = [[0.0; WIDTH]; 2];
        self.out.compliance = (L::splat(1.0) / (stiffness * volume)).to_array();
        for c in 0..S::CORNERS {
            for i in 0..3 {
                self.out.gradient[c][i] = gradient[c][i].to_array();
            }
        }
    }
}

/// Rows of numbers per batch: the entries of Dm⁻¹ that count, the volume, the constants, the rounding
/// error of the density.
pub(super) const fn packed_length(columns: usize) -> usize {
    columns * columns + 5
}

/// [`Batched::packed`](crate::energy::constraint::Batched::packed) of cells.
pub(super) fn packed<S: Shape, W: Law>(term: &CellTerm<S, W>, elements: &[u32; WIDTH]) -> Vec<Row> {
    let mut out = vec![[0.0; WIDTH]; packed_length(S::COLUMNS)];
    for (lane, e) in elements.iter().enumerate() {
        let (constants, floor) = term.properties.lanes::<W, Single>(&term.constrained, &[*e; WIDTH]);
        let index = *e as usize;
        let numbers = (term.elements.inverse[index][..S::COLUMNS].iter())
            .flat_map(|row| &row[..S::COLUMNS])
            .copied()
            .chain([term.elements.volume[index]])
            .chain(constants.map(|c| c.0))
            .chain([floor.0]);
        out.iter_mut().zip(numbers).for_each(|(row, number)| row[lane] = number);
    }
    out
}

/// [`Batched::project`](crate::energy::constraint::Batched::project) of cells.
pub(super) struct Project<'a, S: Shape, W> {
    pub(super) term: &'a CellTerm<S, W>,
    pub(super) sweep: &'a Sweep,
    pub(super) constraints: usize,
    pub(super) batches: &'a mut [Batch],
    pub(super) numbers: &'a [Row],
    pub(super) x: &'a [Vec4],
    pub(super) changes: &'a mut [Changes],
}

impl<S: Shape, W: Law> WideKernel for Project<'_, S, W> {
    type Output = ();

    #[inline(always)]
    fn run<L: Number>(self) {
        let (zero, law) = (L::splat(0.0), &self.term.constrained);
        let (count, length) = (self.batches.len(), packed_length(S::COLUMNS));
        for first in (0..count).step_by(L::BLOCKS) {
            // If the number of batches is odd, the last pair computes its batch twice.
            let pair = [first, (first + L::BLOCKS - 1).min(count - 1)];
            let own = pair.map(|batch| &self.numbers[length * batch..][..length]);
            prefetch(&self.batches[first..pair[1] + 1], AHEAD);
            prefetch(&self.numbers[length * first..length * (pair[1] + 1)], length * AHEAD);
            let [a, b] = pair.map(|batch| &self.batches[batch].vertices);
            let (mut places, mut change) = ([[zero; 3]; MOST], [[zero; 3]; MOST]);
            for c in 0..S::CORNERS {
                places[c] = L::gather_blocks(self.x, &a[c], &b[c]);
            }
            for index in 0..self.constraints {
                let batches = (&mut *self.batches, pair);
                project_one::<S, W, L>(law, self.sweep, index, batches, own, &mut places, &mut change);
            }
            for block in 0..L::BLOCKS {
                for c in 0..S::CORNERS {
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
fn project_one<S: Shape, W: Law, L: Number>(
    law: &W,
    sweep: &Sweep,
    index: usize,
    (batches, pair): (&mut [Batch], [usize; 2]),
    numbers: [&[Row]; 2],
    places: &mut Places<L>,
    change: &mut Places<L>,
) {
    let (zero, inverse) = (L::splat(0.0), inverse::<S, L>(numbers));
    let f = deformation::<S, L>(places, &inverse);
    let behind = S::COLUMNS * S::COLUMNS;
    let constants = [number(numbers, behind + 1), number(numbers, behind + 2), number(numbers, behind + 3)];
    let floor = number(numbers, behind + 4);
    let (value, slope, stiffness) = law.constraint(sweep.form, index, &f, &constants, floor);
    let gradient = pulled::<S, L>(&slope, &inverse);
    let [a, b] = pair.map(|batch| &batches[batch]);
    let (mut weight, mut mass) = (zero, [zero; MOST]);
    for c in 0..S::CORNERS {
        mass[c] = L::load_blocks(&a.mass[c], &b.mass[c]);
        weight = weight + mass[c] * mat3::dot3(&gradient[c], &gradient[c]);
    }
    let compliance = match sweep.per_step == 0.0 {
        true => zero,
        false => L::splat(1.0) / (stiffness * number(numbers, behind)) * L::splat(sweep.per_step),
    };
    let multiplier = L::load_blocks(&a.multipliers[index], &b.multipliers[index]);
    let step = (zero - value - compliance * multiplier) / (weight + compliance);
    // The step is 0 where no corner can move, and where it is not a finite number.
    let step = L::select(step.abs().lt(L::splat(f64::INFINITY)), step, zero);
    let step = L::splat(sweep.relaxation) * L::select(zero.lt(weight), step, zero);
    let multiplier = multiplier + step;
    for block in 0..L::BLOCKS {
        batches[pair[block]].multipliers[index] = multiplier.block(block).to_array();
    }
    for c in 0..S::CORNERS {
        for i in 0..3 {
            let moved = mass[c] * gradient[c][i] * step;
            places[c][i] = places[c][i] + moved;
            change[c][i] = change[c][i] + moved;
        }
    }
}

/// The `index`-th packed number of a pair of batches.
#[inline(always)]
fn number<L: Number>([a, b]: [&[Row]; 2], index: usize) -> L {
    L::load_blocks(&a[index], &b[index])
}
