//! Bending of sheets: the curvature of every triangle, from the triangle and its three neighbours.
//!
//! The corners of a triangle and the far corners of its neighbours, unfolded into its plane, are six points. The
//! quadratic through six values there has constant second derivatives, each a combination of the values; applied to
//! positions these are three vectors, and
//!
//! ```text
//! E = k A/2 (|x_uu|² + 2|x_uv|² + |x_vv|²),      x_uu = Σ w_i x_i, …
//! ```
//!
//! which for an isometrically bent flat sheet is k/2 ∫ (κ₁² + κ₂²) dA, exactly so for constant curvature, on any mesh
//! and in any direction. (The hinge energy of \[Bergou2006\] is mesh dependent: on a grid bent along its lines it is three
//! times too stiff, on equilateral triangles one and a half times.) Like it, ours is quadratic, belongs in the system
//! matrix and needs no local step. A sheet that is curved at rest keeps the lengths of the three vectors instead.
//!
//! Triangles at the border have no complete stencil: their area counts for their neighbours that do.

use crate::energy::lengths::Length;

/// Weights beyond this, in units of the triangle's size, come from six points on a conic and mean nothing.
const MAX_WEIGHT: f64 = 100.0;

/// The bending elements of triangles with flexural rigidity `rigidity` in N·m, from rest positions; vertices keep
/// their numbers.
pub fn bending(triangles: &[[u32; 3]], rest: &[[f64; 3]], rigidity: f64) -> Vec<Length> {
    let across = neighbours(triangles);
    let stencils: Vec<Option<Stencil>> =
        (0..triangles.len()).map(|t| Stencil::new(t, triangles, &across, rest)).collect();
    let mut areas: Vec<f64> = triangles.iter().map(|t| area(t, rest)).collect();
    for t in 0..triangles.len() {
        let complete: Vec<usize> =
            across[t].iter().flatten().copied().filter(|n| stencils[*n].is_some()).collect();
        if stencils[t].is_none() {
            let share = areas[t] / complete.len().max(1) as f64;
            complete.iter().for_each(|n| areas[*n] += share);
        }
    }
    let mut out = vec![];
    for (stencil, area) in stencils.iter().zip(areas) {
        let Some(stencil) = stencil else { continue };
        for (weights, factor) in stencil.weights.iter().zip([1.0, 2.0, 1.0]) {
            let length = stencil.rest_length(weights, rest);
            out.push(Length {
                vertices: stencil.vertices,
                weights: *weights,
                stiffness: factor * rigidity * area,
                shortest: length,
                longest: length,
            });
        }
    }
    out
}

/// The vertices of complete stencils, six each.
pub fn stencils(triangles: &[[u32; 3]], rest: &[[f64; 3]]) -> Vec<[u32; 6]> {
    let across = neighbours(triangles);
    (0..triangles.len())
        .filter_map(|t| Stencil::new(t, triangles, &across, rest))
        .map(|stencil| stencil.vertices)
        .collect()
}

struct Stencil {
    vertices: [u32; 6],
    /// For ∂²/∂u², ∂²/∂u∂v, ∂²/∂v².
    weights: [[f64; 6]; 3],
    size: f64,
}

impl Stencil {
    fn new(
        t: usize,
        triangles: &[[u32; 3]],
        across: &[[Option<usize>; 3]],
        rest: &[[f64; 3]],
    ) -> Option<Stencil> {
        let corners = triangles[t];
        let mut vertices = [0; 6];
        vertices[..3].copy_from_slice(&corners);
        let flat = flatten(corners.map(|v| rest[v as usize]));
        let mut points = [[0.0; 2]; 6];
        points[..3].copy_from_slice(&flat);
        for side in 0..3 {
            let (i, j) = (side, (side + 1) % 3);
            let far = *triangles[across[t][side]?].iter().find(|v| !corners.contains(v))?;
            vertices[3 + side] = far;
            let [p, q, r] = [corners[i], corners[j], far].map(|v| rest[v as usize]);
            points[3 + side] = unfold(p, q, r, flat[i], flat[j]);
        }
        let size = area(&corners, rest).sqrt();
        let weights = second_derivatives(&points.map(|p| p.map(|c| c / size)))?;
        if weights.iter().flatten().any(|w| w.abs() > MAX_WEIGHT) {
            return None;
        }
        Some(Stencil { vertices, weights: weights.map(|row| row.map(|w| w / (size * size))), size })
    }

    /// |Σ w x| at rest; what is rounding of a flat sheet counts as 0.
    fn rest_length(&self, weights: &[f64; 6], rest: &[[f64; 3]]) -> f64 {
        let mut z = [0.0; 3];
        for (v, w) in self.vertices.iter().zip(weights) {
            for k in 0..3 {
                z[k] += w * rest[*v as usize][k];
            }
        }
        let length = norm(z);
        // A curvature, 1/m: a radius of a million times the triangle's size is flat.
        if length * self.size < 1e-6 { 0.0 } else { length }
    }
}

/// For each triangle, the triangle across its sides (0, 1), (1, 2), (2, 0), where there is exactly one.
fn neighbours(triangles: &[[u32; 3]]) -> Vec<[Option<usize>; 3]> {
    let mut sides: Vec<([u32; 2], usize, usize)> = vec![];
    for (t, corners) in triangles.iter().enumerate() {
        for side in 0..3 {
            let (a, b) = (corners[side], corners[(side + 1) % 3]);
            sides.push(([a.min(b), a.max(b)], t, side));
        }
    }
    sides.sort_unstable();
    let mut out = vec![[None; 3]; triangles.len()];
    for pair in sides.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() == 2) {
        out[pair[0].1][pair[0].2] = Some(pair[1].1);
        out[pair[1].1][pair[1].2] = Some(pair[0].1);
    }
    out
}

/// A triangle in the plane: the first corner at 0, the second on the u axis, the third above it.
fn flatten([p, q, r]: [[f64; 3]; 3]) -> [[f64; 2]; 3] {
    let (a, b) = (sub(q, p), sub(r, p));
    let length = norm(a);
    let along = dot(a, b) / length;
    [[0.0; 2], [length, 0.0], [along, norm(cross(a, b)) / length]]
}

/// `r` turned about the edge `p q` into the plane in which that edge goes from `p2` to `q2`, to its right.
fn unfold(p: [f64; 3], q: [f64; 3], r: [f64; 3], p2: [f64; 2], q2: [f64; 2]) -> [f64; 2] {
    let (a, b) = (sub(q, p), sub(r, p));
    let length = norm(a);
    let (along, height) = (dot(a, b) / length, norm(cross(a, b)) / length);
    let u = [(q2[0] - p2[0]) / length, (q2[1] - p2[1]) / length];
    [p2[0] + along * u[0] + height * u[1], p2[1] + along * u[1] - height * u[0]]
}

/// Weights that give the second derivatives of any quadratic from its values at six points; `None` on a conic.
fn second_derivatives(points: &[[f64; 2]; 6]) -> Option<[[f64; 6]; 3]> {
    // Row m: the values of monomial m at the points; columns 6-8: what the derivatives make of it.
    let mut m = [[0.0; 9]; 6];
    for (i, [u, v]) in points.iter().enumerate() {
        for (row, value) in [1.0, *u, *v, 0.5 * u * u, u * v, 0.5 * v * v].into_iter().enumerate() {
            m[row][i] = value;
        }
    }
    for k in 0..3 {
        m[3 + k][6 + k] = 1.0;
    }
    for column in 0..6 {
        let pivot = (column..6).max_by(|a, b| m[*a][column].abs().total_cmp(&m[*b][column].abs()))?;
        if m[pivot][column].abs() < 1e-9 {
            return None;
        }
        m.swap(column, pivot);
        for row in (0..6).filter(|row| *row != column) {
            let factor = m[row][column] / m[column][column];
            for k in column..9 {
                m[row][k] -= factor * m[column][k];
            }
        }
    }
    Some(std::array::from_fn(|k| std::array::from_fn(|i| m[i][6 + k] / m[i][i])))
}

fn area(triangle: &[u32; 3], rest: &[[f64; 3]]) -> f64 {
    let [p, q, r] = triangle.map(|v| rest[v as usize]);
    0.5 * norm(cross(sub(q, p), sub(r, p)))
}

fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn norm(a: [f64; 3]) -> f64 {
    dot(a, a).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::resolved::Shape;
    use crate::mesh::Mesh;
    use crate::mesh::generate::generate;

    fn energy(elements: &[Length], x: &[[f64; 3]]) -> f64 {
        let one = |e: &Length| {
            let z =
                std::array::from_fn(|k| (0..6).map(|c| e.weights[c] * x[e.vertices[c] as usize][k]).sum());
            let length = norm(z);
            let excess = length - length.max(e.shortest).min(e.longest);
            0.5 * e.stiffness * excess * excess
        };
        elements.iter().map(one).sum()
    }

    /// A sheet with its inner vertices moved about in the plane, so that no two triangles are alike.
    fn irregular() -> Mesh {
        let mut sheet = generate(&Shape::Cloth { size: [2.0, 1.0], cells: [40, 20] });
        let mut random = crate::energy::checks::random(2);
        for p in &mut sheet.points {
            let inside = p[0] > 0.01 && p[0] < 1.99 && p[2] > 0.01 && p[2] < 0.99;
            let size = if inside { 0.012 } else { 0.0 };
            (p[0], p[2]) = (p[0] + size * random(), p[2] + size * random());
        }
        sheet
    }

    #[test]
    fn a_rolled_sheet_has_the_energy_of_its_curvature_in_every_direction() {
        let (radius, rigidity) = (0.7, 3.0);
        let want = 0.5 * rigidity * 2.0 / (radius * radius);
        let regular = generate(&Shape::Cloth { size: [2.0, 1.0], cells: [40, 20] });
        for sheet in [regular, irregular()] {
            let elements = bending(&sheet.triangles, &sheet.points, rigidity);
            assert!(energy(&elements, &sheet.points) < 1e-12);
            for angle in [0.0, 0.3, 0.8, 1.6] {
                let (c, s) = (f64::cos(angle), f64::sin(angle));
                let roll = |p: &[f64; 3]| {
                    let (u, v) = (c * p[0] + s * p[2], c * p[2] - s * p[0]);
                    [radius * (u / radius).sin(), radius * (u / radius).cos(), v]
                };
                let rolled: Vec<[f64; 3]> = sheet.points.iter().map(roll).collect();
                let got = energy(&elements, &rolled);
                assert!((got / want - 1.0).abs() < 0.01, "direction {angle}: {got}, not {want}");
            }
        }
    }

    #[test]
    fn a_sheet_curved_at_rest_wants_its_curvature_back() {
        let mut sheet = irregular();
        let flat = sheet.points.clone();
        for p in &mut sheet.points {
            *p = [0.7 * (p[0] / 0.7).sin(), 0.7 * (p[0] / 0.7).cos(), p[2]];
        }
        let elements = bending(&sheet.triangles, &sheet.points, 3.0);
        assert!(energy(&elements, &sheet.points) < 1e-12);
        let want = 0.5 * 3.0 * 2.0 / (0.7 * 0.7);
        let got = energy(&elements, &flat);
        assert!((got / want - 1.0).abs() < 0.02, "flattened: {got}, not {want}");
    }
}
