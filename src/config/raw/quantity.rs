//! Values that may differ from place to place.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::body::VaryingDirections;
use super::pin::Select;

/// A number, an array of the mesh file, or values by selections of which later ones win.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Quantity {
    /// The same value everywhere.
    Number(f64),
    /// Values of an array of the mesh file.
    Array(ArrayName),
    /// Values by selections of cells; later ones win.
    Places(Vec<Place>),
}

/// An array of the mesh file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArrayName {
    /// Name of a scalar cell array, or of a scalar point array, which is averaged over the corners of each cell.
    pub array: String,
}

/// A value in some cells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// The cells whose centres lie in this selection. Default "all".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub select: Option<Select>,
    /// The value in these cells.
    pub value: f64,
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct QuantityVisitor;
        impl<'de> Visitor<'de> for QuantityVisitor {
            type Value = Quantity;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, { array = \"name\" } or [{ select = …, value = … }, …]")
            }
            fn visit_f64<E: Error>(self, value: f64) -> Result<Quantity, E> {
                Ok(Quantity::Number(value))
            }
            fn visit_i64<E: Error>(self, value: i64) -> Result<Quantity, E> {
                Ok(Quantity::Number(value as f64))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Quantity, A::Error> {
                ArrayName::deserialize(MapAccessDeserializer::new(map)).map(Quantity::Array)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Quantity, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(seq)).map(Quantity::Places)
            }
        }
        deserializer.deserialize_any(QuantityVisitor)
    }
}

impl JsonSchema for Quantity {
    fn schema_name() -> Cow<'static, str> {
        "Quantity".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (array, place) = (generator.subschema_for::<ArrayName>(), generator.subschema_for::<Place>());
        json_schema!({
            "description": "A number, an array of the mesh file, or values by selections (later ones win).",
            "anyOf": [{ "type": "number" }, array, { "type": "array", "items": place }],
        })
    }
}

/// One direction, or directions that differ from cell to cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Directions {
    /// The same everywhere.
    Constant([f64; 3]),
    /// Directions that differ from cell to cell.
    Varying(VaryingDirections),
}

impl<'de> Deserialize<'de> for Directions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct DirectionsVisitor;
        impl<'de> Visitor<'de> for DirectionsVisitor {
            type Value = Directions;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("[x, y, z], { array = \"name\" } or { radial = { … } }")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Directions, A::Error> {
                VaryingDirections::deserialize(MapAccessDeserializer::new(map)).map(Directions::Varying)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Directions, A::Error> {
                <[f64; 3]>::deserialize(SeqAccessDeserializer::new(seq)).map(Directions::Constant)
            }
        }
        deserializer.deserialize_any(DirectionsVisitor)
    }
}

impl JsonSchema for Directions {
    fn schema_name() -> Cow<'static, str> {
        "Directions".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (one, varying) =
            (generator.subschema_for::<[f64; 3]>(), generator.subschema_for::<VaryingDirections>());
        json_schema!({ "anyOf": [one, varying] })
    }
}
