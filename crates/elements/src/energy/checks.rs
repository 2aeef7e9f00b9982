//! The generic checks that every term and material must pass.
//!
//! Energies against finite differences, stress against the stretch form, Hessians against differences of
//! gradients, constraints against both, expansions around vertices against all of them, rotation invariance, isotropy, a
//! stress-free rest state; over random, rotated, near-inverted, inverted, equal and flat deformations.

mod capabilities;
mod quadratic;

use super::cells::{CellTerm, Elements, Shape};
use super::law::{self, CONSTANTS, Law};
use super::materials::arap::Arap;
use super::packing::Properties;
use super::{CHUNK, Energy, chunks, hessian};
use crate::math::lanes::{Lane, Number, Portable, Vec4};
use crate::math::mat3;
pub(crate) use crate::math::random::signed as random;
use crate::math::svd;
use crate::math::symmetric::PLACES;
use crate::math::vec3;
pub(crate) use capabilities::{check_constraints, check_rescaling, check_vertices};
pub(crate) use quadratic::check_quadratic;

pub(crate) type M = [[f64; 3]; 3];

/// Energy and gradient of a term, per vertex.
pub(crate) fn evaluate(term: &dyn Energy, x: &[Vec4]) -> (f64, Vec<[f64; 3]>) {
    let mut slots = vec![Vec4::ZERO; term.slots()];
    let mut energy = 0.0;
    for chunk in 0..chunks(term) {
        let end = slots.len().min((chunk + 1) * CHUNK * term.corners());
        energy += term.evaluate(chunk, x, &mut slots[chunk * CHUNK * term.corners()..end]);
    }
    let mut gradient = vec![[0.0; 3]; x.len()];
    for e in 0..term.len() {
        for (c, v) in term.element(e).iter().enumerate() {
            for k in 0..3 {
                gradient[*v as usize][k] += slots[e * term.corners() + c].0[k];
            }
        }
    }
    (energy, gradient)
}

/// Gradient, Hessian and expansions around vertices against central differences.
pub(crate) fn check_term(term: &dyn Energy, x: &[Vec4], tolerance: f64) {
    check_derivatives(term, x, tolerance);
    check_vertices(term, x);
}

/// Gradient against central differences of the energy, Hessian against those of the gradient.
pub(crate) fn check_derivatives(term: &dyn Energy, x: &[Vec4], tolerance: f64) {
    let (_, gradient) = evaluate(term, x);
    let scale = gradient.iter().flatten().fold(1e-3f64, |m, g| m.max(g.abs()));
    let step = 1e-5;
    let n = 3 * term.corners();
    let mut hessian = vec![0.0; n * n];
    let mut columns = vec![vec![]; 3 * x.len()];
    for v in 0..x.len() {
        for k in 0..3 {
            let at = |d: f64| {
                let mut moved = x.to_vec();
                moved[v].0[k] += d;
                evaluate(term, &moved)
            };
            let ((up, up_g), (down, down_g)) = (at(step), at(-step));
            let difference = (up - down) / (2.0 * step);
            assert!(
                (difference - gradient[v][k]).abs() < tolerance * scale,
                "{}: {difference} {}",
                term.name(),
                gradient[v][k]
            );
            columns[3 * v + k] = up_g
                .iter()
                .flatten()
                .zip(down_g.iter().flatten())
                .map(|(a, b)| (a - b) / (2.0 * step))
                .collect();
        }
    }
    let mut total = vec![vec![0.0; 3 * x.len()]; 3 * x.len()];
    for e in 0..term.len() {
        let vertices = term.element(e);
        term.hessian(e, x, false, &mut hessian);
        for i in 0..n {
            for j in 0..n {
                total[3 * vertices[j / 3] as usize + j % 3][3 * vertices[i / 3] as usize + i % 3] +=
                    hessian[n * i + j];
            }
        }
    }
    let scale = total.iter().flatten().fold(1e-3f64, |m, h| m.max(h.abs()));
    for (want, got) in columns.iter().flatten().zip(total.iter().flatten()) {
        assert!((want - got).abs() < 10.0 * tolerance * scale, "{}: Hessian {got} {want}", term.name());
    }
}

fn at<W: Law>(law: &W, f: &M, constants: &[f64; CONSTANTS]) -> (f64, M) {
    let (psi, p) = law.density_and_stress(&mat3::splat::<Portable>(f), &constants.map(Portable::splat));
    (psi.to_array()[0], mat3::extract(&p, 0))
}

fn mul(a: &M, b: &M) -> M {
    let (a, b) = (mat3::splat::<Portable>(a), mat3::splat(b));
    mat3::extract(&mat3::mul(&a, &b), 0)
}

/// A random rotation.
pub(crate) fn rotation(random: &mut impl FnMut() -> f64) -> M {
    let f = mat3::splat::<Portable>(&std::array::from_fn(|_| std::array::from_fn(|_| random())));
    let d = svd::svd(&f);
    mat3::extract(&mat3::mul_transpose(&d.u, &d.v), 0)
}

/// U diag(σ) Vᵀ with the kinds of stretches that break formulas.
pub(crate) fn deformations(inverted: bool) -> Vec<M> {
    let mut r = random(11);
    let mut stretches =
        vec![[1.0, 1.0, 1.0], [1.2, 1.2, 0.7], [1.5, 0.8, 0.8], [2.0, 1.0, 0.05], [0.6, 0.6, 0.6]];
    for _ in 0..60 {
        stretches.push([1.4 + r() * 0.6, 1.0 + r() * 0.3, 0.6 + r() * 0.3]);
    }
    if inverted {
        stretches.push([1.1, 0.9, -0.02]);
        for _ in 0..40 {
            stretches.push([1.4 + r() * 0.5, 0.9 + r() * 0.1, -0.35 + r() * 0.3]);
        }
    }
    stretches
        .iter()
        .map(|s| {
            let d = [[s[0], 0.0, 0.0], [0.0, s[1], 0.0], [0.0, 0.0, s[2]]];
            let (u, v) = (rotation(&mut r), rotation(&mut r));
            mul(&mul(&u, &d), &v)
        })
        .collect()
}

/// All checks of one material law.
pub(crate) fn check_law<W: Law>(law: &W, constants: [f64; CONSTANTS]) {
    let c = &constants;
    let finite_when_inverted =
        at(law, &[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -0.5]], c).0.is_finite();
    let mut r = random(5);
    for f in deformations(finite_when_inverted) {
        let (psi, p) = at(law, &f, c);
        let size = p.iter().flatten().fold(1e-1f64, |m, x| m.max(x.abs()));
        check_gradient(law, &f, c, &p, size);
        check_hessian(law, &f, c);
        check_corner(law, &f, c, [r(), r(), r()]);
        let d = svd::svd(&mat3::splat::<Portable>(&f));
        let s = d.sigma.map(|s| s.to_array()[0]);
        let reference = law::expand_one(law, &s, c).0;
        let offset = law::expand_one(law, &[1.0; 3], c).0
            - at(law, &[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], c).0;
        assert!(
            (psi - reference + offset).abs() < 1e-11 * (1.0 + psi.abs()),
            "{law:?} {s:?}: {psi} {reference}"
        );
        let q = rotation(&mut r);
        for (g, is_left) in [(mul(&q, &f), true), (mul(&f, &q), false)] {
            let (turned, stress) = at(law, &g, c);
            assert!((turned - psi).abs() < 1e-11 * (1.0 + psi.abs()), "{law:?}: rotation changes the energy");
            let want = if is_left { mul(&q, &p) } else { mul(&p, &q) };
            for (a, b) in stress.iter().flatten().zip(want.iter().flatten()) {
                assert!((a - b).abs() < 1e-10 * size, "{law:?}: stress does not turn with the frame");
            }
        }
    }
    let q = rotation(&mut r);
    let (psi, p) = at(law, &q, c);
    assert!(
        psi.abs() < 1e-13 && p.iter().flatten().all(|x| x.abs() < 1e-12),
        "{law:?}: rest state under stress"
    );
}

fn check_gradient<W: Law>(law: &W, f: &M, c: &[f64; CONSTANTS], p: &M, size: f64) {
    for i in 0..9 {
        let energy = |d: f64| {
            let mut g = *f;
            g[i / 3][i % 3] += d;
            at(law, &g, c).0
        };
        // Fourth order, so that 1e-7 is reachable.
        let h = 2e-4;
        let difference = (8.0 * (energy(h) - energy(-h)) - (energy(2.0 * h) - energy(-2.0 * h))) / (12.0 * h);
        let error = (difference - p[i / 3][i % 3]).abs();
        assert!(error < 1e-7 * size, "{law:?} at {f:?}: {difference} {}", p[i / 3][i % 3]);
    }
}

fn check_hessian<W: Law>(law: &W, f: &M, c: &[f64; CONSTANTS]) {
    let modes = hessian::modes(law, f, c);
    let size = modes.iter().fold(1.0f64, |m, (value, _)| m.max(value.abs()));
    for i in 0..9 {
        let stress = |d: f64| {
            let mut g = *f;
            g[i / 3][i % 3] += d;
            at(law, &g, c).1
        };
        let h = 2e-4;
        let (a, b, a2, b2) = (stress(h), stress(-h), stress(2.0 * h), stress(-2.0 * h));
        for j in 0..9 {
            let at = |m: &M| m[j / 3][j % 3];
            let difference = (8.0 * (at(&a) - at(&b)) - (at(&a2) - at(&b2))) / (12.0 * h);
            let got: f64 = modes.iter().map(|(value, m)| value * m[i / 3][i % 3] * m[j / 3][j % 3]).sum();
            assert!((difference - got).abs() < 1e-6 * size, "{law:?} at {f:?}: Hessian {got} {difference}");
        }
    }
}

/// The expansion along F + d gᵀ against the density, the stress and the contracted Hessian.
fn check_corner<W: Law>(law: &W, f: &M, c: &[f64; CONSTANTS], g: [f64; 3]) {
    let (psi, p) = at(law, f, c);
    let (lanes, constants) = (mat3::splat::<Portable>(f), c.map(Portable::splat));
    let corner = law.corner(&lanes, &g.map(Portable::splat), &constants);
    for density in [corner.density, law.energy_density(&lanes, &constants)] {
        let density = density.to_array()[0];
        assert!((density - psi).abs() < 1e-12 * (1.0 + psi.abs()), "{law:?} at {f:?}: {density} {psi}");
    }
    let along = |m: &M| m.map(|row| vec3::dot(row, g));
    let size = p.iter().flatten().fold(1.0f64, |m, x| m.max(x.abs()));
    for (got, want) in corner.force.iter().zip(along(&p)) {
        assert!((got.to_array()[0] - want).abs() < 1e-12 * size, "{law:?} at {f:?}: force");
    }
    let modes = hessian::modes(law, f, c);
    let size = modes.iter().fold(1.0f64, |m, (value, _)| m.max(value.abs()));
    for (got, (i, k)) in corner.block.iter().zip(PLACES) {
        let want: f64 = modes.iter().map(|(value, m)| value * along(m)[i] * along(m)[k]).sum();
        let got = got.to_array()[0];
        assert!((got - want).abs() < 1e-9 * size, "{law:?} at {f:?}: block {got} {want}");
    }
}

/// The tests of a material: `check_material!(law, constants)`.
macro_rules! check_material {
    ($law:expr, $constants:expr) => {
        #[cfg(test)]
        mod material_check {
            #[test]
            fn its_proximal_operator_passes_the_generic_check() {
                $crate::energy::proximal::checks::check_law(&$law, $constants);
            }

            #[test]
            fn passes_the_generic_check() {
                $crate::energy::checks::check_law(&$law, $constants);
            }

            #[test]
            fn its_cells_give_the_same_bits_on_all_paths() {
                $crate::energy::cells::paths::check_law(&$law, $constants);
            }

            #[test]
            fn its_tet_term_passes_the_generic_check() {
                $crate::energy::checks::check_tets(&$law, $constants);
            }

            #[test]
            fn its_quadratic_tets_pass_the_generic_check() {
                $crate::energy::checks::check_quadratic(&$law, $constants);
            }

            #[test]
            fn its_triangle_term_passes_the_generic_check() {
                $crate::energy::checks::check_triangles(&$law, $constants);
            }
        }
    };
}
pub(crate) use check_material;

/// The same cells of arap with the stiffness that they have in the system matrix.
fn arap<S: Shape>(elements: &Elements, properties: &Properties) -> CellTerm<S, Arap> {
    let constants = properties.stiffness.iter().map(|k| [*k, 0.0, 0.0]).collect();
    CellTerm::new("arap".into(), Arap, elements.clone(), Properties { constants, ..properties.clone() })
}

/// What the system matrix stands for is arap.
fn check_projective(term: &dyn Energy, arap: &dyn Energy, x: &[Vec4]) {
    let of = |evaluate: &dyn Fn(&mut [Vec4]) -> f64| {
        let mut slots = vec![Vec4::ZERO; term.slots()];
        (evaluate(&mut slots), slots)
    };
    let got = of(&|slots| term.evaluate_projective(0, x, slots));
    assert!(got == of(&|slots| arap.evaluate(0, x, slots)), "{}: not arap", term.name());
}

/// The triangle term of a law on a crumpled strip, stretched and compressed.
pub(crate) fn check_triangles<W: Law>(law: &W, constants: [f64; CONSTANTS]) {
    use super::triangles::{self, Triangle, TriangleTerm};
    let rest = [[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.2, 0.9, 0.3], [1.2, 1.0, -0.2], [2.1, 0.2, 0.1]];
    let corners = [[0, 1, 2], [1, 3, 2], [1, 4, 3], [2, 3, 4], [0, 1, 3]];
    let elements = triangles::elements(&corners, &rest, &[0.1; 5]);
    let properties = Properties::uniform(constants, law::stiffness(law, &constants, [0.5, 1.5]), 5);
    let arap = arap::<Triangle>(&elements, &properties);
    let mut term = TriangleTerm::new("test".into(), law.clone(), elements, properties);
    let mut r = random(8);
    for scale in [1.1, 0.8] {
        let x: Vec<Vec4> = rest.iter().map(|p| Vec4::new(p.map(|c| scale * c + 0.1 * r()))).collect();
        check_term(&term, &x, 1e-6);
        check_rescaling(&mut term, &x);
        check_constraints(&term, &x);
        check_projective(&term, &arap, &x);
    }
    let turned: Vec<Vec4> = rest.iter().map(|p| Vec4::new([p[1] + 1.0, p[2], p[0]])).collect();
    let (energy, gradient) = evaluate(&term, &turned);
    assert!(energy.abs() < 1e-14 && gradient.iter().flatten().all(|g| g.abs() < 1e-13), "rest under stress");
}

/// The tet term of a law on a few moderately deformed tets, with padding in the last block.
pub(crate) fn check_tets<W: Law>(law: &W, constants: [f64; CONSTANTS]) {
    use super::tets::{self, Tet, TetTerm};
    let rest = [
        [0.0, 0.0, 0.0],
        [1.0, 0.1, 0.0],
        [0.2, 0.9, 0.1],
        [0.0, 0.2, 1.1],
        [0.9, 1.0, 0.8],
        [1.3, 0.1, 0.9],
    ];
    let elements =
        tets::elements(vec![[0, 1, 2, 3], [1, 4, 2, 3], [1, 5, 4, 3], [0, 1, 4, 3], [0, 1, 2, 4]], &rest);
    assert!(elements.volume.iter().all(|v| *v > 0.0));
    let properties = Properties::uniform(constants, law::stiffness(law, &constants, [0.5, 1.5]), 5);
    let arap = arap::<Tet>(&elements, &properties);
    let mut term = TetTerm::new("test".into(), law.clone(), elements, properties);
    let mut r = random(3);
    let x: Vec<Vec4> = rest.iter().map(|p| Vec4::new(p.map(|c| 1.1 * c + 0.08 * r()))).collect();
    check_term(&term, &x, 1e-6);
    check_rescaling(&mut term, &x);
    check_constraints(&term, &x);
    check_projective(&term, &arap, &x);
    let (_, gradient) = evaluate(&term, &x);
    for k in 0..3 {
        let total: f64 = gradient.iter().map(|g| g[k]).sum();
        assert!(total.abs() < 1e-12, "forces do not balance: {total}");
    }
}
