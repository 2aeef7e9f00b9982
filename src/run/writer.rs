//! The thread that writes frames, then their metrics rows, and then the checkpoint that names both.
//!
//! That order makes a run killed at any moment resumable: whatever the checkpoint names is on disk. The queue
//! is short, so that a slow disk slows the simulation down instead of filling the memory.

use std::cell::RefCell;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::{Frame, FrameSink};
use crate::error::{Action, Error, Result};
use crate::run::checkpoint::Checkpoint;

/// The number of frames that may wait to be written.
const QUEUE: usize = 2;

/// The data of one frame for the writer.
pub struct Job {
    /// The frame, if it is one of those that are written.
    pub frame: Option<Frame>,
    /// The rows of `metrics.csv`, each with its newline.
    pub rows: String,
    /// The state of the simulation after the frame.
    pub checkpoint: Checkpoint,
}

/// What writes frames: a thread of its own or, if the system gives none, whoever hands them over.
pub struct Writer(Way);

enum Way {
    Thread { sender: SyncSender<Job>, thread: JoinHandle<Result<Duration>> },
    Here(RefCell<Result<Scribe>>),
}

impl Writer {
    /// Starts the thread that writes.
    pub fn start(sinks: Vec<Box<dyn FrameSink>>, metrics: PathBuf, checkpoint: PathBuf) -> Writer {
        let (sender, receiver) = sync_channel::<Job>(QUEUE);
        let scribe = Scribe { sinks, metrics, checkpoint, busy: Duration::ZERO };
        // A thread that cannot be started must not take the scribe with it.
        let scribe = Arc::new(Mutex::new(Some(scribe)));
        let own = scribe.clone();
        let take = |from: &Mutex<Option<Scribe>>| from.lock().ok().and_then(|mut scribe| scribe.take());
        let thread = std::thread::Builder::new().name("writer".into()).spawn(move || {
            let mut scribe = take(&own).expect("a scribe that nobody has taken");
            receiver.into_iter().try_for_each(|job| scribe.write(&job))?;
            scribe.finish()
        });
        match thread {
            Ok(thread) => Writer(Way::Thread { sender, thread }),
            Err(_) => Writer(Way::Here(RefCell::new(Ok(take(&scribe).expect("no thread has taken it"))))),
        }
    }

    /// Hands a job over; waits while the queue is full. Returns false if writing has failed: [`Writer::finish`] then
    /// tells why.
    pub fn send(&self, job: Job) -> bool {
        match &self.0 {
            Way::Thread { sender, .. } => sender.send(job).is_ok(),
            Way::Here(scribe) => {
                let written = scribe.borrow_mut().as_mut().map_or(Ok(()), |scribe| scribe.write(&job));
                if let Err(error) = written {
                    *scribe.borrow_mut() = Err(error);
                }
                scribe.borrow().is_ok()
            }
        }
    }

    /// Waits until everything is written; returns how long writing took, or its failure.
    pub fn finish(self) -> Result<Duration> {
        match self.0 {
            Way::Thread { sender, thread } => {
                drop(sender);
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            }
            Way::Here(scribe) => scribe.into_inner()?.finish(),
        }
    }
}

/// Writes frames, rows and checkpoints.
struct Scribe {
    sinks: Vec<Box<dyn FrameSink>>,
    metrics: PathBuf,
    checkpoint: PathBuf,
    busy: Duration,
}

impl Scribe {
    fn write(&mut self, job: &Job) -> Result<()> {
        let start = Instant::now();
        if let Some(frame) = &job.frame {
            self.sinks.iter_mut().try_for_each(|sink| sink.write(frame))?;
        }
        append(&self.metrics, &job.rows)?;
        job.checkpoint.write(&self.checkpoint)?;
        self.busy += start.elapsed();
        Ok(())
    }

    /// Ends all files and returns how long writing took.
    fn finish(mut self) -> Result<Duration> {
        let start = Instant::now();
        self.sinks.iter_mut().try_for_each(|sink| sink.finish())?;
        Ok(self.busy + start.elapsed())
    }
}

/// Appends whole rows or none: neither a killed process nor a full disk leaves half a row.
fn append(metrics: &Path, rows: &str) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let write = || {
        let mut file = OpenOptions::new().append(true).open(metrics)?;
        let length = file.metadata()?.len();
        file.write_all(rows.as_bytes()).inspect_err(|_| {
            // The first failure is the one to report.
            let _ = file.set_len(length);
        })
    };
    write().map_err(|e| Error::io(Action::Write, metrics, e))
}
