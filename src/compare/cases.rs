//! The same comparison for all combinations of some of the scene's values, with its results as a table.

use super::{Comparison, Contender};

/// One combination of values.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The values, in the order of the variations.
    pub values: Vec<String>,
    /// The overrides `key=value` for each key.
    pub assignments: Vec<String>,
}

/// All combinations of keys with their values; the last variation changes first.
pub fn combinations(vary: &[(Vec<String>, Vec<String>)]) -> Vec<Case> {
    let mut cases = vec![Case { values: vec![], assignments: vec![] }];
    for (keys, values) in vary {
        let longer = |case: &Case, value: &String| {
            let mut case = case.clone();
            case.values.push(value.clone());
            case.assignments.extend(keys.iter().map(|key| format!("{key}={value}")));
            case
        };
        cases = cases.iter().flat_map(|case| values.iter().map(move |value| longer(case, value))).collect();
    }
    cases
}

/// The header of `cases.csv`: the first key of each variation, then the columns of results.
pub fn header(vary: &[(Vec<String>, Vec<String>)]) -> String {
    let keys: String = vary.iter().map(|(keys, _)| format!("{},", keys[0])).collect();
    format!("{keys}solver,iterations,objective,inertia,energy,relative_error,min_det_f,inverted,p,l\n")
}

/// The rows of a case: the result of each solver.
pub fn rows(case: &Case, comparison: &Comparison) -> String {
    // A list of numbers is quoted, as it contains commas.
    let value =
        |value: &String| if value.starts_with('[') { format!("\"{value}\",") } else { format!("{value},") };
    let values: String = case.values.iter().map(value).collect();
    let mut text = String::new();
    for course in &comparison.courses {
        let last = course.last();
        let norm = |v: [f64; 3]| v.iter().map(|c| c * c).sum::<f64>().sqrt();
        text += &format!(
            "{values}\"{}\",{},{},{},{},{},{},{},{},{}\n",
            course.label,
            last.iteration,
            last.value.total(),
            last.value.inertia,
            last.value.elastic,
            last.relative_error,
            course.volumes.0,
            course.volumes.1,
            norm(last.linear),
            norm(last.angular),
        );
    }
    text
}

/// A value for people to read; large numbers are written with an exponent.
fn short(value: &str) -> String {
    match value.parse::<f64>() {
        Ok(number) if number.abs() >= 1e5 => format!("{number:e}"),
        _ => value.trim_matches('"').to_owned(),
    }
}

fn widths(cases: &[Case]) -> Vec<usize> {
    let count = cases.first().map_or(0, |case| case.values.len());
    (0..count).map(|k| cases.iter().map(|case| short(&case.values[k]).len()).max().unwrap_or(0)).collect()
}

/// The title of the table for people, which shows relative errors.
pub fn title(cases: &[Case], solvers: &[Contender]) -> String {
    let values: usize = widths(cases).iter().map(|width| width + 2).sum();
    let names: String =
        solvers.iter().map(|s| format!("{:>width$}", s.label, width = column(&s.label))).collect();
    format!("relative error; above 1: g has risen\n{:values$}{names}\n", "")
}

/// The line of a case in that table.
pub fn line(cases: &[Case], case: &Case, comparison: &Comparison) -> String {
    let values: String = case
        .values
        .iter()
        .zip(widths(cases))
        .map(|(value, width)| format!("{:>width$}  ", short(value)))
        .collect();
    let errors: String = (comparison.courses.iter())
        .map(|c| format!("{:>width$.1e}", c.last().relative_error, width = column(&c.label)))
        .collect();
    format!("{values}{errors}\n")
}

fn column(label: &str) -> usize {
    label.len().max(7) + 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_go_through_all_values_of_all_keys() {
        let text = |values: &[&str]| values.iter().map(ToString::to_string).collect::<Vec<_>>();
        let vary =
            [(text(&["time.step"]), text(&["0.1", "0.01"])), (text(&["a.k", "b.k"]), text(&["1", "2", "3"]))];
        let cases = combinations(&vary);
        assert_eq!(cases.len(), 6);
        assert_eq!(cases[1].values, ["0.1", "2"]);
        assert_eq!(cases[1].assignments, ["time.step=0.1", "a.k=2", "b.k=2"]);
        assert!(header(&vary).starts_with("time.step,a.k,solver,"));
        assert_eq!(combinations(&[]).len(), 1);
    }
}
