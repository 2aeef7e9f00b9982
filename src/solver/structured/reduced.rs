//! The vertices of the squares of active terms, and A⁻¹ between them.

use super::Inverse;
use crate::step::active::Square;
use elements::math::lanes::{Kernel, Lane, Vec4, dispatch};
use elements::par;

/// Marks a corner that is not an unknown.
const NONE: u32 = u32::MAX;
/// The memory that kept columns of A⁻¹ may take, in numbers (256 MB).
const MOST_KEPT: usize = 1 << 25;
/// Rows of the dense matrix that one thread multiplies at a time.
const ROWS: usize = 32;

/// The squares with their corners numbered among the vertices that they have.
#[derive(Default)]
pub(super) struct Places {
    /// The unknowns at which squares have entries, ascending.
    pub(super) vertices: Vec<u32>,
    squares: Vec<Square>,
    number: Vec<u32>,
}

impl Places {
    /// Looks through the squares; vertices from `free` on are prescribed.
    pub(super) fn find(&mut self, squares: &[Square], free: usize) {
        self.vertices.clear();
        self.vertices.extend(squares.iter().flat_map(|s| s.corners).filter(|v| (*v as usize) < free));
        self.vertices.sort_unstable();
        self.vertices.dedup();
        self.number.resize(free, NONE);
        for (i, v) in (0..).zip(&self.vertices) {
            self.number[*v as usize] = i;
        }
        self.squares.clear();
        self.squares.extend(squares.iter().map(|square| {
            let corners = square.corners.map(|v| self.number.get(v as usize).copied().unwrap_or(NONE));
            Square { corners, ..*square }
        }));
    }

    /// The entries of a vector at the vertices.
    pub(super) fn gather(&self, v: &[Vec4]) -> Vec<[f64; 3]> {
        self.vertices.iter().map(|i| v[*i as usize].xyz()).collect()
    }

    fn entries(square: &Square) -> impl Iterator<Item = (usize, &[f64; 3])> {
        let corners = square.corners.iter().zip(&square.vectors);
        corners.filter(|(c, _)| **c != NONE).map(|(c, v)| (*c as usize, v))
    }

    /// V λ at the vertices.
    pub(super) fn times(&self, lambda: &[f64]) -> Vec<[f64; 3]> {
        let mut out = vec![[0.0; 3]; self.vertices.len()];
        for (square, l) in self.squares.iter().zip(lambda) {
            for (i, v) in Places::entries(square) {
                (0..3).for_each(|k| out[i][k] += l * v[k]);
            }
        }
        out
    }

    /// The products Vᵀ u with all squares.
    pub(super) fn transposed(&self, u: &[[f64; 3]]) -> Vec<f64> {
        let product = |square: &Square| -> f64 {
            Places::entries(square).map(|(i, v)| v[0] * u[i][0] + v[1] * u[i][1] + v[2] * u[i][2]).sum()
        };
        self.squares.iter().map(product).collect()
    }

    /// Σ |v|² w for each square, with w the weight of each of the vertices.
    pub(super) fn scales(&self, weight: impl Fn(usize) -> f64) -> Vec<f64> {
        let of = |square: &Square| -> f64 {
            Places::entries(square).map(|(i, v)| (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) * weight(i)).sum()
        };
        self.squares.iter().map(of).collect()
    }

    /// Subtracts V λ from a vector over all unknowns.
    pub(super) fn subtract(&self, lambda: &[f64], out: &mut [Vec4]) {
        for (v, taken) in self.vertices.iter().zip(self.times(lambda)) {
            (0..3).for_each(|k| out[*v as usize].0[k] -= taken[k]);
        }
    }
}

/// Columns of A⁻¹, kept as long as A stays, and the dense matrix between the vertices of the squares.
pub(super) struct Columns {
    size: usize,
    factor_entries: usize,
    /// The place of each vertex's column among those that are kept.
    place: Vec<u32>,
    kept: Vec<Vec<f64>>,
    /// The vertices of the dense matrix, and the matrix, row by row; both empty if it is not used.
    vertices: Vec<u32>,
    dense: Vec<f64>,
    right: Vec<Vec4>,
    answer: Vec<Vec4>,
}

impl Columns {
    /// None yet, for a matrix of this size whose factor has so many entries.
    pub(super) fn new(size: usize, factor_entries: usize) -> Columns {
        Columns {
            size,
            factor_entries,
            place: vec![NONE; size],
            kept: vec![],
            vertices: vec![],
            dense: vec![],
            right: vec![Vec4::ZERO; size],
            answer: vec![Vec4::ZERO; size],
        }
    }

    /// Prepares products between these vertices: a dense matrix where that is less work than solves.
    pub(super) fn follow(&mut self, vertices: &[u32], inverse: &mut dyn Inverse) {
        let count = vertices.len();
        if count * count > 2 * self.factor_entries || count * self.size > MOST_KEPT {
            self.vertices.clear();
            return;
        }
        if self.vertices == vertices {
            return;
        }
        if (self.kept.len() + count) * self.size > MOST_KEPT {
            self.kept.clear();
            self.place.fill(NONE);
        }
        let missing: Vec<u32> =
            vertices.iter().copied().filter(|v| self.place[*v as usize] == NONE).collect();
        // A solve has three right sides.
        for three in missing.chunks(3) {
            self.right.fill(Vec4::ZERO);
            three.iter().enumerate().for_each(|(k, v)| self.right[*v as usize].0[k] = 1.0);
            inverse.solve_system(&self.right, &mut self.answer);
            for (k, v) in three.iter().enumerate() {
                self.place[*v as usize] = self.kept.len() as u32;
                self.kept.push(self.answer.iter().map(|a| a.0[k]).collect());
            }
        }
        self.vertices.clear();
        self.vertices.extend_from_slice(vertices);
        self.dense.resize(count * count, 0.0);
        let (place, kept) = (&self.place, &self.kept);
        par::chunks_mut(&mut self.dense, ROWS * count, |chunk, rows| {
            for (row, v) in rows.chunks_exact_mut(count).zip(&vertices[ROWS * chunk..]) {
                let column = &kept[place[*v as usize] as usize];
                row.iter_mut().zip(vertices).for_each(|(entry, w)| *entry = column[*w as usize]);
            }
        });
    }

    /// About what (A⁻¹)_vv is for one of the vertices; `system` is the diagonal of A.
    pub(super) fn diagonal(&self, places: &Places, i: usize, system: &[f64]) -> f64 {
        let known = self.dense.get(i * places.vertices.len() + i).filter(|_| !self.vertices.is_empty());
        known.copied().unwrap_or(1.0 / system[places.vertices[i] as usize])
    }

    /// (A⁻¹ y) at the vertices, for a vector with entries there only.
    pub(super) fn apply(&self, places: &Places, y: &[[f64; 3]], inverse: &mut dyn Inverse) -> Vec<[f64; 3]> {
        let count = y.len();
        let mut out = vec![[0.0; 3]; count];
        if self.vertices.is_empty() {
            let mut right = vec![Vec4::ZERO; self.size];
            let mut answer = right.clone();
            for (v, y) in places.vertices.iter().zip(y) {
                right[*v as usize] = Vec4::new(*y);
            }
            inverse.solve_system(&right, &mut answer);
            return places.gather(&answer);
        }
        let y: Vec<Vec4> = y.iter().map(|y| Vec4::new(*y)).collect();
        par::chunks_mut(&mut out, ROWS, |chunk, out| {
            let rows = &self.dense[ROWS * chunk * count..][..out.len() * count];
            dispatch(Product { rows, y: &y, out });
        });
        out
    }
}

/// Rows of a dense matrix times a vector of points.
struct Product<'a> {
    rows: &'a [f64],
    y: &'a [Vec4],
    out: &'a mut [[f64; 3]],
}

impl Kernel for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let count = self.y.len();
        // Four rows at a time, so that sums do not wait for each other.
        for (rows, out) in self.rows.chunks(4 * count).zip(self.out.chunks_mut(4)) {
            let row = |r: usize| &rows[(r * count).min(rows.len() - count)..][..count];
            let [a, b, c, d] = [row(0), row(1), row(2), row(3)];
            let mut sums = [L::splat(0.0); 4];
            for (((a, b), (c, d)), y) in a.iter().zip(b).zip(c.iter().zip(d)).zip(self.y) {
                let y = L::load(&y.0);
                sums[0] = sums[0] + L::splat(*a) * y;
                sums[1] = sums[1] + L::splat(*b) * y;
                sums[2] = sums[2] + L::splat(*c) * y;
                sums[3] = sums[3] + L::splat(*d) * y;
            }
            for (out, sum) in out.iter_mut().zip(sums) {
                let [x, y, z, _] = sum.to_array();
                *out = [x, y, z];
            }
        }
    }
}
