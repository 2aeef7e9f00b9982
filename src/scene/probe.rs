//! Probes: what is measured at some vertices of a body after every step.

use super::Selection;

/// A measurement of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// The name of its columns.
    pub name: String,
    /// Its place among all probes of the scene, which is that of its columns.
    pub place: usize,
    /// Which vertices, by rest position.
    pub select: Selection,
    /// What is measured.
    pub quantity: Probed,
    /// What is made of the values at several vertices.
    pub reduce: Reduce,
}

/// A quantity of vertices, or of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probed {
    /// The position in m.
    Position,
    /// The position less the one at rest, in m.
    Displacement,
    /// The velocity in m/s.
    Velocity,
    /// The force of pins on the body, in N.
    PinForce,
    /// The force of contact and friction on the body, in N.
    ContactForce,
    /// The elastic energy of the whole body in J.
    Energy,
}

impl Probed {
    /// The ends of the names of its columns.
    pub fn components(self) -> &'static [&'static str] {
        if self == Probed::Energy { &[""] } else { &["_x", "_y", "_z"] }
    }
}

/// One value made of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduce {
    /// The mean.
    Mean,
    /// The longest vector.
    Max,
    /// The sum.
    Sum,
}
