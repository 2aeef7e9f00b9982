//! Solvers as a command line names them: `kind`, or `kind:key=value:key=value`.

use super::{KINDS, Options, SolverSettings};
use crate::error::suggest::nearest;
use elements::energy::material::Fault;

/// A solver to compare.
#[derive(Clone, Debug, PartialEq)]
pub struct Contender {
    /// As it was given.
    pub label: String,
    /// What that means.
    pub settings: SolverSettings,
}

/// Reads one specification; `base` gives the options that it does not, where it names the same kind.
pub fn parse(text: &str, base: &SolverSettings) -> Result<Contender, String> {
    let mut parts = text.trim().split(':');
    let kind = parts.next().unwrap_or_default();
    let names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
    if !names.contains(&kind) {
        let hint = nearest(kind, names.iter().copied())
            .map_or(format!("known are {}", names.join(", ")), |near| format!("did you mean '{near}'?"));
        return Err(format!("unknown solver '{kind}' ({hint})"));
    }
    let mut options = if base.kind.name == kind { base.options.clone() } else { Options::default() };
    for part in parts {
        let Some((key, value)) = part.split_once('=') else {
            return Err(format!("'{part}' in '{text}' is not key=value"));
        };
        set(&mut options, key, value).map_err(|reason| format!("{key} in '{text}': {reason}"))?;
    }
    SolverSettings::new(kind, base.iterations, 0.0, options)
        .map(|settings| Contender { label: text.trim().to_owned(), settings })
        .map_err(|Fault { key, reason }| format!("{key} in '{text}': {reason}"))
}

fn set(options: &mut Options, key: &str, value: &str) -> Result<(), String> {
    fn number<T: std::str::FromStr>(value: &str) -> Result<Option<T>, String> {
        value.parse().map(Some).map_err(|_| format!("'{value}' is not a number that it can be"))
    }
    match key {
        "history" => options.history = number(value)?,
        "line_search" => options.line_search = Some(value.into()),
        "initial_hessian" => options.initial_hessian = Some(value.into()),
        "linear" => options.linear = Some(value.into()),
        "linear_iterations" => options.linear_iterations = number(value)?,
        "preconditioner" => options.preconditioner = Some(value.into()),
        "direction" => options.direction = Some(value.into()),
        "hessian" => options.hessian = Some(value.into()),
        "inner" => options.inner = Some(value.into()),
        "rho" => options.rho = number(value)?,
        "delay" => options.delay = number(value)?,
        "relaxation" => options.relaxation = number(value)?,
        "weight_scale" => options.weight_scale = number(value)?,
        "balance" => options.balance = number(value)?,
        "regularization" => options.regularization = number(value)?,
        "neo_hookean" => options.neo_hookean = Some(value.into()),
        "precision" => options.precision = Some(value.into()),
        _ => return Err("no solver has this option".into()),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_follow_the_kind_and_faults_are_named() {
        let base =
            SolverSettings::new("quasi-newton", 7, 0.0, Options { history: Some(3), ..Default::default() });
        let base = base.unwrap();
        let plain = parse("quasi-newton", &base).unwrap();
        assert_eq!((plain.settings.options.history, plain.settings.iterations), (Some(3), 7));
        let jacobi = parse(" chebyshev:inner=jacobi:rho=0.99", &base).unwrap();
        assert_eq!(jacobi.label, "chebyshev:inner=jacobi:rho=0.99");
        assert_eq!((jacobi.settings.options.rho, jacobi.settings.options.history), (Some(0.99), None));
        for (text, expected) in [
            ("quasinewton", "did you mean 'quasi-newton'?"),
            ("pd:history=3", "history in 'pd:history=3': is not an option"),
            ("quasi-newton:history=x", "'x' is not a number"),
            ("chebyshev:rho=2", "rho in 'chebyshev:rho=2': must be at least 0 and below 1"),
            ("chebyshev:inner", "'inner' in 'chebyshev:inner' is not key=value"),
            ("chebyshev:outer=1", "no solver has this option"),
            ("quasi-newton:rho=0.9", "rho in 'quasi-newton:rho=0.9': needs direction = \"chebyshev\""),
            ("quasi-newton:direction=chebyshev:history=2", "needs direction = \"lbfgs\""),
            ("newton:linear=cg:preconditioner=rest", "needs linear = \"pcg\""),
            ("newton:linear_iterations=5", "needs linear = \"cg\" or \"pcg\""),
            ("newton:linear=cg:linear_iterations=0", "must be at least 1"),
        ] {
            let found = parse(text, &base).unwrap_err();
            assert!(found.contains(expected), "{text}: {found}");
        }
    }
}
