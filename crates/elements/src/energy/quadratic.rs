//! Quadratic tets: ten nodes, so that bodies bend without locking.
//!
//! ```text
//! F = (∂x/∂λ)(∂X/∂λ)⁻¹,      E = Σ_q V_q Ψ₁(F_q) + V Ψ₂(F_centre)
//! ```
//!
//! Ψ₁ is the law with at most a part of its resistance to changes of volume, at four points of quadrature; Ψ₂ is the rest of
//! that resistance, at the centre alone ([`Law::split`]). With all of it at all points a nearly incompressible body would
//! have more conditions than it can meet and lock: a beam of two cells across at ν = 0.499 sags 6 % too little. Edges may be
//! curved at rest; then V_q and the inverse differ from point to point, and an affine boundary makes an affine inside only up to
//! a few percent of how far edges are bent, which meshes of curved bodies leave behind with the square of their cells.

use super::cells::Elements;
use super::law::{self, Law};
use super::lifted::rule::{Rule, shares};
use super::lifted::{Lifted, NODES, Part, corners};
use super::tets::{self, TetTerm};
use super::viscosity::{ViscosityTerm, Viscous};
use super::{Energy, Properties};
use crate::math::vec3::{add, scale};

/// The part of a tet's mass that each of its corners has, and the middle of each edge: in proportion to the diagonal of the
/// consistent mass matrix, 6 to 32 \[Hinton1976\]. All are positive, and their sum is 1.
pub const CORNER_MASS: f64 = 1.0 / 36.0;
/// See [`CORNER_MASS`].
pub const MIDDLE_MASS: f64 = 4.0 / 27.0;

/// Quadratic tets by their nodes, and their points of quadrature at rest.
pub struct Quadratic {
    nodes: Vec<[u32; NODES]>,
    four: Elements,
    centre: Elements,
}

/// The rest geometry of the points of a rule.
fn points(nodes: &[[u32; NODES]], rest: &[[f64; 3]], rule: Rule) -> Elements {
    let mut out = Elements::default();
    for (e, nodes) in nodes.iter().enumerate() {
        for point in 0..rule.points() {
            let places = virtual_corners(rule.shares(point), nodes, rest);
            let one = tets::elements(vec![[0, 1, 2, 3]], &places);
            out.corners.push(corners(rule.points() * e + point));
            out.inverse.push(one.inverse[0]);
            out.volume.push(one.volume[0] / rule.points() as f64);
        }
    }
    out
}

/// The virtual corners where nodes have these shares in them.
fn virtual_corners(shares: [[f64; NODES]; 4], nodes: &[u32; NODES], x: &[[f64; 3]]) -> [[f64; 3]; 4] {
    let sum = |share: &[f64; NODES]| {
        nodes.iter().zip(share).fold([0.0; 3], |sum, (v, share)| add(sum, scale(*share, x[*v as usize])))
    };
    shares.map(|share| sum(&share))
}

/// The least volume, det(∂X/∂λ)/6, of a tet at its points and its corners: positive unless edges are bent too far.
pub fn least_volume(nodes: &[u32; NODES], rest: &[[f64; 3]]) -> f64 {
    let corner = |c: usize| std::array::from_fn(|k| if k == c { 1.0 } else { 0.0 });
    let places = (0..4).map(|q| Rule::Four.place(q)).chain((0..4).map(corner)).chain([Rule::Centre.place(0)]);
    let volume =
        |place| tets::elements(vec![[0, 1, 2, 3]], &virtual_corners(shares(place), nodes, rest)).volume[0];
    places.map(volume).fold(f64::INFINITY, f64::min)
}

/// The properties of `points` points of each element that has `properties`.
pub fn repeated(properties: &Properties, points: usize) -> Properties {
    let numbers: Vec<usize> = (0..points * properties.constants.len()).map(|p| p / points).collect();
    properties.picked(&numbers)
}

impl Quadratic {
    /// Tets with the given rest positions in m. [`least_volume`] of each must be positive.
    pub fn new(nodes: Vec<[u32; NODES]>, rest: &[[f64; 3]]) -> Quadratic {
        let [four, centre] = [Rule::Four, Rule::Centre].map(|rule| points(&nodes, rest, rule));
        Quadratic { nodes, four, centre }
    }

    /// The rest volume of each tet in m³.
    pub fn volumes(&self) -> Vec<f64> {
        self.four.volume.chunks_exact(4).map(|v| v.iter().sum()).collect()
    }

    /// A term with a part at the four points, and one at the centre if there is one.
    fn term(&self, four: Box<dyn Energy>, centre: Option<Box<dyn Energy>>) -> Box<dyn Energy> {
        let mut parts = vec![Part { rule: Rule::Four, inner: four }];
        parts.extend(centre.map(|inner| Part { rule: Rule::Centre, inner }));
        Box::new(Lifted::new(self.nodes.clone(), parts))
    }

    /// The term of a law, with the constants and moduli of `properties`, of which the tets have one each. The stiffness of both
    /// parts is fitted over an interval of stretches.
    pub(crate) fn material<W: Law>(
        &self,
        law: &W,
        name: String,
        properties: &Properties,
        fit: [f64; 2],
    ) -> Box<dyn Energy> {
        let part = |n: usize| {
            let law = law.parts()[n].clone();
            let constants: Vec<_> = properties.constants.iter().map(|c| law.split(c)[n]).collect();
            let stiffness = constants.iter().map(|c| law::stiffness(&law, c, fit)).collect();
            (law, Properties { constants, stiffness, moduli: properties.moduli.clone() })
        };
        let (shape, of_shape) = part(0);
        let (volume, of_volume) = part(1);
        let four = TetTerm::new(name.clone(), shape, self.four.clone(), repeated(&of_shape, 4));
        let acts = of_volume.stiffness.iter().any(|k| *k > 0.0);
        let centre = acts.then(|| TetTerm::new(name, volume, self.centre.clone(), of_volume));
        self.term(Box::new(four), centre.map(|term| Box::new(term) as _))
    }

    /// The points as linear tets, four for each tet: what inner terms for [`Quadratic::at_points`] are made of.
    pub fn points(&self) -> &Elements {
        &self.four
    }

    /// The term that `inner` is at the four points of each tet.
    pub fn at_points(&self, inner: Box<dyn Energy>) -> Box<dyn Energy> {
        self.term(inner, None)
    }

    /// The viscosity of tets with these moduli (μ, λ), each times `factor`; see [`ViscosityTerm`].
    pub fn viscosity(&self, name: String, moduli: &[[f64; 2]], factor: f64) -> Box<dyn Energy> {
        let part = |elements: &Elements, points: usize, share: fn([f64; 2]) -> [f64; 2]| {
            let viscous = (0..elements.corners.len()).map(|p| Viscous {
                vertices: elements.corners[p],
                gradients: elements.gradients(p),
                moduli: share(moduli[p / points]).map(|m| factor * elements.volume[p] * m),
            });
            Box::new(ViscosityTerm::new(name.clone(), 4, viscous.collect()))
        };
        let four = part(&self.four, 4, |[mu, lambda]| [mu, law::kept(mu, lambda)]);
        let has_more = moduli.iter().any(|[mu, lambda]| *lambda > law::kept(*mu, *lambda));
        let centre = || part(&self.centre, 1, |[mu, lambda]| [0.0, lambda - law::kept(mu, lambda)]) as _;
        self.term(four, has_more.then(centre))
    }
}
