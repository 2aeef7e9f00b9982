//! A sweep on this machine: a child process for each case, several at a time.
//!
//! Children are in process groups of their own, so that Ctrl-C reaches them through this process alone: each ends after its
//! frame with a checkpoint. A child that was killed is started again, up to a number of times; one that fails is told at the end
//! and stops no other. Children of a sweep that was killed itself go on to their ends; the next sweep waits for them.

use std::collections::{BTreeMap, VecDeque};
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::{State, Sweep};
use crate::config::Loaded;
use crate::error::{Action, Error, Exit, Result};
use crate::fs::open_regular;

/// The time between two looks at a request to stop, and at cases that other processes are at.
const LOOK: Duration = Duration::from_millis(20);

/// How a sweep is run.
#[derive(Clone, Debug)]
pub struct Wishes {
    /// The program that simulates.
    pub program: PathBuf,
    /// Its arguments before those of a case: global flags.
    pub flags: Vec<String>,
    /// Its arguments after those of a case, such as demands on the quality.
    pub demands: Vec<String>,
    /// Cases at a time.
    pub jobs: usize,
    /// How often a case that was killed is started again.
    pub retries: u32,
}

/// How a case ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All frames are there.
    Done,
    /// All frames are there, but a demanded quality is missed.
    Missed,
    /// It failed; the last line that its program wrote.
    Failed(String),
    /// It was told to stop.
    Stopped,
}

/// The endings of the cases that ran, by their numbers; cases that were done already are not among them.
pub type Endings = BTreeMap<usize, Ending>;

/// What is told while a sweep runs.
pub trait Progress: Sync {
    /// Another case has ended, of so many in all.
    fn ended(&self, endings: &Endings, total: usize);
    /// A case was killed and is started again.
    fn again(&self, case: &str);
}

/// What the threads share.
struct Desk<'a> {
    sweep: &'a Sweep,
    wishes: &'a Wishes,
    loaded: &'a [Loaded],
    stop: &'a AtomicBool,
    progress: &'a dyn Progress,
    /// The number of cases that were not done at the start.
    total: usize,
    queue: Mutex<VecDeque<(usize, u32)>>,
    running: Mutex<BTreeMap<usize, u32>>,
    endings: Mutex<Endings>,
}

/// Runs the cases that are not done yet. Ends early once `stop` is set.
pub fn run(
    sweep: &Sweep,
    loaded: &[Loaded],
    wishes: &Wishes,
    stop: &AtomicBool,
    progress: &dyn Progress,
) -> Result<Endings> {
    let logs = sweep.directory.join("logs");
    std::fs::create_dir_all(&logs).map_err(|e| Error::io(Action::CreateDirectory, &logs, e))?;
    let is_open = |i: &usize| State::of(&loaded[*i]) != State::Done;
    let pending: VecDeque<(usize, u32)> = (0..loaded.len()).filter(is_open).map(|i| (i, 0)).collect();
    let desk = Desk {
        sweep,
        wishes,
        loaded,
        stop,
        progress,
        total: pending.len(),
        queue: Mutex::new(pending),
        running: Mutex::default(),
        endings: Mutex::default(),
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..wishes.jobs.max(1)).map(|_| scope.spawn(|| desk.work())).collect();
        let mut told = false;
        while workers.iter().any(|worker| !worker.is_finished()) {
            if stop.load(Ordering::Relaxed) && !told {
                desk.running.lock().expect("no thread panics with it").values().for_each(|id| end(*id));
                told = true;
            }
            std::thread::sleep(LOOK);
        }
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })?;
    Ok(desk.endings.into_inner().expect("no thread panics with it"))
}

impl Desk<'_> {
    /// Runs cases until there are none.
    fn work(&self) -> Result<()> {
        loop {
            let next = self.queue.lock().expect("no thread panics with it").pop_front();
            let Some((i, tries)) = next else { return Ok(()) };
            let ending = if self.stop.load(Ordering::Relaxed) {
                Ending::Stopped
            } else {
                match State::of(&self.loaded[i]) {
                    State::Busy => {
                        // Another process is at it, such as a child of a sweep that was killed.
                        self.queue.lock().expect("no thread panics with it").push_back((i, tries));
                        std::thread::sleep(LOOK);
                        continue;
                    }
                    State::Done => Ending::Done,
                    State::Other(keys) => Ending::Failed(format!(
                        "its directory has a run with other values: {keys}; move it away or change output"
                    )),
                    State::Absent | State::Begun => match self.simulate(i)? {
                        None if tries < self.wishes.retries => {
                            self.progress.again(&self.sweep.cases[i].name);
                            self.queue.lock().expect("no thread panics with it").push_back((i, tries + 1));
                            continue;
                        }
                        None => Ending::Failed(format!("was killed {} times", tries + 1)),
                        Some(ending) => ending,
                    },
                }
            };
            let mut endings = self.endings.lock().expect("no thread panics with it");
            endings.insert(i, ending);
            self.progress.ended(&endings, self.total);
        }
    }

    /// Runs one case to its end; `None` if it was killed.
    fn simulate(&self, i: usize) -> Result<Option<Ending>> {
        let case = &self.sweep.cases[i];
        let path = self.sweep.log_of(case);
        let io = |action: Action, path: &Path| {
            let path = path.to_owned();
            move |e: std::io::Error| Error::io(action, &path, e)
        };
        let log = open_regular(&path, OpenOptions::new().create(true).append(true))
            .map_err(io(Action::Create, &path))?;
        let mut command = Command::new(&self.wishes.program);
        command.args(&self.wishes.flags).args(self.sweep.arguments(case)).args(&self.wishes.demands);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(io(Action::Find, &self.wishes.program))?;
        self.running.lock().expect("no thread panics with it").insert(i, child.id());
        if self.stop.load(Ordering::Relaxed) {
            // The others were told before this one was among them.
            end(child.id());
        }
        let status = child.wait();
        self.running.lock().expect("no thread panics with it").remove(&i);
        let status = status.map_err(io(Action::Find, &self.wishes.program))?;
        let is_asked = self.stop.load(Ordering::Relaxed);
        Ok(match status.code() {
            Some(0) => Some(Ending::Done),
            Some(code) if code == Exit::Missed as i32 => Some(Ending::Missed),
            Some(code) if code == Exit::Interrupted as i32 => is_asked.then_some(Ending::Stopped),
            Some(code) => Some(Ending::Failed(last_error(&path, code))),
            None => is_asked.then_some(Ending::Stopped),
        })
    }
}

/// Asks a process to end after its frame.
fn end(id: u32) {
    #[cfg(unix)]
    if let Some(pid) = i32::try_from(id).ok().and_then(rustix::process::Pid::from_raw) {
        // A process that has ended in the meantime needs no request.
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
    }
    #[cfg(not(unix))]
    let _ = id;
}

/// The last error of a log, or the exit code.
fn last_error(log: &Path, code: i32) -> String {
    let text = std::fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let line = text.lines().rev().find_map(|line| line.trim().strip_prefix("error: "));
    line.map_or_else(|| format!("exit code {code}, see {}", log.display()), str::to_owned)
}
