//! Input files of Abaqus and CalculiX (`.inp`): nodes, elements and sets.
//!
//! ```text
//! *NODE                          number, x, y, z
//! *ELEMENT, TYPE=C3D10, ELSET=A  number, nodes …, on as many lines as it takes
//! *NSET, NSET=TOP, GENERATE      first, last, step; without GENERATE numbers
//! ```
//!
//! Tets of four and ten nodes, hexahedra, wedges, triangles, quads, trusses and beams are read, of all their variants (C3D10M, S4R5); of
//! shells and cells of higher order but tets the corners. Sets become arrays of 0 and 1 with the set's name. All else of the model is
//! passed over: materials and steps are those of another program. A file with several parts, whose numbers repeat, is refused.

use std::collections::{BTreeMap, HashMap};

use super::budget::Budget;
use super::cells::{Cells, QUADRATIC_TET};
use super::scanner::{parse_float, parse_integer};
use super::{CELLS_LEFT_OUT, Fault, Import, Parsed};
use crate::mesh::DataArray;

/// Types of elements by what their names begin with: VTK's kind and the number of nodes. No digit follows.
const TYPES: [(&str, i64, usize); 33] = [
    ("C3D4", 10, 4),
    ("C3D10", QUADRATIC_TET, 10),
    ("C3D8", 12, 8),
    ("C3D20", 25, 20),
    ("C3D6", 13, 6),
    ("C3D15", 26, 15),
    ("C3D5", 14, 5),
    ("S3", 5, 3),
    ("STRI3", 5, 3),
    ("STRI65", 22, 6),
    ("S4", 9, 4),
    ("S6", 22, 6),
    ("S8", 23, 8),
    ("CPS3", 5, 3),
    ("CPE3", 5, 3),
    ("CPS4", 9, 4),
    ("CPE4", 9, 4),
    ("CPS6", 22, 6),
    ("CPE6", 22, 6),
    ("CPS8", 23, 8),
    ("CPE8", 23, 8),
    ("M3D3", 5, 3),
    ("M3D4", 9, 4),
    ("M3D6", 22, 6),
    ("M3D8", 23, 8),
    ("R3D3", 5, 3),
    ("R3D4", 9, 4),
    ("SFM3D3", 5, 3),
    ("SFM3D4", 9, 4),
    ("T3D2", 3, 2),
    ("B31", 3, 2),
    ("T3D3", 21, 3),
    ("B32", 21, 3),
];

/// What the lines below a keyword are.
#[derive(Clone)]
enum Section {
    Nodes(Option<String>),
    Elements { kind: i64, count: usize, set: Option<String> },
    Unknown(String),
    Set { of_nodes: bool, name: String, generate: bool },
    Placement,
    Other,
}

/// What was read.
#[derive(Default)]
struct Model {
    points: Vec<[f64; 3]>,
    /// The index of each node by its number.
    nodes: HashMap<i64, u32>,
    /// The index of each element by its number.
    elements: HashMap<i64, usize>,
    /// Kind and number of nodes of each element, and the line that it begins in.
    kinds: Vec<(i64, usize, usize)>,
    /// The nodes of all elements.
    corners: Vec<i64>,
    /// The members of sets of nodes and of elements, by their names.
    sets: [BTreeMap<String, Vec<i64>>; 2],
    /// Elements that are not known, by type.
    unknown: BTreeMap<String, usize>,
    notes: Vec<String>,
}

/// True if the first line that is no comment is a keyword that such files begin with.
pub(crate) fn is_inp(text: &[u8]) -> bool {
    let lines = text.split(|b| *b == b'\n').map(<[u8]>::trim_ascii).take(1000);
    let first = lines
        .filter(|line| !line.is_empty() && !line.starts_with(b"**"))
        .map(<[u8]>::to_ascii_uppercase)
        .next();
    let begins = ["*HEADING", "*NODE", "*PART", "*PREPRINT", "*INCLUDE"];
    first.is_some_and(|line| begins.iter().any(|word| line.starts_with(word.as_bytes())))
}

/// Parses a whole file.
pub(crate) fn parse(bytes: &[u8]) -> Parsed<Import> {
    let budget = Budget::of(bytes);
    let mut model = Model::default();
    let mut section = Section::Other;
    // An element that goes on in the next line: its number, what is left, and whether a keyword goes on.
    let (mut left, mut keyword) = (0usize, String::new());
    for (i, line) in bytes.split(|b| *b == b'\n').enumerate() {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"**") {
            continue;
        }
        let place = || format!("line {}", i + 1);
        if line[0] == b'*' || !keyword.is_empty() {
            keyword += &String::from_utf8_lossy(line);
            if keyword.ends_with(',') && keyword.len() < 10_000 {
                continue;
            }
            if left > 0 {
                return Err(Fault::new(place(), format!("the element before lacks {left} nodes")));
            }
            section = section_of(&std::mem::take(&mut keyword)).map_err(|fault| fault.within(place()))?;
            continue;
        }
        model.line(&section, (line, i + 1), &mut left, &budget).map_err(|fault| fault.within(place()))?;
    }
    if left > 0 {
        return Err(Fault::new("", format!("the file ends within an element that lacks {left} nodes")));
    }
    model.import(&budget)
}

/// The section that a keyword with its parameters begins.
fn section_of(line: &str) -> Parsed<Section> {
    let mut parts = line.split(',').map(str::trim);
    let word: String = parts.next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    let parameters: Vec<(String, &str)> = parts
        .map(|part| part.split_once('=').unwrap_or((part, "")))
        .map(|(key, value)| (key.trim().to_ascii_uppercase(), value.trim().trim_matches('"')))
        .collect();
    let value = |key: &str| parameters.iter().find(|(k, _)| k == key).map(|(_, value)| (*value).to_owned());
    let demand = |key: &str| value(key).ok_or_else(|| Fault::new("", format!("{word} has no {key}")));
    Ok(match word.to_ascii_uppercase().as_str() {
        "*NODE" => Section::Nodes(value("NSET")),
        "*ELEMENT" => {
            let name = demand("TYPE")?.to_ascii_uppercase();
            let is_of = |prefix: &str| {
                name.strip_prefix(prefix).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
            };
            match TYPES.iter().find(|(prefix, ..)| is_of(prefix)) {
                Some((_, kind, count)) => {
                    Section::Elements { kind: *kind, count: *count, set: value("ELSET") }
                }
                None => Section::Unknown(name),
            }
        }
        "*NSET" => {
            Section::Set { of_nodes: true, name: demand("NSET")?, generate: value("GENERATE").is_some() }
        }
        "*ELSET" => {
            Section::Set { of_nodes: false, name: demand("ELSET")?, generate: value("GENERATE").is_some() }
        }
        "*INSTANCE" => Section::Placement,
        "*INCLUDE" => {
            return Err(Fault::new(
                "",
                format!("the file includes another one, {}", value("INPUT").unwrap_or_default()),
            )
            .hint("write the whole model into one file"));
        }
        _ => Section::Other,
    })
}

/// The fields of a line of data; the last one may be empty.
fn fields(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let line = line.strip_suffix(b",").unwrap_or(line);
    line.split(|b| *b == b',').map(<[u8]>::trim_ascii)
}

fn integer(field: &[u8]) -> Parsed<i64> {
    let shown = || Fault::new("", format!("'{}' is no whole number", String::from_utf8_lossy(field)));
    parse_integer(field).ok_or_else(shown)
}

/// A number, also with Fortran's exponents; nothing is 0.
fn float(field: &[u8]) -> Parsed<f64> {
    if field.is_empty() {
        return Ok(0.0);
    }
    let usual: Vec<u8> = field.iter().map(|b| if matches!(b, b'd' | b'D') { b'e' } else { *b }).collect();
    let shown = || Fault::new("", format!("'{}' is no number", String::from_utf8_lossy(field)));
    parse_float(&usual).ok_or_else(shown)
}

impl Model {
    /// Takes a line of data. `left` is the number of nodes that an element still lacks.
    fn line(
        &mut self,
        section: &Section,
        (line, number): (&[u8], usize),
        left: &mut usize,
        budget: &Budget,
    ) -> Parsed<()> {
        match section {
            Section::Nodes(set) => self.node(line, set.as_deref()),
            Section::Elements { kind, count, set } => {
                let mut fields = fields(line);
                if *left == 0 {
                    let own = integer(fields.next().unwrap_or_default())?;
                    if self.elements.insert(own, self.kinds.len()).is_some() {
                        return Err(twice("element", own));
                    }
                    self.kinds.push((*kind, *count, number));
                    set.iter().for_each(|set| self.sets[1].entry(set.clone()).or_default().push(own));
                    *left = *count;
                }
                for field in fields {
                    *left = left.checked_sub(1).ok_or_else(|| {
                        Fault::new("", format!("the element has more nodes than {count}, which its type has"))
                    })?;
                    self.corners.push(integer(field)?);
                }
                Ok(())
            }
            Section::Unknown(name) => {
                *self.unknown.entry(name.clone()).or_default() += 1;
                Ok(())
            }
            Section::Set { of_nodes, name, generate } => {
                self.members((usize::from(!of_nodes), name), *generate, line, budget)
            }
            Section::Placement => {
                let note = "left out where an instance of the part is placed";
                if self.notes.iter().all(|known| known != note) {
                    self.notes.push(note.into());
                }
                Ok(())
            }
            Section::Other => Ok(()),
        }
    }

    fn node(&mut self, line: &[u8], set: Option<&str>) -> Parsed<()> {
        let mut fields = fields(line);
        let number = integer(fields.next().unwrap_or_default())?;
        let mut point = [0.0; 3];
        for (coordinate, field) in point.iter_mut().zip(fields) {
            *coordinate = float(field)?;
        }
        if self.nodes.insert(number, self.points.len() as u32).is_some() {
            return Err(twice("node", number));
        }
        self.points.push(point);
        set.into_iter().for_each(|set| self.sets[0].entry(set.to_owned()).or_default().push(number));
        Ok(())
    }

    /// Takes members of a set; those that are names of other sets stand for their members.
    fn members(
        &mut self,
        (which, name): (usize, &str),
        generate: bool,
        line: &[u8],
        budget: &Budget,
    ) -> Parsed<()> {
        let fields: Vec<&[u8]> = fields(line).filter(|field| !field.is_empty()).collect();
        let known = if which == 0 { self.nodes.len() } else { self.kinds.len() };
        let mut found = vec![];
        if generate {
            let [first, last] = [0, 1].map(|i| integer(fields.get(i).copied().unwrap_or_default()));
            let step = fields.get(2).map_or(Ok(1), |field| integer(field))?;
            let (first, last) = (first?, last?);
            // More than all that there are cannot be meant.
            let count = last.checked_sub(first).and_then(|span| span.checked_div(step)).unwrap_or(-1);
            if step < 1 || !(0..=(known as i64).saturating_mul(1000)).contains(&count) {
                return Err(Fault::new(
                    "",
                    format!("{first}, {last}, {step} is no range of what was defined before"),
                ));
            }
            // What a few bytes stand for is paid for.
            budget.charge_numbers(count as usize)?;
            let defined = |n: &i64| {
                if which == 0 { self.nodes.contains_key(n) } else { self.elements.contains_key(n) }
            };
            found.extend((0..=count).map(|i| first + i * step).filter(defined));
        } else {
            for field in fields {
                match parse_integer(field) {
                    Some(number) => found.push(number),
                    None => {
                        let other = String::from_utf8_lossy(field);
                        let members = self.sets[which].get(other.as_ref());
                        let members =
                            members.ok_or_else(|| Fault::new("", format!("there is no set '{other}'")))?;
                        budget.charge_numbers(members.len())?;
                        found.extend(members);
                    }
                }
            }
        }
        self.sets[which].entry(name.to_owned()).or_default().extend(found);
        Ok(())
    }

    fn import(self, budget: &Budget) -> Parsed<Import> {
        let mut cells = Cells::default();
        let mut next = self.corners.iter();
        for (kind, count, line) in &self.kinds {
            let corner = |node: &i64| match self.nodes.get(node) {
                Some(index) => Ok(i64::from(*index)),
                None => {
                    Err(Fault::new(format!("line {line}"), format!("uses node {node}, which does not exist")))
                }
            };
            let corners = next.by_ref().take(*count).map(corner).collect::<Parsed<Vec<i64>>>()?;
            cells.push(*kind, &corners, 0, self.points.len())?;
        }
        let array = |name: &String, members: &[i64], count: usize, index: &dyn Fn(&i64) -> Option<usize>| {
            budget.charge_numbers(count)?;
            let mut values = vec![0.0; count];
            members.iter().filter_map(index).for_each(|i| values[i] = 1.0);
            Ok(DataArray { name: name.clone(), components: 1, values })
        };
        let [of_nodes, of_elements] = &self.sets;
        let node = |n: &i64| self.nodes.get(n).map(|i| *i as usize);
        let element = |n: &i64| self.elements.get(n).copied();
        let count = self.points.len();
        let point_data =
            of_nodes.iter().map(|(name, set)| array(name, set, count, &node)).collect::<Parsed<_>>()?;
        let count = self.kinds.len();
        let cell_data =
            of_elements.iter().map(|(name, set)| array(name, set, count, &element)).collect::<Parsed<_>>()?;
        let mut import = cells.into_mesh(self.points, point_data, cell_data, budget)?;
        import.notes.extend(self.notes);
        import.notes.extend(
            self.unknown
                .iter()
                .map(|(name, lines)| format!("{CELLS_LEFT_OUT}: {lines} lines of elements {name}")),
        );
        Ok(import)
    }
}

fn twice(what: &str, number: i64) -> Fault {
    Fault::new("", format!("{what} {number} is there twice"))
        .hint("files with several parts are not read: export the mesh alone, without parts")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::Format;
    use crate::io::tests::damaged::check_reader;

    const FILE: &str = "*Heading\n a cube and a roof\n** a comment\n*Node, nset=ALL\n 1, 0., 0., 0.\n 2, 1.0D0, 0., 0.\n\
        3, 1., 1.\n4, 0., 1., 0.\n 5, 0, 0, 1\n6, 1, 0, 1\n7, 1, 1, 1\n8, 0, 1, 1\n20, .5, .5, 2\n\
        *Element, type=C3D8R, elset=box\n1, 1, 2, 3, 4, 5,\n 6, 7, 8\n*ELEMENT, TYPE = C3D5, ELSET = roof\n7, 5, 6, 7, 8, 20\n\
        *Element, type=GAPUNI\n9, 1, 2\n*Nset, nset=top, generate\n 5, 8, 1\n*NSET, NSET=upper\n top, 20\n\
        *Material, name=steel\n*Elastic\n210000., 0.3\n";

    fn mesh(bytes: &[u8]) -> Parsed<crate::mesh::Mesh> {
        parse(bytes).map(|import| import.mesh)
    }

    #[test]
    fn cells_and_sets_are_read() {
        let Import { mesh, notes } = parse(FILE.as_bytes()).unwrap();
        assert_eq!((mesh.points.len(), mesh.tets.len()), (9, 8));
        let whole: f64 = mesh.tets.iter().map(|tet| crate::mesh::quality::volume(&mesh.points, *tet)).sum();
        assert!((whole - 4.0 / 3.0).abs() < 1e-15, "{whole}");
        let of = |arrays: &[DataArray], name: &str| {
            arrays
                .iter()
                .find(|array| array.name == name)
                .unwrap()
                .values
                .iter()
                .map(|v| *v as usize)
                .collect::<Vec<_>>()
        };
        assert_eq!(of(&mesh.point_data, "top"), [0, 0, 0, 0, 1, 1, 1, 1, 0]);
        assert_eq!(of(&mesh.point_data, "upper"), [0, 0, 0, 0, 1, 1, 1, 1, 1]);
        assert_eq!(of(&mesh.cell_data, "roof").iter().sum::<usize>(), 2);
        assert_eq!(notes, ["cells left out: 1 lines of elements GAPUNI"]);
    }

    #[test]
    fn tets_of_ten_nodes_keep_their_middles() {
        let nodes: String = (1..=10).map(|i| format!("{i}, {}, {}, {}\n", i % 2, i % 3, i % 5)).collect();
        let text = format!("*NODE\n{nodes}*ELEMENT, TYPE=C3D10M\n1, 1, 2, 3, 4, 5, 6, 7,\n8, 9, 10\n");
        let mesh = mesh(text.as_bytes()).unwrap();
        assert_eq!((mesh.tets, mesh.middles), (vec![[0, 1, 2, 3]], vec![[4, 5, 6, 7, 8, 9]]));
    }

    #[test]
    fn faults_have_a_place_and_a_way_out() {
        for (from, to, part) in [
            ("5, 6, 7, 8, 20\n", "5, 6, 7, 8, 21\n", "node 21"),
            ("7, 5, 6, 7, 8, 20\n", "7, 5, 6, 7, 8\n", "lacks 1 nodes"),
            ("7, 5, 6, 7, 8, 20\n", "7, 5, 6, 7, 8, 20, 3\n", "more nodes"),
            ("20, .5", "8, .5", "twice"),
            ("top, 20", "bottom, 20", "no set 'bottom'"),
            (" 5, 8, 1", " 5, 8000000000, 1", "no range"),
            ("*Material", "*Include, input=b.inp\n*Material", "b.inp"),
            ("1.0D0", "one", "'one' is no number"),
        ] {
            let fault = parse(FILE.replace(from, to).as_bytes()).unwrap_err();
            let told = fault.at("a.inp".as_ref()).to_string();
            assert!(told.contains(part) && told.contains("line"), "{told}");
        }
    }

    #[test]
    fn damaged_files_are_refused_or_read() {
        check_reader(Format::Inp, FILE.as_bytes(), mesh);
    }
}
