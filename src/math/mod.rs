//! Small dense mathematics.
