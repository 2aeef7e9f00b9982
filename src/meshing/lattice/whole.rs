//! Points of the lattice that hold a body together where it is thinner than a cube, and parts that nearly touch.
//!
//! A ball inside of the body with a radius of √5/4 spacings has a point of the lattice in it. Where no such ball fits, the
//! lattice may miss the body, which then comes apart or loses its tips. So the surface is sampled, and from each sample p the
//! way t along the inward normal n to the other side is measured. Where t is small,
//!
//! ```text
//! m = p + ½ t n
//! ```
//!
//! lies in the middle of a thin part, and the point of the lattice nearest to m is *held*: it counts as inside, and the edges
//! that leave it are cut no nearer to it than [`super::stuffing::HELD`], so that it is not warped away. As m moves along a thin part, it goes
//! from one Voronoi cell of the lattice to a neighbour, and neighbours are joined by an edge: held points hang together,
//! and with the points inside of wider parts. The tets there are wider than the body is. Any signs and any cut points give
//! tets of the promised angles (see `stuffing`), so these do too.
//!
//! In the same way shells that are less than a given distance apart are *joined*: points of the lattice along the way from one
//! to the other are held, unless they are part of one piece already.

use super::bcc::Bcc;
use super::field::Field;
use crate::mesh::tree::{around, closest_point};
use crate::mesh::union_find::UnionFind;
use crate::mesh::{Mesh, surface};
use elements::math::vec3::{add, cross, dot, norm, scale, sub};
use elements::par;

/// What is thinner than this many spacings is held. A little above 2 · √5/4, from which on the lattice is fine enough.
const THIN: f64 = 1.2;

/// Samples of the surface are at most this part of a spacing apart.
const APART: f64 = 1.0 / 3.0;

/// The steps along the way between two shells, as a part of a spacing.
const STEP: f64 = 1.0 / 6.0;

/// The depth below the surface, as a part of a spacing, at which the piece of a sample is looked for.
const DEPTH: f64 = 0.5;

/// Two shells that are held together, the smaller number first; or a shell of which two parts are, twice.
pub(super) type Joint = [u32; 2];

/// The points that hold thin parts, ascending.
pub(super) fn thin(surface: &Mesh, field: &Field, bcc: &Bcc) -> Vec<u32> {
    let spacing = bcc.spacing();
    let found = par::map(surface.triangles.len(), |t| {
        let Some((normal, corners)) = seen(surface, t) else { return vec![] };
        let inward = scale(-THIN * spacing, normal);
        let mut held = vec![];
        for p in samples(corners, APART * spacing) {
            if let Some(part) = field.leaves(p, inward)
                && field.sides(p, normal, spacing) == [true, false]
            {
                held.push(bcc.nearest(add(p, scale(0.5 * part, inward))));
            }
        }
        held.dedup();
        held
    });
    collect(found, bcc)
}

/// The points that hold shells together which are at most `distance` apart and not of one piece, ascending, and the shells.
/// `inside` has the points inside, with the held ones.
pub(super) fn joints(
    surface: &Mesh,
    shells: &[u32],
    field: &Field,
    bcc: &Bcc,
    inside: &[bool],
    distance: f64,
) -> (Vec<u32>, Vec<Joint>) {
    // Parts of a shell may touch in an edge or a vertex alone.
    let patches = surface::patches(&surface.triangles);
    if patches.iter().all(|patch| *patch == 0) {
        return (vec![], vec![]);
    }
    let pieces = pieces(field, bcc, inside);
    let found = par::map(surface.triangles.len(), |t| {
        let Some((normal, corners)) = seen(surface, t) else { return vec![] };
        let mut ways = vec![];
        for p in samples(corners, APART * bcc.spacing()) {
            let Some((other, triangle)) = nearest_other(field, &patches, t, p, distance) else { continue };
            let Some((opposite, _)) = seen(surface, triangle) else { continue };
            let ends = [(p, normal), (other, opposite)]
                .map(|(p, normal)| piece_below(bcc, &pieces, add(p, scale(-DEPTH * bcc.spacing(), normal))));
            if let [Some((a, one)), Some((b, two))] = ends
                && one != two
            {
                let mut shells = [shells[t], shells[triangle]];
                shells.sort_unstable();
                ways.push((shells, along(bcc, [bcc.place(a), p, other, bcc.place(b)])));
            }
        }
        ways
    });
    let mut joined: Vec<Joint> = found.iter().flatten().map(|way| way.0).collect();
    joined.sort_unstable();
    joined.dedup();
    (
        collect(
            found.into_iter().map(|ways| ways.into_iter().flat_map(|way| way.1).collect()).collect(),
            bcc,
        ),
        joined,
    )
}

/// The unit normal and the corners of a triangle; `None` if it has no area.
fn seen(surface: &Mesh, t: usize) -> Option<([f64; 3], [[f64; 3]; 3])> {
    let area = surface::area_vector(&surface.points, surface.triangles[t]);
    let normal = scale(1.0 / norm(area), area);
    let corners = surface.triangles[t].map(|v| surface.points[v as usize]);
    normal.iter().all(|x| x.is_finite()).then_some((normal, corners))
}

/// Points of a triangle in rows along its longest side, about `apart` from each other.
fn samples([a, b, c]: [[f64; 3]; 3], apart: f64) -> impl Iterator<Item = [f64; 3]> {
    let squared = |p: [f64; 3], q: [f64; 3]| {
        let side = sub(p, q);
        dot(side, side)
    };
    let sides = [(squared(a, b), [a, b, c]), (squared(b, c), [b, c, a]), (squared(c, a), [c, a, b])];
    let (_, [from, to, apex]) = sides.into_iter().max_by(|x, y| x.0.total_cmp(&y.0)).expect("three sides");
    let base = sub(to, from);
    let height = norm(cross(base, sub(apex, from))) / norm(base);
    let rows = (height / apart).ceil().max(1.0) as usize;
    (0..rows).flat_map(move |row| {
        let up = (row as f64 + 0.5) / rows as f64;
        let (start, along) = (add(from, scale(up, sub(apex, from))), scale(1.0 - up, base));
        let count = (norm(along) / apart).ceil().max(1.0) as usize;
        (0..count).map(move |i| add(start, scale((i as f64 + 0.5) / count as f64, along)))
    })
}

/// The nearest place of another patch at most `distance` away, with its triangle.
fn nearest_other(
    field: &Field,
    patches: &[u32],
    t: usize,
    p: [f64; 3],
    distance: f64,
) -> Option<([f64; 3], usize)> {
    let tree = field.winding().tree();
    let reach = [distance; 3];
    let mut best: Option<(f64, usize, [f64; 3])> = None;
    tree.overlapping_places(&around(&[sub(p, reach), add(p, reach)]), |place| {
        let other = tree.order()[place] as usize;
        if patches[other] == patches[t] {
            return;
        }
        let closest = closest_point(tree.corners()[place], p);
        let apart = sub(closest, p);
        let squared = dot(apart, apart);
        if squared <= distance * distance && best.is_none_or(|b| (squared, other) < (b.0, b.1)) {
            best = Some((squared, other, closest));
        }
    });
    best.map(|(_, triangle, place)| (place, triangle))
}

/// The pieces that points inside form: for each of them the smallest number of its piece, and `u32::MAX` for the others.
/// Neighbours are of one piece if the edge between them stays inside: across a gap they may be warped apart.
fn pieces(field: &Field, bcc: &Bcc, inside: &[bool]) -> Vec<u32> {
    let ids: Vec<u32> = (0..inside.len() as u32).filter(|id| inside[*id as usize]).collect();
    let joined = par::map(ids.len(), |i| {
        let place = bcc.place(ids[i]);
        let stays = |other: &u32| field.leaves(place, sub(bcc.place(*other), place)).is_none();
        let others = bcc.neighbours(ids[i]).into_iter().filter(|n| *n > ids[i] && inside[*n as usize]);
        others.filter(stays).collect::<Vec<u32>>()
    });
    let mut sets = UnionFind::new(inside.len());
    for (id, others) in ids.into_iter().zip(joined) {
        others.into_iter().for_each(|other| sets.union(id, other));
    }
    (0..inside.len() as u32).map(|id| if inside[id as usize] { sets.find(id) } else { u32::MAX }).collect()
}

/// The point inside that is nearest to a place, among the nearest of the lattice and its neighbours, with its piece.
fn piece_below(bcc: &Bcc, pieces: &[u32], place: [f64; 3]) -> Option<(u32, u32)> {
    let centre = bcc.nearest(place);
    if !bcc.is_surrounded(centre) {
        return None;
    }
    let all =
        bcc.neighbours(centre).into_iter().chain([centre]).filter(|id| pieces[*id as usize] != u32::MAX);
    let squared = |id: u32| {
        let apart = sub(bcc.place(id), place);
        dot(apart, apart)
    };
    let nearest = all.min_by(|a, b| squared(*a).total_cmp(&squared(*b)).then(a.cmp(b)))?;
    Some((nearest, pieces[nearest as usize]))
}

/// The points of the lattice along a way.
fn along(bcc: &Bcc, way: [[f64; 3]; 4]) -> Vec<u32> {
    let mut held = vec![];
    for ends in way.windows(2) {
        let whole = sub(ends[1], ends[0]);
        let steps = (norm(whole) / (STEP * bcc.spacing())).ceil().max(1.0) as usize;
        held.extend((0..=steps).map(|i| bcc.nearest(add(ends[0], scale(i as f64 / steps as f64, whole)))));
    }
    held.dedup();
    held
}

/// All points once, ascending, without those at the lattice's border.
fn collect(found: Vec<Vec<u32>>, bcc: &Bcc) -> Vec<u32> {
    let mut held: Vec<u32> = found.into_iter().flatten().filter(|id| bcc.is_surrounded(*id)).collect();
    held.sort_unstable();
    held.dedup();
    held
}
