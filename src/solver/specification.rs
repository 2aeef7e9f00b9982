//! Solvers as a command line names them: `kind`, or `kind:key=value:key=value`.

use toml::{Table, Value};

use super::{KINDS, SolverSettings, find};
use crate::error::suggest::nearest;
use elements::energy::material::Fault;

/// A solver to compare.
#[derive(Clone, Debug, PartialEq)]
pub struct Contender {
    /// Its name in tables and charts: the specification as the user wrote it.
    pub label: String,
    /// The settings that the specification means.
    pub settings: SolverSettings,
    /// The iterations a step, if the specification gives them.
    pub iterations: Option<u64>,
    /// The values of a config, as `key=value`, that the specification means for a whole run.
    pub assignments: Vec<String>,
    /// A key of it that has a meaning for whole runs only.
    pub whole: Option<String>,
}

/// Keys that every kind takes in a specification.
const COMMON: [&str; 4] = ["iterations", "tolerance", "fepr", "integrator"];

/// Reads one specification. Options that it does not give are those of `base`, if both name the same kind. Besides the
/// options of the kind it takes `iterations` and `tolerance`, and for whole runs `fepr` and `integrator`.
pub fn parse(text: &str, base: &SolverSettings) -> Result<Contender, String> {
    let mut parts = text.trim().split(':');
    let kind = parts.next().unwrap_or_default();
    let names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
    if !names.contains(&kind) {
        let hint = nearest(kind, names.iter().copied())
            .map_or(format!("known are {}", names.join(", ")), |near| format!("did you mean '{near}'?"));
        return Err(format!("unknown solver '{kind}' ({hint})"));
    }
    let Some(kind) = find(kind) else { return Err(format!("unknown solver '{kind}'")) };
    let is_same = base.kind().name == kind.name;
    let mut options = if is_same { base.method.to_table() } else { Table::new() };
    let (mut common, mut assignments, mut whole) = (Table::new(), vec![], None);
    for part in parts {
        let Some((key, value)) = part.split_once('=') else {
            return Err(format!("'{part}' in '{text}' is not key=value"));
        };
        let table = if key == "integrator" { "time" } else { "solver" };
        assignments.push(format!("{table}.{key}={}", value_of(value)));
        if COMMON.contains(&key) {
            whole = whole.or(["fepr", "integrator"].contains(&key).then(|| key.to_owned()));
            common.insert(key.to_owned(), value_of(value));
            continue;
        }
        if !kind.keys().iter().any(|known| known == key) {
            return Err(format!("{key} in '{text}': is not an option of solver '{}'", kind.name));
        }
        options.insert(key.to_owned(), value_of(value));
    }
    let method = kind.read(options).map_err(|error| {
        let (key, reason) = (error.path().to_string(), error.inner().message().replace('`', "'"));
        format!("{key} in '{text}': {reason}")
    })?;
    let iterations = match common.get("iterations") {
        None => None,
        Some(value) => {
            let count = value.as_integer().and_then(|count| u64::try_from(count).ok());
            Some(count.ok_or_else(|| format!("iterations in '{text}': wants a whole number"))?)
        }
    };
    let tolerance = match common.get("tolerance") {
        None => 0.0,
        Some(value) => {
            let number = value.as_float().or(value.as_integer().map(|n| n as f64));
            number.ok_or_else(|| format!("tolerance in '{text}': wants a number"))?
        }
    };
    let settings = SolverSettings::new(method, iterations.unwrap_or(base.iterations), tolerance)
        .map_err(|Fault { key, reason }| format!("{key} in '{text}': {reason}"))?;
    Ok(Contender { label: text.trim().to_owned(), settings, iterations, assignments, whole })
}

/// Reads a value as TOML. A text that TOML cannot read is taken as a name.
fn value_of(text: &str) -> Value {
    let quoted = || Value::String(text.to_owned());
    format!("value = {text}")
        .parse::<Table>()
        .ok()
        .and_then(|mut table| table.remove("value"))
        .unwrap_or_else(quoted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::chebyshev::{self, InnerKind};
    use crate::solver::quasi_newton;

    #[test]
    fn options_follow_the_kind_and_faults_are_named() {
        let options = quasi_newton::Options { history: Some(3), ..Default::default() };
        let base = SolverSettings::new(options.clone(), 7, 0.0).unwrap();
        let plain = parse("quasi-newton", &base).unwrap();
        assert_eq!((plain.settings.method, plain.settings.iterations), (options.into(), 7));
        let jacobi = parse(" chebyshev:inner=jacobi:rho=0.99", &base).unwrap();
        assert_eq!(jacobi.label, "chebyshev:inner=jacobi:rho=0.99");
        let wanted =
            chebyshev::Options { inner: Some(InnerKind::Jacobi), rho: Some(0.99), ..Default::default() };
        assert_eq!(jacobi.settings.method, wanted.into());
        for (text, expected) in [
            ("quasinewton", "did you mean 'quasi-newton'?"),
            ("pd:history=3", "history in 'pd:history=3': is not an option"),
            (
                "quasi-newton:history=x",
                "history in 'quasi-newton:history=x': invalid type: string \"x\", expected u64",
            ),
            ("chebyshev:rho=2", "rho in 'chebyshev:rho=2': must be at least 0 and below 1"),
            ("chebyshev:inner", "'inner' in 'chebyshev:inner' is not key=value"),
            ("chebyshev:outer=1", "is not an option of solver 'chebyshev'"),
            ("quasi-newton:rho=0.9", "rho in 'quasi-newton:rho=0.9': needs direction = \"chebyshev\""),
            ("quasi-newton:direction=chebyshev:history=2", "needs direction = \"lbfgs\""),
            ("newton:linear=cg:preconditioner=rest", "needs linear = \"pcg\""),
            ("newton:linear_iterations=5", "needs linear = \"cg\" or \"pcg\""),
            ("newton:linear=cg:linear_iterations=0", "must be at least 1"),
            ("newton:iterations=x", "iterations in 'newton:iterations=x': wants a whole number"),
            ("newton:iterations=0", "iterations in 'newton:iterations=0': must be at least 1"),
            ("newton:tolerance=2", "tolerance in 'newton:tolerance=2': must be at least 0 and below 1"),
        ] {
            let found = parse(text, &base).unwrap_err();
            assert!(found.contains(expected), "{text}: {found}");
        }
    }

    #[test]
    fn what_every_kind_takes_is_kept_apart() {
        let base = SolverSettings::new(quasi_newton::Options::default(), 7, 0.5).unwrap();
        let given = parse("newton:iterations=1:tolerance=1e-3:linear=cg:integrator=bdf2", &base).unwrap();
        assert_eq!(
            (given.iterations, given.settings.iterations, given.settings.tolerance),
            (Some(1), 1, 1e-3)
        );
        assert_eq!(given.whole.as_deref(), Some("integrator"));
        let meant = [
            "solver.iterations=1",
            "solver.tolerance=0.001",
            "solver.linear=\"cg\"",
            "time.integrator=\"bdf2\"",
        ];
        assert_eq!(given.assignments, meant);
        let plain = parse("newton", &base).unwrap();
        assert_eq!((plain.iterations, plain.settings.tolerance, plain.whole), (None, 0.0, None));
    }
}
