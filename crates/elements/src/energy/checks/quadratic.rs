//! The checks of quadratic tets: the same as those of linear ones, and that both are the same where F is constant.

use super::{check_constraints, check_derivatives, check_rescaling, check_vertices, evaluate, random};
use crate::energy::law::{self, CONSTANTS, Law};
use crate::energy::lifted::NODES;
use crate::energy::lifted::rule::EDGES;
use crate::energy::packing::{Properties, count_blocks};
use crate::energy::proximal::{Proximal, Row, Splitting};
use crate::energy::quadratic::{Quadratic, least_volume};
use crate::energy::tets::{self, TetTerm};
use crate::energy::{CHUNK, Energy};
use crate::math::lanes::{Vec4, WIDTH};

const CORNERS: [[f64; 3]; 5] =
    [[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.2, 0.9, 0.1], [0.0, 0.2, 1.1], [0.9, 1.0, 0.8]];
const TETS: [[u32; 4]; 2] = [[0, 1, 2, 3], [1, 4, 2, 3]];

/// Two tets with a face in common, with the middles of their edges; `bend` moves these away from straight edges.
fn mesh(bend: f64) -> (Vec<[u32; NODES]>, Vec<[f64; 3]>) {
    let (mut rest, mut middles, mut r) = (CORNERS.to_vec(), vec![], random(9));
    let nodes = TETS.map(|tet| {
        let mut nodes = [0; NODES];
        nodes[..4].copy_from_slice(&tet);
        for (n, [c, d]) in EDGES.into_iter().enumerate() {
            let ends = [tet[c].min(tet[d]), tet[c].max(tet[d])];
            let known = middles.iter().position(|other| *other == ends);
            let place = known.unwrap_or_else(|| {
                let [a, b] = ends.map(|v| CORNERS[v as usize]);
                rest.push(std::array::from_fn(|k| 0.5 * (a[k] + b[k]) + bend * r()));
                middles.push(ends);
                middles.len() - 1
            });
            nodes[4 + n] = (CORNERS.len() + place) as u32;
        }
        nodes
    });
    assert!(nodes.iter().all(|nodes| least_volume(nodes, &rest) > 0.1));
    (nodes.to_vec(), rest)
}

fn term<W: Law>(law: &W, constants: [f64; CONSTANTS], bend: f64) -> (Box<dyn Energy>, Vec<[f64; 3]>) {
    let (nodes, rest) = mesh(bend);
    let properties = Properties::uniform(constants, law::stiffness(law, &constants, [0.5, 1.5]), nodes.len());
    let term = Quadratic::new(nodes, &rest).material(law, "test".into(), &properties, [0.5, 1.5]);
    (term, rest)
}

/// The term of quadratic tets of a law, with curved edges, moderately deformed.
pub(crate) fn check_quadratic<W: Law>(law: &W, constants: [f64; CONSTANTS]) {
    let (mut term, rest) = term(law, constants, 0.05);
    let mut r = random(3);
    let x: Vec<Vec4> = rest.iter().map(|p| Vec4::new(p.map(|c| 1.1 * c + 0.05 * r()))).collect();
    check_derivatives(term.as_ref(), &x, 1e-6);
    check_vertices(term.as_ref(), &x);
    check_rescaling(term.as_mut(), &x);
    check_constraints(term.as_ref(), &x);
    check_split(term.proximal().expect("a proximal term"), &x);
    let still: Vec<Vec4> = rest.iter().map(|p| Vec4::new([p[1] + 1.0, p[2], p[0]])).collect();
    let (energy, gradient) = evaluate(term.as_ref(), &still);
    assert!(energy.abs() < 1e-13 && gradient.iter().flatten().all(|g| g.abs() < 1e-12), "rest under stress");
    check_patch(law, constants);
}

/// Where F is the same everywhere, forces and energy are those of linear tets, and so is the first state.
fn check_patch<W: Law>(law: &W, constants: [f64; CONSTANTS]) {
    let (quadratic, rest) = term(law, constants, 0.0);
    let properties = Properties::uniform(constants, law::stiffness(law, &constants, [0.5, 1.5]), 2);
    let linear =
        TetTerm::new("linear".into(), law.clone(), tets::elements(TETS.to_vec(), &CORNERS), properties);
    let f = [[1.1, 0.2, -0.1], [0.05, 0.9, 0.1], [0.1, -0.2, 1.2]];
    let moved = |p: &[f64; 3]| f.map(|row| row[0] * p[0] + row[1] * p[1] + row[2] * p[2]);
    let x: Vec<Vec4> = rest.iter().map(|p| Vec4::new(moved(p))).collect();
    let ((energy, forces), (want, linear_forces)) =
        (evaluate(quadratic.as_ref(), &x), evaluate(&linear, &x[..CORNERS.len()]));
    assert!((energy - want).abs() < 1e-12 * (1.0 + want.abs()), "{law:?}: {energy} {want}");
    // The work of the forces in any affine motion.
    let size = linear_forces.iter().flatten().fold(1e-3f64, |m, g| m.max(g.abs()));
    for i in 0..3 {
        for j in 0..3 {
            let work = |forces: &[[f64; 3]]| forces.iter().zip(&rest).map(|(g, p)| g[i] * p[j]).sum::<f64>();
            assert!((work(&forces) - work(&linear_forces)).abs() < 1e-11 * size, "{law:?}: patch");
        }
        assert!(forces.iter().map(|g| g[i]).sum::<f64>().abs() < 1e-12 * size, "{law:?}: balance");
    }
}

/// The local step against its parts, and Dᵀ against D.
fn check_split(term: &dyn Proximal, x: &[Vec4]) {
    let (rows, blocks) = (term.reduced(), count_blocks(term.len()));
    let mut r = random(31);
    let mut numbers =
        || -> Vec<Row> { (0..rows * blocks).map(|_| std::array::from_fn(|_| 0.1 * r())).collect() };
    let (z, u) = (numbers(), numbers());
    let (mut next, mut dual, splitting) = (z.clone(), u.clone(), Splitting { ratio: 0.7, relaxation: 1.3 });
    let mut slots = vec![Vec4::ZERO; term.slots()];
    let sums = term.local_step(0, x, splitting, (&mut next, &mut dual), &mut slots);
    assert!(term.len() <= WIDTH && term.len() < CHUNK, "one block");
    let mut now = vec![[0.0; WIDTH]; rows];
    term.reduce(0, x, &mut now);
    let target: Vec<Row> =
        (0..rows).map(|k| std::array::from_fn(|l| u[k][l] + 1.3 * now[k][l] - 0.3 * z[k][l])).collect();
    let mut want = target.clone();
    term.prox(0, 0.7, &mut want);
    // Rows of elements that are not there hold arbitrary numbers.
    let real: Vec<(usize, usize)> = (0..rows * WIDTH)
        .map(|n| (n / WIDTH, n % WIDTH))
        .filter(|(k, lane)| is_real(term, *k, *lane))
        .collect();
    for (k, l) in &real {
        let (got, want, target) = (next[*k][*l], want[*k][*l], target[*k][*l]);
        assert!((got - want).abs() < 1e-12 * (1.0 + target.abs()), "{}: z {got} {want}", term.name());
        assert!((dual[*k][*l] - (target - want)).abs() < 1e-12 * (1.0 + target.abs()), "{}: u", term.name());
    }
    assert!(sums.as_flattened().iter().all(|s| s.is_finite() && *s >= 0.0));
    // ⟨Dᵀz, x⟩ = ⟨z, D x⟩
    let (mut pulled, mut zero) = (vec![Vec4::ZERO; term.slots()], vec![[0.0; WIDTH]; rows]);
    term.pull_back(0, &z[..rows], &mut pulled);
    term.reduce(0, &vec![Vec4::ZERO; x.len()], &mut zero);
    let left: f64 = (0..term.slots())
        .map(|s| {
            let (p, x) = (pulled[s].0, x[term.element(s / NODES)[s % NODES] as usize].0);
            p[0] * x[0] + p[1] * x[1] + p[2] * x[2]
        })
        .sum();
    let right: f64 = real.iter().map(|(k, l)| z[*k][*l] * (now[*k][*l] - zero[*k][*l])).sum();
    assert!((left - right).abs() < 1e-12 * (1.0 + right.abs()), "{}: {left} {right}", term.name());
}

/// True if a number of the first block belongs to an element: the four points of a tet stand side by side, and the centres of
/// four tets.
fn is_real(term: &dyn Proximal, row: usize, lane: usize) -> bool {
    if row < 4 * 9 { row / 9 < term.len() } else { lane < term.len() }
}
