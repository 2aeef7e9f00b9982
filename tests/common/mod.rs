//! What several tests share: scenes, runs of the real binary, and measures.

// Every program of tests compiles its own copy and uses a part of it.
#![allow(dead_code)]

pub mod damage;
pub mod meshes;
pub mod program;
pub mod scenes;

use elements::math::lanes::{Portable, Vec4};
use elements::math::mat3;
use elements::math::polar::polar;
use elements::math::vectors;
use pliant::cache::Cache;
use pliant::compare::{Comparison, compare, parse};
use pliant::simulate::Simulation;
use pliant::solver::{Cost, Progress, Solver, SolverSettings, quasi_newton};
use pliant::step::{Iterate, Objective};

/// The simulation of a scene, given as TOML.
pub fn simulation(text: &str) -> Simulation {
    let config = pliant::config::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}")).scene;
    Simulation::new(&config, &Cache::disabled()).unwrap_or_else(|e| panic!("{e}\n{text}")).0
}

/// Moves every vertex of `simulation` but the prescribed ones: `f` maps rest positions to new ones.
pub fn place(simulation: &mut Simulation, f: impl Fn([f64; 3]) -> [f64; 3]) {
    for v in 0..simulation.model.rest.len() {
        let i = simulation.model.numbering.position[v] as usize;
        if i < simulation.objective.free {
            simulation.state.x[i] = Vec4::new(f(simulation.model.rest[v]));
        }
    }
}

/// x ↦ 1.2 x along the axis of a bar of `size`, turned about it by (π/2)·x/L.
pub fn stretch_and_twist(size: [f64; 3]) -> impl Fn(&mut Simulation) {
    move |simulation| {
        place(simulation, |p| {
            let (sin, cos) = (std::f64::consts::FRAC_PI_2 * p[0] / size[0]).sin_cos();
            let (y, z) = (p[1] - size[1] / 2.0, p[2] - size[2] / 2.0);
            [1.2 * p[0], size[1] / 2.0 + cos * y - sin * z, size[2] / 2.0 + sin * y + cos * z]
        });
    }
}

/// Steps until nothing moves by more than `tolerance` (m) in one.
pub fn settle(simulation: &mut Simulation, steps: usize, tolerance: f64) {
    for _ in 0..steps {
        let before = simulation.state.x.clone();
        simulation.advance().unwrap();
        if distance(&before, &simulation.state.x) < tolerance {
            return;
        }
    }
    panic!("not at rest after {steps} steps");
}

/// The courses of solvers, as the command line names them, on the next step.
pub fn compared(mut simulation: Simulation, solvers: &[&str], iterations: u64) -> Comparison {
    let base = SolverSettings::new(quasi_newton::Options::default(), iterations, 0.0).unwrap();
    let contenders: Vec<_> = solvers.iter().map(|s| parse(s, &base).unwrap()).collect();
    compare(&mut simulation, &contenders, iterations, &Cache::disabled()).unwrap()
}

/// The first step of a scene, one iteration at a time.
pub struct Descent {
    /// What is minimized.
    pub objective: Objective,
    /// The current point.
    pub iterate: Iterate,
    /// Work so far.
    pub cost: Cost,
    solver: Box<dyn Solver>,
}

impl Descent {
    /// Starts at y, from the state that `prepare` leaves the simulation in.
    pub fn new(text: &str, prepare: impl Fn(&mut Simulation)) -> Descent {
        let config = pliant::config::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}")).scene;
        let (mut simulation, _) = Simulation::new(&config, &Cache::disabled()).expect("a good scene");
        prepare(&mut simulation);
        let (h, state, gravity) = (config.time.step, simulation.state, config.gravity.at(config.time.step));
        let mut objective = simulation.objective;
        for (v, y) in objective.inertial.iter_mut().enumerate() {
            for k in 0..3 {
                y.0[k] = state.x[v].0[k] + h * state.v[v].0[k] + h * h * gravity[k];
            }
        }
        let mut x = state.x;
        x[..objective.free].copy_from_slice(&objective.inertial);
        let mut iterate = objective.iterate_at(x);
        objective.evaluate(&mut iterate);
        let mut solver = config.solver.build();
        solver.prepare(&objective, &Cache::disabled()).expect("a solvable scene");
        solver.begin_step(&objective, &iterate);
        Descent { objective, iterate, cost: Cost::default(), solver }
    }

    /// g here.
    pub fn value(&self) -> f64 {
        self.iterate.value.total()
    }

    /// ‖∇g‖ here.
    pub fn gradient(&self) -> f64 {
        vectors::norm(&self.iterate.gradient)
    }

    /// One iteration; false when nothing is left to gain.
    pub fn step(&mut self) -> bool {
        let progress = self.solver.iterate(&self.objective, &mut self.iterate, &mut self.cost);
        if !self.solver.evaluates() {
            self.objective.evaluate(&mut self.iterate);
        }
        progress.expect("no numerical trouble") == Progress::Moved
    }

    /// Iterates to the floor of double precision: until the gradient, once small, stops falling.
    pub fn reach_floor(&mut self, iterations: usize) -> &mut Self {
        let (first, mut last) = (self.gradient(), f64::INFINITY);
        for _ in 0..iterations {
            let gradient = self.gradient();
            if (gradient < 1e-9 * first && gradient > 0.5 * last) || !self.step() {
                return self;
            }
            last = gradient;
        }
        panic!("‖∇g‖ is still {:e} of its first value", self.gradient() / first);
    }
}

/// The largest distance between corresponding points.
pub fn distance(a: &[Vec4], b: &[Vec4]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter()
        .zip(b)
        .map(|(a, b)| vectors::norm(&[Vec4(std::array::from_fn(|k| a.0[k] - b.0[k]))]))
        .fold(0.0, f64::max)
}

/// Distances between corresponding points after the best rigid motion (Kabsch) of `a` onto `b`.
pub fn rigid_distances(a: &[[f64; 3]], b: &[[f64; 3]]) -> Vec<f64> {
    let mean = |p: &[[f64; 3]]| -> [f64; 3] {
        std::array::from_fn(|k| p.iter().map(|p| p[k]).sum::<f64>() / p.len() as f64)
    };
    let (ca, cb) = (mean(a), mean(b));
    let mut covariance = [[0.0; 3]; 3];
    for (a, b) in a.iter().zip(b) {
        for i in 0..3 {
            for j in 0..3 {
                covariance[i][j] += (b[i] - cb[i]) * (a[j] - ca[j]);
            }
        }
    }
    let (rotation, _) = polar(&mat3::splat::<Portable>(&covariance));
    let r = mat3::extract(&rotation, 0);
    a.iter()
        .zip(b)
        .map(|(a, b)| {
            let d: [f64; 3] = std::array::from_fn(|i| {
                (0..3).map(|j| r[i][j] * (a[j] - ca[j])).sum::<f64>() - (b[i] - cb[i])
            });
            d.iter().map(|c| c * c).sum::<f64>().sqrt()
        })
        .collect()
}

/// The most memory that this process has had, in kB; 0 where nobody tells.
pub fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0)
}
