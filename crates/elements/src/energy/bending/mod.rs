//! Bending of sheets, by the folds of their hinges.
//!
//! A hinge is an inner edge with the two triangles beside it. Its fold is
//!
//! ```text
//! z = Σ K_c x_c,
//! ```
//!
//! where K is made of the cotangents of the angles at the edge \[Bergou2006\]. |z| is the length of the edge times the
//! jump of the slope across it, wherever the hinge is in space, and z is linear in positions as long as triangles keep
//! their shape. A sheet of flexural rigidity k (N·m) and curvature κ has the energy density k/2 ‖κ‖² per area, that of
//! a plate with Poisson's ratio 0. There are two ways from folds to curvatures:
//!
//! - [`plate`]: the curvature of each triangle from the folds at its three sides, exact for all of them;
//! - [`hinge`]: every fold has an energy of its own, half as many numbers, right on average only.
//!
//! Both are length terms (see `lengths`). For a flat rest state they are quadratic. For a curved one they keep |z| at
//! its rest length, which cannot distinguish a fold from the same fold the other way.

pub mod hinge;
pub mod plate;
pub mod sides;

use super::lengths::Length;
use crate::math::vec3::{add, cross, dot, norm, scale, sub};

/// Rest folds below this part of their greatest possible size count as flat.
const FLAT: f64 = 1e-9;

/// An inner edge with the corners and triangles on either side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hinge {
    /// The vertices at the ends of the edge.
    pub edge: [u32; 2],
    /// The corners of the two triangles that are opposite to the edge.
    pub far: [u32; 2],
    /// The numbers of the two triangles.
    pub triangles: [usize; 2],
}

impl Hinge {
    fn vertices(&self) -> [u32; 4] {
        [self.edge[0], self.edge[1], self.far[0], self.far[1]]
    }

    /// K for the ends of the edge and the far corners.
    fn cotangents(&self, rest: &[[f64; 3]]) -> [f64; 4] {
        let p = self.vertices().map(|v| rest[v as usize]);
        let cot = |at: usize, u: usize, v: usize| {
            let (a, b) = (sub(p[u], p[at]), sub(p[v], p[at]));
            dot(a, b) / norm(cross(a, b))
        };
        let (a0, a1, b0, b1) = (cot(0, 1, 2), cot(0, 1, 3), cot(1, 0, 2), cot(1, 0, 3));
        [b0 + b1, a0 + a1, -(a0 + b0), -(a1 + b1)]
    }
}

/// The hinges at the sides of each triangle, by their numbers.
fn sides(hinges: &[Hinge], triangles: usize) -> Vec<Vec<usize>> {
    let mut sides = vec![vec![]; triangles];
    for (number, hinge) in hinges.iter().enumerate() {
        hinge.triangles.iter().for_each(|t| sides[*t].push(number));
    }
    sides
}

/// A triangle at rest, with two axes in its plane.
struct Frame {
    origin: [f64; 3],
    axes: [[f64; 3]; 2],
    area: f64,
}

impl Frame {
    fn new(triangle: [u32; 3], rest: &[[f64; 3]]) -> Frame {
        let [p, q, r] = triangle.map(|v| rest[v as usize]);
        let edge = sub(q, p);
        let along = scale(1.0 / norm(edge), edge);
        let normal = cross(along, sub(r, p));
        let across = cross(scale(1.0 / norm(normal), normal), along);
        Frame { origin: p, axes: [along, across], area: 0.5 * norm(cross(edge, sub(r, p))) }
    }

    fn flat(&self, x: [f64; 3]) -> [f64; 2] {
        self.axes.map(|axis| dot(sub(x, self.origin), axis))
    }

    /// The fold of a hinge of triangle `number` for curvatures of 1 in xx, yy and xy. The other triangle is first
    /// turned into the plane of this one.
    fn folds(&self, hinge: &Hinge, number: usize, rest: &[[f64; 3]]) -> [f64; 3] {
        let [a, b, c, d] = hinge.vertices().map(|v| rest[v as usize]);
        let own_is_first = hinge.triangles[0] == number;
        let (near, far) = if own_is_first { (c, d) } else { (d, c) };
        let (a2, b2, near2) = (self.flat(a), self.flat(b), self.flat(near));
        // The corner keeps its distances along and from the edge, and lies on the side away from the near corner.
        let edge = sub(b, a);
        let along = dot(sub(far, a), edge) / dot(edge, edge);
        let distance = norm(sub(sub(far, a), scale(along, edge)));
        let direction = [b2[0] - a2[0], b2[1] - a2[1]];
        let length = direction[0].hypot(direction[1]);
        let mut outward = [-direction[1] / length, direction[0] / length];
        if outward[0] * (near2[0] - a2[0]) + outward[1] * (near2[1] - a2[1]) > 0.0 {
            outward = outward.map(|x| -x);
        }
        let far2: [f64; 2] = std::array::from_fn(|i| a2[i] + along * direction[i] + distance * outward[i]);
        let (c2, d2) = if own_is_first { (near2, far2) } else { (far2, near2) };
        let k = hinge.cotangents(rest);
        let fold = |height: fn([f64; 2]) -> f64| {
            k[0] * height(a2) + k[1] * height(b2) + k[2] * height(c2) + k[3] * height(d2)
        };
        [fold(|x| 0.5 * x[0] * x[0]), fold(|x| 0.5 * x[1] * x[1]), fold(|x| x[0] * x[1])]
    }
}

/// An element that keeps Σ w x at its rest length, or at 0 if it is `flat` or nearly so.
fn element(corners: &[(u32, f64)], stiffness: f64, rest: &[[f64; 3]], flat: bool) -> Length {
    let (mut z, mut size) = ([0.0; 3], 0.0);
    for (v, w) in corners {
        let x = sub(rest[*v as usize], rest[corners[0].0 as usize]);
        z = add(z, scale(*w, x));
        size += w.abs() * norm(x);
    }
    let kept = if flat || norm(z) < FLAT * size { 0.0 } else { norm(z) };
    Length::new(corners, stiffness, kept, kept)
}

#[cfg(test)]
mod tests {
    use super::sides as sheet;
    use super::*;
    use crate::energy::checks::evaluate;
    use crate::energy::lengths::{CORNERS, LengthTerm};
    use crate::math::lanes::Vec4;

    type Scheme = fn(&[Hinge], &[[u32; 3]], &[[f64; 3]], &[f64], bool) -> Vec<Length>;

    /// A patch of n×n cells of the lattice spanned by (1, 0) and `second`, of side `h`, moved at random by up to
    /// `jitter`·h.
    fn lattice(n: usize, h: f64, second: [f64; 2], jitter: f64) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
        let mut random = crate::energy::checks::random(7);
        let mut points = vec![];
        let mut triangles = vec![];
        for k in 0..=n {
            for i in 0..=n {
                let (u, v) = (h * i as f64, h * k as f64);
                let (du, dv) = (jitter * h * random(), jitter * h * random());
                points.push([u + v * second[0] + du, 0.0, v * second[1] + dv]);
            }
        }
        let at = |i: usize, k: usize| (i + (n + 1) * k) as u32;
        for k in 0..n {
            for i in 0..n {
                triangles.push([at(i, k), at(i, k + 1), at(i + 1, k)]);
                triangles.push([at(i + 1, k), at(i, k + 1), at(i + 1, k + 1)]);
            }
        }
        (points, triangles)
    }

    /// The energy of a patch rolled up to a cylinder of curvature κ across the direction at `angle`,
    /// relative to k A κ²/2.
    fn cylinder(scheme: Scheme, mesh: &(Vec<[f64; 3]>, Vec<[u32; 3]>), curvature: f64, angle: f64) -> f64 {
        let (points, triangles) = mesh;
        let stiffness = vec![3.0; triangles.len()];
        let elements = scheme(&sheet::hinges(triangles), triangles, points, &stiffness, false);
        let term = LengthTerm::new("bending".into(), CORNERS, elements);
        let (c, s) = (angle.cos(), angle.sin());
        let rolled: Vec<Vec4> = points
            .iter()
            .map(|p| {
                let (along, across) = (c * p[0] + s * p[2], c * p[2] - s * p[0]);
                let (round, radius) = (curvature * along, 1.0 / curvature);
                Vec4::new([radius * round.sin(), radius * (1.0 - round.cos()), across])
            })
            .collect();
        let area: f64 = triangles.iter().map(|t| Frame::new(*t, points).area).sum();
        evaluate(&term, &rolled).0 / (0.5 * 3.0 * area * curvature * curvature)
    }

    #[test]
    fn a_cylinder_has_the_energy_of_a_plate_in_every_direction() {
        // The rest of the energy is missing at the border, whose triangles lack a fold.
        let worst = |n: usize, second: [f64; 2], jitter: f64| {
            let mesh = lattice(n, 1.2 / n as f64, second, jitter);
            let error = |i: i32| (cylinder(plate::elements, &mesh, 0.8, 0.52 * f64::from(i)) - 1.0).abs();
            (0..6).map(error).fold(0.0f64, f64::max)
        };
        for (second, jitter) in
            [([0.0, 1.0], 0.0), ([0.5, 0.75f64.sqrt()], 0.0), ([0.3, 1.4], 0.0), ([0.2, 1.0], 0.2)]
        {
            let (coarse, fine) = (worst(60, second, jitter), worst(120, second, jitter));
            assert!(fine < 0.01 && fine < 0.6 * coarse, "{second:?}, {jitter}: {coarse} {fine}");
        }
    }

    #[test]
    fn both_pass_the_generic_check() {
        let (points, triangles) = lattice(2, 0.5, [0.2, 1.0], 0.1);
        let mut random = crate::energy::checks::random(3);
        let curved: Vec<[f64; 3]> = points.iter().map(|p| [p[0], 0.3 * random(), p[2]]).collect();
        let x: Vec<Vec4> = points.iter().map(|p| Vec4::new(p.map(|c| c + 0.2 * random()))).collect();
        for scheme in [plate::elements as Scheme, hinge::elements] {
            for rest in [&points, &curved] {
                let stiffness = vec![2.0; triangles.len()];
                let elements = scheme(&sheet::hinges(&triangles), &triangles, rest, &stiffness, false);
                crate::energy::checks::check_term(
                    &LengthTerm::new("bending".into(), CORNERS, elements),
                    &x,
                    1e-6,
                );
            }
        }
    }

    #[test]
    fn hinges_alone_are_right_on_average() {
        for second in [[0.0, 1.0], [0.5, 0.75f64.sqrt()], [0.3, 1.4]] {
            let mesh = lattice(60, 0.02, second, 0.0);
            let ratios = (0..12)
                .map(|i| cylinder(hinge::elements, &mesh, 0.8, std::f64::consts::PI * f64::from(i) / 12.0));
            let mean = ratios.sum::<f64>() / 12.0;
            assert!((mean - 1.0).abs() < 0.02, "{second:?}: {mean}");
        }
    }

    #[test]
    fn a_curved_rest_state_is_free_of_energy_unless_the_sheet_wants_to_be_flat() {
        let (points, triangles) = lattice(30, 0.04, [0.0, 1.0], 0.0);
        let curved: Vec<[f64; 3]> = points.iter().map(|p| [p[0].sin(), 1.0 - p[0].cos(), p[2]]).collect();
        let x: Vec<Vec4> = curved.iter().map(|p| Vec4::new([p[1], p[2] + 3.0, p[0]])).collect();
        for scheme in [plate::elements as Scheme, hinge::elements] {
            let energy = |flat: bool| {
                let stiffness = vec![1.0; triangles.len()];
                let elements = scheme(&sheet::hinges(&triangles), &triangles, &curved, &stiffness, flat);
                evaluate(&LengthTerm::new("bending".into(), CORNERS, elements), &x).0
            };
            assert!(energy(false) < 1e-20, "{}", energy(false));
            assert!(energy(true) > 0.2);
        }
    }
}
