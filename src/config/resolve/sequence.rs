//! Files with positions over time, which obstacles and pins follow.

use std::path::Path;

use super::super::path::KeyPath;
use super::super::problem::Report;
use super::super::raw;
use super::names;
use crate::io::{numbered, point_cache};
use crate::scene;

/// The files that a name at `at` stands for; `None` if there are none, which the report has.
pub fn files(name: &str, fps: Option<f64>, at: KeyPath, report: &mut Report) -> Option<scene::Sequence> {
    let path = Path::new(name);
    // An empty path was refused when it was made absolute.
    if name.is_empty() {
        return None;
    }
    if point_cache::is_point_cache(path) {
        names::check_file(name, at.clone(), report);
    } else if !numbered::is_numbered(path) {
        let hint = "put # for the digits of the frame, such as walk_####.obj, or name a .pc2 or .mdd file";
        report.value(at, format!("{name} is neither numbered nor a point cache"), hint);
        return None;
    }
    scene::Sequence::find(path, fps).map_err(|refusal| report.value(at, refusal.reason, refusal.hint)).ok()
}

/// The files that a pin's motion at `at` follows.
pub fn of_pin(name: &str, fps: Option<f64>, at: &KeyPath, report: &mut Report) -> Option<scene::Path> {
    let sequence = files(name, fps, at.join("file"), report)?;
    for (key, reason) in sequence.refusals() {
        report.value(at.join(if key == "files" { "file" } else { key }), reason, "");
    }
    Some(scene::Path::Sequence(sequence))
}

/// The motion of an obstacle by its key `sequence`, in a run that ends at the time `end`. The obstacle stands at `at`; what is
/// out of range is left to [`scene::Obstacle::refusals`].
pub fn of_obstacle(
    obstacle: &raw::Obstacle,
    sequence: &raw::Sequence,
    at: &KeyPath,
    end: f64,
    report: &mut Report,
) -> Option<scene::Motion> {
    if obstacle.motion.is_some() {
        let reason = "the obstacle has a sequence, which moves it already";
        report.key(at.join("motion"), reason, "give either motion or sequence");
    }
    let is_cache = point_cache::is_point_cache(Path::new(&sequence.files));
    if is_cache && obstacle.shape.is_none() {
        let hint = "give the mesh that the cache was written for, such as shape = { mesh = \"body.obj\" }";
        report.value(at.join("shape"), "missing: a point cache has no triangles", hint);
    } else if !is_cache && obstacle.shape.is_some() {
        report.key(at.join("shape"), "the files of the sequence are its shape", "leave it out");
    }
    let from = sequence.start.unwrap_or(0.0);
    if from >= end && end > 0.0 {
        report.warnings.push(format!("{at}.sequence starts at {from} s, but the run ends at {end} s"));
    }
    let found = files(&sequence.files, sequence.fps, at.extend("sequence.files"), report)?;
    Some(scene::Motion { path: scene::Path::Sequence(found), from, until: f64::INFINITY })
}
