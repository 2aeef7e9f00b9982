//! The surfaces of a body: tets fill them and are simulated, and the user's own vertices follow the tets.
//!
//! The simulated tets do not have quite the volume of the visible surface. Masses are scaled so that the body has the
//! weight of what its surface encloses. That volume comes from the winding number if the surface was filled here, and
//! from its closed surfaces if it is bound to existing tets.

use std::path::{Path, PathBuf};

use super::notes::Notes;
use super::transform;
use crate::cache::Cache;
use crate::error::{Error, Result};
use crate::io;
use crate::mesh::embedding::Embedding;
use crate::mesh::repair::{Repair, repair};
use crate::mesh::surface::{SurfaceMap, enclosed_volume, topology};
use crate::mesh::{Kind, Mesh, quality};
use crate::meshing::{Options, check, tetrahedralize};
use crate::scene::{Body, MeshSource};

/// A surface that follows a body.
#[derive(Clone, Debug)]
pub struct Embedded {
    /// The name of its files: the body's name, followed by the surface's if there are several.
    pub name: String,
    /// The file that the surface was read from.
    pub source: PathBuf,
    /// All of its vertices, in their order, and its triangles.
    pub surface: SurfaceMap,
    /// How it follows the body's vertices.
    pub embedding: Embedding,
}

/// The surface files of a body as they were read, in their own unit.
pub struct Surfaces {
    meshes: Vec<Mesh>,
    /// The volume that they enclose together, if it is known.
    volume: Option<f64>,
    /// Notes for the user.
    pub notes: Notes,
}

impl Surfaces {
    /// Reads all surface files of a body.
    pub fn read(body: &Body) -> Result<Surfaces> {
        let mut out = Surfaces { meshes: vec![], volume: Some(0.0), notes: Notes::default() };
        for path in &body.surfaces {
            let import = io::import(path)?;
            let subject = path.display().to_string();
            // A mesh has no place for these arrays, but they are not lost: they stay in the file.
            let notes = import.notes.iter().filter(|note| !note.contains("left out"));
            out.notes.notes.extend(notes.map(|note| format!("{subject}: {note}")));
            check(&import.mesh, &subject)?;
            let Mesh { points, triangles, .. } = &import.mesh;
            let shape = topology(triangles);
            let is_closed = shape.open_edges + shape.nonmanifold_edges + shape.inconsistent_edges == 0;
            let volume = enclosed_volume(points, triangles).abs();
            out.volume = out.volume.filter(|_| is_closed).map(|sum| sum + volume);
            out.meshes.push(import.mesh);
        }
        Ok(out)
    }

    /// Fills the surfaces with tets.
    pub fn fill(&mut self, body: &Body, cache: &Cache) -> Result<Mesh> {
        let &MeshSource::Surface { method, size, join, repair: is_repaired } = &body.mesh else {
            return Ok(Mesh::default());
        };
        let subject = subject(body);
        let mut whole = Mesh::default();
        for mesh in &self.meshes {
            let first = whole.points.len() as u32;
            whole.points.extend(&mesh.points);
            whole.triangles.extend(mesh.triangles.iter().map(|t| t.map(|v| first + v)));
        }
        if is_repaired {
            let (mesh, report) = repair(whole, &Repair::default());
            self.notes.notes.extend(report.to_string().lines().map(|line| format!("{subject}: {line}")));
            whole = mesh;
        }
        if whole.triangles.is_empty() {
            return Err(Error::Mesh {
                subject,
                reason: "it encloses nothing: no triangle has an area or a neighbour".into(),
                hint: "write the surface anew".into(),
            });
        }
        let options = Options { size, join, ..Options::default() };
        let (filling, _) = tetrahedralize(&whole, &subject, method, options, cache)?;
        self.notes.warnings.extend(filling.warnings.iter().map(|warning| format!("{subject}: {warning}")));
        self.volume = Some(filling.surface_volume);
        Ok(filling.mesh)
    }

    /// The surfaces as they were read.
    pub fn meshes(&self) -> &[Mesh] {
        &self.meshes
    }

    /// The factor on all masses, for tets in the unit of the surface files.
    pub fn mass_factor(&self, points: &[[f64; 3]], tets: &[[u32; 4]]) -> f64 {
        let filled: f64 = tets.iter().map(|t| quality::volume(points, *t)).sum();
        self.volume.filter(|v| *v > 0.0 && filled > 0.0).map_or(1.0, |volume| volume / filled)
    }

    /// The points and triangles of all surfaces, where the body is at rest.
    pub fn placed(&self, body: &Body) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
        let (mut points, mut triangles) = (vec![], vec![]);
        for mesh in &self.meshes {
            let first = points.len() as u32;
            points.extend(mesh.points.iter().map(|p| transform::apply(&body.transform, *p)));
            triangles.extend(mesh.triangles.iter().map(|t| t.map(|v| first + v)));
        }
        (points, triangles)
    }

    /// Binds the surfaces to the rest state of the body.
    pub fn bind(&self, body: &Body, tets: &Mesh) -> Vec<Embedded> {
        let bind = |((mesh, path), name): ((&Mesh, &PathBuf), String)| {
            let points: Vec<[f64; 3]> =
                mesh.points.iter().map(|p| transform::apply(&body.transform, *p)).collect();
            Embedded {
                name,
                source: path.clone(),
                surface: SurfaceMap {
                    triangles: mesh.triangles.clone(),
                    vertices: (0..mesh.points.len() as u32).collect(),
                    ..SurfaceMap::default()
                },
                embedding: Embedding::new(&points, &tets.points, &tets.tets, &tets.middles),
            }
        };
        self.meshes.iter().zip(&body.surfaces).zip(surface_names(body)).map(bind).collect()
    }
}

/// The names of the files of a body's visible surfaces: the body's name, followed by the surface's if there are several.
pub fn surface_names(body: &Body) -> Vec<String> {
    match &body.surfaces[..] {
        [] | [_] => vec![body.name.clone()],
        several => several.iter().map(|path| format!("{}-{}", body.name, stem(path))).collect(),
    }
}

/// The name of a body in errors and notes.
pub fn subject(body: &Body) -> String {
    match &body.mesh {
        MeshSource::File(path) => format!("body '{}' ({})", body.name, path.display()),
        MeshSource::Generate(_) | MeshSource::Memory(_) => format!("body '{}'", body.name),
        MeshSource::Surface { .. } => {
            let names: Vec<String> = body.surfaces.iter().map(|p| p.display().to_string()).collect();
            format!("body '{}' ({})", body.name, names.join(", "))
        }
    }
}

/// Refuses surfaces on bodies without tets, and surfaces whose files would have the same name.
pub fn check_body(body: &Body, mesh: &Mesh) -> Result<()> {
    let refuse = |reason: &str, hint: &str| {
        Err(Error::Mesh { subject: subject(body), reason: reason.into(), hint: hint.into() })
    };
    if !body.surfaces.is_empty() && mesh.kind() != Some(Kind::Solid) {
        return refuse("it has no tets that a surface could follow", "leave out 'surface', or give it tets");
    }
    let mut names: Vec<String> = body.surfaces.iter().map(|p| stem(p)).collect();
    names.sort_unstable();
    if names.windows(2).any(|w| w[0] == w[1]) {
        return refuse("two of its surfaces have the same name", "rename one of the files");
    }
    Ok(())
}

fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}
