//! Surfaces from VTU frames.

use super::Replay;
use super::motion::Outline;
use crate::error::Result;
use crate::model::BodyModel;
use crate::model::embedded::Embedded;
use crate::run::Frame;
use crate::run::surfaces::seen;
use elements::math::vec3::{norm, sub};

/// Positions and the values of some arrays, at the vertices of the outline.
type Read = (Vec<[f32; 3]>, Vec<Vec<f32>>);

/// A run with VTU frames, as a source of motion.
pub(super) struct VtuFrames {
    pub(super) replay: Replay,
    /// For each vertex, the number of cells that have it as a corner.
    cells: Vec<u32>,
    /// The number, among the bodies that were written, of the obstacle that is shown as the floor.
    floor: Option<usize>,
}

impl VtuFrames {
    /// The source, and what does not change from frame to frame.
    pub(super) fn new(replay: Replay) -> (VtuFrames, Outline) {
        let mut cells = vec![0; replay.scene.rest.len()];
        each_corner(&replay, |_, vertex| cells[vertex as usize] += 1);
        let mut source = VtuFrames { replay, cells, floor: None };
        let outline = source.outline();
        (source, outline)
    }

    /// The bodies and obstacles that are parts, with their numbers.
    fn shown(&self) -> impl Iterator<Item = (i32, &BodyModel)> {
        let scene = &self.replay.scene;
        let all = scene.numbers.iter().copied().zip(&scene.bodies).enumerate();
        all.filter(|(i, _)| Some(*i) != self.floor).map(|(_, body)| body)
    }

    fn outline(&mut self) -> Outline {
        let config = &self.replay.run.scene;
        let mut outline = Outline { name: config.name.clone(), has_arrays: true, ..Outline::default() };
        let rest = Frame { x: self.replay.scene.rest.clone(), ..Frame::default() };
        let bodies = self.replay.scene.numbers.iter().zip(&self.replay.scene.bodies);
        for (place, (number, body)) in bodies.enumerate() {
            if *number < 0 {
                let k = (-1 - number) as usize;
                let points = &rest.x[body.vertices.clone()];
                if !outline.push_obstacle((k, &config.obstacles[k]), points, &body.surface.triangles) {
                    self.floor = Some(place);
                }
                continue;
            }
            for seen in seen(body, &rest) {
                let points: Vec<[f64; 3]> =
                    seen.surface.vertices.iter().map(|v| seen.points[*v as usize]).collect();
                let radius = body.radius.unwrap_or(0.0);
                outline.push(
                    seen.name,
                    *number,
                    radius,
                    &points,
                    &seen.surface.triangles,
                    &seen.surface.edges,
                );
            }
        }
        outline
    }

    pub(super) fn read(&self, number: u64, arrays: &[usize]) -> Result<Read> {
        let frame = self.replay.frame(number)?;
        let mut points = vec![];
        for seen in self.shown().flat_map(|(_, body)| seen(body, &frame)) {
            points.extend(seen.surface.vertices.iter().map(|v| seen.points[*v as usize].map(|x| x as f32)));
        }
        let at_vertices = |array: &usize| {
            let values = self.values(&frame, *array);
            let own = |(number, body): (i32, &BodyModel)| match number {
                ..0 => vec![f32::NAN; body.vertices.len()],
                _ => on_surfaces(body, &values),
            };
            self.shown().flat_map(own).collect()
        };
        let values = arrays.iter().map(at_vertices).collect();
        Ok((points, values))
    }

    /// The values of an array at the vertices of the model.
    fn values(&self, frame: &Frame, array: usize) -> Vec<f64> {
        let elements = &frame.elements;
        match array {
            0 => self.means(|cell| elements[cell].von_mises),
            1 => self.means(|cell| elements[cell].energy_density),
            2 => self.means(|cell| elements[cell].det_f),
            3 => frame.x.iter().zip(&self.replay.scene.rest).map(|(x, rest)| norm(sub(*x, *rest))).collect(),
            _ => frame.v.iter().map(|v| norm(*v)).collect(),
        }
    }

    /// The mean over the cells at each vertex.
    fn means(&self, value: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut sums = vec![0.0; self.cells.len()];
        each_corner(&self.replay, |cell, vertex| sums[vertex as usize] += value(cell));
        sums.iter().zip(&self.cells).map(|(sum, count)| sum / f64::from((*count).max(1))).collect()
    }
}

/// Calls `f(cell, vertex)` for every corner of every cell.
fn each_corner(replay: &Replay, mut f: impl FnMut(usize, u32)) {
    let scene = &replay.scene;
    let cells = (scene.tets.iter().map(|t| &t[..]))
        .chain(scene.triangles.iter().map(|t| &t[..]))
        .chain(scene.edges.iter().map(|e| &e[..]));
    for (cell, corners) in cells.enumerate() {
        let middles = scene.middles.get(cell).copied().flatten();
        corners.iter().chain(middles.iter().flatten()).for_each(|vertex| f(cell, *vertex));
    }
}

/// The values of the model's vertices at the vertices of a body's surfaces.
fn on_surfaces(body: &BodyModel, values: &[f64]) -> Vec<f32> {
    let values = &values[body.vertices.clone()];
    if body.embedded.is_empty() {
        return body.surface.vertices.iter().map(|v| values[*v as usize] as f32).collect();
    }
    body.embedded.iter().flat_map(|embedded| on_embedded(embedded, values)).collect()
}

/// Values by the weights of the embedding. Outside of the tets negative weights are left out, so that
/// nothing is extrapolated.
fn on_embedded(embedded: &Embedded, values: &[f64]) -> Vec<f32> {
    let at = |(corners, weights): (&[u32; 4], &[f64; 4])| {
        let (mut sum, mut total) = (0.0, 0.0);
        for (corner, weight) in corners.iter().zip(weights.iter().map(|w| w.max(0.0))) {
            sum += weight * values[*corner as usize];
            total += weight;
        }
        (sum / total) as f32
    };
    embedded.embedding.corners.iter().zip(&embedded.embedding.weights).map(at).collect()
}
