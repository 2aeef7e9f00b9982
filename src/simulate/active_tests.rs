//! A term that changes between iterations, in the place that contact will have: a floor that rises under a falling cube.

use super::Simulation;
use crate::error::Error;
use crate::scene::{Body, Scene, Shape};
use crate::solvers::{
    Admm, Chebyshev, DirectionKind, InitialHessian, InnerKind, Method, Newton, Pbd, Pd, QuasiNewton,
    SolverSettings, Vbd, Xpbd,
};
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

/// A floor under a cube of `arap`, which every solver can simulate.
fn projective(method: impl Into<Method>) -> Result<Simulation, Error> {
    let cube = Shape::Block { size: [1.0; 3], cells: [1; 3], split: 5 };
    let body = Body::new("cube", cube).material(Material::elastic("arap", 1e5, 0.0)?);
    let settings = SolverSettings::new(method, 3000, 1e-10)?;
    let mut simulation = Simulation::start(&Scene::new("lifted").body(body).solver(settings))?;
    simulation.add_active(Box::new(Floor::rising(0.3, f64::INFINITY)))?;
    Ok(simulation)
}

#[test]
fn all_solvers_that_minimize_end_at_one_place_on_a_rising_floor() {
    let run = |method: Method| {
        let mut simulation = projective(method).unwrap();
        let mut energy: f64 = 0.0;
        for _ in 0..20 {
            energy = energy.max(simulation.advance().unwrap().value.active);
        }
        assert!(energy > 0.0, "the cube has met the floor");
        simulation.positions("cube").unwrap()
    };
    let truth = run(Newton::default().into());
    let inner = |inner: InnerKind| Chebyshev { inner: Some(inner), ..Chebyshev::default() };
    let others: [Method; 7] = [
        QuasiNewton::default().into(),
        Pd::default().into(),
        inner(InnerKind::Direct).into(),
        inner(InnerKind::Jacobi).into(),
        inner(InnerKind::GaussSeidel).into(),
        Admm::default().into(),
        Vbd::default().into(),
    ];
    for method in others {
        let x = run(method.clone());
        let apart = x.iter().zip(&truth).flat_map(|(a, b)| (0..3).map(move |k| (a[k] - b[k]).abs()));
        let worst = apart.fold(0.0, f64::max);
        assert!(worst < 1e-6, "{method:?}: {worst} m");
    }
}

#[test]
fn what_a_solver_does_not_feel_it_refuses() {
    let refusal = |method: Method| projective(method).err().expect("refused").to_string();
    let chebyshev = QuasiNewton { direction: Some(DirectionKind::Chebyshev), ..QuasiNewton::default() };
    let text = refusal(chebyshev.into());
    assert!(text.starts_with("solver 'quasi-newton' cannot simulate a floor: it needs"), "{text}");
    let exact = QuasiNewton { initial_hessian: Some(InitialHessian::Frame), ..QuasiNewton::default() };
    let text = refusal(exact.into());
    assert!(text.contains("initial_hessian = \"system\""), "{text}");
    // A floor is an energy, and these know constraints only.
    for method in [Method::from(Xpbd::default()), Pbd::default().into()] {
        let (name, text) = (method.kind().name, refusal(method));
        assert!(
            text.starts_with(&format!("solver '{name}' cannot simulate a floor: it has an energy")),
            "{text}"
        );
    }
}
