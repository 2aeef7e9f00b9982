//! What intersects: edges that pierce triangles, by exact signs, and pieces that are closer than their thickness.

use std::cmp::Ordering;

use super::Contact;
use super::hierarchy::Scope;
use super::pairs::Pair;
use super::surfaces::{NONE, Primitive};
use crate::mesh::intersect::{meets, passes_through};
use elements::math::lanes::Vec4;
use elements::math::vec3::{add, cross, dot, scale, sub};

/// How two pieces intersect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Meeting {
    /// An edge passes through a triangle.
    Pierces,
    /// They have points in common, but neither passes through the other.
    Touches,
    /// They are closer than their thickness.
    TooClose,
    /// A vertex is behind a plane, or on it.
    Behind,
}

/// Two pieces of surfaces that intersect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// The numbers of their parts, ascending.
    pub parts: [u32; 2],
    /// A point near the intersection.
    pub place: [f64; 3],
    /// How they intersect.
    pub meeting: Meeting,
    /// The numbers of the primitives, ascending; behind a plane, those of the vertex and of the plane's part.
    pub pieces: [u32; 2],
}

impl Contact {
    /// Everything that intersects with vertices at `x`, or is closer than its thickness, and is not left out; ascending by
    /// parts and place.
    pub fn overlaps(&self, x: &[Vec4]) -> Vec<Overlap> {
        let surfaces = &self.surfaces;
        let fitted = self.hierarchy.fit(surfaces, Scope::All, [x, x], 0.0);
        let mut found = fitted.collect_primitives(|numbers, out| {
            if surfaces.excluded.has_primitives(numbers) {
                return;
            }
            let [p, q] = numbers.map(|p| &surfaces.primitives[p as usize]);
            let sides = [(p, q), (q, p)].into_iter().filter_map(|(one, other)| self.pierced(one, other, x));
            let mut met = sides.min_by_key(|(meeting, _)| *meeting);
            // Without a thickness, what touches is pierced.
            if surfaces.radii(p, q) > 0.0 {
                surfaces.pairs_of(p, q, |kind, corners| {
                    let pair = || surfaces.complete(kind, corners, p, q).filter(|pair| is_closed(pair, x));
                    if met.is_none() && surfaces.is_free(&corners) {
                        met = pair().map(|pair| (Meeting::TooClose, middle(&pair, x)));
                    }
                });
            }
            if let Some((meeting, place)) = met {
                let ascending = |[a, b]: [u32; 2]| [a.min(b), a.max(b)];
                let (parts, pieces) = (ascending([p.part, q.part]), ascending(numbers));
                out.push(Overlap { parts, place, meeting, pieces });
            }
        });
        for plane in &self.planes {
            found.extend(self.above_plane(*plane, x, 0.0, |pair| {
                let vertex = pair.corners[0];
                let own = surfaces.part_of(vertex);
                let overlap = Overlap {
                    parts: [own.min(*plane), own.max(*plane)],
                    place: pair.places(x)[0],
                    meeting: Meeting::Behind,
                    pieces: [vertex, *plane],
                };
                is_closed(pair, x).then_some(overlap)
            }));
        }
        found.sort_by(|a, b| {
            let place = a.place.partial_cmp(&b.place).unwrap_or(Ordering::Equal);
            a.parts.cmp(&b.parts).then(place).then(a.pieces.cmp(&b.pieces))
        });
        found
    }

    /// How and where an edge that `p` owns meets the triangle `q`.
    fn pierced(&self, p: &Primitive, q: &Primitive, x: &[Vec4]) -> Option<(Meeting, [f64; 3])> {
        if q.count < 3 {
            return None;
        }
        let place = |v: u32| x[v as usize].xyz();
        let owned = p.edges.iter().filter(|e| **e != NONE).map(|e| self.surfaces.edges[*e as usize]);
        let triangle = q.corners.map(place);
        let free = |edge: &[u32; 2]| self.surfaces.is_free(&[edge[0], edge[1], edge[0], edge[1]]);
        let any = q.corners.iter().any(|v| self.surfaces.is_free(&[*v; 4]));
        owned
            .filter(|edge| edge.iter().all(|v| !q.corners.contains(v)) && (any || free(edge)))
            .map(|edge| edge.map(place))
            .filter(|edge| meets(*edge, triangle))
            .map(|edge| {
                let passes = passes_through(edge, triangle);
                (if passes { Meeting::Pierces } else { Meeting::Touches }, crossing(edge, triangle))
            })
            .min_by_key(|(meeting, _)| *meeting)
    }
}

/// Where a segment crosses the plane of a triangle; its middle if it lies in that plane.
fn crossing([p, q]: [[f64; 3]; 2], [a, b, c]: [[f64; 3]; 3]) -> [f64; 3] {
    let normal = cross(sub(b, a), sub(c, a));
    let [above, below] = [p, q].map(|x| dot(sub(x, a), normal));
    let part = if above == below { 0.5 } else { (above / (above - below)).clamp(0.0, 1.0) };
    add(p, scale(part, sub(q, p)))
}

fn is_closed(pair: &Pair, x: &[Vec4]) -> bool {
    pair.gap(pair.places(x)).0 <= 0.0
}

fn middle(pair: &Pair, x: &[Vec4]) -> [f64; 3] {
    let places = pair.places(x);
    scale(0.5, add(places[0], places[2]))
}
