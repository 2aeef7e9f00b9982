//! A term that changes between iterations, in the place that contact will have: a floor that rises under a falling cube.

use super::Simulation;
use crate::error::Error;
use crate::scene::{Body, Scene, Shape};
use crate::solvers::{Method, Newton, Pd, QuasiNewton, SolverSettings};
use crate::step::active::{Active, Square};
use elements::energy::material::Material;
use elements::energy::{CHUNK, Energy};
use elements::math::lanes::Vec4;

/// κ/2 depth² of every vertex below a height.
struct Depths {
    vertices: Vec<u32>,
    height: f64,
    stiffness: f64,
}

impl Energy for Depths {
    fn name(&self) -> String {
        "a floor".into()
    }

    fn len(&self) -> usize {
        self.vertices.len()
    }

    fn corners(&self) -> usize {
        1
    }

    fn slots(&self) -> usize {
        self.vertices.len()
    }

    fn element(&self, index: usize) -> &[u32] {
        std::slice::from_ref(&self.vertices[index])
    }

    fn evaluate(&self, chunk: usize, x: &[Vec4], slots: &mut [Vec4]) -> f64 {
        let mut sum = 0.0;
        for (v, slot) in self.vertices[chunk * CHUNK..].iter().zip(slots) {
            let depth = (x[*v as usize].0[1] - self.height).min(0.0);
            *slot = Vec4::new([0.0, self.stiffness * depth, 0.0]);
            sum += 0.5 * self.stiffness * depth * depth;
        }
        sum
    }

    fn add_system(&self, _: &mut dyn FnMut(u32, u32, f64)) {}

    fn hash_system(&self, _: &mut blake3::Hasher) {}

    fn is_projective(&self) -> bool {
        true
    }

    fn hessian(&self, element: usize, x: &[Vec4], _: bool, out: &mut [f64]) {
        out.fill(0.0);
        let is_below = x[self.vertices[element] as usize].0[1] < self.height;
        out[4] = if is_below { self.stiffness } else { 0.0 };
    }
}

/// The floor; its elements are the vertices that are near it.
struct Floor {
    now: Depths,
    speed: f64,
    steps: u64,
    longest: f64,
}

impl Active for Floor {
    fn bodies(&self) -> &[usize] {
        &[0]
    }

    fn energy(&self) -> &dyn Energy {
        &self.now
    }

    fn refresh(&mut self, x: &[Vec4]) -> bool {
        let near = |(_, x): &(u32, &Vec4)| x.0[1] < self.now.height + 0.05;
        let vertices: Vec<u32> = (0..).zip(x).filter(near).map(|(v, _)| v).collect();
        let changed = vertices != self.now.vertices;
        self.now.vertices = vertices;
        changed
    }

    fn squares(&self, x: &[Vec4], out: &mut Vec<Square>) {
        let root = self.now.stiffness.sqrt();
        for v in self.now.vertices.iter().filter(|v| x[**v as usize].0[1] < self.now.height) {
            let mut vectors = [[0.0; 3]; 4];
            vectors[0][1] = root;
            out.push(Square { corners: [*v; 4], vectors });
        }
    }

    fn longest_part(&self, from: &[Vec4], to: &[Vec4]) -> f64 {
        let way = from.iter().zip(to).map(|(a, b)| (a.0[1] - b.0[1]).abs()).fold(0.0, f64::max);
        self.longest / way
    }

    fn set_time(&mut self, time: f64) {
        self.now.height = self.speed * time;
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
    let now = Depths { vertices: vec![], height: 0.0, stiffness: 2e4 };
    simulation.add_active(Box::new(Floor { now, speed: 0.3, steps: 0, longest }))?;
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
    let now = Depths { vertices: vec![], height: 0.0, stiffness: 2e4 };
    let floor = Floor { now, speed: 0.0, steps: 0, longest: 1.0 };
    let refusal = simulation.add_active(Box::new(floor)).unwrap_err().to_string();
    assert!(refusal.starts_with("solver 'pd' cannot simulate a floor: its elements change"), "{refusal}");
}
