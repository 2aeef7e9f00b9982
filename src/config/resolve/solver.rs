//! `[solver]`: the kind, and the options that it declares.

use toml::Value;

use super::super::path::KeyPath;
use super::super::problem::Report;
use super::super::{raw, read};
use crate::error::suggest::suggestion;
use crate::solver::{KINDS, Kind, SolverSettings, find};

/// The keys that every kind takes.
const COMMON: [&str; 4] = ["kind", "iterations", "tolerance", "fepr"];

/// Validates the table `[solver]`; `None` if there are faults, which the report has.
pub fn resolve(solver: &raw::Solver, report: &mut Report) -> Option<SolverSettings> {
    let at = KeyPath::parse("solver");
    let name = solver.kind.as_deref().unwrap_or_default();
    let Some(kind) = find(name) else {
        let names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
        let hint = suggestion(name, "solvers", &names);
        report.value(at.join("kind"), format!("unknown solver '{name}'"), hint);
        return None;
    };
    if !refuse_foreign(kind, solver, &at, report) {
        return None;
    }
    let method = match kind.read(solver.options.clone()) {
        Ok(method) => method,
        Err(error) => {
            let values = Value::Table(solver.options.clone());
            let mut problem = read::explain(read::place(error.path()), error.inner().message(), &values);
            problem.path = at.extend(&problem.path.to_string());
            report.problems.push(problem);
            return None;
        }
    };
    let (iterations, tolerance) = (solver.iterations.unwrap_or(1), solver.tolerance.unwrap_or(0.0));
    SolverSettings::new(method, iterations, tolerance)
        .map_err(|fault| report.value(at.extend(&fault.key), fault.reason, ""))
        .ok()
}

/// Reports every option that the kind does not take; true if there was none.
fn refuse_foreign(kind: &Kind, solver: &raw::Solver, at: &KeyPath, report: &mut Report) -> bool {
    let keys = kind.keys();
    let taken: Vec<&str> = COMMON.iter().copied().chain(keys.iter().map(String::as_str)).collect();
    let mut is_clean = true;
    for key in solver.options.keys().filter(|key| !taken.contains(&key.as_str())) {
        is_clean = false;
        if KINDS.iter().any(|other| other.keys().contains(key)) {
            let message = format!("solver '{}' does not take this key", kind.name);
            report.key(at.join(key), message, format!("it takes: {}", taken.join(", ")));
        } else {
            report.key(at.join(key), "unknown key", suggestion(key, "keys", &taken));
        }
    }
    is_clean
}
