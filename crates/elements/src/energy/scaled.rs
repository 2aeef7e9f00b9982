//! A term whose stiffness changes over time: s(t) times another.
//!
//! \[Kee2021, Fig. 3\] hardens a torus while it spins. The system matrix changes with s, so the factor is made anew for
//! each of its values; where s stands still, nothing is.

use super::constraint::{Constraints, Corners, Form};
use super::proximal::{Proximal, Row};
use super::vertex::{Expansion, Memory, Points, Star, Vertexwise};
use super::{ElementState, Energy};
use crate::math::lanes::{Vec4, WIDTH};
use crate::math::track::Track;

/// s(t) times a term.
pub struct ScaledTerm {
    inner: Box<dyn Energy>,
    track: Track<1>,
    factor: f64,
}

impl ScaledTerm {
    /// `track` gives s, which is positive.
    pub fn new(inner: Box<dyn Energy>, track: Track<1>) -> ScaledTerm {
        let [factor] = track.at(0.0);
        ScaledTerm { inner, track, factor }
    }

    fn scale_slots(&self, energy: f64, slots: &mut [Vec4]) -> f64 {
        for slot in slots {
            slot.0 = slot.0.map(|c| self.factor * c);
        }
        self.factor * energy
    }
}

impl Energy for ScaledTerm {
    fn name(&self) -> String {
        self.inner.name()
    }

    fn len(&self) -> usize {
        self.inner.len()
    }

    fn corners(&self) -> usize {
        self.inner.corners()
    }

    fn slots(&self) -> usize {
        self.inner.slots()
    }

    fn element(&self, index: usize) -> &[u32] {
        self.inner.element(index)
    }

    fn evaluate(&self, chunk: usize, x: &[Vec4], slots: &mut [Vec4]) -> f64 {
        let energy = self.inner.evaluate(chunk, x, slots);
        self.scale_slots(energy, slots)
    }

    fn evaluate_projective(&self, chunk: usize, x: &[Vec4], slots: &mut [Vec4]) -> f64 {
        let energy = self.inner.evaluate_projective(chunk, x, slots);
        self.scale_slots(energy, slots)
    }

    fn add_system(&self, add: &mut dyn FnMut(u32, u32, f64)) {
        self.inner.add_system(&mut |row, column, value| add(row, column, self.factor * value));
    }

    fn hash_system(&self, hasher: &mut blake3::Hasher) {
        hasher.update(b"scaled");
        hasher.update(&self.factor.to_le_bytes());
        self.inner.hash_system(hasher);
    }

    fn is_projective(&self) -> bool {
        self.inner.is_projective()
    }

    fn proximal(&self) -> Option<&dyn Proximal> {
        self.inner.proximal().map(|_| self as &dyn Proximal)
    }

    fn vertexwise(&self) -> Option<&dyn Vertexwise> {
        self.inner.vertexwise().map(|_| self as &dyn Vertexwise)
    }

    fn is_dissipation(&self) -> bool {
        self.inner.is_dissipation()
    }

    fn scale(&self) -> f64 {
        self.factor * self.inner.scale()
    }

    fn hessian(&self, element: usize, x: &[Vec4], project: bool, out: &mut [f64]) {
        self.inner.hessian(element, x, project, out);
        out.iter_mut().for_each(|h| *h *= self.factor);
    }

    fn constraints(&self, form: Form) -> usize {
        self.inner.constraints(form)
    }

    fn constrain(
        &self,
        form: Form,
        index: usize,
        elements: &[u32; WIDTH],
        x: &Corners,
        out: &mut Constraints,
    ) {
        self.inner.constrain(form, index, elements, x, out);
        out.compliance = out.compliance.map(|a| a / self.factor);
    }

    fn set_time(&mut self, time: f64) -> bool {
        let [factor] = self.track.at(time);
        let changed = factor != self.factor;
        self.factor = factor;
        self.inner.set_time(time) || changed
    }

    fn set_base(&mut self, middle: &[Vec4], base: &[Vec4]) {
        self.inner.set_base(middle, base);
    }

    fn has_barrier(&self) -> bool {
        self.inner.has_barrier()
    }

    fn volumes(&self, chunk: usize, x: &[Vec4]) -> Option<(f64, usize)> {
        self.inner.volumes(chunk, x)
    }

    fn inspect(&self, chunk: usize, x: &[Vec4], states: &mut [ElementState]) -> bool {
        let has_states = self.inner.inspect(chunk, x, states);
        for state in states.iter_mut().filter(|_| has_states) {
            state.energy_density *= self.factor;
            state.von_mises *= self.factor;
        }
        has_states
    }
}

impl ScaledTerm {
    fn inner_proximal(&self) -> &dyn Proximal {
        self.inner.proximal().expect("asked for only where there is one")
    }

    fn inner_vertexwise(&self) -> &dyn Vertexwise {
        self.inner.vertexwise().expect("asked for only where it is")
    }
}

impl Vertexwise for ScaledTerm {
    fn numbers(&self, rows: &[[u32; WIDTH]]) -> Vec<[f64; WIDTH]> {
        self.inner_vertexwise().numbers(rows)
    }

    fn vertex_block(&self, star: &Star, x: &[Vec4], at: &Points, memory: &mut Memory, out: &mut Expansion) {
        let mut own = Expansion::default();
        self.inner_vertexwise().vertex_block(star, x, at, memory, &mut own);
        out.add_scaled(self.factor, &own);
    }

    fn vertex_energy(
        &self,
        star: &Star,
        shift: &Points,
        memory: &mut &[[f64; WIDTH]],
        out: &mut [f64; WIDTH],
    ) {
        let mut own = [0.0; WIDTH];
        self.inner_vertexwise().vertex_energy(star, shift, memory, &mut own);
        for (out, own) in out.iter_mut().zip(own) {
            *out += self.factor * own;
        }
    }
}

/// Energy and weight have the same factor, so that prox is that of the inner term.
impl Proximal for ScaledTerm {
    fn reduced(&self) -> usize {
        self.inner_proximal().reduced()
    }

    fn is_hard(&self) -> bool {
        self.inner_proximal().is_hard()
    }

    fn weight(&self, element: usize) -> f64 {
        self.factor * self.inner_proximal().weight(element)
    }

    fn reduce(&self, block: usize, x: &[Vec4], z: &mut [Row]) {
        self.inner_proximal().reduce(block, x, z);
    }

    fn pull_back(&self, block: usize, z: &[Row], slots: &mut [Vec4]) {
        self.inner_proximal().pull_back(block, z, slots);
    }

    fn prox(&self, block: usize, ratio: f64, z: &mut [Row]) {
        self.inner_proximal().prox(block, ratio, z);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy::checks::{check_constraints, check_term, evaluate};
    use crate::energy::lengths::{Length, LengthTerm};
    use crate::energy::proximal;
    use crate::math::track::Key;

    #[test]
    fn passes_the_generic_check_and_follows_its_track() {
        let springs = || LengthTerm::new("springs".into(), 2, vec![Length::spring(0, 1, 3.0, 1.0, 1.0)]);
        let key = |time, s| Key { time, value: [s] };
        let mut term = ScaledTerm::new(Box::new(springs()), Track::new(vec![key(1.0, 2.0), key(2.0, 4.0)]));
        let x = [Vec4::new([0.1, 0.2, 0.3]), Vec4::new([1.0, 2.0, -0.5])];
        assert!(!term.set_time(0.5) && term.set_time(1.5) && !term.set_time(1.5));
        check_term(&term, &x, 1e-7);
        check_constraints(&term, &x);
        proximal::checks::check_term(&term, &x);
        assert_eq!(evaluate(&term, &x).0, 3.0 * evaluate(&springs(), &x).0);
    }
}
