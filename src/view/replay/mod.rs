//! The frames of a run, read back from its directory.
//!
//! ```text
//! config.toml ─▶ model ┐
//! vtu/<name>_0000.vtu …┴▶ run::Frame … (export)
//!                       ─▶ Motion: surfaces with arrays (preview)
//! ply/<body>_0000.ply … ─▶ Motion: surfaces alone
//! ```
//!
//! A run need not be complete. Positions, velocities and the state of cells are those of the files, bit for bit; in
//! runs with `float32`, they are rounded as the files are. The rest state comes from the meshes of the config. Since
//! `displacement` is position − rest position, a mesh that has changed since the run is noticed at the first frame.

pub mod export;
pub mod motion;
mod ply;
mod vtu;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::cache::Cache;
use crate::config::{self, Overrides};
use crate::error::{Action, Error, Result};
use crate::io::stored::StoredGrid;
use crate::mesh::DataArray;
use crate::model::build::build;
use crate::run::{Cast, Frame, Schedule, Touched};
use crate::scene::Scene;
use elements::energy::ElementState;

/// A run directory whose config was read; its other files have not been looked at.
#[derive(Clone, Debug)]
pub struct Run {
    /// The path of the directory.
    pub dir: PathBuf,
    /// The scene of its config.
    pub scene: Scene,
}

impl Run {
    /// Reads the config that a run leaves in its directory, with `overrides` applied to it.
    pub fn open(dir: &Path, overrides: &Overrides) -> Result<Run> {
        let path = dir.join("config.toml");
        if !path.is_file() {
            let reason = if dir.is_dir() {
                "holds no run of pliant: it has no config.toml"
            } else {
                "is no directory"
            };
            return Err(Error::Run {
                path: dir.to_owned(),
                reason: reason.into(),
                hint: "name a directory that 'pliant simulate' has written".into(),
            });
        }
        Ok(Run { dir: dir.to_owned(), scene: config::load(&path, overrides)?.scene })
    }

    /// The numbers of the frames `<stem>_0000.<format> …` in the directory of a format, ascending.
    pub fn frames(&self, format: &str, stem: &str) -> Result<Vec<u64>> {
        let mut numbers: Vec<u64> = self
            .files(format)?
            .into_iter()
            .filter_map(|(name, number)| (name == stem).then_some(number))
            .collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// The stems and numbers of the files `<stem>_0012.<format>` in the directory of a format; none if there is no directory.
    /// What is no file is left out, and so are numbers above the run's last.
    fn files(&self, format: &str) -> Result<Vec<(String, u64)>> {
        let dir = self.dir.join(format);
        let entries = match std::fs::read_dir(&dir) {
            Ok(entries) => entries,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(vec![]),
            Err(e) => return Err(Error::io(Action::List, &dir, e)),
        };
        let mut files = vec![];
        for entry in entries {
            let entry = entry.map_err(|e| Error::io(Action::List, &dir, e))?;
            match split_frame(&entry.file_name().to_string_lossy(), format) {
                Some((stem, number)) if number <= self.scene.time.frames && entry.path().is_file() => {
                    files.push((stem.to_owned(), number));
                }
                _ => {}
            }
        }
        Ok(files)
    }

    /// The schedule of the frames that the run would have up to `last`.
    pub fn schedule(&self, last: u64) -> Schedule {
        Schedule { first: 0, every: self.scene.output.every, last, time: self.scene.time }
    }

    /// The number of frames up to the last of `found` that the run should have but does not, and the first few of them.
    pub fn missing(&self, found: &[u64]) -> (u64, Vec<u64>) {
        let last = found.last().copied().unwrap_or(0);
        // If the last one found is the run's last, it need not be a multiple of `every`.
        let schedule = self.schedule(last);
        let there = found.iter().filter(|n| schedule.includes(**n)).count() as u64;
        let all = (0..=schedule.index(last)).map(|index| schedule.frame(index));
        let first = all.filter(|n| found.binary_search(n).is_err()).take(FEW);
        let count = schedule.index(last) + 1 - there;
        (count, if count > 0 { first.collect() } else { vec![] })
    }
}

/// The number of missing frames that are named.
const FEW: usize = 5;

/// The stem and the number of `<stem>_0012.<ending>`.
pub fn split_frame<'a>(name: &'a str, ending: &str) -> Option<(&'a str, u64)> {
    let (stem, number) = name.strip_suffix(ending)?.strip_suffix('.')?.rsplit_once('_')?;
    let is_number = number.len() >= 4 && number.bytes().all(|b| b.is_ascii_digit());
    is_number.then_some((stem, number.parse().ok()?))
}

/// A run with VTU frames.
pub struct Replay {
    /// The run directory with its config.
    pub run: Run,
    /// The bodies that were written, built anew from the config.
    pub scene: Arc<Cast>,
    frames: Vec<u64>,
}

impl Replay {
    /// Builds the model, finds the frames and compares the first one with the model.
    pub fn new(run: Run, cache: &Cache) -> Result<Replay> {
        let frames = run.frames("vtu", &run.scene.name)?;
        if frames.is_empty() {
            return Err(Error::Run {
                path: run.dir.clone(),
                reason: format!("has no frames vtu/{}_0000.vtu …", run.scene.name),
                hint: "simulate with \"vtu\" among output.formats".into(),
            });
        }
        let (missing, first) = run.missing(&frames);
        if missing > 0 {
            let list: Vec<String> = first.iter().map(u64::to_string).collect();
            let more = if missing > FEW as u64 { ", …" } else { "" };
            let dir = run.dir.join("vtu");
            tracing::warn!("{}: {missing} frames are missing: {}{more}", dir.display(), list.join(", "));
        }
        let scene = Arc::new(Cast::new(&build(&run.scene, cache)?.model, &run.scene.output.bodies));
        let replay = Replay { run, scene, frames };
        let path = replay.path(replay.frames[0]);
        replay.check_rest(&path, &StoredGrid::read(&path)?)?;
        Ok(replay)
    }

    /// The numbers of the frames that exist, ascending; there is at least one.
    pub fn frames(&self) -> &[u64] {
        &self.frames
    }

    /// The path of the file of a frame.
    pub fn path(&self, number: u64) -> PathBuf {
        self.run.dir.join(format!("vtu/{}_{number:04}.vtu", self.run.scene.name))
    }

    /// Reads a frame and checks that it belongs to the model.
    pub fn frame(&self, number: u64) -> Result<Frame> {
        let path = self.path(number);
        let grid = StoredGrid::read(&path)?;
        self.check_counts(&path, &grid)?;
        let column = |name| array(&path, &grid.cell_data, name, 1);
        let (energy, mises, det) = (column("energy_density")?, column("von_mises")?, column("det_f")?);
        let elements = energy.iter().zip(mises).zip(det).map(|((energy, mises), det)| ElementState {
            energy_density: *energy,
            von_mises: *mises,
            det_f: *det,
        });
        Ok(Frame {
            number,
            time: self.run.schedule(number).time(number),
            v: array(&path, &grid.point_data, "velocity", 3)?.as_chunks().0.to_vec(),
            elements: elements.collect(),
            contact: self.touched(&path, &grid)?,
            x: grid.points,
        })
    }

    /// What touches in a frame of a scene with contact.
    fn touched(&self, path: &Path, grid: &StoredGrid) -> Result<Option<Touched>> {
        // Runs of earlier versions have no such arrays.
        if !grid.point_data.iter().any(|array| array.name == "contact_gap") {
            return Ok(None);
        }
        let column = |name, components| array(path, &grid.point_data, name, components);
        let gaps = column("contact_gap", 1)?.to_vec();
        Ok(Some(Touched {
            forces: column("contact_force", 3)?.as_chunks().0.to_vec(),
            friction: column("friction_force", 3)?.as_chunks().0.to_vec(),
            range: gaps.iter().copied().fold(0.0, f64::max),
            gaps,
        }))
    }

    fn check_counts(&self, path: &Path, grid: &StoredGrid) -> Result<()> {
        let model = &self.scene;
        let counts = |points, tets, triangles, edges| {
            format!("{points} points, {tets} tets, {triangles} triangles and {edges} edges")
        };
        let found = counts(grid.points.len(), grid.tets.len(), grid.triangles.len(), grid.edges.len());
        let wanted = counts(model.rest.len(), model.tets.len(), model.triangles.len(), model.edges.len());
        if found != wanted {
            return Err(changed(path, format!("it has {found}, but the config's meshes have {wanted}")));
        }
        match grid.points.iter().position(|p| p.iter().any(|x| !x.is_finite())) {
            Some(i) => Err(Error::format(path, format!("point {i}"), "its position is not finite")),
            None => Ok(()),
        }
    }

    /// Compares position − displacement and the cells with the model.
    fn check_rest(&self, path: &Path, grid: &StoredGrid) -> Result<()> {
        self.check_counts(path, grid)?;
        let model = &self.scene;
        if (&grid.tets, &grid.triangles, &grid.edges) != (&model.tets, &model.triangles, &model.edges) {
            return Err(changed(path, "its cells are not those of the config's meshes".into()));
        }
        let displacement: &[[f64; 3]] = array(path, &grid.point_data, "displacement", 3)?.as_chunks().0;
        let is_single = |x: &f64| f64::from(*x as f32).to_bits() == x.to_bits();
        let rounding =
            if grid.points.iter().flatten().all(is_single) { f32::EPSILON.into() } else { f64::EPSILON };
        for (i, ((x, d), rest)) in grid.points.iter().zip(displacement).zip(&model.rest).enumerate() {
            for k in 0..3 {
                let tolerance = 2.0 * rounding * (x[k].abs() + d[k].abs() + rest[k].abs());
                if (x[k] - d[k] - rest[k]).abs() > tolerance {
                    let was = x[k] - d[k];
                    let reason =
                        format!("point {i} rested at {was} along axis {k}, and now does at {}", rest[k]);
                    return Err(changed(path, reason));
                }
            }
        }
        Ok(())
    }
}

/// The error for a frame that does not belong to the config's meshes.
fn changed(path: &Path, reason: String) -> Error {
    Error::Run {
        path: path.to_owned(),
        reason,
        hint: "a mesh has changed since the run: put the old one back, or simulate again".into(),
    }
}

fn array<'a>(path: &Path, arrays: &'a [DataArray], name: &str, components: usize) -> Result<&'a [f64]> {
    let found = arrays.iter().find(|a| a.name == name && a.components == components);
    found.map(|a| a.values.as_slice()).ok_or_else(|| Error::Format {
        path: path.to_owned(),
        place: String::new(),
        reason: format!("it has no array '{name}' of {components} components"),
        hint: "frames of a run have it: this file is not one of them".into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_told_from_other_files() {
        assert_eq!(split_frame("a_b_0012.ply", "ply"), Some(("a_b", 12)));
        assert_eq!(split_frame("a_12345.vtu", "vtu"), Some(("a", 12345)));
        for name in ["a_012.ply", "a_0012.obj", "0012.ply", "a_00x2.ply", ".a_0012.ply.1-2.tmp", "a_0012ply"]
        {
            assert_eq!(split_frame(name, "ply"), None, "{name}");
        }
    }
}
