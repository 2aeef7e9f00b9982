//! Symmetric sparse matrices: the upper triangle, by columns.

use elements::par;

/// The upper triangle (diagonal included) in compressed columns, rows ascending within a column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SymmetricMatrix {
    /// The number of rows, which is that of columns.
    pub size: usize,
    /// Where each column starts in `rows` and `values`; `size + 1` entries.
    pub starts: Vec<u64>,
    /// The row of each entry, not greater than its column.
    pub rows: Vec<u32>,
    /// The value of each entry.
    pub values: Vec<f64>,
}

impl SymmetricMatrix {
    /// Sums up triplets (row, column, value) with row ≤ column; equal places are added in the given order.
    ///
    /// Every column must have a diagonal entry.
    pub fn from_triplets(size: usize, triplets: &[(u32, u32, f64)]) -> SymmetricMatrix {
        let mut starts = vec![0usize; size + 1];
        for (_, column, _) in triplets {
            starts[*column as usize + 1] += 1;
        }
        for i in 0..size {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut entries = vec![(0u32, 0.0); triplets.len()];
        for &(row, column, value) in triplets {
            let slot = &mut next[column as usize];
            entries[*slot] = (row, value);
            *slot += 1;
        }
        const COLUMNS: usize = 2048;
        let merged = par::map(size.div_ceil(COLUMNS), |chunk| {
            let mut rows = Vec::new();
            let mut values: Vec<f64> = Vec::new();
            let mut lengths = Vec::new();
            let mut sorted = Vec::new();
            for column in chunk * COLUMNS..size.min((chunk + 1) * COLUMNS) {
                sorted.clear();
                sorted.extend_from_slice(&entries[starts[column]..starts[column + 1]]);
                sorted.sort_by_key(|(row, _)| *row);
                let before = rows.len();
                for &(row, value) in &sorted {
                    if rows.len() > before && rows.last() == Some(&row) {
                        *values.last_mut().expect("as many values as rows") += value;
                    } else {
                        rows.push(row);
                        values.push(value);
                    }
                }
                lengths.push((rows.len() - before) as u64);
            }
            (rows, values, lengths)
        });
        let mut out = SymmetricMatrix { size, starts: vec![0], ..Default::default() };
        for (rows, values, lengths) in merged {
            out.rows.extend(rows);
            out.values.extend(values);
            for length in lengths {
                out.starts.push(out.starts.last().expect("starts at 0") + length);
            }
        }
        out
    }

    /// The rows and values of a column; the last entry is the diagonal.
    pub fn column(&self, j: usize) -> (&[u32], &[f64]) {
        let entries = self.starts[j] as usize..self.starts[j + 1] as usize;
        (&self.rows[entries.clone()], &self.values[entries])
    }

    /// The diagonal entries of all columns.
    pub fn diagonal(&self) -> Vec<f64> {
        (0..self.size).map(|j| self.values[self.starts[j + 1] as usize - 1]).collect()
    }

    /// Computes `out ← A x` for `width` interleaved vectors.
    pub fn multiply_into(&self, width: usize, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for j in 0..self.size {
            let (before, own) = out.split_at_mut(width * j);
            let (own, x_own) = (&mut own[..width], &x[width * j..][..width]);
            let (rows, values) = self.column(j);
            let last = rows.len() - 1;
            for (i, value) in rows[..last].iter().zip(values) {
                let place = width * *i as usize..width * (*i as usize + 1);
                let others = before[place.clone()].iter_mut().zip(&x[place]);
                for ((other, x_other), (own, x_own)) in others.zip(own.iter_mut().zip(x_own)) {
                    *other += value * x_own;
                    *own += value * x_other;
                }
            }
            own.iter_mut().zip(x_own).for_each(|(own, x)| *own += values[last] * x);
        }
    }
}
