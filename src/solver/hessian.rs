//! The Hessian of the objective, as it is or with element Hessians projected.
//!
//! The pattern is made once, in the order that the unknowns already have. With it comes a map: the place of every block
//! of every element. Element blocks are computed side by side and added in a fixed order. If the matrix is indefinite,
//! its mass part is enlarged until it can be factorized.

use super::system::assemble;
use crate::error::{Error, Result};
use crate::step::Objective;
use elements::energy::Energy;
use elements::math::lanes::Vec4;
use elements::par;
use sparse::cholesky::Cholesky;
use sparse::matrix::SymmetricMatrix;

/// The number of element blocks that are held at a time.
const BATCH: usize = 8192;
/// The number of elements that one thread maps at a time.
const MAPPED: usize = 1024;

/// The Hessian of the objective, with three rows for each vertex.
pub(super) struct Hessian {
    /// The matrix in N/m, with the values of the last [`Hessian::assemble`].
    pub(super) matrix: SymmetricMatrix,
    /// For each term and element, the place of the block of corners (a, b) in its column, at corners · b + a. It is
    /// [`NONE`] if the block is below the diagonal or a corner is prescribed.
    places: Vec<Vec<u32>>,
    blocks: Vec<f64>,
}

/// Marks a block that has no place in the matrix.
const NONE: u32 = u32::MAX;

impl Hessian {
    /// Makes the pattern.
    pub(super) fn new(objective: &Objective) -> Hessian {
        let vertices = pattern(objective);
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
        let places = objective.energies().map(|energy| places(energy, &vertices)).collect();
        Hessian { matrix, places, blocks: vec![] }
    }

    /// Computes M/h² + Σ H_e at `x`; negative eigenvalues of the element Hessians are clamped if `projected`.
    pub(super) fn assemble(&mut self, objective: &Objective, x: &[Vec4], projected: bool) {
        self.matrix.values.fill(0.0);
        self.add_mass(objective, 1.0);
        for (t, term) in objective.energies().enumerate() {
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
                    self.add_block(t, first + i, term.element(first + i), hessian);
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

    fn add_block(&mut self, term: usize, element: usize, vertices: &[u32], hessian: &[f64]) {
        let corners = vertices.len();
        let places = &self.places[term][element * corners * corners..][..corners * corners];
        for (b, column) in places.chunks_exact(corners).enumerate() {
            let j = vertices[b] as usize;
            for (a, place) in column.iter().enumerate().filter(|(_, place)| **place != NONE) {
                for c in 0..3 {
                    let start = self.matrix.starts[3 * j + c] as usize + 3 * *place as usize;
                    // Only the upper triangle of a block on the diagonal is stored.
                    let rows = if vertices[a] == vertices[b] { c + 1 } else { 3 };
                    let values = &mut self.matrix.values[start..start + rows];
                    for (r, value) in values.iter_mut().enumerate() {
                        *value += hessian[3 * corners * (3 * a + r) + 3 * b + c];
                    }
                }
            }
        }
    }

    /// Factorizes the assembled matrix, and enlarges its mass part if it is indefinite.
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

/// A matrix with an entry for each pair of unknowns that some element couples.
fn pattern(objective: &Objective) -> SymmetricMatrix {
    let fixed = assemble(objective, 1.0);
    if objective.active().next().is_none() {
        return fixed;
    }
    let mut triplets = vec![];
    for column in 0..fixed.size {
        let (rows, values) = fixed.column(column);
        triplets.extend(rows.iter().zip(values).map(|(row, value)| (*row, column as u32, *value)));
    }
    let free = objective.free as u32;
    for energy in objective.active().map(|active| active.energy()) {
        for vertices in (0..energy.len()).map(|e| energy.element(e)) {
            for (a, b) in vertices.iter().flat_map(|a| vertices.iter().map(move |b| (*a, *b))) {
                if a <= b && b < free {
                    triplets.push((a, b, 0.0));
                }
            }
        }
    }
    SymmetricMatrix::from_triplets(fixed.size, &triplets)
}

/// The map of one term; `pattern` is the pattern of the vertices.
fn places(term: &dyn Energy, pattern: &SymmetricMatrix) -> Vec<u32> {
    let corners = term.corners();
    let mut places = vec![NONE; term.len() * corners * corners];
    par::chunks_mut(&mut places, MAPPED * corners * corners, |chunk, places| {
        for (i, own) in places.chunks_exact_mut(corners * corners).enumerate() {
            let vertices = term.element(MAPPED * chunk + i);
            for (b, column) in own.chunks_exact_mut(corners).enumerate() {
                if (vertices[b] as usize) < pattern.size {
                    let (rows, _) = pattern.column(vertices[b] as usize);
                    for (place, v) in column.iter_mut().zip(vertices) {
                        *place = rows.binary_search(v).map_or(NONE, |place| place as u32);
                    }
                }
            }
        }
    });
    places
}
