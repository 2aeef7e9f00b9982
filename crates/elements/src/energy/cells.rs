//! The term of cells with a deformation gradient: tets or triangles of any isotropic law.
//!
//! ```text
//! F = Ds Dm⁻¹ = Σ_c x_c g_cᵀ,      E = V Ψ(F),      ∂E/∂x_c = V P(F) g_c
//! ```
//!
//! Ds has the edges from corner 0 to the others as columns, g_c is row c of Dm⁻¹ for these and minus their sum for
//! corner 0. What kind of cell it is, a [`Shape`] says. Cells are stored four to a block, a number of all four side by side, so
//! that one SIMD register computes the cells of a block, or of two.

mod constrained;
mod kernels;
#[cfg(test)]
pub(crate) mod paths;
mod proximal;
mod vertexwise;

use bytemuck::Zeroable;

use super::constraint::{Batch, Batched, Changes, Compliant, Constraints, Corners, Form, Sweep};
use super::hessian::Mode;
use super::law::{CONSTANTS, Law};
use super::materials::arap::Arap;
use super::packing::{self, Properties};
use super::proximal::{Proximal, Row};
use super::scaling::Scaling;
use super::vertex::{Corner, Expanding, Vertexwise};
use super::{CHUNK, ElementState, Energy};
use crate::math::lanes::{Lane, Number, Vec4, WIDTH, dispatch, dispatch_wide};
use crate::math::mat3::Mat3;
use crate::math::vec3::dot;
use constrained::{Constrain, Project};
use kernels::{Evaluate, Inspect, Volumes};

/// Corners of a cell at the most.
const MOST: usize = 4;

/// A kind of cell.
pub trait Shape: Send + Sync + 'static {
    /// The numbers of Dm⁻¹ that count, row major.
    type Inverse: AsRef<[Row]> + AsMut<[Row]> + Zeroable + Copy + Send + Sync;
    /// Vertices by corner.
    type Corners: AsRef<[[u32; WIDTH]]> + AsMut<[[u32; WIDTH]]> + Zeroable + Copy + Send + Sync;

    /// What it is called, in the plural.
    const NAME: &'static str;
    /// Corners of a cell.
    const CORNERS: usize;
    /// Columns of F that the positions determine, and rows and columns of Dm⁻¹ that count.
    const COLUMNS: usize;

    /// F from the columns that the positions determine, with 0 in the others. Implementations are `#[inline(always)]`.
    fn complete<L: Number>(f: Mat3<L>) -> Mat3<L>;

    /// Ψ along F + d gᵀ, where g is one of the g_c. Implementations are `#[inline(always)]`.
    fn corner<W: Law, L: Lane>(law: &W, f: &Mat3<L>, g: &[L; 3], constants: &[L; CONSTANTS]) -> Corner<L>;

    /// Eigenvalues and eigenmatrices of ∂²Ψ/∂F² in the columns that the positions determine, of which F has the numbers; as
    /// many as there are such numbers.
    fn modes<W: Law>(law: &W, f: &[[f64; 3]; 3], constants: &[f64; CONSTANTS]) -> [Mode; 9];
}

/// Rest geometry of cells.
#[derive(Clone, Debug, Default)]
pub struct Elements {
    /// Vertices of each cell; a triangle has its first one twice.
    pub corners: Vec<[u32; MOST]>,
    /// Dm⁻¹, row major; what a triangle does not have is 0.
    pub inverse: Vec<[[f64; 3]; 3]>,
    /// Rest volume in m³.
    pub volume: Vec<f64>,
}

impl Elements {
    /// The gradients g_c of the corners; 0 for one that a triangle does not have.
    pub fn gradients(&self, index: usize) -> [[f64; 3]; MOST] {
        let m = self.inverse[index];
        let first = std::array::from_fn(|j| -(m[0][j] + m[1][j] + m[2][j]));
        [first, m[0], m[1], m[2]]
    }
}

/// Four cells side by side, a number of all four in each row.
#[repr(C, align(32))]
struct Block<S: Shape> {
    inverse: S::Inverse,
    volume: Row,
    constants: [Row; CONSTANTS],
    stiffness: Row,
    corners: S::Corners,
}

impl<S: Shape> Clone for Block<S> {
    fn clone(&self) -> Self {
        Block { ..*self }
    }
}

/// Cells of one law.
pub struct CellTerm<S: Shape, W> {
    name: String,
    law: W,
    /// The law that constraints stand for.
    constrained: W,
    elements: Elements,
    properties: Properties,
    blocks: Vec<Block<S>>,
    scaling: Scaling,
}

impl<S: Shape, W: Law> CellTerm<S, W> {
    /// `properties` has an entry for each element.
    pub fn new(name: String, law: W, elements: Elements, properties: Properties) -> Self {
        let blank = Block::<S> {
            inverse: S::Inverse::zeroed(),
            volume: [0.0; WIDTH],
            constants: [[0.0; WIDTH]; CONSTANTS],
            stiffness: [0.0; WIDTH],
            corners: S::Corners::zeroed(),
        };
        let blocks = packing::blocks(elements.corners.len(), &blank, |block, lane, e, is_real| {
            for (n, row) in block.inverse.as_mut().iter_mut().enumerate() {
                row[lane] = elements.inverse[e][n / S::COLUMNS][n % S::COLUMNS];
            }
            for (row, constant) in block.constants.iter_mut().zip(properties.constants[e]) {
                row[lane] = constant;
            }
            for (row, corner) in block.corners.as_mut().iter_mut().zip(elements.corners[e]) {
                row[lane] = corner;
            }
            block.stiffness[lane] = properties.stiffness[e];
            // Padding has no volume.
            block.volume[lane] = if is_real { elements.volume[e] } else { 0.0 };
        });
        CellTerm {
            name,
            constrained: law.without_barrier(),
            law,
            elements,
            properties,
            blocks,
            scaling: Scaling::default(),
        }
    }

    fn chunk_blocks(&self, chunk: usize) -> &[Block<S>] {
        let blocks = CHUNK / WIDTH;
        &self.blocks[chunk * blocks..self.blocks.len().min((chunk + 1) * blocks)]
    }

    /// The columns of F that the positions determine.
    fn deformation(&self, element: usize, x: &[Vec4]) -> [[f64; 3]; 3] {
        let g = self.elements.gradients(element);
        let mut f = [[0.0; 3]; 3];
        for (v, g) in self.element(element).iter().zip(g) {
            for i in 0..3 {
                for j in 0..S::COLUMNS {
                    f[i][j] += x[*v as usize].0[i] * g[j];
                }
            }
        }
        f
    }
}

impl<S: Shape, W: Law> Energy for CellTerm<S, W> {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn len(&self) -> usize {
        self.elements.corners.len()
    }

    fn corners(&self) -> usize {
        S::CORNERS
    }

    fn slots(&self) -> usize {
        self.blocks.len() * WIDTH * S::CORNERS
    }

    fn element(&self, index: usize) -> &[u32] {
        &self.elements.corners[index][..S::CORNERS]
    }

    fn evaluate(&self, chunk: usize, x: &[Vec4], slots: &mut [Vec4]) -> f64 {
        let blocks = self.chunk_blocks(chunk);
        dispatch_wide(Evaluate { law: &self.law, projective: false, blocks, x, slots })
    }

    fn evaluate_projective(&self, chunk: usize, x: &[Vec4], slots: &mut [Vec4]) -> f64 {
        let blocks = self.chunk_blocks(chunk);
        dispatch_wide(Evaluate { law: &Arap, projective: true, blocks, x, slots })
    }

    fn element_system(&self, element: usize, out: &mut [f64]) {
        let g = self.elements.gradients(element);
        let weight = self.elements.volume[element] * self.properties.stiffness[element];
        for (k, out) in out.iter_mut().enumerate() {
            *out = weight * dot(g[k / S::CORNERS], g[k % S::CORNERS]);
        }
    }

    fn hash_system(&self, hasher: &mut blake3::Hasher) {
        hasher.update(S::NAME.as_bytes());
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

    fn compliant(&self) -> Option<&dyn Compliant> {
        Some(self)
    }

    fn vertexwise(&self) -> Option<&dyn Vertexwise> {
        Some(self)
    }

    fn expanding(&self) -> Option<&dyn Expanding> {
        Some(self)
    }

    fn scale(&self) -> f64 {
        self.elements.volume.iter().zip(&self.properties.stiffness).map(|(v, k)| v * k).sum()
    }

    fn hessian(&self, element: usize, x: &[Vec4], project: bool, out: &mut [f64]) {
        let f = self.deformation(element, x);
        let g = self.elements.gradients(element);
        let (volume, size) = (self.elements.volume[element], 3 * S::CORNERS);
        out.fill(0.0);
        let modes = S::modes(&self.law, &f, &self.properties.constants[element]);
        for (value, mode) in modes.into_iter().take(3 * S::COLUMNS) {
            let weight = volume * if project { value.max(0.0) } else { value };
            let mut direction = [0.0; 3 * MOST];
            for c in 0..S::CORNERS {
                for i in 0..3 {
                    direction[3 * c + i] = mode[i][0] * g[c][0] + mode[i][1] * g[c][1] + mode[i][2] * g[c][2];
                }
            }
            for i in 0..size {
                for j in 0..size {
                    out[size * i + j] += weight * direction[i] * direction[j];
                }
            }
        }
    }

    fn is_feasible(&self, chunk: usize, x: &[Vec4]) -> bool {
        !self.law.has_barrier()
            || dispatch(Volumes { blocks: self.chunk_blocks(chunk), x }).0 >= f64::MIN_POSITIVE
    }

    /// Every energy, force and weight is proportional to the volume.
    fn rescale(&mut self, factor: f64) -> bool {
        let volume = self.scaling.set(factor, || self.elements.volume.clone());
        for (e, value) in volume.into_iter().flatten().enumerate() {
            self.elements.volume[e] = value;
            self.blocks[e / WIDTH].volume[e % WIDTH] = value;
        }
        true
    }

    fn volumes(&self, chunk: usize, x: &[Vec4]) -> Option<(f64, usize)> {
        Some(dispatch(Volumes { blocks: self.chunk_blocks(chunk), x }))
    }

    fn inspect(&self, chunk: usize, x: &[Vec4], states: &mut [ElementState]) -> bool {
        dispatch(Inspect { law: &self.law, blocks: self.chunk_blocks(chunk), x, states });
        let factor = self.scaling.factor();
        if factor != 1.0 {
            for state in states {
                state.energy_density *= factor;
                state.von_mises *= factor;
            }
        }
        true
    }
}

impl<S: Shape, W: Law> Compliant for CellTerm<S, W> {
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

    fn batched(&self) -> Option<&dyn Batched> {
        Some(self)
    }
}

impl<S: Shape, W: Law> Batched for CellTerm<S, W> {
    fn packed(&self, elements: &[u32; WIDTH]) -> Vec<Row> {
        constrained::packed(self, elements)
    }

    fn project(
        &self,
        sweep: &Sweep,
        constraints: usize,
        batches: &mut [Batch],
        numbers: &[Row],
        x: &[Vec4],
        changes: &mut [Changes],
    ) {
        dispatch_wide(Project { term: self, sweep, constraints, batches, numbers, x, changes });
    }
}
