//! Configs: TOML in, validated scenes out.

pub mod diagnostic;
pub mod resolved;
