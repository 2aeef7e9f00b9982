//! The thread that writes frames, then their metrics rows, and now and then the checkpoint that names both.
//!
//! A checkpoint is written only after everything that it names, so that a run that is killed at any moment can be resumed.
//! It is synced to the disk; if that was asked for, all that it names is synced before, so that a loss of power takes no
//! frame either. Waiting for the disk may take longer than a frame. It is therefore done as often as it takes a fiftieth of
//! the time, and at the end; a killed run computes the frames since then again. The queue is short, so that a slow disk
//! slows the simulation down instead of filling the memory.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::directory::RunDirectory;
use super::manifest::Manifest;
use super::{Frame, FrameSink, probes};
use crate::error::{Action, Error, Result};
use crate::fs::{open_regular, sync, sync_directory};
use crate::run::checkpoint::Checkpoint;

/// The number of frames that may wait to be written.
const QUEUE: usize = 2;

/// The time between two checkpoints, in times of what the last one took.
const REST: u32 = 50;

/// The data of one frame for the writer.
pub struct Job {
    /// The frame, if it is one of those that are written.
    pub frame: Option<Frame>,
    /// The rows of `metrics.csv`, each with its newline.
    pub rows: String,
    /// The rows of `contacts.csv`, likewise; none in scenes without contact.
    pub contacts: String,
    /// The rows of `probes.csv`, likewise; none in scenes without probes.
    pub probes: String,
    /// The state of the simulation after the frame.
    pub checkpoint: Checkpoint,
}

/// What writes frames: a thread of its own or, if the system gives none, whoever hands them over.
pub struct Writer(Way);

enum Way {
    Thread { sender: SyncSender<Job>, thread: JoinHandle<Result<Duration>> },
    Here(RefCell<Box<Desk>>),
}

impl Writer {
    /// Starts the thread that writes the listed files of a run; with `sync`, all of them are synced before a checkpoint.
    pub fn start(
        sinks: Vec<Box<dyn FrameSink>>,
        directory: RunDirectory,
        files: Manifest,
        sync: bool,
    ) -> Writer {
        let (sender, receiver) = sync_channel::<Job>(QUEUE);
        let desk = Desk {
            sinks,
            directory,
            files,
            sync,
            open: BTreeSet::new(),
            last: None,
            synced: None,
            busy: Duration::ZERO,
            failure: None,
        };
        // A thread that cannot be started must not take the desk with it.
        let desk = Arc::new(Mutex::new(Some(desk)));
        let own = desk.clone();
        let take = |from: &Mutex<Option<Desk>>| from.lock().ok().and_then(|mut desk| desk.take());
        let thread = std::thread::Builder::new().name("writer".into()).spawn(move || {
            let mut desk = take(&own).expect("a desk that nobody has taken");
            receiver.into_iter().all(|job| desk.take(job));
            desk.finish()
        });
        match thread {
            Ok(thread) => Writer(Way::Thread { sender, thread }),
            Err(_) => Writer(Way::Here(RefCell::new(Box::new(take(&desk).expect("no thread has taken it"))))),
        }
    }

    /// Hands a job over; waits while the queue is full. Returns false if writing has failed: [`Writer::finish`] then
    /// tells why.
    pub fn send(&self, job: Job) -> bool {
        match &self.0 {
            Way::Thread { sender, .. } => sender.send(job).is_ok(),
            Way::Here(desk) => desk.borrow_mut().take(job),
        }
    }

    /// Waits until everything is written; returns how long writing took, or its failure.
    pub fn finish(self) -> Result<Duration> {
        match self.0 {
            Way::Thread { sender, thread } => {
                drop(sender);
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            }
            Way::Here(desk) => desk.into_inner().finish(),
        }
    }
}

/// What writes frames, rows and checkpoints.
struct Desk {
    sinks: Vec<Box<dyn FrameSink>>,
    directory: RunDirectory,
    files: Manifest,
    sync: bool,
    /// The files of frames that are written but not synced.
    open: BTreeSet<String>,
    /// The state after the last whole frame, if it is not on the disk.
    last: Option<Checkpoint>,
    /// When the last checkpoint was on the disk, and how long that took.
    synced: Option<(Instant, Duration)>,
    /// How long writing took so far.
    busy: Duration,
    /// The first failure.
    failure: Option<Error>,
}

impl Desk {
    /// Writes a job; false if that, or one before it, has failed.
    fn take(&mut self, job: Job) -> bool {
        let start = Instant::now();
        if self.failure.is_none() {
            self.failure = self.write(job).err();
        }
        self.busy += start.elapsed();
        self.failure.is_none()
    }

    /// Ends all files and returns how long writing took.
    fn finish(mut self) -> Result<Duration> {
        let start = Instant::now();
        // After a failure too: the frames before it are whole. The first failure is the one to report.
        let settled = self.settle();
        self.failure.take().map_or(settled, Err)?;
        self.sinks.iter_mut().try_for_each(|sink| sink.finish())?;
        self.sync()?;
        Ok(self.busy + start.elapsed())
    }

    fn write(&mut self, job: Job) -> Result<()> {
        if let Some(frame) = &job.frame {
            self.sinks.iter_mut().try_for_each(|sink| sink.write(frame))?;
        }
        append(&self.directory.metrics(), &job.rows)?;
        append(&self.directory.contacts(), &job.contacts)?;
        append(&self.directory.path(probes::NAME), &job.probes)?;
        if self.sync {
            self.open.extend(self.files.of_frame(job.checkpoint.frame));
        }
        self.last = Some(job.checkpoint);
        match self.synced {
            Some((at, took)) if at.elapsed() < REST * took => Ok(()),
            _ => self.settle(),
        }
    }

    /// Writes the checkpoint of all that is written.
    fn settle(&mut self) -> Result<()> {
        let Some(checkpoint) = &self.last else { return Ok(()) };
        let start = Instant::now();
        self.sync()?;
        checkpoint.write(&self.directory.checkpoint())?;
        self.open.clear();
        self.last = None;
        self.synced = Some((Instant::now(), start.elapsed()));
        Ok(())
    }

    /// Puts all that is written on the disk, if that was asked for.
    fn sync(&self) -> Result<()> {
        if !self.sync {
            return Ok(());
        }
        let frames = self.open.iter().map(String::as_str);
        for file in self.files.files().chain([super::manifest::NAME]).chain(frames) {
            sync(&self.directory.path(file))?;
        }
        let directories = self.files.directories();
        let paths = directories.iter().map(|sub| self.directory.path(sub)).filter(|path| path.is_dir());
        paths.into_iter().try_for_each(|path| sync_directory(&path))
    }
}

/// Appends whole rows or none: neither a killed process nor a full disk leaves half a row.
fn append(path: &Path, rows: &str) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let write = || {
        let mut file = open_regular(path, OpenOptions::new().append(true))?;
        let length = file.metadata()?.len();
        file.write_all(rows.as_bytes()).inspect_err(|_| {
            // The first failure is the one to report.
            let _ = file.set_len(length);
        })
    };
    write().map_err(|e| Error::io(Action::Write, path, e))
}
