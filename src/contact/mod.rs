//! Contact: bodies that touch obstacles, each other and themselves, and never intersect.
//!
//! One energy in the one objective (`pairs`, `barrier`, `distance`), and one filter through which every motion goes
//! (`filter`), so that no state holds an intersection, however few iterations a solver has.
//!
//! | file | what it has |
//! |---|---|
//! | `surfaces` | what can touch: primitives, areas, rules |
//! | `hierarchy` | which primitives come near each other |
//! | `distance` | closest points |
//! | `barrier` | the function of the gap |
//! | `pairs` | the energy, its gradient and the squares of its Hessian |
//! | `list` | pairs that may touch, kept over many states |
//! | `search` | the lists of a scene, made anew on demand |
//! | `filter` | how far a motion may go |
//! | `friction` | anchors that hold what sticks |
//! | `positional` | constraints and a filter for solvers of positions |
//! | `published` | contact as the papers have it, for comparisons |
//! | `report` | what touches, for people |
//! | `overlap` | whether anything intersects, exactly |
//! | `excluded` | what is left out until it is apart |
//!
//! What touches at x, and how far a motion may go, are functions of the positions alone: the list of pairs that they are
//! taken from is made anew whenever it does not tell, and the order of sums does not depend on it.

pub mod barrier;
pub mod distance;
pub mod excluded;
pub mod filter;
pub mod friction;
pub mod hierarchy;
pub mod list;
pub mod overlap;
pub mod pairs;
mod positional;
pub mod published;
mod report;
mod search;
pub mod surfaces;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::step::active::{Active, Approach, Square, Touching};
use elements::math::lanes::Vec4;
use elements::math::vec3::{add, cross, dot, norm, sub};
use elements::par;
use friction::{Friction, Rub};
use hierarchy::{Hierarchy, Scope};
use list::{List, Moved};
use pairs::{Pair, Touch};
use search::Search;
use surfaces::Surfaces;

/// The number of pairs or vertices that one thread looks at before it takes the next ones.
const AT_ONCE: usize = 1024;
/// All contacts of a scene.
pub struct Contact {
    surfaces: Surfaces,
    hierarchy: Hierarchy,
    planes: Vec<u32>,
    bodies: Vec<usize>,
    friction: Friction,
    /// The friction of the step.
    rubs: Vec<Rub>,
    /// True if the solver takes friction from [`Active::approaches`].
    is_positional: bool,
    searches: Vec<Search>,
    /// The time that finding pairs took, in ns.
    searched: AtomicU64,
}

impl Contact {
    /// The contacts between surfaces, for vertices at `x`; `bodies` are the numbers of the bodies that take part.
    pub fn new(surfaces: Surfaces, friction: Friction, bodies: Vec<usize>, x: &[Vec4]) -> Contact {
        let hierarchy = Hierarchy::new(&surfaces, x);
        let has_plane = |part: &u32| surfaces.parts[*part as usize].plane.is_some();
        let planes = (0..surfaces.parts.len() as u32).filter(has_plane).collect();
        Contact {
            searches: Search::all(&surfaces, &hierarchy, x),
            surfaces,
            hierarchy,
            planes,
            bodies,
            friction,
            rubs: vec![],
            is_positional: false,
            searched: AtomicU64::new(0),
        }
    }

    /// True if some parts rub.
    pub fn has_friction(&self) -> bool {
        self.friction.acts()
    }

    /// What can touch.
    pub fn surfaces(&self) -> &Surfaces {
        &self.surfaces
    }

    /// A list of each search that tells what touches at `x`, and how vertices have moved since it was made.
    fn lists_at(&self, x: &[Vec4]) -> Vec<(Arc<List>, Moved)> {
        let started = Instant::now();
        let of = |search: &Search| search.at(&self.surfaces, &self.hierarchy, x);
        let lists = self.searches.iter().map(of).collect();
        self.searched.fetch_add(started.elapsed().as_nanos() as u64, Ordering::Relaxed);
        lists
    }

    /// What `use_it` makes of the pairs that may be closer than their range at `x`, where it makes something of them, in
    /// an order that depends on nothing else.
    fn near<R: Send>(&self, x: &[Vec4], use_it: impl Fn(&Pair) -> Option<R> + Send + Sync) -> Vec<R> {
        let mut found = vec![];
        for plane in &self.planes {
            found.extend(self.above_plane(*plane, x, self.surfaces.range, &use_it));
        }
        let mut listed = vec![];
        self.lists_at(x).iter().for_each(|(list, moved)| list.near(moved, &use_it, &mut listed));
        listed.sort_unstable_by_key(|(key, _)| *key);
        found.extend(listed.into_iter().map(|(_, made)| made));
        found
    }

    /// What touches at `x`.
    fn touches(&self, x: &[Vec4]) -> Vec<Touch> {
        self.near(x, |pair| pair.touch(pair.places(x)))
    }

    /// What `use_it` makes of the pairs of a plane with the vertices whose gap at `x` is less than `reach`, ascending.
    fn above_plane<R: Send>(
        &self,
        plane: u32,
        x: &[Vec4],
        reach: f64,
        use_it: impl Fn(&Pair) -> Option<R> + Send + Sync,
    ) -> Vec<R> {
        let surfaces = &self.surfaces;
        let [origin, normal] = self.plane_at(plane, x);
        // Heights by a normal that is rounded otherwise may be off by as much as this.
        let reach = reach + 1e-9 * (surfaces.range + reach.abs());
        let found = par::map(surfaces.vertices.len().div_ceil(AT_ONCE), |chunk| {
            let mut out = vec![];
            for (vertex, part) in surfaces.vertices.iter().skip(AT_ONCE * chunk).take(AT_ONCE) {
                let height = dot(sub(x[*vertex as usize].xyz(), origin), normal);
                let offset = surfaces.offset_to_plane(*part, plane);
                if height - offset < reach
                    && let Some(pair) = surfaces.above_plane(*vertex, *part, plane)
                {
                    out.extend(use_it(&pair));
                }
            }
            out
        });
        found.into_iter().flatten().collect()
    }

    /// A point of a plane and its unit normal.
    fn plane_at(&self, plane: u32, x: &[Vec4]) -> [[f64; 3]; 2] {
        let corners = self.surfaces.parts[plane as usize].plane.unwrap_or_default();
        let [a, b, c] = corners.map(|v| x[v as usize].xyz());
        let normal = cross(sub(b, a), sub(c, a));
        let length = norm(normal);
        [a, normal.map(|n| n / length)]
    }

    /// The largest part up to 1 of a motion that keeps all vertices above a plane.
    fn longest_above(&self, plane: u32, from: &[Vec4], to: &[Vec4]) -> f64 {
        let surfaces = &self.surfaces;
        let corners = surfaces.parts[plane as usize].plane.unwrap_or_default().map(|v| v as usize);
        let [a, b, c] = corners.map(|v| sub(to[v].xyz(), from[v].xyz()));
        let [origin, normal] = self.plane_at(plane, from);
        let turns = a != b || a != c;
        let moves_to = add(origin, a);
        let parts = par::map(surfaces.vertices.len().div_ceil(AT_ONCE), |chunk| {
            let mut longest = 1.0f64;
            for (vertex, part) in surfaces.vertices.iter().skip(AT_ONCE * chunk).take(AT_ONCE) {
                let v = *vertex as usize;
                let start = dot(sub(from[v].xyz(), origin), normal) - surfaces.offset_to_plane(*part, plane);
                let lost = start
                    - (dot(sub(to[v].xyz(), moves_to), normal) - surfaces.offset_to_plane(*part, plane));
                let is_free = lost < list::FREE * start - filter::KEPT * surfaces.range;
                if (turns || !is_free)
                    && let Some(pair) = surfaces.above_plane(*vertex, *part, plane)
                {
                    longest = longest.min(filter::longest(&pair, from, to));
                }
            }
            longest
        });
        parts.into_iter().fold(1.0, f64::min)
    }

    /// The largest part up to 1 of a motion that keeps the pieces of a scope apart, by a search through all of them.
    fn longest_of_all(&self, scope: Scope, from: &[Vec4], to: &[Vec4]) -> f64 {
        self.bounds_of_all(scope, from, to).into_iter().fold(1.0, |longest, (part, _)| longest.min(part))
    }

    /// The pairs that bound a motion, with the parts of it that they allow, by a search through all of them.
    fn bounds_of_all(&self, scope: Scope, from: &[Vec4], to: &[Vec4]) -> Vec<(f64, Pair)> {
        let surfaces = &self.surfaces;
        let fitted = self.hierarchy.fit(surfaces, scope, [from, to], filter::BESIDE * surfaces.range);
        fitted.collect(|kind, corners, [p, q], out| {
            let x = corners.map(|v| from[v as usize].xyz());
            let end = corners.map(|v| to[v as usize].xyz());
            let way = std::array::from_fn(|k| sub(end[k], x[k]));
            let is_far = filter::is_far(kind.first(), &x, &way, surfaces.radii(p, q));
            if !is_far && let Some(pair) = surfaces.complete(kind, corners, p, q) {
                let part = filter::longest(&pair, from, to);
                if part < 1.0 {
                    out.push((part, pair));
                }
            }
        })
    }
}

impl Active for Contact {
    fn name(&self) -> String {
        "contact".into()
    }

    fn bodies(&self) -> &[usize] {
        &self.bodies
    }

    fn add_gradient(&self, x: &[Vec4], gradient: &mut [Vec4]) -> f64 {
        let touches = self.near(x, |pair| pair.evaluate(pair.places(x)).map(|found| (pair.corners, found)));
        let rubs = par::map(self.rubs.len().div_ceil(AT_ONCE), |chunk| {
            let rubs = &self.rubs[AT_ONCE * chunk..self.rubs.len().min(AT_ONCE * (chunk + 1))];
            rubs.iter().map(|rub| (rub.corners, rub.evaluate(x))).collect::<Vec<_>>()
        });
        let mut energy = 0.0;
        for (corners, (own, gradients)) in touches.into_iter().chain(rubs.into_iter().flatten()) {
            energy += own;
            for (v, part) in corners.iter().zip(&gradients) {
                if let Some(sum) = gradient.get_mut(*v as usize) {
                    (0..3).for_each(|k| sum.0[k] += part[k]);
                }
            }
        }
        energy
    }

    fn squares(&self, x: &[Vec4], out: &mut Vec<Square>) {
        self.near(x, |pair| {
            let squares = pair.squares(pair.places(x));
            (squares.count > 0).then_some(squares)
        })
        .iter()
        .for_each(|squares| out.extend_from_slice(squares.all()));
        self.rubs.iter().for_each(|rub| rub.squares(x, out));
    }

    fn touching(&self, x: &[Vec4]) -> Option<Touching> {
        Some(self.report(x))
    }

    fn intersection(&self, x: &[Vec4]) -> Option<[String; 2]> {
        let name = |part: u32| self.surfaces.parts[part as usize].name.clone();
        self.overlaps(x).first().map(|overlap| overlap.parts.map(name))
    }

    fn longest_part(&self, from: &[Vec4], to: &[Vec4]) -> f64 {
        let above = self.planes.iter().map(|plane| self.longest_above(*plane, from, to)).fold(1.0, f64::min);
        let way = Moved::between(&self.surfaces, from, to);
        self.searches.iter().fold(above, |longest, search| {
            let told = search.last().longest(&self.surfaces, &way, [from, to]);
            longest.min(told.unwrap_or_else(|| self.longest_of_all(search.scope, from, to)))
        })
    }

    fn constrains(&self) -> bool {
        true
    }

    fn approaches(&self, from: &[Vec4], to: &[Vec4], out: &mut Vec<Approach>) {
        self.constraints(from, to, out);
    }

    fn apart(&self, from: &[Vec4], to: &[Vec4], parts: &mut [f64]) {
        self.separate(from, to, parts);
    }

    fn meeting(&self, from: &[Vec4], to: &[Vec4]) -> Vec<[Option<usize>; 2]> {
        self.meetings(from, to)
    }

    fn add_shares(&self, x: &[Vec4], out: &mut [f64]) {
        self.share(x, out);
    }

    fn become_positional(&mut self) {
        self.is_positional = true;
    }

    fn bounding(&self, from: &[Vec4], to: &[Vec4]) -> Option<[String; 2]> {
        let mut bounds = self.bounds_of_all(Scope::All, from, to);
        for plane in &self.planes {
            bounds.extend(self.above_plane(*plane, from, f64::INFINITY, |pair| {
                Some((filter::longest(pair, from, to), *pair)).filter(|(part, _)| *part < 1.0)
            }));
        }
        let (_, pair) = bounds.into_iter().min_by(|(a, _), (b, _)| a.total_cmp(b))?;
        let name = |v: u32| self.surfaces.parts[self.surfaces.part_of(v) as usize].name.clone();
        Some([name(pair.corners[0]), name(pair.corners[pair.kind.first()])])
    }

    fn searched(&self) -> u64 {
        self.searched.load(Ordering::Relaxed)
    }

    fn begin_step(&mut self, x: &[Vec4]) {
        if self.friction.acts() {
            let touches = self.touches(x);
            self.rubs = self.friction.begin(&self.surfaces, &touches, x);
            if self.is_positional {
                self.rubs.clear();
            }
        }
    }

    fn lag(&mut self, x: &[Vec4]) -> bool {
        if !self.friction.acts() || self.is_positional {
            return false;
        }
        let touches = self.touches(x);
        let (rubs, changed) = self.friction.lag(&self.surfaces, &touches);
        if changed {
            self.rubs = rubs;
        }
        changed
    }

    fn end_step(&mut self, x: &[Vec4]) {
        if self.friction.acts() {
            self.friction.end(&self.surfaces, &self.rubs, x);
        }
        self.readmit(x);
    }

    fn save(&self) -> Vec<u8> {
        self.saved()
    }

    fn restore(&mut self, bytes: &[u8]) -> bool {
        self.restored(bytes)
    }
}
