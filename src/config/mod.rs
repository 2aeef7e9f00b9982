//! Configs: TOML in, validated scenes out.
//!
//! ```text
//! text ─ source ─▶ values + places ─ overrides ─ read ─▶ raw::Config ─ resolve ─▶ resolved::Config
//! ```
//!
//! [`load()`] goes the whole way and reports all faults at once, each with its line and column;
//! [`to_toml`] writes what was loaded such that it loads again to the same bits.

pub mod diagnostic;
mod load;
mod overrides;
mod path;
mod problem;
pub mod raw;
mod read;
pub mod reference;
mod resolve;
pub mod resolved;
mod schema;
mod source;

pub use load::{Loaded, load, parse, to_toml};
pub use overrides::Overrides;
pub use path::KeyPath;
pub use problem::{Part, Problem, Report, nearest};
pub use resolve::shape;
pub use schema::schema;

#[cfg(test)]
mod tests;
