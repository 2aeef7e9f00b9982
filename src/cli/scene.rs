//! The config that a command works on, and the flags that change it.

use std::path::PathBuf;

use clap::Args;

use crate::config::{self, Loaded, Overrides};
use crate::error::Result;

/// A config with overrides; shared by check, precompute and simulate.
#[derive(Args, Clone, Debug)]
pub struct SceneArgs {
    /// The config, a TOML file.
    pub config: PathBuf,
    /// Replace a value of the config, such as body.0.material.young=1e5; may be repeated.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Use this solver instead of the config's.
    #[arg(long, value_name = "KIND")]
    pub solver: Option<String>,
    /// Simulate this many frames instead of the config's.
    #[arg(long, value_name = "N")]
    pub frames: Option<u64>,
    /// Write to this run directory instead of the config's, relative to the working directory.
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

impl SceneArgs {
    /// Loads the config with the overrides; warnings go to the log.
    pub fn load(&self) -> Result<Loaded> {
        let loaded = config::load(&self.config, &self.overrides())?;
        for warning in &loaded.warnings {
            tracing::warn!(code = "config", file = %self.config.display(), "{}: {warning}", self.config.display());
        }
        Ok(loaded)
    }

    /// The overrides that the flags ask for.
    pub fn overrides(&self) -> Overrides {
        Overrides {
            set: self.set.clone(),
            vary: vec![],
            solver: self.solver.clone(),
            frames: self.frames,
            output: self.output.clone(),
        }
    }
}
