//! How well steps converged: the gradient that is left, relative to the one the step began with.

use crate::step::Objective;

/// Steps that leave more than this share of their first gradient are worth a warning.
pub const WORRYING: f64 = 0.1;

/// The record over a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// The largest relative gradient that a step ended with.
    pub worst: f64,
    /// The step where that was.
    pub worst_step: u64,
    /// Steps that ended above [`WORRYING`].
    pub worrying: u64,
    /// Steps recorded.
    pub steps: u64,
}

/// Keeps the record.
#[derive(Clone, Debug, PartialEq)]
pub struct Convergence {
    /// What the steps so far gave.
    pub record: Record,
    /// A gradient (N) that is nothing: what rounding of positions makes of forces.
    nothing: f64,
}

impl Convergence {
    /// `size` is a length of the scene in m.
    pub fn new(objective: &Objective, size: f64) -> Convergence {
        // Positions are known to ε·size; the diagonal of the system matrix tells the force that this makes,
        // which bad elements multiply.
        let per_step = 1.0 / (objective.step * objective.step);
        let mut diagonal: Vec<f64> = objective.mass[..objective.free].iter().map(|m| m * per_step).collect();
        for term in &objective.terms {
            term.add_system(&mut |row, column, value| {
                if row == column && (row as usize) < diagonal.len() {
                    diagonal[row as usize] += value;
                }
            });
        }
        let norm = diagonal.iter().map(|d| d * d).sum::<f64>().sqrt();
        Convergence { record: Record::default(), nothing: 64.0 * f64::EPSILON * size * norm }
    }

    /// Notes a step's first and last gradient norm; returns their ratio.
    pub fn note(&mut self, step: u64, first: f64, last: f64) -> f64 {
        let relative = if last <= self.nothing { 0.0 } else { last / first.max(self.nothing) };
        let record = &mut self.record;
        record.steps += 1;
        record.worrying += u64::from(relative > WORRYING);
        if relative > record.worst {
            (record.worst, record.worst_step) = (relative, step);
        }
        relative
    }
}
