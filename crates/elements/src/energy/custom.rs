//! Energies from outside: a few functions of the corners of an element, and the term that is made of them.
//!
//! Who adds an energy gives its value, gradient and Hessian for one element ([`ElementEnergy`]). The share of the system
//! matrix, which holds one number for each pair of corners, is taken from the clamped Hessian at rest. Where all of its 3×3
//! blocks are multiples of I, as of energies like w/2 |D x|², it is those multiples; else it is their traces, which bound
//! what acts along one direction, as a spring does.

use super::{CHUNK, Energy};
use crate::math::eigen::clamp;
use crate::math::lanes::Vec4;

/// An energy of elements that have a number of corners each.
///
/// ```
/// use elements::energy::custom::ElementEnergy;
///
/// /// κ/2 (height − wanted)² of single vertices.
/// struct Height { body: String, vertices: Vec<[u32; 1]>, stiffness: f64, wanted: f64 }
///
/// impl ElementEnergy for Height {
///     fn name(&self) -> String { "height".into() }
///     fn body(&self) -> &str { &self.body }
///     fn corners(&self) -> usize { 1 }
///     fn elements(&self) -> Vec<u32> { self.vertices.as_flattened().to_vec() }
///     fn evaluate(&self, _: usize, x: &[[f64; 3]], gradient: &mut [[f64; 3]]) -> f64 {
///         let d = x[0][1] - self.wanted;
///         gradient[0] = [0.0, self.stiffness * d, 0.0];
///         0.5 * self.stiffness * d * d
///     }
///     fn hessian(&self, _: usize, _: &[[f64; 3]], out: &mut [f64]) {
///         out.fill(0.0);
///         out[4] = self.stiffness;
///     }
/// }
/// ```
pub trait ElementEnergy: Send + Sync {
    /// The energy for messages.
    fn name(&self) -> String;

    /// The name of the body whose vertices it moves.
    fn body(&self) -> &str;

    /// Corners of an element, at least 1.
    fn corners(&self) -> usize;

    /// The vertices of all elements, `corners` for each, by their numbers in the body's mesh.
    fn elements(&self) -> Vec<u32>;

    /// The energy (J) of an element whose corners are at `x` (m), and its gradient (N); infinite outside the domain.
    fn evaluate(&self, element: usize, x: &[[f64; 3]], gradient: &mut [[f64; 3]]) -> f64;

    /// Its Hessian (N/m), row major, (3·corners)² numbers.
    fn hessian(&self, element: usize, x: &[[f64; 3]], out: &mut [f64]);

    /// True where the Hessian is nowhere above the one at rest: `pd` and `chebyshev` then converge.
    fn is_projective(&self) -> bool {
        false
    }
}

/// The term of an [`ElementEnergy`].
pub struct CustomTerm {
    energy: Box<dyn ElementEnergy>,
    /// Vertices of all elements, in the numbering of the objective.
    vertices: Vec<u32>,
    /// The share of the system matrix: corners² numbers for each element.
    system: Vec<f64>,
}

impl CustomTerm {
    /// `number` gives the objective's number of a vertex of the body, `rest` the rest position of each of those. All
    /// vertices are there. `Err` holds what is wrong with the elements.
    pub fn new(
        energy: Box<dyn ElementEnergy>,
        number: impl Fn(u32) -> u32,
        rest: &[Vec4],
    ) -> Result<CustomTerm, String> {
        let (corners, given) = (energy.corners(), energy.elements());
        if corners == 0 || !given.len().is_multiple_of(corners) {
            return Err(format!("{} vertices are no elements of {corners} corners", given.len()));
        }
        let vertices = given.iter().map(|v| number(*v)).collect();
        let mut term = CustomTerm { energy, vertices, system: vec![] };
        let mut hessian = vec![0.0; 9 * corners * corners];
        for e in 0..term.len() {
            term.hessian(e, rest, true, &mut hessian);
            term.system.extend(share(corners, &hessian));
        }
        Ok(term)
    }

    fn corners_at(&self, element: usize, x: &[Vec4]) -> Vec<[f64; 3]> {
        self.element(element).iter().map(|v| x[*v as usize].xyz()).collect()
    }
}

/// The share of the system matrix of an element with this Hessian.
fn share(corners: usize, hessian: &[f64]) -> Vec<f64> {
    let at = |a: usize, b: usize, i: usize, j: usize| hessian[3 * corners * (3 * a + i) + 3 * b + j];
    let pairs = || (0..corners).flat_map(|a| (0..corners).map(move |b| (a, b)));
    let trace = |(a, b)| (0..3).map(|k| at(a, b, k, k)).sum::<f64>();
    let largest = pairs().map(|pair| trace(pair).abs()).fold(0.0, f64::max);
    let is_isotropic = pairs().all(|(a, b)| {
        let mean = trace((a, b)) / 3.0;
        (0..9).all(|k| (at(a, b, k / 3, k % 3) - mean * f64::from(k / 3 == k % 3)).abs() <= 1e-9 * largest)
    });
    pairs().map(|pair| trace(pair) * if is_isotropic { 1.0 / 3.0 } else { 1.0 }).collect()
}

impl Energy for CustomTerm {
    fn name(&self) -> String {
        format!("{} of body '{}'", self.energy.name(), self.energy.body())
    }

    fn len(&self) -> usize {
        self.vertices.len() / self.corners()
    }

    fn corners(&self) -> usize {
        self.energy.corners()
    }

    fn slots(&self) -> usize {
        self.vertices.len()
    }

    fn element(&self, index: usize) -> &[u32] {
        let corners = self.corners();
        &self.vertices[corners * index..corners * (index + 1)]
    }

    fn evaluate(&self, chunk: usize, x: &[Vec4], slots: &mut [Vec4]) -> f64 {
        let corners = self.corners();
        let mut gradient = vec![[0.0; 3]; corners];
        let mut sum = 0.0;
        for (i, slots) in slots.chunks_exact_mut(corners).enumerate() {
            let element = chunk * CHUNK + i;
            sum += self.energy.evaluate(element, &self.corners_at(element, x), &mut gradient);
            slots.iter_mut().zip(&gradient).for_each(|(slot, g)| *slot = Vec4::new(*g));
        }
        sum
    }

    fn element_system(&self, element: usize, out: &mut [f64]) {
        out.copy_from_slice(&self.system[element * out.len()..][..out.len()]);
    }

    fn hash_system(&self, hasher: &mut blake3::Hasher) {
        hasher.update(b"custom");
        hasher.update(&(self.corners() as u64).to_le_bytes());
        hasher.update(bytemuck::cast_slice(&self.vertices));
        hasher.update(bytemuck::cast_slice(&self.system));
    }

    fn is_projective(&self) -> bool {
        self.energy.is_projective()
    }

    fn hessian(&self, element: usize, x: &[Vec4], project: bool, out: &mut [f64]) {
        self.energy.hessian(element, &self.corners_at(element, x), out);
        if project {
            clamp(3 * self.corners(), out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy::checks::{check_derivatives, random};

    /// κ/2 (|b − a| − 1)².
    struct Spring;

    impl ElementEnergy for Spring {
        fn name(&self) -> String {
            "spring".into()
        }

        fn body(&self) -> &str {
            "rope"
        }

        fn corners(&self) -> usize {
            2
        }

        fn elements(&self) -> Vec<u32> {
            vec![0, 1, 1, 2]
        }

        fn evaluate(&self, _: usize, x: &[[f64; 3]], gradient: &mut [[f64; 3]]) -> f64 {
            let z: [f64; 3] = std::array::from_fn(|k| x[1][k] - x[0][k]);
            let length = z.iter().map(|z| z * z).sum::<f64>().sqrt();
            gradient[1] = z.map(|z| 3.0 * (length - 1.0) * z / length);
            gradient[0] = gradient[1].map(|g| -g);
            1.5 * (length - 1.0) * (length - 1.0)
        }

        fn hessian(&self, _: usize, x: &[[f64; 3]], out: &mut [f64]) {
            let z: [f64; 3] = std::array::from_fn(|k| x[1][k] - x[0][k]);
            let square = z.iter().map(|z| z * z).sum::<f64>();
            let length = square.sqrt();
            for (k, out) in out.iter_mut().enumerate() {
                let (i, j) = (k / 6 % 3, k % 6 % 3);
                let turning = 1.0 - 1.0 / length;
                let block = 3.0 * (turning * f64::from(i == j) + z[i] * z[j] / (length * square));
                *out = if (k / 6 < 3) == (k % 6 < 3) { block } else { -block };
            }
        }
    }

    #[test]
    fn a_spring_from_outside_is_a_term_like_any_other() {
        let mut r = random(2);
        let x: Vec<Vec4> = (0..3).map(|i| Vec4::new([1.3 * f64::from(i) + 0.2 * r(), r(), r()])).collect();
        let rest: Vec<Vec4> = (0..3).map(|i| Vec4::new([f64::from(i), 0.0, 0.0])).collect();
        let term = CustomTerm::new(Box::new(Spring), |v| v, &rest).unwrap();
        check_derivatives(&term, &x, 1e-7);
        let mut system = vec![];
        term.add_system(&mut |a, b, value| system.push((a, b, value)));
        assert_eq!(system.len(), 8);
        // At rest only the direction of the spring is stiff.
        assert!(system.iter().all(|(a, b, w)| (w.abs() - 3.0).abs() < 1e-12 && (w > &0.0) == (a == b)));
        let (mut isotropic, zero) = (vec![0.0; 36], 0.0);
        (0..36).for_each(|k| isotropic[k] = if k / 6 % 3 == k % 3 { 2.0 } else { zero });
        assert!(share(2, &isotropic).iter().all(|w| (w - 2.0).abs() < 1e-15));
    }
}
