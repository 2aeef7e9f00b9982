//! `pliant convert`: a mesh from one format to another.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::repair::RepairArgs;
use crate::error::{Error, Result};
use crate::io;
use crate::mesh::repair::repair;
use crate::mesh::{Kind, Mesh, quadratic};

/// Arguments of `pliant convert`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  pliant convert bunny.msh bunny.vtu\n  pliant convert scan.stl scan.ply --force\n  \
                  pliant convert scan.stl clean.ply --repair --fill-holes all\n\nArrays that both \
                  formats can hold are kept; what is left out is told. Of a mesh of tets, .ply, .obj and .stl hold \
                  the boundary."
)]
pub struct ConvertArgs {
    /// The mesh, in any format that can be read.
    #[arg(help = format!("The mesh: {}", io::Format::names()))]
    pub input: PathBuf,
    /// The new file; its extension tells the format: vtu, vtk, msh, mesh, node, ele, ply, obj, stl.
    pub output: PathBuf,
    /// Replace the new file if it exists.
    #[arg(long)]
    pub force: bool,
    /// Make a closed, oriented surface of triangles that nearly are one.
    #[arg(long)]
    pub repair: bool,
    /// Give tets ten nodes, with new ones half-way on their edges, or their corners alone.
    #[arg(long, value_enum, value_name = "KIND")]
    pub element: Option<ElementKind>,
    /// The flags that say how to repair.
    #[command(flatten)]
    pub repair_args: RepairArgs,
}

/// What `--element` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ElementKind {
    /// Tets with four corners
    Linear,
    /// Tets with ten nodes
    Quadratic,
}

impl ConvertArgs {
    /// Converts the mesh, and prints what was written and what was left out.
    pub fn run(&self) -> Result<()> {
        io::write_format(&self.output)?;
        refuse_existing(&self.output, self.force)?;
        if !self.repair && self.repair_args.is_given() {
            return Err(Error::Usage {
                what: "a flag of the repair without --repair".into(),
                hint: "add --repair".into(),
            });
        }
        let mut import = io::import(&self.input)?;
        if self.repair {
            import.mesh = self.repaired(import.mesh)?;
        }
        if let Some(kind) = self.element {
            self.change_element(kind, &mut import.mesh)?;
        }
        let notes = io::write(&import.mesh, &self.output)?;
        for (file, note) in (import.notes.iter().map(|note| (&self.input, note)))
            .chain(notes.iter().map(|note| (&self.output, note)))
        {
            tracing::warn!(code = "mesh", file = %file.display(), "{}: {note}", file.display());
        }
        let mesh = &import.mesh;
        let cell = mesh.kind().map_or("cell", Kind::cell);
        let counts = format!("{} vertices, {} {cell}s", mesh.points.len(), mesh.cells());
        tracing::info!("read {}; wrote {}: {counts}", self.input.display(), self.output.display());
        Ok(())
    }

    fn refuse<T>(&self, reason: &str, hint: &str) -> Result<T> {
        let subject = self.input.display().to_string();
        Err(Error::Mesh { subject, reason: reason.into(), hint: hint.into() })
    }

    fn change_element(&self, kind: ElementKind, mesh: &mut Mesh) -> Result<()> {
        if mesh.kind() != Some(Kind::Solid) {
            return self.refuse("only tets are linear or quadratic", "leave --element out");
        }
        match kind {
            ElementKind::Quadratic if mesh.middles.is_empty() => quadratic::promote(mesh),
            ElementKind::Quadratic => {}
            ElementKind::Linear => quadratic::demote(mesh),
        }
        Ok(())
    }

    /// The repaired mesh; messages tell what was repaired.
    fn repaired(&self, mesh: Mesh) -> Result<Mesh> {
        if mesh.kind() != Some(Kind::Sheet) {
            return self.refuse("only triangles can be repaired", "leave --repair out");
        }
        let (mesh, report) = repair(mesh, &self.repair_args.options());
        for line in report.to_string().lines() {
            tracing::info!("{}: {line}", self.input.display());
        }
        if mesh.triangles.is_empty() {
            return self.refuse("no triangle is left after the repair", "none of them has an area");
        }
        Ok(mesh)
    }
}

/// Refuses to write over existing files, also over the second one of formats with two, unless that was asked for.
pub(super) fn refuse_existing(output: &Path, force: bool) -> Result<()> {
    let existing = io::written_files(output).into_iter().find(|file| file.exists() && !force);
    existing.map_or(Ok(()), |file| {
        Err(Error::Usage {
            what: format!("{} exists", file.display()),
            hint: "replace it with --force, or choose another name".into(),
        })
    })
}
