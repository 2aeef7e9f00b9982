//! A film as one HTML file that needs nothing else: no network, no library, no server.
//!
//! Positions are whole numbers of 16 bits in the box of the motion, so that their error is less than 10⁻⁵ of it. Values
//! are 8 bits in the range of their colours. Every frame is an element of its own, in base64, which the page decodes
//! when it is shown; normals are computed there. `meta` is JSON. `topology` holds, as 32-bit numbers, the points and
//! parts of the vertices, the triangles and the edges of lines.

use std::io::{self, Write};
use std::path::Path;

use base64::engine::general_purpose::STANDARD;
use base64::write::EncoderWriter;
use serde::Serialize;

use super::film::Film;
use super::{Style, colour};
use crate::error::Result;
use crate::fs::write_atomically;
use crate::io::vtu_write::escape;
use crate::view::plot::theme::Colour;
use crate::view::replay::motion::Shot;

const PAGE: &str = include_str!("page.html");
const SCRIPTS: [&str; 2] = [include_str!("draw.js"), include_str!("viewer.js")];

/// The data of the page besides frames and topology.
#[derive(Serialize)]
struct Meta<'a> {
    name: &'a str,
    version: &'static str,
    frames: Vec<u64>,
    times: Vec<f64>,
    points: usize,
    vertices: usize,
    triangles: usize,
    edges: usize,
    /// The box in which places are numbers.
    bounds: [[f32; 3]; 2],
    /// The box that the camera shows.
    focus: [[f32; 3]; 2],
    floor: f64,
    parts: Vec<PartMeta<'a>>,
    arrays: Vec<ArrayMeta>,
    map: [Colour; 11],
    view: [f64; 2],
    dark: bool,
    wireframe: bool,
    array: i64,
}

#[derive(Serialize)]
struct PartMeta<'a> {
    name: &'a str,
    colour: Colour,
    obstacle: bool,
    radius: f64,
    edges: [usize; 2],
}

#[derive(Serialize)]
struct ArrayMeta {
    name: &'static str,
    unit: &'static str,
    low: f32,
    high: f32,
}

/// The number of bytes that a frame of so many points and arrays takes in the file.
pub fn bytes_per_frame(points: usize, arrays: usize) -> u64 {
    (points as u64 * (6 + arrays as u64)).div_ceil(3) * 4 + 64
}

/// Writes the page, whole or not at all; it begins with the style's view and colours.
pub fn write(film: &Film, style: &Style, path: &Path) -> Result<()> {
    let bounds = film.bounds();
    let meta = serde_json::to_string(&meta(film, style, bounds)).unwrap_or_default();
    let title = escape(&film.outline.name);
    // The title comes last: a name may look like one of the places.
    let fill = |part: &str| part.replace("{{script}}", &SCRIPTS.concat()).replace("{{title}}", &title);
    let (before, after) = PAGE.split_once("{{data}}").unwrap_or((PAGE, ""));
    let (before, after) = (fill(before), fill(after));
    write_atomically(path, |out| {
        out.write_all(before.as_bytes())?;
        // The end tag is the only text that ends a script element.
        writeln!(
            out,
            "<script type=\"application/json\" id=\"meta\">{}</script>",
            meta.replace('<', "\\u003c")
        )?;
        element(out, "topology", &topology(film))?;
        for (i, shot) in film.shots.iter().enumerate() {
            element(out, &format!("f{i}"), &frame(film, bounds, shot))?;
        }
        out.write_all(after.as_bytes())
    })
}

fn meta<'a>(film: &'a Film, style: &Style, bounds: [[f32; 3]; 2]) -> Meta<'a> {
    let parts = film.outline.parts.iter().enumerate().map(|(i, part)| PartMeta {
        name: &part.name,
        colour: colour::of_part(i, part),
        obstacle: part.is_obstacle(),
        radius: part.radius,
        edges: [part.edges.start, part.edges.end],
    });
    let arrays = film.arrays.iter().map(|(array, [low, high])| ArrayMeta {
        name: array.name,
        unit: array.unit,
        low: *low,
        high: *high,
    });
    Meta {
        name: &film.outline.name,
        version: env!("CARGO_PKG_VERSION"),
        frames: film.shots.iter().map(|shot| shot.number).collect(),
        times: film.shots.iter().map(|shot| shot.time).collect(),
        points: film.outline.rest.len(),
        vertices: film.shape.points.len(),
        triangles: film.shape.triangles.len(),
        edges: film.shape.edges.len(),
        bounds,
        focus: film.focus(),
        floor: film.floor(),
        parts: parts.collect(),
        arrays: arrays.collect(),
        map: colour::MAP,
        view: [style.view.azimuth, style.view.elevation],
        dark: style.is_dark(),
        wireframe: style.wireframe,
        array: style.array.map_or(-1, |i| i as i64),
    }
}

fn element(out: &mut impl Write, id: &str, bytes: &[u8]) -> io::Result<()> {
    write!(out, "<script type=\"text/plain\" id=\"{id}\">")?;
    let mut encoder = EncoderWriter::new(&mut *out, &STANDARD);
    encoder.write_all(bytes)?;
    encoder.finish()?;
    drop(encoder);
    out.write_all(b"</script>\n")
}

fn topology(film: &Film) -> Vec<u8> {
    let shape = &film.shape;
    let lists = [&shape.points[..], &shape.parts, shape.triangles.as_flattened(), shape.edges.as_flattened()];
    lists.concat().iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn frame(film: &Film, [low, high]: [[f32; 3]; 2], shot: &Shot) -> Vec<u8> {
    let place = |x: f32, k: usize| {
        let size = high[k] - low[k];
        // Points at which nothing is drawn may lie outside of the box.
        let part = if size > 0.0 { ((x - low[k]) / size).clamp(0.0, 1.0) } else { 0.0 };
        (part * f32::from(u16::MAX)).round() as u16
    };
    let mut bytes = Vec::with_capacity(shot.points.len() * (6 + film.arrays.len()));
    for point in &shot.points {
        bytes.extend((0..3).flat_map(|k| place(point[k], k).to_le_bytes()));
    }
    for (values, (_, range)) in shot.values.iter().zip(&film.arrays) {
        bytes.extend(values.iter().map(|v| (255.0 * colour::part_of_range(*v, *range)).round() as u8));
    }
    bytes
}
