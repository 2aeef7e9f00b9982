//! The `pliant` binary: everything is in [`pliant::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    pliant::cli::main()
}
