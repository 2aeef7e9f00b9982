//! `pliant help`: the help of a command, or the keys of a config.

use clap::{Args, Command, CommandFactory};

use super::Cli;
use super::report::write_stdout;
use crate::config::{manual, schema};
use crate::error::{Error, Result};

/// Arguments of `pliant help`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  pliant help simulate\n  pliant help config\n  pliant help config material.young\n  pliant help config \
                        body.pin"
)]
pub struct HelpArgs {
    /// A command; or 'config', with a key or without.
    #[arg(value_name = "COMMAND|config")]
    pub topic: Vec<String>,
}

impl HelpArgs {
    /// Prints the help.
    pub fn run(&self) -> Result<()> {
        if let Some((first, keys)) = self.topic.split_first()
            && first == "config"
        {
            return about_keys(keys);
        }
        let mut command = Cli::command();
        command.build();
        let mut at = &mut command;
        for name in &self.topic {
            at = find(at, name)?;
        }
        write_stdout(&at.render_long_help().to_string())
    }
}

fn find<'a>(command: &'a mut Command, name: &str) -> Result<&'a mut Command> {
    let of = command.get_name().to_owned();
    command.find_subcommand_mut(name).ok_or_else(|| Error::Usage {
        what: format!("{of} has no command '{name}'"),
        hint: "'pliant help' lists all; 'pliant help config' has the keys of configs".into(),
    })
}

/// The keys of a config: all, or some.
fn about_keys(keys: &[String]) -> Result<()> {
    let schema = schema();
    if keys.is_empty() {
        return write_stdout(&manual::overview(&schema));
    }
    for key in keys {
        let text = manual::explain(&schema, key)
            .map_err(|hint| Error::Usage { what: format!("no key of a config is called '{key}'"), hint })?;
        write_stdout(&text)?;
    }
    Ok(())
}
