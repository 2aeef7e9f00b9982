//! An unstructured grid to be written: points, cells of three kinds and arrays on both, borrowed.
//!
//! VTU and legacy VTK files hold just this. Cells are the tets, then the triangles, then the edges.

use std::io;

use super::single;
use crate::mesh::{DataArray, Kind, Mesh};

/// Values of one array.
#[derive(Clone, Copy, Debug)]
pub enum Data<'a> {
    /// Numbers that are written with 64 bits, or with 32 if the grid says so.
    F64(&'a [f64]),
    /// Numbers that are written as 32-bit integers.
    I32(&'a [i32]),
    /// Numbers that are written as bytes.
    U8(&'a [u8]),
}

/// A named array on points or cells.
#[derive(Clone, Copy, Debug)]
pub struct Array<'a> {
    /// The name of the array in the file.
    pub name: &'a str,
    /// The number of values per point or cell, at least 1.
    pub components: usize,
    /// The values, tuple after tuple.
    pub data: Data<'a>,
}

/// A grid to be written: points, cells and arrays.
#[derive(Clone, Copy, Debug, Default)]
pub struct Grid<'a> {
    /// The positions of all points.
    pub points: &'a [[f64; 3]],
    /// The cells of all kinds.
    pub cells: Cells<'a>,
    /// Arrays with a tuple for every point.
    pub point_arrays: &'a [Array<'a>],
    /// Arrays with a tuple for every cell.
    pub cell_arrays: &'a [Array<'a>],
    /// The time in s, written as the field data `TimeValue`.
    pub time: Option<f64>,
    /// If true, positions and floating-point arrays are written in single precision.
    pub float32: bool,
}

impl Grid<'_> {
    /// Checks the grid. Arrays of the wrong length, more than 2³¹ points, or numbers that are too large for single
    /// precision if that is written, are [`InvalidInput`](io::ErrorKind::InvalidInput).
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
            if let (Data::F64(values), true) = (array.data, self.float32) {
                let name = |e: io::Error| io::Error::new(e.kind(), format!("array '{}': {e}", array.name));
                single::check(values.iter().copied()).map_err(name)?;
            }
        }
        if self.float32 { single::check(self.points.as_flattened().iter().copied()) } else { Ok(()) }
    }
}

/// Calls `write` with the cells of the mesh's [`Kind`] as a grid, with all arrays.
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
    /// Tetrahedra by their four points.
    pub tets: &'a [[u32; 4]],
    /// Triangles by their three points.
    pub triangles: &'a [[u32; 3]],
    /// Line segments by their two points.
    pub edges: &'a [[u32; 2]],
}

impl Cells<'_> {
    /// For each kind of cells: how many there are, their number of corners, and VTK's type.
    pub fn groups(&self) -> [(usize, usize, u8); 3] {
        [(self.tets.len(), 4, 10), (self.triangles.len(), 3, 5), (self.edges.len(), 2, 3)]
    }

    /// The number of all cells.
    pub fn count(&self) -> usize {
        self.groups().iter().map(|(count, ..)| count).sum()
    }

    /// The number of corners of all cells.
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
