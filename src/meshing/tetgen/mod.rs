//! Tets of good quality for clean surfaces, by TetGen \[Si2015\].
//!
//! TetGen makes a constrained Delaunay triangulation of the surface and adds points until every tet has a ratio of
//! circumradius to shortest edge below a bound, where the surface allows it; it aims at dihedral angles of 15° and
//! more, too. The surface must be closed and must not intersect itself. Its shape is kept exactly; its triangles may be
//! divided unless they are to be kept.
//!
//! TetGen runs in a child process with limits, and its result is not trusted: every tet must be positive, the volume
//! must be the surface's, and a surface that is to be kept must be there bit for bit.
//!
//! TetGen fills cavities as well: tets at which the winding number is not above ½ are removed.

mod child;
#[cfg(feature = "tetgen")]
pub(crate) mod native;
mod wire;

use std::time::Instant;

pub use self::child::set_program;
use self::wire::Cells;
use super::lattice::{Field, Solid};
use super::{Filling, Method, Options, Refusal, Size};
use crate::mesh::surface::{self, SurfaceMap};
use crate::mesh::tree::Tree;
use crate::mesh::winding::Winding;
use crate::mesh::{Mesh, quality};
use elements::par;

/// The entry of the method in the registry.
pub(super) const METHOD: Method = Method {
    name: "tetgen",
    summary: "Delaunay refinement by TetGen: closed surfaces that do not intersect themselves; can keep all their triangles",
    fill,
    conforms: true,
    joins: false,
};

/// The bound on the ratio of circumradius to shortest edge if none is asked for, and the bound on
/// dihedral angles in degrees.
const QUALITY: f64 = 1.414;
const LEAST_DIHEDRAL: f64 = 15.0;

/// The ratio of the largest to the mean volume of tets that have a bound on their volume; 2 to 8 on a ball. If a number
/// of tets is asked for, the bound is corrected up to `CORRECTIONS` times while the number is missed by more than
/// `ABOUT`. The bound varies about with the power `BOUND_TO_NUMBER` of the number.
const LARGEST_TO_MEAN: f64 = 4.0;
const CORRECTIONS: usize = 4;
const ABOUT: f64 = 0.15;
const BOUND_TO_NUMBER: f64 = 1.4;

/// How far the volume of the tets may differ from that of the surface, relative to it: `EXACT` if the surface's is
/// computed from its triangles, `SAMPLED` if it was sampled.
const EXACT: f64 = 1e-6;
const SAMPLED: f64 = 0.05;

fn fill(surface: &Mesh, options: &Options) -> Result<Filling, Refusal> {
    let task = Task::new(surface, options)?;
    let mesh = match options.size {
        Size::Automatic => task.tets(None)?,
        Size::MaxVolume(volume) => task.tets(Some(volume))?,
        Size::Cells(cells) => task.about(cells as f64)?,
    };
    let mut warnings = task.warnings(&mesh);
    let left_out = surface.points.len() - task.surface.points.len();
    if left_out > 0 {
        warnings.push(format!("vertices that no triangle uses are left out: {left_out}"));
    }
    Ok(Filling { mesh, surface_volume: task.solid.volume, warnings })
}

/// One surface and the requirements on its filling.
struct Task<'a> {
    /// The surface with only the vertices that are used.
    surface: Mesh,
    field: Field,
    solid: Solid,
    /// True if there may be cavities.
    is_nested: bool,
    options: &'a Options,
    deadline: Instant,
}

impl<'a> Task<'a> {
    fn new(surface: &Mesh, options: &'a Options) -> Result<Task<'a>, Refusal> {
        let deadline = Instant::now() + options.time_limit;
        let SurfaceMap { triangles, vertices, .. } = SurfaceMap::compact(&surface.triangles);
        let points = vertices.iter().map(|&v| surface.points[v as usize]).collect();
        let surface = Mesh { points, triangles, ..Mesh::default() };
        let field = Field::new(Winding::new(Tree::new(&surface.points, &surface.triangles)));
        let solid = Solid::of(&surface, &field)?;
        let is_nested = surface::topology(&surface.triangles).shells > 1;
        Ok(Task { surface, field, solid, is_nested, options, deadline })
    }

    /// About this many tets: the best result of several bounds on the volume.
    fn about(&self, cells: f64) -> Result<Mesh, Refusal> {
        let miss = |mesh: &Mesh| (mesh.tets.len() as f64 / cells).ln();
        let mut bound = LARGEST_TO_MEAN * self.solid.volume / cells;
        let mut best = self.tets(Some(bound))?;
        let mut last = miss(&best);
        for _ in 0..CORRECTIONS {
            if last.abs() <= ABOUT || miss(&best).abs() <= ABOUT {
                break;
            }
            bound *= (BOUND_TO_NUMBER * last).exp();
            // If time is up, or the bound takes too much memory, the best result so far is used.
            let Ok(next) = self.tets(Some(bound)) else { break };
            last = miss(&next);
            if last.abs() < miss(&best).abs() {
                best = next;
            }
        }
        Ok(best)
    }

    /// Tets with or without a bound on their volume, checked.
    fn tets(&self, bound: Option<f64>) -> Result<Mesh, Refusal> {
        let cells = child::run(&switches(self.options, bound), &self.surface, self.deadline)?;
        let mesh = self.inside(cells);
        self.check(&mesh)?;
        Ok(mesh)
    }

    /// The tets without those in cavities, positively oriented, and the points that they use.
    fn inside(&self, (points, mut tets): Cells<4>) -> Mesh {
        if self.is_nested {
            let centre = |tet: [u32; 4]| {
                std::array::from_fn(|i| tet.iter().map(|&v| points[v as usize][i]).sum::<f64>() / 4.0)
            };
            let inside = par::map(tets.len(), |t| self.field.winding().at(centre(tets[t])) > 0.5);
            let mut inside = inside.into_iter();
            tets.retain(|_| inside.next() == Some(true));
        }
        // Versions of TetGen differ in the order of corners, but all tets of one filling have the same.
        if tets.first().is_some_and(|&tet| quality::volume(&points, tet) < 0.0) {
            tets.iter_mut().for_each(|tet| tet.swap(2, 3));
        }
        let mut mesh = Mesh { points, tets, ..Mesh::default() };
        let orphans = mesh.orphans();
        let mut numbers = vec![0; orphans.len()];
        let mut count = 0;
        for (number, orphan) in numbers.iter_mut().zip(&orphans) {
            *number = count;
            count += u32::from(!orphan);
        }
        mesh.tets.as_flattened_mut().iter_mut().for_each(|v| *v = numbers[*v as usize]);
        let mut orphan = orphans.into_iter();
        mesh.points.retain(|_| orphan.next() == Some(false));
        mesh
    }

    /// Refuses tets that do not fill the surface.
    fn check(&self, mesh: &Mesh) -> Result<(), Refusal> {
        let refuse = |reason: String| Err(Refusal { reason, hint: child::HINT.into() });
        if mesh.tets.is_empty() {
            let open = surface::topology(&self.surface.triangles).open_edges;
            return refuse(if open > 0 {
                format!("TetGen found nothing inside: the surface is open at {open} edges")
            } else {
                "TetGen found nothing inside".into()
            });
        }
        let volumes: Vec<f64> = mesh.tets.iter().map(|&tet| quality::volume(&mesh.points, tet)).collect();
        // The test is also false for a coordinate that is not finite.
        let bad = volumes.iter().filter(|v| !(**v > 0.0 && v.is_finite())).count();
        if bad > 0 {
            return refuse(format!("TetGen gave tets without a positive volume: {bad} of {}", volumes.len()));
        }
        let volume: f64 = volumes.iter().sum();
        let signed = surface::enclosed_volume(&self.surface.points, &self.surface.triangles);
        let tolerance = if self.solid.volume == signed { EXACT } else { SAMPLED };
        if (volume / self.solid.volume - 1.0).abs() > tolerance {
            let enclosed = self.solid.volume;
            return refuse(format!(
                "TetGen's tets have a volume of {volume:.6e}, but the surface encloses {enclosed:.6e}"
            ));
        }
        if self.options.keep_surface { self.check_kept(mesh) } else { Ok(()) }
    }

    /// Refuses tets whose boundary is not the surface.
    fn check_kept(&self, mesh: &Mesh) -> Result<(), Refusal> {
        let refuse = |reason: String| Err(Refusal { reason, hint: child::HINT.into() });
        let bits = |p: &[f64; 3]| p.map(f64::to_bits);
        let same = self.surface.points.iter().zip(&mesh.points).filter(|(a, b)| bits(a) == bits(b)).count();
        let lost = self.surface.points.len() - same;
        if lost > 0 {
            return refuse(format!("TetGen did not keep the surface: vertices lost or moved: {lost}"));
        }
        let boundary = sorted(&surface::boundary(&mesh.tets));
        let kept = sorted(&self.surface.triangles);
        let lost = kept.iter().filter(|face| boundary.binary_search(face).is_err()).count();
        if lost > 0 || boundary.len() != kept.len() {
            return refuse(format!(
                "TetGen did not keep the surface: triangles lost: {lost} of {}, faces of the tets: {}",
                kept.len(),
                boundary.len()
            ));
        }
        Ok(())
    }

    fn warnings(&self, mesh: &Mesh) -> Vec<String> {
        let (count, mut out) = (mesh.tets.len(), vec![]);
        match self.options.size {
            Size::Cells(cells) if (count as f64 / cells as f64).ln().abs() > 2.0 * ABOUT => {
                out.push(format!(
                    "there are {count} tets, not about {cells}: the quality or the surface takes so many"
                ));
            }
            Size::MaxVolume(bound) => {
                let volumes = mesh.tets.iter().map(|&tet| quality::volume(&mesh.points, tet));
                let over = volumes.filter(|v| *v > bound * (1.0 + 1e-9)).count();
                if over > 0 {
                    out.push(format!(
                        "tets larger than {bound:e}, which the surface keeps from division: {over}"
                    ));
                }
            }
            Size::Automatic | Size::Cells(_) => {}
        }
        let flat = quality::measure(&mesh.points, &mesh.tets).degenerate;
        if flat > 0 {
            out.push(format!("tets too flat to be simulated: {flat}; the surface has triangles as thin"));
        }
        out
    }
}

/// The triangles with their corners sorted, in sorted order.
fn sorted(triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let mut out = triangles.to_vec();
    out.iter_mut().for_each(|face| face.sort_unstable());
    out.sort_unstable();
    out
}

/// TetGen's switches: a surface, numbers from 0, no messages, and then the options.
fn switches(options: &Options, bound: Option<f64>) -> String {
    let keep = if options.keep_surface { "Y" } else { "" };
    let quality = options.quality.unwrap_or(QUALITY);
    let bound = bound.map_or_else(String::new, |volume| format!("a{volume:e}"));
    format!("pzQ{keep}q{quality}/{LEAST_DIHEDRAL}{bound}")
}

#[cfg(test)]
mod tests;
