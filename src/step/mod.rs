//! One time step as a minimization, and what all solvers share.
//!
//! | file | what it has |
//! |---|---|
//! | `objective` | g and ∇g over the fixed and the active terms |
//! | `term` | an energy with the bodies that it belongs to and its stiffness over time |
//! | `active` | terms that have other elements in every state |
//! | `assembly` | from gradients of corners to those of vertices |
//! | `iterate` | a point with value and gradient |
//! | `backtracking`, `line_search` | how far to go along a direction |
//! | `constraint` | momenta and energy that bodies have to keep in a step |

pub mod active;
mod activity;
mod assembly;
pub mod backtracking;
pub mod constraint;
mod iterate;
pub mod line_search;
mod objective;
mod term;

use std::time::Duration;

pub use iterate::{Iterate, Value};
pub use objective::{Objective, VERTICES};
pub use term::Term;

/// Time and work of a step's iterations.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Time for evaluating elements: value and gradient of the objective, first tries included.
    pub local: Duration,
    /// Time for linear solves and the work around them.
    pub global: Duration,
    /// Time for tries after the first.
    pub line_search: Duration,
    /// The number of evaluations by the line search, first tries included.
    pub tries: u64,
    /// The part α of the last direction that a line search took; 0 before there was one.
    pub alpha: f64,
    /// The number of motions that were cut short because they were not safe.
    pub truncated: u64,
}
