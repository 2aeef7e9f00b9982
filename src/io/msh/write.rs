//! Writing MSH 4.1 as text: one entity that holds all cells, arrays as `$NodeData` and `$ElementData`.

use std::io::{self, Write};

use crate::mesh::quadratic::nodes;
use crate::mesh::{DataArray, Kind, Mesh};

/// Writes the cells of the mesh's kind.
pub(crate) fn write(mesh: &Mesh, out: &mut impl Write) -> io::Result<()> {
    // Gmsh has the last two middles of edges the other way round.
    let tens = |(tet, [a, b, c, d, e, f]): (&[u32; 4], &[u32; 6])| nodes(*tet, [*a, *b, *c, *d, *f, *e]);
    let ten: Vec<[u32; 10]> = mesh.tets.iter().zip(&mesh.middles).map(tens).collect();
    let (dimension, kind, corners, width): (usize, u32, &[u32], usize) = match mesh.kind() {
        Some(Kind::Solid) if !ten.is_empty() => (3, 11, ten.as_flattened(), 10),
        Some(Kind::Solid) => (3, 4, mesh.tets.as_flattened(), 4),
        Some(Kind::Sheet) => (2, 2, mesh.triangles.as_flattened(), 3),
        _ => (1, 1, mesh.edges.as_flattened(), 2),
    };
    let (points, cells) = (mesh.points.len(), corners.len() / width);
    let [low, high] = mesh.bounds().unwrap_or_default();
    write!(out, "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n")?;
    let count = |d: usize| u32::from(d == dimension);
    writeln!(out, "0 {} {} {}", count(1), count(2), count(3))?;
    let bounds: Vec<String> = low.iter().chain(&high).map(|x| format!("{x:?}")).collect();
    write!(
        out,
        "1 {} 0 0\n$EndEntities\n$Nodes\n1 {points} 1 {points}\n{dimension} 1 0 {points}\n",
        bounds.join(" ")
    )?;
    (1..=points).try_for_each(|number| writeln!(out, "{number}"))?;
    for [x, y, z] in &mesh.points {
        writeln!(out, "{x:?} {y:?} {z:?}")?;
    }
    write!(out, "$EndNodes\n$Elements\n1 {cells} 1 {cells}\n{dimension} 1 {kind} {cells}\n")?;
    for (i, cell) in corners.chunks_exact(width).enumerate() {
        write!(out, "{}", i + 1)?;
        cell.iter().try_for_each(|v| write!(out, " {}", v + 1))?;
        writeln!(out)?;
    }
    writeln!(out, "$EndElements")?;
    mesh.point_data.iter().try_for_each(|array| write_array("NodeData", array, out))?;
    mesh.cell_data.iter().try_for_each(|array| write_array("ElementData", array, out))
}

fn write_array(section: &str, array: &DataArray, out: &mut impl Write) -> io::Result<()> {
    let tuples = array.values.len() / array.components;
    let name: String = array.name.chars().map(|c| if c.is_control() || c == '"' { ' ' } else { c }).collect();
    write!(out, "${section}\n1\n\"{name}\"\n1\n0.0\n3\n0\n{}\n{tuples}\n", array.components)?;
    for (i, tuple) in array.values.chunks_exact(array.components).enumerate() {
        write!(out, "{}", i + 1)?;
        tuple.iter().try_for_each(|value| write!(out, " {value:?}"))?;
        writeln!(out)?;
    }
    writeln!(out, "$End{section}")
}
