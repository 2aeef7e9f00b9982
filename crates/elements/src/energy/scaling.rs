//! Stiffness that changes over time: elements remember the stiffness that they were made with.
//!
//! \[Kee2021, Fig. 3\] hardens a torus while it spins. A term is rescaled in place, so that every kernel and every
//! capability has the new stiffness without knowing of it. The system matrix changes with it.

/// Numbers that are proportional to a stiffness, and the factor that is applied to them at present.
#[derive(Clone, Debug)]
pub struct Scaling {
    factor: f64,
    /// The numbers for the factor 1; empty until another factor is set.
    made: Vec<f64>,
}

impl Default for Scaling {
    fn default() -> Self {
        Scaling { factor: 1.0, made: vec![] }
    }
}

impl Scaling {
    /// The factor that is applied at present.
    pub fn factor(&self) -> f64 {
        self.factor
    }

    /// Sets the factor and returns the numbers for it, or `None` if the factor stays the same. `now` gives the present
    /// numbers of the elements; it is called only when the factor differs from 1 for the first time.
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
