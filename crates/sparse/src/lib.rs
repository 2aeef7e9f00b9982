//! The sparse stack: symmetric matrices, fill-reducing orderings, Cholesky factors and their fast solve; conjugate
//! gradients with incomplete factors; colourings.
//!
//! They are a crate of their own because faer and the panel kernels compile for long: an edit elsewhere leaves them alone.

pub mod cholesky;
pub mod colouring;
pub mod conjugate;
pub mod incomplete;
pub mod matrix;
pub mod ordering;
pub mod panels;
