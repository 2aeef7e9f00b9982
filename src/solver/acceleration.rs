//! Chebyshev's semi-iteration: how far each iteration is extrapolated, and the spectral radius that determines it.
//!
//! ```text
//! x_{k+1} = ω (x̂ − x_{k−1}) + x_{k−1},      ω = 1 for the first S iterations, then 2/(2 − ρ²), then 4/(4 − ρ² ω)
//! ```
//!
//! \[Wang2015, Alg. 1\]; x̂ is where the iteration alone would go from x_k.
//!
//! ρ is the spectral radius of that iteration. Unless it is given, it is the rate at which the increments of a
//! pre-simulation shrink: the first step of the scene, iterated without acceleration. That rate is cached. It
//! approaches ρ from below, which is the safe side: with too large a ρ the iterates oscillate.

use crate::cache::{Array, Cache, Cached, Check, Key, Outcome};
use crate::error::Result;

/// The largest number of iterations of the pre-simulation.
const PRESIMULATION: usize = 200;
/// The pre-simulation ends when the rate changes by less than this part of its distance from 1.
const SETTLED: f64 = 1e-3;
/// The largest ρ. With a greater one, acceleration would remember more iterations than a step has.
const MAX_RHO: f64 = 0.99999;

/// The spectral radius ρ, and the factor ω over the iterations of a step.
#[derive(Clone, Default)]
pub(super) struct Acceleration {
    given: bool,
    /// The spectral radius ρ of the plain iteration.
    pub(super) rho: f64,
    delay: u64,
    iteration: u64,
    omega: f64,
}

impl Acceleration {
    /// From checked options: ρ, if it is given, and the number of iterations before acceleration begins.
    pub(super) fn new(rho: Option<f64>, delay: Option<u64>) -> Acceleration {
        // The first iteration has no earlier iterate to extrapolate from.
        let delay = delay.unwrap_or(10).max(1);
        Acceleration { given: rho.is_some(), rho: rho.unwrap_or(0.0), delay, iteration: 0, omega: 1.0 }
    }

    /// Starts a step: ω is 1 again.
    pub(super) fn begin_step(&mut self) {
        (self.iteration, self.omega) = (0, 1.0);
    }

    /// Goes on as if the delay had just ended.
    pub(super) fn begin_anew(&mut self) {
        self.iteration = self.delay;
    }

    /// True after an iteration with ω above 1.
    pub(super) fn is_on(&self) -> bool {
        self.iteration > self.delay
    }

    /// The factor ω of the next iteration.
    pub(super) fn advance(&mut self) -> f64 {
        let square = self.rho * self.rho;
        self.omega = match self.iteration.cmp(&self.delay) {
            std::cmp::Ordering::Less => 1.0,
            std::cmp::Ordering::Equal => 2.0 / (2.0 - square),
            std::cmp::Ordering::Greater => 4.0 / (4.0 - square * self.omega),
        };
        self.iteration += 1;
        self.omega
    }

    /// Finds ρ by a pre-simulation, unless it was given. Each call of `iterate` makes one iteration and returns the
    /// size of its increment. Returns a note for the user that tells ρ, or `None` if it was given.
    pub(super) fn tune(
        &mut self,
        key: &Key,
        cache: &Cache,
        mut iterate: impl FnMut() -> f64,
    ) -> Result<Option<String>> {
        if self.given {
            return Ok(None);
        }
        let (Rate(rho), outcome) = cache.fetch(key, |_| true, || Ok(Rate(rate(&mut iterate))))?;
        self.rho = rho;
        let from = if outcome == Outcome::Hit { "from the cache" } else { "by pre-simulation" };
        Ok(Some(format!("rho = {rho:.6} ({from})")))
    }
}

/// The rate at which increments shrink.
fn rate(iterate: &mut impl FnMut() -> f64) -> f64 {
    let (mut last, mut rate) = (0.0, 0.0);
    for k in 0..PRESIMULATION {
        let size = iterate();
        if size == 0.0 {
            break;
        }
        let new_rate = if k == 0 { 0.0 } else { size / last };
        let settled = k > 20 && (new_rate - rate).abs() < SETTLED * (1.0 - new_rate).abs();
        (last, rate) = (size, new_rate);
        if settled {
            break;
        }
    }
    rate.clamp(0.0, MAX_RHO)
}

/// A spectral radius ρ as the cache stores it.
struct Rate(f64);

/// The check of spectral radii in the cache.
pub(super) const CHECK: Check = Check::of::<Rate>();

impl Cached for Rate {
    const KIND: &'static str = "rho";
    const VERSION: u32 = 1;

    fn to_arrays(&self) -> Vec<Array> {
        vec![Array::F64(vec![self.0])]
    }

    fn from_arrays(arrays: Vec<Array>) -> Option<Self> {
        match arrays.as_slice() {
            [Array::F64(values)] if values.len() == 1 && (0.0..1.0).contains(&values[0]) => {
                Some(Rate(values[0]))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_that_of_the_slowest_part() {
        let mut k = 0;
        let found = rate(&mut || {
            k += 1;
            3.0 * 0.9f64.powi(k) + 5.0 * 0.3f64.powi(k)
        });
        assert!((found - 0.9).abs() < 1e-4, "{found}");
        assert_eq!(rate(&mut || 0.0), 0.0);
    }

    #[test]
    fn omega_tends_to_the_best_constant_one() {
        // The fixed point of 4/(4 − ρ²ω) is 2/(1 + √(1 − ρ²)).
        let mut a = Acceleration::new(Some(0.95), Some(3));
        for _ in 0..3 {
            assert_eq!(a.advance(), 1.0);
        }
        assert_eq!(a.advance(), 2.0 / (2.0 - 0.95 * 0.95));
        let last = (0..200).map(|_| a.advance()).last().unwrap();
        assert!((last - 2.0 / (1.0 + (1.0f64 - 0.95 * 0.95).sqrt())).abs() < 1e-12);
        a.begin_step();
        assert_eq!(a.advance(), 1.0);
    }
}
