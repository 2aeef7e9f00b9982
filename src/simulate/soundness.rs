//! Whether the states of a run can be believed: cells turned inside out, cells crushed to nothing, energy from nowhere.
//!
//! A frame is *inverted* if a cell of it has det F ≤ 0, and *crushed* if one has det F below [`CRUSHED`]. Bodies that begin
//! that way (collapsed, in random places) are on their way back, so their frames count only from the first sound one on;
//! the last frame always counts.
//!
//! A stage has energy from nowhere if it ends where g is higher than standing still would have been,
//!
//! ```text
//! g(x) > g(x_s) (1 + TOLERANCE) + slack,      x_s: the last positions, bodies moved with their centres of mass
//! ```
//!
//! because g(x) ≤ g(x_s) bounds what a stage can add: with x_s = x̂ it says E(x) + ½|v − v̂|²_M ≤ E(x̂) + ½|v̂|²_M without
//! forces. Pins that move, and loads, are inside of g, so that their work is not mistaken for a fault. The test costs an
//! evaluation, so it is made only where the sum of kinetic and stored energy has risen by more than the forces did work:
//! everything else is bounded by the stage before.

use super::Simulation;
use crate::model::{Model, State};
use crate::solver::Cost;
use crate::step::Objective;
use elements::math::lanes::Vec4;

/// Cells with a smaller part of their volume count as crushed.
pub const CRUSHED: f64 = 1e-3;
/// How much g may end above that of standing still, as a part of it.
const TOLERANCE: f64 = 0.5;
/// How much g may end above that of standing still, as a part of the energy of a strain of order one everywhere.
const SLACK: f64 = 1e-3;

/// The record over a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// The number of frames, after the first sound one, that ended with inverted cells.
    pub inverted_frames: u64,
    /// The first and the last of those frames.
    pub inverted_span: [u64; 2],
    /// The number of inverted cells in the worst of all frames that count.
    pub most_inverted: u64,
    /// The number of frames, after the first sound one, without inverted cells but with crushed ones.
    pub crushed_frames: u64,
    /// The lowest det F in the last frame.
    pub last_lowest: f64,
    /// The number of inverted cells in the last frame.
    pub last_inverted: u64,
    /// 1 once a frame was neither inverted nor crushed.
    pub was_sound: u64,
    /// The number of steps that ended with energy from nowhere.
    pub jumps: u64,
    /// The largest energy from nowhere in J.
    pub energy_jump: f64,
    /// The step of that energy.
    pub jump_step: u64,
}

/// How many numbers a record has.
pub const NUMBERS: usize = 11;

impl Record {
    /// All numbers of the record, for a checkpoint.
    pub fn to_numbers(&self) -> [u64; NUMBERS] {
        let [first, last] = self.inverted_span;
        [
            self.inverted_frames,
            first,
            last,
            self.most_inverted,
            self.crushed_frames,
            self.last_lowest.to_bits(),
            self.last_inverted,
            self.was_sound,
            self.jumps,
            self.energy_jump.to_bits(),
            self.jump_step,
        ]
    }

    /// The record of [`Record::to_numbers`].
    pub fn from_numbers(numbers: [u64; NUMBERS]) -> Record {
        let [inverted_frames, first, last, most_inverted, crushed_frames, lowest, ..] = numbers;
        let [.., last_inverted, was_sound, jumps, jump, jump_step] = numbers;
        Record {
            inverted_frames,
            inverted_span: [first, last],
            most_inverted,
            crushed_frames,
            last_lowest: f64::from_bits(lowest),
            last_inverted,
            was_sound,
            jumps,
            energy_jump: f64::from_bits(jump),
            jump_step,
        }
    }

    /// True if nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.inverted_frames == 0 && self.crushed_frames == 0 && self.jumps == 0 && self.ends_sound()
    }

    fn ends_sound(&self) -> bool {
        self.last_inverted == 0 && self.last_lowest >= CRUSHED
    }

    /// Notes how a frame ended: the lowest det F and the number of inverted cells.
    pub fn note_frame(&mut self, frame: u64, (lowest, inverted): (f64, usize)) {
        (self.last_lowest, self.last_inverted) = (lowest, inverted as u64);
        if self.ends_sound() {
            self.was_sound = 1;
        } else if self.was_sound == 0 {
            return;
        }
        if inverted > 0 {
            if self.inverted_frames == 0 {
                self.inverted_span[0] = frame;
            }
            self.inverted_span[1] = frame;
            self.inverted_frames += 1;
            self.most_inverted = self.most_inverted.max(inverted as u64);
        } else if lowest < CRUSHED {
            self.crushed_frames += 1;
        }
    }

    fn note_jump(&mut self, step: u64, jump: f64) {
        self.jumps += 1;
        if jump > self.energy_jump {
            (self.energy_jump, self.jump_step) = (jump, step);
        }
    }

    /// One word for `summary.json`: `sound`, `inverted`, `crushed` or `energy`, the worst of what holds.
    pub fn status(&self) -> &'static str {
        match self {
            _ if self.is_sound() => "sound",
            _ if self.inverted_frames > 0 || self.last_inverted > 0 => "inverted",
            _ if self.jumps > 0 => "energy",
            _ => "crushed",
        }
    }

    /// What is wrong, with counts, frames of `substeps` steps and the way out; `None` if all is sound.
    pub fn warning(&self, substeps: u64) -> Option<String> {
        if self.is_sound() {
            return None;
        }
        let mut parts = vec![];
        if self.inverted_frames > 0 {
            let [first, last] = self.inverted_span;
            let (frames, most) = (self.inverted_frames, self.most_inverted);
            parts.push(format!("{frames} frames ({first} to {last}) have inverted cells, up to {most}"));
        } else if self.last_inverted > 0 {
            parts.push(format!("the run ends with {} inverted cells", self.last_inverted));
        }
        if self.crushed_frames > 0 {
            parts.push(format!("{} frames have cells with det F below {CRUSHED}", self.crushed_frames));
        } else if self.last_inverted == 0 && self.last_lowest < CRUSHED {
            parts.push(format!("the run ends with det F = {:.1e} in a cell", self.last_lowest));
        }
        if self.jumps > 0 {
            parts.push(format!(
                "{} steps ended with energy from nowhere, at most {:.3e} J in step {} (frame {})",
                self.jumps,
                self.energy_jump,
                self.jump_step,
                self.jump_step.div_ceil(substeps)
            ));
        }
        Some(format!(
            "the motion is not to be trusted: {}; lower time.step or raise time.substeps, raise solver.iterations, or use \
             solver 'quasi-newton' with a material that cannot invert ('neo-hookean')",
            parts.join("; ")
        ))
    }
}

/// Keeps the record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Soundness {
    /// What the steps so far gave.
    pub record: Record,
    /// Kinetic and stored energy at the end of the last stage, in J.
    last: Option<f64>,
}

impl Soundness {
    /// Notes the initial state as frame 0.
    pub fn of(model: &Model, objective: &Objective) -> Soundness {
        let mut soundness = Soundness::default();
        soundness.record.note_frame(0, objective.volumes(&model.initial.x));
        soundness
    }
}

impl Simulation {
    /// Looks for energy from nowhere at the end of a stage from `base`, evaluated.
    pub(super) fn note_energy(&mut self, base: &State, pins: &[Vec4], cost: &mut Cost) {
        let value = self.iterate.value;
        let (kinetic, work) = self.kinetic_and_work(base);
        let energy = kinetic + value.elastic + value.active;
        let last = self.soundness.last.replace(energy);
        let slack = SLACK * self.objective.scale();
        if last.is_some_and(|last| energy <= last + work.abs() + slack) {
            return;
        }
        let still = self.still_value(pins, cost);
        let jump = value.total() - still;
        // An infinite energy is told by the inverted cells that have it.
        if value.total().is_finite() && still.is_finite() && jump > TOLERANCE * still + slack {
            self.soundness.record.note_jump(self.step + 1, jump);
        }
    }

    /// ½ Σ m |(x − x̂)/ĥ|², and the work of the external forces on the way from x̂ to x, in J.
    fn kinetic_and_work(&self, base: &State) -> (f64, f64) {
        let g = &self.objective;
        let (h, mut kinetic, mut work) = (g.step, 0.0, 0.0);
        for v in 0..g.free {
            let (x, y) = (&self.iterate.x[v].0, &g.inertial[v].0);
            for k in 0..3 {
                let (from, speed) = (base.x[v].0[k], base.v[v].0[k]);
                let way = x[k] - from;
                kinetic += 0.5 * g.mass[v] / (h * h) * way * way;
                work += g.mass[v] / (h * h) * (y[k] - from - h * speed) * way;
            }
        }
        (kinetic, work)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_that_recovers_is_sound_and_one_that_does_not_is_told() {
        let mut record = Record::default();
        record.note_frame(0, (-0.5, 7));
        record.note_frame(1, (1e-5, 0));
        assert!(!record.is_sound() && record.status() == "crushed");
        record.note_frame(2, (0.4, 0));
        assert!(record.is_sound() && record.warning(1).is_none());
        record.note_frame(3, (-0.1, 2));
        record.note_frame(4, (-0.1, 3));
        record.note_frame(5, (0.5, 0));
        let told = record.warning(1).unwrap();
        assert!(told.contains("2 frames (3 to 4) have inverted cells, up to 3"), "{told}");
        assert_eq!(record.status(), "inverted");
        let mut record = Record { last_lowest: 1.0, ..Record::default() };
        record.note_jump(7, 3.0);
        record.note_jump(9, 2.0);
        let told = record.warning(2).unwrap();
        assert!(
            told.contains("2 steps ended with energy from nowhere, at most 3.000e0 J in step 7 (frame 4)"),
            "{told}"
        );
        assert_eq!(record.status(), "energy");
    }
}
