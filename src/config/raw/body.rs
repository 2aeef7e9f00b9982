//! The tables of one `[[body]]`: mesh, material and initial state.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::contact::BodyContact;
use super::control::Control;
use super::filling::Tetrahedralize;
use super::force::Load;
use super::material::Material;
use super::pin::Pin;
use super::quantity::{Directions, Quantity};
use super::values::{Animated, Cells, OneOrMany, Paths};

/// One elastic body.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// A unique name; part of the names of files. Default "body0", "body1", ….
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Mesh file of tetrahedra (a solid), of triangles only (a sheet) or of edges only (a line), relative to the
    /// config file. Required unless there is `generate` or `surface`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mesh: Option<String>,
    /// Surface file, or an array of them, relative to the config file: it is filled with tets, or follows those of
    /// `mesh` or `generate`, and every frame has it with its own vertices in their own order. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub surface: Option<Paths>,
    /// How a body with `surface` alone is filled with tets. Default: the defaults of its keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tetrahedralize: Option<Tetrahedralize>,
    /// A procedural mesh instead of a file. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generate: Option<Generate>,
    /// How the tets of a solid deform: "linear" tets, of which bodies that bend or hardly change their volume come out too
    /// stiff, or "quadratic" ones, which have nodes in the middles of their edges too. Default: "quadratic" with `generate`, "linear" with
    /// `surface` alone, what the file has with `mesh`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element: Option<Element>,
    /// Drop cells without volume, area or length instead of refusing the mesh. Default false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repair: Option<bool>,
    /// Mass density in kg/m³, above 0. Default 1000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub density: Option<Quantity>,
    /// Thickness of a sheet in m, above 0: gives its mass and stiffness. Default 0.001.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thickness: Option<Quantity>,
    /// Radius of the cross-section of a line in m, above 0: gives its mass and stiffness. Default 0.005.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// The model with its parameters, or an array of such tables with a `select` each, of which later ones win.
    /// Required unless a sheet has `springs` or the body is a line.
    #[serde(default, skip_serializing_if = "OneOrMany::is_empty")]
    pub material: OneOrMany<Material>,
    /// Springs along the edges of a sheet, instead of a material or beside it. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub springs: Option<Springs>,
    /// Resistance of a sheet to bending. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bending: Option<Bending>,
    /// Bounds on the stretches of a sheet or a solid. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
    /// What the edges of a line resist, instead of a material. Required for a line that is not a generated rope.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<Line>,
    /// Families of fibres in a solid, which add to its material. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fibers: Vec<Fiber>,
    /// Rayleigh damping. Default: none.
    #[serde(default)]
    pub damping: Damping,
    /// Factor on all stiffness of the body, above 0. While it changes, every step has a system matrix of its own, and
    /// the run says how many factors were made or found in the cache. Default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffness_scale: Option<Animated<f64>>,
    /// Placement of the mesh: scaled, then rotated, then moved. The result is the rest state. Default: none.
    #[serde(default)]
    pub transform: Transform,
    /// Initial velocity of the body as a whole. Default: at rest.
    #[serde(default)]
    pub velocity: Velocity,
    /// Deformation of the rest state into the initial state: a table with one kind, or an array of such tables that
    /// are applied in order. Default: none.
    #[serde(default, skip_serializing_if = "OneOrMany::is_empty")]
    pub deform: OneOrMany<Deform>,
    /// Sets of vertices that are held or moved. Where they overlap, hard pins win, then the later one. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pin: Vec<Pin>,
    /// Forces on sets of vertices. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub load: Vec<Load>,
    /// Pressure in Pa above that outside, in the closed surface of a sheet or a solid; a sheet with open edges is
    /// refused. Default 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pressure: Option<Animated<f64>>,
    /// What differs in its contact from `[contact]`. Default: nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<BodyContact>,
    /// What the momenta and the energy of the body should be; for solver `constrained-pd`, or with `solver.fepr`.
    /// Default: all are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control: Option<Control>,
}

/// How the tets of a solid deform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Element {
    /// One deformation gradient in each tet.
    Linear,
    /// Ten nodes in each tet.
    Quadratic,
}

/// Springs along all edges of a sheet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Springs {
    /// Stiffness of each spring in N/m, above 0.
    pub stiffness: Quantity,
    /// Add a spring between the far corners of every two triangles that share an edge, which resists shear and
    /// bending. Default false.
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
    /// Young's modulus E in Pa, above 0: an edge of rest length l has the stiffness E π `radius`²/l. Required for
    /// "spring". Default 1e7.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub young: Option<f64>,
}

/// What the edges of a line resist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LineKind {
    /// Lengthening only: slack under compression.
    Rope,
    /// Any change of length; stiff by default.
    Rod,
    /// Any change of length, with the stiffness that `young` gives.
    Spring,
}

/// Resistance of a sheet to bending.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bending {
    /// Flexural rigidity k in N·m, above 0 (Young's modulus · thickness³/12 for a solid sheet): a curvature κ costs
    /// k/2 κ² per area.
    pub stiffness: Quantity,
    /// How curvature is computed. Default "plate".
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
    /// From the folds at all sides of each triangle: about as stiff in every direction.
    #[default]
    Plate,
    /// From every fold by itself: half the work, right on average over directions.
    Hinge,
}

/// A shape without bending energy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BendingRest {
    /// The shape of the mesh.
    #[default]
    Shape,
    /// A plane.
    Flat,
}

/// Bounds on stretches, kept by stiff energies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Least (0 to 1) and most (at least 1) of the principal stretches. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stretch: Option<[f64; 2]>,
    /// Sheets: least and most of the stretch along `direction`. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warp: Option<[f64; 2]>,
    /// Sheets: least and most of the stretch across `direction`. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weft: Option<[f64; 2]>,
    /// Direction of the warp in the rest state; its part in the plane of a triangle counts. Default: x, or z where a
    /// triangle is perpendicular to x.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<Directions>,
    /// Stiffness in Pa, above 0: the energy density is `stiffness`/2 · (excess stretch)².
    pub stiffness: Quantity,
}

/// Rayleigh damping: a force −(mass · M + stiffness · K) v.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Damping {
    /// Damping of all motion, in 1/s, not negative. Default 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
    /// Damping of deformation alone, in s, not negative. Default 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<f64>,
}

/// Fibres with the energy density κ/2 (|F d| − 1)².
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fiber {
    /// Direction d of the fibres in the rest state, of any length.
    pub direction: Directions,
    /// Stiffness κ in Pa, above 0.
    pub stiffness: Quantity,
}

/// Directions of fibres that are not parallel: exactly one of these keys.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
pub struct VaryingDirections {
    /// Name of a cell array of the mesh file with three components.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub array: Option<String>,
    /// Directions away from a point or an axis.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub radial: Option<Radial>,
}

/// Directions away from a point, or from an axis through it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Radial {
    /// A point, in the rest state. Default [0, 0, 0].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub center: Option<[f64; 3]>,
    /// Axis through the point: the directions are perpendicular to it. Default: none, the directions point
    /// away from the centre.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub axis: Option<[f64; 3]>,
}

/// A procedural mesh; lengths in metres.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Generate {
    /// The shape, which decides the other keys. Lengths are in m.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Shape")]
    pub shape: Option<Shape>,
    /// `beam`, `box`: edge lengths along x, y, z; `cloth`: along x, z; above 0. Required for `beam`, `box` and `cloth`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<Vec<f64>>,
    /// `beam`, `box`: cubes along x, y, z; `cloth`: squares along x, z; `sphere`: cells across the radius; `torus`:
    /// cells around the tube, at least 3. Required except for `rope`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cells: Option<Cells>,
    /// `beam`, `box`: tets per cube, 5 or 6. Default 5.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split: Option<u64>,
    /// `sphere`: the radius, above 0. Required for `sphere`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// `torus`: distance from the centre to the centre line of the tube, above 0. Required for `torus`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub major: Option<f64>,
    /// `torus`: radius of the tube, above 0 and less than `major`. Required for `torus`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minor: Option<f64>,
    /// `rope`: the whole length, above 0. Required for `rope`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
    /// `rope`: how many edges of equal length, at least 1. Required for `rope`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segments: Option<u64>,
}

/// The shapes of procedural meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// A block of cubes from the origin to `size`, split into tets.
    Beam,
    /// The same as `beam`.
    Box,
    /// A ball about the origin.
    Sphere,
    /// A solid torus about the z axis.
    Torus,
    /// A flat sheet of triangles in the xz plane, from the origin.
    Cloth,
    /// A line of equal edges along +x, from the origin.
    Rope,
}

/// Placement of a mesh: scaled, then rotated about the origin, then moved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Transform {
    /// Offset in m along x, y, z, applied last. Default [0, 0, 0].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translate: Option<[f64; 3]>,
    /// Uniform factor, above 0, applied first; turns other units into metres. Default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// Rotation about an axis through the origin, applied after `scale`. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotate: Option<Rotation>,
}

/// A rotation about an axis: through the origin for `transform`, through the centre of the body for `deform`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rotation {
    /// Direction of the axis, of any length.
    pub axis: [f64; 3],
    /// The angle in degrees.
    pub degrees: f64,
}

/// Rigid initial velocity.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Velocity {
    /// Velocity in m/s along x, y, z. Default [0, 0, 0].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub linear: Option<[f64; 3]>,
    /// Angular velocity in rad/s about the centre of mass. Default [0, 0, 0].
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
    /// Rotation about a coordinate axis that grows from 0 at the lower end to `degrees` at the upper.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub twist: Option<Twist>,
    /// Compression along a coordinate axis that keeps the volume.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub squash: Option<Squash>,
    /// Rotation of the body as a whole, by which it starts turned against its rest state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotate: Option<Rotation>,
    /// Every vertex at, or part of the way to, a random point of the bounding box.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub randomize: Option<Randomize>,
    /// Every vertex at the centre, plus a random offset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collapse: Option<Collapse>,
    /// Positions from another mesh file with as many vertices, relative to the config file; `transform`
    /// is applied to them too.
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
    /// Angle at the upper end, in degrees.
    pub degrees: f64,
}

/// Compression along a coordinate axis; the other directions widen to keep the volume.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Squash {
    /// The axis along which the body is compressed.
    pub axis: Axis,
    /// Factor along the axis, above 0; below 1 compresses.
    pub factor: f64,
}

/// Every vertex at an independent uniform random point of the bounding box.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Randomize {
    /// Seed of the random numbers. Default 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// From 0 (the rest position) to 1 (the random point). Default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub amount: Option<f64>,
}

/// Every vertex at the centre, plus a random offset.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Collapse {
    /// Largest random offset as a part of the size of the bounding box, 0 to 1. At 0 all vertices are in one point, which
    /// some materials never leave, because no direction is different from any other. Default 0.01.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub jitter: Option<f64>,
    /// Seed of the random numbers. Default 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}
