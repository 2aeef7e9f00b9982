//! The tables of one `[[body.pin]]`: selections and motions, which obstacles have too.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// A set of vertices held in place or moved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// The vertices, by their rest positions; a selection without vertices is an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Select")]
    pub select: Option<Select>,
    /// How the vertices are held. Default "hard".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<PinKind>,
    /// Where the vertices go over time. Default: they stay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub motion: Option<Motion>,
    /// When the pin holds. Default: always.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active: Option<Period>,
}

/// The part of a run in which a pin holds: the steps that end after `from` and not after `until`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Period {
    /// When the pin begins in s, not negative. If that is later than the start, it holds its vertices where they are then.
    /// Default 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<f64>,
    /// When the pin ends in s, after `from`; the vertices then go on with the velocities that they have. Default: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
}

/// How a pin holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PinKind {
    /// Exactly.
    Hard,
    /// By a spring at each vertex: of this stiffness in N/m, above 0, or of `scale` times what a point array of the mesh file
    /// has there (`scale` in N/m, 1 by default). Vertices where the array is 0 are free.
    Soft(Stiffness),
}

/// The stiffness of the springs of a soft pin.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Stiffness {
    /// The same stiffness at all vertices, in N/m.
    Number(f64),
    /// Stiffnesses from an array of the mesh file.
    Painted(Painted),
}

/// Stiffnesses that an array of the mesh file weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Painted {
    /// Name of a scalar point array of the mesh file, without negative values.
    pub array: String,
    /// The stiffness in N/m where the array is 1, above 0. Default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
}

impl<'de> Deserialize<'de> for Stiffness {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct StiffnessVisitor;
        impl<'de> Visitor<'de> for StiffnessVisitor {
            type Value = Stiffness;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number or { array = \"name\", scale = … }")
            }
            fn visit_f64<E: Error>(self, value: f64) -> Result<Stiffness, E> {
                Ok(Stiffness::Number(value))
            }
            fn visit_i64<E: Error>(self, value: i64) -> Result<Stiffness, E> {
                Ok(Stiffness::Number(value as f64))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Stiffness, A::Error> {
                Painted::deserialize(MapAccessDeserializer::new(map)).map(Stiffness::Painted)
            }
        }
        deserializer.deserialize_any(StiffnessVisitor)
    }
}

impl JsonSchema for Stiffness {
    fn schema_name() -> Cow<'static, str> {
        "Stiffness".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let painted = generator.subschema_for::<Painted>();
        json_schema!({
            "description": "The same stiffness in N/m at all vertices, or stiffnesses from a point array of the mesh file.",
            "anyOf": [{ "type": "number" }, painted],
        })
    }
}

/// A set of vertices or cells of a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Select {
    /// All vertices or cells.
    All,
    /// Inside or on an axis-parallel box.
    Box(BoxSelection),
    /// Inside or on a sphere.
    Sphere(SphereSelection),
    /// On a plane, or on the side that its normal points to.
    Plane(PlaneSelection),
    /// By number in the mesh, from 0.
    Ids(Vec<u32>),
    /// The vertices of the faces and lines of a group, object or material of an OBJ file, by its name.
    Group(String),
    /// Where a scalar array of the mesh file is greater than a value: a point array for vertices, a
    /// cell array for cells.
    Array(ArraySelection),
    /// The vertices or cells nearest to a point.
    Nearest(NearestSelection),
}

/// The inside of an axis-parallel box.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoxSelection {
    /// The corner of the box with the least coordinates.
    pub min: [f64; 3],
    /// The corner of the box with the greatest coordinates.
    pub max: [f64; 3],
}

/// The inside of a sphere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SphereSelection {
    /// The centre of the sphere.
    pub center: [f64; 3],
    /// The radius, above 0.
    pub radius: f64,
}

/// The side of a plane that its normal points to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaneSelection {
    /// A point of the plane.
    pub point: [f64; 3],
    /// Points to the selected side, of any length.
    pub normal: [f64; 3],
}

/// Where a scalar array of the mesh file is greater than a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArraySelection {
    /// Name of a scalar array of the mesh file: a point array for vertices, a cell array for cells.
    pub name: String,
    /// The value that the array must exceed.
    pub above: f64,
}

/// The vertices or cells nearest to a point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NearestSelection {
    /// The point from which distances are measured.
    pub point: [f64; 3],
    /// How many. Default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub count: Option<u64>,
}

/// The motion of pinned vertices or of an obstacle: exactly one of rotate, translate, keyframes, shake and file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Motion {
    /// Start of the motion in s: its time counts from here. Default 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<f64>,
    /// End of the motion in s, after `from`; the vertices then stay where they are. Default: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
    /// Constant velocity in m/s along x, y, z.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translate: Option<[f64; 3]>,
    /// Rotation at a constant rate about an axis.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotate: Option<RotationRate>,
    /// Offset and angle by keyframes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keyframes: Option<Keyframes>,
    /// The offset `amplitude` · sin(2π · `frequency` · t).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shake: Option<Shake>,
    /// Files with the positions of all vertices of the body's mesh or surface over time, of which the pinned ones follow theirs: a point
    /// cache, .pc2 or .mdd, or meshes with # for each digit of their numbers, such as "walk_####.obj". Relative to the config
    /// file. Only for pins: obstacles have `sequence`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Frames per second of `file`, above 0; in place of the times of a .mdd file. Required with `file` unless it is .mdd.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fps: Option<f64>,
}

/// Rotation at a constant rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RotationRate {
    /// Direction of the axis, of any length.
    pub axis: [f64; 3],
    /// A point of the axis. Default [0, 0, 0].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<[f64; 3]>,
    /// Rate of the rotation in degrees per second.
    pub degrees_per_second: f64,
}

/// Rigid keyframes: offset and angle are piecewise linear in time, constant before the first and after the last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Keyframes {
    /// Axis of the rotation. Required where a key has `degrees`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub axis: Option<[f64; 3]>,
    /// A point of the axis. Default [0, 0, 0].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<[f64; 3]>,
    /// The keys with ascending times, at least one; offset and angle are linear between them and constant outside.
    pub keys: Vec<Keyframe>,
}

/// The offset and the angle at one time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Keyframe {
    /// Seconds since the start of the motion.
    pub time: f64,
    /// Offset in m along x, y, z. Default [0, 0, 0].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translate: Option<[f64; 3]>,
    /// Angle about the axis in degrees. Default 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degrees: Option<f64>,
}

/// The offset amplitude · sin(2π · frequency · time).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shake {
    /// Amplitude in m along x, y, z.
    pub amplitude: [f64; 3],
    /// Frequency in Hz, above 0.
    pub frequency: f64,
}
