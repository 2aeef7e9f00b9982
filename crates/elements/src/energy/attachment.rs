//! Soft pins: springs of zero rest length between vertices and moving targets.
//!
//! ```text
//! E = κ/2 |x_v − target_v(t)|²
//! ```
//!
//! The energy is quadratic: its Hessian κI is constant and is also its part of the system matrix
//! \[Ledwon2024, 4.2\]. If the targets are the base positions x̂ of a stage and κ = α m/ĥ, the force is −α m
//! v: the part αM of Rayleigh damping.

use super::constraint::{Compliant, Constraints, Corners, Form};
use super::proximal::{self, Proximal, Row};
use super::vertex::{Expansion, Memory, Points, Star, Vertexwise, take};
use super::{CHUNK, Energy, Role};
use crate::math::lanes::{Vec4, WIDTH};
use crate::math::vec3::{add, dot, scale, sub};

/// A soft pin: one vertex and the stiffness of the spring that pulls it to its target.
#[derive(Clone, Debug)]
pub struct Attachment {
    /// The number of the pinned vertex.
    pub vertex: u32,
    /// The stiffness κ of the spring, in N/m.
    pub stiffness: f64,
}

/// Where each target is at a time in seconds.
pub type Targets = Box<dyn Fn(f64) -> Vec<Vec4> + Send + Sync>;

/// The soft pins of a scene, or the drag on its vertices.
pub struct AttachmentTerm {
    attachments: Vec<Attachment>,
    source: Source,
    targets: Vec<Vec4>,
    /// The factor on all stiffnesses.
    factor: f64,
}

/// Where targets come from.
enum Source {
    /// From a path over time.
    Path(Targets),
    /// From [`Energy::set_targets`].
    Told,
    /// They are the base positions of each stage, which makes the springs a drag.
    Base,
}

impl AttachmentTerm {
    /// `path` gives as many targets as there are attachments, in their order.
    pub fn new(attachments: Vec<Attachment>, path: Targets) -> Self {
        let targets = path(0.0);
        AttachmentTerm { attachments, source: Source::Path(path), targets, factor: 1.0 }
    }

    /// Springs without stiffness at first, which begin and end by [`Energy::rescale`]. [`Energy::set_targets`] tells their
    /// targets, in the order of the attachments.
    pub fn passing(attachments: Vec<Attachment>) -> Self {
        let targets = vec![Vec4::ZERO; attachments.len()];
        AttachmentTerm { attachments, source: Source::Told, targets, factor: 0.0 }
    }

    /// A drag that resists all motion. [`Energy::set_base`] has to be called before the term is evaluated.
    pub fn drag(attachments: Vec<Attachment>) -> Self {
        let targets = vec![Vec4::ZERO; attachments.len()];
        AttachmentTerm { attachments, source: Source::Base, targets, factor: 1.0 }
    }

    /// The stiffness of a spring in N/m.
    fn stiffness(&self, element: usize) -> f64 {
        self.factor * self.attachments[element].stiffness
    }

    fn is_drag(&self) -> bool {
        matches!(self.source, Source::Base)
    }
}

impl Energy for AttachmentTerm {
    fn name(&self) -> String {
        if self.is_drag() { "drag".into() } else { "soft pins".into() }
    }

    fn len(&self) -> usize {
        self.attachments.len()
    }

    fn corners(&self) -> usize {
        1
    }

    fn slots(&self) -> usize {
        self.attachments.len()
    }

    fn element(&self, index: usize) -> &[u32] {
        std::slice::from_ref(&self.attachments[index].vertex)
    }

    fn evaluate(&self, chunk: usize, x: &[Vec4], slots: &mut [Vec4]) -> f64 {
        let mut energy = 0.0;
        for (i, slot) in slots.iter_mut().enumerate() {
            let (a, stiffness) = (&self.attachments[chunk * CHUNK + i], self.stiffness(chunk * CHUNK + i));
            let target = self.targets[chunk * CHUNK + i].0;
            let d: [f64; 4] = std::array::from_fn(|k| x[a.vertex as usize].0[k] - target[k]);
            energy += 0.5 * stiffness * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
            *slot = Vec4(d.map(|d| stiffness * d));
        }
        energy
    }

    fn element_system(&self, element: usize, out: &mut [f64]) {
        out[0] = self.stiffness(element);
    }

    fn hash_system(&self, hasher: &mut blake3::Hasher) {
        hasher.update(b"attachments");
        hasher.update(&(self.len() as u64).to_le_bytes());
        for (i, a) in self.attachments.iter().enumerate() {
            hasher.update(&a.vertex.to_le_bytes());
            hasher.update(&self.stiffness(i).to_le_bytes());
        }
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

    fn hessian(&self, element: usize, _x: &[Vec4], _project: bool, out: &mut [f64]) {
        out.fill(0.0);
        for i in 0..3 {
            out[4 * i] = self.stiffness(element);
        }
    }

    fn compliant(&self) -> Option<&dyn Compliant> {
        (!self.is_drag()).then_some(self as &dyn Compliant)
    }

    fn role(&self) -> Role {
        if self.is_drag() { Role::Dissipation } else { Role::Anchor }
    }

    fn set_time(&mut self, time: f64) -> bool {
        if let Source::Path(path) = &self.source {
            self.targets = path(time);
        }
        false
    }

    fn rescale(&mut self, factor: f64) -> bool {
        self.factor = factor;
        true
    }

    fn set_targets(&mut self, targets: &[Vec4]) {
        self.targets.copy_from_slice(targets);
    }

    fn set_base_of(&mut self, chunk: usize, _middle: &[Vec4], base: &[Vec4]) {
        if self.is_drag() {
            let own = self.targets.iter_mut().zip(&self.attachments).skip(chunk * CHUNK).take(CHUNK);
            own.for_each(|(target, a)| *target = base[a.vertex as usize]);
        }
    }
}

impl Compliant for AttachmentTerm {
    fn constraints(&self, _form: Form) -> usize {
        3
    }

    /// One constraint for each coordinate. They are linear, so that one projection solves each of them exactly.
    fn constrain(
        &self,
        _form: Form,
        index: usize,
        elements: &[u32; WIDTH],
        x: &Corners,
        out: &mut Constraints,
    ) {
        out.bounds = [[0.0; WIDTH]; 2];
        out.gradient[0] = [[0.0; WIDTH]; 3];
        // Without a gradient nothing moves, even where every constraint is hard.
        out.gradient[0][index] = [if self.factor == 0.0 { 0.0 } else { 1.0 }; WIDTH];
        for (lane, e) in elements.iter().map(|e| *e as usize).enumerate() {
            out.value[lane] = x[0][index][lane] - self.targets[e].0[index];
            out.compliance[lane] = 1.0 / self.stiffness(e);
        }
    }
}

impl Vertexwise for AttachmentTerm {
    fn vertex_block(&self, star: &Star, _x: &[Vec4], at: &Points, memory: &mut Memory, out: &mut Expansion) {
        star.each(1, |lane, e, _| {
            let k = self.stiffness(e);
            let d = sub(at.map(|a| a[lane]), self.targets[e].xyz());
            memory.push([d[0], d[1], d[2], k]);
            out.add(lane, 0.5 * k * dot(d, d), scale(k, d), [k, k, k, 0.0, 0.0, 0.0]);
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
        star.each(1, |lane, _, _| {
            let Some([x, y, z, k]) = kept.next() else { return };
            let d = add([*x, *y, *z], shift.map(|s| s[lane]));
            out[lane] += 0.5 * k * dot(d, d);
        });
    }
}

/// The split variable is z = x − target.
impl Proximal for AttachmentTerm {
    fn reduced(&self) -> usize {
        3
    }

    fn weight(&self, element: usize) -> f64 {
        self.stiffness(element)
    }

    fn reduce(&self, block: usize, x: &[Vec4], z: &mut [Row]) {
        proximal::each(block, self.attachments.len(), z, |element, z| {
            let (x, target) = (x[self.attachments[element].vertex as usize].0, self.targets[element].0);
            for k in 0..3 {
                z[k] = x[k] - target[k];
            }
        });
    }

    fn pull_back(&self, block: usize, z: &[Row], slots: &mut [Vec4]) {
        proximal::each_slots(block, [self.attachments.len(), 1], z, slots, |_, z, slots| {
            slots[0] = Vec4::new([z[0], z[1], z[2]]);
        });
    }

    fn prox(&self, _block: usize, ratio: f64, z: &mut [Row]) {
        z.as_flattened_mut().iter_mut().for_each(|z| *z *= ratio / (ratio + 1.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_the_generic_check() {
        let attachments =
            vec![Attachment { vertex: 1, stiffness: 3.0 }, Attachment { vertex: 0, stiffness: 0.5 }];
        let path = Box::new(|t: f64| vec![Vec4::new([t, 1.0, 2.0]), Vec4::new([0.0, -t, 0.5])]);
        let mut term = AttachmentTerm::new(attachments, path);
        term.set_time(0.25);
        let x = [Vec4::new([0.3, -0.2, 0.9]), Vec4::new([1.0, 2.0, -0.4])];
        crate::energy::checks::check_term(&term, &x, 1e-8);
        crate::energy::checks::check_constraints(&term, &x);
        proximal::checks::check_term(&term, &x);
        let mut drag = AttachmentTerm::drag(vec![Attachment { vertex: 1, stiffness: 3.0 }]);
        drag.set_base(&x, &x);
        assert_eq!(crate::energy::checks::evaluate(&drag, &x).0, 0.0);
        let moved = [x[0], Vec4::new([1.0, 2.5, -0.4])];
        assert_eq!(crate::energy::checks::evaluate(&drag, &moved).1[1], [0.0, 1.5, 0.0]);
    }

    #[test]
    fn passing_springs_pull_once_they_have_begun() {
        let mut term = AttachmentTerm::passing(vec![Attachment { vertex: 1, stiffness: 3.0 }]);
        let x = [Vec4::new([0.3, -0.2, 0.9]), Vec4::new([1.0, 2.0, -0.4])];
        term.set_targets(&[Vec4::new([1.0, 2.5, -0.4])]);
        term.set_time(7.0);
        assert_eq!(crate::energy::checks::evaluate(&term, &x), (0.0, vec![[0.0; 3]; 2]));
        assert!(term.rescale(1.0));
        crate::energy::checks::check_term(&term, &x, 1e-8);
        crate::energy::checks::check_constraints(&term, &x);
        let (energy, gradient) = crate::energy::checks::evaluate(&term, &x);
        assert_eq!((energy, gradient[1]), (0.375, [0.0, -1.5, 0.0]));
    }
}
