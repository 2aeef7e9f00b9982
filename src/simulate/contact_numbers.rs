//! Whether the numbers of contact suit the bodies: d̂ their size and their meshes, κ their stiffness.

use crate::contact::Contact;
use crate::contact::surfaces::Surfaces;
use crate::error::{Error, Result};
use crate::scene::Scene;
use elements::math::lanes::Vec4;
use elements::math::vec3::{norm, sub};

/// The part of the mean edge of a body's surface that d̂ should not exceed.
const OF_EDGE: f64 = 0.5;
/// The part of a body's diagonal that d̂ should not exceed.
const OF_SIZE: f64 = 0.1;
/// By how much κ may differ from Young's moduli.
const FAR: f64 = 1e4;

/// Warnings of numbers that are most likely not meant. A d̂ larger than a body is refused. `young` are the least and the
/// largest Young's modulus in Pa.
pub(super) fn check_numbers(
    scene: &Scene,
    contact: &Contact,
    x: &[Vec4],
    young: [f64; 2],
) -> Result<Vec<String>> {
    let settings = scene.contact.clone().unwrap_or_default();
    let surfaces = contact.surfaces();
    let distance = surfaces.range;
    let chosen = if settings.distance.is_some() { "" } else { " (the default)" };
    let bodies: Vec<Extent> = extents(surfaces, x);
    let mut warnings = vec![];
    let smallest = bodies.iter().min_by(|a, b| a.size.total_cmp(&b.size));
    if let Some(body) = smallest.filter(|body| distance > body.size) {
        return Err(Error::Mesh {
            subject: scene.name.clone(),
            reason: format!(
                "contact.distance = {distance}{chosen} is larger than the body '{}', whose diagonal is {:.3e} m",
                body.name, body.size
            ),
            hint: format!("set contact.distance = {} or less", rounded(body.limit())),
        });
    }
    let tightest = bodies.iter().min_by(|a, b| a.limit().total_cmp(&b.limit()));
    if let Some(body) = tightest.filter(|body| distance > body.limit()) {
        let why = if body.limit() < OF_SIZE * body.size {
            format!("half the mean edge of the surface of '{}', which is {:.3e} m", body.name, body.edge)
        } else {
            format!("a tenth of the diagonal of '{}', which is {:.3e} m", body.name, body.size)
        };
        warnings.push(format!(
            "contact.distance = {distance}{chosen} is more than {why}: forces of contact reach too far; set \
             contact.distance = {} or less",
            rounded(body.limit())
        ));
    }
    let [least, largest] = young;
    let unfit = |what: &str, young: f64, stiffness: f64| {
        format!(
            "contact.stiffness = {stiffness:e} is {what} Young's modulus {young:e}; set contact.stiffness = \
             {young:e}, or leave it out"
        )
    };
    match settings.stiffness {
        Some(stiffness) if stiffness > FAR * largest => {
            warnings.push(
                unfit("more than 10,000 times", largest, stiffness) + ": steps will take many iterations",
            );
        }
        Some(stiffness) if stiffness < least / FAR => {
            warnings.push(unfit("less than a 10,000th of", least, stiffness) + ": gaps will nearly close");
        }
        _ => {}
    }
    Ok(warnings)
}

/// How large a body is, and how fine its surface.
struct Extent<'a> {
    name: &'a str,
    /// The diagonal of its box in m.
    size: f64,
    /// The mean length of its edges in m.
    edge: f64,
}

impl Extent<'_> {
    /// The largest d̂ in m that suits it.
    fn limit(&self) -> f64 {
        (OF_SIZE * self.size).min(OF_EDGE * self.edge)
    }
}

/// The bodies that touch anything.
fn extents<'a>(surfaces: &'a Surfaces, x: &[Vec4]) -> Vec<Extent<'a>> {
    let count = surfaces.parts.len();
    let mut boxes = vec![[[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]]; count];
    let mut sums = vec![[0.0; 2]; count];
    for edge in &surfaces.edges {
        let part = surfaces.part_of(edge[0]) as usize;
        let [a, b] = edge.map(|v| x[v as usize].xyz());
        sums[part] = [sums[part][0] + norm(sub(b, a)), sums[part][1] + 1.0];
        for point in [a, b] {
            for k in 0..3 {
                boxes[part][0][k] = boxes[part][0][k].min(point[k]);
                boxes[part][1][k] = boxes[part][1][k].max(point[k]);
            }
        }
    }
    let touches = |part: usize| (0..count).any(|other| surfaces.may_touch(part as u32, other as u32));
    let extent = |part: usize| Extent {
        name: &surfaces.parts[part].name,
        size: norm(sub(boxes[part][1], boxes[part][0])),
        edge: sums[part][0] / sums[part][1],
    };
    let is_body = |part: &usize| !surfaces.parts[*part].is_obstacle && sums[*part][1] > 0.0;
    (0..count).filter(is_body).filter(|part| touches(*part)).map(extent).collect()
}

/// Not more than `x`, with two digits.
pub(super) fn rounded(x: f64) -> f64 {
    let unit = 10f64.powf(x.log10().floor() - 1.0);
    let down = (x / unit).floor() * unit;
    format!("{down:.1e}").parse().unwrap_or(down)
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn proposals_have_two_digits_and_are_not_larger() {
        assert_eq!([0.0259, 1.0, 123.0, 9.99e-5].map(rounded), [0.025, 1.0, 120.0, 9.9e-5]);
    }
}
