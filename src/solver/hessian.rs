//! The Hessian of the objective, as it is or with element Hessians projected.
//!
//! The pattern is made once, in the order that the unknowns already have; element blocks are computed side by side
//! and added in a fixed order. Where the matrix is indefinite, a factor has its mass part enlarged until it is not.

use super::system::assemble;
use crate::error::{Error, Result};
use crate::math::lanes::Vec4;
use crate::objective::Objective;
use crate::par;
use crate::sparse::cholesky::Cholesky;
use crate::sparse::matrix::SymmetricMatrix;

/// Element blocks held at a time.
const BATCH: usize = 8192;

/// The Hessian, three rows a vertex.
pub(super) struct Hessian {
    /// The matrix.
    pub(super) matrix: SymmetricMatrix,
    /// Vertex pattern: columns of the vertex matrix, from which the place of a block follows.
    vertices: SymmetricMatrix,
    blocks: Vec<f64>,
}

impl Hessian {
    /// Makes the pattern.
    pub(super) fn new(objective: &Objective) -> Hessian {
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
        Hessian { matrix, vertices, blocks: vec![] }
    }

    /// M/h² + Σ H_e at `x`, the element Hessians with negative eigenvalues clamped where `projected`.
    pub(super) fn assemble(&mut self, objective: &Objective, x: &[Vec4], projected: bool) {
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
                        term.hessian(first + 64 * chunk + i, x, projected, out);
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

    /// Factorizes what was assembled, enlarging its mass part where need be.
    pub(super) fn factorize(&mut self, objective: &Objective, cholesky: &mut Cholesky) -> Result<()> {
        let mut shift = 1e-3;
        while !cholesky.factorize(&self.matrix.values) {
            if shift > 1e12 {
                return Err(Error::Failed {
                    what: "Newton's matrix cannot be factorized".into(),
                    hint: "positions may have become non-finite; use a smaller step".into(),
                });
            }
            self.add_mass(objective, shift);
            shift *= 10.0;
        }
        Ok(())
    }
}
