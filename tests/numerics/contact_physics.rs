//! Contact against the laws of mechanics: weight in stacks, Hertz, the friction of ropes and slopes, and the cases in which
//! contact is known to fail: points on points, great ratios of mass, and steps of second order.

use crate::common::meshes::shared;
use crate::contact::{FLOOR, block, cube, start, touching};
use pliant::prelude::*;
use pliant::step::active::Touching;

const SOLVERS: [&str; 2] = ["newton", "quasi-newton"];

/// The force of the second part on the first in N, friction included. Where surfaces end above each other, normals are
/// oblique, and friction bears a part of the weight.
fn total(touching: &Touching, first: &str, second: &str) -> [f64; 3] {
    let found = touching.between.iter().find(|between| between.names == [first, second]);
    let between = found.unwrap_or_else(|| panic!("{first} and {second} touch: {:?}", touching.between));
    std::array::from_fn(|k| between.normal[k] + between.friction[k])
}

fn assert_clean(simulation: &Simulation, what: &str) {
    let met = simulation.objective.intersection(&simulation.state.x);
    assert!(met.is_none(), "{what}: {met:?} intersect at {} s", simulation.now());
}

/// Damping that brings a scene to rest and holds nothing there.
const CALM: &str = "damping = { mass = 4 }\n";

#[test]
fn five_equal_cubes_stand_still_and_weigh_on_each_other() {
    let stack: String =
        (0..5).map(|k| cube(&format!("c{k}"), 2, 0.0045 + 1.0045 * f64::from(k), 1e6) + CALM).collect();
    for solver in SOLVERS {
        let text = format!(
            "tolerance = 1e-3\n[time]\nstep = \"1/30\"\n[contact]\ndistance = 0.005\nfriction = 0.5\n{FLOOR}{stack}"
        );
        let mut simulation = start(solver, &text);
        let mut kinetic = 0.0;
        for _ in 0..150 {
            kinetic = simulation.advance().unwrap().kinetic;
        }
        assert_clean(&simulation, solver);
        // 5,000 kg at 2 mm/s.
        assert!(kinetic < 1e-2, "{solver}: {kinetic} J after 5 s");
        let report = touching(&mut simulation);
        let floor = total(&report, "c0", "floor")[1];
        assert!((floor / 49_050.0 - 1.0).abs() < 1e-3, "{solver}: {floor} N on the floor");
        for k in 1..5 {
            let borne = -total(&report, &format!("c{}", k - 1), &format!("c{k}"))[1];
            let wanted = 9810.0 * f64::from(5 - k);
            assert!((borne / wanted - 1.0).abs() < 1e-3, "{solver}: {borne} N under cube {k}, not {wanted}");
        }
    }
}

#[test]
fn a_cube_bears_one_of_ten_thousand_times_its_mass() {
    let light = cube("light", 2, 0.0045, 1e7) + "density = 10\n" + CALM;
    let heavy = cube("heavy", 2, 1.009, 1e7) + "density = 100000\n" + CALM;
    for solver in SOLVERS {
        let text = format!(
            "tolerance = 1e-6\n[time]\nstep = \"1/30\"\n[contact]\ndistance = 0.005\nfriction = 0.5\n{FLOOR}{light}{heavy}"
        );
        let mut simulation = start(solver, &text);
        for _ in 0..100 {
            simulation.advance().unwrap();
        }
        assert_clean(&simulation, solver);
        let report = touching(&mut simulation);
        let (floor, heavy) = (total(&report, "light", "floor")[1], -total(&report, "light", "heavy")[1]);
        assert!((floor / 981_098.1 - 1.0).abs() < 5e-3, "{solver}: {floor} N on the floor");
        assert!((heavy / 981_000.0 - 1.0).abs() < 5e-3, "{solver}: {heavy} N on the light cube");
        let x = simulation.positions("heavy").unwrap();
        let lowest = x.iter().map(|p| p[1]).fold(f64::INFINITY, f64::min);
        // It is pressed together by a tenth.
        assert!(lowest > 0.85, "{solver}: the heavy cube is at {lowest} m");
    }
}

#[test]
fn a_rope_over_a_bar_multiplies_its_tension() {
    // 10 N hang at one end; the other is pulled down, so that the rope slips by half a turn: e^(0.3 π) times as much.
    let segments = 60;
    let text = format!(
        "tolerance = 1e-5\n[time]\nstep = \"1/60\"\n[contact]\ndistance = 0.001\nfriction = 0.3\n\
         [[obstacle]]\nname = \"bar\"\n\
         shape = {{ capsule = {{ from = [1, -0.207, -1], to = [1, -0.207, 1], radius = 0.2 }} }}\n\
         [[body]]\nname = \"rope\"\ngenerate = {{ shape = \"rope\", length = 2, segments = {segments} }}\n\
         density = 100\ndamping = {{ mass = 2 }}\nline = {{ kind = \"rope\", young = 1e8 }}\n\
         [[body.pin]]\nselect = {{ ids = [{segments}] }}\n\
         motion = {{ keyframes = {{ keys = [{{ time = 0 }}, {{ time = 1, translate = [-0.794, -0.6, 0] }}, \
         {{ time = 3, translate = [-0.794, -0.8, 0] }}] }} }}\n\
         [[body.load]]\nselect = {{ ids = [0] }}\nforce = [0, -10, 0]\n"
    );
    for solver in SOLVERS {
        let mut simulation = start(solver, &text);
        for _ in 0..150 {
            simulation.advance().unwrap();
        }
        let x = simulation.positions("rope").unwrap();
        let tension = |edge: usize| {
            let length = (0..3).map(|k| (x[edge + 1][k] - x[edge][k]).powi(2)).sum::<f64>().sqrt();
            1e8 * std::f64::consts::PI * 0.005f64.powi(2) * (length * segments as f64 / 2.0 - 1.0)
        };
        let (slack, taut) = (tension(0), tension(segments - 1));
        assert!((slack / 10.0 - 1.0).abs() < 2e-3, "{solver}: {slack} N at the weight");
        assert!(
            (taut / slack / 2.566 - 1.0).abs() < 0.01,
            "{solver}: {taut} N, {} times as much",
            taut / slack
        );
    }
}

/// A ball of 0.1 m between two plates that come 2 mm closer to its centre each: the force in N on one of them, the radius in m of
/// the contact by the second moment of its pressure, and by how much it is indented, with the gap of the barrier.
fn pressed_ball(cells: u32) -> [f64; 3] {
    let plate = |name: &str, side: f64| {
        format!(
            "[[obstacle]]\nname = \"{name}\"\n\
             shape = {{ plane = {{ point = [0, {}, 0], normal = [0, {}, 0] }} }}\n\
             motion = {{ keyframes = {{ keys = [{{ time = 0 }}, {{ time = 2, translate = [0, {}, 0] }}] }} }}\n",
            0.1001 * side,
            -side,
            -0.0021 * side
        )
    };
    let text = format!(
        "tolerance = 1e-4\n[time]\nstep = 0.05\n[world]\ngravity = [0, 0, 0]\n[contact]\ndistance = 1e-4\n{}{}\
         [[body]]\nname = \"ball\"\nelement = \"linear\"\ngenerate = {{ shape = \"sphere\", radius = 0.1, cells = {cells} }}\n\
         material = {{ model = \"neo-hookean\", young = 1e6, poisson = 0.3 }}\n",
        plate("floor", -1.0),
        plate("ceiling", 1.0)
    );
    let mut simulation = start("quasi-newton", &text);
    for _ in 0..60 {
        simulation.advance().unwrap();
    }
    let report = touching(&mut simulation);
    let force = total(&report, "ball", "floor")[1];
    let pressed = report.forces.iter().zip(&simulation.state.x).filter(|(f, _)| f[1] > 0.0);
    let moment: f64 = pressed.map(|(f, x)| f[1] * (x.0[0].powi(2) + x.0[2].powi(2))).sum();
    [force, (2.5 * moment / force).sqrt(), 0.002 + report.least]
}

#[test]
fn a_ball_between_plates_resists_as_hertz_says() {
    // 41.4 N at 2 mm for a half-space. A whole ball resists 9 % more by the correction of Tatara for the plate on its other side.
    // Meshes of 8, 12 and 16 cells give 48.6, 48.2 and 48.5 N where it is 47.8 and Hertz 44.0 N: no order is seen.
    // The radii are 17.4, 15.0 and 15.0 mm of 14.4.
    let (radius, young, poisson) = (0.1_f64, 1e6, 0.3);
    let stiffness = 4.0 / 3.0 * young / (1.0 - poisson * poisson) * radius.sqrt();
    for cells in [8, 12] {
        let [force, contact, depth] = pressed_ball(cells);
        let hertz = stiffness * depth.powf(1.5);
        let tatara = (0..50).fold(hertz, |force, _| {
            let far = 3.0 * (1.0 - poisson * poisson) * force * radius / (4.0 * young);
            let far = far.powf(2.0 / 3.0) + 4.0 * radius * radius;
            let reach = 2.0 * (1.0 + poisson) * radius * radius / far.powf(1.5)
                + (1.0 - poisson * poisson) / far.sqrt();
            stiffness * (depth + force * reach / (std::f64::consts::PI * young)).powf(1.5)
        });
        assert!((force / tatara - 1.0).abs() < 0.03, "{cells} cells: {force} N, not {tatara}");
        assert!((force / hertz - 1.0).abs() < 0.12, "{cells} cells: {force} N, {hertz} on a half-space");
        let bound = if cells > 8 { 0.05 } else { 0.25 };
        let wanted = (radius * depth).sqrt();
        assert!(
            (contact / wanted - 1.0).abs() < bound,
            "{cells} cells: a radius of {contact} m, not {wanted}"
        );
    }
}

/// The degenerate cases of Erleben (2018): bodies of a few tets that fall with points, edges or faces on points, edges, cracks
/// and holes. Nothing may intersect, and no energy appear.
fn degenerate_cases(steps: usize) {
    let Some(folder) = shared().map(|shared| shared.join("contact")) else { return };
    let file = |name: &str| folder.join(format!("ipc_erleben_{name}"));
    let under = [
        ("spike", 3.0, 0.0),
        ("wedge", 3.0, 0.0),
        ("cliff", 0.5, -0.5),
        ("crack", 0.5, -0.5),
        ("hole", 0.5, -0.5),
        ("internal_edges", 0.5, -0.5),
        ("plane", 0.0, 0.0),
    ];
    for solver in SOLVERS {
        for falling in ["spike", "wedge", "cube"] {
            for (below, top, bottom) in under {
                let what = format!("{solver}, {falling} on {below}");
                let body = if falling == "cube" {
                    let at = format!("[-0.5, {}, -0.5]", top + 0.1);
                    cube("falling", 1, 0.0, 1e5)
                        .replace("[0, 0, 0]", &at)
                        .replace("arap", "neo-hookean")
                        .replace("poisson = 0", "poisson = 0.4")
                } else {
                    format!(
                        "[[body]]\nname = \"falling\"\nmesh = {:?}\n\
                         material = {{ model = \"neo-hookean\", young = 1e5, poisson = 0.4 }}\n\
                         transform = {{ rotate = {{ axis = [1, 0, 0], degrees = 180 }}, translate = [0, {}, 0] }}\n",
                        file(&format!("{falling}.msh")),
                        top + 3.1
                    )
                };
                let mesh = file(&format!("{below}.obj"));
                let obstacle = format!("[[obstacle]]\nname = \"under\"\nshape = {{ mesh = {mesh:?} }}\n");
                let obstacle = if below == "plane" { "" } else { &obstacle };
                let floor = FLOOR.replace("point = [0, 0, 0]", &format!("point = [0, {bottom}, 0]"));
                let text = format!(
                    "tolerance = 1e-3\n[time]\nstep = 5e-3\n[contact]\ndistance = 0.005\n{obstacle}{floor}{body}"
                );
                let mut simulation = start(solver, &text);
                let mut first: Option<f64> = None;
                for step in 0..steps {
                    let metrics = simulation.advance().unwrap_or_else(|error| panic!("{what}: {error}"));
                    let energy = metrics.kinetic + metrics.value.elastic + metrics.potential;
                    let bound = *first.get_or_insert(energy);
                    assert!(energy <= bound + 1e-6 * bound.abs(), "{what}: {energy} J of {bound}");
                    if step % 10 == 9 {
                        assert_clean(&simulation, &what);
                    }
                }
            }
        }
    }
}

#[test]
fn points_edges_and_faces_fall_on_points_edges_cracks_and_holes() {
    degenerate_cases(400);
}

#[test]
#[ignore = "takes long: the 10 s of the published cases"]
fn points_edges_and_faces_stay_apart_for_ten_seconds() {
    degenerate_cases(2000);
}

/// The motion of a block of 500 kg along x in m over so many steps, and its last velocity.
fn slide(simulation: &mut Simulation, steps: usize) -> (f64, f64) {
    (0..steps).fold((0.0, 0.0), |(way, _), _| {
        let velocity = simulation.advance().unwrap().linear[0] / 500.0;
        (way + velocity / 60.0, velocity)
    })
}

#[test]
fn a_block_slides_down_a_slope_as_far_as_implicit_euler_lets_it() {
    // Gravity tilts slowly to a slope of tan θ = 0.5: all at once would make the block sway, and its foot slip late.
    let gravity = "[world]\ngravity = { keys = [{ time = 1, value = [0, -8.774330, 0] }, \
         { time = 3, value = [4.387165, -8.774330, 0] }] }\n";
    for solver in SOLVERS {
        let mut simulation = block(solver, "\"1/60\"", 0.49, gravity);
        let (_, velocity) = slide(&mut simulation, 180);
        let (way, _) = slide(&mut simulation, 150);
        // a = g (sin θ − μ cos θ) for 2.5 s: a t²/2 + a t h/2 beyond the velocity that it had.
        let slid = way - 2.5 * velocity;
        assert!((slid / 0.2760 - 1.0).abs() < 0.01, "{solver}: slid {slid} m");
    }
}

#[test]
fn a_block_holds_still_for_a_minute_on_a_slope_that_is_almost_too_steep() {
    for solver in SOLVERS {
        let mut simulation = block(solver, "\"1/60\"", 0.51, "[world]\ngravity = [4.387165, -8.774330, 0]\n");
        slide(&mut simulation, 120);
        let (way, _) = slide(&mut simulation, 3600);
        assert!(way.abs() < 1e-5, "{solver}: crept by {way} m in 60 s");
    }
}

#[test]
fn steps_of_second_order_stay_apart_and_gain_no_energy() {
    let high = cube("high", 3, 0.0, 1e5).replace("[0, 0, 0]", "[0.13, 1.6, 0.07]");
    let bodies = (cube("low", 3, 0.3, 1e5) + &high)
        .replace("arap", "neo-hookean")
        .replace("poisson = 0", "poisson = 0.3");
    for solver in SOLVERS {
        for iterations in [300, 3] {
            let text = format!(
                "iterations = {iterations}\ntolerance = 1e-6\n[time]\nstep = \"1/60\"\nintegrator = \"bdf2\"\n\
                 [contact]\ndistance = 0.005\nfriction = 0.3\n{FLOOR}{bodies}"
            );
            let mut simulation = start(solver, &text);
            let mut before: Option<f64> = None;
            for _ in 0..120 {
                let metrics = simulation.advance().unwrap();
                assert_clean(&simulation, solver);
                let energy = metrics.kinetic + metrics.value.elastic + metrics.potential;
                let bound = *before.get_or_insert(energy);
                assert!(
                    energy <= bound * (1.0 + 1e-6),
                    "{solver}, {iterations} iterations: {energy} J of {bound}"
                );
            }
        }
    }
}
