//! Directions where active terms are stiff: pairs learn from the fixed terms, active terms enter exactly.
//!
//! Contact is far stiffer than A and comes and goes, so pairs that learned from it lead astray. Here B, the L-BFGS matrix
//! around A, learns from inertia and fixed terms only, and the Hessian C = V Vᵀ of the active terms at the iterate is
//! added to it:
//!
//! ```text
//! d = −(B + C)⁻¹ ∇g = −H (∇g − V λ),      (1 + VᵀH V) λ = VᵀH ∇g,      H = B⁻¹
//! ```
//!
//! V has a column for each square of the active terms, with entries at a few vertices. The system for λ is solved by
//! conjugate gradients. H is written out \[Byrd1994, Thm. 2.2\]:
//!
//! ```text
//! H = A⁻¹ + W N Wᵀ,      W = [S, A⁻¹T],      N = [R⁻ᵀ(D + TᵀA⁻¹T)R⁻¹, −R⁻ᵀ; −R⁻¹, 0]
//! ```
//!
//! with R the upper triangle of SᵀT and D its diagonal. (The factor f on A⁻¹ of the other directions does not pay here: on
//! two boxes that fall on each other it saved no iterations and cost a third more tries.) Only entries at the vertices of V are needed in that system: with
//! few of them A⁻¹ there is a small dense matrix, whose columns stay the same over all steps and are kept; with many of
//! them, each product takes a solve with A's factor.

mod blocks;
mod descent;
mod reduced;

pub(super) use blocks::{blocks, solve_blocks};
pub(super) use descent::Descent;

use crate::step::active::Square;
use crate::step::{Iterate, Objective};
use elements::math::lanes::Vec4;
use elements::math::vectors;
use reduced::{Columns, Places};
use sparse::matrix::SymmetricMatrix;

/// Something that solves with A.
pub(super) trait Inverse {
    /// Solves `x = A⁻¹ b` on the unknowns, exactly or approximately.
    fn solve_system(&mut self, b: &[Vec4], x: &mut [Vec4]);
}

/// Conjugate gradients end when the residual is this part of the first one, and no contact's is harmful. The residual is
/// by how much the motion of a contact is off, and that must be less than its gap: with 1e-3 alone an impact of a box took
/// hundreds of iterations, cut by contacts whose gap was a hundredth of the way.
const ENOUGH: f64 = 1e-3;
/// The part that products with (A + C)⁻¹ end at.
const FINE: f64 = 1e-6;
/// The part that is asked for where the direction did not descend.
const EXACT: f64 = 1e-8;
/// The part below which nothing is gained.
const LEAST: f64 = 1e-10;
/// Iterations of conjugate gradients at the most.
const MOST: usize = 200;
/// Pairs whose cosine between s and t is below this contain no usable curvature.
const MIN_COSINE: f64 = 1e-10;

/// A step s, the change t of the gradient of inertia and fixed terms over it, and A⁻¹ t.
struct Pair {
    step: Vec<Vec4>,
    change: Vec<Vec4>,
    solved: Vec<Vec4>,
}

/// The pairs and what the solves need.
pub(super) struct Structured {
    limit: usize,
    pairs: Vec<Pair>,
    /// The products sᵢ·tⱼ and tᵢ·A⁻¹tⱼ of all pairs.
    steps: Vec<Vec<f64>>,
    changes: Vec<Vec<f64>>,
    diagonal: Vec<f64>,
    squares: Vec<Square>,
    places: Places,
    columns: Columns,
    /// The solution A⁻¹ ∇g of the last direction.
    solved: Vec<Vec4>,
    right: Vec<Vec4>,
    answer: Vec<Vec4>,
}

impl Structured {
    /// Without pairs yet; at most `limit` will be kept. `matrix` is A.
    pub(super) fn new(limit: usize, matrix: &SymmetricMatrix, factor_entries: usize) -> Structured {
        let zeros = vec![Vec4::ZERO; matrix.size];
        Structured {
            limit,
            pairs: vec![],
            steps: vec![],
            changes: vec![],
            diagonal: matrix.diagonal(),
            columns: Columns::new(matrix.size, factor_entries),
            squares: vec![],
            places: Places::default(),
            solved: zeros.clone(),
            right: zeros.clone(),
            answer: zeros,
        }
    }

    /// The same for another A.
    pub(super) fn with(&self, matrix: &SymmetricMatrix, factor_entries: usize) -> Structured {
        Structured::new(self.limit, matrix, factor_entries)
    }

    /// Drops all pairs; returns whether there were some.
    pub(super) fn forget(&mut self) -> bool {
        let had = !self.pairs.is_empty();
        self.pairs.clear();
        self.steps.clear();
        self.changes.clear();
        had
    }

    /// Computes `direction`; returns its slope, which is negative up to rounding.
    pub(super) fn find(
        &mut self,
        inverse: &mut dyn Inverse,
        objective: &Objective,
        at: &Iterate,
        direction: &mut [Vec4],
    ) -> f64 {
        objective.squares(&at.x, &mut self.squares);
        self.places.find(&self.squares, objective.free);
        // All of ∇g at once: near a minimum its parts are large and cancel, and solves are exact to about 1e-6.
        inverse.solve_system(&at.gradient, &mut self.solved);
        if self.places.vertices.is_empty() {
            direction.copy_from_slice(&self.solved);
            return self.finish(&at.gradient, at, direction);
        }
        self.columns.follow(&self.places.vertices, inverse);
        for enough in [ENOUGH, EXACT] {
            let slope = self.solve(inverse, at, enough, direction);
            if slope < 0.0 || self.squares.is_empty() {
                return slope;
            }
        }
        vectors::dot(&at.gradient, direction)
    }

    /// Gets ready for products with (A + C)⁻¹ at `x`, see [`Structured::times_inverse`]; true if anything is stiff there.
    pub(super) fn stand(&mut self, inverse: &mut dyn Inverse, objective: &Objective, x: &[Vec4]) -> bool {
        objective.squares(x, &mut self.squares);
        self.places.find(&self.squares, objective.free);
        let is_stiff = !self.places.vertices.is_empty();
        if is_stiff {
            self.columns.follow(&self.places.vertices, inverse);
        }
        is_stiff
    }

    /// Computes (A + C)⁻¹ b, without pairs, to about 1e-6 of it.
    pub(super) fn times_inverse(&mut self, inverse: &mut dyn Inverse, b: &[Vec4], out: &mut [Vec4]) {
        inverse.solve_system(b, &mut self.solved);
        out.copy_from_slice(&self.solved);
        if self.places.vertices.is_empty() {
            return;
        }
        let right = self.places.transposed(&self.places.gather(&self.solved));
        let scales = self.places.scales(|i| self.columns.diagonal(&self.places, i, &self.diagonal));
        let harmless = vec![f64::INFINITY; right.len()];
        let lambda = conjugate([&right, &scales, &harmless], FINE, |lambda| {
            let y = self.places.times(lambda);
            self.places.transposed(&self.columns.apply(&self.places, &y, inverse))
        });
        self.right.fill(Vec4::ZERO);
        self.places.subtract(&lambda, &mut self.right);
        inverse.solve_system(&self.right, &mut self.answer);
        vectors::add_scaled(1.0, &self.answer, out);
    }

    /// d·A d of the direction that was found last, without pairs.
    pub(super) fn curvature(&self, at: &Iterate, direction: &[Vec4]) -> f64 {
        let right = if self.places.vertices.is_empty() { &at.gradient } else { &self.right };
        -vectors::dot(right, direction)
    }

    /// A direction vertex by vertex, for where others led nowhere; returns its slope, `None` if nothing is stiff.
    pub(super) fn find_blocks(&self, at: &Iterate, direction: &mut [Vec4]) -> Option<f64> {
        let stiff = !self.squares.is_empty();
        stiff.then(|| solve_blocks(&blocks(&self.diagonal, &self.squares), &at.gradient, direction))
    }

    /// The direction with λ to the given accuracy; returns its slope.
    fn solve(&mut self, inverse: &mut dyn Inverse, at: &Iterate, enough: f64, direction: &mut [Vec4]) -> f64 {
        let reduced = self.reduced();
        let mut start = self.places.gather(&self.solved);
        let along = self.products(&at.gradient);
        reduced.complete(&along, &mut start);
        let right = self.places.transposed(&start);
        let scales = self.places.scales(|i| self.columns.diagonal(&self.places, i, &self.diagonal));
        let harmless: Vec<f64> = self.squares.iter().map(|square| square.harmless).collect();
        let lambda = conjugate([&right, &scales, &harmless], enough, |lambda| {
            let y = self.places.times(lambda);
            let mut u = self.columns.apply(&self.places, &y, inverse);
            let along = reduced.products(&y);
            reduced.complete(&along, &mut u);
            self.places.transposed(&u)
        });
        // H (∇g − V λ) with one more solve.
        self.right.fill(Vec4::ZERO);
        self.places.subtract(&lambda, &mut self.right);
        inverse.solve_system(&self.right, &mut self.answer);
        vectors::combine(1.0, &self.answer, &self.solved, direction);
        vectors::add_scaled(1.0, &at.gradient, &mut self.right);
        self.finish(&self.right, at, direction)
    }

    /// Makes −H r of A⁻¹ r, in place; returns the slope.
    fn finish(&self, r: &[Vec4], at: &Iterate, direction: &mut [Vec4]) -> f64 {
        let along = self.products(r);
        let [steps, changes] = self.small(&along);
        for (pair, (s, t)) in self.pairs.iter().zip(steps.iter().zip(&changes)) {
            vectors::add_scaled(*s, &pair.step, direction);
            vectors::add_scaled(*t, &pair.solved, direction);
        }
        direction.iter_mut().for_each(|d| d.0 = d.0.map(|c| -c));
        vectors::dot(&at.gradient, direction)
    }

    /// The products Wᵀ r with all pairs.
    fn products(&self, r: &[Vec4]) -> [Vec<f64>; 2] {
        [
            self.pairs.iter().map(|pair| vectors::dot(&pair.step, r)).collect(),
            self.pairs.iter().map(|pair| vectors::dot(&pair.solved, r)).collect(),
        ]
    }

    /// N times a vector.
    fn small(&self, along: &[Vec<f64>; 2]) -> [Vec<f64>; 2] {
        small(&self.steps, &self.changes, along)
    }

    /// The pairs at the vertices of V.
    fn reduced(&self) -> Reduced {
        Reduced {
            step: self.pairs.iter().map(|pair| self.places.gather(&pair.step)).collect(),
            solved: self.pairs.iter().map(|pair| self.places.gather(&pair.solved)).collect(),
            steps: self.steps.clone(),
            changes: self.changes.clone(),
        }
    }

    /// Makes a pair of the step between two evaluated points.
    pub(super) fn learn(&mut self, inverse: &mut dyn Inverse, from: &Iterate, to: &Iterate) {
        if self.limit == 0 {
            return;
        }
        let free = to.gradient.len();
        let minus = |a: &[Vec4], b: &[Vec4]| -> Vec<Vec4> {
            a.iter().zip(b).map(|(a, b)| Vec4(std::array::from_fn(|k| a.0[k] - b.0[k]))).collect()
        };
        let step = minus(&to.x[..free], &from.x[..free]);
        let own = |at: &Iterate| minus(&at.gradient, &at.active);
        let change = minus(&own(to), &own(from));
        let curvature = vectors::dot(&step, &change);
        if curvature <= MIN_COSINE * vectors::norm(&step) * vectors::norm(&change) {
            return;
        }
        if self.pairs.len() == self.limit {
            self.pairs.remove(0);
            for products in [&mut self.steps, &mut self.changes] {
                products.remove(0);
                products.iter_mut().for_each(|row| *row = row.split_off(1));
            }
        }
        let mut solved = vec![Vec4::ZERO; free];
        inverse.solve_system(&change, &mut solved);
        self.pairs.push(Pair { step, change, solved });
        let last = &self.pairs[self.pairs.len() - 1];
        let mut rows = [vec![], vec![]];
        for (i, pair) in self.pairs.iter().enumerate() {
            let (s, t) = (vectors::dot(&pair.step, &last.change), vectors::dot(&pair.change, &last.solved));
            if i + 1 < self.pairs.len() {
                self.steps[i].push(s);
                self.changes[i].push(t);
            }
            rows[0].push(vectors::dot(&last.step, &pair.change));
            rows[1].push(t);
        }
        let [steps, changes] = rows;
        self.steps.push(steps);
        self.changes.push(changes);
    }
}

/// N times a vector: the products sᵢ·tⱼ, tᵢ·A⁻¹tⱼ, and Wᵀ r.
fn small(steps: &[Vec<f64>], changes: &[Vec<f64>], along: &[Vec<f64>; 2]) -> [Vec<f64>; 2] {
    let m = steps.len();
    // z = R⁻¹ Sᵀr.
    let mut z = along[0].clone();
    for i in (0..m).rev() {
        let rest: f64 = (i + 1..m).map(|j| steps[i][j] * z[j]).sum();
        z[i] = (z[i] - rest) / steps[i][i];
    }
    // y = R⁻ᵀ((D + TᵀA⁻¹T) z − TᵀA⁻¹r).
    let mut y: Vec<f64> = (0..m)
        .map(|i| {
            let sum: f64 = (0..m).map(|j| changes[i][j] * z[j]).sum();
            steps[i][i] * z[i] + sum - along[1][i]
        })
        .collect();
    for i in 0..m {
        let rest: f64 = (0..i).map(|j| steps[j][i] * y[j]).sum();
        y[i] = (y[i] - rest) / steps[i][i];
    }
    z.iter_mut().for_each(|z| *z = -*z);
    [y, z]
}

/// The pairs at some vertices only.
struct Reduced {
    step: Vec<Vec<[f64; 3]>>,
    solved: Vec<Vec<[f64; 3]>>,
    steps: Vec<Vec<f64>>,
    changes: Vec<Vec<f64>>,
}

impl Reduced {
    /// Wᵀ y for a vector with entries at the vertices only.
    fn products(&self, y: &[[f64; 3]]) -> [Vec<f64>; 2] {
        let with = |v: &Vec<[f64; 3]>| -> f64 {
            v.iter().zip(y).map(|(v, y)| v[0] * y[0] + v[1] * y[1] + v[2] * y[2]).sum()
        };
        [self.step.iter().map(with).collect(), self.solved.iter().map(with).collect()]
    }

    /// Makes (H r) of (A⁻¹ r) at the vertices, where `along` is Wᵀ r.
    fn complete(&self, along: &[Vec<f64>; 2], out: &mut [[f64; 3]]) {
        let [steps, changes] = small(&self.steps, &self.changes, along);
        for i in 0..self.steps.len() {
            for ((o, s), t) in out.iter_mut().zip(&self.step[i]).zip(&self.solved[i]) {
                (0..3).for_each(|k| o[k] += steps[i] * s[k] + changes[i] * t[k]);
            }
        }
    }
}

/// Solves (1 + K) λ = b by conjugate gradients, where `times` multiplies by K and 1 + `scales` is near the diagonal, until
/// no entry of the residual is more than `harmless` and all of it is less than `enough` of the first.
fn conjugate(
    [b, scales, harmless]: [&[f64]; 3],
    enough: f64,
    mut times: impl FnMut(&[f64]) -> Vec<f64>,
) -> Vec<f64> {
    let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let condition = |r: &[f64]| -> Vec<f64> { r.iter().zip(scales).map(|(r, s)| r / (1.0 + s)).collect() };
    let mut x = vec![0.0; b.len()];
    let mut r = b.to_vec();
    let mut z = condition(&r);
    let mut p = z.clone();
    let mut rz = dot(&r, &z);
    let (target, floor) = (enough * enough * rz, LEAST * LEAST * rz);
    for _ in 0..MOST {
        let is_small = rz <= target && r.iter().zip(harmless).all(|(r, h)| r.abs() <= *h);
        if is_small || rz <= floor {
            break;
        }
        let mut q = times(&p);
        q.iter_mut().zip(&p).for_each(|(q, p)| *q += p);
        let alpha = rz / dot(&p, &q);
        x.iter_mut().zip(&p).for_each(|(x, p)| *x += alpha * p);
        r.iter_mut().zip(&q).for_each(|(r, q)| *r -= alpha * q);
        z = condition(&r);
        let next = dot(&r, &z);
        let beta = next / rz;
        p.iter_mut().zip(&z).for_each(|(p, z)| *p = z + beta * *p);
        rz = next;
    }
    x
}
