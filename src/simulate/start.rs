//! Where a step's minimization starts.
//!
//! At the inertial positions y, with the prescribed vertices at the end of their motion. Where that point is
//! outside the domain of a barrier, the last of x_n + (y − x_n)·{½, ¼, …} inside it serves; prescribed vertices
//! then have gone part of their way, so the solver relaxes the body and they are moved on, until they arrive. The same where
//! contact bounds the way, however short it is.
//!
//! Where the energy is beyond all bounds (vertices in random places, slivers with det F = 10¹⁰), every search direction is
//! blocked by some element. There the projective energies of the same stiffness, which grow with the square of the
//! stretch only, lead a few iterations ahead; any point of lower g may be a start.
//!
//! In violent states the inertial positions can cost far more than staying would, and a few iterations from there
//! add energy without bound. So where g there is more than [`WORSE`] times what it is at the last positions, each
//! free body moved with its centre of mass (which costs nothing and keeps its momentum), the step starts at those.
//! Not wherever it is lower: inertial positions have the smooth part of the motion right, the one that takes the
//! most iterations, and ended 2-6 times nearer to the minimum on jiggling bodies. But a step that has hardly converged
//! and ended higher than the last positions is made again from those: no step ends worse than standing still.

use super::Simulation;
use crate::error::{Error, Result};
use crate::solver::Cost;
use crate::step::Iterate;
use crate::step::backtracking::halves;
use elements::math::lanes::Vec4;

/// The smallest part of the way that is tried at once.
const MIN_PART: f64 = 1e-4;
/// How many times g at the last positions the inertial ones may cost.
const WORSE: f64 = 4.0;
/// Elastic energy, in units of a strain of order one everywhere, beyond which a state counts as violent.
const VIOLENT: f64 = 1.0;
/// Iterations to relax a violent state, and between two parts of the way.
const RELAXING: u64 = 10;
/// Parts of the way at the most.
const MAX_PARTS: usize = 1000;

impl Simulation {
    /// Evaluates the iterate at the start; `pins` are the places of the prescribed vertices.
    pub(super) fn find_start(&mut self, pins: &[Vec4], cost: &mut Cost) -> Result<()> {
        let mut from = self.state.x.clone();
        let mut to = from.clone();
        to[..self.objective.free].copy_from_slice(&self.objective.inertial);
        for (pin, place) in self.holding.prescribed(&self.model).zip(pins) {
            to[pin.vertex as usize] = *place;
        }
        self.begin_path();
        for _ in 0..MAX_PARTS {
            let part = self.furthest_finite(&from, &to, cost)?;
            self.pass_iterate();
            let arrived = part == 1.0
                || self
                    .holding
                    .prescribed(&self.model)
                    .all(|p| self.iterate.x[p.vertex as usize] == to[p.vertex as usize]);
            if arrived {
                self.relax_if_violent(cost);
                if self.minimizes() {
                    self.stay_if_better(pins, WORSE, cost);
                }
                return Ok(());
            }
            self.solver.begin_step(&self.objective, &self.iterate);
            for _ in 0..RELAXING {
                self.solver.iterate(&self.objective, &mut self.iterate, cost)?;
                self.pass_iterate();
            }
            from.clone_from(&self.iterate.x);
            let free = self.objective.free;
            to[..free].copy_from_slice(&from[..free]);
            for (pin, place) in self.holding.held().iter().zip(&pins[self.model.hard_pins.len()..]) {
                to[pin.vertex as usize] = *place;
            }
        }
        Err(self.crushed(&from, &to).unwrap_or_else(|| {
            self.infeasible("the prescribed vertices cannot reach their places without inverting elements")
        }))
    }

    /// Evaluates the iterate at the inertial positions, prescribed vertices at `pins`.
    pub(super) fn start_at_inertial(&mut self, pins: &[Vec4]) {
        self.iterate.x.copy_from_slice(&self.state.x);
        self.iterate.x[..self.objective.free].copy_from_slice(&self.objective.inertial);
        for (pin, place) in self.holding.prescribed(&self.model).zip(pins) {
            self.iterate.x[pin.vertex as usize] = *place;
        }
        self.objective.evaluate(&mut self.iterate);
    }

    /// In a state beyond all bounds, moves the start to where projective dynamics leads, if g is lower there. Not where
    /// active terms bound motions.
    fn relax_if_violent(&mut self, cost: &mut Cost) {
        if self.objective.has_active() || self.iterate.value.elastic <= VIOLENT * self.objective.scale() {
            return;
        }
        let started = std::time::Instant::now();
        self.spare.x.copy_from_slice(&self.iterate.x);
        if self.solver.relax(&self.objective, &mut self.spare, RELAXING) {
            self.objective.evaluate(&mut self.spare);
            if self.spare.value.total() < self.iterate.value.total() {
                std::mem::swap(&mut self.spare, &mut self.iterate);
            }
        }
        cost.local += started.elapsed();
    }

    /// Goes back to the last positions, prescribed vertices at `pins`, where g now is more than `worse` times what it
    /// is there; true if so.
    pub(super) fn stay_if_better(&mut self, pins: &[Vec4], worse: f64, cost: &mut Cost) -> bool {
        let started = self.objective.watch();
        let can = self.stand_still(pins);
        // Energies are not negative: often the inertia alone tells that the last positions are no better.
        let mut stays = can && worse * self.objective.inertia(&self.spare.x) < self.iterate.value.total();
        if stays {
            self.objective.evaluate(&mut self.spare);
            stays = worse * self.spare.value.total() < self.iterate.value.total();
        }
        if stays {
            std::mem::swap(&mut self.spare, &mut self.iterate);
            self.begin_path();
            self.pass_iterate();
        }
        cost.local += self.objective.since(started);
        stays
    }

    /// Puts the spare iterate to the last positions, prescribed vertices at `pins`, each free body moved with its centre of
    /// mass. Where active terms bound motions, bodies stay where they are; false if prescribed vertices then cannot move.
    fn stand_still(&mut self, pins: &[Vec4]) -> bool {
        self.spare.x.copy_from_slice(&self.state.x);
        for (pin, place) in self.holding.prescribed(&self.model).zip(pins) {
            self.spare.x[pin.vertex as usize] = *place;
        }
        if self.objective.is_bounded() {
            return self.objective.longest_part(&self.state.x, || &self.spare.x) >= 1.0;
        }
        for body in &self.model.bodies {
            self.model.carry(body, &self.objective, &mut self.spare.x);
        }
        true
    }

    /// The value of g where standing still would end, in J; infinite where that cannot be.
    pub(super) fn still_value(&mut self, pins: &[Vec4], cost: &mut Cost) -> f64 {
        let started = self.objective.watch();
        let can = self.stand_still(pins);
        self.objective.evaluate(&mut self.spare);
        cost.local += self.objective.since(started);
        if can { self.spare.value.total() } else { f64::INFINITY }
    }

    /// Evaluates the iterate at the furthest finite point between `from` and `to`; returns its part of the way.
    fn furthest_finite(&mut self, from: &[Vec4], to: &[Vec4], cost: &mut Cost) -> Result<f64> {
        let started = self.objective.watch();
        let longest = self.objective.longest_part(from, || to);
        cost.truncated += u64::from(longest < 1.0);
        for part in halves(longest, MIN_PART) {
            self.place(from, to, part);
            if is_finite(&self.iterate) {
                cost.local += self.objective.since(started);
                return Ok(part);
            }
        }
        self.place(from, to, 0.0);
        let moves = |vertex: u32| from[vertex as usize] != to[vertex as usize];
        if is_finite(&self.iterate) && !self.holding.prescribed(&self.model).any(|pin| moves(pin.vertex)) {
            cost.local += self.objective.since(started);
            return Ok(1.0);
        }
        // A body that bounds its own motion must not hold up prescribed vertices: these go on without it.
        let free = self.objective.free;
        if is_finite(&self.iterate) && self.objective.has_active() && from[..free] != to[..free] {
            cost.local += self.objective.since(started);
            return Ok(0.0);
        }
        if let Some(error) = self.crushed(from, to) {
            return Err(error);
        }
        let (_, inverted) = self.objective.volumes(from);
        Err(if inverted > 0 {
            self.infeasible(&format!("{inverted} elements are inverted where the step starts"))
        } else {
            self.infeasible("no start inside the material's domain was found")
        })
    }

    fn place(&mut self, from: &[Vec4], to: &[Vec4], part: f64) {
        if part == 1.0 {
            self.iterate.x.copy_from_slice(to);
        } else {
            for (x, (a, b)) in self.iterate.x.iter_mut().zip(from.iter().zip(to)) {
                x.0 = std::array::from_fn(|k| a.0[k] + part * (b.0[k] - a.0[k]));
            }
        }
        self.objective.evaluate(&mut self.iterate);
    }

    /// The error for prescribed vertices, of obstacles or pins, that cannot go on because something is in their way;
    /// `None` if contact does not bound them.
    fn crushed(&self, from: &[Vec4], to: &[Vec4]) -> Option<Error> {
        let mut goal = from.to_vec();
        for pin in self.holding.prescribed(&self.model) {
            goal[pin.vertex as usize] = to[pin.vertex as usize];
        }
        let [first, second] = self.objective.bounding(from, &goal)?;
        let (step, frame) = (self.step + 1, self.step / self.time.substeps + 1);
        Some(Error::Failed {
            what: format!(
                "step {step} (frame {frame}): obstacles and pins cannot go on along their motions, because '{first}' and \
                 '{second}' cannot make way for each other; what is between them is crushed"
            ),
            hint:
                "let obstacles and pins move less far or more slowly, leave more room between them, or raise \
                   solver.iterations or time.substeps"
                    .into(),
        })
    }

    fn infeasible(&self, reason: &str) -> Error {
        Error::Failed {
            what: format!("step {}: {reason}, and the material is infinite there", self.step + 1),
            hint: "set inversion = \"extend\" in the material, use 'stable-neo-hookean', or move pins more slowly"
                .into(),
        }
    }
}

fn is_finite(iterate: &Iterate) -> bool {
    iterate.value.total().is_finite()
}
