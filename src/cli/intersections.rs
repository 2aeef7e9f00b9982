//! A file that shows the surfaces that intersect where a scene starts, beside the directory of its run.

use std::path::{Path, PathBuf};

use crate::error::intersecting::Intersecting;
use crate::error::{Action, Error, Result};
use crate::fs::write_atomically;
use crate::io::grid::{Array, Cells, Data, Grid};
use crate::io::vtu_write;
use crate::scene::Scene;

/// The result of preparing or running a scene. If it was refused because surfaces intersect, these are written to
/// `DIR-intersections.vtu`, DIR being the scene's run directory, and the error names that file.
pub fn shown<T>(result: Result<T>, scene: &Scene) -> Result<T> {
    let Err(Error::Intersecting { subject, mut reason, hint, found }) = result else { return result };
    if let Some(path) = beside(&scene.output.dir) {
        match write(&found, &path) {
            Ok(()) => reason += &format!("; {} shows the surfaces that do", path.display()),
            Err(error) => tracing::warn!("the surfaces that intersect cannot be shown: {error}"),
        }
    }
    Err(Error::Intersecting { subject, reason, hint, found })
}

/// The path of the file for a run directory; `None` if that has no name.
fn beside(dir: &Path) -> Option<PathBuf> {
    let mut name = dir.file_name()?.to_os_string();
    name.push("-intersections.vtu");
    Some(dir.with_file_name(name))
}

fn write(found: &Intersecting, path: &Path) -> Result<()> {
    let array = |name, values| Array { name, components: 1, data: Data::I32(values) };
    let grid = Grid {
        points: &found.points,
        cells: Cells { triangles: &found.triangles, edges: &found.edges, ..Cells::default() },
        cell_arrays: &[array("body_id", &found.body_ids), array("pair", &found.pairs)],
        ..Grid::default()
    };
    if let Some(dir) = path.parent() {
        std::fs::create_dir_all(dir).map_err(|e| Error::io(Action::CreateDirectory, dir, e))?;
    }
    write_atomically(path, |out| vtu_write::write(&grid, out))
}
