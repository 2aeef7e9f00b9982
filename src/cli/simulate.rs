//! `pliant simulate`: runs a config and writes its frames.

use clap::Args;

use super::scene::SceneArgs;

/// Arguments of `pliant simulate`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  pliant simulate configs/cantilever.toml\n  pliant simulate configs/cantilever.toml \
                        --solver newton --frames 30 --set body.0.material.young=1e5 -o outputs/soft\n  pliant simulate \
                        configs/cantilever.toml --resume"
)]
pub struct SimulateArgs {
    /// The scene.
    #[command(flatten)]
    pub scene: SceneArgs,
    /// Go on with an interrupted run from its last whole frame.
    #[arg(long, conflicts_with = "force")]
    pub resume: bool,
    /// Overwrite an existing run directory.
    #[arg(long)]
    pub force: bool,
    /// Threads to use; default: one per core. Results do not depend on it.
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<usize>,
    /// Fail if a step ends with a gradient above TOL times its first norm.
    #[arg(long, value_name = "TOL", value_parser = parse_tolerance)]
    pub require_converged: Option<f64>,
}

/// Most threads that can be asked for.
const MOST_THREADS: usize = 4096;

/// A number of threads, at least 1.
pub(super) fn parse_threads(text: &str) -> Result<usize, String> {
    let count = text.parse::<usize>().ok().filter(|count| (1..=MOST_THREADS).contains(count));
    count.ok_or_else(|| format!("wants a whole number from 1 to {MOST_THREADS}"))
}

/// A tolerance above 0.
fn parse_tolerance(text: &str) -> Result<f64, String> {
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
                    --require-converged 1e-3 -o out";
        let args = parse(line).unwrap();
        let overrides = args.scene.overrides();
        assert_eq!(
            (overrides.set.as_slice(), overrides.frames),
            (&["a.b=1".into(), "c=x".into()][..], Some(7))
        );
        assert_eq!((overrides.solver.as_deref(), overrides.output), (Some("pd"), Some("out".into())));
        assert_eq!((args.threads, args.require_converged, args.force), (Some(2), Some(1e-3), true));
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
