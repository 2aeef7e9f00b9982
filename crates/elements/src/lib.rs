//! Elements of elastic bodies: the terms of pliant's objective and what they compute with.
//!
//! | module | what it does |
//! |---|---|
//! | [`energy`] | terms of the objective, one file each; materials, one file each |
//! | [`math`] | SIMD lanes with run-time dispatch, 3×3 kernels, splines, small dense systems |
//! | [`par`] | parallel loops and sums whose bits do not depend on the number of threads |
//!
//! They are a crate of their own because their kernels compile for a minute: an edit of a solver, of the config or of
//! the command line leaves them alone.

pub mod energy;
pub mod math;
pub mod par;
