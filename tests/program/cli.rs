//! The real binary: what it prints, where, and how it ends.

use std::process::{Command, Output};

fn pliant(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pliant")).args(arguments).output().expect("the binary runs")
}

#[test]
fn the_schema_is_json_on_stdout() {
    let output = pliant(&["schema"]);
    assert!(output.status.success() && output.stderr.is_empty());
    let schema: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(schema["title"], "pliant config");
}

#[test]
fn every_shell_gets_its_completions() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = pliant(&["completions", shell]);
        assert!(output.status.success() && output.stdout.len() > 500, "{shell}");
    }
}

#[test]
fn bad_usage_ends_with_2_and_help_with_0() {
    for arguments in [&["completions", "nosuchshell"][..], &["nosuchcommand"], &["--nosuchflag"], &[]] {
        let output = pliant(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty());
    }
    assert_eq!(pliant(&["--help"]).status.code(), Some(0));
    assert!(String::from_utf8(pliant(&["--version"]).stdout).unwrap().starts_with("pliant "));
}
