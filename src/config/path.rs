//! Paths of keys such as `body.0.material.young`, as diagnostics print them and `--set` takes them.

use std::fmt;

/// The keys and indices from the root of a config to a value; an index is written as a number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyPath(Vec<String>);

impl KeyPath {
    /// The path of the whole config.
    pub fn root() -> Self {
        KeyPath::default()
    }

    /// Splits at dots.
    pub fn parse(text: &str) -> Self {
        KeyPath(text.split('.').map(|segment| segment.trim().to_owned()).collect())
    }

    /// This path and one more key or index.
    pub fn join(&self, segment: impl fmt::Display) -> Self {
        let mut segments = self.0.clone();
        segments.push(segment.to_string());
        KeyPath(segments)
    }

    /// This path and all keys of a dotted one, which may be empty.
    pub fn extend(&self, dotted: &str) -> Self {
        dotted.split('.').filter(|key| !key.is_empty()).fold(self.clone(), |path, key| path.join(key))
    }

    /// The path without its last segment; the root is its own parent.
    pub fn parent(&self) -> Self {
        KeyPath(self.0[..self.0.len().saturating_sub(1)].to_vec())
    }

    /// The keys and indices.
    pub fn segments(&self) -> &[String] {
        &self.0
    }

    /// True if `other` is this path or one above it.
    pub fn starts_with(&self, other: &KeyPath) -> bool {
        self.0.starts_with(&other.0)
    }
}

impl fmt::Display for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, segment) in self.0.iter().enumerate() {
            let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            let dot = if i > 0 { "." } else { "" };
            if !segment.is_empty() && segment.chars().all(bare) {
                write!(f, "{dot}{segment}")?;
            } else {
                write!(f, "{dot}{segment:?}")?;
            }
        }
        Ok(())
    }
}
