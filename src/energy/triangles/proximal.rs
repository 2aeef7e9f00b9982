//! The split triangle term: z is F₂, and prox a problem in its two stretches.

use super::{Block, TriangleTerm, constants, gradient, inverse, scatter, with_normal};
use crate::energy::law::Law;
use crate::energy::proximal::stretches::{self, Problem};
use crate::energy::proximal::{Proximal, Row};
use crate::math::lanes::{Kernel, Lane, Vec4, dispatch};

struct Reduce<'a> {
    block: &'a Block,
    x: &'a [Vec4],
    z: &'a mut [Row],
}

impl Kernel for Reduce<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        stretches::store(&gradient::<L>([self.block; 2], self.x).0, 2, self.z);
    }
}

struct PullBack<'a> {
    block: &'a Block,
    z: &'a [Row],
    slots: &'a mut [Vec4],
}

impl Kernel for PullBack<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        scatter(&stretches::load::<L>(2, self.z), &inverse([self.block; 2]), self.slots);
    }
}

struct Prox<'a, W> {
    law: &'a W,
    block: &'a Block,
    ratio: f64,
    z: &'a mut [Row],
}

impl<W: Law> Kernel for Prox<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let stiffness = L::load(&self.block.stiffness);
        let constants = constants([self.block; 2]);
        let problem = Problem { law: self.law, constants, stiffness, ratio: self.ratio, free: 2 };
        let f = stretches::load(2, self.z);
        // The projection of a sheet is that of a solid with its normal.
        let f = if self.law.is_projective() { with_normal(f) } else { f };
        stretches::store(&problem.solve(&f), 2, self.z);
    }
}

impl<W: Law> Proximal for TriangleTerm<W> {
    fn reduced(&self) -> usize {
        6
    }

    fn is_hard(&self) -> bool {
        self.law.is_hard()
    }

    fn weight(&self, element: usize) -> f64 {
        self.elements.volume[element] * self.properties.stiffness[element]
    }

    fn weights(&self, block: usize) -> Row {
        let Block { volume, stiffness, .. } = &self.blocks[block];
        std::array::from_fn(|lane| volume[lane] * stiffness[lane])
    }

    fn reduce(&self, block: usize, x: &[Vec4], z: &mut [Row]) {
        dispatch(Reduce { block: &self.blocks[block], x, z });
    }

    fn pull_back(&self, block: usize, z: &[Row], slots: &mut [Vec4]) {
        dispatch(PullBack { block: &self.blocks[block], z, slots });
    }

    fn prox(&self, block: usize, ratio: f64, z: &mut [Row]) {
        dispatch(Prox { law: &self.law, block: &self.blocks[block], ratio, z });
    }
}
