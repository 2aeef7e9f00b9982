//! What touches in a simulation: the numbers of contact in a scene, what touches after each step, and the promise that
//! nothing intersects in a frame.

use super::Simulation;
use super::contact::examined;
use crate::contact::Contact;
use crate::error::{Error, Result};
use crate::model::build::Built;
use crate::scene::Scene;

/// The numbers of contact in a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactFacts {
    /// The gap d̂ in m from which on nothing is felt.
    pub distance: f64,
    /// The least and the largest stiffness κ of the bodies in Pa.
    pub stiffness: [f64; 2],
    /// The number of triangles of all surfaces that can touch, those of obstacles included.
    pub triangles: usize,
    /// The number of pairs of pieces that are left out because they intersect at the start.
    pub excluded: usize,
    /// True if nothing can intersect; false with `response = "published"`.
    pub is_guaranteed: bool,
}

impl ContactFacts {
    /// The numbers of some contacts.
    pub fn of(contact: &Contact) -> ContactFacts {
        let parts = &contact.surfaces().parts;
        let stiffness = parts.iter().filter(|part| !part.is_obstacle).map(|part| part.stiffness);
        ContactFacts {
            distance: contact.surfaces().range,
            stiffness: stiffness.fold([f64::INFINITY, 0.0], |[low, high], k| [low.min(k), high.max(k)]),
            triangles: parts.iter().map(|part| part.triangles.len()).sum(),
            excluded: contact.surfaces().excluded.count(),
            is_guaranteed: true,
        }
    }
}

/// Contact where a scene starts.
pub struct Examined {
    /// The numbers of contact.
    pub facts: ContactFacts,
    /// The least gap in m between different parts; `Err(g)` if it is more than g.
    pub gap: Result<f64, f64>,
    /// What is most likely not meant.
    pub warnings: Vec<String>,
}

/// Contact in a scene that is built; `None` without it. A start with intersections is refused.
pub fn examine(scene: &Scene, built: &Built) -> Result<Option<Examined>> {
    if scene.contact.is_none() {
        return Ok(None);
    }
    let (contact, warnings) = examined(scene, &built.model, &built.objective)?;
    let gap = contact.least_gap(&built.model.initial.x);
    Ok(Some(Examined { facts: ContactFacts::of(&contact), gap, warnings }))
}

impl Simulation {
    /// Notes what touches now.
    pub(crate) fn look_at_contacts(&mut self) {
        if self.contact.is_some() {
            self.touching = self.objective.touching(&self.state.x);
        }
        let least = self.touching.as_ref().map_or(f64::INFINITY, |touching| touching.least);
        if least < 0.0 {
            self.penetrations = (self.penetrations.0 + 1, self.penetrations.1.max(-least));
        }
    }

    /// What a user should know where nothing keeps bodies apart for certain; `None` where something does.
    pub(crate) fn penetration_note(&self) -> Option<String> {
        let facts = self.contact.as_ref().filter(|facts| !facts.is_guaranteed)?;
        let (steps, deepest) = self.penetrations;
        let part = 100.0 * deepest / facts.distance;
        Some(format!(
            "contact.response = \"published\" guarantees nothing: {steps} steps ended with vertices inside of others, at most \
             {deepest:.2e} m deep ({part:.0} % of contact.distance)"
        ))
    }

    /// Refuses to write a frame in which something intersects, by an exact test.
    pub fn check_clean(&self, frame: u64) -> Result<()> {
        let found = self.contact.as_ref().and_then(|_| self.objective.intersection(&self.state.x));
        let Some([first, second]) = found else { return Ok(()) };
        let pair = if first == second {
            format!("'{first}' intersects itself")
        } else {
            format!("'{first}' and '{second}' intersect")
        };
        Err(Error::Failed {
            what: format!(
                "frame {frame}: {pair}, which contact must not let happen; the frame was not written"
            ),
            hint: "lower time.step or raise time.substeps, and report the scene as a bug of pliant".into(),
        })
    }
}
