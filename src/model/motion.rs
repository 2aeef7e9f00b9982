//! The motion of pinned vertices: a map of their initial positions that changes over time, or their places in files.

use std::sync::Arc;

use super::rotation::rotate;
use super::sequence::Places;
use crate::scene::{Motion, Path};

impl Motion {
    /// The position at `time` (s since the start of the run) of a vertex that started at `initial`.
    ///
    /// Before `from` the vertex is where the path begins; after `until` it stays where the path led it. The places of
    /// files are in a [`Course`].
    pub fn apply(&self, initial: [f64; 3], time: f64) -> [f64; 3] {
        let elapsed = self.elapsed(time);
        match &self.path {
            Path::Rotate { axis, origin, rate } => rotate(initial, *axis, *origin, rate * elapsed),
            Path::Translate(velocity) => offset(initial, *velocity, elapsed),
            Path::Keyframes { axis, origin, translate, radians } => {
                let [angle] = radians.at(elapsed);
                offset(rotate(initial, *axis, *origin, angle), translate.at(elapsed), 1.0)
            }
            Path::Shake { amplitude, frequency } => {
                offset(initial, *amplitude, (std::f64::consts::TAU * frequency * elapsed).sin())
            }
            Path::Sequence(_) => initial,
        }
    }

    /// Where a vertex must have started to be at `place` at `time`: the inverse of [`Motion::apply`].
    pub fn undo(&self, place: [f64; 3], time: f64) -> [f64; 3] {
        let elapsed = self.elapsed(time);
        match &self.path {
            Path::Rotate { axis, origin, rate } => rotate(place, *axis, *origin, -rate * elapsed),
            Path::Translate(velocity) => offset(place, *velocity, -elapsed),
            Path::Keyframes { axis, origin, translate, radians } => {
                let [angle] = radians.at(elapsed);
                rotate(offset(place, translate.at(elapsed), -1.0), *axis, *origin, -angle)
            }
            Path::Shake { amplitude, frequency } => {
                offset(place, *amplitude, -(std::f64::consts::TAU * frequency * elapsed).sin())
            }
            Path::Sequence(_) => place,
        }
    }

    /// The seconds of the path that have gone by at `time` (s).
    pub fn elapsed(&self, time: f64) -> f64 {
        time.min(self.until).max(self.from) - self.from
    }
}

/// A motion, with what its files hold.
#[derive(Clone, Debug)]
pub struct Course {
    /// The motion as the scene has it.
    pub motion: Motion,
    /// The places of the vertices that follow files.
    pub places: Option<Arc<Places>>,
    /// The input number of the first vertex of the body or obstacle.
    pub first: usize,
    /// True for a pin that begins while the scene runs: files then tell changes of its vertices' places, not the places.
    pub is_relative: bool,
}

impl Course {
    /// The position at `time` (s) of the vertex with an input number, which started at `initial`. Where files tell changes,
    /// `initial` is what has to be added to their places.
    pub fn at(&self, vertex: usize, initial: [f64; 3], time: f64) -> [f64; 3] {
        match self.place(vertex, time) {
            Some(place) if self.is_relative => offset(place, initial, 1.0),
            Some(place) => place,
            None => self.motion.apply(initial, time),
        }
    }

    /// What [`Course::at`] wants as `initial` for the vertex to be at `place` at `time` (s).
    pub fn undo(&self, vertex: usize, place: [f64; 3], time: f64) -> [f64; 3] {
        match self.place(vertex, time) {
            Some(there) => offset(place, there, -1.0),
            None => self.motion.undo(place, time),
        }
    }

    /// Where files have a vertex; `None` if they do not have it.
    fn place(&self, vertex: usize, time: f64) -> Option<[f64; 3]> {
        let number = u32::try_from(vertex.checked_sub(self.first)?).ok()?;
        self.places.as_ref()?.at(number, self.motion.elapsed(time))
    }
}

fn offset(point: [f64; 3], direction: [f64; 3], factor: f64) -> [f64; 3] {
    std::array::from_fn(|i| point[i] + factor * direction[i])
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, PI};

    use super::*;
    use elements::math::track::{Key, Track};

    fn assert_near(got: [f64; 3], expected: [f64; 3]) {
        assert!((0..3).all(|i| (got[i] - expected[i]).abs() < 1e-14), "{got:?} is not {expected:?}");
    }

    fn motion(path: Path) -> Motion {
        Motion { path, from: 1.0, until: 3.0 }
    }

    #[test]
    fn time_stands_still_before_from_and_after_until() {
        let moving = motion(Path::Translate([0.0, 2.0, 0.0]));
        for (time, y) in [(0.0, 0.1), (1.0, 0.1), (2.0, 2.1), (3.0, 4.1), (9.0, 4.1)] {
            assert_near(moving.apply([0.0, 0.1, 0.0], time), [0.0, y, 0.0]);
        }
        let endless = Motion { path: Path::Translate([1.0, 0.0, 0.0]), from: 0.0, until: f64::INFINITY };
        assert_eq!(endless.apply([0.0; 3], 1e3), [1e3, 0.0, 0.0]);
    }

    #[test]
    fn every_motion_can_be_undone() {
        let keys = Path::Keyframes {
            axis: [0.0, 0.6, 0.8],
            origin: [1.0, 0.0, -0.5],
            translate: Track::new(vec![Key { time: 0.0, value: [1.0, 2.0, 3.0] }]),
            radians: Track::new(vec![Key { time: 0.0, value: [0.5] }, Key { time: 2.0, value: [-2.0] }]),
        };
        let turn = Path::Rotate { axis: [1.0, 0.0, 0.0], origin: [0.0, 1.0, 0.0], rate: 1.3 };
        let shake = Path::Shake { amplitude: [0.0, 0.0, 2.0], frequency: 0.3 };
        for path in [keys, turn, shake, Path::Translate([1.0, -2.0, 0.5])] {
            let moving = motion(path);
            for time in [0.0, 1.7, 2.5, 9.0] {
                let start = [0.3, -0.8, 1.1];
                assert_near(moving.undo(moving.apply(start, time), time), start);
            }
        }
    }

    #[test]
    fn rotation_turns_at_its_rate() {
        let path = Path::Rotate { axis: [1.0, 0.0, 0.0], origin: [0.0, 1.0, 0.0], rate: FRAC_PI_2 };
        let turning = motion(path);
        assert_near(turning.apply([5.0, 2.0, 0.0], 2.0), [5.0, 1.0, 1.0]);
        assert_eq!(turning.apply([5.0, 2.3, 0.7], 0.5), [5.0, 2.3, 0.7]);
    }

    #[test]
    fn a_shake_is_a_sine() {
        let shaking = motion(Path::Shake { amplitude: [0.0, 0.0, 2.0], frequency: 0.25 });
        assert_near(shaking.apply([1.0, 0.0, 0.0], 2.0), [1.0, 0.0, 2.0]);
        assert_near(shaking.apply([1.0, 0.0, 0.0], 9.0), [1.0, 0.0, 2.0 * PI.sin()]);
    }

    #[test]
    fn keyframes_are_linear_between_and_constant_outside() {
        let offset = |time, x| Key { time, value: [x, 0.0, 0.0] };
        let angle = |time, radians| Key { time, value: [radians] };
        let path = Path::Keyframes {
            axis: [0.0, 0.0, 1.0],
            origin: [1.0, 0.0, 0.0],
            translate: Track::new(vec![offset(0.5, 1.0), offset(1.0, 3.0), offset(1.5, 3.0)]),
            radians: Track::new(vec![angle(0.5, 0.0), angle(1.0, 0.0), angle(1.5, PI)]),
        };
        let moving = motion(path);
        let start = [2.0, 0.0, 0.0];
        assert_near(moving.apply(start, 0.0), [3.0, 0.0, 0.0]);
        assert_near(moving.apply(start, 1.75), [4.0, 0.0, 0.0]);
        assert_near(moving.apply(start, 2.0), [5.0, 0.0, 0.0]);
        assert_near(moving.apply(start, 2.25), [4.0, 1.0, 0.0]);
        assert_near(moving.apply(start, 8.0), [3.0, 0.0, 0.0]);
    }
}
