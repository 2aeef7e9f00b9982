//! Soft pins: their impulse, and what their springs are in H.
//!
//! ```text
//! F = κ (x − t),      P⁺ = P − h Σ F(x_n),      L⁺ = L − h Σ (x_n − o) × F(x_n),      H has E − h/2 F(x)·v
//! ```
//!
//! Booked at x, the impulse would damp every swing; booked at x_n, it makes a rigid body on springs move by symplectic
//! Euler, which neither damps nor feeds. That motion does not keep H: its velocities are those in the middle of steps,
//! its positions those at their ends. What it keeps, exactly on linear springs, has their energy half a step before, E
//! − h/2 F·v. To ask for P, L and the plain H would be to ask for two different motions, and vibrations that grow
//! without bound would make up the difference; to leave P and L alone would let the line of a swing open to a circle.
//! With v = (x − x_n)/h,
//!
//! ```text
//! E − h/2 F·v = E(x_n) + ½ F(x_n)·(x − x_n),      q = M v_n/h − ½ F(x_n) − κ (x − x_n)
//! ```
//!
//! so q of `constraint` depends on x here. Symplectic Euler is stable where h² times the squared frequency is below 4. Where pins
//! are stiffer than the step can follow, they count as hard ones: they take P and L away, and H has E itself. The
//! velocities of the implicit midpoint rule are those at the ends of steps: projections after it have no lag.

use super::{Member, Moments, Shape};
use crate::model::State;
use crate::step::Objective;
use crate::step::constraint::Spring;
use elements::energy::{CHUNK, chunks};
use elements::math::lanes::Vec4;
use elements::math::vec3::{dot, scale, sub};

/// h² (Σκ/M + Σκ|r|²/I) of springs that a step can follow, a quarter of where their motion becomes unstable.
const FOLLOWED: f64 = 1.0;

impl Member {
    /// True where pins take P and L away: hard ones, and soft ones that a step of `duration` cannot follow from `x`.
    pub(super) fn is_held(&self, objective: &Objective, x: &[Vec4], duration: f64) -> bool {
        if self.is_fixed || self.pins.is_empty() {
            return self.is_fixed;
        }
        let shape = Shape::new(&self.vertices, &objective.mass, x);
        let (mut linear, mut angular) = (0.0, 0.0);
        for spring in self.springs(objective, x) {
            let arm = sub(x[spring.vertex as usize].xyz(), shape.centre);
            linear += spring.stiffness;
            angular += spring.stiffness * dot(arm, arm);
        }
        let least = shape.moments.0.iter().copied().fold(f64::MAX, f64::min);
        duration * duration * (linear / shape.mass + angular / least) > FOLLOWED
    }

    /// The soft pins with vertices at `x`, and targets where the terms have them; none of a body that is held.
    pub(super) fn springs(&self, objective: &Objective, x: &[Vec4]) -> Vec<Spring> {
        let mut out = vec![];
        for term in self.pins.iter().filter(|_| !self.is_held).map(|t| &objective.terms[*t]) {
            let mut slots = vec![Vec4::ZERO; term.slots()];
            for (chunk, slots) in slots.chunks_mut(CHUNK).enumerate().take(chunks(term.as_ref())) {
                term.evaluate(chunk, x, slots);
            }
            let mut slopes = slots.iter();
            term.add_system(&mut |vertex, _, stiffness| {
                let slope = slopes.next().map_or([0.0; 3], |slope| slope.xyz());
                // Those of pins that do not hold now have no stiffness.
                if stiffness > 0.0 {
                    out.push(Spring { vertex, stiffness, place: x[vertex as usize].xyz(), slope });
                }
            });
        }
        out
    }

    /// What H has less than E of the springs, in J.
    pub(super) fn lag_energy(&self, objective: &Objective, state: &State) -> f64 {
        let springs = if self.lag > 0.0 { self.springs(objective, &state.x) } else { vec![] };
        let power = |s: &Spring| dot(s.slope, state.v[s.vertex as usize].xyz());
        self.lag * springs.iter().map(power).sum::<f64>()
    }
}

/// The impulse of springs in a duration in s, with its moment about a centre.
pub(super) fn impulse(springs: &[Spring], centre: [f64; 3], x: &[Vec4], duration: f64) -> Moments {
    let mut total = Moments::default();
    for s in springs {
        total.add(sub(x[s.vertex as usize].xyz(), centre), scale(-duration, s.slope));
    }
    total
}
