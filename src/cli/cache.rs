//! `pliant cache`: lists, verifies or empties the cache.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Subcommand};
use serde_json::json;

use super::Global;
use super::report::write_stdout;
use super::size::shown;
use crate::cache::{Cache, Check, Fault};
use crate::error::{Error, Result};
use crate::model::numbering;
use crate::{meshing, solver};

/// Arguments of `pliant cache`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  pliant cache list\n  pliant cache verify --cache-dir /shared/pliant-cache\n  \
                  pliant cache prune --max-size 20GB --older-than 30d"
)]
pub struct CacheArgs {
    /// The action on the cache.
    #[command(subcommand)]
    pub action: CacheAction,
    /// Print JSON for programs.
    #[arg(long, global = true)]
    pub json: bool,
}

/// The actions of `pliant cache`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Subcommand)]
pub enum CacheAction {
    /// List the entries with their sizes
    List,
    /// Read every entry and report damaged ones
    Verify,
    /// Remove all entries
    Clear,
    /// Remove entries that were not used for long, or the oldest ones beyond a size
    Prune {
        /// The size that the entries may have together, such as 20GB; those whose last use is the longest ago go first.
        #[arg(long, value_name = "SIZE", value_parser = super::size::parse, required_unless_present = "older_than")]
        max_size: Option<u64>,
        /// Remove entries that were not used for so long, such as 30d or 12h.
        #[arg(long, value_name = "AGE", value_parser = parse_age)]
        older_than: Option<Duration>,
    },
}

/// Reads an age in days, hours or minutes.
fn parse_age(text: &str) -> std::result::Result<Duration, String> {
    let units = [('d', 86_400.0), ('h', 3600.0), ('m', 60.0)];
    let found =
        units.iter().find_map(|(unit, seconds)| text.strip_suffix(*unit).map(|number| (number, seconds)));
    let seconds =
        found.and_then(|(number, seconds)| number.parse::<f64>().ok().map(|number| number * seconds));
    let seconds = seconds.filter(|seconds| (0.0..1e12).contains(seconds));
    seconds.map(Duration::from_secs_f64).ok_or_else(|| "wants an age such as 30d, 12h or 90m".to_owned())
}

/// The checks of all kinds of entries.
const CHECKS: [Check; 4] =
    [numbering::CHECK, meshing::CHECK, solver::CACHE_CHECKS[0], solver::CACHE_CHECKS[1]];

impl CacheArgs {
    /// Performs the action; the listing goes to stdout.
    pub fn run(&self, global: &Global) -> Result<()> {
        let cache = global.cache();
        let Some(dir) = cache.dir() else {
            return Err(Error::Run {
                path: "cache".into(),
                reason: "no cache directory is known".into(),
                hint: "give one with --cache-dir or $PLIANT_CACHE_DIR".into(),
            });
        };
        let removed = match self.action {
            CacheAction::Clear => Some(cache.clear()?),
            CacheAction::Prune { max_size, older_than } => Some(cache.prune(older_than, max_size)?),
            CacheAction::List | CacheAction::Verify => None,
        };
        if let Some((count, bytes)) = removed {
            return write_stdout(&if self.json {
                format!("{:#}\n", json!({ "directory": dir, "removed": count, "bytes": bytes }))
            } else {
                format!("removed {count} entries, {} from {}\n", shown(bytes), dir.display())
            });
        }
        let entries = entries(&cache, self.action == CacheAction::Verify)?;
        write_stdout(&if self.json { as_json(dir, &entries) } else { as_text(dir, &entries) })?;
        let damaged = entries.iter().filter(|entry| matches!(entry.verdict, Some(Err(_)))).count();
        if damaged > 0 {
            return Err(Error::Failed {
                what: format!("{damaged} cache entries are unusable"),
                hint: "they will be recomputed when needed; 'pliant cache clear' removes all entries".into(),
            });
        }
        Ok(())
    }
}

/// An entry of the cache.
struct Entry {
    name: String,
    bytes: u64,
    /// What was found by reading it; `None` if it was not read.
    verdict: Option<std::result::Result<(), Fault>>,
}

/// All entries; reads them if they are to be verified.
fn entries(cache: &Cache, verify: bool) -> Result<Vec<Entry>> {
    let entry = |(path, bytes): (PathBuf, u64)| Entry {
        name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        bytes,
        verdict: verify.then(|| cache.verify(&path, &CHECKS)),
    };
    Ok(cache.entries()?.into_iter().map(entry).collect())
}

fn total(entries: &[Entry]) -> u64 {
    entries.iter().map(|entry| entry.bytes).sum()
}

fn as_json(dir: &Path, entries: &[Entry]) -> String {
    let entry = |Entry { name, bytes, verdict }: &Entry| {
        let fault = verdict.as_ref().and_then(|verdict| verdict.as_ref().err()).map(ToString::to_string);
        json!({ "name": name, "bytes": bytes, "sound": verdict.as_ref().map(Result::is_ok), "fault": fault })
    };
    let list: Vec<_> = entries.iter().map(entry).collect();
    format!("{:#}\n", json!({ "directory": dir, "bytes": total(entries), "entries": list }))
}

fn as_text(dir: &Path, entries: &[Entry]) -> String {
    let line = |Entry { name, bytes, verdict }: &Entry| {
        let verdict = match verdict {
            Some(Ok(())) => "  sound".to_owned(),
            Some(Err(fault)) => format!("  {fault}"),
            None => String::new(),
        };
        format!("{:>10}  {name}{verdict}\n", shown(*bytes))
    };
    let lines: String = entries.iter().map(line).collect();
    format!("{lines}{} entries, {} in {}\n", entries.len(), shown(total(entries)), dir.display())
}
