//! Triangles that add nothing to the surface: those without area, and duplicates.
//!
//! A triangle that has a corner twice is dropped: its other two sides coincide. If a side is so short that it is a
//! rounding error, its ends are welded first. A triangle whose corner b lies on its side ac cannot simply be dropped,
//! since that would tear the surface open along ac. Its neighbour acd beyond that side is split into abd and bcd.
//!
//! Of triangles with the same corners the first one stays. If their number is even, they may form a wall inside of a
//! volume, as between two blocks that were put together. All triangles of such a wall are dropped if every edge of its
//! rim belongs to two or more other triangles, which lead away from each other. Where two of them lie on each other, the rim is
//! that of a surface written twice, of which some quads were cut along the other diagonal. Otherwise they are the two sides of a
//! sheet, or were just written twice.

use std::collections::{BTreeMap, BTreeSet};

use super::{Report, keep_triangles, push_triangle};
use crate::mesh::Mesh;
use crate::mesh::prepare::is_degenerate_triangle;
use crate::mesh::quality::DEGENERATE;
use crate::mesh::union_find::UnionFind;
use elements::math::vec3::{dot, norm, scale, sub};

/// Drops triangles without area, and splits neighbours where that keeps the surface closed.
pub fn drop_degenerate(mesh: &mut Mesh, report: &mut Report) {
    let before = mesh.triangles.len();
    let splits = flatten(mesh, report);
    report.degenerate_triangles += before + splits - mesh.triangles.len();
}

/// Drops all triangles without area; returns how many neighbours were split.
pub(super) fn flatten(mesh: &mut Mesh, report: &mut Report) -> usize {
    let mut splits = 0;
    loop {
        let welded = weld_short_sides(mesh);
        report.welded_vertices += welded;
        let split = drop_flat(mesh);
        splits += split;
        // A split can leave another short side, so this is repeated.
        if welded + split == 0 {
            report.split_triangles += splits;
            return splits;
        }
    }
}

/// Drops triangles without area, except those with a short side left by splits; returns how many neighbours were split.
fn drop_flat(mesh: &mut Mesh) -> usize {
    let is_flat = |mesh: &Mesh, t: usize| is_degenerate_triangle(&mesh.points, mesh.triangles[t]);
    // The triangle with the longest side comes first: a flat neighbour beyond that side is split into smaller ones.
    let key = |mesh: &Mesh, t: usize| (longest_side(mesh, t).1.to_bits(), t);
    let mut flat: BTreeSet<(u64, usize)> =
        (0..mesh.triangles.len()).filter(|&t| is_flat(mesh, t)).map(|t| key(mesh, t)).collect();
    if flat.is_empty() {
        return 0;
    }
    let mut edges = Edges::new(&mesh.triangles);
    let (mut gone, mut splits, most) = (BTreeSet::new(), 0, mesh.triangles.len());
    while let Some((_, t)) = flat.pop_last() {
        edges.remove(mesh.triangles[t], t);
        gone.insert(t);
        // Rounding could make this go on for ever: after many splits, the remaining triangles are just dropped.
        let Some(split) = Split::of(mesh, t, &edges).filter(|_| splits < most) else { continue };
        flat.remove(&key(mesh, split.neighbour));
        edges.remove(mesh.triangles[split.neighbour], split.neighbour);
        let new = mesh.triangles.len();
        push_triangle(mesh, split.parts[1], split.neighbour);
        mesh.triangles[split.neighbour] = split.parts[0];
        for part in [split.neighbour, new] {
            edges.insert(mesh.triangles[part], part);
            if is_flat(mesh, part) && short_sides(&mesh.points, mesh.triangles[part]).is_empty() {
                flat.insert(key(mesh, part));
            }
        }
        splits += 1;
    }
    keep_triangles(mesh, |t| !gone.contains(&t));
    splits
}

/// Welds the ends of short sides; returns how many vertices are in no triangle afterwards.
fn weld_short_sides(mesh: &mut Mesh) -> usize {
    let mut clusters = UnionFind::new(mesh.points.len());
    for &triangle in &mesh.triangles {
        short_sides(&mesh.points, triangle).iter().for_each(|&[a, b]| clusters.union(a, b));
    }
    let welded = (0..mesh.points.len() as u32).filter(|&v| clusters.find(v) != v).count();
    if welded > 0 {
        mesh.triangles.iter_mut().flatten().for_each(|v| *v = clusters.find(*v));
    }
    welded
}

/// The sides between different vertices that are shorter than [`DEGENERATE`] times the longest one.
fn short_sides(points: &[[f64; 3]], triangle: [u32; 3]) -> Vec<[u32; 2]> {
    let length = |[a, b]: [u32; 2]| {
        let along = sub(points[b as usize], points[a as usize]);
        dot(along, along).sqrt()
    };
    let longest = sides(triangle).map(length).into_iter().fold(0.0, f64::max);
    sides(triangle).into_iter().filter(|&[a, b]| a != b && length([a, b]) <= DEGENERATE * longest).collect()
}

/// The triangles at every edge.
struct Edges(BTreeMap<[u32; 2], Vec<usize>>);

impl Edges {
    fn new(triangles: &[[u32; 3]]) -> Edges {
        let mut edges = Edges(BTreeMap::new());
        triangles.iter().enumerate().for_each(|(t, &triangle)| edges.insert(triangle, t));
        edges
    }

    fn insert(&mut self, triangle: [u32; 3], t: usize) {
        sides(triangle).into_iter().for_each(|side| self.0.entry(side).or_default().push(t));
    }

    fn remove(&mut self, triangle: [u32; 3], t: usize) {
        for side in sides(triangle) {
            if let Some(list) = self.0.get_mut(&side) {
                list.retain(|&other| other != t);
            }
        }
    }

    fn at(&self, a: u32, b: u32) -> &[usize] {
        self.0.get(&[a.min(b), a.max(b)]).map_or(&[], Vec::as_slice)
    }
}

/// A split of a triangle at a vertex on its side.
struct Split {
    neighbour: usize,
    parts: [[u32; 3]; 2],
}

impl Split {
    /// The split that closes the gap left by the flat triangle `t`, which is no longer in `edges`. `None` if it leaves
    /// no gap, or if more than two triangles would meet in an edge.
    fn of(mesh: &Mesh, t: usize, edges: &Edges) -> Option<Split> {
        let triangle = mesh.triangles[t];
        let (middle, length) = longest_side(mesh, t);
        let [b, c, a] = [0, 1, 2].map(|k| triangle[(middle + k) % 3]);
        let [neighbour] = *edges.at(a, c) else { return None };
        let corners = mesh.triangles[neighbour];
        let d = *corners.iter().find(|v| **v != a && **v != c)?;
        let distinct = length.is_finite() && a != b && b != c && c != a && b != d;
        let with = |from: u32| corners.map(|v| if v == from { b } else { v });
        (distinct && edges.at(b, d).is_empty()).then(|| Split { neighbour, parts: [with(c), with(a)] })
    }
}

/// The corner of a triangle that is opposite to its longest side, and that side's length squared.
fn longest_side(mesh: &Mesh, t: usize) -> (usize, f64) {
    let [a, b, c] = mesh.triangles[t].map(|v| mesh.points[v as usize]);
    let squares = [sub(c, b), sub(a, c), sub(b, a)].map(|along| dot(along, along));
    (0..3)
        .map(|i| (i, squares[i]))
        .fold((0, squares[0]), |most, side| if side.1 > most.1 { side } else { most })
}

/// The vertices of each side, ascending.
pub(super) fn sides([a, b, c]: [u32; 3]) -> [[u32; 2]; 3] {
    [[a, b], [b, c], [c, a]].map(|[from, to]| [from.min(to), from.max(to)])
}

/// Drops all but the first of triangles with the same corners, and drops inner walls altogether.
pub fn drop_duplicates(mesh: &mut Mesh, report: &mut Report) {
    let mut keys: Vec<([u32; 3], usize)> = mesh.triangles.iter().copied().zip(0..).collect();
    keys.iter_mut().for_each(|(corners, _)| corners.sort_unstable());
    keys.sort_unstable();
    let groups: Vec<&[([u32; 3], usize)]> = keys.chunk_by(|a, b| a.0 == b.0).collect();
    if groups.len() == mesh.triangles.len() {
        return;
    }
    let walls = walls(&mesh.points, &groups);
    let mut drop = vec![false; mesh.triangles.len()];
    for (group, wall) in groups.iter().zip(walls) {
        for (_, t) in &group[usize::from(!wall)..] {
            drop[*t] = true;
        }
        *(if wall { &mut report.wall_triangles } else { &mut report.duplicate_triangles }) +=
            group.len() - usize::from(!wall);
    }
    keep_triangles(mesh, |t| !drop[t]);
}

/// For every group of triangles with the same corners, true if it belongs to a wall.
fn walls(points: &[[f64; 3]], groups: &[&[([u32; 3], usize)]]) -> Vec<bool> {
    let mut at: Vec<([u32; 2], u32)> =
        (0..).zip(groups).flat_map(|(g, group)| sides(group[0].0).map(|side| (side, g))).collect();
    at.sort_unstable();
    let is_even = |g: u32| groups[g as usize].len().is_multiple_of(2);
    let mut parts = UnionFind::new(groups.len());
    for same in at.chunk_by(|a, b| a.0 == b.0) {
        let mut even = same.iter().filter(|(_, g)| is_even(*g)).map(|(_, g)| *g);
        if let Some(first) = even.next() {
            even.for_each(|g| parts.union(first, g));
        }
    }
    // Whether a part has a rim, and whether the rim is free somewhere, or that of a surface that is there twice.
    let (mut rim, mut free) = (vec![false; groups.len()], vec![false; groups.len()]);
    for same in at.chunk_by(|a, b| a.0 == b.0) {
        let mut even = same.iter().filter(|(_, g)| is_even(*g));
        if let (Some((_, g)), None) = (even.next(), even.next()) {
            let part = parts.find(*g) as usize;
            rim[part] = true;
            let others = same.iter().filter(|other| other.1 != *g).map(|other| groups[other.1 as usize][0].0);
            free[part] |= same.len() < 3 || lie_on_each_other(points, same[0].0, others);
        }
    }
    (0..groups.len() as u32)
        .map(|g| {
            let part = parts.find(g) as usize;
            is_even(g) && rim[part] && !free[part]
        })
        .collect()
}

/// The cosine above which two triangles at an edge lead the same way.
const SAME_WAY: f64 = 0.999;

/// True if two of the triangles at an edge lead the same way from it.
fn lie_on_each_other(points: &[[f64; 3]], ends: [u32; 2], triangles: impl Iterator<Item = [u32; 3]>) -> bool {
    let [a, b] = ends.map(|v| points[v as usize]);
    let along = sub(b, a);
    // The unit vector from the edge to the third corner, at a right angle to the edge.
    let ways: Vec<[f64; 3]> = triangles
        .filter_map(|corners| {
            let apex = corners.into_iter().find(|v| !ends.contains(v))?;
            let up = sub(points[apex as usize], a);
            let way = sub(up, scale(dot(up, along) / dot(along, along), along));
            Some(scale(1.0 / norm(way), way))
        })
        .collect();
    (0..ways.len()).any(|i| ways[..i].iter().any(|other| dot(*other, ways[i]) > SAME_WAY))
}
