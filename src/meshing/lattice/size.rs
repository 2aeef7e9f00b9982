//! The volume that a surface encloses, and the spacing of the lattice that suits it.
//!
//! If the winding number of a closed surface is 0 or 1 everywhere, its volume is given by the divergence theorem. For
//! other surfaces it is the volume where w > ½, by the midpoint rule on a grid.

use super::bcc::Bcc;
use super::field::Field;
use crate::mesh::{Mesh, surface};
use crate::meshing::Refusal;
use elements::math::vec3::{norm, sub};
use elements::par;

/// The largest number of tets that are tried, and of points of the lattice: about 2 GB.
const MOST_CELLS: f64 = 2e7;
const MOST_POINTS: f64 = 2e8;

/// The number of tets per area of the surface, in units of the squared spacing, in addition to those that the volume
/// gives; measured on a ball.
const CELLS_PER_AREA: f64 = 2.0;

/// An open surface is no body if w is above ¾ in less than this part of what it encloses, and if that is thinner, in the
/// mean, than this part of the surface's size √A: blades of grass, shards.
const CERTAIN: f64 = 0.25;
const SHAM: f64 = 0.02;

/// The number of points at which the winding number is sampled for the volume.
const SAMPLES: f64 = 1e5;

/// Volumes below this part of the area to the power 3/2 are rounding errors.
const FLAT: f64 = 1e-9;

/// The size of a surface, measured before it is meshed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::meshing) struct Solid {
    /// The volume where w > ½.
    pub volume: f64,
    /// The area of all triangles.
    pub area: f64,
    /// True if the surface is closed and w is 0 or 1 everywhere.
    pub is_whole: bool,
}

impl Solid {
    /// Measures a surface; refuses one that encloses nothing.
    pub(in crate::meshing) fn of(surface: &Mesh, field: &Field) -> Result<Solid, Refusal> {
        let areas = surface.triangles.iter().map(|&t| norm(surface::area_vector(&surface.points, t)));
        let area: f64 = areas.sum();
        let bounds = field.bounds();
        let refuse = |reason: &str, hint: &str| Err(Refusal { reason: reason.into(), hint: hint.into() });
        if area == 0.0 || sub(bounds[1], bounds[0]).contains(&0.0) {
            return refuse(
                "it is flat and encloses nothing",
                "simulate it as a sheet, or give it a thickness",
            );
        }
        let signed = surface::enclosed_volume(&surface.points, &surface.triangles);
        let Sample { volume: sampled, is_whole, certain } = sample(field);
        let topology = surface::topology(&surface.triangles);
        let closed = topology.closed() && topology.inconsistent_edges == 0;
        let is_whole = closed && is_whole;
        let volume = if is_whole { signed } else { sampled };
        let least = FLAT * area.powf(1.5);
        let is_loose = !closed && certain < CERTAIN && 2.0 * volume < SHAM * area.powf(1.5);
        if volume > least && is_loose {
            return refuse(
                "its parts are open and lie loosely beside each other: next to nothing is between them",
                "simulate it as a sheet, or give each part a thickness",
            );
        }
        if volume > least {
            return Ok(Solid { volume, area, is_whole });
        }
        if closed && signed < -least {
            let hint = "turn its triangles round, which the repair does";
            return refuse("it encloses nothing: its normals point inward", hint);
        }
        refuse(
            "it encloses nothing: the winding number is above one half nowhere",
            "close its holes and orient its triangles, or simulate it as a sheet",
        )
    }

    /// The spacing that gives about this many tets: `12 V/h³ + c A/h²` of them.
    pub(super) fn spacing(&self, cells: f64) -> f64 {
        let count = |h: f64| 12.0 * self.volume / h.powi(3) + CELLS_PER_AREA * self.area / (h * h);
        let mut low = (12.0 * self.volume / cells).cbrt();
        let mut high = 2.0 * low.max((CELLS_PER_AREA * self.area / cells).sqrt());
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            *(if count(middle) > cells { &mut low } else { &mut high }) = middle;
        }
        high
    }

    /// Refuses a body that is mostly lost at a spacing, and tells how many tets walls of the mean
    /// thickness 2 V/A would take.
    pub(super) fn too_thin(&self, spacing: f64) -> Refusal {
        let wall = 2.0 * self.volume / self.area;
        // The walls should be two cubes thick.
        let cells = 12.0 * self.volume / (0.5 * wall).powi(3);
        let hint = if cells <= MOST_CELLS {
            format!("its walls are about {wall:.3e} thick: {cells:.0} cells would fill them")
        } else {
            format!("its walls of about {wall:.3e} are too thin for a lattice: simulate it as a sheet")
        };
        Refusal { reason: format!("most of it is thinner than a cell of {spacing:.3e}"), hint }
    }

    /// Refuses a lattice that would not fit into memory.
    pub(super) fn check_memory(&self, field: &Field, spacing: f64) -> Result<(), Refusal> {
        let cells = 12.0 * self.volume / spacing.powi(3);
        let points = Bcc::count(field.bounds(), spacing);
        if cells <= MOST_CELLS && points <= MOST_POINTS {
            return Ok(());
        }
        Err(Refusal {
            reason: format!(
                "a lattice of spacing {spacing:.3e} has {points:.1e} points in the surface's box and {cells:.1e} \
                 tets, more than {MOST_POINTS:.0e} or {MOST_CELLS:.0e}"
            ),
            hint: "ask for fewer cells, or for larger ones".into(),
        })
    }
}

/// What a grid of points tells of the inside.
struct Sample {
    /// The volume where w > ½.
    volume: f64,
    /// True if w is 0 or 1 everywhere.
    is_whole: bool,
    /// The part of that volume where w > ¾.
    certain: f64,
}

fn sample(field: &Field) -> Sample {
    let bounds = field.bounds();
    let sides = sub(bounds[1], bounds[0]);
    let step = (sides.iter().product::<f64>() / SAMPLES).cbrt();
    let size = sides.map(|side| (side / step).ceil().clamp(1.0, SAMPLES) as usize);
    let rows = par::map(size[1] * size[2], |row| {
        let (mut inside, mut certain, mut whole) = (0u32, 0u32, true);
        for x in 0..size[0] {
            let at = [x, row % size[1], row / size[1]];
            let place = |i: usize| bounds[0][i] + sides[i] * (at[i] as f64 + 0.5) / size[i] as f64;
            let w = field.winding().at(std::array::from_fn(place));
            inside += u32::from(w > 0.5);
            certain += u32::from(w > 0.75);
            whole &= w.abs() < 0.1 || (w - 1.0).abs() < 0.1;
        }
        (inside, certain, whole)
    });
    let inside: f64 = rows.iter().map(|row| f64::from(row.0)).sum();
    let certain: f64 = rows.iter().map(|row| f64::from(row.1)).sum();
    let cell: f64 = (0..3).map(|i| sides[i] / size[i] as f64).product();
    Sample {
        volume: inside * cell,
        is_whole: rows.iter().all(|row| row.2),
        certain: certain / inside.max(1.0),
    }
}
