//! The program `trunkline-lab`: its help and its exit status.

#![allow(clippy::unwrap_used, reason = "a test fails by panic")]

use std::process::{Command, Output};

fn lab(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_trunkline-lab")).args(arguments).output().unwrap()
}

#[test]
fn help_shows_the_command_as_a_user_types_it() {
    let output = lab(&["du2001", "--help"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && text.contains("Usage: trunkline lab du2001"), "{text}");
}

#[test]
fn a_mistake_on_the_command_line_exits_with_2() {
    for (arguments, says) in [
        (&["du2001", "--gsoap", "x"][..], "Usage: trunkline lab du2001"),
        (&["du2001", "table-99"], "there is no `table-99` in this experiment"),
        (&["nothing"], "unrecognized subcommand 'nothing'"),
    ] {
        let output = lab(arguments);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(says), "{text}");
    }
}

#[test]
fn samples_that_are_not_there_are_an_error() {
    let output = lab(&["du2001", "--analyse", "/nonexistent"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.starts_with("trunkline lab: cannot read /nonexistent"), "{text}");
}

#[test]
fn every_experiment_has_a_page_and_completions() {
    let share = tempfile::tempdir().unwrap();
    assert!(lab(&["manual", share.path().to_str().unwrap()]).status.success());
    for file in [
        "man/man1/trunkline-lab.1",
        "man/man1/trunkline-lab-du2001.1",
        "bash-completion/completions/trunkline-lab",
    ] {
        assert!(share.path().join(file).is_file(), "{file}");
    }
}
