//! Milliseconds per iteration, beside the papers' own codes on the same beam.
//!
//! 40×10×10 cubes, five tets each: 4,961 vertices, 20,000 tets, x = 0 face pinned, E = 1e6, ν = 0.3, h = 1/30 s, from rest, 10
//! iterations a frame, 20 frames. Their times were measured on a machine of this kind when it was quiet, with one thread.

use elements::par;
use pliant::cache::Cache;
use pliant::scene::{Element, Scene, Shape};
use pliant::simulate::Simulation;

use crate::{beam, write_csv};

const FRAMES: usize = 20;
const ITERATIONS: f64 = 10.0;
const RUNS: usize = 5;
const TETS: f64 = 20_000.0;

/// A line of the table.
type Row = (&'static str, Option<f64>, Option<f64>, &'static str, &'static str);

/// Code, its ms per iteration, what ours must reach, our solver and material.
const ROWS: [Row; 14] = [
    ("Liu et al., PD", Some(15.6), Some(1.2), "pd", "arap"),
    ("Liu et al., L-BFGS m = 5", Some(17.0), Some(1.3), "quasi-newton", "arap"),
    ("Liu et al., L-BFGS m = 5", Some(19.6), Some(1.4), "quasi-newton", "corotated"),
    ("Liu et al., L-BFGS m = 5", Some(4.0), Some(1.0), "quasi-newton", "neo-hookean"),
    ("admm-elastic", Some(17.6), Some(1.4), "admm", "arap"),
    ("admm-elastic", Some(30.0), Some(3.5), "admm", "neo-hookean"),
    ("Q-Minh PD", Some(13.9), Some(1.2), "pd", "arap"),
    ("PositionBasedDynamics", Some(4.1), Some(1.2), "xpbd", "arap"),
    ("", None, None, "quasi-newton", "stable-neo-hookean"),
    ("", None, None, "quasi-newton", "stvk"),
    ("", None, None, "quasi-newton", "mooney-rivlin"),
    ("", None, None, "xpbd", "stable-neo-hookean"),
    ("", None, None, "vbd", "arap"),
    ("", None, None, "vbd", "neo-hookean"),
];

/// The beam with quadratic tets at the same unknowns, 4,961 nodes: 2,500 tets with four points of quadrature each.
const QUADRATIC: [(&str, &str); 5] = [
    ("pd", "arap"),
    ("quasi-newton", "arap"),
    ("quasi-newton", "corotated"),
    ("quasi-newton", "neo-hookean"),
    ("admm", "neo-hookean"),
];
const POINTS: f64 = 10_000.0;

/// Per iteration: ms of all, of the local and of the global part, and tries of the line search.
fn measure(config: &Scene, threads: usize) -> [f64; 4] {
    par::with_threads(threads, || {
        let mut best = [[f64::INFINITY; 3]; FRAMES];
        let mut tries = 0;
        for _ in 0..RUNS {
            let (mut simulation, _) = Simulation::new(config, &Cache::disabled()).expect("a beam");
            tries = 0;
            for best in &mut best {
                let m = simulation.advance().expect("a step");
                let times = [m.total, m.cost.local, m.cost.global].map(|d| d.as_secs_f64() * 1e3);
                *best = std::array::from_fn(|k| best[k].min(times[k]));
                tries += m.cost.tries;
            }
        }
        let per = FRAMES as f64 * ITERATIONS;
        let sum = |k: usize| best.iter().map(|b| b[k]).sum::<f64>() / per;
        [sum(0), sum(1), sum(2), tries as f64 / per]
    })
}

pub fn run() {
    println!(
        "{:<14}{:<20}{:>8}{:>8}{:>8}{:>8}{:>7}{:>11}{:>6}{:>7}   {:<25}{:>7}{:>7}{:>7}",
        "solver",
        "material",
        "ms/iter",
        "local",
        "global",
        "ns/tet",
        "tries",
        "2 threads",
        "gain",
        "local",
        "theirs",
        "ms/iter",
        "ratio",
        "goal"
    );
    let mut lines = vec![];
    let mut done: Vec<(&str, &str, [f64; 4], [f64; 4])> = vec![];
    for (code, theirs, goal, solver, material) in ROWS {
        let known = done.iter().find(|d| (d.0, d.1) == (solver, material)).copied();
        let (_, _, one, two) = known.unwrap_or_else(|| {
            let scene = beam([40, 10, 10], solver, material);
            (solver, material, measure(&scene, 1), measure(&scene, 2))
        });
        done.push((solver, material, one, two));
        let ([all, local, global, tries], [two, two_local, ..]) = (one, two);
        let number = |x: Option<f64>| x.map_or(String::new(), |x| format!("{x:.1}"));
        let mark = goal.map_or("", |goal| if all <= goal { " ✓" } else { " ✗" });
        println!(
            "{solver:<14}{material:<20}{all:>8.3}{local:>8.3}{global:>8.3}{:>8.1}{tries:>7.2}{two:>11.3}{:>6.2}{:>7.2}   \
             {code:<25}{:>7}{:>7}{:>7}{mark}",
            local * 1e6 / TETS,
            all / two,
            local / two_local,
            number(theirs),
            number(theirs.map(|t| t / all)),
            number(goal),
        );
        let cell = |x: Option<f64>| x.map_or(String::new(), |x| x.to_string());
        lines.push(format!(
            "{solver},{material},{all},{local},{global},{tries},{two},{two_local},\"{code}\",{},{}",
            cell(theirs),
            cell(goal)
        ));
    }
    let header = "solver,material,ms,local_ms,global_ms,tries,two_threads_ms,two_threads_local_ms,theirs,theirs_ms,goal_ms";
    write_csv("table.csv", header, &lines);
    quadratic(&done);
}

/// The rows of quadratic tets, beside those of linear ones.
fn quadratic(linear: &[(&str, &str, [f64; 4], [f64; 4])]) {
    println!(
        "quadratic tets, 2,500 of four points: ms per iteration, local and global part, tries; ns a point"
    );
    println!("beside the ns a linear tet takes above");
    let mut lines = vec![];
    for (solver, material) in QUADRATIC {
        let mut scene = beam([40, 10, 10], solver, material);
        scene.bodies[0].mesh = Shape::Block { size: [2.5, 0.625, 0.625], cells: [20, 5, 5], split: 5 }.into();
        scene.bodies[0].element = Some(Element::Quadratic);
        let [all, local, global, tries] = measure(&scene, 1);
        let (point, tet) =
            (local * 1e6 / POINTS, linear.iter().find(|row| (row.0, row.1) == (solver, material)));
        let tet = tet.map_or(f64::NAN, |row| row.2[1] * 1e6 / TETS);
        println!(
            "{solver:<14}{material:<20}{all:>8.3}{local:>8.3}{global:>8.3}{tries:>7.2}   {point:>6.1} ns a point, {tet:>6.1} a tet: \
             {:.2}",
            point / tet
        );
        lines.push(format!("{solver},{material},{all},{local},{global},{tries},{point},{tet}"));
    }
    write_csv("quadratic.csv", "solver,material,ms,local_ms,global_ms,tries,ns_point,ns_linear_tet", &lines);
}
