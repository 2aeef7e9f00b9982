//! `pliant convert`: a mesh from one format to another.

use std::path::PathBuf;

use clap::Args;

use crate::error::{Error, Result};
use crate::io;
use crate::mesh::Kind;

/// Arguments of `pliant convert`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  pliant convert bunny.msh bunny.vtu\n  pliant convert scan.stl scan.ply --force\n\nArrays that both \
                  formats can hold are kept; what is left out is told. Of a mesh of tets, .ply, .obj and .stl hold \
                  the boundary."
)]
pub struct ConvertArgs {
    /// The mesh: VTU, VTK, MSH, Medit, TetGen, PLY, OBJ, STL or OFF.
    pub input: PathBuf,
    /// The new file; its extension tells the format: vtu, vtk, msh, mesh, node, ele, ply, obj, stl.
    pub output: PathBuf,
    /// Replace the new file if it exists.
    #[arg(long)]
    pub force: bool,
}

impl ConvertArgs {
    /// Converts, and says what was written and what was left out.
    pub fn run(&self) -> Result<()> {
        io::write_format(&self.output)?;
        if self.output.exists() && !self.force {
            return Err(Error::Usage {
                what: format!("{} exists", self.output.display()),
                hint: "replace it with --force, or choose another name".into(),
            });
        }
        let import = io::import(&self.input)?;
        let notes = io::write(&import.mesh, &self.output)?;
        for (file, note) in (import.notes.iter().map(|note| (&self.input, note)))
            .chain(notes.iter().map(|note| (&self.output, note)))
        {
            tracing::warn!("{}: {note}", file.display());
        }
        let mesh = &import.mesh;
        let cell = mesh.kind().map_or("cell", Kind::cell);
        let counts = format!("{} vertices, {} {cell}s", mesh.points.len(), mesh.cells());
        tracing::info!("read {}: {counts}; wrote {}", self.input.display(), self.output.display());
        Ok(())
    }
}
