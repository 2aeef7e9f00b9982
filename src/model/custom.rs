//! Energies from outside: their vertices by the numbers that meshes have, their place among the terms.

use std::ops::Range;

use super::Model;
use crate::error::{Error, Result};
use crate::scene::Scene;
use crate::step::Term;
use elements::energy::custom::{CustomTerm, ElementEnergy};
use elements::math::lanes::Vec4;

/// An energy with the number of its body and the body's vertices in input numbering.
pub(super) struct Placed {
    energy: Box<dyn ElementEnergy>,
    body: usize,
    vertices: Range<usize>,
}

fn refuse(name: String, reason: String) -> Error {
    Error::Mesh { subject: format!("energy '{name}'"), reason, hint: String::new() }
}

impl Placed {
    /// Finds the body; `vertices` has those of each body. Refuses an energy of a body or a vertex that is not there.
    pub(super) fn new(
        energy: Box<dyn ElementEnergy>,
        scene: &Scene,
        vertices: &[Range<usize>],
    ) -> Result<Placed> {
        let Some(body) = scene.bodies.iter().position(|body| body.name == energy.body()) else {
            return Err(refuse(energy.name(), format!("there is no body '{}'", energy.body())));
        };
        let vertices = vertices[body].clone();
        if let Some(v) = energy.elements().iter().find(|v| **v as usize >= vertices.len()) {
            return Err(refuse(energy.name(), format!("body '{}' has no vertex {v}", energy.body())));
        }
        Ok(Placed { energy, body, vertices })
    }

    /// Pairs of vertices that its elements couple, in input numbering.
    pub(super) fn couplings(&self) -> Vec<[u32; 4]> {
        let mut out = vec![];
        for element in self.energy.elements().chunks(self.energy.corners().max(1)) {
            let corners: Vec<u32> = element.iter().map(|v| self.vertices.start as u32 + v).collect();
            for (i, a) in corners.iter().enumerate() {
                out.extend(corners[i + 1..].iter().map(|b| [*a, *b, *a, *b]));
            }
        }
        out
    }

    /// The term; `rest` has the rest positions in internal numbering.
    pub(super) fn term(self, model: &Model, rest: &[Vec4]) -> Result<Term> {
        let name = self.energy.name();
        let number = |v: u32| model.numbering.position[self.vertices.start + v as usize];
        let term = CustomTerm::new(self.energy, number, rest).map_err(|reason| refuse(name, reason))?;
        Ok(Term::new(Box::new(term), vec![self.body]))
    }
}
