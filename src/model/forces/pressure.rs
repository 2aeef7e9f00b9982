//! Pressure inside a closed surface, above that outside.
//!
//! ```text
//! f_v = p(t) ∂V/∂x_v = p(t) Σ_T a_T/3,      a_T the outward normal of triangle T with the length of its area
//! ```
//!
//! V is the volume inside the triangles: of the gas in a closed sheet, of the material itself in a solid. The second
//! form is the gradient of V because the terms of each edge cancel between its two triangles. This requires a surface
//! that is closed and consistently oriented; other sheets are refused. The forces sum to zero, and so do their
//! moments about any point. So they keep the linear momentum, and the angular one up to the difference between
//! predicted and actual positions.
//!
//! Each connected part of a sheet is a volume of its own and is turned outwards by the sign of its rest volume.

use super::surface::{add_thirds, area, triangles};
use super::{Context, Force, Stage};
use crate::error::{Error, Result};
use crate::mesh::surface::{SurfaceMap, area_vector, enclosed_volume, shells, topology};
use elements::math::lanes::Vec4;
use elements::math::track::Track;

/// Relative to a ball of the same surface, a volume below this counts as none.
const FLAT: f64 = 1e-9;

/// The pressure in one body.
pub struct Pressure {
    /// The triangles in internal numbers, with normals outwards.
    triangles: Vec<[u32; 3]>,
    /// The pressure over time, in Pa.
    pressure: Track<1>,
}

/// The pressures of all bodies that have one.
pub fn build(context: &Context<'_>) -> Result<Vec<Box<dyn Force>>> {
    let mut out: Vec<Box<dyn Force>> = vec![];
    for (body, place) in context.scene.bodies.iter().zip(&context.model.bodies) {
        let Some(pressure) = &body.pressure else { continue };
        let mut triangles = triangles(context.model, place);
        // The boundary of tets is closed and already turned outwards.
        if place.tets.is_empty() {
            let rest = &context.model.rest[place.vertices.clone()];
            let inward = inward(&place.surface, rest, &place.name)?;
            for (triangle, _) in triangles.iter_mut().zip(inward).filter(|(_, inward)| *inward) {
                triangle.swap(1, 2);
            }
        }
        out.push(Box::new(Pressure { triangles, pressure: pressure.clone() }));
    }
    Ok(out)
}

/// For each triangle of a sheet: does its normal point inwards? Refuses surfaces without an inside.
fn inward(surface: &SurfaceMap, rest: &[[f64; 3]], name: &str) -> Result<Vec<bool>> {
    let refuse = |reason: String, hint: &str| {
        Err(Error::Mesh { subject: format!("body '{name}'"), reason, hint: hint.into() })
    };
    let found = topology(&surface.triangles);
    if !found.closed() {
        let (open, many) = (found.open_edges, found.nonmanifold_edges);
        return refuse(
            format!(
                "has a pressure, but its surface is not closed: {open} open edges, {many} of more than two triangles"
            ),
            "close the surface, or remove 'pressure'",
        );
    }
    if found.inconsistent_edges > 0 {
        let edges = found.inconsistent_edges;
        return refuse(
            format!(
                "has a pressure, but its triangles are not turned alike: their sense changes at {edges} edges"
            ),
            "orient the surface consistently in a mesh editor, or remove 'pressure'",
        );
    }
    let points: Vec<[f64; 3]> = surface.vertices.iter().map(|v| rest[*v as usize]).collect();
    let shell = shells(&surface.triangles);
    let mut out = vec![false; shell.len()];
    for number in 0..found.shells as u32 {
        let members: Vec<usize> = (0..shell.len()).filter(|t| shell[*t] == number).collect();
        let part: Vec<[u32; 3]> = members.iter().map(|t| surface.triangles[*t]).collect();
        let volume = enclosed_volume(&points, &part);
        let size = |t: &[u32; 3]| area_vector(&points, *t).iter().map(|x| x * x).sum::<f64>().sqrt();
        let whole = part.iter().map(size).sum::<f64>();
        // A ball whose surface has the area A has the volume A^(3/2)/(6√π).
        if volume.abs() <= FLAT * whole * whole.sqrt() / 10.6 {
            return refuse(
                "has a pressure, but its surface encloses no volume at rest".into(),
                "use a mesh with an inside, or remove 'pressure'",
            );
        }
        members.iter().for_each(|t| out[*t] = volume < 0.0);
    }
    Ok(out)
}

impl Force for Pressure {
    fn add(&self, stage: &Stage<'_>, out: &mut [Vec4]) {
        let [p] = self.pressure.at(stage.time);
        if p != 0.0 {
            add_thirds(&self.triangles, |t| area(self.triangles[t], stage.x).map(|a| p * a), out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::generate;
    use crate::mesh::surface::extract;
    use crate::scene::Shape;

    /// A dented ball's surface.
    fn dented() -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
        let ball = generate(&Shape::Sphere { radius: 1.0, cells: 3 });
        let surface = extract(&ball.tets);
        let points = surface.vertices.iter().map(|v| ball.points[*v as usize]);
        let dent = |p: [f64; 3]| [p[0] + 0.2 * p[1] * p[1], 1.5 * p[1] - 0.3 * p[0] * p[2], p[2] + 3.0];
        (points.map(dent).collect(), surface.triangles)
    }

    fn forces(pressure: f64, points: &[[f64; 3]], triangles: &[[u32; 3]]) -> Vec<[f64; 3]> {
        let x: Vec<Vec4> = points.iter().map(|p| Vec4::new(*p)).collect();
        let force = Pressure { triangles: triangles.to_vec(), pressure: Track::constant([pressure]) };
        let mut out = vec![Vec4::ZERO; x.len()];
        force.add(&Stage { time: 0.0, duration: 1.0, x: &x, v: &x, mass: &[] }, &mut out);
        out.iter().map(|f| f.xyz()).collect()
    }

    #[test]
    fn forces_and_moments_sum_to_zero_and_their_work_is_p_dv() {
        let (points, triangles) = dented();
        let f = forces(7.0, &points, &triangles);
        let largest = f.iter().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
        for k in 0..3 {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let sum: f64 = f.iter().map(|f| f[k]).sum();
            let moment: f64 = f.iter().zip(&points).map(|(f, x)| x[i] * f[j] - x[j] * f[i]).sum();
            assert!(sum.abs() < 1e-12 * largest && moment.abs() < 1e-11 * largest, "{sum:e} {moment:e}");
        }
        // V is a cubic polynomial, so central differences have an error of third order in the displacement.
        let displaced = |s: f64| -> Vec<[f64; 3]> {
            (0..).zip(&points).map(|(i, p)| p.map(|x| x + s * (x * 3.0 + f64::from(i)).sin())).collect()
        };
        let h = 1e-4;
        let dv = enclosed_volume(&displaced(h), &triangles) - enclosed_volume(&displaced(-h), &triangles);
        let work: f64 = f
            .iter()
            .zip(displaced(1.0).iter().zip(&points))
            .map(|(f, (a, b))| (0..3).map(|k| f[k] * (a[k] - b[k])).sum::<f64>())
            .sum();
        let expected = 7.0 * dv / (2.0 * h);
        assert!((work - expected).abs() < 1e-6 * largest, "{work} {expected}");
    }

    #[test]
    fn every_part_is_turned_outwards_by_itself() {
        let (points, triangles) = dented();
        let (n, turned) = (points.len() as u32, triangles.iter().map(|[a, b, c]| [*a, *c, *b]));
        let mut both = triangles.clone();
        both.extend(turned.map(|t| t.map(|v| v + n)));
        let surface = SurfaceMap { triangles: both, vertices: (0..2 * n).collect(), ..Default::default() };
        let rest: Vec<[f64; 3]> =
            points.iter().copied().chain(points.iter().map(|p| [p[0] + 9.0, p[1], p[2]])).collect();
        let inward = inward(&surface, &rest, "pair").unwrap();
        assert!(inward[..triangles.len()].iter().all(|i| !i) && inward[triangles.len()..].iter().all(|i| *i));
    }

    #[test]
    fn surfaces_without_an_inside_are_refused_with_the_reason() {
        let (points, triangles) = dented();
        let message = |triangles: &[[u32; 3]], points: &[[f64; 3]]| {
            inward(&SurfaceMap::compact(triangles), points, "ball").unwrap_err().to_string()
        };
        let open = message(&triangles[1..], &points);
        assert!(open.contains("body 'ball'") && open.contains("3 open edges"), "{open}");
        let mut turned = triangles.clone();
        turned[0].swap(0, 1);
        let text = message(&turned, &points);
        assert!(text.contains("changes at 3 edges"), "{text}");
        let flat: Vec<[f64; 3]> = points.iter().map(|p| [p[0], p[1], 0.0]).collect();
        assert!(message(&triangles, &flat).contains("encloses no volume"));
    }
}
