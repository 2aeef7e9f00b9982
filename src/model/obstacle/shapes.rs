//! Closed surfaces of triangles: boxes, cylinders, rings. All face outward.

use elements::math::vec3::{add, cross, norm, scale, sub};

/// Points and the triangles between them.
pub type Surface = (Vec<[f64; 3]>, Vec<[u32; 3]>);

/// The sides of a cylinder, and the sections of a ring.
pub const AROUND: u32 = 64;
/// The corners of a section of a ring.
pub const TUBE: u32 = 24;

/// The vector with length 1. It is scaled first, because squares of very small or large components leave the range of
/// numbers.
pub fn unit(v: [f64; 3]) -> [f64; 3] {
    let largest = v.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let scaled = v.map(|x| x / largest);
    scale(1.0 / norm(scaled), scaled)
}

/// Two unit vectors u and v with u × v = n, perpendicular to each other and to the unit vector n.
pub fn across(n: [f64; 3]) -> [[f64; 3]; 2] {
    let least = (1..3).fold(0, |least, k| if n[k].abs() < n[least].abs() { k } else { least });
    let u = unit(cross(std::array::from_fn(|k| if k == least { 1.0 } else { 0.0 }), n));
    [u, cross(n, u)]
}

/// The unit vectors from an axis outward, all the way around it in [`AROUND`] steps.
fn around(axis: [f64; 3]) -> impl Iterator<Item = [f64; 3]> {
    let [u, v] = across(axis);
    (0..AROUND).map(move |k| {
        let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / f64::from(AROUND)).sin_cos();
        add(scale(cos, u), scale(sin, v))
    })
}

/// The two triangles of a quad.
fn halves([a, b, c, d]: [u32; 4]) -> [[u32; 3]; 2] {
    [[a, b, c], [a, c, d]]
}

/// A box between its lowest and its highest corner: 8 points, 12 triangles.
pub fn block(min: [f64; 3], max: [f64; 3]) -> Surface {
    const FACES: [[u32; 4]; 6] =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let corner =
        |i: usize| std::array::from_fn(|axis| if i >> axis & 1 == 1 { max[axis] } else { min[axis] });
    ((0..8).map(corner).collect(), FACES.into_iter().flat_map(halves).collect())
}

/// A cylinder between the centres of its ends: a prism whose edges are on it, and two fans.
pub fn cylinder(from: [f64; 3], to: [f64; 3], radius: f64) -> Surface {
    let rim: Vec<[f64; 3]> = around(unit(sub(to, from))).map(|outward| scale(radius, outward)).collect();
    let end = |centre: [f64; 3]| rim.iter().map(move |arm| add(centre, *arm));
    let points = end(from).chain(end(to)).chain([from, to]).collect();
    let [first, second] = [2 * AROUND, 2 * AROUND + 1];
    let triangles = (0..AROUND).flat_map(|k| {
        let next = (k + 1) % AROUND;
        let [a, b] = halves([k, next, AROUND + next, AROUND + k]);
        [a, b, [first, next, k], [second, AROUND + k, AROUND + next]]
    });
    (points, triangles.collect())
}

/// A ring around an axis: sections with [`TUBE`] corners, which are on it.
pub fn torus(center: [f64; 3], axis: [f64; 3], major: f64, minor: f64) -> Surface {
    let axis = unit(axis);
    let section = |outward: [f64; 3]| {
        (0..TUBE).map(move |k| {
            let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / f64::from(TUBE)).sin_cos();
            add(center, add(scale(major + minor * cos, outward), scale(minor * sin, axis)))
        })
    };
    let points = around(axis).flat_map(section).collect();
    let triangles = (0..AROUND).flat_map(|i| (0..TUBE).map(move |j| (i, j))).flat_map(|(i, j)| {
        let at = |i: u32, j: u32| i % AROUND * TUBE + j % TUBE;
        halves([at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)])
    });
    (points, triangles.collect())
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{PI, TAU};

    use super::*;
    use crate::mesh::surface::{Topology, enclosed_volume, topology};
    use elements::math::vec3::dot;

    #[test]
    fn shapes_are_closed_and_face_outward() {
        let axis = [1.0, -2.0, 0.5];
        let from = [0.3, 0.1, -0.7];
        let length = norm(axis);
        // A polygon of n corners has sin(τ/n)/(τ/n) of the area of its circle.
        let part = |n: u32| (TAU / f64::from(n)).sin() / (TAU / f64::from(n));
        let ring = 2.0 * PI * PI * 1.5 * 0.16 * part(TUBE) * part(AROUND);
        for (name, (points, triangles), count, exact) in [
            ("box", block([-1.0, 0.0, 2.0], [1.0, 3.0, 2.5]), (8, 12), 3.0),
            ("cylinder", cylinder(from, add(from, axis), 0.2), (130, 256), PI * 0.04 * part(AROUND) * length),
            ("torus", torus(from, axis, 1.5, 0.4), (1536, 3072), ring),
        ] {
            assert_eq!((points.len(), triangles.len()), count, "{name}");
            let closed = Topology { shells: 1, ..Topology::default() };
            assert_eq!(topology(&triangles), closed, "{name}");
            let volume = enclosed_volume(&points, &triangles);
            assert!((volume / exact - 1.0).abs() < 1e-12, "{name}: {volume} is not {exact}");
        }
    }

    #[test]
    fn frames_are_right_handed_for_every_axis() {
        for axis in [[0.0, 1.0, 0.0], [1e-200, 0.0, 0.0], [0.0, -1e200, 1e200], [1.0, 1.0, 1.0]] {
            let n = unit(axis);
            let [u, v] = across(n);
            assert!(norm(sub(cross(u, v), n)) < 1e-15 && dot(u, v).abs() < 1e-15, "{axis:?}");
            assert!((norm(u) - 1.0).abs() < 1e-15 && (norm(v) - 1.0).abs() < 1e-15, "{axis:?}");
        }
    }
}
