//! Quasi-Newton: L-BFGS around the constant matrix of projective dynamics, with a line search.
//!
//! ```text
//! d = −H ∇g,      H the two-loop recursion over the last m pairs (s, t), with A⁻¹ in its middle
//! ```
//!
//! \[Liu2017, Alg. 1-2\]; m = 5. With m = 0 and projective energies it is projective dynamics. A bounds the Hessian
//! from above, so the eigenvalues of A⁻¹∇²g lie between 0 and about 1; once there are pairs, f A⁻¹ stands in their
//! middle (a departure from the paper), as pairs correct overshooting and undershooting alike, with
//!
//! ```text
//! f = s·A s/s·t of the last pair, at least 1, at most 1 + 0.2 for each pair, at most 2
//! ```
//!
//! The history starts anew with every time step, so that a run can resume from positions and velocities alone.
//!
//! With `direction = "chebyshev"` there are no pairs, and the direction is that of Chebyshev's semi-iteration
//!
//! ```text
//! d = ω (x − A⁻¹ ∇g − x_{k−1}) + x_{k−1} − x
//! ```
//!
//! \[Liu2017, Alg. 3\], with −A⁻¹ ∇g in its place where it does not descend.

mod history;
mod initial;

use std::time::Instant;

use super::acceleration::Acceleration;
use super::{Cost, Kind, Options, Preparation, Progress, Solver, system};
use crate::cache::Cache;
use crate::error::Result;
use crate::step::line_search::LineSearch;
use crate::step::{Iterate, Objective};
use elements::math::lanes::Vec4;
use elements::math::vectors;
use history::History;
use initial::{Choice, Initial};

/// The registry's entry.
pub static KIND: Kind = Kind {
    name: "quasi-newton",
    about: "L-BFGS around projective dynamics' matrix: any material, the best choice for most scenes",
    keys: &[
        "history",
        "line_search",
        "initial_hessian",
        "linear",
        "linear_iterations",
        "preconditioner",
        "direction",
        "rho",
        "delay",
        "precision",
    ],
    refuses: |_| None,
    build: |settings| Box::new(QuasiNewton::new(&settings.options)),
};

/// Where directions come from.
enum Directions {
    Lbfgs(History),
    Chebyshev {
        acceleration: Acceleration,
        /// x_{k−1}.
        previous: Vec<Vec4>,
    },
}

/// The solver.
pub struct QuasiNewton {
    initial: Initial,
    directions: Directions,
    line_search: LineSearch,
    direction: Vec<Vec4>,
    residual: Vec<Vec4>,
    trial: Iterate,
}

/// The largest factor on A⁻¹ between the pairs: from 2 on A⁻¹ alone diverges. Held there, the papers' meshes need 2.2
/// tries an iteration (seven meshes, five materials), with 1.5 throughout 1.9, and with the measured factor 1.8, for
/// gradients as small after ten iterations; after fifty on the twisted beam it leaves a twentieth of the error that
/// 1.5 leaves with corotated, and less than a five-hundredth with neo-Hookean.
const LARGEST: f64 = 2.0;
/// How much further than 1 it may be for each pair that corrects it: the first steps overshoot otherwise, 1.1 tries an
/// iteration on a cantilever of neo-Hookean solid in place of 1.0.
const PER_PAIR: f64 = 0.2;

impl QuasiNewton {
    fn new(options: &Options) -> QuasiNewton {
        let directions = if options.direction.as_deref() == Some("chebyshev") {
            Directions::Chebyshev { acceleration: Acceleration::new(options), previous: vec![] }
        } else {
            Directions::Lbfgs(History::new(options.history.unwrap_or(5) as usize))
        };
        QuasiNewton {
            initial: Initial::chosen(options),
            directions,
            line_search: LineSearch::named(options.line_search.as_deref()),
            direction: vec![],
            residual: vec![],
            trial: Iterate::default(),
        }
    }

    /// `direction ← −H gradient`; returns its slope.
    fn find_direction(&mut self, at: &Iterate) -> f64 {
        match &mut self.directions {
            Directions::Lbfgs(history) => {
                let factor = match (self.initial.choice, history.overestimate()) {
                    (Choice::System, Some(overestimate)) => {
                        let most = 1.0 + PER_PAIR * history.len() as f64;
                        overestimate.clamp(1.0, most.min(LARGEST))
                    }
                    _ => 1.0,
                };
                history.backward(&at.gradient, factor, &mut self.residual);
                self.initial.solve(history.scale(), &self.residual, &mut self.direction);
                return history.forward(&at.gradient, &mut self.direction);
            }
            Directions::Chebyshev { acceleration, previous } => {
                self.initial.solve(None, &at.gradient, &mut self.residual);
                let omega = acceleration.advance();
                let points = self.direction.iter_mut().zip(&self.residual).zip(&at.x).zip(&*previous);
                for (((d, q), x), before) in points {
                    d.0 = std::array::from_fn(|k| {
                        omega * (x.0[k] - q.0[k] - before.0[k]) + before.0[k] - x.0[k]
                    });
                }
                previous.iter_mut().zip(&at.x).for_each(|(before, x)| *before = *x);
            }
        }
        vectors::dot(&at.gradient, &self.direction)
    }

    /// Makes the next direction one without a past; false if the last was.
    fn forget(&mut self) -> bool {
        match &mut self.directions {
            Directions::Lbfgs(history) => {
                let had_pairs = history.len() > 0;
                history.forget();
                had_pairs
            }
            Directions::Chebyshev { acceleration, .. } => {
                let was_on = acceleration.is_on();
                acceleration.begin_step();
                was_on
            }
        }
    }
}

impl Solver for QuasiNewton {
    fn prepare(&mut self, objective: &Objective, cache: &Cache) -> Result<Preparation> {
        self.direction = vec![Vec4::ZERO; objective.free];
        self.residual = vec![Vec4::ZERO; objective.free];
        self.initial.prepare(objective, cache)
    }

    fn tune(&mut self, objective: &Objective, iterate: &Iterate, cache: &Cache) -> Result<Option<String>> {
        if matches!(self.directions, Directions::Lbfgs(_)) {
            return Ok(None);
        }
        // Without pairs and acceleration while the rate is measured.
        let plain = Directions::Lbfgs(History::new(0));
        let mut directions = std::mem::replace(&mut self.directions, plain);
        let mut note = None;
        if let Directions::Chebyshev { acceleration, .. } = &mut directions {
            let key = system::start_key(objective, iterate, &format!("directions {:?}", self.initial.choice));
            self.begin_step(objective, iterate);
            let mut at = iterate.clone();
            note = acceleration.tune(&key, cache, || {
                let progress = self.iterate(objective, &mut at, &mut Cost::default());
                if matches!(progress, Ok(Progress::Moved)) { vectors::norm(&self.direction) } else { 0.0 }
            })?;
        }
        self.directions = directions;
        Ok(note.map(|rho| format!("quasi-newton with chebyshev directions: {rho}")))
    }

    fn begin_step(&mut self, objective: &Objective, iterate: &Iterate) {
        self.initial.begin_step();
        match &mut self.directions {
            Directions::Lbfgs(history) => history.forget(),
            Directions::Chebyshev { acceleration, previous } => {
                acceleration.begin_step();
                previous.clear();
                previous.extend_from_slice(&iterate.x[..objective.free]);
            }
        }
        self.trial.clone_from(iterate);
    }

    fn relax(&mut self, objective: &Objective, iterate: &mut Iterate, iterations: u64) -> bool {
        for _ in 0..iterations {
            objective.evaluate_projective(iterate);
            self.initial.solve_system(&iterate.gradient, &mut self.direction);
            vectors::add_scaled(-1.0, &self.direction, &mut iterate.x[..objective.free]);
        }
        true
    }

    fn iterate(&mut self, objective: &Objective, iterate: &mut Iterate, cost: &mut Cost) -> Result<Progress> {
        let start = Instant::now();
        self.initial.refresh(objective, &iterate.x)?;
        cost.global += start.elapsed();
        loop {
            let start = Instant::now();
            let slope = self.find_direction(iterate);
            cost.global += start.elapsed();
            let found =
                self.line_search.search(objective, iterate, &self.direction, slope, &mut self.trial, cost);
            if let Some(alpha) = found {
                let start = Instant::now();
                // The line search leaves the old point in `trial`.
                if let Directions::Lbfgs(history) = &mut self.directions {
                    history.learn(&self.trial, iterate, alpha);
                }
                cost.global += start.elapsed();
                return Ok(Progress::Moved);
            }
            if !self.forget() {
                return Ok(Progress::Stalled);
            }
        }
    }
}
