//! Mesh files: one file per format, and the enum of all formats.
//!
//! A reader is one file with a `parse`, which its tests hold against damaged content (`check_reader`), and a variant of
//! [`Format`] with its arms below.
//!
//! Readers look at the content first (a VTU named `.vtk` is still a VTU), check every count against the
//! bytes that are there before they reserve memory, and every index before they use it: a damaged file is
//! an error that names the place, never a panic. What becomes larger than its bytes in the file is paid for out of a
//! [`budget`]. Writers write beside the target and rename.
//!
//! Positions over time are in point caches ([`point_cache`]) or in numbered meshes ([`numbered`]).

pub mod budget;
mod cells;
mod export;
mod gltf;
pub mod grid;
mod inp;
mod legacy_data;
mod legacy_read;
pub mod legacy_write;
mod medit;
mod msh;
pub mod numbered;
mod numeric;
mod obj;
pub mod obj_faces;
pub mod obj_frame;
mod off;
pub mod ply;
mod ply_read;
pub mod point_cache;
pub mod pvd;
mod scanner;
pub mod single;
mod split;
pub mod stl;
pub mod stored;
mod tetgen;
mod vtu_data;
mod vtu_read;
pub mod vtu_write;

pub use export::{WriteFormat, write, write_format, written_files};

use std::path::Path;

use crate::error::{Action, Error, Result};
use crate::mesh::Mesh;

/// A mesh format that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// VTK XML unstructured grid.
    Vtu,
    /// VTK legacy file: unstructured grid or polygons, text or binary.
    VtkLegacy,
    /// Medit's files, text or binary.
    Medit,
    /// TetGen's pair of `.node` and `.ele`.
    TetGen,
    /// Stanford's PLY, text or binary.
    Ply,
    /// Wavefront's OBJ text files.
    Obj,
    /// STL, text or binary.
    Stl,
    /// Geomview's OFF.
    Off,
    /// Gmsh's MSH, text or binary.
    Msh,
    /// Input files of Abaqus and CalculiX.
    Inp,
    /// glTF 2.0, as JSON or binary.
    Gltf,
}

impl Format {
    /// All formats that can be read.
    pub const ALL: [Format; 11] = [
        Format::Vtu,
        Format::VtkLegacy,
        Format::Medit,
        Format::TetGen,
        Format::Ply,
        Format::Obj,
        Format::Stl,
        Format::Off,
        Format::Msh,
        Format::Inp,
        Format::Gltf,
    ];

    /// The usual name of the format.
    pub fn name(self) -> &'static str {
        match self {
            Format::Vtu => "VTU",
            Format::VtkLegacy => "VTK legacy",
            Format::Medit => "Medit",
            Format::TetGen => "TetGen",
            Format::Ply => "PLY",
            Format::Obj => "OBJ",
            Format::Stl => "STL",
            Format::Off => "OFF",
            Format::Msh => "MSH",
            Format::Inp => "INP",
            Format::Gltf => "glTF",
        }
    }

    /// Its file name extensions, in lower case.
    pub fn extensions(self) -> &'static [&'static str] {
        match self {
            Format::Vtu => &["vtu"],
            Format::VtkLegacy => &["vtk"],
            Format::Medit => &["mesh", "meshb"],
            Format::TetGen => &["node", "ele"],
            Format::Ply => &["ply"],
            Format::Obj => &["obj"],
            Format::Stl => &["stl"],
            Format::Off => &["off"],
            Format::Msh => &["msh"],
            Format::Inp => &["inp"],
            Format::Gltf => &["gltf", "glb"],
        }
    }

    /// The names of all formats that can be read, for messages.
    pub fn names() -> String {
        Format::ALL.map(Format::name).join(", ")
    }

    /// The format that the extension of a file name stands for.
    pub fn of_path(path: &Path) -> Option<Format> {
        let extension = extension(path);
        Format::ALL.into_iter().find(|f| f.extensions().contains(&extension.as_str()))
    }

    /// The format that a file's content shows, if it shows one beyond doubt.
    pub fn sniff(bytes: &[u8]) -> Option<Format> {
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
        let starts = |word: &[u8]| text.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word));
        if starts(b"<?xml") || starts(b"<VTKFile") {
            Some(Format::Vtu)
        } else if starts(b"# vtk DataFile") {
            Some(Format::VtkLegacy)
        } else if starts(b"MeshVersionFormatted") || medit::is_binary(bytes) {
            Some(Format::Medit)
        } else if msh::is_msh(text) {
            Some(Format::Msh)
        } else if starts(b"ply\n") || starts(b"ply\r") || starts(b"ply ") {
            Some(Format::Ply)
        } else if gltf::is_gltf(bytes, text) {
            Some(Format::Gltf)
        } else if inp::is_inp(text) {
            Some(Format::Inp)
        } else if off::is_off(text) {
            Some(Format::Off)
        } else if stl::is_stl(bytes) {
            Some(Format::Stl)
        } else {
            None
        }
    }
}

/// The beginning of notes on cells that a mesh cannot have, so that a body is not the whole of what its file has.
pub(crate) const CELLS_LEFT_OUT: &str = "cells left out";

/// A mesh that was read, and notes about data of the file that it does not hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Import {
    /// The mesh as it was read.
    pub mesh: Mesh,
    /// Notes about what was left out, a sentence each.
    pub notes: Vec<String>,
}

impl From<Mesh> for Import {
    fn from(mesh: Mesh) -> Import {
        Import { mesh, notes: vec![] }
    }
}

/// Reads a mesh file of any known format. The mesh has at least one tet, triangle or edge, and all corners are in
/// range. [`prepare`](crate::mesh::prepare::prepare) decides whether it can be simulated.
pub fn read(path: &Path) -> Result<Mesh> {
    import(path).map(|import| import.mesh)
}

/// Like [`read`], with notes about what was left out.
pub fn import(path: &Path) -> Result<Import> {
    let bytes = std::fs::read(path).map_err(|e| Error::io(Action::Read, path, e))?;
    let named = Format::of_path(path);
    let Some(format) = Format::sniff(&bytes).or(named).or(obj::is_obj(&bytes).then_some(Format::Obj)) else {
        let all = Format::ALL.iter().flat_map(|f| f.extensions()).copied();
        let known: Vec<&str> = all.collect();
        let fault = Fault::new("", "neither the name nor the content belongs to a known mesh format");
        let hint = format!("readable are .{}", known.join(", ."));
        // Modellers save these, which have a format of their own or are scenes of all kinds of things.
        let is_scene = ["fbx", "blend", "usd", "usda", "usdc", "usdz", "abc", "dae", "3ds", "max", "c4d"]
            .contains(&extension(path).as_str());
        let hint = if is_scene { format!("save it as .glb or .obj; {hint}") } else { hint };
        return Err(fault.hint(hint).at(path));
    };
    let import: Parsed<Import> = match format {
        Format::Vtu => vtu_read::parse(&bytes),
        Format::VtkLegacy => legacy_read::parse(&bytes),
        Format::Medit => medit::parse(&bytes).map(Into::into),
        Format::TetGen => return tetgen::read(path, &bytes).map(Into::into),
        Format::Ply => ply_read::parse(&bytes),
        Format::Obj => obj::parse(&bytes),
        Format::Stl => stl::parse(&bytes),
        Format::Off => off::parse(&bytes),
        Format::Msh => msh::parse(&bytes),
        Format::Inp => inp::parse(&bytes),
        Format::Gltf => gltf::parse(&bytes, path.parent()),
    };
    let import = import.map_err(|fault| fault.at(path))?;
    if import.mesh.kind().is_none() {
        return Err(
            Fault::new("", "the file holds no tetrahedra and no triangles, and no edges alone").at(path)
        );
    }
    Ok(import)
}

/// Text with line ends as on Unix: files of old Macs have carriage returns alone.
fn unix_lines(bytes: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    if bytes.contains(&b'\n') || !bytes.contains(&b'\r') {
        return bytes.into();
    }
    bytes.iter().map(|b| if *b == b'\r' { b'\n' } else { *b }).collect::<Vec<u8>>().into()
}

fn extension(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

/// A defect of a file's content; it becomes an [`Error`] when the path is known.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    place: String,
    reason: String,
    hint: String,
}

/// The result of a parser.
pub(crate) type Parsed<T> = Result<T, Fault>;

impl Fault {
    fn new(place: impl Into<String>, reason: impl Into<String>) -> Self {
        Fault { place: place.into(), reason: reason.into(), hint: String::new() }
    }

    fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    /// The fault at a place that whoever found it did not know.
    fn within(mut self, place: impl Into<String>) -> Self {
        self.place = place.into();
        self
    }

    fn at(self, path: &Path) -> Error {
        Error::Format { path: path.to_owned(), place: self.place, reason: self.reason, hint: self.hint }
    }
}

impl From<String> for Fault {
    fn from(reason: String) -> Fault {
        Fault::new("", reason)
    }
}

#[cfg(test)]
mod tests;
