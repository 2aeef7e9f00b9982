//! `files.json`: the files that a run may write, so that nothing else is ever removed or written over.
//!
//! It is the first file of a run. What may be written is listed before it is written, so that whatever a killed run has left
//! is listed too. Files of frames are listed as a series, since their names follow from their numbers.

use std::collections::BTreeSet;
use std::path::{Component, Path};

use serde::{Deserialize, Serialize};

use super::{FORMATS, Making, Schedule, contacts, probes, scripts};
use crate::error::{Action, Error, Result};
use crate::fs::{read_regular, unfinished, write_atomically};
use crate::model::embedded::surface_names;
use crate::scene::{FrameFormat, Scene};

/// The name of the file.
pub const NAME: &str = "files.json";

/// The version of its form.
const VERSION: u64 = 1;

/// The files that every run has.
const ALWAYS: [&str; 6] =
    ["checkpoint.bin", "config.toml", "metrics.csv", "summary.json", scripts::NAMES[0], scripts::NAMES[1]];

/// The names of all surfaces that are written: those of the chosen bodies, then the obstacles.
pub fn written_names(scene: &Scene) -> Vec<String> {
    let bodies = scene.output.bodies.iter().map(|body| &scene.bodies[*body]);
    let obstacles = scene.obstacles.iter().map(|obstacle| obstacle.name.clone());
    bodies.flat_map(surface_names).chain(obstacles).collect()
}

/// The files that a run may write, all relative to its directory, with `/` between names.
///
/// A pattern of files is a path with `{run}` or `{surface}` for a name, and `{frame}` for a number with its digits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    version: u64,
    /// Files with a name of their own.
    files: BTreeSet<String>,
    /// Files of frames.
    frames: BTreeSet<Series>,
}

/// The files `<name>_0000.<ending>` of some frames: every n-th one from the first on, and the last.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Series {
    name: String,
    ending: String,
    first: u64,
    every: u64,
    last: u64,
}

impl Series {
    fn includes(&self, number: u64) -> bool {
        let on_beat = self.every > 0 && number.is_multiple_of(self.every) && number >= self.first;
        number <= self.last && (on_beat || number == self.last)
    }

    fn file(&self, number: u64) -> String {
        format!("{}_{number:04}.{}", self.name, self.ending)
    }

    /// The number of a file that has the form of this series, whether or not the series includes it.
    fn number(&self, file: &str) -> Option<u64> {
        let digits = file.strip_prefix(&self.name)?.strip_prefix('_')?.strip_suffix(&self.ending)?;
        let number = digits.strip_suffix('.')?.parse().ok()?;
        (self.file(number) == file).then_some(number)
    }

    fn is_same(&self, other: &Series) -> bool {
        self.name == other.name && self.ending == other.ending
    }
}

impl Manifest {
    /// The files of a run of this scene.
    pub fn of(scene: &Scene) -> Manifest {
        let last = scene.time.frames;
        let schedule = Schedule { first: 0, every: scene.output.every, last, time: scene.time };
        let mut manifest = Manifest::of_formats(scene, schedule);
        manifest.files.extend(ALWAYS.map(str::to_owned));
        if scene.contact.is_some() {
            manifest.files.insert(contacts::NAME.into());
        }
        if !scene.probes().is_empty() {
            manifest.files.insert(probes::NAME.into());
        }
        manifest
    }

    /// The files that the formats of a scene write for the frames of a schedule.
    pub fn of_formats(scene: &Scene, schedule: Schedule) -> Manifest {
        let surfaces = written_names(scene);
        let mut manifest = Manifest { version: VERSION, ..Manifest::default() };
        let mut add = |pattern| manifest.add(pattern, &scene.name, &surfaces, schedule);
        scripts::NAMES.into_iter().for_each(&mut add);
        for (format, making) in FORMATS.iter().filter(|(format, _)| scene.output.formats.contains(format)) {
            let (Making::Frames { files, .. } | Making::Animation { files, .. }) = making;
            files.iter().copied().for_each(&mut add);
            if matches!(making, Making::Animation { .. }) {
                add("blender/import_blender.py");
            }
            if !matches!(format, FrameFormat::Vtu | FrameFormat::Vtk) {
                add("maps/{surface}.csv");
            }
        }
        manifest
    }

    fn add(&mut self, pattern: &str, run: &str, surfaces: &[String], schedule: Schedule) {
        let runs = [run.to_owned()];
        let names = if pattern.contains("{surface}") { surfaces } else { &runs[..] };
        for name in names {
            // A name may itself look like a part of a pattern, so that it is put in last.
            let put = |part: &str| part.replacen("{surface}", name, 1);
            let put =
                |part: &str| if part.contains("{run}") { part.replacen("{run}", name, 1) } else { put(part) };
            let Some((before, ending)) = pattern.split_once("_{frame}.") else {
                self.files.insert(put(pattern));
                continue;
            };
            let Schedule { first, every, last, .. } = schedule;
            self.frames.insert(Series { name: put(before), ending: ending.to_owned(), first, every, last });
        }
    }

    /// These files and others.
    pub fn and(&self, others: &Manifest) -> Manifest {
        let mut all = self.clone();
        all.files.extend(others.files.iter().cloned());
        all.frames.extend(others.frames.iter().cloned());
        all
    }

    /// These files and others. Where both have a series of the same name, its frames are those of `newer` alone.
    pub fn replaced_by(&self, newer: &Manifest) -> Manifest {
        let mut all = newer.clone();
        all.files.extend(self.files.iter().cloned());
        let is_older = |series: &&Series| !newer.frames.iter().any(|other| other.is_same(series));
        all.frames.extend(self.frames.iter().filter(is_older).cloned());
        all
    }

    /// True for a file that is listed, given by its path in the directory.
    pub fn lists(&self, file: &str) -> bool {
        self.files.contains(file)
            || self.frames.iter().any(|series| series.number(file).is_some_and(|n| series.includes(n)))
    }

    /// True for a file that a killed process left while it wrote a listed one, or this list.
    pub fn lists_unfinished(&self, file: &str) -> bool {
        let (folder, name) = file.rsplit_once('/').map_or(("", file), |(folder, name)| (folder, name));
        unfinished(name).is_some_and(|target| match folder {
            "" => target == NAME || self.lists(target),
            _ => self.lists(&format!("{folder}/{target}")),
        })
    }

    /// The number of a file of frames that a series of this list has the name of, whether or not it includes the number.
    pub fn frame_number(&self, file: &str) -> Option<u64> {
        self.frames.iter().find_map(|series| series.number(file))
    }

    /// The files of one frame.
    pub fn of_frame(&self, number: u64) -> impl Iterator<Item = String> {
        self.frames
            .iter()
            .filter(move |series| series.includes(number))
            .map(move |series| series.file(number))
    }

    /// The files that are not of one frame alone.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }

    /// Every directory with listed files, the run directory itself as `""`; subdirectories come before their parents.
    pub fn directories(&self) -> Vec<String> {
        let paths = self.files().chain(self.frames.iter().map(|series| series.name.as_str()));
        let mut all = BTreeSet::from([String::new()]);
        for path in paths {
            let mut at = path;
            while let Some((folder, _)) = at.rsplit_once('/') {
                all.insert(folder.to_owned());
                at = folder;
            }
        }
        all.into_iter().rev().collect()
    }

    /// Reads the list of a run directory; `None` if there is none. A path that leads out of the directory is refused.
    pub fn read(dir: &Path) -> Result<Option<Manifest>> {
        let path = dir.join(NAME);
        let bytes = match read_regular(&path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(Error::io(Action::Read, &path, e)),
        };
        let refuse = |reason: String| Error::Run {
            path: path.clone(),
            reason,
            hint:
                "what belongs to the run cannot be told: move away what you need and delete the directory, \
                   or choose another one with -o"
                    .into(),
        };
        let manifest: Manifest =
            serde_json::from_slice(&bytes).map_err(|e| refuse(format!("is damaged: {e}")))?;
        if manifest.version != VERSION {
            return Err(refuse(format!("has version {}, not {VERSION}", manifest.version)));
        }
        let paths = manifest.files().chain(manifest.frames.iter().map(|series| series.name.as_str()));
        if let Some(path) = paths.into_iter().find(|path| !is_within(path)) {
            return Err(refuse(format!("names {path:?}, which is not in the directory")));
        }
        Ok(Some(manifest))
    }

    /// Writes the list into a run directory.
    pub fn write(&self, dir: &Path) -> Result<()> {
        write_atomically(&dir.join(NAME), |out| {
            serde_json::to_writer_pretty(&mut *out, self)?;
            std::io::Write::write_all(out, b"\n")
        })
    }
}

/// True for a path that stays below the directory that it starts from.
fn is_within(path: &str) -> bool {
    let parts = Path::new(path).components();
    !path.is_empty()
        && !path.contains('\\')
        && parts.into_iter().all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prelude::{Body, Material, Shape};

    fn scene(name: &str, body: &str) -> Scene {
        let cube = Shape::Block { size: [1.0; 3], cells: [1; 3], split: 5 };
        let body = Body::new(body, cube).material(Material::elastic("arap", 1e5, 0.0).unwrap());
        let formats: Vec<FrameFormat> = FORMATS.iter().map(|(format, _)| *format).collect();
        let mut scene = Scene::new(name).body(body).output(Path::new("out"), &formats);
        (scene.output.every, scene.time.frames) = (3, 10);
        scene
    }

    #[test]
    fn files_of_a_run_are_listed_and_no_others() {
        let manifest = Manifest::of(&scene("run", "a_b"));
        for file in [
            "config.toml",
            "run.pvd",
            "run.vtk.series",
            "vtu/run_0003.vtu",
            "ply/a_b_0000.ply",
            "ply/a_b_0010.ply",
            "blender/.a_b.frames",
            "blender/a_b.obj",
            "blender/clips/run_0009.usda",
            "maps/a_b.csv",
        ] {
            assert!(manifest.lists(file), "{file}");
        }
        for file in [
            "notes.pvd",
            "vtu/run_0004.vtu",
            "vtu/run_0012.vtu",
            "vtu/run_3.vtu",
            "vtu/run_00003.vtu",
            "ply/scan_0001.ply",
            "blender/scene.usda",
            "maps/mydata.csv",
            "vtu/other/run_0003.vtu",
            "files.json",
        ] {
            assert!(!manifest.lists(file), "{file}");
        }
        assert!(
            manifest.lists_unfinished("vtu/.run_0003.vtu.1-2-3.tmp")
                && manifest.lists_unfinished(".files.json.1-2-3.tmp")
        );
        assert!(
            !manifest.lists_unfinished("vtu/.mine.vtu.1-2-3.tmp")
                && !manifest.lists_unfinished("vtu/run_0003.vtu")
        );
        assert_eq!(manifest.frame_number("vtu/run_0004.vtu"), Some(4));
        let directories = manifest.directories();
        let place = |name: &str| directories.iter().position(|other| other == name).unwrap();
        assert!(place("blender/clips") < place("blender") && place("blender") < place(""));
    }

    #[test]
    fn names_that_look_like_patterns_are_names() {
        let manifest = Manifest::of(&scene("{surface}", "{run}_{frame}"));
        assert!(manifest.lists("vtu/{surface}_0003.vtu") && manifest.lists("ply/{run}_{frame}_0003.ply"));
        assert!(manifest.lists("maps/{run}_{frame}.csv"));
    }

    #[test]
    fn lists_come_back_and_those_that_lead_out_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(Manifest::read(dir.path()).unwrap(), None);
        let mut manifest = Manifest::of(&scene("run", "ball"));
        manifest.write(dir.path()).unwrap();
        assert_eq!(Manifest::read(dir.path()).unwrap(), Some(manifest.clone()));
        for path in ["../a", "/etc/a", "a/../../b", "", "./a", "a\\b"] {
            let mut bad = manifest.clone();
            bad.files.insert(path.into());
            bad.write(dir.path()).unwrap();
            assert!(Manifest::read(dir.path()).is_err(), "{path}");
        }
        std::fs::write(dir.path().join(NAME), "{").unwrap();
        assert!(Manifest::read(dir.path()).unwrap_err().to_string().contains("delete the directory"));
        let longer = Series { last: 20, ..manifest.frames.pop_first().unwrap() };
        let newer = Manifest { frames: [longer.clone()].into(), ..Manifest::default() };
        let old = Manifest::of(&scene("run", "ball"));
        let replaced = old.replaced_by(&newer);
        assert!(replaced.frames.contains(&longer) && replaced.frames.len() == old.frames.len());
        assert!(replaced.lists("config.toml") && old.and(&newer).frames.len() == old.frames.len() + 1);
    }
}
