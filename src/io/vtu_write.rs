//! VTU files with raw appended data: what VTK, ParaView and meshio read exactly and fast.
//!
//! Little-endian, UInt64 headers, no compression. The blocks follow each other without padding, and a
//! newline stands right before `</AppendedData>`: meshio depends on both.

use std::io::{self, Write};

use crate::mesh::{DataArray, Kind, Mesh};

/// Values of one array.
#[derive(Clone, Copy, Debug)]
pub enum Data<'a> {
    /// Written as Float64, or Float32 if the frame says so.
    F64(&'a [f64]),
    /// Written as Int32.
    I32(&'a [i32]),
    /// Written as UInt8.
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

/// One grid to be written. Its cells are the tets, then the triangles, then the edges.
#[derive(Clone, Copy, Debug, Default)]
pub struct VtuFrame<'a> {
    /// Positions.
    pub points: &'a [[f64; 3]],
    /// Tets by point.
    pub tets: &'a [[u32; 4]],
    /// Triangles by point.
    pub triangles: &'a [[u32; 3]],
    /// Line segments by point.
    pub edges: &'a [[u32; 2]],
    /// Arrays with a tuple for every point.
    pub point_arrays: &'a [Array<'a>],
    /// Arrays with a tuple for every cell.
    pub cell_arrays: &'a [Array<'a>],
    /// Field data `TimeValue`, in seconds.
    pub time: Option<f64>,
    /// Write positions and floating-point arrays as Float32.
    pub float32: bool,
}

/// Bytes are converted and handed on in runs of this many values.
const RUN: usize = 1 << 14;

impl VtuFrame<'_> {
    /// Writes the file. Arrays of the wrong length, or more than 2³¹ points, are
    /// [`InvalidInput`](io::ErrorKind::InvalidInput).
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        self.check()?;
        let blocks = self.blocks();
        out.write_all(self.xml(&blocks).as_bytes())?;
        for block in blocks {
            out.write_all(&(block.bytes() as u64).to_le_bytes())?;
            block.write(out)?;
        }
        out.write_all(b"\n  </AppendedData>\n</VTKFile>\n")
    }

    fn cells(&self) -> usize {
        self.tets.len() + self.triangles.len() + self.edges.len()
    }

    fn check(&self) -> io::Result<()> {
        if i32::try_from(self.points.len()).is_err() {
            return Err(invalid(format!("{} points cannot be numbered by Int32", self.points.len())));
        }
        let on = [(self.point_arrays, self.points.len()), (self.cell_arrays, self.cells())];
        for (array, tuples) in on.iter().flat_map(|(arrays, tuples)| arrays.iter().map(move |a| (a, tuples)))
        {
            let length = match array.data {
                Data::F64(v) => v.len(),
                Data::I32(v) => v.len(),
                Data::U8(v) => v.len(),
            };
            if array.components == 0 || length != tuples * array.components {
                let expected = format!("{tuples} × {}", array.components);
                return Err(invalid(format!("array '{}' has {length} values, not {expected}", array.name)));
            }
        }
        Ok(())
    }

    /// All arrays in the order of the file.
    fn blocks(&self) -> Vec<Block<'_>> {
        let floats = if self.float32 { Block::F32 } else { Block::F64 };
        let mut blocks = vec![floats(self.points.as_flattened())];
        let cells = Cells { tets: self.tets, triangles: self.triangles, edges: self.edges };
        blocks.push(Block::Connectivity(cells));
        blocks.push(Block::Offsets { cells, wide: cells.corners() > i32::MAX as usize });
        blocks.push(Block::Types(cells));
        blocks.extend(self.point_arrays.iter().chain(self.cell_arrays).map(|array| match array.data {
            Data::F64(values) => floats(values),
            Data::I32(values) => Block::I32(values),
            Data::U8(values) => Block::U8(values),
        }));
        blocks
    }

    /// The file up to the first appended block.
    fn xml(&self, blocks: &[Block]) -> String {
        let mut entries = Vec::new();
        let mut offset = 0;
        let arrays = self.point_arrays.iter().chain(self.cell_arrays).map(|a| (a.name, a.components));
        let names =
            [("Points", 3), ("connectivity", 1), ("offsets", 1), ("types", 1)].into_iter().chain(arrays);
        for ((name, components), block) in names.zip(blocks) {
            entries.push(format!(
                "        <DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{components}\" \
                 format=\"appended\" offset=\"{offset}\"/>\n",
                block.kind(),
                escape(name)
            ));
            offset += 8 + block.bytes();
        }
        let (points, rest) = entries.split_at(1);
        let (cells, rest) = rest.split_at(3);
        let (point_data, cell_data) = rest.split_at(self.point_arrays.len());
        let sections =
            [("Points", points), ("Cells", cells), ("PointData", point_data), ("CellData", cell_data)];
        let sections: String = sections
            .map(|(tag, entries)| format!("      <{tag}>\n{}      </{tag}>\n", entries.concat()))
            .concat();
        let field = self.time.map_or(String::new(), |time| {
            format!(
                "    <FieldData>\n      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" \
                 format=\"ascii\">{time:?}</DataArray>\n    </FieldData>\n"
            )
        });
        format!(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" \
             byte_order=\"LittleEndian\" header_type=\"UInt64\">\n  <UnstructuredGrid>\n{field}    \
             <Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n{sections}    </Piece>\n  \
             </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n   _",
            self.points.len(),
            self.cells()
        )
    }
}

/// Writes a mesh as [`super::write()`] describes it.
pub fn write_mesh(mesh: &Mesh, out: &mut impl Write) -> io::Result<()> {
    fn array(array: &DataArray) -> Array<'_> {
        Array { name: &array.name, components: array.components, data: Data::F64(&array.values) }
    }
    let kind = mesh.kind();
    let triangles = if kind == Some(Kind::Sheet) { &mesh.triangles[..] } else { &[] };
    let edges = if kind == Some(Kind::Line) { &mesh.edges[..] } else { &[] };
    let [point_arrays, cell_arrays] =
        [&mesh.point_data, &mesh.cell_data].map(|d| d.iter().map(array).collect::<Vec<_>>());
    let frame = VtuFrame {
        points: &mesh.points,
        tets: &mesh.tets,
        triangles,
        edges,
        point_arrays: &point_arrays,
        cell_arrays: &cell_arrays,
        ..VtuFrame::default()
    };
    frame.write(out)
}

/// All cells, in the order of the file.
#[derive(Clone, Copy)]
struct Cells<'a> {
    tets: &'a [[u32; 4]],
    triangles: &'a [[u32; 3]],
    edges: &'a [[u32; 2]],
}

impl Cells<'_> {
    /// How many there are of each number of corners, with VTK's type.
    fn groups(&self) -> [(usize, usize, u8); 3] {
        [(self.tets.len(), 4, 10), (self.triangles.len(), 3, 5), (self.edges.len(), 2, 3)]
    }

    fn count(&self) -> usize {
        self.groups().iter().map(|(count, ..)| count).sum()
    }

    fn corners(&self) -> usize {
        self.groups().iter().map(|(count, corners, _)| count * corners).sum()
    }

    /// The end of each cell in the connectivity.
    fn ends(&self) -> Vec<u64> {
        let sizes = self.groups().into_iter().flat_map(|(count, corners, _)| vec![corners as u64; count]);
        let add = |end: &mut u64, size| {
            *end += size;
            Some(*end)
        };
        sizes.scan(0, add).collect()
    }
}

/// The content of one appended block.
enum Block<'a> {
    F64(&'a [f64]),
    F32(&'a [f64]),
    I32(&'a [i32]),
    U8(&'a [u8]),
    Connectivity(Cells<'a>),
    Offsets { cells: Cells<'a>, wide: bool },
    Types(Cells<'a>),
}

impl Block<'_> {
    fn kind(&self) -> &'static str {
        match self {
            Block::F64(_) => "Float64",
            Block::F32(_) => "Float32",
            Block::I32(_) | Block::Connectivity(_) | Block::Offsets { wide: false, .. } => "Int32",
            Block::Offsets { wide: true, .. } => "Int64",
            Block::U8(_) | Block::Types(_) => "UInt8",
        }
    }

    fn bytes(&self) -> usize {
        match *self {
            Block::F64(values) => 8 * values.len(),
            Block::F32(values) => 4 * values.len(),
            Block::I32(values) => 4 * values.len(),
            Block::U8(values) => values.len(),
            Block::Connectivity(cells) => 4 * cells.corners(),
            Block::Offsets { cells, wide } => cells.count() * if wide { 8 } else { 4 },
            Block::Types(cells) => cells.count(),
        }
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        match *self {
            Block::F64(values) => write_runs(out, values, f64::to_le_bytes),
            Block::F32(values) => write_runs(out, values, |x| (x as f32).to_le_bytes()),
            Block::I32(values) => write_runs(out, values, i32::to_le_bytes),
            Block::U8(values) => out.write_all(values),
            Block::Connectivity(cells) => {
                write_runs(out, cells.tets.as_flattened(), u32::to_le_bytes)?;
                write_runs(out, cells.triangles.as_flattened(), u32::to_le_bytes)?;
                write_runs(out, cells.edges.as_flattened(), u32::to_le_bytes)
            }
            Block::Offsets { cells, wide } => {
                let ends = cells.ends();
                if wide {
                    write_runs(out, &ends, u64::to_le_bytes)
                } else {
                    write_runs(out, &ends, |end| (end as u32).to_le_bytes())
                }
            }
            Block::Types(cells) => {
                cells.groups().into_iter().try_for_each(|(count, _, kind)| out.write_all(&vec![kind; count]))
            }
        }
    }
}

/// Converts values to bytes, a run at a time.
pub(super) fn write_runs<T: Copy, const N: usize>(
    out: &mut impl Write,
    values: &[T],
    convert: impl Fn(T) -> [u8; N],
) -> io::Result<()> {
    let mut buffer = vec![[0; N]; RUN.min(values.len())];
    for run in values.chunks(RUN) {
        for (bytes, &value) in buffer.iter_mut().zip(run) {
            *bytes = convert(value);
        }
        out.write_all(buffer[..run.len()].as_flattened())?;
    }
    Ok(())
}

/// Text for an XML attribute; characters that XML cannot hold become U+FFFD.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push_str(&format!("&#{};", c as u32)),
            '\0'..'\x20' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

fn invalid(reason: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, reason)
}
