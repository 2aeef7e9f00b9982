//! Linear momentum, angular momentum and energy of bodies: what they should be, and the constraints that keep them.
//!
//! ```text
//! P = Σ m v,      L = Σ (x − o) × m v,      H = ½|v|²_M + Σ E(x)
//! ```
//!
//! for each body by itself, with o its centre of mass: P and L together are the angular momentum about any point. Motion is
//! implicit Euler's, v = (x − x_n)/h, so all three are functions of x \[Kee2021, Eq. 11\]. An [`Account`] per body has
//! what they should be now; a step changes that by what acts from outside:
//!
//! ```text
//! P⁺ = P + Σ J,      L⁺ = L + Σ (x_n − o) × J,      H⁺ = H + Σ f·(x − x_n),      J = h f
//! ```
//!
//! The paper prints the torque the other way round, and h f·v_n for the work (Eq. 12); the above is exact for constant
//! forces. With it ∇c_H is ∇g + M v_n/h (the paper has h M v_n + h² f). The arm x_n, not x, belongs to J:
//! L⁺ − L = Σ (x_n − o) × m (v_{n+1} − v_n) holds for all motions.
//!
//! *Pins*, about which the paper is silent. The impulse of soft pins enters P and L, and their springs are part of H; see
//! [`springs`] for how these agree. Hard pins take P and L away from a body: their impulse makes these what they become; so do
//! soft pins too stiff for the step. At rest they do no work, and H stays; in a step in which hard pins move, nothing is kept
//! and the account of the body starts anew. So does it where hard pins begin or end: a body that is let go keeps what it
//! has then. Where time changes an energy at standing positions (moving targets,
//! `stiffness_scale`), the change counts as work.
//!
//! *Compatibility* \[Kee2021, Eq. 13-15\]: no motion of momenta P and L has less energy than K = |P|²/2M + ½ L·I⁻¹L, where L
//! is the one about the centre of mass. What users ask for may have less; there K is the goal. Elsewhere H stands for
//! (1 − α)H + αK with α free at the price of ½ε α², where ε is `regularization` times |H − K|. The accounts keep H
//! whatever α was, so that its small values do not add up: 10⁴ will do, where H taken from the last state would need
//! more. The slack that it leaves is what lets a motion turn round where all its energy is elastic.
//!
//! *Contact*: bodies that touch have constraints in common, see `groups`.
//!
//! *Control* \[Kee2021, Eq. 23-24\]: users may prescribe P, L or H, and `damping` γ takes (H − K)(1 − e^{−γh}) in a
//! step, which leaves the momenta alone.

mod groups;
pub mod projection;
pub mod springs;

use elements::energy::Role;
use std::sync::Arc;

use crate::model::{Model, State};
use crate::scene::{Control, Integrator, Scene};
use crate::step::constraint::{Constraints, Kept};
use crate::step::{Iterate, Objective};
use elements::math::eigen::symmetric3;
use elements::math::lanes::Vec4;
use elements::math::vec3::{add, cross, dot, scale, sub};

/// What a body should have.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Account {
    /// The linear momentum P in kg·m/s.
    pub linear: [f64; 3],
    /// L about the centre of mass in kg·m²/s.
    pub angular: [f64; 3],
    /// The energy H in J, kinetic and elastic together.
    pub energy: f64,
    /// The elastic energy that the body has, in J.
    pub stored: f64,
}

/// One body, as far as its constraints are concerned.
struct Member {
    /// Its unknowns, and those of them that are not held.
    unknowns: Arc<[u32]>,
    vertices: Arc<[u32]>,
    terms: Arc<[usize]>,
    control: Control,
    /// Its terms that are soft pins.
    pins: Arc<[usize]>,
    /// It has vertices that are always prescribed.
    is_pinned: bool,
    /// Hard pins hold it now.
    is_fixed: bool,
    /// Pins take its momenta away.
    is_held: bool,
    /// How much earlier than the positions of springs the velocities are, in s.
    lag: f64,
}

/// The accounts of all bodies.
pub struct Ledger {
    members: Vec<Member>,
    /// The body of each vertex, internal numbers.
    body_of: Vec<u32>,
    /// The step of the scene in s, and whether velocities are those of implicit Euler.
    step: f64,
    is_euler: bool,
    /// Some energy depends on time.
    is_animated: bool,
    /// The bodies of each of the step's constraints.
    groups: Vec<groups::Group>,
    /// One for each body.
    pub accounts: Vec<Account>,
}

/// Where a step comes from and what acts in it.
pub struct Departure<'a> {
    /// The state x_n, v_n that the step starts from.
    pub state: &'a State,
    /// External forces on all vertices in N.
    pub force: &'a [Vec4],
    /// The time at the end in s.
    pub time: f64,
    /// The energies of the terms at x_n and that time; `None`: they do not depend on time.
    pub stored: Option<&'a [f64]>,
    /// Prescribed vertices that move.
    pub moving: &'a [u32],
}

/// Mass, centre and moments of a body.
struct Shape {
    mass: f64,
    centre: [f64; 3],
    /// Principal moments of inertia about the centre, and their axes.
    moments: ([f64; 3], [[f64; 3]; 3]),
}

impl Shape {
    fn new(vertices: &[u32], mass: &[f64], x: &[Vec4]) -> Shape {
        let each = || vertices.iter().map(|v| (mass[*v as usize], x[*v as usize].xyz()));
        let (mut total, mut first) = (0.0, [0.0; 3]);
        for (m, x) in each() {
            total += m;
            first = add(first, scale(m, x));
        }
        // Nothing moves in a body that is held as a whole.
        let centre = if total > 0.0 { scale(1.0 / total, first) } else { first };
        let mut tensor = [[0.0; 3]; 3];
        for (m, x) in each() {
            let r = sub(x, centre);
            for i in 0..3 {
                tensor[i][i] += m * dot(r, r);
                for j in 0..3 {
                    tensor[i][j] -= m * r[i] * r[j];
                }
            }
        }
        Shape { mass: total, centre, moments: symmetric3(tensor) }
    }

    fn largest_moment(&self) -> f64 {
        self.moments.0.iter().fold(0.0, |a: f64, b| a.max(*b))
    }

    /// ½ L·I⁻¹L; about axes without inertia, nothing turns.
    fn spin_energy(&self, angular: [f64; 3]) -> f64 {
        let least = 1e-12 * self.largest_moment();
        let axes = self.moments.0.iter().zip(self.moments.1).filter(|(moment, _)| **moment > least);
        axes.map(|(moment, axis)| 0.5 * dot(axis, angular) * dot(axis, angular) / moment).sum()
    }
}

impl Ledger {
    /// A ledger without accounts.
    pub fn new(scene: &Scene, model: &Model, objective: &Objective) -> Ledger {
        // Vertices of obstacles are those of no body.
        let mut body_of = vec![u32::MAX; objective.mass.len()];
        let mut members = vec![];
        for (number, (body, place)) in scene.bodies.iter().zip(&model.bodies).enumerate() {
            let positions = &model.numbering.position[place.vertices.clone()];
            positions.iter().for_each(|v| body_of[*v as usize] = number as u32);
            let mut vertices: Vec<u32> =
                positions.iter().copied().filter(|v| (*v as usize) < objective.free).collect();
            vertices.sort_unstable();
            let unknowns = vertices.len();
            members.push(Member {
                unknowns: vertices.into(),
                vertices: Arc::new([]),
                terms: Arc::new([]),
                control: body.control.clone(),
                pins: Arc::new([]),
                is_pinned: unknowns < positions.len(),
                is_fixed: false,
                is_held: false,
                lag: 0.0,
            });
        }
        for (number, member) in members.iter_mut().enumerate() {
            let own = |t: &usize| objective.terms[*t].bodies == [number];
            member.terms = (0..objective.terms.len()).filter(own).collect();
            let is_pin = |t: &usize| objective.terms[*t].role() == Role::Anchor;
            member.pins = member.terms.iter().copied().filter(is_pin).collect();
        }
        let moves = |pin: &crate::scene::Pin| pin.motion.is_some() || pin.active.is_some();
        let is_animated =
            scene.bodies.iter().any(|b| b.stiffness_scale.is_some() || b.pins.iter().any(moves));
        let (step, is_euler) = (scene.time.step, scene.time.integrator == Integrator::ImplicitEuler);
        let mut ledger =
            Ledger { members, body_of, step, is_euler, is_animated, groups: vec![], accounts: vec![] };
        ledger.follow(model, objective, None);
        ledger
    }

    /// Takes anew which vertices of bodies are held, and how pins hold bodies. At a state, where an iterate is evaluated, the
    /// accounts of bodies whose held vertices change start anew.
    pub fn follow(&mut self, model: &Model, objective: &Objective, at: Option<(&State, &Iterate)>) {
        for (number, member) in self.members.iter_mut().enumerate() {
            let moves = |v: &u32| objective.moves(*v as usize);
            let vertices: Arc<[u32]> = member.unknowns.iter().copied().filter(moves).collect();
            let changes = vertices != member.vertices;
            member.is_fixed = member.is_pinned || vertices.len() < member.unknowns.len();
            member.vertices = vertices;
            member.is_held = false;
            member.is_held = member.is_held(objective, &model.initial.x, self.step);
            let is_late = self.is_euler && !member.pins.is_empty() && !member.is_held;
            member.lag = if is_late { 0.5 * self.step } else { 0.0 };
            if let (true, Some((state, at)), Some(account)) = (changes, at, self.accounts.get_mut(number)) {
                *account = member.measure(objective, state, &at.parts);
            }
        }
    }

    /// Opens the accounts with what the bodies have at `state`, where `at` is evaluated.
    pub fn open(&mut self, objective: &Objective, state: &State, at: &Iterate) {
        let measure = |member: &Member| member.measure(objective, state, &at.parts);
        self.accounts = self.members.iter().map(measure).collect();
    }

    /// False where nobody asks for accounts.
    pub fn is_open(&self) -> bool {
        !self.accounts.is_empty()
    }

    /// True where [`Departure::stored`] is wanted.
    pub fn is_animated(&self) -> bool {
        self.is_animated
    }

    /// The constraints of every body, or of bodies that touch in common, for an implicit Euler step.
    pub fn constraints(&mut self, objective: &Objective, from: &Departure) -> Vec<Constraints> {
        let moving: Vec<u32> = from.moving.iter().map(|v| self.body_of[*v as usize]).collect();
        self.groups = groups::groups(&self.members, objective, from);
        let constrain = |group: &groups::Group| {
            let account = group.account(&self.members, &self.accounts, objective, from.state);
            let is_moved = moving.iter().any(|body| {
                group.bodies.contains(&(*body as usize)) || (*body == u32::MAX && group.meets_obstacle)
            });
            let mut out = group.member.constrain(&account, objective, from, is_moved);
            if group.touches {
                out.touching.clone_from(&group.bodies);
                out.is_pushed = group.meets_obstacle && !group.member.is_fixed;
            }
            out
        };
        self.groups.iter().map(constrain).collect()
    }

    /// Books a step that ended at `state`, where `at` is evaluated.
    pub fn settle(&mut self, objective: &Objective, state: &State, at: &Iterate) {
        for (group, c) in self.groups.iter().zip(&objective.constraints) {
            let kept = c.kept;
            let measured = group.member.measure(objective, state, &at.parts);
            let (mut here, mut work) = (Moments::default(), 0.0);
            for (i, v) in c.vertices.iter().enumerate() {
                let [a, b, d, rate] = c.lever[i];
                let base = c.base[i].xyz();
                here.linear = add(here.linear, scale(rate, base));
                here.angular = add(here.angular, cross([a, b, d], base));
                work += dot(c.force[i].xyz(), sub(state.x[*v as usize].xyz(), base));
            }
            let shared: f64 = c.touching.iter().filter_map(|body| at.shares.get(*body)).sum();
            let goal = Account {
                linear: if kept.linear { sub(c.linear, here.linear) } else { measured.linear },
                angular: if kept.angular { sub(c.angular, here.angular) } else { measured.angular },
                energy: if kept.energy { c.energy + work - shared } else { measured.energy },
                stored: measured.stored,
            };
            if let [body] = group.bodies[..] {
                self.accounts[body] = goal;
                continue;
            }
            // Each body has what it has, and an equal share of what is missing of their sums.
            let measure = |body: &usize| self.members[*body].measure(objective, state, &at.parts);
            let own: Vec<Account> = group.bodies.iter().map(measure).collect();
            let part = 1.0 / own.len() as f64;
            for (body, own) in group.bodies.iter().zip(own) {
                self.accounts[*body] = Account {
                    linear: add(own.linear, scale(part, sub(goal.linear, measured.linear))),
                    angular: add(own.angular, scale(part, sub(goal.angular, measured.angular))),
                    energy: own.energy + part * (goal.energy - measured.energy),
                    stored: own.stored,
                };
            }
        }
    }
}

impl Member {
    /// What the body has at a state whose terms have the energies `parts`.
    fn measure(&self, objective: &Objective, state: &State, parts: &[f64]) -> Account {
        let centre = Shape::new(&self.vertices, &objective.mass, &state.x).centre;
        let stored = self.stored(parts) - self.lag_energy(objective, state);
        let mut account = Account { stored, ..Account::default() };
        account.energy = account.stored;
        for v in self.vertices.iter().map(|v| *v as usize) {
            let momentum = scale(objective.mass[v], state.v[v].xyz());
            account.linear = add(account.linear, momentum);
            account.angular = add(account.angular, cross(sub(state.x[v].xyz(), centre), momentum));
            account.energy += 0.5 * dot(momentum, state.v[v].xyz());
        }
        account
    }

    fn stored(&self, parts: &[f64]) -> f64 {
        self.terms.iter().map(|t| parts[*t]).sum()
    }

    fn constrain(
        &self,
        account: &Account,
        objective: &Objective,
        from: &Departure,
        is_moved: bool,
    ) -> Constraints {
        let h = objective.step;
        let shape = Shape::new(&self.vertices, &objective.mass, &from.state.x);
        let works = self.control.energy.is_none();
        let (mut here, mut kinetic) = (Moments::default(), 0.0);
        let mut out = Constraints::empty(self.vertices.clone(), self.terms.clone(), self.kept(is_moved));
        out.set_springs(self.springs(objective, &from.state.x), &self.pins);
        let mut push = springs::impulse(&out.springs, shape.centre, &from.state.x, h);
        for v in self.vertices.iter().map(|v| *v as usize) {
            let (x, force) = (from.state.x[v].xyz(), from.force[v].xyz());
            let (rate, arm) = (objective.mass[v] / h, sub(x, shape.centre));
            here.add(arm, scale(rate, x));
            push.add(arm, scale(h, force));
            let [a, b, c] = scale(rate, arm);
            out.lever.push([a, b, c, rate]);
            out.inertia.push(0.5 * rate / h);
            out.base.push(from.state.x[v]);
            let pull = scale(rate, from.state.v[v].xyz());
            out.force.push(if works { from.force[v] } else { Vec4::ZERO });
            out.pull.push(Vec4::new(if works { pull } else { add(pull, force) }));
            let way = sub(objective.inertial[v].xyz(), x);
            kinetic += 0.5 * rate / h * dot(way, way);
        }
        let by = Push { shape, push, kinetic, duration: h };
        let goal = self.goal(account, objective, from, &by, out.kept);
        out.linear = add(goal.linear, here.linear);
        out.angular = add(goal.angular, here.angular);
        (out.energy, out.floor, out.scale) = (goal.energy, goal.floor, goal.scale);
        out
    }

    /// What the body should have after a step, before the work of forces.
    fn goal(
        &self,
        account: &Account,
        objective: &Objective,
        from: &Departure,
        by: &Push,
        kept: Kept,
    ) -> Goal {
        let wish = self.control.at(from.time);
        let linear = wish.linear.unwrap_or_else(|| add(account.linear, by.push.linear));
        let angular = wish.angular.unwrap_or_else(|| add(account.angular, by.push.angular));
        let mut floor = if kept.linear { 0.5 * dot(linear, linear) / by.shape.mass } else { 0.0 };
        floor += if kept.angular { by.shape.spin_energy(angular) } else { 0.0 };
        let stored = |parts| self.stored(parts) - self.lag_energy(objective, from.state);
        let change = from.stored.map_or(0.0, |parts| stored(parts) - account.stored);
        let energy = account.energy + change;
        let lost = (energy - floor).max(0.0) * -(-self.control.damping * by.duration).exp_m1();
        let energy = wish.energy.map_or(energy - lost, |energy| energy.max(floor));
        let typical = energy.abs().max(by.kinetic).max(1e-14 * objective.scale()).max(f64::MIN_POSITIVE);
        let moments = [by.shape.mass, by.shape.largest_moment()].map(|m| (2.0 * typical * m).sqrt());
        Goal { linear, angular, energy, floor, scale: [moments[0], moments[1], typical] }
    }

    fn kept(&self, is_moved: bool) -> Kept {
        let Kept { linear, angular, energy } = self.control.conserve;
        let is_free = !self.is_held;
        let has_energy = !is_moved && !self.vertices.is_empty();
        Kept { linear: linear && is_free, angular: angular && is_free, energy: energy && has_energy }
    }
}

/// What acts on a body in a step.
struct Push {
    /// The body at x_n.
    shape: Shape,
    /// Impulses of forces.
    push: Moments,
    /// A typical kinetic energy in J.
    kinetic: f64,
    /// Of the step in s.
    duration: f64,
}

/// See [`Member::goal`].
struct Goal {
    linear: [f64; 3],
    angular: [f64; 3],
    energy: f64,
    floor: f64,
    scale: [f64; 3],
}

/// Sums of vectors and of their moments about the centre of mass.
#[derive(Clone, Copy, Default)]
struct Moments {
    linear: [f64; 3],
    angular: [f64; 3],
}

impl Moments {
    fn add(&mut self, arm: [f64; 3], vector: [f64; 3]) {
        self.linear = add(self.linear, vector);
        self.angular = add(self.angular, cross(arm, vector));
    }
}
