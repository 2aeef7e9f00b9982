//! `pliant precompute`: fills the cache with the results that a simulation of a config needs.

use clap::Args;

use super::intersections::shown;
use super::progress::Busy;
use super::scene::SceneArgs;
use super::threads::ThreadArgs;
use super::{Global, progress};
use crate::error::Result;
use crate::simulate::Simulation;

/// Arguments of `pliant precompute`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Example:\n  pliant precompute configs/cantilever.toml --cache-dir /shared/pliant-cache\n\nA cache in a \
                        shared directory serves every machine that simulates the config."
)]
pub struct PrecomputeArgs {
    /// The config with its overrides.
    #[command(flatten)]
    pub scene: SceneArgs,
    /// The number of threads.
    #[command(flatten)]
    pub threads: ThreadArgs,
}

impl PrecomputeArgs {
    /// Prepares the simulation and drops it: its results stay in the cache.
    pub fn run(&self, global: &Global) -> Result<()> {
        let loaded = self.scene.load(global)?;
        let busy = Busy::new(global, "preparing: meshes, order, factor");
        let (mut simulation, report) = shown(Simulation::new(&loaded.scene, &global.cache()), &loaded.scene)?;
        drop(busy);
        progress::log_preparation(&report, &simulation);
        simulation.precompute(loaded.scene.time.frames * loaded.scene.time.substeps)?;
        if let Some(text) = progress::describe_refactors(&simulation.refactors) {
            tracing::info!("{text}");
        }
        Ok(())
    }
}
