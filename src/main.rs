//! The `pliant` binary: everything is in [`pliant::cli`].

use std::process::ExitCode;

#[global_allocator]
static MEMORY: pliant::cli::allocator::Allocator = pliant::cli::allocator::Allocator;

fn main() -> ExitCode {
    pliant::cli::main()
}
