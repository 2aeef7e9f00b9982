//! What intersects: edges that pierce triangles, by exact signs, and pieces that are closer than their thickness.

use super::Contact;
use super::pairs::Pair;
use super::surfaces::{NONE, Primitive};
use crate::mesh::intersect::meets;
use elements::math::lanes::Vec4;
use elements::math::vec3::{add, scale};

/// Two parts that intersect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// The numbers of the parts, ascending.
    pub parts: [u32; 2],
    /// A point near the intersection.
    pub place: [f64; 3],
}

impl Contact {
    /// Everything that intersects with vertices at `x`, or is closer than its thickness, ascending by parts and place.
    pub fn overlaps(&self, x: &[Vec4]) -> Vec<Overlap> {
        let surfaces = &self.surfaces;
        let fitted = self.hierarchy.fit(surfaces, x, x, 0.0);
        let mut found = fitted.collect_primitives(|p, q, out| {
            let sides = [(p, q), (q, p)];
            let pierced = sides.into_iter().find_map(|(one, other)| self.pierced(one, other, x));
            let mut place = pierced;
            // Without a thickness, what touches is pierced.
            if surfaces.radii(p, q) > 0.0 {
                surfaces.pairs_of(p, q, |kind, corners| {
                    let pair = || surfaces.complete(kind, corners, p, q).filter(|pair| is_closed(pair, x));
                    if place.is_none() && surfaces.is_free(&corners) {
                        place = pair().map(|pair| middle(&pair, x));
                    }
                });
            }
            if let Some(place) = place {
                out.push(Overlap { parts: [p.part.min(q.part), p.part.max(q.part)], place });
            }
        });
        for plane in &self.planes {
            found.extend(self.above_plane(*plane, x, 0.0, |pair| {
                let own = surfaces.part_of(pair.corners[0]);
                let overlap = Overlap { parts: [own.min(*plane), own.max(*plane)], place: pair.places(x)[0] };
                is_closed(pair, x).then_some(overlap)
            }));
        }
        found.sort_by(|a, b| {
            a.parts.cmp(&b.parts).then(a.place.partial_cmp(&b.place).expect("finite places"))
        });
        found
    }

    /// Where an edge that `p` owns pierces the triangle `q`.
    fn pierced(&self, p: &Primitive, q: &Primitive, x: &[Vec4]) -> Option<[f64; 3]> {
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
            .find(|edge| meets(edge.map(place), triangle))
            .map(|edge| scale(0.5, add(place(edge[0]), place(edge[1]))))
    }
}

fn is_closed(pair: &Pair, x: &[Vec4]) -> bool {
    pair.gap(pair.places(x)).0 <= 0.0
}

fn middle(pair: &Pair, x: &[Vec4]) -> [f64; 3] {
    let places = pair.places(x);
    scale(0.5, add(places[0], places[2]))
}
