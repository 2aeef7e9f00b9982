//! `[contact]`, `[[obstacle]]` and `contact` of a body: defaults, ranges, names.

use super::super::path::KeyPath;
use super::super::problem::Report;
use super::super::raw;
use super::body::{fill_transform, transform};
use super::defaults::{Context, fill_motion, make_absolute};
use super::{names, pin, sequence};
use crate::scene;

/// Writes out the defaults of `[contact]`, which is there if anything can touch an obstacle.
pub fn fill(config: &mut raw::Config, context: &Context, report: &mut Report) {
    if !config.obstacle.is_empty() {
        config.contact.get_or_insert_default();
    }
    if let Some(contact) = &mut config.contact {
        contact.friction.get_or_insert(0.0);
        contact.own.get_or_insert(true);
        contact.bodies.get_or_insert(true);
        contact.start.get_or_insert_default();
        contact.response.get_or_insert_default();
        for pair in &mut contact.pairs {
            pair.contact.get_or_insert(true);
        }
    }
    for (i, obstacle) in config.obstacle.iter_mut().enumerate() {
        obstacle.name.get_or_insert_with(|| format!("obstacle{i}"));
        if let Some(raw::ObstacleShape::Mesh(path)) = &mut obstacle.shape {
            let at = KeyPath::parse("obstacle").join(i).extend("shape.mesh");
            make_absolute(path, &context.config_directory, at, report);
        }
        if let Some(sequence) = &mut obstacle.sequence {
            let at = KeyPath::parse("obstacle").join(i).extend("sequence.files");
            make_absolute(&mut sequence.files, &context.config_directory, at, report);
            sequence.start.get_or_insert(0.0);
        }
        fill_transform(obstacle.transform.get_or_insert_default());
        if let Some(motion) = &mut obstacle.motion {
            fill_motion(motion);
        }
    }
}

/// Validates the obstacles, in a run that ends at the time `end`; `None` if one has no shape or no motion.
pub fn obstacles(config: &raw::Config, end: f64, report: &mut Report) -> Option<Vec<scene::Obstacle>> {
    let resolved: Vec<_> = (config.obstacle.iter().enumerate())
        .map(|(i, obstacle)| self::obstacle(obstacle, &KeyPath::parse("obstacle").join(i), end, report))
        .collect();
    resolved.into_iter().collect()
}

fn obstacle(
    obstacle: &raw::Obstacle,
    at: &KeyPath,
    end: f64,
    report: &mut Report,
) -> Option<scene::Obstacle> {
    if obstacle.shape.is_none() && obstacle.sequence.is_none() {
        let hint = "such as shape = { plane = { point = [0, 0, 0], normal = [0, 1, 0] } }; valid kinds: plane, sphere, \
                    capsule, box, cylinder, torus, mesh";
        report.value(at.join("shape"), "missing", hint);
    }
    let motion = match (&obstacle.sequence, &obstacle.motion) {
        (Some(sequence), _) => Some(sequence::of_obstacle(obstacle, sequence, at, end, report)),
        (None, Some(motion)) => Some(motion_of(motion, &at.join("motion"), end, report)),
        (None, None) => None,
    };
    let placed = obstacle.transform.clone().unwrap_or_default();
    let placed = transform(&placed, &at.join("transform"), report);
    let given = obstacle.shape.as_ref().map(|shape| self::shape(shape, at, report));
    let motion = match motion {
        Some(motion) => Some(motion?),
        None => None,
    };
    let first = motion.as_ref().and_then(|motion| motion.sequence()?.files.first());
    let shape = given.or(first.map(|file| scene::ObstacleShape::Mesh(file.clone().into())));
    let resolved = scene::Obstacle {
        name: obstacle.name.clone().unwrap_or_default(),
        shape: shape?,
        transform: placed,
        motion,
        friction: obstacle.friction,
    };
    // What is wrong with the transform has been reported.
    let refusals = resolved.refusals().into_iter().filter(|(key, _)| !key.starts_with("transform"));
    refusals.for_each(|(key, reason)| report.value(at.extend(key), reason, ""));
    Some(resolved)
}

/// The motion of an obstacle, which is that of a pin but for files.
fn motion_of(motion: &raw::Motion, at: &KeyPath, end: f64, report: &mut Report) -> Option<scene::Motion> {
    if motion.file.is_some() {
        let hint = "such as sequence = { files = \"walk_####.obj\", fps = 24 }";
        report.key(at.join("file"), "an obstacle follows files by the key 'sequence' beside 'motion'", hint);
        return None;
    }
    pin::motion(motion, at, end, report)
}

fn shape(shape: &raw::ObstacleShape, at: &KeyPath, report: &mut Report) -> scene::ObstacleShape {
    match shape.clone() {
        raw::ObstacleShape::Plane(raw::Plane { point, normal }) => {
            scene::ObstacleShape::Plane { point, normal }
        }
        raw::ObstacleShape::Sphere(raw::Sphere { center, radius }) => {
            scene::ObstacleShape::Sphere { center, radius }
        }
        raw::ObstacleShape::Capsule(raw::Capsule { from, to, radius }) => {
            scene::ObstacleShape::Capsule { from, to, radius }
        }
        raw::ObstacleShape::Box(raw::Block { min, max }) => scene::ObstacleShape::Box { min, max },
        raw::ObstacleShape::Cylinder(raw::Capsule { from, to, radius }) => {
            scene::ObstacleShape::Cylinder { from, to, radius }
        }
        raw::ObstacleShape::Torus(raw::Torus { center, axis, major, minor }) => {
            scene::ObstacleShape::Torus { center, axis, major, minor }
        }
        raw::ObstacleShape::Mesh(path) => {
            names::check_file(&path, at.extend("shape.mesh"), report);
            scene::ObstacleShape::Mesh(scene::MeshSource::File(path.into()))
        }
    }
}

/// Validates `[contact]`.
pub fn contact(config: &raw::Config, report: &mut Report) -> Option<scene::Contact> {
    let at = KeyPath::parse("contact");
    let contact = config.contact.as_ref()?;
    let pair = |pair: &raw::ContactPair| scene::ContactPair {
        between: pair.between.clone(),
        contact: pair.contact.unwrap_or(true),
        friction: pair.friction,
    };
    let resolved = scene::Contact {
        distance: contact.distance,
        stiffness: contact.stiffness,
        friction: contact.friction.unwrap_or(0.0),
        own: contact.own.unwrap_or(true),
        bodies: contact.bodies.unwrap_or(true),
        start: match contact.start.unwrap_or_default() {
            raw::ContactStart::Refuse => scene::ContactStart::Refuse,
            raw::ContactStart::Exclude => scene::ContactStart::Exclude,
        },
        response: match contact.response.unwrap_or_default() {
            raw::ContactResponse::Barrier => scene::ContactResponse::Barrier,
            raw::ContactResponse::Published => scene::ContactResponse::Published,
        },
        pairs: contact.pairs.iter().map(pair).collect(),
    };
    for (key, reason) in resolved.refusals() {
        report.value(at.join(key), reason, "");
    }
    let bodies: Vec<&str> = config.body.iter().map(|b| b.name.as_deref().unwrap_or_default()).collect();
    let obstacles: Vec<&str> =
        config.obstacle.iter().map(|o| o.name.as_deref().unwrap_or_default()).collect();
    for (i, pair) in resolved.pairs.iter().enumerate() {
        let at = at.join("pairs").join(i);
        for (key, reason) in pair.refusals() {
            report.value(at.join(key), reason, "");
        }
        if let Some((key, reason, hint)) = resolved.pair_refusal(i, &bodies, &obstacles) {
            report.value(at.extend(&key), reason, hint);
        }
    }
    Some(resolved)
}

/// Validates the key `contact` of a body, which stands at `at`.
pub fn of_body(contact: &Option<raw::BodyContact>, at: &KeyPath, report: &mut Report) -> scene::BodyContact {
    let Some(contact) = contact else { return scene::BodyContact::default() };
    let &raw::BodyContact { thickness, friction, own } = contact;
    let resolved = scene::BodyContact { thickness, friction, own };
    for (key, reason) in resolved.refusals() {
        report.value(at.join(key), reason, "");
    }
    resolved
}

/// Refuses what bodies say of their contact where nothing touches.
pub fn check_bodies(config: &raw::Config, report: &mut Report) {
    if config.contact.is_some() {
        return;
    }
    for (i, _) in config.body.iter().enumerate().filter(|(_, body)| body.contact.is_some()) {
        let at = KeyPath::parse("body").join(i).join("contact");
        let hint = "add the table [contact], or leave this key out";
        report.key(at, "has no effect without [contact] or an [[obstacle]]", hint);
    }
}
