//! Elastic bodies: meshes in, simulated frames out.

pub mod cli;
pub mod config;
pub mod energy;
pub mod error;
pub mod io;
pub mod math;
pub mod mesh;
pub mod model;
pub mod par;
pub mod solver;

pub use error::{Error, Result};
