//! External forces: gravity, wind, loads, pressure.
//!
//! They enter a step through its inertial positions and so serve every solver alike:
//!
//! ```text
//! y = x̂ + ĥ v̂ + ĥ² M⁻¹ f(t, x̂ + ĥ v̂, v̂)
//! ```
//!
//! f is evaluated once per stage, at the stage's time t and at the positions where the motion so far leads; ĥ and the
//! base (x̂, v̂) are the integrator's (see `simulate::integrator`). Those positions are off by O(ĥ²), so forces of
//! time and position keep the order of second-order integrators. Forces of velocity do not: v̂ is off by ĥ times the
//! acceleration, and with wind all integrators are of first order.
//!
//! Forces are functions of time, positions and velocities alone: a run that resumes needs nothing else. All sums have
//! a fixed order.
//!
//! A new force is one file and one entry of [`BUILDERS`].

pub mod gravity;
pub mod load;
pub mod pressure;
mod surface;
pub mod wind;

use crate::error::Result;
use crate::model::Model;
use crate::scene::Scene;
use elements::math::lanes::Vec4;
use elements::math::track::Track;

/// The state in which forces are evaluated: all vertices, in internal numbering.
pub struct Stage<'a> {
    /// Time of the stage in s.
    pub time: f64,
    /// How long the force acts in this stage, in s: it changes velocities by `duration`·f/m.
    pub duration: f64,
    /// The predicted positions in m.
    pub x: &'a [Vec4],
    /// The velocities in m/s.
    pub v: &'a [Vec4],
    /// The masses of the vertices in kg.
    pub mass: &'a [f64],
}

/// A force on vertices.
pub trait Force: Send + Sync {
    /// Adds the force on each vertex, in N, to `out`.
    fn add(&self, stage: &Stage<'_>, out: &mut [Vec4]);
}

/// The data that forces are built from.
pub struct Context<'a> {
    /// The scene whose forces are built.
    pub scene: &'a Scene,
    /// The model of that scene.
    pub model: &'a Model,
    /// The masses of all vertices in kg, internal numbering.
    pub mass: &'a [f64],
}

/// Builds the forces of one kind, or tells why a scene cannot have them.
type Builder = fn(&Context<'_>) -> Result<Vec<Box<dyn Force>>>;

/// One builder per kind; forces are added in this order.
pub const BUILDERS: [Builder; 4] = [gravity::build, wind::build, load::build, pressure::build];

/// All forces of a scene.
pub struct Forces {
    all: Vec<Box<dyn Force>>,
    gravity: Track<3>,
}

impl Forces {
    /// The forces that the config asks for.
    pub fn build(context: &Context<'_>) -> Result<Forces> {
        let mut all = vec![];
        for build in BUILDERS {
            all.extend(build(context)?);
        }
        Ok(Forces { all, gravity: context.scene.gravity.clone() })
    }

    /// The force on every vertex, in N.
    pub fn at(&self, stage: &Stage<'_>) -> Vec<Vec4> {
        let mut out = vec![Vec4::ZERO; stage.x.len()];
        for force in &self.all {
            force.add(stage, &mut out);
        }
        out
    }

    /// Gravity at `time` (s), in m/s².
    pub fn gravity(&self, time: f64) -> [f64; 3] {
        self.gravity.at(time)
    }
}
