//! `[output]`: formats, bodies, frame rate.

use super::super::path::KeyPath;
use super::super::problem::Report;
use super::super::raw;
use crate::error::suggest::suggestion;
use crate::io::vtu_write::Compression;
use crate::scene;

/// Validates the table `[output]`.
pub fn output(config: &raw::Config, time: &scene::Time, report: &mut Report) -> scene::Output {
    let output = &config.output;
    let at = KeyPath::parse("output");
    let dir = output.dir.clone().unwrap_or_default();
    report.check(!std::path::Path::new(&dir).is_file(), at.join("dir"), format!("{dir} is a file"));
    let every = output.every.unwrap_or(1);
    report.check(every >= 1, at.join("every"), "must be at least 1");
    if every > time.frames.max(1) {
        let frames = time.frames;
        report.warnings.push(format!(
            "output.every = {every} with {frames} frames: only the first and last are written"
        ));
    }
    let formats = output.formats.clone().unwrap_or_default();
    for (i, format) in formats.iter().enumerate() {
        report.check(!formats[..i].contains(format), at.join("formats").join(i), "is listed twice");
    }
    let real_time = 1.0 / (time.step * (time.substeps * every.max(1)) as f64);
    if let Some(fps) = output.fps {
        report.check(fps > 0.0, at.join("fps"), "must be above 0");
    }
    let start_frame = output.start_frame.unwrap_or(1);
    // Blender cannot count beyond these numbers.
    let fits = (-1_048_574..=1_048_574).contains(&start_frame);
    report.check(fits, at.join("start_frame"), "must be from -1048574 to 1048574");
    scene::Output {
        dir: dir.into(),
        formats,
        bodies: bodies(config, &at.join("bodies"), report),
        every,
        float32: output.float32.unwrap_or(false),
        compression: match output.compression {
            None | Some(raw::Compression::None) => Compression::None,
            Some(raw::Compression::Lz4) => Compression::Lz4,
            Some(raw::Compression::Zlib) => Compression::Zlib,
        },
        normals: output.normals.unwrap_or(false),
        fps: output.fps.unwrap_or(real_time),
        start_frame,
    }
}

/// The numbers of the chosen bodies, ascending.
fn bodies(config: &raw::Config, at: &KeyPath, report: &mut Report) -> Vec<usize> {
    let Some(chosen) = &config.output.bodies else { return (0..config.body.len()).collect() };
    report.check(!chosen.is_empty(), at.clone(), "names no body: nothing would be written");
    let names: Vec<&str> = config.body.iter().map(|body| body.name.as_deref().unwrap_or_default()).collect();
    let mut out = vec![];
    for (i, name) in chosen.iter().enumerate() {
        match names.iter().position(|known| known == name) {
            Some(number) => {
                report.check(!out.contains(&number), at.join(i), "is listed twice");
                out.push(number);
            }
            None => report.value(
                at.join(i),
                format!("there is no body '{name}'"),
                suggestion(name, "bodies", &names),
            ),
        }
    }
    out.sort_unstable();
    out
}
