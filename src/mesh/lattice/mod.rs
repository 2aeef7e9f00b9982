//! Tets for any surface, clean or dirty, from a lattice.
//!
//! The inside is where the generalized winding number is above ½ ([`super::winding`]); it is filled by isosurface
//! stuffing on a body-centred cubic lattice \[Labelle2007\]. The tets end on the surface, their angles do not depend on
//! it, and nothing has to be closed or free of intersections: only the normals must point outward, for which the
//! surface is repaired first. Sharp edges are rounded at the scale of the lattice and parts thinner than a cube of it
//! vanish; that is told.

mod bcc;
mod field;
mod lost;
mod parts;
mod stencil;
mod stuffing;

use self::bcc::Bcc;
use self::field::Field;
use super::tetrahedralize::{Filling, Method, Refusal, Size};
use super::tree::{Bounds, Tree};
use super::winding::Winding;
use super::{Mesh, quality, surface};
use crate::math::vec3::{norm, sub};
use crate::par;

/// The method, for the registry.
pub(super) const METHOD: Method = Method {
    name: "lattice",
    summary: "isosurface stuffing on a lattice: any surface, clean or dirty; tets of one size with good angles",
    fill,
};

/// Tets where nothing is asked for.
const DEFAULT_CELLS: f64 = 20_000.0;

/// Most tets that are tried, and most points of the lattice: about 2 GB.
const MOST_CELLS: f64 = 2e7;
const MOST_POINTS: f64 = 2e8;

/// Tets per area of the surface in units of the squared spacing, beyond those that the volume alone gives.
const CELLS_PER_AREA: f64 = 6.0;

/// The largest tet over the one of the lattice, from warps outward.
const LARGEST: f64 = 2.5;

/// Points at which the winding number is sampled for the volume.
const SAMPLES: f64 = 1e5;

/// Points of one piece of parallel work.
const CHUNK: usize = 256;

/// Parts of fewer cubes than this that are not shells of their own are dropped.
const BIT: f64 = 2.0;

/// Lost parts below this part of the whole surface are not told.
const TELL: f64 = 1e-3;

/// Shells named in a warning.
const NAMED: usize = 5;

/// What is known of the surface before it is meshed.
struct Solid {
    volume: f64,
    area: f64,
}

fn fill(surface: &Mesh, size: Size) -> Result<Filling, Refusal> {
    let field = Field::new(Winding::new(Tree::new(&surface.points, &surface.triangles)));
    let solid = measure(surface, &field)?;
    let mut spacing = match size {
        Size::Automatic => spacing_for(&solid, DEFAULT_CELLS),
        Size::Cells(cells) => spacing_for(&solid, cells as f64),
        Size::MaxVolume(volume) => (12.0 * volume / LARGEST).cbrt(),
    };
    check_memory(&solid, field.bounds(), spacing)?;
    let mut mesh = stuff(&field, spacing);
    if let Size::Cells(cells) = size {
        let ratio = mesh.tets.len() as f64 / cells as f64;
        if !(0.9..1.1).contains(&ratio) && !mesh.tets.is_empty() {
            spacing *= ratio.cbrt();
            check_memory(&solid, field.bounds(), spacing)?;
            mesh = stuff(&field, spacing);
        }
    }
    if mesh.tets.is_empty() {
        return Err(Refusal {
            reason: format!("all of it is thinner than the lattice's cubes of {spacing:.3e}"),
            hint: "ask for more cells".into(),
        });
    }
    let shells = surface::shells(&surface.triangles);
    let mut warnings = vec![];
    drop_bits(&mut mesh, &shells, &field, spacing, &mut warnings);
    let touching = parts::split_touching(&mut mesh);
    let topology = surface::topology(&surface::boundary(&mesh.tets));
    if topology.nonmanifold_edges > 0 {
        let places = topology.nonmanifold_edges;
        warnings
            .push(format!("the boundary of the tets meets itself in {places} edges: they are not manifold"));
    }
    if touching > 0 {
        tracing::debug!("{touching} vertices were doubled where the tets only touched");
    }
    warnings.extend(tell_lost(
        &lost::lost(surface, &shells, &field, &mesh, spacing),
        mesh.tets.len(),
        spacing,
    ));
    Ok(Filling { mesh, surface_volume: solid.volume, warnings })
}

/// Volume and area of the surface; refuses one that encloses nothing.
fn measure(surface: &Mesh, field: &Field) -> Result<Solid, Refusal> {
    let area: f64 = surface.triangles.iter().map(|&t| norm(surface::area_vector(&surface.points, t))).sum();
    let bounds = field.bounds();
    let sides = sub(bounds[1], bounds[0]);
    let signed = surface::enclosed_volume(&surface.points, &surface.triangles);
    let refuse = |reason: &str, hint: &str| Err(Refusal { reason: reason.into(), hint: hint.into() });
    if area == 0.0 || sides.contains(&0.0) {
        return refuse("it is flat and encloses nothing", "simulate it as a sheet, or give it a thickness");
    }
    let sampled = sample(field, bounds);
    let topology = surface::topology(&surface.triangles);
    let closed = topology.closed() && topology.inconsistent_edges == 0;
    let volume = if closed && sampled.whole { signed } else { sampled.volume };
    // Of a flat surface rounding leaves a volume; a body's is more than this part of its area to the power 3/2.
    if volume > 1e-9 * area.powf(1.5) {
        return Ok(Solid { volume, area });
    }
    if signed < -1e-9 * area.powf(1.5) {
        return refuse(
            "it encloses nothing: its normals point inward",
            "repair it, which turns the triangles round",
        );
    }
    refuse(
        "it encloses nothing: the winding number is above one half nowhere",
        "close its holes and orient its triangles, or simulate it as a sheet",
    )
}

struct Sampled {
    volume: f64,
    /// Was the winding number 0 or 1 everywhere?
    whole: bool,
}

/// The volume where w > ½, by the midpoint rule on a grid of about [`SAMPLES`] points.
fn sample(field: &Field, bounds: Bounds) -> Sampled {
    let sides = sub(bounds[1], bounds[0]);
    let step = (sides.iter().product::<f64>() / SAMPLES).cbrt();
    let size = sides.map(|side| (side / step).ceil().clamp(1.0, SAMPLES) as usize);
    let rows = par::map(size[1] * size[2], |row| {
        let (mut inside, mut whole) = (0u32, true);
        for x in 0..size[0] {
            let at = [x, row % size[1], row / size[1]];
            let place = |i: usize| bounds[0][i] + sides[i] * (at[i] as f64 + 0.5) / size[i] as f64;
            let w = field.winding().at(std::array::from_fn(place));
            inside += u32::from(w > 0.5);
            whole &= w.abs() < 0.1 || (w - 1.0).abs() < 0.1;
        }
        (inside, whole)
    });
    let inside: f64 = rows.iter().map(|r| f64::from(r.0)).sum();
    let cell: f64 = (0..3).map(|i| sides[i] / size[i] as f64).product();
    Sampled { volume: inside * cell, whole: rows.iter().all(|r| r.1) }
}

/// The spacing that gives about this many tets: `12 V/h³ + c A/h²` of them.
fn spacing_for(solid: &Solid, cells: f64) -> f64 {
    let count = |h: f64| 12.0 * solid.volume / h.powi(3) + CELLS_PER_AREA * solid.area / (h * h);
    let mut low = (12.0 * solid.volume / cells).cbrt();
    let mut high = low.max((2.0 * CELLS_PER_AREA * solid.area / cells).sqrt()) * 2.0;
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        *(if count(middle) > cells { &mut low } else { &mut high }) = middle;
    }
    high
}

fn check_memory(solid: &Solid, bounds: Bounds, spacing: f64) -> Result<(), Refusal> {
    let cells = 12.0 * solid.volume / spacing.powi(3);
    let points = Bcc::count(bounds, spacing);
    if cells <= MOST_CELLS && points <= MOST_POINTS {
        return Ok(());
    }
    Err(Refusal {
        reason: format!(
            "a spacing of {spacing:.3e} makes {cells:.2e} tets in a lattice of {points:.2e} points, more than \
             {MOST_CELLS:.0e} or {MOST_POINTS:.0e}"
        ),
        hint: "ask for fewer cells or a larger volume".into(),
    })
}

fn stuff(field: &Field, spacing: f64) -> Mesh {
    let bcc = Bcc::around(field.bounds(), spacing);
    let mut inside = vec![false; bcc.points()];
    par::chunks_mut(&mut inside, CHUNK, |chunk, slots| {
        for (slot, id) in slots.iter_mut().zip((chunk * CHUNK) as u32..) {
            *slot = !bcc.on_border(id) && field.inside(bcc.place(id));
        }
    });
    stuffing::stuff(&bcc, &inside, |a, b| field.cut(bcc.place(a), bcc.place(b)))
}

/// Drops small parts of tets that belong to a shell which a larger part stands for; tells where shells came apart.
fn drop_bits(mesh: &mut Mesh, shells: &[u32], field: &Field, spacing: f64, warnings: &mut Vec<String>) {
    let parts = parts::parts(mesh);
    if parts.len() == 1 {
        return;
    }
    let mut keep = vec![true; mesh.tets.len()];
    let mut parts_of_shell = vec![0; shells.iter().max().map_or(0, |&last| last as usize + 1)];
    for part in &parts {
        let tets: Vec<[u32; 4]> = part.tets.iter().map(|&t| mesh.tets[t as usize]).collect();
        let touched = surface::extract(&tets).vertices;
        let shell = |&v: &u32| {
            Some(shells[field.winding().tree().nearest(mesh.points[v as usize])?.triangle as usize])
        };
        let mut of: Vec<u32> = touched.iter().filter_map(shell).collect();
        of.sort_unstable();
        of.dedup();
        if part.volume < BIT * spacing.powi(3) && of.iter().all(|&s| parts_of_shell[s as usize] > 0) {
            part.tets.iter().for_each(|&t| keep[t as usize] = false);
        } else {
            of.iter().for_each(|&s| parts_of_shell[s as usize] += 1);
        }
    }
    parts::retain(mesh, &keep);
    for (count, shell) in parts_of_shell.iter().zip(0..).filter(|(count, _)| **count > 1) {
        warnings
            .push(format!("shell {shell} came apart into {count} parts; more cells may keep it together"));
    }
}

/// The warnings about lost parts.
fn tell_lost(lost: &[lost::Lost], cells: usize, spacing: f64) -> Vec<String> {
    let mut told: Vec<&lost::Lost> = lost.iter().filter(|l| l.of_all > TELL || l.part > 0.5).collect();
    told.sort_by(|a, b| b.of_all.total_cmp(&a.of_all));
    let place = |[low, high]: Bounds| {
        let list = |p: [f64; 3]| p.map(|x| format!("{x:.4}")).join(", ");
        format!("[{}] to [{}]", list(low), list(high))
    };
    let mut out: Vec<String> = told
        .iter()
        .take(NAMED)
        .map(|l| {
            format!(
                "{:.1}% of shell {} ({:.2}% of the surface), from {}, is thinner than a cell of {spacing:.3e} and was \
                 lost; more cells keep it, such as {}",
                100.0 * l.part,
                l.shell,
                100.0 * l.of_all,
                place(l.bounds),
                8 * cells
            )
        })
        .collect();
    if told.len() > NAMED {
        out.push(format!("{} more shells lost a part", told.len() - NAMED));
    }
    out
}
