//! Quadratic tets for admm, xpbd and vbd: what the points of an element can do, all of them together.

use super::rule::{CORNERS, Drop};
use super::{Lifted, NODES, Part, corners, with_room};
use crate::energy::constraint::{Compliant, Constraints, Corners, Form};
use crate::energy::packing::count_blocks;
use crate::energy::proximal::{Proximal, Row, Splitting};
use crate::energy::vertex::{Expansion, Memory, Points, Star, Vertexwise, take};
use crate::math::lanes::{MOST_BLOCKS, Vec4, WIDTH, dispatch};

/// Room for the z of the blocks that are computed at once.
const ROWS: usize = 9 * MOST_BLOCKS;

impl Part {
    /// The inner blocks that belong to so many blocks of elements from `block` on.
    fn blocks(&self, block: usize, count: usize) -> std::ops::Range<usize> {
        let (points, all) = (self.rule.points(), count_blocks(self.inner.len()));
        (points * block).min(all)..(points * (block + count)).min(all)
    }

    fn split(&self) -> &dyn Proximal {
        self.inner.proximal().expect("asked for only where all parts have it")
    }

    /// How many rows the z of a block of elements has in this part.
    fn rows(&self) -> usize {
        self.rule.points() * self.split().reduced()
    }
}

impl Lifted {
    /// Writes the virtual corners of the elements of some blocks where their points have them.
    fn lift_blocks(&self, part: &Part, block: usize, count: usize, x: &[Vec4], places: &mut [Vec4]) {
        let len = self.nodes.len();
        let elements = (WIDTH * block).min(len)..(WIDTH * (block + count)).min(len);
        let first = corners(part.rule.points() * elements.start)[0] as usize;
        self.lift(part.rule, elements, x, &mut places[first..]);
    }
}

/// Blocks of elements have the z of their parts one after the other, and in each part those of its inner blocks.
impl Proximal for Lifted {
    fn reduced(&self) -> usize {
        self.parts.iter().map(Part::rows).sum()
    }

    fn is_hard(&self) -> bool {
        self.parts[0].split().is_hard()
    }

    /// The weight of the points of the first part.
    fn weight(&self, element: usize) -> f64 {
        let part = &self.parts[0];
        (0..part.rule.points()).map(|q| part.split().weight(part.rule.points() * element + q)).sum()
    }

    fn reduce(&self, block: usize, x: &[Vec4], z: &mut [Row]) {
        let mut rest = z;
        for part in &self.parts {
            let own;
            (own, rest) = rest.split_at_mut(part.rows());
            with_room(|[places, ..]| {
                self.lift_blocks(part, block, 1, x, places);
                for (inner, z) in part.blocks(block, 1).zip(own.chunks_exact_mut(part.split().reduced())) {
                    part.split().reduce(inner, places, z);
                }
            });
        }
    }

    fn pull_back(&self, block: usize, z: &[Row], slots: &mut [Vec4]) {
        slots.fill(Vec4::ZERO);
        let mut rest = z;
        for part in &self.parts {
            let own;
            (own, rest) = rest.split_at(part.rows());
            with_room(|[_, _, forces]| {
                let forces = &mut forces[..CORNERS * WIDTH * part.rule.points()];
                let blocks = part.blocks(block, 1).zip(own.chunks_exact(part.split().reduced()));
                for ((inner, z), slots) in blocks.zip(forces.chunks_exact_mut(CORNERS * WIDTH)) {
                    part.split().pull_back(inner, z, slots);
                }
                dispatch(Drop { rule: part.rule, forces, slots });
            });
        }
    }

    fn prox(&self, block: usize, ratio: f64, z: &mut [Row]) {
        let mut rest = z;
        for part in &self.parts {
            let own;
            (own, rest) = rest.split_at_mut(part.rows());
            for (inner, z) in part.blocks(block, 1).zip(own.chunks_exact_mut(part.split().reduced())) {
                part.split().prox(inner, ratio, z);
            }
        }
    }

    fn local_step(
        &self,
        first: usize,
        x: &[Vec4],
        splitting: Splitting,
        (z, u): (&mut [Row], &mut [Row]),
        slots: &mut [Vec4],
    ) -> [Row; 2] {
        slots.fill(Vec4::ZERO);
        let (rows, mut sums) = (self.reduced(), [[0.0; WIDTH]; 2]);
        let at_once = rows * MOST_BLOCKS;
        let all = z.chunks_exact_mut(at_once).zip(u.chunks_exact_mut(at_once));
        for ((block, (z, u)), slots) in
            (first..).step_by(MOST_BLOCKS).zip(all).zip(slots.chunks_mut(NODES * WIDTH * MOST_BLOCKS))
        {
            let mut before = 0;
            for part in &self.parts {
                let own = self.step_part(part, block, x, splitting, (z, u, before), slots);
                for (sum, own) in sums.as_flattened_mut().iter_mut().zip(own.as_flattened()) {
                    *sum += own;
                }
                before += part.rows();
            }
        }
        sums
    }
}

impl Lifted {
    /// The local step of one part in [`MOST_BLOCKS`] blocks. Its z and u stand `before` rows behind the start of each block.
    fn step_part(
        &self,
        part: &Part,
        block: usize,
        x: &[Vec4],
        splitting: Splitting,
        (z, u, before): (&mut [Row], &mut [Row], usize),
        slots: &mut [Vec4],
    ) -> [Row; 2] {
        let (rows, all) = (part.rows(), self.reduced());
        let (mut own_z, mut own_u) = ([[0.0; WIDTH]; 4 * ROWS], [[0.0; WIDTH]; 4 * ROWS]);
        let blocks = part.blocks(block, MOST_BLOCKS);
        let place = |n: usize| (all * n + before..all * n + before + rows, rows * n..rows * (n + 1));
        for (outer, inner) in (0..MOST_BLOCKS).map(place) {
            own_z[inner.clone()].copy_from_slice(&z[outer.clone()]);
            own_u[inner].copy_from_slice(&u[outer]);
        }
        let length = part.split().reduced() * blocks.len();
        let sums = with_room(|[places, _, forces]| {
            self.lift_blocks(part, block, MOST_BLOCKS, x, places);
            let forces = &mut forces[..CORNERS * WIDTH * MOST_BLOCKS * part.rule.points()];
            let own = (&mut own_z[..length], &mut own_u[..length]);
            let sums = part.split().local_step(blocks.start, places, splitting, own, forces);
            dispatch(Drop { rule: part.rule, forces, slots });
            sums
        });
        for (outer, inner) in (0..MOST_BLOCKS).map(place) {
            z[outer.clone()].copy_from_slice(&own_z[inner.clone()]);
            u[outer].copy_from_slice(&own_u[inner]);
        }
        sums
    }
}

/// The virtual corners of a point in four elements with nodes at `x`.
fn virtual_corners(shares: &[[f64; NODES]; CORNERS], x: &Corners) -> Corners {
    let mut out = [[[0.0; WIDTH]; 3]; NODES];
    for (out, shares) in out.iter_mut().zip(shares) {
        for (share, x) in shares.iter().zip(x).filter(|(share, _)| **share != 0.0) {
            for (out, x) in out.as_flattened_mut().iter_mut().zip(x.as_flattened()) {
                *out += share * x;
            }
        }
    }
    out
}

impl Part {
    fn compliant(&self) -> &dyn Compliant {
        self.inner.compliant().expect("asked for only where all parts have it")
    }
}

/// Each point has its own constraints, in the order of parts and points.
impl Compliant for Lifted {
    fn constraints(&self, form: Form) -> usize {
        let of = |part: &Part| part.rule.points() * part.compliant().constraints(form);
        if self.parts.iter().any(|part| of(part) == 0) { 0 } else { self.parts.iter().map(of).sum() }
    }

    fn constrain(
        &self,
        form: Form,
        index: usize,
        elements: &[u32; WIDTH],
        x: &Corners,
        out: &mut Constraints,
    ) {
        let mut index = index;
        for part in &self.parts {
            let (points, each) = (part.rule.points(), part.compliant().constraints(form));
            if index >= points * each {
                index -= points * each;
                continue;
            }
            let (point, shares) = (index / each, part.rule.shares(index / each));
            let numbers = elements.map(|e| (points as u32) * e + point as u32);
            part.compliant().constrain(form, index % each, &numbers, &virtual_corners(&shares, x), out);
            let own = out.gradient;
            for n in 0..NODES {
                out.gradient[n] = [[0.0; WIDTH]; 3];
                for c in (0..CORNERS).filter(|c| shares[*c][n] != 0.0) {
                    let sums = out.gradient[n].as_flattened_mut().iter_mut();
                    sums.zip(own[c].as_flattened()).for_each(|(sum, g)| *sum += shares[c][n] * g);
                }
            }
            return;
        }
    }
}

/// Numbers that are kept of a point: its virtual corners.
const KEPT: usize = 3 * CORNERS;

impl Lifted {
    /// The nodes of the elements of a row of a star, with its vertices at `at`, and which nodes the vertices are.
    fn row(&self, row: &[u32; WIDTH], x: &[Vec4], at: &Points) -> (Corners, [usize; WIDTH]) {
        let own = row.map(|slot| slot as usize % NODES);
        let mut places = [[[0.0; WIDTH]; 3]; NODES];
        for lane in 0..WIDTH {
            for (n, v) in self.nodes[row[lane] as usize / NODES].iter().enumerate() {
                for k in 0..3 {
                    places[n][k][lane] = if n == own[lane] { at[k][lane] } else { x[*v as usize].0[k] };
                }
            }
        }
        (places, own)
    }

    /// Calls `f(part, points, shares)` for all points of the elements of a row, where `shares` tells by how much the node of
    /// each lane moves each virtual corner.
    fn each_of_row(
        &self,
        row: &[u32; WIDTH],
        own: [usize; WIDTH],
        mut f: impl FnMut(&Part, &[u32; WIDTH], &[[f64; NODES]; CORNERS], &[Row; CORNERS]),
    ) {
        for part in &self.parts {
            let points = part.rule.points();
            for point in 0..points {
                let shares = part.rule.shares(point);
                let moved: [Row; CORNERS] = std::array::from_fn(|c| own.map(|n| shares[c][n]));
                let numbers = row.map(|slot| (slot / NODES as u32) * points as u32 + point as u32);
                f(part, &numbers, &shares, &moved);
            }
        }
    }
}

impl Vertexwise for Lifted {
    fn vertex_block(&self, star: &Star, x: &[Vec4], at: &Points, memory: &mut Memory, out: &mut Expansion) {
        for (n, row) in star.rows.iter().enumerate() {
            let (places, own) = self.row(row, x, at);
            self.each_of_row(row, own, |part, numbers, shares, moved| {
                let corners = virtual_corners(shares, &places);
                memory.extend(corners[..CORNERS].as_flattened());
                let expanding = part.inner.expanding().expect("asked for only where all parts have it");
                let mut own = Expansion::default();
                expanding.expand(numbers, &corners, moved, &mut own);
                out.add_lanes(&own, star.counts.map(|count| n < count as usize));
            });
        }
    }

    fn vertex_energy(&self, star: &Star, shift: &Points, memory: &mut &[Row], out: &mut Row) {
        let points: usize = self.parts.iter().map(|part| part.rule.points()).sum();
        let mut kept = take(memory, KEPT * points * star.rows.len()).chunks_exact(KEPT);
        for (n, row) in star.rows.iter().enumerate() {
            let own = row.map(|slot| slot as usize % NODES);
            self.each_of_row(row, own, |part, numbers, _, moved| {
                let Some(kept) = kept.next() else { return };
                let mut corners = [[[0.0; WIDTH]; 3]; NODES];
                for (k, row) in kept.iter().enumerate() {
                    let (c, i) = (k / 3, k % 3);
                    corners[c][i] = std::array::from_fn(|lane| row[lane] + moved[c][lane] * shift[i][lane]);
                }
                let expanding = part.inner.expanding().expect("asked for only where all parts have it");
                let energies = expanding.energies(numbers, &corners);
                for lane in (0..WIDTH).filter(|lane| n < star.counts[*lane] as usize) {
                    out[lane] += energies[lane];
                }
            });
        }
    }
}
