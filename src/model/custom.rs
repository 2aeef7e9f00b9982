//! Energies from outside: their vertices by the numbers that meshes have, their place among the terms.

use std::ops::Range;

use super::Model;
use crate::error::{Error, Result};
use crate::scene::Scene;
use crate::step::Term;
use elements::energy::custom::{CustomTerm, ElementEnergy};
use elements::math::lanes::Vec4;

fn refuse(energy: &dyn ElementEnergy, reason: String) -> Error {
    Error::Mesh { subject: format!("energy '{}'", energy.name()), reason, hint: String::new() }
}

/// Pairs of vertices that the energies couple, in input numbering; `vertices` has those of each body.
pub(super) fn couplings(
    scene: &Scene,
    vertices: &[Range<usize>],
    energies: &[Box<dyn ElementEnergy>],
) -> Result<Vec<[u32; 4]>> {
    let mut out = vec![];
    for energy in energies {
        let place = scene.bodies.iter().position(|body| body.name == energy.body());
        let Some(place) = place else {
            return Err(refuse(energy.as_ref(), format!("there is no body '{}'", energy.body())));
        };
        let own = &vertices[place];
        if let Some(v) = energy.elements().iter().find(|v| **v as usize >= own.len()) {
            return Err(refuse(energy.as_ref(), format!("body '{}' has no vertex {v}", energy.body())));
        }
        for element in energy.elements().chunks(energy.corners().max(1)) {
            let corners: Vec<u32> = element.iter().map(|v| own.start as u32 + v).collect();
            for (i, a) in corners.iter().enumerate() {
                out.extend(corners[i + 1..].iter().map(|b| [*a, *b, *a, *b]));
            }
        }
    }
    Ok(out)
}

/// Adds the terms; `rest` has the rest positions in internal numbering.
pub(super) fn add(
    energies: Vec<Box<dyn ElementEnergy>>,
    model: &mut Model,
    rest: &[Vec4],
    terms: &mut Vec<Term>,
) -> Result<()> {
    for energy in energies {
        let name = energy.name();
        let body = model.bodies.iter().position(|body| body.name == energy.body());
        let Some(body) = body else { return Err(refuse(energy.as_ref(), "has no body".into())) };
        let own = model.bodies[body].vertices.clone();
        let number = |v: u32| {
            let input = own.start.checked_add(v as usize).filter(|v| own.contains(v));
            input.map(|v| model.numbering.position[v])
        };
        let term = CustomTerm::new(energy, number, rest).map_err(|reason| Error::Mesh {
            subject: format!("energy '{name}'"),
            reason,
            hint: String::new(),
        })?;
        terms.push(Term::new(Box::new(term), vec![body]));
        model.cells.push(vec![]);
    }
    Ok(())
}
