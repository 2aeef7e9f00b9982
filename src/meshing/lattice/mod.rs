//! Tets for any surface, clean or dirty, from a lattice.
//!
//! The inside is where the generalized winding number is above ½ (see `mesh::winding`). It is filled by isosurface
//! stuffing on a body-centred cubic lattice \[Labelle2007\]. The tets end on the surface, and their angles do not
//! depend on it. The surface need not be closed or free of intersections. Only its normals must point outward, for
//! which it is repaired first. Sharp edges are rounded at the scale of the lattice. Parts thinner than a cube of it are
//! held by tets that are wider than they are, and so are shells that nearly touch (see `whole`).

mod bcc;
mod field;
mod inside;
mod lost;
mod parts;
mod size;
mod stencil;
mod stuffing;
mod whole;

use self::bcc::Bcc;
pub(super) use self::field::Field;
use self::lost::Lost;
pub(super) use self::size::Solid;
use self::whole::Joint;
use super::{Filling, Join, Method, Options, Refusal, Size};
use crate::mesh::tree::Tree;
use crate::mesh::winding::Winding;
use crate::mesh::{Mesh, quality, surface};

/// The entry of the method in the registry.
pub(super) const METHOD: Method = Method {
    name: "lattice",
    summary: "isosurface stuffing on a lattice: any surface, clean or dirty; tets of one size with good angles",
    fill,
    conforms: false,
    joins: true,
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

/// What is meshed.
struct Shape<'a> {
    surface: &'a Mesh,
    /// The shell of each triangle.
    shells: Vec<u32>,
    field: Field,
    solid: Solid,
}

/// A body made with one spacing, and the parts of the surface that it lost.
struct Body {
    mesh: Mesh,
    /// The shells that came apart, with the number of their parts.
    apart: Vec<(u32, usize)>,
    lost: Vec<Lost>,
    /// The shells that are held together.
    joints: Vec<Joint>,
}

fn fill(surface: &Mesh, options: &Options) -> Result<Filling, Refusal> {
    let field = Field::new(Winding::new(Tree::new(&surface.points, &surface.triangles)));
    let solid = Solid::of(surface, &field)?;
    let shape = Shape { surface, shells: surface::shells(&surface.triangles), field, solid };
    let made = shape.sized(options.size)?;
    let spacing = made.bcc.spacing();
    if made.body.excess(&solid) < -MOST_LOST {
        return Err(solid.too_thin(spacing));
    }
    let body = shape.whole(made, options.join);
    let warnings = body.warnings(&solid, spacing);
    Ok(Filling { mesh: body.mesh, surface_volume: solid.volume, warnings })
}

/// A body with the lattice that it was made of, and for each of its points whether it is inside.
struct Made {
    bcc: Bcc,
    inside: Vec<bool>,
    body: Body,
}

impl Shape<'_> {
    /// The body as the lattice has it, with a spacing that suits the wanted size.
    fn sized(&self, size: Size) -> Result<Made, Refusal> {
        let solid = &self.solid;
        let at = |spacing: f64| {
            solid.check_memory(&self.field, spacing)?;
            let bcc = Bcc::around(self.field.bounds(), spacing);
            let inside = inside::inside(&bcc, &self.field, solid);
            let body = self.body(&bcc, &inside, &[]);
            Ok(Made { bcc, inside, body })
        };
        let spacing = match size {
            Size::Automatic => solid.spacing(DEFAULT_CELLS),
            Size::Cells(cells) => solid.spacing(cells as f64),
            Size::MaxVolume(volume) => (12.0 * volume / stuffing::LARGEST).cbrt(),
        };
        let mut made = at(spacing)?;
        match size {
            Size::Automatic => {
                let mut cells = DEFAULT_CELLS;
                while cells < MOST_DEFAULT_CELLS && made.body.loss(solid) > FAITHFUL {
                    cells *= 2.0;
                    made = at(solid.spacing(cells))?;
                }
            }
            Size::Cells(cells) if !made.body.mesh.tets.is_empty() => {
                // If walls are as thin as the spacing, the number of tets is not a smooth function of it.
                let miss = |made: &Made| (made.body.mesh.tets.len().max(1) as f64 / cells as f64).ln();
                let mut tried = spacing;
                let mut last = miss(&made);
                for _ in 0..CORRECTIONS {
                    if last.abs() <= ABOUT || miss(&made).abs() <= ABOUT {
                        break;
                    }
                    tried *= (last / 3.0).clamp(-STRIDE, STRIDE).exp();
                    let next = at(tried)?;
                    last = miss(&next);
                    if last.abs() < miss(&made).abs() {
                        made = next;
                    }
                }
            }
            Size::Cells(_) | Size::MaxVolume(_) => {}
        }
        Ok(made)
    }

    /// The body with its thin parts and with shells that nearly touch held together.
    fn whole(&self, made: Made, join: Join) -> Body {
        let Made { bcc, mut inside, body } = made;
        let mut held = whole::thin(self.surface, &self.field, &bcc);
        held.iter().for_each(|id| inside[*id as usize] = true);
        let distance = match join {
            Join::Never => None,
            Join::Cell => Some(bcc.spacing()),
            Join::Within(distance) => Some(distance),
        };
        let mut joints = vec![];
        if let Some(distance) = distance {
            let (more, shells) =
                whole::joints(self.surface, &self.shells, &self.field, &bcc, &inside, distance);
            more.iter().for_each(|id| inside[*id as usize] = true);
            held.extend(more);
            held.sort_unstable();
            held.dedup();
            joints = shells;
        }
        if held.is_empty() { body } else { Body { joints, ..self.body(&bcc, &inside, &held) } }
    }

    /// Meshes the inside and cleans up the tets. Edges that leave points in `held`, which is ascending, are cut no nearer
    /// to them than [`stuffing::HELD`].
    fn body(&self, bcc: &Bcc, inside: &[bool], held: &[u32]) -> Body {
        let (field, spacing) = (&self.field, bcc.spacing());
        let mut mesh = stuffing::stuff(bcc, inside, |a, b| {
            let [from, to] = [bcc.place(a), bcc.place(b)];
            if held.binary_search(&a).is_err() {
                return field.cut(from, to);
            }
            let least = stuffing::HELD[usize::from(!Bcc::is_long(a, b))];
            if field.inside(from) && !field.inside(to) { field.cut(from, to).max(least) } else { least }
        });
        let apart = parts::drop_bits(&mut mesh, &self.shells, field.winding().tree(), spacing);
        parts::split_touching(&mut mesh);
        let lost = lost::lost(self.surface, &self.shells, field, &mesh, spacing);
        Body { mesh, apart, lost, joints: vec![] }
    }
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
        if let [[a, b], others @ ..] = &self.joints[..] {
            let others =
                if others.is_empty() { String::new() } else { format!(", and {} more pairs", others.len()) };
            let which = if a == b { format!("parts of shell {a}") } else { format!("shells {a} and {b}") };
            out.push(format!("{which} are held together{others}; join = false leaves them apart"));
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
