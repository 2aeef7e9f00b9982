//! Gmsh's MSH files: versions 1, 2.x, 4.0 and 4.1, text and binary in both byte orders.
//!
//! Nodes have arbitrary numbers, which become indices in the order of the file. Elements of other kinds than tets,
//! triangles and lines are skipped; of triangles and lines of higher order, and of tets of more than ten nodes, the
//! corners are used. The cell arrays `gmsh:physical` and
//! `gmsh:geometrical` (the names that meshio gives them) hold groups and entities. `$NodeData` and `$ElementData`
//! become arrays of their name, with NaN where they have no value.

mod new;
mod old;
mod source;
mod write;

pub(crate) use write::write;

use std::collections::HashMap;

use super::budget::Budget;
use super::cells::{Cells, QUADRATIC_TET};
use super::{Fault, Import, Parsed};
use crate::mesh::DataArray;
use source::Source;

/// The kinds of elements by Gmsh's numbers: VTK's kind, and the number of nodes. Further kinds are not used.
const KINDS: [(i64, i64, usize); 23] = [
    (1, 3, 2),
    (2, 5, 3),
    (3, 9, 4),
    (4, 10, 4),
    (5, 12, 8),
    (6, 13, 6),
    (7, 14, 5),
    (8, 21, 3),
    (9, 22, 6),
    (10, 23, 9),
    (11, 24, 10),
    (12, 25, 27),
    (13, 13, 18),
    (14, 14, 14),
    (15, 1, 1),
    (16, 23, 8),
    (17, 25, 20),
    (18, 13, 15),
    (19, 14, 13),
    (20, 22, 9),
    (21, 22, 10),
    (26, 21, 4),
    (29, 10, 20),
];

/// VTK's kind and the number of nodes of a Gmsh type.
fn kind(number: i64, source: &Source) -> Parsed<(i64, usize)> {
    let found = KINDS.iter().find(|(gmsh, ..)| *gmsh == number).map(|(_, vtk, nodes)| (*vtk, *nodes));
    found.ok_or_else(|| source.fault(format!("elements of Gmsh's type {number} are not known")))
}

/// The content of the file that has been read.
#[derive(Default)]
struct Contents {
    points: Vec<[f64; 3]>,
    /// The index of each node by its number in the file.
    nodes: HashMap<i64, usize>,
    cells: Cells,
    /// The index of each element by its number in the file.
    elements: HashMap<i64, usize>,
    physical: Vec<f64>,
    geometrical: Vec<f64>,
    point_data: Vec<DataArray>,
    cell_data: Vec<DataArray>,
    /// The physical group of an entity, by dimension and number.
    entities: HashMap<(i64, i64), i64>,
}

impl Contents {
    fn push_node(&mut self, number: i64, point: [f64; 3]) {
        self.nodes.insert(number, self.points.len());
        self.points.push(point);
    }

    fn push_element(&mut self, number: i64, kind: i64, nodes: &[i64], tags: [i64; 2]) -> Parsed<()> {
        let corner = |node: &i64| match self.nodes.get(node) {
            Some(index) => Ok(*index as i64),
            None => Err(Fault::new(
                format!("element {number}"),
                format!("uses node {node}, which does not exist"),
            )),
        };
        let mut corners = nodes.iter().map(corner).collect::<Parsed<Vec<i64>>>()?;
        if kind == QUADRATIC_TET && corners.len() == 10 {
            // Gmsh has the middle of the edge between the corners 2 and 3 before that between 1 and 3.
            corners.swap(8, 9);
        }
        self.elements.insert(number, self.cells.count());
        self.cells.push(kind, &corners, 0, self.points.len())?;
        self.physical.push(tags[0] as f64);
        self.geometrical.push(tags[1] as f64);
        Ok(())
    }

    fn into_mesh(self, budget: &Budget) -> Parsed<Import> {
        let mut cell_data = self.cell_data;
        for (name, values) in [("gmsh:physical", self.physical), ("gmsh:geometrical", self.geometrical)] {
            // An array in which all cells have the same entity says nothing.
            let least = if name == "gmsh:physical" { 0.0 } else { values.first().copied().unwrap_or(0.0) };
            if values.iter().any(|v| *v != least) {
                cell_data.push(DataArray { name: name.into(), components: 1, values });
            }
        }
        self.cells.into_mesh(self.points, self.point_data, cell_data, budget)
    }
}

/// True if the first bytes show an MSH file.
pub(crate) fn is_msh(text: &[u8]) -> bool {
    [&b"$MeshFormat"[..], b"$NOD", b"$Comments", b"$PhysicalNames"].iter().any(|word| text.starts_with(word))
}

/// Parses a whole file.
pub(crate) fn parse(bytes: &[u8]) -> Parsed<Import> {
    let mut source = Source::new(bytes);
    let (mut contents, mut version, budget) = (Contents::default(), None, Budget::of(bytes));
    while let Some(section) = source.section()? {
        let known = version.ok_or(());
        match (section.as_str(), known) {
            ("MeshFormat", _) => version = Some(format(&mut source)?),
            ("NOD", _) => old::nodes(&mut source, &mut contents)?,
            ("ELM", _) => old::first_elements(&mut source, &mut contents)?,
            ("Nodes" | "Elements" | "Entities", Err(())) => {
                return Err(source.fault(format!("${section} before $MeshFormat")));
            }
            ("Nodes", Ok(version)) if version < 4.0 => old::nodes(&mut source, &mut contents)?,
            ("Elements", Ok(version)) if version < 4.0 => old::elements(&mut source, &mut contents)?,
            ("Nodes", Ok(version)) => new::nodes(&mut source, version, &mut contents)?,
            ("Elements", Ok(version)) => new::elements(&mut source, version, &mut contents)?,
            ("Entities", Ok(version)) if version >= 4.0 => {
                new::entities(&mut source, version, &mut contents)?;
            }
            ("NodeData", Ok(_)) => data(&mut source, &mut contents, true, &budget)?,
            ("ElementData", Ok(_)) => data(&mut source, &mut contents, false, &budget)?,
            _ => source.skip(&section)?,
        }
        source.end(&section)?;
    }
    contents.into_mesh(&budget)
}

fn format(source: &mut Source) -> Parsed<f64> {
    let version = source.scanner.float("the version")?;
    let binary = source.scanner.integer("the file type")? != 0;
    let size = source.scanner.integer("the size of numbers")?;
    if !(2.0..5.0).contains(&version) {
        return Err(source
            .fault(format!("version {version} of MSH is not known"))
            .hint("known are 1, 2, 4.0 and 4.1"));
    }
    if binary {
        if size != 8 {
            return Err(source.fault(format!("numbers of {size} bytes")));
        }
        source.scanner.rest_of_line();
        source.detect_order()?;
    }
    Ok(version)
}

/// Reads `$NodeData` or `$ElementData`: string, real and integer tags, then a number and values for each item.
fn data(source: &mut Source, contents: &mut Contents, of_nodes: bool, budget: &Budget) -> Parsed<()> {
    let mut name = String::new();
    for i in 0..source.scanner.count("the number of string tags", 1)? {
        source.scanner.peek();
        let line = source.scanner.rest_of_line();
        if i == 0 {
            name = String::from_utf8_lossy(line).trim().trim_matches('"').to_owned();
        }
    }
    for _ in 0..source.scanner.count("the number of real tags", 1)? {
        source.scanner.float("a real tag")?;
    }
    let mut tags = vec![];
    for _ in 0..source.scanner.count("the number of integer tags", 1)? {
        tags.push(source.scanner.integer("an integer tag")?);
    }
    let (Some(&components), Some(&count)) = (tags.get(1), tags.get(2)) else {
        return Err(source.fault("fewer than three integer tags"));
    };
    let components = usize::try_from(components).ok().filter(|n| (1..=9).contains(n));
    let Some(components) = components else { return Err(source.fault("values of more than 9 components")) };
    let (places, total) = if of_nodes {
        (&contents.nodes, contents.points.len())
    } else {
        (&contents.elements, contents.cells.count())
    };
    source.begin_binary();
    let count = source.check_count(count, 4 + 8 * components, 1 + components)?;
    // A section has values for few items, but its array has one for each.
    budget
        .charge_numbers(total.saturating_mul(components))
        .map_err(|cause| cause.within(source.scanner.place()))?;
    let mut values = vec![f64::NAN; total * components];
    for _ in 0..count {
        let place = places.get(&source.int("a number")?);
        for k in 0..components {
            let value = source.double("a value")?;
            if let Some(place) = place {
                values[place * components + k] = value;
            }
        }
    }
    let array = DataArray { name, components, values };
    if of_nodes {
        contents.point_data.push(array);
    } else {
        contents.cell_data.push(array);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
