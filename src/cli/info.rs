//! `pliant info`: what a mesh file holds.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `pliant info`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  pliant info bar.vtu\n  pliant info bar.vtu --json | jq .tets")]
pub struct InfoArgs {
    /// A mesh file of any readable format.
    pub file: PathBuf,
    /// Print JSON instead of text.
    #[arg(long)]
    pub json: bool,
}
