//! Energies as compliant constraints: what XPBD and PBD need of a term.
//!
//! ```text
//! E(x) = Σ_j C_j(x)²/(2 α_j) + const,      C_j = v_j − clamp(v_j, bounds)
//! ```
//!
//! \[Ledwon2024, Eq. 4.12\]. A term gives the constraints of [`WIDTH`] elements at a time, so that laws run in lanes.
//! Most bounds are [0, 0]; those of ropes and limits leave room in between, where no force acts.

use super::Energy;
use super::lifted::NODES;
use crate::math::lanes::{Vec4, WIDTH};

/// The largest number of constraints that an element has: two at each of five points of a quadratic tet.
pub const MOST: usize = 10;

/// The largest number of corners that an element has.
pub const CORNERS: usize = NODES;

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
    /// One constraint that vanishes at rest even if compliance is ignored, as PBD does.
    Hard,
}

/// One constraint in each of four elements.
#[derive(Clone, Debug)]
pub struct Constraints {
    /// The constrained quantity v of each element, such as a length.
    pub value: [f64; WIDTH],
    /// The least and the greatest v that cost no energy.
    pub bounds: [[f64; WIDTH]; 2],
    /// The compliance α, in units such that C²/α is in J; 0 makes the constraint hard.
    pub compliance: [f64; WIDTH],
    /// ∂v/∂x at the corners that the term has; other entries keep their values. It is zero where v has no gradient.
    pub gradient: Corners,
}

impl Constraints {
    /// Constraints that are satisfied and cost nothing, to be filled in.
    pub const BLANK: Constraints = Constraints {
        value: [0.0; WIDTH],
        bounds: [[0.0; WIDTH]; 2],
        compliance: [0.0; WIDTH],
        gradient: [[[0.0; WIDTH]; 3]; CORNERS],
    };
}

/// The settings that all constraints share in a sweep of XPBD.
#[derive(Clone, Copy, Debug)]
pub struct Sweep {
    /// Which constraints stand for the energies.
    pub form: Form,
    /// The factor on each Δλ.
    pub relaxation: f64,
    /// The ratio α̃/α = 1/h² in 1/s²; 0 makes all constraints hard.
    pub per_step: f64,
}

/// Up to four elements of one term that have no vertex in common.
#[derive(Clone, Debug)]
pub struct Batch {
    /// The number of the term in the objective.
    pub term: usize,
    /// How many of the four elements count; the others repeat the last of them.
    pub count: usize,
    /// The numbers of the elements within the term.
    pub elements: [u32; WIDTH],
    /// The vertices at the corners of the elements.
    pub vertices: [[u32; WIDTH]; CORNERS],
    /// The inverse masses of these vertices in 1/kg; 0 for vertices whose motion is prescribed.
    pub mass: [[f64; WIDTH]; CORNERS],
    /// The multipliers λ of the constraints of each element.
    pub multipliers: [[f64; WIDTH]; MOST],
}

/// How far a batch moves the corners of its elements: `[corner][element]`.
pub type Changes = [[Vec4; WIDTH]; CORNERS];

/// The capability of a term to be solved as compliant constraints.
pub trait Compliant: Energy {
    /// How many constraints stand for an element's energy, at most [`MOST`]. It is 0 if the energy has no lower bound
    /// and so cannot be written as constraints.
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

    /// The term as one that projects whole batches; `None` if constraints have to be projected one by one.
    fn batched(&self) -> Option<&dyn Batched> {
        None
    }
}

/// The capability to project batches of constraints without leaving the lanes.
pub trait Batched: Compliant {
    /// The constant numbers of four elements that [`Batched::project`] needs.
    fn packed(&self, elements: &[u32; WIDTH]) -> Vec<[f64; WIDTH]>;

    /// Projects all constraints of the batches of this term at `x`, one after the other; [`Compliant::constraints`]
    /// says how many each element has. It updates the multipliers and writes the motion of the corners to `changes`.
    /// `numbers` holds what [`Batched::packed`] gave for these batches. The result has the same bits as projecting with
    /// [`Compliant::constrain`].
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
