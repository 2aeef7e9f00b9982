//! Newton's method with a projected Hessian, a direct solve and a line search: the ground truth for all.
//!
//! ```text
//! (M/h² + Σ H_e) d = −∇g,      H_e the element Hessians with negative eigenvalues clamped
//! ```
//!
//! \[Liu2017, 5; Teran2005\]. The pattern is analysed once, in the order that the unknowns already have; element
//! blocks are computed side by side and added in a fixed order. Should rounding make the matrix indefinite, its
//! mass part is enlarged until it is not.

use std::time::Instant;

use super::line_search::LineSearch;
use super::system::assemble;
use super::{Cost, Kind, Preparation, Progress, Solver};
use crate::cache::{Cache, Outcome};
use crate::error::{Error, Result};
use crate::math::lanes::Vec4;
use crate::math::vectors;
use crate::objective::{Iterate, Objective};
use crate::par;
use crate::sparse::cholesky::Cholesky;
use crate::sparse::matrix::SymmetricMatrix;

/// The registry's entry.
pub static KIND: Kind = Kind {
    name: "newton",
    about: "Newton's method with a direct solve: few, dear iterations; the reference",
    keys: &["line_search"],
    refuses: |_| None,
    build: |settings| {
        let line_search = LineSearch::named(settings.options.line_search.as_deref());
        Box::new(Newton { line_search, factor: None, direction: vec![], trial: Iterate::default() })
    },
};

/// Element blocks held at a time.
const BATCH: usize = 8192;

/// The solver.
pub struct Newton {
    line_search: LineSearch,
    factor: Option<Factor>,
    direction: Vec<Vec4>,
    trial: Iterate,
}

/// The Hessian in the pattern of its factor.
struct Factor {
    cholesky: Cholesky,
    matrix: SymmetricMatrix,
    /// Vertex pattern: columns of the vertex matrix, from which the place of a block follows.
    vertices: SymmetricMatrix,
    right: Vec<f64>,
    blocks: Vec<f64>,
}

impl Factor {
    fn new(objective: &Objective) -> Result<Factor> {
        let vertices = assemble(objective, 1.0);
        let size = 3 * vertices.size;
        let mut matrix = SymmetricMatrix { size, starts: vec![0], ..Default::default() };
        for j in 0..vertices.size {
            let column = &vertices.rows[vertices.starts[j] as usize..vertices.starts[j + 1] as usize];
            for c in 0..3u32 {
                for i in column {
                    let last = if *i as usize == j { c } else { 2 };
                    matrix.rows.extend((0..=last).map(|r| 3 * i + r));
                }
                matrix.starts.push(matrix.rows.len() as u64);
            }
        }
        matrix.values = vec![0.0; matrix.rows.len()];
        let cholesky = Cholesky::analyse(&matrix)?;
        Ok(Factor { cholesky, matrix, vertices, right: vec![0.0; size], blocks: vec![] })
    }

    fn assemble(&mut self, objective: &Objective, x: &[Vec4]) {
        self.matrix.values.fill(0.0);
        self.add_mass(objective, 1.0);
        for term in &objective.terms {
            let n = 3 * term.corners();
            let block = n * n;
            for first in (0..term.len()).step_by(BATCH) {
                let count = BATCH.min(term.len() - first);
                let mut blocks = std::mem::take(&mut self.blocks);
                blocks.resize(count * block, 0.0);
                par::chunks_mut(&mut blocks, 64 * block, |chunk, blocks| {
                    for (i, out) in blocks.chunks_exact_mut(block).enumerate() {
                        term.hessian(first + 64 * chunk + i, x, true, out);
                    }
                });
                for (i, hessian) in blocks.chunks_exact(block).enumerate() {
                    self.add_block(term.element(first + i), hessian);
                }
                self.blocks = blocks;
            }
        }
    }

    fn add_mass(&mut self, objective: &Objective, factor: f64) {
        let weight = factor / (objective.step * objective.step);
        for column in 0..self.matrix.size {
            // The diagonal is the last entry of its column.
            let last = self.matrix.starts[column + 1] as usize - 1;
            self.matrix.values[last] += weight * objective.mass[column / 3];
        }
    }

    fn add_block(&mut self, vertices: &[u32], hessian: &[f64]) {
        let n = 3 * vertices.len();
        for (b, &j) in vertices.iter().enumerate().filter(|(_, j)| (**j as usize) < self.vertices.size) {
            let range =
                self.vertices.starts[j as usize] as usize..self.vertices.starts[j as usize + 1] as usize;
            let column = &self.vertices.rows[range];
            for (a, _) in vertices.iter().enumerate().filter(|(_, i)| **i <= j) {
                let Ok(place) = column.binary_search(&vertices[a]) else { continue };
                for c in 0..3 {
                    let start = self.matrix.starts[3 * j as usize + c] as usize + 3 * place;
                    let rows = if vertices[a] == j { c + 1 } else { 3 };
                    for r in 0..rows {
                        self.matrix.values[start + r] += hessian[n * (3 * a + r) + 3 * b + c];
                    }
                }
            }
        }
    }

    /// `direction ← −H⁻¹ gradient`; returns its slope.
    fn solve(&mut self, objective: &Objective, gradient: &[Vec4], direction: &mut [Vec4]) -> Result<f64> {
        let mut shift = 1e-3;
        while !self.cholesky.factorize(&self.matrix.values) {
            if shift > 1e12 {
                return Err(Error::Failed {
                    what: "Newton's matrix cannot be factorized".into(),
                    hint: "positions may have become non-finite; use a smaller step".into(),
                });
            }
            self.add_mass(objective, shift);
            shift *= 10.0;
        }
        for (right, g) in self.right.chunks_exact_mut(3).zip(gradient) {
            right.copy_from_slice(&g.0[..3]);
        }
        self.cholesky.solve(&mut self.right);
        for (d, solution) in direction.iter_mut().zip(self.right.chunks_exact(3)) {
            *d = Vec4::new([-solution[0], -solution[1], -solution[2]]);
        }
        Ok(vectors::dot(gradient, direction))
    }
}

impl Solver for Newton {
    fn prepare(&mut self, objective: &Objective, _: &Cache) -> Result<Preparation> {
        let factor = Factor::new(objective)?;
        let factor_entries = factor.matrix.rows.len();
        self.factor = Some(factor);
        self.direction = vec![Vec4::ZERO; objective.free];
        Ok(Preparation { cache: None, factor_entries })
    }

    fn follow(&mut self, _: &Objective, _: &Cache) -> Result<Option<Outcome>> {
        // The pattern stays, and every iteration assembles its own values.
        Ok(None)
    }

    fn begin_step(&mut self, _: &Objective, iterate: &Iterate) {
        self.trial.clone_from(iterate);
    }

    fn iterate(&mut self, objective: &Objective, iterate: &mut Iterate, cost: &mut Cost) -> Result<Progress> {
        let start = Instant::now();
        let factor = self.factor.as_mut().expect("prepared before the first step");
        factor.assemble(objective, &iterate.x);
        let slope = factor.solve(objective, &iterate.gradient, &mut self.direction)?;
        cost.global += start.elapsed();
        let found = slope < 0.0
            && self.line_search.search(objective, iterate, &self.direction, slope, &mut self.trial, cost);
        Ok(if found { Progress::Moved } else { Progress::Stalled })
    }
}
