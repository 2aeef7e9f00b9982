//! The sparse stack: symmetric matrices, fill-reducing orderings, Cholesky factors and their fast solve; colourings.

pub mod cholesky;
pub mod colouring;
pub mod matrix;
pub mod ordering;
pub mod panels;
