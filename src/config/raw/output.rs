//! `[output]`: what is written, and where.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is written, and where.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// The run directory, relative to the config file. Default: `outputs/<name>` under the working directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dir: Option<String>,
    /// Formats of the frames. Default ["vtu", "ply"].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formats: Option<Vec<Format>>,
    /// Names of the bodies that are written. Default: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bodies: Option<Vec<String>>,
    /// Write every n-th frame (the first and the last always), at least 1 (the default).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub every: Option<u64>,
    /// Write Float32 instead of Float64 arrays: half the size. Default false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub float32: Option<bool>,
    /// Compression of VTU files. Default "none".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compression: Option<Compression>,
    /// Compute the normals of surfaces anew in every frame: as nx, ny, nz in PLY, as normals in USD, and in place of those
    /// that OBJ files have. Default false: OBJ files keep theirs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub normals: Option<bool>,
    /// Frames a second when the written frames are played (USD, MDD, Blender), above 0. Default: real time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fps: Option<f64>,
    /// The number that frame 0 has where it is played (USD, PC2, Blender). Default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_frame: Option<i64>,
}

/// A format of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// All bodies in one grid per frame, for ParaView, with a .pvd time series.
    Vtu,
    /// Likewise as legacy VTK, with a .vtk.series.
    Vtk,
    /// One surface per body and frame, in constant vertex order.
    Ply,
    /// Likewise, as text; a body that has an OBJ file for its surface gives that file back with moved vertices: faces of
    /// any number of corners, texture coordinates, groups and materials as they are.
    Obj,
    /// One surface per body and frame, triangles without common vertices.
    Stl,
    /// An OBJ file per body and its positions in all frames, for Blender's Mesh Cache modifier.
    Pc2,
    /// Likewise, for Maya, Houdini, LightWave and Blender.
    Mdd,
    /// All surfaces and frames as USD text.
    Usd,
}

impl Format {
    /// Its name in configs.
    pub fn name(self) -> &'static str {
        match self {
            Format::Vtu => "vtu",
            Format::Vtk => "vtk",
            Format::Ply => "ply",
            Format::Obj => "obj",
            Format::Stl => "stl",
            Format::Pc2 => "pc2",
            Format::Mdd => "mdd",
            Format::Usd => "usd",
        }
    }
}

/// How VTU files are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Compression {
    /// Raw: the fastest.
    None,
    /// Half the size for twice the time of writing.
    Lz4,
    /// A third of the size for four times the time.
    Zlib,
}
