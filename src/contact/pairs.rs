//! Pairs of pieces that may touch, and their energy.
//!
//! ```text
//! E = Σ w m κ b(d),      d = |r| − o
//! ```
//!
//! d is the gap between two pieces of surfaces, o what thickness and radius take off the distance |r|, w the area that
//! the pair stands for (see `surfaces`), κ the stiffness in Pa, b the barrier. All pairs of a point and a triangle and
//! of two edges count, each with the distance of its closest points, so that value and gradient are continuous
//! \[Li2020\]. The distance of parallel edges has no gradient; there m lets the barrier fade.
//!
//! The part of the Hessian that is kept is a sum of squares, Σ v vᵀ:
//!
//! ```text
//! w m κ b″ ∇d ∇dᵀ  +  2 w m′ κ b JᵀJ,      c = |u|²,   u = e₁ × e₂,   J = ∂u/∂x,   m = m(c)
//! ```
//!
//! What is left out has negative eigenvalues for the most part: b′ ∇²d, as b′ < 0 and distances are nearly convex.

use super::barrier::{barrier, fading};
use super::distance::{Closest, edge_edge, point_edge, point_triangle};
use crate::step::active::Square;
use elements::math::lanes::Vec4;
use elements::math::vec3::{add, cross, dot, norm, scale, sub};

type Point = [f64; 3];

/// The part of a gap by which directions may be off.
const HARMLESS: f64 = 0.01;

/// What the corners of a pair are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A point above a plane: the point, then three points of the plane, counterclockwise seen from its free side.
    Plane,
    /// A point and a triangle.
    PointTriangle,
    /// A point and an edge; the fourth corner repeats the third.
    PointEdge,
    /// Two edges, each with its two ends.
    EdgeEdge,
}

impl Kind {
    /// How many corners belong to the first piece.
    pub fn first(self) -> usize {
        if self == Kind::EdgeEdge { 2 } else { 1 }
    }

    /// The closest points of the two pieces. Above a plane the vector points down to it; below, up.
    pub fn closest(self, x: [Point; 4]) -> Closest {
        match self {
            Kind::Plane => {
                let n = plane_normal(x);
                let height = dot(sub(x[0], x[1]), n);
                Closest { factors: [-1.0, 1.0, 0.0, 0.0], vector: scale(-height, n) }
            }
            Kind::PointTriangle => point_triangle(x),
            Kind::PointEdge => point_edge(x),
            Kind::EdgeEdge => edge_edge(x),
        }
    }
}

/// The unit normal of a plane, by the last three corners of a pair.
pub fn plane_normal([_, a, b, c]: [Point; 4]) -> Point {
    let n = cross(sub(b, a), sub(c, a));
    scale(1.0 / norm(n), n)
}

/// Two pieces that may touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// What the corners are.
    pub kind: Kind,
    /// The vertices, internal numbering.
    pub corners: [u32; 4],
    /// The area w in m².
    pub area: f64,
    /// The stiffness κ in Pa.
    pub stiffness: f64,
    /// What is taken off the distance, in m.
    pub offset: f64,
    /// The distance d̂ in m from which on the barrier acts.
    pub range: f64,
    /// The square ε in m⁴ below which edges count as parallel; 0 for other pieces.
    pub parallel: f64,
}

impl Pair {
    /// The positions of the corners.
    pub fn places(&self, x: &[Vec4]) -> [Point; 4] {
        self.corners.map(|v| x[v as usize].xyz())
    }

    /// The gap in m at `x`, with the closest points; negative where a point is behind a plane.
    pub fn gap(&self, places: [Point; 4]) -> (f64, Closest) {
        let closest = self.kind.closest(places);
        let distance = norm(closest.vector);
        let behind = self.kind == Kind::Plane && dot(sub(places[0], places[1]), plane_normal(places)) < 0.0;
        (if behind { -distance } else { distance } - self.offset, closest)
    }

    /// The energy in J, with the gradients of the corners; `None` where the gap is d̂ or more.
    pub(super) fn evaluate(&self, places: [Point; 4]) -> Option<(f64, [Point; 4])> {
        let (gap, closest) = self.gap(places);
        if gap >= self.range {
            return None;
        }
        let [value, slope, _] = barrier(gap, self.range);
        let normal = scale(1.0 / norm(closest.vector), closest.vector);
        let fade = Fade::of(self, places);
        let strength = self.area * self.stiffness;
        let mut gradients = closest.factors.map(|c| scale(strength * fade.value * slope * c, normal));
        if fade.slope != 0.0 {
            let factor = 2.0 * strength * fade.slope * value;
            let rates = fade.rates();
            for (gradient, rate) in gradients.iter_mut().zip(rates) {
                // ∂c/∂xᵢ = 2 uᵀ ∂u/∂xᵢ, where ∂u/∂xᵢ δ = δ × rate.
                *gradient = add(*gradient, scale(factor, cross(rate, fade.cross)));
            }
        }
        Some((strength * fade.value * value, gradients))
    }

    /// The strength w m κ in N of its barrier.
    pub(super) fn strength(&self, places: [Point; 4]) -> f64 {
        self.area * self.stiffness * Fade::of(self, places).value
    }

    /// What the pair is like where it touches; `None` where the gap is d̂ or more.
    pub(super) fn touch(&self, places: [Point; 4]) -> Option<Touch> {
        let (gap, closest) = self.gap(places);
        let (_, gradients) = self.evaluate(places)?;
        Some(Touch { pair: *self, gap, closest, gradients })
    }

    /// The squares that the kept part of the Hessian is made of.
    pub(super) fn squares(&self, places: [Point; 4]) -> Squares {
        let mut out = Squares::default();
        let (gap, closest) = self.gap(places);
        if gap >= self.range {
            return out;
        }
        let [value, _, curvature] = barrier(gap, self.range);
        let fade = Fade::of(self, places);
        let strength = self.area * self.stiffness;
        let normal = scale(1.0 / norm(closest.vector), closest.vector);
        let root = (strength * fade.value * curvature).sqrt();
        if root > 0.0 {
            let vectors = closest.factors.map(|c| scale(root * c, normal));
            out.push(Square { corners: self.corners, vectors, harmless: HARMLESS * root * gap });
        }
        let root = (2.0 * strength * fade.slope * value).sqrt();
        if root > 0.0 {
            let rates = fade.rates();
            for axis in 0..3 {
                // The row of J for a component of u: eₖ·(δ × rate) = δ·(rate × eₖ).
                let mut unit = [0.0; 3];
                unit[axis] = root;
                let vectors = rates.map(|rate| cross(rate, unit));
                out.push(Square { corners: self.corners, vectors, harmless: f64::INFINITY });
            }
        }
        out
    }
}

/// A pair that touches.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// The pair that touches.
    pub pair: Pair,
    /// Its gap in m.
    pub gap: f64,
    /// Its closest points.
    pub closest: Closest,
    /// The gradients of its energy at the corners in N.
    pub gradients: [Point; 4],
}

/// The squares of a pair, four at the most.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Squares {
    squares: [Square; 4],
    pub(super) count: usize,
}

impl Squares {
    fn push(&mut self, square: Square) {
        self.squares[self.count] = square;
        self.count += 1;
    }

    pub(super) fn all(&self) -> &[Square] {
        &self.squares[..self.count]
    }
}

/// How the barrier of a pair of edges fades.
struct Fade {
    value: f64,
    slope: f64,
    edges: [Point; 2],
    cross: Point,
}

impl Fade {
    fn of(pair: &Pair, [a, b, c, d]: [Point; 4]) -> Fade {
        if pair.parallel == 0.0 {
            return Fade { value: 1.0, slope: 0.0, edges: [[0.0; 3]; 2], cross: [0.0; 3] };
        }
        let edges = [sub(b, a), sub(d, c)];
        let across = cross(edges[0], edges[1]);
        let [value, slope] = fading(dot(across, across), pair.parallel);
        Fade { value, slope, edges, cross: across }
    }

    /// For each corner the vector by which a motion δ of it is crossed: ∂u δ = δ × rate.
    fn rates(&self) -> [Point; 4] {
        let [e, f] = self.edges;
        [scale(-1.0, f), f, e, scale(-1.0, e)]
    }
}
