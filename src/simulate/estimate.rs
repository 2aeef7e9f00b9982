//! What a pinned solid will do, estimated before it is simulated: how far it sags, and how slowly it vibrates.
//!
//! ```text
//! K u = M g,      f = √λ/2π with λ the least of K x = λ M x
//! ```
//!
//! K and M are those of the rest state, so that u is small-strain theory: where it is a large part of the body, the body is too
//! soft for it and the number says no more than that. λ comes from inverse iteration, whose Rayleigh quotients are never below the
//! true one: it starts from the answers to accelerations along the three axes and from a random shape, and the least counts.

use crate::cache::Cache;
use crate::error::Result;
use crate::model::build::{Built, build};
use crate::scene::{Body, Damping, Scene};
use crate::solver::stiffness::Stiffness;
use elements::math::random::signed;
use elements::math::track::Track;
use elements::math::vec3::norm;

/// Bodies with more unknown vertices are not estimated: the factor would take longer than many a run.
const MOST_VERTICES: usize = 25_000;
/// Inverse iterations from each start.
const ITERATIONS: usize = 8;
/// A part of the forces that nothing holds, above which there is no static answer.
const UNHELD: f64 = 1e-4;
/// A triangle over the square of a body's size below which three points count as on a line.
const FLAT: f64 = 1e-6;

/// What is known of a body before it is simulated.
#[derive(Clone, Debug, PartialEq)]
pub enum Estimate {
    /// A solid that pins hold.
    Held {
        /// The largest displacement under gravity in m, by linear theory.
        sag: f64,
        /// The lowest frequency in Hz.
        frequency: f64,
    },
    /// There is no estimate, for this reason.
    None(&'static str),
}

/// So many of its sizes a body sags by small-strain theory, above which nobody means it. A soft strip that is to drape over a bar
/// has ten.
const TOO_FAR: f64 = 20.0;
/// A part of its size by which it sags visibly and keeps its shape.
const FIT: f64 = 0.05;
/// The part of a step that is the period of the slowest vibration of a body that is as good as rigid.
const RIGID: f64 = 0.1;

impl Estimate {
    /// The estimate in words, for a body of a size in m.
    pub fn describe(&self, size: f64) -> String {
        match self {
            Estimate::Held { sag, frequency } if *sag == 0.0 => {
                format!("no gravity, slowest vibration {frequency:.3} Hz")
            }
            Estimate::Held { sag, frequency } => format!(
                "sags by about {sag:.2e} m ({:.1} % of its size), slowest vibration {frequency:.3} Hz",
                100.0 * sag / size
            ),
            Estimate::None(reason) => format!("no estimate of its sag: {reason}"),
        }
    }

    /// The warning that a body is far too soft, or too stiff for steps of `step` (s).
    pub fn warning(&self, size: f64, step: f64) -> Option<String> {
        let Estimate::Held { sag, frequency } = self else { return None };
        let period = 1.0 / frequency;
        if *sag > TOO_FAR * size {
            Some(format!(
                "it is far too soft: small strains would let it sag by {sag:.2e} m, and it is {size:.2e} m large; a stiffness \
                 (material.young) {:.0} times as large sags by 5 %",
                sag / (FIT * size)
            ))
        } else if period < RIGID * step {
            Some(format!(
                "it is so stiff that it will look rigid: its slowest vibration takes {period:.1e} s, and a step {step:.1e} s; lower \
                 material.young, or time.step to {:.1e}",
                period / 20.0
            ))
        } else {
            None
        }
    }
}

/// Estimates body `number` of a scene that can be built, by itself: without contact, damping, loads, and pins that hold for a time only.
pub fn estimate(scene: &Scene, number: usize, cache: &Cache) -> Result<Estimate> {
    let body = &scene.bodies[number];
    if body.pins.iter().all(|pin| pin.active.is_some()) {
        return Ok(Estimate::None("no pin holds it"));
    }
    if body.stiffness_scale.is_some() {
        return Ok(Estimate::None("its stiffness changes"));
    }
    let alone = alone(scene, body);
    // The scene was built with this body: what is refused now is a body of which nothing is free.
    let Ok(Built { model, mut objective, .. }) = build(&alone, cache) else {
        return Ok(Estimate::None("pins hold all of it"));
    };
    if model.tets.is_empty() {
        return Ok(Estimate::None("it is thin and drapes"));
    }
    if objective.free > MOST_VERTICES {
        return Ok(Estimate::None("it is large"));
    }
    let held: Vec<[f64; 3]> =
        model.pinned.iter().zip(&model.rest).filter(|(pinned, _)| **pinned > 0).map(|(_, x)| *x).collect();
    if !spans_a_plane(&held, model.size) {
        return Ok(Estimate::None("it swings about its pins"));
    }
    let mass: Vec<f64> = objective.mass[..objective.free].to_vec();
    let Some(mut stiffness) = Stiffness::at(&mut objective, &model.initial.x)? else {
        return Ok(Estimate::None("its stiffness is extreme"));
    };
    Ok(solve(&mut stiffness, &mass, scene.gravity.at(0.0)))
}

/// The scene of a body by itself, at rest.
fn alone(scene: &Scene, body: &Body) -> Scene {
    let mut body = Body {
        damping: Damping::default(),
        deform: vec![],
        loads: vec![],
        pressure: None,
        probes: vec![],
        velocity: Default::default(),
        ..body.clone()
    };
    body.pins.retain(|pin| pin.active.is_none());
    body.pins.iter_mut().for_each(|pin| pin.motion = None);
    let mut alone = Scene::new(&scene.name).body(body);
    alone.gravity = Track::constant([0.0; 3]);
    alone
}

/// True if three of the points are corners of a triangle that is not flat, so that a body held there cannot turn.
fn spans_a_plane(points: &[[f64; 3]], size: f64) -> bool {
    use elements::math::vec3::{cross, sub};
    let Some(first) = points.first() else { return false };
    let away = |p: &[f64; 3]| norm(sub(*p, *first));
    let Some(far) = points.iter().max_by(|a, b| away(a).total_cmp(&away(b))) else { return false };
    let axis = sub(*far, *first);
    points.iter().any(|p| norm(cross(axis, sub(*p, *first))) > FLAT * size * size)
}

/// The sag under gravity `g` in m/s² and the lowest frequency.
fn solve(stiffness: &mut Stiffness, mass: &[f64], g: [f64; 3]) -> Estimate {
    let size = stiffness.size();
    let weighted = |x: &[f64]| -> Vec<f64> { (0..size).map(|i| mass[i / 3] * x[i]).collect() };
    let field = |a: [f64; 3]| -> Vec<f64> { (0..size).map(|i| a[i % 3]).collect() };
    let weight = weighted(&field(g));
    let mut sag = weight.clone();
    stiffness.solve(&mut sag);
    let left: Vec<f64> = stiffness.times(&sag).iter().zip(&weight).map(|(k, w)| w - k).collect();
    if length(&left) > UNHELD * length(&weight) {
        return Estimate::None("parts of it are loose");
    }
    let mut random = signed(7);
    let mut starts = vec![field([1.0, 0.0, 0.0]), field([0.0, 1.0, 0.0]), field([0.0, 0.0, 1.0])];
    starts.push((0..size).map(|_| random()).collect());
    let mut least = f64::INFINITY;
    for mut x in starts {
        for _ in 0..ITERATIONS {
            x = weighted(&x);
            stiffness.solve(&mut x);
            let scale = 1.0 / length(&x);
            x.iter_mut().for_each(|x| *x *= scale);
        }
        let energy: f64 = stiffness.times(&x).iter().zip(&x).map(|(k, x)| k * x).sum();
        let inertia: f64 = weighted(&x).iter().zip(&x).map(|(m, x)| m * x).sum();
        least = least.min(energy / inertia);
    }
    let deepest = sag.chunks_exact(3).map(|u| norm([u[0], u[1], u[2]])).fold(0.0, f64::max);
    Estimate::Held { sag: deepest, frequency: least.max(0.0).sqrt() / std::f64::consts::TAU }
}

fn length(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Element, Selection, Shape};
    use elements::energy::material::Material;

    /// A beam of 1 × 0.1 × 0.1 m, E = 1 MPa, ν = 0, ρ = 1000, held at x = 0.
    fn beam(pin: Option<Selection>) -> Scene {
        let shape = Shape::Block { size: [1.0, 0.1, 0.1], cells: [20, 2, 2], split: 5 };
        let body = Body::new("beam", shape).element(Element::Quadratic);
        let body = body.material(Material::elastic("corotated", 1e6, 0.0).unwrap());
        Scene::new("beam").body(match pin {
            Some(select) => body.pin(select),
            None => body,
        })
    }

    fn end() -> Selection {
        Selection::Box { min: [-1.0; 3], max: [1e-6, 1.0, 1.0] }
    }

    #[test]
    fn a_cantilever_sags_and_vibrates_as_beam_theory_says() {
        // Tip: ρ A g L⁴/(8 E I); first bending frequency: 1.8751²/(2π L²) √(E I/ρ A), with I = a⁴/12; shear adds 1 %.
        let found = estimate(&beam(Some(end())), 0, &Cache::disabled()).unwrap();
        let Estimate::Held { sag, frequency } = found else { panic!("{found:?}") };
        let inertia = 0.1f64.powi(4) / 12.0;
        let tip = 1000.0 * 0.01 * 9.81 / (8.0 * 1e6 * inertia);
        let first = 1.875_104f64.powi(2) / std::f64::consts::TAU * (1e6 * inertia / 10.0).sqrt();
        assert!((sag / tip - 1.0).abs() < 0.03, "{sag} {tip}");
        assert!((frequency / first - 1.0).abs() < 0.03, "{frequency} {first}");
    }

    #[test]
    fn what_cannot_be_estimated_has_a_reason() {
        let reason = |scene: &Scene| match estimate(scene, 0, &Cache::disabled()).unwrap() {
            Estimate::None(reason) => reason,
            held => panic!("{held:?}"),
        };
        assert_eq!(reason(&beam(None)), "no pin holds it");
        assert_eq!(reason(&beam(Some(Selection::All))), "pins hold all of it");
        assert_eq!(
            reason(&beam(Some(Selection::Nearest { point: [0.0; 3], count: 2 }))),
            "it swings about its pins"
        );
    }
}
