//! Projective dynamics with Chebyshev acceleration, over a direct or an iterative inner solve.
//!
//! ```text
//! x̂ = x_k − B⁻¹ ∇g(x_k),      x_{k+1} = ω (γ (x̂ − x_k) + x_k − x_{k−1}) + x_{k−1}
//! ```
//!
//! \[Wang2015, Alg. 1\]. B approximates the system matrix A: A itself (`direct`), its diagonal (`jacobi`), or (D + L)
//! D⁻¹ (D + Lᵀ), one symmetric Gauss-Seidel sweep (`gauss-seidel`). All three are one step of the inner method
//! for A x = b(p), written as an increment, since b − A x = −∇g (see `pd`).
//!
//! ρ is given or estimated (see `acceleration`), and printed; steps where iterates oscillate are counted.
//!
//! Departure: the paper leaves γ to the user. Jacobi diverges where the diagonal does not dominate, as in tets. By
//! default γ is therefore at most 1, and so small that the largest eigenvalue of γ B⁻¹ A, found by a few power
//! iterations, is at most 1.9. ρ and γ are those of the fixed terms also where there are active ones (see `touching`).

mod touching;

use std::time::Instant;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::acceleration::Acceleration;
use super::options::{Options as _, check_relaxation, check_rho};
use super::pd;
use super::structured::Descent;
use super::system::{self, System};
use super::{Cost, Preparation, Progress, Refusal, Solver, options};
use crate::cache::Cache;
use crate::error::Result;
use crate::step::active::PublishedWay;
use crate::step::{Iterate, Objective};
use elements::energy::Energy;
use elements::energy::material::{Fault, Material};
use elements::math::lanes::Vec4;
use elements::math::random::SplitMix64;
use elements::math::vectors;
use sparse::matrix::SymmetricMatrix;
use touching::Touching;

/// The options of `chebyshev`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// What each iteration does before it is accelerated. Default "direct".
    pub inner: Option<InnerKind>,
    /// Spectral radius for Chebyshev acceleration, at least 0 and below 1. Too large a one oscillates. Default:
    /// estimated, printed and cached.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub rho: Option<f64>,
    /// Iterations before acceleration begins, at least 1. Default 10.
    pub delay: Option<u64>,
    /// Factor on each iteration's change, above 0 and below 2. Default 1; for "jacobi" as much of it as converges.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub relaxation: Option<f64>,
}

/// What is accelerated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InnerKind {
    /// A solve with the factor of the constant matrix: projective dynamics.
    #[default]
    Direct,
    /// One Jacobi iteration.
    Jacobi,
    /// One symmetric Gauss-Seidel sweep.
    GaussSeidel,
}

impl InnerKind {
    fn name(self) -> &'static str {
        match self {
            InnerKind::Direct => "direct",
            InnerKind::Jacobi => "jacobi",
            InnerKind::GaussSeidel => "gauss-seidel",
        }
    }
}

impl options::Options for Options {
    const NAME: &'static str = "chebyshev";
    const ABOUT: &'static str =
        "projective dynamics with Chebyshev acceleration; inner = \"direct\", \"jacobi\" or \"gauss-seidel\"";

    fn check(&self) -> Result<(), Fault> {
        check_rho(self.rho)?;
        check_relaxation(self.relaxation)
    }

    fn refuses(&self, term: &dyn Energy) -> Option<Refusal> {
        pd::Options::default().refuses(term)
    }

    fn refuses_material(material: &Material) -> Option<Refusal> {
        pd::Options::refuses_material(material)
    }

    fn build(&self, _: f64) -> Box<dyn Solver> {
        Box::new(Chebyshev {
            name: self.inner.unwrap_or_default().name(),
            acceleration: Acceleration::new(self.rho, self.delay),
            given_relaxation: self.relaxation,
            relaxation: 1.0,
            inner: Inner::None,
            previous: vec![],
            increment: vec![],
            lowest: f64::INFINITY,
            oscillates: false,
            steps: 0,
            oscillating: 0,
            touching: None,
        })
    }
}

/// The number of power iterations for the largest eigenvalue of D⁻¹A.
const POWER: usize = 40;
/// Iterates oscillate if the gradient is this many times the lowest one of the step.
const OSCILLATION: f64 = 10.0;

/// The inner solve, with the data that it needs.
enum Inner {
    None,
    Direct(System),
    /// The diagonal of A.
    Jacobi(Vec<f64>),
    /// The system matrix A.
    GaussSeidel(SymmetricMatrix),
}

/// The solver `chebyshev`.
pub struct Chebyshev {
    name: &'static str,
    acceleration: Acceleration,
    given_relaxation: Option<f64>,
    relaxation: f64,
    inner: Inner,
    /// The iterate x_{k−1} before the current one.
    previous: Vec<Vec4>,
    increment: Vec<Vec4>,
    /// The lowest gradient norm of the step.
    lowest: f64,
    oscillates: bool,
    steps: u64,
    oscillating: u64,
    /// What iterates where there are active terms.
    touching: Option<Touching>,
}

impl Chebyshev {
    /// Computes or loads what the inner solve needs.
    fn prepare_inner(&mut self, objective: &Objective, cache: &Cache) -> Result<Preparation> {
        self.increment = vec![Vec4::ZERO; objective.free];
        self.relaxation = self.given_relaxation.unwrap_or(1.0);
        if self.name == "direct" {
            let (system, outcome) = System::prepare(objective, cache)?;
            let factor_entries = system.entries();
            self.inner = Inner::Direct(system);
            return Ok(Preparation { cache: Some(outcome), factor_entries });
        }
        let matrix = system::assemble(objective, 1.0);
        let diagonal = matrix.diagonal();
        if self.name == "jacobi" {
            let largest = largest_eigenvalue(&matrix, &diagonal);
            self.relaxation = self.given_relaxation.unwrap_or((1.9 / largest).min(1.0));
            self.inner = Inner::Jacobi(diagonal);
        } else {
            self.inner = Inner::GaussSeidel(matrix);
        }
        Ok(Preparation::default())
    }

    /// Computes `increment ← B⁻¹ gradient`.
    fn solve_inner(&mut self, gradient: &[Vec4]) {
        match &mut self.inner {
            Inner::None => unreachable!("prepared before the first step"),
            Inner::Direct(system) => system.solve(gradient, &mut self.increment),
            Inner::Jacobi(diagonal) => {
                for ((out, g), d) in self.increment.iter_mut().zip(gradient).zip(diagonal) {
                    out.0 = g.0.map(|g| g / *d);
                }
            }
            Inner::GaussSeidel(matrix) => sweep(matrix, gradient, &mut self.increment),
        }
    }
}

/// One symmetric Gauss-Seidel sweep for A x = b from x = 0.
fn sweep(matrix: &SymmetricMatrix, b: &[Vec4], x: &mut [Vec4]) {
    let column = |j: usize| matrix.starts[j] as usize..matrix.starts[j + 1] as usize;
    // Rows ascend within a column: the diagonal is its last entry.
    for j in 0..matrix.size {
        let entries = column(j);
        let mut sum = b[j].0;
        for k in entries.start..entries.end - 1 {
            let other = x[matrix.rows[k] as usize].0;
            sum = std::array::from_fn(|i| sum[i] - matrix.values[k] * other[i]);
        }
        // This is D times the forward solution, from which the backward sweep starts.
        x[j].0 = sum.map(|s| s / matrix.values[entries.end - 1]);
    }
    for j in 0..matrix.size {
        let diagonal = matrix.values[column(j).end - 1];
        x[j].0 = x[j].0.map(|s| s * diagonal);
    }
    for j in (0..matrix.size).rev() {
        let entries = column(j);
        let value = x[j].0.map(|s| s / matrix.values[entries.end - 1]);
        x[j].0 = value;
        for k in entries.start..entries.end - 1 {
            let other = &mut x[matrix.rows[k] as usize].0;
            *other = std::array::from_fn(|i| other[i] - matrix.values[k] * value[i]);
        }
    }
}

/// The largest eigenvalue of D⁻¹A, by power iterations.
fn largest_eigenvalue(matrix: &SymmetricMatrix, diagonal: &[f64]) -> f64 {
    let mut random = SplitMix64::new(0);
    let mut v: Vec<f64> = (0..matrix.size).map(|_| random.uniform() - 0.5).collect();
    let mut value = 1.0;
    for _ in 0..POWER {
        let mut product = vec![0.0; matrix.size];
        for j in 0..matrix.size {
            for k in matrix.starts[j] as usize..matrix.starts[j + 1] as usize {
                let (i, a) = (matrix.rows[k] as usize, matrix.values[k]);
                product[i] += a * v[j];
                if i != j {
                    product[j] += a * v[i];
                }
            }
        }
        product.iter_mut().zip(diagonal).for_each(|(p, d)| *p /= d);
        let square = |v: &[f64]| v.iter().zip(diagonal).map(|(x, d)| d * x * x).sum::<f64>().sqrt();
        value = square(&product) / square(&v);
        let scale = 1.0 / square(&product);
        v = product.iter().map(|p| p * scale).collect();
    }
    value
}

impl Solver for Chebyshev {
    fn name(&self) -> &'static str {
        Options::NAME
    }

    fn prepare(&mut self, objective: &Objective, cache: &Cache) -> Result<Preparation> {
        let preparation = self.prepare_inner(objective, cache)?;
        if objective.has_active() {
            self.accept_active(objective)?;
        }
        Ok(preparation)
    }

    fn accept_active(&mut self, objective: &Objective) -> Result<()> {
        if !objective.is_bounded() {
            return Ok(());
        }
        let descent = match &self.inner {
            Inner::Direct(system) => Some(Descent::new(&system::assemble(objective, 1.0), system.entries())),
            _ => None,
        };
        self.touching = Some(Touching::new(objective.free, descent));
        Ok(())
    }

    fn published(&self) -> PublishedWay {
        PublishedWay::Projections { rub: false }
    }

    fn tune(&mut self, objective: &Objective, iterate: &Iterate, cache: &Cache) -> Result<Option<String>> {
        let (name, relaxation) = (self.name, self.relaxation);
        let key = system::start_key(objective, iterate, &format!("{name} {relaxation:?}"));
        let mut acceleration = self.acceleration.clone();
        let mut at = iterate.clone();
        if objective.has_active() {
            objective.evaluate_fixed(&mut at);
        }
        let found = acceleration.tune(&key, cache, || {
            self.solve_inner(&at.gradient);
            vectors::add_scaled(-relaxation, &self.increment, &mut at.x[..objective.free]);
            objective.evaluate_fixed(&mut at);
            vectors::norm(&self.increment)
        })?;
        self.acceleration = acceleration;
        Ok(found.map(|rho| format!("chebyshev over {name}: {rho}, relaxation {relaxation:.3}")))
    }

    fn begin_step(&mut self, objective: &Objective, iterate: &Iterate) {
        self.acceleration.begin_step();
        if let Some(touching) = &mut self.touching {
            touching.begin_step(iterate);
        }
        self.previous.clear();
        self.previous.extend_from_slice(&iterate.x[..objective.free]);
        self.steps += 1;
        self.oscillating += u64::from(self.oscillates);
        self.oscillates = false;
        self.lowest = vectors::norm(&iterate.gradient);
    }

    fn closing_note(&self) -> Option<String> {
        let count = self.oscillating + u64::from(self.oscillates);
        (count > 0).then(|| {
            format!(
                "chebyshev oscillated in {count} of {} steps: rho = {:.6} is too large for them; \
                 give a smaller solver.rho or a larger solver.delay",
                self.steps, self.acceleration.rho
            )
        })
    }

    fn iterate(&mut self, objective: &Objective, iterate: &mut Iterate, cost: &mut Cost) -> Result<Progress> {
        if self.touching.is_some() {
            return Ok(self.iterate_touching(objective, iterate, cost));
        }
        let start = Instant::now();
        self.solve_inner(&iterate.gradient);
        let (omega, gamma) = (self.acceleration.advance(), self.relaxation);
        for ((x, before), d) in iterate.x.iter_mut().zip(&mut self.previous).zip(&self.increment) {
            let (now, old) = (x.0, before.0);
            x.0 = std::array::from_fn(|k| {
                let plain = now[k] - gamma * d.0[k];
                // Without acceleration the result has the same bits as projective dynamics.
                if omega == 1.0 { plain } else { omega * (plain - old[k]) + old[k] }
            });
            before.0 = now;
        }
        objective.project(&mut iterate.x);
        cost.global += start.elapsed();
        let start = Instant::now();
        objective.evaluate(iterate);
        cost.local += start.elapsed();
        let norm = vectors::norm(&iterate.gradient);
        self.lowest = self.lowest.min(norm);
        self.oscillates |= self.acceleration.is_on() && norm > OSCILLATION * self.lowest;
        Ok(Progress::Moved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tridiagonal matrix of a path of springs with masses.
    fn path(n: usize) -> SymmetricMatrix {
        let mut triplets = vec![];
        for i in 0..n as u32 {
            triplets.push((i, i, 2.1));
            if i > 0 {
                triplets.push((i - 1, i, -1.0));
            }
        }
        SymmetricMatrix::from_triplets(n, &triplets)
    }

    #[test]
    fn a_sweep_is_the_inverse_of_its_splitting() {
        // (D + L) D⁻¹ (D + Lᵀ) x = b for the tridiagonal matrix, multiplied out by hand.
        let n = 7;
        let b: Vec<Vec4> = (0..n).map(|i| Vec4::new([i as f64, 1.0, -0.5 * i as f64])).collect();
        let mut x = vec![Vec4::ZERO; n];
        sweep(&path(n), &b, &mut x);
        for k in 0..3 {
            let at = |i: usize| x.get(i).map_or(0.0, |v| v.0[k]);
            let upper: Vec<f64> = (0..n).map(|i| 2.1 * at(i) - at(i + 1)).collect();
            let scaled: Vec<f64> = upper.iter().map(|u| u / 2.1).collect();
            for i in 0..n {
                let lower = 2.1 * scaled[i] - if i > 0 { scaled[i - 1] } else { 0.0 };
                assert!((lower - b[i].0[k]).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn the_largest_eigenvalue_of_a_path_is_known() {
        // D⁻¹A has the eigenvalues 1 − (2/2.1) cos(π j/(n+1)).
        let n = 30;
        let expected = 1.0 + 2.0 / 2.1 * (std::f64::consts::PI / 31.0).cos();
        let found = largest_eigenvalue(&path(n), &vec![2.1; n]);
        assert!(found <= expected + 1e-12 && found > 0.97 * expected, "{found} {expected}");
    }
}
