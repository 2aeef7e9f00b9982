//! The table `tetrahedralize` of a body: how its surface is filled with tets.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};

/// How a surface is filled with tets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tetrahedralize {
    /// The method, "lattice" (for any surface) or "tetgen" (for clean ones). Default "lattice".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// About how many tets, at least 1; excludes `max_volume`. Default: as of `pliant mesh`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub cells: Option<u64>,
    /// The volume that no tet exceeds, in the cubed unit of the file, above 0; excludes `cells`. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_volume: Option<f64>,
    /// Repair the surface first: weld vertices, drop degenerate triangles, orient, fill holes. Default true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repair: Option<bool>,
    /// Hold parts of the surface together that touch or nearly do, by common tets: true if a cell is wider than the gap, false for
    /// none, or the widest gap in the unit of the file, above 0. Only with "lattice". Default true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub join: Option<Join>,
}

/// Whether parts of a surface are held together, or how far apart they may be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Join {
    /// As far as a cell is wide, or not at all.
    Cell(bool),
    /// This far, in the unit of the file.
    Within(f64),
}

impl<'de> Deserialize<'de> for Join {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Join, D::Error> {
        struct JoinVisitor;
        impl de::Visitor<'_> for JoinVisitor {
            type Value = Join;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("true, false or a distance")
            }
            fn visit_bool<E: de::Error>(self, value: bool) -> Result<Join, E> {
                Ok(Join::Cell(value))
            }
            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Join, E> {
                Ok(Join::Within(value))
            }
            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Join, E> {
                Ok(Join::Within(value as f64))
            }
        }
        deserializer.deserialize_any(JoinVisitor)
    }
}
