//! `[[probe]]`: what is measured, and of which body.

use super::super::path::KeyPath;
use super::super::problem::Report;
use super::super::raw;
use super::{names, pin};
use crate::error::suggest::suggestion;
use crate::scene;

/// Validates all probes and gives each to its body.
pub fn resolve(config: &raw::Config, bodies: &mut [Option<scene::Body>], report: &mut Report) {
    for (place, raw) in config.probe.iter().enumerate() {
        let at = KeyPath::parse("probe").join(place);
        if let Some((number, probe)) = one(config, raw, place, &at, report)
            && let Some(Some(body)) = bodies.get_mut(number)
        {
            body.probes.push(probe);
        }
    }
}

/// A probe and the number of its body.
fn one(
    config: &raw::Config,
    raw: &raw::Probe,
    place: usize,
    at: &KeyPath,
    report: &mut Report,
) -> Option<(usize, scene::Probe)> {
    let Some(name) = &raw.name else {
        report.value(at.join("name"), "missing", "it names the columns of probes.csv");
        return None;
    };
    names::check(name, at.join("name"), report);
    let twin = config.probe[..place].iter().any(|other| other.name.as_ref() == Some(name));
    report.check(!twin, at.join("name"), format!("there are two probes '{name}'"));
    report.check(!name.contains([',', '"']), at.join("name"), "cannot hold commas or quotes");
    let select =
        raw.select.as_ref().map_or(scene::Selection::All, |s| pin::selection(s, &at.join("select"), report));
    let (quantity, reduce) = match raw.quantity.unwrap_or(raw::Probed::Position) {
        raw::Probed::Position => (scene::Probed::Position, scene::Reduce::Mean),
        raw::Probed::Displacement => (scene::Probed::Displacement, scene::Reduce::Mean),
        raw::Probed::Velocity => (scene::Probed::Velocity, scene::Reduce::Mean),
        raw::Probed::PinForce => (scene::Probed::PinForce, scene::Reduce::Sum),
        raw::Probed::ContactForce => (scene::Probed::ContactForce, scene::Reduce::Sum),
        raw::Probed::Energy => (scene::Probed::Energy, scene::Reduce::Sum),
    };
    if quantity == scene::Probed::Energy {
        report.check(raw.select.is_none(), at.join("select"), "the energy is that of the whole body");
        report.check(raw.reduce.is_none(), at.join("reduce"), "the energy is that of the whole body");
    }
    let has_contact = config.contact.is_some() || !config.obstacle.is_empty();
    report.check(
        quantity != scene::Probed::ContactForce || has_contact,
        at.join("quantity"),
        "nothing touches in this scene: there is no [contact] and no [[obstacle]]",
    );
    let reduce = match raw.reduce {
        None => reduce,
        Some(raw::Reduce::Mean) => scene::Reduce::Mean,
        Some(raw::Reduce::Max) => scene::Reduce::Max,
        Some(raw::Reduce::Sum) => scene::Reduce::Sum,
    };
    let number = body(config, raw, at, report)?;
    Some((number, scene::Probe { name: name.clone(), place, select, quantity, reduce }))
}

/// The number of the body that a probe is about.
fn body(config: &raw::Config, raw: &raw::Probe, at: &KeyPath, report: &mut Report) -> Option<usize> {
    let names: Vec<&str> = config.body.iter().map(|body| body.name.as_deref().unwrap_or_default()).collect();
    let Some(wanted) = &raw.body else {
        let is_alone = names.len() == 1;
        report.check(is_alone, at.join("body"), format!("missing: the scene has {} bodies", names.len()));
        return is_alone.then_some(0);
    };
    let found = names.iter().position(|name| name == wanted);
    if found.is_none() {
        report.value(
            at.join("body"),
            format!("there is no body '{wanted}'"),
            suggestion(wanted, "names", &names),
        );
    }
    found
}
