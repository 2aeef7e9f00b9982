//! Pictures of frames, drawn without a window or a graphics card.
//!
//! Every pixel is the mean of nine samples, taken of light rather than of file colours.

use super::camera::Camera;
use super::colour;
use super::film::Film;
use super::ground::{Ground, Shadow};
use super::light::{Light, to_colour, to_linear};
use super::raster::{Band, Vertex};
use super::{Style, legend};
use crate::view::plot::theme::Colour;
use crate::view::replay::motion::Shot;
use elements::par;

/// The number of samples along each side of a pixel.
const SAMPLES: usize = 3;
/// The number of rows of pixels that are drawn at a time.
const ROWS: usize = 8;
/// Half the least width of lines, relative to the picture's shorter side.
const LEAST_LINE: f64 = 0.0035;
/// Half the width of the sides of triangles in pixels.
const WIRE: f64 = 0.45;

/// A camera with its lights and floor, for the pictures of a film.
pub struct Stage<'a> {
    film: &'a Film,
    style: &'a Style,
    /// The camera, which measures in samples.
    camera: Camera,
    light: Light,
    ground: Ground,
    paper: [f32; 3],
    ink: [f32; 3],
}

impl<'a> Stage<'a> {
    /// A stage whose camera shows the whole motion of the film.
    pub fn new(film: &'a Film, style: &'a Style) -> Stage<'a> {
        let camera = Camera::frame(style.view, style.size.map(|side| side * SAMPLES), film.focused());
        Stage {
            film,
            style,
            camera,
            light: Light::new(style.view, camera.eye, style.array.is_some()),
            ground: Ground::new(Light::key(style.view), film.outline.floor, film.focused()),
            paper: to_linear(style.background),
            ink: to_linear(style.ink()),
        }
    }

    /// The picture of a frame, row after row.
    pub fn picture(&self, shot: &Shot) -> Vec<Colour> {
        let [width, height] = self.style.size;
        let vertices = self.vertices(shot);
        let widest = self.film.outline.parts.iter().fold(0.0, |m: f64, part| m.max(part.radius));
        let shadow = self.ground.shadow(&self.film.shape, &shot.points, widest);
        let mut pixels = vec![self.style.background; width * height];
        par::chunks_mut(&mut pixels, width * ROWS, |chunk, pixels| {
            let first = chunk * ROWS * SAMPLES;
            let rows = [first, first + pixels.len() / width * SAMPLES];
            self.resolve(&self.band(&vertices, rows), rows[0], &shadow, pixels);
        });
        legend::draw(self.film, self.style, pixels)
    }

    fn vertices(&self, shot: &Shot) -> Vec<Vertex> {
        let shape = &self.film.shape;
        let normals = shape.normals(&shot.points);
        let array = self.style.array.and_then(|i| Some((shot.values.get(i)?, self.film.arrays[i].1)));
        let vertex = |i: usize| {
            let at = shape.points[i] as usize;
            let (number, part) = (shape.parts[i] as usize, &self.film.outline.parts[shape.parts[i] as usize]);
            let colour = match array {
                Some((values, range)) if !part.is_obstacle() => colour::of_value(values[at], range),
                _ => colour::of_part(number, part),
            };
            let point = shot.points[at];
            Vertex { seen: self.camera.project(point), point, normal: normals[i], colour: to_linear(colour) }
        };
        (0..shape.points.len()).map(vertex).collect()
    }

    /// Draws everything that is visible in some rows of samples.
    fn band(&self, vertices: &[Vertex], rows: [usize; 2]) -> Band {
        let mut band = Band::new(self.style.size[0] * SAMPLES, rows);
        let wire = if self.style.wireframe { WIRE * SAMPLES as f64 } else { 0.0 };
        let least = LEAST_LINE * 2.0 * self.camera.middle[0].min(self.camera.middle[1]);
        for triangle in &self.film.shape.triangles {
            band.triangle(triangle.map(|v| &vertices[v as usize]), &self.light, wire);
        }
        for edge in &self.film.shape.edges {
            let radius = self.film.outline.parts[self.film.shape.parts[edge[0] as usize] as usize].radius;
            let ends = edge.map(|v| &vertices[v as usize]);
            let widths = ends.map(|v| (radius * self.camera.focal / v.seen.depth).max(least));
            band.line(ends, widths, &self.camera, &self.light);
        }
        band
    }

    /// Turns samples into pixels, with the floor where there is nothing else.
    fn resolve(&self, band: &Band, first_row: usize, shadow: &Shadow, pixels: &mut [Colour]) {
        let width = self.style.size[0];
        for (i, pixel) in pixels.iter_mut().enumerate() {
            let corner = [i % width * SAMPLES, i / width * SAMPLES];
            let (mut sum, mut empty) = ([0f32; 3], 0);
            for s in 0..SAMPLES * SAMPLES {
                let sample = (corner[1] + s / SAMPLES) * width * SAMPLES + corner[0] + s % SAMPLES;
                if band.inverse[sample] > 0.0 {
                    (0..3).for_each(|k| sum[k] += band.colours[sample][k]);
                } else {
                    empty += 1;
                }
            }
            if empty > 0 {
                let half = 0.5 * SAMPLES as f64;
                let floor =
                    self.floor([corner[0] as f64 + half, (first_row + corner[1]) as f64 + half], shadow);
                (0..3).for_each(|k| sum[k] += empty as f32 * floor[k]);
            }
            *pixel = to_colour(sum.map(|x| x / (SAMPLES * SAMPLES) as f32));
        }
    }

    /// The floor's colour in the pixel around a sample.
    fn floor(&self, at: [f64; 2], shadow: &Shadow) -> [f32; 3] {
        let place = |at: [f64; 2]| {
            let ray = self.camera.ray(at);
            let depth = (self.ground.height - self.camera.eye[1]) / ray[1];
            let is_seen = depth > 0.0 && depth.is_finite() && self.camera.eye[1] > self.ground.height;
            is_seen.then(|| [self.camera.eye[0] + depth * ray[0], self.camera.eye[2] + depth * ray[2]])
        };
        let side = SAMPLES as f64;
        let (Some(here), Some(right), Some(below)) =
            (place(at), place([at[0] + side, at[1]]), place([at[0], at[1] + side]))
        else {
            return self.paper;
        };
        let pixel =
            std::array::from_fn(|k| (right[k] - here[k]).hypot(below[k] - here[k]).max(f64::MIN_POSITIVE));
        self.ground.colour(shadow, here, pixel, self.paper, self.ink)
    }
}
