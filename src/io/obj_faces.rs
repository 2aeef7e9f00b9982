//! The faces of an OBJ file as they stand in it: polygons with texture coordinates at their corners.
//!
//! Meshes hold triangles, and at most one texture coordinate per vertex. Formats that give a user's surface back need
//! its polygons and its seams.

use super::obj::{index, is_obj, joined, numbers, words};
use super::unix_lines;

/// Polygons by their corners, one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Polygons {
    /// The number of corners of each polygon.
    pub counts: Vec<u32>,
    /// The vertex of each corner.
    pub vertices: Vec<u32>,
    /// All texture coordinates of the file.
    pub uv: Vec<[f64; 2]>,
    /// The number of the texture coordinate of each corner; empty unless every corner has one.
    pub uv_corners: Vec<u32>,
}

impl Polygons {
    /// Triangles without texture coordinates.
    pub fn of_triangles(triangles: &[[u32; 3]]) -> Polygons {
        let vertices = triangles.as_flattened().to_vec();
        Polygons { counts: vec![3; triangles.len()], vertices, ..Polygons::default() }
    }

    /// The polygons of an OBJ file with so many vertices; `None` if the text is not one.
    pub fn of_obj(text: &[u8], vertices: usize) -> Option<Polygons> {
        if !is_obj(text) {
            return None;
        }
        let text = joined(unix_lines(text));
        let lines = || {
            text.split(|b| *b == b'\n')
                .map(|line| line.split(|b| *b == b'#').next().unwrap_or_default().trim_ascii())
        };
        let mut out = Polygons::default();
        for line in lines() {
            let mut words = words(line);
            if words.next() == Some(b"vt") {
                let [u, v, _] = numbers(words, 1, "a texture coordinate").ok()?;
                out.uv.push([u, v]);
            }
        }
        let (mut points, mut uvs) = (0, 0);
        for line in lines() {
            let mut words = words(line);
            match words.next() {
                Some(b"v") => points += 1,
                Some(b"vt") => uvs += 1,
                Some(b"f") => out.push_face(words, (points, vertices), uvs)?,
                _ => {}
            }
        }
        if out.uv_corners.len() != out.vertices.len() {
            out.uv_corners.clear();
            out.uv.clear();
        }
        (points == vertices && !out.counts.is_empty()).then_some(out)
    }

    fn push_face<'a>(
        &mut self,
        words: impl Iterator<Item = &'a [u8]>,
        (points, vertices): (usize, usize),
        uvs: usize,
    ) -> Option<()> {
        let before = self.vertices.len();
        for word in words {
            let mut parts = word.split(|b| *b == b'/');
            self.vertices.push(index(parts.next()?, points, vertices).ok()??);
            if let Some(uv) = parts.next().filter(|part| !part.is_empty()) {
                self.uv_corners.extend(index(uv, uvs, self.uv.len()).ok().flatten());
            }
        }
        self.counts.push((self.vertices.len() - before) as u32);
        Some(())
    }

    /// Leaves out vertices that no polygon has: renumbers the corners and returns the vertices that stay, ascending.
    pub fn compact(&mut self) -> Vec<u32> {
        let mut kept = self.vertices.clone();
        kept.sort_unstable();
        kept.dedup();
        for vertex in &mut self.vertices {
            *vertex = kept.binary_search(vertex).expect("a vertex of a polygon") as u32;
        }
        kept
    }

    /// The range of the corners of each polygon.
    pub fn faces(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        self.counts.iter().scan(0, |end, count| {
            let start = *end;
            *end += *count as usize;
            Some(start..*end)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUAD: &str = "v 0 0 0\nv 9 9 9\nv 1 0 0\nvt 0 0\nvt 0.5 1\nv 1 1 0\nv 0 1 0\nf 1/1 3/2 4/-1 \\\n-1/1 # quad\nf 1/1/1 3/2/1 4/2\n";

    #[test]
    fn polygons_keep_their_corners_and_seams() {
        let mut polygons = Polygons::of_obj(QUAD.as_bytes(), 5).unwrap();
        assert_eq!((polygons.counts.as_slice(), polygons.uv.len()), (&[4, 3][..], 2));
        assert_eq!(polygons.vertices, [0, 2, 3, 4, 0, 2, 3]);
        assert_eq!(polygons.uv_corners, [0, 1, 1, 0, 0, 1, 1]);
        assert_eq!(polygons.compact(), [0, 2, 3, 4]);
        assert_eq!(polygons.vertices, [0, 1, 2, 3, 0, 1, 2]);
        assert_eq!(polygons.faces().collect::<Vec<_>>(), [0..4, 4..7]);
    }

    #[test]
    fn corners_without_texture_leave_none_to_the_others() {
        let polygons = Polygons::of_obj(QUAD.replace("f 1/1/1", "f 1//1").as_bytes(), 5).unwrap();
        assert!(polygons.uv.is_empty() && polygons.uv_corners.is_empty());
        assert_eq!(Polygons::of_obj(QUAD.as_bytes(), 4), None);
        assert_eq!(Polygons::of_obj(b"solid x\n", 0), None);
    }
}
