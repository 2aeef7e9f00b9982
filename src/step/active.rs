//! Terms whose elements change between iterations: contacts, and whatever else depends on where things are.
//!
//! The fixed terms of an objective keep their elements for a whole run, and with them the system matrix, its factor, and
//! the places where gradients are gathered. An active term makes its elements anew where the iterates lead; it is in g and
//! ∇g like any other, but has an assembly of its own, and solvers are told of every change
//! ([`Solver::follow_active`](crate::solver::Solver::follow_active)).

use elements::energy::{CHUNK, Energy, chunks};
use elements::math::lanes::Vec4;
use elements::par;

/// A term whose elements change between iterations.
pub trait Active: Send + Sync {
    /// The term for messages.
    fn name(&self) -> String {
        self.energy().name()
    }

    /// The numbers of the bodies whose vertices it moves, ascending.
    fn bodies(&self) -> &[usize];

    /// The elements as they are now.
    fn energy(&self) -> &dyn Energy;

    /// Makes the elements anew for vertices at `x`; true if they are others than before. The energy at `x` must not
    /// depend on where the elements were made last.
    fn refresh(&mut self, x: &[Vec4]) -> bool;

    /// The largest part of the straight motion of all vertices from `from` to `to` that is safe, above 0; more than 1
    /// where they could go on beyond.
    fn longest_part(&self, _from: &[Vec4], _to: &[Vec4]) -> f64 {
        f64::INFINITY
    }

    /// Moves what depends on time to `time` in seconds: the end of the step that begins.
    fn set_time(&mut self, _time: f64) {}

    /// A step ended with vertices at `x`.
    fn end_step(&mut self, _x: &[Vec4]) {}

    /// What a run that resumes needs beyond positions and velocities.
    fn save(&self) -> Vec<u8> {
        vec![]
    }

    /// Takes up what [`Active::save`] gave; false if it cannot be that.
    fn restore(&mut self, bytes: &[u8]) -> bool {
        bytes.is_empty()
    }
}

/// An active term with the unknowns that its elements move.
pub(super) struct Changing {
    pub(super) term: Box<dyn Active>,
    /// Unknown and slot, ascending: sums have a fixed order.
    places: Vec<(u32, u32)>,
}

impl Changing {
    pub(super) fn new(term: Box<dyn Active>, free: usize) -> Changing {
        let mut changing = Changing { term, places: vec![] };
        changing.place(free);
        changing
    }

    /// [`Active::refresh`].
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

    /// Adds the gradient at `x` to `gradient`; returns the energy. `slots` is scratch.
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
