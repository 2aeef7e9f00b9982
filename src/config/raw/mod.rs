//! The config as a user writes it: one struct per table, unknown keys refused.
//!
//! The structs are flat and nearly every key is optional, so that a fault always has the path of the very
//! key it is about; what is missing or out of range is found when it is resolved, all at once. The doc
//! comments are the descriptions of the JSON schema: they speak to whoever writes a config.

mod body;
mod comparison;
mod control;
mod force;
mod output;
mod pin;
mod quantity;
mod values;

pub use crate::scene::FrameFormat as Format;
pub use body::{
    Axis, Bending, BendingKind, BendingRest, Body, Collapse, Damping, Deform, Fiber, Generate, Inversion,
    Limits, Line, LineKind, Material, Radial, Randomize, Rotation, Shape, Springs, Squash, Transform, Twist,
    VaryingDirections, Velocity,
};
pub use comparison::{Comparison, Setting, Variation};
pub use control::{Conserved, Control};
pub use force::{Load, Wind};
pub use output::{Compression, Output};
pub use pin::{
    ArraySelection, BoxSelection, Keyframe, Keyframes, Motion, NearestSelection, Pin, PinKind,
    PlaneSelection, RotationRate, Select, Shake, SphereSelection,
};
pub use quantity::{ArrayName, Directions, Place, Quantity};
pub use values::{Animated, Cells, Key, Keys, OneOrMany, Paths, Step};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A pliant scene: elastic bodies, a solver, and what to write.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "pliant config")]
pub struct Config {
    /// Names the run's files and its default output directory; default: the config file's name without extension.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Time stepping.
    #[serde(default)]
    pub time: Time,
    /// The solver with its settings.
    #[serde(default)]
    pub solver: Solver,
    /// What acts on all bodies.
    #[serde(default)]
    pub world: World,
    /// What is written, and where.
    #[serde(default)]
    pub output: Output,
    /// The elastic bodies, at least one.
    #[serde(default)]
    pub body: Vec<Body>,
    /// Comparisons of solvers on this scene, for `pliant compare`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comparison: Vec<Comparison>,
}

/// Time stepping.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Time {
    /// Step in seconds, a number or a fraction such as "1/30" (the default).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<Step>,
    /// Frames after the initial one: frames 0 … `frames` are written. Default 120.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frames: Option<u64>,
    /// Steps per written frame, at least 1 (the default).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub substeps: Option<u64>,
    /// How a step is made. Default "implicit-euler".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub integrator: Option<Integrator>,
}

/// A time integrator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Integrator {
    /// First order; damps motion, the more the larger the step.
    #[default]
    ImplicitEuler,
    /// Second order; keeps energy nearly, damps nothing.
    Midpoint,
    /// Second order; damps little.
    Bdf2,
}

/// The solver with its settings. Keys besides `kind`, `iterations`, `tolerance` and `fepr` are options of the kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Solver {
    /// How each time step is solved. Default "quasi-newton".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Iterations per step (at most, if there is a tolerance), at least 1. Default 10.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub iterations: Option<u64>,
    /// Stop when the norm of the gradient falls below this times its first value; 0 (the default): never.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub tolerance: Option<f64>,
    /// After every step, move positions and velocities to where momenta and energy are kept (FEPR). Default false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fepr: Option<bool>,
    /// The options of the kind; each kind declares its own.
    #[serde(flatten)]
    #[schemars(skip)]
    pub options: toml::Table,
}

/// What acts on all bodies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct World {
    /// Gravity in m/s². Default [0, -9.81, 0].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gravity: Option<Animated<[f64; 3]>>,
    /// The air around the bodies. Default: there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wind: Option<Wind>,
}
