//! Terms whose elements change between iterations: contacts, and other terms that depend on where vertices are.
//!
//! The fixed terms of an objective keep their elements for a whole run, and with them the system matrix, its factor,
//! and the places where gradients are gathered. An active term makes its elements anew as the iterates move. It is part
//! of g and ∇g like any other term, but has an assembly of its own, and solvers are told of every change
//! ([`Solver::follow_active`](crate::solver::Solver::follow_active)).

use elements::energy::{CHUNK, Energy, chunks};
use elements::math::lanes::Vec4;
use elements::par;

/// A vector v with entries at up to four vertices, of which v vᵀ is a part of a Hessian, in √(N/m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Square {
    /// The vertices; one may stand there several times.
    pub corners: [u32; 4],
    /// The entries of v at these vertices, to be added up.
    pub vectors: [[f64; 3]; 4],
}

/// What touches in a state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Touching {
    /// The contact force on each vertex in N, internal numbering.
    pub forces: Vec<[f64; 3]>,
    /// The friction on each vertex in N.
    pub friction: Vec<[f64; 3]>,
    /// The least gap in m of the pieces that have a vertex; `range` if it is larger.
    pub gaps: Vec<f64>,
    /// The gap in m from which on nothing is felt.
    pub range: f64,
    /// The least of all gaps in m; `range` if it is larger.
    pub least: f64,
    /// The number of pairs that feel each other.
    pub pairs: usize,
    /// The sums between bodies and obstacles that feel each other.
    pub between: Vec<Between>,
}

/// The forces between two bodies, or a body and an obstacle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Between {
    /// The names of the two; the forces are those on the first.
    pub names: [String; 2],
    /// The sum of the contact forces in N.
    pub normal: [f64; 3],
    /// The sum of the friction in N.
    pub friction: [f64; 3],
}

/// A term whose elements change between iterations.
pub trait Active: Send + Sync {
    /// The name of the term for messages.
    fn name(&self) -> String {
        self.energy().name()
    }

    /// The numbers of the bodies whose vertices it moves, ascending.
    fn bodies(&self) -> &[usize];

    /// The elements as they are now.
    fn energy(&self) -> &dyn Energy;

    /// Makes the elements anew for vertices at `x`; true if they changed. The energy at `x` must not depend on where
    /// the elements were made before.
    fn refresh(&mut self, x: &[Vec4]) -> bool;

    /// Appends the vectors v of which Σ v vᵀ is the Hessian at `x`, without what has negative eigenvalues.
    fn squares(&self, x: &[Vec4], out: &mut Vec<Square>);

    /// The largest safe part of the straight motion of all vertices from `from` to `to`, above 0. It is more than 1 if
    /// they could safely go beyond `to`.
    fn longest_part(&self, _from: &[Vec4], _to: &[Vec4]) -> f64 {
        f64::INFINITY
    }

    /// Likewise, where besides the elements as they are now must tell the energy on the whole way.
    fn longest_known(&self, from: &[Vec4], to: &[Vec4]) -> f64 {
        self.longest_part(from, to)
    }

    /// What touches at `x`, where the elements must be as they are there; `None` for terms that are not contact.
    fn touching(&self, _x: &[Vec4]) -> Option<Touching> {
        None
    }

    /// The names of two parts that intersect at `x`, by an exact test; `None` if nothing does.
    fn intersection(&self, _x: &[Vec4]) -> Option<[String; 2]> {
        None
    }

    /// Sets quantities that depend on time to their values at `time` in seconds, the end of the step that begins.
    fn set_time(&mut self, _time: f64) {}

    /// Is called when a step begins with vertices at `x`; true if elements changed.
    fn begin_step(&mut self, _x: &[Vec4]) -> bool {
        false
    }

    /// Takes anew from `x` what is held fixed in a minimization; true if it changed, so that one more is needed.
    fn lag(&mut self, _x: &[Vec4]) -> bool {
        false
    }

    /// Is called when a step has ended with vertices at `x`.
    fn end_step(&mut self, _x: &[Vec4]) {}

    /// The state that a resumed run needs beyond positions and velocities.
    fn save(&self) -> Vec<u8> {
        vec![]
    }

    /// Restores what [`Active::save`] returned; false if the bytes are not valid.
    fn restore(&mut self, bytes: &[u8]) -> bool {
        bytes.is_empty()
    }
}

/// An active term, with the places of its corners in the gradient.
pub(super) struct Changing {
    pub(super) term: Box<dyn Active>,
    /// Pairs of an unknown and a slot, ascending, so that sums have a fixed order.
    places: Vec<(u32, u32)>,
}

impl Changing {
    pub(super) fn new(term: Box<dyn Active>, free: usize) -> Changing {
        let mut changing = Changing { term, places: vec![] };
        changing.place(free);
        changing
    }

    /// Calls [`Active::refresh`] and updates the places if the elements changed.
    pub(super) fn refresh(&mut self, free: usize, x: &[Vec4]) -> bool {
        let changed = self.term.refresh(x);
        if changed {
            self.place(free);
        }
        changed
    }

    /// Calls [`Active::begin_step`] and updates the places if the elements changed.
    pub(super) fn begin_step(&mut self, free: usize, x: &[Vec4]) -> bool {
        let changed = self.term.begin_step(x);
        if changed {
            self.place(free);
        }
        changed
    }

    /// Calls [`Active::lag`] and updates the places if the elements changed.
    pub(super) fn lag(&mut self, free: usize, x: &[Vec4]) -> bool {
        let changed = self.term.lag(x);
        if changed {
            self.place(free);
        }
        changed
    }

    fn place(&mut self, free: usize) {
        let energy = self.term.energy();
        self.places.clear();
        for e in 0..energy.len() {
            let corners = energy.element(e).iter().enumerate();
            let unknown = corners.filter(|(_, v)| (**v as usize) < free);
            self.places.extend(unknown.map(|(c, v)| (*v, (e * energy.corners() + c) as u32)));
        }
        self.places.sort_unstable();
    }

    /// Adds the gradient at `x` to `gradient`; returns the energy. `slots` is scratch space.
    pub(super) fn add(&self, x: &[Vec4], slots: &mut Vec<Vec4>, gradient: &mut [Vec4]) -> f64 {
        let energy = self.term.energy();
        if energy.is_empty() {
            return 0.0;
        }
        slots.resize(slots.len().max(energy.slots()), Vec4::ZERO);
        let mut partial = vec![0.0; chunks(energy)];
        let own = &mut slots[..energy.slots()];
        par::chunks_mut_with(own, CHUNK * energy.corners(), &mut partial, |chunk, slots| {
            energy.evaluate(chunk, x, slots)
        });
        for (vertex, slot) in &self.places {
            let (sum, part) = (&mut gradient[*vertex as usize].0, &slots[*slot as usize].0);
            (0..3).for_each(|k| sum[k] += part[k]);
        }
        partial.iter().sum()
    }
}
