//! A scene as plain data: SI units, absolute paths, defaults filled in, every value in its range.
//!
//! A config becomes a scene, and so does code (see [`Scene::new`] and [`Body::new`]). Whatever simulates takes these types.
//! What needs the meshes (does a selection select anything?) is checked when the model is built.

mod body;
mod builder;
mod contact;
mod control;
mod elastic;
pub mod memory;
pub mod names;
mod obstacle;
mod output;
mod period;
pub mod preset;
mod probe;
mod sequence;

pub use crate::mesh::generate::Shape;
pub use body::{Body, Element};
pub use contact::{BodyContact, Contact, ContactPair, ContactResponse, ContactStart};
pub use control::{Control, Wish};
pub use elastic::{
    Bending, BendingKind, Damping, Directions, Fiber, Limits, Line, LineKind, MaterialPart, Quantity, Springs,
};
pub use obstacle::{Obstacle, ObstacleShape};
pub use output::{FrameFormat, Output};
pub use period::Period;
pub use probe::{Probe, Probed, Reduce};
pub use sequence::Sequence;

use std::path::PathBuf;
use std::sync::Arc;

use crate::mesh::Mesh;
use crate::meshing::{Join, Method, Size};
use crate::solver::SolverSettings;
use crate::solver::specification::Contender;
use elements::math::track::Track;

/// A whole scene: bodies, what acts on them, how they are solved and what is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// The run's name: names files and the default output directory.
    pub name: String,
    /// The time steps and frames.
    pub time: Time,
    /// The chosen solver with its settings.
    pub solver: SolverSettings,
    /// Project every step onto constant momenta and energy.
    pub fepr: bool,
    /// Gravity in m/s², over time.
    pub gravity: Track<3>,
    /// The air; `None`: there is none.
    pub wind: Option<Wind>,
    /// The bodies, at least one.
    pub bodies: Vec<Body>,
    /// What bodies touch and do not move.
    pub obstacles: Vec<Obstacle>,
    /// What touches what; `None`: everything passes through everything. A scene with obstacles has it.
    pub contact: Option<Contact>,
    /// Where and what to write.
    pub output: Output,
    /// Comparisons of solvers on the scene.
    pub comparisons: Vec<Comparison>,
}

impl Scene {
    /// All probes with the numbers of their bodies, in the order of their columns.
    pub fn probes(&self) -> Vec<(usize, &Probe)> {
        let bodies = self.bodies.iter().enumerate();
        let mut all: Vec<_> =
            bodies.flat_map(|(i, body)| body.probes.iter().map(move |probe| (i, probe))).collect();
        all.sort_by_key(|(_, probe)| probe.place);
        all
    }

    /// The names of the columns of all probes.
    pub fn probe_columns(&self) -> Vec<String> {
        let of = |probe: &Probe| {
            probe.quantity.components().iter().map(|end| format!("{}{end}", probe.name)).collect::<Vec<_>>()
        };
        self.probes().into_iter().flat_map(|(_, probe)| of(probe)).collect()
    }
}

/// A comparison of solvers on one step; see `compare`.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The name of the comparison.
    pub name: String,
    /// The solvers, at least one.
    pub solvers: Vec<Contender>,
    /// On the step after this frame.
    pub at_frame: u64,
    /// Of each solver, ≥ 1.
    pub iterations: u64,
    /// Keys of the config with the values that they take in turn, as TOML.
    pub vary: Vec<(Vec<String>, Vec<String>)>,
}

/// How time is cut into steps and frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Time {
    /// Step in seconds, > 0.
    pub step: f64,
    /// Frames after the initial one: frames 0 … `frames` are written.
    pub frames: u64,
    /// Steps per frame, ≥ 1.
    pub substeps: u64,
    /// How a step becomes a minimization.
    pub integrator: Integrator,
}

/// A time integrator; see `simulate::integrator`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integrator {
    /// First order, damps.
    #[default]
    ImplicitEuler,
    /// Second order, does not damp.
    Midpoint,
    /// Second order, damps little.
    Bdf2,
}

impl Integrator {
    /// ĥ for a step h, both in seconds.
    pub fn stage_step(self, step: f64) -> f64 {
        match self {
            Integrator::ImplicitEuler => step,
            Integrator::Midpoint => step / 2.0,
            Integrator::Bdf2 => 2.0 * step / 3.0,
        }
    }

    /// The time for which a force f of a stage of ĥ = `stage_step` acts, in seconds: it changes the next velocity by
    /// this times M⁻¹ f.
    pub fn acting_time(self, stage_step: f64) -> f64 {
        match self {
            Integrator::ImplicitEuler | Integrator::Bdf2 => stage_step,
            Integrator::Midpoint => 2.0 * stage_step,
        }
    }

    /// The part of a stage after which bodies move with (x − x̂)/ĥ: the chord of an Euler step is their velocity in its
    /// middle, while the other two have a stage whose velocity is right at its end to second order.
    pub fn velocity_part(self) -> f64 {
        match self {
            Integrator::ImplicitEuler => 0.5,
            Integrator::Midpoint | Integrator::Bdf2 => 1.0,
        }
    }
}

/// Air that moves, or stands still and slows what moves in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Wind {
    /// Mean velocity in m/s, over time.
    pub velocity: Track<3>,
    /// Amplitude of gusts relative to the velocity, ≥ 0.
    pub gusts: f64,
    /// Seed of the gusts.
    pub seed: u64,
    /// Time in s from one gust to the next, > 0.
    pub gust_length: f64,
    /// Of the air, in kg/m³, > 0.
    pub density: f64,
    /// Drag coefficient, ≥ 0.
    pub drag: f64,
}

/// A force on a set of vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// Which vertices, by rest position.
    pub select: Selection,
    /// In N over time, the sum over the vertices, which share it evenly.
    pub force: Track<3>,
}

/// Where a mesh comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum MeshSource {
    /// An absolute path.
    File(PathBuf),
    /// A procedural mesh.
    Generate(Shape),
    /// A mesh in memory.
    Memory(Arc<Mesh>),
    /// Tets within the body's surfaces.
    Surface {
        /// How they are filled.
        method: &'static Method,
        /// How fine the tets are.
        size: Size,
        /// Whether parts that nearly touch are held together.
        join: Join,
        /// Repair the surfaces before.
        repair: bool,
    },
}

/// `x ↦ rotate(scale · x) + translate`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// The translation in m, applied last.
    pub translate: [f64; 3],
    /// Rotation about the origin: unit axis and angle in radians.
    pub rotate: ([f64; 3], f64),
    /// Uniform factor, > 0.
    pub scale: f64,
}

impl Default for Transform {
    /// Nothing is moved.
    fn default() -> Self {
        Transform { translate: [0.0; 3], rotate: ([0.0, 0.0, 1.0], 0.0), scale: 1.0 }
    }
}

/// Rigid initial velocity: `v = linear + angular × (x − centre of mass)`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Velocity {
    /// The velocity of the centre of mass in m/s.
    pub linear: [f64; 3],
    /// rad/s, about the centre of mass of the initial state.
    pub angular: [f64; 3],
}

/// A coordinate axis, as an index 0, 1 or 2.
pub type Axis = usize;

/// One deformation of the rest state.
#[derive(Clone, Debug, PartialEq)]
pub enum Deform {
    /// Factors along x, y, z.
    Stretch([f64; 3]),
    /// Rotation about `axis` growing linearly over the box, by `radians` in total, zero at the lower end.
    Twist {
        /// The axis of rotation, through the centre.
        axis: Axis,
        /// Angle at the upper end.
        radians: f64,
    },
    /// Compression along `axis` by `factor`, the other directions widened to keep the volume.
    Squash {
        /// The direction that is compressed.
        axis: Axis,
        /// > 0; below 1 compresses.
        factor: f64,
    },
    /// Rotation of the whole body by `radians`.
    Rotate {
        /// The unit vector of the axis, which goes through the centre.
        axis: [f64; 3],
        /// The angle.
        radians: f64,
    },
    /// Every vertex moves to an independent uniform random point of the bounding box.
    Randomize {
        /// Seed of the generator.
        seed: u64,
        /// Blend between the rest position (0) and the random point (1).
        amount: f64,
    },
    /// Every vertex moves to the centre, plus a uniform random offset of up to `jitter` of the box's size.
    Collapse {
        /// 0: all in one point.
        jitter: f64,
        /// Seed of the generator.
        seed: u64,
    },
    /// Positions from the points of a mesh file with the same number of vertices (mesh units; transformed
    /// like the rest mesh).
    File(PathBuf),
}

/// A set of vertices held in place or moved.
#[derive(Clone, Debug, PartialEq)]
pub struct Pin {
    /// Which vertices, by rest position.
    pub select: Selection,
    /// Exact or elastic.
    pub kind: PinKind,
    /// Where they go over time; `None`: they stay.
    pub motion: Option<Motion>,
    /// When it holds; `None`: always. One that begins later holds its vertices where they are then, and its motion leads
    /// them on from there; vertices that it lets go keep their velocities.
    pub active: Option<Period>,
}

/// How a pin holds.
#[derive(Clone, Debug, PartialEq)]
pub enum PinKind {
    /// The vertex is prescribed and leaves the unknowns; for a time, it is an unknown that is held.
    Hard,
    /// A spring of zero rest length with this stiffness in N/m, one per vertex.
    Soft(f64),
    /// Likewise with a stiffness for each vertex from a point array of the mesh, none of it negative; where it is 0 there is no
    /// spring. Where tets were made from a surface, springs at the vertices of the surface, which the vertices of the tets share.
    Painted {
        /// The name of the array.
        array: String,
        /// The stiffness in N/m where the array is 1, > 0.
        scale: f64,
    },
}

/// A set of vertices of a body.
#[derive(Clone, Debug, PartialEq)]
pub enum Selection {
    /// All vertices of the body.
    All,
    /// Inside or on an axis-parallel box.
    Box {
        /// The corner with the lowest coordinates, in m.
        min: [f64; 3],
        /// The corner with the highest coordinates, in m.
        max: [f64; 3],
    },
    /// Inside or on a sphere.
    Sphere {
        /// The centre of the sphere, in m.
        center: [f64; 3],
        /// The radius of the sphere, in m.
        radius: f64,
    },
    /// On the side of a plane that its normal points to.
    Plane {
        /// A point of the plane.
        point: [f64; 3],
        /// Points to the selected side; need not have length 1.
        normal: [f64; 3],
    },
    /// By vertex number in the mesh file, from 0.
    Ids(Vec<u32>),
    /// The vertices of a group, object or material of an OBJ file, by its name.
    Group(String),
    /// Where a scalar point array of the mesh file is greater than a value.
    Array {
        /// The array's name.
        name: String,
        /// The value that must be exceeded.
        above: f64,
    },
    /// The `count` vertices nearest to a point (ties: the lower number first).
    Nearest {
        /// The point that distances are taken from, in m.
        point: [f64; 3],
        /// How many vertices are selected.
        count: usize,
    },
}

/// The motion of pinned vertices or of an obstacle: a map of their initial positions, active between two times.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// The map over time.
    pub path: Path,
    /// Before it, time stands at `from` (s).
    pub from: f64,
    /// After it, time stands at `until` (s); may be infinite.
    pub until: f64,
}

impl Motion {
    /// The files that it follows, if it does.
    pub fn sequence(&self) -> Option<&Sequence> {
        match &self.path {
            Path::Sequence(sequence) => Some(sequence),
            _ => None,
        }
    }
}

/// A map of positions over the time since `from`.
#[derive(Clone, Debug, PartialEq)]
pub enum Path {
    /// Rotation at a constant rate.
    Rotate {
        /// The unit vector of the axis.
        axis: [f64; 3],
        /// A point of the axis.
        origin: [f64; 3],
        /// The rate of the rotation in rad/s.
        rate: f64,
    },
    /// Constant velocity in m/s.
    Translate([f64; 3]),
    /// Rigid keyframes, piecewise linear in time (offset and rotation angle), constant outside.
    Keyframes {
        /// Unit axis of the rotation.
        axis: [f64; 3],
        /// A point of that axis.
        origin: [f64; 3],
        /// Offset in metres.
        translate: Track<3>,
        /// Rotation angle in radians.
        radians: Track<1>,
    },
    /// `amplitude · sin(2π·frequency·t)`.
    Shake {
        /// Metres, per axis.
        amplitude: [f64; 3],
        /// The frequency in Hz.
        frequency: f64,
    },
    /// Every vertex goes where files have the vertex of the same number, placed like the mesh of its body or obstacle.
    Sequence(Sequence),
}
