//! The tables of external forces: wind and loads.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::pin::Select;
use super::values::Animated;

/// Air that moves, or stands still and slows what moves in it. It pushes on the surface of every body.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wind {
    /// Mean velocity of the air in m/s; at zero it is still and slows what moves. Default [0, 0, 0].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub velocity: Option<Animated<[f64; 3]>>,
    /// Amplitude of gusts relative to `velocity`. Default 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub gusts: Option<f64>,
    /// Seed of the gusts: another one gives other gusts. Default 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Time in s from one gust to the next, above 0; gusts travel with the wind. Default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gust_length: Option<f64>,
    /// Density of the air in kg/m³, above 0. Default 1.2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Drag coefficient. Default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub drag: Option<f64>,
}

/// A force on a set of vertices.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// The vertices, by their rest positions.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Select")]
    pub select: Option<Select>,
    /// The force in N in total, shared evenly by the selected vertices; the share of hard pins is
    /// lost to what holds them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Animated<[f64; 3]>")]
    pub force: Option<Animated<[f64; 3]>>,
}
