//! A run directory that is locked for this process, and the checks that nothing in it gets lost.
//!
//! An existing run is replaced or continued only on request, and a directory that is no run of ours is never touched. Only
//! files that the run's own list has are removed or written over ([`super::manifest`]). A run of an earlier version has no
//! such list: it can be continued, but not replaced.

use std::fs::FileType;

use super::checkpoint::Checkpoint;
use super::contacts;
use super::difference;
use super::directory::RunDirectory;
use super::lock::{self, Lock};
use super::manifest::{self, Manifest, written_names};
use super::probes;
use crate::error::{Action, Error, Result};
use crate::fs::{read_regular, unfinished, write_atomically};
use crate::scene::{Scene, names};
use crate::simulate::metrics::header;

/// What to do if a run already exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Report an error and leave the run as it is.
    Refuse,
    /// Remove the run's files and start anew.
    Replace,
    /// Continue the run from its last checkpoint.
    Resume,
}

/// A run directory of this process alone.
#[derive(Debug)]
pub struct Claim {
    /// The directory.
    pub directory: RunDirectory,
    /// The files that the run may write.
    pub files: Manifest,
    /// True if the scene has contact.
    has_contact: bool,
    /// The columns of the scene's probes.
    probes: Vec<String>,
    /// The files of the run that is there.
    old: Option<Manifest>,
    _lock: Lock,
}

impl Claim {
    /// Locks the directory of a scene, and then checks that a run may be written there.
    pub fn take(scene: &Scene, existing: Existing) -> Result<Claim> {
        let dir = &scene.output.dir;
        if dir.exists() && !dir.is_dir() {
            return Err(refusal(dir, "is not a directory", "choose another one with -o"));
        }
        refuse_twins(scene)?;
        let lock = Lock::take(dir)?;
        let directory = RunDirectory::new(dir, &scene.name);
        let (files, old) = (Manifest::of(scene), Manifest::read(dir)?);
        check(&directory, &files, old.as_ref(), existing)?;
        let has_contact = scene.contact.is_some();
        Ok(Claim { directory, files, has_contact, probes: scene.probe_columns(), old, _lock: lock })
    }

    /// Says whether a new run could be written there, without writing anything.
    pub fn check(scene: &Scene) -> Result<()> {
        let dir = &scene.output.dir;
        if dir.exists() && !dir.is_dir() {
            return Err(refusal(dir, "is not a directory", "choose another one with -o"));
        }
        let directory = RunDirectory::new(dir, &scene.name);
        check(&directory, &Manifest::of(scene), Manifest::read(dir)?.as_ref(), Existing::Refuse)
    }

    /// The state to resume from; `None` if there is no run yet, or one that was killed before its first frame was whole. A
    /// run that has lost its checkpoint is refused. `config` is the canonical one of this run.
    pub fn checkpoint(&self, config: &str) -> Result<Option<Checkpoint>> {
        if let Some(checkpoint) = Checkpoint::read(&self.directory.checkpoint())? {
            return Ok(Some(checkpoint));
        }
        let Some(old) = &self.old else { return Ok(None) };
        let rows = read_regular(&self.directory.metrics()).unwrap_or_default();
        let later = |(file, _): &(String, _)| {
            old.frame_number(file).is_some_and(|number| number > 0 && old.lists(file))
        };
        let has_frames = rows.iter().filter(|byte| **byte == b'\n').count() > 1
            || self.directory.summary().exists()
            || self.directory.entries(old)?.iter().any(later);
        let dir = self.directory.dir();
        if has_frames {
            let reason = "the run there has frames, but its checkpoint.bin is not there";
            return Err(refusal(dir, reason, "put the file back, or start anew with --force"));
        }
        match self.difference(config) {
            Some(keys) => Err(self.another(&keys)),
            None => Ok(None),
        }
    }

    /// The keys in which the run's config differs from this one, which is canonical too; `None` without any.
    fn difference(&self, config: &str) -> Option<String> {
        let there = read_regular(&self.directory.config()).ok()?;
        difference::of(&String::from_utf8_lossy(&there), config)
    }

    /// The error for a run that was made from something else than `config`.
    pub fn refuse_another(&self, config: &str) -> Error {
        match self.difference(config) {
            Some(keys) => self.another(&keys),
            None => self.another("the content of a mesh file, or the version of pliant"),
        }
    }

    fn another(&self, what: &str) -> Error {
        let reason = format!("the run there was made from another config or mesh; what differs: {what}");
        refusal(
            self.directory.dir(),
            &reason,
            "resume with the config it was started with, start anew with --force, or choose another directory with -o",
        )
    }

    /// Writes the list of files, the config and empty files of metrics and contacts, after removing an older run.
    pub fn begin(&self, config: &str) -> Result<()> {
        let dir = self.directory.dir();
        let known = self.old.as_ref().unwrap_or(&self.files);
        // Without its checkpoint and summary, a run that is half removed is not taken for a whole one.
        for first in ["summary.json", "checkpoint.bin"] {
            self.directory.remove(known, |file| file == first)?;
        }
        self.directory.remove(known, |file| known.lists(file) || known.lists_unfinished(file))?;
        self.directory.remove_empty(known);
        self.files.write(dir)?;
        self.write("config.toml", config)?;
        if self.has_contact {
            self.write(contacts::NAME, &format!("{}\n", contacts::HEADER))?;
        }
        if !self.probes.is_empty() {
            self.write(probes::NAME, &probes::header(&self.probes))?;
        }
        self.write("metrics.csv", &format!("{}\n", header(self.has_contact)))
    }

    /// Prepares the run to continue after `frame` and `step`. Removes leftovers, later rows of the metrics and contacts, and frames that
    /// the run no longer has (such as the last frame of a shorter run). A run that has lost frames or rows is refused.
    pub fn resume(&self, config: &str, frame: u64, step: u64) -> Result<()> {
        let metrics = self.directory.metrics();
        let text = read_regular(&metrics).map_err(|e| Error::io(Action::Read, &metrics, e))?;
        let columns = header(self.has_contact);
        let kept = rows_until(&String::from_utf8_lossy(&text), &columns, step).ok_or_else(|| {
            refusal(
                &metrics,
                &format!("does not have the rows of all {step} steps"),
                "start anew with --force",
            )
        })?;
        let touched = self.contacts_until(step)?;
        let probed = self.probes_until(step)?;
        self.refuse_lost(frame)?;
        let known = self.old.as_ref().map_or_else(|| self.files.clone(), |old| old.replaced_by(&self.files));
        let is_stale = |file: &str| {
            let was_written = self.old.as_ref().is_some_and(|old| old.lists(file));
            was_written && self.files.frame_number(file).is_some() && !self.files.lists(file)
        };
        let is_gone = |file: &str| file == "summary.json" || known.lists_unfinished(file) || is_stale(file);
        self.directory.remove(&known, is_gone)?;
        known.write(self.directory.dir())?;
        self.write("config.toml", config)?;
        if let Some(rows) = touched {
            self.write(contacts::NAME, &rows)?;
        }
        if let Some(rows) = probed {
            self.write(probes::NAME, &rows)?;
        }
        self.write("metrics.csv", &kept)
    }

    /// What `probes.csv` has up to `step`; `None` in scenes without probes.
    fn probes_until(&self, step: u64) -> Result<Option<String>> {
        if self.probes.is_empty() {
            return Ok(None);
        }
        let path = self.directory.path(probes::NAME);
        let text = read_regular(&path).map_err(|e| Error::io(Action::Read, &path, e))?;
        let rows = probes::rows_until(&String::from_utf8_lossy(&text), step);
        let reason = format!("does not have the rows of all {step} steps");
        rows.map(Some).ok_or_else(|| refusal(&path, &reason, "start anew with --force"))
    }

    /// What `contacts.csv` has up to `step`; `None` in scenes without contact.
    fn contacts_until(&self, step: u64) -> Result<Option<String>> {
        if !self.has_contact {
            return Ok(None);
        }
        let path = self.directory.contacts();
        let text = read_regular(&path).map_err(|e| Error::io(Action::Read, &path, e))?;
        Ok(Some(contacts::rows_until(&String::from_utf8_lossy(&text), step)))
    }

    /// Refuses a run whose frames up to this one are not all there.
    fn refuse_lost(&self, frame: u64) -> Result<()> {
        // A file may be empty after a loss of power.
        let is_whole =
            |file: &str| std::fs::metadata(self.directory.path(file)).is_ok_and(|found| found.len() > 0);
        let mut lost = (0..=frame)
            // The last frame of a shorter run need not be one of this run.
            .flat_map(|number| self.files.of_frame(number))
            .filter(|file| !file.starts_with("blender/") && !is_whole(file));
        let Some(first) = lost.next() else { return Ok(()) };
        let reason = format!(
            "{} files of frames that the run has written are not there or empty, such as {first}",
            1 + lost.count()
        );
        Err(refusal(self.directory.dir(), &reason, "put them back, or start anew with --force"))
    }

    fn write(&self, file: &str, text: &str) -> Result<()> {
        write_atomically(&self.directory.path(file), |out| std::io::Write::write_all(out, text.as_bytes()))
    }
}

/// A directory with a run that gets files of other formats.
#[derive(Debug)]
pub struct Extension {
    directory: RunDirectory,
    old: Manifest,
    _lock: Lock,
}

impl Extension {
    /// Locks a directory that has the list of a run's files; `None` for other directories.
    pub fn take(directory: RunDirectory) -> Result<Option<Extension>> {
        if Manifest::read(directory.dir())?.is_none() {
            return Ok(None);
        }
        let lock = Lock::take(directory.dir())?;
        let old = Manifest::read(directory.dir())?;
        Ok(old.map(|old| Extension { directory, old, _lock: lock }))
    }

    /// Refuses to write over files that are not the run's.
    pub fn check(&self, files: &Manifest) -> Result<()> {
        refuse_links(&self.directory, files)?;
        refuse_foreign(&self.directory, files, &self.old)
    }

    /// Removes the listed frames of the same names, so that no older ones stay between the new ones.
    pub fn remove_older(&self, files: &Manifest) -> Result<()> {
        self.directory.remove(files, |file| files.frame_number(file).is_some() && self.old.lists(file))
    }

    /// Adds files to the list, before they are written.
    pub fn add(&self, files: &Manifest, replace: bool) -> Result<()> {
        let all = if replace { self.old.replaced_by(files) } else { self.old.and(files) };
        all.write(self.directory.dir())
    }
}

fn refusal(path: &std::path::Path, reason: &str, hint: &str) -> Error {
    Error::Run { path: path.to_owned(), reason: reason.into(), hint: hint.into() }
}

/// Refuses bodies and obstacles whose surfaces would have the same files, such as `a-b` and surface `b` of `a`.
fn refuse_twins(scene: &Scene) -> Result<()> {
    let names = written_names(scene);
    let twin =
        (1..names.len()).find(|i| names::twin(names[..*i].iter().map(String::as_str), &names[*i]).is_some());
    twin.map_or(Ok(()), |i| {
        Err(Error::Usage {
            what: format!(
                "two bodies, surfaces or obstacles would have files of the same name '{}'",
                names[i]
            ),
            hint: "rename one of them".into(),
        })
    })
}

/// The header and the rows up to `step`; `None` if some are missing, or if the file has other columns.
fn rows_until(text: &str, header: &str, step: u64) -> Option<String> {
    let number = |row: &str| row.split(',').nth(1).and_then(|s| s.parse::<u64>().ok());
    let rows: Vec<&str> =
        text.lines().skip(1).take_while(|row| number(row).is_some_and(|s| s <= step)).collect();
    let is_whole = rows.iter().zip(1..).all(|(row, wanted)| number(row) == Some(wanted));
    let is_same = step == 0 || text.lines().next() == Some(header);
    (is_whole && is_same && rows.len() as u64 == step)
        .then(|| std::iter::once(header).chain(rows).flat_map(|row| [row, "\n"]).collect())
}

/// Checks what the directory holds.
fn check(
    directory: &RunDirectory,
    files: &Manifest,
    old: Option<&Manifest>,
    existing: Existing,
) -> Result<()> {
    let dir = directory.dir();
    if old.is_none() {
        if is_empty(directory)? {
            return Ok(());
        }
        let is_earlier = directory.checkpoint().is_file() && directory.config().is_file();
        if !is_earlier {
            return Err(refusal(dir, "holds files but no run of pliant", "choose another directory with -o"));
        }
        if existing == Existing::Replace {
            let reason = format!(
                "the run there has no {}, so that it cannot be told which files are its own",
                manifest::NAME
            );
            let hint = "move away what you need and delete the directory, or choose another one with -o";
            return Err(refusal(dir, &reason, hint));
        }
    }
    if existing == Existing::Refuse {
        let hint = "continue it with --resume, replace it with --force, or choose another one with -o";
        return Err(refusal(dir, "holds a run already", hint));
    }
    refuse_links(directory, files)?;
    old.map_or(Ok(()), |old| refuse_foreign(directory, files, old))
}

/// Refuses to write over files that the list of the run there does not have.
fn refuse_foreign(directory: &RunDirectory, files: &Manifest, old: &Manifest) -> Result<()> {
    let is_foreign =
        |(file, kind): &(String, FileType)| files.lists(file) && (kind.is_dir() || !old.lists(file));
    match directory.entries(files)?.into_iter().find(is_foreign) {
        Some((file, _)) => Err(refusal(
            &directory.path(&file),
            "is in the way of the run and is not one of its files",
            "move it away, or choose another directory with -o",
        )),
        None => Ok(()),
    }
}

/// Refuses directories of the run that are links or no directories.
fn refuse_links(directory: &RunDirectory, files: &Manifest) -> Result<()> {
    for sub in files.directories().iter().filter(|sub| !sub.is_empty()) {
        let path = directory.path(sub);
        if std::fs::symlink_metadata(&path).is_ok_and(|found| !found.is_dir()) {
            let reason = "is in the way of the run, which writes into directories of its own";
            return Err(refusal(&path, reason, "move it away, or choose another directory with -o"));
        }
    }
    Ok(())
}

fn is_empty(directory: &RunDirectory) -> Result<bool> {
    let dir = directory.dir();
    match std::fs::read_dir(dir) {
        Ok(mut entries) => Ok(entries.all(|entry| {
            let name = entry.map(|e| e.file_name()).unwrap_or_default();
            name == lock::NAME || unfinished(&name.to_string_lossy()).is_some()
        })),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(true),
        Err(e) => Err(Error::io(Action::List, dir, e)),
    }
}
