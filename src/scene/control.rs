//! What users ask of the momenta and the energy of a body.

use crate::step::constraint::Kept;
use elements::math::track::Track;

/// The hand on momenta and energy.
#[derive(Clone, Debug, PartialEq)]
pub struct Control {
    /// The quantities that are kept.
    pub conserve: Kept,
    /// γ in 1/s, ≥ 0: the rate at which the energy beyond that of the momenta is lost.
    pub damping: f64,
    /// P in kg·m/s over time; `None`: as the motion has it.
    pub linear: Option<Track<3>>,
    /// L about the centre of mass in kg·m²/s over time.
    pub angular: Option<Track<3>>,
    /// H in J over time.
    pub energy: Option<Track<1>>,
}

/// What is prescribed at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wish {
    /// The linear momentum P in kg·m/s.
    pub linear: Option<[f64; 3]>,
    /// The angular momentum L about the centre of mass in kg·m²/s.
    pub angular: Option<[f64; 3]>,
    /// The energy H in J.
    pub energy: Option<f64>,
}

impl Control {
    /// What is prescribed at `time` (s).
    pub fn at(&self, time: f64) -> Wish {
        Wish {
            linear: self.linear.as_ref().map(|track| track.at(time)),
            angular: self.angular.as_ref().map(|track| track.at(time)),
            energy: self.energy.as_ref().map(|track| track.at(time)[0]),
        }
    }
}

impl Default for Control {
    fn default() -> Self {
        Control {
            conserve: Kept { linear: true, angular: true, energy: true },
            damping: 0.0,
            linear: None,
            angular: None,
            energy: None,
        }
    }
}
