//! The generic checks of proximal operators.
//!
//! They compare D, its transpose and the weights with the system matrix. They also check that the gradient of
//! E(z) + w²/2 |z − z̃|² vanishes at the result, by the term's own evaluation: some x has D x = z, and there
//! ∇E + w² Dᵀ(z − z̃) = 0.

use super::{Row, Splitting};
use crate::energy::checks::{self, M, deformations, random};
use crate::energy::law::{self, CONSTANTS, Law};
use crate::energy::tets::{self, TetTerm};
use crate::energy::triangles::{self, TriangleTerm};
use crate::energy::{CHUNK, Energy, Properties, chunks};
use crate::math::lanes::{Lane, MOST_BLOCKS, Portable, Vec4, WIDTH};
use crate::math::{mat3, svd};

const RATIOS: [f64; 3] = [0.3, 1.0, 5.0];

/// Adds `factor` Dᵀ z of an element to the points.
fn add_pulled(term: &dyn Energy, element: usize, z: &[f64], factor: f64, out: &mut [Vec4]) {
    let corners = term.corners();
    let (block, lane) = (element / WIDTH, element % WIDTH);
    let rows: Vec<Row> =
        z.iter().map(|z| std::array::from_fn(|l| if l == lane { *z } else { 7.0 })).collect();
    let mut slots = vec![Vec4::ZERO; term.slots().min((block + 1) * WIDTH * corners)];
    let slots = &mut slots[block * WIDTH * corners..];
    term.proximal().unwrap().pull_back(block, &rows, slots);
    for (slot, v) in slots[lane * corners..].iter().zip(term.element(element)) {
        for k in 0..3 {
            out[*v as usize].0[k] += factor * slot.0[k];
        }
    }
}

fn reduce(term: &dyn Energy, element: usize, x: &[Vec4]) -> Vec<f64> {
    let proximal = term.proximal().unwrap();
    let mut rows = vec![[0.0; WIDTH]; proximal.reduced()];
    proximal.reduce(element / WIDTH, x, &mut rows);
    rows.iter().map(|row| row[element % WIDTH]).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Compares Σ w DᵀD x with the system matrix, at the difference of two points, since z may have a constant part.
fn check_system(term: &dyn Energy, x: &[Vec4], y: &[Vec4]) {
    let mut got = vec![Vec4::ZERO; x.len()];
    for e in 0..term.len() {
        let z: Vec<f64> = reduce(term, e, x).iter().zip(reduce(term, e, y)).map(|(a, b)| a - b).collect();
        add_pulled(term, e, &z, term.proximal().unwrap().weight(e), &mut got);
    }
    let mut want = vec![[0.0; 3]; x.len()];
    term.add_system(&mut |row, column, value| {
        for k in 0..3 {
            want[row as usize][k] += value * (x[column as usize].0[k] - y[column as usize].0[k]);
        }
    });
    let scale = want.iter().flatten().fold(1e-300f64, |m, w| m.max(w.abs()));
    for (got, want) in got.iter().zip(&want) {
        for k in 0..3 {
            assert!((got.0[k] - want[k]).abs() < 1e-12 * scale, "{}: {got:?} {want:?}", term.name());
        }
    }
}

/// The point nearest to `x` with D x = z, by conjugate gradients on DᵀD.
fn lift(term: &dyn Energy, element: usize, x: &[Vec4], z: &[f64]) -> Vec<Vec4> {
    let mut x = x.to_vec();
    let flat = |p: &[Vec4]| p.iter().flat_map(|p| p.xyz()).collect::<Vec<f64>>();
    let zero = reduce(term, element, &vec![Vec4::ZERO; x.len()]);
    // Restarts remove the rounding errors of the previous round.
    for _ in 0..4 {
        let miss =
            |x: &[Vec4]| -> Vec<f64> { z.iter().zip(reduce(term, element, x)).map(|(z, d)| z - d).collect() };
        let mut residual = vec![Vec4::ZERO; x.len()];
        add_pulled(term, element, &miss(&x), 1.0, &mut residual);
        let mut direction = residual.clone();
        let mut size = dot(&flat(&residual), &flat(&residual));
        let end = 1e-30 * size;
        for _ in 0..30 {
            if size <= end {
                break;
            }
            let along: Vec<f64> =
                reduce(term, element, &direction).iter().zip(&zero).map(|(d, z)| d - z).collect();
            let step = size / dot(&along, &along);
            add_pulled(term, element, &along, -step, &mut residual);
            for (x, d) in x.iter_mut().zip(&direction) {
                x.0 = std::array::from_fn(|k| x.0[k] + step * d.0[k]);
            }
            let next = dot(&flat(&residual), &flat(&residual));
            for (d, r) in direction.iter_mut().zip(&residual) {
                d.0 = std::array::from_fn(|k| r.0[k] + next / size * d.0[k]);
            }
            size = next;
        }
    }
    x
}

/// prox of an element at z̃. It is the same beside other elements and beside copies of itself.
fn prox(term: &dyn Energy, element: usize, ratio: f64, x: &[Vec4]) -> Vec<f64> {
    let proximal = term.proximal().unwrap();
    let (block, lane) = (element / WIDTH, element % WIDTH);
    let mut rows = vec![[0.0; WIDTH]; proximal.reduced()];
    proximal.reduce(block, x, &mut rows);
    let mut alone: Vec<Row> = rows.iter().map(|row| [row[lane]; WIDTH]).collect();
    proximal.prox(block, ratio, &mut rows);
    proximal.prox(block, ratio, &mut alone);
    let of = |rows: &[Row]| rows.iter().map(|row| row[lane]).collect::<Vec<f64>>();
    assert_eq!(of(&rows), of(&alone), "{}: depends on its neighbours", term.name());
    of(&rows)
}

/// The largest component of ∇E(x) + w² Dᵀ(z − z̃) at D x = z = prox(z̃), relative to the parts of this sum.
fn stationarity(term: &dyn Energy, element: usize, ratio: f64, x: &[Vec4]) -> f64 {
    let (target, z) = (reduce(term, element, x), prox(term, element, ratio, x));
    let there = lift(term, element, x, &z);
    let mut slots = vec![Vec4::ZERO; term.slots()];
    for chunk in 0..chunks(term) {
        let length = CHUNK * term.corners();
        let end = slots.len().min((chunk + 1) * length);
        term.evaluate(chunk, &there, &mut slots[chunk * length..end]);
    }
    let mut sum = vec![Vec4::ZERO; x.len()];
    for (c, v) in term.element(element).iter().enumerate() {
        for k in 0..3 {
            sum[*v as usize].0[k] += slots[element * term.corners() + c].0[k];
        }
    }
    let weight = ratio * term.proximal().unwrap().weight(element);
    let moved: Vec<f64> = z.iter().zip(&target).map(|(z, t)| z - t).collect();
    let largest = |p: &[Vec4]| p.iter().flat_map(|p| p.xyz()).fold(0.0f64, |m, c| m.max(c.abs()));
    let mut pull = vec![Vec4::ZERO; x.len()];
    add_pulled(term, element, &target, weight, &mut pull);
    let scale = largest(&sum).max(largest(&pull)).max(1e-6 * weight);
    add_pulled(term, element, &moved, weight, &mut sum);
    largest(&sum) / scale
}

/// Compares the local step of the first element with its parts, computed one after the other.
fn check_local_step(term: &dyn Energy, ratio: f64, x: &[Vec4]) {
    let (proximal, mut r) = (term.proximal().unwrap(), random(23));
    let (n, splitting) = (proximal.reduced(), Splitting { ratio, relaxation: 1.3 });
    let mut rows = || -> Vec<Row> { (0..n).map(|_| std::array::from_fn(|_| 0.1 * r())).collect() };
    // The first block is the wanted one, the second is padding.
    let (z, u) = (rows(), rows());
    let (mut next, mut dual) = (z.repeat(MOST_BLOCKS), u.repeat(MOST_BLOCKS));
    let mut slots = vec![Vec4::ZERO; term.slots()];
    let sums = proximal.local_step(0, x, splitting, (&mut next, &mut dual), &mut slots);
    let now = reduce(term, 0, x);
    let target: Vec<f64> = (0..n).map(|k| u[k][0] + 1.3 * now[k] - 0.3 * z[k][0]).collect();
    let mut want: Vec<Row> = target.iter().map(|t| [*t; WIDTH]).collect();
    proximal.prox(0, ratio, &mut want);
    let weight = ratio * proximal.weight(0);
    let (mut primal, mut moved, mut size) = (0.0, 0.0, 1.0f64);
    for k in 0..n {
        size = size.max(target[k].abs());
        let [got, want, dual] = [next[k][0], want[k][0], dual[k][0]];
        assert!((got - want).abs() < 1e-12 * size && (dual - (target[k] - want)).abs() < 1e-12 * size);
        primal += weight * (now[k] - want) * (now[k] - want);
        moved += weight * (want - z[k][0]) * (want - z[k][0]);
    }
    let scale = weight * size * size;
    assert!((sums[0].iter().sum::<f64>() - primal).abs() < 1e-11 * scale, "{}: primal", term.name());
    assert!((sums[1].iter().sum::<f64>() - moved).abs() < 1e-11 * scale, "{}: dual", term.name());
    let residual: Vec<f64> = (0..n).map(|k| weight * (now[k] + target[k] - 2.0 * want[k][0])).collect();
    let mut left = vec![Vec4::ZERO; x.len()];
    add_pulled(term, 0, &residual, -1.0, &mut left);
    for (c, v) in term.element(0).iter().enumerate() {
        let left = &mut left[*v as usize].0;
        (0..3).for_each(|k| left[k] += slots[c].0[k]);
        assert!(left.iter().all(|l| l.abs() < 1e-11 * weight * size), "{}: {left:?}", term.name());
    }
}

/// All checks of a term that does not stand for a hard set, at z̃ = D x.
pub(crate) fn check_term(term: &dyn Energy, x: &[Vec4]) {
    let mut r = random(17);
    let y: Vec<Vec4> = x.iter().map(|p| Vec4::new(p.xyz().map(|c| c + r()))).collect();
    check_system(term, x, &y);
    for ratio in RATIOS {
        for e in 0..term.len() {
            let left = stationarity(term, e, ratio, x);
            assert!(left < 1e-9, "{}, element {e}, ratio {ratio}: {left}", term.name());
        }
    }
}

/// The checks of one law: a tet at every kind of F̃, inverted ones included, and a triangle.
pub(crate) fn check_law<W: Law>(law: &W, constants: [f64; CONSTANTS]) {
    let stiffness = law::stiffness(law, &constants, [0.5, 1.5]);
    let stiffness = if law.is_projective() { constants[0] } else { stiffness };
    let properties = Properties::uniform(constants, stiffness, 1);
    let rest = [[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.2, 0.9, 0.1], [0.0, 0.2, 1.1]];
    let tet = tets::elements(vec![[0, 1, 2, 3]], &rest);
    let tet = TetTerm::new("tet".into(), law.clone(), tet, properties.clone());
    let triangle = triangles::elements(&[[0, 1, 2]], &rest, &[0.1]);
    let triangle = TriangleTerm::new("triangle".into(), law.clone(), triangle, properties);
    for f in deformations(true) {
        let turn = |p: &[f64; 3]| -> [f64; 3] {
            std::array::from_fn(|i| (0..3).map(|j| f[i][j] * p[j]).sum::<f64>())
        };
        let x: Vec<Vec4> = rest.iter().map(|p| Vec4::new(turn(p))).collect();
        for ratio in RATIOS {
            for term in [&tet as &dyn Energy, &triangle] {
                check_system(term, &x, &[Vec4::ZERO; 4]);
                check_local_step(term, ratio, &x);
                if law.is_hard() {
                    check_projection(term, ratio, &x);
                    continue;
                }
                let z = prox(term, 0, ratio, &x);
                if term.corners() == 4 && determinant(&z).abs() < 1e-10 {
                    check_bound(law, &constants, ratio * stiffness, &f, &z);
                    continue;
                }
                let left = stationarity(term, 0, ratio, &x);
                assert!(left < 1e-9, "{law:?}, {}, ratio {ratio}, F = {f:?}: {left}", term.name());
            }
        }
    }
}

fn matrix(z: &[f64]) -> M {
    std::array::from_fn(|i| std::array::from_fn(|j| z[3 * i + j]))
}

fn determinant(z: &[f64]) -> f64 {
    let m = matrix(z);
    let minor = |i: usize, j: usize| m[1][i] * m[2][j] - m[1][j] * m[2][i];
    m[0][0] * minor(1, 2) - m[0][1] * minor(0, 2) + m[0][2] * minor(0, 1)
}

/// Checks that a stretch that ended at 0 would fall further if it could, and that the other two are stationary.
fn check_bound<W: Law>(law: &W, constants: &[f64; CONSTANTS], weight: f64, f: &M, z: &[f64]) {
    let sigma = |m: &M| svd::svd(&mat3::splat::<Portable>(m)).sigma.map(|s| s.to_array()[0]);
    let (target, s) = (sigma(f), sigma(&matrix(z)));
    let (_, slope, _) = law::expand_one(law, &[s[0], s[1], 0.0], constants);
    let scale = slope.iter().fold(weight, |m, g| m.max(g.abs()));
    for i in 0..3 {
        let total = slope[i] + weight * (s[i].max(0.0) - target[i]);
        let fine = if i == 2 { total > -1e-9 * scale } else { total.abs() < 1e-9 * scale };
        assert!(fine && s[2].abs() < 1e-9, "{law:?} at {target:?}: {s:?}, {total} of {scale}");
    }
}

/// Checks that prox lies on the set, where the energy is 0, and no farther from z̃ than the energy at z̃ allows.
fn check_projection(term: &dyn Energy, ratio: f64, x: &[Vec4]) {
    let (target, z) = (reduce(term, 0, x), prox(term, 0, ratio, x));
    let weight = term.proximal().unwrap().weight(0);
    let (energy, _) = checks::evaluate(term, x);
    let (left, _) = checks::evaluate(term, &lift(term, 0, x, &z));
    let moved: f64 = z.iter().zip(&target).map(|(z, t)| (z - t) * (z - t)).sum();
    assert!(left < 1e-18 * weight, "{}: {left} J at the projection", term.name());
    assert!(
        (0.5 * weight * moved - energy).abs() < 1e-10 * (weight + energy),
        "{}: not nearest",
        term.name()
    );
}
