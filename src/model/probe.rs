//! The points that probes look at.

use super::choose::Chooser;
use super::select::{by_group, select};
use crate::error::{Error, Result};
use crate::scene::{Probe, Probed};

/// A probe with its points.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbeModel {
    /// What is measured, and what is made of it.
    pub probe: Probe,
    /// Each point as vertices of the body with weights; a single vertex has the weight 1.
    pub points: Vec<Vec<(u32, f64)>>,
}

/// Looks up the points of a probe: vertices of the body or, where tets were made here and it is not forces that are wanted, the
/// user's own vertices of its surfaces.
pub(super) fn look_up(probe: &Probe, chooser: &Chooser, notes: &mut Vec<String>) -> Result<ProbeModel> {
    let owner = format!("probe '{}'", probe.name);
    let is_force = matches!(probe.quantity, Probed::PinForce | Probed::ContactForce);
    if !chooser.is_hidden || is_force || probe.quantity == Probed::Energy {
        let vertices = chooser.choose(&probe.select, &owner, notes)?;
        let points = vertices.into_iter().map(|v| vec![(v, 1.0)]).collect();
        return Ok(ProbeModel { probe: probe.clone(), points });
    }
    let refuse = |reason: String, hint: &str| Error::Mesh {
        subject: chooser.subject.to_owned(),
        reason: format!("{owner}{reason}"),
        hint: hint.into(),
    };
    let mut points = vec![];
    for (surface, file) in &chooser.surfaces {
        let places = surface.embedding.apply(&chooser.mesh.points);
        let found = by_group(&probe.select, &file.groups)
            .and_then(|selection| select(&selection, &places, &file.point_data, "vertex"))
            .map_err(|reason| refuse(format!(": {reason}"), ""))?;
        points.extend(found.into_iter().map(|point| surface.embedding.carriers(point as usize)));
    }
    if points.is_empty() {
        return Err(refuse(" selects no vertex of the surface".into(), "change its 'select'"));
    }
    Ok(ProbeModel { probe: probe.clone(), points })
}
