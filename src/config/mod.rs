//! Configs: TOML in, validated scenes out.
//!
//! ```text
//! text ─ source ─▶ values + places ─ overrides ─ read ─▶ raw::Config ─ resolve ─▶ Scene
//! ```
//!
//! [`load()`] goes the whole way and reports all faults at once, each with its line and column; [`to_toml`] writes a
//! loaded config such that it loads again to the same bits.

mod load;
pub mod manual;
mod overrides;
mod path;
mod problem;
pub mod raw;
mod read;
pub mod reference;
mod resolve;
mod schema;
mod source;

pub use load::{Loaded, load, load_made, parse, to_toml};
pub use overrides::Overrides;
pub use path::KeyPath;
pub use problem::{Part, Problem, Report};
pub use resolve::shape;
pub use schema::{reference_schema, schema};

#[cfg(test)]
mod tests;
