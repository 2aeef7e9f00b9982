//! Solvers: ways to minimize the one objective.
//!
//! The driver owns the loop, the stopping test, the timers and the metrics; a solver owns one iteration. A
//! solver is one file with one `static KIND: Kind` and one line in [`KINDS`].

mod acceleration;
pub mod admm;
pub mod chebyshev;
pub mod constrained_pd;
mod hessian;
mod linear;
pub mod newton;
pub mod pd;
pub mod quasi_newton;
pub mod specification;
pub mod system;
pub mod vbd;
pub mod xpbd;

use crate::cache::{Cache, Outcome};
use crate::error::Result;
pub use crate::step::Cost;
use crate::step::{Iterate, Objective};
use elements::energy::material::{Fault, Material};

/// All kinds.
pub static KINDS: &[&Kind] = &[
    &quasi_newton::KIND,
    &pd::KIND,
    &chebyshev::KIND,
    &newton::KIND,
    &admm::KIND,
    &xpbd::KIND,
    &xpbd::HARD_KIND,
    &constrained_pd::KIND,
    &vbd::KIND,
];

/// One kind of solver.
pub struct Kind {
    /// The config name.
    pub name: &'static str,
    /// One line for listings.
    pub about: &'static str,
    /// The keys of `[solver]` that it takes besides `kind`, `iterations` and `tolerance`.
    pub keys: &'static [&'static str],
    /// Why it cannot simulate a material, with the way out; `None`: it can.
    pub refuses: fn(&Material) -> Option<String>,
    /// Makes one; settings are already checked.
    pub build: fn(&SolverSettings) -> Box<dyn Solver>,
}

/// A way to minimize the objective, step by step.
pub trait Solver: Send {
    /// Computes or loads what stays the same over all steps.
    fn prepare(&mut self, objective: &Objective, cache: &Cache) -> Result<Preparation>;

    /// Looks at the start of the scene's first step, evaluated, to choose parameters that were not given; returns what
    /// the user should know.
    fn tune(&mut self, _: &Objective, _: &Iterate, _: &Cache) -> Result<Option<String>> {
        Ok(None)
    }

    /// Follows a change of the system matrix; whether its factor came from the cache, `None` where there is none.
    fn follow(&mut self, objective: &Objective, cache: &Cache) -> Result<Option<Outcome>> {
        Ok(self.prepare(objective, cache)?.cache)
    }

    /// Forgets the last step. The iterate is evaluated.
    fn begin_step(&mut self, objective: &Objective, iterate: &Iterate);

    /// Moves an iterate (evaluated or not) by iterations of projective dynamics on the projective energies; false for
    /// solvers that cannot. It is not evaluated afterwards.
    fn relax(&mut self, _: &Objective, _: &mut Iterate, _iterations: u64) -> bool {
        false
    }

    /// True for solvers whose iterations approach the minimum of g. For others a step starts at the inertial positions
    /// whatever g is there, and nothing is said of convergence.
    fn minimizes(&self) -> bool {
        true
    }

    /// True where iterates are evaluated after every iteration, not only after a step's last.
    fn evaluates(&self) -> bool {
        self.minimizes()
    }

    /// True for solvers that keep the constraints of the objective.
    fn conserves(&self) -> bool {
        false
    }

    /// What the user should know at the end of a run.
    fn closing_note(&self) -> Option<String> {
        None
    }

    /// One iteration: from an evaluated iterate to the next evaluated one; where [`Solver::evaluates`] is false, neither
    /// needs to be.
    fn iterate(&mut self, objective: &Objective, iterate: &mut Iterate, cost: &mut Cost) -> Result<Progress>;
}

/// What preparing took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Preparation {
    /// Whether the factor came from the cache; `None`: nothing to cache.
    pub cache: Option<Outcome>,
    /// Entries of the factor.
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

/// Kind-specific options as a config gives them; which ones a kind takes stands in [`Kind::keys`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// L-BFGS pairs kept (quasi-newton); default 5.
    pub history: Option<u64>,
    /// `armijo` (default), `wolfe` or `none` (quasi-newton, newton).
    pub line_search: Option<String>,
    /// `system` (default), `identity`, `rest` or `frame` (quasi-newton).
    pub initial_hessian: Option<String>,
    /// `cholesky` (default), `cg` or `pcg` (quasi-newton, newton).
    pub linear: Option<String>,
    /// Iterations of `cg` and `pcg`; default 50.
    pub linear_iterations: Option<u64>,
    /// `system` (default) or `rest`: what `pcg` takes an incomplete factor of.
    pub preconditioner: Option<String>,
    /// `lbfgs` (default) or `chebyshev` (quasi-newton).
    pub direction: Option<String>,
    /// `projected` (default) or `exact` (newton).
    pub hessian: Option<String>,
    /// `direct` (default), `jacobi` or `gauss-seidel` (chebyshev).
    pub inner: Option<String>,
    /// Spectral radius for acceleration, in [0, 1).
    pub rho: Option<f64>,
    /// Iterations before acceleration begins; default 10.
    pub delay: Option<u64>,
    /// Factor on each iteration's change, in (0, 2).
    pub relaxation: Option<f64>,
    /// Factor on the weights (admm), > 0; default 1.
    pub weight_scale: Option<f64>,
    /// Adapt the weights to the residuals (admm); default false.
    pub balance: Option<bool>,
    /// `combined` (default) or `split` (xpbd).
    pub neo_hookean: Option<String>,
    /// Price of missing the energy, > 0 (constrained-pd); default 1e4.
    pub regularization: Option<f64>,
    /// `single` (default) or `double`: how well systems are solved (pd, quasi-newton).
    pub precision: Option<String>,
}

impl Options {
    /// The keys that are given.
    fn given(&self) -> Vec<&'static str> {
        let all = [
            ("history", self.history.is_some()),
            ("line_search", self.line_search.is_some()),
            ("initial_hessian", self.initial_hessian.is_some()),
            ("linear", self.linear.is_some()),
            ("linear_iterations", self.linear_iterations.is_some()),
            ("preconditioner", self.preconditioner.is_some()),
            ("direction", self.direction.is_some()),
            ("hessian", self.hessian.is_some()),
            ("inner", self.inner.is_some()),
            ("rho", self.rho.is_some()),
            ("delay", self.delay.is_some()),
            ("relaxation", self.relaxation.is_some()),
            ("weight_scale", self.weight_scale.is_some()),
            ("balance", self.balance.is_some()),
            ("neo_hookean", self.neo_hookean.is_some()),
            ("regularization", self.regularization.is_some()),
            ("precision", self.precision.is_some()),
        ];
        all.iter().filter(|(_, given)| *given).map(|(key, _)| *key).collect()
    }

    /// Refuses what another option makes meaningless; a kind takes all the keys.
    fn check_together(&self, kind: &Kind) -> Result<(), Fault> {
        let linear = self.linear.as_deref();
        let needs = |key, given: bool, met: bool, what| match given && !met {
            true => Err(Fault::new(key, format!("needs {what}"))),
            false => Ok(()),
        };
        let iterates = matches!(linear, Some("cg" | "pcg"));
        needs("linear_iterations", self.linear_iterations.is_some(), iterates, "linear = \"cg\" or \"pcg\"")?;
        needs("preconditioner", self.preconditioner.is_some(), linear == Some("pcg"), "linear = \"pcg\"")?;
        needs("precision", self.precision.is_some(), !iterates, "linear = \"cholesky\"")?;
        if kind.keys.contains(&"direction") {
            let chebyshev = self.direction.as_deref() == Some("chebyshev");
            needs("history", self.history.is_some(), !chebyshev, "direction = \"lbfgs\"")?;
            needs("rho", self.rho.is_some(), chebyshev, "direction = \"chebyshev\"")?;
            needs("delay", self.delay.is_some(), chebyshev, "direction = \"chebyshev\"")?;
        }
        Ok(())
    }

    /// Refuses what is out of range.
    fn check(&self) -> Result<(), Fault> {
        if self.history.is_some_and(|m| m > 100) {
            return Err(Fault::new("history", "must be at most 100"));
        }
        for (key, given, words) in [
            ("line_search", &self.line_search, &["armijo", "wolfe", "none"][..]),
            ("initial_hessian", &self.initial_hessian, &["system", "identity", "rest", "frame"]),
            ("linear", &self.linear, &["cholesky", "cg", "pcg"]),
            ("preconditioner", &self.preconditioner, &["system", "rest"]),
            ("direction", &self.direction, &["lbfgs", "chebyshev"]),
            ("hessian", &self.hessian, &["projected", "exact"]),
            ("inner", &self.inner, &["direct", "jacobi", "gauss-seidel"]),
            ("neo_hookean", &self.neo_hookean, &["combined", "split"]),
            ("precision", &self.precision, &["single", "double"]),
        ] {
            if let Some(name) = given.as_deref().filter(|name| !words.contains(name)) {
                return Err(Fault::new(key, format!("'{name}' is not one of '{}'", words.join("', '"))));
            }
        }
        if self.linear_iterations == Some(0) {
            return Err(Fault::new("linear_iterations", "must be at least 1"));
        }
        if self.rho.is_some_and(|rho| !(0.0..1.0).contains(&rho)) {
            return Err(Fault::new("rho", "must be at least 0 and below 1"));
        }
        if self.relaxation.is_some_and(|factor| !(factor > 0.0 && factor < 2.0)) {
            return Err(Fault::new("relaxation", "must be above 0 and below 2"));
        }
        for (key, given) in [("weight_scale", self.weight_scale), ("regularization", self.regularization)] {
            if given.is_some_and(|factor| !(factor > 0.0 && factor.is_finite())) {
                return Err(Fault::new(key, "must be above 0"));
            }
        }
        Ok(())
    }
}

/// A solver with its settings.
#[derive(Clone)]
pub struct SolverSettings {
    /// The kind.
    pub kind: &'static Kind,
    /// Iterations per step, ≥ 1.
    pub iterations: u64,
    /// Stop when ‖∇g‖ falls below this times its first value; 0: never.
    pub tolerance: f64,
    /// Kind-specific options.
    pub options: Options,
}

impl std::fmt::Debug for SolverSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ×{} {:?}", self.kind.name, self.iterations, self.options)
    }
}

impl PartialEq for SolverSettings {
    fn eq(&self, other: &Self) -> bool {
        let parts = |s: &Self| (s.kind.name, s.iterations, s.tolerance.to_bits());
        parts(self) == parts(other) && self.options == other.options
    }
}

/// Looks a kind up by its config name.
pub fn find(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|k| k.name == name).copied()
}

impl SolverSettings {
    /// Looks the kind up and refuses options that it does not take or that are out of range.
    pub fn new(kind: &str, iterations: u64, tolerance: f64, options: Options) -> Result<Self, Fault> {
        let Some(kind) = find(kind) else {
            let names: Vec<_> = KINDS.iter().map(|k| k.name).collect();
            let reason = format!("unknown solver '{kind}', known are {}", names.join(", "));
            return Err(Fault::new("kind", reason));
        };
        if iterations == 0 {
            return Err(Fault::new("iterations", "must be at least 1"));
        }
        if !(0.0..1.0).contains(&tolerance) {
            return Err(Fault::new("tolerance", "must be at least 0 and below 1"));
        }
        if let Some(key) = options.given().into_iter().find(|key| !kind.keys.contains(key)) {
            return Err(Fault::new(key, format!("is not an option of solver '{}'", kind.name)));
        }
        options.check()?;
        options.check_together(kind)?;
        Ok(SolverSettings { kind, iterations, tolerance, options })
    }
}
