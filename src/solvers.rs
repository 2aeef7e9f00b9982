//! The solvers with their options, for [`Scene::solver`](crate::scene::Scene::solver).
//!
//! ```
//! use pliant::prelude::*;
//! use pliant::solvers::{Chebyshev, InnerKind};
//!
//! let jacobi = Chebyshev { inner: Some(InnerKind::Jacobi), ..Chebyshev::default() };
//! let scene = Scene::new("accelerated").solver(jacobi).iterations(40);
//! assert_eq!(scene.solver.kind().name, "chebyshev");
//! ```

pub use crate::solver::chebyshev::InnerKind;
pub use crate::solver::linear::{LinearKind, PreconditionerKind};
pub use crate::solver::named::*;
pub use crate::solver::newton::HessianKind;
pub use crate::solver::quasi_newton::{DirectionKind, InitialHessian};
pub use crate::solver::system::Precision;
pub use crate::solver::xpbd::NeoHookeanForm;
pub use crate::solver::{Kind, Method, SolverSettings};
pub use crate::step::line_search::LineSearch;
