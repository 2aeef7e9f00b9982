//! Binary little-endian PLY surfaces.

use std::io::{self, Write};

use super::vtu_write::write_runs;
use crate::mesh::surface::SurfaceMap;

/// A surface to be written: constant vertex order from frame to frame.
#[derive(Clone, Copy, Debug)]
pub struct PlyFrame<'a> {
    /// Positions of the mesh's vertices.
    pub points: &'a [[f64; 3]],
    /// Which of them the surface has, and its triangles.
    pub surface: &'a SurfaceMap,
    /// `float` coordinates instead of `double`.
    pub float32: bool,
}

impl PlyFrame<'_> {
    /// Writes the file. A surface that does not belong to the points is
    /// [`InvalidInput`](io::ErrorKind::InvalidInput).
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let SurfaceMap { triangles, vertices } = self.surface;
        let missing = vertices.iter().any(|&v| v as usize >= self.points.len());
        if missing || triangles.iter().flatten().any(|&v| v as usize >= vertices.len()) {
            let reason = "the surface uses points that do not exist";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        }
        let kind = if self.float32 { "float" } else { "double" };
        write!(
            out,
            "ply\nformat binary_little_endian 1.0\ncomment pliant\nelement vertex {}\nproperty {kind} x\n\
             property {kind} y\nproperty {kind} z\nelement face {}\n\
             property list uchar int vertex_indices\nend_header\n",
            vertices.len(),
            triangles.len()
        )?;
        if self.float32 {
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
        write_runs(out, triangles, |triangle| {
            let mut bytes = [3; 13];
            bytes[1..].copy_from_slice(triangle.map(u32::to_le_bytes).as_flattened());
            bytes
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_are_as_the_header_says() {
        let surface = SurfaceMap { triangles: vec![[0, 1, 2], [2, 1, 0]], vertices: vec![1, 3, 4] };
        let points = [[0.0; 3], [1.0, 2.0, 3.0], [0.0; 3], [4.0; 3], [5.0; 3]];
        for (float32, width) in [(false, 8), (true, 4)] {
            let mut out = Vec::new();
            PlyFrame { points: &points, surface: &surface, float32 }.write(&mut out).unwrap();
            let header = out.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
            let body = &out[header..];
            assert_eq!(body.len(), 3 * 3 * width + 2 * 13);
            assert_eq!(body[9 * width..9 * width + 5], [3, 0, 0, 0, 0]);
            assert_eq!(body[9 * width + 13..][..5], [3, 2, 0, 0, 0]);
            if !float32 {
                assert_eq!(body[8..16], 2f64.to_le_bytes());
            }
        }
        let wrong = PlyFrame { points: &points[..2], surface: &surface, float32: false };
        assert!(wrong.write(&mut Vec::new()).is_err());
    }
}
