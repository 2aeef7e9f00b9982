//! A term that changes between iterations, in the place that contact will have: a floor that rises under a falling cube.

use super::Simulation;
use crate::error::Error;
use crate::scene::{Body, Scene, Shape};
use crate::solvers::{Method, Newton, Pd, QuasiNewton, SolverSettings};
use crate::step::active::{Active, Square};
use elements::energy::material::Material;
use elements::math::lanes::Vec4;

/// κ/2 depth² of every vertex below a floor that rises.
struct Floor {
    height: f64,
    stiffness: f64,
    speed: f64,
    steps: u64,
    longest: f64,
}

impl Floor {
    fn rising(speed: f64, longest: f64) -> Floor {
        Floor { height: 0.0, stiffness: 2e4, speed, steps: 0, longest }
    }

    /// The vertices below the floor, with their heights above it.
    fn below(&self, x: &[Vec4]) -> impl Iterator<Item = (usize, f64)> {
        let heights = x.iter().map(|x| x.0[1] - self.height).enumerate();
        heights.filter(|(_, height)| *height < 0.0)
    }
}

impl Active for Floor {
    fn name(&self) -> String {
        "a floor".into()
    }

    fn bodies(&self) -> &[usize] {
        &[0]
    }

    fn add_gradient(&self, x: &[Vec4], gradient: &mut [Vec4]) -> f64 {
        let mut energy = 0.0;
        for (v, height) in self.below(x) {
            gradient[v].0[1] += self.stiffness * height;
            energy += 0.5 * self.stiffness * height * height;
        }
        energy
    }

    fn squares(&self, x: &[Vec4], out: &mut Vec<Square>) {
        for (v, _) in self.below(x) {
            let mut vectors = [[0.0; 3]; 4];
            vectors[0][1] = self.stiffness.sqrt();
            out.push(Square { corners: [v as u32; 4], vectors, harmless: f64::INFINITY });
        }
    }

    fn longest_part(&self, from: &[Vec4], to: &[Vec4]) -> f64 {
        let way = from.iter().zip(to).map(|(a, b)| (a.0[1] - b.0[1]).abs()).fold(0.0, f64::max);
        (self.longest / way).min(1.0)
    }

    fn set_time(&mut self, time: f64) {
        self.height = self.speed * time;
    }

    fn end_step(&mut self, _: &[Vec4]) {
        self.steps += 1;
    }

    fn save(&self) -> Vec<u8> {
        self.steps.to_le_bytes().to_vec()
    }

    fn restore(&mut self, bytes: &[u8]) -> bool {
        bytes.try_into().map(|bytes| self.steps = u64::from_le_bytes(bytes)).is_ok()
    }
}

fn simulation(method: impl Into<Method>, longest: f64) -> Result<Simulation, Error> {
    let cube = Shape::Block { size: [1.0; 3], cells: [2; 3], split: 5 };
    let body = Body::new("cube", cube).material(Material::elastic("corotated", 1e5, 0.3)?);
    let settings = SolverSettings::new(method, 500, 1e-10)?;
    let mut simulation = Simulation::start(&Scene::new("lifted").body(body).solver(settings))?;
    simulation.add_active(Box::new(Floor::rising(0.3, longest)))?;
    Ok(simulation)
}

#[test]
fn quasi_newton_and_newton_end_at_one_place_on_a_rising_floor() {
    let run = |method: Method, longest: f64| {
        let mut simulation = simulation(method, longest).unwrap();
        for _ in 0..40 {
            simulation.advance().unwrap();
        }
        let kept: Vec<Vec<u8>> = simulation.objective.active().map(|term| term.save()).collect();
        assert_eq!(kept, [40u64.to_le_bytes().to_vec()]);
        (simulation.positions("cube").unwrap(), simulation.iterate().value.active)
    };
    let (truth, energy) = run(Newton::default().into(), f64::INFINITY);
    let lowest = truth.iter().map(|p| p[1]).fold(f64::INFINITY, f64::min);
    // The floor has risen by 0.4 m, and the weight of 9,810 N pushes nine springs in by 54 mm when it is at rest.
    assert!(lowest > 0.4 - 0.15 && lowest < 0.4 && energy > 0.0, "{lowest} {energy}");
    for (method, longest) in
        [(Method::from(QuasiNewton::default()), f64::INFINITY), (QuasiNewton::default().into(), 0.01)]
    {
        let (x, _) = run(method, longest);
        let apart = x.iter().zip(&truth).flat_map(|(a, b)| (0..3).map(move |k| (a[k] - b[k]).abs()));
        let worst = apart.fold(0.0, f64::max);
        assert!(worst < 1e-6, "steps of at most {longest} m: {worst}");
    }
}

#[test]
fn other_solvers_refuse_by_name() {
    let refusal = simulation(Pd::default(), f64::INFINITY).err().unwrap().to_string();
    assert!(refusal.contains("'pd'") && refusal.contains("corotated"), "the material comes first: {refusal}");
    let cube = Shape::Block { size: [1.0; 3], cells: [1; 3], split: 5 };
    let body = Body::new("cube", cube).material(Material::elastic("arap", 1e5, 0.0).unwrap());
    let mut simulation = Simulation::start(&Scene::new("lifted").body(body).solver(Pd::default())).unwrap();
    let refusal = simulation.add_active(Box::new(Floor::rising(0.0, 1.0))).unwrap_err().to_string();
    assert!(refusal.starts_with("solver 'pd' cannot simulate a floor: it has other elements"), "{refusal}");
}
