//! The body-centred cubic lattice and its tets.
//!
//! The lattice consists of two cubic grids of the same spacing, one at the centres of the other. A tet has an edge of
//! either grid (a *long* edge, of one spacing) and four *short* ones between the grids (√3/2 of it). All tets have the
//! same shape, with dihedral angles of 60° and 90°, and 1/12 of the volume of a cube; 24 of them meet in every point.

use crate::mesh::tree::Bounds;
use elements::math::vec3::{dot, sub};

/// How many cubes are left free on every side of the surface.
const MARGIN: f64 = 2.0;

/// The part of a lattice that covers a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bcc {
    origin: [f64; 3],
    /// The edge length of the cubes.
    spacing: f64,
    /// The number of points of either grid along each axis.
    size: [usize; 3],
}

/// A tet of the lattice: two corners of the first grid and two of the second, positively oriented.
pub(super) type LatticeTet = [u32; 4];

impl Bcc {
    /// A lattice around a box, which is in its centre. Points on the lattice's border are outside of the box.
    pub(super) fn around(bounds: Bounds, spacing: f64) -> Bcc {
        let sides: [f64; 3] = std::array::from_fn(|i| bounds[1][i] - bounds[0][i]);
        let cubes = sides.map(|side| (side / spacing).ceil() + 2.0 * MARGIN);
        Bcc {
            origin: std::array::from_fn(|i| bounds[0][i] + 0.5 * (sides[i] - cubes[i] * spacing)),
            spacing,
            size: cubes.map(|n| n as usize + 1),
        }
    }

    /// The number of points of the lattice around a box, as a floating-point number, which cannot overflow.
    pub(super) fn count(bounds: Bounds, spacing: f64) -> f64 {
        2.0 * (0..3)
            .map(|i| ((bounds[1][i] - bounds[0][i]) / spacing).ceil() + 2.0 * MARGIN + 1.0)
            .product::<f64>()
    }

    /// The number of points.
    pub(super) fn points(&self) -> usize {
        2 * self.size.iter().product::<usize>()
    }

    /// The edge length of the cubes.
    pub(super) fn spacing(&self) -> f64 {
        self.spacing
    }

    /// The number of points of either grid along each axis.
    pub(super) fn size(&self) -> [usize; 3] {
        self.size
    }

    /// The points whose coordinates in their grid are from `low` to below `high`.
    pub(super) fn range(&self, low: [usize; 3], high: [usize; 3]) -> impl Iterator<Item = u32> {
        let all = move |i: usize| low[i]..high[i];
        all(2).flat_map(move |z| {
            all(1).flat_map(move |y| all(0).flat_map(move |x| [0, 1].map(|grid| self.join(grid, [x, y, z]))))
        })
    }

    /// The box around the points of [`Self::range`].
    pub(super) fn box_of(&self, low: [usize; 3], high: [usize; 3]) -> Bounds {
        let at = |i: usize, coordinate: f64| self.origin[i] + self.spacing * coordinate;
        [std::array::from_fn(|i| at(i, low[i] as f64)), std::array::from_fn(|i| at(i, high[i] as f64 - 0.5))]
    }

    /// The point that is nearest to a place in the lattice's box.
    pub(super) fn nearest(&self, place: [f64; 3]) -> u32 {
        let candidate = |grid: usize| {
            let shift = 0.5 * grid as f64;
            let at: [usize; 3] = std::array::from_fn(|i| {
                let coordinate = ((place[i] - self.origin[i]) / self.spacing - shift).round();
                coordinate.clamp(0.0, (self.size[i] - 1) as f64) as usize
            });
            let id = self.join(grid, at);
            let apart = sub(self.place(id), place);
            (dot(apart, apart), id)
        };
        let [first, second] = [candidate(0), candidate(1)];
        if second.0 < first.0 { second.1 } else { first.1 }
    }

    /// True if all neighbours of a point, and all tets around it, are in the lattice.
    pub(super) fn is_surrounded(&self, id: u32) -> bool {
        let (_, at) = self.split(id);
        (0..3).all(|i| at[i] >= 1 && at[i] + 2 < self.size[i])
    }

    /// The position of a point.
    pub(super) fn place(&self, id: u32) -> [f64; 3] {
        let (grid, at) = self.split(id);
        let shift = 0.5 * grid as f64;
        std::array::from_fn(|i| self.origin[i] + self.spacing * (at[i] as f64 + shift))
    }

    /// True if the point is on the border, and so not surrounded by tets.
    pub(super) fn on_border(&self, id: u32) -> bool {
        let (_, at) = self.split(id);
        (0..3).any(|i| at[i] < 2 || at[i] + 2 >= self.size[i])
    }

    /// True if the edge between two neighbours is a long one.
    pub(super) fn is_long(a: u32, b: u32) -> bool {
        a % 2 == b % 2
    }

    /// Length of the edge between two neighbours.
    pub(super) fn length(&self, a: u32, b: u32) -> f64 {
        if Self::is_long(a, b) { self.spacing } else { self.spacing * 0.75f64.sqrt() }
    }

    /// The 14 neighbours of a point that is not on the border, ascending.
    pub(super) fn neighbours(&self, id: u32) -> [u32; 14] {
        let (grid, at) = self.split(id);
        let mut out = [0; 14];
        for (axis, pair) in out[..6].chunks_mut(2).enumerate() {
            let (mut low, mut high) = (at, at);
            low[axis] -= 1;
            high[axis] += 1;
            pair.copy_from_slice(&[self.join(grid, low), self.join(grid, high)]);
        }
        for (corner, slot) in out[6..].iter_mut().enumerate() {
            // The second grid is half a spacing up: neighbours there begin one below the point, those in the
            // first grid one above.
            let shifted = std::array::from_fn(|i| at[i] + (corner >> i & 1) + grid - 1);
            *slot = self.join(1 - grid, shifted);
        }
        out.sort_unstable();
        out
    }

    /// The twelve tets around the long edges that lead upward from a point of the first grid; `None`
    /// where the lattice ends.
    pub(super) fn tets(&self, id: u32) -> Option<[LatticeTet; 12]> {
        let (grid, at) = self.split(id);
        if grid == 1 || (0..3).any(|i| at[i] == 0 || at[i] + 1 == self.size[i]) {
            return None;
        }
        let mut out = [[0; 4]; 12];
        for (axis, four) in out.chunks_mut(4).enumerate() {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let mut end = at;
            end[axis] += 1;
            // The centres of the four cubes around the edge, counterclockwise about it.
            let ring = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[du, dv]| {
                let mut centre = at;
                centre[u] -= du;
                centre[v] -= dv;
                self.join(1, centre)
            });
            for (k, tet) in four.iter_mut().enumerate() {
                *tet = [id, self.join(0, end), ring[k], ring[(k + 1) % 4]];
            }
        }
        Some(out)
    }

    /// The grid, 0 or 1, and the coordinates of a point in it.
    fn split(&self, id: u32) -> (usize, [usize; 3]) {
        let (grid, rest) = (id as usize % 2, id as usize / 2);
        let row = rest / self.size[0];
        (grid, [rest % self.size[0], row % self.size[1], row / self.size[1]])
    }

    fn join(&self, grid: usize, at: [usize; 3]) -> u32 {
        (2 * (at[0] + self.size[0] * (at[1] + self.size[1] * at[2])) + grid) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{quality, surface};
    use elements::math::vec3::{norm, sub};

    fn small() -> Bcc {
        Bcc::around([[0.0; 3], [1.0, 2.0, 0.5]], 0.5)
    }

    #[test]
    fn tets_conform_fill_space_and_have_one_shape() {
        let bcc = small();
        let points: Vec<[f64; 3]> = (0..bcc.points() as u32).map(|id| bcc.place(id)).collect();
        let tets: Vec<LatticeTet> =
            (0..bcc.points() as u32).filter_map(|id| bcc.tets(id)).flatten().collect();
        let shape = quality::measure(&points, &tets);
        assert_eq!((shape.inverted, shape.degenerate), (0, 0));
        assert!(
            (shape.min_dihedral_deg - 60.0).abs() < 1e-10 && (shape.max_dihedral_deg - 90.0).abs() < 1e-10
        );
        for &tet in &tets {
            assert!((quality::volume(&points, tet) - 0.125 / 12.0).abs() < 1e-15);
        }
        let boundary = surface::boundary(&tets);
        let inside = surface::enclosed_volume(&points, &boundary);
        assert!((inside - shape.volume).abs() < 1e-12, "the faces between tets cancel");
        assert!(surface::topology(&boundary).closed());
        let box_is_covered = boundary.iter().flatten().all(|&v| {
            let p = points[v as usize];
            (0..3).any(|i| p[i] < 0.0 || p[i] > [1.0, 2.0, 0.5][i])
        });
        assert!(box_is_covered);
    }

    #[test]
    fn neighbours_are_mutual_and_at_the_lengths_of_edges() {
        let bcc = small();
        assert_eq!(bcc.points() as f64, Bcc::count([[0.0; 3], [1.0, 2.0, 0.5]], 0.5));
        for id in (0..bcc.points() as u32).filter(|&id| !bcc.on_border(id)) {
            let neighbours = bcc.neighbours(id);
            for n in neighbours {
                let apart = norm(sub(bcc.place(id), bcc.place(n)));
                assert!((apart - bcc.length(id, n)).abs() < 1e-14);
                assert!(bcc.on_border(n) || bcc.neighbours(n).contains(&id));
            }
            assert!(neighbours.windows(2).all(|w| w[0] < w[1]));
        }
    }
}
