//! STL: triangles without common vertices, as text or binary, of one or several solids.
//!
//! Text and binary are told apart by the content, not by the word `solid`, with which many binary files begin too:
//! the length of a binary file follows from the number at byte 80. Every triangle keeps three vertices of its own, as
//! in the file. With several solids, the array `solid` tells them apart. Normals are ignored, because the order of
//! the vertices gives them.

use std::io::{self, Write};

use super::scanner::Scanner;
use super::{Fault, Import, Parsed, unix_lines};
use crate::mesh::polygon::Cutter;
use crate::mesh::{DataArray, Mesh};
use elements::math::vec3::{cross, dot, sub};

const HEADER: usize = 84;
const TRIANGLE: usize = 50;

/// The number of triangles, if the length of a file is that of a binary STL file or longer.
fn binary_count(bytes: &[u8]) -> Option<usize> {
    let count = u32::from_le_bytes(bytes.get(80..HEADER)?.try_into().ok()?) as usize;
    (bytes.len() >= HEADER + TRIANGLE * count).then_some(count)
}

fn is_text(bytes: &[u8]) -> bool {
    let start = bytes.trim_ascii_start();
    start.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"))
}

/// True if the content is an STL file: text with facets, or binary of just the right length.
pub(crate) fn is_stl(bytes: &[u8]) -> bool {
    let exact = binary_count(bytes).is_some_and(|count| bytes.len() == HEADER + TRIANGLE * count);
    is_text(bytes) || exact
}

/// Parses a whole file.
pub(crate) fn parse(bytes: &[u8]) -> Parsed<Import> {
    match binary_count(bytes) {
        Some(count) if !is_text(bytes) || bytes.len() == HEADER + TRIANGLE * count => {
            Ok(parse_binary(&bytes[HEADER..HEADER + TRIANGLE * count]).into())
        }
        _ if is_text(bytes) => parse_text(&unix_lines(bytes)),
        _ => Err(Fault::new("byte 80", "neither text nor as long as its number of triangles says")
            .hint("the file may be truncated")),
    }
}

fn parse_binary(triangles: &[u8]) -> Mesh {
    let mut mesh = Mesh::default();
    for (i, triangle) in triangles.chunks_exact(TRIANGLE).enumerate() {
        let number = |k: usize| {
            let bytes = triangle[12 + 4 * k..16 + 4 * k].try_into().expect("four bytes");
            f64::from(f32::from_le_bytes(bytes))
        };
        mesh.points.extend((0..3).map(|corner| std::array::from_fn(|k| number(3 * corner + k))));
        mesh.triangles.push([0, 1, 2].map(|k| 3 * i as u32 + k));
    }
    mesh
}

fn parse_text(bytes: &[u8]) -> Parsed<Import> {
    let mut scanner = Scanner::new(bytes, false);
    let mut mesh = Mesh::default();
    let (mut solids, mut solid_of, mut cutter) = (0, vec![], Cutter::default());
    while let Some(word) = scanner.word() {
        match word.to_ascii_lowercase().as_slice() {
            b"solid" => {
                solids += 1;
                scanner.rest_of_line();
            }
            b"facet" | b"endfacet" | b"endsolid" => {
                scanner.rest_of_line();
            }
            b"outer" => {
                let corners = read_loop(&mut scanner, &mut mesh.points)?;
                cutter.cut(&mesh.points, &corners, |triangle| mesh.triangles.push(triangle));
                solid_of.resize(mesh.triangles.len(), f64::from(solids));
            }
            other => {
                let shown: String = String::from_utf8_lossy(other).chars().take(30).collect();
                return Err(scanner.fault(format!("'{shown}' where a facet should be")));
            }
        }
    }
    if solid_of.last().is_some_and(|last| *last != solid_of[0]) {
        mesh.cell_data.push(DataArray { name: "solid".into(), components: 1, values: solid_of });
    }
    Ok(Import { mesh, notes: Vec::from_iter(cutter.note()) })
}

/// Reads the vertices from `loop` to `endloop` and returns their numbers; some programs write polygons there.
fn read_loop(scanner: &mut Scanner, points: &mut Vec<[f64; 3]>) -> Parsed<Vec<u32>> {
    let first = points.len() as u32;
    loop {
        match scanner.text("'vertex' or 'endloop'")?.to_ascii_lowercase().as_str() {
            "loop" => {}
            "vertex" => {
                let mut point = [0.0; 3];
                for x in &mut point {
                    *x = scanner.float("a coordinate")?;
                }
                points.push(point);
            }
            "endloop" => {
                scanner.rest_of_line();
                break;
            }
            other => return Err(scanner.fault(format!("'{other}' where 'vertex' or 'endloop' should be"))),
        }
    }
    let corners: Vec<u32> = (first..points.len() as u32).collect();
    if corners.len() < 3 {
        return Err(scanner.fault(format!("a facet with {} vertices", corners.len())));
    }
    Ok(corners)
}

/// Writes a binary file of triangles with their points; coordinates become single precision, or are refused if they are
/// too large for it.
pub fn write(points: &[[f64; 3]], triangles: &[[u32; 3]], out: &mut impl Write) -> io::Result<()> {
    super::single::check(triangles.iter().flatten().flat_map(|v| points[*v as usize]))?;
    let mut header = [b' '; 80];
    header[..6].copy_from_slice(b"pliant");
    out.write_all(&header)?;
    out.write_all(&(triangles.len() as u32).to_le_bytes())?;
    for triangle in triangles {
        let [a, b, c] = triangle.map(|v| points[v as usize]);
        let n = cross(sub(b, a), sub(c, a));
        let length = dot(n, n).sqrt();
        let normal = if length > 0.0 { n.map(|x| x / length) } else { [0.0; 3] };
        for x in [normal, a, b, c].as_flattened() {
            out.write_all(&(*x as f32).to_le_bytes())?;
        }
        out.write_all(&[0; 2])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "solid facet one\nfacet normal 0 0 1\n outer loop\n  vertex 0 0 0\n  vertex 1 0 0\n  \
                        VERTEX 0 1e0 0\n endloop\nendfacet\nendsolid\nsolid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 2\n\
                        vertex 1 0 2\nvertex 0 1 2\nendloop\nendfacet\nendsolid two\n";

    #[test]
    fn text_with_two_solids_and_old_line_ends() {
        let mesh = parse(TEXT.as_bytes()).unwrap().mesh;
        assert_eq!((mesh.points.len(), mesh.triangles.as_slice()), (6, &[[0, 1, 2], [3, 4, 5]][..]));
        assert_eq!(mesh.cell_data[0].values, [1.0, 2.0]);
        assert_eq!(parse(TEXT.replace('\n', "\r").as_bytes()).unwrap().mesh, mesh);
        let fault = parse(TEXT.replace("vertex 1 0 2", "vertex 1 o 2").as_bytes()).unwrap_err();
        assert!(fault.place == "line 14" && fault.reason.contains("'o' where a coordinate"), "{fault:?}");
    }

    #[test]
    fn what_is_written_is_read_whatever_it_begins_with() {
        let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.25]];
        let mut bytes = vec![];
        write(&points, &[[0, 1, 2], [0, 2, 3]], &mut bytes).unwrap();
        bytes[..5].copy_from_slice(b"solid");
        let mesh = parse(&bytes).unwrap().mesh;
        assert_eq!(mesh.points[3..], [points[0], points[2], points[3]]);
        assert_eq!(f32::from_le_bytes(bytes[92..96].try_into().unwrap()), 1.0, "the first normal's z");
        assert!(parse(&bytes[..bytes.len() - 1]).is_err());
        assert!(is_stl(&bytes) && !is_stl(&bytes[6..]));
    }
}
