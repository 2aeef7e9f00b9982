//! One `[[body.pin]]`: its vertices, how they are held, and how they move.

use super::super::path::KeyPath;
use super::super::problem::Report;
use super::super::raw;
use super::{force, sequence, unit};
use crate::scene;
use elements::math::track::{Key, Track};

/// Validates a pin that stands at `at`, in a run that ends at the time `end`.
pub fn resolve(pin: &raw::Pin, at: KeyPath, end: f64, report: &mut Report) -> Option<scene::Pin> {
    let select = wanted_selection(&pin.select, &at, report);
    let kind = match &pin.kind {
        Some(raw::PinKind::Soft(raw::Stiffness::Number(stiffness))) => {
            report.check(*stiffness > 0.0, at.extend("kind.soft"), "must be above 0");
            scene::PinKind::Soft(*stiffness)
        }
        Some(raw::PinKind::Soft(raw::Stiffness::Painted(painted))) => {
            let scale = painted.scale.unwrap_or(1.0);
            report.check(scale > 0.0, at.extend("kind.soft.scale"), "must be above 0");
            scene::PinKind::Painted { array: painted.array.clone(), scale }
        }
        Some(raw::PinKind::Hard) | None => scene::PinKind::Hard,
    };
    let motion = match &pin.motion {
        Some(motion) => Some(self::motion(motion, &at.join("motion"), end, report)?),
        None => None,
    };
    let active = pin.active.as_ref().and_then(|active| period(active, &at.join("active"), end, report));
    Some(scene::Pin { select: select?, kind, motion, active })
}

/// Validates when a pin holds, in a run that ends at the time `end`; `None` if that is always.
fn period(active: &raw::Period, at: &KeyPath, end: f64, report: &mut Report) -> Option<scene::Period> {
    let (from, until) = (active.from.unwrap_or(0.0), active.until.unwrap_or(f64::INFINITY));
    let period = scene::Period { from, until };
    if let Some((key, reason)) = period.refusal() {
        report.value(at.join(key), reason, "");
    }
    if from >= end && end > 0.0 {
        report.warnings.push(format!("{at} starts at {from} s, but the run ends at {end} s"));
    }
    (!period.is_always()).then_some(period)
}

/// Validates the key `select` of the table at `at`, which is required.
pub fn wanted_selection(
    select: &Option<raw::Select>,
    at: &KeyPath,
    report: &mut Report,
) -> Option<scene::Selection> {
    if select.is_none() {
        let hint =
            "valid kinds: \"all\", or a table with one of box, sphere, plane, ids, group, array, nearest";
        report.value(at.join("select"), "missing", hint);
    }
    select.as_ref().map(|select| selection(select, &at.join("select"), report))
}

/// Validates a selection that stands at `at`.
pub fn selection(select: &raw::Select, at: &KeyPath, report: &mut Report) -> scene::Selection {
    match select {
        raw::Select::All => scene::Selection::All,
        raw::Select::Box(within) => {
            let ordered = (0..3).all(|i| within.min[i] <= within.max[i]);
            report.check(ordered, at.extend("box.max"), "must not be below min");
            scene::Selection::Box { min: within.min, max: within.max }
        }
        raw::Select::Sphere(sphere) => {
            report.check(sphere.radius > 0.0, at.extend("sphere.radius"), "must be above 0");
            scene::Selection::Sphere { center: sphere.center, radius: sphere.radius }
        }
        raw::Select::Plane(plane) => {
            unit(plane.normal, at.extend("plane.normal"), report);
            scene::Selection::Plane { point: plane.point, normal: plane.normal }
        }
        raw::Select::Ids(ids) => {
            report.check(!ids.is_empty(), at.join("ids"), "selects nothing");
            scene::Selection::Ids(ids.clone())
        }
        raw::Select::Group(name) => scene::Selection::Group(name.clone()),
        raw::Select::Array(array) => scene::Selection::Array { name: array.name.clone(), above: array.above },
        raw::Select::Nearest(nearest) => {
            let count = nearest.count.unwrap_or(1);
            report.check(count >= 1, at.extend("nearest.count"), "must be at least 1");
            scene::Selection::Nearest {
                point: nearest.point,
                count: usize::try_from(count).unwrap_or(usize::MAX),
            }
        }
    }
}

/// Validates a motion that stands at `at`, in a run that ends at the time `end`.
pub fn motion(motion: &raw::Motion, at: &KeyPath, end: f64, report: &mut Report) -> Option<scene::Motion> {
    let from = motion.from.unwrap_or(0.0);
    let until = motion.until.unwrap_or(f64::INFINITY);
    report.check(from >= 0.0, at.join("from"), "must not be negative");
    report.check(until > from, at.join("until"), format!("must be after from = {from}"));
    if from >= end && end > 0.0 {
        report.warnings.push(format!("{at} starts at {from} s, but the run ends at {end} s"));
    }
    Some(scene::Motion { path: path(motion, at, report)?, from, until })
}

fn path(motion: &raw::Motion, at: &KeyPath, report: &mut Report) -> Option<scene::Path> {
    let mut given = super::given_keys(motion);
    given.retain(|key| !["from", "until", "fps"].contains(&key.as_str()));
    if motion.fps.is_some() && motion.file.is_none() {
        report.key(at.join("fps"), "has no effect without file", "leave it out");
    }
    if given.len() != 1 {
        let found = if given.is_empty() { "none".to_owned() } else { given.join(" and ") };
        let hint = "valid kinds: rotate, translate, keyframes, shake, file";
        report.value(at.clone(), format!("wants exactly one kind, found {found}"), hint);
        return None;
    }
    if let Some(file) = &motion.file {
        return sequence::of_pin(file, motion.fps, at, report);
    }
    if let Some(velocity) = motion.translate {
        return Some(scene::Path::Translate(velocity));
    }
    if let Some(rotate) = &motion.rotate {
        return Some(scene::Path::Rotate {
            axis: unit(rotate.axis, at.extend("rotate.axis"), report),
            origin: rotate.origin.unwrap_or_default(),
            rate: rotate.degrees_per_second.to_radians(),
        });
    }
    if let Some(shake) = &motion.shake {
        report.check(shake.frequency > 0.0, at.extend("shake.frequency"), "must be above 0");
        return Some(scene::Path::Shake { amplitude: shake.amplitude, frequency: shake.frequency });
    }
    motion.keyframes.as_ref().map(|frames| keyframes(frames, &at.join("keyframes"), report))
}

fn keyframes(frames: &raw::Keyframes, at: &KeyPath, report: &mut Report) -> scene::Path {
    let times: Vec<f64> = frames.keys.iter().map(|key| key.time).collect();
    force::check_times(&times, &at.join("keys"), report);
    let turns = frames.keys.iter().any(|key| key.degrees.is_some_and(|degrees| degrees != 0.0));
    let axis = match frames.axis {
        Some(axis) => unit(axis, at.join("axis"), report),
        None => {
            report.check(!turns, at.join("axis"), "missing: the keys have degrees");
            [0.0, 0.0, 1.0]
        }
    };
    let offset = |key: &raw::Keyframe| Key { time: key.time, value: key.translate.unwrap_or_default() };
    let angle =
        |key: &raw::Keyframe| Key { time: key.time, value: [key.degrees.unwrap_or(0.0).to_radians()] };
    scene::Path::Keyframes {
        axis,
        origin: frames.origin.unwrap_or_default(),
        translate: Track::new(frames.keys.iter().map(offset).collect()),
        radians: Track::new(frames.keys.iter().map(angle).collect()),
    }
}
