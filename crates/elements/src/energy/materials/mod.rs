//! The material models and their registry. A model is one file with one `static MODEL: Model`, and two lines here.

pub mod arap;
pub mod corotated;
pub mod mooney_rivlin;
pub mod neo_hookean;
pub mod polynomial;
pub mod spline;
pub mod stable_neo_hookean;
pub mod stvk;
pub(crate) mod volume;

use super::material::Model;

/// All material models; a config chooses one of them by its name.
pub static MODELS: &[&Model] = &[
    &arap::MODEL,
    &corotated::MODEL,
    &stvk::MODEL,
    &neo_hookean::MODEL,
    &stable_neo_hookean::MODEL,
    &mooney_rivlin::MODEL,
    &polynomial::MODEL,
    &spline::MODEL,
];
