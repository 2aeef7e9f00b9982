//! `pliant completions`: scripts that let a shell complete commands and flags.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::{Cli, report};
use crate::error::Result;

/// Arguments of `pliant completions`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Example:\n  pliant completions bash > ~/.local/share/bash-completion/completions/pliant"
)]
pub struct CompletionsArgs {
    /// The shell that the script is for.
    #[arg(value_enum)]
    pub shell: Shell,
}

impl CompletionsArgs {
    /// Prints the script for the shell.
    pub fn run(&self) -> Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "pliant", &mut script);
        report::write_stdout(&String::from_utf8_lossy(&script))
    }
}
