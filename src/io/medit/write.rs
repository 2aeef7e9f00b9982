//! Writing Medit's text files; references are the arrays `medit:ref`.

use std::io::{self, Write};

use super::REFERENCES;
use crate::mesh::quadratic::nodes;
use crate::mesh::{DataArray, Mesh};

/// The edges, in VTK's order, on which the further nodes of a tet are written one after the other: as Gmsh does.
pub(super) const MIDDLES: [usize; 6] = [0, 1, 2, 3, 4, 5];

/// Writes points, tets, triangles and, if there is nothing else, edges.
pub(crate) fn write(mesh: &Mesh, out: &mut impl Write) -> io::Result<()> {
    let points = references(&mesh.point_data);
    let of_cells = references(&mesh.cell_data);
    write!(out, "MeshVersionFormatted 2\nDimension 3\n\nVertices\n{}\n", mesh.points.len())?;
    for (i, [x, y, z]) in mesh.points.iter().enumerate() {
        writeln!(out, "{x:?} {y:?} {z:?} {}", points(i))?;
    }
    let none = |_: usize| 0;
    let has_tets = !mesh.tets.is_empty();
    if mesh.middles.is_empty() {
        section("Tetrahedra", &mesh.tets, &of_cells, out)?;
    } else {
        let middles = mesh.middles.iter().map(|middles| MIDDLES.map(|edge| middles[edge]));
        let ten: Vec<[u32; 10]> = mesh.tets.iter().zip(middles).map(|(tet, m)| nodes(*tet, m)).collect();
        section("TetrahedraP2", &ten, &of_cells, out)?;
    }
    if has_tets {
        section("Triangles", &mesh.triangles, &none, out)?;
    } else {
        section("Triangles", &mesh.triangles, &of_cells, out)?;
        section("Edges", &mesh.edges, &of_cells, out)?;
    }
    writeln!(out, "\nEnd")
}

fn section<const N: usize>(
    name: &str,
    cells: &[[u32; N]],
    reference: &dyn Fn(usize) -> i64,
    out: &mut impl Write,
) -> io::Result<()> {
    if cells.is_empty() {
        return Ok(());
    }
    write!(out, "\n{name}\n{}\n", cells.len())?;
    for (i, cell) in cells.iter().enumerate() {
        cell.iter().try_for_each(|v| write!(out, "{} ", v + 1))?;
        writeln!(out, "{}", reference(i))?;
    }
    Ok(())
}

/// The references of points or cells, 0 without any.
fn references(arrays: &[DataArray]) -> impl Fn(usize) -> i64 {
    let values = arrays.iter().find(|a| a.name == REFERENCES && a.components == 1).map(|a| a.values.clone());
    move |i| values.as_ref().and_then(|values| values.get(i)).map_or(0, |value| *value as i64)
}
