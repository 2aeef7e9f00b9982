//! FEPR: the nearest state of given momenta and energy, after any solver's step.
//!
//! ```text
//! min ½|x − x̃|²_M/τ² + ½|v − ṽ|²_M   subject to   P(v) = P⁺,   L(x, v) = L⁺,   H(x, v) − f·(x − x_n) = H⁺
//! ```
//!
//! where (x̃, ṽ) is the solver's result and P⁺, L⁺, H⁺ come from the accounts. The constraints are linearized at q = (x, v) and
//! solved with one 7×7 system a body, q ← q̃ − D⁻¹Jᵀλ with J D⁻¹Jᵀ λ = c − J(q − q̃) and D the metric above, until they
//! hold. \[Dinev2018\] leaves the momenta some slack; here all three hold, and where they contradict each other (only a user's
//! control can make them) the projection ends where it gets no nearer. And where the time scale τ is the step, stiff directions
//! take all of the correction and the surface gets bumps; with τ² = Σ m/Σ K_ii, K the stiffness of the system matrix,
//! positions and velocities share it.

use crate::step::backtracking::halves;
use std::collections::BTreeMap;

use super::{Account, Departure, Goal, Kept, Ledger, Member, Push, Shape, springs};
use crate::model::State;
use crate::step::{Iterate, Objective};
use elements::math::dense;
use elements::math::lanes::Vec4;
use elements::math::vec3::{add, cross, dot, scale, sub};

/// Violations of the constraints, relative to their scales, that are nothing.
const NOTHING: f64 = 1e-10;
/// Linearizations at the most.
const MOST: u64 = 30;
/// The smallest part of the way to a solution that is tried.
const MIN_PART: f64 = 1e-2;

/// Gradients of the constraints with respect to the position and the velocity of a vertex.
type Rows = [[[f64; 3]; 2]; 7];

/// One body's projection.
struct Body<'a> {
    member: &'a Member,
    goal: Goal,
    kept: Kept,
}

/// A step to project.
pub struct Landing<'a> {
    /// Where it comes from.
    pub from: Departure<'a>,
    /// Where forces acted, for their torque.
    pub acted: &'a [Vec4],
    /// Of the step in s.
    pub duration: f64,
    /// The duration τ of the step in s.
    pub time_scale: f64,
}

/// τ of a scene, in s.
pub fn time_scale(objective: &Objective) -> f64 {
    let free = objective.free as u32;
    let mut stiffness = 0.0;
    for term in &objective.terms {
        term.add_system(&mut |row, column, value| {
            if row == column && row < free {
                stiffness += value;
            }
        });
    }
    (objective.mass[..objective.free].iter().sum::<f64>() / stiffness).sqrt()
}

impl Ledger {
    /// Projects `state`, books the step and leaves `at` evaluated there; returns the linearizations that it took.
    pub fn project(
        &mut self,
        objective: &Objective,
        landing: &Landing,
        state: &mut State,
        at: &mut Iterate,
    ) -> u64 {
        let moving: Vec<u32> = landing.from.moving.iter().map(|v| self.body_of[*v as usize]).collect();
        let bodies: Vec<Body> = (self.members.iter().zip(&self.accounts).enumerate())
            .map(|(number, (member, account))| {
                Body::new(member, account, objective, landing, moving.contains(&(number as u32)), state)
            })
            .collect();
        let violation = |state: &State, at: &mut Iterate| {
            at.x.copy_from_slice(&state.x);
            objective.evaluate(at);
            bodies.iter().map(|body| body.violation(objective, landing, state, at)).fold(0.0, f64::max)
        };
        let result = state.clone();
        let mut now = violation(state, at);
        let mut iterations = 0;
        while now > NOTHING && iterations < MOST {
            let mut target = result.clone();
            bodies.iter().for_each(|body| body.linearize(objective, landing, state, at, &mut target));
            let (mut tried, mut next) = (target.clone(), f64::INFINITY);
            for part in halves(objective.longest_part(&state.x, || &target.x), MIN_PART) {
                tried.x = blend(part, &target.x, &state.x);
                tried.v = blend(part, &target.v, &state.v);
                next = violation(&tried, at);
                if next < now {
                    break;
                }
            }
            iterations += 1;
            if next >= now {
                now = violation(state, at);
                break;
            }
            (*state, now) = (tried, next);
        }
        tracing::trace!("projected by {iterations} linearizations to {now:.1e}");
        let accounts = bodies.iter().map(|body| body.book(objective, landing, state, at)).collect();
        self.accounts = accounts;
        iterations
    }
}

/// `b + part (a − b)`.
fn blend(part: f64, a: &[Vec4], b: &[Vec4]) -> Vec<Vec4> {
    if part == 1.0 {
        return a.to_vec();
    }
    a.iter().zip(b).map(|(a, b)| Vec4(std::array::from_fn(|k| b.0[k] + part * (a.0[k] - b.0[k])))).collect()
}

impl<'a> Body<'a> {
    fn new(
        member: &'a Member,
        account: &Account,
        objective: &Objective,
        landing: &Landing,
        is_moved: bool,
        state: &State,
    ) -> Body<'a> {
        let acted = Shape::new(&member.vertices, &objective.mass, landing.acted);
        let springs = member.springs(objective, landing.acted);
        let mut push = springs::impulse(&springs, acted.centre, landing.acted, landing.duration);
        let mut kinetic = 0.0;
        for v in member.vertices.iter().map(|v| *v as usize) {
            let impulse = scale(landing.duration, landing.from.force[v].xyz());
            push.add(sub(landing.acted[v].xyz(), acted.centre), impulse);
            kinetic += 0.5 * objective.mass[v] * dot(state.v[v].xyz(), state.v[v].xyz());
        }
        let kept = member.kept(is_moved);
        let shape = Shape::new(&member.vertices, &objective.mass, &landing.from.state.x);
        let by = Push { shape, push, kinetic, duration: landing.duration };
        Body { member, goal: member.goal(account, objective, &landing.from, &by, kept), kept }
    }

    /// The force on a vertex whose work adds to H.
    fn working(&self, landing: &Landing, vertex: usize) -> [f64; 3] {
        if self.member.control.energy.is_some() { [0.0; 3] } else { landing.from.force[vertex].xyz() }
    }

    /// P, L and H less the work of forces, and that work.
    fn measure(
        &self,
        objective: &Objective,
        landing: &Landing,
        state: &State,
        at: &Iterate,
    ) -> (Account, f64) {
        let mut work = 0.0;
        for v in self.member.vertices.iter().map(|v| *v as usize) {
            let way = sub(state.x[v].xyz(), landing.from.state.x[v].xyz());
            work += dot(self.working(landing, v), way);
        }
        let mut account = self.member.measure(objective, state, &at.parts);
        account.energy -= work;
        (account, work)
    }

    fn values(&self, objective: &Objective, landing: &Landing, state: &State, at: &Iterate) -> [f64; 7] {
        let (have, _) = self.measure(objective, landing, state, at);
        let [a, b, c] = sub(have.linear, self.goal.linear);
        let [d, e, f] = sub(have.angular, self.goal.angular);
        [a, b, c, d, e, f, have.energy - self.goal.energy]
    }

    fn violation(&self, objective: &Objective, landing: &Landing, state: &State, at: &Iterate) -> f64 {
        let c = self.values(objective, landing, state, at);
        self.kept.violation(&c, &self.goal.scale)
    }

    /// Calls `f` with the vertices of the body and the gradients of their constraints.
    fn rows(
        &self,
        objective: &Objective,
        landing: &Landing,
        state: &State,
        at: &Iterate,
        f: &mut dyn FnMut(usize, &Rows),
    ) {
        let shape = Shape::new(&self.member.vertices, &objective.mass, &state.x);
        let have = self.member.measure(objective, state, &at.parts);
        let mean = scale(1.0 / shape.mass, have.linear);
        let per_step = 1.0 / (objective.step * objective.step);
        let lags = self.lags(objective, state);
        for v in self.member.vertices.iter().map(|v| *v as usize) {
            let (mass, x, velocity) = (objective.mass[v], state.x[v].xyz(), state.v[v].xyz());
            let mut rows: Rows = Default::default();
            for k in 0..3 {
                let mut unit = [0.0; 3];
                unit[k] = 1.0;
                rows[k] = [[0.0; 3], scale(mass, unit)];
                rows[3 + k] = [
                    scale(mass, cross(sub(velocity, mean), unit)),
                    scale(mass, cross(unit, sub(x, shape.centre))),
                ];
            }
            let inertia = scale(mass * per_step, sub(x, objective.inertial[v].xyz()));
            let elastic = sub(at.gradient[v].xyz(), inertia);
            rows[6] = [sub(elastic, self.working(landing, v)), scale(mass, velocity)];
            if let Some(lag) = lags.get(&v) {
                rows[6] = [sub(rows[6][0], lag[0]), sub(rows[6][1], lag[1])];
            }
            for (row, holds) in rows.iter_mut().zip(self.kept.mask()) {
                if !holds {
                    *row = Default::default();
                }
            }
            f(v, &rows);
        }
    }

    /// Gradients of what H has less than E of springs, by position and velocity, at their vertices.
    fn lags(&self, objective: &Objective, state: &State) -> BTreeMap<usize, [[f64; 3]; 2]> {
        let lag = self.member.lag;
        let mut out: BTreeMap<usize, [[f64; 3]; 2]> = BTreeMap::new();
        let springs = if lag > 0.0 { self.member.springs(objective, &state.x) } else { vec![] };
        for s in springs {
            let v = s.vertex as usize;
            let entry = out.entry(v).or_default();
            entry[0] = add(entry[0], scale(lag * s.stiffness, state.v[v].xyz()));
            entry[1] = add(entry[1], scale(lag, s.slope));
        }
        out
    }

    /// Moves `target`, the solver's result, to where the constraints hold if they are linearized at `state`.
    fn linearize(
        &self,
        objective: &Objective,
        landing: &Landing,
        state: &State,
        at: &Iterate,
        target: &mut State,
    ) {
        let square = landing.time_scale * landing.time_scale;
        let mut right = self.values(objective, landing, state, at);
        let mut s = [[0.0; 7]; 7];
        self.rows(objective, landing, state, at, &mut |v, rows| {
            let (dx, dv) =
                (sub(state.x[v].xyz(), target.x[v].xyz()), sub(state.v[v].xyz(), target.v[v].xyz()));
            for (i, [x, velocity]) in rows.iter().enumerate() {
                right[i] -= dot(*x, dx) + dot(*velocity, dv);
                for (j, [other, other_velocity]) in rows[..=i].iter().enumerate() {
                    s[i][j] +=
                        (square * dot(*x, *other) + dot(*velocity, *other_velocity)) / objective.mass[v];
                }
            }
        });
        for i in 0..7 {
            for j in 0..i {
                s[j][i] = s[i][j];
            }
        }
        let lambda = dense::solve(&s, &right);
        self.rows(objective, landing, state, at, &mut |v, rows| {
            let (mut x, mut velocity) = ([0.0; 3], [0.0; 3]);
            for (row, l) in rows.iter().zip(lambda) {
                x = add(x, scale(l * square / objective.mass[v], row[0]));
                velocity = add(velocity, scale(l / objective.mass[v], row[1]));
            }
            target.x[v] = Vec4::new(sub(target.x[v].xyz(), x));
            target.v[v] = Vec4::new(sub(target.v[v].xyz(), velocity));
        });
    }

    /// The account after the step.
    fn book(&self, objective: &Objective, landing: &Landing, state: &State, at: &Iterate) -> Account {
        let (have, work) = self.measure(objective, landing, state, at);
        Account {
            linear: if self.kept.linear { self.goal.linear } else { have.linear },
            angular: if self.kept.angular { self.goal.angular } else { have.angular },
            energy: work + if self.kept.energy { self.goal.energy } else { have.energy },
            stored: have.stored,
        }
    }
}
