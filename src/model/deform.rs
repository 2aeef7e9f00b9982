//! The initial state: deformations of the rest state about the centre of its bounding box.
//!
//! Several are applied one after the other, each to the positions that the one before it left; centre and size
//! are always those of the rest state. Random numbers are SplitMix64 \[Steele2014\], three per vertex in vertex
//! order, so that a seed means the same positions on every machine.

use std::path::Path;

use super::rotation::rotate;
use crate::error::{Error, Result};
use crate::scene::{Axis, Deform};
use elements::math::random::SplitMix64;

/// The initial positions: `rest` with `kinds` applied in order.
///
/// `read_points` gives the points of a mesh file, transformed like the rest mesh.
pub fn deform(
    kinds: &[Deform],
    rest: &[[f64; 3]],
    read_points: &dyn Fn(&Path) -> Result<Vec<[f64; 3]>>,
) -> Result<Vec<[f64; 3]>> {
    let bounds = Bounds::of(rest);
    kinds.iter().try_fold(rest.to_vec(), |points, kind| one(kind, points, &bounds, read_points))
}

/// The bounding box of the rest state.
struct Bounds {
    min: [f64; 3],
    max: [f64; 3],
}

impl Bounds {
    fn of(points: &[[f64; 3]]) -> Self {
        let first = points.first().copied().unwrap_or_default();
        points.iter().fold(Bounds { min: first, max: first }, |bounds, p| Bounds {
            min: std::array::from_fn(|i| bounds.min[i].min(p[i])),
            max: std::array::from_fn(|i| bounds.max[i].max(p[i])),
        })
    }

    fn center(&self) -> [f64; 3] {
        std::array::from_fn(|i| 0.5 * (self.min[i] + self.max[i]))
    }

    fn size(&self) -> [f64; 3] {
        std::array::from_fn(|i| self.max[i] - self.min[i])
    }
}

fn one(
    kind: &Deform,
    points: Vec<[f64; 3]>,
    bounds: &Bounds,
    read_points: &dyn Fn(&Path) -> Result<Vec<[f64; 3]>>,
) -> Result<Vec<[f64; 3]>> {
    let (center, size) = (bounds.center(), bounds.size());
    Ok(match kind {
        Deform::Stretch(factors) => map(points, |p| stretch(p, center, *factors)),
        Deform::Twist { axis, radians } => map(points, |p| twist(p, bounds, *axis, *radians)),
        Deform::Squash { axis, factor } => {
            let widening = 1.0 / factor.sqrt();
            let factors = std::array::from_fn(|i| if i == *axis { *factor } else { widening });
            map(points, |p| stretch(p, center, factors))
        }
        Deform::Rotate { axis, radians } => map(points, |p| rotate(p, *axis, center, *radians)),
        Deform::Randomize { seed, amount } => {
            let mut random = SplitMix64::new(*seed);
            map(points, |p| {
                let target: [f64; 3] = std::array::from_fn(|i| bounds.min[i] + random.uniform() * size[i]);
                std::array::from_fn(|i| (1.0 - amount) * p[i] + amount * target[i])
            })
        }
        Deform::Collapse { jitter, seed } => {
            let mut random = SplitMix64::new(*seed);
            map(points, |_| {
                std::array::from_fn(|i| center[i] + jitter * (2.0 * random.uniform() - 1.0) * size[i])
            })
        }
        Deform::File(path) => from_file(path, points.len(), read_points)?,
    })
}

fn map(mut points: Vec<[f64; 3]>, mut f: impl FnMut([f64; 3]) -> [f64; 3]) -> Vec<[f64; 3]> {
    for point in &mut points {
        *point = f(*point);
    }
    points
}

/// As a displacement, so that a factor of 1 keeps the bits.
fn stretch(point: [f64; 3], center: [f64; 3], factors: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| point[i] + (factors[i] - 1.0) * (point[i] - center[i]))
}

fn twist(point: [f64; 3], bounds: &Bounds, axis: Axis, radians: f64) -> [f64; 3] {
    let length = bounds.size()[axis];
    let part = if length > 0.0 { (point[axis] - bounds.min[axis]) / length } else { 0.0 };
    let direction = std::array::from_fn(|i| if i == axis { 1.0 } else { 0.0 });
    rotate(point, direction, bounds.center(), part * radians)
}

fn from_file(
    path: &Path,
    vertices: usize,
    read_points: &dyn Fn(&Path) -> Result<Vec<[f64; 3]>>,
) -> Result<Vec<[f64; 3]>> {
    let points = read_points(path)?;
    let refuse = |reason: String, hint: &str| {
        Err(Error::Mesh { subject: path.display().to_string(), reason, hint: hint.into() })
    };
    if points.len() != vertices {
        let reason = format!("{} points for a body of {vertices} vertices", points.len());
        return refuse(reason, "a deform file holds the same mesh in another shape");
    }
    match points.iter().position(|p| p.iter().any(|x| !x.is_finite())) {
        Some(i) => refuse(format!("point {i} is not finite"), ""),
        None => Ok(points),
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use super::*;

    const CORNERS: [[f64; 3]; 4] = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 2.0, 0.0], [4.0, 2.0, 1.0]];

    fn apply(kinds: &[Deform]) -> Vec<[f64; 3]> {
        deform(kinds, &CORNERS, &|_| Ok(vec![[7.0; 3]; 4])).unwrap()
    }

    fn assert_near(got: &[[f64; 3]], expected: &[[f64; 3]]) {
        let distance = |a: &[f64; 3], b: &[f64; 3]| (0..3).map(|i| (a[i] - b[i]).abs()).fold(0.0, f64::max);
        assert!(got.iter().zip(expected).all(|(a, b)| distance(a, b) < 1e-14), "{got:?} is not {expected:?}");
    }

    #[test]
    fn stretch_and_squash_keep_the_centre() {
        let stretched = apply(&[Deform::Stretch([2.0, 1.0, 1.0])]);
        assert_near(&stretched, &[[-2.0, 0.0, 0.0], [6.0, 0.0, 0.0], [-2.0, 2.0, 0.0], [6.0, 2.0, 1.0]]);
        let squashed = apply(&[Deform::Squash { axis: 1, factor: 0.25 }]);
        assert_near(
            &squashed,
            &[[-2.0, 0.75, -0.5], [6.0, 0.75, -0.5], [-2.0, 1.25, -0.5], [6.0, 1.25, 1.5]],
        );
    }

    #[test]
    fn a_twist_leaves_the_lower_end_and_turns_the_upper_one() {
        let twisted = apply(&[Deform::Twist { axis: 0, radians: FRAC_PI_2 }]);
        assert_eq!((twisted[0], twisted[2]), (CORNERS[0], CORNERS[2]));
        assert_near(&[twisted[1], twisted[3]], &[[4.0, 1.5, -0.5], [4.0, 0.5, 1.5]]);
    }

    #[test]
    fn a_rotation_turns_the_whole_about_the_rest_centre() {
        let turned = apply(&[Deform::Rotate { axis: [0.0, 0.0, 1.0], radians: FRAC_PI_2 }]);
        assert_near(&turned, &[[3.0, -1.0, 0.0], [3.0, 3.0, 0.0], [1.0, -1.0, 0.0], [1.0, 3.0, 1.0]]);
        let stretched = Deform::Stretch([1.5, 1.0, 1.0]);
        let both = apply(&[stretched, Deform::Rotate { axis: [0.0, 0.0, 1.0], radians: FRAC_PI_2 }]);
        assert_near(&both, &[[3.0, -2.0, 0.0], [3.0, 4.0, 0.0], [1.0, -2.0, 0.0], [1.0, 4.0, 1.0]]);
    }

    #[test]
    fn several_are_applied_in_order_about_the_rest_centre() {
        let both = apply(&[Deform::Stretch([1.0, 0.0, 1.0]), Deform::Stretch([1.0, 3.0, 0.5])]);
        assert_near(&both, &[[0.0, 1.0, 0.25], [4.0, 1.0, 0.25], [0.0, 1.0, 0.25], [4.0, 1.0, 0.75]]);
        assert_eq!(apply(&[]), CORNERS);
    }

    #[test]
    fn random_states_depend_on_the_seed_only_and_stay_in_the_box() {
        let random = |seed, amount| apply(&[Deform::Randomize { seed, amount }]);
        assert_eq!(random(1, 1.0), random(1, 1.0));
        assert_ne!(random(1, 1.0), random(2, 1.0));
        assert_eq!(random(1, 0.0), CORNERS);
        let size = [4.0, 2.0, 1.0];
        assert!(random(3, 1.0).iter().all(|p| (0..3).all(|i| (0.0..=size[i]).contains(&p[i]))));
        let halfway: Vec<[f64; 3]> = (random(1, 1.0).iter().zip(&CORNERS))
            .map(|(a, b)| std::array::from_fn(|i| 0.5 * (a[i] + b[i])))
            .collect();
        assert_near(&random(1, 0.5), &halfway);
    }

    #[test]
    fn a_collapse_ends_around_the_centre() {
        assert_eq!(apply(&[Deform::Collapse { jitter: 0.0, seed: 3 }]), [[2.0, 1.0, 0.5]; 4]);
        let jittered = apply(&[Deform::Collapse { jitter: 0.1, seed: 3 }]);
        assert!(jittered.iter().all(|p| (p[0] - 2.0).abs() <= 0.4 && (p[1] - 1.0).abs() <= 0.2));
        assert_ne!(jittered[0], jittered[1]);
    }

    #[test]
    fn a_file_gives_the_positions_and_must_have_as_many() {
        assert_eq!(apply(&[Deform::File("a".into())]), [[7.0; 3]; 4]);
        for (points, text) in [(vec![[0.0; 3]; 3], "3 points"), (vec![[f64::NAN; 3]; 4], "point 0")] {
            let read = |_: &Path| Ok(points.clone());
            let message = deform(&[Deform::File("a".into())], &CORNERS, &read).unwrap_err().to_string();
            assert!(message.contains(text), "{message}");
        }
    }
}
