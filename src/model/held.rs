//! What the pins of a body hold: vertices, and for soft pins a stiffness for each.
//!
//! A painted pin has springs of stiffness k = scale · a, where a is a point array. Where the array is that of a surface which
//! follows tets, p = Σ w x, a spring at p is shared by the vertices x that carry it, in the ratio of their weights (those below
//! zero count as none): what moves as a whole feels the same force.

use std::collections::BTreeMap;

use super::choose::Chooser;
use super::select::{by_group, find_array, select};
use crate::error::{Error, Result};
use crate::mesh::{DataArray, Mesh};
use crate::scene::{Body, PinKind, Selection};

/// What a pin holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Held {
    /// The numbers of the vertices, ascending.
    pub vertices: Vec<u32>,
    /// The stiffness of the spring at each of them in N/m; `None` for a hard pin.
    pub stiffness: Option<Vec<f64>>,
}

impl Chooser<'_> {
    /// What each pin of a body holds; at least one vertex.
    pub(super) fn pins(&self, body: &Body, notes: &mut Vec<String>) -> Result<Vec<Held>> {
        let pins = body.pins.iter().enumerate().map(|(i, pin)| {
            let owner = format!("pin {i}");
            let held = match &pin.kind {
                PinKind::Painted { array, scale } => {
                    self.painted(&pin.select, (array, *scale), &owner, notes)?
                }
                PinKind::Hard => Held { vertices: self.choose(&pin.select, &owner, notes)?, stiffness: None },
                PinKind::Soft(stiffness) => {
                    let vertices = self.choose(&pin.select, &owner, notes)?;
                    let stiffness = Some(vec![*stiffness; vertices.len()]);
                    Held { vertices, stiffness }
                }
            };
            let kind = if held.stiffness.is_none() { "hard" } else { "soft" };
            tracing::debug!("{}: {owner} ({kind}) holds {} vertices", self.subject, held.vertices.len());
            Ok(held)
        });
        pins.collect()
    }

    /// The vertices that an array holds among the selected ones, and how stiffly.
    fn painted(
        &self,
        selection: &Selection,
        (array, scale): (&str, f64),
        owner: &str,
        notes: &mut Vec<String>,
    ) -> Result<Held> {
        let refuse = |reason: String, hint: &str| Error::Mesh {
            subject: self.subject.into(),
            reason: format!("{owner}: {reason}"),
            hint: hint.into(),
        };
        let hint = "paint values of 0 and more; 0 leaves a vertex free";
        let springs = match self.painted_surfaces(array) {
            Some(surfaces) => {
                let mut springs = BTreeMap::new();
                for place in surfaces {
                    self.share(place, selection, array, &mut springs)
                        .map_err(|reason| refuse(reason, hint))?;
                }
                springs
            }
            None => {
                let data = &self.mesh.point_data;
                let values = weights(array, self.mesh.points.len(), data).map_err(|r| refuse(r, hint))?;
                let vertices = self.choose(selection, owner, notes)?;
                vertices.into_iter().map(|v| (v, values[v as usize])).collect()
            }
        };
        let is_held = |(v, weight): &(u32, f64)| *weight > 0.0 && !self.orphans[*v as usize];
        let (vertices, weights): (Vec<u32>, Vec<f64>) = springs.into_iter().filter(is_held).unzip();
        if vertices.is_empty() {
            let reason = format!("point array '{array}' is 0 at every selected vertex: nothing is held");
            return Err(refuse(reason, "paint some vertices, change 'select', or leave the pin out"));
        }
        let stiffness: Vec<f64> = weights.iter().map(|weight| scale * weight).collect();
        if let Some(n) = stiffness.iter().position(|k| !(*k > 0.0 && k.is_finite())) {
            let reason = format!("the stiffness at vertex {} is {} N/m", vertices[n], stiffness[n]);
            return Err(refuse(reason, "change the 'scale' of its 'soft'"));
        }
        Ok(Held { vertices, stiffness: Some(stiffness) })
    }

    /// The numbers of the surfaces that an array is looked for in; `None` if that is the mesh itself.
    fn painted_surfaces(&self, array: &str) -> Option<Vec<usize>> {
        let has = |mesh: &Mesh| mesh.point_data.iter().any(|own| own.name == array);
        if self.surfaces.is_empty() || (!self.is_hidden && has(self.mesh)) {
            return None;
        }
        let found: Vec<usize> = (0..self.surfaces.len()).filter(|n| has(self.surfaces[*n].1)).collect();
        // Where none has it, the first one tells what it has instead.
        Some(if found.is_empty() { vec![0] } else { found })
    }

    /// Adds the springs at the selected points of a surface to those of the vertices that carry them.
    fn share(
        &self,
        surface: usize,
        selection: &Selection,
        array: &str,
        springs: &mut BTreeMap<u32, f64>,
    ) -> Result<(), String> {
        let (embedded, file) = self.surfaces[surface];
        let points = embedded.embedding.apply(&self.mesh.points);
        let values = weights(array, points.len(), &file.point_data)?;
        if matches!(selection, Selection::Ids(_)) && self.surfaces.len() > 1 {
            let many = self.surfaces.len();
            return Err(format!(
                "'ids' could be of any of its {many} surfaces; select by place or by an array instead"
            ));
        }
        let selection = by_group(selection, &file.groups)?;
        for point in select(&selection, &points, &file.point_data, "vertex")? {
            let carriers = embedded.embedding.carriers(point as usize);
            let whole: f64 = carriers.iter().map(|(_, weight)| weight.max(0.0)).sum();
            for (vertex, weight) in carriers {
                *springs.entry(vertex).or_insert(0.0) += values[point as usize] * weight.max(0.0) / whole;
            }
        }
        Ok(())
    }
}

/// The values of a point array that may weight springs.
fn weights<'a>(array: &str, count: usize, arrays: &'a [DataArray]) -> Result<&'a [f64], String> {
    let values = &find_array(array, 1, count, arrays, "vertex")?.values;
    match values.iter().position(|value| !(*value >= 0.0 && value.is_finite())) {
        Some(v) => Err(format!("point array '{array}' is {} at vertex {v}, must be 0 or more", values[v])),
        None => Ok(values),
    }
}
