//! Numeric Cholesky factors, by faer's supernodal code.
//!
//! This is the only module that factorizes. It is not generic over anything, because faer compiles slowly. Matrices
//! come in the order in which they are to be eliminated. The code is sequential, so that the bits are the same for
//! any number of threads.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky, supernodal::SupernodalLltRef,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};

use super::matrix::SymmetricMatrix;
use super::panels::{Panels, Supernode};

/// A factorization whose pattern is analysed once and whose numbers can be renewed.
pub struct Cholesky {
    symbolic: SymbolicCholesky<usize>,
    starts: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<f64>,
    memory: MemBuffer,
}

/// There is not enough memory to factorize a matrix with so many rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory(pub usize);

impl Cholesky {
    /// Analyses the pattern of `matrix` (its values do not matter) in the order as it stands.
    pub fn analyse(matrix: &SymmetricMatrix) -> Result<Cholesky, OutOfMemory> {
        let n = matrix.size;
        let starts: Vec<usize> = matrix.starts.iter().map(|s| *s as usize).collect();
        let rows: Vec<usize> = matrix.rows.iter().map(|r| *r as usize).collect();
        let params = CholeskySymbolicParams {
            supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
            ..Default::default()
        };
        let pattern = SymbolicSparseColMatRef::new_checked(n, n, &starts, None, &rows);
        let symbolic = factorize_symbolic_cholesky(pattern, Side::Upper, SymmetricOrdering::Identity, params)
            .map_err(|_| OutOfMemory(n))?;
        let request = symbolic
            .factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default())
            .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        let memory = MemBuffer::try_new(request).map_err(|_| OutOfMemory(n))?;
        let values = vec![0.0; symbolic.len_val()];
        Ok(Cholesky { symbolic, starts, rows, values, memory })
    }

    /// Factorizes a matrix of the analysed pattern; false if it is not positive definite.
    pub fn factorize(&mut self, values: &[f64]) -> bool {
        let n = self.symbolic.nrows();
        let pattern = SymbolicSparseColMatRef::new_checked(n, n, &self.starts, None, &self.rows);
        self.symbolic
            .factorize_numeric_llt(
                &mut self.values,
                SparseColMatRef::new(pattern, values),
                Side::Upper,
                LltRegularization::default(),
                Par::Seq,
                MemStack::new(&mut self.memory),
                Default::default(),
            )
            .is_ok()
    }

    /// Solves for one right-hand side, in place, with the last good factor.
    pub fn solve(&mut self, x: &mut [f64]) {
        let rows = x.len();
        let right = MatMut::from_column_major_slice_mut(x, rows, 1);
        let stack = MemStack::new(&mut self.memory);
        LltRef::new(&self.symbolic, &self.values).solve_in_place_with_conj(Conj::No, right, Par::Seq, stack);
    }

    /// The factor in packed panels, for many solves with three right-hand sides.
    pub fn pack(&self) -> Panels {
        let SymbolicCholeskyRaw::Supernodal(symbolic) = self.symbolic.raw() else {
            unreachable!("the analysis forces supernodes");
        };
        let factor = SupernodalLltRef::new(symbolic, &self.values);
        let parts: Vec<_> = (0..symbolic.n_supernodes()).map(|s| factor.supernode(s)).collect();
        let mut nodes = vec![];
        for part in &parts {
            let (start, columns, pattern) = (part.start(), part.val().ncols(), part.pattern());
            nodes.push(Supernode { start, columns, pattern });
        }
        Panels::pack(self.symbolic.nrows(), &nodes, &|s, row, column| parts[s].val()[(row, column)])
    }
}
