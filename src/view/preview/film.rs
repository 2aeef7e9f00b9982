//! A run in memory, as it is shown: its frames, the range of each array, the surfaces with their creases.

use super::colour;
use super::shape::Shape;
use crate::error::Result;
use crate::view::replay::motion::{ARRAYS, Array, Motion, Outline, Shot};
use elements::par;

/// Frames of a run with some of its arrays.
#[derive(Clone, Debug)]
pub struct Film {
    /// The surfaces and names that stay the same from frame to frame.
    pub outline: Outline,
    /// The surfaces as they are drawn, with creases.
    pub shape: Shape,
    /// The frames, at least one.
    pub shots: Vec<Shot>,
    /// The arrays, each with the range of values that its colours span over all frames.
    pub arrays: Vec<(Array, [f32; 2])>,
}

impl Film {
    /// Reads the frames `numbers` with the arrays whose numbers in [`ARRAYS`] are given.
    pub fn read(motion: &Motion, numbers: &[u64], arrays: &[usize]) -> Result<Film> {
        let shots: Result<Vec<Shot>> =
            par::map(numbers.len(), |i| motion.shot(numbers[i], arrays)).into_iter().collect();
        let shots = shots?;
        let ranges = par::map(arrays.len(), |i| {
            colour::range(shots.iter().flat_map(|shot| shot.values[i].iter().copied()))
        });
        let arrays = arrays.iter().map(|i| ARRAYS[*i]).zip(ranges).collect();
        Ok(Film { outline: motion.outline.clone(), shape: Shape::new(&motion.outline), shots, arrays })
    }

    /// All drawn positions of all frames, in m.
    pub fn points(&self) -> impl Iterator<Item = [f32; 3]> + Clone {
        self.shots.iter().flat_map(|shot| self.shape.points.iter().map(|v| shot.points[*v as usize]))
    }

    /// The drawn positions that views should show, in m: all but those of planes.
    pub fn focused(&self) -> impl Iterator<Item = [f32; 3]> + Clone {
        let is_shown = |part: &u32| !self.outline.parts[*part as usize].is_plane;
        let vertices =
            self.shape.points.iter().zip(&self.shape.parts).filter(move |(_, part)| is_shown(part));
        self.shots.iter().flat_map(move |shot| vertices.clone().map(|(v, _)| shot.points[*v as usize]))
    }

    /// The box around the whole motion, in m.
    pub fn bounds(&self) -> [[f32; 3]; 2] {
        bounds(self.points())
    }

    /// The box around what views should show, in m.
    pub fn focus(&self) -> [[f32; 3]; 2] {
        bounds(self.focused())
    }

    /// The height of the floor in m: that of an obstacle, or of the lowest point if that is below it.
    pub fn floor(&self) -> f64 {
        let lowest = f64::from(self.focus()[0][1]);
        self.outline.floor.map_or(lowest, |floor| floor.min(lowest))
    }
}

/// The box around points.
fn bounds(points: impl Iterator<Item = [f32; 3]>) -> [[f32; 3]; 2] {
    points.fold([[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]], |[low, high], p| {
        [std::array::from_fn(|k| low[k].min(p[k])), std::array::from_fn(|k| high[k].max(p[k]))]
    })
}
