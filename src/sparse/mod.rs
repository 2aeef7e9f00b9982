//! The sparse stack: symmetric matrices, fill-reducing orderings, Cholesky factors and their fast solve.

pub mod cholesky;
pub mod matrix;
pub mod ordering;
pub mod panels;
