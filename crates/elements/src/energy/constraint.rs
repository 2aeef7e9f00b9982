//! Energies as compliant constraints: what XPBD and PBD need of a term.
//!
//! ```text
//! E(x) = Σ_j C_j(x)²/(2 α_j) + const,      C_j = v_j − clamp(v_j, bounds)
//! ```
//!
//! \[Ledwon2024, Eq. 4.12\]. A term gives the constraints of [`WIDTH`] elements at a time, so that laws run in lanes. Most
//! bounds are [0, 0]; those of ropes and limits leave room in between, where nothing acts.

use super::{Energy, lengths};
use crate::math::lanes::{Vec4, WIDTH};

/// Constraints per element at the most.
pub const MOST: usize = 3;

/// Corners per element at the most.
pub const CORNERS: usize = lengths::CORNERS;

/// A vector at each corner of four elements: `[corner][coordinate][element]`.
pub type Corners = [[[f64; WIDTH]; 3]; CORNERS];

/// Which constraints stand for an energy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// One constraint for each law.
    #[default]
    Combined,
    /// Two for the stable neo-Hookean solid: of shape and of volume.
    Split,
    /// One that vanishes at rest, whatever becomes of compliance: for PBD.
    Hard,
}

/// One constraint of each of four elements.
#[derive(Clone, Debug)]
pub struct Constraints {
    /// v.
    pub value: [f64; WIDTH],
    /// Least and most of v that cost nothing.
    pub bounds: [[f64; WIDTH]; 2],
    /// α, such that C²/α is in J; 0: hard.
    pub compliance: [f64; WIDTH],
    /// ∂v/∂x of the term's corners, others are left as they are; zero where v has no direction to change in.
    pub gradient: Corners,
}

impl Constraints {
    /// Nothing.
    pub const BLANK: Constraints = Constraints {
        value: [0.0; WIDTH],
        bounds: [[0.0; WIDTH]; 2],
        compliance: [0.0; WIDTH],
        gradient: [[[0.0; WIDTH]; 3]; CORNERS],
    };
}

/// What all constraints share in a sweep of XPBD.
#[derive(Clone, Copy, Debug)]
pub struct Sweep {
    /// Which constraints.
    pub form: Form,
    /// Factor on each Δλ.
    pub relaxation: f64,
    /// α̃/α, 1/h²; 0: all are hard.
    pub per_step: f64,
}

/// Four elements of one term that share no unknown, or fewer.
#[derive(Clone, Debug)]
pub struct Batch {
    /// The term's number.
    pub term: usize,
    /// Elements that count; further ones repeat the last.
    pub count: usize,
    /// Their numbers.
    pub elements: [u32; WIDTH],
    /// Their vertices.
    pub vertices: [[u32; WIDTH]; CORNERS],
    /// Inverse masses of those in 1/kg, 0 for prescribed ones.
    pub mass: [[f64; WIDTH]; CORNERS],
    /// λ of their constraints.
    pub multipliers: [[f64; WIDTH]; MOST],
}

/// What a batch does to its corners: `[corner][element]`.
pub type Changes = [[Vec4; WIDTH]; CORNERS];

/// The capability of a term to be solved as compliant constraints.
pub trait Compliant: Energy {
    /// Constraints that stand for an element's energy, [`MOST`] at the most; 0: the energy has no lower bound, and there
    /// are none.
    fn constraints(&self, form: Form) -> usize;

    /// The `index`-th constraint of four elements whose corners are at `x`.
    fn constrain(
        &self,
        form: Form,
        index: usize,
        elements: &[u32; WIDTH],
        x: &Corners,
        out: &mut Constraints,
    );

    /// The same for whole batches; `None`: constraints are projected one by one.
    fn batched(&self) -> Option<&dyn Batched> {
        None
    }
}

/// The capability to project batches of constraints without leaving the lanes.
pub trait Batched: Compliant {
    /// Numbers of four elements that stay the same, for [`Batched::project`].
    fn packed(&self, elements: &[u32; WIDTH]) -> Vec<[f64; WIDTH]>;

    /// Projects the constraints of batches of this term, as many of each element as [`Compliant::constraints`] says, one
    /// after the other, at `x`: changes multipliers, and writes what happens to the corners. `numbers` has what
    /// [`Batched::packed`] gave for the batches. Does what [`Compliant::constrain`] leads to, to the last bit.
    fn project(
        &self,
        sweep: &Sweep,
        constraints: usize,
        batches: &mut [Batch],
        numbers: &[[f64; WIDTH]],
        x: &[Vec4],
        changes: &mut [Changes],
    );
}
