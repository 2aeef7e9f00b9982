//! Faults before they have a place: a key path, what is wrong with it, and the way out.

use super::path::KeyPath;

/// Which part of a `key = value` a fault is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The key: it should not be there.
    Key,
    /// The value.
    Value,
}

/// One fault.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The key at fault; one that does not exist stands for what is missing.
    pub path: KeyPath,
    /// Which part of it.
    pub part: Part,
    /// What is wrong.
    pub message: String,
    /// What to do about it; may be empty.
    pub hint: String,
}

/// Collects faults, so that all are reported together.
#[derive(Debug, Default)]
pub struct Report {
    /// The faults found so far.
    pub problems: Vec<Problem>,
    /// What is odd but no fault.
    pub warnings: Vec<String>,
}

impl Report {
    /// A key that should not be there.
    pub fn key(&mut self, path: KeyPath, message: impl Into<String>, hint: impl Into<String>) {
        self.problems.push(Problem { path, part: Part::Key, message: message.into(), hint: hint.into() });
    }

    /// A value that cannot be.
    pub fn value(&mut self, path: KeyPath, message: impl Into<String>, hint: impl Into<String>) {
        self.problems.push(Problem { path, part: Part::Value, message: message.into(), hint: hint.into() });
    }

    /// Reports `message` on a value unless `condition` holds.
    pub fn check(&mut self, condition: bool, path: KeyPath, message: impl Into<String>) {
        if !condition {
            self.value(path, message, "");
        }
    }
}

/// The candidate that a misspelt name most likely stands for.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance * 3 <= candidate.chars().count().max(lower.chars().count()))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// `did you mean 'young'? valid keys: young, poisson`.
pub fn suggestion(name: &str, what: &str, candidates: &[&str]) -> String {
    let all = if candidates.is_empty() { "none".to_owned() } else { candidates.join(", ") };
    match nearest(name, candidates.iter().copied()) {
        Some(candidate) => format!("did you mean '{candidate}'? valid {what}: {all}"),
        None => format!("valid {what}: {all}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        assert_eq!(nearest("yuong", ["poisson", "young"]), Some("young"));
        assert_eq!(nearest("Neo-Hookean", ["neo-hookean", "arap"]), Some("neo-hookean"));
        assert_eq!(nearest("qn", ["quasi-newton", "pd"]), None);
        assert_eq!(nearest("", ["a"]), None);
        assert_eq!(suggestion("x", "keys", &[]), "valid keys: none");
    }
}
