//! `pliant cache`: what the cache holds, whether it is sound, and how to empty it.

use clap::{Args, Subcommand};

/// Arguments of `pliant cache`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  pliant cache list\n  pliant cache verify --cache-dir /shared/pliant-cache"
)]
pub struct CacheArgs {
    /// What to do.
    #[command(subcommand)]
    pub action: CacheAction,
}

/// What `pliant cache` can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Subcommand)]
pub enum CacheAction {
    /// List the entries with their sizes
    List,
    /// Read every entry and report damaged ones
    Verify,
    /// Remove all entries
    Clear,
}
