//! Writing PLY: binary, little-endian; lines are an `element edge`, as Blender reads and writes them.

use std::io::{self, Write};

use super::vtu_write::write_runs;
use crate::mesh::surface::SurfaceMap;
use crate::mesh::{DataArray, Mesh};

/// A surface to be written; the order of its vertices is the same in all frames.
#[derive(Clone, Copy, Debug)]
pub struct PlyFrame<'a> {
    /// The positions of the mesh's vertices.
    pub points: &'a [[f64; 3]],
    /// The vertices of the mesh that the surface uses, and its triangles or, without any, its edges.
    pub surface: &'a SurfaceMap,
    /// The normal at each vertex of the surface, if normals are wanted.
    pub normals: Option<&'a [[f64; 3]]>,
    /// If true, coordinates are written as `float` instead of `double`.
    pub float32: bool,
}

impl PlyFrame<'_> {
    /// Writes the file. A surface that does not belong to the points, or coordinates too large for `float`, are
    /// [`InvalidInput`](io::ErrorKind::InvalidInput).
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let SurfaceMap { triangles, edges, vertices } = self.surface;
        let missing = vertices.iter().any(|&v| v as usize >= self.points.len());
        let mut corners = triangles.iter().flatten().chain(edges.iter().flatten());
        if missing || corners.any(|&v| v as usize >= vertices.len()) {
            let reason = "the surface uses points that do not exist";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        }
        if self.float32 {
            super::single::check(vertices.iter().flat_map(|v| self.points[*v as usize]))?;
        }
        let kind = if self.float32 { "float" } else { "double" };
        let is_line = triangles.is_empty() && !edges.is_empty();
        let cells = if is_line {
            format!("edge {}\nproperty int vertex1\nproperty int vertex2", edges.len())
        } else {
            format!("face {}\nproperty list uchar int vertex_indices", triangles.len())
        };
        let names =
            if self.normals.is_some() { &["x", "y", "z", "nx", "ny", "nz"][..] } else { &["x", "y", "z"] };
        let properties: String = names.iter().map(|name| format!("property {kind} {name}\n")).collect();
        write!(
            out,
            "ply\nformat binary_little_endian 1.0\ncomment pliant\nelement vertex {}\n{properties}\
             element {cells}\nend_header\n",
            vertices.len()
        )?;
        if let Some(normals) = self.normals {
            for (v, normal) in vertices.iter().zip(normals) {
                for value in self.points[*v as usize].iter().chain(normal) {
                    match self.float32 {
                        true => out.write_all(&(*value as f32).to_le_bytes())?,
                        false => out.write_all(&value.to_le_bytes())?,
                    }
                }
            }
        } else if self.float32 {
            write_runs(out, vertices, |v| {
                let [x, y, z] = self.points[v as usize].map(|x| (x as f32).to_le_bytes());
                let mut bytes = [0; 12];
                bytes.copy_from_slice([x, y, z].as_flattened());
                bytes
            })?;
        } else {
            write_runs(out, vertices, |v| {
                let mut bytes = [0; 24];
                bytes.copy_from_slice(self.points[v as usize].map(f64::to_le_bytes).as_flattened());
                bytes
            })?;
        }
        if is_line {
            return write_runs(out, edges.as_flattened(), u32::to_le_bytes);
        }
        write_runs(out, triangles, |triangle| {
            let mut bytes = [3; 13];
            bytes[1..].copy_from_slice(triangle.map(u32::to_le_bytes).as_flattened());
            bytes
        })
    }
}

/// Writes the triangles or, without any, the edges of a mesh with all its points and arrays, as doubles.
pub(super) fn write_mesh(mesh: &Mesh, out: &mut impl Write) -> io::Result<()> {
    let is_line = mesh.triangles.is_empty();
    let mut header = format!(
        "ply\nformat binary_little_endian 1.0\ncomment pliant\nelement vertex {}\n",
        mesh.points.len()
    );
    header += &["x", "y", "z"].map(|name| format!("property double {name}\n")).concat();
    header += &properties(&mesh.point_data);
    header += &if is_line {
        format!("element edge {}\nproperty int vertex1\nproperty int vertex2\n", mesh.edges.len())
    } else {
        format!("element face {}\nproperty list uchar int vertex_indices\n", mesh.triangles.len())
    };
    header += &properties(&mesh.cell_data);
    writeln!(out, "{header}end_header")?;
    for (i, point) in mesh.points.iter().enumerate() {
        write_runs(out, point, f64::to_le_bytes)?;
        write_tuples(&mesh.point_data, i, out)?;
    }
    for (i, edge) in mesh.edges.iter().enumerate().filter(|_| is_line) {
        write_runs(out, edge, u32::to_le_bytes)?;
        write_tuples(&mesh.cell_data, i, out)?;
    }
    for (i, triangle) in mesh.triangles.iter().enumerate() {
        out.write_all(&[3])?;
        write_runs(out, triangle, u32::to_le_bytes)?;
        write_tuples(&mesh.cell_data, i, out)?;
    }
    Ok(())
}

/// The properties of arrays: `nx ny nz` and `s t` for `normal` and `uv`, else the name, numbered if there
/// are several components.
fn properties(arrays: &[DataArray]) -> String {
    let mut text = String::new();
    for array in arrays {
        let name: String = array.name.split_whitespace().collect::<Vec<_>>().join("_");
        for k in 0..array.components {
            let part = match (name.as_str(), array.components) {
                ("normal", 3) => ["nx", "ny", "nz"][k].to_owned(),
                ("uv", 2) => ["s", "t"][k].to_owned(),
                (_, 1) => name.clone(),
                _ => format!("{name}_{k}"),
            };
            text += &format!("property double {part}\n");
        }
    }
    text
}

fn write_tuples(arrays: &[DataArray], i: usize, out: &mut impl Write) -> io::Result<()> {
    arrays.iter().try_for_each(|array| {
        let n = array.components;
        write_runs(out, &array.values[n * i..n * (i + 1)], f64::to_le_bytes)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_are_as_the_header_says() {
        let surface =
            SurfaceMap { triangles: vec![[0, 1, 2], [2, 1, 0]], edges: vec![], vertices: vec![1, 3, 4] };
        let points = [[0.0; 3], [1.0, 2.0, 3.0], [0.0; 3], [4.0; 3], [5.0; 3]];
        for (float32, width) in [(false, 8), (true, 4)] {
            let mut out = Vec::new();
            PlyFrame { points: &points, surface: &surface, normals: None, float32 }.write(&mut out).unwrap();
            let header = out.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
            let body = &out[header..];
            assert_eq!(body.len(), 3 * 3 * width + 2 * 13);
            assert_eq!(body[9 * width..9 * width + 5], [3, 0, 0, 0, 0]);
            assert_eq!(body[9 * width + 13..][..5], [3, 2, 0, 0, 0]);
            if !float32 {
                assert_eq!(body[8..16], 2f64.to_le_bytes());
            }
        }
        let wrong = PlyFrame { points: &points[..2], surface: &surface, normals: None, float32: false };
        assert!(wrong.write(&mut Vec::new()).is_err());
    }

    #[test]
    fn lines_are_edges() {
        let surface = SurfaceMap { triangles: vec![], edges: vec![[0, 1], [1, 2]], vertices: vec![0, 2, 3] };
        let points = [[0.0; 3], [9.0; 3], [1.0; 3], [2.0; 3]];
        let mut out = Vec::new();
        PlyFrame { points: &points, surface: &surface, normals: None, float32: false }
            .write(&mut out)
            .unwrap();
        let header = out.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
        let text = std::str::from_utf8(&out[..header]).unwrap();
        assert!(text.contains("element edge 2\nproperty int vertex1\nproperty int vertex2\n"), "{text}");
        assert!(!text.contains("face"), "{text}");
        let ends: Vec<u8> = [0u32, 1, 1, 2].iter().flat_map(|v| v.to_le_bytes()).collect();
        assert_eq!(out[header + 3 * 24..], ends);
        let missing = SurfaceMap { edges: vec![[0, 3]], ..surface };
        let wrong = PlyFrame { points: &points, surface: &missing, normals: None, float32: false };
        assert!(wrong.write(&mut Vec::new()).is_err());
    }
}
