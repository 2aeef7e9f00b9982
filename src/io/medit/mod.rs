//! Medit `.mesh` and `.meshb`: keyword, count, rows that end in a reference number; numbered from 1.
//!
//! References become the arrays `medit:ref` (the name that meshio gives them). Sections may stand in any
//! order; those that we do not use are skipped. Where a file has `TetrahedraP2` alone, tets have their ten nodes; which of
//! the further six is on which edge is seen from where they are, since the format does not fix it.

mod binary;
mod write;

pub(crate) use write::write;

use super::scanner::{Scanner, parse_float};
use super::{Fault, Parsed};
use crate::mesh::{DataArray, Mesh, quadratic};

/// The name of the arrays of references.
pub(crate) const REFERENCES: &str = "medit:ref";

/// True if the first bytes show a binary file.
pub(crate) fn is_binary(bytes: &[u8]) -> bool {
    binary::order(bytes).is_some()
}

/// Parses a whole file.
pub(crate) fn parse(bytes: &[u8]) -> Parsed<Mesh> {
    if let Some(big_endian) = binary::order(bytes) {
        return binary::parse(bytes, big_endian)?.into_mesh();
    }
    let mut scanner = Scanner::new(bytes, true);
    let mut sections = Sections { dimension: 3, ..Sections::default() };
    match scanner.word() {
        Some(word) if word.eq_ignore_ascii_case(b"MeshVersionFormatted") => {
            scanner.integer("the version of the format")?;
        }
        _ => return Err(Fault::new("line 1", "the file does not begin with MeshVersionFormatted")),
    }
    while let Some(keyword) = scanner.word() {
        match keyword.to_ascii_lowercase().as_slice() {
            b"dimension" => sections.dimension = dimension(&mut scanner)?,
            b"vertices" => sections.read_vertices(&mut scanner)?,
            b"tetrahedra" => rows(&mut scanner, "tetrahedron", 4, &mut sections.tets)?,
            b"tetrahedrap2" => rows(&mut scanner, "tetrahedron", 10, &mut sections.quadratic)?,
            b"triangles" => rows(&mut scanner, "triangle", 3, &mut sections.triangles)?,
            b"trianglesp2" => rows(&mut scanner, "triangle", 6, &mut sections.triangles)?,
            b"edges" => rows(&mut scanner, "edge", 2, &mut sections.edges)?,
            b"edgesp2" => rows(&mut scanner, "edge", 3, &mut sections.edges)?,
            b"quadrilaterals" | b"hexahedra" | b"prisms" | b"pyramids" => {
                sections.has_others |= scanner.integer("the number of cells")? != 0;
                skip_section(&mut scanner);
            }
            b"end" => break,
            word if is_keyword(word) => skip_section(&mut scanner),
            word => {
                let shown: String = String::from_utf8_lossy(word).chars().take(30).collect();
                return Err(scanner
                    .fault(format!("'{shown}' where a keyword should be"))
                    .hint("the count before it may be too small"));
            }
        }
    }
    sections.into_mesh()
}

/// Cells with `N` corners as the file numbers them, and their references.
#[derive(Default)]
struct Rows<const N: usize> {
    corners: Vec<[i64; N]>,
    references: Vec<f64>,
}

/// The sections that have been read.
#[derive(Default)]
struct Sections {
    dimension: usize,
    points: Vec<[f64; 3]>,
    references: Vec<f64>,
    tets: Rows<4>,
    /// Tets with their ten nodes.
    quadratic: Rows<10>,
    triangles: Rows<3>,
    edges: Rows<2>,
    /// True if there are quadrilaterals or solids other than tets, which are not used.
    has_others: bool,
}

impl Sections {
    fn read_vertices(&mut self, scanner: &mut Scanner) -> Parsed<()> {
        let count = scanner.count("the number of vertices", self.dimension + 1)?;
        for _ in 0..count {
            let mut point = [0.0; 3];
            for x in &mut point[..self.dimension] {
                *x = scanner.float("a coordinate")?;
            }
            self.points.push(point);
            self.references.push(scanner.float("a vertex reference")?);
        }
        Ok(())
    }

    /// The mesh. Edges are kept only if there are no cells of a higher dimension, whose ridges they would be.
    fn into_mesh(self) -> Parsed<Mesh> {
        let points = self.points.len();
        let mut tets = vertices(&self.tets.corners, points, "tetrahedron")?;
        let quadratic = vertices(&self.quadratic.corners, points, "tetrahedron")?;
        let mut middles = vec![];
        if tets.is_empty() {
            middles.extend(quadratic.iter().map(|[_, _, _, _, further @ ..]| *further));
        }
        tets.extend(quadratic.iter().map(|[a, b, c, d, ..]| [*a, *b, *c, *d]));
        quadratic::sort_middles(&self.points, &tets, &mut middles, write::MIDDLES);
        let triangles = vertices(&self.triangles.corners, points, "triangle")?;
        let is_line = tets.is_empty() && triangles.is_empty() && !self.has_others;
        let edges = if is_line { vertices(&self.edges.corners, points, "edge")? } else { Vec::new() };
        let array = |values| vec![DataArray { name: REFERENCES.into(), components: 1, values }];
        let cell_references = match (tets.is_empty(), triangles.is_empty(), is_line) {
            (false, ..) => [self.tets.references, self.quadratic.references].concat(),
            (_, false, _) => self.triangles.references,
            (.., true) => self.edges.references,
            _ => Vec::new(),
        };
        Ok(Mesh {
            points: self.points,
            tets,
            middles,
            triangles,
            edges,
            point_data: array(self.references),
            cell_data: array(cell_references),
            groups: vec![],
        })
    }
}

fn dimension(scanner: &mut Scanner) -> Parsed<usize> {
    match scanner.integer("the dimension")? {
        2 => Ok(2),
        3 => Ok(3),
        other => Err(scanner.fault(format!("the dimension is {other}, not 2 or 3"))),
    }
}

/// Reads the rows of a section; the first `N` of `corners` corners are kept.
fn rows<const N: usize>(scanner: &mut Scanner, what: &str, corners: usize, rows: &mut Rows<N>) -> Parsed<()> {
    let count = scanner.count(&format!("the number of cells ({what})"), corners + 1)?;
    for _ in 0..count {
        let mut cell = [0; N];
        for i in 0..corners {
            let corner = scanner.integer("a vertex number")?;
            if let Some(c) = cell.get_mut(i) {
                *c = corner;
            }
        }
        rows.corners.push(cell);
        rows.references.push(scanner.float("a reference")?);
    }
    Ok(())
}

/// The indices for the file's numbers, which count from 1.
fn vertices<const N: usize>(cells: &[[i64; N]], points: usize, what: &str) -> Parsed<Vec<[u32; N]>> {
    let convert = |(i, cell): (usize, &[i64; N])| {
        if let Some(&bad) = cell.iter().find(|&&v| v < 1 || v as u64 > points as u64) {
            let reason = format!("uses vertex {bad}, but vertices are numbered from 1 to {points}");
            return Err(Fault::new(format!("{what} {}", i + 1), reason));
        }
        Ok(cell.map(|v| (v - 1) as u32))
    };
    cells.iter().enumerate().map(convert).collect()
}

/// True if a word is a keyword: it begins with a letter and is not a number, as `nan` and `inf` are.
fn is_keyword(word: &[u8]) -> bool {
    word.first().is_some_and(u8::is_ascii_alphabetic) && parse_float(word).is_none()
}

fn skip_section(scanner: &mut Scanner) {
    while scanner.peek().is_some_and(|word| !is_keyword(word)) {
        scanner.word();
    }
}
