//! `pliant paper`: the papers' tables and figures, measured again.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use super::Global;
use super::report::write_stdout;
use super::threads::ThreadArgs;
use crate::error::{Error, Result};
use crate::papers::report::{self, Entry};
use crate::papers::store::Files;
use crate::papers::verdict::Verdict;
use crate::papers::{self, Wishes};

/// Arguments of `pliant paper`.
#[derive(Args, Clone, Debug)]
pub struct PaperArgs {
    /// What to do.
    #[command(subcommand)]
    pub action: Action,
}

/// What to do with the rows.
#[derive(Clone, Debug, Subcommand)]
pub enum Action {
    /// List the rows, with the verdicts of those that were run
    List(ListArgs),
    /// Measure rows, or those that have no figures yet, and judge them
    Run(RunArgs),
    /// Write report.html and report.md from the figures that are there
    Report(ListArgs),
}

/// Where figures are, and of which form.
#[derive(Args, Clone, Debug)]
pub struct ListArgs {
    /// The quick form of every row.
    #[arg(long)]
    pub quick: bool,
    /// Where figures are; default: outputs/papers, of the quick form outputs/papers-quick.
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Take rows from this folder, which is laid out like papers/ of the project, in the place of the program's own.
    #[arg(long, value_name = "DIR")]
    pub rows: Option<PathBuf>,
}

/// Arguments of `pliant paper run`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  pliant paper run liu2017-table1\n  pliant paper run --quick\n  pliant paper run \
                        ledwon2024-table5-1 --swap 'pd=>vbd' -o outputs/with-vbd\n\nFigures are kept: a row is measured again \
                        when its scene, its meshes or the program have changed. The exit code is 4 if a row fails."
)]
pub struct RunArgs {
    /// Keys of rows, or what several keys begin with, such as liu2017; default: all rows.
    #[arg(value_name = "KEY")]
    pub keys: Vec<String>,
    /// The form and the place of the figures.
    #[command(flatten)]
    pub place: ListArgs,
    /// The folder with the papers' own meshes; default: $PLIANT_PAPER_MESHES, else ../shared/meshes/papers if it is there.
    #[arg(long, value_name = "DIR")]
    pub meshes: Option<PathBuf>,
    /// Put another solver into the place of one that a row names, both as compare takes them; may be repeated.
    #[arg(long, value_name = "SOLVER=>OTHER", value_parser = swap)]
    pub swap: Vec<(String, String)>,
    /// Take figures that another build of the program measured.
    #[arg(long)]
    pub keep: bool,
    /// The number of threads.
    #[command(flatten)]
    pub threads: ThreadArgs,
}

/// Reads `SOLVER=>OTHER`; solvers have `=` in their options, so that the sign is an arrow.
fn swap(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once("=>").ok_or("wants SOLVER=>OTHER, such as 'pd=>vbd'")?;
    Ok((parts.0.trim().to_owned(), parts.1.trim().to_owned()))
}

impl ListArgs {
    fn root(&self) -> PathBuf {
        let default = if self.quick { "outputs/papers-quick" } else { "outputs/papers" };
        self.output.clone().unwrap_or_else(|| default.into())
    }

    fn entries(&self) -> Result<Vec<Entry>> {
        let files = Files::at(&self.root());
        papers::rows(self.rows.as_deref())?.into_iter().map(|row| Entry::of(row, &files)).collect()
    }

    fn list(&self) -> Result<()> {
        let entries = self.entries()?;
        let width = entries.iter().map(|entry| entry.row.key.len()).max().unwrap_or(0);
        let line = |entry: &Entry| {
            format!("{:width$}  {:7}  {}\n", entry.row.key, entry.word(), entry.row.spec.title)
        };
        write_stdout(&entries.iter().map(line).collect::<String>())
    }

    fn report(&self) -> Result<()> {
        let wishes = Wishes { quick: self.quick, ..Wishes::default() };
        let paths = report::write(&self.entries()?, &self.root(), &wishes)?;
        write_stdout(&paths.iter().map(|path| format!("{}\n", path.display())).collect::<String>())
    }
}

impl RunArgs {
    fn run(&self, global: &Global) -> Result<()> {
        let files = Files::at(&self.place.root());
        let wishes = Wishes {
            quick: self.place.quick,
            meshes: self.meshes()?,
            swaps: self.swap.clone(),
            rows: self.place.rows.clone(),
            keep: self.keep,
        };
        let mut failed = vec![];
        for row in papers::chosen(&self.keys, self.place.rows.as_deref())? {
            tracing::info!("{}", row.key);
            let (stored, measured) = papers::run(&row, &wishes, &files, &global.cache())?;
            if !measured {
                tracing::info!("{}: the figures of an earlier run still hold", row.key);
            }
            tracing::debug!("{}: {:.1} s", row.key, stored.seconds);
            let entry = Entry::of(row, &files)?;
            write_stdout(&report::terminal(&entry))?;
            if entry.verdict == Some(Verdict::Fails) {
                failed.push(entry.row.key);
            }
        }
        if failed.is_empty() {
            return Ok(());
        }
        Err(Error::Missed {
            what: format!(
                "{} of the rows differ without an explanation: {}",
                failed.len(),
                failed.join(", ")
            ),
            hint: "the tables above say by how much".into(),
        })
    }

    /// The folder with the papers' meshes; one that was asked for must be there.
    fn meshes(&self) -> Result<Option<PathBuf>> {
        let variable = std::env::var_os("PLIANT_PAPER_MESHES").filter(|value| !value.is_empty());
        let (from, asked) = match (&self.meshes, variable) {
            (Some(path), _) => ("--meshes", path.clone()),
            (None, Some(path)) => ("PLIANT_PAPER_MESHES", path.into()),
            (None, None) => {
                let beside = Path::new("../shared/meshes/papers");
                return Ok(beside.is_dir().then(|| beside.to_owned()));
            }
        };
        if asked.is_dir() {
            return Ok(Some(asked));
        }
        Err(Error::Usage {
            what: format!("{from}: there is no folder {}", asked.display()),
            hint: "without one, rows are measured on meshes made here".into(),
        })
    }
}

impl PaperArgs {
    /// Lists, measures or reports.
    pub fn run(&self, global: &Global) -> Result<()> {
        match &self.action {
            Action::List(args) => args.list(),
            Action::Run(args) => args.threads.run(|| args.run(global)),
            Action::Report(args) => args.report(),
        }
    }
}
