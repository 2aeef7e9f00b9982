//! Iterations of projective dynamics where active terms are stiff: a structured direction without pairs, and a line search.
//!
//! ```text
//! x⁺ = x − α (A + C)⁻¹ ∇g(x)
//! ```
//!
//! Without active terms α = 1 always lowers projective energies; with them a full step may be too long, so α is searched.

use super::{Inverse, Structured};
use crate::solver::{Cost, Progress};
use crate::step::line_search::LineSearch;
use crate::step::{Iterate, Objective};
use elements::math::lanes::Vec4;
use sparse::matrix::SymmetricMatrix;

use std::time::Instant;

/// What the iterations need.
pub(in crate::solver) struct Descent {
    structured: Structured,
    direction: Vec<Vec4>,
    trial: Iterate,
}

impl Descent {
    /// For the matrix A, whose factor has so many entries.
    pub(in crate::solver) fn new(matrix: &SymmetricMatrix, factor_entries: usize) -> Descent {
        Descent {
            structured: Structured::new(0, matrix, factor_entries),
            direction: vec![Vec4::ZERO; matrix.size],
            trial: Iterate::default(),
        }
    }

    /// Starts a step at an evaluated iterate.
    pub(in crate::solver) fn begin_step(&mut self, iterate: &Iterate) {
        self.trial.clone_from(iterate);
    }

    /// The direction −(A + C)⁻¹ ∇g at an evaluated iterate, and its slope.
    pub(in crate::solver) fn find(
        &mut self,
        inverse: &mut dyn Inverse,
        objective: &Objective,
        at: &Iterate,
    ) -> (&[Vec4], f64) {
        let slope = self.structured.find(inverse, objective, at, &mut self.direction);
        (&self.direction, slope)
    }

    /// Moves an evaluated iterate along the direction that was found last, or one vertex by vertex if it leads nowhere.
    pub(in crate::solver) fn go(
        &mut self,
        objective: &Objective,
        slope: f64,
        iterate: &mut Iterate,
        cost: &mut Cost,
    ) -> Progress {
        let search = LineSearch::Armijo;
        let mut found = search.search(objective, iterate, &self.direction, slope, &mut self.trial, cost);
        if found.is_none()
            && let Some(slope) = self.structured.find_blocks(iterate, &mut self.direction)
        {
            found = search.search(objective, iterate, &self.direction, slope, &mut self.trial, cost);
        }
        if found.is_some() { Progress::Moved } else { Progress::Stalled }
    }

    /// One iteration from an evaluated iterate to the next.
    pub(in crate::solver) fn iterate(
        &mut self,
        inverse: &mut dyn Inverse,
        objective: &Objective,
        iterate: &mut Iterate,
        cost: &mut Cost,
    ) -> Progress {
        let start = Instant::now();
        let (_, slope) = self.find(inverse, objective, iterate);
        cost.global += start.elapsed();
        self.go(objective, slope, iterate, cost)
    }
}
