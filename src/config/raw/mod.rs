//! The config as a user writes it: one struct per table, unknown keys refused.
//!
//! The structs are flat and nearly every key is optional, so that a fault always has the path of the very key it is
//! about. Missing and out-of-range values are found when the config is resolved, all at once. The doc comments are the
//! descriptions of the JSON schema: they address the author of a config.

mod body;
mod comparison;
mod contact;
mod control;
mod filling;
mod force;
mod material;
mod output;
mod pin;
mod probe;
mod quantity;
mod values;

pub use crate::scene::FrameFormat as Format;
pub use body::{
    Axis, Bending, BendingKind, BendingRest, Body, Collapse, Damping, Deform, Element, Fiber, Generate,
    Limits, Line, LineKind, Radial, Randomize, Rotation, Shape, Springs, Squash, Transform, Twist,
    VaryingDirections, Velocity,
};
pub use comparison::{Comparison, Setting, Variation};
pub use contact::{
    Block, BodyContact, Capsule, Contact, ContactPair, ContactResponse, ContactStart, Obstacle,
    ObstacleShape, Plane, Sequence, Sphere, Torus,
};
pub use control::{Conserved, Control};
pub use filling::{Join, Tetrahedralize};
pub use force::{Load, Wind};
pub use material::{Inversion, Material};
pub use output::{Compression, Output};
pub use pin::{
    ArraySelection, BoxSelection, Keyframe, Keyframes, Motion, NearestSelection, Painted, Period, Pin,
    PinKind, PlaneSelection, RotationRate, Select, Shake, SphereSelection, Stiffness,
};
pub use probe::{Probe, Probed, Reduce};
pub use quantity::{ArrayName, Directions, Place, Quantity};
pub use values::{Animated, Cells, Key, Keys, OneOrMany, Paths, Step};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A pliant scene: elastic bodies, a solver, and what to write.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "pliant config")]
pub struct Config {
    /// Names the files of the run and its default directory. Default: the name of the config file without `.toml`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Time step, number of frames and integrator. Default: the defaults of its keys.
    #[serde(default)]
    pub time: Time,
    /// How each time step is solved. Default: `quasi-newton` to a tolerance of 0.01.
    #[serde(default)]
    pub solver: Solver,
    /// Gravity and wind, which act on all bodies. Default: the defaults of its keys.
    #[serde(default)]
    pub world: World,
    /// Which files the run writes, and where. Default: the defaults of its keys.
    #[serde(default)]
    pub output: Output,
    /// The elastic bodies, at least one. Required.
    #[serde(default)]
    pub body: Vec<Body>,
    /// What touches what, and how. Default: nothing touches, unless there is an `[[obstacle]]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<Contact>,
    /// What bodies touch and do not move; with one of them, contact is on. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub obstacle: Vec<Obstacle>,
    /// What is measured after every step, for `probes.csv`. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub probe: Vec<Probe>,
    /// Comparisons of solvers on this scene, which `pliant compare` runs. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comparison: Vec<Comparison>,
}

/// The time step, the number of frames and the integrator.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Time {
    /// Time step in s: a number, or a fraction in quotes such as "1/60"; above 0. Default "1/30".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<Step>,
    /// Frames after the initial one: frames 0 … `frames` exist, at the times k · `step` · `substeps`. Default 120.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frames: Option<u64>,
    /// Time steps per frame, at least 1. More of them damp less and converge better. Default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub substeps: Option<u64>,
    /// How positions and velocities advance over a step. Default "implicit-euler".
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
    /// Second order; damps nothing, so errors of unconverged steps stay in the motion.
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
    /// Iterations per step; at most, where there is a tolerance. Given alone, every step makes so many. Default: 100 at most where
    /// a tolerance ends steps, else 10.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub iterations: Option<u64>,
    /// Stop a step when the norm of the gradient is below this part of its first value; 0: never. `constrained-pd`
    /// stops when momenta and energy are off by less than this part of their scale, `admm` with rods, ropes or limits
    /// by its residuals; `xpbd` and `pbd` ignore it. Default: 0.01; 0 beside `iterations`, with contact as `published`, and for
    /// solvers that do not minimize (`xpbd`, `pbd`, `constrained-pd`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub tolerance: Option<f64>,
    /// After every step, move positions and velocities to the nearest ones with the momenta and the energy that bodies
    /// should have (FEPR). Not with `constrained-pd`, `bdf2` or `damping`. Default false.
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
    /// Acceleration by gravity in m/s². Default [0, -9.81, 0].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gravity: Option<Animated<[f64; 3]>>,
    /// The air around all bodies, which pushes on their surfaces. Default: no air.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wind: Option<Wind>,
}
