//! The filter: how far a motion may go so that nothing touches, by separating planes that move along.
//!
//! For a pair of pieces with the gap d, the unit vector n from the closest point of the first to that of the second, and O
//! the distance of each corner behind its piece's closest point along n, two corners a and c approach each other along n
//! at the rate q = (δ_a − δ_c)·n. As long as
//!
//! ```text
//! α q ≤ β + O_a + O_c      for all corners a of the first piece and c of the second,      β = 0.9 (d − ε)
//! ```
//!
//! all of the first piece stays behind all of the second along n, by at least d − β: a motion of convex pieces along straight
//! lines that ends apart along n was apart along n throughout. So no roots have to be found. Motions that two pieces have in
//! common do not count.
//!
//! A plane is not the hull of its three points, so for points above planes the height over it, times the length of its normal,
//! is a polynomial of third degree in α, which is bounded by its Bernstein coefficients.

use super::pairs::{Kind, Pair};
use elements::math::lanes::Vec4;
use elements::math::vec3::{add, cross, dot, norm, scale, sub};

/// The part of a gap that one motion may close.
const CLOSED: f64 = 0.9;
/// The part ε of d̂ down to which motions may close a gap; 1e-7 m for d̂ = 1 mm. Smaller gaps may close slowly.
pub const KEPT: f64 = 1e-4;
/// Pieces whose boxes stay apart by at least this part of d̂, or by the part of their gap that a motion must leave if that is
/// less, pass each other at the side and do not bound a motion.
pub const BESIDE: f64 = 0.1;

/// The largest part up to 1 of the motion from `from` to `to` that keeps a pair apart.
pub fn longest(pair: &Pair, from: &[Vec4], to: &[Vec4]) -> f64 {
    let x = pair.places(from);
    let end = pair.places(to);
    longest_of(pair, x, std::array::from_fn(|k| sub(end[k], x[k])))
}

/// The largest part up to 1 of a motion by `way` that keeps a pair apart, whose corners are at `x`.
pub fn longest_of(pair: &Pair, x: [[f64; 3]; 4], way: [[f64; 3]; 4]) -> f64 {
    if pair.kind != Kind::Plane && is_far(pair.kind.first(), &x, &way, pair.offset) {
        return 1.0;
    }
    let (gap, closest) = pair.gap(x);
    let closing = closing(gap, KEPT * pair.range);
    if pair.kind == Kind::Plane {
        return above_plane(x, way, gap - closing + pair.offset).min(1.0);
    }
    let normal = scale(1.0 / norm(closest.vector), closest.vector);
    let first = pair.kind.first();
    let at = |k: usize| dot(x[k], normal);
    let weighted = |range: std::ops::Range<usize>| range.map(|k| closest.factors[k] * at(k)).sum::<f64>();
    let (near, far) = (-weighted(0..first), weighted(first..4));
    let mut longest = 1.0f64;
    for a in 0..first {
        for c in first..4 {
            let rate = dot(sub(way[a], way[c]), normal);
            if rate > 0.0 {
                let behind = (near - at(a)).max(0.0) + (at(c) - far).max(0.0);
                longest = longest.min((closing + behind) / rate);
            }
        }
    }
    // Pieces that pass each other at the side. Without room between them, pieces that meet at the very end would be let through.
    let room = (gap - closing).min(BESIDE * pair.range);
    if longest < 1.0 && !may_meet(first, &x, &way, pair.offset + room) { 1.0 } else { longest }
}

/// True if the boxes around two pieces, grown by `offset`, may meet while they move.
pub fn may_meet(first: usize, x: &[[f64; 3]; 4], way: &[[f64; 3]; 4], offset: f64) -> bool {
    (0..3).all(|k| {
        let [[a, b], [c, d]] = spans(first, x, k);
        let [[da, db], [dc, dd]] = spans(first, way, k);
        let (ahead, back) = ((dd - da).max(0.0), (dc - db).min(0.0));
        a <= d + ahead + offset && c + back <= b + offset
    })
}

/// How much of a gap one motion may close, where `kept` should be left. Gaps below that may get smaller slowly, so that what
/// starts or ends there is not stuck.
fn closing(gap: f64, kept: f64) -> f64 {
    let slowly = if gap > 1e-3 * kept { 0.3 * gap } else { 0.0 };
    (CLOSED * (gap - kept)).max(slowly)
}

/// The smaller number, without a thought for NaN.
pub fn low(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// The larger number, without a thought for NaN.
pub fn high(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// From where to where two pieces go along an axis, of which the first has so many of the four corners.
fn spans(first: usize, x: &[[f64; 3]; 4], k: usize) -> [[f64; 2]; 2] {
    let [a, b, c, d] = [x[0][k], x[1][k], x[2][k], x[3][k]];
    let last = [low(c, d), high(c, d)];
    if first == 1 { [[a, a], [low(b, last[0]), high(b, last[1])]] } else { [[low(a, b), high(a, b)], last] }
}

/// The squared distance of the boxes around two pieces, of which the first has so many of the four corners.
pub fn boxes_apart(first: usize, x: &[[f64; 3]; 4]) -> f64 {
    let mut sum = 0.0;
    for k in 0..3 {
        let [[a, b], [c, d]] = spans(first, x, k);
        let apart = high(high(a - d, c - b), 0.0);
        sum += apart * apart;
    }
    sum
}

/// True if boxes around two pieces, grown by `near`, may meet while each corner moves by any part of its way.
pub fn may_meet_parts(first: usize, x: &[[f64; 3]; 4], way: &[[f64; 3]; 4], near: f64) -> bool {
    (0..3).all(|k| {
        let low = |corner: usize| x[corner][k] + low(way[corner][k], 0.0);
        let high = |corner: usize| x[corner][k] + high(way[corner][k], 0.0);
        let [least, most] = [
            (0..first).map(low).fold(f64::INFINITY, self::low),
            (0..first).map(high).fold(f64::NEG_INFINITY, self::high),
        ];
        let [other_least, other_most] = [
            (first..4).map(low).fold(f64::INFINITY, self::low),
            (first..4).map(high).fold(f64::NEG_INFINITY, self::high),
        ];
        least <= other_most + near && other_least <= most + near
    })
}

/// True if boxes around two pieces are further apart than the pieces can approach each other, ten times over: then nothing
/// bounds the motion. `offset` is what is taken off their distance.
pub fn is_far(first: usize, x: &[[f64; 3]; 4], way: &[[f64; 3]; 4], offset: f64) -> bool {
    let mut approach = 0.0;
    for k in 0..3 {
        let [[a, b], [c, d]] = spans(first, way, k);
        let most = high(high(b - c, d - a), 0.0);
        approach += most * most;
    }
    let apart = boxes_apart(first, x).sqrt() - offset;
    apart > 0.0 && 100.0 * approach < apart * apart
}

/// The largest part of a motion that keeps a point at least `kept` above the plane, which is less than its height now;
/// infinite if all of it and more does.
fn above_plane(x: [[f64; 3]; 4], way: [[f64; 3]; 4], kept: f64) -> f64 {
    let still = way[1] == way[2] && way[1] == way[3];
    let [u, v, w] = [sub(x[2], x[1]), sub(x[3], x[1]), sub(x[0], x[1])];
    let normal = cross(u, v);
    let length = norm(normal);
    if still {
        let rate = dot(sub(way[1], way[0]), normal) / length;
        let room = dot(w, normal) / length - kept;
        return if rate > 0.0 { room.max(0.0) / rate } else { f64::INFINITY };
    }
    // w·(u × v) − kept |u × v| along the motion; |u × v| is bounded by its larger end, as motions are short.
    let [du, dv, dw] = [sub(way[2], way[1]), sub(way[3], way[1]), sub(way[0], way[1])];
    let [ends_u, ends_v, ends_w] = [[u, add(u, du)], [v, add(v, dv)], [w, add(w, dw)]];
    let blossom = |i: usize, j: usize, k: usize| dot(ends_w[i], cross(ends_u[j], ends_v[k]));
    let longest_normal =
        ends_u.iter().flat_map(|u| ends_v.iter().map(|v| norm(cross(*u, *v)))).fold(length, f64::max);
    let floor = kept * longest_normal;
    let third = 1.0 / 3.0;
    let coefficients = [
        blossom(0, 0, 0),
        third * (blossom(1, 0, 0) + blossom(0, 1, 0) + blossom(0, 0, 1)),
        third * (blossom(1, 1, 0) + blossom(1, 0, 1) + blossom(0, 1, 1)),
        blossom(1, 1, 1),
    ];
    first_below(coefficients, floor.min(0.5 * (coefficients[0] + floor)), 0)
}

/// Where a polynomial with these Bernstein coefficients over 0 … 1 may first be below `floor`, or infinity.
fn first_below(c: [f64; 4], floor: f64, depth: u32) -> f64 {
    if c.iter().all(|c| *c >= floor) {
        return f64::INFINITY;
    }
    if depth == 30 || c[0] < floor {
        return 0.0;
    }
    let middle = |a: f64, b: f64| 0.5 * (a + b);
    let (ab, bc, cd) = (middle(c[0], c[1]), middle(c[1], c[2]), middle(c[2], c[3]));
    let (abc, bcd) = (middle(ab, bc), middle(bc, cd));
    let centre = middle(abc, bcd);
    let early = first_below([c[0], ab, abc, centre], floor, depth + 1);
    if early.is_finite() {
        return 0.5 * early;
    }
    let late = first_below([centre, bcd, cd, c[3]], floor, depth + 1);
    if late.is_finite() { 0.5 + 0.5 * late } else { late }
}
