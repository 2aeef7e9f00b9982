//! Iterations where bodies may touch.
//!
//! The Hessian C of contact at the iterate is added to A, for otherwise the constraints would move bodies into what they
//! touch:
//!
//! ```text
//! S λ = c − ∇cᵀB⁻¹∇g,      S = ∇cᵀB⁻¹∇c + (H − K)²/ε e_H e_Hᵀ,      x⁺ = x − β B⁻¹(∇g + ∇c λ),      B = A + C
//! ```
//!
//! B does not act on each coordinate alike and changes with the iterate, so all columns B⁻¹∇c are solved for anew, eight
//! solves in an iteration (see `structured`). They are exact to about 1e-6, but S has the products of the very columns that
//! the step is made of, so P and L are met to rounding by each full step. β is how far the filter lets the motion go, halved
//! until the merit function falls. Where bodies touch, g alone is lowered at first, to near where implicit Euler would end.
//!
//! What an obstacle pushes has no P and L to keep, but to meet H must not make it spin or slide. So all of L and the components of P
//! across the push stay as lowering g left them. Without that a ball that
//! fell on a plane a little off its centre spun 60 times as fast after one bounce. Bodies that touch have their constraints in common (see `simulate::conserve`).

use super::ConstrainedPd;
use super::plan::Plan;
use super::{GAMMA, MIN_PART};
use crate::solver::structured::Structured;
use crate::solver::system::{System, assemble};
use crate::solver::{Cost, Progress};
use crate::step::backtracking::halves;
use crate::step::constraint::Constraints;
use crate::step::line_search::LineSearch;
use crate::step::{Iterate, Objective};
use elements::math::lanes::Vec4;
use elements::math::vec3::{add, cross, dot, norm, scale};
use elements::math::vectors;

/// Where bodies touch, g alone is lowered until its gradient is this part of the first one.
const SETTLED: f64 = 1e-2;

/// What these iterations need.
pub(super) struct Touching {
    structured: Structured,
    /// The vectors ∇c and B⁻¹∇c.
    gradients: [Vec<Vec4>; 7],
    columns: [Vec<Vec4>; 7],
    direction: Vec<Vec4>,
    /// True as long as g alone is lowered in this step, and the largest gradient so far.
    settles: bool,
    first: f64,
    /// For each body or group that an obstacle pushes: axes of which the last one is along the push, whether there is one, and
    /// the constraints c where g was lowered to.
    pushed: Vec<Option<Pushed>>,
}

/// See [`Touching::pushed`].
struct Pushed {
    axes: [[f64; 3]; 3],
    is_pushed: bool,
    values: [f64; 7],
}

impl Pushed {
    /// For a body with the constraints `values` at an evaluated iterate.
    fn new(c: &Constraints, values: [f64; 7], at: &Iterate) -> Pushed {
        let push = c.vertices.iter().fold([0.0; 3], |sum, v| add(sum, at.active[*v as usize].xyz()));
        let length = norm(push);
        let is_pushed = length > 0.0;
        let n = if is_pushed { scale(1.0 / length, push) } else { [0.0, 0.0, 1.0] };
        let other = if n[0].abs() < 0.7 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
        let across = cross(n, other);
        let across = scale(1.0 / norm(across), across);
        Pushed { axes: [across, cross(n, across), n], is_pushed, values }
    }
}

impl Touching {
    /// For the unknowns of an objective and the factor of its A.
    pub(super) fn new(objective: &Objective, system: &System) -> Touching {
        let zeros = || vec![Vec4::ZERO; objective.free];
        Touching {
            structured: Structured::new(0, &assemble(objective, 1.0), system.entries()),
            gradients: std::array::from_fn(|_| zeros()),
            columns: std::array::from_fn(|_| zeros()),
            direction: zeros(),
            settles: true,
            first: 0.0,
            pushed: vec![],
        }
    }

    /// Starts a step.
    pub(super) fn begin_step(&mut self) {
        (self.settles, self.first) = (true, 0.0);
        self.pushed.clear();
    }

    /// Solves for the columns that some body needs, and for B⁻¹∇g, which becomes `increment`.
    fn solve(
        &mut self,
        system: &mut System,
        objective: &Objective,
        at: &Iterate,
        pull: &[Vec4],
        increment: &mut [Vec4],
    ) {
        self.structured.stand(system, objective, &at.x);
        self.structured.times_inverse(system, &at.gradient, increment);
        for c in &objective.constraints {
            c.add_gradients(&at.gradient, pull, &mut self.gradients);
        }
        for (c, pushed) in objective.constraints.iter().zip(&self.pushed) {
            let Some(Pushed { axes, .. }) = pushed else { continue };
            for (v, lever) in c.vertices.iter().zip(&c.lever) {
                (0..3).for_each(|k| self.gradients[k][*v as usize] = Vec4::new(scale(lever[3], axes[k])));
            }
        }
        let any = self.pushed.iter().any(Option::is_some);
        for k in 0..7 {
            if any || objective.constraints.iter().any(|c| c.kept.mask()[k]) {
                self.structured.times_inverse(system, &self.gradients[k], &mut self.columns[k]);
            }
        }
    }

    /// Chooses the step of a body or a group; returns the derivative of the merit function along it.
    fn choose(&mut self, number: usize, plan: &mut Plan, c: &Constraints, step: Step) -> f64 {
        let Step { at, increment, regularization } = step;
        let goals = self.goals(number, plan, c);
        let product = |a: &[Vec4], b: &[Vec4]| -> f64 {
            let each = c.vertices.iter().map(|v| (&a[*v as usize].0, &b[*v as usize].0));
            each.map(|(a, b)| (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]).sum()
        };
        let along = std::array::from_fn(|k| product(&self.gradients[k], increment));
        let products =
            std::array::from_fn(|i| std::array::from_fn(|j| product(&self.gradients[i], &self.columns[j])));
        let descent = product(&at.gradient, increment);
        let slope = plan.choose_among(c, &products, (&along, descent), &goals, regularization);
        let share = -1.0 / plan.stiffening;
        for v in c.vertices.iter().map(|v| *v as usize) {
            let mut sum = increment[v].0;
            for (lambda, column) in plan.lambda.iter().zip(&self.columns) {
                (0..3).for_each(|k| sum[k] += lambda * column[v].0[k]);
            }
            self.direction[v] = Vec4(sum.map(|s| share * s));
        }
        slope
    }
}

/// Where a step is chosen.
struct Step<'a> {
    at: &'a Iterate,
    increment: &'a [Vec4],
    regularization: f64,
}

impl Touching {
    /// The changes that are wanted of each constraint of a body; `None` where none is.
    fn goals(&self, number: usize, plan: &Plan, c: &Constraints) -> [Option<f64>; 7] {
        let mask = c.kept.mask();
        let mut goals = std::array::from_fn(|k| mask[k].then_some(plan.values[k]));
        if let Some(Some(Pushed { axes, is_pushed, values })) = self.pushed.get(number) {
            let left: [f64; 7] = std::array::from_fn(|k| plan.values[k] - values[k]);
            for k in 0..3 {
                let along = dot(axes[k], [left[0], left[1], left[2]]);
                goals[k] = (k < 2 || !is_pushed).then_some(along);
                goals[3 + k] = Some(left[3 + k]);
            }
        }
        goals
    }
}

impl ConstrainedPd {
    /// One iteration where bodies may touch.
    pub(super) fn iterate_touching(
        &mut self,
        objective: &Objective,
        iterate: &mut Iterate,
        cost: &mut Cost,
    ) -> Progress {
        let start = objective.watch();
        let Some(mut own) = self.touching.take() else { return Progress::Stalled };
        own.first = own.first.max(vectors::norm(&iterate.gradient));
        own.settles &= iterate.value.active > 0.0 && vectors::norm(&iterate.gradient) > SETTLED * own.first;
        let system = self.system.as_mut().expect("prepared before the first step");
        for c in &objective.constraints {
            c.pull_at(&iterate.x, &mut self.pull);
        }
        for (pull, active) in self.pull.iter_mut().zip(&iterate.active) {
            (0..3).for_each(|k| pull.0[k] -= active.0[k]);
        }
        if own.settles {
            own.structured.stand(system, objective, &iterate.x);
            own.structured.times_inverse(system, &iterate.gradient, &mut self.increment);
            self.touching = Some(own);
            cost.global += objective.since(start);
            return self.descend(objective, iterate, cost);
        }
        if own.pushed.is_empty() {
            let plans = self.plans.iter().zip(&objective.constraints);
            let pushed = plans.map(|(plan, c)| c.is_pushed.then(|| Pushed::new(c, plan.values, iterate)));
            own.pushed = pushed.collect();
        }
        own.solve(system, objective, iterate, &self.pull, &mut self.increment);
        let mut slope = 0.0;
        for (number, (plan, c)) in self.plans.iter_mut().zip(&objective.constraints).enumerate() {
            let step = Step { at: iterate, increment: &self.increment, regularization: self.regularization };
            slope += own.choose(number, plan, c, step);
        }
        if self.plans.is_empty() {
            own.direction.iter_mut().zip(&self.increment).for_each(|(d, step)| d.0 = step.0.map(|c| -c));
            slope = vectors::dot(&iterate.gradient, &own.direction);
        }
        cost.global += objective.since(start);
        let direction = std::mem::take(&mut own.direction);
        self.touching = Some(own);
        let progress = self.search_touching(objective, iterate, (&direction, slope), cost);
        if let Some(own) = &mut self.touching {
            own.direction = direction;
        }
        progress
    }

    fn search_touching(
        &mut self,
        objective: &Objective,
        iterate: &mut Iterate,
        (direction, slope): (&[Vec4], f64),
        cost: &mut Cost,
    ) -> Progress {
        let free = objective.free;
        let before = self.plans.clone();
        let from = self.merit(objective, iterate);
        let rounding = objective.rounding(&iterate.value);
        let mut trial = std::mem::take(&mut self.trial);
        trial.x.copy_from_slice(&iterate.x);
        let longest = objective.longest_part(&iterate.x, || {
            vectors::combine(1.0, direction, &iterate.x[..free], &mut trial.x[..free]);
            &trial.x
        });
        cost.truncated += u64::from(longest < 1.0);
        let mut progress = Progress::Stalled;
        for part in halves(longest, MIN_PART * longest.min(1.0)) {
            let start = objective.watch();
            self.plans.clone_from(&before);
            vectors::combine(part, direction, &iterate.x[..free], &mut trial.x[..free]);
            objective.evaluate(&mut trial);
            let shares = std::mem::replace(&mut trial.shares, iterate.shares.clone());
            for (plan, c) in self.plans.iter_mut().zip(&objective.constraints) {
                plan.arrive(c, part, &trial);
            }
            cost.tries += 1;
            cost.local += objective.since(start);
            if self.merit(objective, &trial) <= from + GAMMA * part * slope + rounding {
                trial.shares = shares;
                std::mem::swap(iterate, &mut trial);
                self.arrive(objective, iterate);
                progress = Progress::Moved;
                break;
            }
        }
        self.trial = trial;
        if progress == Progress::Stalled {
            self.plans = before;
        }
        progress
    }

    /// Takes the constraints of all plans anew at an evaluated iterate.
    fn arrive(&mut self, objective: &Objective, iterate: &Iterate) {
        for (plan, c) in self.plans.iter_mut().zip(&objective.constraints) {
            plan.arrive(c, 0.0, iterate);
        }
    }

    /// Lowers g alone, for where contact leaves no way to meet the constraints.
    fn descend(&mut self, objective: &Objective, iterate: &mut Iterate, cost: &mut Cost) -> Progress {
        self.increment.iter_mut().for_each(|d| d.0 = d.0.map(|c| -c));
        let slope = vectors::dot(&iterate.gradient, &self.increment);
        let (search, trial) = (LineSearch::Armijo, &mut self.trial);
        let mut found = search.search(objective, iterate, &self.increment, slope, trial, cost);
        if found.is_none()
            && let Some(own) = &self.touching
            && let Some(slope) = own.structured.find_blocks(iterate, &mut self.increment)
        {
            found = search.search(objective, iterate, &self.increment, slope, trial, cost);
        }
        self.arrive(objective, iterate);
        if found.is_some() { Progress::Moved } else { Progress::Stalled }
    }
}
