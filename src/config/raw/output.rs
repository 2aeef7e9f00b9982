//! `[output]`: what is written, and where.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scene::FrameFormat as Format;

/// What is written, and where.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// The run directory, relative to the config file. Default: `outputs/<name>` under the working directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dir: Option<String>,
    /// Formats of the frames, each a file or an animation. Default ["vtu", "ply"].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formats: Option<Vec<Format>>,
    /// Names of the bodies that are written, in every format. Default: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bodies: Option<Vec<String>>,
    /// Write every n-th frame; the first and the last always. Default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub every: Option<u64>,
    /// Write Float32 instead of Float64 arrays, which halves the files. Default false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub float32: Option<bool>,
    /// Compression of VTU files. Default "none".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compression: Option<Compression>,
    /// Compute the normals of surfaces anew in every frame: `nx`, `ny`, `nz` in PLY, `vn` in OBJ, `normals` in USD.
    /// Otherwise OBJ files keep their own. Default false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub normals: Option<bool>,
    /// Written frames per second when they are played (USD, MDD, Blender), above 0. Default: real time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fps: Option<f64>,
    /// The number that frame 0 has where it is played (USD, PC2, Blender), -1048574 to 1048574. Default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_frame: Option<i64>,
}

/// How VTU files are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Compression {
    /// Raw data, the fastest.
    None,
    /// Half the size for twice the time of writing.
    Lz4,
    /// A third of the size for four times the time.
    Zlib,
}
