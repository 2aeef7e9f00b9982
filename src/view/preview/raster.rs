//! From triangles and lines to samples: the depth and the colour of the nearest object at each.
//!
//! One band of rows is drawn at a time, with everything that falls into it, so that bands can be drawn in
//! parallel and give the same bytes in any order. 1/depth is linear in the picture; all other interpolated
//! quantities are weighted with it.

use super::camera::{Camera, Projected};
use super::light::{Light, dot};

/// A vertex in the picture.
#[derive(Clone, Copy, Debug)]
pub struct Vertex {
    /// The place in the picture, in samples.
    pub seen: Projected,
    /// The position in space, in m.
    pub point: [f32; 3],
    /// The normal, a unit vector.
    pub normal: [f32; 3],
    /// Linear red, green and blue.
    pub colour: [f32; 3],
}

/// Some rows of samples of a picture.
pub struct Band {
    width: usize,
    rows: [usize; 2],
    /// 1/depth of the nearest object at each sample; 0 if there is none.
    pub inverse: Vec<f32>,
    /// The linear colour of that object.
    pub colours: Vec<[f32; 3]>,
}

/// How far a line of the wireframe goes towards black.
const WIRE: f32 = 0.72;

/// The weighted sum of three vectors.
#[inline]
fn mix([s, t, u]: [f32; 3], [a, b, c]: [[f32; 3]; 3]) -> [f32; 3] {
    std::array::from_fn(|k| s * a[k] + t * b[k] + u * c[k])
}

impl Band {
    /// The rows from `rows[0]` up to, but not including, `rows[1]` of a picture that is `width` samples wide.
    pub fn new(width: usize, rows: [usize; 2]) -> Band {
        let count = width * (rows[1] - rows[0]);
        Band { width, rows, inverse: vec![0.0; count], colours: vec![[0.0; 3]; count] }
    }

    /// The columns and rows around points; `None` if they are outside of the band.
    fn window(&self, points: &[[f64; 2]], reach: f64) -> Option<[std::ops::Range<usize>; 2]> {
        let span = |k: usize, from: usize, to: usize| {
            let low = points.iter().fold(f64::INFINITY, |m, p| m.min(p[k])) - reach;
            let high = points.iter().fold(f64::NEG_INFINITY, |m, p| m.max(p[k])) + reach;
            let bound = |x: f64| x.clamp(from as f64, to as f64) as usize;
            bound((low - 0.5).ceil())..bound((high + 0.5).floor().max(low))
        };
        let window = [span(0, 0, self.width), span(1, self.rows[0], self.rows[1])];
        (!window[0].is_empty() && !window[1].is_empty()).then_some(window)
    }

    /// The index of a sample if nothing there is nearer than 1/`inverse`.
    fn claim(&mut self, x: usize, y: usize, inverse: f64) -> Option<usize> {
        let i = (y - self.rows[0]) * self.width + x;
        (inverse as f32 > self.inverse[i]).then(|| {
            self.inverse[i] = inverse as f32;
            i
        })
    }

    /// Draws a triangle; `wire` is half the width of its sides in samples, or 0 if they are not drawn.
    pub fn triangle(&mut self, corners: [&Vertex; 3], light: &Light, wire: f64) {
        let [a, b, c] = corners.map(|v| v.seen.at);
        let Some([columns, rows]) = self.window(&[a, b, c], 0.0) else { return };
        let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        if area == 0.0 || corners.iter().any(|v| v.seen.depth <= 0.0) {
            return;
        }
        let heights = [(b, c), (c, a), (a, b)].map(|(p, q)| area.abs() / (q[0] - p[0]).hypot(q[1] - p[1]));
        let inverse = corners.map(|v| 1.0 / v.seen.depth);
        for y in rows {
            for x in columns.clone() {
                let p = [x as f64 + 0.5, y as f64 + 0.5];
                let side =
                    |q: [f64; 2], r: [f64; 2]| (r[0] - q[0]) * (p[1] - q[1]) - (r[1] - q[1]) * (p[0] - q[0]);
                let weights = [side(b, c) / area, side(c, a) / area, side(a, b) / area];
                if weights.iter().any(|w| *w < 0.0) {
                    continue;
                }
                let here: f64 = (0..3).map(|k| weights[k] * inverse[k]).sum();
                let Some(i) = self.claim(x, y, here) else { continue };
                let parts: [f32; 3] = std::array::from_fn(|k| (weights[k] * inverse[k] / here) as f32);
                let mut colour = mix(parts, corners.map(|v| v.colour));
                if (0..3).any(|k| weights[k] * heights[k] < wire) {
                    colour = colour.map(|x| x * (1.0 - WIRE));
                }
                self.colours[i] = light.shade(
                    mix(parts, corners.map(|v| v.point)),
                    mix(parts, corners.map(|v| v.normal)),
                    colour,
                );
            }
        }
    }

    /// Draws a line as a round rod; the half widths at its ends are in samples.
    pub fn line(&mut self, ends: [&Vertex; 2], widths: [f64; 2], camera: &Camera, light: &Light) {
        let [a, b] = ends.map(|v| v.seen.at);
        let Some([columns, rows]) = self.window(&[a, b], widths[0].max(widths[1])) else { return };
        if ends.iter().any(|v| v.seen.depth <= 0.0) {
            return;
        }
        let along = [b[0] - a[0], b[1] - a[1]];
        let length = along[0].hypot(along[1]).max(1e-9);
        let across = [-along[1] / length, along[0] / length];
        let inverse = ends.map(|v| 1.0 / v.seen.depth);
        for y in rows {
            for x in columns.clone() {
                let from = [x as f64 + 0.5 - a[0], y as f64 + 0.5 - a[1]];
                let t = ((from[0] * along[0] + from[1] * along[1]) / (length * length)).clamp(0.0, 1.0);
                let width = widths[0] + t * (widths[1] - widths[0]);
                let away = (from[0] - t * along[0]).hypot(from[1] - t * along[1]) / width;
                if away > 1.0 {
                    continue;
                }
                let here = inverse[0] + t * (inverse[1] - inverse[0]);
                // Round rods are nearest in their middle, so that neighbours join without a seam.
                let Some(i) = self.claim(x, y, here * (1.0 + 1e-4 * (1.0 - away))) else { continue };
                let part = (t * inverse[1] / here) as f32;
                let mix = |f: fn(&Vertex) -> [f32; 3]| -> [f32; 3] {
                    std::array::from_fn(|k| f(ends[0])[k] + part * (f(ends[1])[k] - f(ends[0])[k]))
                };
                let aside = ((from[0] * across[0] + from[1] * across[1]) / width).clamp(-1.0, 1.0);
                let towards = (1.0 - aside * aside).sqrt();
                let normal: [f32; 3] = std::array::from_fn(|k| {
                    let [right, up, forward] = camera.axes.map(|axis| axis[k]);
                    (aside * (across[0] * right - across[1] * up) - towards * forward) as f32
                });
                debug_assert!(dot(normal, normal) < 1.01);
                self.colours[i] = light.shade(mix(|v| v.point), normal, mix(|v| v.colour));
            }
        }
    }
}
