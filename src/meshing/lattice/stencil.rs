//! The part of one tet that is left when the outside is cut away.
//!
//! A corner is inside, outside, or on the surface; an edge from inside to outside has one cut point. The part inside is
//! a tet, a pyramid or a prism \[Labelle2007, Fig. 3\]. Its quadrilaterals on the faces of the tet are split by rules
//! that look at the face alone, so that the neighbour splits them the same way:
//!
//! - a face with one cut on a long edge: the diagonal ends at that cut point;
//! - a face with both cuts on short edges: the diagonal begins at the long edge's end of the smaller number (the
//!   paper's parity rule for edges along an axis).
//!
//! A quadrilateral on the surface is split by the shorter diagonal where there is a choice.

use super::bcc::Bcc;

/// A vertex of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Vertex {
    /// A point of the lattice, either at its own place or warped to the surface.
    Lattice(u32),
    /// The cut point of an edge, by the edge's number.
    Cut(u32),
}

/// The position of a lattice point relative to the surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// Outside of the surface.
    Outside,
    /// Warped to the surface.
    On,
    /// Inside of the surface.
    Inside,
}

/// Splits the part of a tet that is inside; the tets are not oriented.
///
/// `cut(a, b)` is the cut point of the edge from `a` inside to `b` outside; `shorter` tells whether the first pair is
/// at most as far apart as the second.
pub(super) fn fill(
    corners: [(u32, Side); 4],
    cut: impl Fn(u32, u32) -> Vertex,
    shorter: impl Fn([Vertex; 2], [Vertex; 2]) -> bool,
    mut push: impl FnMut([Vertex; 4]),
) {
    let on = |side: Side| corners.iter().filter(move |c| c.1 == side).map(|c| c.0);
    let inside: Vec<u32> = on(Side::Inside).collect();
    let outside: Vec<u32> = on(Side::Outside).collect();
    let point = Vertex::Lattice;
    match (&*inside, &*outside) {
        ([], _) => {}
        (_, []) => push(corners.map(|c| point(c.0))),
        (&[a], _) => push(corners.map(|(v, side)| if side == Side::Outside { cut(a, v) } else { point(v) })),
        (&[a, b], &[m]) => {
            let apex = point(on(Side::On).next().expect("the fourth corner is on the surface"));
            let (a, b) = if begins_at_first(a, b, m) { (a, b) } else { (b, a) };
            push([apex, point(a), point(b), cut(b, m)]);
            push([apex, point(a), cut(b, m), cut(a, m)]);
        }
        (&[a, b], &[m, n]) => {
            let low = [point(a), cut(a, m), cut(a, n)];
            let high = [point(b), cut(b, m), cut(b, n)];
            let first = begins_at_first(a, b, m);
            let second = begins_at_first(a, b, n);
            // Diagonals that run in a circle leave no tets, so the third one is free only if the other two meet.
            let third = if first == second { shorter([low[1], high[2]], [low[2], high[1]]) } else { second };
            prism(low, high, [first, second, third], push);
        }
        (&[a, b, c], &[m]) => {
            let low = [point(a), point(b), point(c)];
            let high = [cut(a, m), cut(b, m), cut(c, m)];
            let rules = [[a, b], [a, c], [b, c]].map(|[x, y]| begins_at_first(x, y, m));
            prism(low, high, rules, push);
        }
        _ => unreachable!("a tet has four corners"),
    }
}

/// For a face with `a` and `b` inside and `m` outside: true if the diagonal runs from `a` to the cut point of `b`–`m`,
/// and false if it runs from `b` to that of `a`–`m`.
fn begins_at_first(a: u32, b: u32, m: u32) -> bool {
    if Bcc::is_long(a, b) { a < b } else { Bcc::is_long(b, m) }
}

/// The three tets of a prism. For the sides 0–1, 0–2 and 1–2, `rules` is true if the diagonal runs from the first
/// corner of the lower triangle to the second of the upper one.
fn prism(low: [Vertex; 3], high: [Vertex; 3], rules: [bool; 3], mut push: impl FnMut([Vertex; 4])) {
    let [zero_one, zero_two, one_two] = rules;
    // How many diagonals leave each lower corner: 2, 1 and 0 in some order, unless they run in a circle.
    let leaving = [
        usize::from(zero_one) + usize::from(zero_two),
        usize::from(!zero_one) + usize::from(one_two),
        usize::from(!zero_two) + usize::from(!one_two),
    ];
    let with = |count: usize| leaving.iter().position(|&n| n == count).expect("no circle of diagonals");
    let (p, q, r) = (with(2), with(1), with(0));
    push([low[p], low[q], low[r], high[r]]);
    push([low[p], low[q], high[q], high[r]]);
    push([low[p], high[p], high[q], high[r]]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::quality;
    use elements::math::random::SplitMix64;
    use elements::math::vec3::{add, dot, scale, sub};

    const SIDES: [Side; 3] = [Side::Outside, Side::On, Side::Inside];

    /// Numbers as in the lattice: even ones for one grid, odd ones for the other.
    const IDS: [u32; 4] = [4, 8, 3, 7];
    const PLACES: [[f64; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.5, 0.5], [0.5, 0.5, -0.5]];

    /// The volume of the part inside. Cut points are those of the edges, whichever end is inside.
    fn volume(sides: [Side; 4], parts: &[f64; 32]) -> f64 {
        let at = |id: u32| PLACES[IDS.iter().position(|&i| i == id).unwrap()];
        let key = |a: u32, b: u32| Vertex::Cut(if a < b { 10 * a + b } else { 10 * b + a });
        let place = |v: Vertex| match v {
            Vertex::Lattice(id) => at(id),
            Vertex::Cut(key) => {
                let [a, b] = [key / 10, key % 10].map(at);
                add(a, scale(parts[key as usize % 32], sub(b, a)))
            }
        };
        let squared = |[a, b]: [Vertex; 2]| {
            let apart = sub(place(a), place(b));
            dot(apart, apart)
        };
        let mut sum = 0.0;
        let corners = std::array::from_fn(|i| (IDS[i], sides[i]));
        fill(
            corners,
            key,
            |a, b| squared(a) <= squared(b),
            |tet| {
                sum += quality::volume(&tet.map(place), [0, 1, 2, 3]).abs();
            },
        );
        sum
    }

    #[test]
    fn inside_and_outside_fill_the_tet_for_all_patterns() {
        let whole = quality::volume(&PLACES, [0, 1, 2, 3]).abs();
        let mut random = SplitMix64::new(11);
        for pattern in 0..81usize {
            let sides = std::array::from_fn(|i| SIDES[pattern / 3usize.pow(i as u32) % 3]);
            let turned = sides.map(|side| match side {
                Side::Inside => Side::Outside,
                Side::On => Side::On,
                Side::Outside => Side::Inside,
            });
            for _ in 0..20 {
                let parts = std::array::from_fn(|_| random.uniform());
                let sum = volume(sides, &parts) + volume(turned, &parts);
                let wanted = if sides == [Side::On; 4] { 0.0 } else { whole };
                assert!((sum - wanted).abs() < 1e-15, "{sides:?}: {sum}");
            }
        }
    }
}
