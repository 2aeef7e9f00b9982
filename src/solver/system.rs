//! The constant system matrix A = M/h² + Σ w DᵀD of the unknowns, and its cached factor.
//!
//! The factor is exact to about 1e-6 (see `sparse::panels`). This error would show in the momentum, so solves correct
//! it: on each connected part, all answers are shifted alike by
//!
//! ```text
//! x ← x + 1·(1ᵀb − 1ᵀA x)/(1ᵀA 1),
//! ```
//!
//! so that 1ᵀA x = 1ᵀb in double precision. On a free body A 1 = M/h² 1, and the sum of all forces is that of
//! the inertia alone. The increments therefore remove the whole error of the linear momentum up to rounding,
//! however few they are.
//!
//! Unknowns that are held have no couplings in A, and their answers are zero. Their zeros stay in the pattern, so that the
//! order of elimination and the connected parts are the same whatever is held.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::structured::Inverse;
use crate::cache::{Array, Cache, Cached, Check, Key, Outcome};
use crate::error::{Error, Result};
use crate::step::{Iterate, Objective};
use elements::math::lanes::{Kernel, Lane, Vec4, dispatch};
use elements::math::octets::Quad;
use elements::math::vectors;
use sparse::cholesky::Cholesky;
use sparse::matrix::SymmetricMatrix;
use sparse::panels::{Panels, Work};

/// How well a system is solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// With a factor in single precision, to about 1e-6, which is enough for a correction.
    #[default]
    Single,
    /// To rounding, by refinement. Iterations converge alike and take several times as long.
    Double,
}

/// A factor of A, ready to solve.
pub struct System {
    factor: Factor,
    work: Work<Quad>,
    wide: Work<Vec4>,
    /// The unknowns that are held.
    held: Vec<u32>,
    refinement: Option<Box<Refinement>>,
}

/// The largest number of rounds of refinement; 2 are usual.
const ROUNDS: usize = 10;
/// Refinement ends when a round leaves more than this part of the residual.
const GAIN: f64 = 0.1;

/// The matrix and the vectors of iterative refinement: the residual b − A x, and the correction that removes it.
struct Refinement {
    matrix: SymmetricMatrix,
    x: Vec<f64>,
    product: Vec<f64>,
    residual: Vec<Vec4>,
    correction: Vec<Vec4>,
}

impl Refinement {
    /// Computes the residual b − A x and returns its largest entry.
    fn measure(&mut self, b: &[Vec4], x: &[Vec4]) -> f64 {
        self.x.chunks_exact_mut(4).zip(x).for_each(|(out, x)| out.copy_from_slice(&x.0));
        self.matrix.multiply_into(4, &self.x, &mut self.product);
        let mut largest = 0.0f64;
        for ((residual, b), product) in self.residual.iter_mut().zip(b).zip(self.product.chunks_exact(4)) {
            residual.0 = std::array::from_fn(|k| b.0[k] - product[k]);
            largest = residual.0[..3].iter().fold(largest, |m, r| m.max(r.abs()));
        }
        largest
    }
}

/// What the cache stores of A: its factor and its row sums.
#[derive(Default)]
struct Factor {
    panels: Panels,
    /// The row sums A 1.
    sums: Vec<f64>,
}

impl System {
    fn new(factor: Factor, held: Vec<u32>) -> System {
        System { factor, work: Work::default(), wide: Work::default(), held, refinement: None }
    }

    /// Loads the factor from the cache, or assembles A, factorizes it and stores the factor.
    pub fn prepare(objective: &Objective, cache: &Cache) -> Result<(System, Outcome)> {
        System::prepare_scaled(objective, 1.0, cache)
    }

    /// Like [`System::prepare`], for solves of the given precision.
    pub fn prepare_to(
        precision: Precision,
        objective: &Objective,
        cache: &Cache,
    ) -> Result<(System, Outcome)> {
        let (mut system, outcome) = System::prepare(objective, cache)?;
        if precision == Precision::Double {
            let matrix = assemble(objective, 1.0);
            let (numbers, points) = (vec![0.0; 4 * matrix.size], vec![Vec4::ZERO; matrix.size]);
            system.refinement = Some(Box::new(Refinement {
                matrix,
                x: numbers.clone(),
                product: numbers,
                residual: points.clone(),
                correction: points,
            }));
        }
        Ok((system, outcome))
    }

    /// Like [`System::prepare`], with all weights multiplied by `scale`: M/h² + scale Σ w DᵀD.
    pub fn prepare_scaled(objective: &Objective, scale: f64, cache: &Cache) -> Result<(System, Outcome)> {
        let key = key(objective, scale);
        let fits = |factor: &Factor| factor.panels.size == objective.free;
        let (factor, outcome) =
            cache.fetch(&key, fits, || factorize(&assemble(objective, scale), objective.held()))?;
        Ok((System::new(factor, objective.held().to_vec()), outcome))
    }

    /// Solves `x = A⁻¹ b` on the unknowns to the given [`Precision`]; 1ᵀA x = 1ᵀb holds up to rounding.
    pub fn solve(&mut self, b: &[Vec4], x: &mut [Vec4]) {
        if let Some(refinement) = self.refinement.take() {
            self.refinement = Some(self.refine(refinement, b, x));
            return;
        }
        self.factor.panels.solve(b, x, &mut self.work);
        self.balance(b, x);
    }

    /// Factorizes a matrix whose entries are rounded to single precision.
    pub fn rounded(matrix: &SymmetricMatrix, held: &[u32]) -> Result<System> {
        let mut matrix = matrix.clone();
        matrix.values.iter_mut().for_each(|value| *value = f64::from(*value as f32));
        Ok(System::new(factorize(&matrix, held)?, held.to_vec()))
    }

    /// Solves by the factor alone, without any care for what rounding does to sums.
    pub fn solve_rounded(&mut self, b: &[Vec4], x: &mut [Vec4]) {
        self.factor.panels.solve(b, x, &mut self.work);
    }

    /// Solves, and solves again for the residual as long as that reduces it.
    fn refine(&mut self, mut own: Box<Refinement>, b: &[Vec4], x: &mut [Vec4]) -> Box<Refinement> {
        let x = &mut x[..own.matrix.size];
        self.solve_wide(b, x);
        let mut left = own.measure(b, x);
        for _ in 0..ROUNDS {
            self.solve_wide(&own.residual, &mut own.correction);
            vectors::add_scaled(1.0, &own.correction, x);
            let now = own.measure(b, x);
            if now > GAIN * left {
                break;
            }
            left = now;
        }
        own
    }

    /// Like [`System::solve`], and linear in b up to rounding, for answers that have to cancel.
    pub fn solve_wide(&mut self, b: &[Vec4], x: &mut [Vec4]) {
        self.factor.panels.solve_wide(b, x, &mut self.wide);
        self.balance(b, x);
    }

    fn balance(&self, b: &[Vec4], x: &mut [Vec4]) {
        let Factor { panels, sums } = &self.factor;
        let mut start = 0;
        for end in panels.ends.iter().map(|end| *end as usize) {
            dispatch(Balance { sums: &sums[start..end], b: &b[start..end], x: &mut x[start..end] });
            start = end;
        }
        self.held.iter().for_each(|v| x[*v as usize] = Vec4::ZERO);
    }

    /// The number of entries of the factor, padding included.
    pub fn entries(&self) -> usize {
        self.factor.panels.len()
    }

    /// The factor in packed form.
    pub fn panels(&self) -> &Panels {
        &self.factor.panels
    }
}

impl Inverse for System {
    fn solve_system(&mut self, b: &[Vec4], x: &mut [Vec4]) {
        self.solve(b, x);
    }
}

/// The kernel that shifts the answers of a connected part.
struct Balance<'a> {
    sums: &'a [f64],
    b: &'a [Vec4],
    x: &'a mut [Vec4],
}

impl Kernel for Balance<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let zero = L::splat(0.0);
        let (mut left, mut total) = ([zero; 4], [0.0; 4]);
        for (i, ((b, x), sum)) in self.b.iter().zip(&*self.x).zip(self.sums).enumerate() {
            left[i % 4] = left[i % 4] + (L::load(&b.0) - L::splat(*sum) * L::load(&x.0));
            total[i % 4] += sum;
        }
        let total = (total[0] + total[1]) + (total[2] + total[3]);
        let mut shift = (((left[0] + left[1]) + (left[2] + left[3])) / L::splat(total)).to_array();
        shift[3] = 0.0;
        let shift = L::load(&shift);
        for x in self.x {
            x.0 = (L::load(&x.0) + shift).to_array();
        }
    }
}

/// M/h² + scale Σ w DᵀD in the objective's numbering, which is the order of elimination. With `scale` 1 it is A.
pub fn assemble(objective: &Objective, scale: f64) -> SymmetricMatrix {
    let free = objective.free as u32;
    let per_step = 1.0 / (objective.step * objective.step);
    let moves = |v: u32| objective.moves(v as usize);
    let mut triplets: Vec<(u32, u32, f64)> =
        (0..free).map(|v| (v, v, objective.mass[v as usize] * per_step)).collect();
    triplets.extend((0..).zip(&objective.extra).map(|(v, extra)| (v, v, *extra)));
    for term in &objective.terms {
        term.add_system(&mut |row, column, value| {
            if row <= column && column < free {
                let couples = row == column || (moves(row) && moves(column));
                triplets.push((row, column, if couples { scale * value } else { 0.0 }));
            }
        });
    }
    SymmetricMatrix::from_triplets(free as usize, &triplets)
}

/// A hash of everything that determines the matrix. With a hit in the cache, the matrix need not be assembled.
pub fn key(objective: &Objective, scale: f64) -> Key {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"pliant system factor");
    hasher.update(&(objective.free as u64).to_le_bytes());
    hasher.update(&objective.step.to_le_bytes());
    hasher.update(bytemuck::cast_slice(&objective.mass[..objective.free]));
    for term in &objective.terms {
        term.hash_system(&mut hasher);
    }
    if !objective.held().is_empty() {
        hasher.update(b"held");
        hasher.update(bytemuck::cast_slice(objective.held()));
    }
    if !objective.extra.is_empty() {
        hasher.update(b"extra");
        hasher.update(bytemuck::cast_slice(&objective.extra));
    }
    if scale != 1.0 {
        hasher.update(b"weights");
        hasher.update(&scale.to_le_bytes());
    }
    hasher.finalize()
}

/// A hash of the matrix and of a step's start, for results measured there. The label tells what was measured.
pub(super) fn start_key(objective: &Objective, start: &Iterate, label: &str) -> Key {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"pliant rho");
    hasher.update(key(objective, 1.0).as_bytes());
    hasher.update(label.as_bytes());
    for place in start.x.iter().chain(&objective.inertial) {
        hasher.update(bytemuck::cast_slice(&place.0));
    }
    hasher.finalize()
}

fn factorize(matrix: &SymmetricMatrix, held: &[u32]) -> Result<Factor> {
    let mut cholesky = Cholesky::analyse(matrix)?;
    if !cholesky.factorize(&matrix.values) {
        return Err(Error::Failed {
            what: "the system matrix is not positive definite in double precision".into(),
            hint: "the mesh has extremely bad elements or the stiffness is extreme; try repair = true, \
                   a smaller step or a softer material"
                .into(),
        });
    }
    let mut sums = vec![0.0; matrix.size];
    matrix.multiply_into(1, &vec![1.0; matrix.size], &mut sums);
    let panels = cholesky.pack();
    let mut start = 0;
    for end in panels.ends.iter().map(|end| *end as usize) {
        let own = held.iter().map(|v| *v as usize).filter(|v| (start..end).contains(v));
        // Forces on what is held are no part of a sum. Where all of a part is held, every force is zero and may stay.
        if own.clone().count() < end - start {
            own.for_each(|v| sums[v] = 0.0);
        }
        start = end;
    }
    Ok(Factor { panels, sums })
}

/// The check of factors in the cache.
pub(super) const CHECK: Check = Check::of::<Factor>();

impl Factor {
    /// True if a solve with it stays within its arrays and gives numbers.
    fn is_sound(&self) -> bool {
        let Factor { panels, sums } = self;
        if !panels.is_consistent() || sums.len() != panels.size {
            return false;
        }
        let mut start = 0;
        let parts_have_sums = panels.ends.iter().all(|&end| {
            let total: f64 = sums[std::mem::replace(&mut start, end as usize)..end as usize].iter().sum();
            total > 0.0 && total.is_finite()
        });
        parts_have_sums && panels.values.iter().all(|value| value.is_finite())
    }
}

impl Cached for Factor {
    const KIND: &'static str = "factor";
    const VERSION: u32 = 4;

    fn to_arrays(&self) -> Vec<Array> {
        let Panels { size, parts, own, border, nodes, rows, values, ends } = &self.panels;
        vec![
            Array::U64([&[*size as u64], parts.as_flattened()].concat()),
            Array::U32(own.clone()),
            Array::U32(border.clone()),
            Array::U32(nodes.as_flattened().to_vec()),
            Array::U32(rows.clone()),
            Array::U32(ends.clone()),
            Array::F64(self.sums.clone()),
            Array::F32(values.clone()),
        ]
    }

    fn from_arrays(arrays: Vec<Array>) -> Option<Self> {
        use Array::{F32, F64, U32, U64};
        let [U64(layout), U32(own), U32(border), U32(nodes), U32(rows), U32(ends), F64(sums), F32(values)] =
            <[Array; 8]>::try_from(arrays).ok()?
        else {
            return None;
        };
        let (size, parts) = layout.split_first()?;
        let parts = parts.as_chunks().0.to_vec();
        let nodes = nodes.as_chunks().0.to_vec();
        let panels = Panels { size: *size as usize, parts, own, border, nodes, rows, values, ends };
        Some(Factor { panels, sums }).filter(Factor::is_sound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_forces_are_kept_to_rounding() {
        // Two chains, of which one is tied to a place.
        let mut t: Vec<(u32, u32, f64)> = vec![];
        for i in 0..60u32 {
            let ends = u32::from(i % 30 != 0) + u32::from(i % 30 != 29) + u32::from(i == 45);
            t.push((i, i, 0.7 + 1e5 * f64::from(ends)));
            if i % 30 != 29 {
                t.push((i, i + 1, -1e5));
            }
        }
        let matrix = SymmetricMatrix::from_triplets(60, &t);
        let factor = factorize(&matrix, &[]).unwrap();
        assert_eq!(factor.panels.ends, [30, 60]);
        let mut system = System::new(factor, vec![]);
        let b: Vec<Vec4> = (0..60).map(|i| Vec4::new([1.0, f64::from(i), f64::from(i * i).sin()])).collect();
        let mut x = b.clone();
        system.solve(&b, &mut x);
        let flat: Vec<f64> = x.iter().flat_map(|x| x.0).collect();
        let mut product = vec![0.0; flat.len()];
        matrix.multiply_into(4, &flat, &mut product);
        for part in [0..30, 30..60] {
            for k in 0..3 {
                let want: f64 = part.clone().map(|i| b[i].0[k]).sum();
                let got: f64 = part.clone().map(|i| product[4 * i + k]).sum();
                let scale: f64 = part.clone().map(|i| product[4 * i + k].abs() + b[i].0[k].abs()).sum();
                assert!((got - want).abs() < 1e-11 * scale, "{got} {want}");
            }
        }
    }

    #[test]
    fn what_is_held_stays_and_leaves_the_sums_of_others_alone() {
        // Two chains without their couplings to what is held: one unknown of the first, all of the second.
        let held: Vec<u32> = [7].into_iter().chain(20..40).collect();
        let is_held = |i: u32| held.contains(&i);
        let mut t: Vec<(u32, u32, f64)> = vec![];
        for i in 0..40u32 {
            t.push((i, i, 0.7 + 2e5));
            if i % 20 != 19 {
                t.push((i, i + 1, if is_held(i) || is_held(i + 1) { 0.0 } else { -1e5 }));
            }
        }
        let matrix = SymmetricMatrix::from_triplets(40, &t);
        let factor = factorize(&matrix, &held).unwrap();
        assert!(factor.panels.ends == [20, 40] && factor.is_sound());
        let mut system = System::new(factor, held.clone());
        let force = |i: u32| if is_held(i) { [0.0; 3] } else { [1.0, f64::from(i), f64::from(i * i).sin()] };
        let b: Vec<Vec4> = (0..40).map(|i| Vec4::new(force(i))).collect();
        let mut x = b.clone();
        system.solve(&b, &mut x);
        assert!(held.iter().all(|v| x[*v as usize] == Vec4::ZERO));
        let flat: Vec<f64> = x.iter().flat_map(|x| x.0).collect();
        let mut product = vec![0.0; flat.len()];
        matrix.multiply_into(4, &flat, &mut product);
        for k in 0..3 {
            let want: f64 = b[..20].iter().map(|b| b.0[k]).sum();
            let got: f64 = (0..20).map(|i| product[4 * i + k]).sum();
            let scale: f64 = (0..20).map(|i| product[4 * i + k].abs()).sum();
            assert!((got - want).abs() < 1e-11 * scale, "{got} {want}");
        }
    }
}
