//! The command line: one file per command with its arguments; nothing numerical.
//!
//! Exit codes: 0 done, 1 failed while running, 2 bad usage or config, 3 interrupted, 4 done but a demanded quality is missed.

pub mod allocator;
mod archive;
pub mod blender_addon;
pub mod cache;
pub mod check;
pub mod compare;
pub mod completions;
pub mod converge;
pub mod convert;
pub mod export;
pub mod fit;
pub mod generate;
pub mod help;
pub mod info;
mod intersections;
pub mod log;
pub mod mesh;
pub mod new;
pub mod paper;
pub mod plot;
pub mod precompute;
pub mod preview;
mod progress;
pub mod repair;
pub mod report;
pub mod scene;
pub mod schema;
mod signals;
pub mod simulate;
mod size;
pub mod solvers;
pub mod summarize;
pub mod sweep;
pub mod threads;

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use crate::cache::Cache;
use crate::error::Result;
#[cfg(feature = "tetgen")]
use crate::meshing::tetgen;

/// Elastic bodies on the command line: meshes in, simulated VTK/PLY frames out.
#[derive(Clone, Debug, Parser)]
#[command(name = "pliant", version, max_term_width = 100, disable_help_subcommand = true)]
pub struct Cli {
    /// Flags of every command.
    #[command(flatten)]
    pub global: Global,
    /// The command to run.
    #[command(subcommand)]
    pub command: Command,
}

/// Flags of every command.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// Say more; twice: everything.
    #[arg(short, long, global = true, action = clap::ArgAction::Count, conflicts_with = "quiet")]
    pub verbose: u8,
    /// Say less: only warnings and errors; twice: only errors.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub quiet: u8,
    /// How messages are written to stderr.
    #[arg(long, global = true, value_enum, value_name = "FORMAT", default_value_t)]
    pub log_format: log::Format,
    /// Where factors are kept between runs; default: $PLIANT_CACHE_DIR, else the user's cache directory. Of several, as in
    /// SHARED:OWN, all are looked through and the last one is written to.
    #[arg(long, global = true, value_name = "DIR")]
    pub cache_dir: Option<PathBuf>,
    /// How large the arrays of a mesh file may become when they are decoded, e.g. 8GB; default: 64 times the file and 64 MB.
    #[arg(long, global = true, value_name = "SIZE", value_parser = size::parse)]
    pub max_decoded: Option<u64>,
    /// Whether messages are coloured.
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t)]
    pub color: log::Color,
}

impl Global {
    /// The cache; a disabled one if no directory is known.
    pub fn cache(&self) -> Cache {
        let Some(dir) = self.cache_directory() else { return Cache::disabled() };
        // A directory may have the separator in its name.
        let mut dirs = if dir.is_dir() { vec![dir] } else { std::env::split_paths(&dir).collect::<Vec<_>>() };
        let own = dirs.pop().unwrap_or_default();
        Cache::at(&own).over(dirs)
    }

    /// True if messages go to a terminal as text, and are wanted.
    pub fn is_for_a_person(&self) -> bool {
        std::io::stderr().is_terminal() && self.log_format == log::Format::Text && self.quiet == 0
    }

    /// The cache directory; `None` if neither a flag nor the environment gives one.
    pub fn cache_directory(&self) -> Option<PathBuf> {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let user = || {
            let base = if cfg!(windows) {
                variable("LOCALAPPDATA")
            } else if cfg!(target_os = "macos") {
                variable("HOME").map(|home| home.join("Library/Caches"))
            } else {
                let absolute = variable("XDG_CACHE_HOME").filter(|path| path.is_absolute());
                absolute.or_else(|| variable("HOME").map(|home| home.join(".cache")))
            };
            base.map(|base| base.join("pliant"))
        };
        self.cache_dir.clone().or_else(|| variable("PLIANT_CACHE_DIR")).or_else(user)
    }
}

/// The commands of the program.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Print or write a commented config for a mesh
    New(new::NewArgs),
    /// Write a procedural mesh: beam, box, sphere, torus, cloth, rope
    Generate(generate::GenerateArgs),
    /// Fill a surface with tets
    Mesh(mesh::MeshArgs),
    /// Convert a mesh from one format to another
    Convert(convert::ConvertArgs),
    /// Say what a mesh file holds: counts, bounds, arrays, quality
    Info(info::InfoArgs),
    /// Validate a config and load its meshes, without simulating
    Check(check::CheckArgs),
    /// Fill the cache with what a config needs
    Precompute(precompute::PrecomputeArgs),
    /// Simulate a config and write its frames
    Simulate(simulate::SimulateArgs),
    /// Compare solvers on one step of a config, or on whole runs
    Compare(compare::CompareArgs),
    /// Simulate a config on finer meshes too, and say how far its own is off
    Converge(converge::ConvergeArgs),
    /// Fit a material to measured stress over stretch
    Fit(fit::FitArgs),
    /// Measure the tables and figures of the papers again
    Paper(paper::PaperArgs),
    /// Run a config with many values, here or on a cluster
    Sweep(sweep::SweepArgs),
    /// Show many runs as one table: what differs, how they ended, what was measured
    Summarize(summarize::SummarizeArgs),
    /// Write the frames of a run in other formats
    Export(export::ExportArgs),
    /// Make a page for browsers, a picture or a moving picture of a run
    Preview(preview::PreviewArgs),
    /// Draw charts of runs, or of the materials of a config
    Plot(plot::PlotArgs),
    /// Show which solver can simulate what, and its options
    Solvers(solvers::SolversArgs),
    /// List, verify, prune or clear the cache of factors
    Cache(cache::CacheArgs),
    /// Pack the add-on for Blender, to be installed there
    BlenderAddon(blender_addon::BlenderAddonArgs),
    /// Print a completion script for a shell
    Completions(completions::CompletionsArgs),
    /// Print the JSON schema of configs, for editors
    Schema(schema::SchemaArgs),
    /// Print the help of a command, or the keys of configs
    Help(help::HelpArgs),
}

impl Cli {
    /// Runs the chosen command.
    pub fn run(&self) -> Result<()> {
        match &self.command {
            Command::New(args) => args.run(&self.global),
            Command::Generate(args) => args.run(),
            Command::Mesh(args) => args.threads.run(|| args.run(&self.global)),
            Command::Convert(args) => args.run(),
            Command::Info(args) => args.run(),
            Command::Check(args) => args.run(&self.global),
            Command::Precompute(args) => args.threads.run(|| args.run(&self.global)),
            Command::Simulate(args) => args.threads.run(|| args.run(&self.global)),
            Command::Compare(args) => args.threads.run(|| args.run(&self.global)),
            Command::Converge(args) => args.threads.run(|| args.run(&self.global)),
            Command::Fit(args) => args.run(),
            Command::Paper(args) => args.run(&self.global),
            Command::Sweep(args) => args.run(&self.global),
            Command::Summarize(args) => args.run(),
            Command::Export(args) => args.run(&self.global),
            Command::Preview(args) => args.threads.run(|| args.run(&self.global)),
            Command::Plot(args) => args.run(),
            Command::Solvers(args) => args.run(),
            Command::Cache(args) => args.run(&self.global),
            Command::BlenderAddon(args) => args.run(),
            Command::Completions(args) => args.run(),
            Command::Schema(args) => args.run(),
            Command::Help(args) => args.run(),
        }
    }
}

/// The whole program: arguments, logging, the command, its error, the exit code.
pub fn main() -> ExitCode {
    signals::survive_file_size_limit();
    #[cfg(feature = "tetgen")]
    {
        if let Some(code) = tetgen::native::serve(std::env::args_os()) {
            return code;
        }
        // If the path of this program is not known, the program `tetgen` is looked for.
        std::env::current_exe().into_iter().for_each(tetgen::set_program);
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return report::report_usage(&error),
    };
    log::init(&cli.global);
    cli.global.max_decoded.into_iter().for_each(crate::io::budget::allow);
    match cli.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => report::report(&error, &cli.global),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn global_flags_may_stand_before_and_after_the_command() {
        for line in
            [["pliant", "-vv", "--color=never", "schema"], ["pliant", "schema", "-vv", "--color=never"]]
        {
            let cli = Cli::try_parse_from(line).unwrap();
            assert_eq!((cli.global.verbose, cli.global.color), (2, log::Color::Never));
        }
        assert!(Cli::try_parse_from(["pliant", "-v", "-q", "schema"]).is_err());
    }

    #[test]
    fn the_cache_directory_of_the_flag_wins() {
        let cli = Cli::try_parse_from(["pliant", "schema", "--cache-dir", "/c"]).unwrap();
        assert_eq!(cli.global.cache_directory(), Some(PathBuf::from("/c")));
    }
}
