//! The tables `[[probe]]`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::pin::Select;

/// What is measured at some vertices of a body after every step, for `probes.csv`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    /// The name of its columns: `name_x`, `name_y` and `name_z`, or `name` alone for an energy. Required.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The name of the body. Default: the only body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The vertices, by their rest positions; those of the surface where a surface was filled with tets, but for forces,
    /// which act on the tets. Default "all".
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Select")]
    pub select: Option<Select>,
    /// What is measured. Default "position".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantity: Option<Probed>,
    /// What is made of the values at several vertices. Default "mean", and "sum" for forces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reduce: Option<Reduce>,
}

/// A quantity that a probe measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Probed {
    /// Where the vertices are, in m.
    Position,
    /// The position less the one at rest, in m.
    Displacement,
    /// The velocity in m/s.
    Velocity,
    /// The force of hard and soft pins on the body, in N.
    PinForce,
    /// The force of contact and friction on the body, in N.
    ContactForce,
    /// The elastic energy of the whole body, in J.
    Energy,
}

/// One value made of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Reduce {
    /// The mean.
    Mean,
    /// The longest vector.
    Max,
    /// The sum.
    Sum,
}
