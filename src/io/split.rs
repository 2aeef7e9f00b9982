//! Hexahedra, wedges, pyramids and quads as tets and triangles.
//!
//! A cell is cut into tets between its corner with the smallest number and the triangles of the faces without that corner; every
//! quad is cut along the diagonal through its smallest corner. Neighbours agree on that, so that the tets fit together \[Dompierre1999\].

/// The faces of a cell by its corners in VTK's order, seen from outside in one sense of rotation.
type Faces = &'static [&'static [usize]];

const HEXAHEDRON: Faces =
    &[&[0, 3, 2, 1], &[4, 5, 6, 7], &[0, 1, 5, 4], &[1, 2, 6, 5], &[2, 3, 7, 6], &[3, 0, 4, 7]];
const WEDGE: Faces = &[&[0, 2, 1], &[3, 4, 5], &[0, 1, 4, 3], &[1, 2, 5, 4], &[2, 0, 3, 5]];
const PYRAMID: Faces = &[&[0, 3, 2, 1], &[0, 1, 4], &[1, 2, 4], &[2, 3, 4], &[3, 0, 4]];

/// The corners of cells of VTK's kinds that can be cut, in the order of a cell of straight edges; `None` for other kinds.
pub(super) fn corners_of(kind: i64) -> Option<&'static [usize]> {
    Some(match kind {
        // Pixels and voxels have their corners row by row.
        8 => &[0, 1, 3, 2],
        9 | 23 | 28 | 30 => &[0, 1, 2, 3],
        11 => &[0, 1, 3, 2, 4, 5, 7, 6],
        12 | 25 | 29 | 33 => &[0, 1, 2, 3, 4, 5, 6, 7],
        13 | 26 | 31 | 32 => &[0, 1, 2, 3, 4, 5],
        14 | 27 | 37 => &[0, 1, 2, 3, 4],
        _ => return None,
    })
}

/// The triangles of a quad or triangle.
fn triangles(face: &[u32], mut take: impl FnMut([u32; 3])) {
    let least = (0..face.len()).min_by_key(|i| face[*i]).unwrap_or(0);
    let at = |i: usize| face[(least + i) % face.len()];
    (1..face.len() - 1).for_each(|i| take([at(0), at(i), at(i + 1)]));
}

/// What a cell is cut into.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Pieces {
    pub(super) tets: Vec<[u32; 4]>,
    pub(super) triangles: Vec<[u32; 3]>,
}

/// Cuts a cell with 4 (a quad), 5, 6 or 8 corners.
pub(super) fn split(corners: &[u32]) -> Pieces {
    let faces = match corners.len() {
        8 => HEXAHEDRON,
        6 => WEDGE,
        5 => PYRAMID,
        _ => {
            let mut pieces = Pieces::default();
            triangles(corners, |triangle| pieces.triangles.push(triangle));
            return pieces;
        }
    };
    let least = (0..corners.len()).min_by_key(|i| corners[*i]).unwrap_or(0);
    let mut pieces = Pieces::default();
    for face in faces.iter().filter(|face| !face.contains(&least)) {
        let face: Vec<u32> = face.iter().map(|i| corners[*i]).collect();
        triangles(&face, |[a, b, c]| pieces.tets.push([a, c, b, corners[least]]));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::quality::volume;
    use crate::mesh::surface::{boundary, topology};

    /// The unit cell of each kind, its volume, and the number of its tets.
    fn cells() -> Vec<(Vec<[f64; 3]>, f64, usize)> {
        let bottom = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        let up = |p: [f64; 3]| [p[0], p[1], 1.0];
        let hexahedron = bottom.into_iter().chain(bottom.map(up)).collect();
        let three = [bottom[0], bottom[1], bottom[3]];
        let wedge = three.into_iter().chain(three.map(up)).collect();
        let pyramid = bottom.into_iter().chain([[0.5, 0.5, 1.0]]).collect();
        vec![(hexahedron, 1.0, 6), (wedge, 0.5, 3), (pyramid, 1.0 / 3.0, 2)]
    }

    #[test]
    fn tets_fill_every_cell_however_it_is_numbered() {
        for (points, whole, count) in cells() {
            // Every corner has the smallest number once, and diagonals lie in every way.
            for turn in 0..points.len() as u32 {
                for step in [1, 5, 7] {
                    let number = |i: u32| (i * step + turn) % points.len() as u32;
                    let numbers: Vec<u32> = (0..points.len() as u32).map(number).collect();
                    let mut distinct = numbers.clone();
                    distinct.sort_unstable();
                    distinct.dedup();
                    if distinct.len() < numbers.len() {
                        continue;
                    }
                    let mut places = vec![[0.0; 3]; points.len()];
                    numbers.iter().zip(&points).for_each(|(n, p)| places[*n as usize] = *p);
                    let tets = split(&numbers).tets;
                    assert!(tets.iter().all(|tet| volume(&places, *tet) > 0.0), "{numbers:?}: {tets:?}");
                    let filled: f64 = tets.iter().map(|tet| volume(&places, *tet)).sum();
                    assert!((filled - whole).abs() < 1e-15 && tets.len() == count, "{numbers:?}: {tets:?}");
                }
            }
        }
    }

    /// Two hexahedra that share a face, with numbers in disorder: their tets have a closed boundary, and no face inside.
    #[test]
    fn neighbours_agree_on_the_diagonal() {
        let (left, right) = ([7, 2, 9, 4, 11, 0, 5, 8], [2, 10, 3, 9, 0, 6, 1, 5]);
        let tets = [split(&left).tets, split(&right).tets].concat();
        let shape = topology(&boundary(&tets));
        assert!(shape.closed() && shape.manifold(), "{shape:?}");
        assert_eq!(boundary(&tets).len(), 20, "ten quads outside");
    }

    #[test]
    fn a_quad_is_cut_through_its_smallest_corner() {
        assert_eq!(split(&[5, 3, 8, 9]).triangles, [[3, 8, 9], [3, 9, 5]]);
    }
}
