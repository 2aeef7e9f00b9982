//! Solvers: ways to minimize the one objective.
//!
//! The driver owns the loop, the stopping test, the timers and the metrics; a solver owns one iteration. A solver is
//! one file, with the options that it declares (see `options`), and two lines here: its module and its place in the
//! registry.

mod acceleration;
pub mod admm;
pub mod chebyshev;
pub mod constrained_pd;
mod hessian;
pub mod linear;
pub mod newton;
pub mod options;
pub mod pd;
pub mod quasi_newton;
pub mod specification;
pub mod spectrum;
pub mod stiffness;
mod structured;
pub mod system;
pub mod vbd;
mod warp;
pub mod xpbd;

use crate::cache::{Cache, Check, Outcome};
use crate::error::{Error, Result};
pub use crate::step::Cost;
use crate::step::active::PublishedWay;
use crate::step::{Iterate, Objective};
use elements::energy::Energy;
use elements::energy::material::Fault;
use options::Chosen;
pub use options::{Kind, Refusal};

/// The registry: one line for each solver, with the options that its file declares.
macro_rules! solvers {
    ($($(#[$doc:meta])* $name:ident: $module:ident::$options:ident),* $(,)?) => {
        /// A kind of solver with its options.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Method {
            $($(#[$doc])* $name($module::$options)),*
        }

        $(impl From<$module::$options> for Method {
            fn from(options: $module::$options) -> Method {
                Method::$name(options)
            }
        })*

        impl Method {
            fn chosen(&self) -> &dyn Chosen {
                match self {
                    $(Method::$name(options) => options),*
                }
            }
        }

        /// The options of every kind, by the name of the kind.
        pub mod named {
            $(pub use super::$module::$options as $name;)*
        }

        /// All kinds of solvers, in the order of the registry.
        pub static KINDS: &[Kind] = &[$(Kind::of::<$module::$options>()),*];
    };
}

solvers! {
    /// L-BFGS around the matrix of projective dynamics.
    QuasiNewton: quasi_newton::Options,
    /// Projective dynamics.
    Pd: pd::Options,
    /// Projective dynamics with Chebyshev acceleration.
    Chebyshev: chebyshev::Options,
    /// Newton's method.
    Newton: newton::Options,
    /// Alternating directions.
    Admm: admm::Options,
    /// Extended position based dynamics.
    Xpbd: xpbd::Options,
    /// Position based dynamics.
    Pbd: xpbd::HardOptions,
    /// Projective dynamics that keeps momenta and energy.
    ConstrainedPd: constrained_pd::Options,
    /// Vertex block descent.
    Vbd: vbd::Options,
}

impl Method {
    /// The kind of solver, as the registry describes it.
    pub fn kind(&self) -> &'static Kind {
        find(self.chosen().name()).expect("every method is of a registered kind")
    }

    /// Why the solver cannot work on a term; `None` if it can.
    pub fn refuses(&self, term: &dyn Energy) -> Option<Refusal> {
        self.chosen().refuses(term)
    }

    /// The options that were given, as a TOML table like that of a config.
    pub fn to_table(&self) -> toml::Table {
        self.chosen().to_table()
    }
}

/// The checks of what solvers keep in the cache: factors and spectral radii.
pub const CACHE_CHECKS: [Check; 2] = [system::CHECK, acceleration::CHECK];

/// A way to minimize the objective, step by step.
pub trait Solver: Send {
    /// The name of its kind.
    fn name(&self) -> &'static str;

    /// Computes, or loads from the cache, everything that stays the same over all steps.
    fn prepare(&mut self, objective: &Objective, cache: &Cache) -> Result<Preparation>;

    /// Chooses parameters that were not given, by looking at the evaluated start of the scene's first step.
    /// Returns a note for the user.
    fn tune(&mut self, _: &Objective, _: &Iterate, _: &Cache) -> Result<Option<String>> {
        Ok(None)
    }

    /// Follows a change of the system matrix. Returns whether its factor came from the cache, `None` without a factor.
    fn follow(&mut self, objective: &Objective, cache: &Cache) -> Result<Option<Outcome>> {
        Ok(self.prepare(objective, cache)?.cache)
    }

    /// Gets ready for the active terms of the objective. Solvers that do not support them refuse.
    fn accept_active(&mut self, objective: &Objective) -> Result<()> {
        match objective.active().next() {
            None => Ok(()),
            Some(term) => Err(Error::Unsupported {
                solver: self.name().into(),
                subject: term.name(),
                reason: "it has other elements in every state; use solver 'quasi-newton' or 'newton'".into(),
            }),
        }
    }

    /// True for solvers of positions, which take active terms as constraints ([`Objective::approaches`]).
    fn is_positional(&self) -> bool {
        false
    }

    /// What it does about contact in its paper.
    fn published(&self) -> PublishedWay {
        PublishedWay::Springs
    }

    /// Starts a step: data of the last step are dropped. The iterate is evaluated.
    fn begin_step(&mut self, objective: &Objective, iterate: &Iterate);

    /// Moves an iterate, evaluated or not, by iterations of projective dynamics on the projective energies. The result
    /// is not evaluated. Solvers that cannot do this return false.
    fn relax(&mut self, _: &Objective, _: &mut Iterate, _iterations: u64) -> bool {
        false
    }

    /// True for solvers whose iterations approach the minimum of g. For others a step starts at the inertial positions,
    /// whatever g is there, and nothing is reported about convergence.
    fn minimizes(&self) -> bool {
        true
    }

    /// True if iterates are evaluated after every iteration, not only after the last one of a step.
    fn evaluates(&self) -> bool {
        self.minimizes()
    }

    /// True for solvers that keep the constraints of the objective.
    fn conserves(&self) -> bool {
        false
    }

    /// The option because of which a step depends on more than the state that it starts from, so that a run cannot be resumed.
    fn carries(&self) -> Option<&'static str> {
        None
    }

    /// A note for the user at the end of a run.
    fn closing_note(&self) -> Option<String> {
        None
    }

    /// Makes one iteration, from an evaluated iterate to the next evaluated one. If [`Solver::evaluates`] is false,
    /// neither needs to be evaluated.
    fn iterate(&mut self, objective: &Objective, iterate: &mut Iterate, cost: &mut Cost) -> Result<Progress>;
}

/// What [`Solver::prepare`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Preparation {
    /// Whether the factor came from the cache; `None` if there was nothing to cache.
    pub cache: Option<Outcome>,
    /// The number of entries of the factor.
    pub factor_entries: usize,
}

/// Whether more iterations can help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The iterate moved.
    Moved,
    /// No step from here lowers the objective beyond rounding.
    Stalled,
}

/// The choice of a solver, and the settings that all solvers have.
#[derive(Clone, Debug, PartialEq)]
pub struct SolverSettings {
    /// The kind of solver, with its options.
    pub method: Method,
    /// The largest number of iterations per step, ≥ 1.
    pub iterations: u64,
    /// A step ends when ‖∇g‖ falls below this times its first value; with 0 it never ends early.
    pub tolerance: f64,
}

impl SolverSettings {
    /// Makes the settings and refuses values out of range.
    pub fn new(method: impl Into<Method>, iterations: u64, tolerance: f64) -> Result<Self, Fault> {
        let method = method.into();
        options::demand(iterations > 0, "iterations", "must be at least 1")?;
        options::demand((0.0..1.0).contains(&tolerance), "tolerance", "must be at least 0 and below 1")?;
        method.chosen().check()?;
        Ok(SolverSettings { method, iterations, tolerance })
    }

    /// The kind of solver, as the registry describes it.
    pub fn kind(&self) -> &'static Kind {
        self.method.kind()
    }

    /// Makes a solver with these settings.
    pub fn build(&self) -> Box<dyn Solver> {
        self.method.chosen().build(self.tolerance)
    }

    /// Returns an error if the solver cannot work on one of the terms.
    pub fn check_terms(&self, objective: &Objective) -> Result<()> {
        for term in objective.terms.iter().filter(|term| !term.is_empty()) {
            if let Some(refusal) = self.method.refuses(term.as_ref()) {
                return Err(Error::Unsupported {
                    solver: self.kind().name.into(),
                    subject: term.name(),
                    reason: refusal.to_string(),
                });
            }
        }
        Ok(())
    }
}

impl<M: Into<Method>> From<M> for SolverSettings {
    /// Settings with ten iterations per step and no tolerance. The options must be in range.
    fn from(method: M) -> SolverSettings {
        SolverSettings { method: method.into(), iterations: 10, tolerance: 0.0 }
    }
}

/// The part of a step's first gradient that ends the step, where nothing else is said.
pub const USUAL_TOLERANCE: f64 = 1e-2;
/// The largest number of iterations of a step that a tolerance ends, where nothing else is said.
pub const USUAL_MOST: u64 = 100;
/// The number of iterations of a step that no tolerance ends, where nothing else is said.
pub const USUAL_ITERATIONS: u64 = 10;

/// The iterations and the tolerance of a config, of which either may be left out. `measures` says whether gradients tell how
/// well a step converged: then a tolerance ends the steps, unless there is a number of iterations alone.
pub fn usual(iterations: Option<u64>, tolerance: Option<f64>, measures: bool) -> (u64, f64) {
    match (iterations, tolerance) {
        (Some(iterations), tolerance) => (iterations, tolerance.unwrap_or(0.0)),
        (None, None) if measures => (USUAL_MOST, USUAL_TOLERANCE),
        (None, Some(tolerance)) if measures && tolerance > 0.0 => (USUAL_MOST, tolerance),
        (None, tolerance) => (USUAL_ITERATIONS, tolerance.unwrap_or(0.0)),
    }
}

/// Looks a kind up by its config name.
pub fn find(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_that_minimize_are_those_whose_solvers_do() {
        for kind in KINDS {
            let method =
                kind.read(toml::Table::new()).unwrap_or_else(|error| panic!("{}: {error}", kind.name));
            assert_eq!(SolverSettings::from(method).build().minimizes(), kind.minimizes, "{}", kind.name);
        }
    }

    #[test]
    fn a_step_ends_by_a_tolerance_unless_iterations_are_given_alone() {
        for (given, measures, expected) in [
            ((None, None), true, (100, 1e-2)),
            ((None, None), false, (10, 0.0)),
            ((Some(7), None), true, (7, 0.0)),
            ((Some(7), Some(1e-3)), true, (7, 1e-3)),
            ((None, Some(1e-3)), true, (100, 1e-3)),
            ((None, Some(0.0)), true, (10, 0.0)),
            ((None, Some(1e-3)), false, (10, 1e-3)),
        ] {
            assert_eq!(usual(given.0, given.1, measures), expected, "{given:?}");
        }
    }
}
