//! Elastic bodies: meshes in, simulated frames out.

pub mod cache;
pub mod config;
pub mod energy;
pub mod error;
pub mod io;
pub mod math;
pub mod mesh;
pub mod objective;
pub mod par;
pub mod solver;
pub mod sparse;

pub use error::{Error, Result};
