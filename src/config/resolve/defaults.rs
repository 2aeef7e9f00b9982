//! The defaults of a config, and absolute paths, as a resolved config contains them.

use std::path::{Component, Path, PathBuf};

use super::super::path::KeyPath;
use super::super::problem::Report;
use super::super::raw;
use super::{body, contact};
use crate::solver::{find, usual};

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
    fill_solver(config);
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
        body::fill(body, i, context, report);
    }
    contact::fill(config, context, report);
}

/// Writes out when a step ends.
fn fill_solver(config: &mut raw::Config) {
    // Contact as in the papers moves vertices after an iteration, so that the gradient does not vanish.
    let response = config.contact.as_ref().and_then(|contact| contact.response);
    let is_published = response == Some(raw::ContactResponse::Published);
    let solver = &mut config.solver;
    let kind = solver.kind.get_or_insert_with(|| "quasi-newton".into());
    let measures = find(kind).is_none_or(|kind| kind.minimizes) && !is_published;
    let (iterations, tolerance) = usual(solver.iterations, solver.tolerance, measures);
    (solver.iterations, solver.tolerance) = (Some(iterations), Some(tolerance));
}

fn fill_wind(wind: &mut raw::Wind) {
    wind.velocity.get_or_insert(raw::Animated::Constant([0.0; 3]));
    wind.gusts.get_or_insert(0.0);
    wind.seed.get_or_insert(0);
    wind.gust_length.get_or_insert(1.0);
    wind.density.get_or_insert(1.2);
    wind.drag.get_or_insert(1.0);
}

pub(super) fn fill_selection(select: &mut Option<raw::Select>) {
    if let Some(raw::Select::Nearest(nearest)) = select {
        nearest.count.get_or_insert(1);
    }
}

pub(super) fn fill_pin(pin: &mut raw::Pin) {
    if let raw::PinKind::Soft(raw::Stiffness::Painted(painted)) = pin.kind.get_or_insert(raw::PinKind::Hard) {
        painted.scale.get_or_insert(1.0);
    }
    fill_selection(&mut pin.select);
    if let Some(motion) = &mut pin.motion {
        fill_motion(motion);
    }
    if let Some(active) = &mut pin.active {
        active.from.get_or_insert(0.0);
    }
}

pub(super) fn fill_motion(motion: &mut raw::Motion) {
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
pub(super) fn make_absolute(path: &mut String, base: &Path, at: KeyPath, report: &mut Report) {
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
