//! The visible part of a run: surfaces and lines of constant topology, with arrays on their vertices.
//!
//! In VTU frames the surfaces are those that `ply` frames would hold, and values of cells become values of vertices:
//! the mean over the cells that have the vertex as a corner. PLY frames have positions alone.

use std::ops::Range;
use std::path::Path;

use super::ply::PlyFrames;
use super::vtu::VtuFrames;
use super::{Replay, Run};
use crate::cache::Cache;
use crate::config::Overrides;
use crate::error::{Error, Result};
use crate::mesh::surface::area_vector;
use crate::run::Schedule;
use crate::scene::{Obstacle, ObstacleShape};
use elements::math::vec3::norm;

/// A scalar array that can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Array {
    /// The name of the VTU array, or `displacement` and `speed` for the lengths of vectors.
    pub name: &'static str,
    /// The unit of its values; empty for ratios.
    pub unit: &'static str,
}

/// All arrays, in the order of [`Shot::values`].
pub const ARRAYS: [Array; 5] = [
    Array { name: "von_mises", unit: "Pa" },
    Array { name: "energy_density", unit: "J/m³" },
    Array { name: "det_f", unit: "" },
    Array { name: "displacement", unit: "m" },
    Array { name: "speed", unit: "m/s" },
];

/// How far the slope of a floor may be from level: 1 − cos of the angle.
const LEVEL: f64 = 1e-9;

/// A surface or a set of lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The name of its files.
    pub name: String,
    /// The number of its body in the config, from 0; −1 − k for the obstacle of number k.
    pub body: i32,
    /// The range of its vertices.
    pub vertices: Range<usize>,
    /// The range of its triangles.
    pub triangles: Range<usize>,
    /// The range of its edges.
    pub edges: Range<usize>,
    /// The radius of its lines in m; 0 if it is not known.
    pub radius: f64,
    /// True for a plane, which has no end: views need not show all of it.
    pub is_plane: bool,
}

impl Part {
    /// True for an obstacle.
    pub fn is_obstacle(&self) -> bool {
        self.body < 0
    }
}

/// The part of a motion that does not change from frame to frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outline {
    /// The name of the run.
    pub name: String,
    /// The parts, body after body.
    pub parts: Vec<Part>,
    /// The corners of all triangles.
    pub triangles: Vec<[u32; 3]>,
    /// The ends of all edges of lines.
    pub edges: Vec<[u32; 2]>,
    /// The positions in m at rest, or in the first frame if the rest state is not known.
    pub rest: Vec<[f64; 3]>,
    /// True if there are arrays.
    pub has_arrays: bool,
    /// The height in m of an obstacle that is a floor, and is shown as one instead of as a part.
    pub floor: Option<f64>,
}

impl Outline {
    /// Adds a part; `triangles` and `edges` count its vertices from 0.
    pub(super) fn push(
        &mut self,
        name: &str,
        body: i32,
        radius: f64,
        points: &[[f64; 3]],
        triangles: &[[u32; 3]],
        edges: &[[u32; 2]],
    ) {
        let first = self.rest.len() as u32;
        let starts = (self.rest.len(), self.triangles.len(), self.edges.len());
        self.rest.extend(points);
        self.triangles.extend(triangles.iter().map(|t| t.map(|v| first + v)));
        self.edges.extend(edges.iter().map(|e| e.map(|v| first + v)));
        self.parts.push(Part {
            name: name.to_owned(),
            body,
            vertices: starts.0..self.rest.len(),
            triangles: starts.1..self.triangles.len(),
            edges: starts.2..self.edges.len(),
            radius,
            is_plane: false,
        });
    }

    /// Adds an obstacle of the scene; one that is a level plane at rest, facing up, becomes the floor. False if so.
    pub(super) fn push_obstacle(
        &mut self,
        (number, obstacle): (usize, &Obstacle),
        points: &[[f64; 3]],
        triangles: &[[u32; 3]],
    ) -> bool {
        let is_plane = matches!(obstacle.shape, ObstacleShape::Plane { .. });
        if is_plane && obstacle.motion.is_none() && self.floor.is_none() {
            let (up, size) = (area_vector(points, triangles[0]), norm(area_vector(points, triangles[0])));
            if up[1] > (1.0 - LEVEL) * size {
                self.floor = Some(points[0][1]);
                return false;
            }
        }
        self.push(&obstacle.name, -1 - number as i32, 0.0, points, triangles, &[]);
        if let Some(part) = self.parts.last_mut() {
            part.is_plane = is_plane;
        }
        true
    }
}

/// The visible state of one frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shot {
    /// The number of the frame.
    pub number: u64,
    /// The time of the frame in s.
    pub time: f64,
    /// The positions of all vertices in m, all finite.
    pub points: Vec<[f32; 3]>,
    /// The values at the vertices of each array that was asked for; they may be infinite or NaN.
    pub values: Vec<Vec<f32>>,
}

enum Source {
    Vtu(Box<VtuFrames>),
    Ply(PlyFrames),
}

/// A run whose surfaces can be read, frame by frame.
pub struct Motion {
    /// The part that does not change from frame to frame.
    pub outline: Outline,
    /// The numbers of the frames that exist, ascending; there is at least one.
    pub frames: Vec<u64>,
    schedule: Schedule,
    source: Source,
}

impl Motion {
    /// Opens a run: its VTU frames, or its PLY frames if it has no VTU frames.
    pub fn open(dir: &Path, cache: &Cache) -> Result<Motion> {
        let run = Run::open(dir, &Overrides::default())?;
        let schedule = run.schedule(run.scene.time.frames);
        if !run.frames("vtu", &run.scene.name)?.is_empty() {
            let (source, outline) = VtuFrames::new(Replay::new(run, cache)?);
            let frames = source.replay.frames().to_vec();
            return Ok(Motion { outline, frames, schedule, source: Source::Vtu(Box::new(source)) });
        }
        let Some((source, outline, frames)) = PlyFrames::new(&run)? else {
            return Err(Error::Run {
                path: dir.to_owned(),
                reason: "has neither vtu nor ply frames".into(),
                hint: "simulate with \"vtu\" or \"ply\" among output.formats".into(),
            });
        };
        Ok(Motion { outline, frames, schedule, source: Source::Ply(source) })
    }

    /// The time of a frame in s.
    pub fn time(&self, number: u64) -> f64 {
        self.schedule.time(number)
    }

    /// Reads a frame with the arrays whose numbers in [`ARRAYS`] are given; the run must have arrays.
    pub fn shot(&self, number: u64, arrays: &[usize]) -> Result<Shot> {
        let (points, values) = match &self.source {
            Source::Vtu(source) => source.read(number, arrays)?,
            Source::Ply(source) => (source.read(number, &self.outline)?, vec![]),
        };
        Ok(Shot { number, time: self.time(number), points, values })
    }
}
