//! One `[[body]]`: its defaults, mesh, material, placement, initial state.

use std::path::PathBuf;

use super::super::path::KeyPath;
use super::super::problem::Report;
use super::super::raw;
use super::defaults::{Context, fill_pin, fill_selection, make_absolute};
use super::{contact, control, elastic, force, material, names, pin, preset, shape, unit};
use crate::meshing::{Join, METHODS, Size};
use crate::scene;

/// The default of `deform.collapse.jitter`. Of some materials no force leads out of a single point (see `model::build`).
const JITTER: f64 = 0.01;

/// Validates a body that stands at `at`, in a run that ends at the time `end`.
pub fn resolve(body: &raw::Body, at: KeyPath, end: f64, report: &mut Report) -> Option<scene::Body> {
    let mesh = mesh(body, &at, report);
    let surfaces = surfaces(body, &at, report);
    let density = material::positive(body.density.as_ref(), &at.join("density"), report);
    let thickness = material::positive(body.thickness.as_ref(), &at.join("thickness"), report);
    let radius = body.radius.unwrap_or(1.0);
    report.check(radius > 0.0, at.join("radius"), "must be above 0");
    let line = elastic::line(body, &at, report);
    if body.material.is_empty() && body.springs.is_none() && body.line.is_none() {
        let example = "such as material = { model = \"neo-hookean\", young = 1e6, poisson = 0.45 }; \
                       a mesh of edges has line = { } instead";
        report.value(at.join("material"), "missing", example);
    }
    let materials = material::parts(&body.material, &at.join("material"), report);
    let transform = transform(&body.transform, &at.join("transform"), report);
    let deform = deforms(&body.deform, &at.join("deform"), report);
    let pins: Vec<_> = (body.pin.iter().enumerate())
        .map(|(i, pin)| pin::resolve(pin, at.join("pin").join(i), end, report))
        .collect();
    let loads: Vec<_> = (body.load.iter().enumerate())
        .map(|(i, load)| force::load(load, at.join("load").join(i), report))
        .collect();
    let pressure = body.pressure.as_ref();
    Some(scene::Body {
        name: body.name.clone().unwrap_or_default(),
        mesh: mesh?,
        surfaces,
        element: body.element.map(|element| match element {
            raw::Element::Linear => scene::Element::Linear,
            raw::Element::Quadratic => scene::Element::Quadratic,
        }),
        repair: body.repair.unwrap_or(false),
        density,
        thickness,
        radius,
        line,
        materials: materials?,
        springs: body.springs.as_ref().map(|s| elastic::springs(s, &at.join("springs"), report)),
        bending: body.bending.as_ref().map(|b| elastic::bending(b, &at.join("bending"), report)),
        limits: body.limits.as_ref().map(|l| elastic::limits(l, &at.join("limits"), report)),
        fibers: elastic::fibers(&body.fibers, &at.join("fibers"), report),
        damping: elastic::damping(&body.damping, &at.join("damping"), report),
        stiffness_scale: (body.stiffness_scale.as_ref())
            .map(|scale| elastic::scale(scale, &at.join("stiffness_scale"), report)),
        transform,
        velocity: scene::Velocity {
            linear: body.velocity.linear.unwrap_or_default(),
            angular: body.velocity.angular.unwrap_or_default(),
        },
        deform,
        pins: pins.into_iter().collect::<Option<_>>()?,
        loads: loads.into_iter().collect::<Option<_>>()?,
        pressure: pressure.map(|p| force::track(p, |p| [p], &at.join("pressure"), report)),
        contact: contact::of_body(&body.contact, &at.join("contact"), report),
        control: control::resolve(body, &at.join("control"), report),
        probes: vec![],
    })
}

/// Writes out the defaults of a body and makes its paths absolute.
pub fn fill(body: &mut raw::Body, index: usize, context: &Context, report: &mut Report) {
    let at = KeyPath::parse("body").join(index);
    body.name.get_or_insert_with(|| format!("body{index}"));
    fill_source(body, &at, context, report);
    body.repair.get_or_insert(false);
    preset::fill(body, &at, report);
    body.density.get_or_insert(raw::Quantity::Number(1000.0));
    body.thickness.get_or_insert(raw::Quantity::Number(0.001));
    body.radius.get_or_insert(0.005);
    fill_line(body);
    if let Some(springs) = &mut body.springs {
        springs.cross.get_or_insert(false);
    }
    if let Some(bending) = &mut body.bending {
        bending.rest.get_or_insert_default();
        bending.kind.get_or_insert_default();
    }
    body.damping.mass.get_or_insert(0.0);
    body.damping.stiffness.get_or_insert(0.0);
    fill_transform(&mut body.transform);
    body.velocity.linear.get_or_insert([0.0; 3]);
    body.velocity.angular.get_or_insert([0.0; 3]);
    fill_deform(&mut body.deform, &at, context, report);
    for (i, pin) in body.pin.iter_mut().enumerate() {
        fill_pin(pin);
        if let Some(file) = pin.motion.as_mut().and_then(|motion| motion.file.as_mut()) {
            let place = at.join("pin").join(i).extend("motion.file");
            make_absolute(file, &context.config_directory, place, report);
        }
    }
    for load in &mut body.load {
        fill_selection(&mut load.select);
    }
}

/// Where the mesh comes from, and what becomes of it.
fn fill_source(body: &mut raw::Body, at: &KeyPath, context: &Context, report: &mut Report) {
    if let Some(mesh) = &mut body.mesh {
        make_absolute(mesh, &context.config_directory, at.join("mesh"), report);
    }
    let alone = matches!(body.surface, Some(raw::Paths::One(_)));
    for (i, path) in body.surface.iter_mut().flat_map(raw::Paths::as_mut_slice).enumerate() {
        let key = at.join("surface");
        make_absolute(path, &context.config_directory, if alone { key } else { key.join(i) }, report);
    }
    if body.surface.is_some() && body.mesh.is_none() && body.generate.is_none() {
        let options = body.tetrahedralize.get_or_insert_default();
        options.method.get_or_insert_with(|| METHODS[0].name.into());
        options.repair.get_or_insert(true);
        if options.method.as_deref() == Some(METHODS[0].name) {
            options.join.get_or_insert(raw::Join::Cell(true));
        }
    }
    if let Some(generate) = &mut body.generate
        && matches!(generate.shape, Some(raw::Shape::Beam | raw::Shape::Box))
    {
        generate.split.get_or_insert(5);
    }
    let is_solid =
        |shape| matches!(shape, raw::Shape::Beam | raw::Shape::Box | raw::Shape::Sphere | raw::Shape::Torus);
    if body.generate.as_ref().and_then(|generate| generate.shape).is_some_and(is_solid) {
        body.element.get_or_insert(raw::Element::Quadratic);
    }
}

/// What deforms a body at the start.
fn fill_deform(
    deforms: &mut raw::OneOrMany<raw::Deform>,
    at: &KeyPath,
    context: &Context,
    report: &mut Report,
) {
    let alone = matches!(deforms, raw::OneOrMany::One(_));
    for (i, deform) in deforms.as_mut_slice().iter_mut().enumerate() {
        if let Some(randomize) = &mut deform.randomize {
            randomize.seed.get_or_insert(0);
            randomize.amount.get_or_insert(1.0);
        }
        if let Some(collapse) = &mut deform.collapse {
            collapse.seed.get_or_insert(0);
            collapse.jitter.get_or_insert(JITTER);
        }
        if let Some(file) = &mut deform.file {
            let place = if alone { at.join("deform") } else { at.join("deform").join(i) };
            make_absolute(file, &context.config_directory, place.join("file"), report);
        }
    }
}

/// Writes out the defaults of a placement.
pub fn fill_transform(transform: &mut raw::Transform) {
    transform.translate.get_or_insert([0.0; 3]);
    transform.scale.get_or_insert(1.0);
}

/// Young's modulus in Pa of ropes and rods. One with the density of water lengthens by 0.05 % per metre
/// under its own weight.
const LINE_YOUNG: f64 = 1e7;

/// Makes a line a rope if it was generated as one, unless `line` says otherwise.
fn fill_line(body: &mut raw::Body) {
    if body.generate.as_ref().is_some_and(|g| g.shape == Some(raw::Shape::Rope)) {
        body.line.get_or_insert_default();
    }
    if let Some(line) = &mut body.line {
        let kind = *line.kind.get_or_insert(raw::LineKind::Rope);
        if kind != raw::LineKind::Spring {
            line.young.get_or_insert(LINE_YOUNG);
        }
    }
}

/// Checks the surfaces of a body.
fn surfaces(body: &raw::Body, at: &KeyPath, report: &mut Report) -> Vec<PathBuf> {
    let Some(paths) = &body.surface else {
        let alone = body.tetrahedralize.is_none();
        report.check(alone, at.join("tetrahedralize"), "has no effect without a surface");
        return vec![];
    };
    let is_filled = body.mesh.is_none() && body.generate.is_none();
    if body.tetrahedralize.is_some() && !is_filled {
        let hint = "leave out mesh or generate, or tetrahedralize";
        report.key(at.join("tetrahedralize"), "the body has its tets already", hint);
    }
    report.check(!paths.as_slice().is_empty(), at.join("surface"), "names no file");
    for (i, path) in paths.as_slice().iter().enumerate() {
        let key = at.join("surface");
        let is_one = matches!(paths, raw::Paths::One(_));
        names::check_file(path, if is_one { key } else { key.join(i) }, report);
    }
    paths.as_slice().iter().map(PathBuf::from).collect()
}

/// How the body's surfaces are filled with tets.
fn filling(body: &raw::Body, at: &KeyPath, report: &mut Report) -> Option<scene::MeshSource> {
    let options = body.tetrahedralize.clone().unwrap_or_default();
    let name = options.method.unwrap_or_default();
    let method = METHODS.iter().find(|m| m.name == name);
    if method.is_none() {
        let known: Vec<&str> = METHODS.iter().map(|m| m.name).collect();
        report.value(
            at.join("method"),
            format!("unknown method '{name}'"),
            format!("known: {}", known.join(", ")),
        );
    }
    let size = match (options.cells, options.max_volume) {
        (Some(_), Some(_)) => {
            report.key(at.join("max_volume"), "cells is given already", "give either of them");
            return None;
        }
        (Some(cells), None) => {
            report.check(cells > 0, at.join("cells"), "must be at least 1");
            Size::Cells(cells)
        }
        (None, Some(volume)) => {
            let is_fine = volume > 0.0 && volume.is_finite();
            report.check(is_fine, at.join("max_volume"), format!("must be above 0, not {volume}"));
            Size::MaxVolume(volume)
        }
        (None, None) => Size::Automatic,
    };
    if options.join.is_some() && method.is_some_and(|method| *method != METHODS[0]) {
        let what = format!("the method '{name}' keeps the surface as it is");
        report.key(at.join("join"), what, "only \"lattice\" joins parts");
    }
    let join = match options.join {
        None | Some(raw::Join::Cell(true)) => Join::Cell,
        Some(raw::Join::Cell(false)) => Join::Never,
        Some(raw::Join::Within(distance)) => {
            let is_fine = distance > 0.0 && distance.is_finite();
            report.check(is_fine, at.join("join"), format!("must be above 0, not {distance}"));
            Join::Within(distance)
        }
    };
    let repair = options.repair.unwrap_or(true);
    Some(scene::MeshSource::Surface { method: method?, size, join, repair })
}

fn mesh(body: &raw::Body, at: &KeyPath, report: &mut Report) -> Option<scene::MeshSource> {
    match (&body.mesh, &body.generate) {
        (Some(path), None) => {
            names::check_file(path, at.join("mesh"), report);
            Some(scene::MeshSource::File(path.into()))
        }
        (None, Some(generate)) => {
            shape(generate, &at.join("generate"), report).map(scene::MeshSource::Generate)
        }
        (None, None) if body.surface.is_some() => filling(body, &at.join("tetrahedralize"), report),
        (Some(_), Some(_)) => {
            report.key(
                at.join("generate"),
                "the body has a mesh file already",
                "give either mesh or generate",
            );
            None
        }
        (None, None) => {
            let hint = "give mesh = \"file\", surface = \"file\" or generate = { shape = … }";
            report.value(at.join("mesh"), "missing", hint);
            None
        }
    }
}

/// Validates a placement that stands at `at`.
pub fn transform(transform: &raw::Transform, at: &KeyPath, report: &mut Report) -> scene::Transform {
    let scale = transform.scale.unwrap_or(1.0);
    report.check(scale > 0.0, at.join("scale"), "must be above 0");
    let rotate = match &transform.rotate {
        Some(rotate) => (unit(rotate.axis, at.extend("rotate.axis"), report), rotate.degrees.to_radians()),
        None => ([0.0, 0.0, 1.0], 0.0),
    };
    scene::Transform { translate: transform.translate.unwrap_or_default(), rotate, scale }
}

fn deforms(deforms: &raw::OneOrMany<raw::Deform>, at: &KeyPath, report: &mut Report) -> Vec<scene::Deform> {
    let place = |i: usize| match deforms {
        raw::OneOrMany::One(_) => at.clone(),
        raw::OneOrMany::Many(_) => at.join(i),
    };
    let resolved = deforms.as_slice().iter().enumerate().map(|(i, one)| deform(one, place(i), report));
    resolved.flatten().collect()
}

fn deform(deform: &raw::Deform, at: KeyPath, report: &mut Report) -> Option<scene::Deform> {
    let given = super::given_keys(deform);
    if given.len() != 1 {
        let found = if given.is_empty() { "none".to_owned() } else { given.join(" and ") };
        let hint = "several are written as an array of tables, applied in order";
        report.value(at, format!("wants exactly one kind, found {found}"), hint);
        return None;
    }
    let axis = |axis: raw::Axis| axis as scene::Axis;
    if let Some(factors) = deform.stretch {
        return Some(scene::Deform::Stretch(factors));
    }
    if let Some(twist) = &deform.twist {
        return Some(scene::Deform::Twist { axis: axis(twist.axis), radians: twist.degrees.to_radians() });
    }
    if let Some(squash) = &deform.squash {
        report.check(squash.factor > 0.0, at.extend("squash.factor"), "must be above 0");
        return Some(scene::Deform::Squash { axis: axis(squash.axis), factor: squash.factor });
    }
    if let Some(rotate) = &deform.rotate {
        let axis = unit(rotate.axis, at.extend("rotate.axis"), report);
        return Some(scene::Deform::Rotate { axis, radians: rotate.degrees.to_radians() });
    }
    if let Some(randomize) = &deform.randomize {
        let amount = randomize.amount.unwrap_or(1.0);
        report.check((0.0..=1.0).contains(&amount), at.extend("randomize.amount"), "must be from 0 to 1");
        return Some(scene::Deform::Randomize { seed: randomize.seed.unwrap_or(0), amount });
    }
    if let Some(collapse) = &deform.collapse {
        let jitter = collapse.jitter.unwrap_or(JITTER);
        report.check((0.0..=1.0).contains(&jitter), at.extend("collapse.jitter"), "must be from 0 to 1");
        return Some(scene::Deform::Collapse { jitter, seed: collapse.seed.unwrap_or(0) });
    }
    deform.file.as_ref().map(|file| {
        names::check_file(file, at.join("file"), report);
        scene::Deform::File(file.into())
    })
}
