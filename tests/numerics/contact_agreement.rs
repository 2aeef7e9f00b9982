//! Both solvers of contact end at one place: on a stack, a cloth on a ball and two linked rings, with friction and without.

use crate::contact::{FLOOR, cube, start};

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
    let ring = "generate = { shape = \"torus\", major = 0.5, minor = 0.12, cells = 3 }\n\
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
