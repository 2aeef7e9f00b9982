//! Points and cells as bytes, between the program and its child, and the text that TetGen's own program reads.
//!
//! ```text
//! u64 points, u64 cells, f64 × 3 for every point, u32 × N for every cell
//! ```
//!
//! in the byte order of the machine, on which both run.

use std::io::{self, Write};

/// Points and cells with `N` corners.
pub(super) type Cells<const N: usize> = (Vec<[f64; 3]>, Vec<[u32; N]>);

/// The bytes of points and cells.
pub(super) fn encode<const N: usize>(points: &[[f64; 3]], cells: &[[u32; N]]) -> Vec<u8> {
    let counts = [points.len() as u64, cells.len() as u64];
    let parts: [&[u8]; 3] = [
        bytemuck::cast_slice(&counts),
        bytemuck::cast_slice(points.as_flattened()),
        bytemuck::cast_slice(cells.as_flattened()),
    ];
    parts.concat()
}

/// Decodes what [`encode`] wrote; `None` for other bytes, and for corners out of range.
pub(super) fn decode<const N: usize>(bytes: &[u8]) -> Option<Cells<N>> {
    let (head, body) = bytes.split_at_checked(16)?;
    let [points, cells] = [0, 8].map(|at| head[at..at + 8].try_into().map(u64::from_ne_bytes).ok());
    let point_bytes = usize::try_from(points?.checked_mul(24)?).ok()?;
    let cell_bytes = usize::try_from(cells?.checked_mul(4 * N as u64)?).ok()?;
    let (points, cells) = body.split_at_checked(point_bytes)?;
    if cells.len() != cell_bytes {
        return None;
    }
    let points: Vec<f64> = points.as_chunks::<8>().0.iter().map(|b| f64::from_ne_bytes(*b)).collect();
    let cells: Vec<u32> = cells.as_chunks::<4>().0.iter().map(|b| u32::from_ne_bytes(*b)).collect();
    let points = points.as_chunks::<3>().0.to_vec();
    let in_range = cells.iter().all(|&v| (v as usize) < points.len());
    in_range.then(|| (points, cells.as_chunks::<N>().0.to_vec()))
}

/// Writes a surface in TetGen's text format `.smesh`, numbered from 0, without holes and regions.
pub(super) fn write_smesh(
    out: &mut impl Write,
    points: &[[f64; 3]],
    triangles: &[[u32; 3]],
) -> io::Result<()> {
    writeln!(out, "{} 3 0 0", points.len())?;
    for (i, [x, y, z]) in points.iter().enumerate() {
        writeln!(out, "{i} {x:e} {y:e} {z:e}")?;
    }
    writeln!(out, "{} 0", triangles.len())?;
    for [a, b, c] in triangles {
        writeln!(out, "3 {a} {b} {c}")?;
    }
    writeln!(out, "0\n0")
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINTS: [[f64; 3]; 4] = [[0.1, -0.0, 1e-300], [1.0, 2.0, 3.0], [f64::MAX, 0.0, 0.0], [7.0; 3]];
    const TETS: [[u32; 4]; 2] = [[0, 1, 2, 3], [3, 2, 1, 0]];

    #[test]
    fn what_is_written_is_read() {
        let (points, tets) = decode::<4>(&encode(&POINTS, &TETS)).unwrap();
        assert_eq!(points.map_bits(), POINTS.to_vec().map_bits());
        assert_eq!(tets, TETS);
        assert_eq!(decode::<4>(&encode::<4>(&[], &[])).unwrap(), (vec![], vec![]));
    }

    trait Bits {
        fn map_bits(&self) -> Vec<[u64; 3]>;
    }

    impl Bits for Vec<[f64; 3]> {
        fn map_bits(&self) -> Vec<[u64; 3]> {
            self.iter().map(|p| p.map(f64::to_bits)).collect()
        }
    }

    #[test]
    fn damaged_bytes_are_refused() {
        let bytes = encode(&POINTS, &TETS);
        for length in 0..bytes.len() {
            assert_eq!(decode::<4>(&bytes[..length]), None, "{length} bytes");
        }
        assert_eq!(decode::<4>(&[&bytes[..], &[0]].concat()), None);
        assert_eq!(decode::<3>(&bytes), None);
        assert_eq!(decode::<4>(&encode(&POINTS, &[[0, 1, 2, 4]])), None);
        assert_eq!(decode::<4>(&[255; 64]), None);
    }

    #[test]
    fn text_is_as_tetgen_wants_it() {
        let mut text = vec![];
        write_smesh(&mut text, &POINTS[..2], &[[0, 1, 0]]).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert_eq!(text, "2 3 0 0\n0 1e-1 -0e0 1e-300\n1 1e0 2e0 3e0\n1 0\n3 0 1 0\n0\n0\n");
    }
}
