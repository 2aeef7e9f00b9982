//! The table of a body's control: momenta and energy.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::values::Animated;

/// What the momenta and the energy of a body should be; for solver "constrained-pd", or with `solver.fepr`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Control {
    /// What is kept. Default: all three.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conserve: Option<Vec<Conserved>>,
    /// Rate γ in 1/s, not negative, at which the energy beyond that of the momenta is lost: vibrations fade as
    /// e^(−γt), flight and spin stay. For bodies without pins. Default 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub damping: Option<f64>,
    /// Linear momentum in kg m/s, for bodies without pins. Default: as the motion has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub linear_momentum: Option<Animated<[f64; 3]>>,
    /// Angular momentum about the centre of mass in kg m²/s, for bodies without pins. Default: as the motion has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub angular_momentum: Option<Animated<[f64; 3]>>,
    /// Kinetic and elastic energy together, in J; less than the momenta need is raised to that. Default:
    /// as the motion has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy: Option<Animated<f64>>,
}

/// A quantity that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Conserved {
    /// Kinetic and elastic energy together.
    Energy,
    /// Linear momentum.
    Linear,
    /// Angular momentum about the centre of mass.
    Angular,
}
