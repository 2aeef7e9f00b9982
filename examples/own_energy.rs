//! Adds an energy of its own to a scene: springs without rest length that pull the ends of a bar together.
//!
//! All solvers that can work on it end at the same positions; those that cannot say why.
//!
//!     cargo run --release --example own_energy

use pliant::prelude::*;
use pliant::solvers::{Admm, Method};

/// κ/2 |x_b − x_a|².
struct Band {
    pairs: Vec<[u32; 2]>,
    stiffness: f64,
}

impl ElementEnergy for Band {
    fn name(&self) -> String {
        "band".into()
    }

    fn body(&self) -> &str {
        "bar"
    }

    fn corners(&self) -> usize {
        2
    }

    fn elements(&self) -> Vec<u32> {
        self.pairs.as_flattened().to_vec()
    }

    fn evaluate(&self, _: usize, x: &[[f64; 3]], gradient: &mut [[f64; 3]]) -> f64 {
        let z: [f64; 3] = std::array::from_fn(|k| x[1][k] - x[0][k]);
        gradient[1] = z.map(|z| self.stiffness * z);
        gradient[0] = gradient[1].map(|g| -g);
        0.5 * self.stiffness * (z[0] * z[0] + z[1] * z[1] + z[2] * z[2])
    }

    fn hessian(&self, _: usize, _: &[[f64; 3]], out: &mut [f64]) {
        for (k, out) in out.iter_mut().enumerate() {
            let (row, column) = (k / 6, k % 6);
            let sign = if row / 3 == column / 3 { 1.0 } else { -1.0 };
            *out = if row % 3 == column % 3 { sign * self.stiffness } else { 0.0 };
        }
    }

    /// Its Hessian is the same everywhere.
    fn is_projective(&self) -> bool {
        true
    }
}

/// The positions after five steps, each iterated until nothing moves.
fn simulate(solver: impl Into<Method>) -> Result<Vec<[f64; 3]>> {
    let cells = [10, 2, 2];
    let shape = Shape::Block { size: [2.0, 0.4, 0.4], cells, split: 5 };
    let body = Body::new("bar", shape).material(Material::elastic("arap", 1e4, 0.0)?);
    let settings = SolverSettings::new(solver, 2000, 1e-12)?;
    let scene = Scene::new("banded").body(body).gravity([0.0; 3]).solver(settings);
    // Vertices are numbered along x first: the corners of both ends.
    let (row, last) = (cells[0] as u32 + 1, cells[0] as u32);
    let band = Band { pairs: (0..9).map(|k| [k * row, k * row + last]).collect(), stiffness: 30.0 };
    let (mut simulation, _) = Simulation::with_energies(&scene, vec![Box::new(band)], &Cache::disabled())?;
    for _ in 0..5 {
        simulation.advance()?;
    }
    simulation.positions("bar")
}

fn main() -> Result<()> {
    let reference = simulate(Newton::default())?;
    for (name, x) in [("quasi-newton", simulate(QuasiNewton::default())?), ("pd", simulate(Pd::default())?)] {
        let apart = |a: &[f64; 3], b: &[f64; 3]| (0..3).map(|k| (a[k] - b[k]).abs()).fold(0.0, f64::max);
        let error = x.iter().zip(&reference).map(|(a, b)| apart(a, b)).fold(0.0, f64::max);
        println!("{name}: {error:.1e} m from Newton's method");
        assert!(error < 1e-9);
    }
    let refusal = simulate(Admm::default()).expect_err("admm needs a proximal operator");
    println!("admm: {refusal}");
    Ok(())
}
