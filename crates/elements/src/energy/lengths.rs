//! The length term: lengths of linear combinations of positions, kept within bounds.
//!
//! ```text
//! z = Σ_c w_c x_c,      E = κ/2 (|z| − ℓ)²,      ℓ = |z| clamped to [shortest, longest]
//! ```
//!
//! One kernel serves many terms, by the choice of weights and bounds:
//!
//! | term | z | bounds |
//! |---|---|---|
//! | spring, rod | x_b − x_a | [l, l] |
//! | rope | x_b − x_a | [0, l] |
//! | fibre | F d | [1, 1] |
//! | strain limit of a warp or weft direction | F d | [min, max] |
//! | bending (see `bending`) | curvature or fold | [0, 0], or their rest value |
//!
//! The term is projective: p = ℓ z/|z| is the nearest allowed vector, and κ is the weight in the system matrix. Where
//! the bounds are [0, 0] the energy is quadratic and its Hessian is exactly its part of the system matrix.
//!
//! As a constraint it is |z| within its bounds, with α = 1/κ, or α = 0 for rods and ropes. Where the bounds are [0, 0],
//! each coordinate of z is a constraint of its own: these are linear and have a gradient even at z = 0.

mod vertex;

use super::constraint::{Compliant, Constraints, Corners, Form};
use super::proximal::{self, Proximal, Row};
use super::scaling::Scaling;
use super::vertex::{Expanding, Vertexwise};
use super::{CHUNK, ElementState, Energy, packing};
use crate::math::lanes::{Kernel, Lane, Vec4, WIDTH, dispatch};
use crate::math::vec3::norm;

/// The largest number of corners that an element has.
pub const CORNERS: usize = 6;

/// A z that is shorter than this part of its greatest length counts as collapsed: turning it costs nothing.
const COLLAPSED: f64 = 1e-9;

/// One element: a length |z| with its bounds and its stiffness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Length {
    /// The vertices; unused corners repeat the first vertex with weight 0.
    pub vertices: [u32; CORNERS],
    /// The weights w_c of the vertices; their sum is 0.
    pub weights: [f64; CORNERS],
    /// The stiffness κ in N/m, or in J if z is dimensionless.
    pub stiffness: f64,
    /// The lower bound of |z|.
    pub shortest: f64,
    /// The upper bound of |z|.
    pub longest: f64,
}

impl Length {
    /// A spring between two vertices.
    pub fn spring(a: u32, b: u32, stiffness: f64, shortest: f64, longest: f64) -> Length {
        Length::new(&[(a, -1.0), (b, 1.0)], stiffness, shortest, longest)
    }

    /// An element of at most [`CORNERS`] vertices with their weights.
    pub fn new(corners: &[(u32, f64)], stiffness: f64, shortest: f64, longest: f64) -> Length {
        let mut vertices = [corners[0].0; CORNERS];
        let mut weights = [0.0; CORNERS];
        for (c, (vertex, weight)) in corners.iter().enumerate() {
            (vertices[c], weights[c]) = (*vertex, *weight);
        }
        Length { vertices, weights, stiffness, shortest, longest }
    }

    /// z at the positions `x`.
    pub(super) fn combine(&self, x: &[Vec4]) -> [f64; 3] {
        let mut z = [0.0; 3];
        for (v, w) in self.vertices.iter().zip(self.weights) {
            let x = x[*v as usize].0;
            z = [z[0] + w * x[0], z[1] + w * x[1], z[2] + w * x[2]];
        }
        z
    }

    /// z with one of the first `corners` corners moved to `at`.
    pub(super) fn combine_at(&self, corners: usize, corner: usize, x: &[Vec4], at: [f64; 3]) -> [f64; 3] {
        let mut z = [0.0; 3];
        for c in 0..corners {
            let (w, x) = (self.weights[c], if c == corner { at } else { x[self.vertices[c] as usize].xyz() });
            z = [z[0] + w * x[0], z[1] + w * x[1], z[2] + w * x[2]];
        }
        z
    }

    /// The energy at z, with κ (|z| − ℓ) and |z|.
    fn energy(&self, z: [f64; 3]) -> (f64, f64, f64) {
        let length = norm(z);
        let excess = length - length.max(self.shortest).min(self.longest);
        (0.5 * self.stiffness * excess * excess, self.stiffness * excess, length)
    }

    /// κ wᵢ wⱼ between the first `corners` corners.
    pub(super) fn system(&self, corners: usize, out: &mut [f64]) {
        for (k, out) in out.iter_mut().enumerate() {
            *out = self.stiffness * self.weights[k / corners] * self.weights[k % corners];
        }
    }

    /// Writes Dᵀz: `slots[c] = w_c z`.
    pub(super) fn pull_back(&self, z: &[f64], slots: &mut [Vec4]) {
        for (slot, weight) in slots.iter_mut().zip(self.weights) {
            *slot = Vec4::new([weight * z[0], weight * z[1], weight * z[2]]);
        }
    }
}

/// Four elements side by side, as the kernels read them.
#[derive(Clone)]
#[repr(C, align(32))]
struct Block {
    weights: [[f64; WIDTH]; CORNERS],
    stiffness: [f64; WIDTH],
    shortest: [f64; WIDTH],
    longest: [f64; WIDTH],
    vertices: [[u32; WIDTH]; CORNERS],
}

/// The length term of all elements of one kind.
pub struct LengthTerm {
    name: String,
    corners: usize,
    elements: Vec<Length>,
    blocks: Vec<Block>,
    section: Option<f64>,
    hard: bool,
    scaling: Scaling,
}

impl LengthTerm {
    /// Makes the term of `elements`, which use only their first `corners` corners.
    pub fn new(name: String, corners: usize, elements: Vec<Length>) -> LengthTerm {
        let blank = Block {
            weights: [[0.0; WIDTH]; CORNERS],
            stiffness: [0.0; WIDTH],
            shortest: [0.0; WIDTH],
            longest: [0.0; WIDTH],
            vertices: [[0; WIDTH]; CORNERS],
        };
        let blocks = packing::blocks(elements.len(), &blank, |block, lane, e, is_real| {
            let e = &elements[e];
            for c in 0..CORNERS {
                block.weights[c][lane] = e.weights[c];
                block.vertices[c][lane] = e.vertices[c];
            }
            block.stiffness[lane] = if is_real { e.stiffness } else { 0.0 };
            block.shortest[lane] = e.shortest;
            block.longest[lane] = e.longest;
        });
        LengthTerm {
            name,
            corners,
            elements,
            blocks,
            section: None,
            hard: false,
            scaling: Scaling::default(),
        }
    }

    /// Declares that the elements are edges of the cross-section A (m²) and of the rest length `longest`. They then
    /// have a volume, an energy density, and a stress along the edge, κ (|z| − ℓ)/A.
    pub fn with_section(mut self, section: f64) -> LengthTerm {
        self.section = Some(section);
        self
    }

    /// Declares that the bounds are hard: solvers that can do so keep them exactly, the others treat
    /// them as stiff springs.
    pub fn hard(mut self) -> LengthTerm {
        self.hard = true;
        self
    }
}

struct Evaluate<'a> {
    corners: usize,
    blocks: &'a [Block],
    x: &'a [Vec4],
    slots: &'a mut [Vec4],
}

impl Kernel for Evaluate<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lane>(self) -> f64 {
        let zero = L::splat(0.0);
        let mut sum = zero;
        let n = self.corners;
        for (block, slots) in self.blocks.iter().zip(self.slots.chunks_exact_mut(n * WIDTH)) {
            let mut z = [zero; 3];
            for c in 0..n {
                let x = L::gather(self.x, &block.vertices[c]);
                let w = L::load(&block.weights[c]);
                z = [z[0] + w * x[0], z[1] + w * x[1], z[2] + w * x[2]];
            }
            let length = (z[0] * z[0] + z[1] * z[1] + z[2] * z[2]).sqrt();
            let wanted = length.max(L::load(&block.shortest)).min(L::load(&block.longest));
            let excess = length - wanted;
            let stiffness = L::load(&block.stiffness);
            sum = sum + L::splat(0.5) * stiffness * excess * excess;
            // The force is κ (1 − ℓ/|z|) z; a vanishing z has no direction and so no force.
            let safe = L::splat(1e-300).lt(length);
            let factor = L::select(safe, stiffness * excess / L::select(safe, length, L::splat(1.0)), zero);
            for c in 0..n {
                let w = L::load(&block.weights[c]) * factor;
                L::scatter([w * z[0], w * z[1], w * z[2]], &mut slots[c..], n);
            }
        }
        let s = sum.to_array();
        (s[0] + s[1]) + (s[2] + s[3])
    }
}

impl Energy for LengthTerm {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn len(&self) -> usize {
        self.elements.len()
    }

    fn corners(&self) -> usize {
        self.corners
    }

    fn slots(&self) -> usize {
        self.blocks.len() * WIDTH * self.corners
    }

    fn element(&self, index: usize) -> &[u32] {
        &self.elements[index].vertices[..self.corners]
    }

    fn evaluate(&self, chunk: usize, x: &[Vec4], slots: &mut [Vec4]) -> f64 {
        let blocks = CHUNK / WIDTH;
        let blocks = &self.blocks[chunk * blocks..self.blocks.len().min((chunk + 1) * blocks)];
        dispatch(Evaluate { corners: self.corners, blocks, x, slots })
    }

    fn element_system(&self, element: usize, out: &mut [f64]) {
        self.elements[element].system(self.corners, out);
    }

    fn hash_system(&self, hasher: &mut blake3::Hasher) {
        hasher.update(b"lengths");
        hash_lengths(&self.elements, self.corners, hasher);
    }

    fn is_projective(&self) -> bool {
        true
    }

    fn proximal(&self) -> Option<&dyn Proximal> {
        Some(self)
    }

    fn compliant(&self) -> Option<&dyn Compliant> {
        Some(self)
    }

    fn vertexwise(&self) -> Option<&dyn Vertexwise> {
        Some(self)
    }

    fn expanding(&self) -> Option<&dyn Expanding> {
        Some(self)
    }

    fn rescale(&mut self, factor: f64) -> bool {
        let stiffness = self.scaling.set(factor, || self.elements.iter().map(|e| e.stiffness).collect());
        for (e, value) in stiffness.into_iter().flatten().enumerate() {
            self.elements[e].stiffness = value;
            self.blocks[e / WIDTH].stiffness[e % WIDTH] = value;
        }
        true
    }

    /// The energy in J of a strain of order one. Rounding is relative to it, as |z| − ℓ cancels near rest.
    fn scale(&self) -> f64 {
        self.elements.iter().map(|e| e.stiffness * e.longest * e.longest).sum()
    }

    fn inspect(&self, chunk: usize, x: &[Vec4], states: &mut [ElementState]) -> bool {
        let Some(section) = self.section else { return false };
        for (state, e) in states.iter_mut().zip(&self.elements[chunk * CHUNK..]) {
            let length = norm(e.combine(x));
            let excess = length - length.max(e.shortest).min(e.longest);
            *state = ElementState {
                energy_density: 0.5 * e.stiffness * excess * excess / (section * e.longest),
                von_mises: e.stiffness * excess.abs() / section,
                det_f: length / e.longest,
            };
        }
        true
    }

    fn hessian(&self, element: usize, x: &[Vec4], project: bool, out: &mut [f64]) {
        let e = &self.elements[element];
        let block = direction_block(e, e.combine(x), project);
        let n = 3 * self.corners;
        for i in 0..n {
            for j in 0..n {
                out[n * i + j] = e.weights[i / 3] * e.weights[j / 3] * block[i % 3][j % 3];
            }
        }
    }
}

impl Compliant for LengthTerm {
    fn constraints(&self, _form: Form) -> usize {
        if self.elements.iter().any(|e| e.longest == 0.0) { 3 } else { 1 }
    }

    fn constrain(
        &self,
        _form: Form,
        index: usize,
        elements: &[u32; WIDTH],
        x: &Corners,
        out: &mut Constraints,
    ) {
        for (lane, e) in elements.iter().enumerate() {
            let e = &self.elements[*e as usize];
            let z: [f64; 3] =
                std::array::from_fn(|k| (0..self.corners).map(|c| e.weights[c] * x[c][k][lane]).sum());
            let length = norm(z);
            let (value, direction, bounds) = if e.longest == 0.0 {
                (z[index], std::array::from_fn(|k| f64::from(k == index)), [0.0; 2])
            } else if index == 0 && length > 1e-150 {
                (length, z.map(|z| z / length), [e.shortest, e.longest])
            } else {
                (0.0, [0.0; 3], [0.0; 2])
            };
            out.value[lane] = value;
            out.bounds[0][lane] = bounds[0];
            out.bounds[1][lane] = bounds[1];
            out.compliance[lane] = if self.hard { 0.0 } else { 1.0 / e.stiffness };
            for c in 0..self.corners {
                for k in 0..3 {
                    out.gradient[c][k][lane] = e.weights[c] * direction[k];
                }
            }
        }
    }
}

impl Proximal for LengthTerm {
    fn reduced(&self) -> usize {
        3
    }

    fn is_hard(&self) -> bool {
        self.hard
    }

    fn weight(&self, element: usize) -> f64 {
        self.elements[element].stiffness
    }

    fn reduce(&self, block: usize, x: &[Vec4], z: &mut [Row]) {
        proximal::each(block, self.elements.len(), z, |e, z| z.copy_from_slice(&self.elements[e].combine(x)));
    }

    fn pull_back(&self, block: usize, z: &[Row], slots: &mut [Vec4]) {
        proximal::each_slots(block, [self.elements.len(), self.corners], z, slots, |e, z, slots| {
            self.elements[e].pull_back(z, slots);
        });
    }

    /// (r z̃ + p)/(r + 1) with the projection p, or p itself. A vanishing z̃ that must have a length gets it along x.
    fn prox(&self, block: usize, ratio: f64, z: &mut [Row]) {
        proximal::each(block, self.elements.len(), z, |element, z| {
            let e = &self.elements[element];
            let length = norm([z[0], z[1], z[2]]);
            let nearest = length.max(e.shortest).min(e.longest);
            let wanted = if self.hard { nearest } else { (ratio * length + nearest) / (ratio + 1.0) };
            if length > 1e-150 {
                z.iter_mut().for_each(|z| *z *= wanted / length);
            } else {
                z.copy_from_slice(&[wanted, 0.0, 0.0]);
            }
        });
    }
}

/// Feeds a hash with all numbers that [`Length::system`] depends on.
pub(super) fn hash_lengths(elements: &[Length], corners: usize, hasher: &mut blake3::Hasher) {
    hasher.update(&(elements.len() as u64).to_le_bytes());
    for e in elements {
        hasher.update(bytemuck::cast_slice(&e.vertices[..corners]));
        hasher.update(bytemuck::cast_slice(&e.weights[..corners]));
        hasher.update(&e.stiffness.to_le_bytes());
    }
}

/// κ (u uᵀ + (1 − ℓ/|z|)(I − u uᵀ)), u = z/|z|; zero between the bounds, and clamped when `project`.
fn direction_block(e: &Length, z: [f64; 3], project: bool) -> [[f64; 3]; 3] {
    let length = norm(z);
    let wanted = length.max(e.shortest).min(e.longest);
    if length == wanted && e.shortest < e.longest {
        return [[0.0; 3]; 3];
    }
    let safe = length.max(1e-150);
    let mut across = if e.longest == 0.0 { 1.0 } else { 1.0 - wanted / safe };
    if project {
        across = across.max(0.0);
    }
    let mut block = [[0.0; 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            let along = z[i] * z[j] / (safe * safe);
            block[i][j] = e.stiffness * (along + across * (f64::from(i == j) - along));
        }
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy::checks::{check_constraints, check_rescaling, check_term, random};

    #[test]
    fn every_kind_passes_the_generic_check() {
        let mut r = random(4);
        let x: Vec<Vec4> = (0..6).map(|_| Vec4::new([r(), r(), r()])).collect();
        let hinge = |shortest: f64, longest: f64| {
            Length::new(&[(0, 0.7), (2, -1.1), (3, 0.9), (5, -0.5)], 2.0, shortest, longest)
        };
        let springs = vec![
            Length::spring(0, 1, 3.0, 0.2, 0.2),
            Length::spring(1, 2, 3.0, 5.0, 5.0),
            Length::spring(2, 3, 1.0, 0.0, 0.1),
            Length::spring(3, 4, 1.0, 0.0, 9.0),
            Length::spring(4, 5, 2.0, 0.1, 9.0),
        ];
        let mut springs = LengthTerm::new("springs".into(), 2, springs);
        check_term(&springs, &x, 1e-7);
        check_rescaling(&mut springs, &x);
        check_constraints(&springs, &x);
        proximal::checks::check_term(&springs, &x);
        let hinges = vec![hinge(0.0, 0.0), hinge(0.3, 0.3), hinge(0.1, 0.2)];
        let hinges = LengthTerm::new("hinges".into(), 4, hinges);
        check_term(&hinges, &x, 1e-7);
        proximal::checks::check_term(&hinges, &x);
        check_constraints(&hinges, &x);
    }

    #[test]
    fn hard_bounds_are_kept_by_the_nearest_vector() {
        let elements = [(2.0, 2.0), (0.0, 2.0), (0.0, 9.0)].map(|(s, l)| Length::spring(0, 1, 3.0, s, l));
        let term = LengthTerm::new("ropes".into(), 2, elements.to_vec()).hard();
        let mut z = [[0.0; 4], [3.0; 4], [4.0; 4]];
        term.prox(0, 0.7, &mut z);
        for (lane, want) in [[0.0, 1.2, 1.6], [0.0, 1.2, 1.6], [0.0, 3.0, 4.0]].into_iter().enumerate() {
            assert!((0..3).all(|k| (z[k][lane] - want[k]).abs() < 1e-15), "{z:?}");
        }
        let mut z = [[0.0; 4]; 3];
        term.prox(0, 0.7, &mut z);
        assert!(norm(z.map(|row| row[0])) == 2.0 && z.iter().all(|row| row[1..] == [0.0; 3]), "{z:?}");
    }

    #[test]
    fn edges_of_a_section_have_energy_and_stress_per_volume() {
        // E = 500, A = 0.02, l = 2: one edge stretched by a quarter, a rope and a spring at half
        // length, one collapsed edge.
        let (young, section, rest) = (500.0, 0.02, 2.0);
        let ends = [2.5, 1.0, 1.0, 0.0];
        let x: Vec<Vec4> = ends.iter().chain([&0.0]).map(|l| Vec4::new([0.0, 0.6 * l, 0.8 * l])).collect();
        let edge = |end, shortest| Length::spring(4, end, young * section / rest, shortest, rest);
        let edges = vec![edge(0, 0.0), edge(1, 0.0), edge(2, rest), edge(3, rest)];
        let term = LengthTerm::new("edges".into(), 2, edges);
        let mut states = vec![ElementState::default(); 4];
        assert!(!term.inspect(0, &x, &mut states), "without a section there is no volume");
        let term = term.with_section(section);
        assert!(term.inspect(0, &x, &mut states));
        for (state, (strain, ratio)) in
            states.iter().zip([(0.25, 1.25), (0.0, 0.5), (-0.5, 0.5), (-1.0f64, 0.0f64)])
        {
            assert!((state.energy_density - 0.5 * young * strain * strain).abs() < 1e-9, "{state:?}");
            assert!((state.von_mises - young * strain.abs()).abs() < 1e-9, "{state:?}");
            assert!((state.det_f - ratio).abs() < 1e-12, "{state:?}");
        }
        assert!((term.scale() - young * 4.0 * section * rest).abs() < 1e-9);
        let mut slots = vec![Vec4::ZERO; term.slots()];
        let total: f64 = states.iter().map(|s| s.energy_density * section * rest).sum();
        assert!((term.evaluate(0, &x, &mut slots) - total).abs() < 1e-9);
    }

    #[test]
    fn a_collapsed_spring_is_finite() {
        let term = LengthTerm::new("springs".into(), 2, vec![Length::spring(0, 1, 3.0, 1.0, 1.0)]);
        let mut slots = vec![Vec4::new([9.0; 3]); term.slots()];
        let energy = term.evaluate(0, &[Vec4::ZERO; 2], &mut slots);
        assert_eq!(energy, 1.5);
        assert!(slots.iter().flat_map(|s| s.0).all(|c| c == 0.0));
    }
}
