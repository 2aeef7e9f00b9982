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

pub use crate::solver::admm::Options as Admm;
pub use crate::solver::chebyshev::{InnerKind, Options as Chebyshev};
pub use crate::solver::constrained_pd::Options as ConstrainedPd;
pub use crate::solver::linear::{LinearKind, PreconditionerKind};
pub use crate::solver::newton::{HessianKind, Options as Newton};
pub use crate::solver::pd::Options as Pd;
pub use crate::solver::quasi_newton::{DirectionKind, InitialHessian, Options as QuasiNewton};
pub use crate::solver::system::Precision;
pub use crate::solver::vbd::Options as Vbd;
pub use crate::solver::xpbd::{HardOptions as Pbd, NeoHookeanForm, Options as Xpbd};
pub use crate::solver::{Kind, Method, SolverSettings};
pub use crate::step::line_search::LineSearch;
