//! The one function that every solver minimizes, once per time step.
//!
//! ```text
//! g(x) = 1/(2h²) Σ_v m_v |x_v − y_v|²  +  Σ_t E_t(x),      y = x_n + h v_n + h² M⁻¹ f_ext
//! ```
//!
//! Vertices are numbered so that the unknowns come first, in the order of elimination. Prescribed and orphan vertices
//! follow and never move inside a step. Nor do unknowns that are held for a time: they keep their numbers, but have no
//! gradient and no couplings in the matrices of solvers. One pass gives value and gradient; `assembly` explains how
//! gradients of elements become those of vertices.

use super::active::Active;
use super::assembly::Assembly;
use super::constraint::Constraints;
use super::term::Term;
use super::{Iterate, Value};
use std::sync::atomic::AtomicU64;

use elements::energy::proximal::{Proximal, Residuals, Split, Splitting};
use elements::energy::{CHUNK, Energy, Role, chunks};
use elements::math::lanes::{Kernel, Lane, Vec4, WIDTH, dispatch};
use elements::par;

/// The number of vertices in a chunk of work.
pub const VERTICES: usize = 512;

/// The objective of one time step.
pub struct Objective {
    /// Number of unknown vertices: vertices 0 … `free`−1.
    pub free: usize,
    /// Time step h in seconds.
    pub step: f64,
    /// Lumped mass of every vertex in kg; 0 for orphans.
    pub mass: Vec<f64>,
    /// The fixed terms: their elements stay the same.
    pub terms: Vec<Term>,
    pub(super) active: Vec<Box<dyn Active>>,
    /// The time that active terms took to find their elements and safe motions since it was asked last, in ns.
    pub(super) searching: AtomicU64,
    /// Rest positions of all vertices.
    pub rest: Vec<Vec4>,
    /// Inertial positions y of the unknowns.
    pub inertial: Vec<Vec4>,
    /// What is added to the diagonal of A for each unknown, in N/m; empty if nothing is. No energy belongs to it.
    pub extra: Vec<f64>,
    /// What bodies have to keep in this step; empty if nothing is kept.
    pub constraints: Vec<Constraints>,
    assembly: Assembly,
    scale: f64,
    /// The unknowns that are held, ascending, and whether each one is; both are empty if none is.
    held: Vec<u32>,
    is_held: Vec<bool>,
}

/// Energy and gradient of one chunk of a term.
type Evaluate = fn(&dyn Energy, usize, &[Vec4], &mut [Vec4]) -> f64;

impl Objective {
    /// `mass` and `rest` have an entry per vertex; the masses of unknowns must be positive.
    pub fn new(free: usize, step: f64, mass: Vec<f64>, rest: Vec<Vec4>, terms: Vec<Term>) -> Objective {
        Objective {
            free,
            step,
            inertial: vec![Vec4::ZERO; free],
            extra: vec![],
            constraints: vec![],
            scale: terms.iter().map(|t| t.scale()).sum(),
            assembly: Assembly::new(free, &terms),
            mass,
            rest,
            terms,
            active: vec![],
            searching: AtomicU64::new(0),
            held: vec![],
            is_held: vec![],
        }
    }

    /// Holds these unknowns, and no others, where iterates have them. The system matrix changes with them.
    pub fn hold(&mut self, mut vertices: Vec<u32>) {
        vertices.sort_unstable();
        self.is_held.clear();
        if !vertices.is_empty() {
            self.is_held.resize(self.free, false);
            vertices.iter().for_each(|v| self.is_held[*v as usize] = true);
        }
        self.held = vertices;
    }

    /// The unknowns that are held, ascending.
    pub fn held(&self) -> &[u32] {
        &self.held
    }

    /// True for a vertex that a step moves: an unknown that is not held.
    pub fn moves(&self, vertex: usize) -> bool {
        vertex < self.free && !self.is_held.get(vertex).is_some_and(|held| *held)
    }

    /// Sets the entries of held unknowns to zero.
    pub(super) fn still(&self, values: &mut [Vec4]) {
        self.held.iter().for_each(|v| values[*v as usize] = Vec4::ZERO);
    }

    /// An iterate at `x`, not yet evaluated.
    pub fn iterate_at(&self, x: Vec<Vec4>) -> Iterate {
        let chunk_counts: usize = self.terms.iter().map(|t| chunks(t.as_ref())).sum();
        Iterate {
            x,
            gradient: vec![Vec4::ZERO; self.free],
            value: Value::default(),
            parts: vec![0.0; self.terms.len()],
            sums: vec![Vec4::ZERO; self.assembly.len()],
            partial: vec![0.0; chunk_counts.max(self.free.div_ceil(VERTICES))],
            active: vec![],
            shares: vec![],
        }
    }

    /// Computes value and gradient at the iterate's positions. The value is infinite if an energy is infinite; the
    /// gradient then has no meaning.
    pub fn evaluate(&self, at: &mut Iterate) {
        self.evaluate_as(at, |term, chunk, x, slots| term.evaluate(chunk, x, slots));
    }

    /// Like [`Objective::evaluate`], with every energy replaced by the projective one of the same stiffness.
    pub fn evaluate_projective(&self, at: &mut Iterate) {
        self.evaluate_as(at, |term, chunk, x, slots| term.evaluate_projective(chunk, x, slots));
    }

    /// Sets quantities that depend on time to their values at `time` in seconds; true if the system matrix changes.
    pub fn set_time(&mut self, time: f64) -> bool {
        let mut changed = false;
        for term in &mut self.terms {
            changed |= term.set_time(time);
        }
        self.active.iter_mut().for_each(|active| active.set_time(time));
        if changed {
            self.scale = self.terms.iter().map(|t| t.scale()).sum();
        }
        changed
    }

    /// The number of elements of all terms.
    pub fn elements(&self) -> usize {
        self.terms.iter().map(|term| term.len()).sum()
    }

    /// The energy (J) of a strain of order one everywhere.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Like [`Objective::evaluate`], without active terms.
    pub fn evaluate_fixed(&self, at: &mut Iterate) {
        at.value = self.evaluate_terms(|term, chunk, x, slots| term.evaluate(chunk, x, slots), at);
        at.value.inertia = self.gather(at);
    }

    fn evaluate_as(&self, at: &mut Iterate, evaluate: Evaluate) {
        at.value = self.evaluate_terms(evaluate, at);
        at.value.inertia = self.gather(at);
        self.add_active_part(at);
    }

    /// Gathers the sums and the gradient of the inertia into the iterate's gradient; returns the inertia term.
    fn gather(&self, at: &mut Iterate) -> f64 {
        let chunk_count = self.free.div_ceil(VERTICES);
        let (x, sums) = (&at.x, &at.sums);
        par::chunks_mut_with(
            &mut at.gradient,
            VERTICES,
            &mut at.partial[..chunk_count],
            |chunk, gradient| {
                dispatch(Gather { objective: self, first: chunk * VERTICES, x, sums, gradient })
            },
        );
        self.still(&mut at.gradient);
        at.partial[..chunk_count].iter().sum()
    }

    /// The split variables of all terms, by term and chunk; a term without a proximal operator has none.
    pub fn splits(&self) -> Vec<Vec<Split>> {
        let of = |term: &dyn Proximal| {
            let chunks = (0..term.len()).step_by(CHUNK);
            chunks.map(|first| Split::new(term, CHUNK.min(term.len() - first))).collect()
        };
        self.terms.iter().map(|term| term.proximal().map(of).unwrap_or_default()).collect()
    }

    /// Sets z = D x and u = 0 in [`Objective::splits`].
    pub fn restart_splits(&self, x: &[Vec4], splits: &mut [Vec<Split>]) {
        for (term, splits) in self.terms.iter().zip(splits) {
            let Some(term) = term.proximal() else { continue };
            par::chunks_mut(splits, 1, |chunk, split| split[0].restart(term, chunk * CHUNK / WIDTH, x));
        }
    }

    /// The local step of admm at the iterate's positions (see `energy::proximal`). The iterate's gradient becomes
    /// M (x − y)/h² + Σ w² Dᵀ(D x − z + u), the residual of the global system. Its value has no meaning afterwards.
    pub fn split(&self, at: &mut Iterate, splits: &mut [Vec<Split>], splitting: Splitting) -> Residuals {
        let mut total = Residuals::default();
        let (x, mut sums) = (&at.x, &mut at.sums[..]);
        for (t, (term, splits)) in self.terms.iter().zip(splits).enumerate() {
            let (own, rest) = sums.split_at_mut(self.assembly.sums(t));
            sums = rest;
            let Some(term) = term.proximal() else { continue };
            par::chunks_mut_and(own, self.assembly.stride(t), splits, |chunk, sums, split| {
                let step = |slots: &mut [Vec4]| split.step(term, chunk * CHUNK / WIDTH, x, splitting, slots);
                self.assembly.collect((t, chunk), sums, step);
            });
            for split in splits {
                total.primal += split.residuals.primal;
                total.dual += split.residuals.dual;
            }
        }
        self.gather(at);
        total
    }

    fn evaluate_terms(&self, evaluate: Evaluate, at: &mut Iterate) -> Value {
        let mut value = Value::default();
        let (x, mut sums, mut partial) = (&at.x, &mut at.sums[..], &mut at.partial[..]);
        for (t, (term, energy)) in self.terms.iter().zip(&mut at.parts).enumerate() {
            let (own_sums, rest) = sums.split_at_mut(self.assembly.sums(t));
            let (own_partial, rest_partial) = partial.split_at_mut(chunks(term.as_ref()));
            (sums, partial) = (rest, rest_partial);
            par::chunks_mut_with(own_sums, self.assembly.stride(t), own_partial, |chunk, sums| {
                self.assembly.collect((t, chunk), sums, |slots| evaluate(term.as_ref(), chunk, x, slots))
            });
            *energy = own_partial.iter().sum();
            let part =
                if term.role() == Role::Dissipation { &mut value.dissipation } else { &mut value.elastic };
            *part += *energy;
        }
        value
    }

    /// Adds the gradients ∂E/∂x of the terms with chosen roles to `out`, in N, at all vertices, prescribed ones too.
    pub fn add_gradients(&self, x: &[Vec4], chosen: impl Fn(Role) -> bool, out: &mut [Vec4]) {
        let mut slots = vec![];
        for term in self.terms.iter().filter(|term| chosen(term.role())) {
            let corners = term.corners();
            for chunk in 0..chunks(term.as_ref()) {
                let first = chunk * CHUNK;
                slots.clear();
                slots.resize((CHUNK * corners).min(term.slots() - first * corners), Vec4::ZERO);
                term.evaluate(chunk, x, &mut slots);
                for (e, own) in (first..term.len()).zip(slots.chunks_exact(corners)) {
                    for (v, slot) in term.element(e).iter().zip(own) {
                        let sum = &mut out[*v as usize];
                        *sum = Vec4(std::array::from_fn(|k| sum.0[k] + slot.0[k]));
                    }
                }
            }
        }
    }

    /// The inertia part of g at `x`.
    pub fn inertia(&self, x: &[Vec4]) -> f64 {
        let vertices = x.iter().zip(&self.inertial).zip(&self.mass);
        let sum: f64 = vertices
            .map(|((x, y), m)| m * (0..3).map(|k| (x.0[k] - y.0[k]) * (x.0[k] - y.0[k])).sum::<f64>())
            .sum();
        0.5 * sum / (self.step * self.step)
    }

    /// How much rounding may change a value of g, in J.
    pub fn rounding(&self, value: &Value) -> f64 {
        64.0 * f64::EPSILON
            * (value.inertia.abs()
                + value.elastic.abs()
                + value.dissipation
                + value.active.abs()
                + self.scale)
    }

    /// True if the fixed terms are finite at `x`, so that none of their barriers is crossed. This costs a fraction of
    /// evaluating g.
    pub fn is_feasible(&self, x: &[Vec4]) -> bool {
        let inside = |term: &dyn Energy| {
            par::fold(chunks(term), |chunk| u32::from(!term.is_feasible(chunk, x)), |a, b| a + b) == 0
        };
        self.terms.iter().all(|term| inside(term.as_ref()))
    }

    /// The lowest `det F` of all cells and the number of inverted ones; 1 and 0 if nothing has a material.
    pub fn volumes(&self, x: &[Vec4]) -> (f64, usize) {
        let mut worst = (f64::INFINITY, 0);
        for term in &self.terms {
            for (lowest, inverted) in
                par::map(chunks(term.as_ref()), |chunk| term.volumes(chunk, x)).into_iter().flatten()
            {
                worst = (worst.0.min(lowest), worst.1 + inverted);
            }
        }
        if worst.0 == f64::INFINITY {
            worst.0 = 1.0;
        }
        worst
    }
}

struct Gather<'a> {
    objective: &'a Objective,
    first: usize,
    x: &'a [Vec4],
    sums: &'a [Vec4],
    gradient: &'a mut [Vec4],
}

impl Kernel for Gather<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lane>(self) -> f64 {
        let g = self.objective;
        let per_step = 1.0 / (g.step * g.step);
        let mut inertia = 0.0;
        for (i, out) in self.gradient.iter_mut().enumerate() {
            let v = self.first + i;
            let weight = g.mass[v] * per_step;
            let d = L::load(&self.x[v].0) - L::load(&g.inertial[v].0);
            let square = (d * d).to_array();
            inertia += 0.5 * weight * ((square[0] + square[1]) + square[2]);
            let mut sum = L::splat(weight) * d;
            for part in g.assembly.of(v) {
                sum = sum + L::load(&self.sums[*part as usize].0);
            }
            out.0 = sum.to_array();
        }
        inertia
    }
}
