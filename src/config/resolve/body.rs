//! One `[[body]]`: mesh, material, placement, initial state.

use super::super::path::KeyPath;
use super::super::problem::{Report, suggestion};
use super::super::{raw, resolved};
use super::{names, pin, refuse_keys, shape, unit};
use crate::energy::material::{self, MODELS, Material, Parameters};

/// Validates a body that stands at `at`, in a run that ends at the time `end`.
pub fn resolve(body: &raw::Body, at: KeyPath, end: f64, report: &mut Report) -> Option<resolved::Body> {
    let mesh = mesh(body, &at, report);
    let density = body.density.unwrap_or(1.0);
    report.check(density > 0.0, at.join("density"), "must be above 0");
    let thickness = body.thickness.unwrap_or(1.0);
    report.check(thickness > 0.0, at.join("thickness"), "must be above 0");
    let radius = body.radius.unwrap_or(1.0);
    report.check(radius > 0.0, at.join("radius"), "must be above 0");
    let line = line(body, &at, report);
    let material = match &body.material {
        Some(material) => self::material(material, &at.join("material"), report).map(Some),
        None if body.springs.is_some() || body.line.is_some() => Some(None),
        None => {
            let example = "such as material = { model = \"neo-hookean\", young = 1e6, poisson = 0.45 }; \
                           a mesh of edges has line = { } instead";
            report.value(at.join("material"), "missing", example);
            None
        }
    };
    let transform = transform(&body.transform, &at.join("transform"), report);
    let deform = deforms(&body.deform, &at.join("deform"), report);
    let pins: Vec<_> = (body.pin.iter().enumerate())
        .map(|(i, pin)| pin::resolve(pin, at.join("pin").join(i), end, report))
        .collect();
    Some(resolved::Body {
        name: body.name.clone().unwrap_or_default(),
        mesh: mesh?,
        repair: body.repair.unwrap_or(false),
        density,
        thickness,
        radius,
        material: material?,
        springs: body.springs.as_ref().map(|springs| self::springs(springs, &at.join("springs"), report)),
        line,
        fibers: fibers(&body.fibers, &at.join("fibers"), report),
        transform,
        velocity: resolved::Velocity {
            linear: body.velocity.linear.unwrap_or_default(),
            angular: body.velocity.angular.unwrap_or_default(),
        },
        deform,
        pins: pins.into_iter().collect::<Option<_>>()?,
    })
}

fn springs(springs: &raw::Springs, at: &KeyPath, report: &mut Report) -> resolved::Springs {
    report.check(springs.stiffness > 0.0, at.join("stiffness"), "must be above 0");
    resolved::Springs { stiffness: springs.stiffness, cross: springs.cross.unwrap_or(false) }
}

/// What the edges of a line do; refuses what only solids and sheets have beside it.
fn line(body: &raw::Body, at: &KeyPath, report: &mut Report) -> Option<resolved::Line> {
    let line = body.line.as_ref()?;
    let others = [
        ("material", body.material.is_some()),
        ("springs", body.springs.is_some()),
        ("fibers", !body.fibers.is_empty()),
    ];
    for (key, _) in others.iter().filter(|(_, given)| *given) {
        let hint = "its stiffness is line = { young = … }; remove the one or the other";
        report.key(at.join(key), "a body with 'line' or a generated rope does not take this key", hint);
    }
    let at = at.join("line");
    let kind = match line.kind.unwrap_or(raw::LineKind::Rope) {
        raw::LineKind::Rope => resolved::LineKind::Rope,
        raw::LineKind::Rod => resolved::LineKind::Rod,
        raw::LineKind::Spring => resolved::LineKind::Spring,
    };
    if line.young.is_none() {
        report.value(at.join("young"), "missing", "Young's modulus of the spring in Pa, such as young = 1e6");
    }
    let young = line.young.unwrap_or(1.0);
    report.check(young > 0.0, at.join("young"), "must be above 0");
    Some(resolved::Line { kind, young })
}

fn fibers(fibers: &[raw::Fiber], at: &KeyPath, report: &mut Report) -> Vec<resolved::Fiber> {
    let resolve = |(i, fiber): (usize, &raw::Fiber)| {
        let at = at.join(i);
        report.check(fiber.stiffness > 0.0, at.join("stiffness"), "must be above 0");
        let direction = unit(fiber.direction, at.join("direction"), report);
        resolved::Fiber { direction, stiffness: fiber.stiffness }
    };
    fibers.iter().enumerate().map(resolve).collect()
}

fn mesh(body: &raw::Body, at: &KeyPath, report: &mut Report) -> Option<resolved::MeshSource> {
    match (&body.mesh, &body.generate) {
        (Some(path), None) => {
            names::check_file(path, at.join("mesh"), report);
            Some(resolved::MeshSource::File(path.into()))
        }
        (None, Some(generate)) => {
            shape(generate, &at.join("generate"), report).map(resolved::MeshSource::Generate)
        }
        (Some(_), Some(_)) => {
            report.key(
                at.join("generate"),
                "the body has a mesh file already",
                "give either mesh or generate",
            );
            None
        }
        (None, None) => {
            let hint = "give mesh = \"file\" or generate = { shape = … }";
            report.value(at.join("mesh"), "missing", hint);
            None
        }
    }
}

fn material(raw: &raw::Material, at: &KeyPath, report: &mut Report) -> Option<Material> {
    let names: Vec<&str> = MODELS.iter().map(|model| model.name).collect();
    let Some(name) = &raw.model else {
        report.value(at.join("model"), "missing", format!("valid models: {}", names.join(", ")));
        return None;
    };
    let Some(model) = MODELS.iter().find(|model| model.name == name) else {
        let hint = suggestion(name, "models", &names);
        report.value(at.join("model"), format!("unknown material '{name}'"), hint);
        return None;
    };
    let taken: Vec<&str> = std::iter::once("model").chain(model.keys.iter().copied()).collect();
    if !refuse_keys(raw, &taken, at, &format!("material '{name}'"), report) {
        return None;
    }
    let inversion = raw.inversion.map(|inversion| match inversion {
        raw::Inversion::Barrier => material::Inversion::Barrier,
        raw::Inversion::Extend => material::Inversion::Extend,
    });
    let parameters = Parameters {
        young: raw.young,
        poisson: raw.poisson,
        mu: raw.mu,
        lambda: raw.lambda,
        k: raw.k,
        c1: raw.c1,
        c2: raw.c2,
        a: raw.a.clone(),
        b: raw.b.clone(),
        c: raw.c.clone(),
        inversion,
        fit_interval: raw.fit_interval,
        sheet: false,
    };
    Material::new(name, parameters)
        .map_err(|fault| report.value(at.extend(&fault.key), fault.reason, ""))
        .ok()
}

fn transform(transform: &raw::Transform, at: &KeyPath, report: &mut Report) -> resolved::Transform {
    let scale = transform.scale.unwrap_or(1.0);
    report.check(scale > 0.0, at.join("scale"), "must be above 0");
    let rotate = match &transform.rotate {
        Some(rotate) => (unit(rotate.axis, at.extend("rotate.axis"), report), rotate.degrees.to_radians()),
        None => ([0.0, 0.0, 1.0], 0.0),
    };
    resolved::Transform { translate: transform.translate.unwrap_or_default(), rotate, scale }
}

fn deforms(
    deforms: &raw::OneOrMany<raw::Deform>,
    at: &KeyPath,
    report: &mut Report,
) -> Vec<resolved::Deform> {
    let place = |i: usize| match deforms {
        raw::OneOrMany::One(_) => at.clone(),
        raw::OneOrMany::Many(_) => at.join(i),
    };
    let resolved = deforms.as_slice().iter().enumerate().map(|(i, one)| deform(one, place(i), report));
    resolved.flatten().collect()
}

fn deform(deform: &raw::Deform, at: KeyPath, report: &mut Report) -> Option<resolved::Deform> {
    let given = super::given_keys(deform);
    if given.len() != 1 {
        let found = if given.is_empty() { "none".to_owned() } else { given.join(" and ") };
        let hint = "several are written as an array of tables, applied in order";
        report.value(at, format!("wants exactly one kind, found {found}"), hint);
        return None;
    }
    let axis = |axis: raw::Axis| axis as resolved::Axis;
    if let Some(factors) = deform.stretch {
        return Some(resolved::Deform::Stretch(factors));
    }
    if let Some(twist) = &deform.twist {
        return Some(resolved::Deform::Twist { axis: axis(twist.axis), radians: twist.degrees.to_radians() });
    }
    if let Some(squash) = &deform.squash {
        report.check(squash.factor > 0.0, at.extend("squash.factor"), "must be above 0");
        return Some(resolved::Deform::Squash { axis: axis(squash.axis), factor: squash.factor });
    }
    if let Some(randomize) = &deform.randomize {
        let amount = randomize.amount.unwrap_or(1.0);
        report.check((0.0..=1.0).contains(&amount), at.extend("randomize.amount"), "must be from 0 to 1");
        return Some(resolved::Deform::Randomize { seed: randomize.seed.unwrap_or(0), amount });
    }
    if let Some(collapse) = &deform.collapse {
        let jitter = collapse.jitter.unwrap_or(0.0);
        report.check((0.0..=1.0).contains(&jitter), at.extend("collapse.jitter"), "must be from 0 to 1");
        return Some(resolved::Deform::Collapse { jitter, seed: collapse.seed.unwrap_or(0) });
    }
    deform.file.as_ref().map(|file| {
        names::check_file(file, at.join("file"), report);
        resolved::Deform::File(file.into())
    })
}
