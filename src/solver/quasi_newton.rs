//! Quasi-Newton: L-BFGS around the constant matrix of projective dynamics, with a line search.
//!
//! ```text
//! d = −H ∇g,      H the two-loop recursion over the last m pairs (s, t), with A⁻¹ in its middle
//! ```
//!
//! \[Liu2017, Alg. 1-2\]; m = 5. With m = 0 and projective energies it is projective dynamics. A bounds the Hessian
//! from above, so the eigenvalues of A⁻¹∇²g lie between 0 and about 1; once there are pairs, 1.5 A⁻¹ stands in their
//! middle (a departure from the paper), as pairs correct overshooting and undershooting alike. Pairs without
//! curvature (s·t ≈ 0 or less) are left out; the history starts anew with every time step, so that a run can
//! resume from positions and velocities alone.

use std::collections::VecDeque;
use std::time::Instant;

use super::hessian::HessianFactor;
use super::line_search::LineSearch;
use super::system::System;
use super::{Cost, Kind, Preparation, Progress, Solver};
use crate::cache::Cache;
use crate::error::Result;
use crate::math::lanes::Vec4;
use crate::math::vectors;
use crate::objective::{Iterate, Objective};

/// The registry's entry.
pub static KIND: Kind = Kind {
    name: "quasi-newton",
    about: "L-BFGS around projective dynamics' matrix: any material, the best choice for most scenes",
    keys: &["history", "line_search", "initial_hessian"],
    refuses: |_| None,
    build: |settings| {
        Box::new(QuasiNewton {
            history: settings.options.history.unwrap_or(5) as usize,
            line_search: LineSearch::named(settings.options.line_search.as_deref()),
            initial: match settings.options.initial_hessian.as_deref() {
                Some("identity") => Initial::Identity,
                Some("rest") => Initial::Rest(None),
                Some("frame") => Initial::Frame { factor: None, fresh: true },
                _ => Initial::System,
            },
            first_scale: 0.0,
            system: None,
            pairs: VecDeque::new(),
            spare: vec![],
            direction: vec![],
            residual: vec![],
            trial: Iterate::default(),
        })
    },
};

/// A step s, the change t of the gradient over it, and 1/(s·t).
struct Pair {
    step: Vec<Vec4>,
    change: Vec<Vec4>,
    inverse: f64,
}

/// What stands in the middle of the two-loop recursion \[Liu2017, Fig. 8\].
enum Initial {
    /// A⁻¹.
    System,
    /// The identity, scaled by s·t/t·t of the last pair; before there is one, by h² over the mean mass.
    Identity,
    /// The inverse Hessian in the rest state.
    Rest(Option<HessianFactor>),
    /// The inverse Hessian at the start of each step; `fresh`: not computed yet.
    Frame { factor: Option<HessianFactor>, fresh: bool },
}

/// The solver.
pub struct QuasiNewton {
    initial: Initial,
    /// h² over the mean mass.
    first_scale: f64,
    history: usize,
    line_search: LineSearch,
    system: Option<System>,
    pairs: VecDeque<Pair>,
    spare: Vec<Pair>,
    direction: Vec<Vec4>,
    residual: Vec<Vec4>,
    trial: Iterate,
}

/// Factor on A⁻¹ between the pairs. 2 would be the largest for which A⁻¹ alone does not diverge; on the papers'
/// meshes 1.5 left as small an error after ten iterations with 10-30% fewer tries.
const RELAXATION: f64 = 1.5;

/// Pairs with a cosine between step and change below this have no curvature to learn from.
const MIN_COSINE: f64 = 1e-10;

impl QuasiNewton {
    /// `direction ← −H gradient`; returns its slope.
    fn find_direction(&mut self, gradient: &[Vec4]) -> f64 {
        self.residual.copy_from_slice(gradient);
        let mut factors = vec![0.0; self.pairs.len()];
        for (factor, pair) in factors.iter_mut().zip(&self.pairs).rev() {
            *factor = pair.inverse * vectors::dot(&pair.step, &self.residual);
            vectors::add_scaled(-*factor, &pair.change, &mut self.residual);
        }
        self.solve_initial();
        for (factor, pair) in factors.iter().zip(&self.pairs) {
            let beta = pair.inverse * vectors::dot(&pair.change, &self.direction);
            vectors::add_scaled(factor - beta, &pair.step, &mut self.direction);
        }
        for d in &mut self.direction {
            d.0 = d.0.map(|c| -c);
        }
        vectors::dot(gradient, &self.direction)
    }

    /// `direction ← H₀ residual`.
    fn solve_initial(&mut self) {
        match &mut self.initial {
            Initial::System => {
                let system = self.system.as_mut().expect("prepared before the first step");
                if !self.pairs.is_empty() {
                    for r in &mut self.residual {
                        r.0 = r.0.map(|c| RELAXATION * c);
                    }
                }
                system.solve(&self.residual, &mut self.direction);
            }
            Initial::Identity => {
                let scale = self.pairs.back().map_or(self.first_scale, |pair| {
                    1.0 / (pair.inverse * vectors::dot(&pair.change, &pair.change))
                });
                for (d, r) in self.direction.iter_mut().zip(&self.residual) {
                    d.0 = r.0.map(|c| scale * c);
                }
            }
            Initial::Rest(factor) | Initial::Frame { factor, .. } => {
                let factor = factor.as_mut().expect("prepared before the first step");
                factor.solve(&self.residual, &mut self.direction);
            }
        }
    }

    /// Computes what is due once in a step.
    fn refresh(&mut self, objective: &Objective, x: &[Vec4]) -> Result<()> {
        if let Initial::Frame { factor: Some(factor), fresh } = &mut self.initial
            && *fresh
        {
            factor.assemble(objective, x);
            factor.factorize(objective)?;
            *fresh = false;
        }
        Ok(())
    }

    /// Learns from the step that led from `trial` (where the line search left the old point) to `iterate`.
    fn learn(&mut self, free: usize, iterate: &Iterate) {
        if self.history == 0 {
            return;
        }
        let blank = || Pair { step: vec![Vec4::ZERO; free], change: vec![Vec4::ZERO; free], inverse: 0.0 };
        let full = self.pairs.len() == self.history;
        let oldest = if full { self.pairs.pop_front() } else { self.spare.pop() };
        let mut pair = oldest.unwrap_or_else(blank);
        vectors::combine(-1.0, &self.trial.x[..free], &iterate.x[..free], &mut pair.step);
        vectors::combine(-1.0, &self.trial.gradient, &iterate.gradient, &mut pair.change);
        let curvature = vectors::dot(&pair.step, &pair.change);
        let scale = vectors::norm(&pair.step) * vectors::norm(&pair.change);
        if curvature > MIN_COSINE * scale {
            pair.inverse = 1.0 / curvature;
            self.pairs.push_back(pair);
        } else {
            self.spare.push(pair);
        }
    }

    fn forget(&mut self) {
        self.spare.extend(self.pairs.drain(..));
    }
}

impl Solver for QuasiNewton {
    fn prepare(&mut self, objective: &Objective, cache: &Cache) -> Result<Preparation> {
        let (system, outcome) = System::prepare(objective, cache)?;
        let factor_entries = system.entries();
        self.system = Some(system);
        self.direction = vec![Vec4::ZERO; objective.free];
        self.residual = vec![Vec4::ZERO; objective.free];
        let total: f64 = objective.mass[..objective.free].iter().sum();
        self.first_scale = objective.step * objective.step * objective.free as f64 / total;
        match &mut self.initial {
            Initial::Rest(factor) => {
                let factor = factor.insert(HessianFactor::new(objective)?);
                factor.assemble(objective, &objective.rest);
                factor.factorize(objective)?;
            }
            Initial::Frame { factor, .. } => *factor = Some(HessianFactor::new(objective)?),
            Initial::System | Initial::Identity => {}
        }
        Ok(Preparation { cache: Some(outcome), factor_entries })
    }

    fn begin_step(&mut self, _: &Objective, iterate: &Iterate) {
        if let Initial::Frame { fresh, .. } = &mut self.initial {
            *fresh = true;
        }
        self.forget();
        self.trial.clone_from(iterate);
    }

    fn relax(&mut self, objective: &Objective, iterate: &mut Iterate, iterations: u64) -> bool {
        let system = self.system.as_mut().expect("prepared before the first step");
        for _ in 0..iterations {
            objective.evaluate_projective(iterate);
            system.solve(&iterate.gradient, &mut self.direction);
            vectors::add_scaled(-1.0, &self.direction, &mut iterate.x[..objective.free]);
        }
        true
    }

    fn iterate(&mut self, objective: &Objective, iterate: &mut Iterate, cost: &mut Cost) -> Result<Progress> {
        let start = Instant::now();
        self.refresh(objective, &iterate.x)?;
        cost.global += start.elapsed();
        loop {
            let start = Instant::now();
            let slope = self.find_direction(&iterate.gradient);
            cost.global += start.elapsed();
            let found = slope < 0.0
                && self.line_search.search(objective, iterate, &self.direction, slope, &mut self.trial, cost);
            if found {
                let start = Instant::now();
                self.learn(objective.free, iterate);
                cost.global += start.elapsed();
                return Ok(Progress::Moved);
            }
            if self.pairs.is_empty() {
                return Ok(Progress::Stalled);
            }
            self.forget();
        }
    }
}
