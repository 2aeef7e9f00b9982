//! Solvers: ways to minimize the one objective.

use crate::energy::material::{Fault, Material};

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
}

/// All kinds.
pub static KINDS: &[&Kind] = &[
    &Kind {
        name: "pd",
        about: "pd",
        keys: &[],
        refuses: |material| (material.model.name != "arap").then(|| "no projection".into()),
    },
    &Kind {
        name: "quasi-newton",
        about: "quasi-newton",
        keys: &["history", "line_search"],
        refuses: |_| None,
    },
    &Kind { name: "newton", about: "newton", keys: &["line_search"], refuses: |_| None },
];

/// Kind-specific options as a config gives them; which ones a kind takes stands in [`Kind::keys`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// L-BFGS pairs kept (quasi-newton).
    pub history: Option<u64>,
    /// `armijo` or `none` (quasi-newton, newton).
    pub line_search: Option<String>,
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

impl SolverSettings {
    /// Looks the kind up and refuses options that it does not take or that are out of range.
    pub fn new(kind: &str, iterations: u64, tolerance: f64, options: Options) -> Result<Self, Fault> {
        let kind = KINDS
            .iter()
            .find(|k| k.name == kind)
            .ok_or_else(|| Fault { key: "kind".into(), reason: format!("unknown solver '{kind}'") })?;
        if options.line_search.as_deref().is_some_and(|name| name != "armijo" && name != "none") {
            return Err(Fault { key: "line_search".into(), reason: "unknown".into() });
        }
        Ok(SolverSettings { kind, iterations, tolerance, options })
    }
}

impl PartialEq for SolverSettings {
    fn eq(&self, other: &Self) -> bool {
        let parts = |s: &Self| (s.kind.name, s.iterations, s.tolerance.to_bits());
        parts(self) == parts(other) && self.options == other.options
    }
}
