//! The flag for the number of threads.

use clap::Args;

use crate::error::Result;
use elements::par;

/// The largest number of threads that can be asked for.
const MOST: usize = 4096;

/// How many threads a command uses.
#[derive(Args, Clone, Debug)]
pub struct ThreadArgs {
    /// Threads to use; default: one per core. Results do not depend on it.
    #[arg(long, value_name = "N", value_parser = parse)]
    pub threads: Option<usize>,
}

impl ThreadArgs {
    /// Runs a command on one of these threads.
    pub fn run(&self, command: impl FnOnce() -> Result<()> + Send) -> Result<()> {
        par::enter(self.threads, command)
    }
}

/// Reads a number of threads, at least 1.
fn parse(text: &str) -> Result<usize, String> {
    let count = text.parse::<usize>().ok().filter(|count| (1..=MOST).contains(count));
    count.ok_or_else(|| format!("wants a whole number from 1 to {MOST}"))
}
