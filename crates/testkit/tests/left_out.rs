//! A test that is left out writes one line, and fails in CI. Each case is this program again, as a child: what
//! libtest captures and the environment are a process's own.

#![allow(clippy::unwrap_used, reason = "a test that fails panics")]

use std::process::{Command, Output};

use trunkline_testkit::{LEFT_OUT_FILE, leave_out};

/// Set in the child.
const PART: &str = "TRUNKLINE_TEST_LEFT_OUT_PART";
const LINE: &str = "left out: the_part: not a teapot\n";

#[test]
fn the_part() {
    if std::env::var_os(PART).is_some() {
        leave_out("not a teapot");
    }
}

/// Runs the part; returns what it writes, and the file.
fn run(ci: Option<&str>) -> (Output, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("left-out");
    let mut command = Command::new(std::env::current_exe().unwrap());
    // Two threads: with one, the test has no thread with its name.
    command.args(["--exact", "the_part", "--test-threads=2"]).env(PART, "1").env(LEFT_OUT_FILE, &file);
    command.env_remove("CI").envs(ci.map(|value| ("CI", value)));
    let output = command.output().unwrap();
    (output, std::fs::read_to_string(file).unwrap())
}

#[test]
fn outside_ci_it_writes_a_line_that_libtest_does_not_capture() {
    for ci in [None, Some(""), Some("false")] {
        let (output, file) = run(ci);
        assert!(output.status.success(), "{output:?}");
        assert_eq!((String::from_utf8(output.stderr).unwrap().as_str(), file.as_str()), (LINE, LINE));
    }
}

#[test]
fn in_ci_it_fails() {
    for ci in ["1", "true"] {
        let (output, file) = run(Some(ci));
        assert_eq!(output.status.code(), Some(101), "{output:?}");
        let words = String::from_utf8(output.stdout).unwrap();
        assert!(words.contains("in CI no test may be left out: not a teapot"), "{words}");
        assert_eq!(file, LINE);
    }
}
