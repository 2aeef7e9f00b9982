//! Symmetric sparse matrices: the upper triangle, by columns.

use crate::par;

/// The upper triangle (diagonal included) in compressed columns, rows ascending within a column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SymmetricMatrix {
    /// Rows and columns.
    pub size: usize,
    /// Where each column starts in `rows` and `values`; `size + 1` entries.
    pub starts: Vec<u64>,
    /// Row of each entry, not greater than its column.
    pub rows: Vec<u32>,
    /// The entries.
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

    /// `A x` for one vector.
    pub fn multiply(&self, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.size];
        for column in 0..self.size {
            for k in self.starts[column] as usize..self.starts[column + 1] as usize {
                let row = self.rows[k] as usize;
                out[row] += self.values[k] * x[column];
                if row != column {
                    out[column] += self.values[k] * x[row];
                }
            }
        }
        out
    }
}
