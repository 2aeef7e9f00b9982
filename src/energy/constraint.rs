//! Energies as compliant constraints: what XPBD and PBD need of a term.
//!
//! ```text
//! E(x) = Σ_j C_j(x)²/(2 α_j) + const,      C_j = v_j − clamp(v_j, bounds)
//! ```
//!
//! \[Ledwon2024, Eq. 4.12\]. A term gives the constraints of [`WIDTH`] elements at a time, so that laws run in lanes. Most
//! bounds are [0, 0]; those of ropes and limits leave room in between, where nothing acts.

use super::lengths;
use crate::math::lanes::WIDTH;

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
