//! `pliant cache`: lists, verifies or empties the cache.

use std::time::Duration;

use clap::{Args, Subcommand};

use super::Global;
use super::report::write_stdout;
use super::size::shown;
use crate::cache::Check;
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
        if self.action == CacheAction::Clear {
            let (count, bytes) = cache.clear()?;
            let text = format!("removed {count} entries, {} from {}\n", shown(bytes), dir.display());
            return write_stdout(&text);
        }
        if let CacheAction::Prune { max_size, older_than } = self.action {
            let (count, bytes) = cache.prune(older_than, max_size)?;
            let text = format!("removed {count} entries, {} from {}\n", shown(bytes), dir.display());
            return write_stdout(&text);
        }
        let entries = cache.entries()?;
        let (mut text, mut damaged) = (String::new(), 0);
        for (path, bytes) in &entries {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let verdict = match self.action {
                CacheAction::Verify => match cache.verify(path, &CHECKS) {
                    Ok(()) => "  sound".to_owned(),
                    Err(fault) => {
                        damaged += 1;
                        format!("  {fault}")
                    }
                },
                _ => String::new(),
            };
            text += &format!("{:>10}  {name}{verdict}\n", shown(*bytes));
        }
        let total = entries.iter().map(|(_, bytes)| bytes).sum();
        text += &format!("{} entries, {} in {}\n", entries.len(), shown(total), dir.display());
        write_stdout(&text)?;
        if damaged > 0 {
            return Err(Error::Failed {
                what: format!("{damaged} cache entries are unusable"),
                hint: "they will be recomputed when needed; 'pliant cache clear' removes all entries".into(),
            });
        }
        Ok(())
    }
}
