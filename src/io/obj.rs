//! Wavefront OBJ: points, faces of any number of corners, lines.
//!
//! Corners are numbered from 1, or backwards from −1, the last point so far; they may name points that come later. A
//! line that ends in `\` goes on. Texture coordinates and normals belong to corners. If every vertex has only one of
//! them, they become the point arrays `uv` and `normal`; otherwise they are dropped, which is reported. If there are
//! several groups, objects or materials, they become the cell arrays `obj:group`, `obj:object` and `obj:material`,
//! numbered in the order of their names' first use. The points of each are groups of the mesh.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Write};

use super::scanner::parse_float;
use super::{Fault, Import, Parsed, unix_lines};
use crate::mesh::polygon::Cutter;
use crate::mesh::{DataArray, Group, Mesh};

/// True if a line is a statement of OBJ files.
fn is_statement(line: &[u8]) -> bool {
    let word = line.split(|b| b.is_ascii_whitespace()).next().unwrap_or_default();
    [&b"v"[..], b"vt", b"vn", b"f", b"o", b"g", b"s", b"l", b"p", b"mtllib", b"usemtl"].contains(&word)
}

/// True if the first lines that are not empty are statements of an OBJ file.
pub(crate) fn is_obj(text: &[u8]) -> bool {
    let text = unix_lines(&text[..text.len().min(1 << 16)]);
    let mut lines = text.split(|b| *b == b'\n').map(<[u8]>::trim_ascii);
    lines.find(|line| !line.is_empty() && !line.starts_with(b"#")).is_some_and(is_statement)
}

/// Data of corners: the last index at each vertex, and whether another one was there before.
struct PerCorner {
    values: Vec<[f64; 3]>,
    /// How many stand before the current line.
    so_far: usize,
    at_vertex: Vec<Option<u32>>,
    clashes: bool,
    /// True if a corner names one that does not exist.
    missing: bool,
}

impl PerCorner {
    fn new() -> PerCorner {
        PerCorner { values: vec![], so_far: 0, at_vertex: vec![], clashes: false, missing: false }
    }

    fn set(&mut self, vertex: u32, index: u32) {
        let vertex = vertex as usize;
        if self.at_vertex.len() <= vertex {
            self.at_vertex.resize(vertex + 1, None);
        }
        let same = |old: u32| self.values[old as usize] == self.values[index as usize];
        self.clashes |= self.at_vertex[vertex].is_some_and(|old| !same(old));
        self.at_vertex[vertex] = Some(index);
    }

    /// The point array, or the reason why there is none.
    fn array(
        &self,
        name: &str,
        components: usize,
        points: usize,
        notes: &mut Vec<String>,
    ) -> Option<DataArray> {
        if self.missing {
            notes.push(format!("corners name a {name} that does not exist: all of them are left out"));
            return None;
        }
        if self.at_vertex.is_empty() {
            return None;
        }
        let whole = self.at_vertex.len() == points && self.at_vertex.iter().all(Option::is_some);
        if self.clashes || !whole {
            notes.push(format!("{name} differs between the corners of a vertex and is left out"));
            return None;
        }
        let values =
            self.at_vertex.iter().flatten().flat_map(|i| self.values[*i as usize][..components].to_vec());
        Some(DataArray { name: name.into(), components, values: values.collect() })
    }
}

/// The names of groups, objects or materials, and the number of the one that each triangle belongs to.
#[derive(Default)]
struct Names {
    known: HashMap<Vec<u8>, usize>,
    current: usize,
    of_triangle: Vec<f64>,
    /// The corners of the faces and lines after each name, as they come.
    points: Vec<Vec<u32>>,
}

impl Names {
    fn use_name(&mut self, name: &[u8]) {
        let next = self.known.len();
        self.current = *self.known.entry(name.to_vec()).or_insert(next);
        self.points.resize(self.known.len(), vec![]);
    }

    /// Takes note of the corners of a face or line, if it has a name.
    fn take(&mut self, corners: &[u32]) {
        if let Some(points) = self.points.get_mut(self.current) {
            points.extend(corners);
        }
    }

    /// The points of each name; a line of groups has several, which `is_list` says.
    fn groups(&mut self, is_list: bool) -> Vec<Group> {
        let mut known: Vec<(Vec<u8>, usize)> = std::mem::take(&mut self.known).into_iter().collect();
        known.sort_unstable_by_key(|(_, number)| *number);
        let group = |(name, number): (Vec<u8>, usize)| {
            let text = String::from_utf8_lossy(&name);
            let names = if is_list {
                text.split_whitespace().map(str::to_owned).collect()
            } else {
                vec![text.into()]
            };
            let mut points = std::mem::take(&mut self.points[number]);
            points.sort_unstable();
            points.dedup();
            Group { names, points }
        };
        known.into_iter().map(group).filter(|group| !group.points.is_empty()).collect()
    }
}

struct Reader {
    mesh: Mesh,
    /// The number of points before the current line.
    so_far: usize,
    uv: PerCorner,
    normal: PerCorner,
    names: [(&'static str, Names); 3],
    cutter: Cutter,
}

/// Parses a whole file.
pub(crate) fn parse(bytes: &[u8]) -> Parsed<Import> {
    let bytes = joined(unix_lines(bytes));
    let names = ["obj:group", "obj:object", "obj:material"].map(|name| (name, Names::default()));
    let (uv, normal) = (PerCorner::new(), PerCorner::new());
    let cutter = Cutter::default();
    let mut reader = Reader { mesh: Mesh::default(), so_far: 0, uv, normal, names, cutter };
    for cells in [false, true] {
        for (i, line) in bytes.split(|b| *b == b'\n').enumerate() {
            let line = line.split(|b| *b == b'#').next().unwrap_or_default().trim_ascii();
            let done = if cells { reader.cells(line) } else { reader.values(line) };
            done.map_err(|reason| Fault::new(format!("line {}", i + 1), reason))?;
        }
    }
    Ok(reader.finish())
}

/// Joins lines that end in `\` with the next one. An empty line replaces each, so that line numbers stay right.
pub(super) fn joined(bytes: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    if !bytes.contains(&b'\\') {
        return bytes;
    }
    let (mut out, mut owed) = (Vec::with_capacity(bytes.len()), 0);
    for line in bytes.split(|b| *b == b'\n') {
        let trimmed = line.trim_ascii_end();
        if let Some(start) = trimmed.strip_suffix(b"\\") {
            out.extend_from_slice(start);
            out.push(b' ');
            owed += 1;
        } else {
            out.extend_from_slice(line);
            out.extend(std::iter::repeat_n(b'\n', owed + 1));
            owed = 0;
        }
    }
    Cow::Owned(out)
}

impl Reader {
    /// Takes the points, texture coordinates and normals.
    fn values(&mut self, line: &[u8]) -> Result<(), String> {
        let mut words = words(line);
        match words.next() {
            Some(b"v") => self.mesh.points.push(numbers(words, 3, "a coordinate")?),
            Some(b"vt") => self.uv.values.push(numbers(words, 1, "a texture coordinate")?),
            Some(b"vn") => self.normal.values.push(numbers(words, 3, "a part of a normal")?),
            _ => {}
        }
        Ok(())
    }

    /// Takes faces, lines and names, all points being known.
    fn cells(&mut self, line: &[u8]) -> Result<(), String> {
        let mut words = words(line);
        match words.next() {
            Some(b"v") => self.so_far += 1,
            Some(b"vt") => self.uv.so_far += 1,
            Some(b"vn") => self.normal.so_far += 1,
            Some(b"f") => self.face(words)?,
            Some(b"l") => self.line(words)?,
            Some(b"g") => self.names[0].1.use_name(line[1..].trim_ascii()),
            Some(b"o") => self.names[1].1.use_name(line[1..].trim_ascii()),
            Some(b"usemtl") => self.names[2].1.use_name(line[6..].trim_ascii()),
            _ => {}
        }
        Ok(())
    }

    fn face<'a>(&mut self, words: impl Iterator<Item = &'a [u8]>) -> Result<(), String> {
        let mut corners = vec![];
        for word in words {
            let mut parts = word.split(|b| *b == b'/');
            let vertex = self.vertex(parts.next().unwrap_or_default())?;
            corners.push(vertex);
            for (part, per_corner) in [(parts.next(), &mut self.uv), (parts.next(), &mut self.normal)] {
                let Some(part) = part.filter(|part| !part.is_empty()) else { continue };
                match index(part, per_corner.so_far, per_corner.values.len())? {
                    Some(place) => per_corner.set(vertex, place),
                    None => per_corner.missing = true,
                }
            }
        }
        if corners.len() < 3 {
            return Err(format!("a face with {} corners", corners.len()));
        }
        let (triangles, names) = (&mut self.mesh.triangles, &mut self.names);
        names.iter_mut().for_each(|(_, names)| names.take(&corners));
        self.cutter.cut(&self.mesh.points, &corners, |triangle| {
            triangles.push(triangle);
            names.iter_mut().for_each(|(_, names)| names.of_triangle.push(names.current as f64));
        });
        Ok(())
    }

    fn line<'a>(&mut self, words: impl Iterator<Item = &'a [u8]>) -> Result<(), String> {
        let mut last = None;
        for word in words {
            let vertex = word.split(|b| *b == b'/').next().unwrap_or_default();
            let vertex = self.vertex(vertex)?;
            if let Some(last) = last.replace(vertex) {
                self.mesh.edges.push([last, vertex]);
                self.names.iter_mut().for_each(|(_, names)| names.take(&[last, vertex]));
            }
        }
        Ok(())
    }

    fn vertex(&self, word: &[u8]) -> Result<u32, String> {
        let count = self.mesh.points.len();
        index(word, self.so_far, count)?.ok_or_else(|| {
            let shown = String::from_utf8_lossy(word).into_owned();
            format!("uses vertex {shown}, but there are {count} (numbered from 1)")
        })
    }

    fn finish(mut self) -> Import {
        for (kind, names) in &mut self.names {
            self.mesh.groups.extend(names.groups(*kind == "obj:group"));
        }
        let (mut mesh, mut notes) = (self.mesh, Vec::from_iter(self.cutter.note()));
        let points = mesh.points.len();
        for (per_corner, name, components) in [(&self.uv, "uv", 2), (&self.normal, "normal", 3)] {
            mesh.point_data.extend(per_corner.array(name, components, points, &mut notes));
        }
        if mesh.triangles.is_empty() {
            return Import { mesh, notes };
        }
        mesh.edges.clear();
        for (name, names) in self.names {
            if names.of_triangle.iter().any(|n| *n != names.of_triangle[0]) {
                mesh.cell_data.push(DataArray {
                    name: name.into(),
                    components: 1,
                    values: names.of_triangle,
                });
            }
        }
        Import { mesh, notes }
    }
}

/// Up to three numbers, but at least `least` of them; further words are ignored.
pub(super) fn numbers<'a>(
    words: impl Iterator<Item = &'a [u8]>,
    least: usize,
    what: &str,
) -> Result<[f64; 3], String> {
    let (mut out, mut count) = ([0.0; 3], 0);
    for (slot, word) in out.iter_mut().zip(words) {
        let shown = || String::from_utf8_lossy(word).chars().take(30).collect::<String>();
        *slot = parse_float(word).ok_or_else(|| format!("'{}' where {what} should be", shown()))?;
        count += 1;
    }
    if count < least { Err(format!("the line ends where {what} should be")) } else { Ok(out) }
}

pub(super) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|b| b.is_ascii_whitespace()).filter(|word| !word.is_empty())
}

/// The index for a number of the file, which counts from 1 or backwards from −1; `None` if there is no such item.
pub(super) fn index(word: &[u8], so_far: usize, count: usize) -> Result<Option<u32>, String> {
    let shown = || String::from_utf8_lossy(word).chars().take(30).collect::<String>();
    let number: i64 = std::str::from_utf8(word)
        .ok()
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| format!("'{}' where the number of a corner should be", shown()))?;
    let index = if number < 0 { number.checked_add(so_far as i64) } else { number.checked_sub(1) };
    Ok(index.and_then(|i| u32::try_from(i).ok()).filter(|i| (*i as usize) < count))
}

/// True if [`write`] keeps a point array.
pub(crate) fn holds(array: &DataArray) -> bool {
    [("uv", 2), ("normal", 3)].contains(&(array.name.as_str(), array.components))
}

/// Writes points, then triangles or, without any, edges; also the point arrays `uv` and `normal`, if there are any.
pub(crate) fn write(mesh: &Mesh, triangles: &[[u32; 3]], out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "# pliant")?;
    for [x, y, z] in &mesh.points {
        writeln!(out, "v {x:?} {y:?} {z:?}")?;
    }
    let array = |name: &str, components: usize| {
        mesh.point_data.iter().find(|array| array.name == name && array.components == components)
    };
    let (uv, normal) = (array("uv", 2), array("normal", 3));
    for (keyword, array) in [("vt", uv), ("vn", normal)] {
        for tuple in array.iter().flat_map(|array| array.values.chunks_exact(array.components)) {
            write!(out, "{keyword}")?;
            tuple.iter().try_for_each(|x| write!(out, " {x:?}"))?;
            writeln!(out)?;
        }
    }
    for triangle in triangles {
        write!(out, "f")?;
        for v in triangle.map(|v| v + 1) {
            match (uv.is_some(), normal.is_some()) {
                (false, false) => write!(out, " {v}")?,
                (true, false) => write!(out, " {v}/{v}")?,
                (false, true) => write!(out, " {v}//{v}")?,
                (true, true) => write!(out, " {v}/{v}/{v}")?,
            }
        }
        writeln!(out)?;
    }
    if triangles.is_empty() {
        mesh.edges.iter().try_for_each(|[a, b]| writeln!(out, "l {} {}", a + 1, b + 1))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quads_negative_numbers_groups_and_continued_lines() {
        let text = "# c\ng An f Three\nv 0 0 0 0.5 0.5 0.5\nv 1 0 0\nv 1 1 \\\n 0\nv 0 1 0\nvt 0 0\nvt 1 0.5\nvn 0 0 1\n\
                    f 1/1/1 2/2/1 3/2/1 4/1/1\ng other\nf -4//1 -3//1 -1//1 # end\n";
        let Import { mesh, notes } = parse(text.as_bytes()).unwrap();
        assert_eq!((mesh.points[2], mesh.points.len()), ([1.0, 1.0, 0.0], 4));
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3], [0, 1, 3]]);
        assert_eq!(mesh.point_data[0].values, [0.0, 0.0, 1.0, 0.5, 1.0, 0.5, 0.0, 0.0]);
        assert_eq!(
            (mesh.point_data[1].name.as_str(), mesh.cell_data[0].values.as_slice()),
            ("normal", &[0.0, 0.0, 1.0][..])
        );
        let group = |names: &[&str], points: &[u32]| Group {
            names: names.iter().map(|name| name.to_string()).collect(),
            points: points.to_vec(),
        };
        assert_eq!(mesh.groups, [group(&["An", "f", "Three"], &[0, 1, 2, 3]), group(&["other"], &[0, 1, 3])]);
        assert!(notes.is_empty());
        let seams = parse(text.replace("-1//1", "-1/2/1").as_bytes()).unwrap();
        assert!(
            seams.notes[0].contains("uv differs") && seams.mesh.point_data.len() == 1,
            "{:?}",
            seams.notes
        );
    }

    #[test]
    fn numbers_may_name_what_follows_but_backwards_only_what_stands_before() {
        let early = parse(b"f 1 2 3\nf -1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n").unwrap_err();
        assert!(early.place == "line 2" && early.reason.contains("uses vertex -1"), "{early:?}");
        let between = parse(b"v 0 0 0\nv 1 0 0\nf -1 -2 3\nv 0 1 0\n").unwrap().mesh;
        assert_eq!(between.triangles, [[1, 0, 2]]);
    }

    #[test]
    fn what_is_written_is_read() {
        let text = "v 0.1 1e-300 -0\nv 3 4 5\nv 1 2 0.3333333333333333\nvt 0.25 0.75\nvt 1 1\nvt 0 0\nf 1/1 2/2 3/3\n";
        let mesh = parse(text.as_bytes()).unwrap().mesh;
        let mut out = vec![];
        write(&mesh, &mesh.triangles, &mut out).unwrap();
        assert_eq!(parse(&out).unwrap().mesh, mesh);
    }

    #[test]
    fn faults_name_their_line() {
        for (text, line, reason) in [
            ("v 0 0 0\nf 0 1 1\n", 2, "uses vertex 0"),
            ("v 0 0 0\nv 1 \\\n 0\n", 2, "ends where a coordinate"),
            ("v 0 0 3.1+e2\n", 1, "'3.1+e2' where a coordinate"),
            ("v 0 0 0\n\nf 1 1\n", 3, "a face with 2 corners"),
            ("v 0 0 0\nf 1/x 1 1\n", 2, "'x' where the number of a corner"),
        ] {
            let fault = parse(text.as_bytes()).unwrap_err();
            assert!(
                fault.place == format!("line {line}") && fault.reason.contains(reason),
                "{text:?}: {fault:?}"
            );
        }
    }
}
