//! Writing meshes: the formats that can be written, and what each of them can hold.
//!
//! Every writer keeps the order of points and cells. Data for which a format has no place is left out, and reported.

use std::path::{Path, PathBuf};

use super::grid::with_grid;
use super::{Fault, extension, legacy_write, medit, msh, obj, ply, stl, tetgen, vtu_write};
use crate::Result;
use crate::mesh::surface::SurfaceMap;
use crate::mesh::{DataArray, Kind, Mesh};

/// A mesh format that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteFormat {
    /// VTK XML unstructured grid.
    Vtu,
    /// VTK legacy file, binary.
    VtkLegacy,
    /// Binary PLY: the surface only.
    Ply,
    /// Wavefront OBJ: the surface only.
    Obj,
    /// Binary STL: the surface only.
    Stl,
    /// Gmsh's MSH 4.1, text.
    Msh,
    /// Medit's text format, `.mesh`.
    Medit,
    /// TetGen's pair of files.
    TetGen,
}

/// The file name extensions with their formats.
const EXTENSIONS: [(&str, WriteFormat); 9] = [
    ("vtu", WriteFormat::Vtu),
    ("vtk", WriteFormat::VtkLegacy),
    ("ply", WriteFormat::Ply),
    ("obj", WriteFormat::Obj),
    ("stl", WriteFormat::Stl),
    ("msh", WriteFormat::Msh),
    ("mesh", WriteFormat::Medit),
    ("node", WriteFormat::TetGen),
    ("ele", WriteFormat::TetGen),
];

/// The files that [`write()`] would make for `path`, of which there may be two.
pub fn written_files(path: &Path) -> Vec<PathBuf> {
    match write_format(path) {
        Ok(WriteFormat::TetGen) => tetgen::pair(path),
        _ => vec![path.to_owned()],
    }
}

/// The format that [`write()`] would use for `path`, or the reason why it cannot. Call it before the work is done.
pub fn write_format(path: &Path) -> Result<WriteFormat> {
    let given = extension(path);
    if let Some((_, format)) = EXTENSIONS.iter().find(|(extension, _)| *extension == given) {
        return Ok(*format);
    }
    let reason = match given.as_str() {
        "" => "the name has no extension to tell the format by".to_owned(),
        other => format!("'.{other}' cannot be written"),
    };
    let known: Vec<&str> = EXTENSIONS.iter().map(|(extension, _)| *extension).collect();
    Err(Fault::new("", reason).hint(format!("writable are .{}", known.join(", ."))).at(path))
}

/// Writes a mesh in the format of the path's extension, whole or not at all; returns what was left
/// out, a sentence each.
///
/// Volume formats hold the cells of the mesh's [`Kind`]. Triangles beside tets are left out of all formats but Medit's,
/// because cell arrays have no values for them. Surface formats (PLY, OBJ, STL) hold the boundary of the tets with the
/// vertices that it uses, or else the triangles or edges with all vertices.
pub fn write(mesh: &Mesh, path: &Path) -> Result<Vec<String>> {
    let format = write_format(path)?;
    let surface = matches!(format, WriteFormat::Ply | WriteFormat::Obj | WriteFormat::Stl);
    let mut notes = vec![];
    let boundary;
    let mesh = if surface && mesh.kind() == Some(Kind::Solid) {
        notes.push(format!("of {} tets only the boundary is written", mesh.tets.len()));
        boundary = surface_mesh(mesh);
        tell("cell", &mesh.cell_data, |_| false, &mut notes);
        &boundary
    } else {
        if mesh.kind() == Some(Kind::Solid) && !mesh.triangles.is_empty() && format != WriteFormat::Medit {
            notes.push(format!("{} triangles beside the tets are left out", mesh.triangles.len()));
        }
        mesh
    };
    match format {
        WriteFormat::Vtu => {
            crate::fs::write_atomically(path, |out| with_grid(mesh, |g| vtu_write::write(g, out)))?;
        }
        WriteFormat::VtkLegacy => {
            crate::fs::write_atomically(path, |out| with_grid(mesh, |g| legacy_write::write(g, out)))?;
        }
        WriteFormat::Ply => crate::fs::write_atomically(path, |out| ply::write_mesh(mesh, out))?,
        WriteFormat::Obj => {
            tell("point", &mesh.point_data, obj::holds, &mut notes);
            tell("cell", &mesh.cell_data, |_| false, &mut notes);
            crate::fs::write_atomically(path, |out| obj::write(mesh, &mesh.triangles, out))?;
        }
        WriteFormat::Stl => {
            if mesh.triangles.is_empty() {
                return Err(Fault::new("", "STL holds triangles only, and the mesh has none").at(path));
            }
            tell("point", &mesh.point_data, |_| false, &mut notes);
            tell("cell", &mesh.cell_data, |_| false, &mut notes);
            notes.push("vertices are written once for each triangle, in single precision".into());
            crate::fs::write_atomically(path, |out| stl::write(&mesh.points, &mesh.triangles, out))?;
        }
        WriteFormat::Msh => crate::fs::write_atomically(path, |out| msh::write(mesh, out))?,
        WriteFormat::Medit => {
            let holds = |a: &DataArray| a.name == medit::REFERENCES && a.components == 1;
            tell("point", &mesh.point_data, holds, &mut notes);
            tell("cell", &mesh.cell_data, holds, &mut notes);
            crate::fs::write_atomically(path, |out| medit::write(mesh, out))?;
        }
        WriteFormat::TetGen => {
            if mesh.tets.is_empty() {
                let fault = Fault::new("", ".node and .ele hold tets, and the mesh has none");
                return Err(fault.hint("for a surface, write .ply, .obj or .stl").at(path));
            }
            tell("point", &mesh.point_data, tetgen::holds, &mut notes);
            tell("cell", &mesh.cell_data, tetgen::holds, &mut notes);
            tetgen::write(mesh, path)?;
        }
    }
    Ok(notes)
}

fn tell(of: &str, arrays: &[DataArray], holds: impl Fn(&DataArray) -> bool, notes: &mut Vec<String>) {
    let dropped = arrays.iter().filter(|array| !holds(array) && !array.values.is_empty());
    notes.extend(dropped.map(|array| format!("the {of} array '{}' is left out", array.name)));
}

/// The boundary of the tets as a mesh of triangles, with the arrays of its points.
fn surface_mesh(mesh: &Mesh) -> Mesh {
    let surface = SurfaceMap::of_mesh(mesh);
    let restrict = |array: &DataArray| {
        let n = array.components;
        let tuple = |v: &u32| array.values[n * *v as usize..n * (*v as usize + 1)].to_vec();
        DataArray { values: surface.vertices.iter().flat_map(tuple).collect(), ..array.clone() }
    };
    Mesh {
        points: surface.vertices.iter().map(|v| mesh.points[*v as usize]).collect(),
        point_data: mesh.point_data.iter().map(restrict).collect(),
        triangles: surface.triangles,
        ..Mesh::default()
    }
}
