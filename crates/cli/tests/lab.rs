//! `trunkline lab` becomes the laboratory's program: the one beside it, else the one in PATH.

#![allow(clippy::unwrap_used, reason = "a test fails by panic")]

use crate::support;

use std::path::Path;
use std::process::Command;

use trunkline_testkit::{copy_program, write_program};

/// A program that prints its name and its arguments.
fn put_laboratory(folder: &Path) {
    let program = folder.join("trunkline-lab");
    write_program(&program, "#!/bin/sh\nprintf '%s\\n' \"$0\" \"$@\"\nexit 3\n");
}

/// The output and exit status of `trunkline lab`, installed in `folder`.
fn run(folder: &Path, path: &Path) -> (String, String, Option<i32>) {
    let program = folder.join("trunkline");
    if !program.exists() {
        copy_program(Path::new(env!("CARGO_BIN_EXE_trunkline")), &program);
    }
    let mut command = Command::new(program);
    let path = format!("{}:/usr/bin:/bin", path.display());
    let output =
        command.args(["lab", "du2001", "--quick", "--help", "-n", "--", "a b"]).env("PATH", path).output();
    let output = output.unwrap();
    let (out, err) = support::texts(&output);
    (out, err, output.status.code())
}

#[test]
fn the_laboratory_gets_the_arguments_and_gives_the_exit_status() {
    let (here, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    put_laboratory(elsewhere.path());
    let words = "du2001\n--quick\n--help\n-n\n--\na b\n";
    let (out, err, status) = run(here.path(), elsewhere.path());
    assert_eq!(out, format!("{}/trunkline-lab\n{words}", elsewhere.path().display()), "{err}");
    assert_eq!(status, Some(3));
    put_laboratory(here.path());
    let (out, ..) = run(here.path(), elsewhere.path());
    assert!(out.starts_with(&format!("{}/trunkline-lab\n", here.path().display())), "{out}");
}

#[test]
fn without_the_laboratory_the_error_says_how_to_get_it() {
    let here = tempfile::tempdir().unwrap();
    let (out, err, status) = run(here.path(), here.path());
    assert_eq!((out.as_str(), status), ("", Some(1)));
    assert!(err.contains("cargo build --release -p trunkline-lab"), "{err}");
}
