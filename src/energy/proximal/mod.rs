//! Proximal operators and the local step that is made of them: what the solver admm needs of a term.
//!
//! ```text
//! prox(z̃) = argmin_z E(z) + w²/2 |z − z̃|²,      w² = r · measure · k
//! ```
//!
//! k is the stiffness of the system matrix and r a factor on all weights. Where a term stands for a hard set, prox is the
//! projection on it, whatever the weight \[Narain2016, 4.2\]. The local step of an element is
//!
//! ```text
//! z̃ = α D x + (1 − α) z + u,      z⁺ = prox(z̃),      u⁺ = z̃ − z⁺
//! ```
//!
//! with the over-relaxation α (1: none), and its share of the global system's residual is w² Dᵀ(D x − z⁺ + u⁺).

#[cfg(test)]
pub(crate) mod checks;
pub(super) mod stretches;

use super::Energy;
use crate::math::lanes::{Vec4, WIDTH};

/// Numbers in the z of an element at the most.
const LARGEST: usize = 9;

/// The capability of a term to be split.
pub trait Proximal: Energy {
    /// Numbers in the z of an element, 9 at the most.
    fn reduced(&self) -> usize;

    /// True where prox projects onto a hard set: its solution is not the minimum of the stiff energy.
    fn is_hard(&self) -> bool {
        false
    }

    /// measure · k of an element: its weight in the system matrix.
    fn weight(&self, element: usize) -> f64;

    /// `z ← D x`, or that less a constant.
    fn reduce(&self, element: usize, x: &[Vec4], z: &mut [f64]);

    /// `slots ← Dᵀ z`, an entry per corner.
    fn pull_back(&self, element: usize, z: &[f64], slots: &mut [Vec4]);

    /// `z̃ → prox(z̃)` for consecutive elements from `first`, four at the most, their numbers one after the other;
    /// `ratio` is r.
    fn prox(&self, first: usize, ratio: f64, z: &mut [f64]);
}

/// What all elements share in a local step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Splitting {
    /// r, the factor on all weights.
    pub ratio: f64,
    /// α, in (0, 2).
    pub relaxation: f64,
}

/// How far the splitting is from its end, in J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residuals {
    /// Σ w² |D x − z⁺|².
    pub primal: f64,
    /// Σ w² |z⁺ − z|².
    pub dual: f64,
}

/// The split variables of one chunk of elements.
#[derive(Clone, Debug, Default)]
pub struct Split {
    z: Vec<f64>,
    u: Vec<f64>,
    /// Of the last local step.
    pub residuals: Residuals,
}

impl Split {
    /// For so many elements of a term.
    pub fn new(term: &dyn Proximal, elements: usize) -> Split {
        let zeros = vec![0.0; elements * term.reduced()];
        Split { z: zeros.clone(), u: zeros, residuals: Residuals::default() }
    }

    /// z = D x, u = 0 for the elements from `first`.
    pub fn restart(&mut self, term: &dyn Proximal, first: usize, x: &[Vec4]) {
        for (e, z) in self.z.chunks_exact_mut(term.reduced()).enumerate() {
            term.reduce(first + e, x, z);
        }
        self.u.fill(0.0);
    }

    /// Keeps w² u, the estimate of the forces, when all weights change by 1/`factor`.
    pub fn scale_dual(&mut self, factor: f64) {
        self.u.iter_mut().for_each(|u| *u *= factor);
    }

    /// The local step of the elements from `first`; `slots` receives their shares of the residual.
    pub fn step(
        &mut self,
        term: &dyn Proximal,
        first: usize,
        x: &[Vec4],
        splitting: Splitting,
        slots: &mut [Vec4],
    ) {
        let (n, corners) = (term.reduced(), term.corners());
        let (mut now, mut next) = ([0.0; WIDTH * LARGEST], [0.0; WIDTH * LARGEST]);
        let mut total = Residuals::default();
        let parts = self.z.chunks_mut(WIDTH * n).zip(self.u.chunks_mut(WIDTH * n));
        for (part, (z, u)) in parts.enumerate() {
            let start = part * WIDTH;
            let (now, next) = (&mut now[..z.len()], &mut next[..z.len()]);
            for (e, now) in now.chunks_exact_mut(n).enumerate() {
                term.reduce(first + start + e, x, now);
            }
            for i in 0..z.len() {
                u[i] += splitting.relaxation * now[i] + (1.0 - splitting.relaxation) * z[i];
            }
            next.copy_from_slice(u);
            term.prox(first + start, splitting.ratio, next);
            for e in 0..z.len() / n {
                let weight = splitting.ratio * term.weight(first + start + e);
                for i in e * n..(e + 1) * n {
                    u[i] -= next[i];
                    total.primal += weight * (now[i] - next[i]) * (now[i] - next[i]);
                    total.dual += weight * (next[i] - z[i]) * (next[i] - z[i]);
                    z[i] = next[i];
                    now[i] = weight * (now[i] - z[i] + u[i]);
                }
                let slots = &mut slots[(start + e) * corners..(start + e + 1) * corners];
                term.pull_back(first + start + e, &now[e * n..(e + 1) * n], slots);
            }
        }
        self.residuals = total;
    }
}
