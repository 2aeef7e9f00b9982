//! Bounds on principal stretches, as a law: stretches within the bounds cost nothing.
//!
//! ```text
//! Ψ(σ) = κ/2 Σ (σᵢ − clamp(σᵢ, [least, most]))²
//! ```
//!
//! \[Narain2016, 4.2; Wang2015\] use the hard set, on which this energy is 0. The energy grows with the square of the
//! distance ‖F − p(F)‖ from that set, so it is projective. In sheets the third stretch is 1 and takes no part.

use super::cells::Elements;
use super::law::{self, CONSTANTS, Curve, Law};
use super::tets::TetTerm;
use super::triangles::TriangleTerm;
use super::{Energy, Properties};
use crate::math::lanes::Number;
use crate::math::mat3::Mat3;

/// Constants: κ in Pa, least, most, with least ≤ 1 ≤ most.
#[derive(Clone, Debug)]
pub struct Limit;

impl Law for Limit {
    #[inline(always)]
    fn density_and_stress<L: Number>(&self, f: &Mat3<L>, constants: &[L; CONSTANTS]) -> (L, Mat3<L>) {
        law::by_stretches(self, f, constants)
    }

    #[inline(always)]
    fn a<L: Number>(&self, x: L, [stiffness, least, most]: &[L; CONSTANTS]) -> Curve<L> {
        let excess = x - x.max(*least).min(*most);
        let slope = *stiffness * excess;
        let bend = L::select(L::splat(0.0).lt(excess.abs()), *stiffness, L::splat(0.0));
        [L::splat(0.5) * slope * excess, slope, bend]
    }

    fn is_projective(&self) -> bool {
        true
    }

    fn is_hard(&self) -> bool {
        true
    }
}

/// The term of limits on tets.
pub fn tets(name: String, elements: Elements, properties: Properties) -> Box<dyn Energy> {
    Box::new(TetTerm::new(name, Limit, elements, properties))
}

/// The term of limits on triangles.
pub fn triangles(name: String, elements: Elements, properties: Properties) -> Box<dyn Energy> {
    Box::new(TriangleTerm::new(name, Limit, elements, properties))
}

#[cfg(test)]
mod tests {
    use super::*;

    // None of the stretches of the check falls on these bounds.
    mod generic {
        crate::energy::checks::check_material!(crate::energy::limit::Limit, [3.0, 0.7718, 1.3074]);
    }

    #[test]
    fn only_the_excess_costs() {
        let constants = [2.0, 0.9, 1.1];
        for (stretch, energy) in [(1.0, 0.0), (0.9, 0.0), (1.1, 0.0), (1.3, 0.04), (0.6, 0.09)] {
            assert!((law::expand_one(&Limit, &[stretch, 1.0, 1.0], &constants).0 - energy).abs() < 1e-15);
        }
    }
}
