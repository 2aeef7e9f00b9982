//! Energies: the terms of the objective, and the materials they are made of.
//!
//! A term is many elements of one kind. Each element reduces the positions of its corners linearly,
//! `z = D x`, and has an energy in z. What solvers need of a term is the trait [`Energy`]; what the term of
//! cells ([`cells`]) needs of a material is the trait [`law::Law`].

pub mod attachment;
pub mod bending;
pub mod cells;
#[cfg(test)]
pub(crate) mod checks;
pub mod constraint;
pub mod custom;
pub mod hessian;
pub mod law;
pub mod length_viscosity;
pub mod lengths;
pub mod lifted;
pub mod limit;
pub mod material;
pub mod materials;
mod packing;
pub mod proximal;
pub mod quadratic;
pub mod scaling;
pub mod tets;
pub mod triangles;
pub mod vertex;
pub mod viscosity;

use crate::math::lanes::Vec4;
use constraint::Compliant;
pub use packing::Properties;
use proximal::Proximal;
use vertex::{Expanding, Vertexwise};

/// Elements per chunk of work; fixed, so that sums do not depend on the number of threads.
pub const CHUNK: usize = 512;

/// What one cell looks like, for output.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ElementState {
    /// Elastic energy per rest volume, J/m³.
    pub energy_density: f64,
    /// Von Mises norm of the Cauchy stress, Pa; of an edge, the force over the rest cross-section.
    pub von_mises: f64,
    /// Determinant of the deformation gradient (negative: inverted), area ratio of a triangle, length ratio of an edge.
    pub det_f: f64,
}

/// What an energy stands for in a motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// It stores what the motion puts into it and gives it back.
    #[default]
    Elastic,
    /// It stores energy too, but ties vertices, one by one, to places in the world: it takes momentum away from bodies.
    Anchor,
    /// It takes energy out of the motion and stores none.
    Dissipation,
}

/// One term of the objective: many elements of one kind.
///
/// What every solver needs stands in this trait. What only some need is a capability, asked for by [`Energy::proximal`]
/// (admm), [`Energy::compliant`] (xpbd, pbd) and [`Energy::vertexwise`] (vbd); a solver refuses terms that do not have its own.
///
/// Elements are padded to whole blocks; `slots` has `corners` entries for each of the padded elements.
pub trait Energy: Send + Sync {
    /// The term and material for messages: `tets of body 'bar' (arap)`.
    fn name(&self) -> String;

    /// Number of elements, without padding.
    fn len(&self) -> usize;

    /// True for a term without elements.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Corners per element.
    fn corners(&self) -> usize;

    /// Number of slots: `corners` × the padded number of elements.
    fn slots(&self) -> usize;

    /// Vertices of the element, `corners` of them, in slot order.
    fn element(&self, index: usize) -> &[u32];

    /// Energy (J) of the elements of one chunk at `x`; `slots[corners·e + c]` receives the gradient of
    /// element `e` of the chunk with respect to its corner `c`. Infinite outside the domain.
    fn evaluate(&self, chunk: usize, x: &[Vec4], slots: &mut [Vec4]) -> f64;

    /// Like [`Energy::evaluate`], for the projective energy w/2 |D x − p|² that the system matrix stands for: with it
    /// projective dynamics converges from any state.
    fn evaluate_projective(&self, chunk: usize, x: &[Vec4], slots: &mut [Vec4]) -> f64 {
        self.evaluate(chunk, x, slots)
    }

    /// An element's share w DᵀD of the system matrix between its corners, row major, corners².
    fn element_system(&self, element: usize, out: &mut [f64]);

    /// Adds the term's share of L = Σ w DᵀD, as `add(row, column, value)` with both triangles.
    fn add_system(&self, add: &mut dyn FnMut(u32, u32, f64)) {
        let corners = self.corners();
        let mut own = vec![0.0; corners * corners];
        for e in 0..self.len() {
            self.element_system(e, &mut own);
            let vertices = self.element(e);
            for (k, value) in own.iter().enumerate() {
                add(vertices[k / corners], vertices[k % corners], *value);
            }
        }
    }

    /// Feeds everything that [`Energy::add_system`] depends on to a hash: terms that hash alike add alike.
    fn hash_system(&self, hasher: &mut blake3::Hasher);

    /// True where E = w/2 |D x − p|² with p the projection on the zero-energy set: what pd needs.
    fn is_projective(&self) -> bool;

    /// The capability that admm needs; `None`: the term has no proximal operator.
    fn proximal(&self) -> Option<&dyn Proximal> {
        None
    }

    /// The capability that xpbd and pbd need; `None`: no constraints stand for the energy.
    fn compliant(&self) -> Option<&dyn Compliant> {
        None
    }

    /// The capability that vbd needs; `None`: the term cannot be minimized vertex by vertex.
    fn vertexwise(&self) -> Option<&dyn Vertexwise> {
        None
    }

    /// The capability that [`lifted`] elements need for vbd; `None`: vbd does not solve such elements.
    fn expanding(&self) -> Option<&dyn Expanding> {
        None
    }

    /// The energy (J) of a strain of order one, Σ volume·k: rounding of the energy is relative to it, as densities
    /// like ‖F‖² − 3 cancel near rest. Zero for terms that lose no digits.
    fn scale(&self) -> f64 {
        0.0
    }

    /// The Hessian of one element at `x`, row major, (3·corners)², with its negative eigenvalues clamped
    /// to zero when `project`.
    fn hessian(&self, element: usize, x: &[Vec4], project: bool, out: &mut [f64]);

    /// True where the energy of the elements of a chunk is finite at `x`, at a fraction of the price of
    /// [`Energy::evaluate`]. Terms without a barrier are finite everywhere.
    fn is_feasible(&self, _chunk: usize, _x: &[Vec4]) -> bool {
        true
    }

    /// What the energy stands for in a motion.
    fn role(&self) -> Role {
        Role::Elastic
    }

    /// Makes the stiffness of all elements `factor` times what they were made with (not what they had last). False: the
    /// term does not have a stiffness that can be scaled, and nothing is changed.
    fn rescale(&mut self, _factor: f64) -> bool {
        false
    }

    /// Moves what depends on time (targets, stiffness) to `time` in seconds; true if that changes what
    /// [`Energy::add_system`] adds.
    fn set_time(&mut self, _time: f64) -> bool {
        false
    }

    /// Moves the targets of springs that are told where these are, one for each element; other terms have none.
    fn set_targets(&mut self, _targets: &[Vec4]) {}

    /// Tells terms that depend on velocities where a stage of a step comes from: its base x̂, with v = (x − x̂)/ĥ, and
    /// the positions expected where that is the velocity.
    fn set_base(&mut self, middle: &[Vec4], base: &[Vec4]) {
        (0..self.len().div_ceil(CHUNK)).for_each(|chunk| self.set_base_of(chunk, middle, base));
    }

    /// [`Energy::set_base`] for the elements of one chunk.
    fn set_base_of(&mut self, _chunk: usize, _middle: &[Vec4], _base: &[Vec4]) {}

    /// The lowest `det F` (area ratio of sheets) of a chunk and how many elements are inverted; `None` for terms
    /// that have neither.
    fn volumes(&self, _chunk: usize, _x: &[Vec4]) -> Option<(f64, usize)> {
        None
    }

    /// Fills one state per element of a chunk; false for terms that have none.
    fn inspect(&self, _chunk: usize, _x: &[Vec4], _states: &mut [ElementState]) -> bool {
        false
    }
}

/// Number of chunks of a term.
pub fn chunks(term: &dyn Energy) -> usize {
    term.len().div_ceil(CHUNK)
}
