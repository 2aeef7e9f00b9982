//! What can touch: surfaces of bodies and obstacles, with areas and rules.
//!
//! Every piece of surface is a primitive: a triangle, an edge of a line, or a point (the centre of a sphere). A vertex or
//! an edge that several triangles share is owned by the first of them, so that each pair of a point and a triangle, and
//! of two edges, belongs to exactly one pair of primitives.
//!
//! The areas w of pairs between bodies are those of ipctk (<https://ipctk.xyz>): a quarter of the point's area, or a
//! quarter of the sum of the edges' areas; a vertex or an edge has a third of its triangles. A pair with an obstacle takes
//! the body's area alone, twice as much: obstacles may be coarse. With planes and spheres, which have one kind of pairs, it
//! is the whole area, so that the pressure is κ b′(d).

use std::collections::HashMap;

use super::excluded::Excluded;
use super::pairs::{Kind, Pair};
use elements::math::lanes::Vec4;
use elements::math::vec3::{cross, norm, sub};

/// Marks what is not there.
pub const NONE: u32 = u32::MAX;
/// Edges count as parallel below this part of |e₁|²|e₂|², in |e₁ × e₂|² \[Li2020, 24\].
const PARALLEL: f64 = 1e-3;

/// A body or an obstacle, in internal vertex numbers.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// Its name in the scene.
    pub name: String,
    /// True for an obstacle.
    pub is_obstacle: bool,
    /// Triangles of its surface; a sheet has each of them once.
    pub triangles: Vec<[u32; 3]>,
    /// True for a sheet, which can be touched from two sides.
    pub is_sheet: bool,
    /// Edges of a line or of a capsule.
    pub edges: Vec<[u32; 2]>,
    /// The centre of a sphere.
    pub points: Vec<u32>,
    /// Three points of a plane, counterclockwise seen from its free side.
    pub plane: Option<[u32; 3]>,
    /// Half the thickness of a sheet, the radius of a line, a sphere or a capsule, in m.
    pub radius: f64,
    /// The stiffness in Pa that it would give to its contacts; infinite for obstacles.
    pub stiffness: f64,
}

/// A triangle, an edge or a point of a part.
#[derive(Clone, Copy, Debug)]
pub struct Primitive {
    /// Its vertices; the last one is repeated where there are fewer than three.
    pub corners: [u32; 3],
    /// How many vertices it has.
    pub count: u8,
    /// The number of its part.
    pub part: u32,
    /// Its area in m², that of a strip for an edge.
    pub area: f64,
    /// Which of its vertices it owns.
    pub vertices: [bool; 3],
    /// The edges that it owns; [`NONE`] in other places.
    pub edges: [u32; 3],
}

/// All surfaces of a scene.
#[derive(Clone, Debug)]
pub struct Surfaces {
    /// Bodies and obstacles.
    pub parts: Vec<Part>,
    /// The pieces of all parts but planes.
    pub primitives: Vec<Primitive>,
    /// All edges, those of triangles included.
    pub edges: Vec<[u32; 2]>,
    /// The vertices of bodies, ascending, with their parts: what planes hold.
    pub vertices: Vec<(u32, u32)>,
    edge_areas: Vec<f64>,
    /// The part of each vertex; [`NONE`] for those that no surface has.
    part_of: Vec<u32>,
    /// The area of each vertex in m²; negative for those that no surface has.
    vertex_areas: Vec<f64>,
    /// Whether two parts may touch, parts × parts.
    allowed: Vec<bool>,
    rest: Vec<Vec4>,
    /// The distance d̂ in m.
    pub range: f64,
    free: u32,
    /// What is left out because it intersects.
    pub excluded: Excluded,
}

impl Surfaces {
    /// The surfaces of `parts`; `allowed(i, j)` tells whether two of them may touch, and with i = j, whether one may touch
    /// itself. `rest` are the rest positions of all vertices, of which the first `free` are unknowns.
    pub fn new(
        parts: Vec<Part>,
        allowed: impl Fn(usize, usize) -> bool,
        rest: Vec<Vec4>,
        free: usize,
        range: f64,
    ) -> Surfaces {
        let count = parts.len();
        let may = |i: usize, j: usize| !(parts[i].is_obstacle && parts[j].is_obstacle) && allowed(i, j);
        let allowed = (0..count * count).map(|k| may(k / count, k % count)).collect();
        let mut surfaces = Surfaces {
            parts,
            primitives: vec![],
            edges: vec![],
            vertices: vec![],
            edge_areas: vec![],
            part_of: vec![NONE; rest.len()],
            vertex_areas: vec![-1.0; rest.len()],
            allowed,
            rest,
            range,
            free: free as u32,
            excluded: Excluded::default(),
        };
        (0..count).for_each(|part| surfaces.add_part(part));
        surfaces.vertices.sort_unstable();
        surfaces
    }

    fn add_part(&mut self, number: usize) {
        let part = self.parts[number].clone();
        part.plane.into_iter().flatten().for_each(|v| self.part_of[v as usize] = number as u32);
        let mut edges: HashMap<[u32; 2], u32> = HashMap::new();
        let triangles = part.triangles.iter().map(|t| (*t, 3u8));
        let lines = part.edges.iter().map(|[a, b]| ([*a, *b, *b], 2));
        let points = part.points.iter().map(|v| ([*v; 3], 1));
        for (corners, count) in triangles.chain(lines).chain(points) {
            let area = self.area_of(corners, count, &part);
            let mut primitive = Primitive {
                corners,
                count,
                part: number as u32,
                area,
                vertices: [false; 3],
                edges: [NONE; 3],
            };
            for k in 0..usize::from(count) {
                let share = &mut self.vertex_areas[corners[k] as usize];
                primitive.vertices[k] = *share < 0.0;
                self.part_of[corners[k] as usize] = number as u32;
                *share = share.max(0.0) + area / f64::from(count);
            }
            let sides: &[[usize; 2]] = match count {
                3 => &[[0, 1], [1, 2], [2, 0]],
                2 => &[[0, 1]],
                _ => &[],
            };
            for (k, side) in sides.iter().enumerate() {
                let mut key = side.map(|i| corners[i]);
                key.sort_unstable();
                let edge = *edges.entry(key).or_insert_with(|| {
                    self.edges.push(key);
                    self.edge_areas.push(0.0);
                    primitive.edges[k] = self.edges.len() as u32 - 1;
                    primitive.edges[k]
                });
                self.edge_areas[edge as usize] += area / sides.len() as f64;
            }
            if !part.is_obstacle {
                let owned = (0..3).filter(|k| primitive.vertices[*k]);
                self.vertices.extend(owned.map(|k| (corners[k], number as u32)));
            }
            self.primitives.push(primitive);
        }
    }

    /// The area of a primitive at rest; that of an edge is a strip as wide as the line is thick, or as d̂.
    fn area_of(&self, corners: [u32; 3], count: u8, part: &Part) -> f64 {
        let [a, b, c] = corners.map(|v| self.rest[v as usize].xyz());
        match count {
            3 => 0.5 * norm(cross(sub(b, a), sub(c, a))),
            2 => norm(sub(b, a)) * (2.0 * part.radius).max(self.range),
            _ => 0.0,
        }
    }

    /// True if pieces of two parts may touch.
    pub fn may_touch(&self, a: u32, b: u32) -> bool {
        self.allowed[a as usize * self.parts.len() + b as usize]
    }

    /// The number of a vertex's part, which must have one.
    pub fn part_of(&self, vertex: u32) -> u32 {
        self.part_of[vertex as usize]
    }

    /// The area in m² of a vertex.
    pub fn vertex_area(&self, vertex: u32) -> f64 {
        self.vertex_areas[vertex as usize].max(0.0)
    }

    /// Calls `visit` with the pairs that two primitives have, each of them once. They have no meaning before
    /// [`Surfaces::complete`].
    pub fn pairs_of(&self, p: &Primitive, q: &Primitive, visit: impl FnMut(Kind, [u32; 4])) {
        let owned = |p: &Primitive| {
            let vertices = std::array::from_fn(|k| p.vertices[k].then_some(p.corners[k]));
            (vertices, p.edges.map(|e| (e != NONE).then(|| self.edges[e as usize])))
        };
        pairs_between([(p, owned(p)), (q, owned(q))], visit);
    }

    /// What thickness and radius take off the distance of two primitives, in m.
    pub fn radii(&self, p: &Primitive, q: &Primitive) -> f64 {
        self.parts[p.part as usize].radius + self.parts[q.part as usize].radius
    }

    /// The lengths in m of the edges of bodies at `x`.
    fn lengths<'a>(&'a self, x: &'a [Vec4]) -> impl Iterator<Item = f64> + 'a {
        let is_body = |e: &&[u32; 2]| !self.parts[self.part_of(e[0]) as usize].is_obstacle;
        self.edges.iter().filter(is_body).map(|e| {
            let [a, b] = e.map(|v| x[v as usize].xyz());
            norm(sub(b, a))
        })
    }

    /// The mean length in m of the edges of bodies at `x`; 0 without any.
    pub fn mean_edge(&self, x: &[Vec4]) -> f64 {
        let (count, sum) =
            self.lengths(x).fold((0.0, 0.0), |(count, sum), length| (count + 1.0, sum + length));
        if count > 0.0 { sum / count } else { 0.0 }
    }

    /// A length in m that is near that of the finer edges of bodies at `x`, l⁻² the mean of their inverse squares; 0
    /// without any. Balls of a radius r around pieces of surfaces have (r/l)² others in the mean.
    pub fn fine_edge(&self, x: &[Vec4]) -> f64 {
        let (count, sum) = self
            .lengths(x)
            .filter(|length| *length > 0.0)
            .fold((0.0, 0.0), |(count, sum), length| (count + 1.0, sum + 1.0 / (length * length)));
        if count > 0.0 { (count / sum).sqrt() } else { 0.0 }
    }

    /// True if some corner can move.
    pub fn is_free(&self, corners: &[u32; 4]) -> bool {
        corners.iter().any(|v| *v < self.free)
    }

    /// The pair of a kind between pieces of two primitives, like [`Surfaces::pair`]; `None` also if it is left out.
    pub fn complete(&self, kind: Kind, corners: [u32; 4], p: &Primitive, q: &Primitive) -> Option<Pair> {
        if self.excluded.has(kind, corners) { None } else { self.pair(kind, corners, p, q) }
    }

    /// The pair of a kind between pieces of two primitives, `p` and `q` in any order, with area, stiffness and offset.
    /// Pieces of one part that are closer at rest than d̂ and their thickness get a smaller range and offset, so that they
    /// do not push each other at rest. `None` if they touch or overlap at rest.
    pub fn pair(&self, kind: Kind, corners: [u32; 4], p: &Primitive, q: &Primitive) -> Option<Pair> {
        let [a, b] = [p, q].map(|primitive| &self.parts[primitive.part as usize]);
        let (mut offset, mut range) = (self.radii(p, q), self.range);
        if p.part == q.part {
            let places = corners.map(|v| self.rest[v as usize].xyz());
            let apart = norm(kind.closest(places).vector);
            if apart - offset < range {
                offset = offset.min(0.5 * apart);
                range = range.min(0.5 * (apart - offset));
            }
            // Less than rounding of the positions cannot be held apart.
            if range < 1e-6 * self.range {
                return None;
            }
        }
        Some(Pair {
            kind,
            corners,
            area: self.pair_area(kind, corners, p, q),
            stiffness: a.stiffness.min(b.stiffness),
            offset,
            range,
            parallel: if kind == Kind::EdgeEdge { self.parallel(corners) } else { 0.0 },
        })
    }

    fn parallel(&self, corners: [u32; 4]) -> f64 {
        let [a, b, c, d] = corners.map(|v| self.rest[v as usize].xyz());
        let [e, f] = [sub(b, a), sub(d, c)].map(norm);
        PARALLEL * e * e * f * f
    }

    fn pair_area(&self, kind: Kind, corners: [u32; 4], p: &Primitive, q: &Primitive) -> f64 {
        let is_obstacle = |primitive: &Primitive| self.parts[primitive.part as usize].is_obstacle;
        let (body, obstacle) = if is_obstacle(p) { (q, p) } else { (p, q) };
        let with_obstacle = is_obstacle(obstacle);
        match kind {
            Kind::Plane => self.vertex_area(corners[0]),
            // The centre of a sphere.
            _ if with_obstacle && obstacle.count == 1 => body.area,
            Kind::EdgeEdge => {
                let edge = |primitive: &Primitive, ends: &[u32]| {
                    let mut owned = primitive.edges.iter().filter(|e| **e != NONE);
                    owned.find(|e| self.edges[**e as usize] == ends).map(|e| self.edge_areas[*e as usize])
                };
                let of = |primitive: &Primitive| {
                    edge(primitive, &corners[..2]).or(edge(primitive, &corners[2..])).unwrap_or(0.0)
                };
                if with_obstacle { 0.5 * of(body) } else { 0.25 * (of(p) + of(q)) }
            }
            _ if with_obstacle && obstacle.corners.contains(&corners[0]) => 0.5 * body.area,
            _ if with_obstacle => 0.5 * self.vertex_area(corners[0]),
            _ => 0.25 * self.vertex_area(corners[0]),
        }
    }

    /// The number of vertices, those that no surface has included.
    pub fn count(&self) -> usize {
        self.rest.len()
    }

    /// What thickness takes off the height of a part's vertices above a plane, in m.
    pub fn offset_to_plane(&self, part: u32, plane: u32) -> f64 {
        self.parts[part as usize].radius + self.parts[plane as usize].radius
    }

    /// The pair of a vertex of a body and a plane; `None` where the two do not touch, neither can move, or the
    /// vertex is left out.
    pub fn above_plane(&self, vertex: u32, part: u32, plane: u32) -> Option<Pair> {
        let [a, b, c] = self.parts[plane as usize].plane?;
        let corners = [vertex, a, b, c];
        let touches = self.may_touch(part, plane) && self.is_free(&corners);
        let is_in = touches && !self.excluded.has_vertex(vertex, plane);
        is_in.then(|| Pair {
            kind: Kind::Plane,
            corners,
            area: self.vertex_area(vertex),
            stiffness: self.parts[part as usize].stiffness.min(self.parts[plane as usize].stiffness),
            offset: self.offset_to_plane(part, plane),
            range: self.range,
            parallel: 0.0,
        })
    }
}

/// Calls `visit` with all pairs of pieces between two primitives, owned by them or not.
pub fn all_pairs_of(p: &Primitive, q: &Primitive, visit: impl FnMut(Kind, [u32; 4])) {
    let all = |p: &Primitive| {
        let [a, b, c] = p.corners.map(Some);
        let side =
            |k: usize, l: usize| Some([p.corners[k].min(p.corners[l]), p.corners[k].max(p.corners[l])]);
        match p.count {
            3 => ([a, b, c], [side(0, 1), side(1, 2), side(2, 0)]),
            2 => ([a, b, None], [side(0, 1), None, None]),
            _ => ([a, None, None], [None; 3]),
        }
    };
    pairs_between([(p, all(p)), (q, all(q))], visit);
}

/// Some vertices and edges of a primitive.
type Pieces = ([Option<u32>; 3], [Option<[u32; 2]>; 3]);

/// Calls `visit` with the pairs of some vertices of each primitive and the other one, and of some of their edges.
fn pairs_between([p, q]: [(&Primitive, Pieces); 2], mut visit: impl FnMut(Kind, [u32; 4])) {
    for ((_, (vertices, _)), (other, _)) in [(p, q), (q, p)] {
        let [a, b, c] = other.corners;
        for v in vertices.into_iter().flatten().filter(|v| !other.corners.contains(v)) {
            match other.count {
                3 => visit(Kind::PointTriangle, [v, a, b, c]),
                2 => visit(Kind::PointEdge, [v, a, b, b]),
                _ => {}
            }
        }
    }
    let [edges, others] = [p.1.1, q.1.1];
    for e in edges.into_iter().flatten() {
        for f in others.into_iter().flatten().filter(|f| !f.contains(&e[0]) && !f.contains(&e[1])) {
            let [[a, b], [c, d]] = if e < f { [e, f] } else { [f, e] };
            visit(Kind::EdgeEdge, [a, b, c, d]);
        }
    }
}
