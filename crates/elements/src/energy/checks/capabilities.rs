//! Checks of what only some solvers ask of a term: expansions around vertices, constraints, a stiffness that is scaled.

use super::evaluate;
use crate::energy::Energy;
use crate::energy::constraint::{Compliant, Constraints, Corners, Form, MOST};
use crate::energy::vertex::{self, Expansion, Points, Star};
use crate::math::lanes::{Vec4, WIDTH};
use crate::math::symmetric::PLACES;

/// The slots around each vertex; elements that name a vertex again do so without weight.
fn slots_around(term: &dyn Energy, vertices: usize) -> Vec<Vec<u32>> {
    let mut around = vec![vec![]; vertices];
    for e in 0..term.len() {
        for (c, v) in term.element(e).iter().enumerate() {
            if !term.element(e)[..c].contains(v) {
                around[*v as usize].push((e * term.corners() + c) as u32);
            }
        }
    }
    around
}

/// The expansion around each vertex, moved a little, against value, gradient and the diagonal block of the Hessian there,
/// which is not projected.
pub(crate) fn check_vertices(term: &dyn Energy, x: &[Vec4]) {
    let name = term.name();
    let own = term.vertexwise().unwrap_or_else(|| panic!("{name} is not vertexwise"));
    let around = slots_around(term, x.len());
    let n = 3 * term.corners();
    let mut hessian = vec![0.0; n * n];
    for first in 0..x.len() {
        // Four different vertices, with stars of different sizes.
        let four: [usize; WIDTH] = std::array::from_fn(|lane| (first + lane) % x.len());
        let longest = four.iter().map(|v| around[*v].len()).max().unwrap_or(0);
        let row = |r: usize| four.map(|v| around[v].get(r).copied().unwrap_or(0));
        let rows: Vec<[u32; WIDTH]> = (0..longest).map(row).collect();
        let (others, numbers) = (vertex::others(term, &rows), own.numbers(&rows));
        let counts = four.map(|v| around[v].len() as u32);
        let star = Star { rows: &rows, others: &others, numbers: &numbers, counts };
        let shift = [0.02, -0.01, 0.015];
        let still: Points = std::array::from_fn(|k| four.map(|v| x[v].0[k]));
        let moved: Points = std::array::from_fn(|k| still[k].map(|c| c + shift[k]));
        let (mut out, mut from, mut to) = (Expansion::default(), [0.0; WIDTH], [0.0; WIDTH]);
        let (mut here, mut there) = (vec![], vec![]);
        own.vertex_block(&star, x, &still, &mut here, &mut Expansion::default());
        own.vertex_block(&star, x, &moved, &mut there, &mut out);
        let (mut here, mut there) = (&here[..], &there[..]);
        own.vertex_energy(&star, &[[0.0; WIDTH]; 3], &mut here, &mut from);
        own.vertex_energy(&star, &shift.map(|s| [-s; WIDTH]), &mut there, &mut to);
        assert!(here.is_empty() && there.is_empty(), "{name}: memory is left");
        for lane in 0..WIDTH {
            let size = 1e-3 + from[lane].abs() + out.energy[lane].abs();
            assert!((from[lane] - to[lane]).abs() < 1e-12 * size, "{name}: energy there and back");
        }
        for (lane, v) in four.into_iter().enumerate() {
            let mut at = x.to_vec();
            at[v] = Vec4::new(std::array::from_fn(|k| moved[k][lane]));
            let ((before, _), (after, gradient)) = (evaluate(term, x), evaluate(term, &at));
            let size = before.abs() + after.abs() + 1e-3;
            let gain = out.energy[lane] - from[lane];
            assert!((gain - (after - before)).abs() < 1e-12 * size, "{name}: energy");
            let mut block = [[0.0; 3]; 3];
            for slot in &around[v] {
                let (e, c) = (*slot as usize / term.corners(), *slot as usize % term.corners());
                term.hessian(e, &at, false, &mut hessian);
                for i in 0..3 {
                    for k in 0..3 {
                        block[i][k] += hessian[n * (3 * c + i) + 3 * c + k];
                    }
                }
            }
            let scale = block.iter().flatten().fold(1e-3f64, |m, h| m.max(h.abs()));
            for (got, (i, k)) in out.hessian.iter().zip(PLACES) {
                assert!(
                    (got[lane] - block[i][k]).abs() < 1e-9 * scale,
                    "{name}: {} {}",
                    got[lane],
                    block[i][k]
                );
            }
            let scale = gradient.iter().flatten().fold(1e-3f64, |m, g| m.max(g.abs()));
            for k in 0..3 {
                let (got, want) = (out.gradient[k][lane], gradient[v][k]);
                assert!((got - want).abs() < 1e-11 * scale, "{name}: {got} {want}");
            }
        }
    }
}

/// A factor on the stiffness is one on energy, gradient, Hessian, system matrix and scale; the factor 1 restores all bits.
pub(crate) fn check_rescaling(term: &mut dyn Energy, x: &[Vec4]) {
    let all = |term: &dyn Energy| {
        let (energy, gradient) = evaluate(term, x);
        let size = 3 * term.corners();
        let mut numbers = vec![energy, term.scale()];
        numbers.extend(gradient.as_flattened());
        term.add_system(&mut |_, _, value| numbers.push(value));
        let mut hessian = vec![0.0; size * size];
        for e in 0..term.len() {
            term.hessian(e, x, false, &mut hessian);
            numbers.extend(&hessian);
        }
        numbers
    };
    let before = all(term);
    for factor in [2.0, 0.3] {
        assert!(term.rescale(factor), "{} has no stiffness", term.name());
        let scale = before.iter().fold(0.0f64, |m, b| m.max(b.abs()));
        for (got, b) in all(term).iter().zip(&before) {
            assert!((got - factor * b).abs() <= 1e-13 * scale, "{}: {got} {b}", term.name());
        }
    }
    assert!(term.rescale(1.0) && all(term) == before, "{}: the factor 1 is another", term.name());
}

/// The constraints of an element, of which four copies have corners at `x`.
fn constraint(term: &dyn Compliant, form: Form, index: usize, element: usize, x: &Corners) -> Constraints {
    let mut out = Constraints::BLANK;
    term.constrain(form, index, &[element as u32; WIDTH], x, &mut out);
    out
}

fn corners(term: &dyn Energy, element: usize, x: &[Vec4]) -> Corners {
    let mut out = Constraints::BLANK.gradient;
    for (c, v) in term.element(element).iter().enumerate() {
        out[c] = x[*v as usize].xyz().map(|coordinate| [coordinate; WIDTH]);
    }
    out
}

/// Σ C²/(2α) of all constraints.
fn constraint_energy(term: &dyn Compliant, form: Form, x: &[Vec4]) -> f64 {
    let mut sum = 0.0;
    for e in 0..term.len() {
        for index in 0..term.constraints(form) {
            let c = constraint(term, form, index, e, &corners(term, e, x));
            let excess = c.value[0] - c.value[0].max(c.bounds[0][0]).min(c.bounds[1][0]);
            sum += 0.5 * excess * excess / c.compliance[0];
        }
    }
    sum
}

/// Gradients of constraints against differences of their values; E = Σ C²/(2α) up to a number.
pub(crate) fn check_constraints(term: &dyn Energy, x: &[Vec4]) {
    let name = term.name();
    let term = term.compliant().expect("a compliant term");
    let wider: Vec<Vec4> = x.iter().map(|x| Vec4(x.0.map(|c| 1.07 * c))).collect();
    for form in [Form::Combined, Form::Split, Form::Hard] {
        assert!((1..=MOST).contains(&term.constraints(form)), "{name} has no constraints");
        for (e, index) in (0..term.len()).flat_map(|e| (0..term.constraints(form)).map(move |i| (e, i))) {
            let at = corners(term, e, x);
            let gradient = constraint(term, form, index, e, &at).gradient;
            let size = gradient.as_flattened().as_flattened().iter().fold(1e-2f64, |m, g| m.max(g.abs()));
            for (c, k) in (0..term.corners()).flat_map(|c| (0..3).map(move |k| (c, k))) {
                // Four places at once, for a difference of fourth order.
                let h = 1e-4;
                let mut moved = at;
                for (coordinate, d) in moved[c][k].iter_mut().zip([h, -h, 2.0 * h, -2.0 * h]) {
                    *coordinate += d;
                }
                let [a, b, a2, b2] = constraint(term, form, index, e, &moved).value;
                let difference = (8.0 * (a - b) - (a2 - b2)) / (12.0 * h);
                let got = gradient[c][k][0];
                assert!(
                    (difference - got).abs() < 1e-7 * size,
                    "{name}, {form:?} {index}: {got} {difference}"
                );
            }
        }
        let own = evaluate(term, &wider).0 - evaluate(term, x).0;
        let constraints = constraint_energy(term, form, &wider) - constraint_energy(term, form, x);
        let size = constraint_energy(term, form, &wider).max(own.abs());
        assert!((own - constraints).abs() < 1e-11 * size, "{name}, {form:?}: {own} {constraints}");
    }
}
