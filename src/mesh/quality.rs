//! The shape of tets: signed volumes, dihedral angles, radius ratios, degenerate and inverted tets.
//!
//! Everything is computed from edges divided by the longest one, so that neither tiny nor huge units
//! under- or overflow, and a tet is judged by its shape alone.

use elements::math::vec3::{add, cross, dot, norm, scale, sub};

/// Tets with `|V| ≤ DEGENERATE · L³` (L: the longest edge) count as degenerate.
///
/// Rounding leaves about 1e-16 in this ratio for an exactly flat tet; the worst slivers of the published
/// meshes (dihedral angle 0.008°) are at 8e-7 and can be simulated.
pub const DEGENERATE: f64 = 1e-12;

/// Bins of the histogram of dihedral angles: 10° each.
pub const BINS: usize = 18;

/// Bins of the histogram of radius ratios: 0.1 each.
pub const RATIO_BINS: usize = 10;

/// The corner pairs of the six edges, and the two corners opposite of each.
const EDGES: [[usize; 4]; 6] =
    [[0, 1, 2, 3], [0, 2, 1, 3], [0, 3, 1, 2], [1, 2, 0, 3], [1, 3, 0, 2], [2, 3, 0, 1]];

/// The shape of many tets.
#[derive(Clone, Debug, PartialEq)]
pub struct Quality {
    /// Sum of the signed volumes.
    pub volume: f64,
    /// Smallest dihedral angle over the tets that are not degenerate; NaN if there are none.
    pub min_dihedral_deg: f64,
    /// Largest dihedral angle over the tets that are not degenerate; NaN if there are none.
    pub max_dihedral_deg: f64,
    /// Negatively oriented tets, the degenerate ones not counted.
    pub inverted: usize,
    /// Tets without volume: see [`DEGENERATE`].
    pub degenerate: usize,
    /// Dihedral angles (six per tet that is not degenerate) in bins of 10°.
    pub histogram: [u64; BINS],
    /// Smallest [`radius_ratio`] over the tets that are not degenerate; NaN if there are none.
    pub min_radius_ratio: f64,
    /// Radius ratios of the tets that are not degenerate in bins of 0.1.
    pub ratio_histogram: [u64; RATIO_BINS],
}

/// Measures all tets. Corners must be in range.
pub fn measure(points: &[[f64; 3]], tets: &[[u32; 4]]) -> Quality {
    let mut quality = Quality {
        volume: 0.0,
        min_dihedral_deg: f64::NAN,
        max_dihedral_deg: f64::NAN,
        inverted: 0,
        degenerate: 0,
        histogram: [0; BINS],
        min_radius_ratio: f64::NAN,
        ratio_histogram: [0; RATIO_BINS],
    };
    for &tet in tets {
        quality.volume += volume(points, tet);
        let ratio = shape_ratio(points, tet);
        if is_degenerate(ratio) {
            quality.degenerate += 1;
            continue;
        }
        quality.inverted += usize::from(ratio < 0.0);
        let radii = radius_ratio(points, tet);
        quality.min_radius_ratio = quality.min_radius_ratio.min(radii);
        quality.ratio_histogram[((radii * RATIO_BINS as f64) as usize).min(RATIO_BINS - 1)] += 1;
        for angle in dihedrals_deg(points, tet) {
            quality.min_dihedral_deg = quality.min_dihedral_deg.min(angle);
            quality.max_dihedral_deg = quality.max_dihedral_deg.max(angle);
            quality.histogram[((angle / 180.0 * BINS as f64) as usize).min(BINS - 1)] += 1;
        }
    }
    quality
}

/// The signed volume of a tet.
pub fn volume(points: &[[f64; 3]], tet: [u32; 4]) -> f64 {
    let [a, b, c, d] = tet.map(|v| points[v as usize]);
    dot(sub(b, a), cross(sub(c, a), sub(d, a))) / 6.0
}

/// Signed volume over the cube of the longest edge: 0 for a flat tet, ±0.118 for a regular one. NaN or 0
/// where all corners coincide or a coordinate is not finite.
pub fn shape_ratio(points: &[[f64; 3]], tet: [u32; 4]) -> f64 {
    let corners = scaled(tet.map(|v| points[v as usize]));
    let [a, b, c, d] = corners;
    dot(sub(b, a), cross(sub(c, a), sub(d, a))) / 6.0
}

/// True if this [`shape_ratio`] belongs to a degenerate tet, also for NaN.
pub fn is_degenerate(shape_ratio: f64) -> bool {
    // The comparison is written so that NaN counts as degenerate.
    !matches!(shape_ratio.abs().partial_cmp(&DEGENERATE), Some(std::cmp::Ordering::Greater))
}

/// The dihedral angles at the six edges, in degrees.
pub fn dihedrals_deg(points: &[[f64; 3]], tet: [u32; 4]) -> [f64; 6] {
    let corners = scaled(tet.map(|v| points[v as usize]));
    EDGES.map(|[p, q, r, s]| {
        let edge = sub(corners[q], corners[p]);
        let u = cross(edge, sub(corners[r], corners[p]));
        let v = cross(edge, sub(corners[s], corners[p]));
        let w = cross(u, v);
        // The arctangent stays accurate for slivers, where an arccosine would not.
        dot(w, w).sqrt().atan2(dot(u, v)).to_degrees()
    })
}

/// Three times the radius of the inscribed sphere over that of the circumscribed one: 1 for a regular tet, near 0 for
/// slivers of any kind.
///
/// With V the volume, A the area of the faces and a, b, c the edges from one corner, r = 3V/A and
/// R = ||a|² b×c + |b|² c×a + |c|² a×b| / 12V.
pub fn radius_ratio(points: &[[f64; 3]], tet: [u32; 4]) -> f64 {
    let [_, a, b, c] = scaled(tet.map(|v| points[v as usize]));
    let [bc, ca, ab] = [cross(b, c), cross(c, a), cross(a, b)];
    let volume = dot(a, bc) / 6.0;
    let area: f64 = [bc, ca, ab, cross(sub(b, a), sub(c, a))].map(|n| norm(n) / 2.0).iter().sum();
    let centre = add(add(scale(dot(a, a), bc), scale(dot(b, b), ca)), scale(dot(c, c), ab));
    108.0 * volume * volume / (area * norm(centre))
}

/// The corners relative to the first one, in units of the longest edge.
fn scaled(corners: [[f64; 3]; 4]) -> [[f64; 3]; 4] {
    let relative = corners.map(|p| sub(p, corners[0]));
    let largest = relative.iter().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
    let unit = relative.map(|p| p.map(|x| x / largest));
    let longest = EDGES
        .iter()
        .map(|&[p, q, _, _]| {
            let edge = sub(unit[q], unit[p]);
            dot(edge, edge)
        })
        .fold(0.0, f64::max)
        .sqrt();
    unit.map(|p| p.map(|x| x / longest))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNER: [[f64; 3]; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

    #[test]
    fn a_corner_tet_has_right_angles_and_a_sixth_of_the_cube() {
        let q = measure(&CORNER, &[[0, 1, 2, 3], [0, 1, 3, 2]]);
        assert!((volume(&CORNER, [0, 1, 2, 3]) - 1.0 / 6.0).abs() < 1e-16);
        assert_eq!((q.inverted, q.degenerate, q.volume), (1, 0, 0.0));
        assert!((q.max_dihedral_deg - 90.0).abs() < 1e-12);
        assert!((q.min_dihedral_deg - 3f64.sqrt().recip().acos().to_degrees()).abs() < 1e-12);
        assert_eq!(q.histogram.iter().sum::<u64>(), 12);
    }

    #[test]
    fn shape_does_not_depend_on_the_unit() {
        for scale in [1e-200, 1.0, 1e200] {
            let points = CORNER.map(|p| p.map(|x| x * scale));
            assert!((shape_ratio(&points, [0, 1, 2, 3]) * 6.0 * 8f64.sqrt() - 1.0).abs() < 1e-14);
            assert!((dihedrals_deg(&points, [0, 1, 2, 3])[0] - 90.0).abs() < 1e-12);
        }
    }

    #[test]
    fn the_radius_ratio_is_that_of_the_closed_forms() {
        let regular = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
        assert!((radius_ratio(&regular, [0, 1, 2, 3]) - 1.0).abs() < 1e-15);
        // The corner of a cube: r = 1/(3 + √3), R = √3/2.
        let corner = 6.0 / (3.0 * 3f64.sqrt() + 3.0);
        assert!((radius_ratio(&CORNER, [0, 1, 3, 2]) - corner).abs() < 1e-15);
        let q = measure(&CORNER, &[[0, 1, 2, 3], [0, 1, 3, 2], [0, 0, 1, 2]]);
        assert!((q.min_radius_ratio - corner).abs() < 1e-15);
        assert_eq!(q.ratio_histogram, [0, 0, 0, 0, 0, 0, 0, 2, 0, 0]);
    }

    #[test]
    fn flat_coinciding_and_infinite_tets_are_degenerate() {
        let points =
            [[0.0; 3], [1.0, 0.1, 0.3], [0.3, 0.7, 0.3], [1.3, 0.8, 0.6], [f64::INFINITY; 3], [0.0; 3]];
        for tet in [[0, 1, 2, 3], [0, 0, 1, 2], [0, 1, 2, 4], [0, 5, 0, 5]] {
            assert!(is_degenerate(shape_ratio(&points, tet)), "{tet:?}");
        }
        assert_eq!(measure(&points, &[[0, 1, 2, 3]]).degenerate, 1);
    }
}
