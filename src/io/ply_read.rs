//! Reading PLY: text and both byte orders, any properties.
//!
//! Vertices are the element `vertex`. Faces are the list `vertex_indices` (or `vertex_index`) of `face`, or strips in
//! `tristrips`, where −1 begins a new one. Edges are `vertex1` and `vertex2` of `edge`. Other numbers of vertices, faces
//! and edges become arrays of their name; `nx ny nz` together become `normal`, and `s t`, `u v` or `texture_u texture_v`
//! become `uv`. Other lists and elements are skipped, which is reported.

use super::budget::Budget;
use super::numeric::Scalar;
use super::scanner::Scanner;
use super::{Fault, Import, Parsed, unix_lines};
use crate::mesh::polygon::Cutter;
use crate::mesh::{DataArray, Mesh};

/// A property of an element.
struct Property {
    name: String,
    scalar: Scalar,
    /// The type of a list's length; `None` if the property is not a list.
    length: Option<Scalar>,
}

struct Element {
    name: String,
    count: usize,
    properties: Vec<Property>,
}

/// The source of numbers.
enum Body<'a> {
    Text(Scanner<'a>),
    Binary(Scanner<'a>, bool),
}

impl Body<'_> {
    fn number(&mut self, scalar: Scalar, what: &str) -> Parsed<f64> {
        match self {
            Body::Text(scanner) => scanner.float(what),
            Body::Binary(scanner, big) => Ok(scalar.floats(scanner.bytes(scalar.size(), what)?, *big)[0]),
        }
    }

    /// Refuses an element with more rows than the remaining bytes can hold.
    fn check(&self, element: &Element) -> Parsed<()> {
        let sizes = element.properties.iter().map(|p| p.length.unwrap_or(p.scalar).size());
        // As text, a row without properties is an empty line.
        let (scanner, row) = match self {
            Body::Text(scanner) => (scanner, (2 * element.properties.len()).max(1)),
            Body::Binary(scanner, _) => (scanner, sizes.sum()),
        };
        if element.count.saturating_mul(row) > scanner.remaining().saturating_add(1) {
            let (name, count) = (&element.name, element.count);
            let reason = format!("{count} × '{name}' do not fit into the {} bytes left", scanner.remaining());
            return Err(scanner.fault(reason).hint("the file may be truncated"));
        }
        Ok(())
    }

    fn is_binary(&self) -> bool {
        matches!(self, Body::Binary(..))
    }

    /// Ends a row. Each row is one line, whatever else some programs write there.
    fn end_row(&mut self) {
        if let Body::Text(scanner) = self {
            scanner.rest_of_line();
        }
    }

    fn fault(&self, reason: String) -> Fault {
        match self {
            Body::Text(scanner) => scanner.fault(reason),
            Body::Binary(scanner, _) => {
                Fault::new(format!("{} bytes before the end", scanner.remaining()), reason)
            }
        }
    }
}

/// Parses a whole file.
pub(crate) fn parse(bytes: &[u8]) -> Parsed<Import> {
    let bytes = bytes.trim_ascii_start();
    let end = b"end_header";
    let header = bytes.windows(end.len()).position(|window| window == end);
    let Some(header) = header.filter(|_| bytes.starts_with(b"ply")) else {
        return Err(Fault::new(
            "line 1",
            "the header of a PLY file begins with 'ply' and ends with 'end_header'",
        ));
    };
    let (format, elements) = parse_header(&unix_lines(&bytes[..header]))?;
    let mut rest = &bytes[header + end.len()..];
    for line_end in [b"\r", b"\n"] {
        rest = rest.strip_prefix(line_end).unwrap_or(rest);
    }
    let text;
    let mut body = match format {
        Format::Ascii => {
            text = unix_lines(&bytes[header + end.len()..]);
            let before = bytes[..header].iter().filter(|b| **b == b'\n').count();
            Body::Text(Scanner::at_line(&text, before + 1))
        }
        Format::Binary { big_endian } => Body::Binary(Scanner::new(rest, false), big_endian),
    };
    let mut reader = Reader {
        import: Import::default(),
        edge_data: vec![],
        cutter: Cutter::default(),
        budget: Budget::of(bytes),
    };
    for element in &elements {
        body.check(element)?;
        reader.read_element(element, &mut body)?;
    }
    Ok(reader.finish())
}

/// What has been read.
struct Reader {
    import: Import,
    /// The arrays of the edges, which are the cells only if there are no faces.
    edge_data: Vec<DataArray>,
    cutter: Cutter,
    budget: Budget,
}

enum Format {
    Ascii,
    Binary { big_endian: bool },
}

fn parse_header(header: &[u8]) -> Parsed<(Format, Vec<Element>)> {
    let (mut format, mut elements) = (None, Vec::<Element>::new());
    for (i, line) in header.split(|b| *b == b'\n').enumerate() {
        let line = String::from_utf8_lossy(line).into_owned();
        let words: Vec<&str> = line.split_whitespace().collect();
        let fault = |reason: String| Fault::new(format!("line {}", i + 1), reason);
        match words.as_slice() {
            ["format", kind, ..] => {
                format = Some(match *kind {
                    "ascii" => Format::Ascii,
                    "binary_little_endian" => Format::Binary { big_endian: false },
                    "binary_big_endian" => Format::Binary { big_endian: true },
                    other => return Err(fault(format!("unknown format '{other}'"))),
                });
            }
            ["element", name, count] => {
                let count =
                    count.parse().map_err(|_| fault(format!("'{count}' is no number of elements")))?;
                elements.push(Element { name: (*name).into(), count, properties: vec![] });
            }
            ["property", rest @ ..] => {
                let scalar = |name: &str| {
                    Scalar::from_ply(name)
                        .ok_or_else(|| fault(format!("unknown type '{name}' of a property")))
                };
                let property = match rest {
                    ["list", length, kind, name] => Property {
                        name: (*name).into(),
                        scalar: scalar(kind)?,
                        length: Some(scalar(length)?),
                    },
                    [kind, name] => Property { name: (*name).into(), scalar: scalar(kind)?, length: None },
                    _ => return Err(fault("a property is 'property TYPE NAME'".into())),
                };
                let Some(element) = elements.last_mut() else {
                    return Err(fault("a property before the first element".into()));
                };
                element.properties.push(property);
            }
            ["ply" | "comment" | "obj_info", ..] | [] => {}
            [other, ..] => return Err(fault(format!("'{other}' in a header"))),
        }
    }
    match format {
        Some(format) => Ok((format, elements)),
        None => Err(Fault::new("header", "does not say its format")),
    }
}

impl Reader {
    /// Reads all rows of an element into columns of numbers and, for the list of indices, cells.
    fn read_element(&mut self, element: &Element, body: &mut Body) -> Parsed<()> {
        let is = |names: &[&str]| names.contains(&element.name.as_str());
        let mut columns: Vec<Vec<f64>> = element.properties.iter().map(|_| vec![]).collect();
        let (mut list, mut cells_of_row) = (vec![], vec![]);
        // Rows without properties have no bytes, however many there are.
        let rows = if element.properties.is_empty() && body.is_binary() { 0 } else { element.count };
        for row in 0..rows {
            for (property, column) in element.properties.iter().zip(&mut columns) {
                let Some(length) = property.length else {
                    column.push(body.number(property.scalar, &property.name)?);
                    continue;
                };
                let count = body.number(length, "the length of a list")?;
                if !(0.0..=4e9).contains(&count) {
                    return Err(body.fault(format!("a list of {count} numbers in '{}' {row}", element.name)));
                }
                list.clear();
                for _ in 0..count as u64 {
                    list.push(body.number(property.scalar, &property.name)?);
                }
                if is(&["face", "tristrips"]) && INDICES.contains(&property.name.as_str()) {
                    let before = self.import.mesh.triangles.len();
                    push_face(&list, is(&["tristrips"]), &mut self.import.mesh, &mut self.cutter)
                        .map_err(|reason| body.fault(format!("{} {row} {reason}", element.name)))?;
                    cells_of_row.push(self.import.mesh.triangles.len() - before);
                }
            }
            body.end_row();
        }
        match element.name.as_str() {
            "vertex" => take_vertices(element, columns, &mut self.import),
            "face" | "tristrips" => self.take_cell_data(element, columns, &cells_of_row),
            "edge" => self.take_edges(element, columns),
            other => {
                if element.count > 0 {
                    self.import.notes.push(format!("{} × '{other}' are left out", element.count));
                }
                Ok(())
            }
        }
    }

    /// Takes the numbers of the faces; those of a polygon belong to each of its triangles.
    fn take_cell_data(
        &mut self,
        element: &Element,
        columns: Vec<Vec<f64>>,
        cells_of_row: &[usize],
    ) -> Parsed<()> {
        let mesh = &mut self.import.mesh;
        if mesh.triangles.len() != cells_of_row.iter().sum::<usize>() || !mesh.cell_data.is_empty() {
            return Err(Fault::new("header", "faces stand in two elements"));
        }
        for mut array in arrays(element, &columns, &[], &mut self.import.notes) {
            let n = array.components;
            self.budget.charge_numbers(mesh.triangles.len().saturating_mul(n))?;
            let rows = array.values.chunks_exact(n).zip(cells_of_row);
            array.values = rows
                .flat_map(|(tuple, cells)| std::iter::repeat_n(tuple, *cells))
                .flatten()
                .copied()
                .collect();
            mesh.cell_data.push(array);
        }
        Ok(())
    }

    fn take_edges(&mut self, element: &Element, columns: Vec<Vec<f64>>) -> Parsed<()> {
        let find = |name: &str| element.properties.iter().position(|p| p.name == name && p.length.is_none());
        let (Some(a), Some(b)) = (find("vertex1"), find("vertex2")) else { return Ok(()) };
        if !self.import.mesh.edges.is_empty() {
            return Err(Fault::new("header", "edges stand in two elements"));
        }
        let points = self.import.mesh.points.len();
        for row in 0..element.count {
            let ends = [columns[a][row], columns[b][row]];
            if ends.iter().any(|v| !(*v >= 0.0 && *v < points as f64)) {
                let reason = format!(
                    "uses vertices {} and {}, but there are {points} (numbered from 0)",
                    ends[0], ends[1]
                );
                return Err(Fault::new(format!("edge {row}"), reason));
            }
            self.import.mesh.edges.push(ends.map(|v| v as u32));
        }
        self.edge_data = arrays(element, &columns, &["vertex1", "vertex2"], &mut self.import.notes);
        Ok(())
    }

    /// The mesh. Beside faces, edges and their numbers are left out.
    fn finish(self) -> Import {
        let mut import = self.import;
        import.notes.extend(self.cutter.note());
        if import.mesh.triangles.is_empty() {
            import.mesh.cell_data = self.edge_data;
            return import;
        }
        import.mesh.edges.clear();
        let left =
            self.edge_data.iter().map(|array| format!("the array '{}' of edges is left out", array.name));
        import.notes.extend(left);
        import
    }
}

/// The names of the list of a face's corners.
const INDICES: [&str; 2] = ["vertex_indices", "vertex_index"];

fn push_face(list: &[f64], strip: bool, mesh: &mut Mesh, cutter: &mut Cutter) -> Result<(), String> {
    let points = mesh.points.len();
    let vertex = |v: f64| {
        let index = (v >= 0.0 && v < points as f64).then_some(v as u32);
        index.ok_or_else(|| format!("uses vertex {v}, but there are {points} before it (numbered from 0)"))
    };
    if !strip {
        let corners = list.iter().map(|v| vertex(*v)).collect::<Result<Vec<u32>, String>>()?;
        let triangles = &mut mesh.triangles;
        cutter.cut(&mesh.points, &corners, |triangle| triangles.push(triangle));
        return Ok(());
    }
    for part in list.split(|v| *v < 0.0) {
        for (i, w) in part.windows(3).enumerate() {
            let [a, b, c] = [vertex(w[0])?, vertex(w[1])?, vertex(w[2])?];
            mesh.triangles.push(if i % 2 == 0 { [a, b, c] } else { [b, a, c] });
        }
    }
    Ok(())
}

/// The properties that are parts of one array.
const GROUPS: [(&str, &[&str]); 4] = [
    ("normal", &["nx", "ny", "nz"]),
    ("uv", &["s", "t"]),
    ("uv", &["u", "v"]),
    ("uv", &["texture_u", "texture_v"]),
];

/// The arrays of an element's numbers, without coordinates and lists.
fn arrays(
    element: &Element,
    columns: &[Vec<f64>],
    leave: &[&str],
    notes: &mut Vec<String>,
) -> Vec<DataArray> {
    let find = |name: &&str| element.properties.iter().position(|p| p.name == **name && p.length.is_none());
    // Groups are looked for once: a file may have thousands of properties.
    let groups: Vec<(&str, &[&str], Vec<usize>)> = GROUPS
        .iter()
        .filter_map(|(whole, parts)| Some((*whole, *parts, parts.iter().map(find).collect::<Option<_>>()?)))
        .collect();
    let mut out: Vec<DataArray> = vec![];
    for (i, (property, column)) in element.properties.iter().zip(columns).enumerate() {
        let name = property.name.as_str();
        if property.length.is_some() {
            if !INDICES.contains(&name) {
                notes.push(format!("the list '{name}' is left out"));
            }
            continue;
        }
        if leave.contains(&name) {
            continue;
        }
        let Some((whole, parts, places)) = groups.iter().find(|(_, parts, _)| parts.contains(&name)) else {
            out.push(DataArray { name: name.into(), components: 1, values: column.clone() });
            continue;
        };
        if places[0] == i {
            let values = (0..element.count).flat_map(|row| places.iter().map(move |&p| columns[p][row]));
            out.push(DataArray { name: (*whole).into(), components: parts.len(), values: values.collect() });
        }
    }
    out
}

fn take_vertices(element: &Element, columns: Vec<Vec<f64>>, import: &mut Import) -> Parsed<()> {
    let find = |name: &str| element.properties.iter().position(|p| p.name == name && p.length.is_none());
    let [Some(x), Some(y), Some(z)] = ["x", "y", "z"].map(find) else {
        return Err(Fault::new("header", "vertices have no properties x, y and z"));
    };
    if !import.mesh.points.is_empty() {
        return Err(Fault::new("header", "there are two elements 'vertex'"));
    }
    import.mesh.points = (0..element.count).map(|row| [x, y, z].map(|i| columns[i][row])).collect();
    import.mesh.point_data = arrays(element, &columns, &["x", "y", "z"], &mut import.notes);
    Ok(())
}
