//! Comparisons: names, solvers, and the values to go through.

use super::super::path::KeyPath;
use super::super::problem::Report;
use super::super::raw;
use super::names;
use crate::scene;
use crate::solver::SolverSettings;
use crate::solver::specification::parse;

/// Validates all comparisons; solvers without options of their own take those of the config's.
pub fn resolve(
    comparisons: &[raw::Comparison],
    solver: &SolverSettings,
    report: &mut Report,
) -> Vec<scene::Comparison> {
    let all = KeyPath::parse("comparison");
    let one = |(i, raw): (usize, &raw::Comparison)| {
        let at = all.join(i);
        let name = raw.name.clone().unwrap_or_else(|| format!("comparison-{}", i + 1));
        names::check(&name, at.join("name"), report);
        let twin = comparisons[..i].iter().any(|other| other.name.as_ref() == Some(&name));
        report.check(!twin, at.join("name"), format!("there are two comparisons '{name}'"));
        let given = raw.solvers.as_deref().unwrap_or_default();
        report.check(!given.is_empty(), at.join("solvers"), "names no solver");
        let mut solvers = vec![];
        for (k, text) in given.iter().enumerate() {
            match parse(text, solver) {
                Ok(contender) => {
                    if let Some(key) = &contender.whole {
                        let reason = format!("{key} in '{text}' has a meaning for whole runs only");
                        report.value(at.join("solvers").join(k), reason, "use it with 'compare --runs'");
                    }
                    solvers.push(contender);
                }
                Err(reason) => report.value(at.join("solvers").join(k), reason, ""),
            }
        }
        let iterations = raw.iterations.unwrap_or(100);
        report.check(iterations >= 1, at.join("iterations"), "must be at least 1");
        for (k, variation) in raw.vary.iter().enumerate() {
            let at = at.join("vary").join(k);
            report.check(!variation.keys.is_empty(), at.join("keys"), "names no key");
            report.check(!variation.values.is_empty(), at.join("values"), "holds no value");
        }
        let vary = (raw.vary.iter())
            .map(|v| (v.keys.clone(), v.values.iter().map(ToString::to_string).collect()))
            .collect();
        scene::Comparison { name, solvers, at_frame: raw.at_frame.unwrap_or(0), iterations, vary }
    };
    comparisons.iter().enumerate().map(one).collect()
}
