//! VTK XML unstructured grids (`.vtu`).
//!
//! Data may be inline (text or base64) or appended (raw or base64), plain or compressed, in either byte order. Pieces
//! are concatenated. Appended raw data is not XML: it is cut out before the rest is parsed.

use std::collections::BTreeMap;

use roxmltree::{Document, Node};

use super::budget::Budget;
use super::cells::Cells;
use super::numeric::Scalar;
use super::scanner::{parse_float, parse_integer};
use super::stored::StoredGrid as Whole;
use super::vtu_data::{Compressor, Encoding, Source};
use super::{Fault, Import, Parsed};
use crate::mesh::DataArray;

/// Parses a whole file.
pub(crate) fn parse(bytes: &[u8]) -> Parsed<Import> {
    let budget = Budget::of(bytes);
    let Grid { cells, points, point_data, cell_data, .. } = parse_pieces(bytes, &budget)?;
    cells.into_mesh(points, point_data, cell_data, &budget)
}

/// Parses a whole file and keeps cells of every kind with their arrays.
pub(crate) fn parse_grid(bytes: &[u8]) -> Parsed<Whole> {
    let Grid { cells, points, point_data, cell_data, .. } = parse_pieces(bytes, &Budget::of(bytes))?;
    let Cells { tets, triangles, edges, .. } = cells;
    Ok(Whole { points, tets, triangles, edges, point_data, cell_data })
}

fn parse_pieces(bytes: &[u8], budget: &Budget) -> Parsed<Grid> {
    let (xml, appended) = cut_appended(bytes);
    check_tags(&xml)?;
    let document = Document::parse(&xml).map_err(|e| Fault::new("", format!("the XML is damaged: {e}")))?;
    let root = document.root_element();
    if root.tag_name().name() != "VTKFile" {
        let reason = format!("the XML holds <{}>, not <VTKFile>", root.tag_name().name());
        return Err(Fault::new("", reason));
    }
    let Some(grid) = child(root, "UnstructuredGrid") else {
        let kind = root.attribute("type").unwrap_or("nothing");
        return Err(Fault::new("", format!("the file holds {kind}, not an UnstructuredGrid")));
    };
    let reader = Reader::new(root, appended, budget).map_err(|reason| Fault::new("VTKFile", reason))?;
    let mut grid_so_far = Grid::default();
    for piece in grid.children().filter(|n| n.tag_name().name() == "Piece") {
        reader.piece(piece, &mut grid_so_far)?;
    }
    Ok(grid_so_far)
}

/// The longest tag of a VTU file in bytes, and how many namespaces it may have. Grids need neither, and the time that
/// the parser takes grows with the square of the attributes of a tag and with nested namespaces.
const MOST_IN_TAG: usize = 4096;
const MOST_NAMESPACES: usize = 64;

/// Refuses tags with more text than a grid needs. Brackets within a comment or a value do not matter here: they only make
/// tags shorter than they are, or longer than no writer makes them.
fn check_tags(xml: &str) -> Parsed<()> {
    let open = |(line, text): (usize, &str)| {
        let tag = text.split('>').next().unwrap_or_default();
        (tag.len() > MOST_IN_TAG).then_some(line)
    };
    let mut line = 1;
    let tags = xml.split('<').map(|text| {
        let start = line;
        line += text.bytes().filter(|b| *b == b'\n').count();
        (start, text)
    });
    if let Some(line) = tags.skip(1).find_map(open) {
        return Err(Fault::new(
            format!("line {line}"),
            format!("an XML tag of more than {MOST_IN_TAG} bytes"),
        ));
    }
    if xml.matches("xmlns").nth(MOST_NAMESPACES).is_some() {
        return Err(Fault::new("", format!("the XML has more than {MOST_NAMESPACES} namespaces")));
    }
    Ok(())
}

/// The XML without the appended data, and the appended data from behind its underscore on.
fn cut_appended(bytes: &[u8]) -> (String, &[u8]) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_start_matches('\u{feff}').to_owned();
    let find = |needle: &[u8]| bytes.windows(needle.len()).position(|w| w == needle);
    let Some(tag) = find(b"<AppendedData") else { return (text(bytes), &[]) };
    let Some(open) = bytes[tag..].iter().position(|&b| b == b'>') else { return (text(bytes), &[]) };
    let content = tag + open + 1;
    let close = b"</AppendedData";
    let end = bytes[content..].windows(close.len()).rposition(|w| w == close).map(|p| content + p);
    let data = &bytes[content..end.unwrap_or(bytes.len())];
    let data = data.iter().position(|&b| b == b'_').map_or(&[][..], |p| &data[p + 1..]);
    // Without an end tag the file was cut off. If arrays need the missing bytes, they report it.
    let tail = end.map_or("</AppendedData></VTKFile>".to_owned(), |end| text(&bytes[end..]));
    (text(&bytes[..content]) + &tail, data)
}

fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|n| n.tag_name().name() == name)
}

fn data_arrays<'a, 'i>(node: Option<Node<'a, 'i>>) -> impl Iterator<Item = Node<'a, 'i>> {
    node.into_iter().flat_map(|n| n.children()).filter(|n| n.tag_name().name() == "DataArray")
}

/// The contents of all pieces so far.
#[derive(Default)]
struct Grid {
    points: Vec<[f64; 3]>,
    cells: Cells,
    point_data: Vec<DataArray>,
    cell_data: Vec<DataArray>,
    pieces: usize,
}

/// The encoding of the file and its appended data.
struct Reader<'a> {
    encoding: Encoding,
    appended: &'a [u8],
    appended_base64: bool,
    budget: &'a Budget,
}

impl<'a> Reader<'a> {
    fn new(root: Node, appended: &'a [u8], budget: &'a Budget) -> Result<Self, String> {
        let header = match root.attribute("header_type") {
            None | Some("UInt32") => Scalar::U32,
            Some("UInt64") => Scalar::U64,
            Some(other) => return Err(format!("the header_type '{other}' is not UInt32 or UInt64")),
        };
        let big_endian = match root.attribute("byte_order") {
            None | Some("LittleEndian") => false,
            Some("BigEndian") => true,
            Some(other) => return Err(format!("the byte_order '{other}' is not known")),
        };
        let compressor = Compressor::from_xml(root.attribute("compressor"))?;
        let encoding = child(root, "AppendedData").and_then(|n| n.attribute("encoding"));
        let appended_base64 = encoding.is_some_and(|e| e.eq_ignore_ascii_case("base64"));
        let encoding = Encoding { big_endian, header, compressor };
        Ok(Reader { encoding, appended, appended_base64, budget })
    }

    fn piece(&self, piece: Node, grid: &mut Grid) -> Parsed<()> {
        let points = count(piece, "NumberOfPoints")?;
        let cells = count(piece, "NumberOfCells")?;
        let first_point = grid.points.len();
        if points > 0 {
            let array = data_arrays(child(piece, "Points")).next();
            let array = array.ok_or_else(|| Fault::new("Piece", "it has no <Points> with a DataArray"))?;
            let values = self.floats(array, points, 3)?;
            grid.points.extend_from_slice(values.as_chunks().0);
        }
        if u32::try_from(grid.points.len()).is_err() {
            return Err(Fault::new("Piece", "the file has more points than can be numbered"));
        }
        if cells > 0 {
            self.cells(piece, cells, first_point, points, &mut grid.cells)?;
        }
        let point_data = self.data(child(piece, "PointData"), points)?;
        let cell_data = self.data(child(piece, "CellData"), cells)?;
        append(&mut grid.point_data, point_data, grid.pieces == 0);
        append(&mut grid.cell_data, cell_data, grid.pieces == 0);
        grid.pieces += 1;
        Ok(())
    }

    fn cells(
        &self,
        piece: Node,
        count: usize,
        first_point: usize,
        points: usize,
        cells: &mut Cells,
    ) -> Parsed<()> {
        let array = |name: &str| {
            data_arrays(child(piece, "Cells"))
                .find(|n| n.attribute("Name") == Some(name))
                .ok_or_else(|| Fault::new("Cells", format!("there is no DataArray '{name}'")))
        };
        let types = self.integers(array("types")?, Some(count))?;
        let offsets = self.integers(array("offsets")?, Some(count))?;
        let connectivity = self.integers(array("connectivity")?, None)?;
        let mut start = 0;
        for (i, (&kind, &offset)) in types.iter().zip(&offsets).enumerate() {
            let end = usize::try_from(offset).unwrap_or(usize::MAX);
            let Some(corners) = connectivity.get(start..end) else {
                let reason = format!(
                    "cell {i} ends at {offset}, but begins at {start} and there are {} corners",
                    connectivity.len()
                );
                return Err(Fault::new("DataArray 'offsets'", reason));
            };
            cells.push(kind, corners, first_point, points)?;
            start = end;
        }
        Ok(())
    }

    /// The numeric arrays of `PointData` or `CellData`.
    fn data(&self, node: Option<Node>, tuples: usize) -> Parsed<Vec<DataArray>> {
        let numeric = |n: &Node| n.attribute("type").is_none_or(|t| Scalar::from_xml(t).is_some());
        data_arrays(node)
            .filter(numeric)
            .map(|array| {
                let components = match array.attribute("NumberOfComponents").map(str::trim) {
                    None | Some("") => 1,
                    Some(text) => match text.parse::<usize>() {
                        Ok(n) if n > 0 => n,
                        _ => return Err(fault(array, format!("NumberOfComponents is '{text}'"))),
                    },
                };
                let name = array.attribute("Name").unwrap_or("unnamed").to_owned();
                Ok(DataArray { name, components, values: self.floats(array, tuples, components)? })
            })
            .collect()
    }

    fn floats(&self, array: Node, tuples: usize, components: usize) -> Parsed<Vec<f64>> {
        let expected = tuples.saturating_mul(components);
        if expected == 0 {
            return Ok(Vec::new());
        }
        let values =
            self.decode(array, parse_float, Scalar::floats).map_err(|cause| cause.within(place(array)))?;
        if values.len() != expected {
            let reason = format!("it has {} values, not {tuples} × {components}", values.len());
            return Err(fault(array, reason));
        }
        Ok(values)
    }

    fn integers(&self, array: Node, expected: Option<usize>) -> Parsed<Vec<i64>> {
        let values = self
            .decode(array, parse_integer, Scalar::integers)
            .map_err(|cause| cause.within(place(array)))?;
        match expected {
            Some(n) if n != values.len() => {
                Err(fault(array, format!("it has {} values, not {n}", values.len())))
            }
            _ => Ok(values),
        }
    }

    /// The numbers of an array, from text with `parse` or from bytes with `convert`.
    fn decode<T>(
        &self,
        array: Node,
        parse: fn(&[u8]) -> Option<T>,
        convert: fn(Scalar, &[u8], bool) -> Vec<T>,
    ) -> Parsed<Vec<T>> {
        let kind = array.attribute("type").unwrap_or("nothing");
        let scalar =
            Scalar::from_xml(kind).ok_or_else(|| format!("its type '{kind}' is not a number type"))?;
        let text = array.text().unwrap_or("").as_bytes();
        let source = match array.attribute("format").unwrap_or("ascii") {
            "ascii" => {
                let words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
                self.budget.charge_numbers(words.count())?;
                return Ok(parse_words(text, parse)?);
            }
            "binary" => Source::base64(text.trim_ascii()),
            "appended" => {
                let offset = array.attribute("offset").unwrap_or("").trim();
                let start = offset.parse::<usize>().map_err(|_| format!("its offset is '{offset}'"))?;
                let Some(data) = self.appended.get(start..) else {
                    let length = self.appended.len();
                    let reason = format!("it begins at {start}, behind the {length} bytes of appended data");
                    return Err(Fault::new("", reason).hint("the file may be truncated"));
                };
                if self.appended_base64 { Source::base64(data) } else { Source::Raw(data) }
            }
            other => return Err(format!("its format '{other}' is not ascii, binary or appended").into()),
        };
        let bytes = self.encoding.unpack(source, self.budget)?;
        if !bytes.len().is_multiple_of(scalar.size()) {
            return Err(format!("its {} bytes are no whole number of {kind}", bytes.len()).into());
        }
        self.budget.charge_numbers(bytes.len() / scalar.size())?;
        Ok(convert(scalar, &bytes, self.encoding.big_endian))
    }
}

fn parse_words<T>(text: &[u8], parse: fn(&[u8]) -> Option<T>) -> Result<Vec<T>, String> {
    let words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words
        .map(|word| {
            parse(word).ok_or_else(|| {
                let shown: String = String::from_utf8_lossy(word).chars().take(30).collect();
                format!("'{shown}' is no number")
            })
        })
        .collect()
}

/// Appends a piece's arrays. Only arrays that all pieces have are kept; of arrays with the same name, the first.
fn append(all: &mut Vec<DataArray>, piece: Vec<DataArray>, first: bool) {
    let mut named = BTreeMap::new();
    let mut names = vec![];
    for array in piece {
        if !named.contains_key(&array.name) {
            names.push(array.name.clone());
            named.insert(array.name.clone(), array);
        }
    }
    if first {
        *all = names.iter().filter_map(|name| named.remove(name)).collect();
        return;
    }
    all.retain_mut(|array| {
        let same = named.get_mut(&array.name).filter(|same| same.components == array.components);
        same.map(|same| array.values.append(&mut same.values)).is_some()
    });
}

fn count(piece: Node, name: &str) -> Parsed<usize> {
    let text = piece.attribute(name).unwrap_or("").trim();
    text.parse().map_err(|_| Fault::new("Piece", format!("{name} is '{text}'")))
}

fn fault(array: Node, reason: String) -> Fault {
    Fault::new(place(array), reason)
}

/// The name of an array for messages.
fn place(array: Node) -> String {
    let parent = array.parent().map_or("", |p| p.tag_name().name());
    format!("DataArray '{}'", array.attribute("Name").unwrap_or(parent))
}
