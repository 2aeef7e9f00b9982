//! Mesh files: one file per format.
