//! The material models, one file each.

pub mod arap;
pub mod corotated;
pub mod mooney_rivlin;
pub mod neo_hookean;
pub mod polynomial;
pub mod spline;
pub mod stable_neo_hookean;
pub mod stvk;
pub(crate) mod volume;
