//! The flag for the number of threads.

use clap::Args;

use crate::error::{Error, Result};
use elements::par;

/// The largest number of threads that can be asked for.
const MOST: usize = 4096;

/// How many threads a command uses.
#[derive(Args, Clone, Debug)]
pub struct ThreadArgs {
    /// Threads to use; default: $PLIANT_THREADS, else one per core. Results do not depend on it.
    #[arg(long, value_name = "N", value_parser = parse)]
    pub threads: Option<usize>,
}

impl ThreadArgs {
    /// Runs a command on one of these threads.
    pub fn run(&self, command: impl FnOnce() -> Result<()> + Send) -> Result<()> {
        let threads = self.threads.map_or_else(of_environment, |threads| Ok(Some(threads)))?;
        par::enter(threads, command)
    }
}

/// The number of threads that the environment asks for.
fn of_environment() -> Result<Option<usize>> {
    let Some(text) = std::env::var_os("PLIANT_THREADS").filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    parse(&text.to_string_lossy()).map(Some).map_err(|wish| Error::Usage {
        what: format!("the variable PLIANT_THREADS is '{}'", text.to_string_lossy()),
        hint: format!("it {wish}; or leave it out"),
    })
}

/// The threads that there are for everything together: what the environment asks for, or one per core.
pub fn budget() -> Result<usize> {
    let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    Ok(of_environment()?.unwrap_or_else(cores))
}

/// Reads a number of threads, at least 1.
fn parse(text: &str) -> Result<usize, String> {
    let count = text.parse::<usize>().ok().filter(|count| (1..=MOST).contains(count));
    count.ok_or_else(|| format!("wants a whole number from 1 to {MOST}"))
}
