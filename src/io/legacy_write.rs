//! VTK legacy files, version 3.0, binary: an unstructured grid with all arrays as doubles.

use std::io::{self, Write};

use super::vtu_write::write_runs;
use crate::mesh::{DataArray, Kind, Mesh};

/// Writes the cells of the mesh's kind.
pub(crate) fn write(mesh: &Mesh, out: &mut impl Write) -> io::Result<()> {
    let (corners, width, kind): (&[u32], usize, i32) = match mesh.kind() {
        Some(Kind::Solid) => (mesh.tets.as_flattened(), 4, 10),
        Some(Kind::Sheet) => (mesh.triangles.as_flattened(), 3, 5),
        _ => (mesh.edges.as_flattened(), 2, 3),
    };
    let (points, cells) = (mesh.points.len(), corners.len() / width);
    write!(
        out,
        "# vtk DataFile Version 3.0\npliant\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS {points} double\n"
    )?;
    write_runs(out, mesh.points.as_flattened(), f64::to_be_bytes)?;
    write!(out, "\nCELLS {cells} {}\n", corners.len() + cells)?;
    for cell in corners.chunks_exact(width) {
        out.write_all(&(width as i32).to_be_bytes())?;
        write_runs(out, cell, u32::to_be_bytes)?;
    }
    write!(out, "\nCELL_TYPES {cells}\n")?;
    write_runs(out, &vec![kind; cells], i32::to_be_bytes)?;
    write_arrays("POINT_DATA", points, &mesh.point_data, out)?;
    write_arrays("CELL_DATA", cells, &mesh.cell_data, out)
}

fn write_arrays(section: &str, tuples: usize, arrays: &[DataArray], out: &mut impl Write) -> io::Result<()> {
    if arrays.is_empty() {
        return writeln!(out);
    }
    write!(out, "\n{section} {tuples}\nFIELD FieldData {}\n", arrays.len())?;
    for array in arrays {
        writeln!(out, "{} {} {tuples} double", encode(&array.name), array.components)?;
        write_runs(out, &array.values, f64::to_be_bytes)?;
        writeln!(out)?;
    }
    Ok(())
}

/// A name as one word: what would end it is written as VTK does, `%` and two digits.
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
