//! A run's frames in other formats: the sinks of a run, driven by frames that are read back.
//!
//! Everything is written into a hidden directory beside its place and moved there at the end, so that an interrupted
//! export leaves nothing. A format need not tell which files it will write: they are found after the first frame.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::Replay;
use crate::config::raw;
use crate::error::{Action, Error, Result};
use crate::fs::TEMPORARY;
use crate::run::animation::{DIRECTORY, GATHERED};
use crate::run::claim::Extension;
use crate::run::directory::RunDirectory;
use crate::run::manifest::Manifest;
use crate::run::{Request, Schedule, scripts, sinks_of_scene};

/// What to export, and the directory for it.
#[derive(Clone, Copy, Debug)]
pub struct Export<'a> {
    /// The directory in which the formats' own directories are made.
    pub dir: &'a Path,
    /// The distance between exported frames of the run, at least 1; the last frame is always written.
    pub every: u64,
    /// The number of the first frame.
    pub from: u64,
    /// The number of the last frame; it may be beyond the run's last.
    pub until: u64,
    /// If true, frames of the same formats that already exist are replaced.
    pub replace: bool,
}

/// Counts of what was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The number of frames.
    pub frames: usize,
    /// The number of files of frames, without scripts and maps.
    pub files: usize,
}

/// The formats of frames, as the config names them.
pub fn format_names() -> Vec<String> {
    // The schema has the names with a description each, or several in one list.
    let schema = schemars::schema_for!(raw::Format).to_value();
    let parts: Vec<_> = schema["oneOf"].as_array().into_iter().flatten().chain([&schema]).collect();
    let names =
        parts.iter().flat_map(|part| part["enum"].as_array().into_iter().flatten().chain([&part["const"]]));
    names.filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

/// Writes the replay's frames in the formats of its config. Ends with an error, and no file, once `stop` is set.
pub fn export(replay: &Replay, wanted: &Export, stop: &AtomicBool) -> Result<Exported> {
    let config = &replay.run.scene;
    let frames = replay.frames();
    let existing = frames.iter().filter(|n| (wanted.from..=wanted.until).contains(n));
    let Some(last) = existing.clone().next_back().copied() else {
        let (first, last) = (frames[0], frames[frames.len() - 1]);
        return Err(Error::Usage {
            what: format!("{}: no frame is between --from and --until", replay.run.dir.display()),
            hint: format!("the run has frames {first} to {last}"),
        });
    };
    let every = config.output.every.saturating_mul(wanted.every);
    let schedule = Schedule { first: wanted.from, every, last, time: config.time };
    std::fs::create_dir_all(wanted.dir).map_err(|e| Error::io(Action::CreateDirectory, wanted.dir, e))?;
    // In a run directory, the new files will be the run's.
    let extension = Extension::take(RunDirectory::new(wanted.dir, &config.name))?;
    let listed = Manifest::of_formats(config, schedule);
    extension.iter().try_for_each(|run| run.check(&listed))?;
    let workshop = tempfile::Builder::new()
        .prefix(".export-")
        .suffix(TEMPORARY)
        .tempdir_in(wanted.dir)
        .map_err(|e| Error::io(Action::Write, wanted.dir, e))?;
    let directory = RunDirectory::new(workshop.path(), &config.name);
    let mut output = config.output.clone();
    output.fps /= wanted.every as f64;
    let request = Request { output: &output, schedule, directory: &directory, scene: replay.scene.clone() };
    let mut sinks = sinks_of_scene(&request)?;
    let mut count = 0;
    for number in existing.filter(|n| schedule.includes(**n)) {
        if stop.load(Ordering::Relaxed) {
            return Err(Error::Interrupted {
                what: format!("interrupted before frame {number}: nothing was written"),
                hint: String::new(),
            });
        }
        let frame = replay.frame(*number)?;
        sinks.iter_mut().try_for_each(|sink| sink.write(&frame))?;
        if count == 0 {
            refuse_existing(replay, wanted, workshop.path(), &files(workshop.path())?)?;
        }
        count += 1;
    }
    sinks.iter_mut().try_for_each(|sink| sink.finish())?;
    let made = files(workshop.path())?;
    refuse_existing(replay, wanted, workshop.path(), &made)?;
    match &extension {
        Some(run) => {
            if wanted.replace {
                run.remove_older(&listed)?;
            }
            run.add(&listed, wanted.replace)?;
        }
        None if wanted.replace => remove_older(wanted.dir, &made)?,
        None => {}
    }
    // Existing scripts are kept, because they are for all formats that exist there.
    let is_new = |file: &&PathBuf| wanted.replace || !is_constant(file) || !wanted.dir.join(file).exists();
    for file in made.iter().filter(is_new) {
        put(&workshop.path().join(file), &wanted.dir.join(file))?;
    }
    let files = made.iter().filter(|file| !is_constant(file)).count();
    Ok(Exported { frames: count, files })
}

/// Refuses to overwrite existing files unless that was asked for, and the frames that are being read in any case.
fn refuse_existing(replay: &Replay, wanted: &Export, workshop: &Path, made: &[PathBuf]) -> Result<()> {
    let same = |path: &Path| path.canonicalize().ok();
    // Two formats may write the same mesh file.
    let is_equal = |file: &Path, path: &Path| {
        std::fs::read(workshop.join(file))
            .ok()
            .is_some_and(|new| std::fs::read(path).is_ok_and(|old| old == new))
    };
    for file in made {
        let path = wanted.dir.join(file);
        if !path.exists() || is_constant(file) || (file.starts_with(DIRECTORY) && is_equal(file, &path)) {
            continue;
        }
        let is_source = path.parent().and_then(same) == same(&replay.run.dir.join("vtu"));
        let (reason, hint) = match (is_source, wanted.replace) {
            (true, _) => ("is one of the frames that are read", "choose another directory with -o"),
            (false, false) => {
                ("exists", "replace frames of this format with --force, or choose another directory with -o")
            }
            (false, true) => continue,
        };
        return Err(Error::Run { path, reason: reason.into(), hint: hint.into() });
    }
    Ok(())
}

/// True for files that every export has: scripts and maps.
fn is_constant(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    scripts::NAMES.contains(&name.as_ref()) || file.starts_with("maps")
}

/// Removes frames of the same names, whatever their numbers, so that no older ones stay between the new ones.
fn remove_older(dir: &Path, made: &[PathBuf]) -> Result<()> {
    let series: BTreeSet<(PathBuf, String, String)> = made.iter().filter_map(|file| series(file)).collect();
    let folders: BTreeSet<&PathBuf> = series.iter().map(|(folder, ..)| folder).collect();
    for folder in folders {
        // What is behind a symbolic link is not of an export.
        if !std::fs::symlink_metadata(dir.join(folder)).is_ok_and(|found| found.is_dir()) {
            continue;
        }
        let Ok(entries) = std::fs::read_dir(dir.join(folder)) else { continue };
        for entry in entries.flatten() {
            let path = folder.join(entry.file_name());
            if self::series(&path).is_some_and(|key| series.contains(&key)) {
                let path = entry.path();
                std::fs::remove_file(&path).map_err(|e| Error::io(Action::Remove, &path, e))?;
            }
        }
    }
    Ok(())
}

/// The directory, the stem and the ending of a file with a frame's number.
fn series(file: &Path) -> Option<(PathBuf, String, String)> {
    let ending = file.extension()?.to_string_lossy().into_owned();
    let name = file.file_name()?.to_string_lossy().into_owned();
    let (stem, _) = super::split_frame(&name, &ending)?;
    Some((file.parent()?.to_owned(), stem.to_owned(), ending))
}

/// All files below a directory, relative to it, in order, except those with gathered frames.
fn files(dir: &Path) -> Result<Vec<PathBuf>> {
    fn collect(root: &Path, at: &Path, out: &mut Vec<PathBuf>) -> Result<()> {
        let here = root.join(at);
        for entry in std::fs::read_dir(&here).map_err(|e| Error::io(Action::List, &here, e))? {
            let entry = entry.map_err(|e| Error::io(Action::List, &here, e))?;
            let path = at.join(entry.file_name());
            if entry.path().is_dir() {
                collect(root, &path, out)?;
            } else if !path.to_string_lossy().ends_with(GATHERED) {
                out.push(path);
            }
        }
        Ok(())
    }
    let mut out = vec![];
    collect(dir, Path::new(""), &mut out)?;
    out.sort_unstable();
    Ok(out)
}

/// Moves a file to its place.
fn put(from: &Path, to: &Path) -> Result<()> {
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder).map_err(|e| Error::io(Action::CreateDirectory, folder, e))?;
    }
    std::fs::rename(from, to).map_err(|e| Error::io(Action::Write, to, e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_those_of_the_config() {
        let names = format_names();
        for name in ["vtu", "ply", "obj"] {
            assert!(names.iter().any(|n| n == name), "{names:?}");
        }
        assert!(names.iter().all(|name| serde_json::from_str::<raw::Format>(&format!("{name:?}")).is_ok()));
    }

    #[test]
    fn numbered_files_belong_to_a_series() {
        let key = series(Path::new("ply/bar_0012.ply")).unwrap();
        assert_eq!(key, ("ply".into(), "bar".into(), "ply".into()));
        assert_eq!(series(Path::new("beam.pvd")), None);
    }
}
