//! Mesh files: one file per format, and the enum that knows them all.
//!
//! Readers look at the content first (a VTU named `.vtk` is still a VTU), check every count against the
//! bytes that are there before they reserve memory, and every index before they use it: a damaged file is
//! an error that names the place, never a panic. Writers write beside the target and rename.

pub mod atomic;
mod cells;
mod legacy_data;
mod legacy_read;
mod medit;
mod numeric;
pub mod ply;
pub mod pvd;
mod scanner;
mod tetgen;
mod vtu_data;
mod vtu_read;
pub mod vtu_write;

use std::path::Path;

use crate::mesh::Mesh;
use crate::mesh::surface::SurfaceMap;
use crate::{Error, Result};

/// A mesh format that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// VTK XML unstructured grid.
    Vtu,
    /// VTK legacy file: unstructured grid or polygons, text or binary.
    VtkLegacy,
    /// Medit text file.
    Medit,
    /// TetGen's pair of `.node` and `.ele`.
    TetGen,
}

impl Format {
    /// All of them.
    pub const ALL: [Format; 4] = [Format::Vtu, Format::VtkLegacy, Format::Medit, Format::TetGen];

    /// What users call it.
    pub fn name(self) -> &'static str {
        match self {
            Format::Vtu => "VTU",
            Format::VtkLegacy => "VTK legacy",
            Format::Medit => "Medit",
            Format::TetGen => "TetGen",
        }
    }

    /// Its file name extensions, in lower case.
    pub fn extensions(self) -> &'static [&'static str] {
        match self {
            Format::Vtu => &["vtu"],
            Format::VtkLegacy => &["vtk"],
            Format::Medit => &["mesh", "meshb"],
            Format::TetGen => &["node", "ele"],
        }
    }

    /// The format that a file name promises.
    pub fn of_path(path: &Path) -> Option<Format> {
        let extension = extension(path);
        Format::ALL.into_iter().find(|f| f.extensions().contains(&extension.as_str()))
    }

    /// The format that a file's first bytes show, where they show one.
    pub fn sniff(bytes: &[u8]) -> Option<Format> {
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
        let starts = |word: &[u8]| text.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word));
        if starts(b"<?xml") || starts(b"<VTKFile") {
            Some(Format::Vtu)
        } else if starts(b"# vtk DataFile") {
            Some(Format::VtkLegacy)
        } else if starts(b"MeshVersionFormatted") {
            Some(Format::Medit)
        } else {
            None
        }
    }
}

/// Reads a mesh file of any known format. The mesh has at least one tet, triangle or edge, and all corners are in
/// range; whether it can be simulated is for [`prepare`](crate::mesh::prepare::prepare) to say.
pub fn read(path: &Path) -> Result<Mesh> {
    let bytes = std::fs::read(path).map_err(|e| Error::io("read", path, e))?;
    let Some(format) = Format::sniff(&bytes).or_else(|| Format::of_path(path)) else {
        let all = Format::ALL.iter().flat_map(|f| f.extensions()).copied();
        let known: Vec<&str> = all.filter(|extension| *extension != "meshb").collect();
        let fault = Fault::new("", "neither the name nor the content belongs to a known mesh format");
        return Err(fault.hint(format!("readable are .{}", known.join(", ."))).at(path));
    };
    let mesh = match format {
        Format::Vtu => vtu_read::parse(&bytes).map_err(|fault| fault.at(path))?,
        Format::VtkLegacy => legacy_read::parse(&bytes).map_err(|fault| fault.at(path))?,
        Format::Medit => medit::parse(&bytes).map_err(|fault| fault.at(path))?,
        Format::TetGen => tetgen::read(path, &bytes)?,
    };
    if mesh.kind().is_none() {
        return Err(
            Fault::new("", "the file holds no tetrahedra and no triangles, and no edges alone").at(path)
        );
    }
    Ok(mesh)
}

/// A mesh format that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteFormat {
    /// VTK XML unstructured grid.
    Vtu,
    /// Binary PLY: the surface only.
    Ply,
}

/// The format that [`write()`] would use for `path`, or why it cannot: ask before the work.
pub fn write_format(path: &Path) -> Result<WriteFormat> {
    match extension(path).as_str() {
        "vtu" => Ok(WriteFormat::Vtu),
        "ply" => Ok(WriteFormat::Ply),
        other => {
            let reason = match other {
                "" => "the name has no extension to tell the format by".to_owned(),
                other => format!("'.{other}' cannot be written"),
            };
            Err(Fault::new("", reason).hint("writable are .vtu, .ply").at(path))
        }
    }
}

/// Writes a mesh in the format of the path's extension, whole or not at all.
///
/// VTU holds the cells of the mesh's [`Kind`](crate::mesh::Kind) with all data arrays as Float64; triangles
/// beside tets are left out, because cell arrays have no values for them. PLY holds the boundary of the
/// tets, or the triangles, or the edges, with the vertices that they use.
pub fn write(mesh: &Mesh, path: &Path) -> Result<()> {
    match write_format(path)? {
        WriteFormat::Vtu => atomic::write_atomically(path, |out| vtu_write::write_mesh(mesh, out)),
        WriteFormat::Ply => {
            let surface = SurfaceMap::of_mesh(mesh);
            let frame = ply::PlyFrame { points: &mesh.points, surface: &surface, float32: false };
            atomic::write_atomically(path, |out| frame.write(out))
        }
    }
}

fn extension(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

/// What is wrong inside a file; becomes an [`Error`] when the path is known.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    place: String,
    reason: String,
    hint: String,
}

/// What parsers return.
pub(crate) type Parsed<T> = Result<T, Fault>;

impl Fault {
    fn new(place: impl Into<String>, reason: impl Into<String>) -> Self {
        Fault { place: place.into(), reason: reason.into(), hint: String::new() }
    }

    fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    fn at(self, path: &Path) -> Error {
        Error::Format { path: path.to_owned(), place: self.place, reason: self.reason, hint: self.hint }
    }
}

#[cfg(test)]
mod tests;
