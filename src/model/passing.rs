//! Pins that begin or end while a scene runs.
//!
//! Their vertices are unknowns for the whole run, so that numbering and couplings stay. While a hard one holds, the
//! objective keeps them still (see `Objective::hold`); a soft one has a term of springs whose stiffness is zero at other times.

use super::Model;
use crate::scene::{Period, Scene};
use elements::energy::attachment::{Attachment, AttachmentTerm};

/// A pin with a period.
#[derive(Clone, Debug)]
pub struct PassingPin {
    /// The number of its body.
    pub body: usize,
    /// When it holds.
    pub period: Period,
    /// The stiffness of the spring at each of its vertices in N/m, if it is soft; `None` for a hard one.
    pub stiffness: Option<Vec<f64>>,
    /// Which of the model's motions it follows; `None`: its vertices stay where they are when it begins.
    pub motion: Option<usize>,
    /// Its vertices, internal numbering. Those that are always prescribed are left out.
    pub vertices: Vec<u32>,
    /// The number of the term with its springs, if it is soft.
    pub term: Option<usize>,
}

impl PassingPin {
    /// Where the motion of the pin maps from to have a vertex, internal number, at `place` (m) when the pin begins. Pins that hold from the start
    /// on begin like others, wherever their motion leads them at once.
    pub fn origin(&self, model: &Model, vertex: u32, place: [f64; 3]) -> [f64; 3] {
        let motion = self.motion.filter(|_| self.period.from > 0.0);
        let input = model.numbering.order[vertex as usize] as usize;
        motion.map_or(place, |motion| model.motions[motion].undo(input, place, self.period.from))
    }

    /// The springs of a soft pin, without stiffness yet; `None` for a hard one.
    pub fn springs(&self) -> Option<AttachmentTerm> {
        let each = self.vertices.iter().zip(self.stiffness.as_ref()?);
        let springs = each.map(|(vertex, stiffness)| Attachment { vertex: *vertex, stiffness: *stiffness });
        Some(AttachmentTerm::passing(springs.collect()))
    }

    /// Leaves the vertices out for which `is_left` is true.
    pub fn leave_out(&mut self, is_left: impl Fn(u32) -> bool) {
        if let Some(stiffness) = &mut self.stiffness {
            let mut vertices = self.vertices.iter();
            stiffness.retain(|_| vertices.next().is_some_and(|v| !is_left(*v)));
        }
        self.vertices.retain(|v| !is_left(*v));
    }
}

/// Tells of pins whose period has no step of the run.
pub fn note_idle(scene: &Scene, pins: &[PassingPin], notes: &mut Vec<String>) {
    let (time, steps) = (scene.time, scene.time.frames * scene.time.substeps);
    for pin in pins {
        let first = (pin.period.from / time.step).floor();
        let near = (0..4).map(|k| (first + f64::from(k)).max(1.0)).filter(|n| *n <= steps as f64);
        if !near.into_iter().any(|n| pin.period.has_step(n * time.step, time.step)) {
            let Period { from, until } = pin.period;
            notes.push(format!(
                "body '{}': a pin that is active from {from} s until {until} s holds nothing: no step of the run ends then",
                scene.bodies[pin.body].name
            ));
        }
    }
}
