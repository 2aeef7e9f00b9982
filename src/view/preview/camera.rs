//! The view of a scene: a perspective camera that is just far enough away to show the whole motion.
//!
//! With the axes r (right), u (up), f (forward) of the view and the slope t of the picture's half width, a point is in
//! the picture of a camera at c_r r + c_u u − d f where |x_r − c_r| ≤ (x_f + d) t. So
//!
//! ```text
//! A = max(x_r − x_f t),  B = max(−x_r − x_f t):    d ≥ (A + B)/2t,   c_r = (A − B)/2
//! ```
//!
//! and the same for u: the nearest camera in closed form.

use std::str::FromStr;

use elements::math::vec3::{add, dot, scale};

/// The slope of half the picture's shorter side: a lens of 31°.
const SLOPE: f64 = 0.28;
/// The part of the picture that the motion may fill.
const FILL: f64 = 0.86;

/// A direction to look from, in degrees; y is up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// The angle about y: 0 looks from +z (front), 90 from +x (side).
    pub azimuth: f64,
    /// The angle above the horizon, −90 to 90.
    pub elevation: f64,
}

impl View {
    /// The view from above, over a corner.
    pub const ISO: View = View { azimuth: 32.0, elevation: 22.0 };

    /// The unit vector from the scene to the eye.
    pub fn direction(self) -> [f64; 3] {
        let (azimuth, elevation) = (self.azimuth.to_radians(), self.elevation.to_radians());
        [azimuth.sin() * elevation.cos(), elevation.sin(), azimuth.cos() * elevation.cos()]
    }
}

impl FromStr for View {
    type Err = String;

    fn from_str(text: &str) -> Result<View, String> {
        let named = [("front", 0.0, 6.0), ("side", 90.0, 6.0), ("top", 0.0, 90.0)];
        if let Some((_, azimuth, elevation)) = named.into_iter().find(|(name, ..)| *name == text) {
            return Ok(View { azimuth, elevation });
        }
        if text == "iso" {
            return Ok(View::ISO);
        }
        let numbers = text.split_once(',').and_then(|(a, e)| {
            let (azimuth, elevation) = (a.trim().parse::<f64>().ok()?, e.trim().parse::<f64>().ok()?);
            (azimuth.abs() <= 360.0 && elevation.abs() <= 90.0).then_some(View { azimuth, elevation })
        });
        numbers.ok_or_else(|| {
            "wants front, side, top, iso, or AZIMUTH,ELEVATION in degrees such as 30,20 (elevation -90 to 90)".into()
        })
    }
}

/// A camera and the size of its picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The position of the eye in m.
    pub eye: [f64; 3],
    /// The unit axes: to the right, up and forward.
    pub axes: [[f64; 3]; 3],
    /// The number of pixels per unit slope.
    pub focal: f64,
    /// The middle of the picture in pixels.
    pub middle: [f64; 2],
}

/// A point of the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Projected {
    /// The distances from the left and from the top, in pixels.
    pub at: [f64; 2],
    /// The distance along the view in m.
    pub depth: f64,
}

impl Camera {
    /// The nearest camera that shows all points (at least one) in a picture of `size` pixels.
    pub fn frame(view: View, size: [usize; 2], points: impl Iterator<Item = [f32; 3]>) -> Camera {
        let back = view.direction();
        let (sin, cos) = view.azimuth.to_radians().sin_cos();
        let (right, forward) = ([cos, 0.0, -sin], scale(-1.0, back));
        let up = {
            let elevation = view.elevation.to_radians();
            [-sin * elevation.sin(), elevation.cos(), -cos * elevation.sin()]
        };
        let shorter = size[0].min(size[1]) as f64;
        let slopes = size.map(|side| FILL * SLOPE * side as f64 / shorter);
        // The largest values of x_r, −x_r, x_u and −x_u, each less x_f t, and of −x_f.
        let mut most = [f64::NEG_INFINITY; 5];
        for point in points {
            let p = point.map(f64::from);
            let (r, u, f) = (dot(p, right), dot(p, up), dot(p, forward));
            let candidates =
                [r - f * slopes[0], -r - f * slopes[0], u - f * slopes[1], -u - f * slopes[1], -f];
            (0..5).for_each(|i| most[i] = most[i].max(candidates[i]));
        }
        let widths = [(most[0] + most[1]) / (2.0 * slopes[0]), (most[2] + most[3]) / (2.0 * slopes[1])];
        let distance = widths[0].max(widths[1]);
        // The camera stays a little before the nearest point, also if all points are the same.
        let near = most[4] + 1e-3 * (distance + most[4]).abs().max(1e-3);
        let distance = distance.max(near);
        let center = [(most[0] - most[1]) / 2.0, (most[2] - most[3]) / 2.0];
        let eye = add(add(scale(center[0], right), scale(center[1], up)), scale(distance, back));
        let focal = 0.5 * shorter / SLOPE;
        Camera { eye, axes: [right, up, forward], focal, middle: size.map(|side| 0.5 * side as f64) }
    }

    /// The place of a point in the picture; its depth may be negative.
    pub fn project(&self, point: [f32; 3]) -> Projected {
        let p: [f64; 3] = std::array::from_fn(|k| f64::from(point[k]) - self.eye[k]);
        let depth = dot(p, self.axes[2]);
        let per_metre = self.focal / depth;
        let at = [
            self.middle[0] + per_metre * dot(p, self.axes[0]),
            self.middle[1] - per_metre * dot(p, self.axes[1]),
        ];
        Projected { at, depth }
    }

    /// The direction from the eye through a point of the picture; its depth is 1.
    pub fn ray(&self, at: [f64; 2]) -> [f64; 3] {
        let (right, up) = ((at[0] - self.middle[0]) / self.focal, (self.middle[1] - at[1]) / self.focal);
        add(add(scale(right, self.axes[0]), scale(up, self.axes[1])), self.axes[2])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_is_just_filled_from_any_side() {
        let points: Vec<[f32; 3]> =
            (0..8).map(|i| [(i & 1) as f32 * 4.0, (i & 2) as f32 - 7.0, (i & 4) as f32 * 0.1]).collect();
        for view in ["front", "side", "top", "iso", "-120,-35"] {
            let size = [300, 200];
            let camera = Camera::frame(view.parse().unwrap(), size, points.iter().copied());
            let seen: Vec<Projected> = points.iter().map(|p| camera.project(*p)).collect();
            let reach = |k: usize| {
                let half = 0.5 * size[k] as f64;
                seen.iter().map(|p| ((p.at[k] - half) / half).abs()).fold(0.0, f64::max)
            };
            assert!((reach(0).max(reach(1)) - FILL).abs() < 1e-9, "{view}: {} {}", reach(0), reach(1));
            assert!(seen.iter().all(|p| p.depth > 0.0));
            for (point, seen) in points.iter().zip(&seen) {
                let back = add(camera.eye, scale(seen.depth, camera.ray(seen.at)));
                assert!((0..3).all(|k| (back[k] - f64::from(point[k])).abs() < 1e-9), "{back:?} {point:?}");
            }
        }
    }

    #[test]
    fn the_front_is_seen_from_plus_z_and_the_side_from_plus_x() {
        let axes = |view: &str| Camera::frame(view.parse().unwrap(), [9, 9], [[0.0; 3]].into_iter()).axes;
        assert_eq!(axes("front")[0], [1.0, 0.0, 0.0]);
        assert!(axes("side")[0][2] < -0.99);
        assert!(axes("top")[1][2] < -0.99 && axes("top")[2][1] < -0.99);
        for text in ["back", "1", "1,91", "nan,3", "400,3", "1,2,3"] {
            assert!(text.parse::<View>().is_err(), "{text}");
        }
    }
}
