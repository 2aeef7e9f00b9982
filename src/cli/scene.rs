//! The config that a command works on, and the flags that change it.

use std::path::PathBuf;

use clap::Args;

use super::Global;
use super::new::{WishArgs, draft};
use crate::config::{self, Loaded, Overrides};
use crate::error::{Error, Result};
use crate::io::Format;

/// A config or a mesh, with overrides; shared by check, converge, precompute and simulate.
#[derive(Args, Clone, Debug)]
pub struct SceneArgs {
    /// The config, a TOML file; or a mesh, for the scene that 'pliant new' would write.
    #[arg(value_name = "CONFIG|MESH")]
    pub config: PathBuf,
    /// What the scene of a mesh should have.
    #[command(flatten)]
    pub wishes: WishArgs,
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
    /// Loads the config, or makes that of a mesh, with the overrides; warnings and notes go to the log.
    pub fn load(&self, global: &Global) -> Result<Loaded> {
        let loaded = if Format::of_path(&self.config).is_some() {
            let draft = draft(&self.config, "".as_ref(), &self.wishes, global)?;
            config::load_made(&self.config, &draft.text, &self.overrides())?
        } else {
            self.refuse_wishes()?;
            config::load(&self.config, &self.overrides())?
        };
        for warning in &loaded.warnings {
            tracing::warn!(code = "config", file = %self.config.display(), "{}: {warning}", self.config.display());
        }
        loaded.notes.iter().for_each(|note| tracing::info!("{note}"));
        Ok(loaded)
    }

    /// Refuses flags that say what the scene of a mesh should have, beside a config.
    fn refuse_wishes(&self) -> Result<()> {
        let WishArgs { pin, shake, floor, preset } = &self.wishes;
        let flags = [
            ("--pin", pin.is_some(), "write [[body.pin]]"),
            ("--shake", shake.is_some(), "write motion = { shake = … } in a [[body.pin]]"),
            ("--floor", *floor, "write an [[obstacle]]"),
            ("--preset", preset.is_some(), "use --set body.0.material.preset=NAME"),
        ];
        match flags.iter().find(|(_, given, _)| *given) {
            None => Ok(()),
            Some((flag, _, way)) => Err(Error::Usage {
                what: format!("{flag} is for meshes, and {} is a config", self.config.display()),
                hint: (*way).into(),
            }),
        }
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
