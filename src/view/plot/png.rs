//! Drawings as PNG: a rasterizer for lines, convex areas and stroke letters.
//!
//! How much of a pixel a stroke covers is taken from the distance d of its centre to the line:
//!
//! ```text
//! coverage = clamp(width/2 + ½ − d, 0, 1)
//! ```
//!
//! The strokes of one item are united by their largest coverage before they are blended, so that joints and crossings
//! are no darker than the rest. Pictures have two pixels for each pixel of the drawing, for sharp letters.

use std::io::{self, Write};

use png::{BitDepth, ColorType, DeflateCompression, Encoder, Filter};

use super::drawing::{Anchor, Drawing, Item};
use super::font;
use super::theme::Colour;

/// Pixels of the picture per pixel of the drawing, along each axis.
const SCALE: f64 = 2.0;
/// Width of the strokes of letters, relative to their size.
const PEN: f64 = 0.082;

/// Writes the file.
pub fn write_png(drawing: &Drawing, out: impl Write) -> io::Result<()> {
    let [width, height] = [drawing.width, drawing.height].map(|side| side as usize * SCALE as usize);
    encode([width, height], &paint(&drawing.items, width, vec![drawing.background; width * height]), out)
}

/// Draws items over a picture of rows of `width` pixels, at least 1, two pixels for each of the drawing.
pub fn paint(items: &[Item], width: usize, pixels: Vec<Colour>) -> Vec<Colour> {
    let mask = vec![0.0; pixels.len()];
    let mut raster = Raster { width, height: pixels.len() / width, pixels, mask };
    items.iter().for_each(|item| raster.draw(item));
    raster.pixels
}

struct Raster {
    width: usize,
    height: usize,
    pixels: Vec<Colour>,
    /// Coverage by the current item, zero between items.
    mask: Vec<f32>,
}

/// A rectangle of pixels: columns and rows, the ends excluded.
#[derive(Clone, Copy)]
struct Bounds {
    columns: [usize; 2],
    rows: [usize; 2],
}

impl Raster {
    fn draw(&mut self, item: &Item) {
        match item {
            Item::Line { points, colour, width, dashes } => {
                let points: Vec<[f64; 2]> = points.iter().map(|p| p.map(|c| c * SCALE)).collect();
                let lengths: Vec<f64> = dashes.iter().map(|d| d * SCALE).collect();
                self.stroke(&split(&points, &lengths), width * SCALE, *colour);
            }
            Item::Area { points, colour } => self.fill(points, *colour),
            Item::Text { text, at, size, anchor, upward, colour } => {
                let back = match anchor {
                    Anchor::Start => 0.0,
                    Anchor::Middle => 0.5 * font::width(text, *size),
                    Anchor::End => font::width(text, *size),
                };
                let place = |p: &[f64; 2]| {
                    let (along, up) = (p[0] - back, p[1]);
                    let offset = if *upward { [-up, -along] } else { [along, -up] };
                    [(at[0] + offset[0]) * SCALE, (at[1] + offset[1]) * SCALE]
                };
                let strokes: Vec<Vec<[f64; 2]>> =
                    font::strokes(text, *size).iter().map(|s| s.iter().map(place).collect()).collect();
                self.stroke(&strokes, PEN * size * SCALE, *colour);
            }
        }
    }

    /// The pixels within `reach` of a box of points.
    fn bounds(&self, points: &[[f64; 2]], reach: f64) -> Bounds {
        let span = |k: usize, most: usize| {
            let low = points.iter().fold(f64::INFINITY, |m, p| m.min(p[k])) - reach;
            let high = points.iter().fold(f64::NEG_INFINITY, |m, p| m.max(p[k])) + reach;
            [low.floor().clamp(0.0, most as f64) as usize, high.ceil().clamp(0.0, most as f64) as usize]
        };
        Bounds { columns: span(0, self.width), rows: span(1, self.height) }
    }

    fn stroke(&mut self, strokes: &[Vec<[f64; 2]>], width: f64, colour: Colour) {
        let reach = 0.5 * width + 1.0;
        for segment in strokes.iter().flat_map(|stroke| stroke.windows(2)) {
            let Bounds { columns, rows } = self.bounds(segment, reach);
            for row in rows[0]..rows[1] {
                for column in columns[0]..columns[1] {
                    let d = distance([column as f64 + 0.5, row as f64 + 0.5], segment[0], segment[1]);
                    let coverage = (0.5 * width + 0.5 - d).clamp(0.0, 1.0) as f32;
                    let slot = &mut self.mask[row * self.width + column];
                    *slot = slot.max(coverage);
                }
            }
        }
        for stroke in strokes {
            let bounds = self.bounds(stroke, reach);
            self.blend(bounds, colour);
        }
    }

    fn fill(&mut self, points: &[[f64; 2]], colour: Colour) {
        let points: Vec<[f64; 2]> = points.iter().map(|p| p.map(|c| c * SCALE)).collect();
        let middle: [f64; 2] =
            std::array::from_fn(|k| points.iter().map(|p| p[k]).sum::<f64>() / points.len() as f64);
        let bounds = self.bounds(&points, 1.0);
        for row in bounds.rows[0]..bounds.rows[1] {
            for column in bounds.columns[0]..bounds.columns[1] {
                let pixel = [column as f64 + 0.5, row as f64 + 0.5];
                let edges = points.iter().zip(points.iter().cycle().skip(1));
                let inside = edges.map(|(a, b)| inside(pixel, middle, *a, *b)).fold(f64::INFINITY, f64::min);
                self.mask[row * self.width + column] = (inside + 0.5).clamp(0.0, 1.0) as f32;
            }
        }
        self.blend(bounds, colour);
    }

    /// Paints with the mask and clears it.
    fn blend(&mut self, bounds: Bounds, colour: Colour) {
        for row in bounds.rows[0]..bounds.rows[1] {
            let line = row * self.width;
            for i in line + bounds.columns[0]..line + bounds.columns[1] {
                let coverage = std::mem::take(&mut self.mask[i]);
                if coverage > 0.0 {
                    for k in 0..3 {
                        let (old, new) = (f32::from(self.pixels[i][k]), f32::from(colour[k]));
                        self.pixels[i][k] = (old + coverage * (new - old)).round() as u8;
                    }
                }
            }
        }
    }
}

/// Distance of `p` to the segment from `a` to `b`.
fn distance(p: [f64; 2], a: [f64; 2], b: [f64; 2]) -> f64 {
    let (u, v) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
    let length = u[0] * u[0] + u[1] * u[1];
    let t = if length > 0.0 { ((u[0] * v[0] + u[1] * v[1]) / length).clamp(0.0, 1.0) } else { 0.0 };
    (v[0] - t * u[0]).hypot(v[1] - t * u[1])
}

/// How far `p` is on the same side of the line through `a` and `b` as `middle`.
fn inside(p: [f64; 2], middle: [f64; 2], a: [f64; 2], b: [f64; 2]) -> f64 {
    let side = |q: [f64; 2]| (b[0] - a[0]) * (q[1] - a[1]) - (b[1] - a[1]) * (q[0] - a[0]);
    let length = (b[0] - a[0]).hypot(b[1] - a[1]);
    if length > 0.0 { side(p) * side(middle).signum() / length } else { f64::INFINITY }
}

/// The dashes of a line.
fn split(points: &[[f64; 2]], lengths: &[f64]) -> Vec<Vec<[f64; 2]>> {
    if lengths.is_empty() {
        return vec![points.to_vec()];
    }
    let mut dashes = vec![];
    let mut dash = vec![points[0]];
    let (mut index, mut left) = (0, lengths[0]);
    for w in points.windows(2) {
        let length = (w[1][0] - w[0][0]).hypot(w[1][1] - w[0][1]);
        let mut done = 0.0;
        while length - done > left {
            done += left;
            let t = done / length;
            let place = [w[0][0] + t * (w[1][0] - w[0][0]), w[0][1] + t * (w[1][1] - w[0][1])];
            dash.push(place);
            if index % 2 == 0 {
                dashes.push(dash);
            }
            dash = vec![place];
            index += 1;
            left = lengths[index % lengths.len()];
        }
        left -= length - done;
        dash.push(w[1]);
    }
    if index % 2 == 0 {
        dashes.push(dash);
    }
    dashes
}

/// Writes a picture of `size` (columns, rows) with eight bits for each of red, green and blue.
///
/// Pictures without pixels, and of another size than their pixels, are errors.
pub fn encode(size: [usize; 2], pixels: &[Colour], out: impl Write) -> io::Result<()> {
    let [width, height] = size.map(|side| side as u32);
    let mut encoder = Encoder::new(out, width, height);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_deflate_compression(DeflateCompression::Level(9));
    // Rows as they are: flat colours compress best unfiltered.
    encoder.set_filter(Filter::NoFilter);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels.as_flattened())?;
    Ok(writer.finish()?)
}
