//! What is left out of contact because it intersects where a scene starts, until it is apart.
//!
//! Two primitives are *apart* if neither passes through the other, the gaps between all their pieces are larger than what
//! the filter keeps of a gap, and neither is close behind the other: nearer than d̂, on the inner side of a closed surface. All
//! pairs of pieces between two primitives that are not apart are left out, whichever primitive owns them. So are vertices
//! behind a plane, with that plane.
//!
//! What is left out may slide: an edge that passes through a triangle reaches the next triangle of that surface by an edge
//! that it may cross. Therefore, at the end of each step, what is not apart and has a pair of pieces in common with what is
//! left out is left out too. All other pairs of pieces are kept apart by the filter, as ever.

use std::collections::{BTreeSet, HashSet};

use super::hierarchy::Scope;
use super::overlap::Meeting;
use super::pairs::Kind;
use super::search::Search;
use super::surfaces::{Primitive, Surfaces, all_pairs_of};
use super::{Contact, filter};
use crate::mesh::intersect::meets;
use elements::math::lanes::Vec4;
use elements::math::vec3::{cross, dot, norm, sub};

/// The cosine between the inner normal and the way to the nearest point from which on that point is behind a triangle.
const BEHIND: f64 = 0.5;

/// What is left out.
#[derive(Clone, Debug, Default)]
pub struct Excluded {
    /// Pairs of primitives, ascending.
    primitives: BTreeSet<[u32; 2]>,
    /// Vertices, with the parts of the planes that they are behind.
    vertices: BTreeSet<[u32; 2]>,
    /// The pairs of pieces between the primitives.
    pieces: HashSet<(Kind, [u32; 4])>,
    /// For each part, whether it is closed and its normals point outward.
    closed: Vec<bool>,
}

impl Excluded {
    /// How many pairs of primitives, and of vertices and planes, are left out.
    pub fn count(&self) -> usize {
        self.primitives.len() + self.vertices.len()
    }

    /// True if a pair of pieces is left out.
    pub fn has(&self, kind: Kind, corners: [u32; 4]) -> bool {
        !self.pieces.is_empty() && self.pieces.contains(&(kind, corners))
    }

    /// True if all between two primitives is left out; their numbers may come in any order.
    pub fn has_primitives(&self, [p, q]: [u32; 2]) -> bool {
        !self.primitives.is_empty() && self.primitives.contains(&[p.min(q), p.max(q)])
    }

    /// True if a vertex is left out of the contact with a plane, given by its part.
    pub fn has_vertex(&self, vertex: u32, plane: u32) -> bool {
        !self.vertices.is_empty() && self.vertices.contains(&[vertex, plane])
    }

    /// The set as bytes: two counts, then pairs of numbers.
    fn save(&self, out: &mut Vec<u8>) {
        for count in [self.primitives.len(), self.vertices.len()] {
            out.extend((count as u64).to_le_bytes());
        }
        let numbers = self.primitives.iter().chain(&self.vertices).flatten();
        numbers.for_each(|number| out.extend(number.to_le_bytes()));
    }

    /// Reads what [`Excluded::save`] wrote for the same surfaces; `None` if it cannot be.
    fn read(bytes: &[u8], surfaces: &Surfaces) -> Option<[BTreeSet<[u32; 2]>; 2]> {
        let (counts, numbers) = bytes.split_at_checked(16)?;
        let (primitives, vertices) = counts.split_at(8);
        let [primitives, vertices] =
            [primitives, vertices].map(|count| u64::from_le_bytes(std::array::from_fn(|k| count[k])));
        let all = usize::try_from(primitives.checked_add(vertices)?).ok()?;
        if numbers.len() != all.checked_mul(8)? {
            return None;
        }
        let number = |four: &[u8]| u32::from_le_bytes(std::array::from_fn(|k| four[k]));
        let pairs: Vec<[u32; 2]> =
            numbers.chunks_exact(8).map(|pair| [number(&pair[..4]), number(&pair[4..])]).collect();
        let (primitives, vertices) = pairs.split_at(primitives as usize);
        let ascends = |pairs: &[[u32; 2]]| pairs.windows(2).all(|two| two[0] < two[1]);
        let is_primitive = |[p, q]: &[u32; 2]| p < q && (*q as usize) < surfaces.primitives.len();
        let is_plane = |plane: u32| surfaces.parts.get(plane as usize).is_some_and(|p| p.plane.is_some());
        let is_held = |v: u32| surfaces.vertices.binary_search_by_key(&v, |(vertex, _)| *vertex).is_ok();
        let is_vertex = |[v, plane]: &[u32; 2]| is_held(*v) && is_plane(*plane);
        let is_known = ascends(primitives)
            && ascends(vertices)
            && primitives.iter().all(is_primitive)
            && vertices.iter().all(is_vertex);
        is_known.then(|| [primitives, vertices].map(|pairs| pairs.iter().copied().collect()))
    }
}

impl Contact {
    /// Leaves out what intersects with vertices at `x`, where the scene starts.
    pub fn exclude(&mut self, x: &[Vec4]) {
        let overlaps = self.overlaps(x);
        let parts: HashSet<[u32; 2]> = overlaps.iter().map(|overlap| overlap.parts).collect();
        self.surfaces.excluded.closed =
            self.surfaces.parts.iter().map(|part| is_closed(&part.triangles, x)).collect();
        let found = self.entangled(x, |pair| parts.contains(&self.parts_of_primitives(pair)), 0.0);
        let behind = overlaps.iter().filter(|overlap| overlap.meeting == Meeting::Behind);
        let vertices = behind.map(|overlap| overlap.pieces).collect();
        self.leave_out(found.into_iter().collect(), vertices);
    }

    /// The pairs of primitives that intersect with vertices at `x`, or are closer than their thickness, ascending.
    pub fn intersecting(&self, x: &[Vec4]) -> Vec<[u32; 2]> {
        let mut found = self.entangled(x, |_| true, 0.0);
        found.sort_unstable();
        found
    }

    /// Takes in again what is apart at `x`, where a step has ended, and leaves out what slid into each other.
    pub(super) fn readmit(&mut self, x: &[Vec4]) {
        let excluded = &self.surfaces.excluded;
        if excluded.count() == 0 {
            return;
        }
        let entangled = self.entangled(x, |pair| self.is_linked(pair), filter::KEPT);
        let still_behind = |[vertex, plane]: &&[u32; 2]| {
            let part = self.surfaces.part_of(*vertex);
            let [origin, normal] = self.plane_at(*plane, x);
            let height = dot(sub(x[*vertex as usize].xyz(), origin), normal);
            height - self.surfaces.offset_to_plane(part, *plane) <= filter::KEPT * self.surfaces.range
        };
        let vertices: BTreeSet<[u32; 2]> = excluded.vertices.iter().filter(still_behind).copied().collect();
        let primitives: BTreeSet<[u32; 2]> = entangled.into_iter().collect();
        if (&primitives, &vertices) != (&excluded.primitives, &excluded.vertices) {
            self.leave_out(primitives, vertices);
        }
    }

    /// What friction and what is left out need in a resumed run: the number of friction's bytes, these, and the pairs.
    pub(super) fn saved(&self) -> Vec<u8> {
        let friction = self.friction.save();
        let mut out = (friction.len() as u64).to_le_bytes().to_vec();
        out.extend(friction);
        self.surfaces.excluded.save(&mut out);
        out
    }

    /// Restores what [`Contact::saved`] returned; false if the bytes are not valid.
    pub(super) fn restored(&mut self, bytes: &[u8]) -> bool {
        let Some((length, rest)) = bytes.split_at_checked(8) else { return false };
        let length = u64::from_le_bytes(std::array::from_fn(|k| length[k]));
        let split = usize::try_from(length).ok().and_then(|length| rest.split_at_checked(length));
        let Some((friction, pairs)) = split else { return false };
        let Some([primitives, vertices]) = Excluded::read(pairs, &self.surfaces) else { return false };
        let is_valid = self.friction.restore(friction, self.surfaces.count());
        if is_valid {
            self.leave_out(primitives, vertices);
        }
        is_valid
    }

    /// Leaves out just these pairs. The list of pairs has to be made anew.
    fn leave_out(&mut self, primitives: BTreeSet<[u32; 2]>, vertices: BTreeSet<[u32; 2]>) {
        let mut pieces = HashSet::new();
        for [p, q] in primitives.iter().map(|pair| pair.map(|p| &self.surfaces.primitives[p as usize])) {
            all_pairs_of(p, q, |kind, corners| {
                pieces.insert((kind, corners));
            });
        }
        let closed = std::mem::take(&mut self.surfaces.excluded.closed);
        self.surfaces.excluded = Excluded { primitives, vertices, pieces, closed };
        self.searches.iter_mut().for_each(Search::forget);
    }

    /// The pairs of primitives of which `is_of_interest` holds and that are not apart at `x`, `kept` being the part of d̂ that gaps
    /// must have.
    fn entangled(
        &self,
        x: &[Vec4],
        is_of_interest: impl Fn([u32; 2]) -> bool + Send + Sync,
        kept: f64,
    ) -> Vec<[u32; 2]> {
        let fitted = self.hierarchy.fit(&self.surfaces, Scope::All, [x, x], self.surfaces.range);
        fitted.collect_primitives(|[p, q], out| {
            let pair = [p.min(q), p.max(q)];
            if is_of_interest(pair) && !self.is_apart(pair, x, kept) {
                out.push(pair);
            }
        })
    }

    /// True if two primitives, or pieces of them, are left out now.
    fn is_linked(&self, pair: [u32; 2]) -> bool {
        let excluded = &self.surfaces.excluded;
        let mut linked = excluded.has_primitives(pair);
        if !linked {
            let [p, q] = pair.map(|p| &self.surfaces.primitives[p as usize]);
            all_pairs_of(p, q, |kind, corners| linked |= excluded.has(kind, corners));
        }
        linked
    }

    fn parts_of_primitives(&self, pair: [u32; 2]) -> [u32; 2] {
        let [p, q] = pair.map(|p| self.surfaces.primitives[p as usize].part);
        [p.min(q), p.max(q)]
    }

    /// True if two primitives are apart at `x`, or cannot move.
    fn is_apart(&self, pair: [u32; 2], x: &[Vec4], kept: f64) -> bool {
        let surfaces = &self.surfaces;
        let [p, q] = pair.map(|p| &surfaces.primitives[p as usize]);
        if !p.corners.iter().chain(&q.corners).any(|v| surfaces.is_free(&[*v; 4])) {
            return true;
        }
        let place = |v: u32| x[v as usize].xyz();
        let pierces = |one: &Primitive, other: &Primitive| {
            let is_new = |side: &[u32; 2]| side.iter().all(|v| !other.corners.contains(v));
            other.count == 3
                && sides(one).filter(is_new).any(|side| meets(side.map(place), other.corners.map(place)))
        };
        if pierces(p, q) || pierces(q, p) {
            return false;
        }
        // The least gap, and the way from the first primitive to the second there.
        let (mut is_near, mut least, mut way) = (false, f64::INFINITY, [0.0; 3]);
        all_pairs_of(p, q, |kind, corners| {
            let Some(pair) = surfaces.pair(kind, corners, p, q) else { return };
            let (gap, closest) = pair.gap(pair.places(x));
            is_near |= gap <= kept * pair.range;
            if gap < least {
                let is_first = p.corners.contains(&corners[0]);
                least = gap;
                way = if is_first { closest.vector } else { closest.vector.map(|x| -x) };
            }
        });
        let is_solid = |one: &Primitive| surfaces.excluded.closed.get(one.part as usize) == Some(&true);
        let is_behind = |one: &Primitive, way: [f64; 3]| {
            one.count == 3 && is_solid(one) && {
                let [a, b, c] = one.corners.map(place);
                let normal = cross(sub(b, a), sub(c, a));
                dot(way, normal) <= -BEHIND * norm(way) * norm(normal)
            }
        };
        let behind = p.part != q.part
            && least < surfaces.range
            && (is_behind(p, way) || is_behind(q, way.map(|x| -x)));
        !is_near && !behind
    }
}

/// The sides of a primitive, each ascending.
fn sides(primitive: &Primitive) -> impl Iterator<Item = [u32; 2]> {
    let [a, b, c] = primitive.corners;
    let count = match primitive.count {
        3 => 3,
        2 => 1,
        _ => 0,
    };
    [[a, b], [b, c], [c, a]].into_iter().take(count).map(|[a, b]| [a.min(b), a.max(b)])
}

/// True if triangles with vertices at `x` close a volume and their normals point out of it.
pub fn is_closed(triangles: &[[u32; 3]], x: &[Vec4]) -> bool {
    let directed = |[a, b, c]: &[u32; 3]| [[*a, *b], [*b, *c], [*c, *a]];
    let edges: HashSet<[u32; 2]> = triangles.iter().flat_map(directed).collect();
    let volume = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| x[v as usize].xyz());
        dot(a, cross(b, c))
    };
    edges.len() == 3 * triangles.len()
        && edges.iter().all(|[a, b]| edges.contains(&[*b, *a]))
        && triangles.iter().map(volume).sum::<f64>() > 0.0
}
