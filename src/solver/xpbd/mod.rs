//! Extended position based dynamics, and position based dynamics as its hard limit.
//!
//! ```text
//! Δλ = (−C(x) − α̃ λ)/(Σ w |∇C|² + α̃),      α̃ = α/h²,      λ += Δλ,      x += w ∇C Δλ
//! ```
//!
//! \[Ledwon2024, Eq. 4.27-4.28; Macklin2016\]. Every energy is a set of constraints with E = C²/(2α) (see
//! [`energy::constraint`](elements::energy::constraint)), w = 1/m, and 0 for prescribed vertices. A step starts at
//! x = y with λ = 0, and an iteration is a sweep over all constraints, one after the other, in an order that lets
//! threads share the work (see `regions`). Elements that share no unknown have the same colour and move together.
//!
//! This solves α̃ λ = −C(x), but with the directions ∇C at which each Δλ was made instead of those at the end. For
//! linear constraints (soft pins, bending of flat sheets) it ends at the minimum of g. For others it ends near it, and
//! the farther away the stiffer they are and the longer the step is \[Ledwon2024, 4.1.6\].
//!
//! Departures: constraints with bounds (ropes, limits) find the active bound from C − Σ w|∇C|² λ, which is where
//! x would be without them, so that too strong a push is taken back. Relaxation scales Δλ and with it x.
//! Acceleration \[Wang2015\], x ← ω(x − x₋₁) + x₋₁ after each sweep, does the same to λ. Both keep λ and x
//! consistent with each other.
//!
//! Contacts are constraints too (see `touching`).

mod regions;
mod touching;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::acceleration::Acceleration;
use super::options::{Options as _, check_relaxation, check_rho};
use super::{Cost, Preparation, Progress, Refusal, Solver, options};
use crate::cache::{Cache, Outcome};
use crate::error::{Error, Result};
use crate::step::active::PublishedWay;
use crate::step::{Iterate, Objective};
use elements::energy::constraint::{Batch, CORNERS, Changes, Compliant, Constraints, Form, MOST, Sweep};
use elements::energy::material::Fault;
use elements::energy::{Energy, Role};
use elements::math::lanes::{Vec4, WIDTH};
use regions::{Project, Region};
use touching::Touching;

/// The options of `xpbd`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// How many constraints stand for a `stable-neo-hookean` element. Default "combined".
    pub neo_hookean: Option<NeoHookeanForm>,
    /// Factor on each iteration's change, above 0 and below 2. Default 1.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub relaxation: Option<f64>,
    /// Spectral radius for Chebyshev acceleration, at least 0 and below 1. Default: no acceleration.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub rho: Option<f64>,
    /// Iterations before acceleration begins, at least 1. Default 10.
    pub delay: Option<u64>,
}

/// How many constraints stand for a `stable-neo-hookean` element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NeoHookeanForm {
    /// One constraint for shape and volume together.
    #[default]
    Combined,
    /// Two: one of shape and one of volume.
    Split,
}

impl Options {
    fn form(&self) -> Form {
        match self.neo_hookean.unwrap_or_default() {
            NeoHookeanForm::Combined => Form::Combined,
            NeoHookeanForm::Split => Form::Split,
        }
    }
}

impl options::Options for Options {
    const NAME: &'static str = "xpbd";
    const ABOUT: &'static str =
        "extended position based dynamics: compliant constraints, one after the other; does not minimize g";
    const MINIMIZES: bool = false;

    fn check(&self) -> Result<(), Fault> {
        check_rho(self.rho)?;
        check_relaxation(self.relaxation)
    }

    fn refuses(&self, term: &dyn Energy) -> Option<Refusal> {
        refuses(term, self.form())
    }

    fn build(&self, _: f64) -> Box<dyn Solver> {
        Box::new(Xpbd::new(self.form(), self.relaxation, self.rho, self.delay))
    }
}

/// The options of `pbd`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HardOptions {
    /// Factor on each iteration's change, above 0 and below 2. Default 1.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub relaxation: Option<f64>,
    /// Spectral radius for Chebyshev acceleration, at least 0 and below 1. Default: no acceleration.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub rho: Option<f64>,
    /// Iterations before acceleration begins, at least 1. Default 10.
    pub delay: Option<u64>,
}

impl options::Options for HardOptions {
    const NAME: &'static str = "pbd";
    const ABOUT: &'static str =
        "position based dynamics: every constraint is hard, stiffness has no effect; does not minimize g";
    const MINIMIZES: bool = false;

    fn check(&self) -> Result<(), Fault> {
        check_rho(self.rho)?;
        check_relaxation(self.relaxation)
    }

    fn refuses(&self, term: &dyn Energy) -> Option<Refusal> {
        refuses(term, Form::Hard)
    }

    fn build(&self, _: f64) -> Box<dyn Solver> {
        Box::new(Xpbd::new(Form::Hard, self.relaxation, self.rho, self.delay))
    }
}

/// Multipliers λ of the constraints of four elements.
type Multipliers = [[f64; WIDTH]; MOST];

/// Chebyshev's semi-iteration on positions and multipliers.
struct Extrapolation {
    acceleration: Acceleration,
    /// Unknowns and multipliers before the last sweep, and before the sweep before that.
    x: [Vec<Vec4>; 2],
    multipliers: [Vec<Multipliers>; 2],
}

/// The solver `xpbd`, and `pbd` with hard constraints.
pub struct Xpbd {
    form: Form,
    relaxation: f64,
    extrapolation: Option<Extrapolation>,
    /// The number of constraints per element of each term.
    counts: Vec<usize>,
    all: Region,
    /// Contacts, where there are active terms.
    touching: Option<Touching>,
}

impl Xpbd {
    fn new(form: Form, relaxation: Option<f64>, rho: Option<f64>, delay: Option<u64>) -> Xpbd {
        Xpbd {
            form,
            relaxation: relaxation.unwrap_or(1.0),
            extrapolation: rho.map(|rho| Extrapolation {
                acceleration: Acceleration::new(Some(rho), delay),
                x: Default::default(),
                multipliers: Default::default(),
            }),
            counts: vec![],
            all: Region::default(),
            touching: None,
        }
    }

    /// Refuses `neo_hookean = "split"` in scenes without an element that it would split.
    fn check(&self, objective: &Objective) -> Result<()> {
        let splits = |form| {
            let mut terms = objective.terms.iter();
            terms.any(|t| count(t.as_ref(), form) != count(t.as_ref(), Form::Combined))
        };
        if self.form == Form::Split && !splits(Form::Split) {
            return Err(Error::Unsupported {
                solver: self.name().into(),
                subject: "with neo_hookean = \"split\"".into(),
                reason:
                    "no body has material 'stable-neo-hookean', the only one that it is for; leave it out"
                        .into(),
            });
        }
        Ok(())
    }
}

/// Why constraints of a form cannot stand for a term; `None` if they can.
fn refuses(term: &dyn Energy, form: Form) -> Option<Refusal> {
    match term.role() {
        Role::Dissipation => Some(Refusal::Damping),
        _ => (count(term, form) == 0).then_some(Refusal::Unbounded),
    }
}

impl Solver for Xpbd {
    fn name(&self) -> &'static str {
        if self.form == Form::Hard { HardOptions::NAME } else { Options::NAME }
    }

    fn prepare(&mut self, objective: &Objective, _: &Cache) -> Result<Preparation> {
        self.check(objective)?;
        self.counts = objective.terms.iter().map(|t| count(t.as_ref(), self.form)).collect();
        self.all = Region::new(objective);
        Ok(Preparation::default())
    }

    /// Renews the numbers that batches keep of their elements; the batches themselves stay the same.
    fn follow(&mut self, objective: &Objective, _: &Cache) -> Result<Option<Outcome>> {
        self.all.repack(objective);
        Ok(None)
    }

    /// Active terms become constraints from now on, and those without constraints are refused. Acceleration would leave their
    /// multipliers behind, so it is refused too.
    fn accept_active(&mut self, objective: &Objective) -> Result<()> {
        if objective.projects() {
            return Ok(());
        }
        let refuse = |subject: String, reason: &str| {
            Err(Error::Unsupported { solver: self.name().into(), subject, reason: reason.into() })
        };
        if let Some(term) = objective.active().find(|term| !term.constrains()) {
            return refuse(
                term.name(),
                "it has an energy and no constraints, which is all that this solver takes",
            );
        }
        if let (Some(_), Some(term)) = (&self.extrapolation, objective.active().next()) {
            let reason = "its constraints come and go within a step, which acceleration does not follow; leave out solver.rho";
            return refuse(term.name(), reason);
        }
        self.touching = Some(Touching::default());
        Ok(())
    }

    fn published(&self) -> PublishedWay {
        PublishedWay::Projections { rub: true }
    }

    fn is_positional(&self) -> bool {
        true
    }

    fn begin_step(&mut self, objective: &Objective, iterate: &Iterate) {
        if let Some(touching) = &mut self.touching {
            touching.begin_step(objective, iterate);
        }
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
            self.name()
        ))
    }

    fn iterate(&mut self, objective: &Objective, iterate: &mut Iterate, cost: &mut Cost) -> Result<Progress> {
        let start = objective.watch();
        let mut extrapolation = self.extrapolation.take();
        if let Some(extrapolation) = &mut extrapolation {
            extrapolation.remember(&iterate.x[..objective.free], &mut self.all);
        }
        let per_step = if self.form == Form::Hard { 0.0 } else { 1.0 / (objective.step * objective.step) };
        let sweep = Sweep { form: self.form, relaxation: self.relaxation, per_step };
        let mut touching = self.touching.take();
        let x = touching.as_mut().map_or(&mut iterate.x, |touching| &mut touching.target);
        let (unknowns, fixed) = x.split_at_mut(objective.free);
        self.all.sweep(&Project { objective, sweep, counts: &self.counts }, unknowns, fixed);
        match &mut touching {
            Some(touching) => touching.follow(objective, &sweep, iterate, cost),
            None => objective.project(&mut iterate.x),
        }
        self.touching = touching;
        if let Some(extrapolation) = &mut extrapolation {
            extrapolation.extrapolate(&mut iterate.x[..objective.free], &mut self.all);
        }
        self.extrapolation = extrapolation;
        cost.local += objective.since(start);
        Ok(Progress::Moved)
    }
}

/// How many constraints stand for each element of a term; 0 if it cannot be written as constraints.
fn count(term: &dyn Energy, form: Form) -> usize {
    term.compliant().map_or(0, |term| term.constraints(form))
}

/// Projects the constraints of a batch one after the other; `change` receives the motion of its corners.
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

/// Computes Δλ of four constraints and adds it to their multipliers; `mass` holds inverse masses.
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

/// Δλ of one constraint. It is 0 if no corner can move, or if the result is not a finite number.
fn step(value: f64, bounds: [f64; 2], weight: f64, compliance: f64, multiplier: f64) -> f64 {
    // The value that the constraint would have without its own push. If it is between the bounds,
    // the push is taken back.
    let free = value - weight * multiplier;
    let wanted = free.max(bounds[0]).min(bounds[1]);
    let step = (wanted - value - compliance * multiplier) / (weight + compliance);
    if weight > 0.0 && step.is_finite() { step } else { 0.0 }
}

impl Extrapolation {
    /// Keeps the positions and multipliers that a sweep is about to change.
    fn remember(&mut self, x: &[Vec4], all: &mut Region) {
        self.x.swap(0, 1);
        self.multipliers.swap(0, 1);
        self.x[0].clear();
        self.x[0].extend_from_slice(x);
        self.multipliers[0].clear();
        all.visit(&mut |batch| self.multipliers[0].push(batch.multipliers));
    }

    /// Extrapolates positions and multipliers after a sweep.
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
        // After the step, v + w Δλ satisfies α̃ (λ + Δλ) = bound − v.
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
        // It is pulled in from 3 to 2 by λ = −1. Then other constraints push further in, and its
        // own pull is taken back.
        assert_eq!(step(3.0, [0.0, 2.0], 1.0, 0.0, 0.0), -1.0);
        assert_eq!(step(0.5, [0.0, 2.0], 1.0, 0.0, -1.0), 1.0);
        assert_eq!(step(1.5, [0.0, 2.0], 1.0, 0.0, -1.0), 0.5);
        assert_eq!(step(1.0, [0.0, 2.0], 1.0, 0.3, 0.0), 0.0);
        assert_eq!(step(-1.0, [0.0, 2.0], 1.0, 0.0, 0.0), 1.0);
    }
}
