//! The tables of external forces: wind and loads.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::pin::Select;
use super::values::Animated;

/// Air that moves, or stands still and slows what moves in it. It pushes on the surface of every body.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wind {
    /// Mean velocity in m/s. Default [0, 0, 0]: still air.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub velocity: Option<Animated<[f64; 3]>>,
    /// Amplitude of gusts relative to the velocity, not negative. Default 0: an even wind.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub gusts: Option<f64>,
    /// Seed of the gusts. Default 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Time in seconds from one gust to the next, above 0. Default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gust_length: Option<f64>,
    /// Density of the air in kg/m³, above 0. Default 1.2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Drag coefficient, not negative. Default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub drag: Option<f64>,
}

/// A force on a set of vertices.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// Which vertices, by their rest positions.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Select")]
    pub select: Option<Select>,
    /// The force in N: the sum over the selected vertices, which share it evenly.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Animated<[f64; 3]>")]
    pub force: Option<Animated<[f64; 3]>>,
}
