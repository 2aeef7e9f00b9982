//! `pliant check`: validates a config and loads its meshes, without simulating.

use clap::Args;

use super::scene::SceneArgs;

/// Arguments of `pliant check`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Example:\n  pliant check configs/cantilever.toml\n\nAll faults of a config are reported together, with \
                        line and column; the exit code is then 2."
)]
pub struct CheckArgs {
    /// The scene.
    #[command(flatten)]
    pub scene: SceneArgs,
}
