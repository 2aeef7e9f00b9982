//! A point of the minimization: positions with the value and the gradient of g there.

use elements::math::lanes::Vec4;

/// The parts of g, in J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Value {
    /// The inertia term of g.
    pub inertia: f64,
    /// The sum of all energies that store the work done on them.
    pub elastic: f64,
    /// The dissipation of the step.
    pub dissipation: f64,
    /// The energies of active terms.
    pub active: f64,
}

impl Value {
    /// The value of g, the sum of all parts.
    pub fn total(&self) -> f64 {
        self.inertia + self.elastic + self.dissipation + self.active
    }
}

/// A point with the value and gradient of g there. It also has the scratch space to compute them,
/// which copies do not share.
#[derive(Default)]
pub struct Iterate {
    /// The positions of all vertices in m.
    pub x: Vec<Vec4>,
    /// The gradient ∇g at `x` in N, for the unknowns.
    pub gradient: Vec<Vec4>,
    /// The value of g at `x`.
    pub value: Value,
    /// The energy of each term at `x`, in J.
    pub parts: Vec<f64>,
    /// Gradients of the vertices of each chunk of elements (see `assembly`).
    pub(super) sums: Vec<Vec4>,
    pub(super) partial: Vec<f64>,
    /// The part of the gradient that active terms have; empty without them.
    pub active: Vec<Vec4>,
    /// The energy of active terms that each body has a share in, in J; empty where no constraints need it.
    pub shares: Vec<f64>,
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
        self.active.clone_from(&source.active);
        self.shares.clone_from(&source.shares);
        self.sums.resize(source.sums.len(), Vec4::ZERO);
        self.partial.resize(source.partial.len(), 0.0);
    }
}
