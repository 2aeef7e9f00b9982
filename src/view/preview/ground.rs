//! The ground of a scene: a floor with a faint grid, and the soft shadow of the key light on it.
//!
//! The shadow is the scene projected along the light into a square of cells, blurred three times by a box (nearly a
//! Gaussian). The floor is at the lowest point of the whole motion and fades out around it.

use super::shape::Shape;

/// The number of cells along a side of the shadow.
const CELLS: usize = 320;
/// How many cells a pass of the blur reaches.
const REACH: usize = 4;
/// The darkness of a full shadow.
const DARKNESS: f32 = 0.42;
/// How far a line of the grid goes towards the ink, on light and on dark paper. Light mixes linearly, so
/// dark inks count less.
const LINE: [f32; 2] = [0.2, 0.045];
/// The width of a line in pixels.
const WIDTH: f64 = 1.1;

/// The floor of a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// The height of the floor in m.
    pub height: f64,
    /// The unit vector to the key light, which is above the horizon.
    light: [f64; 3],
    /// The middle of the shadow's square, in x and z.
    middle: [f64; 2],
    /// Half the side of the square in m.
    half: f64,
    /// The distance of grid lines in m.
    step: f64,
}

/// The shadow of one frame.
pub struct Shadow {
    cells: Vec<f32>,
}

impl Ground {
    /// The floor under all `points`, of which there must be at least one; at the height `given`, if no point is below it.
    pub fn new(
        light: [f64; 3],
        given: Option<f64>,
        points: impl Iterator<Item = [f32; 3]> + Clone,
    ) -> Ground {
        let least = points.clone().fold(f64::INFINITY, |m, p| m.min(f64::from(p[1])));
        let given = given.filter(|height| *height <= least);
        let lowest = given.unwrap_or(least);
        let mut ground = Ground { height: lowest, light, middle: [0.0; 2], half: 1.0, step: 1.0 };
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        let mut top = lowest;
        for point in points {
            let below = [f64::from(point[0]), f64::from(point[2])];
            for place in [below, ground.cast(point)] {
                (0..2).for_each(|k| (low[k], high[k]) = (low[k].min(place[k]), high[k].max(place[k])));
            }
            top = top.max(f64::from(point[1]));
        }
        ground.middle = [0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1])];
        let widest = (high[0] - low[0]).max(high[1] - low[1]).max(top - lowest).max(1e-9);
        ground.half = 0.62 * widest;
        ground.height -= if given.is_some() { 0.0 } else { 2e-3 * widest };
        ground.step = round_step(widest / 6.0);
        ground
    }

    /// The place at which the shadow of a point falls, in x and z.
    fn cast(&self, point: [f32; 3]) -> [f64; 2] {
        let [x, y, z] = point.map(f64::from);
        let t = (y - self.height) / self.light[1];
        [x - t * self.light[0], z - t * self.light[2]]
    }

    /// The coordinates of a place in cells.
    fn cell(&self, place: [f64; 2]) -> [f64; 2] {
        let per_metre = CELLS as f64 / (2.0 * self.half);
        std::array::from_fn(|k| (place[k] - self.middle[k] + self.half) * per_metre)
    }

    /// The shadow of a shape with the outline's points at `points`; lines have the half width `radius` in m.
    pub fn shadow(&self, shape: &Shape, points: &[[f32; 3]], radius: f64) -> Shadow {
        let place = |v: &u32| self.cell(self.cast(points[shape.points[*v as usize] as usize]));
        let mut cells = vec![0f32; CELLS * CELLS];
        for triangle in &shape.triangles {
            fill(&mut cells, [place(&triangle[0]), place(&triangle[1]), place(&triangle[2])]);
        }
        let half_width = (radius * CELLS as f64 / (2.0 * self.half)).max(0.7);
        for edge in &shape.edges {
            stroke(&mut cells, place(&edge[0]), place(&edge[1]), half_width);
        }
        for _ in 0..3 {
            cells = blur_and_turn(&cells);
            cells = blur_and_turn(&cells);
        }
        Shadow { cells }
    }

    /// The floor's linear colour at a place in x and z, for a pixel that reaches `pixel` metres along both of them.
    pub fn colour(
        &self,
        shadow: &Shadow,
        place: [f64; 2],
        pixel: [f64; 2],
        paper: [f32; 3],
        ink: [f32; 3],
    ) -> [f32; 3] {
        let away =
            ((place[0] - self.middle[0]).hypot(place[1] - self.middle[1]) / (2.6 * self.half)).min(1.0);
        let fade = (1.0 - away * away) as f32;
        let covered = |k: usize| {
            let from_line = (place[k] / self.step - (place[k] / self.step).round()).abs() * self.step;
            // Lines that are closer than a few pixels are not drawn, because they would flicker.
            let apart = (self.step / pixel[k] / 3.0 - 1.0).clamp(0.0, 1.0);
            apart * (0.5 * WIDTH + 0.5 - from_line / pixel[k]).clamp(0.0, 1.0)
        };
        let weight = LINE[usize::from(ink[1] > paper[1])];
        let line = weight * fade * fade * covered(0).max(covered(1)) as f32;
        let dark = 1.0 - DARKNESS * shadow.at(self.cell(place));
        std::array::from_fn(|k| (paper[k] + line * (ink[k] - paper[k])) * dark)
    }
}

impl Shadow {
    /// The shadow at a place: bilinear between the middles of cells, 0 outside.
    fn at(&self, place: [f64; 2]) -> f32 {
        let [x, y] = place.map(|c| c - 0.5);
        let get = |i: f64, j: f64| {
            let inside = |c: f64| (0.0..CELLS as f64).contains(&c);
            if inside(i) && inside(j) { self.cells[j as usize * CELLS + i as usize] } else { 0.0 }
        };
        let (i, j) = (x.floor(), y.floor());
        let (s, t) = ((x - i) as f32, (y - j) as f32);
        let row = |j: f64| get(i, j) * (1.0 - s) + get(i + 1.0, j) * s;
        row(j) * (1.0 - t) + row(j + 1.0) * t
    }
}

/// The least of 1, 2 or 5 times a power of ten that is at least `step`.
fn round_step(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|s| *s >= step).unwrap_or(10.0 * power)
}

/// The cells that a range of coordinates touches.
fn span(values: &[f64], reach: f64) -> std::ops::Range<usize> {
    let low = values.iter().fold(f64::INFINITY, |m, v| m.min(*v)) - reach;
    let high = values.iter().fold(f64::NEG_INFINITY, |m, v| m.max(*v)) + reach;
    low.floor().clamp(0.0, CELLS as f64) as usize..high.ceil().clamp(0.0, CELLS as f64) as usize
}

/// Marks the cells whose middles a triangle covers.
fn fill(cells: &mut [f32], [a, b, c]: [[f64; 2]; 3]) {
    let side =
        |p: [f64; 2], q: [f64; 2], x: [f64; 2]| (q[0] - p[0]) * (x[1] - p[1]) - (q[1] - p[1]) * (x[0] - p[0]);
    for j in span(&[a[1], b[1], c[1]], 0.0) {
        for i in span(&[a[0], b[0], c[0]], 0.0) {
            let x = [i as f64 + 0.5, j as f64 + 0.5];
            let sides = [side(a, b, x), side(b, c, x), side(c, a, x)];
            if sides.iter().all(|s| *s >= 0.0) || sides.iter().all(|s| *s <= 0.0) {
                cells[j * CELLS + i] = 1.0;
            }
        }
    }
}

/// Marks the cells near a segment.
fn stroke(cells: &mut [f32], a: [f64; 2], b: [f64; 2], half_width: f64) {
    let along = [b[0] - a[0], b[1] - a[1]];
    let length = (along[0] * along[0] + along[1] * along[1]).max(f64::MIN_POSITIVE);
    for j in span(&[a[1], b[1]], half_width) {
        for i in span(&[a[0], b[0]], half_width) {
            let from = [i as f64 + 0.5 - a[0], j as f64 + 0.5 - a[1]];
            let t = ((from[0] * along[0] + from[1] * along[1]) / length).clamp(0.0, 1.0);
            if (from[0] - t * along[0]).hypot(from[1] - t * along[1]) <= half_width {
                cells[j * CELLS + i] = 1.0;
            }
        }
    }
}

/// The means over 2 · [`REACH`] + 1 cells along rows, with rows and columns exchanged.
fn blur_and_turn(cells: &[f32]) -> Vec<f32> {
    let mut out = vec![0.0; CELLS * CELLS];
    for (j, row) in cells.chunks_exact(CELLS).enumerate() {
        let mut sum: f32 = row[..REACH].iter().sum();
        for i in 0..CELLS {
            sum += row.get(i + REACH).copied().unwrap_or(0.0);
            out[i * CELLS + j] = sum / (2 * REACH + 1) as f32;
            sum -= if i >= REACH { row[i - REACH] } else { 0.0 };
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shadow_is_under_its_body_and_soft() {
        let points = [[0f32, 1.0, 0.0], [2.0, 1.0, 0.0], [0.0, 1.0, 2.0], [2.0, 1.0, 2.0]];
        let shape = Shape {
            points: vec![0, 1, 2, 3],
            parts: vec![0; 4],
            triangles: vec![[0, 1, 2], [1, 3, 2]],
            edges: vec![],
        };
        let ground = Ground::new([0.0, 1.0, 0.0], None, points.iter().copied());
        let shadow = ground.shadow(&shape, &points, 0.0);
        let at = |x: f64, z: f64| shadow.at(ground.cell([x, z]));
        assert!(at(1.0, 1.0) > 0.999 && at(-1.0, 1.0) == 0.0 && at(50.0, 0.0) == 0.0);
        assert!((at(0.0, 1.0) - 0.5).abs() < 0.1, "{}", at(0.0, 1.0));
        assert!(ground.height < 1.0 && ground.height > 0.98);
    }

    #[test]
    fn grid_steps_are_round() {
        for (step, round) in [(1.0, 1.0), (1.1, 2.0), (0.03, 0.05), (700.0, 1000.0)] {
            assert!((round_step(step) / round - 1.0).abs() < 1e-12, "{step}");
        }
    }
}
