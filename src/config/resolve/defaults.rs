//! The defaults of a config, and absolute paths, as a resolved config contains them.

use std::path::{Component, Path, PathBuf};

use super::super::path::KeyPath;
use super::super::problem::Report;
use super::super::raw;
use crate::meshing::METHODS;

/// The place of a config, and the directory in which the program runs.
#[derive(Clone, Debug)]
pub struct Context {
    /// The absolute path of the config file's directory, to which paths in the config are relative.
    pub config_directory: PathBuf,
    /// The working directory, in which the default output directory is.
    pub working_directory: PathBuf,
    /// The config file's name without extension, which is the default name.
    pub stem: String,
}

/// Writes out every default and makes every path absolute.
pub fn fill(config: &mut raw::Config, context: &Context, report: &mut Report) {
    let name = config.name.get_or_insert_with(|| context.stem.clone()).clone();
    let time = &mut config.time;
    time.step.get_or_insert_with(|| raw::Step::Fraction("1/30".into()));
    time.frames.get_or_insert(120);
    time.substeps.get_or_insert(1);
    time.integrator.get_or_insert_default();
    let solver = &mut config.solver;
    solver.kind.get_or_insert_with(|| "quasi-newton".into());
    solver.iterations.get_or_insert(10);
    solver.tolerance.get_or_insert(0.0);
    config.world.gravity.get_or_insert(raw::Animated::Constant([0.0, -9.81, 0.0]));
    if let Some(wind) = &mut config.world.wind {
        fill_wind(wind);
    }
    let output = &mut config.output;
    match &mut output.dir {
        Some(dir) => make_absolute(dir, &context.config_directory, KeyPath::parse("output.dir"), report),
        none => {
            let mut dir = format!("outputs/{name}");
            make_absolute(&mut dir, &context.working_directory, KeyPath::parse("output.dir"), report);
            *none = Some(dir);
        }
    }
    output.formats.get_or_insert_with(|| vec![raw::Format::Vtu, raw::Format::Ply]);
    output.every.get_or_insert(1);
    output.float32.get_or_insert(false);
    output.compression.get_or_insert(raw::Compression::None);
    output.normals.get_or_insert(false);
    output.start_frame.get_or_insert(1);
    for (i, body) in config.body.iter_mut().enumerate() {
        fill_body(body, i, context, report);
    }
}

fn fill_wind(wind: &mut raw::Wind) {
    wind.velocity.get_or_insert(raw::Animated::Constant([0.0; 3]));
    wind.gusts.get_or_insert(0.0);
    wind.seed.get_or_insert(0);
    wind.gust_length.get_or_insert(1.0);
    wind.density.get_or_insert(1.2);
    wind.drag.get_or_insert(1.0);
}

fn fill_body(body: &mut raw::Body, index: usize, context: &Context, report: &mut Report) {
    let at = KeyPath::parse("body").join(index);
    body.name.get_or_insert_with(|| format!("body{index}"));
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
    }
    if let Some(generate) = &mut body.generate
        && matches!(generate.shape, Some(raw::Shape::Beam | raw::Shape::Box))
    {
        generate.split.get_or_insert(5);
    }
    body.repair.get_or_insert(false);
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
    body.transform.translate.get_or_insert([0.0; 3]);
    body.transform.scale.get_or_insert(1.0);
    body.velocity.linear.get_or_insert([0.0; 3]);
    body.velocity.angular.get_or_insert([0.0; 3]);
    let alone = matches!(body.deform, raw::OneOrMany::One(_));
    for (i, deform) in body.deform.as_mut_slice().iter_mut().enumerate() {
        if let Some(randomize) = &mut deform.randomize {
            randomize.seed.get_or_insert(0);
            randomize.amount.get_or_insert(1.0);
        }
        if let Some(collapse) = &mut deform.collapse {
            collapse.seed.get_or_insert(0);
            collapse.jitter.get_or_insert(0.0);
        }
        if let Some(file) = &mut deform.file {
            let place = if alone { at.join("deform") } else { at.join("deform").join(i) };
            make_absolute(file, &context.config_directory, place.join("file"), report);
        }
    }
    for pin in &mut body.pin {
        fill_pin(pin);
    }
    for load in &mut body.load {
        fill_selection(&mut load.select);
    }
}

fn fill_selection(select: &mut Option<raw::Select>) {
    if let Some(raw::Select::Nearest(nearest)) = select {
        nearest.count.get_or_insert(1);
    }
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

fn fill_pin(pin: &mut raw::Pin) {
    pin.kind.get_or_insert(raw::PinKind::Hard);
    fill_selection(&mut pin.select);
    let Some(motion) = &mut pin.motion else { return };
    motion.from.get_or_insert(0.0);
    if let Some(rotate) = &mut motion.rotate {
        rotate.origin.get_or_insert([0.0; 3]);
    }
    if let Some(keyframes) = &mut motion.keyframes {
        keyframes.origin.get_or_insert([0.0; 3]);
        for key in &mut keyframes.keys {
            key.translate.get_or_insert([0.0; 3]);
            key.degrees.get_or_insert(0.0);
        }
    }
}

/// Replaces `path` by its absolute form without `.` and `..`.
fn make_absolute(path: &mut String, base: &Path, at: KeyPath, report: &mut Report) {
    if path.is_empty() {
        report.value(at, "must not be empty", "");
        return;
    }
    let mut absolute = PathBuf::new();
    for component in base.join(&path).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                absolute.pop();
            }
            other => absolute.push(other),
        }
    }
    match absolute.into_os_string().into_string() {
        Ok(text) => *path = text,
        Err(_) => {
            report.value(at, "leads to a path that is not UTF-8", "move the config to another directory");
        }
    }
}
