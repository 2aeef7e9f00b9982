//! TetGen's pair of text files: `.node` (points) and `.ele` (tets).
//!
//! Either file may be named; the other stands beside it. Rows are numbered from 0 or 1, as the first point is. Arrays
//! have the names that meshio gives them: point attributes `tetgen:attr1` …, boundary markers and the region attribute
//! `tetgen:ref`. Tets may have 10 nodes (`tetgen -o2`); which of the further six is on which edge is seen from where they
//! are, since other writers of this format number them differently.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::scanner::Scanner;
use super::{Fault, Parsed, extension};
use crate::error::{Action, Error, Result};
use crate::fs::Pending;
use crate::mesh::{DataArray, Mesh, quadratic};

/// The edges, in VTK's order, on which TetGen has the further nodes of a tet one after the other.
const MIDDLES: [usize; 6] = [5, 3, 0, 1, 4, 2];

/// Reads the pair that `path` belongs to; `bytes` is the content of `path`.
pub(crate) fn read(path: &Path, bytes: &[u8]) -> Result<Mesh> {
    let given_nodes = extension(path) == "node";
    let companion = companion(path, if given_nodes { "ele" } else { "node" });
    let other = std::fs::read(&companion).map_err(|e| Error::io(Action::ReadOther, &companion, e))?;
    let ((node_path, node), (ele_path, ele)) = if given_nodes {
        ((path, bytes), (companion.as_path(), &other[..]))
    } else {
        ((companion.as_path(), &other[..]), (path, bytes))
    };
    let nodes = parse_nodes(node).map_err(|fault| fault.at(node_path))?;
    parse_tets(ele, nodes).map_err(|fault| fault.at(ele_path))
}

/// The two files that are written for `path`.
pub(super) fn pair(path: &Path) -> Vec<PathBuf> {
    ["node", "ele"].map(|extension| companion(path, extension)).to_vec()
}

/// The `path` with another extension, in the case of the original extension.
fn companion(path: &Path, extension: &str) -> PathBuf {
    let upper = path.extension().is_some_and(|e| e.to_string_lossy().chars().all(|c| c.is_ascii_uppercase()));
    path.with_extension(if upper { extension.to_ascii_uppercase() } else { extension.to_owned() })
}

/// The content of a `.node` file.
pub(crate) struct Nodes {
    points: Vec<[f64; 3]>,
    /// The number of the first point: 0 or 1.
    base: i64,
    data: Vec<DataArray>,
}

/// Parses a `.node` file: `count dimension attributes markers`, then `number x y z attributes… marker`.
pub(crate) fn parse_nodes(bytes: &[u8]) -> Parsed<Nodes> {
    let mut scanner = Scanner::new(bytes, true);
    let count = scanner.count("the number of points", 4)?;
    let dimension = scanner.integer("the dimension")?;
    if dimension != 3 {
        return Err(scanner.fault(format!("the dimension is {dimension}, not 3")));
    }
    let attributes = small(&mut scanner, "the number of point attributes")?;
    let markers = small(&mut scanner, "the number of boundary markers (0 or 1)")?;
    let extra = attributes + markers;
    scanner.check_text(count.saturating_mul(4 + extra), "points")?;
    let mut nodes =
        Nodes { points: Vec::with_capacity(count), base: 0, data: named_arrays(attributes, markers) };
    for i in 0..count {
        let number = scanner.integer("a point number")?;
        if i == 0 && (number == 0 || number == 1) {
            nodes.base = number;
        }
        check_number(&scanner, number, nodes.base, i)?;
        let mut point = [0.0; 3];
        for x in &mut point {
            *x = scanner.float("a coordinate")?;
        }
        nodes.points.push(point);
        for array in &mut nodes.data {
            array.values.push(scanner.float("a point attribute or marker")?);
        }
    }
    Ok(nodes)
}

/// Parses an `.ele` file: `count corners attributes`, then `number corners… attributes…`.
pub(crate) fn parse_tets(bytes: &[u8], nodes: Nodes) -> Parsed<Mesh> {
    let mut scanner = Scanner::new(bytes, true);
    let count = scanner.count("the number of tetrahedra", 5)?;
    let corners = scanner.integer("the number of nodes per tetrahedron")?;
    if corners != 4 && corners != 10 {
        return Err(scanner.fault(format!("tetrahedra with {corners} nodes: only 4 and 10 are known")));
    }
    let attributes = small(&mut scanner, "the number of region attributes")?;
    scanner.check_text(count.saturating_mul(1 + corners as usize + attributes), "tetrahedra")?;
    let (mut tets, mut middles) = (Vec::with_capacity(count), vec![]);
    let mut cell_data = named_arrays(attributes.saturating_sub(1), attributes.min(1));
    cell_data.rotate_right(attributes.min(1));
    for i in 0..count {
        // TetGen numbers tets like points, but nothing refers to these numbers.
        scanner.integer("a tetrahedron number")?;
        let mut tet = [0; 10];
        for slot in &mut tet[..corners as usize] {
            let number = scanner.integer("a point number")?;
            let index = usize::try_from(number.saturating_sub(nodes.base)).ok();
            let Some(index) = index.filter(|&v| v < nodes.points.len()) else {
                let range = nodes.base..nodes.base + nodes.points.len() as i64;
                let reason = format!(
                    "tetrahedron {i} uses point {number}, not in {} to {}",
                    range.start,
                    range.end - 1
                );
                return Err(scanner.fault(reason));
            };
            *slot = index as u32;
        }
        let [a, b, c, d, further @ ..] = tet;
        tets.push([a, b, c, d]);
        if corners == 10 {
            middles.push(further);
        }
        for array in &mut cell_data {
            array.values.push(scanner.float("a region attribute")?);
        }
    }
    quadratic::sort_middles(&nodes.points, &tets, &mut middles, MIDDLES);
    Ok(Mesh { points: nodes.points, tets, middles, point_data: nodes.data, cell_data, ..Mesh::default() })
}

/// True if [`write`] keeps an array. It keeps only arrays with the names above, since the files hold no names.
pub(super) fn holds(array: &DataArray) -> bool {
    array.components == 1 && (array.name == "tetgen:ref" || array.name.starts_with("tetgen:attr"))
}

/// Writes the pair that `path` belongs to, numbered from 0: both files, or none.
pub(super) fn write(mesh: &Mesh, path: &Path) -> Result<()> {
    let kept = |arrays: &'_ [DataArray]| -> Vec<DataArray> {
        let (mut kept, markers): (Vec<_>, Vec<_>) =
            arrays.iter().filter(|a| holds(a)).cloned().partition(|a| a.name != "tetgen:ref");
        kept.extend(markers);
        kept
    };
    let points = kept(&mesh.point_data);
    let markers = usize::from(points.last().is_some_and(|a| a.name == "tetgen:ref"));
    let mut regions = kept(&mesh.cell_data);
    // The region comes first among the attributes of tets, by which it is recognized when the file is read.
    let has_region = regions.last().is_some_and(|a| a.name == "tetgen:ref");
    regions.rotate_right(usize::from(has_region));
    let (node, ele) = (companion(path, "node"), companion(path, "ele"));
    let node = Pending::write(&node, |out| {
        writeln!(out, "{} 3 {} {markers}", mesh.points.len(), points.len() - markers)?;
        for (i, [x, y, z]) in mesh.points.iter().enumerate() {
            write!(out, "{i} {x:?} {y:?} {z:?}")?;
            points.iter().try_for_each(|array| write!(out, " {}", array.values[i]))?;
            writeln!(out)?;
        }
        Ok(())
    })?;
    let ele = Pending::write(&ele, |out| {
        let nodes = if mesh.middles.is_empty() { 4 } else { 10 };
        writeln!(out, "{} {nodes} {}", mesh.tets.len(), regions.len())?;
        for (i, [a, b, c, d]) in mesh.tets.iter().enumerate() {
            write!(out, "{i} {a} {b} {c} {d}")?;
            if let Some(middles) = mesh.middles.get(i) {
                MIDDLES.iter().try_for_each(|edge| write!(out, " {}", middles[*edge]))?;
            }
            regions.iter().try_for_each(|array| write!(out, " {}", array.values[i]))?;
            writeln!(out)?;
        }
        Ok(())
    })?;
    Pending::place_all(vec![node, ele])
}

fn check_number(scanner: &Scanner, number: i64, base: i64, index: usize) -> Parsed<()> {
    let expected = base + index as i64;
    if number == expected {
        return Ok(());
    }
    let fault: Fault = scanner.fault(format!("point number {number} where {expected} should be"));
    Err(fault.hint("points are numbered in order, from 0 or 1"))
}

/// The next word as a number of columns, which must be small, so that a damaged file does not ask for endless ones.
fn small(scanner: &mut Scanner, expected: &str) -> Parsed<usize> {
    let value = scanner.integer(expected)?;
    match usize::try_from(value) {
        Ok(n) if n <= 1000 => Ok(n),
        _ => Err(scanner.fault(format!("{expected} is {value}"))),
    }
}

fn named_arrays(attributes: usize, markers: usize) -> Vec<DataArray> {
    let array = |name: String| DataArray { name, components: 1, values: Vec::new() };
    let attributes = (1..=attributes).map(|i| array(format!("tetgen:attr{i}")));
    attributes.chain((0..markers.min(1)).map(|_| array("tetgen:ref".into()))).collect()
}
