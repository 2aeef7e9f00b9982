//! Combinations of a body's vectors with its multipliers, vertex by vertex:
//!
//! ```text
//! combination of g:    (1 + λ_H) g + rest,      rest = λ_H q + λ_P w + λ_L × w (x_n − o)
//! ```
//!
//! is ∇g + ∇c λ; with A⁻¹ before each vector, it is the step.

use elements::math::lanes::{Kernel, Lane, Vec4};

/// The multipliers λ of a body, spread over lanes.
struct Multipliers<L> {
    /// The factors 1 + λ_H and λ_H.
    own: L,
    pull: L,
    linear: L,
    /// The columns of the cross product λ_L ×.
    columns: [L; 3],
}

impl<L: Lane> Multipliers<L> {
    #[inline(always)]
    fn new(l: &[f64; 7]) -> Self {
        Multipliers {
            own: L::splat(1.0 + l[6]),
            pull: L::splat(l[6]),
            linear: L::load(&[l[0], l[1], l[2], 0.0]),
            columns: [
                L::load(&[0.0, l[5], -l[4], 0.0]),
                L::load(&[-l[5], 0.0, l[3], 0.0]),
                L::load(&[l[4], -l[3], 0.0, 0.0]),
            ],
        }
    }

    /// The part that is added to (1 + λ_H) g; `turn` is w (x_n − o) with w in the fourth place.
    #[inline(always)]
    fn rest(&self, pull: &Vec4, turn: &[f64; 4]) -> L {
        let turned = L::splat(turn[0]) * self.columns[0] + L::splat(turn[1]) * self.columns[1];
        let turned = turned + L::splat(turn[2]) * self.columns[2];
        (self.pull * L::load(&pull.0) + L::splat(turn[3]) * self.linear) + turned
    }
}

/// The vectors of a body's unknowns, multiplied by A⁻¹.
pub struct Solved<'a> {
    /// The numbers of the body's unknowns.
    pub vertices: &'a [u32],
    /// The vector A⁻¹q.
    pub pulled: &'a [Vec4],
    /// The vectors A⁻¹w (x_n − o), and A⁻¹w in the fourth place.
    pub turn: &'a [Vec4],
}

/// The kernel of x ← x − part ((1 + λ_H) A⁻¹∇g + A⁻¹ rest).
pub struct Move<'a> {
    pub lambda: &'a [f64; 7],
    pub part: f64,
    pub increment: &'a [Vec4],
    pub solved: Solved<'a>,
    pub x: &'a mut [Vec4],
}

impl Kernel for Move<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let (lambda, part) = (Multipliers::<L>::new(self.lambda), L::splat(self.part));
        for v in self.solved.vertices.iter().map(|v| *v as usize) {
            let rest = lambda.rest(&self.solved.pulled[v], &self.solved.turn[v].0);
            let moved = lambda.own * L::load(&self.increment[v].0) + rest;
            self.x[v].0 = (L::load(&self.x[v].0) - part * moved).to_array();
        }
    }
}

/// The kernel that writes ∇g + ∇c λ to `out`.
pub struct Residual<'a> {
    pub lambda: &'a [f64; 7],
    pub vertices: &'a [u32],
    pub gradient: &'a [Vec4],
    pub pull: &'a [Vec4],
    /// The vector w (x_n − o) of each vertex of the body, and w in the fourth place.
    pub lever: &'a [[f64; 4]],
    pub out: &'a mut [Vec4],
}

impl Kernel for Residual<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let lambda = Multipliers::<L>::new(self.lambda);
        for (v, lever) in self.vertices.iter().zip(self.lever) {
            let v = *v as usize;
            let rest = lambda.rest(&self.pull[v], lever);
            self.out[v].0 = (lambda.own * L::load(&self.gradient[v].0) + rest).to_array();
        }
    }
}

/// The kernel that turns A⁻¹(∇g + ∇c λ) into A⁻¹∇g, in place; λ_H must not be −1.
pub struct Recover<'a> {
    pub lambda: &'a [f64; 7],
    pub solved: Solved<'a>,
    pub increment: &'a mut [Vec4],
}

impl Kernel for Recover<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let lambda = Multipliers::<L>::new(self.lambda);
        let share = L::splat(1.0 / (1.0 + self.lambda[6]));
        for v in self.solved.vertices.iter().map(|v| *v as usize) {
            let rest = lambda.rest(&self.solved.pulled[v], &self.solved.turn[v].0);
            self.increment[v].0 = (share * (L::load(&self.increment[v].0) - rest)).to_array();
        }
    }
}
