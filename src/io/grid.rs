//! An unstructured grid to be written: points, cells of three kinds and arrays on both, borrowed.
//!
//! VTU and legacy VTK files hold just this. Cells are the tets, then the triangles, then the edges.

use std::borrow::Cow;
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
    let middles: Vec<Option<[u32; 6]>> = mesh.middles.iter().copied().map(Some).collect();
    let edges = if kind == Some(Kind::Line) { &mesh.edges[..] } else { &[] };
    let [point_arrays, cell_arrays] =
        [&mesh.point_data, &mesh.cell_data].map(|d| d.iter().map(array).collect::<Vec<_>>());
    write(&Grid {
        points: &mesh.points,
        cells: Cells { tets: &mesh.tets, middles: &middles, triangles, edges },
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
    /// The further six points of tets that are quadratic; empty if none is.
    pub middles: &'a [Option<[u32; 6]>],
    /// Triangles by their three points.
    pub triangles: &'a [[u32; 3]],
    /// Line segments by their two points.
    pub edges: &'a [[u32; 2]],
}

impl Cells<'_> {
    /// The tets in runs of the same kind.
    fn runs(&self) -> impl Iterator<Item = (usize, bool)> {
        let is_quadratic = |t: usize| self.middles.get(t).is_some_and(Option::is_some);
        let kinds: Vec<bool> = (0..self.tets.len()).map(is_quadratic).collect();
        let mut runs = vec![];
        for same in kinds.chunk_by(|a, b| a == b) {
            runs.push((same.len(), same[0]));
        }
        runs.into_iter()
    }

    /// For each group of cells: how many there are, their number of corners, and VTK's type.
    pub fn groups(&self) -> Vec<(usize, usize, u8)> {
        let tets =
            self.runs().map(|(count, quadratic)| if quadratic { (count, 10, 24) } else { (count, 4, 10) });
        tets.chain([(self.triangles.len(), 3, 5), (self.edges.len(), 2, 3)]).collect()
    }

    /// The number of all cells.
    pub fn count(&self) -> usize {
        self.groups().iter().map(|(count, ..)| count).sum()
    }

    /// The number of corners of all cells.
    pub fn corners(&self) -> usize {
        self.groups().iter().map(|(count, corners, _)| count * corners).sum()
    }

    /// The corners of the cells of each group, one cell after the other.
    pub fn connectivity(&self) -> Vec<Cow<'_, [u32]>> {
        let (mut out, mut first) = (vec![], 0);
        for (count, quadratic) in self.runs() {
            let tets = &self.tets[first..first + count];
            let ten = |(tet, middles): (&[u32; 4], &Option<[u32; 6]>)| {
                [&tet[..], middles.as_ref().map_or(&[], |m| &m[..])].concat()
            };
            out.push(match quadratic {
                false => Cow::Borrowed(tets.as_flattened()),
                true => Cow::Owned(tets.iter().zip(&self.middles[first..]).flat_map(ten).collect()),
            });
            first += count;
        }
        out.extend([self.triangles.as_flattened(), self.edges.as_flattened()].map(Cow::Borrowed));
        out
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
