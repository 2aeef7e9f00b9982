//! TetGen in a process of its own, with a limit of time and of memory.
//!
//! TetGen may crash, loop for ever or use all memory on a bad surface, and cannot run twice at once in one
//! process. The child process is `pliant` again, with TetGen compiled in and a hidden command, or the program
//! `tetgen` if `pliant` was built without it. Both read and write files in a directory that is removed
//! afterwards, and have the same exit codes.

use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::wire::{self, Cells};
use crate::io as formats;
use crate::mesh::Mesh;
use crate::meshing::Refusal;

/// The hidden command that makes a `pliant` the child process.
pub(super) const COMMAND: &str = "__tetgen";

/// The largest address space of the child, in bytes.
#[cfg(target_os = "linux")]
const MEMORY: u64 = 4 << 30;

/// The hint that is given when TetGen fails.
pub(super) const HINT: &str = "--method lattice fills any surface";

static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Sets the `pliant`, built with the feature `tetgen`, that is started to run TetGen. Later calls have no effect. The
/// program `pliant` names itself. If none is set, the program `tetgen` is looked for.
pub fn set_program(path: PathBuf) {
    // The first call has set it; later ones are ignored.
    let _ = PROGRAM.set(path);
}

/// Runs TetGen with these switches on a surface, until `deadline`. Corners of the result are in range.
pub(super) fn run(switches: &str, surface: &Mesh, deadline: Instant) -> Result<Cells<4>, Refusal> {
    let dir = tempfile::tempdir().map_err(|error| refuse(format!("there is no place for files: {error}")))?;
    match PROGRAM.get() {
        Some(program) => own(program, switches, surface, dir.path(), deadline),
        None => foreign(switches, surface, dir.path(), deadline),
    }
}

fn own(
    program: &Path,
    switches: &str,
    surface: &Mesh,
    dir: &Path,
    deadline: Instant,
) -> Result<Cells<4>, Refusal> {
    let [input, output] = ["surface", "tets"].map(|name| dir.join(name));
    fs::write(&input, wire::encode(&surface.points, &surface.triangles)).map_err(unwritten)?;
    let mut command = Command::new(program);
    finish(command.arg(COMMAND).arg(switches).args([&input, &output]), deadline)?;
    let cells = fs::read(&output).ok().and_then(|bytes| wire::decode(&bytes));
    cells.ok_or_else(|| refuse("TetGen gave nothing that can be read".into()))
}

/// Runs the program `tetgen`. It writes 16 digits, so points that differ from the surface's in the last digit
/// are replaced by them.
fn foreign(switches: &str, surface: &Mesh, dir: &Path, deadline: Instant) -> Result<Cells<4>, Refusal> {
    let input = dir.join("surface.smesh");
    let write = || {
        let mut out = BufWriter::new(File::create(&input)?);
        wire::write_smesh(&mut out, &surface.points, &surface.triangles)?;
        out.flush()
    };
    write().map_err(unwritten)?;
    let mut command = Command::new("tetgen");
    finish(command.arg(format!("-{switches}")).arg(&input), deadline)?;
    // If nothing is inside, there is no file of tets, though there may be one of points.
    let output = dir.join("surface.1.ele");
    if !output.exists() {
        return Ok((vec![], vec![]));
    }
    let mesh = formats::read(&output)
        .map_err(|error| refuse(format!("TetGen gave nothing that can be read: {error}")))?;
    let mut points = mesh.points;
    let near = |(a, b): (&[f64; 3], &[f64; 3])| (0..3).all(|i| (a[i] - b[i]).abs() <= 1e-15 * b[i].abs());
    if points.len() >= surface.points.len() && points.iter().zip(&surface.points).all(near) {
        points[..surface.points.len()].copy_from_slice(&surface.points);
    }
    Ok((points, mesh.tets))
}

/// Runs a command until it has ended successfully. Its output is ignored.
fn finish(command: &mut Command, deadline: Instant) -> Result<(), Refusal> {
    let start = Instant::now();
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(Refusal {
                reason: format!("TetGen is not here: there is no program {:?}", command.get_program()),
                hint: format!("build pliant with the feature 'tetgen', install the program, or: {HINT}"),
            });
        }
        Err(error) => return Err(refuse(format!("TetGen cannot be started: {error}"))),
    };
    limit(&child, deadline.saturating_duration_since(start));
    match wait(&mut child, deadline) {
        Ok(Some(status)) if status.success() => Ok(()),
        Ok(Some(status)) => Err(refuse(explain(status))),
        Ok(None) => Err(Refusal {
            reason: format!("TetGen was stopped after {:.0} s", start.elapsed().as_secs_f64()),
            hint: format!("ask for fewer cells, give it more time (--time-limit), or: {HINT}"),
        }),
        Err(error) => Err(refuse(format!("TetGen cannot be waited for: {error}"))),
    }
}

/// Waits until the deadline, then ends the child and returns `None`.
fn wait(child: &mut Child, deadline: Instant) -> io::Result<Option<ExitStatus>> {
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        sleep(pause.min(left));
        pause = (2 * pause).min(Duration::from_millis(50));
    }
}

/// Bounds the child's memory, and its processor time in case nobody is left to end it. Linux only.
#[cfg(target_os = "linux")]
fn limit(child: &Child, time: Duration) {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    let most = |amount| Rlimit { current: Some(amount), maximum: Some(amount) };
    let process = Some(Pid::from_child(child));
    for (resource, amount) in [(Resource::As, MEMORY), (Resource::Cpu, time.as_secs() + 10)] {
        // This fails if the child has ended, which needs no limit, or if the system refuses; the
        // deadline holds all the same.
        let _ = prlimit(process, resource, most(amount));
    }
}

#[cfg(not(target_os = "linux"))]
fn limit(_child: &Child, _time: Duration) {}

/// The reason for which TetGen ended.
fn explain(status: ExitStatus) -> String {
    match status.code() {
        Some(1) => "TetGen ran out of memory".into(),
        Some(3) => "TetGen found triangles that intersect each other".into(),
        Some(4) => "TetGen found features too small for its arithmetic".into(),
        Some(5) => "TetGen found triangles too close to each other".into(),
        Some(10) => "TetGen does not take it as a surface".into(),
        Some(code) => format!("TetGen failed (exit code {code})"),
        None => format!("TetGen crashed ({status})"),
    }
}

fn refuse(reason: String) -> Refusal {
    Refusal { reason, hint: HINT.into() }
}

fn unwritten(error: io::Error) -> Refusal {
    refuse(format!("the surface cannot be written for TetGen: {error}"))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn ended(script: &str, seconds: f64) -> Result<(), Refusal> {
        let deadline = Instant::now() + Duration::from_secs_f64(seconds);
        finish(Command::new("sh").args(["-c", script]), deadline)
    }

    #[test]
    fn every_end_of_the_child_is_told() {
        assert_eq!(ended("exit 0", 60.0), Ok(()));
        for (script, reason) in [
            ("exit 1", "out of memory"),
            ("exit 2", "failed (exit code 2)"),
            ("exit 3", "intersect"),
            ("exit 10", "does not take it"),
            ("kill -SEGV $$", "crashed (signal: 11"),
        ] {
            let refusal = ended(script, 60.0).unwrap_err();
            assert!(refusal.reason.contains(reason), "{script}: {}", refusal.reason);
            assert!(refusal.hint.contains("--method lattice"), "{}", refusal.hint);
        }
    }

    #[test]
    fn a_child_that_takes_too_long_is_ended() {
        let refusal = ended("sleep 1000", 0.05).unwrap_err();
        assert!(refusal.reason.contains("stopped after 0 s"), "{}", refusal.reason);
        assert!(refusal.hint.contains("--time-limit"), "{}", refusal.hint);
    }

    #[test]
    fn a_program_that_is_not_there_is_told() {
        let deadline = Instant::now() + Duration::from_secs(60);
        let refusal = finish(&mut Command::new("no-such-program"), deadline).unwrap_err();
        assert!(refusal.reason.contains("not here"), "{}", refusal.reason);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_memory_of_the_child_is_limited() {
        let shown = tempfile::tempdir().unwrap();
        let path = shown.path().join("limit");
        // The shell waits until the limit is set, and then shows it in KiB.
        ended(&format!("sleep 0.3; ulimit -v > '{}'", path.display()), 60.0).unwrap();
        assert_eq!(fs::read_to_string(path).unwrap().trim(), (MEMORY / 1024).to_string());
    }
}
