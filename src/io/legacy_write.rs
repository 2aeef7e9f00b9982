//! VTK legacy files, version 3.0, binary: an unstructured grid with its arrays.
//!
//! The time is the field data `TimeValue`, as in VTK; ParaView reads times from a `.vtk.series` beside the files.

use std::io::{self, Write};

use super::grid::{Array, Data, Grid};
use super::vtu_write::write_runs;

/// Writes a grid as a binary file.
pub fn write(grid: &Grid, out: &mut impl Write) -> io::Result<()> {
    grid.check()?;
    let (points, cells) = (grid.points.len(), grid.cells.count());
    write!(out, "# vtk DataFile Version 3.0\npliant\nBINARY\nDATASET UNSTRUCTURED_GRID\n")?;
    if let Some(time) = grid.time {
        write!(out, "FIELD FieldData 1\nTimeValue 1 1 double\n")?;
        out.write_all(&time.to_be_bytes())?;
        writeln!(out)?;
    }
    writeln!(out, "POINTS {points} {}", if grid.float32 { "float" } else { "double" })?;
    write_floats(grid.points.as_flattened(), grid.float32, out)?;
    write!(out, "\nCELLS {cells} {}\n", grid.cells.corners() + cells)?;
    for (corners, (_, width, _)) in grid.cells.connectivity().into_iter().zip(grid.cells.groups()) {
        let with_width = corners.chunks_exact(width).flat_map(|cell| [&[width as u32], cell].concat());
        write_runs(out, &with_width.collect::<Vec<u32>>(), u32::to_be_bytes)?;
    }
    write!(out, "\nCELL_TYPES {cells}\n")?;
    for (count, _, kind) in grid.cells.groups() {
        write_runs(out, &vec![i32::from(kind); count], i32::to_be_bytes)?;
    }
    write_arrays("POINT_DATA", points, grid.point_arrays, grid.float32, out)?;
    write_arrays("CELL_DATA", cells, grid.cell_arrays, grid.float32, out)
}

fn write_floats(values: &[f64], float32: bool, out: &mut impl Write) -> io::Result<()> {
    if float32 {
        return write_runs(out, values, |x| (x as f32).to_be_bytes());
    }
    write_runs(out, values, f64::to_be_bytes)
}

fn write_arrays(
    section: &str,
    tuples: usize,
    arrays: &[Array],
    float32: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    if arrays.is_empty() {
        return writeln!(out);
    }
    write!(out, "\n{section} {tuples}\nFIELD FieldData {}\n", arrays.len())?;
    for array in arrays {
        let kind = match array.data {
            Data::F64(_) if float32 => "float",
            Data::F64(_) => "double",
            Data::I32(_) => "int",
            Data::U8(_) => "unsigned_char",
        };
        writeln!(out, "{} {} {tuples} {kind}", encode(array.name), array.components)?;
        match array.data {
            Data::F64(values) => write_floats(values, float32, out)?,
            Data::I32(values) => write_runs(out, values, i32::to_be_bytes)?,
            Data::U8(values) => out.write_all(values)?,
        }
        writeln!(out)?;
    }
    Ok(())
}

/// A name as one word: characters that would end it are written as VTK does, as `%` and two digits.
fn encode(name: &str) -> String {
    let mut out = String::new();
    for byte in name.bytes() {
        match byte {
            b'"' | b'%' | 0..=b' ' | 127.. => out += &format!("%{byte:02X}"),
            _ => out.push(byte as char),
        }
    }
    if out.is_empty() { "_".into() } else { out }
}
