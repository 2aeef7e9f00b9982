//! The tet term: linear tetrahedra of any isotropic law.
//!
//! ```text
//! F = Ds Dm⁻¹ = Σ_c x_c g_cᵀ,      E = V Ψ(F),      ∂E/∂x_c = V P(F) g_c
//! ```
//!
//! Ds has the edges x₁−x₀, x₂−x₀, x₃−x₀ as columns, g_c is row c of Dm⁻¹ for corners 1-3 and minus their sum
//! for corner 0. Elements are stored four to a block, a number of all four side by side, so that one SIMD
//! register computes the elements of a block, or of two.

mod constrained;
#[cfg(test)]
pub(crate) mod paths;
mod proximal;

use super::constraint::{Batch, Changes, Constraints, Corners, Form, Sweep};
use super::law::{CONSTANTS, Law};
use super::materials::arap::Arap;
use super::packing::{self, Properties};
use super::proximal::Proximal;
use super::vertex::{
    self, Continuum, Expand, Expansion, Measure, Memory, Points, Rest, Star, Vertexwise, take,
};
use super::{CHUNK, ElementState, Energy, hessian};
use crate::math::lanes::{Kernel, Lane, Number, Vec4, WIDTH, WideKernel, dispatch, dispatch_wide};
use crate::math::mat3::{self, Mat3};
use crate::math::prefetch::{AHEAD, prefetch};
use constrained::{Constrain, Project};

/// Rest geometry of tets.
#[derive(Clone, Debug, Default)]
pub struct TetElements {
    /// Vertices of each tet.
    pub corners: Vec<[u32; 4]>,
    /// Dm⁻¹, row major.
    pub inverse: Vec<[[f64; 3]; 3]>,
    /// Rest volume in m³.
    pub volume: Vec<f64>,
}

impl TetElements {
    /// From rest positions; every tet must have positive volume.
    pub fn new(corners: Vec<[u32; 4]>, rest: &[[f64; 3]]) -> TetElements {
        let mut elements = TetElements { corners, ..Default::default() };
        for tet in &elements.corners {
            let [p, q, r, s] = tet.map(|v| rest[v as usize]);
            let edge = |a: [f64; 3]| [a[0] - p[0], a[1] - p[1], a[2] - p[2]];
            let (a, b, c) = (edge(q), edge(r), edge(s));
            let cross = |a: [f64; 3], b: [f64; 3]| {
                [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
            };
            let rows = [cross(b, c), cross(c, a), cross(a, b)];
            let det = a[0] * rows[0][0] + a[1] * rows[0][1] + a[2] * rows[0][2];
            elements.inverse.push(rows.map(|row| row.map(|x| x / det)));
            elements.volume.push(det / 6.0);
        }
        elements
    }

    /// The gradients g_c of the four corners.
    pub fn gradients(&self, index: usize) -> [[f64; 3]; 4] {
        let m = self.inverse[index];
        let first = std::array::from_fn(|j| -(m[0][j] + m[1][j] + m[2][j]));
        [first, m[0], m[1], m[2]]
    }
}

/// Four tets.
#[derive(Clone)]
#[repr(C, align(32))]
struct Block {
    inverse: [[[f64; WIDTH]; 3]; 3],
    volume: [f64; WIDTH],
    constants: [[f64; WIDTH]; CONSTANTS],
    stiffness: [f64; WIDTH],
    corners: [[u32; WIDTH]; 4],
}

const BLANK: Block = Block {
    inverse: [[[0.0; WIDTH]; 3]; 3],
    volume: [0.0; WIDTH],
    constants: [[0.0; WIDTH]; CONSTANTS],
    stiffness: [0.0; WIDTH],
    corners: [[0; WIDTH]; 4],
};

/// Tets of one law.
pub struct TetTerm<W> {
    name: String,
    law: W,
    /// The law that constraints stand for.
    constrained: W,
    elements: TetElements,
    properties: Properties,
    blocks: Vec<Block>,
}

impl<W: Law> TetTerm<W> {
    /// `properties` has an entry for each element.
    pub fn new(name: String, law: W, elements: TetElements, properties: Properties) -> Self {
        let blocks = packing::blocks(elements.corners.len(), &BLANK, |block, lane, e, is_real| {
            for i in 0..3 {
                for j in 0..3 {
                    block.inverse[i][j][lane] = elements.inverse[e][i][j];
                }
                block.constants[i][lane] = properties.constants[e][i];
            }
            for c in 0..4 {
                block.corners[c][lane] = elements.corners[e][c];
            }
            block.stiffness[lane] = properties.stiffness[e];
            // Padding has no volume.
            block.volume[lane] = if is_real { elements.volume[e] } else { 0.0 };
        });
        TetTerm { name, constrained: law.without_barrier(), law, elements, properties, blocks }
    }

    fn chunk_blocks(&self, chunk: usize) -> &[Block] {
        let blocks = CHUNK / WIDTH;
        &self.blocks[chunk * blocks..self.blocks.len().min((chunk + 1) * blocks)]
    }

    fn deformation(&self, element: usize, x: &[Vec4]) -> [[f64; 3]; 3] {
        let g = self.elements.gradients(element);
        let mut f = [[0.0; 3]; 3];
        for (c, v) in self.elements.corners[element].iter().enumerate() {
            for i in 0..3 {
                for j in 0..3 {
                    f[i][j] += x[*v as usize].0[i] * g[c][j];
                }
            }
        }
        f
    }
}

/// Some consecutive blocks: the first and the last, which are the same where there is but one.
type Blocks<'a> = [&'a Block; 2];

/// F of the tets of some blocks, and Dm⁻¹.
#[inline(always)]
fn gradient<L: Number>([first, last]: Blocks, x: &[Vec4]) -> (Mat3<L>, Mat3<L>) {
    let p = L::gather_blocks(x, &first.corners[0], &last.corners[0]);
    let q = L::gather_blocks(x, &first.corners[1], &last.corners[1]);
    let r = L::gather_blocks(x, &first.corners[2], &last.corners[2]);
    let s = L::gather_blocks(x, &first.corners[3], &last.corners[3]);
    let mut edges = mat3::zero();
    for i in 0..3 {
        edges[i] = [q[i] - p[i], r[i] - p[i], s[i] - p[i]];
    }
    let inverse = inverse::<L>([first, last]);
    (mat3::mul(&edges, &inverse), inverse)
}

#[inline(always)]
fn constants<L: Number>([first, last]: Blocks) -> [L; CONSTANTS] {
    let (a, b) = (&first.constants, &last.constants);
    [L::load_blocks(&a[0], &b[0]), L::load_blocks(&a[1], &b[1]), L::load_blocks(&a[2], &b[2])]
}

#[inline(always)]
fn inverse<L: Number>([first, last]: Blocks) -> Mat3<L> {
    let mut inverse = mat3::zero();
    for i in 0..3 {
        for j in 0..3 {
            inverse[i][j] = L::load_blocks(&first.inverse[i][j], &last.inverse[i][j]);
        }
    }
    inverse
}

/// `slots ← M g_c` of the tets of some blocks.
#[inline(always)]
fn scatter<L: Number>(m: &Mat3<L>, inverse: &Mat3<L>, slots: &mut [Vec4]) {
    let h = mat3::mul_transpose(m, inverse);
    L::scatter_blocks([h[0][0], h[1][0], h[2][0]], &mut slots[1..], 4);
    L::scatter_blocks([h[0][1], h[1][1], h[2][1]], &mut slots[2..], 4);
    L::scatter_blocks([h[0][2], h[1][2], h[2][2]], &mut slots[3..], 4);
    let first =
        [-(h[0][0] + h[0][1] + h[0][2]), -(h[1][0] + h[1][1] + h[1][2]), -(h[2][0] + h[2][1] + h[2][2])];
    L::scatter_blocks(first, slots, 4);
}

struct Evaluate<'a, W> {
    law: &'a W,
    /// With the blocks' stiffness in place of their constants.
    projective: bool,
    blocks: &'a [Block],
    x: &'a [Vec4],
    slots: &'a mut [Vec4],
}

impl<W: Law> WideKernel for Evaluate<'_, W> {
    type Output = f64;
    const INTERLEAVED: bool = W::INTERLEAVED;

    #[inline(always)]
    fn run<L: Number>(self) -> f64 {
        let (zero, mut sum) = (L::splat(0.0), L::Block::splat(0.0));
        let slots = self.slots.chunks_exact_mut(4 * WIDTH * L::BLOCKS);
        for (blocks, slots) in self.blocks.chunks_exact(L::BLOCKS).zip(slots) {
            prefetch(blocks, AHEAD);
            let (first, last) = (&blocks[0], &blocks[L::BLOCKS - 1]);
            let (f, inverse) = gradient::<L>([first, last], self.x);
            let constants = match self.projective {
                true => [L::load_blocks(&first.stiffness, &last.stiffness), zero, zero],
                false => constants([first, last]),
            };
            let (psi, stress) = self.law.density_and_stress(&f, &constants);
            let volume = L::load_blocks(&first.volume, &last.volume);
            let energy = L::select(zero.lt(volume), volume * psi, zero);
            sum = energy.added_to(sum);
            scatter(&mat3::scale(volume, &stress), &inverse, slots);
        }
        let s = sum.to_array();
        (s[0] + s[1]) + (s[2] + s[3])
    }
}

struct Volumes<'a> {
    blocks: &'a [Block],
    x: &'a [Vec4],
}

impl Kernel for Volumes<'_> {
    type Output = (f64, usize);

    #[inline(always)]
    fn run<L: Lane>(self) -> (f64, usize) {
        let zero = L::splat(0.0);
        let (mut lowest, mut inverted) = (L::splat(f64::INFINITY), zero);
        for block in self.blocks {
            let (f, _) = gradient::<L>([block, block], self.x);
            let det = mat3::determinant(&f, &mat3::cofactor(&f));
            // Padding repeats an element: harmless for the minimum, masked in the count.
            lowest = det.min(lowest);
            let one = L::select(zero.lt(L::load(&block.volume)), L::splat(1.0), zero);
            inverted = inverted + L::select(det.lt(zero), one, zero);
        }
        let (l, n) = (lowest.to_array(), inverted.to_array());
        (l[0].min(l[1]).min(l[2].min(l[3])), (n[0] + n[1] + n[2] + n[3]) as usize)
    }
}

/// Von Mises norm of the Cauchy stress, from the Kirchhoff stress P Fᵀ, which is J times it, and J.
#[inline(always)]
pub(super) fn von_mises<L: Lane>(t: &Mat3<L>, det: L) -> L {
    let (d0, d1, d2) = (t[0][0] - t[1][1], t[1][1] - t[2][2], t[2][2] - t[0][0]);
    let shear = t[0][1] * t[0][1] + t[1][2] * t[1][2] + t[2][0] * t[2][0];
    let square = L::splat(0.5) * (d0 * d0 + d1 * d1 + d2 * d2) + L::splat(3.0) * shear;
    square.sqrt() / det.abs().max(L::splat(1e-12))
}

struct Inspect<'a, W> {
    law: &'a W,
    blocks: &'a [Block],
    x: &'a [Vec4],
    states: &'a mut [ElementState],
}

impl<W: Law> Kernel for Inspect<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        for (block, states) in self.blocks.iter().zip(self.states.chunks_mut(WIDTH)) {
            let (f, _) = gradient::<L>([block, block], self.x);
            let (psi, stress) = self.law.density_and_stress(&f, &constants([block, block]));
            let det = mat3::determinant(&f, &mat3::cofactor(&f));
            let mises = von_mises(&mat3::mul_transpose(&stress, &f), det);
            let (psi, mises, det) = (psi.to_array(), mises.to_array(), det.to_array());
            for (lane, state) in states.iter_mut().enumerate() {
                *state = ElementState { energy_density: psi[lane], von_mises: mises[lane], det_f: det[lane] };
            }
        }
    }
}

impl<W: Law> Energy for TetTerm<W> {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn len(&self) -> usize {
        self.elements.corners.len()
    }

    fn corners(&self) -> usize {
        4
    }

    fn slots(&self) -> usize {
        self.blocks.len() * WIDTH * 4
    }

    fn element(&self, index: usize) -> &[u32] {
        &self.elements.corners[index]
    }

    fn evaluate(&self, chunk: usize, x: &[Vec4], slots: &mut [Vec4]) -> f64 {
        dispatch_wide(Evaluate {
            law: &self.law,
            projective: false,
            blocks: self.chunk_blocks(chunk),
            x,
            slots,
        })
    }

    fn evaluate_projective(&self, chunk: usize, x: &[Vec4], slots: &mut [Vec4]) -> f64 {
        dispatch_wide(Evaluate { law: &Arap, projective: true, blocks: self.chunk_blocks(chunk), x, slots })
    }

    fn add_system(&self, add: &mut dyn FnMut(u32, u32, f64)) {
        for (e, corners) in self.elements.corners.iter().enumerate() {
            let g = self.elements.gradients(e);
            let weight = self.elements.volume[e] * self.properties.stiffness[e];
            for i in 0..4 {
                for j in 0..4 {
                    let dot = g[i][0] * g[j][0] + g[i][1] * g[j][1] + g[i][2] * g[j][2];
                    add(corners[i], corners[j], weight * dot);
                }
            }
        }
    }

    fn hash_system(&self, hasher: &mut blake3::Hasher) {
        hasher.update(b"tets");
        hasher.update(&(self.len() as u64).to_le_bytes());
        hasher.update(bytemuck::cast_slice(&self.properties.stiffness));
        hasher.update(bytemuck::cast_slice(&self.elements.corners));
        hasher.update(bytemuck::cast_slice(self.elements.inverse.as_flattened()));
        hasher.update(bytemuck::cast_slice(&self.elements.volume));
    }

    fn is_projective(&self) -> bool {
        self.law.is_projective()
    }

    fn proximal(&self) -> Option<&dyn Proximal> {
        Some(self)
    }

    fn vertexwise(&self) -> Option<&dyn Vertexwise> {
        Some(self)
    }

    fn scale(&self) -> f64 {
        self.elements.volume.iter().zip(&self.properties.stiffness).map(|(v, k)| v * k).sum()
    }

    fn hessian(&self, element: usize, x: &[Vec4], project: bool, out: &mut [f64]) {
        let f = self.deformation(element, x);
        let g = self.elements.gradients(element);
        out.fill(0.0);
        for (value, mode) in hessian::modes(&self.law, &f, &self.properties.constants[element], project) {
            let weight = value * self.elements.volume[element];
            let mut direction = [0.0; 12];
            for c in 0..4 {
                for i in 0..3 {
                    direction[3 * c + i] = mode[i][0] * g[c][0] + mode[i][1] * g[c][1] + mode[i][2] * g[c][2];
                }
            }
            for i in 0..12 {
                for j in 0..12 {
                    out[12 * i + j] += weight * direction[i] * direction[j];
                }
            }
        }
    }

    fn constraints(&self, form: Form) -> usize {
        self.properties.constraints(&self.constrained, form)
    }

    fn constrain(
        &self,
        form: Form,
        index: usize,
        elements: &[u32; WIDTH],
        x: &Corners,
        out: &mut Constraints,
    ) {
        dispatch(Constrain { term: self, form, index, elements, x, out });
    }

    fn packed(&self, elements: &[u32; WIDTH]) -> Vec<[f64; WIDTH]> {
        constrained::packed(self, elements)
    }

    fn project(
        &self,
        sweep: &Sweep,
        batches: &mut [Batch],
        numbers: &[[f64; WIDTH]],
        x: &[Vec4],
        changes: &mut [Changes],
    ) {
        dispatch_wide(Project { term: self, sweep, batches, numbers, x, changes });
    }

    fn has_barrier(&self) -> bool {
        self.law.has_barrier()
    }

    fn volumes(&self, chunk: usize, x: &[Vec4]) -> Option<(f64, usize)> {
        Some(dispatch(Volumes { blocks: self.chunk_blocks(chunk), x }))
    }

    fn inspect(&self, chunk: usize, x: &[Vec4], states: &mut [ElementState]) -> bool {
        dispatch(Inspect { law: &self.law, blocks: self.chunk_blocks(chunk), x, states });
        true
    }
}

impl<W: Law> Continuum for TetTerm<W> {
    type Law = W;

    const OTHERS: usize = 3;

    fn law(&self) -> &W {
        &self.law
    }

    fn rest(&self, element: usize) -> Rest {
        Rest {
            gradients: self.elements.gradients(element),
            volume: self.elements.volume[element],
            constants: self.properties.constants[element],
        }
    }
}

impl<W: Law> Vertexwise for TetTerm<W> {
    fn numbers(&self, rows: &[[u32; WIDTH]]) -> Vec<[f64; WIDTH]> {
        vertex::numbers(self, rows)
    }

    fn vertex_block(&self, star: &Star, x: &[Vec4], at: &Points, memory: &mut Memory, out: &mut Expansion) {
        dispatch(Expand { term: self, star, x, at, memory, out });
    }

    fn vertex_energy(
        &self,
        star: &Star,
        shift: &Points,
        memory: &mut &[[f64; WIDTH]],
        out: &mut [f64; WIDTH],
    ) {
        let memory = take(memory, 9 * star.rows.len());
        dispatch(Measure { term: self, star, shift, memory, out });
    }
}
