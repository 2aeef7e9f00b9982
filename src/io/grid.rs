//! An unstructured grid to be written: points, cells of three kinds and arrays on both, borrowed.
//!
//! VTU and legacy VTK files hold just this. Cells are the tets, then the triangles, then the edges.

use std::io;

use crate::mesh::{DataArray, Kind, Mesh};

/// Values of one array.
#[derive(Clone, Copy, Debug)]
pub enum Data<'a> {
    /// Written as 64 bits, or 32 if the grid says so.
    F64(&'a [f64]),
    /// Written as 32-bit integers.
    I32(&'a [i32]),
    /// Written as bytes.
    U8(&'a [u8]),
}

/// A named array on points or cells.
#[derive(Clone, Copy, Debug)]
pub struct Array<'a> {
    /// Its name.
    pub name: &'a str,
    /// Values per point or cell, at least 1.
    pub components: usize,
    /// The values, tuple after tuple.
    pub data: Data<'a>,
}

/// A grid.
#[derive(Clone, Copy, Debug, Default)]
pub struct Grid<'a> {
    /// Positions.
    pub points: &'a [[f64; 3]],
    /// Its cells.
    pub cells: Cells<'a>,
    /// Arrays with a tuple for every point.
    pub point_arrays: &'a [Array<'a>],
    /// Arrays with a tuple for every cell.
    pub cell_arrays: &'a [Array<'a>],
    /// Field data `TimeValue`, in seconds.
    pub time: Option<f64>,
    /// Write positions and floating-point arrays in single precision.
    pub float32: bool,
}

impl Grid<'_> {
    /// Arrays of the wrong length, or more than 2³¹ points, are [`InvalidInput`](io::ErrorKind::InvalidInput).
    pub fn check(&self) -> io::Result<()> {
        let invalid = |reason| Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        if i32::try_from(self.points.len()).is_err() {
            return invalid(format!("{} points cannot be numbered by 32-bit integers", self.points.len()));
        }
        let on = [(self.point_arrays, self.points.len()), (self.cell_arrays, self.cells.count())];
        for (array, tuples) in on.iter().flat_map(|(arrays, tuples)| arrays.iter().map(move |a| (a, tuples)))
        {
            let length = match array.data {
                Data::F64(v) => v.len(),
                Data::I32(v) => v.len(),
                Data::U8(v) => v.len(),
            };
            if array.components == 0 || length != tuples * array.components {
                let expected = format!("{tuples} × {}", array.components);
                return invalid(format!("array '{}' has {length} values, not {expected}", array.name));
            }
        }
        Ok(())
    }
}

/// Lets `write` have the cells of the mesh's [`Kind`] as a grid, with all arrays.
pub fn with_grid<R>(mesh: &Mesh, write: impl FnOnce(&Grid) -> R) -> R {
    fn array(array: &DataArray) -> Array<'_> {
        Array { name: &array.name, components: array.components, data: Data::F64(&array.values) }
    }
    let kind = mesh.kind();
    let triangles = if kind == Some(Kind::Sheet) { &mesh.triangles[..] } else { &[] };
    let edges = if kind == Some(Kind::Line) { &mesh.edges[..] } else { &[] };
    let [point_arrays, cell_arrays] =
        [&mesh.point_data, &mesh.cell_data].map(|d| d.iter().map(array).collect::<Vec<_>>());
    write(&Grid {
        points: &mesh.points,
        cells: Cells { tets: &mesh.tets, triangles, edges },
        point_arrays: &point_arrays,
        cell_arrays: &cell_arrays,
        ..Grid::default()
    })
}

/// All cells by their points, in the order of the file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cells<'a> {
    /// Tets.
    pub tets: &'a [[u32; 4]],
    /// Triangles.
    pub triangles: &'a [[u32; 3]],
    /// Line segments.
    pub edges: &'a [[u32; 2]],
}

impl Cells<'_> {
    /// How many there are of each number of corners, with VTK's type.
    pub fn groups(&self) -> [(usize, usize, u8); 3] {
        [(self.tets.len(), 4, 10), (self.triangles.len(), 3, 5), (self.edges.len(), 2, 3)]
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.groups().iter().map(|(count, ..)| count).sum()
    }

    /// Corners of all of them.
    pub fn corners(&self) -> usize {
        self.groups().iter().map(|(count, corners, _)| count * corners).sum()
    }

    /// The corners of each kind, one cell after the other.
    pub fn connectivity(&self) -> [&[u32]; 3] {
        [self.tets.as_flattened(), self.triangles.as_flattened(), self.edges.as_flattened()]
    }

    /// The end of each cell in the connectivity.
    pub fn ends(&self) -> Vec<u64> {
        let sizes = self.groups().into_iter().flat_map(|(count, corners, _)| vec![corners as u64; count]);
        let add = |end: &mut u64, size| {
            *end += size;
            Some(*end)
        };
        sizes.scan(0, add).collect()
    }
}
