//! All solvers that minimize end at one place, with friction and without: Newton and quasi-Newton on a stack, a cloth on a ball and
//! two linked rings, the others on smaller scenes. How far from it those end that do not minimize.

use crate::contact::{FLOOR, cube, start};
use pliant::simulate::Simulation;
use pliant::solver::specification::parse;

/// The positions of all vertices after so many steps.
fn run(solver: &str, scene: &str, friction: f64, steps: usize) -> Vec<[f64; 3]> {
    let text = format!(
        "iterations = 2000\ntolerance = 1e-10\n[time]\nstep = \"1/60\"\n[contact]\ndistance = 0.005\nfriction = {friction}\n{scene}"
    );
    let mut simulation = start(solver, &text);
    let mut touched = false;
    for _ in 0..steps {
        touched |= simulation.advance().unwrap().contacts > 0;
    }
    assert!(touched, "nothing has touched");
    simulation.state.x.iter().map(|x| x.xyz()).collect()
}

/// Compares the solvers on a scene of this size in m.
fn compare(scene: &str, size: f64, steps: usize) {
    for friction in [0.0, 0.4] {
        let [truth, other] = ["newton", "quasi-newton"].map(|solver| run(solver, scene, friction, steps));
        let apart = truth.iter().zip(&other).flat_map(|(a, b)| (0..3).map(move |k| (a[k] - b[k]).abs()));
        let worst = apart.fold(0.0, f64::max);
        assert!(worst < 1e-6 * size, "friction {friction}: {worst} m apart");
    }
}

#[test]
fn on_a_stack() {
    let above = cube("high", 2, 1.02, 1e5).replace("[0, 1.02, 0]", "[0.13, 1.02, 0.07]");
    let top = cube("top", 2, 2.03, 1e5).replace("[0, 2.03, 0]", "[-0.08, 2.03, 0.11]");
    compare(&format!("{FLOOR}{}{above}{top}", cube("low", 2, 0.004, 1e5)), 1.0, 25);
}

#[test]
fn on_a_cloth_on_a_ball() {
    let scene = "[[obstacle]]\nname = \"ball\"\nshape = { sphere = { center = [0.47, 0, 0.52], radius = 0.3 } }\n\
        [[body]]\nname = \"cloth\"\nthickness = 0.002\ndensity = 300\n\
        generate = { shape = \"cloth\", size = [1, 1], cells = [8, 8] }\n\
        material = { model = \"arap\", young = 2e5, poisson = 0.3 }\nbending = { stiffness = 1e-2 }\n\
        transform = { translate = [0, 0.31, 0] }\n";
    compare(scene, 1.0, 15);
}

#[test]
fn on_two_linked_rings() {
    let ring = "element = \"linear\"\ngenerate = { shape = \"torus\", major = 0.5, minor = 0.12, cells = 3 }\n\
        material = { model = \"neo-hookean\", young = 1e5, poisson = 0.4 }\n";
    let scene = format!(
        "[[body]]\nname = \"left\"\n{ring}\
         [[body.pin]]\nselect = {{ box = {{ min = [-1, -0.2, -1], max = [-0.45, 0.2, 1] }} }}\n\
         motion = {{ translate = [-0.6, 0, 0] }}\n\
         [[body]]\nname = \"right\"\n{ring}\
         transform = {{ rotate = {{ axis = [1, 0, 0], degrees = 90 }}, translate = [0.72, 0, 0] }}\n"
    );
    compare(&scene, 1.7, 20);
}

/// Solvers that minimize, as the command line names them.
const MINIMIZING: [&str; 8] = [
    "newton",
    "quasi-newton",
    "pd",
    "chebyshev:inner=direct",
    "chebyshev:inner=jacobi",
    "chebyshev:inner=gauss-seidel",
    "admm",
    "vbd",
];

/// The positions of all vertices after so many steps with a solver, as the command line names it.
fn ends(
    solver: &str,
    scene: &str,
    friction: f64,
    steps: usize,
    iterations: u64,
    tolerance: f64,
) -> Vec<[f64; 3]> {
    let text =
        format!("[time]\nstep = \"1/60\"\n[contact]\ndistance = 0.005\nfriction = {friction}\n{scene}");
    let mut scene = pliant::config::parse(&text).unwrap().scene;
    scene.solver = parse(solver, &scene.solver).unwrap().settings;
    (scene.solver.iterations, scene.solver.tolerance) = (iterations, tolerance);
    let mut simulation = Simulation::start(&scene).unwrap();
    let mut touched = false;
    for _ in 0..steps {
        touched |= simulation.advance().unwrap().contacts > 0;
    }
    assert!(touched, "nothing has touched");
    simulation.state.x.iter().map(|x| x.xyz()).collect()
}

/// The largest difference of coordinates in m.
fn apart(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Two cubes of 2×2×2 cells, one on the other.
fn two_cubes() -> String {
    let above = cube("high", 2, 1.009, 1e5).replace("[0, 1.009, 0]", "[0.13, 1.009, 0.07]");
    format!("{FLOOR}{}{above}", cube("low", 2, 0.004, 1e5))
}

/// A strip that falls over a ball.
const STRIP: &str = "[[obstacle]]\nname = \"ball\"\nshape = { sphere = { center = [0.47, 0, 0.12], radius = 0.3 } }\n\
    [[body]]\nname = \"strip\"\nthickness = 0.002\ndensity = 300\n\
    generate = { shape = \"cloth\", size = [1, 0.25], cells = [8, 2] }\n\
    material = { model = \"arap\", young = 2e5, poisson = 0.3 }\nbending = { stiffness = 1e-2 }\n\
    transform = { translate = [0, 0.303, 0] }\n";

#[test]
fn all_that_minimize_end_at_one_place() {
    for (name, scene) in [("two cubes", &*two_cubes()), ("a strip", STRIP)] {
        for friction in [0.0, 0.4] {
            let truth = ends("newton", scene, friction, 8, 20_000, 1e-11);
            for solver in MINIMIZING {
                let worst = apart(&truth, &ends(solver, scene, friction, 8, 20_000, 1e-10));
                assert!(worst < 1e-6, "{name}, {solver}, friction {friction}: {worst} m apart");
            }
        }
    }
}

#[test]
fn those_that_do_not_minimize_end_where_they_are_known_to() {
    // More iterations bring them closer to a place of their own: `xpbd` 2 mm off the minimum on two cubes of 1 m and 4 mm on a strip
    // of 1 m, `pbd`, whose bodies are rigid, 97 and 124 mm.
    for (scene, bounds) in [(&*two_cubes(), [2.5e-3, 0.11]), (STRIP, [5e-3, 0.14])] {
        for friction in [0.0, 0.4] {
            let truth = ends("newton", scene, friction, 8, 20_000, 1e-11);
            for (solver, bound) in ["xpbd", "pbd"].into_iter().zip(bounds) {
                let [few, many, most] =
                    [10, 100, 300].map(|iterations| ends(solver, scene, friction, 8, iterations, 0.0));
                let (off, settled) = (apart(&truth, &many), [&few, &many].map(|x| apart(x, &most)));
                assert!(off < bound && off > 0.2 * bound, "{solver}, friction {friction}: {off} m off");
                assert!(settled[1] < 0.2 * settled[0], "{solver}, friction {friction}: {settled:?}");
            }
        }
    }
}
