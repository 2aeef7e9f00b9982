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
//! | `filter` | how far a motion may go |
//! | `friction` | anchors that hold what sticks |
//! | `report` | what touches, for people |
//! | `overlap` | whether anything intersects, exactly |
//!
//! The pairs that the energy is made of are a list. It has all pairs that are closer than d̂ and twice a margin, so it
//! tells the energy wherever no vertex has moved by more than the margin since it was made. It is made anew when half of
//! the margin is used up, with a wider margin if motions were cut because of it, and at the start of every step, so that
//! a step depends on its state alone.

pub mod barrier;
pub mod distance;
pub mod filter;
pub mod friction;
pub mod hierarchy;
pub mod overlap;
pub mod pairs;
mod report;
pub mod surfaces;

use std::sync::atomic::{AtomicU64, Ordering};

use crate::step::active::{Active, Square, Touching};
use elements::energy::Energy;
use elements::math::lanes::Vec4;
use elements::math::vec3::{dot, norm, sub};
use elements::par;
use friction::Friction;
use hierarchy::Hierarchy;
use pairs::{Pair, Pairs};
use surfaces::Surfaces;

/// The number of pairs or vertices that one thread looks at before it takes the next ones.
const AT_ONCE: usize = 1024;

/// All contacts of a scene.
pub struct Contact {
    surfaces: Surfaces,
    hierarchy: Hierarchy,
    planes: Vec<u32>,
    bodies: Vec<usize>,
    pairs: Pairs,
    friction: Friction,
    /// Where vertices were when the list was made.
    made_at: Vec<Vec4>,
    margin: f64,
    /// The margin at the most, in m: lists with many more pairs than touch cost more than iterations that are cut.
    widest: f64,
    /// True if the list has to be made anew, whatever moved.
    stale: bool,
    /// How far vertices wanted to be from where the list was made, as the bits of a number in m.
    wanted: AtomicU64,
}

impl Contact {
    /// The contacts between surfaces, for vertices at `x`; `bodies` are the numbers of the bodies that take part.
    pub fn new(surfaces: Surfaces, friction: Friction, bodies: Vec<usize>, x: &[Vec4]) -> Contact {
        let hierarchy = Hierarchy::new(&surfaces, x);
        let has_plane = |part: &u32| surfaces.parts[*part as usize].plane.is_some();
        let planes = (0..surfaces.parts.len() as u32).filter(has_plane).collect();
        Contact {
            margin: surfaces.range,
            widest: surfaces.range.max(surfaces.mean_edge(x)),
            surfaces,
            hierarchy,
            planes,
            bodies,
            pairs: Pairs::default(),
            friction,
            made_at: x.to_vec(),
            stale: true,
            wanted: AtomicU64::new(0),
        }
    }

    /// What can touch.
    pub fn surfaces(&self) -> &Surfaces {
        &self.surfaces
    }

    /// The pairs that may touch, as listed last.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs.list
    }

    fn make_list(&mut self, x: &[Vec4]) {
        let surfaces = &self.surfaces;
        let reach = surfaces.range + 2.0 * self.margin;
        let fitted = self.hierarchy.fit(surfaces, x, x, reach);
        let mut list = fitted.collect(|kind, corners, [p, q], out| {
            let places = corners.map(|v| x[v as usize].xyz());
            let near = reach + surfaces.radii(p, q);
            if filter::boxes_apart(kind.first(), &places) < near * near {
                let vector = kind.closest(places).vector;
                if dot(vector, vector) < near * near {
                    out.extend(surfaces.complete(kind, corners, p, q));
                }
            }
        });
        for plane in &self.planes {
            list.extend(self.above_plane(*plane, x, x, reach));
        }
        hierarchy::sort(&mut list);
        self.pairs.list = list;
        self.made_at.clear();
        self.made_at.extend_from_slice(x);
        self.stale = false;
    }

    /// The pairs of a plane with vertices that come closer than `reach` to it between `from` and `to`; with all vertices if
    /// it turns.
    fn above_plane(&self, plane: u32, from: &[Vec4], to: &[Vec4], reach: f64) -> Vec<Pair> {
        let surfaces = &self.surfaces;
        let corners = surfaces.parts[plane as usize].plane.unwrap_or_default().map(|v| v as usize);
        let [a, b, c] = corners.map(|v| sub(to[v].xyz(), from[v].xyz()));
        let reach = if a == b && a == c { reach } else { f64::INFINITY };
        let found = par::map(surfaces.vertices.len().div_ceil(AT_ONCE), |chunk| {
            let mut out = vec![];
            for (vertex, part) in surfaces.vertices.iter().skip(AT_ONCE * chunk).take(AT_ONCE) {
                if let Some(pair) = surfaces.above_plane(*vertex, *part, plane)
                    && surfaces.may_touch(*part, plane)
                    && surfaces.is_free(&pair.corners)
                    && [from, to].iter().any(|x| pair.gap(pair.places(x)).0 < reach)
                {
                    out.push(pair);
                }
            }
            out
        });
        found.into_iter().flatten().collect()
    }

    /// The largest part of a motion for which no vertex is further than the margin from where the list was made.
    fn longest_listed(&self, from: &[Vec4], to: &[Vec4]) -> f64 {
        let parts = par::map(from.len().div_ceil(AT_ONCE), |chunk| {
            let mut worst = (f64::INFINITY, 0.0f64);
            let range = AT_ONCE * chunk..from.len().min(AT_ONCE * (chunk + 1));
            for v in range {
                let (x, end) = (from[v].xyz(), to[v].xyz());
                let (apart, way) = (sub(x, self.made_at[v].xyz()), sub(end, x));
                let square = dot(way, way);
                if square > 0.0 {
                    // |apart + α way| = margin.
                    let half = dot(apart, way) / square;
                    let rest = (self.margin * self.margin - dot(apart, apart)) / square;
                    let part = (half * half + rest).max(0.0).sqrt() - half;
                    worst = (worst.0.min(part.max(0.0)), worst.1.max(norm(sub(end, self.made_at[v].xyz()))));
                }
            }
            worst
        });
        let (part, wanted) =
            parts.into_iter().fold((f64::INFINITY, 0.0f64), |a, b| (a.0.min(b.0), a.1.max(b.1)));
        if part < 1.0 {
            self.wanted.store(wanted.to_bits(), Ordering::Relaxed);
        }
        part
    }

    /// The largest part of a motion that keeps all of `pairs` apart.
    fn longest_of(pairs: &[Pair], from: &[Vec4], to: &[Vec4]) -> f64 {
        let parts = par::map(pairs.len().div_ceil(AT_ONCE), |chunk| {
            let pairs = &pairs[AT_ONCE * chunk..pairs.len().min(AT_ONCE * (chunk + 1))];
            pairs.iter().map(|pair| filter::longest(pair, from, to)).fold(f64::INFINITY, f64::min)
        });
        parts.into_iter().fold(f64::INFINITY, f64::min)
    }
}

impl Active for Contact {
    fn bodies(&self) -> &[usize] {
        &self.bodies
    }

    fn energy(&self) -> &dyn Energy {
        &self.pairs
    }

    fn refresh(&mut self, x: &[Vec4]) -> bool {
        let apart = x.iter().zip(&self.made_at).map(|(x, at)| {
            let way = sub(x.xyz(), at.xyz());
            dot(way, way)
        });
        let furthest = apart.fold(0.0, f64::max).sqrt();
        let wanted = f64::from_bits(self.wanted.swap(0, Ordering::Relaxed));
        if !self.stale && wanted == 0.0 && furthest <= 0.5 * self.margin {
            return false;
        }
        if wanted > 0.0 {
            self.margin = self.margin.max(wanted).min(self.widest);
        }
        self.make_list(x);
        true
    }

    fn squares(&self, x: &[Vec4], out: &mut Vec<Square>) {
        self.pairs.squares(x, out);
    }

    fn touching(&self, x: &[Vec4]) -> Option<Touching> {
        Some(self.report(x))
    }

    fn intersection(&self, x: &[Vec4]) -> Option<[String; 2]> {
        let name = |part: u32| self.surfaces.parts[part as usize].name.clone();
        self.overlaps(x).first().map(|overlap| overlap.parts.map(name))
    }

    fn longest_part(&self, from: &[Vec4], to: &[Vec4]) -> f64 {
        let surfaces = &self.surfaces;
        let fitted = self.hierarchy.fit(surfaces, from, to, 0.0);
        let mut pairs: Vec<Pair> = fitted.collect(|kind, corners, [p, q], out| {
            let x = corners.map(|v| from[v as usize].xyz());
            let end = corners.map(|v| to[v as usize].xyz());
            let way = std::array::from_fn(|k| sub(end[k], x[k]));
            let radii = surfaces.radii(p, q);
            if !filter::is_far(kind.first(), &x, &way, radii) {
                out.extend(surfaces.complete(kind, corners, p, q));
            }
        });
        for plane in &self.planes {
            pairs.extend(self.above_plane(*plane, from, to, surfaces.range));
        }
        Contact::longest_of(&pairs, from, to)
    }

    fn longest_known(&self, from: &[Vec4], to: &[Vec4]) -> f64 {
        self.longest_listed(from, to).min(Contact::longest_of(&self.pairs.list, from, to))
    }

    fn begin_step(&mut self, x: &[Vec4]) -> bool {
        if !self.friction.acts() {
            return false;
        }
        self.make_list(x);
        self.pairs.rubs = self.friction.begin(&self.surfaces, &self.pairs.list, x);
        true
    }

    fn lag(&mut self, x: &[Vec4]) -> bool {
        if !self.friction.acts() {
            return false;
        }
        let (rubs, changed) = self.friction.lag(&self.surfaces, &self.pairs.list, x);
        if changed {
            self.pairs.rubs = rubs;
        }
        changed
    }

    fn end_step(&mut self, x: &[Vec4]) {
        if self.friction.acts() {
            self.friction.end(&self.surfaces, &self.pairs, x);
        }
    }

    fn save(&self) -> Vec<u8> {
        self.friction.save()
    }

    fn restore(&mut self, bytes: &[u8]) -> bool {
        self.friction.restore(bytes, self.made_at.len())
    }

    fn set_time(&mut self, _: f64) {
        self.stale = true;
        self.margin = self.surfaces.range;
        self.wanted.store(0, Ordering::Relaxed);
    }
}
