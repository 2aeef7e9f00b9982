//! The split form of cells, for admm: z is F, and prox is a problem in its stretches. The local step of a
//! block stays in registers.

use super::kernels::{constants, gradient, inverse, own_columns, scatter};
use super::{Block, CellTerm, Shape};
use crate::energy::law::Law;
use crate::energy::proximal::stretches::{self, Problem};
use crate::energy::proximal::{Proximal, Row, Splitting};
use crate::math::lanes::{Kernel, Lane, Long, Number, Vec4, WIDTH, WideKernel, dispatch, dispatch_wide};
use crate::math::mat3::{self, Mat3};
use crate::math::prefetch::{AHEAD, prefetch};

struct Reduce<'a, S: Shape> {
    block: &'a Block<S>,
    x: &'a [Vec4],
    z: &'a mut [Row],
}

impl<S: Shape> Kernel for Reduce<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        stretches::store(&gradient::<S, L>([self.block; 2], self.x).0, S::COLUMNS, self.z);
    }
}

struct PullBack<'a, S: Shape> {
    block: &'a Block<S>,
    z: &'a [Row],
    slots: &'a mut [Vec4],
}

impl<S: Shape> Kernel for PullBack<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let z = stretches::load::<L>(S::COLUMNS, self.z);
        scatter::<S, L>(&z, &inverse::<S, L>([self.block.inverse.as_ref(); 2]), self.slots);
    }
}

/// prox(z̃) of the cells of some blocks. Columns that the positions do not determine have no meaning in the result.
#[inline(always)]
fn solve<S: Shape, W: Law, L: Number>(
    law: &W,
    [first, last]: [&Block<S>; 2],
    ratio: f64,
    target: Mat3<L>,
) -> Mat3<L> {
    let stiffness = L::load_blocks(&first.stiffness, &last.stiffness);
    let problem = Problem { law, constants: constants([first, last]), stiffness, ratio, free: S::COLUMNS };
    // A sheet is projected like a solid whose third column is the sheet's normal.
    L::long(Solve(&problem, &if law.is_projective() { S::complete(target) } else { target }))
}

/// [`Problem::solve`], as the numbers have long computations.
struct Solve<'a, 'b, W, L>(&'a Problem<'b, W, L>, &'a Mat3<L>);

impl<W: Law, L: Number> Long<L> for Solve<'_, '_, W, L> {
    type Output = Mat3<L>;

    #[inline(always)]
    fn compute(self) -> Mat3<L> {
        self.0.solve(self.1)
    }
}

struct Prox<'a, S: Shape, W> {
    law: &'a W,
    block: &'a Block<S>,
    ratio: f64,
    z: &'a mut [Row],
}

impl<S: Shape, W: Law> Kernel for Prox<'_, S, W> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let target = stretches::load::<L>(S::COLUMNS, self.z);
        stretches::store(&solve(self.law, [self.block; 2], self.ratio, target), S::COLUMNS, self.z);
    }
}

/// The kernel of [`Proximal::local_step`].
pub(super) struct LocalStep<'a, S: Shape, W> {
    pub(super) law: &'a W,
    pub(super) blocks: &'a [Block<S>],
    pub(super) x: &'a [Vec4],
    pub(super) splitting: Splitting,
    pub(super) z: &'a mut [Row],
    pub(super) u: &'a mut [Row],
    pub(super) slots: &'a mut [Vec4],
}

impl<S: Shape, W: Law> WideKernel for LocalStep<'_, S, W> {
    type Output = [Row; 2];
    const INTERLEAVED: bool = W::INTERLEAVED_PROX;

    #[inline(always)]
    fn run<L: Number>(self) -> [Row; 2] {
        let Splitting { ratio, relaxation } = self.splitting;
        let (new, old, none) = (L::splat(relaxation), L::splat(1.0 - relaxation), L::splat(0.0));
        let (mut primal, mut dual) = (none.block(0), none.block(0));
        let rows = 3 * S::COLUMNS;
        let parts = self.z.chunks_exact_mut(rows * L::BLOCKS).zip(self.u.chunks_exact_mut(rows * L::BLOCKS));
        let slots = self.slots.chunks_exact_mut(S::CORNERS * WIDTH * L::BLOCKS);
        for ((blocks, (z_rows, u_rows)), slots) in self.blocks.chunks_exact(L::BLOCKS).zip(parts).zip(slots) {
            prefetch(blocks, AHEAD);
            prefetch(z_rows, rows * AHEAD);
            prefetch(u_rows, rows * AHEAD);
            let (first, last) = (&blocks[0], &blocks[L::BLOCKS - 1]);
            let (f, inverse) = gradient::<S, L>([first, last], self.x);
            let f = own_columns::<S, L>(f);
            let z = stretches::load::<L>(S::COLUMNS, z_rows);
            let mut target = stretches::load::<L>(S::COLUMNS, u_rows);
            for i in 0..3 {
                for j in 0..S::COLUMNS {
                    target[i][j] = target[i][j] + new * f[i][j] + old * z[i][j];
                }
            }
            let next = own_columns::<S, L>(solve(self.law, [first, last], ratio, target));
            let stiffness = L::load_blocks(&first.stiffness, &last.stiffness);
            let weight = L::splat(ratio) * (L::load_blocks(&first.volume, &last.volume) * stiffness);
            let apart = mat3::sub(&f, &next);
            let multiplier = mat3::sub(&target, &next);
            let change = mat3::sub(&next, &z);
            // Lanes of padding have no weight and arbitrary numbers.
            let is_real = none.lt(weight);
            let far = L::select(is_real, weight * mat3::dot(&apart, &apart), none);
            let moved = L::select(is_real, weight * mat3::dot(&change, &change), none);
            (primal, dual) = (far.added_to(primal), moved.added_to(dual));
            stretches::store(&next, S::COLUMNS, z_rows);
            stretches::store(&multiplier, S::COLUMNS, u_rows);
            scatter::<S, L>(&mat3::scale(weight, &mat3::add(&apart, &multiplier)), &inverse, slots);
        }
        [primal.to_array(), dual.to_array()]
    }
}

impl<S: Shape, W: Law> Proximal for CellTerm<S, W> {
    fn reduced(&self) -> usize {
        3 * S::COLUMNS
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
        let blocks = &self.blocks[first..first + z.len() / self.reduced()];
        dispatch_wide(LocalStep { law: &self.law, blocks, x, splitting, z, u, slots })
    }
}
