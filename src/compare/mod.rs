//! Solvers side by side: the same step, from the same start, on the same objective.
//!
//! ```text
//! relative error of x_k  =  (g(x_k) − g*)/(g(x_0) − g*),      x_0 = y
//! ```
//!
//! \[Liu2017, Eq. 12; Ledwon2024, Eq. 5.5\]. g* is the lowest value that Newton, run until rounding stops it, or any of
//! the solvers reached. Time is that of the iterations alone: measurements of an iterate are not included. Solvers that
//! do not minimize g (xpbd, pbd) are measured in the same way, and need not approach g*. With contact, x_0 is as far on the
//! way to y as the filter lets a step go, and friction has the forces and normals of the step's start.

pub mod cases;
pub mod chart;
pub mod frames;
pub mod resolution;

pub use crate::solver::specification::{Contender, parse};
pub use frames::over_frames;

use std::time::{Duration, Instant};

use crate::cache::Cache;
use crate::error::Result;
use crate::model::State;
use crate::simulate::Simulation;
use crate::simulate::metrics::momenta;
use crate::solver::{Cost, Progress, Solver, SolverSettings, newton};
use crate::step::{Iterate, Objective, Value};
use elements::math::lanes::Vec4;
use elements::math::vectors;
use elements::par;

/// The columns of `convergence.csv`, in order.
pub const HEADER: &str = "solver,iteration,seconds,objective,inertia,energy,relative_error,gradient_norm,px,py,pz,lx,ly,lz,tries,alpha";

/// The largest number of Newton's iterations for the reference.
const REFERENCE: u64 = 300;

/// One iterate of one solver.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The number of the iteration; 0 is the common start.
    pub iteration: u64,
    /// The time of the iterations so far, in s.
    pub seconds: f64,
    /// The value of g and its parts, in J.
    pub value: Value,
    /// The relative error (see the module's header), which is filled in when all solvers are done.
    pub relative_error: f64,
    /// The norm ‖∇g‖ of the gradient in N.
    pub gradient_norm: f64,
    /// The linear momentum in kg·m/s, with the velocity that belongs to the iterate.
    pub linear: [f64; 3],
    /// The angular momentum about the origin in kg·m²/s.
    pub angular: [f64; 3],
    /// The evaluations by line searches so far.
    pub tries: u64,
    /// The part α of the direction that the line search took; `None` if there was none.
    pub alpha: Option<f64>,
}

/// The iterates of one solver.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// The solver as the user specified it.
    pub label: String,
    /// Its iterates; the first is the common start.
    pub points: Vec<Point>,
    /// The lowest det F at its end, and how many cells are inverted there.
    pub volumes: (f64, usize),
    /// The notes of the solver for the user.
    pub notes: Vec<String>,
}

impl Course {
    /// Its last iterate.
    pub fn last(&self) -> &Point {
        self.points.last().expect("it has a start")
    }
}

/// A comparison on one step.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The lowest value g* of the objective that was found, in J.
    pub reference: f64,
    /// The courses of all solvers, in the order in which they were asked for.
    pub courses: Vec<Course>,
}

/// Compares solvers on the step that `simulation` would make next, with `iterations` of each that gives none itself.
pub fn compare(
    simulation: &mut Simulation,
    contenders: &[Contender],
    iterations: u64,
    cache: &Cache,
) -> Result<Comparison> {
    if contenders.iter().any(|c| c.settings.kind().conserves) {
        simulation.conserve();
    }
    let (base, start) = simulation.next_stage()?;
    let objective = &simulation.objective;
    let mut lowest = reference(objective, &start, cache)?;
    let mut courses = vec![];
    for contender in contenders {
        let iterations = contender.iterations.unwrap_or(iterations);
        let race = || course(objective, &base, &start, contender, iterations, cache);
        let course = par::session(objective.elements(), race)?;
        let finite = course.points.iter().map(|p| p.value.total()).filter(|g| g.is_finite());
        lowest = finite.fold(lowest, f64::min);
        courses.push(course);
    }
    let first = start.value.total() - lowest;
    for point in courses.iter_mut().flat_map(|course| &mut course.points) {
        point.relative_error = (point.value.total() - lowest) / first;
    }
    Ok(Comparison { reference: lowest, courses })
}

/// A solver that is ready for the objective, its active terms included.
fn prepared(settings: &SolverSettings, objective: &Objective, cache: &Cache) -> Result<Box<dyn Solver>> {
    let mut solver = settings.build();
    solver.prepare(objective, cache)?;
    if objective.has_active() {
        solver.accept_active(objective)?;
    }
    Ok(solver)
}

/// The value of g in J at which Newton ends.
fn reference(objective: &Objective, start: &Iterate, cache: &Cache) -> Result<f64> {
    let settings =
        SolverSettings::new(newton::Options::default(), REFERENCE, 0.0).expect("defaults are in range");
    let mut solver = prepared(&settings, objective, cache)?;
    let mut iterate = start.clone();
    solver.begin_step(objective, &iterate);
    for _ in 0..REFERENCE {
        if solver.iterate(objective, &mut iterate, &mut Cost::default())? == Progress::Stalled {
            break;
        }
    }
    Ok(iterate.value.total().min(start.value.total()))
}

fn course(
    objective: &Objective,
    base: &State,
    start: &Iterate,
    contender: &Contender,
    iterations: u64,
    cache: &Cache,
) -> Result<Course> {
    contender.settings.check_terms(objective)?;
    let mut solver = prepared(&contender.settings, objective, cache)?;
    let mut notes: Vec<String> = solver.tune(objective, start, cache)?.into_iter().collect();
    let mut iterate = start.clone();
    let mut cost = Cost::default();
    let mut points = vec![measure(objective, base, &iterate, (0, 0, None), Duration::ZERO)];
    solver.begin_step(objective, &iterate);
    let mut spent = Duration::ZERO;
    for iteration in 1..=iterations {
        cost.alpha = 0.0;
        let begun = Instant::now();
        let progress = solver.iterate(objective, &mut iterate, &mut cost)?;
        spent += begun.elapsed();
        if !solver.evaluates() {
            objective.evaluate(&mut iterate);
        }
        let alpha = (cost.alpha > 0.0).then_some(cost.alpha);
        points.push(measure(objective, base, &iterate, (iteration, cost.tries, alpha), spent));
        if progress == Progress::Stalled || !iterate.value.total().is_finite() {
            break;
        }
    }
    notes.extend(solver.closing_note());
    let volumes = objective.volumes(&iterate.x);
    Ok(Course { label: contender.label.clone(), points, volumes, notes })
}

fn measure(
    objective: &Objective,
    base: &State,
    at: &Iterate,
    (iteration, tries, alpha): (u64, u64, Option<f64>),
    spent: Duration,
) -> Point {
    let rate = 1.0 / objective.step;
    let velocity: Vec<Vec4> =
        at.x.iter()
            .zip(&base.x)
            .map(|(x, b)| Vec4(std::array::from_fn(|k| rate * (x.0[k] - b.0[k]))))
            .collect();
    let sums = momenta(&objective.mass, &at.x, &velocity);
    Point {
        iteration,
        seconds: spent.as_secs_f64(),
        value: at.value,
        relative_error: f64::NAN,
        gradient_norm: vectors::norm(&at.gradient),
        linear: sums.linear,
        angular: sums.angular,
        tries,
        alpha,
    }
}

impl Comparison {
    /// The content of `convergence.csv`. Numbers read back to the same bits.
    pub fn to_csv(&self) -> String {
        let mut text = format!("{HEADER}\n");
        for course in &self.courses {
            for p in &course.points {
                let [px, py, pz] = p.linear;
                let [lx, ly, lz] = p.angular;
                // The label is quoted, as it may contain commas.
                text += &format!(
                    "\"{}\",{},{},{},{},{},{},{},{px},{py},{pz},{lx},{ly},{lz},{},{}\n",
                    course.label,
                    p.iteration,
                    p.seconds,
                    p.value.total(),
                    p.value.inertia,
                    p.value.elastic,
                    p.relative_error,
                    p.gradient_norm,
                    p.tries,
                    p.alpha.map_or(String::new(), |alpha| alpha.to_string()),
                );
            }
        }
        text
    }

    /// The first iteration at which a solver's relative error is at most `error`; `None` if there is none.
    pub fn iterations_to(&self, label: &str, error: f64) -> Option<u64> {
        let course = self.courses.iter().find(|course| course.label == label)?;
        course.points.iter().find(|point| point.relative_error <= error).map(|point| point.iteration)
    }
}
