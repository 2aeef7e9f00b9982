//! A frame of a run as its VTU file holds it: cells of every kind, and arrays over all of them.
//!
//! [`read`](super::read) gives the mesh of a file: the cells of the highest dimension. A frame has solids, sheets and
//! lines side by side, and its arrays have values for all of them.

use std::path::Path;

use super::vtu_read::parse_grid;
use crate::error::{Action, Error, Result};
use crate::mesh::DataArray;

/// Points, cells and arrays of a VTU file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredGrid {
    /// Positions in the file's order and unit.
    pub points: Vec<[f64; 3]>,
    /// Tetrahedra by their four points.
    pub tets: Vec<[u32; 4]>,
    /// Triangles by their three points.
    pub triangles: Vec<[u32; 3]>,
    /// Line segments by their two points.
    pub edges: Vec<[u32; 2]>,
    /// Arrays with a tuple per point.
    pub point_data: Vec<DataArray>,
    /// Arrays with a tuple per cell, in the order of the file's cells, whatever their kind.
    pub cell_data: Vec<DataArray>,
}

impl StoredGrid {
    /// Reads a VTU file. Corners are in range, and arrays have a tuple for each point or cell.
    pub fn read(path: &Path) -> Result<StoredGrid> {
        let bytes = std::fs::read(path).map_err(|e| Error::io(Action::Read, path, e))?;
        parse_grid(&bytes).map_err(|fault| fault.at(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::grid::{Array, Cells, Data, Grid};
    use crate::io::vtu_write;

    #[test]
    fn cells_of_every_kind_keep_their_values() {
        let points: Vec<[f64; 3]> = (0..6).map(|i| [f64::from(i), 0.5, f64::from(i * i)]).collect();
        let values = [1.0, 2.0, 3.0];
        let frame = Grid {
            points: &points,
            cells: Cells { tets: &[[0, 1, 2, 3]], middles: &[], triangles: &[[1, 2, 3]], edges: &[[4, 5]] },
            point_arrays: &[],
            cell_arrays: &[Array { name: "det_f", components: 1, data: Data::F64(&values) }],
            time: None,
            float32: false,
        };
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.vtu");
        crate::fs::write_atomically(&path, |out| vtu_write::write(&frame, out)).unwrap();
        let grid = StoredGrid::read(&path).unwrap();
        assert_eq!((grid.points, grid.edges), (points, vec![[4, 5]]));
        assert_eq!(grid.cell_data[0].values, values);
        std::fs::write(&path, "<VTKFile").unwrap();
        assert!(StoredGrid::read(&path).unwrap_err().to_string().contains("a.vtu"));
    }
}
