//! A point of the minimization: positions with the value and the gradient of g there.

use elements::math::lanes::Vec4;

/// The parts of g, in joule.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Value {
    /// The inertia term.
    pub inertia: f64,
    /// All energies that store what they take.
    pub elastic: f64,
    /// The dissipation of the step.
    pub dissipation: f64,
    /// The energies of active terms.
    pub active: f64,
}

impl Value {
    /// g.
    pub fn total(&self) -> f64 {
        self.inertia + self.elastic + self.dissipation + self.active
    }
}

/// A point with the value and gradient of g there, and the scratch to compute them, which copies do not share.
#[derive(Default)]
pub struct Iterate {
    /// Positions of all vertices.
    pub x: Vec<Vec4>,
    /// ∇g at `x`, for the unknowns.
    pub gradient: Vec<Vec4>,
    /// g at `x`.
    pub value: Value,
    /// The energy of each term at `x`, in J.
    pub parts: Vec<f64>,
    /// Gradients of the vertices of each chunk of elements.
    pub(super) sums: Vec<Vec4>,
    pub(super) partial: Vec<f64>,
    /// Gradients of the corners of active elements.
    pub(super) slots: Vec<Vec4>,
}

impl Clone for Iterate {
    fn clone(&self) -> Self {
        let mut copy = Iterate::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, source: &Self) {
        self.x.clone_from(&source.x);
        self.gradient.clone_from(&source.gradient);
        self.value = source.value;
        self.parts.clone_from(&source.parts);
        self.sums.resize(source.sums.len(), Vec4::ZERO);
        self.partial.resize(source.partial.len(), 0.0);
    }
}
