//! Wind: quadratic drag along the normal of every triangle of a surface.
//!
//! ```text
//! f = ½ ρ C A |s| s n,      s = (w − v)·n,      a third to each corner
//! ```
//!
//! ρ is the density of the air, C the drag coefficient, A the area, n the normal, w the wind at the triangle's centre
//! and v its mean velocity. The sign of n does not matter: both sides of a sheet feel the wind alike. The surface of
//! a solid feels it on the windward and on the leeward side.
//!
//! # No overshoot
//!
//! Explicit quadratic drag turns light cloth back on itself: beyond s = m/(½ρCA h) a step reverses the relative
//! speed, and it grows from then on. Alone in the wind, a triangle of mass m obeys
//!
//! ```text
//! ds/dt = −k s|s|,      k = ½ ρ C A/m,      so      s(h) = s/(1 + k|s|h)
//! ```
//!
//! Its change of momentum m (s − s(h)) over the time h that a stage acts is that of the mean force
//!
//! ```text
//! f = ½ ρ C A |s| s/(1 + k|s|h) n
//! ```
//!
//! which replaces the first formula. It tends to it as h → 0, and h f/m never exceeds s. The m used here is three
//! times the smallest mass that a corner has for this triangle: the corner's mass divided by the number of its
//! triangles. A vertex of n triangles then changes its velocity by Σ h f/(3m_v) ≤ Σ s/n, by no more than the mean of
//! the relative speeds around it.
//!
//! The price: if something else holds a light sheet in the wind, the force is too low by that factor, which is an error
//! of first order in h. k|s|h is 0.1 for 100 g/m² in a wind of 5 m/s with steps of 1/300 s. (BDF2's base velocity is an
//! extrapolation and may itself exceed the wind's; the force then leads back.)
//!
//! # Gusts
//!
//! ```text
//! w(x, t) = W(t) (1 + g n((t − x·d/|W|)/T)),      d = W/|W|
//! ```
//!
//! n is value noise in [−1, 1) (see `math::random`), T the time from one gust to the next (`gust_length`), g their
//! amplitude. The argument carries gusts along with the wind: a gust at x arrives a metre downwind after 1/|W| seconds
//! (turbulence that is frozen into the flow, as Taylor assumed). T is a time, not a length, so that a wind whose speed
//! is animated does not rush through its gusts.

use super::surface::{add_thirds, area, mean, triangles};
use super::{Context, Force, Stage};
use crate::error::Result;
use crate::scene;
use elements::math::lanes::Vec4;
use elements::math::random::noise;

/// The wind on the surfaces of all bodies.
pub struct Wind {
    /// The triangles of all surfaces, in internal numbers.
    triangles: Vec<[u32; 3]>,
    /// The mass m of each triangle in kg.
    mass: Vec<f64>,
    settings: scene::Wind,
}

/// The wind of a scene, if there is air.
pub fn build(context: &Context<'_>) -> Result<Vec<Box<dyn Force>>> {
    let Some(settings) = &context.scene.wind else { return Ok(vec![]) };
    let triangles = context.model.bodies.iter().flat_map(|body| triangles(context.model, body)).collect();
    Ok(vec![Box::new(Wind::new(triangles, context.mass, settings.clone()))])
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

impl Wind {
    /// The wind on `triangles` over vertices of `mass` (kg).
    pub fn new(triangles: Vec<[u32; 3]>, mass: &[f64], settings: scene::Wind) -> Wind {
        let mut count = vec![0u32; mass.len()];
        triangles.iter().flatten().for_each(|v| count[*v as usize] += 1);
        let part = |v: u32| mass[v as usize] / f64::from(count[v as usize]);
        let mass = triangles.iter().map(|t| 3.0 * t.iter().map(|v| part(*v)).fold(f64::INFINITY, f64::min));
        Wind { mass: mass.collect(), triangles, settings }
    }

    /// The force on triangle `t` in N, where the mean velocity of the air is `mean_wind` with the length `speed` (m/s).
    fn force(&self, t: usize, stage: &Stage<'_>, mean_wind: [f64; 3], speed: f64) -> [f64; 3] {
        let corners = self.triangles[t];
        let normal = area(corners, stage.x);
        let size = dot(normal, normal).sqrt();
        if size == 0.0 {
            return [0.0; 3];
        }
        let gust = self.gust(mean(corners, stage.x), stage.time, mean_wind, speed);
        let velocity = mean(corners, stage.v);
        let relative = std::array::from_fn(|k| gust * mean_wind[k] - velocity[k]);
        let s = dot(relative, normal) / size;
        let drag = 0.5 * self.settings.density * self.settings.drag;
        let k = drag * size / self.mass[t];
        normal.map(|a| drag * s.abs() * s / (1.0 + k * s.abs() * stage.duration) * a)
    }

    /// The factor on the mean wind at `x` (m).
    fn gust(&self, x: [f64; 3], time: f64, mean_wind: [f64; 3], speed: f64) -> f64 {
        let wind = &self.settings;
        if wind.gusts == 0.0 || speed == 0.0 {
            return 1.0;
        }
        // It is divided twice, because the square of a very low speed may be zero.
        let delay = dot(x, mean_wind) / speed / speed;
        1.0 + wind.gusts * noise(wind.seed, (time - delay) / wind.gust_length)
    }
}

impl Force for Wind {
    fn add(&self, stage: &Stage<'_>, out: &mut [Vec4]) {
        let mean_wind = self.settings.velocity.at(stage.time);
        let speed = dot(mean_wind, mean_wind).sqrt();
        add_thirds(&self.triangles, |t| self.force(t, stage, mean_wind, speed), out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elements::math::track::Track;

    fn wind(velocity: [f64; 3], gusts: f64) -> scene::Wind {
        let velocity = Track::constant(velocity);
        scene::Wind { velocity, gusts, seed: 3, gust_length: 0.5, density: 1.2, drag: 0.8 }
    }

    /// The force on a triangle of 2 m² in the plane z = 0. Its corners have 1 kg each and move at `v`.
    fn force(settings: scene::Wind, v: [f64; 3], duration: f64, turned: bool) -> [f64; 3] {
        let x = [[0.0; 3], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]].map(Vec4::new);
        let corners = if turned { [0, 2, 1] } else { [0, 1, 2] };
        let force = Wind::new(vec![corners], &[1.0; 3], settings);
        let mut out = vec![Vec4::ZERO; 3];
        force.add(&Stage { time: 0.0, duration, x: &x, v: &[Vec4::new(v); 3], mass: &[1.0; 3] }, &mut out);
        assert!(out[0] == out[1] && out[1] == out[2]);
        out[0].xyz().map(|f| 3.0 * f)
    }

    #[test]
    fn drag_is_quadratic_along_the_normal_on_both_sides() {
        for turned in [false, true] {
            let [x, y, z] = force(wind([5.0, 0.0, 3.0], 0.0), [0.0, 0.0, 7.0], 1e-12, turned);
            assert!(x == 0.0 && y == 0.0 && (z + 0.5 * 1.2 * 0.8 * 2.0 * 16.0).abs() < 1e-9, "{x} {y} {z}");
        }
    }

    #[test]
    fn a_stage_gives_the_impulse_of_the_exact_solution() {
        // ds/dt = −k s² by many small steps of Runge and Kutta.
        let (mass, k, h) = (3.0, 0.5 * 1.2 * 0.8 * 2.0 / 3.0, 4.0);
        let mut s = 10.0;
        for _ in 0..4000 {
            let (dt, slope) = (h / 4000.0, |s: f64| -k * s * s);
            let middle = s + 0.5 * dt * slope(s);
            s += dt * slope(middle);
        }
        let [_, _, z] = force(wind([0.0, 0.0, 10.0], 0.0), [0.0; 3], h, false);
        assert!((h * z / mass - (10.0 - s)).abs() < 1e-5, "{} {}", h * z / mass, 10.0 - s);
    }

    #[test]
    fn no_vertex_overshoots_whatever_the_masses_around() {
        // A fan of four triangles about a vertex; masses and areas differ by orders of magnitude.
        let x = [[0.0, 0.0], [1.0, 0.0], [0.0, 0.1], [-5.0, 0.0], [0.0, -0.01]];
        let x = x.map(|[x, y]| Vec4::new([x, y, 0.0]));
        let triangles = vec![[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1]];
        for mass in [[1e-6, 1.0, 1e-3, 1e-5, 1.0], [1.0, 1e-6, 1e-5, 1.0, 1e-7]] {
            let force = Wind::new(triangles.clone(), &mass, wind([0.0, 0.0, 30.0], 0.0));
            let mut out = vec![Vec4::ZERO; 5];
            let stage = Stage { time: 0.0, duration: 0.1, x: &x, v: &[Vec4::ZERO; 5], mass: &mass };
            force.add(&stage, &mut out);
            let gained: Vec<f64> = out.iter().zip(mass).map(|(f, m)| 0.1 * f.0[2] / m).collect();
            assert!(gained.iter().all(|v| (0.0..=30.0).contains(v)), "{gained:?}");
        }
    }

    #[test]
    fn gusts_travel_with_the_wind() {
        let gusty = Wind::new(vec![], &[], wind([0.0, 4.0, 0.0], 0.5));
        let at = |y: f64, time: f64| gusty.gust([7.0, y, -1.0], time, [0.0, 4.0, 0.0], 4.0);
        for i in 0..20 {
            let (y, time) = (f64::from(i) * 0.37, f64::from(i) * 0.21);
            assert!((at(y, time) - at(y + 4.0 * 1.3, time + 1.3)).abs() < 1e-12);
            assert!((at(y, time) - 1.0).abs() <= 0.5);
        }
        assert!((at(0.0, 0.0) - at(0.0, 0.4)).abs() > 1e-3);
    }
}
