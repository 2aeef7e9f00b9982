//! Messages on stderr: their number, their form and their colour.

use std::ffi::OsString;
use std::io::IsTerminal;

use clap::ValueEnum;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::fmt::format::debug_fn;

use super::Global;
use crate::error::printable::one_line;

/// The form of messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// One line per message, for people.
    #[default]
    Text,
    /// One JSON object per line, for programs.
    Json,
}

/// Whether messages are coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Colours in any case.
    Always,
    /// No colours at all.
    Never,
}

impl Color {
    /// True if messages on stderr are coloured.
    pub fn enabled(self) -> bool {
        match self {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
                let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
                std::io::stderr().is_terminal() && !set("NO_COLOR") && !dumb
            }
        }
    }
}

/// The lowest level that is shown.
fn level(global: &Global) -> LevelFilter {
    match (global.quiet, global.verbose) {
        (0, 0) => LevelFilter::INFO,
        (0, 1) => LevelFilter::DEBUG,
        (0, _) => LevelFilter::TRACE,
        (1, _) => LevelFilter::WARN,
        _ => LevelFilter::ERROR,
    }
}

/// Sends `tracing` events to stderr for the rest of the process; later calls have no effect.
pub fn init(global: &Global) {
    let builder = tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_max_level(level(global))
        // A run goes on when nobody reads its messages; the report of such a failure would be a panic.
        .log_internal_errors(false)
        .with_target(false);
    // Fields are for programs: people have all of it in the message.
    let text = debug_fn(|out, field, value| match field.name() {
        "message" => write!(out, "{}", one_line(&format!("{value:?}"))),
        _ => Ok(()),
    });
    // An error means that a subscriber is already set, which is as good.
    let _ = match global.log_format {
        Format::Json => builder.json().flatten_event(true).try_init(),
        Format::Text => builder.without_time().fmt_fields(text).with_ansi(global.color.enabled()).try_init(),
    };
}

/// True if a command line that cannot be parsed asks for JSON.
pub fn wants_json(arguments: impl Iterator<Item = OsString>) -> bool {
    let words: Vec<OsString> = arguments.collect();
    words.iter().any(|word| word == "--log-format=json")
        || words.windows(2).any(|pair| pair[0] == "--log-format" && pair[1] == "json")
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::super::Cli;
    use super::*;

    #[test]
    fn flags_choose_the_level() {
        let of = |flags: &[&str]| {
            let line = ["pliant", "schema"].iter().chain(flags);
            level(&Cli::try_parse_from(line).unwrap().global)
        };
        assert_eq!(of(&[]), LevelFilter::INFO);
        assert_eq!(of(&["-v"]), LevelFilter::DEBUG);
        assert_eq!(of(&["-vvv"]), LevelFilter::TRACE);
        assert_eq!(of(&["-q"]), LevelFilter::WARN);
        assert_eq!(of(&["-qq"]), LevelFilter::ERROR);
    }
}
