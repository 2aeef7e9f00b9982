//! The light of pictures: a key light from the upper left, a fill light from the right, and a soft sky above a darker
//! ground. All colours here are linear; 2.2 is the power between them and those of files.

use super::camera::View;
use crate::view::plot::theme::Colour;

const GAMMA: f32 = 2.2;

/// The lights for one view.
#[derive(Clone, Copy, Debug)]
pub struct Light {
    key: [f32; 3],
    fill: [f32; 3],
    eye: [f32; 3],
    /// The part of the light that comes from all directions.
    even: f32,
}

impl Light {
    /// The unit vector to the key light of a view.
    pub fn key(view: View) -> [f64; 3] {
        View { azimuth: view.azimuth - 48.0, elevation: 52.0 }.direction()
    }

    /// The lights of a view from `eye` (m). They are more even if colours stand for values.
    pub fn new(view: View, eye: [f64; 3], is_even: bool) -> Light {
        let fill = View { azimuth: view.azimuth + 62.0, elevation: 18.0 }.direction();
        Light {
            key: single(Light::key(view)),
            fill: single(fill),
            eye: single(eye),
            even: if is_even { 0.4 } else { 0.0 },
        }
    }

    /// The light that comes from a matt surface with a faint gloss. Normals may point to either
    /// side and have any length.
    pub fn shade(&self, point: [f32; 3], normal: [f32; 3], colour: [f32; 3]) -> [f32; 3] {
        let back = unit(std::array::from_fn(|k| self.eye[k] - point[k]));
        let n = unit(normal);
        let n = if dot(n, back) < 0.0 { n.map(|x| -x) } else { n };
        let key = dot(n, self.key).max(0.0);
        let fill = dot(n, self.fill).max(0.0);
        let sky = 0.5 + 0.5 * n[1];
        let half = unit(std::array::from_fn(|k| back[k] + self.key[k]));
        let gloss = 0.07 * dot(n, half).max(0.0).powi(30);
        let light = 0.18 + 0.24 * sky + 0.66 * key + 0.16 * fill;
        let light = light + self.even * (0.95 - light);
        colour.map(|x| x * light + gloss)
    }
}

/// The scalar product of two vectors.
#[inline]
pub fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline]
fn unit(a: [f32; 3]) -> [f32; 3] {
    let length = dot(a, a).sqrt().max(f32::MIN_POSITIVE);
    a.map(|x| x / length)
}

fn single(a: [f64; 3]) -> [f32; 3] {
    a.map(|x| x as f32)
}

/// The linear light of a file's colour.
pub fn to_linear(colour: Colour) -> [f32; 3] {
    colour.map(|x| (f32::from(x) / 255.0).powf(GAMMA))
}

/// The file's colour for linear light.
pub fn to_colour(light: [f32; 3]) -> Colour {
    light.map(|x| (255.0 * x.clamp(0.0, 1.0).powf(1.0 / GAMMA)).round() as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_survive_the_way_to_light_and_back() {
        for x in 0..=255 {
            assert_eq!(to_colour(to_linear([x, 255 - x, x / 2])), [x, 255 - x, x / 2]);
        }
    }

    #[test]
    fn what_faces_the_key_light_is_brighter_than_what_turns_away() {
        let light = Light::new(View { azimuth: 0.0, elevation: 0.0 }, [0.0, 0.0, 10.0], false);
        let facing = light.shade([0.0; 3], light.key, [0.5; 3]);
        let away = light.shade([0.0; 3], [0.9, -0.1, 0.3], [0.5; 3]);
        assert!(facing[0] > 1.5 * away[0], "{facing:?} {away:?}");
        assert_eq!(
            light.shade([0.0; 3], [0.0, 0.0, 1.0], [0.5; 3]),
            light.shade([0.0; 3], [0.0, 0.0, -1.0], [0.5; 3])
        );
    }
}
