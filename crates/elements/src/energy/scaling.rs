//! Stiffness that changes over time: elements remember what they were made with.
//!
//! \[Kee2021, Fig. 3\] hardens a torus while it spins. A term is rescaled in place, so that every kernel and every
//! capability has the new stiffness without knowing of it. The system matrix changes with it.

/// Numbers that are proportional to a stiffness, and the factor that they have now.
#[derive(Clone, Debug)]
pub struct Scaling {
    factor: f64,
    /// The numbers for the factor 1; empty as long as there was no other.
    made: Vec<f64>,
}

impl Default for Scaling {
    fn default() -> Self {
        Scaling { factor: 1.0, made: vec![] }
    }
}

impl Scaling {
    /// The factor now.
    pub fn factor(&self) -> f64 {
        self.factor
    }

    /// The numbers for a new factor; `None` if it is the one that they have. `now` gives the numbers that the elements have;
    /// it is asked the first time that there is another factor than 1.
    pub fn set(&mut self, factor: f64, now: impl FnOnce() -> Vec<f64>) -> Option<Vec<f64>> {
        if factor == self.factor {
            return None;
        }
        if self.made.is_empty() {
            self.made = now();
        }
        self.factor = factor;
        Some(self.made.iter().map(|made| factor * made).collect())
    }
}
