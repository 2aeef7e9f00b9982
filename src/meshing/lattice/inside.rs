//! Which points of a lattice are inside of a surface, without a look at every point.
//!
//! The lattice is cut into blocks. Away from the triangles the winding number is smooth,
//!
//! ```text
//! |∇w| ≤ A / (2π d³)
//! ```
//!
//! for a surface of area A whose nearest point is at the distance d, since a dipole's field r/|r|³ has a derivative of at
//! most 2/|r|³. So where w at the centre of a block is farther from ½ than that times the block's radius, all of its points
//! are on one side. If w is 0 or 1 everywhere, a block that no triangle meets is on one side in any case. Only the other
//! blocks, those near the surface, are looked at point by point.

use std::f64::consts::PI;

use super::bcc::Bcc;
use super::field::Field;
use super::size::Solid;
use elements::math::vec3::{norm, scale, sub};
use elements::par;

/// Cubes along each side of a block.
const BLOCK: usize = 4;

/// For every point of the lattice, true if it is inside of the surface. Those of the border are outside.
pub(super) fn inside(bcc: &Bcc, field: &Field, solid: &Solid) -> Vec<bool> {
    let size = bcc.size();
    let blocks = size.map(|n| n.div_ceil(BLOCK));
    let found = par::map(blocks.iter().product(), |number| {
        let block = [number % blocks[0], number / blocks[0] % blocks[1], number / (blocks[0] * blocks[1])];
        let low = block.map(|i| i * BLOCK);
        let high: [usize; 3] = std::array::from_fn(|i| (low[i] + BLOCK).min(size[i]));
        let all = side(bcc, field, solid, low, high);
        let mut ids = vec![];
        for id in bcc.range(low, high) {
            let place = bcc.place(id);
            let is_inside = || all.map_or_else(|| field.inside(place), |all| all && field.is_in_box(place));
            if !bcc.on_border(id) && is_inside() {
                ids.push(id);
            }
        }
        ids
    });
    let mut inside = vec![false; bcc.points()];
    found.into_iter().flatten().for_each(|id| inside[id as usize] = true);
    inside
}

/// True if a block is inside as a whole, false if it is outside; `None` if that is not certain.
fn side(bcc: &Bcc, field: &Field, solid: &Solid, low: [usize; 3], high: [usize; 3]) -> Option<bool> {
    let bounds = bcc.box_of(low, high);
    let centre: [f64; 3] = std::array::from_fn(|i| 0.5 * (bounds[0][i] + bounds[1][i]));
    let radius = norm(scale(0.5, sub(bounds[1], bounds[0])));
    let nearest = field.winding().tree().nearest(centre)?;
    let apart = nearest.distance_squared.sqrt() - radius;
    if apart <= 0.0 {
        return None;
    }
    let w = field.winding().at(centre);
    let change = if solid.is_whole { 0.0 } else { radius * solid.area / (2.0 * PI * apart.powi(3)) };
    // A hundredth for what is taken together in w.
    ((w - 0.5).abs() > change + 0.01).then_some(w > 0.5)
}
