//! The names that most programs need.
//!
//! | to | take |
//! |---|---|
//! | describe a scene | [`Scene`], [`Body`], [`Material`], [`Selection`], [`Shape`], [`Mesh`] |
//! | choose a solver | [`QuasiNewton`], [`Newton`], [`Pd`], [`SolverSettings`]; more in [`solvers`](crate::solvers) |
//! | read files | [`load`], [`read_mesh`] |
//! | simulate | [`Simulation`], [`Cache`] |
//! | write frames | [`FrameWriter`], [`FrameFormat`] |
//! | add an energy | [`ElementEnergy`] |

pub use crate::cache::Cache;
pub use crate::error::{Error, Result};
pub use crate::io::read as read_mesh;
pub use crate::mesh::Mesh;
pub use crate::run::FrameWriter;
pub use crate::scene::{Body, FrameFormat, Scene, Selection, Shape};
pub use crate::simulate::Simulation;
pub use crate::solvers::{Newton, Pd, QuasiNewton, SolverSettings};
pub use elements::energy::custom::ElementEnergy;
pub use elements::energy::material::Material;

use crate::config::{self, Overrides};
use std::path::Path;

/// Loads the scene of a config file.
///
/// All faults of the config are in the error, each with its line and column.
///
/// ```
/// use pliant::prelude::*;
///
/// let scene = load("configs/stretched-cube.toml".as_ref())?;
/// let mut simulation = Simulation::start(&scene)?;
/// simulation.advance()?;
/// # Ok::<(), pliant::Error>(())
/// ```
pub fn load(path: &Path) -> Result<Scene> {
    Ok(config::load(path, &Overrides::default())?.scene)
}
