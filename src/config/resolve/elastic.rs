//! Properties of a body besides its material: springs, bending, strain limits, fibres, damping.

use super::super::path::KeyPath;
use super::super::problem::Report;
use super::super::raw;
use super::material::positive;
use super::{force, unit};
use crate::scene;
use elements::math::track::Track;

/// Springs of a sheet.
pub fn springs(springs: &raw::Springs, at: &KeyPath, report: &mut Report) -> scene::Springs {
    let stiffness = positive(Some(&springs.stiffness), &at.join("stiffness"), report);
    scene::Springs { stiffness, cross: springs.cross.unwrap_or(false) }
}

/// The resistance of a sheet to bending.
pub fn bending(bending: &raw::Bending, at: &KeyPath, report: &mut Report) -> scene::Bending {
    let stiffness = positive(Some(&bending.stiffness), &at.join("stiffness"), report);
    let flat = bending.rest.unwrap_or_default() == raw::BendingRest::Flat;
    let kind = match bending.kind.unwrap_or_default() {
        raw::BendingKind::Plate => scene::BendingKind::Plate,
        raw::BendingKind::Hinge => scene::BendingKind::Hinge,
    };
    scene::Bending { stiffness, kind, flat }
}

/// Bounds on stretches.
pub fn limits(limits: &raw::Limits, at: &KeyPath, report: &mut Report) -> scene::Limits {
    let stiffness = positive(Some(&limits.stiffness), &at.join("stiffness"), report);
    let mut interval = |key: &str, given: Option<[f64; 2]>| {
        given.inspect(|[low, high]| {
            let good = *low >= 0.0 && *low <= 1.0 && *high >= 1.0;
            report.check(good, at.join(key), "must be two stretches, one from 0 to 1, one of at least 1");
        })
    };
    let (stretch, warp, weft) =
        (interval("stretch", limits.stretch), interval("warp", limits.warp), interval("weft", limits.weft));
    let any = stretch.or(warp).or(weft).is_some();
    report.check(any, at.clone(), "wants at least one of stretch, warp, weft");
    let direction = limits.direction.as_ref().map(|d| directions(d, &at.join("direction"), report));
    scene::Limits { stretch, warp, weft, direction, stiffness }
}

/// Families of fibres.
pub fn fibers(fibers: &[raw::Fiber], at: &KeyPath, report: &mut Report) -> Vec<scene::Fiber> {
    let resolve = |(i, fiber): (usize, &raw::Fiber)| {
        let at = at.join(i);
        let stiffness = positive(Some(&fiber.stiffness), &at.join("stiffness"), report);
        scene::Fiber { direction: directions(&fiber.direction, &at.join("direction"), report), stiffness }
    };
    fibers.iter().enumerate().map(resolve).collect()
}

fn directions(raw: &raw::Directions, at: &KeyPath, report: &mut Report) -> scene::Directions {
    let varying = match raw {
        raw::Directions::Constant(direction) => {
            return scene::Directions::Constant(unit(*direction, at.clone(), report));
        }
        raw::Directions::Varying(varying) => varying,
    };
    match (&varying.array, &varying.radial) {
        (Some(name), None) => scene::Directions::Array(name.clone()),
        (None, Some(radial)) => scene::Directions::Radial {
            center: radial.center.unwrap_or_default(),
            axis: radial.axis.map(|axis| unit(axis, at.extend("radial.axis"), report)),
        },
        _ => {
            report.value(at.clone(), "wants exactly one of array and radial", "");
            scene::Directions::Constant([1.0, 0.0, 0.0])
        }
    }
}

/// Rayleigh damping.
pub fn damping(damping: &raw::Damping, at: &KeyPath, report: &mut Report) -> scene::Damping {
    let mut coefficient = |key: &str, given: Option<f64>| {
        let value = given.unwrap_or(0.0);
        report.check(value >= 0.0, at.join(key), "must not be negative");
        value
    };
    scene::Damping {
        mass: coefficient("mass", damping.mass),
        stiffness: coefficient("stiffness", damping.stiffness),
    }
}

/// The properties of the edges of a line; refuses keys that only solids and sheets have.
pub fn line(body: &raw::Body, at: &KeyPath, report: &mut Report) -> Option<scene::Line> {
    let line = body.line.as_ref()?;
    let others = [
        ("material", !body.material.is_empty()),
        ("springs", body.springs.is_some()),
        ("bending", body.bending.is_some()),
        ("limits", body.limits.is_some()),
        ("fibers", !body.fibers.is_empty()),
    ];
    for (key, _) in others.iter().filter(|(_, given)| *given) {
        let hint = "its stiffness is line = { young = … }; remove the one or the other";
        report.key(at.join(key), "a body with 'line' or a generated rope does not take this key", hint);
    }
    let at = at.join("line");
    let kind = match line.kind.unwrap_or(raw::LineKind::Rope) {
        raw::LineKind::Rope => scene::LineKind::Rope,
        raw::LineKind::Rod => scene::LineKind::Rod,
        raw::LineKind::Spring => scene::LineKind::Spring,
    };
    if line.young.is_none() {
        report.value(at.join("young"), "missing", "Young's modulus of the spring in Pa, such as young = 1e6");
    }
    let young = line.young.unwrap_or(1.0);
    report.check(young > 0.0, at.join("young"), "must be above 0");
    Some(scene::Line { kind, young })
}

/// A factor over time that must be above 0.
pub fn scale(scale: &raw::Animated<f64>, at: &KeyPath, report: &mut Report) -> Track<1> {
    match scale {
        raw::Animated::Constant(value) => report.check(*value > 0.0, at.clone(), "must be above 0"),
        raw::Animated::Keys(keys) => {
            for (i, key) in keys.keys.iter().enumerate() {
                report.check(key.value > 0.0, at.join("keys").join(i).join("value"), "must be above 0");
            }
        }
    }
    force::track(scale, |value| [value], at, report)
}
