//! The `pliant` binary.

fn main() {}
