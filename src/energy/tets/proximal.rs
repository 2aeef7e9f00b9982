//! The split tet term: z is F, and prox a problem in its stretches. A local step of a block stays in registers.

use super::{Block, TetTerm, constants, gradient, inverse, scatter};
use crate::energy::law::Law;
use crate::energy::proximal::stretches::{self, Problem};
use crate::energy::proximal::{Proximal, Row, Splitting};
use crate::math::lanes::{Kernel, Lane, Number, Vec4, WIDTH, WideKernel, dispatch, dispatch_wide};
use crate::math::mat3;
use crate::math::prefetch::{AHEAD, prefetch};

struct Reduce<'a> {
    block: &'a Block,
    x: &'a [Vec4],
    z: &'a mut [Row],
}

impl Kernel for Reduce<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        stretches::store(&gradient::<L>([self.block; 2], self.x).0, 3, self.z);
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
        scatter(&stretches::load::<L>(3, self.z), &inverse([self.block; 2]), self.slots);
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
        let problem = Problem { law: self.law, constants, stiffness, ratio: self.ratio, free: 3 };
        stretches::store(&problem.solve(&stretches::load(3, self.z)), 3, self.z);
    }
}

pub(super) struct LocalStep<'a, W> {
    pub(super) law: &'a W,
    pub(super) blocks: &'a [Block],
    pub(super) x: &'a [Vec4],
    pub(super) splitting: Splitting,
    pub(super) z: &'a mut [Row],
    pub(super) u: &'a mut [Row],
    pub(super) slots: &'a mut [Vec4],
}

impl<W: Law> WideKernel for LocalStep<'_, W> {
    type Output = [Row; 2];
    const INTERLEAVED: bool = W::INTERLEAVED_PROX;

    #[inline(always)]
    fn run<L: Number>(self) -> [Row; 2] {
        let Splitting { ratio, relaxation } = self.splitting;
        let (new, old, none) = (L::splat(relaxation), L::splat(1.0 - relaxation), L::splat(0.0));
        let (mut primal, mut dual) = (none.block(0), none.block(0));
        let parts = self.z.chunks_exact_mut(9 * L::BLOCKS).zip(self.u.chunks_exact_mut(9 * L::BLOCKS));
        let slots = self.slots.chunks_exact_mut(4 * WIDTH * L::BLOCKS);
        for ((blocks, (z_rows, u_rows)), slots) in self.blocks.chunks_exact(L::BLOCKS).zip(parts).zip(slots) {
            prefetch(blocks, AHEAD);
            prefetch(z_rows, 9 * AHEAD);
            prefetch(u_rows, 9 * AHEAD);
            let (first, last) = (&blocks[0], &blocks[L::BLOCKS - 1]);
            let (f, inverse) = gradient::<L>([first, last], self.x);
            let z = stretches::load::<L>(3, z_rows);
            let mut target = stretches::load::<L>(3, u_rows);
            for i in 0..3 {
                for j in 0..3 {
                    target[i][j] = target[i][j] + new * f[i][j] + old * z[i][j];
                }
            }
            let stiffness = L::load_blocks(&first.stiffness, &last.stiffness);
            let constants = constants([first, last]);
            let next = Problem { law: self.law, constants, stiffness, ratio, free: 3 }.solve(&target);
            let weight = L::splat(ratio) * (L::load_blocks(&first.volume, &last.volume) * stiffness);
            let apart = mat3::sub(&f, &next);
            let multiplier = mat3::sub(&target, &next);
            let change = mat3::sub(&next, &z);
            // Padding has no weight, but any numbers.
            let is_real = none.lt(weight);
            let far = L::select(is_real, weight * mat3::dot(&apart, &apart), none);
            let moved = L::select(is_real, weight * mat3::dot(&change, &change), none);
            (primal, dual) = (far.added_to(primal), moved.added_to(dual));
            stretches::store(&next, 3, z_rows);
            stretches::store(&multiplier, 3, u_rows);
            scatter(&mat3::scale(weight, &mat3::add(&apart, &multiplier)), &inverse, slots);
        }
        [primal.to_array(), dual.to_array()]
    }
}

impl<W: Law> Proximal for TetTerm<W> {
    fn reduced(&self) -> usize {
        9
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

    fn local_step(
        &self,
        first: usize,
        x: &[Vec4],
        splitting: Splitting,
        (z, u): (&mut [Row], &mut [Row]),
        slots: &mut [Vec4],
    ) -> [Row; 2] {
        let blocks = &self.blocks[first..first + z.len() / 9];
        dispatch_wide(LocalStep { law: &self.law, blocks, x, splitting, z, u, slots })
    }
}
