//! How well a matrix A stands for the Hessian: the extreme eigenvalues of A⁻¹∇²g \[Liu2017, Table II\].
//!
//! ```text
//! ∇²g v = λ A v,      condition number = λ_most/λ_least
//! ```
//!
//! λ_most is found by Lanczos' method for A⁻¹∇²g, which is symmetric in the inner product of A, and 1/λ_least likewise for
//! (∇²g)⁻¹A. All vectors are kept orthogonal to each other, so that no eigenvalue comes twice; with as many steps as unknowns
//! the result is exact up to rounding. ∇²g is the exact Hessian: nothing is clamped.

use super::hessian::Hessian;
use super::quasi_newton::InitialHessian;
use super::system;
use super::warp::Warp;
use crate::error::Result;
use crate::step::Objective;
use elements::math::lanes::Vec4;
use elements::math::random::signed;
use sparse::cholesky::Cholesky;
use sparse::matrix::SymmetricMatrix;

/// The largest number of steps.
const STEPS: usize = 400;
/// After how many steps the eigenvalue is looked at.
const PERIOD: usize = 5;
/// The method ends when the eigenvalue has changed by less than this part in a period, twice.
const SETTLED: f64 = 1e-9;

/// The extreme eigenvalues of A⁻¹∇²g.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spectrum {
    /// The least one; `None` if it is not positive, because the Hessian is indefinite.
    pub least: Option<f64>,
    /// The largest one.
    pub most: f64,
}

impl Spectrum {
    /// The condition number; `None` if the Hessian is indefinite.
    pub fn condition(&self) -> Option<f64> {
        self.least.map(|least| self.most / least)
    }
}

/// The spectrum at `x`, with the matrix that `choice` starts a step with there.
pub fn spectrum(objective: &Objective, x: &[Vec4], choice: InitialHessian) -> Result<Spectrum> {
    let assembled = |x: &[Vec4], projected: bool| {
        let mut hessian = Hessian::new(objective);
        hessian.assemble(objective, x, projected);
        hessian.matrix
    };
    let matrix = match choice {
        InitialHessian::System => tripled(&system::assemble(objective, 1.0)),
        InitialHessian::Identity => {
            let ones: Vec<_> = (0..3 * objective.free as u32).map(|i| (i, i, 1.0)).collect();
            SymmetricMatrix::from_triplets(ones.len(), &ones)
        }
        InitialHessian::Rest | InitialHessian::Warped => assembled(&objective.rest, true),
        InitialHessian::Frame => assembled(x, true),
    };
    let mut warp = Warp::default();
    if choice == InitialHessian::Warped {
        warp.follow(objective, x);
    }
    let mut approximate = Form::new(matrix, warp)?;
    let mut exact = Form::new(assembled(x, false), Warp::default())?;
    // A is positive definite: it has the masses on its diagonal and sums of squares besides.
    approximate.factorize();
    let most = largest(&mut approximate, &mut exact);
    let least = exact.factorize().then(|| 1.0 / largest(&mut exact, &mut approximate));
    Ok(Spectrum { least, most })
}

/// A matrix for each coordinate from one for all three.
fn tripled(matrix: &SymmetricMatrix) -> SymmetricMatrix {
    let mut triplets = vec![];
    for column in 0..matrix.size {
        let (rows, values) = matrix.column(column);
        for (row, value) in rows.iter().zip(values) {
            triplets.extend((0..3).map(|k| (3 * row + k, 3 * column as u32 + k, *value)));
        }
    }
    SymmetricMatrix::from_triplets(3 * matrix.size, &triplets)
}

/// A symmetric matrix R K Rᵀ with the factor of K; without rotations it is K.
struct Form {
    matrix: SymmetricMatrix,
    factor: Cholesky,
    warp: Warp,
}

impl Form {
    fn new(matrix: SymmetricMatrix, warp: Warp) -> Result<Form> {
        Ok(Form { factor: Cholesky::analyse(&matrix)?, matrix, warp })
    }

    /// Factorizes K; false if it is not positive definite.
    fn factorize(&mut self) -> bool {
        self.factor.factorize(&self.matrix.values)
    }

    fn multiply(&mut self, x: &[f64]) -> Vec<f64> {
        let matrix = &self.matrix;
        self.warp.around(x, |x| {
            let mut out = vec![0.0; x.len()];
            matrix.multiply_into(1, &x, &mut out);
            out
        })
    }

    fn solve(&mut self, b: &[f64]) -> Vec<f64> {
        let factor = &mut self.factor;
        self.warp.around(b, |mut x| {
            factor.solve(&mut x);
            x
        })
    }
}

/// The largest eigenvalue of P⁻¹Q, where P is factorized.
fn largest(p: &mut Form, q: &mut Form) -> f64 {
    let size = p.matrix.size;
    let mut random = signed(1);
    let mut vector: Vec<f64> = (0..size).map(|_| random()).collect();
    let mut image = p.multiply(&vector);
    let mut kept: Vec<[Vec<f64>; 2]> = vec![];
    let (mut diagonal, mut beside) = (vec![], vec![]);
    let mut length = dot(&vector, &image).sqrt();
    let (mut found, mut calm) = (0.0, 0);
    while diagonal.len() < size.min(STEPS) && length > 0.0 {
        for v in [&mut vector, &mut image] {
            v.iter_mut().for_each(|entry| *entry /= length);
        }
        let product = q.multiply(&vector);
        diagonal.push(dot(&vector, &product));
        let mut next = p.solve(&product);
        kept.push([vector, image]);
        for _ in 0..2 {
            for [v, image] in &kept {
                let part = dot(&next, image);
                next.iter_mut().zip(v).for_each(|(n, v)| *n -= part * v);
            }
        }
        image = p.multiply(&next);
        vector = next;
        length = dot(&vector, &image).max(0.0).sqrt();
        let now = top(&diagonal, &beside);
        // What is left is rounding: the vectors span all that the first one has a part of.
        if length <= 1e-13 * now.abs() {
            return now;
        }
        beside.push(length);
        if diagonal.len() % PERIOD == 0 {
            calm = if (now - found).abs() <= SETTLED * now.abs() { calm + 1 } else { 0 };
            found = now;
            if calm == 2 {
                break;
            }
        }
    }
    top(&diagonal, &beside)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The largest eigenvalue of the symmetric tridiagonal matrix with this diagonal and these entries beside it, by bisection:
/// as many eigenvalues lie above a number as pivots of the matrix less that number are positive.
fn top(diagonal: &[f64], beside: &[f64]) -> f64 {
    let reach = |i: usize| {
        let before = if i > 0 { beside[i - 1].abs() } else { 0.0 };
        before + if i + 1 < diagonal.len() { beside[i].abs() } else { 0.0 }
    };
    let ends = (0..diagonal.len()).map(|i| (diagonal[i] - reach(i), diagonal[i] + reach(i)));
    let (mut low, mut high) =
        ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (a, b)| (low.min(a), high.max(b)));
    let is_below = |bound: f64| {
        let mut pivot = 1.0;
        (0..diagonal.len()).all(|i| {
            let coupling = if i > 0 { beside[i - 1] * beside[i - 1] / pivot } else { 0.0 };
            pivot = diagonal[i] - bound - coupling;
            pivot < 0.0
        })
    };
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if is_below(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The chain with 2 on the diagonal and −1 beside it, whose eigenvalues are 2 − 2 cos(kπ/(n + 1)).
    fn chain(size: u32) -> SymmetricMatrix {
        let mut triplets: Vec<_> = (0..size).map(|i| (i, i, 2.0)).collect();
        triplets.extend((1..size).map(|i| (i - 1, i, -1.0)));
        SymmetricMatrix::from_triplets(size as usize, &triplets)
    }

    fn form(matrix: SymmetricMatrix) -> Form {
        let mut form = Form::new(matrix, Warp::default()).unwrap();
        assert!(form.factorize());
        form
    }

    #[test]
    fn both_ends_of_a_chain_are_those_of_the_formula() {
        for size in [1, 2, 30, 120] {
            let scaled: Vec<_> = (0..size).map(|i| (i, i, 4.0)).collect();
            let (mut p, mut q) =
                (form(SymmetricMatrix::from_triplets(size as usize, &scaled)), form(chain(size)));
            let eigenvalue =
                |k: u32| 0.5 - 0.5 * (f64::from(k) * std::f64::consts::PI / f64::from(size + 1)).cos();
            let (most, least) = (largest(&mut p, &mut q), 1.0 / largest(&mut q, &mut p));
            assert!((most / eigenvalue(size) - 1.0).abs() < 1e-8, "{size}: {most}");
            assert!((least / eigenvalue(1) - 1.0).abs() < 1e-8, "{size}: {least}");
        }
    }

    #[test]
    fn a_matrix_is_conditioned_perfectly_by_itself() {
        let (mut p, mut q) = (form(chain(60)), form(chain(60)));
        assert!((largest(&mut p, &mut q) - 1.0).abs() < 1e-12);
    }
}
