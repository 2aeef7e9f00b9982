//! Extended position based dynamics, and position based dynamics as its hard limit.
//!
//! ```text
//! Δλ = (−C(x) − α̃ λ)/(Σ w |∇C|² + α̃),      α̃ = α/h²,      λ += Δλ,      x += w ∇C Δλ
//! ```
//!
//! \[Ledwon2024, Eq. 4.27-4.28; Macklin2016\]. Every energy is a set of constraints with E = C²/(2α) (see
//! [`energy::constraint`](elements::energy::constraint)), w = 1/m, and 0 for prescribed vertices. A step starts at x = y with
//! λ = 0, and an iteration is a sweep over all constraints, one after the other, in an order that lets threads share the
//! work (see `regions`). Elements that share no unknown have the same colour and move together.
//!
//! This solves α̃ λ = −C(x), but with the directions ∇C at which each Δλ was made instead of those at the end: for
//! constraints that are linear (soft pins, bending of flat sheets) it ends at the minimum of g, for others near it, and the
//! farther the stiffer they are and the longer the step \[Ledwon2024, 4.1.6\].
//!
//! Departures: constraints with bounds (ropes, limits) find the bound that acts from C − Σ w|∇C|² λ, where x would be without
//! them, so that a push that turns out to be too much is taken back; relaxation scales Δλ and with it x; acceleration
//! \[Wang2015\], x ← ω(x − x₋₁) + x₋₁ after each sweep, does the same to λ. Both keep λ and x in step.

mod regions;

use std::time::Instant;

use super::acceleration::Acceleration;
use super::{Cost, Kind, Options, Preparation, Progress, Solver};
use crate::cache::{Cache, Outcome};
use crate::error::{Error, Result};
use crate::step::{Iterate, Objective};
use elements::energy::constraint::{Batch, CORNERS, Changes, Compliant, Constraints, Form, MOST, Sweep};
use elements::energy::{Energy, Role};
use elements::math::lanes::{Vec4, WIDTH};
use regions::{Project, Region};

/// The registry's entry.
pub static KIND: Kind = Kind {
    name: "xpbd",
    about: "extended position based dynamics: compliant constraints, one after the other; does not minimize g",
    keys: &["neo_hookean", "relaxation", "rho", "delay"],
    refuses: |_| None,
    build: |settings| {
        let is_split = settings.options.neo_hookean.as_deref() == Some("split");
        Box::new(Xpbd::new(if is_split { Form::Split } else { Form::Combined }, &settings.options))
    },
};

/// The registry's entry of the hard limit.
pub static HARD_KIND: Kind = Kind {
    name: "pbd",
    about: "position based dynamics: every constraint is hard, stiffness has no effect; does not minimize g",
    keys: &["relaxation", "rho", "delay"],
    refuses: |_| None,
    build: |settings| Box::new(Xpbd::new(Form::Hard, &settings.options)),
};

/// Multipliers λ of the constraints of four elements.
type Multipliers = [[f64; WIDTH]; MOST];

/// Chebyshev's semi-iteration on positions and multipliers.
struct Extrapolation {
    acceleration: Acceleration,
    /// Unknowns and multipliers before the last sweep, and before the one before it.
    x: [Vec<Vec4>; 2],
    multipliers: [Vec<Multipliers>; 2],
}

/// The solver.
pub struct Xpbd {
    form: Form,
    relaxation: f64,
    extrapolation: Option<Extrapolation>,
    /// Constraints per element of each term.
    counts: Vec<usize>,
    all: Region,
}

impl Xpbd {
    fn new(form: Form, options: &Options) -> Xpbd {
        Xpbd {
            form,
            relaxation: options.relaxation.unwrap_or(1.0),
            extrapolation: options.rho.map(|_| Extrapolation {
                acceleration: Acceleration::new(options),
                x: Default::default(),
                multipliers: Default::default(),
            }),
            counts: vec![],
            all: Region::default(),
        }
    }

    fn kind(&self) -> &'static Kind {
        if self.form == Form::Hard { &HARD_KIND } else { &KIND }
    }

    fn refuse(&self, subject: String, reason: &str) -> Result<()> {
        Err(Error::Unsupported { solver: self.kind().name.into(), subject, reason: reason.into() })
    }

    fn check(&self, objective: &Objective) -> Result<()> {
        if let Some(term) = objective.terms.iter().find(|t| t.role() == Role::Dissipation) {
            let reason = "damping is not a constraint; leave 'damping' out, or use solver 'quasi-newton'";
            return self.refuse(term.name(), reason);
        }
        if let Some(term) =
            objective.terms.iter().find(|t| !t.is_empty() && count(t.as_ref(), self.form) == 0)
        {
            let reason = "its energy has no lower bound, as that of 'stable-neo-hookean' with lambda = 0; \
                          give a lambda above 0, or use solver 'quasi-newton'";
            return self.refuse(term.name(), reason);
        }
        let splits = |form| {
            let mut terms = objective.terms.iter();
            terms.any(|t| count(t.as_ref(), form) != count(t.as_ref(), Form::Combined))
        };
        if self.form == Form::Split && !splits(Form::Split) {
            let reason =
                "no body has material 'stable-neo-hookean', the only one that it is for; leave it out";
            return self.refuse("with neo_hookean = \"split\"".into(), reason);
        }
        Ok(())
    }
}

impl Solver for Xpbd {
    fn prepare(&mut self, objective: &Objective, _: &Cache) -> Result<Preparation> {
        self.check(objective)?;
        self.counts = objective.terms.iter().map(|t| count(t.as_ref(), self.form)).collect();
        self.all = Region::new(objective);
        Ok(Preparation::default())
    }

    /// The elements stay where they are; the numbers that batches have of them follow.
    fn follow(&mut self, objective: &Objective, _: &Cache) -> Result<Option<Outcome>> {
        self.all.repack(objective);
        Ok(None)
    }

    fn begin_step(&mut self, _: &Objective, _: &Iterate) {
        self.all.visit(&mut |batch| batch.multipliers = Multipliers::default());
        if let Some(extrapolation) = &mut self.extrapolation {
            extrapolation.acceleration.begin_step();
        }
    }

    fn minimizes(&self) -> bool {
        false
    }

    fn closing_note(&self) -> Option<String> {
        let stiffness = if self.form == Form::Hard {
            "; every constraint is hard, so stiffness has no effect: iterations and the time step have"
        } else {
            ""
        };
        Some(format!(
            "solver '{}' does not minimize the objective: gradient_norm says nothing of its convergence{stiffness}",
            self.kind().name
        ))
    }

    fn iterate(&mut self, objective: &Objective, iterate: &mut Iterate, cost: &mut Cost) -> Result<Progress> {
        let start = Instant::now();
        let mut extrapolation = self.extrapolation.take();
        if let Some(extrapolation) = &mut extrapolation {
            extrapolation.remember(&iterate.x[..objective.free], &mut self.all);
        }
        let per_step = if self.form == Form::Hard { 0.0 } else { 1.0 / (objective.step * objective.step) };
        let sweep = Sweep { form: self.form, relaxation: self.relaxation, per_step };
        let (unknowns, fixed) = iterate.x.split_at_mut(objective.free);
        self.all.sweep(&Project { objective, sweep, counts: &self.counts }, unknowns, fixed);
        if let Some(extrapolation) = &mut extrapolation {
            extrapolation.extrapolate(&mut iterate.x[..objective.free], &mut self.all);
        }
        self.extrapolation = extrapolation;
        cost.local += start.elapsed();
        Ok(Progress::Moved)
    }
}

/// Constraints that stand for each element of a term; 0: there are none.
fn count(term: &dyn Energy, form: Form) -> usize {
    term.compliant().map_or(0, |term| term.constraints(form))
}

/// Projects the constraints of a batch one after the other; `change` is what they do to its corners.
fn project(
    sweep: &Sweep,
    term: &dyn Compliant,
    constraints: usize,
    batch: &mut Batch,
    x: &[Vec4],
    change: &mut Changes,
) {
    let corners = term.corners();
    let mut here = [[[0.0; WIDTH]; 3]; CORNERS];
    for c in 0..corners {
        change[c] = [Vec4::ZERO; WIDTH];
        for lane in 0..WIDTH {
            let place = x[batch.vertices[c][lane] as usize].0;
            (0..3).for_each(|k| here[c][k][lane] = place[k]);
        }
    }
    let mut of = Constraints::BLANK;
    for index in 0..constraints {
        term.constrain(sweep.form, index, &batch.elements, &here, &mut of);
        let steps = steps(sweep, &of, &batch.mass[..corners], &mut batch.multipliers[index]);
        for c in 0..corners {
            for k in 0..3 {
                for lane in 0..WIDTH {
                    let moved = batch.mass[c][lane] * of.gradient[c][k][lane] * steps[lane];
                    here[c][k][lane] += moved;
                    change[c][lane].0[k] += moved;
                }
            }
        }
    }
}

/// Δλ of four constraints, which is added to their multipliers; `mass` is inverse.
fn steps(
    sweep: &Sweep,
    of: &Constraints,
    mass: &[[f64; WIDTH]],
    multipliers: &mut [f64; WIDTH],
) -> [f64; WIDTH] {
    let mut weight = [0.0; WIDTH];
    for (mass, gradient) in mass.iter().zip(&of.gradient) {
        for lane in 0..WIDTH {
            let [x, y, z] = [gradient[0][lane], gradient[1][lane], gradient[2][lane]];
            weight[lane] += mass[lane] * (x * x + y * y + z * z);
        }
    }
    let mut steps = [0.0; WIDTH];
    for lane in 0..WIDTH {
        let bounds = [of.bounds[0][lane], of.bounds[1][lane]];
        let compliance = if sweep.per_step == 0.0 { 0.0 } else { of.compliance[lane] * sweep.per_step };
        let full = step(of.value[lane], bounds, weight[lane], compliance, multipliers[lane]);
        steps[lane] = sweep.relaxation * full;
        multipliers[lane] += steps[lane];
    }
    steps
}

/// Δλ of one constraint; 0 where nothing can move it, or nothing in it is a number.
fn step(value: f64, bounds: [f64; 2], weight: f64, compliance: f64, multiplier: f64) -> f64 {
    // Where the constraint would be without its own push: between the bounds, the push is taken back.
    let free = value - weight * multiplier;
    let wanted = free.max(bounds[0]).min(bounds[1]);
    let step = (wanted - value - compliance * multiplier) / (weight + compliance);
    if weight > 0.0 && step.is_finite() { step } else { 0.0 }
}

impl Extrapolation {
    /// Keeps what a sweep is about to change.
    fn remember(&mut self, x: &[Vec4], all: &mut Region) {
        self.x.swap(0, 1);
        self.multipliers.swap(0, 1);
        self.x[0].clear();
        self.x[0].extend_from_slice(x);
        self.multipliers[0].clear();
        all.visit(&mut |batch| self.multipliers[0].push(batch.multipliers));
    }

    /// After a sweep.
    fn extrapolate(&mut self, x: &mut [Vec4], all: &mut Region) {
        let omega = self.acceleration.advance();
        if omega == 1.0 {
            return;
        }
        for (x, old) in x.iter_mut().zip(&self.x[1]) {
            x.0 = std::array::from_fn(|k| omega * (x.0[k] - old.0[k]) + old.0[k]);
        }
        let mut multipliers = self.multipliers[1].iter();
        all.visit(&mut |batch| {
            let old = multipliers.next().expect("one for each batch");
            for (now, old) in batch.multipliers.as_flattened_mut().iter_mut().zip(old.as_flattened()) {
                *now = omega * (*now - old) + old;
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_solves_its_own_constraint() {
        // After it, v + w Δλ is where α̃ (λ + Δλ) = bound − v says.
        for (value, compliance, multiplier) in [(3.0, 0.5, 0.0), (3.0, 0.0, -0.2), (1.0, 2.0, 0.7)] {
            let d = step(value, [2.0, 2.0], 4.0, compliance, multiplier);
            let left = value + 4.0 * d - 2.0 + compliance * (multiplier + d);
            assert!(left.abs() < 1e-15, "{left}");
        }
        assert_eq!(step(1.0, [0.0; 2], 0.0, 0.5, 0.0), 0.0);
        assert_eq!(step(f64::INFINITY, [0.0; 2], 1.0, 0.5, 0.0), 0.0);
        assert_eq!(step(1.0, [0.0; 2], 1.0, f64::INFINITY, 0.0), 0.0);
    }

    #[test]
    fn between_its_bounds_a_constraint_lets_go() {
        // Pulled in from 3 to 2 by λ = −1, then pushed in further by others: what it did is taken back.
        assert_eq!(step(3.0, [0.0, 2.0], 1.0, 0.0, 0.0), -1.0);
        assert_eq!(step(0.5, [0.0, 2.0], 1.0, 0.0, -1.0), 1.0);
        assert_eq!(step(1.5, [0.0, 2.0], 1.0, 0.0, -1.0), 0.5);
        assert_eq!(step(1.0, [0.0, 2.0], 1.0, 0.3, 0.0), 0.0);
        assert_eq!(step(-1.0, [0.0, 2.0], 1.0, 0.0, 0.0), 1.0);
    }
}
