//! Quadratic tets: equilibria and vibrations with a closed form, orders of convergence, and every solver on them.

use std::sync::Arc;

use crate::common::scenes::{HELD, equilibrium, material, materials};
use crate::common::{Descent, distance, settle, simulation, stretch_and_twist};
use elements::energy::lifted::rule::{Rule, shape, shares};
use elements::math::lanes::Vec4;
use elements::math::vec3::norm;
use pliant::mesh::generate::generate;
use pliant::scene::MeshSource;
use pliant::simulate::Simulation;

/// Sag of the free end of a beam of 1 × 0.1 × 0.1 m under a small weight, as a part of what beam theory says.
fn sag(element: &str, cells: usize, poisson: f64) -> f64 {
    let (young, gravity) = (1e6, 1e-4);
    let mut simulation = simulation(&format!(
        r#"
        [time]
        step = 1000
        frames = 1
        [solver]
        kind = "newton"
        iterations = 30
        tolerance = 1e-11
        [world]
        gravity = [0, {}, 0]
        [[body]]
        generate = {{ shape = "beam", size = [1, 0.1, 0.1], cells = [{}, {cells}, {cells}], split = 6 }}
        element = "{element}"
        density = 1000
        material = {{ model = "neo-hookean", young = {young:e}, poisson = {poisson} }}
        {HELD}
        "#,
        -gravity,
        10 * cells,
    ));
    settle(&mut simulation, 20, 1e-13);
    let x = simulation.model.to_input(&simulation.state.x);
    let middle = |p: &[f64; 3]| norm([p[0] - 1.0, p[1] - 0.05, p[2] - 0.05]) < 1e-9;
    let tip = simulation.model.rest.iter().position(middle).expect("a vertex in the middle of the free end");
    // q L⁴ / (8 E I), q = ρ g a², I = a⁴/12.
    let theory = 1000.0 * gravity * 0.01 / (8.0 * young * 1e-4 / 12.0);
    (simulation.model.rest[tip][1] - x[tip][1]) / theory
}

#[test]
fn two_cells_across_bend_as_beams_do_at_any_poisson_ratio() {
    for poisson in [0.3, 0.45, 0.49, 0.499] {
        let [linear, quadratic] = ["linear", "quadratic"].map(|element| sag(element, 2, poisson));
        println!("ν {poisson}: linear {linear:.3}, quadratic {quadratic:.3}");
        assert!((quadratic - 1.0).abs() < 0.02, "{poisson}: {quadratic}");
        assert!(linear < 0.52, "{poisson}: {linear}");
    }
}

/// By how much linear tets are told to be too stiff in a beam that sags. Without an `element`, the beam is a mesh of linear tets
/// that somebody has made.
fn told(element: &str, cells: usize, poisson: f64) -> Option<f64> {
    let text = format!(
        r#"
        [time]
        step = 1000
        frames = 1
        [solver]
        kind = "newton"
        iterations = 30
        tolerance = 1e-10
        [world]
        gravity = [0, -0.01, 0]
        [[body]]
        generate = {{ shape = "beam", size = [1, 0.1, 0.1], cells = [{}, {cells}, {cells}], split = 6 }}
        density = 1000
        material = {{ model = "stable-neo-hookean", young = 1e6, poisson = {poisson} }}
        {element}
        {HELD}
        "#,
        10 * cells
    );
    let mut scene = pliant::config::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}")).scene;
    let body = &mut scene.bodies[0];
    if let (true, MeshSource::Generate(shape)) = (element.is_empty(), &body.mesh) {
        (body.mesh, body.element) = (MeshSource::Memory(Arc::new(generate(shape))), None);
    }
    let cache = pliant::cache::Cache::disabled();
    let mut simulation = Simulation::new(&scene, &cache).expect("a good scene").0;
    simulation.advance().expect("a step");
    let x = simulation.model.to_input(&simulation.state.x);
    let found = pliant::model::locking::too_stiff(&scene, &x, &cache).expect("the body is there");
    found.first().map(|(_, factor)| *factor)
}

#[test]
fn what_locks_is_told_with_a_factor_that_does_not_exaggerate() {
    // The sag of linear tets as a part of theory; scikit-fem has the same three digits.
    for (poisson, cells, truth) in [
        (0.3, 2, 0.509),
        (0.3, 4, 0.793),
        (0.45, 2, 0.302),
        (0.45, 4, 0.600),
        (0.49, 2, 0.107),
        (0.49, 4, 0.290),
    ] {
        let factor = told("", cells, poisson).expect("a warning");
        println!(
            "ν {poisson}, {cells} cells: at least {factor:.2} times too stiff, in truth {:.2}",
            1.0 / truth
        );
        assert!(factor < 1.02 / truth, "{poisson}, {cells}: {factor}");
        assert!(factor > (1.0 / truth).min(2.0) * 0.8, "{poisson}, {cells}: {factor}");
        assert_eq!(told("element = \"linear\"", cells, poisson), None, "it is meant");
    }
    assert_eq!(told("element = \"quadratic\"", 2, 0.49), None);
    assert_eq!(told("", 8, 0.3), None, "6 % are not worth a warning");
}

/// A box of quadratic tets with prescribed boundary; inside, nodes in the middles of edges are moved off them at rest.
fn clamped_box(cells: usize, material: &str, bend: f64) -> Simulation {
    let face = |axis: usize, side: f64| {
        let at = |inside: f64| -> [f64; 3] { std::array::from_fn(|k| if k == axis { inside } else { 0.5 }) };
        let normal: [f64; 3] = std::array::from_fn(|k| if k == axis { side } else { 0.0 });
        let point = at(if side > 0.0 { 1.0 - 1e-9 } else { 1e-9 });
        format!("[[body.pin]]\nselect = {{ plane = {{ point = {point:?}, normal = {normal:?} }} }}\n")
    };
    let pins: String = (0..3).flat_map(|axis| [face(axis, 1.0), face(axis, -1.0)]).collect();
    let text = equilibrium(
        "iterations = 60\ntolerance = 1e-13",
        &format!(
            "generate = {{ shape = \"box\", size = [1, 1, 1], cells = [{cells}, {cells}, {cells}], split = 6 }}\nelement = \
             \"quadratic\"\nmaterial = {material}\n{pins}"
        ),
    );
    let mut scene = pliant::config::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}")).scene;
    if bend > 0.0 {
        let MeshSource::Generate(shape) = &scene.bodies[0].mesh else { panic!("a generated mesh") };
        let mut mesh = generate(shape);
        let corners = mesh.points.len();
        pliant::mesh::quadratic::promote(&mut mesh);
        for (n, p) in mesh.points.iter_mut().enumerate().skip(corners) {
            if p.iter().all(|c| (0.01..0.99).contains(c)) {
                for (k, c) in p.iter_mut().enumerate() {
                    *c += bend * ((7 * n + 3 * k) as f64).sin();
                }
            }
        }
        scene.bodies[0].mesh = mesh.into();
        scene.bodies[0].element = None;
    }
    Simulation::new(&scene, &pliant::cache::Cache::disabled()).expect("a good scene").0
}

/// Prescribes where the boundary is, and starts the inside there too.
fn prescribe(simulation: &mut Simulation, map: impl Fn([f64; 3]) -> [f64; 3]) {
    for v in 0..simulation.model.rest.len() {
        let i = simulation.model.numbering.position[v] as usize;
        simulation.state.x[i] = Vec4::new(map(simulation.model.rest[v]));
    }
    let model = Arc::get_mut(&mut simulation.model).expect("the only owner");
    for pin in &mut model.hard_pins {
        pin.origin = simulation.state.x[pin.vertex as usize].xyz();
    }
}

#[test]
fn an_affine_boundary_makes_the_same_deformation_everywhere() {
    let affine = [[1.1, 0.2, -0.05], [-0.1, 0.95, 0.1], [0.05, -0.15, 1.05]];
    let map =
        |p: [f64; 3]| -> [f64; 3] { std::array::from_fn(|i| (0..3).map(|j| affine[i][j] * p[j]).sum()) };
    // Between curved edges forces on nodes are integrals of cubics. Four points are exact for squares: what is left falls
    // with the square of the bend. The centre is exact where edges are straight: with a law that has a part there, some
    // percent of the bend are left.
    let cases = materials(1e6).into_iter().map(|(name, material)| (name, material, 0.0, 1e-9));
    let curved = [
        ("arap", 0.006, 4e-7),
        ("arap", 0.003, 1e-7),
        ("neo-hookean", 0.006, 2e-4),
        ("neo-hookean", 0.003, 1e-4),
    ];
    let curved = curved.map(|(name, bend, bound)| (name, material(name, 1e6), bend, bound));
    for (name, material, bend, bound) in cases.chain(curved) {
        let mut simulation = clamped_box(3, &material, bend);
        prescribe(&mut simulation, map);
        for i in 0..simulation.objective.free {
            for k in 0..3 {
                simulation.state.x[i].0[k] += 0.01 * ((5 * i + k) as f64).sin();
            }
        }
        settle(&mut simulation, 20, 1e-12);
        let x = simulation.model.to_input(&simulation.state.x);
        let rest = &simulation.model.rest;
        let apart = |(x, rest): (&[f64; 3], &[f64; 3])| {
            let at = map(*rest);
            norm(std::array::from_fn(|k| x[k] - at[k]))
        };
        let worst = x.iter().zip(rest).map(apart).fold(0.0, f64::max);
        println!("{name:<20} edges bent by {bend} m: off by {worst:.1e} m");
        assert!(worst < bound, "{name}, {bend}: {worst:e}");
    }
}

/// A displacement of linear elasticity without forces (Papkovich and Neuber): u = 4(1 − ν) B − ∇(r·B), where B is harmonic.
fn papkovich(p: [f64; 3], poisson: f64) -> [f64; 3] {
    let b = |p: [f64; 3]| -> [f64; 3] {
        let (x, y, z) = (p[0], 1.5 * p[1], 1.5 * p[2]);
        [z.exp() * y.sin(), (1.2 * p[0]).exp() * (1.2 * p[2]).cos(), x * x - (y * y + z * z) / 4.5]
    };
    let product = |p: [f64; 3]| (0..3).map(|k| p[k] * b(p)[k]).sum::<f64>();
    std::array::from_fn(|k| {
        let moved = |d: f64| std::array::from_fn(|j| if j == k { p[j] + d } else { p[j] });
        4.0 * (1.0 - poisson) * b(p)[k] - (product(moved(1e-5)) - product(moved(-1e-5))) / 2e-5
    })
}

/// The errors of displacements in m and of their derivatives, root mean squares over the elements, relative to the exact ones.
fn errors(cells: usize, poisson: f64) -> [f64; 2] {
    // So small that what is not linear in it stays below the errors.
    let size = 1e-7;
    let material = format!("{{ model = \"corotated\", young = 1e6, poisson = {poisson} }}");
    let mut simulation = clamped_box(cells, &material, 0.0);
    let exact = |p: [f64; 3]| papkovich(p, poisson).map(|u| size * u);
    prescribe(&mut simulation, |p| {
        let u = exact(p);
        std::array::from_fn(|k| p[k] + u[k])
    });
    settle(&mut simulation, 20, 1e-19);
    let x = simulation.model.to_input(&simulation.state.x);
    let body = &simulation.model.bodies[0];
    let mut sums = [[0.0; 2]; 2];
    for (tet, middles) in simulation.model.tets.iter().zip(&body.middles) {
        let nodes = pliant::mesh::quadratic::nodes(*tet, *middles).map(|v| v as usize);
        let at = |place: [f64; 4], values: &[[f64; 3]]| -> [f64; 3] {
            let weights = shape(place);
            std::array::from_fn(|k| (0..10).map(|n| weights[n] * values[nodes[n]][k]).sum())
        };
        let rest = &simulation.model.rest;
        for point in 0..4 {
            // Off the points of quadrature, where derivatives would be better than elsewhere.
            let place: [f64; 4] = Rule::Four.place(point).map(|l| 0.1 + 0.6 * l);
            let (now, before) = (at(place, &x), at(place, rest));
            let want = exact(before);
            for k in 0..3 {
                sums[0][0] += (now[k] - before[k] - want[k]).powi(2);
                sums[0][1] += want[k].powi(2);
            }
            // Derivatives along the edges from the first corner: ∂x/∂λ_c − ∂x/∂λ_0.
            let virtual_corner = |c: usize, values: &[[f64; 3]], k: usize| -> f64 {
                (0..10).map(|n| shares(place)[c][n] * values[nodes[n]][k]).sum()
            };
            for c in 1..4 {
                let edge: [f64; 3] =
                    std::array::from_fn(|k| virtual_corner(c, rest, k) - virtual_corner(0, rest, k));
                let moved = |d: f64| exact(std::array::from_fn(|k| before[k] + d * edge[k]));
                let (up, down) = (moved(1e-4), moved(-1e-4));
                for k in 0..3 {
                    let want = (up[k] - down[k]) / 2e-4;
                    let got = virtual_corner(c, &x, k) - virtual_corner(0, &x, k) - edge[k];
                    sums[1][0] += (got - want).powi(2);
                    sums[1][1] += want.powi(2);
                }
            }
        }
    }
    sums.map(|[off, all]| (off / all).sqrt())
}

#[test]
fn displacements_converge_with_order_three_and_their_derivatives_with_order_two() {
    // What resists changes of volume beyond λ = μ is one number an element. Its pressure is constant there, right to first
    // order only, which the displacements feel the more the larger Poisson's ratio is.
    for (poisson, least) in [(0.25, 2.95), (0.3, 2.95), (0.49, 2.6)] {
        let found = [2, 4, 8].map(|cells| errors(cells, poisson));
        let order = |k: usize, n: usize| (found[n][k] / found[n + 1][k]).log2();
        let orders = [0, 1].map(|k| [order(k, 0), order(k, 1)]);
        println!("ν {poisson}: errors {found:?}, orders {orders:.2?}");
        assert!(orders[0][1] > least, "{poisson}: displacements {orders:?}");
        assert!(orders[1][1] > 1.8, "{poisson}: derivatives {orders:?}");
    }
}

/// A soft bar of quadratic tets, stretched and twisted, held at one end; h = 1/30 s.
fn descent(solver: &str, material: &str) -> Descent {
    let text = format!(
        r#"
        [time]
        step = "1/30"
        frames = 1
        [solver]
        iterations = 1
        {solver}
        [[body]]
        generate = {{ shape = "beam", size = [2, 0.5, 0.5], cells = [5, 2, 2] }}
        element = "quadratic"
        material = {material}
        {HELD}
        "#
    );
    Descent::new(&text, stretch_and_twist([2.0, 0.5, 0.5]))
}

/// How far a solver ends from Newton's point, in m.
fn apart(solver: &str, material: &str, iterations: usize, newton: &Descent) -> f64 {
    let mut other = descent(solver, material);
    for _ in 0..iterations {
        if !other.step() {
            break;
        }
    }
    distance(&newton.iterate.x, &other.iterate.x)
}

#[test]
fn all_solvers_that_minimize_end_at_one_place_with_every_material() {
    for (name, material) in materials(2e4) {
        let mut newton = descent("kind = \"newton\"", &material);
        newton.reach_floor(100);
        for (solver, iterations) in [("quasi-newton", 600), ("vbd", 3000), ("admm", 3000)] {
            let apart = apart(&format!("kind = \"{solver}\""), &material, iterations, &newton);
            println!("{name:<20} {solver:<14} {apart:.1e} m from Newton's point");
            assert!(apart < 2e-6, "{name}, {solver}: {apart:e}");
        }
    }
    let arap = material("arap", 2e4);
    let mut newton = descent("kind = \"newton\"", &arap);
    newton.reach_floor(100);
    for solver in [
        "kind = \"pd\"",
        "kind = \"chebyshev\"\nrho = 0.9",
        "kind = \"chebyshev\"\ninner = \"gauss-seidel\"\nrho = 0.97",
        "kind = \"chebyshev\"\ninner = \"jacobi\"\nrho = 0.97",
    ] {
        let apart = apart(solver, &arap, 3000, &newton);
        println!("{solver}: {apart:.1e} m from Newton's point");
        assert!(apart < 2e-6, "{solver}: {apart:e}");
    }
}
