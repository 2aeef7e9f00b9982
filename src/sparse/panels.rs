//! A Cholesky factor packed for solving with three right-hand sides at the speed of memory.
//!
//! Supernodes are split at 128 columns. The diagonal block of each is inverted beforehand, so that its
//! triangular solve is a product; rows stand in panels of 8, column after column, padded with zeros, so that
//! values are read once in a straight line, eight sums run side by side, and a row of x, y, z is one register.
//!
//! ```text
//! forward:   x₁ ← L₁₁⁻¹ x₁,   x₂ ← x₂ − L₂₁ x₁          backward:   x₁ ← L₁₁⁻ᵀ (x₁ − L₂₁ᵀ x₂)
//! ```

use crate::math::lanes::{Kernel, Lane, Vec4, dispatch};

const PANEL: usize = 8;
const MAX_COLUMNS: usize = 128;

/// A factor of a symmetric positive definite matrix.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panels {
    /// Unknowns.
    pub size: usize,
    /// Per node: first column, columns, rows below (padded to panels), start in `rows`, start in `values`.
    pub nodes: Vec<[u64; 5]>,
    /// Rows below the diagonal block of each node; padding points one past the last unknown.
    pub rows: Vec<u32>,
    /// Panels of the inverted diagonal block, then of the rows below, node after node.
    pub values: Vec<f64>,
}

impl Panels {
    /// Without nodes yet.
    pub fn new(size: usize) -> Panels {
        Panels { size, ..Default::default() }
    }

    /// Appends a supernode: `columns` columns from `start`, `pattern` the rows below, and the entries of L by
    /// row (first the columns' own, then the pattern's) and column.
    pub fn push_supernode(
        &mut self,
        start: usize,
        columns: usize,
        pattern: &[usize],
        entry: &dyn Fn(usize, usize) -> f64,
    ) {
        let parts = columns.div_ceil(MAX_COLUMNS).max(1);
        for part in 0..parts {
            let (from, to) = (columns * part / parts, columns * (part + 1) / parts);
            let width = to - from;
            let below = columns + pattern.len() - to;
            let padded = below.div_ceil(PANEL) * PANEL;
            let node = [start + from, width, padded, self.rows.len(), self.values.len()];
            self.nodes.push(node.map(|n| n as u64));
            self.push_inverse(from, width, entry);
            for panel in 0..padded / PANEL {
                for column in from..to {
                    for r in 0..PANEL {
                        let row = to + panel * PANEL + r;
                        self.values.push(if row < to + below { entry(row, column) } else { 0.0 });
                    }
                }
            }
            for i in 0..padded {
                let row = to + i;
                let index = match row {
                    _ if i >= below => self.size,
                    _ if row < columns => start + row,
                    _ => pattern[row - columns],
                };
                self.rows.push(index as u32);
            }
        }
    }

    /// The inverse of the diagonal block, in panels of 8 rows that end at the diagonal.
    fn push_inverse(&mut self, from: usize, width: usize, entry: &dyn Fn(usize, usize) -> f64) {
        let mut inverse = vec![0.0; width * width];
        for column in 0..width {
            for row in column..width {
                let mut sum = if row == column { 1.0 } else { 0.0 };
                for k in column..row {
                    sum -= entry(from + row, from + k) * inverse[k * width + column];
                }
                inverse[row * width + column] = sum / entry(from + row, from + row);
            }
        }
        for panel in 0..width.div_ceil(PANEL) {
            for column in 0..width.min((panel + 1) * PANEL) {
                for r in 0..PANEL {
                    let row = panel * PANEL + r;
                    self.values.push(if row < width { inverse[row * width + column] } else { 0.0 });
                }
            }
        }
    }

    /// Solves `L Lᵀ x = b`: `b` in `right`, the answer in `x`; `work` is scratch.
    ///
    /// `right` and `x` have at least [`Panels::size`] entries, of which only those are touched.
    pub fn solve(&self, right: &[Vec4], x: &mut [Vec4], work: &mut Vec<Vec4>) {
        work.clear();
        work.extend_from_slice(&right[..self.size]);
        work.push(Vec4::ZERO);
        dispatch(Solve { panels: self, x: work });
        x[..self.size].copy_from_slice(&work[..self.size]);
    }

    /// True if all indices lie inside the arrays: what a file from outside must satisfy before it is used.
    pub fn is_consistent(&self) -> bool {
        let mut column = 0;
        let (mut row, mut value) = (0u64, 0u64);
        for [start, width, padded, row_start, value_start] in &self.nodes {
            if *start != column || *width > MAX_COLUMNS as u64 || *padded % PANEL as u64 != 0 {
                return false;
            }
            if *row_start != row || *value_start != value {
                return false;
            }
            column += width;
            row += padded;
            value += diagonal_values(*width as usize) as u64 + padded * width;
        }
        column == self.size as u64
            && row == self.rows.len() as u64
            && value == self.values.len() as u64
            && self.rows.iter().all(|r| *r as usize <= self.size)
    }

    /// Entries stored, padding included.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// True without entries.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

fn diagonal_values(width: usize) -> usize {
    (0..width.div_ceil(PANEL)).map(|p| PANEL * width.min((p + 1) * PANEL)).sum()
}

struct Solve<'a> {
    panels: &'a Panels,
    x: &'a mut [Vec4],
}

impl Kernel for Solve<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let p = self.panels;
        let mut block = [Vec4::ZERO; MAX_COLUMNS];
        for node in &p.nodes {
            let [start, width, padded, row_start, value_start] = node.map(|n| n as usize);
            let diagonal = diagonal_values(width);
            let values = &p.values[value_start..value_start + diagonal + padded * width];
            let rows = &p.rows[row_start..row_start + padded];
            let (inverse, below) = values.split_at(diagonal);
            block[..width].copy_from_slice(&self.x[start..start + width]);
            multiply_inverse::<L>(inverse, &block[..width], &mut self.x[start..start + width]);
            block[..width].copy_from_slice(&self.x[start..start + width]);
            subtract_below::<L>(below, rows, &block[..width], self.x);
        }
        for node in p.nodes.iter().rev() {
            let [start, width, padded, row_start, value_start] = node.map(|n| n as usize);
            let diagonal = diagonal_values(width);
            let values = &p.values[value_start..value_start + diagonal + padded * width];
            let rows = &p.rows[row_start..row_start + padded];
            let (inverse, below) = values.split_at(diagonal);
            block[..width].copy_from_slice(&self.x[start..start + width]);
            subtract_transposed::<L>(below, rows, self.x, &mut block[..width]);
            multiply_inverse_transposed::<L>(inverse, &block[..width], &mut self.x[start..start + width]);
        }
    }
}

/// Eight sums of one panel: `out[r] = Σ_c values[8c + r]·x[c]`.
#[inline(always)]
fn panel_product<L: Lane>(values: &[f64], x: &[Vec4]) -> [L; PANEL] {
    let mut sums = [L::splat(0.0); PANEL];
    for (column, x) in values.chunks_exact(PANEL).zip(x) {
        let x = L::load(&x.0);
        for r in 0..PANEL {
            sums[r] = sums[r] + L::splat(column[r]) * x;
        }
    }
    sums
}

#[inline(always)]
fn multiply_inverse<L: Lane>(mut values: &[f64], x: &[Vec4], out: &mut [Vec4]) {
    for (panel, out) in out.chunks_mut(PANEL).enumerate() {
        let columns = x.len().min((panel + 1) * PANEL);
        let (now, rest) = values.split_at(columns * PANEL);
        values = rest;
        let sums = panel_product::<L>(now, &x[..columns]);
        for (out, sum) in out.iter_mut().zip(sums) {
            out.0 = sum.to_array();
        }
    }
}

#[inline(always)]
fn subtract_below<L: Lane>(values: &[f64], rows: &[u32], block: &[Vec4], x: &mut [Vec4]) {
    for (values, rows) in values.chunks_exact(PANEL * block.len()).zip(rows.chunks_exact(PANEL)) {
        let sums = panel_product::<L>(values, block);
        for r in 0..PANEL {
            let slot = &mut x[rows[r] as usize].0;
            *slot = (L::load(slot) - sums[r]).to_array();
        }
    }
}

#[inline(always)]
fn subtract_transposed<L: Lane>(values: &[f64], rows: &[u32], x: &[Vec4], block: &mut [Vec4]) {
    for (values, rows) in values.chunks_exact(PANEL * block.len()).zip(rows.chunks_exact(PANEL)) {
        let mut gathered = [L::splat(0.0); PANEL];
        for r in 0..PANEL {
            gathered[r] = L::load(&x[rows[r] as usize].0);
        }
        for (column, slot) in values.chunks_exact(PANEL).zip(block.iter_mut()) {
            slot.0 = (L::load(&slot.0) - transposed_column(column, &gathered)).to_array();
        }
    }
}

/// `Σ_r values[r]·x[r]`, as a balanced tree.
#[inline(always)]
fn transposed_column<L: Lane>(values: &[f64], x: &[L; PANEL]) -> L {
    let mut products = [x[0]; PANEL];
    for r in 0..PANEL {
        products[r] = L::splat(values[r]) * x[r];
    }
    ((products[0] + products[1]) + (products[2] + products[3]))
        + ((products[4] + products[5]) + (products[6] + products[7]))
}

#[inline(always)]
fn multiply_inverse_transposed<L: Lane>(mut values: &[f64], x: &[Vec4], out: &mut [Vec4]) {
    out.fill(Vec4::ZERO);
    for (panel, x_panel) in x.chunks(PANEL).enumerate() {
        let columns = x.len().min((panel + 1) * PANEL);
        let (now, rest) = values.split_at(columns * PANEL);
        values = rest;
        let mut gathered = [L::splat(0.0); PANEL];
        for (g, x) in gathered.iter_mut().zip(x_panel) {
            *g = L::load(&x.0);
        }
        for (column, slot) in now.chunks_exact(PANEL).zip(out.iter_mut()) {
            slot.0 = (L::load(&slot.0) + transposed_column(column, &gathered)).to_array();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy::checks::random;
    use crate::math::lanes::Portable;
    use crate::sparse::cholesky::Cholesky;
    use crate::sparse::matrix::SymmetricMatrix;

    /// A grid Laplacian plus identity, big enough for several supernodes, one of them split.
    fn matrix(n: u32, dense: u32) -> SymmetricMatrix {
        let mut t = vec![];
        for i in 0..n {
            t.push((i, i, 5.0 + f64::from(dense) / 7.0));
            for j in [i + 1, i + 9] {
                if j < n {
                    t.push((i, j, -1.0));
                }
            }
        }
        for i in n - dense..n {
            for j in i + 1..n {
                t.push((i, j, -0.01 / f64::from(1 + j - i)));
            }
        }
        SymmetricMatrix::from_triplets(n as usize, &t)
    }

    #[test]
    fn solves_what_the_matrix_multiplies() {
        for (n, dense) in [(1, 0), (7, 3), (40, 0), (400, 300)] {
            let a = matrix(n, dense);
            let mut cholesky = Cholesky::analyse(&a).unwrap();
            assert!(cholesky.factorize(&a.values));
            let panels = cholesky.pack();
            assert!(panels.is_consistent());
            let mut r = random(9);
            let truth: Vec<Vec4> = (0..n).map(|_| Vec4::new([r(), r(), r()])).collect();
            let mut right = vec![Vec4::ZERO; n as usize];
            let flat: Vec<f64> = truth.iter().flat_map(|v| v.0).collect();
            let mut product = vec![0.0; flat.len()];
            a.multiply_into(4, &flat, &mut product);
            right.iter_mut().zip(product.chunks_exact(4)).for_each(|(r, b)| r.0.copy_from_slice(b));
            let mut x = vec![Vec4::ZERO; n as usize];
            panels.solve(&right, &mut x, &mut vec![]);
            for (x, t) in x.iter().zip(&truth) {
                for k in 0..4 {
                    assert!((x.0[k] - t.0[k]).abs() < 1e-12, "{n}: {x:?} {t:?}");
                }
            }
            let mut work = right.clone();
            work.push(Vec4::ZERO);
            Solve { panels: &panels, x: &mut work }.run::<Portable>();
            assert_eq!(&work[..n as usize], &x, "portable and wide lanes differ");

            let mut single: Vec<f64> = right.iter().map(|v| v.0[0]).collect();
            cholesky.solve(&mut single);
            assert!(single.iter().zip(&truth).all(|(s, t)| (s - t.0[0]).abs() < 1e-12));
        }
    }

    #[test]
    fn an_indefinite_matrix_is_told() {
        let a = SymmetricMatrix::from_triplets(2, &[(0, 0, 1.0), (0, 1, 2.0), (1, 1, 1.0)]);
        assert!(!Cholesky::analyse(&a).unwrap().factorize(&a.values));
    }
}
