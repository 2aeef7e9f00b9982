//! Writing OBJ frames: a surface as it is, or a user's own file with new positions.
//!
//! The second way keeps every byte of the file except the coordinates of its `v` lines and, if asked for, of its `vn`
//! lines: texture coordinates, polygons, groups, materials and comments come back untouched. If several vertices use a
//! normal of the file, it becomes the mean of theirs.

use std::io::{self, Write};
use std::ops::Range;

use super::obj::is_obj;
use crate::mesh::surface::SurfaceMap;
use elements::math::vec3::{add, norm, scale};

/// A surface to be written.
#[derive(Clone, Copy, Debug)]
pub struct ObjFrame<'a> {
    /// The positions of the mesh's vertices.
    pub points: &'a [[f64; 3]],
    /// The vertices of the mesh that the surface uses, and its triangles or, without any, its edges.
    pub surface: &'a SurfaceMap,
    /// The normal at each vertex of the surface, if normals are wanted.
    pub normals: Option<&'a [[f64; 3]]>,
}

impl ObjFrame<'_> {
    /// Writes the surface alone.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "# pliant")?;
        for v in &self.surface.vertices {
            line(out, "v", self.points[*v as usize])?;
        }
        for normal in self.normals.unwrap_or_default() {
            line(out, "vn", *normal)?;
        }
        for triangle in &self.surface.triangles {
            let [a, b, c] = triangle.map(|v| v + 1);
            match self.normals {
                Some(_) => writeln!(out, "f {a}//{a} {b}//{b} {c}//{c}")?,
                None => writeln!(out, "f {a} {b} {c}")?,
            }
        }
        for [a, b] in &self.surface.edges {
            writeln!(out, "l {} {}", a + 1, b + 1)?;
        }
        Ok(())
    }
}

/// Writes a line with the shortest decimals that read back to the same bits.
fn line(out: &mut impl Write, word: &str, [x, y, z]: [f64; 3]) -> io::Result<()> {
    writeln!(out, "{word} {x} {y} {z}")
}

/// A user's OBJ file, in which positions are replaced.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    text: Vec<u8>,
    /// The bytes of the three coordinates of each `v` line.
    vertices: Vec<Range<usize>>,
    /// The bytes of the three coordinates of each `vn` line.
    normals: Vec<Range<usize>>,
    /// The vertices that use each normal.
    users: Vec<Vec<u32>>,
}

impl Template {
    /// Makes a template; `None` if the text is not an OBJ file with so many vertices, each on a line of its own.
    pub fn new(text: Vec<u8>, points: usize) -> Option<Template> {
        if !is_obj(&text) {
            return None;
        }
        let (mut vertices, mut normals, mut pairs) = (vec![], vec![], vec![]);
        let mut start = 0;
        for piece in text.split_inclusive(|b| *b == b'\n' || *b == b'\r') {
            let words = words(piece);
            let at = |i: usize| words.get(i).map(|word| start + word.start..start + word.end);
            let coordinates = at(1).zip(at(3)).map(|(first, last)| first.start..last.end);
            match words.first().map(|word| &piece[word.clone()]) {
                Some(b"v") => vertices.push(coordinates?),
                Some(b"vn") => normals.push(coordinates?),
                Some(b"f") => {
                    let corners = words[1..].iter().map(|word| &piece[word.clone()]);
                    pairs.extend(corners.filter_map(|c| corner(c, vertices.len(), normals.len())));
                }
                _ => {}
            }
            if piece.trim_ascii_end().ends_with(b"\\") && !words.is_empty() {
                let word = &piece[words[0].clone()];
                if word == b"v" || word == b"vn" {
                    return None;
                }
            }
            start += piece.len();
        }
        let mut users = vec![vec![]; normals.len()];
        for (vertex, normal) in pairs {
            users.get_mut(normal as usize)?.push(vertex);
        }
        users.iter_mut().for_each(|users| {
            users.sort_unstable();
            users.dedup();
        });
        (vertices.len() == points).then_some(Template { text, vertices, normals, users })
    }

    /// Writes the file with the frame's positions.
    pub fn write(&self, frame: &ObjFrame, out: &mut impl Write) -> io::Result<()> {
        let points: Vec<[f64; 3]> =
            frame.surface.vertices.iter().map(|v| frame.points[*v as usize]).collect();
        self.put(&points, frame.normals, out)
    }

    /// Writes the file with these positions, one for each of its vertices, and with its own normals.
    pub fn write_points(&self, points: &[[f64; 3]], out: &mut impl Write) -> io::Result<()> {
        self.put(points, None, out)
    }

    fn put(&self, points: &[[f64; 3]], normals: Option<&[[f64; 3]]>, out: &mut impl Write) -> io::Result<()> {
        let fresh = normals.map(|normals| self.means(normals));
        let mut normals = fresh.iter().flatten().zip(&self.normals).peekable();
        let mut at = 0;
        let mut put = |place: &Range<usize>, [x, y, z]: [f64; 3], out: &mut dyn Write| -> io::Result<()> {
            out.write_all(&self.text[at..place.start])?;
            at = place.end;
            write!(out, "{x} {y} {z}")
        };
        for (point, place) in points.iter().zip(&self.vertices) {
            while let Some((normal, own)) = normals.next_if(|(_, own)| own.start < place.start) {
                put(own, *normal, out)?;
            }
            put(place, *point, out)?;
        }
        for (normal, own) in normals {
            put(own, *normal, out)?;
        }
        out.write_all(&self.text[at..])
    }

    /// For each normal of the file, the mean of the normals of its users; z for one that is not used.
    fn means(&self, normals: &[[f64; 3]]) -> Vec<[f64; 3]> {
        let mean = |users: &Vec<u32>| {
            let sum = users.iter().fold([0.0; 3], |sum, v| add(sum, normals[*v as usize]));
            let length = norm(sum);
            if length > 0.0 { scale(1.0 / length, sum) } else { [0.0, 0.0, 1.0] }
        };
        self.users.iter().map(mean).collect()
    }
}

/// The places of the words of a line, without comments.
fn words(piece: &[u8]) -> Vec<Range<usize>> {
    let end = piece.iter().position(|b| *b == b'#').unwrap_or(piece.len());
    let mut out: Vec<Range<usize>> = vec![];
    let mut is_inside = false;
    for (i, byte) in piece[..end].iter().enumerate() {
        if byte.is_ascii_whitespace() {
            is_inside = false;
        } else if is_inside {
            out.last_mut().expect("inside of a word").end = i + 1;
        } else {
            out.push(i..i + 1);
            is_inside = true;
        }
    }
    out
}

/// The vertex and the normal of a corner `v/vt/vn`, counted from 0; `None` if it has no normal.
fn corner(word: &[u8], vertices: usize, normals: usize) -> Option<(u32, u32)> {
    let text = std::str::from_utf8(word).ok()?;
    let mut parts = text.split('/');
    let (vertex, normal) = (parts.next()?, parts.nth(1)?);
    let number = |text: &str, count: usize| -> Option<u32> {
        let number: i64 = text.parse().ok()?;
        let index = if number < 0 { count as i64 + number } else { number - 1 };
        u32::try_from(index).ok()
    };
    Some((number(vertex, vertices)?, number(normal, normals)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# a quad\r\nmtllib a.mtl\r\nv 0 0 0 0.5 0.5 0.5\r\nv\t1 0 0 # second\r\nvt 0.25 0.75\r\n\
                        v 1 1 0\r\nvn 0 0 1\r\nv 0 1 0\r\no thing\r\nf 1/1/1 2/1/1 3//1 -1/1/-1\r\n";

    fn map() -> SurfaceMap {
        SurfaceMap { triangles: vec![[0, 1, 2], [0, 2, 3]], vertices: vec![0, 1, 2, 3], ..Default::default() }
    }

    fn written(normals: Option<&[[f64; 3]]>) -> String {
        let template = Template::new(FILE.into(), 4).unwrap();
        let points = [[0.1, 0.0, 0.0], [1.0, 0.5, 0.0], [1.0, 1.0, 1e-17], [-2.0, 1.0, 0.0]];
        let frame = ObjFrame { points: &points, surface: &map(), normals };
        let mut out = vec![];
        template.write(&frame, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn only_the_coordinates_change() {
        let expected = FILE
            .replace("v 0 0 0 0.5", "v 0.1 0 0 0.5")
            .replace("v\t1 0 0", "v\t1 0.5 0")
            .replace("v 1 1 0\r", "v 1 1 0.00000000000000001\r")
            .replace("v 0 1 0\r", "v -2 1 0\r");
        assert_eq!(written(None), expected);
    }

    #[test]
    fn normals_are_the_means_of_their_vertices() {
        let normals = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let text = written(Some(&normals));
        let line = text.lines().find(|line| line.starts_with("vn ")).unwrap();
        let numbers: Vec<f64> = line.split_whitespace().skip(1).map(|w| w.parse().unwrap()).collect();
        let half = std::f64::consts::FRAC_1_SQRT_2;
        for (got, want) in numbers.iter().zip([half, half, 0.0]) {
            assert!((got - want).abs() < 1e-15, "{line}");
        }
    }

    #[test]
    fn other_files_are_no_templates() {
        assert_eq!(Template::new(FILE.into(), 5), None);
        assert_eq!(Template::new(b"solid a\nendsolid a\n".to_vec(), 0), None);
        assert_eq!(Template::new(b"v 0 0 \\\n0\nf 1 1 1\n".to_vec(), 1), None);
    }

    #[test]
    fn surfaces_without_a_file_are_plain() {
        let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [9.0; 3]];
        let surface =
            SurfaceMap { triangles: vec![[0, 1, 2]], vertices: vec![0, 1, 2], ..Default::default() };
        let mut out = vec![];
        ObjFrame { points: &points, surface: &surface, normals: None }.write(&mut out).unwrap();
        assert_eq!(out, b"# pliant\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    }
}
