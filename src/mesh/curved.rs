//! Quadratic tets that meet a curved surface: the nodes in the middles of their boundary's edges are moved onto it.
//!
//! Straight edges cut off what bulges, by h²/8 times the curvature; with their middles on the surface the error is of third order,
//! as that of the displacements. A node is moved to the nearest point if that is not far, as it may be beside a gap or a fold that
//! the tets bridge. A tet that would be bent too far gets its middles back.

use super::Mesh;
use super::quadratic::{EDGES, nodes};
use super::surface::boundary;
use super::tree::Tree;
use elements::energy::quadratic::least_volume;
use elements::math::vec3::{add, norm, scale, sub};
use elements::par;

/// The farthest that a node is moved, as a part of its edge's length.
const FARTHEST: f64 = 0.25;

/// The least volume at any place in a bent tet, as a part of that of the straight one.
const LEAST: f64 = 0.3;

/// The number of tets in a chunk of work.
const CHUNK: usize = 256;

/// An edge of the boundary with the node in its middle.
struct Bent {
    middle: u32,
    straight: [f64; 3],
}

/// Moves the middle nodes of the boundary onto a surface; returns how many are there.
pub fn move_onto(mesh: &mut Mesh, points: &[[f64; 3]], triangles: &[[u32; 3]]) -> usize {
    let tree = Tree::new(points, triangles);
    let mut edges: Vec<[u32; 2]> = boundary(&mesh.tets)
        .iter()
        .flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]].map(|[a, b]| [a.min(b), a.max(b)]))
        .collect();
    edges.sort_unstable();
    edges.dedup();
    let mut bent: Vec<Option<Bent>> = vec![];
    bent.resize_with(mesh.points.len(), || None);
    for (tet, middles) in mesh.tets.iter().zip(&mesh.middles) {
        for ([a, b], middle) in EDGES.into_iter().zip(middles) {
            let edge = [tet[a].min(tet[b]), tet[a].max(tet[b])];
            if bent[*middle as usize].is_some() || edges.binary_search(&edge).is_err() {
                continue;
            }
            let [p, q] = edge.map(|v| mesh.points[v as usize]);
            let straight = scale(0.5, add(p, q));
            let Some(near) = tree.nearest(straight) else { continue };
            if near.distance_squared.sqrt() <= FARTHEST * norm(sub(q, p)) {
                mesh.points[*middle as usize] = near.point;
                bent[*middle as usize] = Some(Bent { middle: *middle, straight });
            }
        }
    }
    straighten(mesh, &mut bent);
    bent.iter().flatten().count()
}

/// Puts the middles of tets back that are bent too far, until none is.
fn straighten(mesh: &mut Mesh, bent: &mut [Option<Bent>]) {
    loop {
        let is_bad = |t: usize| {
            let (tet, middles) = (mesh.tets[t], mesh.middles[t]);
            if middles.iter().all(|v| bent[*v as usize].is_none()) {
                return false;
            }
            let straight = super::quality::volume(&mesh.points, tet);
            least_volume(&nodes(tet, middles), &mesh.points) < LEAST * straight
        };
        let count = mesh.tets.len();
        let bad: Vec<usize> = par::map(count.div_ceil(CHUNK), |chunk| {
            (chunk * CHUNK..count.min((chunk + 1) * CHUNK)).filter(|t| is_bad(*t)).collect::<Vec<_>>()
        })
        .concat();
        if bad.is_empty() {
            return;
        }
        for t in bad {
            for v in mesh.middles[t] {
                if let Some(Bent { middle, straight }) = bent[v as usize].take() {
                    mesh.points[middle as usize] = straight;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::generate;
    use crate::mesh::quadratic::promote;
    use crate::mesh::surface::boundary;
    use crate::mesh::{embedding::Embedding, quality};
    use crate::scene::Shape;
    use elements::energy::quadratic::Quadratic;
    use elements::math::random::SplitMix64;

    fn ball(cells: usize) -> Mesh {
        generate(&Shape::Sphere { radius: 1.0, cells })
    }

    fn volume(mesh: &Mesh) -> f64 {
        let nodes = mesh.tets.iter().zip(&mesh.middles).map(|(tet, middles)| nodes(*tet, *middles)).collect();
        Quadratic::new(nodes, &mesh.points).volumes().iter().sum()
    }

    #[test]
    fn the_volume_of_a_ball_converges_two_orders_sooner() {
        let fine = ball(24);
        let truth = 4.0 / 3.0 * std::f64::consts::PI;
        let off = |cells: usize| {
            let mut mesh = ball(cells);
            let straight: f64 = mesh.tets.iter().map(|tet| quality::volume(&mesh.points, *tet)).sum();
            promote(&mut mesh);
            let moved = move_onto(&mut mesh, &fine.points, &boundary(&fine.tets));
            // As many as the boundary has edges, by Euler's formula: E = 3 F / 2.
            assert_eq!(moved, boundary(&mesh.tets).len() * 3 / 2);
            [straight, volume(&mesh)].map(|volume| (volume / truth - 1.0).abs())
        };
        let (coarse, finer) = (off(2), off(4));
        assert!(coarse[1] < 0.1 * coarse[0] && finer[1] < 0.04 * finer[0], "{coarse:?} {finer:?}");
    }

    #[test]
    fn points_on_bent_tets_come_back_and_follow_what_is_linear() {
        let (fine, mut mesh) = (ball(16), ball(3));
        promote(&mut mesh);
        move_onto(&mut mesh, &fine.points, &boundary(&fine.tets));
        let bound = Embedding::new(&fine.points, &mesh.points, &mesh.tets, &mesh.middles);
        let apart = |a: &[f64; 3], b: &[f64; 3]| norm(sub(*a, *b));
        let worst = |x: &[[f64; 3]], expected: &dyn Fn([f64; 3]) -> [f64; 3]| {
            let pairs = bound.apply(x).into_iter().zip(&fine.points);
            pairs.map(|(p, at)| apart(&p, &expected(*at))).fold(0.0, f64::max)
        };
        assert!(worst(&mesh.points, &|p| p) < 1e-14);
        let affine = |p: [f64; 3]| [1.0 + p[1] - 0.3 * p[0], 2.0 * p[2], p[0] + p[1]];
        let x: Vec<[f64; 3]> = mesh.points.iter().map(|p| affine(*p)).collect();
        assert!(worst(&x, &affine) < 1e-13);
    }

    /// A surface that no ball has: nodes that would turn tets inside out are where they were.
    #[test]
    fn no_tet_is_bent_too_far() {
        let mut mesh = ball(3);
        promote(&mut mesh);
        let mut random = SplitMix64::new(5);
        let mut rough = ball(9);
        for p in &mut rough.points {
            *p = scale(0.85 + 0.3 * random.uniform(), *p);
        }
        move_onto(&mut mesh, &rough.points, &boundary(&rough.tets));
        for (tet, middles) in mesh.tets.iter().zip(&mesh.middles) {
            let straight = quality::volume(&mesh.points, *tet);
            assert!(least_volume(&nodes(*tet, *middles), &mesh.points) >= LEAST * straight);
        }
    }
}
