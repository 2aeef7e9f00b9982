//! The logarithmic volume term that neo-Hookean and Mooney-Rivlin share.
//!
//! ```text
//! c(J) = −m ln J + λ/2 ln² J,      c′ = (λ ln J − m)/J,      c″ = (λ (1 − ln J) + m)/J²
//! ```
//!
//! Infinite for J ≤ 0. With [`Inversion::Extend`] it continues below [`J_MIN`] as its second-order Taylor
//! polynomial there, which is C² and finite for every J: inverted start states have a way back.

use crate::energy::material::Inversion;
use crate::math::lanes::{Number, ln};

/// Volume ratio below which the extension takes over.
pub const J_MIN: f64 = 0.2;

/// The volume term c and its derivatives c′ and c″ at the volume ratio `j`.
#[inline(always)]
pub fn barrier<L: Number>(j: L, m: L, lambda: L, inversion: Inversion) -> [L; 3] {
    let domain = match inversion {
        Inversion::Barrier => f64::MIN_POSITIVE,
        Inversion::Extend => J_MIN,
    };
    let below = j.lt(L::splat(domain));
    let safe = j.max(L::splat(domain));
    let log = ln(safe);
    let value = (L::splat(0.5) * lambda * log - m) * log;
    let slope = (lambda * log - m) / safe;
    let bend = (lambda * (L::splat(1.0) - log) + m) / (safe * safe);
    match inversion {
        Inversion::Barrier => [L::select(below, L::splat(f64::INFINITY), value), slope, bend],
        Inversion::Extend => {
            // Zero above J_MIN, where `safe` is J itself.
            let d = j - safe;
            [value + d * (slope + L::splat(0.5) * bend * d), slope + bend * d, bend]
        }
    }
}
