//! The end of the program after an error: its message and causes on stderr, and the exit code.

use std::error::Error as _;
use std::io::Write;
use std::process::ExitCode;

use super::{Global, log};
use crate::error::diagnostic::{Diagnostic, Place};
use crate::error::printable::{one_line, printable};
use crate::error::{Action, Error, Result};

/// Prints an error with the chain of its causes. Returns the exit code.
pub fn report(error: &Error, global: &Global) -> ExitCode {
    if global.log_format == log::Format::Json {
        log_fields(error);
    } else {
        // If this cannot be written, there is no way to report it.
        let _ = writeln!(std::io::stderr(), "{}", text(error, global.color.enabled()));
    }
    ExitCode::from(error.exit() as u8)
}

/// Logs an error with its fields, each fault of a config by itself.
fn log_fields(error: &Error) {
    let (code, exit) = (error.code(), error.exit() as u8);
    let Error::Config(faults) = error else {
        let file = error.file().map(|file| file.display().to_string());
        let place = match error {
            Error::Format { place, .. } => Some(place.as_str()).filter(|place| !place.is_empty()),
            _ => None,
        };
        tracing::error!(code, exit, file, place, "{}", with_causes(error));
        return;
    };
    for Diagnostic { file, place, key, message, hint } in &faults.0 {
        let (line, column, flag) = match place {
            Place::File => (None, None, None),
            Place::Flag(flag) => (None, None, Some(flag.as_str())),
            Place::Line(at) => (Some(at.line), Some(at.column), None),
        };
        let file = flag.is_none().then(|| file.display().to_string());
        tracing::error!(code, exit, file, line, column, flag, key, hint, "{message}");
    }
}

/// Prints help, or what is wrong with the command line. Returns 0 or 2.
pub fn report_usage(error: &clap::Error) -> ExitCode {
    if error.use_stderr() && log::wants_json(std::env::args_os().skip(1)) {
        log::init(&Global { log_format: log::Format::Json, ..Global::default() });
        let text = error.render().to_string();
        let message = text.trim_start_matches("error: ").lines().next().unwrap_or_default().trim_end();
        tracing::error!(code = "usage", exit = 2, details = text, "{message}");
        return ExitCode::from(2);
    }
    // The message repeats arguments. If a terminal would obey one of them, it is printed without colours and as escapes.
    let is_harmful =
        |argument: std::ffi::OsString| one_line(&argument.to_string_lossy()) != argument.to_string_lossy();
    // If this cannot be printed, there is no way to report it.
    let _ = if std::env::args_os().skip(1).any(is_harmful) && error.use_stderr() {
        std::io::stderr().write_all(printable(&error.render().to_string()).as_bytes())
    } else {
        error.print()
    };
    ExitCode::from(if error.use_stderr() { 2 } else { 0 })
}

/// The message for a terminal, beginning with `error:`.
fn text(error: &Error, colour: bool) -> String {
    match error {
        Error::Config(faults) => faults.render(colour),
        other if colour => format!("\x1b[1;31merror\x1b[0m: {}", with_causes(other)),
        other => format!("error: {}", with_causes(other)),
    }
}

/// The message, and one line for every cause behind it.
fn with_causes(error: &Error) -> String {
    // The faults of a config have several lines, and no control characters already.
    let mut text = match error {
        Error::Config(faults) => faults.to_string(),
        other => one_line(&other.to_string()).into_owned(),
    };
    let mut cause = error.source();
    while let Some(inner) = cause {
        text.push_str(&format!("\n  caused by: {}", one_line(&inner.to_string())));
        cause = inner.source();
    }
    text
}

/// Writes text to stdout, with control characters as escapes. If the reader has gone away (`pliant schema | head`), that is
/// not an error.
pub fn write_stdout(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(printable(text).as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Error::io(Action::Write, "standard output".as_ref(), error))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_follow_the_message() {
        let cause = std::io::Error::other("disk full");
        let error = Error::io(Action::Write, "a.vtu".as_ref(), cause);
        assert_eq!(text(&error, false), "error: cannot write a.vtu\n  caused by: disk full");
        assert!(error.exit() != crate::error::Exit::Usage);
    }
}
