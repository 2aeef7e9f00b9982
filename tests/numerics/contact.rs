//! Contact against closed forms, conservation laws, and between solvers.

use pliant::config::parse;
use pliant::prelude::*;
use pliant::step::active::Touching;

/// A scene in TOML with a solver and its tolerance before it.
pub fn start(solver: &str, text: &str) -> Simulation {
    let iterations = if text.contains("iterations") { "" } else { "iterations = 300\n" };
    let config = format!("[solver]\nkind = \"{solver}\"\n{iterations}{text}");
    Simulation::start(&parse(&config).unwrap_or_else(|error| panic!("{error:?}")).scene).unwrap()
}

pub fn cube(name: &str, cells: u32, height: f64, young: f64) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\n\
         element = \"linear\"\n\
         generate = {{ shape = \"box\", size = [1, 1, 1], cells = [{cells}, {cells}, {cells}] }}\n\
         material = {{ model = \"arap\", young = {young}, poisson = 0 }}\n\
         transform = {{ translate = [0, {height}, 0] }}\n"
    )
}

pub const FLOOR: &str =
    "[[obstacle]]\nname = \"floor\"\nshape = { plane = { point = [0, 0, 0], normal = [0, 1, 0] } }\n";

pub fn touching(simulation: &mut Simulation) -> Touching {
    let x = simulation.state.x.clone();
    simulation.objective.touching(&x).expect("a scene with contact")
}

/// The contact force between two parts on the first of them, in N.
fn force(touching: &Touching, first: &str, second: &str) -> [f64; 3] {
    let found = touching.between.iter().find(|b| b.names == [first, second]);
    found.unwrap_or_else(|| panic!("{first} and {second} touch: {:?}", touching.between)).normal
}

#[test]
fn a_cube_weighs_on_a_plane_what_it_weighs_in_the_gap_of_its_pressure() {
    for solver in ["newton", "quasi-newton"] {
        // κ = E = 1e5 Pa and 9,810 Pa of pressure: 4.15 mm, of the 5 mm at which it begins.
        let text = format!(
            "tolerance = 1e-9\n[time]\nstep = 0.05\n[contact]\ndistance = 0.005\n{FLOOR}{}",
            cube("cube", 3, 0.004, 1e5)
        );
        let mut simulation = start(solver, &text);
        for _ in 0..200 {
            simulation.advance().unwrap();
        }
        let report = touching(&mut simulation);
        let [x, y, z] = force(&report, "cube", "floor");
        assert!((y / 9810.0 - 1.0).abs() < 1e-4 && x.abs() + z.abs() < 1e-6, "{solver}: {y} N");
        assert!((report.least - 4.15e-3).abs() < 0.02e-3, "{solver}: {} m", report.least);
    }
}

#[test]
fn each_interface_of_a_stack_bears_the_weight_above_it() {
    // Without friction equal cubes slide off each other; narrower ones of other cells stay long enough to come to rest.
    let sides = [1.0, 0.8, 0.6];
    let stack: String = sides
        .iter()
        .enumerate()
        .map(|(k, side)| {
            let name = format!("c{k}");
            let at = format!("[{}, {}, {}]", 0.47 - 0.5 * side, 0.004 + 1.004 * k as f64, 0.54 - 0.5 * side);
            cube(&name, 2 + k as u32 % 2, 0.0, 1e6)
                .replace("size = [1, 1, 1]", &format!("size = [{side}, 1, {side}]"))
                .replace("[0, 0, 0]", &at)
        })
        .collect();
    let weights = sides.map(|side| 9810.0 * side * side);
    for solver in ["newton", "quasi-newton"] {
        let text =
            format!("tolerance = 1e-6\n[time]\nstep = 0.1\n[contact]\ndistance = 0.005\n{FLOOR}{stack}");
        let mut simulation = start(solver, &text);
        for _ in 0..20 {
            simulation.advance().unwrap();
        }
        let report = touching(&mut simulation);
        let borne = [
            force(&report, "c0", "floor")[1],
            -force(&report, "c0", "c1")[1],
            -force(&report, "c1", "c2")[1],
        ];
        for (k, borne) in borne.into_iter().enumerate() {
            let wanted: f64 = weights[k..].iter().sum();
            assert!((borne / wanted - 1.0).abs() < 1e-2, "{solver}: {borne} N under cube {k}, not {wanted}");
        }
    }
}

#[test]
fn a_collision_keeps_momentum_and_gains_no_energy() {
    for solver in ["newton", "quasi-newton"] {
        let second = cube("second", 3, 0.3, 1e5).replace("[0, 0.3, 0]", "[1.1, 0.3, 0.2]");
        let velocity = "velocity = { linear = [2, 0, 0.3] }\n";
        let text = format!(
            "tolerance = 1e-10\n[time]\nstep = \"1/60\"\n[world]\ngravity = [0, 0, 0]\n[contact]\n{}{velocity}{second}",
            cube("first", 3, 0.0, 1e5)
        );
        let mut simulation = start(solver, &text);
        let mut before: Option<f64> = None;
        let mut touched = 0;
        for _ in 0..40 {
            let metrics = simulation.advance().unwrap();
            for (k, wanted) in [2000.0, 0.0, 300.0].into_iter().enumerate() {
                let off = metrics.linear[k] - wanted;
                assert!(off.abs() < 1e-9 * 2000.0, "{solver}: {off:e} kg m/s along {k}");
            }
            let report = touching(&mut simulation);
            touched += usize::from(report.pairs > 0);
            let sum = report.forces.iter().fold([0.0; 3], |s, f| std::array::from_fn(|k| s[k] + f[k]));
            let torque = report.forces.iter().zip(&simulation.state.x).fold([0.0; 3], |t, (f, x)| {
                let x = x.0;
                std::array::from_fn(|k| {
                    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                    t[k] + x[i] * f[j] - x[j] * f[i]
                })
            });
            let size: f64 = report.forces.iter().flatten().map(|f| f.abs()).sum::<f64>().max(1.0);
            assert!(sum.iter().chain(&torque).all(|s| s.abs() < 1e-9 * size), "{solver}: {sum:?} {torque:?}");
            let energy = metrics.kinetic + metrics.value.elastic + metrics.value.active;
            assert!(before.is_none_or(|b| energy <= b + 1e-6 * b), "{solver}: {energy} after {before:?}");
            before = Some(energy);
        }
        assert!(touched > 3, "{solver}: they touched in {touched} steps");
    }
}

#[test]
fn a_ball_at_200_m_per_s_does_not_pass_a_thin_sheet() {
    for solver in ["newton", "quasi-newton"] {
        let text = "iterations = 20\ntolerance = 1e-3\n[time]\nstep = \"1/30\"\n[contact]\n\
            [[body]]\nname = \"sheet\"\nthickness = 0.001\n\
            generate = { shape = \"cloth\", size = [1, 1], cells = [8, 8] }\n\
            material = { model = \"arap\", young = 1e6, poisson = 0.3 }\n\
            [[body.pin]]\nselect = { box = { min = [-1, -1, -1], max = [0.001, 1, 2] } }\n\
            [[body.pin]]\nselect = { box = { min = [0.999, -1, -1], max = [2, 1, 2] } }\n\
            [[body]]\nname = \"ball\"\n\
            element = \"linear\"\n\
            generate = { shape = \"sphere\", radius = 0.15, cells = 3 }\n\
            material = { model = \"arap\", young = 1e6, poisson = 0.3 }\n\
            transform = { translate = [0.45, 0.3, 0.55] }\nvelocity = { linear = [0, -200, 0] }\n";
        let mut simulation = start(solver, text);
        let lowest = |simulation: &Simulation, body: &str| {
            simulation.positions(body).unwrap().iter().map(|p| p[1]).fold(f64::INFINITY, f64::min)
        };
        for step in 0..6 {
            simulation.advance().unwrap();
            let (ball, sheet) = (lowest(&simulation, "ball"), lowest(&simulation, "sheet"));
            assert!(ball > sheet, "{solver}, step {step}: the ball is at {ball}, the sheet at {sheet}");
        }
    }
}

#[test]
fn what_cannot_be_is_refused_with_the_way_out() {
    let refusal = |text: &str| {
        let config = format!("[solver]\nkind = \"quasi-newton\"\n{text}");
        Simulation::start(&parse(&config).unwrap().scene).err().expect("refused").to_string()
    };
    let low = cube("low", 2, 0.5, 1e5);
    let overlapping = refusal(&format!("[contact]\n{low}{}", cube("high", 2, 1.4, 1e5)));
    assert!(
        overlapping.contains("intersect at the start") && overlapping.contains("'low' and 'high'"),
        "{overlapping}"
    );
    let below = refusal(&format!("{FLOOR}{}", cube("sunk", 2, -0.2, 1e5)));
    assert!(below.contains("'sunk' and 'floor'"), "{below}");
    let midpoint = refusal(&format!("[time]\nintegrator = \"midpoint\"\n{FLOOR}{low}"));
    assert!(midpoint.contains("midpoint"), "{midpoint}");
    // What does not go with contact of the options that solvers have.
    for (solver, way_out) in [
        ("quasi-newton\"\ndirection = \"chebyshev", "direction = \"lbfgs\""),
        ("quasi-newton\"\ninitial_hessian = \"rest", "initial_hessian = \"system\""),
        ("xpbd\"\nrho = \"0.9", "leave out solver.rho"),
        ("pbd\"\nrho = \"0.9", "leave out solver.rho"),
    ] {
        let config = format!("[solver]\nkind = \"{solver}\"\n{FLOOR}{low}").replace("\"0.9\"", "0.9");
        let refused = Simulation::start(&parse(&config).unwrap().scene).err().expect("refused").to_string();
        assert!(refused.contains("cannot simulate contact") && refused.contains(way_out), "{refused}");
    }
}

/// A block on a plane.
pub fn block(solver: &str, step: &str, friction: f64, more: &str) -> Simulation {
    let text = format!(
        "tolerance = 1e-5\n[time]\nstep = {step}\n[contact]\ndistance = 0.005\nfriction = {friction}\n{FLOOR}{more}\
         [[body]]\nname = \"block\"\n\
         element = \"linear\"\n\
         generate = {{ shape = \"box\", size = [1, 0.5, 1], cells = [4, 2, 4] }}\n\
         material = {{ model = \"arap\", young = 1e6, poisson = 0.3 }}\n\
         transform = {{ translate = [0, 0.0045, 0] }}\n"
    );
    start(solver, &text)
}

/// The mean place along x of the block's vertices, after so many steps.
fn advance(simulation: &mut Simulation, steps: usize) -> f64 {
    for _ in 0..steps {
        simulation.advance().unwrap();
    }
    let x = simulation.positions("block").unwrap();
    x.iter().map(|p| p[0]).sum::<f64>() / x.len() as f64
}

#[test]
fn a_block_slides_on_a_slope_that_is_steeper_than_its_friction_and_sticks_on_others() {
    // Gravity tilted by a slope of tan θ = 0.5.
    let slope = "[world]\ngravity = [4.387165, -8.774330, 0]\n";
    for solver in ["newton", "quasi-newton"] {
        // a = g (sin θ − μ cos θ): what it gains in a second over the second before.
        let mut sliding = block(solver, "\"1/60\"", 0.49, slope);
        let places = [60, 60, 60].map(|steps| advance(&mut sliding, steps));
        let gained = (places[2] - places[1]) - (places[1] - places[0]);
        assert!((gained / 0.087743 - 1.0).abs() < 0.02, "{solver}: gained {gained} m");
        let mut sticking = block(solver, "\"1/60\"", 0.51, slope);
        let settled = advance(&mut sticking, 120);
        let crept = advance(&mut sticking, 120) - settled;
        assert!(crept.abs() < 1e-8, "{solver}: crept by {crept} m in 2 s");
        let report = touching(&mut sticking);
        let between = &report.between[0];
        assert!((between.normal[1] / 4387.165 - 1.0).abs() < 1e-3, "{between:?}");
        assert!((between.friction[0] / -2193.583 - 1.0).abs() < 1e-3, "{between:?}");
    }
}

#[test]
fn a_block_that_is_pushed_comes_to_rest_where_friction_has_taken_its_energy() {
    for solver in ["newton", "quasi-newton"] {
        for (step, wanted) in [("\"1/60\"", 0.162), ("\"1/240\"", 0.168)] {
            // v²/(2 μ g) − v h/2, the way of implicit Euler.
            let mut pushed = block(solver, step, 0.3, "");
            let settled = advance(&mut pushed, if step.contains("240") { 240 } else { 60 });
            let free = pushed.objective.free;
            pushed.state.v[..free].iter_mut().for_each(|v| v.0[0] += 1.0);
            let mut work = 0.0;
            for _ in 0..if step.contains("240") { 160 } else { 40 } {
                work += pushed.advance().unwrap().friction_work;
            }
            let slid = advance(&mut pushed, 0) - settled;
            assert!((slid / wanted - 1.0).abs() < 0.02, "{solver}, {step}: slid {slid} m");
            // 500 kg press with 4,905 N.
            let force = 0.3 * 4905.0;
            assert!((work / (-force * slid) - 1.0).abs() < 0.02, "{solver}, {step}: friction did {work} J");
        }
    }
}

#[test]
fn a_body_that_starts_almost_on_the_floor_is_lifted() {
    // Below a gap of a ten-thousandth of d̂, the contacts are some 10⁸ times stiffer than the body.
    for (solver, gap) in
        [("newton", 1e-7), ("quasi-newton", 1e-6), ("quasi-newton", 1e-7), ("quasi-newton", 1e-9)]
    {
        let text = format!("tolerance = 1e-3\n[time]\nstep = \"1/60\"\n{FLOOR}{}", cube("cube", 3, gap, 1e5));
        let mut simulation = start(solver, &text);
        for _ in 0..30 {
            simulation.advance().unwrap();
        }
        let least = touching(&mut simulation).least;
        assert!(least > 1e-3, "{solver} from {gap} m: {least} m");
    }
}

#[test]
fn what_is_crushed_is_told_with_the_obstacle_and_the_body() {
    for solver in ["newton", "quasi-newton"] {
        let press = "[[obstacle]]\nname = \"press\"\n\
            shape = { box = { min = [-0.5, 1.1, -0.5], max = [1.5, 1.3, 1.5] } }\n\
            motion = { translate = [0, -1.2, 0], from = 0, until = 1.2 }\n";
        let text = format!(
            "iterations = 50\ntolerance = 1e-3\n[time]\nstep = \"1/60\"\n{FLOOR}{press}{}",
            cube("cube", 2, 0.01, 1e5)
        );
        let mut simulation = start(solver, &text);
        let error =
            (0..100).find_map(|_| simulation.advance().err()).expect("the press ends below the floor");
        let error = error.to_string();
        assert!(
            error.contains("'cube'") && (error.contains("'press'") || error.contains("'floor'")),
            "{error}"
        );
        assert!(error.contains("frame") && error.contains("crushed"), "{error}");
    }
}

#[test]
fn a_state_with_an_intersection_is_not_written() {
    let text = format!(
        "[time]\nstep = \"1/60\"\n[contact]\n{FLOOR}{}{}",
        cube("low", 2, 0.01, 1e5),
        cube("high", 2, 1.1, 1e5)
    );
    let mut simulation = start("quasi-newton", &text);
    simulation.advance().unwrap();
    simulation.check_clean(1).unwrap();
    // Everything moves down by more than the gap to the floor, then only the upper cube into the lower one.
    let clean = simulation.state.x.clone();
    let free = simulation.objective.free;
    simulation.state.x[..free].iter_mut().for_each(|x| x.0[1] -= 0.02);
    let error = simulation.check_clean(7).unwrap_err().to_string();
    assert!(
        error.contains("frame 7: 'low' and 'floor' intersect") && error.contains("not written"),
        "{error}"
    );
    simulation.state.x = clean;
    simulation.state.x.iter_mut().filter(|x| x.0[1] > 1.05).for_each(|x| x.0[1] -= 0.3);
    let error = simulation.check_clean(8).unwrap_err().to_string();
    assert!(error.contains("'low' and 'high' intersect"), "{error}");
}
