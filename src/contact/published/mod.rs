//! Contact as the papers have it, for comparisons: vertices that are inside of others are pushed or put out. It gives no
//! guarantee: edges pass through edges, thin things through each other, and what is deep inside gets out at the wrong side.
//!
//! | solvers | what they do, with the depth d and the normal n of vertices inside of others |
//! |---|---|
//! | `quasi-newton`, `newton`, `vbd` | springs, E = κ w/(2 d̂) d², found anew at every x, in g and ∇g; in the directions of `newton` and in the blocks of `vbd` only \[Liu2017, 4.3\], \[Chen2024\] |
//! | `pd`, `chebyshev` | x_v ← x_v + d n at the end of each iteration; at the end of the step friction takes up to μ d of the way across n \[Wang2015, 6\] |
//! | `xpbd`, `pbd` | the same, with friction in each iteration \[Mueller2007\] |
//! | `admm` | every vertex has a copy z, the nearest place outside, with the weight of its diagonal in A at all times \[Narain2016, 4.2\] |
//! | `constrained-pd` | f = κ w/(3 l³) d³ n at the start of a step as a force from outside, whose work is −ΔE \[Kee2021, Eq. 22\] |
//!
//! w is the area of the vertex in m², κ and d̂ are those of the barrier, l is the mean edge of all surfaces in m. Bodies push each other by their vertices; nothing
//! touches itself, and sheets are obstacles for nothing. Springs have no friction, nor have `admm` and `constrained-pd`: the
//! papers do not tell any.

mod inside;

use std::sync::{Mutex, PoisonError};

use super::Contact;
use super::report::share_out;
use crate::step::active::{Active, Between, PublishedWay, Square, Touching};
use elements::math::lanes::Vec4;
use elements::math::vec3::{add, dot, norm, scale, sub};
use inside::{Inside, Penetration};

use std::collections::BTreeMap;

/// The published contacts of a scene.
pub struct Published {
    contact: Contact,
    way: PublishedWay,
    /// The mean edge of all surfaces in m.
    edge: f64,
    inside: Inside,
    /// Where vertices were when the step began.
    start: Vec<Vec4>,
    /// What the last projection has put out.
    put: Mutex<Vec<Penetration>>,
}

impl Published {
    /// The contacts between the surfaces of `contact` with vertices at `x`, treated in a solver's way.
    pub fn new(contact: Contact, way: PublishedWay, x: &[Vec4]) -> Published {
        let edge = contact.surfaces.mean_edge(x);
        Published { contact, way, edge, inside: Inside::default(), start: vec![], put: Mutex::default() }
    }

    fn find(&self, x: &[Vec4]) -> Vec<Penetration> {
        self.inside.find(&self.contact.surfaces, x)
    }

    /// The stiffness κ w/d̂ in N/m at a vertex.
    fn stiffness(&self, found: &Penetration) -> f64 {
        let surfaces = &self.contact.surfaces;
        let [own, other] = found.parts.map(|part| surfaces.parts[part as usize].stiffness);
        own.min(other) * surfaces.vertex_area(found.vertex) / surfaces.range
    }

    /// The energy in J and the force in N that push a vertex out.
    fn push(&self, found: &Penetration) -> (f64, f64) {
        let (k, d) = (self.stiffness(found), found.depth);
        match self.way {
            PublishedWay::Springs => (0.5 * k * d * d, k * d),
            PublishedWay::Forces => {
                let cubic = k * self.contact.surfaces.range / (3.0 * self.edge.powi(3));
                (0.25 * cubic * d.powi(4), cubic * d.powi(3))
            }
            _ => (0.0, 0.0),
        }
    }

    /// Calls `add` with the vertices that a push of this size acts on, and the forces.
    fn spread(found: &Penetration, force: f64, mut add: impl FnMut(u32, [f64; 3])) {
        add(found.vertex, scale(force, found.normal));
        if let Some((corners, weights)) = found.nearest {
            (0..3).for_each(|k| add(corners[k], scale(-force * weights[k], found.normal)));
        }
    }

    /// Takes up to μ d of the way that a vertex has gone across the normal since the step began.
    fn rub(&self, found: &Penetration, x: &mut Vec4) {
        let friction = &self.contact.friction;
        if !friction.acts() || self.start.is_empty() {
            return;
        }
        let most = friction.coefficient(found.parts[0], found.parts[1]) * found.depth;
        let way = sub(x.xyz(), self.start[found.vertex as usize].xyz());
        let across = sub(way, scale(dot(way, found.normal), found.normal));
        let length = norm(across);
        if length > 0.0 {
            let taken = scale((most / length).min(1.0), across);
            *x = Vec4::new(sub(x.xyz(), taken));
        }
    }
}

impl Active for Published {
    fn name(&self) -> String {
        "contact".into()
    }

    fn bodies(&self) -> &[usize] {
        self.contact.bodies()
    }

    fn is_bounding(&self) -> bool {
        false
    }

    fn projects(&self) -> bool {
        matches!(self.way, PublishedWay::Projections { .. } | PublishedWay::Copies)
    }

    fn add_gradient(&self, x: &[Vec4], gradient: &mut [Vec4]) -> f64 {
        if self.way != PublishedWay::Springs {
            return 0.0;
        }
        let mut energy = 0.0;
        for found in self.find(x) {
            let (own, force) = self.push(&found);
            energy += own;
            Published::spread(&found, force, |v, force| {
                if let Some(sum) = gradient.get_mut(v as usize) {
                    (0..3).for_each(|k| sum.0[k] -= force[k]);
                }
            });
        }
        energy
    }

    fn squares(&self, x: &[Vec4], out: &mut Vec<Square>) {
        if self.way != PublishedWay::Springs {
            return;
        }
        for found in self.find(x) {
            let root = self.stiffness(&found).sqrt();
            let (corners, weights) = found.nearest.unwrap_or(([found.vertex; 3], [0.0; 3]));
            let factor = [1.0, -weights[0], -weights[1], -weights[2]];
            out.push(Square {
                corners: [found.vertex, corners[0], corners[1], corners[2]],
                vectors: factor.map(|f| scale(root * f, found.normal)),
                harmless: f64::INFINITY,
            });
        }
    }

    fn project(&self, x: &mut [Vec4], free: usize) {
        let found = self.find(x);
        for found in found.iter().filter(|found| (found.vertex as usize) < free) {
            let place = &mut x[found.vertex as usize];
            *place = Vec4::new(add(place.xyz(), scale(found.depth, found.normal)));
            if self.way == (PublishedWay::Projections { rub: true }) {
                self.rub(found, place);
            }
        }
        *self.put.lock().unwrap_or_else(PoisonError::into_inner) = found;
    }

    fn finish(&self, x: &mut [Vec4], free: usize) {
        if self.way != (PublishedWay::Projections { rub: false }) {
            return;
        }
        let put = std::mem::take(&mut *self.put.lock().unwrap_or_else(PoisonError::into_inner));
        for found in put.iter().filter(|found| (found.vertex as usize) < free) {
            self.rub(found, &mut x[found.vertex as usize]);
        }
    }

    fn add_forces(&self, x: &[Vec4], out: &mut [Vec4]) {
        if self.way != PublishedWay::Forces {
            return;
        }
        for found in self.find(x) {
            Published::spread(&found, self.push(&found).1, |v, force| {
                (0..3).for_each(|k| out[v as usize].0[k] += force[k]);
            });
        }
    }

    fn add_shares(&self, x: &[Vec4], out: &mut [f64]) {
        if self.way != PublishedWay::Forces {
            return;
        }
        for found in self.find(x) {
            share_out(found.parts, self.push(&found).0, out);
        }
    }

    fn touching(&self, x: &[Vec4]) -> Option<Touching> {
        let mut out = Touching::nothing(x.len(), self.contact.surfaces.range);
        let mut sums: BTreeMap<[u32; 2], [f64; 3]> = BTreeMap::new();
        for found in self.find(x) {
            out.pairs += 1;
            out.least = out.least.min(-found.depth);
            let gap = &mut out.gaps[found.vertex as usize];
            *gap = gap.min(-found.depth);
            let force = self.push(&found).1;
            Published::spread(&found, force, |v, force| {
                out.forces[v as usize] = add(out.forces[v as usize], force);
            });
            let [own, other] = found.parts;
            let sign = if own < other { force } else { -force };
            let sum = sums.entry([own.min(other), own.max(other)]).or_default();
            *sum = add(*sum, scale(sign, found.normal));
        }
        let name = |part: u32| self.contact.surfaces.parts[part as usize].name.clone();
        out.between = sums
            .into_iter()
            .map(|([a, b], normal)| Between { names: [name(a), name(b)], normal, friction: [0.0; 3] })
            .collect();
        Some(out)
    }

    fn begin_step(&mut self, x: &[Vec4]) {
        self.start.clear();
        self.start.extend_from_slice(x);
    }
}
