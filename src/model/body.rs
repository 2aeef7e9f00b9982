//! One body, from its config entry to rest state, initial state, masses and pins.
//!
//! The order of things: mesh → transform = the rest state → selections look at rest positions → deform = the
//! initial state; pins hold vertices where the initial state has them.

use std::sync::Arc;

use super::cells::CellData;
use super::choose::Chooser;
use super::element;
use super::embedded::{self, Embedded, Surfaces};
use super::held::Held;
use super::locking;
use super::notes::Notes;
use super::probe::{self, ProbeModel};
use super::sequence::{self, Places};
use crate::cache::Cache;
use crate::error::{Error, Result};
use crate::mesh::generate::generate;
use crate::mesh::prepare::prepare;
use crate::mesh::surface::{self, SurfaceMap};
use crate::mesh::union_find::UnionFind;
use crate::mesh::{Kind, Mesh, quadratic, quality};
use crate::scene::preset::names_for;
use crate::scene::{Body, MeshSource};
use crate::{io, model};
use elements::energy::quadratic::{CORNER_MASS, MIDDLE_MASS, Quadratic};
use elements::math::vec3::{norm, sub};

/// A body in its own numbering.
pub struct BodyData {
    /// Rest positions in m.
    pub rest: Vec<[f64; 3]>,
    /// Initial positions in m.
    pub initial: Vec<[f64; 3]>,
    /// Initial velocities in m/s.
    pub velocity: Vec<[f64; 3]>,
    /// Tets of a solid, all of positive rest volume.
    pub tets: Vec<[u32; 4]>,
    /// The nodes in the middles of the edges of each tet; empty if tets are linear.
    pub middles: Vec<[u32; 6]>,
    /// Triangles of a sheet.
    pub triangles: Vec<[u32; 3]>,
    /// Edges of a line, all of positive rest length.
    pub edges: Vec<[u32; 2]>,
    /// What it is made of, cell by cell.
    pub cells: CellData,
    /// Lumped masses in kg; 0 for orphans.
    pub mass: Vec<f64>,
    /// Vertices in no cell.
    pub orphans: Vec<bool>,
    /// What each of the body's pins holds.
    pub pins: Vec<Held>,
    /// The places that files have for the vertices of each pin; `None` for pins that follow none.
    pub places: Vec<Option<Arc<Places>>>,
    /// The vertices of each of its loads, without orphans.
    pub loads: Vec<Vec<u32>>,
    /// What is measured of it, with the points.
    pub probes: Vec<ProbeModel>,
    /// The boundary of the body, by vertex numbers within it.
    pub surface: SurfaceMap,
    /// Surfaces that follow it.
    pub embedded: Vec<Embedded>,
    /// What the user should know.
    pub notes: Notes,
}

/// Loads or generates the mesh of a body and places it.
pub fn load(body: &Body, cache: &Cache) -> Result<BodyData> {
    let subject = embedded::subject(body);
    let mut surfaces = Surfaces::read(body)?;
    let prepared = prepare(source(body, &mut surfaces, cache)?, &subject, body.repair)?;
    let mut mesh = prepared.mesh;
    let mut notes = std::mem::take(&mut surfaces.notes);
    notes.notes.extend(prepared.notes.iter().map(|n| format!("{subject}: {n}")));
    embedded::check_body(body, &mesh)?;
    check_kind(body, &mesh, &subject)?;
    keep_one_kind(&mut mesh);
    let mass_factor = surfaces.mass_factor(&mesh.points, &mesh.tets);
    for point in &mut mesh.points {
        *point = model::transform::apply(&body.transform, *point);
    }
    let mut orphans = prepared.orphans;
    let given = mesh.points.len();
    element::choose(body, &mut mesh, &surfaces, &mut orphans, &subject)?;
    let mass_factor = if body.surfaces.is_empty() { 1.0 } else { mass_factor / bulge(&mesh) };
    let embedded = surfaces.bind(body, &mesh);
    let chooser = Chooser {
        mesh: &mesh,
        given,
        orphans: &orphans,
        surfaces: embedded.iter().zip(surfaces.meshes()).collect(),
        is_hidden: matches!(body.mesh, MeshSource::Surface { .. }),
        subject: &subject,
    };
    let pins = chooser.pins(body, &mut notes.notes)?;
    let loads = (body.loads.iter().enumerate())
        .map(|(i, load)| chooser.choose(&load.select, &format!("load {i}"), &mut notes.notes))
        .collect::<Result<_>>()?;
    let probes = (body.probes.iter())
        .map(|probe| probe::look_up(probe, &chooser, &mut notes.notes))
        .collect::<Result<_>>()?;
    notes.warnings.extend(loose_parts(&mesh, &orphans, &pins).map(|text| format!("{subject}: {text}")));
    let initial = deformed(body, &mesh, given, &subject)?;
    let places = sequence::of_pins(body, &pins, (&mesh, given), &embedded, &initial, &subject, &mut notes)?;
    let cells = CellData::new(body, &mesh).map_err(|reason| refuse(&subject, reason, ""))?;
    let mut mass = masses(&mesh, body, &cells);
    mass.iter_mut().for_each(|m| *m *= mass_factor);
    let velocity = rigid_velocity(body, &initial, &mass);
    let mut data = BodyData {
        surface: SurfaceMap::of_mesh(&mesh),
        embedded,
        rest: mesh.points,
        initial,
        velocity,
        tets: mesh.tets,
        middles: mesh.middles,
        triangles: mesh.triangles,
        edges: mesh.edges,
        cells,
        mass,
        orphans,
        pins,
        places,
        loads,
        probes,
        notes,
    };
    data.notes.warnings.extend(locking::warning(body, &data).map(|text| format!("{subject}: {text}")));
    Ok(data)
}

fn source(body: &Body, surfaces: &mut Surfaces, cache: &Cache) -> Result<Mesh> {
    match &body.mesh {
        MeshSource::File(path) => {
            let import = io::import(path)?;
            let lost = import.notes.into_iter().filter(|note| note.starts_with(io::CELLS_LEFT_OUT));
            surfaces.notes.warnings.extend(lost.map(|note| format!("{}: {note}", path.display())));
            Ok(import.mesh)
        }
        MeshSource::Generate(shape) => Ok(generate(shape)),
        MeshSource::Memory(mesh) => Ok(mesh.as_ref().clone()),
        MeshSource::Surface { .. } => surfaces.fill(body, cache),
    }
}

/// The mesh of a body before it is placed, with the cells of its kind alone; for bodies of surfaces, the tets.
pub fn mesh(body: &Body, cache: &Cache) -> Result<Mesh> {
    let mesh = source(body, &mut Surfaces::read(body)?, cache)?;
    let mut mesh = prepare(mesh, &embedded::subject(body), body.repair)?.mesh;
    keep_one_kind(&mut mesh);
    Ok(mesh)
}

fn refuse(subject: &str, reason: String, hint: &str) -> Error {
    Error::Mesh { subject: subject.into(), reason, hint: hint.into() }
}

/// Refuses what a solid, a sheet or a line cannot have, and asks for what it must have.
fn check_kind(body: &Body, mesh: &Mesh, subject: &str) -> Result<()> {
    let Some(mesh_kind) = mesh.kind() else { return Ok(()) };
    let (is_solid, is_sheet) = (mesh_kind == Kind::Solid, mesh_kind == Kind::Sheet);
    let (kind, wants) = match mesh_kind {
        Kind::Solid => ("consists of tetrahedra", "material"),
        Kind::Sheet => ("is a sheet of triangles", "material' or 'springs"),
        Kind::Line => ("consists of edges", "line"),
    };
    let columns = body.limits.as_ref().is_some_and(|l| l.warp.is_some() || l.weft.is_some());
    for (key, given, fits) in [
        ("line", body.line.is_some(), mesh_kind == Kind::Line),
        ("material", !body.materials.is_empty(), is_solid || is_sheet),
        ("element", body.element.is_some(), is_solid),
        ("fibers", !body.fibers.is_empty(), is_solid),
        ("springs", body.springs.is_some(), is_sheet),
        ("bending", body.bending.is_some(), is_sheet),
        ("limits", body.limits.is_some(), is_solid || is_sheet),
        ("limits.warp or weft", columns, is_sheet),
    ] {
        if given && !fits {
            // A preset gives keys that nobody wrote.
            let bodies = match mesh_kind {
                Kind::Solid => "solids",
                Kind::Sheet => "sheets",
                Kind::Line => "lines",
            };
            let hint = format!("it wants '{wants}'; presets for {bodies}: {}", names_for(bodies).join(", "));
            return Err(refuse(subject, format!("{kind} and cannot have '{key}'"), &hint));
        }
    }
    let has_it = match mesh_kind {
        Kind::Solid => !body.materials.is_empty(),
        Kind::Sheet => !body.materials.is_empty() || body.springs.is_some(),
        Kind::Line => body.line.is_some(),
    };
    if !has_it {
        return Err(refuse(subject, format!("{kind} and has no '{wants}'"), "add it"));
    }
    Ok(())
}

/// Drops the cells below the highest dimension: the surface of a solid comes from its tets.
fn keep_one_kind(mesh: &mut Mesh) {
    let kind = mesh.kind();
    if kind == Some(Kind::Solid) {
        mesh.triangles.clear();
    }
    if kind != Some(Kind::Line) {
        mesh.edges.clear();
    }
}

/// Tells if some parts of a body are held by pins and others, which no cell connects to them, are not.
fn loose_parts(mesh: &Mesh, orphans: &[bool], pins: &[Held]) -> Option<String> {
    let mut sets = UnionFind::new(mesh.points.len());
    let tets = mesh.tets.iter().map(|cell| &cell[..]);
    let cells = tets.chain(mesh.triangles.iter().map(|cell| &cell[..]));
    for cell in cells.chain(mesh.edges.iter().map(|cell| &cell[..])) {
        cell[1..].iter().for_each(|v| sets.union(cell[0], *v));
    }
    for (tet, middles) in mesh.tets.iter().zip(&mesh.middles) {
        middles.iter().for_each(|v| sets.union(tet[0], *v));
    }
    let mut held: Vec<u32> = pins.iter().flat_map(|pin| &pin.vertices).map(|v| sets.find(*v)).collect();
    held.sort_unstable();
    held.dedup();
    let in_cells = (0..mesh.points.len() as u32).filter(|v| !orphans[*v as usize]);
    let roots: Vec<u32> = in_cells.map(|v| sets.find(v)).collect();
    let parts = (0u32..).zip(orphans).filter(|(v, orphan)| !**orphan && sets.find(*v) == *v).count();
    let loose = parts - held.len();
    (!held.is_empty() && loose > 0).then(|| {
        let vertices = roots.iter().filter(|root| held.binary_search(root).is_err()).count();
        let (it, has) = if loose == 1 { ("one", "has") } else { ("ones", "have") };
        format!(
            "it has {parts} parts that no cell connects, and {loose} of them ({vertices} vertices) {has} no pin: the loose \
             {it} will fall or fly off (connect them in the mesh, use more cells if meshing took them apart, pin them too, or \
             leave them out)"
        )
    })
}

fn deformed(body: &Body, mesh: &Mesh, given: usize, subject: &str) -> Result<Vec<[f64; 3]>> {
    let read = |path: &std::path::Path| -> Result<Vec<[f64; 3]>> {
        let mut points = io::read(path)?.points;
        if points.len() == given {
            quadratic::extend(&mut points, &quadratic::ends(&mesh.tets, &mesh.middles, given));
        }
        if points.len() != mesh.points.len() {
            let reason = format!("{} has {} points, the mesh {given}", path.display(), points.len());
            return Err(refuse(subject, reason, "a deform file must be the same mesh in another shape"));
        }
        Ok(points.into_iter().map(|p| model::transform::apply(&body.transform, p)).collect())
    };
    let x = model::deform::deform(&body.deform, &mesh.points, &read)?;
    if let Some(v) = x.iter().position(|p| p.iter().any(|c| !c.is_finite())) {
        return Err(refuse(subject, format!("vertex {v} is not finite after 'deform'"), ""));
    }
    Ok(x)
}

/// ρV/4 to each corner of a tet, the shares of `energy::quadratic` to the nodes of a quadratic one, ρAt/3 to each corner of a
/// triangle of thickness t, ρπr²l/2 to each end of an edge of length l and radius r.
/// The volume of quadratic tets over that of the same tets with straight edges; 1 for other meshes.
fn bulge(mesh: &Mesh) -> f64 {
    let straight: f64 = mesh.tets.iter().map(|tet| quality::volume(&mesh.points, *tet)).sum();
    let nodes = mesh.tets.iter().zip(&mesh.middles).map(|(tet, middles)| quadratic::nodes(*tet, *middles));
    let bent: f64 = Quadratic::new(nodes.collect(), &mesh.points).volumes().iter().sum();
    if mesh.middles.is_empty() || straight <= 0.0 { 1.0 } else { bent / straight }
}

fn masses(mesh: &Mesh, body: &Body, cells: &CellData) -> Vec<f64> {
    let mut mass = vec![0.0; mesh.points.len()];
    for (cell, [a, b]) in mesh.edges.iter().enumerate() {
        let length = norm(sub(mesh.points[*a as usize], mesh.points[*b as usize]));
        for v in [a, b] {
            mass[*v as usize] += 0.5 * cells.density[cell] * body.section() * length;
        }
    }
    for (cell, triangle) in mesh.triangles.iter().enumerate() {
        let [x, y, z] = surface::area_vector(&mesh.points, *triangle);
        let share = cells.density[cell] * cells.thickness[cell] * (x * x + y * y + z * z).sqrt() / 3.0;
        for v in triangle {
            mass[*v as usize] += share;
        }
    }
    for (cell, tet) in mesh.tets.iter().enumerate() {
        let Some(middles) = mesh.middles.get(cell) else {
            let share = 0.25 * cells.density[cell] * quality::volume(&mesh.points, *tet);
            tet.iter().for_each(|v| mass[*v as usize] += share);
            continue;
        };
        let nodes = Quadratic::new(vec![quadratic::nodes(*tet, *middles)], &mesh.points);
        let whole = cells.density[cell] * nodes.volumes()[0];
        tet.iter().for_each(|v| mass[*v as usize] += CORNER_MASS * whole);
        middles.iter().for_each(|v| mass[*v as usize] += MIDDLE_MASS * whole);
    }
    mass
}

fn rigid_velocity(body: &Body, x: &[[f64; 3]], mass: &[f64]) -> Vec<[f64; 3]> {
    let total: f64 = mass.iter().sum();
    let mut centre = [0.0; 3];
    for (p, m) in x.iter().zip(mass) {
        for k in 0..3 {
            centre[k] += m * p[k] / total;
        }
    }
    let (v, w) = (body.velocity.linear, body.velocity.angular);
    x.iter()
        .map(|p| {
            let r: [f64; 3] = std::array::from_fn(|k| p[k] - centre[k]);
            [
                v[0] + w[1] * r[2] - w[2] * r[1],
                v[1] + w[2] * r[0] - w[0] * r[2],
                v[2] + w[0] * r[1] - w[1] * r[0],
            ]
        })
        .collect()
}
