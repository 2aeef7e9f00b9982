//! Parts of the surface that the tets do not reach, because the lattice is too coarse for them.
//!
//! The surface is sampled at points that are at most a spacing apart. A point is lost if it is farther than half a
//! spacing from the boundary of the tets and separates inside from outside. Triangles within the body separate
//! nothing and are not missed.

use super::field::Field;
use crate::mesh::tree::{Bounds, EMPTY, Tree, merge};
use crate::mesh::{Mesh, surface};
use elements::math::vec3::{add, norm, scale};
use elements::par;

/// The largest number of samples along the side of a triangle.
const MOST_SAMPLES: f64 = 16.0;

/// Lost parts below this part of the whole surface are not reported, unless half of a shell is gone.
const TELL: f64 = 1e-3;

/// The largest number of shells that are named.
const NAMED: usize = 5;

/// The lost part of one shell of the surface.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lost {
    /// The shell's number, from 0.
    pub shell: u32,
    /// The lost area relative to the shell's area.
    pub part: f64,
    /// The lost area relative to that of the whole surface.
    pub of_all: f64,
    /// The box around the lost part.
    pub bounds: Bounds,
}

/// The shells that lost a part, by their numbers. `shells` has the shell of each triangle of `surface`.
pub(super) fn lost(surface: &Mesh, shells: &[u32], field: &Field, tets: &Mesh, spacing: f64) -> Vec<Lost> {
    let boundary = Tree::new(&tets.points, &surface::boundary(&tets.tets));
    let missing = |point: [f64; 3], normal: [f64; 3]| {
        let distance = boundary.nearest(point).map_or(f64::INFINITY, |n| n.distance_squared.sqrt());
        distance > 0.5 * spacing && {
            let [below, above] = field.sides(point, normal, spacing);
            below != above
        }
    };
    let found = par::map(surface.triangles.len(), |t| {
        let area = surface::area_vector(&surface.points, surface.triangles[t]);
        let normal = scale(1.0 / norm(area), area);
        let corners = surface.triangles[t].map(|v| surface.points[v as usize]);
        let (mut gone, mut count, mut bounds) = (0, 0, EMPTY);
        for point in samples(corners, spacing) {
            count += 1;
            if normal.iter().all(|x| x.is_finite()) && missing(point, normal) {
                gone += 1;
                bounds = merge(bounds, [point, point]);
            }
        }
        (norm(area), norm(area) * f64::from(gone) / f64::from(count), bounds)
    });
    let count = shells.iter().max().map_or(0, |&last| last as usize + 1);
    let mut sums = vec![(0.0, 0.0, EMPTY); count];
    for (&shell, (area, gone, bounds)) in shells.iter().zip(found) {
        let sum: &mut (f64, f64, Bounds) = &mut sums[shell as usize];
        *sum = (sum.0 + area, sum.1 + gone, merge(sum.2, bounds));
    }
    let all: f64 = sums.iter().map(|s| s.0).sum();
    let lost = sums.into_iter().zip(0..).filter(|(s, _)| s.1 > 0.0);
    lost.map(|((area, gone, bounds), shell)| Lost { shell, part: gone / area, of_all: gone / all, bounds })
        .collect()
}

/// The warnings about lost parts of a body with so many tets.
pub(super) fn tell(lost: &[Lost], cells: usize, spacing: f64) -> Vec<String> {
    let mut told: Vec<&Lost> = lost.iter().filter(|l| l.of_all > TELL || l.part > 0.5).collect();
    told.sort_by(|a, b| b.of_all.total_cmp(&a.of_all));
    let list = |p: [f64; 3]| p.map(|x| format!("{x:.3e}")).join(", ");
    let sentence = |l: &&Lost| {
        format!(
            "{:.2}% of the surface got lost, thinner than a cell of {spacing:.3e}: {:.1}% of shell {}, in the box \
             [{}] to [{}]; {} cells would keep it",
            100.0 * l.of_all,
            100.0 * l.part,
            l.shell,
            list(l.bounds[0]),
            list(l.bounds[1]),
            4 * cells
        )
    };
    let mut out: Vec<String> = told.iter().take(NAMED).map(sentence).collect();
    if told.len() > NAMED {
        out.push(format!("{} more shells got lost in part", told.len() - NAMED));
    }
    out
}

/// The centroids of the n² equal pieces of a triangle, with sides of about the spacing.
fn samples(corners: [[f64; 3]; 3], spacing: f64) -> impl Iterator<Item = [f64; 3]> {
    let [a, b, c] = corners;
    let side = |p: [f64; 3], q: [f64; 3]| norm(std::array::from_fn(|i| p[i] - q[i]));
    let longest = side(a, b).max(side(b, c)).max(side(c, a));
    let n = (longest / spacing).ceil().clamp(1.0, MOST_SAMPLES) as usize;
    let at = move |u: f64, v: f64| {
        let (u, v) = (u / n as f64, v / n as f64);
        add(scale(1.0 - u - v, a), add(scale(u, b), scale(v, c)))
    };
    (0..n).flat_map(move |i| {
        let upward = (0..n - i).map(move |j| at(i as f64 + 1.0 / 3.0, j as f64 + 1.0 / 3.0));
        let downward =
            (0..(n - i).saturating_sub(1)).map(move |j| at(i as f64 + 2.0 / 3.0, j as f64 + 2.0 / 3.0));
        upward.chain(downward)
    })
}
