//! Scripts that open a run: `import_blender.py` for Blender, `view_paraview.py` for ParaView. Written once.
//!
//! Both are the same for every run, except for a block of JSON with names, formats and colours. They look
//! for the frames themselves. A copy of `import_blender.py` also stands in `blender/`, so that this
//! directory can be moved alone.

use std::io::Write;

use serde::Serialize;

use super::animation::DIRECTORY;
use super::{FORMATS, Making, Request};
use crate::error::Result;
use crate::fs::write_atomically;

const BLENDER: &str = include_str!("scripts/import_blender.py");
const PARAVIEW: &str = include_str!("scripts/view_paraview.py");

/// The mark in the scripts that is replaced by the JSON.
const PLACE: &str = "@RUN@";

/// The names of the scripts.
pub const NAMES: [&str; 2] = ["import_blender.py", "view_paraview.py"];

#[derive(Serialize)]
struct Run<'a> {
    name: &'a str,
    fps: f64,
    start_frame: i64,
    surfaces: Vec<Surface<'a>>,
}

#[derive(Serialize)]
struct Surface<'a> {
    name: &'a str,
    colour: [f32; 3],
    /// The radius of a line in m; absent for surfaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    radius: Option<f64>,
    /// True for a plane, which the camera need not show all of.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    plane: bool,
}

/// The colour of obstacles.
const OBSTACLE: [f32; 3] = [0.70, 0.70, 0.72];

/// The colour of a body, or of an obstacle for numbers below 0: red, green and blue from 0 to 1. Colours are easy to tell apart, also with colour blindness.
pub fn colour(body: i32) -> [f32; 3] {
    const COLOURS: [[f32; 3]; 8] = [
        [0.20, 0.45, 0.70],
        [0.90, 0.55, 0.12],
        [0.10, 0.60, 0.47],
        [0.80, 0.40, 0.60],
        [0.92, 0.85, 0.35],
        [0.40, 0.70, 0.90],
        [0.75, 0.30, 0.15],
        [0.55, 0.55, 0.55],
    ];
    usize::try_from(body).map_or(OBSTACLE, |body| COLOURS[body % COLOURS.len()])
}

/// Writes the scripts.
pub fn write(request: &Request) -> Result<()> {
    let mut surfaces = vec![];
    for (number, body) in request.scene.numbers.iter().zip(&request.scene.bodies) {
        let names: Vec<&str> = match &body.embedded[..] {
            [] => vec![&body.name],
            embedded => embedded.iter().map(|e| e.name.as_str()).collect(),
        };
        let colour = colour(*number);
        let (radius, plane) = (body.radius, request.scene.planes.contains(number));
        surfaces.extend(names.into_iter().map(|name| Surface { name, colour, radius, plane }));
    }
    let run = Run {
        name: request.directory.name(),
        fps: request.output.fps,
        start_frame: request.output.start_frame,
        surfaces,
    };
    let json = serde_json::to_string_pretty(&run).expect("names and numbers are JSON");
    let put = |path: &std::path::Path, text: &str| {
        let text = text.replace(PLACE, &json);
        write_atomically(path, |out| out.write_all(text.as_bytes()))
    };
    put(&request.directory.path(NAMES[0]), BLENDER)?;
    let is_animation = |(format, making): &(_, Making)| {
        request.output.formats.contains(format) && matches!(making, Making::Animation { .. })
    };
    if FORMATS.iter().any(is_animation) {
        put(&request.directory.subdirectory(DIRECTORY)?.join(NAMES[0]), BLENDER)?;
    }
    put(&request.directory.path(NAMES[1]), PARAVIEW)
}
