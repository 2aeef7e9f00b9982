//! Suggestions for misspelt names.

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

/// A hint such as `did you mean 'young'? valid keys: young, poisson`.
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
