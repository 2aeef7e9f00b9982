//! The tables of one `[[body]]`: mesh, material and initial state.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::control::Control;
use super::force::Load;
use super::pin::{Pin, Select};
use super::quantity::{Directions, Quantity};
use super::values::{Animated, Cells, OneOrMany, Paths};

/// One elastic body.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// A unique name that can be part of a file name. Default "body0", "body1", …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// A mesh file, relative to the config file; or use `generate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mesh: Option<String>,
    /// A surface file, or several, relative to the config file: the body is filled with tets, or bound to those of `mesh`
    /// or `generate`, and written frame by frame as this surface, with its own vertices in their own order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub surface: Option<Paths>,
    /// How a body that has a surface alone is filled with tets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tetrahedralize: Option<Tetrahedralize>,
    /// A procedural mesh instead of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generate: Option<Generate>,
    /// Drop degenerate cells instead of refusing the mesh. Default false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repair: Option<bool>,
    /// Mass density in kg/m³, above 0. Default 1000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub density: Option<Quantity>,
    /// Thickness in metres of a sheet (a mesh of triangles), above 0. Default 0.001.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thickness: Option<Quantity>,
    /// Radius in metres of the cross-section of a line (a mesh of edges), above 0. Default 0.005.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// The material with its parameters, or an array of materials with a `select` each (later ones win); a sheet may
    /// have `springs` instead, a line has `line`.
    #[serde(default, skip_serializing_if = "OneOrMany::is_empty")]
    pub material: OneOrMany<Material>,
    /// Springs along the edges of a sheet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub springs: Option<Springs>,
    /// Resistance of a sheet to bending.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bending: Option<Bending>,
    /// Bounds on how much the body may be stretched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
    /// What the edges of a line do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<Line>,
    /// Families of fibres in a solid.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fibers: Vec<Fiber>,
    /// Rayleigh damping.
    #[serde(default)]
    pub damping: Damping,
    /// Factor on all stiffness of the body, above 0, constant or over time. Default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffness_scale: Option<Animated<f64>>,
    /// Placement of the mesh: scaled, then rotated, then moved. The result is the rest state.
    #[serde(default)]
    pub transform: Transform,
    /// Initial velocity.
    #[serde(default)]
    pub velocity: Velocity,
    /// Deformation of the rest state into the initial state, about the centre of the rest bounding box; a table with
    /// one kind, or an array of such tables that are applied in order.
    #[serde(default, skip_serializing_if = "OneOrMany::is_empty")]
    pub deform: OneOrMany<Deform>,
    /// Attachments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pin: Vec<Pin>,
    /// Forces on sets of vertices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub load: Vec<Load>,
    /// Pressure in Pa inside the closed surface of the body, above that outside. Default 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pressure: Option<Animated<f64>>,
    /// What its momenta and energy should be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control: Option<Control>,
}

/// Springs along all edges of a sheet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Springs {
    /// Of each spring, in N/m, above 0.
    pub stiffness: Quantity,
    /// Also between the far corners of triangles that share an edge: resists shear and bending. Default false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cross: Option<bool>,
}

/// Ropes, rods or springs along the edges of a line; without bending stiffness.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// What an edge resists. Default "rope".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<LineKind>,
    /// Young's modulus E in Pa, above 0: an edge of length l has the stiffness E π radius²/l. Default 1e7; "spring" wants
    /// it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub young: Option<f64>,
}

/// What the edges of a line resist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LineKind {
    /// Lengthening only: slack under compression.
    Rope,
    /// Any change of length.
    Rod,
    /// Any change of length, with a stiffness that is meant.
    Spring,
}

/// Resistance of a sheet to bending.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bending {
    /// Flexural rigidity in N·m, above 0: Young's modulus · thickness³/12 for a solid sheet.
    pub stiffness: Quantity,
    /// How it is computed. Default "plate".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<BendingKind>,
    /// The shape without bending energy. Default "shape".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rest: Option<BendingRest>,
}

/// How bending is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BendingKind {
    /// From the curvature of each triangle: as stiff as a plate in every direction.
    #[default]
    Plate,
    /// From each edge by itself: cheaper, right on average over directions.
    Hinge,
}

/// A shape without bending energy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BendingRest {
    /// That of the mesh.
    #[default]
    Shape,
    /// A plane.
    Flat,
}

/// Bounds on stretches, kept by stiff energies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// [least, most] of the principal stretches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stretch: Option<[f64; 2]>,
    /// Sheets: [least, most] of the stretch along `direction`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warp: Option<[f64; 2]>,
    /// Sheets: [least, most] of the stretch across `direction`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weft: Option<[f64; 2]>,
    /// Of the warp in the rest state; the part in the plane of a triangle counts. Default [1, 0, 0], or [0, 0, 1] where
    /// a triangle is perpendicular to that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<Directions>,
    /// Pa, above 0: the energy density is stiffness/2 · (excess stretch)².
    pub stiffness: Quantity,
}

/// Rayleigh damping: a force −(mass · M + stiffness · K) v.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Damping {
    /// Of all motion, in 1/s. Default 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
    /// Of deformation, in s. Default 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<f64>,
}

/// Fibres with the energy density κ/2 (|F d| − 1)².
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fiber {
    /// Their direction d in the rest state; need not have length 1.
    pub direction: Directions,
    /// κ in Pa, above 0.
    pub stiffness: Quantity,
}

/// Directions of fibres that are not parallel: exactly one of these keys.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
pub struct VaryingDirections {
    /// A cell array of the mesh file with three components.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub array: Option<String>,
    /// Away from a point or an axis.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub radial: Option<Radial>,
}

/// Directions away from a point, or from an axis through it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Radial {
    /// The point in the rest state. Default [0, 0, 0].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub center: Option<[f64; 3]>,
    /// The axis; without it the directions point away from the centre.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub axis: Option<[f64; 3]>,
}

/// How a surface is filled with tets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tetrahedralize {
    /// The method. Default "lattice".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// About how many tets, at least 1; or `max_volume`. Default: as many as the method thinks right.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub cells: Option<u64>,
    /// The volume that no tet exceeds, in the cubed unit of the file, above 0; or `cells`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_volume: Option<f64>,
    /// Repair the surface before: weld, drop what is degenerate, orient, fill holes. Default true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repair: Option<bool>,
}

/// A procedural mesh; lengths in metres.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Generate {
    /// Which shape.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Shape")]
    pub shape: Option<Shape>,
    /// beam, box: edge lengths [x, y, z]; cloth: [x, z].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<Vec<f64>>,
    /// beam, box: cubes along [x, y, z]; cloth: squares along [x, z]; sphere: cells across the radius; torus: cells
    /// around the tube.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cells: Option<Cells>,
    /// beam, box: tets per cube, 5 (the default) or 6.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split: Option<u64>,
    /// sphere: the radius.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// torus: distance from the centre to the tube's centre line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub major: Option<f64>,
    /// torus: radius of the tube, less than `major`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minor: Option<f64>,
    /// rope: the whole length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
    /// rope: how many segments of equal length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segments: Option<u64>,
}

/// The shapes of procedural meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// A block of cubes from the origin to `size`, split into tets.
    Beam,
    /// The same as "beam".
    Box,
    /// A ball about the origin.
    Sphere,
    /// A solid torus about the z axis.
    Torus,
    /// A flat sheet of triangles in the xz plane.
    Cloth,
    /// A straight line of segments along x from the origin.
    Rope,
}

/// A material model with its parameters; which ones it takes depends on the model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Material {
    /// Which cells it is the material of, by their centres; default "all".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub select: Option<Select>,
    /// The model.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub model: Option<String>,
    /// Young's modulus in Pa.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub young: Option<Quantity>,
    /// Poisson's ratio.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub poisson: Option<Quantity>,
    /// First raw modulus in Pa, instead of `young` and `poisson`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mu: Option<Quantity>,
    /// Second raw modulus in Pa.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lambda: Option<Quantity>,
    /// Raw stiffness of "arap" in Pa.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub k: Option<Quantity>,
    /// First Mooney-Rivlin modulus in Pa.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub c1: Option<Quantity>,
    /// Second Mooney-Rivlin modulus in Pa.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub c2: Option<Quantity>,
    /// spline: control points [stretch, stress in Pa] of the length part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<Vec<[f64; 2]>>,
    /// spline: control points [area stretch, stress in Pa] of the area part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<Vec<[f64; 2]>>,
    /// spline: control points [volume stretch, stress in Pa] of the volume part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub c: Option<Vec<[f64; 2]>>,
    /// spline: curves do not overshoot between their control points. Default false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub monotone: Option<bool>,
    /// What happens to inverted elements, for materials that are infinite there. Default "barrier".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inversion: Option<Inversion>,
    /// Stretches over which the stiffness of the system matrix is fitted. Default [0.5, 1.5].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fit_interval: Option<[f64; 2]>,
}

/// What a material that is infinite at zero volume does there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Inversion {
    /// Infinite: the line search keeps elements from inverting.
    Barrier,
    /// Continued smoothly below a small volume: inverted elements recover.
    Extend,
}

/// Placement of a mesh: scaled, then rotated about the origin, then moved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Transform {
    /// Offset in metres. Default [0, 0, 0].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translate: Option<[f64; 3]>,
    /// Uniform factor, above 0; turns other units into metres. Default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// Rotation about the origin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotate: Option<Rotation>,
}

/// A rotation about an axis through the origin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rotation {
    /// The axis; need not have length 1.
    pub axis: [f64; 3],
    /// The angle in degrees.
    pub degrees: f64,
}

/// Rigid initial velocity.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Velocity {
    /// m/s. Default [0, 0, 0].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub linear: Option<[f64; 3]>,
    /// rad/s about the centre of mass. Default [0, 0, 0].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub angular: Option<[f64; 3]>,
}

/// One deformation of the rest state: exactly one of these keys.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
pub struct Deform {
    /// Factors along x, y, z.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stretch: Option<[f64; 3]>,
    /// Rotation about a coordinate axis that grows from the lower to the upper end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub twist: Option<Twist>,
    /// Compression along a coordinate axis that keeps the volume.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub squash: Option<Squash>,
    /// Every vertex at a random point of the bounding box.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub randomize: Option<Randomize>,
    /// Every vertex at the centre.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collapse: Option<Collapse>,
    /// Positions from the points of a mesh file with as many vertices, relative to the config file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// A coordinate axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Axis {
    /// The x axis.
    X,
    /// The y axis.
    Y,
    /// The z axis.
    Z,
}

/// Rotation about a coordinate axis that grows linearly from the lower to the upper end of the body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Twist {
    /// The axis, through the centre of the body.
    pub axis: Axis,
    /// Angle at the upper end.
    pub degrees: f64,
}

/// Compression along a coordinate axis; the other directions widen to keep the volume.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Squash {
    /// The direction that is compressed.
    pub axis: Axis,
    /// The factor, above 0; below 1 compresses.
    pub factor: f64,
}

/// Every vertex at an independent uniform random point of the bounding box.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Randomize {
    /// Seed of the random numbers. Default 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// From 0 (the rest position) to 1 (the random point, the default).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub amount: Option<f64>,
}

/// Every vertex at the centre, plus a random offset.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Collapse {
    /// Largest random offset as a part of the bounding box's size. Default 0: all in one point.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub jitter: Option<f64>,
    /// Seed of the random numbers. Default 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}
