//! Terms whose elements change between iterations: contacts, and other terms that depend on where vertices are.
//!
//! The fixed terms of an objective keep their elements for a whole run, and with them the system matrix, its factor,
//! and the places where gradients are gathered. An active term makes its elements anew as the iterates move. It is part
//! of g and ∇g like any other term, but has an assembly of its own, and solvers are told of every change
//! ([`Solver::follow_active`](crate::solver::Solver::follow_active)).

use elements::energy::{CHUNK, Energy, chunks};
use elements::math::lanes::Vec4;
use elements::par;

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

    /// The largest safe part of the straight motion of all vertices from `from` to `to`, above 0. It is more than 1 if
    /// they could safely go beyond `to`.
    fn longest_part(&self, _from: &[Vec4], _to: &[Vec4]) -> f64 {
        f64::INFINITY
    }

    /// Sets quantities that depend on time to their values at `time` in seconds, the end of the step that begins.
    fn set_time(&mut self, _time: f64) {}

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
