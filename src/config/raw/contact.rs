//! The tables of contact: `[contact]`, `[[obstacle]]` and `contact` of a body.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::body::Transform;
use super::pin::Motion;

/// What touches what, and how.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Contact {
    /// The gap in m below which surfaces repel each other, above 0. Default: 1/1000 of the diagonal of the box around
    /// all bodies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<f64>,
    /// How hard surfaces repel each other, in Pa, above 0. Default: Young's modulus of the softer of the two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<f64>,
    /// Coefficient of friction of all bodies and obstacles that have none of their own, not negative. Default 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub friction: Option<f64>,
    /// Bodies touch themselves. Default true.
    #[serde(rename = "self", skip_serializing_if = "Option::is_none")]
    pub own: Option<bool>,
    /// Bodies touch each other. Default true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bodies: Option<bool>,
    /// What becomes of a scene whose surfaces intersect at the start. Default "refuse".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<ContactStart>,
    /// What keeps surfaces apart. Default "barrier".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<ContactResponse>,
    /// What differs between two bodies, between a body and an obstacle, or between a body and itself. Default: nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<ContactPair>,
}

/// What becomes of a scene whose surfaces intersect at the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ContactStart {
    /// It is refused, and the intersecting surfaces are named.
    #[default]
    Refuse,
    /// What intersects does not touch until it is apart.
    Exclude,
}

/// What keeps surfaces apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ContactResponse {
    /// A barrier, and a filter for all motions: nothing ever intersects.
    #[default]
    Barrier,
    /// What the solver's paper does, for comparisons. Nothing is guaranteed.
    Published,
}

/// What differs between two.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContactPair {
    /// The names of two bodies, of a body and an obstacle, or twice that of a body.
    pub between: [String; 2],
    /// Whether they touch. Default true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<bool>,
    /// Coefficient of friction between them, not negative. Default: the smaller of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub friction: Option<f64>,
}

/// What differs in the contact of one body.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BodyContact {
    /// Thickness in m of its surface where it touches, not negative. Default: the `thickness` of a sheet, twice the
    /// `radius` of a line, 0 of a solid.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub thickness: Option<f64>,
    /// Coefficient of friction, not negative; the smaller one of two counts. Default: that of `[contact]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub friction: Option<f64>,
    /// Whether it touches itself. Default: as `[contact]` says.
    #[serde(rename = "self", skip_serializing_if = "Option::is_none")]
    pub own: Option<bool>,
}

/// What bodies touch and do not move.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Obstacle {
    /// A name that no body and no other obstacle has; part of the names of files. Default "obstacle0", "obstacle1", ….
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its shape: a table with one kind. Lengths are in m. Required unless `sequence` names meshes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<ObstacleShape>,
    /// Placement of the shape: scaled, then rotated, then moved. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transform: Option<Transform>,
    /// Where it goes over time. Default: it stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub motion: Option<Motion>,
    /// Files with the positions of its vertices over time, in place of `motion`. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sequence: Option<Sequence>,
    /// Coefficient of friction, not negative; the smaller one of two counts. Default: that of `[contact]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub friction: Option<f64>,
}

/// Files with positions over time. Positions are linear in time between frames; before the first and after the last one
/// they stand still.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ObstacleSequence")]
pub struct Sequence {
    /// Numbered meshes, with # for each digit of the number: "walk_####.obj" has the frames walk_0001.obj, walk_0002.obj …,
    /// from the least number on and without gaps; one # alone is a number without leading zeros. All have the same
    /// vertices and triangles. Or a point cache, .pc2 or .mdd, for the vertices of `shape.mesh`. Relative to the config file.
    pub files: String,
    /// Frames per second, above 0; in place of the times of a .mdd file. Required unless `files` is .mdd.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fps: Option<f64>,
    /// Time of the first frame in s; below 0, the run starts within the sequence. Default 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<f64>,
}

/// The shape of an obstacle. Planes, spheres and capsules are exact, the others are made of triangles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ObstacleShape {
    /// A half-space that is solid on one side; `normal` points to the other, where bodies are, and has any length.
    Plane(Plane),
    /// A ball; `radius` is above 0.
    Sphere(Sphere),
    /// All points within `radius`, above 0, of the segment between two points.
    Capsule(Capsule),
    /// A box parallel to the axes between its lowest and its highest corner.
    Box(Block),
    /// A cylinder with flat ends, whose centres are given; `radius` is above 0. It has 64 sides.
    Cylinder(Capsule),
    /// A ring around an axis of any length; `major` goes from the centre to the centre line of the tube, `minor` is the
    /// radius of the tube, above 0 and less than `major`. It has 64 times 24 quads.
    Torus(Torus),
    /// A mesh file, relative to the config file: its triangles, which may be open, or the boundary of its tets. Vertices
    /// at the same place are one.
    Mesh(String),
}

/// A plane with one free side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ObstaclePlane")]
pub struct Plane {
    /// A point of the plane.
    pub point: [f64; 3],
    /// Points to the free side, of any length.
    pub normal: [f64; 3],
}

/// A ball.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ObstacleSphere")]
pub struct Sphere {
    /// The centre of the ball.
    pub center: [f64; 3],
    /// The radius, above 0.
    pub radius: f64,
}

/// A capsule, or a cylinder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ObstacleCapsule")]
pub struct Capsule {
    /// One end of the axis.
    pub from: [f64; 3],
    /// The other end, at another place.
    pub to: [f64; 3],
    /// The radius, above 0.
    pub radius: f64,
}

/// A box parallel to the axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ObstacleBox")]
pub struct Block {
    /// The corner with the least coordinates.
    pub min: [f64; 3],
    /// The corner with the greatest coordinates, each above that of `min`.
    pub max: [f64; 3],
}

/// A ring.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ObstacleTorus")]
pub struct Torus {
    /// The centre of the ring.
    pub center: [f64; 3],
    /// The axis around which it runs, of any length.
    pub axis: [f64; 3],
    /// Distance from the centre to the centre line of the tube, above 0.
    pub major: f64,
    /// Radius of the tube, above 0 and less than `major`.
    pub minor: f64,
}
