//! Viscosity of springs, ropes, fibres and hinges: the part βK of Rayleigh damping, lagged (see `viscosity`).
//!
//! ```text
//! D(x) = β κ/(2ĥ) (u·(z − ẑ))²,      u = z_m/|z_m|
//! ```
//!
//! Only the change of length along u counts, so that rotations are not damped, and only where z_m is outside of its
//! bounds: a slack rope resists nothing. Hinges that are flat at rest have no direction u. For them the whole of z − ẑ
//! counts, which slows a bent sheet a little when it turns.

use super::constraint::Corners;
use super::lengths::{CORNERS, Length, hash_lengths};
use super::proximal::{self, Proximal, Row};
use super::scaling::Scaling;
use super::vertex::{Expanding, Expansion, Memory, Points, Star, Vertexwise, take};
use super::{CHUNK, Energy, Role};
use crate::math::lanes::{Vec4, WIDTH};
use crate::math::symmetric::PLACES;
use crate::math::vec3::{dot, norm, scale, sub};

/// The part of D that is fixed at the start of a stage: the base ẑ and the direction u. Slack elements have neither,
/// and flat hinges have no u.
#[derive(Clone, Copy)]
enum Lag {
    Slack,
    Along { direction: [f64; 3], base: [f64; 3] },
    Whole { base: [f64; 3] },
}

/// The viscosity of a length term's elements.
pub struct LengthViscosityTerm {
    name: String,
    corners: usize,
    /// The elements of the length term, with their stiffness multiplied by β/ĥ.
    elements: Vec<Length>,
    lag: Vec<Lag>,
    scaling: Scaling,
}

impl LengthViscosityTerm {
    /// Makes the term with the `factor` β/ĥ. [`Energy::set_base`] has to be called before it is evaluated.
    pub fn new(name: String, corners: usize, elements: &[Length], factor: f64) -> LengthViscosityTerm {
        let damped = |e: &Length| Length { stiffness: factor * e.stiffness, ..*e };
        let lag = vec![Lag::Slack; elements.len()];
        LengthViscosityTerm {
            name,
            corners,
            elements: elements.iter().map(damped).collect(),
            lag,
            scaling: Scaling::default(),
        }
    }
}

impl LengthViscosityTerm {
    /// D of an element in J and its gradient in z.
    fn at(&self, element: usize, z: [f64; 3]) -> (f64, [f64; 3]) {
        let stiffness = self.elements[element].stiffness;
        match self.lag[element] {
            Lag::Slack => (0.0, [0.0; 3]),
            Lag::Along { direction, base } => {
                let rate = dot(direction, sub(z, base));
                (0.5 * stiffness * rate * rate, scale(stiffness * rate, direction))
            }
            Lag::Whole { base } => {
                let change = sub(z, base);
                (0.5 * stiffness * dot(change, change), scale(stiffness, change))
            }
        }
    }

    /// Entry (i, j) of the Hessian of D in z.
    fn bend(&self, element: usize, i: usize, j: usize) -> f64 {
        let part = match self.lag[element] {
            Lag::Slack => 0.0,
            Lag::Along { direction, .. } => direction[i] * direction[j],
            Lag::Whole { .. } => f64::from(i == j),
        };
        self.elements[element].stiffness * part
    }
}

impl Energy for LengthViscosityTerm {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn len(&self) -> usize {
        self.elements.len()
    }

    fn corners(&self) -> usize {
        self.corners
    }

    fn slots(&self) -> usize {
        self.elements.len() * self.corners
    }

    fn element(&self, index: usize) -> &[u32] {
        &self.elements[index].vertices[..self.corners]
    }

    fn evaluate(&self, chunk: usize, x: &[Vec4], slots: &mut [Vec4]) -> f64 {
        let first = chunk * CHUNK;
        let mut energy = 0.0;
        for (i, slots) in slots.chunks_exact_mut(self.corners).enumerate() {
            let e = &self.elements[first + i];
            let (part, force) = self.at(first + i, e.combine(x));
            energy += part;
            e.pull_back(&force, slots);
        }
        energy
    }

    fn element_system(&self, element: usize, out: &mut [f64]) {
        self.elements[element].system(self.corners, out);
    }

    fn hash_system(&self, hasher: &mut blake3::Hasher) {
        hasher.update(b"length viscosity");
        hash_lengths(&self.elements, self.corners, hasher);
    }

    fn is_projective(&self) -> bool {
        true
    }

    fn proximal(&self) -> Option<&dyn Proximal> {
        Some(self)
    }

    fn vertexwise(&self) -> Option<&dyn Vertexwise> {
        Some(self)
    }

    fn expanding(&self) -> Option<&dyn Expanding> {
        Some(self)
    }

    fn role(&self) -> Role {
        Role::Dissipation
    }

    fn rescale(&mut self, factor: f64) -> bool {
        let stiffness = self.scaling.set(factor, || self.elements.iter().map(|e| e.stiffness).collect());
        let values = stiffness.into_iter().flatten();
        self.elements.iter_mut().zip(values).for_each(|(element, value)| element.stiffness = value);
        true
    }

    fn set_base_of(&mut self, chunk: usize, middle: &[Vec4], base: &[Vec4]) {
        for i in chunk * CHUNK..self.elements.len().min((chunk + 1) * CHUNK) {
            let e = &self.elements[i];
            let (z, base) = (e.combine(middle), e.combine(base));
            let length = norm(z);
            let within = e.shortest < length && length < e.longest;
            self.lag[i] = if e.longest == 0.0 {
                Lag::Whole { base }
            } else if within || length < 1e-150 {
                Lag::Slack
            } else {
                Lag::Along { direction: scale(1.0 / length, z), base }
            };
        }
    }

    fn hessian(&self, element: usize, _x: &[Vec4], _project: bool, out: &mut [f64]) {
        let n = 3 * self.corners;
        let weights: [f64; CORNERS] = self.elements[element].weights;
        for i in 0..n {
            for j in 0..n {
                out[n * i + j] = weights[i / 3] * weights[j / 3] * self.bend(element, i % 3, j % 3);
            }
        }
    }
}

impl Vertexwise for LengthViscosityTerm {
    fn vertex_block(&self, star: &Star, x: &[Vec4], at: &Points, memory: &mut Memory, out: &mut Expansion) {
        star.each(self.corners, |lane, e, corner| {
            let z = self.elements[e].combine_at(self.corners, corner, x, at.map(|a| a[lane]));
            let (energy, force) = self.at(e, z);
            let w = self.elements[e].weights[corner];
            memory.push([z[0], z[1], z[2], w]);
            out.add(lane, energy, scale(w, force), PLACES.map(|(i, k)| w * w * self.bend(e, i, k)));
        });
    }

    fn vertex_energy(
        &self,
        star: &Star,
        shift: &Points,
        memory: &mut &[[f64; WIDTH]],
        out: &mut [f64; WIDTH],
    ) {
        let mut kept = take(memory, star.total()).iter();
        star.each(self.corners, |lane, e, _| {
            let Some([x, y, z, w]) = kept.next() else { return };
            let z = [x + w * shift[0][lane], y + w * shift[1][lane], z + w * shift[2][lane]];
            out[lane] += self.at(e, z).0;
        });
    }
}

impl Expanding for LengthViscosityTerm {
    fn expand(&self, elements: &[u32; WIDTH], x: &Corners, shares: &[[f64; WIDTH]; 4], out: &mut Expansion) {
        for (lane, e) in elements.iter().map(|e| *e as usize).enumerate() {
            let (z, w) = (self.elements[e].combine_lane(x, lane), self.elements[e].moved(shares, lane));
            let (energy, force) = self.at(e, z);
            out.add(lane, energy, scale(w, force), PLACES.map(|(i, k)| w * w * self.bend(e, i, k)));
        }
    }

    fn energies(&self, elements: &[u32; WIDTH], x: &Corners) -> [f64; WIDTH] {
        let energy = |lane: usize, e: usize| self.at(e, self.elements[e].combine_lane(x, lane)).0;
        std::array::from_fn(|lane| energy(lane, elements[lane] as usize))
    }
}

impl Proximal for LengthViscosityTerm {
    fn reduced(&self) -> usize {
        3
    }

    fn weight(&self, element: usize) -> f64 {
        self.elements[element].stiffness
    }

    fn reduce(&self, block: usize, x: &[Vec4], z: &mut [Row]) {
        proximal::each(block, self.elements.len(), z, |e, z| z.copy_from_slice(&self.elements[e].combine(x)));
    }

    fn pull_back(&self, block: usize, z: &[Row], slots: &mut [Vec4]) {
        proximal::each_slots(block, [self.elements.len(), self.corners], z, slots, |e, z, slots| {
            self.elements[e].pull_back(z, slots);
        });
    }

    /// Subtracts 1/(r + 1) of the damped part of z − ẑ from z.
    fn prox(&self, block: usize, ratio: f64, z: &mut [Row]) {
        proximal::each(block, self.elements.len(), z, |element, z| {
            let now = [z[0], z[1], z[2]];
            let damped = match self.lag[element] {
                Lag::Slack => [0.0; 3],
                Lag::Along { direction, base } => scale(dot(direction, sub(now, base)), direction),
                Lag::Whole { base } => sub(now, base),
            };
            z.copy_from_slice(&sub(now, scale(1.0 / (ratio + 1.0), damped)));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy::checks::{check_rescaling, check_term, evaluate, random};

    #[test]
    fn every_kind_passes_the_generic_check() {
        let mut r = random(4);
        let mut points = || (0..4).map(|_| Vec4::new([r(), r(), r()])).collect::<Vec<Vec4>>();
        let (middle, base, x) = (points(), points(), points());
        let elements = [
            Length::spring(0, 1, 3.0, 0.2, 0.2),
            Length::spring(1, 2, 3.0, 0.0, 9.0),
            Length::spring(2, 3, 1.0, 0.0, 0.1),
            Length::spring(3, 0, 2.0, 0.0, 0.0),
        ];
        let mut term = LengthViscosityTerm::new("springs".into(), 2, &elements, 0.5);
        term.set_base(&middle, &base);
        check_term(&term, &x, 1e-7);
        check_rescaling(&mut term, &x);
        proximal::checks::check_term(&term, &x);
        term.set_base(&middle, &x);
        assert_eq!(evaluate(&term, &x).0, 0.0, "what does not move is not damped");
    }
}
