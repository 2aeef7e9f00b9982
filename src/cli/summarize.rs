//! `pliant summarize`: many runs as one table.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use super::report::write_stdout;
use crate::error::Result;
use crate::fs::write_atomically;
use crate::summarize::measure::Measure;
use crate::summarize::{Table, page};

/// Arguments of `pliant summarize`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  pliant summarize outputs/cantilever outputs/stiffer\n  pliant summarize examples/sweep.toml --measure \
                        max:kinetic --measure last:tip_y --html softness.html\n\nA row is a run; the values in which runs differ are \
                        columns. Runs that are not done, or not converged, are told with the command that goes on."
)]
pub struct SummarizeArgs {
    /// Run directories, directories of them, or sweeps.
    #[arg(value_name = "DIR|SWEEP", required = true)]
    pub paths: Vec<PathBuf>,
    /// A number of each run: last, min, max or mean of a column of metrics.csv or probes.csv, such as max:kinetic; may be repeated.
    /// Default: the last value of every probe.
    #[arg(long, value_name = "HOW:COLUMN")]
    pub measure: Vec<Measure>,
    /// Print CSV.
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Write a page for browsers, with charts over the values that differ.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

impl SummarizeArgs {
    /// Reads the runs and prints the table.
    pub fn run(&self) -> Result<()> {
        let table = Table::read(&self.paths, &self.measure)?;
        if let Some(path) = &self.html {
            write_atomically(path, |out| out.write_all(page::page(&table).as_bytes()))?;
        }
        match (self.csv, self.json, &self.html) {
            (true, ..) => write_stdout(&table.to_csv()),
            (_, true, _) => write_stdout(&table.to_json()),
            (_, _, None) => write_stdout(&table.to_text()),
            (_, _, Some(path)) => write_stdout(&format!("{}\n", path.display())),
        }
    }
}
