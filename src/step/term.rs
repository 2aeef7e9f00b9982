//! An energy as a part of a scene's objective.

use std::ops::{Deref, DerefMut};

use elements::energy::Energy;
use elements::math::track::Track;

/// An energy with the bodies that it belongs to and its stiffness over time.
pub struct Term {
    energy: Box<dyn Energy>,
    /// The numbers of the bodies whose vertices the energy moves, ascending.
    pub bodies: Vec<usize>,
    /// The factor on its stiffness over time; `None` means 1.
    stiffness: Option<Track<1>>,
    factor: f64,
}

impl Term {
    /// A term that belongs to the given bodies, ascending.
    pub fn new(energy: Box<dyn Energy>, bodies: Vec<usize>) -> Term {
        Term { energy, bodies, stiffness: None, factor: 1.0 }
    }

    /// Lets the stiffness follow `track`; false if the energy has no stiffness that can be scaled.
    pub fn follow(&mut self, track: &Track<1>) -> bool {
        [self.factor] = track.at(0.0);
        self.stiffness = Some(track.clone());
        self.energy.rescale(self.factor)
    }

    /// Sets quantities that depend on time to their values at `time` in seconds; true if the system matrix changes.
    pub fn set_time(&mut self, time: f64) -> bool {
        let moved = self.energy.set_time(time);
        let Some(track) = &self.stiffness else { return moved };
        let before = self.factor;
        [self.factor] = track.at(time);
        self.energy.rescale(self.factor);
        moved || self.factor != before
    }
}

impl Deref for Term {
    type Target = dyn Energy;

    fn deref(&self) -> &Self::Target {
        self.energy.as_ref()
    }
}

impl DerefMut for Term {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.energy.as_mut()
    }
}

impl AsRef<dyn Energy> for Term {
    fn as_ref(&self) -> &(dyn Energy + 'static) {
        self.energy.as_ref()
    }
}
