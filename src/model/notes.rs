//! What building a model has to tell the user.

/// Messages in the order in which they were found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Notes {
    /// What is good to know.
    pub notes: Vec<String>,
    /// What is most likely not meant.
    pub warnings: Vec<String>,
}

impl Notes {
    /// Appends the messages of another list.
    pub fn append(&mut self, mut other: Notes) {
        self.notes.append(&mut other.notes);
        self.warnings.append(&mut other.warnings);
    }

    /// Writes all messages to the log, by their kind.
    pub fn log(&self) {
        self.notes.iter().for_each(|note| tracing::info!("{note}"));
        self.warnings.iter().for_each(|warning| tracing::warn!(code = "scene", "{warning}"));
    }
}
