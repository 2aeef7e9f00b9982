//! Tets for any surface, clean or dirty, from a lattice.
//!
//! The inside is where the generalized winding number is above ½ (see `mesh::winding`). It is filled by isosurface
//! stuffing on a body-centred cubic lattice \[Labelle2007\]. The tets end on the surface, and their angles do not
//! depend on it. The surface need not be closed or free of intersections. Only its normals must point outward, for
//! which it is repaired first. Sharp edges are rounded at the scale of the lattice, and parts thinner than a cube of it
//! vanish, which is reported.

mod bcc;
mod field;
mod lost;
mod parts;
mod size;
mod stencil;
mod stuffing;

use self::bcc::Bcc;
pub(super) use self::field::Field;
use self::lost::Lost;
pub(super) use self::size::Solid;
use super::{Filling, Method, Options, Refusal, Size};
use crate::mesh::tree::Tree;
use crate::mesh::winding::Winding;
use crate::mesh::{Mesh, quality, surface};
use elements::par;

/// The entry of the method in the registry.
pub(super) const METHOD: Method = Method {
    name: "lattice",
    summary: "isosurface stuffing on a lattice: any surface, clean or dirty; tets of one size with good angles",
    fill,
    conforms: false,
};

/// The number of tets if none is asked for. It is doubled, up to `MOST_DEFAULT_CELLS`, as long as the body loses
/// more than [`FAITHFUL`].
const DEFAULT_CELLS: f64 = 20_000.0;
const MOST_DEFAULT_CELLS: f64 = 160_000.0;

/// The part of the volume or of the surface that may get lost if no number of tets is asked for.
const FAITHFUL: f64 = 0.02;

/// If a number of tets is asked for, the spacing is corrected up to `CORRECTIONS` times while the number is missed by
/// more than `ABOUT`. A correction changes the spacing by at most `STRIDE`.
const CORRECTIONS: usize = 4;
const ABOUT: f64 = 0.1;
const STRIDE: f64 = 0.25;

/// A difference in volume above `TELL` is reported; above `MOST_LOST` nothing useful is left.
const TELL: f64 = 0.03;
const MOST_LOST: f64 = 0.5;

/// The number of points in a piece of parallel work.
const CHUNK: usize = 256;

/// A body made with one spacing, and the parts of the surface that it lost.
struct Body {
    mesh: Mesh,
    /// The shells that came apart, with the number of their parts.
    apart: Vec<(u32, usize)>,
    lost: Vec<Lost>,
}

fn fill(surface: &Mesh, options: &Options) -> Result<Filling, Refusal> {
    let size = options.size;
    let field = Field::new(Winding::new(Tree::new(&surface.points, &surface.triangles)));
    let solid = Solid::of(surface, &field)?;
    let shells = surface::shells(&surface.triangles);
    let at = |spacing: f64| {
        solid.check_memory(&field, spacing)?;
        Ok(body(surface, &shells, &field, spacing))
    };
    let mut spacing = match size {
        Size::Automatic => solid.spacing(DEFAULT_CELLS),
        Size::Cells(cells) => solid.spacing(cells as f64),
        Size::MaxVolume(volume) => (12.0 * volume / stuffing::LARGEST).cbrt(),
    };
    let mut body = at(spacing)?;
    match size {
        Size::Automatic => {
            let mut cells = DEFAULT_CELLS;
            while cells < MOST_DEFAULT_CELLS && body.loss(&solid) > FAITHFUL {
                cells *= 2.0;
                spacing = solid.spacing(cells);
                body = at(spacing)?;
            }
        }
        Size::Cells(cells) if !body.mesh.tets.is_empty() => {
            // If walls are as thin as the spacing, the number of tets is not a smooth function of it.
            let miss = |body: &Body| (body.mesh.tets.len().max(1) as f64 / cells as f64).ln();
            let mut tried = spacing;
            let mut last = miss(&body);
            for _ in 0..CORRECTIONS {
                if last.abs() <= ABOUT || miss(&body).abs() <= ABOUT {
                    break;
                }
                tried *= (last / 3.0).clamp(-STRIDE, STRIDE).exp();
                let next = at(tried)?;
                last = miss(&next);
                if last.abs() < miss(&body).abs() {
                    (body, spacing) = (next, tried);
                }
            }
        }
        Size::Cells(_) | Size::MaxVolume(_) => {}
    }
    if body.excess(&solid) < -MOST_LOST {
        return Err(solid.too_thin(spacing));
    }
    let warnings = body.warnings(&solid, spacing);
    Ok(Filling { mesh: body.mesh, surface_volume: solid.volume, warnings })
}

/// Meshes the inside and cleans up the tets.
fn body(surface: &Mesh, shells: &[u32], field: &Field, spacing: f64) -> Body {
    let bcc = Bcc::around(field.bounds(), spacing);
    let mut inside = vec![false; bcc.points()];
    par::chunks_mut(&mut inside, CHUNK, |chunk, slots| {
        for (slot, id) in slots.iter_mut().zip((chunk * CHUNK) as u32..) {
            *slot = !bcc.on_border(id) && field.inside(bcc.place(id));
        }
    });
    let mut mesh = stuffing::stuff(&bcc, &inside, |a, b| field.cut(bcc.place(a), bcc.place(b)));
    let apart = parts::drop_bits(&mut mesh, shells, field.winding().tree(), spacing);
    parts::split_touching(&mut mesh);
    let lost = lost::lost(surface, shells, field, &mesh, spacing);
    Body { mesh, apart, lost }
}

impl Body {
    /// The volume relative to that of the surface, minus 1.
    fn excess(&self, solid: &Solid) -> f64 {
        let volumes = self.mesh.tets.iter().map(|&t| quality::volume(&self.mesh.points, t));
        volumes.sum::<f64>() / solid.volume - 1.0
    }

    /// The lost part of the volume or of the surface, whichever is larger.
    fn loss(&self, solid: &Solid) -> f64 {
        let area: f64 = self.lost.iter().map(|lost| lost.of_all).sum();
        area.max(self.excess(solid).abs())
    }

    fn warnings(&self, solid: &Solid, spacing: f64) -> Vec<String> {
        let cells = self.mesh.tets.len();
        let mut out = lost::tell(&self.lost, cells, spacing);
        let excess = self.excess(solid);
        if excess.abs() > TELL {
            out.push(format!(
                "the volume differs by {:+.1}% from what the surface encloses; {} cells come closer",
                100.0 * excess,
                4 * cells
            ));
        }
        if let [(shell, count), others @ ..] = &self.apart[..] {
            let others =
                if others.is_empty() { String::new() } else { format!(", {} more too", others.len()) };
            out.push(format!(
                "shell {shell} came apart into {count} parts{others}; more cells may keep it together"
            ));
        }
        let topology = surface::topology(&surface::boundary(&self.mesh.tets));
        if !topology.manifold() {
            out.push(format!(
                "the boundary of the tets is not manifold: edges where it touches itself: {}, vertices: {}",
                topology.nonmanifold_edges, topology.nonmanifold_vertices
            ));
        }
        out
    }
}
