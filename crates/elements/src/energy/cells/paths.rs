//! The check that kernels of cells give the same bits on every path of this machine, whatever shares a register.

use super::constrained::{Project, packed_length};
use super::kernels::Evaluate;
use super::proximal::LocalStep;
use super::{CellTerm, Elements, Shape};
use crate::energy::checks::{deformations, random};
use crate::energy::constraint::{Batch, Batched, CORNERS, Compliant, Form, MOST, Sweep};
use crate::energy::law::{self, CONSTANTS, Law};
use crate::energy::materials::arap::Arap;
use crate::energy::packing::Properties;
use crate::energy::proximal::{Proximal, Splitting};
use crate::energy::tets::{self, Tet};
use crate::energy::triangles::{self, Triangle};
use crate::energy::{CHUNK, Energy};
use crate::math::lanes::{Path, Vec4, WIDTH};
use crate::math::svd::tests::hard_matrices;

/// Numbers as bits; all NaNs become the same bits.
fn bits<'a>(numbers: impl IntoIterator<Item = &'a f64>) -> Vec<u64> {
    numbers.into_iter().map(|x| if x.is_nan() { u64::MAX } else { x.to_bits() }).collect()
}

fn points(points: &[Vec4]) -> Vec<u64> {
    bits(points.iter().flat_map(|p| &p.0))
}

/// Checks that all paths give the same result, which messages call `what`.
fn check(what: &str, run: impl Fn(Path) -> Vec<Vec<u64>>) {
    let want = run(Path::Portable);
    for path in Path::ALL {
        assert!(run(path) == want, "{what}: {path:?} differs from the portable path");
    }
}

/// One cell for each deformation, the worst ones included, with vertices of its own. Their number leaves some padding.
fn cells<S: Shape, W: Law>(
    law: &W,
    constants: [f64; CONSTANTS],
    elements: impl Fn(usize, &[[f64; 3]]) -> Elements,
) -> (CellTerm<S, W>, Vec<Vec4>) {
    let corners = &[[0.1, 0.2, 0.0], [1.0, 0.1, 0.0], [0.2, 0.9, 0.1], [0.0, 0.2, 1.1]][..S::CORNERS];
    let mut gradients = deformations(true);
    gradients.extend(hard_matrices().into_iter().take(60));
    gradients.truncate(gradients.len() / 8 * 8 + 3);
    assert!(gradients.len() < CHUNK, "one chunk");
    let count = gradients.len();
    let stiffness = law::stiffness(law, &constants, [0.5, 1.5]);
    let properties = Properties::uniform(constants, stiffness, count);
    let elements = elements(count, &corners.repeat(count));
    let term = CellTerm::new("test".into(), law.clone(), elements, properties);
    let place = |f: &[[f64; 3]; 3], p: [f64; 3]| f.map(|row| row[0] * p[0] + row[1] * p[1] + row[2] * p[2]);
    let x = gradients.iter().flat_map(|f| corners.iter().map(|p| Vec4::new(place(f, *p)))).collect();
    (term, x)
}

/// Checks all kernels of the tets and the triangles of a law.
pub(crate) fn check_law<W: Law>(law: &W, constants: [f64; CONSTANTS]) {
    let (term, x) = cells::<Tet, W>(law, constants, |count, rest| {
        tets::elements((0..count as u32).map(|e| std::array::from_fn(|c| 4 * e + c as u32)).collect(), rest)
    });
    check_term(&term, &x);
    let (term, x) = cells::<Triangle, W>(law, constants, |count, rest| {
        let corners: Vec<_> = (0..count as u32).map(|e| [3 * e, 3 * e + 1, 3 * e + 2]).collect();
        triangles::elements(&corners, rest, &vec![0.1; count])
    });
    check_term(&term, &x);
}

fn check_term<S: Shape, W: Law>(term: &CellTerm<S, W>, x: &[Vec4]) {
    let law = &term.law;
    for projective in [false, true] {
        check("energy and gradient", |path| {
            let mut slots = vec![Vec4::ZERO; term.slots()];
            let blocks = term.chunk_blocks(0);
            let energy = match projective {
                false => path.run(Evaluate { law, projective, blocks, x, slots: &mut slots }),
                true => path.run(Evaluate { law: &Arap, projective, blocks, x, slots: &mut slots }),
            };
            vec![bits([&energy]), points(&slots)]
        });
    }
    for ratio in [0.3, 1.0] {
        check("local step of admm", |path| {
            let mut r = random(6);
            let mut rows = || -> Vec<[f64; WIDTH]> {
                (0..term.reduced() * term.blocks.len()).map(|_| std::array::from_fn(|_| 0.2 * r())).collect()
            };
            let (mut z, mut u, mut slots) = (rows(), rows(), vec![Vec4::ZERO; term.slots()]);
            let sums = path.run(LocalStep {
                law,
                blocks: &term.blocks,
                x,
                splitting: Splitting { ratio, relaxation: 1.1 },
                z: &mut z,
                u: &mut u,
                slots: &mut slots,
            });
            vec![bits(sums.as_flattened()), bits(z.as_flattened()), bits(u.as_flattened()), points(&slots)]
        });
    }
    for form in [Form::Combined, Form::Split, Form::Hard] {
        check("projection of constraints", |path| project(path, term, form, x));
    }
}

/// The result of [`Project`] for an odd number of batches, of which the last has repeated elements.
fn project<S: Shape, W: Law>(path: Path, term: &CellTerm<S, W>, form: Form, x: &[Vec4]) -> Vec<Vec<u64>> {
    let count = term.elements.corners.len();
    let batch = |first: usize| {
        let elements: [u32; WIDTH] = std::array::from_fn(|lane| (first + lane).min(count - 1) as u32);
        Batch {
            term: 0,
            count: WIDTH.min(count - first),
            elements,
            vertices: std::array::from_fn(|c| {
                elements.map(|e| if c < S::CORNERS { S::CORNERS as u32 * e + c as u32 } else { 0 })
            }),
            mass: std::array::from_fn(|c| elements.map(|e| 0.1 * c as f64 + 0.01 * f64::from(e))),
            multipliers: [[0.01; WIDTH]; MOST],
        }
    };
    let mut batches: Vec<Batch> = (0..count).step_by(WIDTH).map(batch).collect();
    assert!(batches.len() % 2 == 1, "a batch without a partner");
    let numbers: Vec<[f64; WIDTH]> = batches.iter().flat_map(|b| term.packed(&b.elements)).collect();
    assert_eq!(numbers.len(), packed_length(S::COLUMNS) * batches.len());
    let mut changes = vec![[[Vec4::ZERO; WIDTH]; CORNERS]; batches.len()];
    let sweep = Sweep { form, relaxation: 0.9, per_step: 900.0 };
    let (batches, numbers) = (&mut batches, &numbers);
    let constraints = term.constraints(form);
    path.run(Project { term, sweep: &sweep, constraints, batches, numbers, x, changes: &mut changes });
    let multipliers = batches.iter().flat_map(|b| b.multipliers.as_flattened());
    vec![bits(multipliers), points(changes.as_flattened().as_flattened())]
}
