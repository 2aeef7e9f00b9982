//! `pliant export`: the frames of a run in other formats.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::Global;
use super::progress::Busy;
use super::signals::stop_on_interrupt;
use crate::config::Overrides;
use crate::error::Result;
use crate::view::replay::export::{Export, export, format_names};
use crate::view::replay::{Replay, Run};

/// Arguments of `pliant export`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  pliant export outputs/cantilever --format obj\n  pliant export outputs/cantilever \
                  --format ply --format obj --every 2 --from 20 --until 80 -o frames\n\nThe run must have vtu frames. \
                  Of a run with Float64 frames, exported ones are those that 'simulate' would have written, byte for byte."
)]
pub struct ExportArgs {
    /// The run directory.
    #[arg(value_name = "RUN_DIR")]
    pub run: PathBuf,
    /// A format of frames; may be repeated for several.
    #[arg(long, value_name = "FORMAT", required = true, value_parser = PossibleValuesParser::new(format_names()))]
    pub format: Vec<String>,
    /// Where the frames go; default: the run directory.
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Every how many of the run's frames; the last one is always written.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub every: u64,
    /// The first frame.
    #[arg(long, value_name = "FRAME", default_value_t = 0)]
    pub from: u64,
    /// The last frame; default: the last of the run.
    #[arg(long, value_name = "FRAME")]
    pub until: Option<u64>,
    /// Replace frames of these formats that are there already.
    #[arg(long)]
    pub force: bool,
    /// Write Float32 where the format has a choice, whatever the run has.
    #[arg(long)]
    pub float32: bool,
}

impl ExportArgs {
    /// Writes the frames and prints what was written.
    pub fn run(&self, global: &Global) -> Result<()> {
        let mut formats = self.format.clone();
        formats.sort_unstable();
        formats.dedup();
        let quoted: Vec<String> = formats.iter().map(|name| format!("{name:?}")).collect();
        let mut set = vec![format!("output.formats=[{}]", quoted.join(", "))];
        if self.float32 {
            set.push("output.float32=true".into());
        }
        let run = Run::open(&self.run, &Overrides { set, ..Overrides::default() })?;
        let replay = Replay::new(run, &global.cache())?;
        let wanted = Export {
            dir: self.output.as_deref().unwrap_or(&self.run),
            every: self.every,
            from: self.from,
            until: self.until.unwrap_or(u64::MAX),
            replace: self.force,
        };
        let busy = Busy::new(global, format!("writing {}", formats.join(", ")));
        let report = export(&replay, &wanted, &stop_on_interrupt())?;
        drop(busy);
        let (frames, files) = (report.frames, report.files);
        tracing::info!(
            "{frames} frames, {files} files ({}) written to {}",
            formats.join(", "),
            wanted.dir.display()
        );
        Ok(())
    }
}
