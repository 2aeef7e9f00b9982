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

/// A format of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// `vtu/<name>_0000.vtu` …, `<name>.pvd`: all bodies in one grid per frame, with arrays, for ParaView, VTK and
    /// meshio.
    Vtu,
    /// `vtk/<name>_0000.vtk` …, `<name>.vtk.series`: the same as legacy VTK.
    Vtk,
    /// `ply/<body>_0000.ply` …: the surface of each body.
    Ply,
    /// `obj/<body>_0000.obj` …: the same as text. A body with an OBJ file as its `surface` gives that file with moved
    /// vertices: polygons, texture coordinates, groups and materials stay.
    Obj,
    /// `stl/<body>_0000.stl` …: the surface of each body as triangles without common vertices.
    Stl,
    /// `blender/<body>.obj` and `<body>.pc2`: a mesh, and its positions in all frames, for Blender's Mesh Cache
    /// modifier.
    Pc2,
    /// `blender/<body>.obj` and `<body>.mdd`: the same for Maya, Houdini, LightWave and Blender.
    Mdd,
    /// `blender/<name>.usda`, above 64 MB with `blender/clips/`: all surfaces with texture coordinates, velocities
    /// and normals, for Blender, Houdini and usdview.
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
    /// Raw data, the fastest.
    None,
    /// Half the size for twice the time of writing.
    Lz4,
    /// A third of the size for four times the time.
    Zlib,
}
