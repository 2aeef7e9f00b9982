//! Bodies that touch, as far as their momenta and energies are concerned.
//!
//! Contact forces between bodies are equal and opposite, so what they keep is the sum: bodies that may feel each other in a
//! step make a group with one P, one L and one H, to which what contact stores belongs,
//!
//! ```text
//! H = Σ H_b + C(x) − W(x),
//! ```
//!
//! less the work W of friction, which is lost. The account of a group is the sum of those of its bodies, L about their common
//! centre of mass, and C(x_n). Afterwards each body is booked with the momenta and the energy that it has, and what is missing
//! of the group's is shared out. What an obstacle pushes or rubs takes P and L away, like hard pins do; an obstacle that stands
//! still does no work but that of friction, and H stays. Prescribed P, L and H (`control`) rest while bodies touch each other,
//! and so does `damping`, which would take the energy that a body has stored to bounce back with.
//!
//! Tried for bodies at obstacles, and dropped: to keep P too, with the contact forces of the step's start as forces from outside
//! \[Kee2021, Eq. 22\]. The barrier's forces at the end of a step hold the body forces of the constraints in balance, so the next
//! step books these; balls bounced at 27 % too low or exploded.

use std::sync::Arc;

use super::{Account, Departure, Member, Shape};
use crate::model::State;
use crate::scene::Control;
use crate::step::Objective;
use crate::step::constraint::Kept;
use elements::math::vec3::{add, cross, sub};

/// Bodies that have their constraints in common.
pub(super) struct Group {
    /// Their numbers, ascending.
    pub(super) bodies: Vec<usize>,
    /// All of them as one.
    pub(super) member: Member,
    /// True if they may touch something.
    pub(super) touches: bool,
    /// True if that may be an obstacle.
    pub(super) meets_obstacle: bool,
}

/// The groups of a step, each body in one of them.
pub(super) fn groups(members: &[Member], objective: &Objective, from: &Departure) -> Vec<Group> {
    let meetings = if objective.has_active() {
        let mut to = from.state.x.clone();
        to[..objective.free].copy_from_slice(&objective.inertial);
        objective.meeting(&from.state.x, &to)
    } else {
        vec![]
    };
    let mut of: Vec<usize> = (0..members.len()).collect();
    for [a, b] in &meetings {
        if let (Some(a), Some(b)) = (a, b) {
            let (low, high) = (of[*a].min(of[*b]), of[*a].max(of[*b]));
            of.iter_mut().filter(|group| **group == high).for_each(|group| *group = low);
        }
    }
    let touches = |body: usize| meetings.iter().any(|pair| pair.contains(&Some(body)));
    let meets_other =
        |body: usize| meetings.iter().any(|pair| pair.contains(&Some(body)) && pair[0] != pair[1]);
    let obstacle =
        |body: usize| meetings.iter().any(|pair| pair.contains(&Some(body)) && pair.contains(&None));
    let firsts = (0..members.len()).filter(|body| of[*body] == *body);
    firsts
        .map(|first| {
            let bodies: Vec<usize> = (0..members.len()).filter(|body| of[*body] == first).collect();
            let meets_obstacle = bodies.iter().any(|body| obstacle(*body));
            let mut member = Member::together(&bodies.iter().map(|body| &members[*body]).collect::<Vec<_>>());
            member.is_held |= meets_obstacle;
            let touches = bodies.iter().any(|body| touches(*body));
            if bodies.iter().any(|body| meets_other(*body)) {
                member.control.damping = 0.0;
            }
            Group { touches, bodies, member, meets_obstacle }
        })
        .collect()
}

impl Group {
    /// What the group has where a step starts.
    pub(super) fn account(
        &self,
        members: &[Member],
        accounts: &[Account],
        objective: &Objective,
        state: &State,
    ) -> Account {
        let shares = if self.touches { objective.shares(&state.x) } else { vec![] };
        let mut all = Account::default();
        let centre = |member: &Member| Shape::new(&member.vertices, &objective.mass, &state.x).centre;
        if let [body] = self.bodies[..] {
            all = accounts[body];
        } else {
            let common = centre(&self.member);
            for body in &self.bodies {
                let own = &accounts[*body];
                let arm = sub(centre(&members[*body]), common);
                all.linear = add(all.linear, own.linear);
                all.angular = add(all.angular, add(own.angular, cross(arm, own.linear)));
                all.energy += own.energy;
                all.stored += own.stored;
            }
        }
        all.energy += self.bodies.iter().filter_map(|body| shares.get(*body)).sum::<f64>();
        all
    }
}

impl Member {
    /// Several bodies as one; a single one is itself.
    fn together(members: &[&Member]) -> Member {
        let join = |list: fn(&Member) -> &[usize]| -> Arc<[usize]> {
            members.iter().flat_map(|member| list(member)).copied().collect()
        };
        let mut vertices: Vec<u32> =
            members.iter().flat_map(|member| member.vertices.iter()).copied().collect();
        vertices.sort_unstable();
        let all = |kept: fn(&Kept) -> bool| members.iter().all(|member| kept(&member.control.conserve));
        let control = match members {
            [only] => only.control.clone(),
            _ => Control {
                conserve: Kept {
                    linear: all(|k| k.linear),
                    angular: all(|k| k.angular),
                    energy: all(|k| k.energy),
                },
                ..Control::default()
            },
        };
        let mut unknowns: Vec<u32> =
            members.iter().flat_map(|member| member.unknowns.iter()).copied().collect();
        unknowns.sort_unstable();
        Member {
            unknowns: unknowns.into(),
            vertices: vertices.into(),
            terms: join(|member| &member.terms),
            control,
            pins: join(|member| &member.pins),
            is_pinned: members.iter().any(|member| member.is_pinned),
            is_fixed: members.iter().any(|member| member.is_fixed),
            is_held: members.iter().any(|member| member.is_held),
            lag: members.iter().map(|member| member.lag).fold(0.0, f64::max),
        }
    }
}
