//! Conjugate gradients with a preconditioner.
//!
//! ```text
//! min ½ xᵀA x − bᵀx over the Krylov space of P⁻¹A, from x = 0
//! ```
//!
//! \[Hestenes1952\]. Sums are serial, so that the bits are the same for any number of threads. A direction of
//! negative curvature ends the iteration at the point before it \[Gast2015\], so the result always has bᵀx > 0
//! if b ≠ 0: −x descends.

use super::incomplete::IncompleteCholesky;
use super::matrix::SymmetricMatrix;

/// The residual relative to b at which further iterations only change rounding errors.
const FLOOR: f64 = 1e-12;

/// The preconditioner P, an approximation of A.
pub enum Preconditioner {
    /// The diagonal of A.
    Jacobi(Vec<f64>),
    /// An incomplete factor.
    Incomplete {
        /// The incomplete factor L.
        factor: IncompleteCholesky,
        /// How many interleaved unknowns each of its rows stands for.
        width: usize,
    },
}

impl Preconditioner {
    /// Solves `P x = b`.
    fn solve(&self, b: &[f64], x: &mut [f64]) {
        match self {
            Preconditioner::Jacobi(diagonal) => {
                let width = b.len() / diagonal.len();
                let rows = x.chunks_exact_mut(width).zip(b.chunks_exact(width)).zip(diagonal);
                rows.for_each(|((x, b), d)| x.iter_mut().zip(b).for_each(|(x, b)| *x = b / d));
            }
            Preconditioner::Incomplete { factor, width } => {
                x.copy_from_slice(b);
                factor.solve(*width, x);
            }
        }
    }
}

/// Conjugate gradients with their vectors, which are kept from solve to solve.
#[derive(Default)]
pub struct ConjugateGradients {
    residual: Vec<f64>,
    direction: Vec<f64>,
    product: Vec<f64>,
    preconditioned: Vec<f64>,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add_scaled(s: f64, x: &[f64], y: &mut [f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += s * x);
}

impl ConjugateGradients {
    /// Solves `A x = b` with at most so many iterations. Each row of the matrix stands for `b.len() / size`
    /// interleaved unknowns.
    pub fn solve(
        &mut self,
        matrix: &SymmetricMatrix,
        preconditioner: &Preconditioner,
        iterations: u64,
        b: &[f64],
        x: &mut [f64],
    ) {
        let width = b.len() / matrix.size.max(1);
        x.fill(0.0);
        self.residual.clear();
        self.residual.extend_from_slice(b);
        for work in [&mut self.product, &mut self.preconditioned] {
            work.resize(b.len(), 0.0);
        }
        preconditioner.solve(&self.residual, &mut self.preconditioned);
        self.direction.clone_from(&self.preconditioned);
        let mut square = dot(&self.residual, &self.preconditioned);
        let floor = FLOOR * dot(b, b).sqrt();
        for iteration in 0..iterations {
            matrix.multiply_into(width, &self.direction, &mut self.product);
            let curvature = dot(&self.direction, &self.product);
            if curvature <= 0.0 || curvature.is_nan() {
                if iteration == 0 {
                    x.copy_from_slice(&self.direction);
                }
                return;
            }
            let alpha = square / curvature;
            add_scaled(alpha, &self.direction, x);
            add_scaled(-alpha, &self.product, &mut self.residual);
            if dot(&self.residual, &self.residual).sqrt() <= floor {
                return;
            }
            preconditioner.solve(&self.residual, &mut self.preconditioned);
            let new_square = dot(&self.residual, &self.preconditioned);
            let beta = new_square / square;
            square = new_square;
            for (d, z) in self.direction.iter_mut().zip(&self.preconditioned) {
                *d = z + beta * *d;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grid of springs: its Laplacian plus a small mass.
    fn grid(n: usize) -> SymmetricMatrix {
        let mut triplets = vec![];
        for i in 0..n * n {
            triplets.push((i as u32, i as u32, 4.01));
            if i % n > 0 {
                triplets.push((i as u32 - 1, i as u32, -1.0));
            }
            if i >= n {
                triplets.push(((i - n) as u32, i as u32, -1.0));
            }
        }
        SymmetricMatrix::from_triplets(n * n, &triplets)
    }

    fn error_after(iterations: u64, incomplete: bool) -> f64 {
        let matrix = grid(30);
        let wanted: Vec<f64> = (0..3 * matrix.size).map(|i| (i as f64 * 0.3).sin() + 1.0).collect();
        let mut b = vec![0.0; wanted.len()];
        matrix.multiply_into(3, &wanted, &mut b);
        let preconditioner = if incomplete {
            Preconditioner::Incomplete { factor: IncompleteCholesky::new(&matrix), width: 3 }
        } else {
            Preconditioner::Jacobi(matrix.diagonal())
        };
        let mut x = vec![0.0; b.len()];
        ConjugateGradients::default().solve(&matrix, &preconditioner, iterations, &b, &mut x);
        x.iter().zip(&wanted).map(|(x, w)| (x - w).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn it_ends_at_the_solution_and_sooner_with_an_incomplete_factor() {
        assert!(error_after(200, false) < 1e-9);
        assert!(error_after(200, true) < 1e-9);
        let (plain, preconditioned) = (error_after(25, false), error_after(25, true));
        assert!(preconditioned < 1e-2 * plain, "{preconditioned} {plain}");
    }

    #[test]
    fn negative_curvature_ends_it_with_a_direction_that_descends() {
        let matrix = SymmetricMatrix::from_triplets(3, &[(0, 0, 2.0), (1, 1, -1.0), (2, 2, 3.0)]);
        let preconditioner = Preconditioner::Jacobi(vec![1.0; 3]);
        for b in [[1.0, 0.1, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 1.0]] {
            let mut x = [0.0; 3];
            ConjugateGradients::default().solve(&matrix, &preconditioner, 10, &b, &mut x);
            assert!(dot(&b, &x) > 0.0 && x.iter().all(|x| x.is_finite()), "{x:?}");
        }
    }
}
