//! The triangle term: membranes and cloth of any isotropic law.
//!
//! ```text
//! F₂ = [x₁−x₀, x₂−x₀] Dm⁻¹  (3×2),      F = [F₂ n],  n the unit normal of F₂,      E = A t Ψ(F)
//! ∂E/∂x_c = A t P₂ g_c,      P₂ the first two columns of P(F)
//! ```
//!
//! The third stretch of F is 1 and its direction is n, so Ψ(F) is the law on the two stretches of the sheet, and
//! since P n ∥ n while dn ⟂ n, the motion of the normal adds nothing to the gradient. Every law of the solids
//! serves as it is; `young`/`poisson` are converted for plane stress by the caller.
//!
//! The Hessian has six eigenmatrices: those of the plane (see `hessian`) and, out of it, n vᵢᵀ with Ψᵢ/σᵢ.

mod proximal;
mod vertex;

use super::constraint::{Constraints, Corners, Form};
use super::law::{self, CONSTANTS, Law};
use super::packing::{self, Properties};
use super::proximal::Proximal;
use super::tets::von_mises;
use super::vertex::Vertexwise;
use super::{CHUNK, ElementState, Energy, hessian};
use crate::math::lanes::{Kernel, Lane, Number, Vec4, WIDTH, WideKernel, dispatch, dispatch_wide};
use crate::math::mat3::{self, Mat3};
use crate::math::prefetch::{AHEAD, prefetch};
use crate::math::single::Single;
use crate::math::svd;

/// Rest geometry of triangles.
#[derive(Clone, Debug, Default)]
pub struct TriangleElements {
    /// Vertices of each triangle.
    pub corners: Vec<[u32; 3]>,
    /// Dm⁻¹, row major, in a plane of the triangle whose first axis is its first edge.
    pub inverse: Vec<[[f64; 2]; 2]>,
    /// Rest area times thickness in m³.
    pub volume: Vec<f64>,
}

impl TriangleElements {
    /// From rest positions and the thickness of each triangle in m; every triangle must have an area.
    pub fn new(corners: Vec<[u32; 3]>, rest: &[[f64; 3]], thickness: &[f64]) -> TriangleElements {
        let mut elements = TriangleElements { corners, ..Default::default() };
        for (triangle, thickness) in elements.corners.iter().zip(thickness) {
            let [p, q, r] = triangle.map(|v| rest[v as usize]);
            let edge = |a: [f64; 3]| [a[0] - p[0], a[1] - p[1], a[2] - p[2]];
            let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
            let (a, b) = (edge(q), edge(r));
            let length = dot(a, a).sqrt();
            let along = dot(a, b) / length;
            let height = (dot(b, b) - along * along).max(0.0).sqrt();
            elements.inverse.push([[1.0 / length, -along / (length * height)], [0.0, 1.0 / height]]);
            elements.volume.push(0.5 * length * height * thickness);
        }
        elements
    }

    /// The gradients g_c of the three corners.
    pub fn gradients(&self, index: usize) -> [[f64; 2]; 3] {
        let m = self.inverse[index];
        [[-(m[0][0] + m[1][0]), -(m[0][1] + m[1][1])], m[0], m[1]]
    }
}

/// Four triangles.
#[derive(Clone)]
#[repr(C, align(32))]
struct Block {
    inverse: [[[f64; WIDTH]; 2]; 2],
    volume: [f64; WIDTH],
    constants: [[f64; WIDTH]; CONSTANTS],
    stiffness: [f64; WIDTH],
    corners: [[u32; WIDTH]; 3],
}

const BLANK: Block = Block {
    inverse: [[[0.0; WIDTH]; 2]; 2],
    volume: [0.0; WIDTH],
    constants: [[0.0; WIDTH]; CONSTANTS],
    stiffness: [0.0; WIDTH],
    corners: [[0; WIDTH]; 3],
};

/// Triangles of one law.
pub struct TriangleTerm<W> {
    name: String,
    law: W,
    /// The law that constraints stand for.
    constrained: W,
    elements: TriangleElements,
    properties: Properties,
    blocks: Vec<Block>,
}

impl<W: Law> TriangleTerm<W> {
    /// `properties` has an entry for each element.
    pub fn new(name: String, law: W, elements: TriangleElements, properties: Properties) -> Self {
        let blocks = packing::blocks(elements.corners.len(), &BLANK, |block, lane, e, is_real| {
            for i in 0..2 {
                for j in 0..2 {
                    block.inverse[i][j][lane] = elements.inverse[e][i][j];
                }
            }
            for c in 0..3 {
                block.corners[c][lane] = elements.corners[e][c];
                block.constants[c][lane] = properties.constants[e][c];
            }
            block.stiffness[lane] = properties.stiffness[e];
            // Padding has no volume.
            block.volume[lane] = if is_real { elements.volume[e] } else { 0.0 };
        });
        TriangleTerm { name, constrained: law.without_barrier(), law, elements, properties, blocks }
    }
}

#[cfg(test)]
impl<W: Law> TriangleTerm<W> {
    /// [`Energy::evaluate`] of one chunk on a given path.
    pub(crate) fn evaluate_on(&self, path: crate::math::lanes::Path, x: &[Vec4], slots: &mut [Vec4]) -> f64 {
        path.run(Evaluate { law: &self.law, blocks: &self.blocks, x, slots })
    }
}

/// Some consecutive blocks: the first and the last, which are the same where there is but one.
type Blocks<'a> = [&'a Block; 2];

/// F = [F₂ n] of the triangles of some blocks, and Dm⁻¹.
#[inline(always)]
fn gradient<L: Number>([first, last]: Blocks, x: &[Vec4]) -> (Mat3<L>, [[L; 2]; 2]) {
    let p = L::gather_blocks(x, &first.corners[0], &last.corners[0]);
    let q = L::gather_blocks(x, &first.corners[1], &last.corners[1]);
    let r = L::gather_blocks(x, &first.corners[2], &last.corners[2]);
    let m = inverse([first, last]);
    (deformation(&p, &q, &r, &m), m)
}

#[inline(always)]
fn inverse<L: Number>([first, last]: Blocks) -> [[L; 2]; 2] {
    let (a, b) = (&first.inverse, &last.inverse);
    [
        [L::load_blocks(&a[0][0], &b[0][0]), L::load_blocks(&a[0][1], &b[0][1])],
        [L::load_blocks(&a[1][0], &b[1][0]), L::load_blocks(&a[1][1], &b[1][1])],
    ]
}

#[inline(always)]
fn constants<L: Number>([first, last]: Blocks) -> [L; CONSTANTS] {
    let (a, b) = (&first.constants, &last.constants);
    [L::load_blocks(&a[0], &b[0]), L::load_blocks(&a[1], &b[1]), L::load_blocks(&a[2], &b[2])]
}

/// `slots ← M₂ g_c` of the triangles of some blocks.
#[inline(always)]
fn scatter<L: Number>(m: &Mat3<L>, inverse: &[[L; 2]; 2], slots: &mut [Vec4]) {
    let (mut a, mut b, mut c) = (m[0], m[0], m[0]);
    for i in 0..3 {
        a[i] = m[i][0] * inverse[0][0] + m[i][1] * inverse[0][1];
        b[i] = m[i][0] * inverse[1][0] + m[i][1] * inverse[1][1];
        c[i] = -(a[i] + b[i]);
    }
    L::scatter_blocks(c, slots, 3);
    L::scatter_blocks(a, &mut slots[1..], 3);
    L::scatter_blocks(b, &mut slots[2..], 3);
}

/// F = [F₂ n] from the corners and Dm⁻¹.
#[inline(always)]
fn deformation<L: Number>(p: &[L; 3], q: &[L; 3], r: &[L; 3], m: &[[L; 2]; 2]) -> Mat3<L> {
    let mut f = mat3::zero();
    for i in 0..3 {
        let (a, b) = (q[i] - p[i], r[i] - p[i]);
        f[i][0] = a * m[0][0] + b * m[1][0];
        f[i][1] = a * m[0][1] + b * m[1][1];
    }
    with_normal(f)
}

/// F with the unit normal of its first two columns for the third.
#[inline(always)]
fn with_normal<L: Number>(mut f: Mat3<L>) -> Mat3<L> {
    let mut n = [
        f[1][0] * f[2][1] - f[2][0] * f[1][1],
        f[2][0] * f[0][1] - f[0][0] * f[2][1],
        f[0][0] * f[1][1] - f[1][0] * f[0][1],
    ];
    let size = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt();
    // A triangle without area has no normal; z is as good as any.
    let flat = size.lt(L::splat(1e-200));
    let inverse = L::splat(1.0) / L::select(flat, L::splat(1.0), size);
    n = [n[0] * inverse, n[1] * inverse, L::select(flat, L::splat(1.0), n[2] * inverse)];
    for i in 0..3 {
        f[i][2] = n[i];
    }
    f
}

struct Evaluate<'a, W> {
    law: &'a W,
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
        let slots = self.slots.chunks_exact_mut(3 * WIDTH * L::BLOCKS);
        for (blocks, slots) in self.blocks.chunks_exact(L::BLOCKS).zip(slots) {
            prefetch(blocks, AHEAD);
            let (first, last) = (&blocks[0], &blocks[L::BLOCKS - 1]);
            let (f, m) = gradient::<L>([first, last], self.x);
            let (psi, stress) = self.law.density_and_stress(&f, &constants([first, last]));
            let volume = L::load_blocks(&first.volume, &last.volume);
            let energy = L::select(zero.lt(volume), volume * psi, zero);
            sum = energy.added_to(sum);
            scatter(&mat3::scale(volume, &stress), &m, slots);
        }
        let s = sum.to_array();
        (s[0] + s[1]) + (s[2] + s[3])
    }
}

struct Constrain<'a, W> {
    term: &'a TriangleTerm<W>,
    form: Form,
    index: usize,
    elements: &'a [u32; WIDTH],
    x: &'a Corners,
    out: &'a mut Constraints,
}

impl<W: Law> Kernel for Constrain<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let (geometry, x) = (&self.term.elements, self.x);
        let mut packed = [[[0.0; WIDTH]; 2]; 2];
        let mut volume = [0.0; WIDTH];
        for lane in 0..WIDTH {
            let e = self.elements[lane] as usize;
            volume[lane] = geometry.volume[e];
            for i in 0..2 {
                for j in 0..2 {
                    packed[i][j][lane] = geometry.inverse[e][i][j];
                }
            }
        }
        let m = [
            [L::load(&packed[0][0]), L::load(&packed[0][1])],
            [L::load(&packed[1][0]), L::load(&packed[1][1])],
        ];
        let mut corners = [[L::splat(0.0); 3]; 3];
        for c in 0..3 {
            corners[c] = [L::load(&x[c][0]), L::load(&x[c][1]), L::load(&x[c][2])];
        }
        let f = deformation(&corners[0], &corners[1], &corners[2], &m);
        let law = &self.term.constrained;
        let (constants, floor) = self.term.properties.lanes::<W, L>(law, self.elements);
        let (value, slope, stiffness) = law.constraint(self.form, self.index, &f, &constants, floor);
        self.out.value = value.to_array();
        self.out.bounds = [[0.0; WIDTH]; 2];
        self.out.compliance = (L::splat(1.0) / (stiffness * L::load(&volume))).to_array();
        for i in 0..3 {
            let a = slope[i][0] * m[0][0] + slope[i][1] * m[0][1];
            let b = slope[i][0] * m[1][0] + slope[i][1] * m[1][1];
            self.out.gradient[0][i] = (-(a + b)).to_array();
            self.out.gradient[1][i] = a.to_array();
            self.out.gradient[2][i] = b.to_array();
        }
    }
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
            let (psi, mut stress) = self.law.density_and_stress(&f, &constants([block, block]));
            for i in 0..3 {
                // Nothing pulls at a free surface.
                stress[i][2] = L::splat(0.0);
            }
            let det = mat3::determinant(&f, &mat3::cofactor(&f));
            let mises = von_mises(&mat3::mul_transpose(&stress, &f), det);
            let (psi, mises, det) = (psi.to_array(), mises.to_array(), det.to_array());
            for (lane, state) in states.iter_mut().enumerate() {
                *state = ElementState { energy_density: psi[lane], von_mises: mises[lane], det_f: det[lane] };
            }
        }
    }
}

impl<W: Law> TriangleTerm<W> {
    /// The six eigenvalues and 3×2 eigenmatrices of ∂²Ψ/∂F₂².
    fn modes(&self, element: usize, x: &[Vec4], project: bool) -> [(f64, [[f64; 2]; 3]); 6] {
        let g = self.elements.gradients(element);
        let mut f = [[0.0; 3]; 3];
        for (c, v) in self.elements.corners[element].iter().enumerate() {
            for i in 0..3 {
                for j in 0..2 {
                    f[i][j] += x[*v as usize].0[i] * g[c][j];
                }
            }
        }
        let d = svd::svd(&mat3::splat::<Single>(&f));
        let (u, v) = (mat3::extract(&d.u, 0), mat3::extract(&d.v, 0));
        let s = [d.sigma[0].0, d.sigma[1].0, 1.0];
        let (_, slope, bend) = law::expand_one(&self.law, &s, &self.properties.constants[element]);
        let plane = hessian::plane_modes(&s, &slope, &bend);
        let mut out = [(0.0, [[0.0; 2]; 3]); 6];
        for (mode, (value, m)) in out.iter_mut().zip(plane) {
            mode.0 = value;
            for i in 0..3 {
                for j in 0..2 {
                    for (k, l) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                        mode.1[i][j] += u[i][k] * m[k][l] * v[j][l];
                    }
                }
            }
        }
        for k in 0..2 {
            let value = slope[k] / s[k].max(1e-12);
            out[4 + k] = (value, std::array::from_fn(|i| [u[i][2] * v[0][k], u[i][2] * v[1][k]]));
        }
        if project {
            for mode in &mut out {
                mode.0 = mode.0.max(0.0);
            }
        }
        out
    }
}

impl<W: Law> Energy for TriangleTerm<W> {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn len(&self) -> usize {
        self.elements.corners.len()
    }

    fn corners(&self) -> usize {
        3
    }

    fn slots(&self) -> usize {
        self.blocks.len() * WIDTH * 3
    }

    fn element(&self, index: usize) -> &[u32] {
        &self.elements.corners[index]
    }

    fn evaluate(&self, chunk: usize, x: &[Vec4], slots: &mut [Vec4]) -> f64 {
        let blocks = CHUNK / WIDTH;
        let blocks = &self.blocks[chunk * blocks..self.blocks.len().min((chunk + 1) * blocks)];
        dispatch_wide(Evaluate { law: &self.law, blocks, x, slots })
    }

    fn add_system(&self, add: &mut dyn FnMut(u32, u32, f64)) {
        for (e, corners) in self.elements.corners.iter().enumerate() {
            let g = self.elements.gradients(e);
            let weight = self.elements.volume[e] * self.properties.stiffness[e];
            for i in 0..3 {
                for j in 0..3 {
                    add(corners[i], corners[j], weight * (g[i][0] * g[j][0] + g[i][1] * g[j][1]));
                }
            }
        }
    }

    fn hash_system(&self, hasher: &mut blake3::Hasher) {
        hasher.update(b"triangles");
        hasher.update(&(self.len() as u64).to_le_bytes());
        hasher.update(bytemuck::cast_slice(&self.properties.stiffness));
        hasher.update(bytemuck::cast_slice(&self.elements.corners));
        hasher.update(bytemuck::cast_slice(self.elements.inverse.as_flattened()));
        hasher.update(bytemuck::cast_slice(&self.elements.volume));
    }

    fn is_projective(&self) -> bool {
        self.law.is_projective()
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

    fn has_barrier(&self) -> bool {
        self.law.has_barrier()
    }

    fn volumes(&self, chunk: usize, x: &[Vec4]) -> Option<(f64, usize)> {
        let mut states = [ElementState::default(); CHUNK];
        let states = &mut states[..CHUNK.min(self.len() - chunk * CHUNK)];
        self.inspect(chunk, x, states);
        // Areas have no sign: a triangle cannot be inverted in space.
        Some((states.iter().fold(f64::INFINITY, |low, s| low.min(s.det_f)), 0))
    }

    fn inspect(&self, chunk: usize, x: &[Vec4], states: &mut [ElementState]) -> bool {
        let blocks = CHUNK / WIDTH;
        let blocks = &self.blocks[chunk * blocks..self.blocks.len().min((chunk + 1) * blocks)];
        dispatch(Inspect { law: &self.law, blocks, x, states });
        true
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
        let g = self.elements.gradients(element);
        out.fill(0.0);
        for (value, mode) in self.modes(element, x, project) {
            let weight = value * self.elements.volume[element];
            let mut direction = [0.0; 9];
            for c in 0..3 {
                for i in 0..3 {
                    direction[3 * c + i] = mode[i][0] * g[c][0] + mode[i][1] * g[c][1];
                }
            }
            for i in 0..9 {
                for j in 0..9 {
                    out[9 * i + j] += weight * direction[i] * direction[j];
                }
            }
        }
    }
}
