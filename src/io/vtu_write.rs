//! VTU files with appended data, raw or in compressed blocks, which VTK, ParaView and meshio read exactly and fast.
//!
//! ```text
//! raw:         [bytes] data
//! compressed:  [blocks] [block size] [last block's size, 0 = whole] [compressed size]… block…
//! ```
//!
//! All is little-endian, and numbers of the header are UInt64. The arrays follow each other without padding, and a
//! newline stands right before `</AppendedData>`: meshio depends on both.

use std::io::{self, Write};

use bytemuck::NoUninit;

use super::grid::{Cells, Data, Grid};
use elements::par;

/// The number of values that are converted and written at a time.
const RUN: usize = 1 << 14;

/// The size of a block in bytes; each block is compressed by itself.
const BLOCK: usize = 1 << 16;

/// How arrays are compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// Not at all: the fastest, and the largest files.
    #[default]
    None,
    /// Half the size for twice the time of writing.
    Lz4,
    /// A third of the size for four times the time.
    Zlib,
}

impl Compression {
    fn attribute(self) -> &'static str {
        match self {
            Compression::None => "",
            Compression::Lz4 => " compressor=\"vtkLZ4DataCompressor\"",
            Compression::Zlib => " compressor=\"vtkZLibDataCompressor\"",
        }
    }

    fn pack(self, block: &[u8]) -> Vec<u8> {
        match self {
            Compression::None => block.to_vec(),
            Compression::Lz4 => lz4_flex::block::compress(block),
            Compression::Zlib => {
                let mut encoder = flate2::write::ZlibEncoder::new(vec![], flate2::Compression::fast());
                encoder.write_all(block).and_then(|()| encoder.finish()).expect("memory takes all bytes")
            }
        }
    }
}

/// Writes the file uncompressed. Grids that [`Grid::check`] refuses are [`InvalidInput`](io::ErrorKind::InvalidInput).
pub fn write(grid: &Grid, out: &mut impl Write) -> io::Result<()> {
    write_compressed(grid, Compression::None, out)
}

/// Writes the file with the given compression.
pub fn write_compressed(grid: &Grid, compression: Compression, out: &mut impl Write) -> io::Result<()> {
    grid.check()?;
    let blocks = blocks(grid);
    if compression == Compression::None {
        let sizes: Vec<usize> = blocks.iter().map(|block| 8 + block.bytes()).collect();
        out.write_all(xml(grid, &blocks, &sizes, compression).as_bytes())?;
        for block in blocks {
            out.write_all(&(block.bytes() as u64).to_le_bytes())?;
            block.write(out)?;
        }
    } else {
        let packed = blocks.iter().map(|block| pack(block, compression)).collect::<io::Result<Vec<_>>>()?;
        let sizes: Vec<usize> = packed.iter().map(Vec::len).collect();
        out.write_all(xml(grid, &blocks, &sizes, compression).as_bytes())?;
        packed.iter().try_for_each(|bytes| out.write_all(bytes))?;
    }
    out.write_all(b"\n  </AppendedData>\n</VTKFile>\n")
}

/// An array in compressed blocks, with its header.
fn pack(block: &Block, compression: Compression) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(block.bytes());
    block.write(&mut bytes)?;
    let count = bytes.len().div_ceil(BLOCK);
    let parts = par::map(count, |i| compression.pack(&bytes[i * BLOCK..bytes.len().min((i + 1) * BLOCK)]));
    let header = [count, BLOCK, bytes.len() % BLOCK];
    let words = header.into_iter().chain(parts.iter().map(Vec::len));
    let mut out: Vec<u8> = words.flat_map(|word| (word as u64).to_le_bytes()).collect();
    parts.iter().for_each(|part| out.extend_from_slice(part));
    Ok(out)
}

/// All arrays in the order of the file.
fn blocks<'a>(grid: &Grid<'a>) -> Vec<Block<'a>> {
    let floats = if grid.float32 { Block::F32 } else { Block::F64 };
    let mut blocks = vec![floats(grid.points.as_flattened())];
    let cells = grid.cells;
    blocks.push(Block::Connectivity(cells));
    blocks.push(Block::Offsets { cells, wide: cells.corners() > i32::MAX as usize });
    blocks.push(Block::Types(cells));
    blocks.extend(grid.point_arrays.iter().chain(grid.cell_arrays).map(|array| match array.data {
        Data::F64(values) => floats(values),
        Data::I32(values) => Block::I32(values),
        Data::U8(values) => Block::U8(values),
    }));
    blocks
}

/// The file up to the first appended block.
fn xml(grid: &Grid, blocks: &[Block], sizes: &[usize], compression: Compression) -> String {
    let mut entries = Vec::new();
    let mut offset = 0;
    let arrays = grid.point_arrays.iter().chain(grid.cell_arrays).map(|a| (a.name, a.components));
    let names = [("Points", 3), ("connectivity", 1), ("offsets", 1), ("types", 1)].into_iter().chain(arrays);
    for (((name, components), block), size) in names.zip(blocks).zip(sizes) {
        entries.push(format!(
            "        <DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{components}\" \
             format=\"appended\" offset=\"{offset}\"/>\n",
            block.kind(),
            escape(name)
        ));
        offset += size;
    }
    let (points, rest) = entries.split_at(1);
    let (cells, rest) = rest.split_at(3);
    let (point_data, cell_data) = rest.split_at(grid.point_arrays.len());
    let sections = [("Points", points), ("Cells", cells), ("PointData", point_data), ("CellData", cell_data)];
    let sections: String = sections
        .map(|(tag, entries)| format!("      <{tag}>\n{}      </{tag}>\n", entries.concat()))
        .concat();
    let field = grid.time.map_or(String::new(), |time| {
        format!(
            "    <FieldData>\n      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" \
             format=\"ascii\">{time:?}</DataArray>\n    </FieldData>\n"
        )
    });
    format!(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" \
         byte_order=\"LittleEndian\" header_type=\"UInt64\"{}>\n  <UnstructuredGrid>\n{field}    \
         <Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n{sections}    </Piece>\n  \
         </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n   _",
        compression.attribute(),
        grid.points.len(),
        grid.cells.count()
    )
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
            Block::F64(values) => write_plain(out, values, f64::to_le_bytes),
            Block::F32(values) => write_runs(out, values, |x| (x as f32).to_le_bytes()),
            Block::I32(values) => write_plain(out, values, i32::to_le_bytes),
            Block::U8(values) => out.write_all(values),
            Block::Connectivity(cells) => {
                cells.connectivity().into_iter().try_for_each(|c| write_plain(out, &c, u32::to_le_bytes))
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

/// Writes the bytes of values, without a conversion if the file has the same type.
fn write_plain<T: NoUninit, const N: usize>(
    out: &mut impl Write,
    values: &[T],
    convert: impl Fn(T) -> [u8; N],
) -> io::Result<()> {
    if cfg!(target_endian = "little") {
        out.write_all(bytemuck::cast_slice(values))
    } else {
        write_runs(out, values, convert)
    }
}

/// Converts values to bytes and writes them, a run at a time.
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
