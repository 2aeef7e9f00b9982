//! Elements side by side: four to a block, so that one SIMD register computes four of them.

use super::constraint::Form;
use super::law::{CONSTANTS, Law};
use crate::math::lanes::{Lane, MOST_BLOCKS, WIDTH};

/// Relative to k, densities below this are rounding errors of laws that cancel near rest.
const ROUNDING: f64 = 1e-14;

/// The numbers of the material in each element of a term.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Properties {
    /// The constants of the law in each element.
    pub constants: Vec<[f64; CONSTANTS]>,
    /// The stiffness k of each element in the system matrix, in Pa.
    pub stiffness: Vec<f64>,
    /// Lamé's moduli (μ, λ) at rest in Pa, for viscosity.
    pub moduli: Vec<[f64; 2]>,
}

impl Properties {
    /// The same numbers in all of `count` elements.
    pub fn uniform(constants: [f64; CONSTANTS], stiffness: f64, count: usize) -> Properties {
        let moduli = vec![[0.5 * stiffness, 0.0]; count];
        Properties { constants: vec![constants; count], stiffness: vec![stiffness; count], moduli }
    }

    /// The properties of the elements with these numbers, in their order.
    pub fn picked(&self, numbers: &[usize]) -> Properties {
        Properties {
            constants: numbers.iter().map(|i| self.constants[*i]).collect(),
            stiffness: numbers.iter().map(|i| self.stiffness[*i]).collect(),
            moduli: numbers.iter().map(|i| self.moduli[*i]).collect(),
        }
    }

    /// The properties of the law [`Limit`](super::limit::Limit) for the elements with these numbers.
    pub fn limits(numbers: &[usize], stiffness: &[f64], least: f64, most: f64) -> Properties {
        Properties {
            constants: numbers.iter().map(|i| [stiffness[*i], least, most]).collect(),
            stiffness: numbers.iter().map(|i| stiffness[*i]).collect(),
            moduli: vec![[0.0; 2]; numbers.len()],
        }
    }

    /// How many constraints stand for `law` in each element; 0 if one of the elements has none.
    pub(super) fn constraints<W: Law>(&self, law: &W, form: Form) -> usize {
        self.constants.iter().map(|c| law.constraints(form, c)).min().unwrap_or(0)
    }

    /// The constants of `law` in four elements, and the rounding error of its density in each.
    #[inline(always)]
    pub(super) fn lanes<W: Law, L: Lane>(&self, law: &W, elements: &[u32; WIDTH]) -> ([L; CONSTANTS], L) {
        let mut constants = [[0.0; WIDTH]; CONSTANTS];
        let mut floor = [0.0; WIDTH];
        for lane in 0..WIDTH {
            let e = elements[lane] as usize;
            for i in 0..CONSTANTS {
                constants[i][lane] = self.constants[e][i];
            }
            // Projective energies are squares of a distance, which do not cancel.
            floor[lane] = if law.is_projective() { 0.0 } else { ROUNDING * self.stiffness[e] };
        }
        let constants = [L::load(&constants[0]), L::load(&constants[1]), L::load(&constants[2])];
        (constants, L::load(&floor))
    }
}

/// Packs `count` elements into blocks. Each block starts as a copy of `blank`, and `fill(block, lane, element,
/// is_real)` is called for every lane. Padding repeats the last element and is not real. There are
/// [`count_blocks`] blocks.
pub(super) fn blocks<B: Clone>(count: usize, blank: &B, fill: impl Fn(&mut B, usize, usize, bool)) -> Vec<B> {
    let make = |first: usize| {
        let mut block = blank.clone();
        for lane in 0..WIDTH {
            fill(&mut block, lane, (first + lane).min(count - 1), first + lane < count);
        }
        block
    };
    (0..count_blocks(count)).map(|block| make(block * WIDTH)).collect()
}

/// How many blocks hold so many elements. The number is rounded up, so that the last lanes may be padding.
pub(super) fn count_blocks(elements: usize) -> usize {
    elements.div_ceil(WIDTH * MOST_BLOCKS) * MOST_BLOCKS
}
