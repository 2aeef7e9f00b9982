//! The split form of viscosity, for admm: z is F.
//!
//! With F_m = U Σ Vᵀ and G = Uᵀ (F − F̂) V, ε is sym(Σ G) turned by V: the diagonal of G is coupled by the trace alone,
//! and Gᵢⱼ with Gⱼᵢ only.

use super::ViscosityTerm;
use crate::energy::proximal::{self, Proximal, Row};
use crate::math::lanes::Vec4;
use crate::math::single::Single;
use crate::math::{mat3, svd};

impl Proximal for ViscosityTerm {
    fn reduced(&self) -> usize {
        9
    }

    fn weight(&self, element: usize) -> f64 {
        2.0 * self.elements[element].moduli[0] + self.elements[element].moduli[1]
    }

    fn reduce(&self, block: usize, x: &[Vec4], z: &mut [Row]) {
        proximal::each(block, self.elements.len(), z, |element, z| {
            let e = &self.elements[element];
            z.fill(0.0);
            for (v, g) in e.vertices.iter().zip(e.gradients).take(self.corners) {
                for i in 0..3 {
                    for j in 0..3 {
                        z[3 * i + j] += x[*v as usize].0[i] * g[j];
                    }
                }
            }
        });
    }

    fn pull_back(&self, block: usize, z: &[Row], slots: &mut [Vec4]) {
        proximal::each_slots(block, [self.elements.len(), self.corners], z, slots, |element, z, slots| {
            for (slot, g) in slots.iter_mut().zip(self.elements[element].gradients) {
                *slot = Vec4::new(std::array::from_fn(|i| {
                    z[3 * i] * g[0] + z[3 * i + 1] * g[1] + z[3 * i + 2] * g[2]
                }));
            }
        });
    }

    fn prox(&self, block: usize, ratio: f64, z: &mut [Row]) {
        proximal::each(block, self.elements.len(), z, |element, z| {
            let weight = ratio * self.weight(element);
            if weight == 0.0 {
                return;
            }
            let [middle, base] = self.lagged_of(element);
            let d = svd::svd(&mat3::splat::<Single>(&middle));
            let (u, v) = (mat3::extract(&d.u, 0), mat3::extract(&d.v, 0));
            let change = |i: usize, j: usize| z[3 * i + j] - base[i][j];
            let turned = |k: usize, l: usize| {
                (0..9).map(|n| u[n / 3][k] * change(n / 3, n % 3) * v[n % 3][l]).sum::<f64>()
            };
            let g: [[f64; 3]; 3] = std::array::from_fn(|k| std::array::from_fn(|l| turned(k, l)));
            let step = damped(&g, &d.sigma.map(|s| s.0), self.elements[element].moduli, weight);
            for (n, z) in z.iter_mut().enumerate() {
                for k in 0..3 {
                    for l in 0..3 {
                        *z -= u[n / 3][k] * step[k][l] * v[n % 3][l];
                    }
                }
            }
        });
    }
}

/// G less the minimizer Y of 2μ ‖ε‖²/2 + λ tr² ε/2 + w²/2 ‖Y − G‖², where ε = sym(diag(σ) Y).
fn damped(g: &[[f64; 3]; 3], s: &[f64; 3], [mu, lambda]: [f64; 2], weight: f64) -> [[f64; 3]; 3] {
    let mut out = [[0.0; 3]; 3];
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        let strain = 0.5 * (s[i] * g[i][j] + s[j] * g[j][i]);
        let part = 2.0 * mu * strain / (weight + mu * (s[i] * s[i] + s[j] * s[j]));
        (out[i][j], out[j][i]) = (part * s[i], part * s[j]);
    }
    // (diag(2μ σ² + w²) + λ σ σᵀ) G⁺ = w² G by Sherman and Morrison.
    let diagonal: [f64; 3] = std::array::from_fn(|i| 2.0 * mu * s[i] * s[i] + weight);
    let trace: f64 = (0..3).map(|i| s[i] * weight * g[i][i] / diagonal[i]).sum();
    let coupling: f64 = (0..3).map(|i| s[i] * s[i] / diagonal[i]).sum();
    for i in 0..3 {
        let next = (weight * g[i][i] - s[i] * lambda * trace / (1.0 + lambda * coupling)) / diagonal[i];
        out[i][i] = g[i][i] - next;
    }
    out
}
