//! What is measured at the end of every step: one row of `metrics.csv`.
//!
//! Everything here is computed outside the timers that it reports.

use std::time::Duration;

use super::Simulation;
use super::integrator::StageReport;
use crate::solver::Cost;
use crate::step::Value;
use elements::math::lanes::Vec4;
use elements::math::vectors;

/// The columns that every scene has, in order.
pub const HEADER: &str = "frame,step,time,iterations,line_search,objective,inertia,elastic,kinetic,potential,\
px,py,pz,lx,ly,lz,gradient_norm,min_det_f,inverted,contacts,local_ms,global_ms,line_search_ms,collision_ms,total_ms";

/// The columns that follow in scenes with contact.
const OF_CONTACT: &str = ",min_gap,truncated,friction_work";

/// The last column: ‖∇g‖ at the start of the step's worst stage, of which `gradient_norm` is what was left.
const LAST: &str = ",first_gradient";

/// The columns of a scene, in order.
pub fn header(has_contact: bool) -> String {
    format!("{HEADER}{}{LAST}", if has_contact { OF_CONTACT } else { "" })
}

/// One row of `metrics.csv`.
#[derive(Clone, Debug, PartialEq)]
pub struct StepMetrics {
    /// Frame that the step belongs to.
    pub frame: u64,
    /// The number of the step, from 1.
    pub step: u64,
    /// Time at its end in s.
    pub time: f64,
    /// Iterations done.
    pub iterations: u64,
    /// g at the last iterate.
    pub value: Value,
    /// ‖∇g‖ there, in N.
    pub gradient_norm: f64,
    /// ‖∇g‖ at the start of the step, in N.
    pub first_gradient: f64,
    /// ‖∇g‖ relative to the step's first; not a column.
    pub relative_gradient: f64,
    /// Kinetic energy in J.
    pub kinetic: f64,
    /// Potential energy of gravity in J, zero at the origin.
    pub potential: f64,
    /// Linear momentum in kg·m/s.
    pub linear: [f64; 3],
    /// Angular momentum about the origin in kg·m²/s.
    pub angular: [f64; 3],
    /// Lowest det F, and inverted elements.
    pub volumes: (f64, usize),
    /// Work of the iterations.
    pub cost: Cost,
    /// Time of the whole step.
    pub total: Duration,
    /// Time to find what comes near each other, and how far motions are safe.
    pub collision: Duration,
    /// The number of pairs that feel each other.
    pub contacts: usize,
    /// The least gap in m, at most d̂; `None` in scenes without contact.
    pub min_gap: Option<f64>,
    /// The work of friction in the step in J, negative where it brakes.
    pub friction_work: f64,
}

impl StepMetrics {
    pub(super) fn measure(
        simulation: &Simulation,
        time: f64,
        relative_gradient: f64,
        report: &StageReport,
        [total, collision]: [Duration; 2],
    ) -> StepMetrics {
        let iterate = simulation.iterate();
        let m = momenta(&simulation.objective.mass, &simulation.state.x, &simulation.state.v);
        let g = simulation.forces.gravity(time);
        let elastic = report.elastic.unwrap_or(iterate.value.elastic);
        StepMetrics {
            frame: simulation.frame(),
            step: simulation.step,
            time,
            iterations: report.iterations,
            value: Value { elastic, ..iterate.value },
            gradient_norm: vectors::norm(&iterate.gradient),
            first_gradient: report.gradients.0,
            relative_gradient,
            kinetic: m.kinetic,
            potential: -(g[0] * m.first[0] + g[1] * m.first[1] + g[2] * m.first[2]),
            linear: m.linear,
            angular: m.angular,
            volumes: simulation.objective.volumes(&simulation.state.x),
            cost: report.cost,
            total,
            collision,
            contacts: simulation.touching.as_ref().map_or(0, |touching| touching.pairs),
            min_gap: simulation.touching.as_ref().map(|touching| touching.least),
            friction_work: simulation.touching.as_ref().map_or(0.0, |touching| touching.friction_work),
        }
    }

    /// The row, with a newline. Numbers read back to the same bits.
    pub fn to_csv(&self) -> String {
        let ms = |d: Duration| d.as_secs_f64() * 1e3;
        let of_contact = self
            .min_gap
            .map_or(String::new(), |gap| format!(",{gap},{},{}", self.cost.truncated, self.friction_work));
        let collision = self.min_gap.map_or("0".into(), |_| format!("{:.4}", ms(self.collision)));
        let [px, py, pz] = self.linear;
        let [lx, ly, lz] = self.angular;
        format!(
            "{},{},{},{},{},{},{},{},{},{},{px},{py},{pz},{lx},{ly},{lz},{},{},{},{},{:.4},{:.4},{:.4},{},{:.4}{},{}\n",
            self.frame,
            self.step,
            self.time,
            self.iterations,
            self.cost.tries,
            self.value.total(),
            self.value.inertia,
            self.value.elastic,
            self.kinetic,
            self.potential,
            self.gradient_norm,
            self.volumes.0,
            self.volumes.1,
            self.contacts,
            ms(self.cost.local),
            ms(self.cost.global),
            ms(self.cost.line_search),
            collision,
            ms(self.total),
            of_contact,
            self.first_gradient,
        )
    }
}

/// Sums over all vertices.
pub struct Momenta {
    /// The kinetic energy Σ m |v|²/2 in J.
    pub kinetic: f64,
    /// The moment of mass Σ m x in kg·m.
    pub first: [f64; 3],
    /// The linear momentum Σ m v in kg·m/s.
    pub linear: [f64; 3],
    /// The angular momentum Σ m x × v about the origin in kg·m²/s.
    pub angular: [f64; 3],
}

/// The sums, in the order of the vertices.
pub fn momenta(mass: &[f64], x: &[Vec4], v: &[Vec4]) -> Momenta {
    let mut out = Momenta { kinetic: 0.0, first: [0.0; 3], linear: [0.0; 3], angular: [0.0; 3] };
    for (m, (x, v)) in mass.iter().zip(x.iter().zip(v)) {
        let (x, v) = (x.0, v.0);
        out.kinetic += 0.5 * m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        for k in 0..3 {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            out.first[k] += m * x[k];
            out.linear[k] += m * v[k];
            out.angular[k] += m * (x[i] * v[j] - x[j] * v[i]);
        }
    }
    out
}
