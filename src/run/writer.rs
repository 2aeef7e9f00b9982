//! The thread that writes frames, then their metrics rows, and then the checkpoint that names both.
//!
//! That order makes a run killed at any moment resumable: whatever the checkpoint names is on disk. The queue
//! is short, so that a slow disk slows the simulation down instead of filling the memory.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
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

/// The handle of the running thread.
pub struct Writer {
    sender: SyncSender<Job>,
    thread: JoinHandle<Result<Duration>>,
}

impl Writer {
    /// Starts the thread that writes.
    pub fn start(mut sinks: Vec<Box<dyn FrameSink>>, metrics: PathBuf, checkpoint: PathBuf) -> Writer {
        let (sender, receiver) = sync_channel::<Job>(QUEUE);
        let thread = std::thread::spawn(move || {
            let mut busy = Duration::ZERO;
            for job in receiver {
                let start = Instant::now();
                if let Some(frame) = &job.frame {
                    sinks.iter_mut().try_for_each(|sink| sink.write(frame))?;
                }
                append(&metrics, &job.rows)?;
                job.checkpoint.write(&checkpoint)?;
                busy += start.elapsed();
            }
            let start = Instant::now();
            sinks.iter_mut().try_for_each(|sink| sink.finish())?;
            Ok(busy + start.elapsed())
        });
        Writer { sender, thread }
    }

    /// Hands a job over; waits while the queue is full. Returns false if the thread has failed:
    /// [`Writer::finish`] then tells why.
    pub fn send(&self, job: Job) -> bool {
        self.sender.send(job).is_ok()
    }

    /// Waits until everything is written; returns how long the thread was busy, or its failure.
    pub fn finish(self) -> Result<Duration> {
        drop(self.sender);
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
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
