//! The tet term as compliant constraints, for XPBD.

use super::TetTerm;
use crate::energy::constraint::{Batch, Changes, Constraints, Corners, Form, Sweep};
use crate::energy::law::Law;
use crate::math::lanes::{Kernel, Lane, Vec4, WIDTH};
use crate::math::mat3::{self, Mat3};
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
const PACKED: usize = 14;

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

impl<W: Law> Kernel for Project<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let (zero, law) = (L::splat(0.0), &self.term.constrained);
        let count = self.term.properties.constraints(law, self.sweep.form);
        let batches = self.batches.iter_mut().zip(self.numbers.as_chunks::<PACKED>().0);
        for ((batch, numbers), changes) in batches.zip(self.changes) {
            let (mut places, mut change) = ([[zero; 3]; 4], [[zero; 3]; 4]);
            for c in 0..4 {
                places[c] = L::gather(self.x, &batch.vertices[c]);
            }
            for index in 0..count {
                project_one(law, self.sweep, index, batch, numbers, &mut places, &mut change);
            }
            for c in 0..4 {
                L::scatter(change[c], &mut changes[c], 1);
            }
        }
    }
}

/// One constraint of a batch.
#[inline(always)]
fn project_one<W: Law, L: Lane>(
    law: &W,
    sweep: &Sweep,
    index: usize,
    batch: &mut Batch,
    numbers: &[[f64; WIDTH]; PACKED],
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
    let constants = [L::load(&numbers[10]), L::load(&numbers[11]), L::load(&numbers[12])];
    let floor = L::load(&numbers[13]);
    let (value, slope, stiffness) = law.constraint(sweep.form, index, &f, &constants, floor);
    let h = mat3::mul_transpose(&slope, &inverse);
    let mut gradient = [[zero; 3]; 4];
    for i in 0..3 {
        gradient[0][i] = -(h[i][0] + h[i][1] + h[i][2]);
        for j in 0..3 {
            gradient[j + 1][i] = h[i][j];
        }
    }
    let mut weight = zero;
    for c in 0..4 {
        weight = weight + L::load(&batch.mass[c]) * mat3::dot3(&gradient[c], &gradient[c]);
    }
    let compliance = match sweep.per_step == 0.0 {
        true => zero,
        false => L::splat(1.0) / (stiffness * L::load(&numbers[9])) * L::splat(sweep.per_step),
    };
    let multiplier = L::load(&batch.multipliers[index]);
    let step = (zero - value - compliance * multiplier) / (weight + compliance);
    // Nothing where nothing can move it, or nothing in it is a number.
    let step = L::select(step.abs().lt(L::splat(f64::INFINITY)), step, zero);
    let step = L::splat(sweep.relaxation) * L::select(zero.lt(weight), step, zero);
    batch.multipliers[index] = (multiplier + step).to_array();
    for c in 0..4 {
        let mass = L::load(&batch.mass[c]);
        for i in 0..3 {
            let moved = mass * gradient[c][i] * step;
            places[c][i] = places[c][i] + moved;
            change[c][i] = change[c][i] + moved;
        }
    }
}

#[inline(always)]
fn inverse<L: Lane>(numbers: &[[f64; WIDTH]; PACKED]) -> Mat3<L> {
    let mut inverse = mat3::zero();
    for i in 0..3 {
        for j in 0..3 {
            inverse[i][j] = L::load(&numbers[3 * i + j]);
        }
    }
    inverse
}
