//! What a run writes, and where.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::io::vtu_write::Compression;

/// What to write and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// The run directory, absolute.
    pub dir: PathBuf,
    /// The formats of the frames.
    pub formats: Vec<FrameFormat>,
    /// The numbers of the bodies that are written, ascending.
    pub bodies: Vec<usize>,
    /// Every how many frames (frame 0 and the last are always written).
    pub every: u64,
    /// Write floating-point arrays as Float32.
    pub float32: bool,
    /// Compression of VTU files.
    pub compression: Compression,
    /// Compute the normals of surfaces anew in every frame.
    pub normals: bool,
    /// Frames a second when written frames are played, > 0.
    pub fps: f64,
    /// The number of frame 0 where it is played.
    pub start_frame: i64,
}

/// A format of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Format")]
pub enum FrameFormat {
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

impl FrameFormat {
    /// Its name in configs.
    pub fn name(self) -> &'static str {
        match self {
            FrameFormat::Vtu => "vtu",
            FrameFormat::Vtk => "vtk",
            FrameFormat::Ply => "ply",
            FrameFormat::Obj => "obj",
            FrameFormat::Stl => "stl",
            FrameFormat::Pc2 => "pc2",
            FrameFormat::Mdd => "mdd",
            FrameFormat::Usd => "usd",
        }
    }
}
