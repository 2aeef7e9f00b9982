//! `pliant simulate`: runs a config and writes its frames.

use std::path::Path;

use clap::Args;

use super::Global;
use super::intersections::shown;
use super::progress::{self, Reporter};
use super::scene::SceneArgs;
use super::signals::stop_on_interrupt;
use super::threads::ThreadArgs;
use crate::error::{Error, Result};
use crate::model::locking;
use crate::run::claim::Existing;
use crate::run::directory::RunDirectory;
use crate::run::execute::{RunReport, Wishes, run};
use crate::scene::{FrameFormat, Scene};

/// Arguments of `pliant simulate`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  pliant simulate configs/cantilever.toml\n  pliant simulate configs/cantilever.toml \
                        --solver newton --frames 30 --set body.0.material.young=1e5 -o outputs/soft\n  pliant simulate \
                        configs/cantilever.toml --resume"
)]
pub struct SimulateArgs {
    /// The config with its overrides.
    #[command(flatten)]
    pub scene: SceneArgs,
    /// Go on with an interrupted run from its last whole frame.
    #[arg(long, conflicts_with = "force")]
    pub resume: bool,
    /// Overwrite an existing run directory.
    #[arg(long)]
    pub force: bool,
    /// Wait for the disk before every checkpoint, so that a loss of power takes no frame.
    #[arg(long)]
    pub sync: bool,
    /// The number of threads.
    #[command(flatten)]
    pub threads: ThreadArgs,
    /// Fail if a step ends with a gradient above TOL times its first norm.
    #[arg(long, value_name = "TOL", value_parser = parse_tolerance)]
    pub require_converged: Option<f64>,
    /// Fail if frames have inverted or crushed cells, or steps end with energy from nowhere.
    #[arg(long)]
    pub require_sound: bool,
}

impl SimulateArgs {
    /// Runs the scene.
    pub fn run(&self, global: &Global) -> Result<()> {
        let loaded = self.scene.load(global)?;
        let existing = match (self.resume, self.force) {
            (true, _) => Existing::Resume,
            (_, true) => Existing::Replace,
            _ => Existing::Refuse,
        };
        let stop = stop_on_interrupt();
        let mut reporter = Reporter::new(global);
        let wishes = Wishes { existing, sync: self.sync, must_converge: self.require_converged.is_some() };
        let report = run(&loaded, &global.cache(), wishes, &stop, &mut reporter);
        let report = shown(report, &loaded.scene);
        reporter.close();
        if let Err(Error::Io { source, .. }) = &report
            && let Some(hint) = way_out(source.kind())
        {
            tracing::warn!(code = "disk", "{hint}, then continue with --resume");
        }
        let report = report?;
        self.conclude(&report)?;
        if global.is_for_a_person() {
            next_steps(&report.directory, &loaded.scene).iter().for_each(|line| tracing::info!("{line}"));
        }
        Ok(())
    }

    fn conclude(&self, report: &RunReport) -> Result<()> {
        let dir = report.directory.dir().display();
        let ms = 1e3 * report.seconds.per_frame;
        tracing::info!(frames = report.frames, ms_per_frame = ms, "{}", closing_line(report));
        if let Some(text) = progress::describe_refactors(&report.refactors) {
            tracing::info!("{text}");
        }
        if let Some(note) = &report.solver_note {
            tracing::info!("{note}");
        }
        if let Some(warning) = report.convergence_warning() {
            let (worst, step) = (report.convergence.worst, report.convergence.worst_step);
            tracing::warn!(code = "unconverged", step, worst, "{warning}");
        }
        let unsound = report.soundness.warning(report.substeps);
        if let Some(warning) = &unsound {
            tracing::warn!(code = "unsound", status = report.soundness.status(), "{warning}");
        }
        for (body, factor) in &report.too_stiff {
            tracing::warn!(code = "too-stiff", body, factor, "{}", locking::describe(body, *factor));
        }
        if report.is_interrupted() {
            return Err(Error::Interrupted {
                what: format!("interrupted after frame {} of {}", report.frames, report.wanted),
                hint: "continue with --resume, and without --force".into(),
            });
        }
        let record = &report.convergence;
        match self.require_converged {
            Some(tolerance) if record.worst > tolerance => Err(Error::Missed {
                what: format!(
                    "{dir}: step {} ended with {:.3e} of its first gradient, above the required {tolerance:e}",
                    record.worst_step, record.worst
                ),
                hint: format!("set solver.tolerance = {tolerance:e}, with enough solver.iterations"),
            }),
            _ if self.require_sound && unsound.is_some() => Err(Error::Missed {
                what: format!("{dir}: the run is not sound ({})", report.soundness.status()),
                hint: "leave out --require-sound to accept it".into(),
            }),
            _ => Ok(()),
        }
    }
}

/// Commands that show a run, each with the program that it needs.
fn next_steps(directory: &RunDirectory, scene: &Scene) -> Vec<String> {
    let dir = directory.dir();
    let shown = |path: &Path| {
        let text = path.display().to_string();
        let is_plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "/\\._-:".contains(c));
        if is_plain { text } else { format!("\"{text}\"") }
    };
    let has = |wanted: &[FrameFormat]| scene.output.formats.iter().any(|format| wanted.contains(format));
    let mut lines = vec![format!("look at it in a browser: pliant preview {}", shown(dir))];
    if has(&[FrameFormat::Pc2, FrameFormat::Mdd, FrameFormat::Usd, FrameFormat::Obj, FrameFormat::Ply]) {
        let script = dir.join("import_blender.py");
        lines
            .extend(script.exists().then(|| format!("in Blender: blender -P {} -- --scene", shown(&script))));
    }
    if has(&[FrameFormat::Vtu]) {
        lines.push(format!("in ParaView: paraview {}", shown(&dir.join(format!("{}.pvd", scene.name)))));
    }
    lines
}

/// What is to be done if there is no space for a file.
fn way_out(kind: std::io::ErrorKind) -> Option<&'static str> {
    use std::io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    match kind {
        StorageFull => Some("the disk is full; what is there is whole: make space"),
        QuotaExceeded => Some("your share of the disk is full; what is there is whole: make space"),
        FileTooLarge => {
            Some("a file would be larger than allowed here; what is there is whole: raise 'ulimit -f'")
        }
        _ => None,
    }
}

/// The closing line: frames, seconds, milliseconds per frame, cache.
fn closing_line(report: &RunReport) -> String {
    format!(
        "{} frames in {:.2} s, {:.1} ms per frame, cache {}, written to {}",
        report.simulated,
        report.seconds.total,
        report.seconds.per_frame * 1e3,
        if report.cache_hit { "hit" } else { "miss" },
        report.directory.dir().display(),
    )
}

/// Reads a tolerance above 0.
pub(super) fn parse_tolerance(text: &str) -> Result<f64, String> {
    let tolerance = text.parse::<f64>().ok().filter(|tolerance| *tolerance > 0.0 && tolerance.is_finite());
    tolerance.ok_or_else(|| "wants a number above 0, such as 1e-3".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: SimulateArgs,
    }

    fn parse(line: &str) -> Result<SimulateArgs, clap::Error> {
        Line::try_parse_from(std::iter::once("simulate").chain(line.split(' '))).map(|line| line.args)
    }

    #[test]
    fn all_flags_are_read() {
        let line = "a.toml --solver pd --set a.b=1 --set c=x --frames 7 --force --threads 2 \
                    --require-converged 1e-3 --require-sound -o out";
        let args = parse(line).unwrap();
        let overrides = args.scene.overrides();
        assert_eq!(
            (overrides.set.as_slice(), overrides.frames),
            (&["a.b=1".into(), "c=x".into()][..], Some(7))
        );
        assert_eq!((overrides.solver.as_deref(), overrides.output), (Some("pd"), Some("out".into())));
        assert_eq!((args.threads.threads, args.require_converged, args.force), (Some(2), Some(1e-3), true));
    }

    #[test]
    fn the_next_steps_have_the_paths_of_the_run() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path().join("my run");
        std::fs::create_dir(&place).unwrap();
        let run = RunDirectory::new(&place, "bar");
        let scene = Scene::new("bar").output(&place, &[FrameFormat::Vtu, FrameFormat::Pc2]);
        let lines = next_steps(&run, &scene);
        assert!(
            lines.len() == 2 && lines[0].ends_with("my run\""),
            "no script, and spaces are quoted: {lines:?}"
        );
        assert!(lines[1].ends_with("bar.pvd\""), "{lines:?}");
        std::fs::write(place.join("import_blender.py"), "").unwrap();
        assert!(next_steps(&run, &scene)[1].contains("import_blender.py"));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for line in [
            "a.toml --threads 0",
            "a.toml --threads x",
            "a.toml --require-converged 0",
            "a.toml --require-converged nan",
            "a.toml --resume --force",
            "a.toml --frames -1",
            "--force",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
