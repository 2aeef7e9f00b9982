//! The Hessian of the objective, as it is or with element Hessians projected.
//!
//! The pattern is made once, in the order that the unknowns already have. With it comes a map: the place of every block
//! of every element. Element blocks are computed side by side and added in a fixed order. If the matrix is indefinite,
//! its mass part is enlarged until it can be factorized.
//!
//! The squares of active terms couple other unknowns in every state. Where some of them have no place in the pattern, it is
//! made anew; what was coupled earlier in the step stays. So the matrix depends on the states of its step alone.

use super::system::assemble;
use crate::error::{Error, Result};
use crate::step::Objective;
use crate::step::active::Square;
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
    /// [`NONE`] if the block is below the diagonal or a corner is prescribed or held.
    places: Vec<Vec<u32>>,
    blocks: Vec<f64>,
    /// The pairs of unknowns that squares of active terms coupled in this step, ascending.
    couplings: Vec<(u32, u32)>,
    /// True if nothing was assembled in this step yet.
    is_fresh: bool,
    squares: Vec<Square>,
}

/// Marks a block that has no place in the matrix.
const NONE: u32 = u32::MAX;

impl Hessian {
    /// Makes the pattern.
    pub(super) fn new(objective: &Objective) -> Hessian {
        Hessian::coupled(objective, vec![])
    }

    /// Makes the pattern with couplings of active terms.
    fn coupled(objective: &Objective, couplings: Vec<(u32, u32)>) -> Hessian {
        let vertices = pattern(objective, &couplings);
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
        let places = objective.terms.iter().map(|term| places(objective, term.as_ref(), &vertices)).collect();
        Hessian { matrix, places, blocks: vec![], couplings, is_fresh: true, squares: vec![] }
    }

    /// Begins a step.
    pub(super) fn begin_step(&mut self) {
        self.is_fresh = true;
    }

    /// Makes the pattern anew where squares need it; true if so.
    fn follow(&mut self, objective: &Objective) -> bool {
        let free = objective.free as u32;
        let mut couplings: Vec<(u32, u32)> = vec![];
        for Square { corners, .. } in &self.squares {
            let both = corners.iter().flat_map(|a| corners.iter().map(move |b| (*a, *b)));
            couplings.extend(both.filter(|(a, b)| a < b && *b < free));
        }
        couplings.sort_unstable();
        couplings.dedup();
        let is_enough = if std::mem::take(&mut self.is_fresh) {
            couplings == self.couplings
        } else {
            let is_enough = couplings.iter().all(|pair| self.couplings.binary_search(pair).is_ok());
            couplings.extend(&self.couplings);
            couplings.sort_unstable();
            couplings.dedup();
            is_enough
        };
        if !is_enough {
            let squares = std::mem::take(&mut self.squares);
            *self = Hessian { squares, is_fresh: false, ..Hessian::coupled(objective, couplings) };
        }
        !is_enough
    }

    /// Computes M/h² + Σ H_e at `x`; negative eigenvalues of the element Hessians are clamped if `projected`. Returns
    /// whether the pattern is a new one.
    pub(super) fn assemble(&mut self, objective: &Objective, x: &[Vec4], projected: bool) -> bool {
        objective.squares(x, &mut self.squares);
        let is_new = self.follow(objective);
        self.assemble_fixed(objective, x, projected);
        let squares = std::mem::take(&mut self.squares);
        squares.iter().for_each(|square| self.add_square(square));
        self.squares = squares;
        is_new
    }

    /// The same without active terms.
    pub(super) fn assemble_fixed(&mut self, objective: &Objective, x: &[Vec4], projected: bool) {
        self.matrix.values.fill(0.0);
        self.add_mass(objective, 1.0);
        for (t, term) in objective.terms.iter().enumerate() {
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

    /// Adds the matrix v vᵀ of a square.
    fn add_square(&mut self, square: &Square) {
        for (v, column) in square.corners.iter().zip(&square.vectors) {
            for (w, row) in square.corners.iter().zip(&square.vectors).filter(|(w, _)| *w <= v) {
                for c in 0..3 {
                    let j = 3 * *v as usize + c;
                    if j >= self.matrix.size {
                        continue;
                    }
                    let range = self.matrix.starts[j] as usize..self.matrix.starts[j + 1] as usize;
                    let place = self.matrix.rows[range.clone()].partition_point(|r| *r < 3 * w);
                    let rows = if v == w { c + 1 } else { 3 };
                    let values = &mut self.matrix.values[range.start + place..][..rows];
                    values.iter_mut().zip(row).for_each(|(value, r)| *value += r * column[c]);
                }
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

/// A matrix with an entry for each pair of unknowns that some element couples, and for `couplings`.
fn pattern(objective: &Objective, couplings: &[(u32, u32)]) -> SymmetricMatrix {
    let fixed = assemble(objective, 1.0);
    if couplings.is_empty() {
        return fixed;
    }
    let mut triplets = vec![];
    for column in 0..fixed.size {
        let (rows, values) = fixed.column(column);
        triplets.extend(rows.iter().zip(values).map(|(row, value)| (*row, column as u32, *value)));
    }
    triplets.extend(couplings.iter().map(|(row, column)| (*row, *column, 0.0)));
    SymmetricMatrix::from_triplets(fixed.size, &triplets)
}

/// The map of one term; `pattern` is the pattern of the vertices.
fn places(objective: &Objective, term: &dyn Energy, pattern: &SymmetricMatrix) -> Vec<u32> {
    let corners = term.corners();
    let mut places = vec![NONE; term.len() * corners * corners];
    par::chunks_mut(&mut places, MAPPED * corners * corners, |chunk, places| {
        for (i, own) in places.chunks_exact_mut(corners * corners).enumerate() {
            let vertices = term.element(MAPPED * chunk + i);
            for (b, column) in own.chunks_exact_mut(corners).enumerate() {
                if objective.moves(vertices[b] as usize) {
                    let (rows, _) = pattern.column(vertices[b] as usize);
                    let moving =
                        column.iter_mut().zip(vertices).filter(|(_, v)| objective.moves(**v as usize));
                    for (place, v) in moving {
                        *place = rows.binary_search(v).map_or(NONE, |place| place as u32);
                    }
                }
            }
        }
    });
    places
}
