//! `pliant info`: describes a mesh file.

use std::path::PathBuf;

use clap::Args;

use super::report::write_stdout;
use crate::error::{Action, Error, Result};
use crate::io;
use crate::mesh::info::describe;

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

impl InfoArgs {
    /// Reads the file and prints its description.
    pub fn run(&self) -> Result<()> {
        let info = describe(&io::read(&self.file)?);
        let text = if self.json {
            let json = serde_json::to_string_pretty(&info);
            json.map_err(|e| Error::io(Action::Write, &self.file, e.into()))? + "\n"
        } else {
            format!("{}\n{info}\n", self.file.display())
        };
        write_stdout(&text)
    }
}
