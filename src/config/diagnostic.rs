//! Faults of a config, each with its place.

/// A list of faults, printed one after the other.
#[derive(Clone, Debug)]
pub struct Diagnostics(pub Vec<String>);

impl std::fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}
