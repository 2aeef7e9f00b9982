//! VTK legacy files (`.vtk`), versions 1.0 to 5.1: unstructured grids and polygonal surfaces.
//!
//! Cells come as `n, corners…` rows or, since 5.1, as OFFSETS and CONNECTIVITY. Polygons and strips of a surface are
//! cut into triangles; if there are neither, lines are cut into edges. Cell data of a surface is for vertices, lines,
//! polygons and strips, in this order, wherever these stand in the file.

use super::budget::Budget;
use super::cells::{Cells, POLYGON, POLYLINE, STRIP};
use super::legacy_data::{LegacyData, header_fault};
use super::scanner::Scanner;
use super::{Fault, Import, Parsed};
use crate::mesh::DataArray;

/// Cells as the file stores them: cell `i` has the corners `offsets[i]..offsets[i + 1]`.
#[derive(Default)]
struct RawCells {
    offsets: Vec<usize>,
    corners: Vec<i64>,
}

impl RawCells {
    fn iter(&self) -> impl Iterator<Item = &[i64]> {
        self.offsets.windows(2).map(|w| &self.corners[w[0]..w[1]])
    }
}

/// The data set while it is read.
#[derive(Default)]
struct DataSet {
    surface: bool,
    points: Vec<[f64; 3]>,
    cells: RawCells,
    types: Vec<i64>,
    /// The vertices, lines, polygons and strips of a surface.
    polygonal: [RawCells; 4],
    point_data: Vec<DataArray>,
    cell_data: Vec<DataArray>,
    /// The number of tuples that the `CELL_DATA` line announced.
    cell_tuples: usize,
}

/// Whether the attributes that follow belong to points or cells.
#[derive(Clone, Copy)]
enum Target {
    Nothing,
    Points(usize),
    Cells(usize),
}

/// Parses a whole file.
pub(crate) fn parse(bytes: &[u8]) -> Parsed<Import> {
    let mut data = header(bytes)?;
    let mut set = DataSet::default();
    let mut target = Target::Nothing;
    while let Some(word) = data.scanner.word() {
        let keyword = String::from_utf8_lossy(word).to_ascii_uppercase();
        match keyword.as_str() {
            "DATASET" => set.surface = is_surface(&mut data)?,
            "METADATA" => data.skip_metadata(),
            "POINTS" => set.points = points(&mut data)?,
            "CELLS" => set.cells = cells(&mut data)?,
            "CELL_TYPES" => {
                let count = data.count("the number of cell types")?;
                data.end_header_line();
                set.types = data.integers(count, "int", "a cell type")?;
            }
            "VERTICES" => set.polygonal[0] = cells(&mut data)?,
            "LINES" => set.polygonal[1] = cells(&mut data)?,
            "POLYGONS" => set.polygonal[2] = cells(&mut data)?,
            "TRIANGLE_STRIPS" => set.polygonal[3] = cells(&mut data)?,
            "POINT_DATA" => {
                let count = data.count("the number of points")?;
                if count != set.points.len() {
                    let reason = format!("data for {count} points, but there are {}", set.points.len());
                    return Err(data.scanner.fault(reason));
                }
                target = Target::Points(count);
            }
            "CELL_DATA" => {
                set.cell_tuples = data.count("the number of cells")?;
                target = Target::Cells(set.cell_tuples);
            }
            _ => attributes(&mut data, &keyword, target, &mut set)?,
        }
    }
    set.into_mesh(&Budget::of(bytes))
}

/// The first three lines: version, title, ASCII or BINARY.
fn header(bytes: &[u8]) -> Parsed<LegacyData<'_>> {
    let mut scanner = Scanner::new(bytes, false);
    if !scanner.rest_of_line().to_ascii_lowercase().starts_with(b"# vtk datafile version") {
        return Err(header_fault(1, "the file does not begin with '# vtk DataFile Version'"));
    }
    scanner.rest_of_line();
    let binary = match scanner.word().map(<[u8]>::to_ascii_uppercase).as_deref() {
        Some(b"ASCII") => false,
        Some(b"BINARY") => true,
        _ => return Err(header_fault(3, "neither ASCII nor BINARY")),
    };
    Ok(LegacyData { scanner, binary })
}

fn is_surface(data: &mut LegacyData) -> Parsed<bool> {
    let kind = data.scanner.text("the kind of the data set")?;
    match kind.to_ascii_uppercase().as_str() {
        "UNSTRUCTURED_GRID" => Ok(false),
        "POLYDATA" => Ok(true),
        _ => Err(data.scanner.fault(format!("the file holds {kind}, not UNSTRUCTURED_GRID or POLYDATA"))),
    }
}

fn points(data: &mut LegacyData) -> Parsed<Vec<[f64; 3]>> {
    let count = data.count("the number of points")?;
    if u32::try_from(count).is_err() {
        return Err(data.scanner.fault(format!("{count} points are more than can be numbered")));
    }
    let kind = data.scanner.text("a data type")?;
    data.end_header_line();
    Ok(data.floats(count * 3, &kind, "a coordinate")?.as_chunks().0.to_vec())
}

fn cells(data: &mut LegacyData) -> Parsed<RawCells> {
    let first = data.count("the number of cells")?;
    let second = data.count("the size of the cell list")?;
    data.end_header_line();
    let split = if data.binary {
        data.scanner.rest().starts_with(b"OFFSETS")
    } else {
        data.scanner.peek() == Some(b"OFFSETS")
    };
    if split { split_cells(data, first, second) } else { row_cells(data, first, second) }
}

/// Reads cells of version 5.1: `OFFSETS type`, one more than there are cells, and `CONNECTIVITY type`.
fn split_cells(data: &mut LegacyData, offsets: usize, corners: usize) -> Parsed<RawCells> {
    data.scanner.word();
    let kind = data.scanner.text("a data type")?;
    data.end_header_line();
    let offsets = data.integers(offsets, &kind, "a cell offset")?;
    let keyword = data.scanner.text("CONNECTIVITY")?;
    if keyword != "CONNECTIVITY" {
        return Err(data.scanner.fault(format!("'{keyword}' where CONNECTIVITY should be")));
    }
    let kind = data.scanner.text("a data type")?;
    data.end_header_line();
    let corners = data.integers(corners, &kind, "a cell corner")?;
    let increasing = offsets.windows(2).all(|w| w[0] <= w[1]);
    let in_range = offsets.iter().all(|&o| o >= 0 && o as u64 <= corners.len() as u64);
    if !increasing || !in_range {
        return Err(Fault::new("OFFSETS", format!("they do not ascend from 0 to {}", corners.len())));
    }
    Ok(RawCells { offsets: offsets.iter().map(|&o| o as usize).collect(), corners })
}

/// Reads cells of earlier versions: rows of `n, corner…`.
fn row_cells(data: &mut LegacyData, count: usize, size: usize) -> Parsed<RawCells> {
    let rows = data.integers(size, "int", "a cell corner")?;
    let mut cells = RawCells { offsets: vec![0], corners: Vec::with_capacity(rows.len()) };
    let mut rest = &rows[..];
    for i in 0..count {
        let row = rest.split_first().and_then(|(&n, tail)| tail.split_at_checked(usize::try_from(n).ok()?));
        let Some((corners, tail)) = row else {
            return Err(Fault::new(
                "CELLS",
                format!("cell {i} does not fit into the list of {size} numbers"),
            ));
        };
        cells.corners.extend_from_slice(corners);
        cells.offsets.push(cells.corners.len());
        rest = tail;
    }
    Ok(cells)
}

/// Reads a field or another attribute for the points or cells that the last `POINT_DATA` or `CELL_DATA` line named.
fn attributes(data: &mut LegacyData, keyword: &str, target: Target, set: &mut DataSet) -> Parsed<()> {
    let tuples = match target {
        Target::Points(n) | Target::Cells(n) => n,
        Target::Nothing => 0,
    };
    let arrays = if keyword == "FIELD" {
        data.field(tuples)?
    } else {
        data.attribute(keyword, tuples)?.into_iter().collect()
    };
    match target {
        Target::Points(_) => set.point_data.extend(arrays),
        Target::Cells(_) => set.cell_data.extend(arrays),
        Target::Nothing => {}
    }
    Ok(())
}

impl DataSet {
    fn into_mesh(self, budget: &Budget) -> Parsed<Import> {
        let points = self.points.len();
        let mut cells = Cells::default();
        if self.surface {
            for (group, kind) in self.polygonal.iter().zip([1, POLYLINE, POLYGON, STRIP]) {
                for corners in group.iter() {
                    cells.push_polygonal(kind, corners, points)?;
                }
            }
        } else {
            let count = self.cells.iter().count();
            if self.types.len() != count {
                let reason = format!("{} cell types for {count} cells", self.types.len());
                return Err(Fault::new("CELL_TYPES", reason));
            }
            for (&kind, corners) in self.types.iter().zip(self.cells.iter()) {
                cells.push(kind, corners, 0, points)?;
            }
        }
        if !self.cell_data.is_empty() && self.cell_tuples != cells.count() {
            let reason = format!("data for {} cells, but there are {}", self.cell_tuples, cells.count());
            return Err(Fault::new("CELL_DATA", reason));
        }
        cells.into_mesh(self.points, self.point_data, self.cell_data, budget)
    }
}
