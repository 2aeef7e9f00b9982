//! Geomview's OFF text files: counts, points, faces; `#` hides the rest of a line.
//!
//! Prefixes of the keyword tell what follows the coordinates of a point: `ST` texture coordinates, `C` colours, `N`
//! normals. All of it is ignored, as are the colours after a face. Polygons are cut into triangles.

use super::scanner::Scanner;
use super::{Fault, Import, Parsed, unix_lines};
use crate::mesh::Mesh;
use crate::mesh::polygon::Cutter;

/// True if the first bytes show an OFF file.
pub(crate) fn is_off(text: &[u8]) -> bool {
    let word = text.split(|b| b.is_ascii_whitespace()).next().unwrap_or_default();
    keyword(word).is_some()
}

/// True if something follows the coordinates; `None` if the word is not a keyword.
fn keyword(word: &[u8]) -> Option<bool> {
    let prefix = word.strip_suffix(b"OFF")?;
    [&b""[..], b"ST", b"C", b"N", b"STC", b"STN", b"CN", b"STCN"]
        .contains(&prefix)
        .then_some(!prefix.is_empty())
}

/// Parses a whole file.
pub(crate) fn parse(bytes: &[u8]) -> Parsed<Import> {
    let bytes = unix_lines(bytes);
    let mut scanner = Scanner::new(&bytes, true);
    let Some(extras) = scanner.word().and_then(keyword) else {
        return Err(Fault::new("line 1", "the file does not begin with OFF"));
    };
    if scanner.peek().is_some_and(|word| word == b"BINARY") {
        return Err(scanner.fault("binary OFF files cannot be read").hint("save it as text, PLY or STL"));
    }
    let points = scanner.count("the number of vertices", 3)?;
    let faces = scanner.count("the number of faces", 1)?;
    scanner.integer("the number of edges")?;
    let mut mesh = Mesh::default();
    for _ in 0..points {
        let mut point = [0.0; 3];
        for x in &mut point {
            *x = scanner.float("a coordinate")?;
        }
        mesh.points.push(point);
        if extras {
            scanner.rest_of_line();
        }
    }
    let (mut corners, mut cutter) = (vec![], Cutter::default());
    for face in 0..faces {
        let count = scanner.count("the number of corners of a face", 1)?;
        corners.clear();
        for _ in 0..count {
            let corner = scanner.integer("a vertex number")?;
            let Some(v) = u32::try_from(corner).ok().filter(|v| (*v as usize) < points) else {
                let reason =
                    format!("face {face} uses vertex {corner}, but there are only {points} (from 0)");
                return Err(scanner.fault(reason));
            };
            corners.push(v);
        }
        scanner.rest_of_line();
        cutter.cut(&mesh.points, &corners, |triangle| mesh.triangles.push(triangle));
    }
    Ok(Import { mesh, notes: Vec::from_iter(cutter.note()) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::Format;
    use crate::io::tests::damaged::check_reader;

    #[test]
    fn colours_comments_and_polygons() {
        let text = "COFF # a square and a corner\n5 2 0\n0 0 0 1 0 0 1\n1 0 0 9 9 9\n1 1 0 1\n0 1 0\n0 0 1 # top\n\
                    4 0 1 2 3 255 0 0\n\n3 0 1 4\n";
        let mesh = parse(text.as_bytes()).unwrap().mesh;
        assert_eq!((mesh.points.len(), mesh.points[2]), (5, [1.0, 1.0, 0.0]));
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3], [0, 1, 4]]);
        let old_mac = text.replace(" # a square and a corner", "").replace('\n', "\r");
        assert_eq!(parse(old_mac.replace(" # top", "").as_bytes()).unwrap().mesh, mesh);
        check_reader(Format::Off, text.as_bytes(), |bytes| parse(bytes).map(|import| import.mesh));
    }

    #[test]
    fn faults_name_their_line() {
        for (text, place, reason) in [
            ("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", "line 6", "uses vertex 3"),
            ("OFF\n3 1 0\n0 0 0\n1 x 0\n", "line 4", "'x' where a coordinate"),
            ("OFF 9999999 1 0\n", "line 1", "do not fit"),
            ("OFF BINARY\n", "line 1", "binary"),
            ("FOF\n", "line 1", "does not begin with OFF"),
        ] {
            let fault = parse(text.as_bytes()).unwrap_err();
            assert!(fault.place.contains(place) && fault.reason.contains(reason), "{text:?}: {fault:?}");
        }
    }
}
