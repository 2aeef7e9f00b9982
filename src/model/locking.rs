//! How much too stiff linear tets make a body, and what to say about it.
//!
//! The same places, drawn smoothly through quadratic tets, store less energy:
//!
//! ```text
//! s = E_linear(x) / E_quadratic(x̂),      x̂_ab = (x_a + x_b)/2 + (G_a − G_b)(X_b − X_a)/8
//! ```
//!
//! G_a is the mean of F over the tets around a, weighted by volume, as if each edge were the cubic between its ends with these
//! slopes. What is uniform in x is so in x̂, and s is 1 there. Of a beam under its weight, with 2, 4 or 8 tets across and
//! Poisson's ratio 0.3 to 0.499, the smooth energy was more than what a softer body would have in all twelve cases: s is a lower
//! bound in practice, and close to the true factor as long as that is below 2.

use std::ops::Range;

use super::body::{self, BodyData};
use super::cells::PartCells;
use crate::cache::Cache;
use crate::error::Result;
use crate::scene::{Body, Scene};
use elements::energy::lifted::rule::EDGES;
use elements::energy::quadratic::Quadratic;
use elements::energy::{CHUNK, Energy, tets};
use elements::math::lanes::Vec4;
use elements::math::vec3;

/// A deformation gradient.
type Slope = [[f64; 3]; 3];

/// Poisson's ratio from which linear tets lock however many there are.
const LOCKS: f64 = 0.45;
/// A body that is too stiff by less than this factor is not worth a warning.
const WORTH_TELLING: f64 = 1.2;

/// A part of stiffness times volume that is no energy to speak of.
const NOTHING: f64 = 1e-14;
/// What may end it, for messages.
const WAY_OUT: &str = "set element = \"quadratic\" in the body, for which cells twice as large do; element = \"linear\" says that this \
                       is meant";

/// True if the body's tets are linear without anybody having said so.
fn is_in_question(body: &Body, data: &BodyData) -> bool {
    body.element.is_none() && !data.tets.is_empty() && data.middles.is_empty()
}

/// The largest Poisson's ratio of a body's cells at rest.
fn poisson(data: &BodyData) -> f64 {
    let moduli = data.cells.parts.iter().flat_map(|part| &part.properties.moduli);
    let ratios = moduli.map(|[mu, lambda]| lambda / (2.0 * (lambda + mu)));
    ratios.filter(|ratio| ratio.is_finite()).fold(0.0, f64::max)
}

/// The warning that a body will lock, whatever it does.
pub(super) fn warning(body: &Body, data: &BodyData) -> Option<String> {
    let ratio = poisson(data);
    (is_in_question(body, data) && ratio > LOCKS + 1e-9).then(|| {
        format!(
            "linear tets hardly change their shape without changing their volume, which Poisson's ratio {ratio:.4} forbids: the \
             body will be several times too stiff; {WAY_OUT}"
        )
    })
}

/// The bodies that are too stiff as they are at `x` (m, the vertices of all bodies), with the factor.
pub fn too_stiff(scene: &Scene, x: &[[f64; 3]], cache: &Cache) -> Result<Vec<(String, f64)>> {
    let (mut out, mut first) = (vec![], 0);
    for body in &scene.bodies {
        let data = body::load(body, cache)?;
        let own = x.get(first..first + data.rest.len()).unwrap_or_default();
        first += data.rest.len();
        if is_in_question(body, &data) && !own.is_empty() {
            let factor = factor(body, &data, own);
            out.extend((factor > WORTH_TELLING).then(|| (body.name.clone(), factor)));
        }
    }
    Ok(out)
}

/// What to say of a body that is too stiff by a factor.
pub fn describe(body: &str, factor: f64) -> String {
    format!(
        "body '{body}': the linear tets make it at least {factor:.1} times too stiff where it is now, since they cannot bend; {WAY_OUT}"
    )
}

/// The energy that linear tets have at `x` over that of quadratic ones; 1 where nothing can be said.
fn factor(body: &Body, data: &BodyData, x: &[[f64; 3]]) -> f64 {
    let slopes = slopes(data, x);
    let [mut linear, mut quadratic, mut scale] = [0.0; 3];
    for part in &data.cells.parts {
        for first in (0..part.cells.len()).step_by(CHUNK) {
            let own = first..part.cells.len().min(first + CHUNK);
            let terms = Terms::new(body, data, part, own, (x, &slopes));
            linear += terms.energy(terms.linear.as_ref());
            quadratic += terms.energy(terms.quadratic.as_ref());
            scale += terms.linear.scale();
        }
    }
    if quadratic.is_finite() && quadratic > NOTHING * scale { linear / quadratic } else { 1.0 }
}

/// The mean deformation gradient around each vertex.
fn slopes(data: &BodyData, x: &[[f64; 3]]) -> Vec<Slope> {
    let elements = tets::elements(data.tets.clone(), &data.rest);
    let (mut sums, mut volumes) = (vec![Slope::default(); x.len()], vec![0.0; x.len()]);
    for (e, tet) in data.tets.iter().enumerate() {
        let mut f: Slope = Slope::default();
        for (v, g) in tet.iter().zip(elements.gradients(e)) {
            for i in 0..3 {
                for j in 0..3 {
                    f[i][j] += x[*v as usize][i] * g[j];
                }
            }
        }
        for v in tet {
            volumes[*v as usize] += elements.volume[e];
            let sum: &mut Slope = &mut sums[*v as usize];
            for i in 0..3 {
                for j in 0..3 {
                    sum[i][j] += elements.volume[e] * f[i][j];
                }
            }
        }
    }
    for (sum, volume) in sums.iter_mut().zip(&volumes).filter(|(_, volume)| **volume > 0.0) {
        sum.iter_mut().flatten().for_each(|entry| *entry /= volume);
    }
    sums
}

fn turned(slope: &Slope, edge: [f64; 3]) -> [f64; 3] {
    slope.map(|row| vec3::dot(row, edge))
}

/// Some cells of a part, at most a chunk, as linear and as quadratic tets, each with nodes of its own.
struct Terms {
    linear: Box<dyn Energy>,
    quadratic: Box<dyn Energy>,
    rest: Vec<Vec4>,
    now: Vec<Vec4>,
}

impl Terms {
    fn new(
        body: &Body,
        data: &BodyData,
        part: &PartCells,
        range: Range<usize>,
        (x, slopes): (&[[f64; 3]], &[Slope]),
    ) -> Terms {
        let (mut rest, mut now) = (vec![], vec![]);
        for cell in &part.cells[range.clone()] {
            let tet = data.tets[*cell as usize];
            rest.extend(tet.map(|v| data.rest[v as usize]));
            now.extend(tet.map(|v| x[v as usize]));
            for [a, b] in EDGES.map(|edge| edge.map(|c| tet[c] as usize)) {
                let edge = vec3::sub(data.rest[b], data.rest[a]);
                let bend = vec3::sub(turned(&slopes[a], edge), turned(&slopes[b], edge));
                rest.push(vec3::scale(0.5, vec3::add(data.rest[a], data.rest[b])));
                now.push(vec3::add(vec3::scale(0.5, vec3::add(x[a], x[b])), vec3::scale(0.125, bend)));
            }
        }
        let count = range.len() as u32;
        let properties = part.properties.picked(&range.collect::<Vec<_>>());
        let tens = (0..count).map(|e| std::array::from_fn(|n| 10 * e + n as u32)).collect();
        let fours = (0..count).map(|e| std::array::from_fn(|c| 10 * e + c as u32)).collect();
        let fit = body.materials[part.part].material.fit_interval();
        Terms {
            quadratic: part.solid.quadratic(String::new(), &Quadratic::new(tens, &rest), &properties, fit),
            linear: part.solid.tets(String::new(), tets::elements(fours, &rest), properties),
            rest: rest.into_iter().map(Vec4::new).collect(),
            now: now.into_iter().map(Vec4::new).collect(),
        }
    }

    /// The energy of one of the terms, in J, beyond that of the rest state, which some laws do not call 0.
    fn energy(&self, term: &dyn Energy) -> f64 {
        let mut slots = vec![Vec4::ZERO; term.slots()];
        term.evaluate(0, &self.now, &mut slots) - term.evaluate(0, &self.rest, &mut slots)
    }
}
