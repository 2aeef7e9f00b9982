//! Isosurface stuffing: tets of a lattice, warped and cut to fill a shape \[Labelle2007\], of uniform size.
//!
//! 1. Every point of the lattice is inside or outside; an edge between the two has a cut point.
//! 2. A point with a cut point closer than α times the edge's length moves there; then it is on the surface, and the
//!    cut points of its edges are void. Points are treated in the order of their numbers, and each moves to the
//!    nearest of its cut points.
//! 3. The part of every tet that is inside is filled by [`super::stencil`].
//!
//! The angles follow from the signs and from α alone, whatever the shape is. With the paper's safe choice of α all
//! dihedral angles are between 10.7° and 164.8°; with random signs and cut points of 10⁸ tets they went down to 9.6°
//! and up to 160.3° here.

use super::bcc::Bcc;
use super::stencil::{Side, Vertex, fill};
use crate::mesh::{Mesh, generate};
use elements::math::vec3::{add, dot, scale, sub};
use elements::par;

/// The bounds α of long edges and of short ones \[Labelle2007, Table 1\].
const ALPHA_LONG: f64 = 0.24999;
const ALPHA_SHORT: f64 = 0.41189;

/// The least part at which an edge that leaves a point is cut, so that the point is not warped: for long edges and short ones.
pub(super) const HELD: [f64; 2] = [ALPHA_LONG + 1e-5, ALPHA_SHORT + 1e-5];

/// The volume of the largest tet relative to that of the lattice's, h³/12: warped points leave the original tet.
pub(super) const LARGEST: f64 = 3.2;

/// The number of edges in a piece of parallel work.
const CHUNK: usize = 256;

/// An edge from a point inside to one outside.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct CutEdge {
    inside: u32,
    outside: u32,
    /// The place of the cut point, from 0 at the point inside to 1 at the point outside.
    part: f64,
}

/// A lattice whose points are inside, outside, or warped to the surface.
struct Stuffing<'a> {
    bcc: &'a Bcc,
    sides: Vec<Side>,
    /// The cut edges, sorted by their points inside, then outside.
    edges: Vec<CutEdge>,
    /// The points that moved and their new positions, ascending.
    warped: Vec<(u32, [f64; 3])>,
}

/// Fills a shape with tets, all positive. Vertices are in the lattice's order, cut points after the points.
///
/// `inside` has an entry for each point; those of the border must be outside. `cut(a, b)` is the part in (0, 1) of the
/// way from `a` inside to `b` outside at which the surface is met.
pub(super) fn stuff(bcc: &Bcc, inside: &[bool], cut: impl Fn(u32, u32) -> f64 + Send + Sync) -> Mesh {
    let mut edges = vec![];
    for id in (0..inside.len() as u32).filter(|&id| inside[id as usize]) {
        let leaving = bcc.neighbours(id).into_iter().filter(|&n| !inside[n as usize]);
        edges.extend(leaving.map(|outside| CutEdge { inside: id, outside, part: 0.0 }));
    }
    par::chunks_mut(&mut edges, CHUNK, |_, chunk| {
        for edge in chunk {
            edge.part = cut(edge.inside, edge.outside);
        }
    });
    let side = |&is_inside: &bool| if is_inside { Side::Inside } else { Side::Outside };
    let mut stuffing = Stuffing { bcc, sides: inside.iter().map(side).collect(), edges, warped: vec![] };
    stuffing.warp();
    stuffing.mesh()
}

impl Stuffing<'_> {
    fn warp(&mut self) {
        let mut incident: Vec<(u32, u32)> = Vec::with_capacity(2 * self.edges.len());
        for (edge, i) in self.edges.iter().zip(0..) {
            incident.extend([(edge.inside, i), (edge.outside, i)]);
        }
        incident.sort_unstable();
        for around in incident.chunk_by(|a, b| a.0 == b.0) {
            let id = around[0].0;
            let live = around.iter().filter(|(_, i)| self.is_live(&self.edges[*i as usize]));
            let violating = live.filter_map(|&(_, i)| {
                let edge = &self.edges[i as usize];
                let part = if id == edge.inside { edge.part } else { 1.0 - edge.part };
                let long = Bcc::is_long(edge.inside, edge.outside);
                let distance = part * self.bcc.length(edge.inside, edge.outside);
                (part < if long { ALPHA_LONG } else { ALPHA_SHORT }).then_some((distance, i))
            });
            let nearest = violating.fold(None, |best: Option<(f64, u32)>, next| match best {
                Some(best) if best.0 <= next.0 => Some(best),
                _ => Some(next),
            });
            if let Some((_, i)) = nearest {
                self.warped.push((id, self.cut_point(i)));
                self.sides[id as usize] = Side::On;
            }
        }
    }

    /// True if an edge's cut point is still in use.
    fn is_live(&self, edge: &CutEdge) -> bool {
        [edge.inside, edge.outside].iter().all(|&id| self.sides[id as usize] != Side::On)
    }

    fn cut_point(&self, i: u32) -> [f64; 3] {
        let edge = &self.edges[i as usize];
        let [from, to] = [edge.inside, edge.outside].map(|id| self.bcc.place(id));
        add(from, scale(edge.part, sub(to, from)))
    }

    fn place(&self, vertex: Vertex) -> [f64; 3] {
        match vertex {
            Vertex::Cut(i) => self.cut_point(i),
            Vertex::Lattice(id) => match self.warped.binary_search_by_key(&id, |w| w.0) {
                Ok(at) => self.warped[at].1,
                Err(_) => self.bcc.place(id),
            },
        }
    }

    fn mesh(&self) -> Mesh {
        let cut = |a: u32, b: u32| {
            let found = self.edges.binary_search_by_key(&(a, b), |e| (e.inside, e.outside));
            Vertex::Cut(found.expect("an edge from inside to outside") as u32)
        };
        let squared = |[a, b]: [Vertex; 2]| {
            let apart = sub(self.place(a), self.place(b));
            dot(apart, apart)
        };
        let shorter = |a, b| squared(a) <= squared(b);
        let mut cells: Vec<[Vertex; 4]> = vec![];
        for id in (0..self.sides.len() as u32).step_by(2) {
            for tet in self.bcc.tets(id).iter().flatten() {
                let corners = tet.map(|v| (v, self.sides[v as usize]));
                if corners.iter().any(|c| c.1 == Side::Inside) {
                    fill(corners, cut, shorter, |tet| cells.push(tet));
                }
            }
        }
        let mut vertices: Vec<Vertex> = cells.as_flattened().to_vec();
        vertices.sort_unstable();
        vertices.dedup();
        let number = |v: Vertex| vertices.partition_point(|&u| u < v) as u32;
        let points: Vec<[f64; 3]> = vertices.iter().map(|&v| self.place(v)).collect();
        let tets = cells.iter().map(|cell| generate::oriented(&points, cell.map(number))).collect();
        Mesh { points, tets, ..Mesh::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{quality, surface};
    use elements::math::random::SplitMix64;

    /// A random shape: points inside with probability `fill`, cut points anywhere in `range` of the edges. With it, the
    /// places of all points inside.
    fn random(seed: u64, fill: f64, range: [f64; 2]) -> (Mesh, Vec<[f64; 3]>) {
        let mut random = SplitMix64::new(seed);
        let bcc = Bcc::around([[0.0; 3], [4.0, 5.0, 3.0]], 1.0);
        let inside: Vec<bool> =
            (0..bcc.points() as u32).map(|id| random.uniform() < fill && !bcc.on_border(id)).collect();
        let mesh = stuff(&bcc, &inside, |a, b| {
            let part = SplitMix64::new(seed ^ (u64::from(a) << 32 | u64::from(b))).uniform();
            // The numbers are moved to the ends of the range, where the worst angles are.
            let part = 0.5 - 0.5 * (std::f64::consts::PI * part).cos();
            range[0] + (range[1] - range[0]) * part
        });
        let inner = (0..bcc.points() as u32).filter(|&id| inside[id as usize]).map(|id| bcc.place(id));
        (mesh, inner.collect())
    }

    #[test]
    fn any_signs_and_any_cut_points_give_tets_of_the_promised_angles() {
        let (mut least, mut most, mut largest) = (180.0f64, 0.0f64, 0.0f64);
        for seed in 0..400 {
            let fill = [0.15, 0.3, 0.5, 0.7, 0.9][seed as usize % 5];
            let range = [[0.0, 1.0], [0.2, 0.8], [0.2, 0.45], [0.4, 0.8]][seed as usize % 4];
            let (mesh, _) = random(seed, fill, range);
            let shape = quality::measure(&mesh.points, &mesh.tets);
            assert_eq!((shape.inverted, shape.degenerate), (0, 0));
            (least, most) = (least.min(shape.min_dihedral_deg), most.max(shape.max_dihedral_deg));
            let volumes = mesh.tets.iter().map(|&t| 12.0 * quality::volume(&mesh.points, t));
            largest = volumes.fold(largest, f64::max);
        }
        println!("dihedral angles from {least:.2} to {most:.2} degrees, largest tet {largest:.3}");
        assert!(least > 9.5 && most < 164.8, "{least} to {most}");
        assert!(largest < LARGEST, "{largest}");
    }

    #[test]
    fn neighbours_are_split_alike_so_that_no_inner_point_is_on_the_boundary() {
        let mut met = 0;
        for seed in 0..40 {
            let (mesh, inner) = random(seed, [0.3, 0.6, 0.85][seed as usize % 3], [0.05, 0.95]);
            let on_boundary: Vec<[f64; 3]> =
                surface::extract(&mesh.tets).vertices.iter().map(|&v| mesh.points[v as usize]).collect();
            for p in inner.iter().filter(|p| mesh.points.contains(p)) {
                assert!(!on_boundary.contains(p), "seed {seed}: {p:?}");
                met += 1;
            }
        }
        assert!(met > 500, "{met} points that were not warped");
    }
}
