//! `pliant schema`: the JSON schema of configs.

use clap::Args;

use super::report;
use crate::config;
use crate::error::Result;

/// Arguments of `pliant schema`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Example:\n  pliant schema > pliant.schema.json\n\nEditors with the Taplo or Even Better TOML \
                        extension complete and check a config whose first line is\n  #:schema pliant.schema.json"
)]
pub struct SchemaArgs {}

impl SchemaArgs {
    /// Prints the schema.
    pub fn run(&self) -> Result<()> {
        report::write_stdout(&format!("{:#}\n", config::schema()))
    }
}
