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
    /// Frame formats.
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
