//! Configs: TOML in, validated scenes out.

pub mod diagnostic;
pub mod raw;
pub mod resolved;
