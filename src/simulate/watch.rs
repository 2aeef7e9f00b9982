//! The path of a step, for tests: every place that its minimization accepts.
//!
//! A step goes from one accepted place to the next by straight motions: from the last positions to the start of the
//! minimization, perhaps in parts, from iterate to iterate, and so on. Where it gives a path up and goes back to the last
//! positions (see `start`), another path begins there. The last path ends where the step ends.

use super::Simulation;
use elements::math::lanes::Vec4;

/// How a step came to a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    /// A path begins here, at the end of the step before.
    Begin,
    /// By a straight motion of all vertices from the place before.
    Straight,
}

/// What is told each place, with the positions of all vertices in m, internal numbering.
pub type Watcher = Box<dyn FnMut(Passed, &[Vec4]) + Send>;

impl Simulation {
    /// Lets `watcher` see every place that the steps from now on accept, in order.
    #[doc(hidden)]
    pub fn watch(&mut self, watcher: Watcher) {
        self.watcher = Some(watcher);
    }

    /// Tells the watcher that a path begins at the last positions.
    pub(super) fn begin_path(&mut self) {
        if let Some(watcher) = &mut self.watcher {
            watcher(Passed::Begin, &self.state.x);
        }
    }

    /// Tells the watcher that the iterate was reached by a straight motion.
    pub(super) fn pass_iterate(&mut self) {
        if let Some(watcher) = &mut self.watcher {
            watcher(Passed::Straight, &self.iterate.x);
        }
    }

    /// Tells the watcher that the step's end was reached by a straight motion.
    pub(super) fn pass_end(&mut self) {
        if let Some(watcher) = &mut self.watcher {
            watcher(Passed::Straight, &self.state.x);
        }
    }
}
