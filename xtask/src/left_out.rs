//! Tests that could not run on this machine. `trunkline_testkit::leave_out` appends a line for each to a file; the end
//! of `cargo xtask ci` sums them up, so that nobody takes a green run for a complete one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use crate::command;
use crate::outcome::Outcome;
use crate::workspace::Workspace;

/// The variable with the path of the file; testkit has the same name.
pub const VARIABLE: &str = "TRUNKLINE_LEFT_OUT";

/// The file.
pub fn file(workspace: &Workspace) -> PathBuf {
    workspace.path("target/left-out")
}

/// Forgets what earlier runs left out.
pub fn forget(workspace: &Workspace) -> io::Result<()> {
    fs::create_dir_all(workspace.path("target"))?;
    fs::write(file(workspace), "")
}

/// Notes that a step of xtask's own left something out; in CI that is a failure.
pub fn note(workspace: &Workspace, what: &str, reason: &str) -> Outcome {
    if command::is_ci() {
        return Err(format!("{what} is left out: {reason}").into());
    }
    let mut file = fs::OpenOptions::new().append(true).create(true).open(file(workspace))?;
    Ok(writeln!(file, "left out: {what}: {reason}")?)
}

/// One line for everything that was left out since [`forget`].
pub fn summary(workspace: &Workspace) -> io::Result<String> {
    Ok(line(&String::from_utf8_lossy(&fs::read(file(workspace))?)))
}

/// Counts tests by their reason. A test may give the same reason several times, once for each thing that it tries.
fn line(text: &str) -> String {
    let left_out: BTreeSet<(&str, &str)> =
        text.lines().filter_map(|line| line.strip_prefix("left out: ")?.split_once(": ")).collect();
    let tests: BTreeSet<&str> = left_out.iter().map(|(test, _)| *test).collect();
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, reason) in &left_out {
        *reasons.entry(reason).or_default() += 1;
    }
    let reasons: Vec<String> = reasons.iter().map(|(reason, count)| format!("{reason}: {count}")).collect();
    match tests.len() {
        0 => "left out: none".into(),
        1 => format!("left out: 1 test ({})", reasons.join("; ")),
        many => format!("left out: {many} tests ({})", reasons.join("; ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_counted_by_reason() {
        assert_eq!(line(""), "left out: none");
        let (zeep, root) = ("zeep is not built (cargo xtask setup --peers)", "not root");
        let one = format!("left out: web::reads: {zeep}\n");
        assert_eq!(line(&one.repeat(2)), format!("left out: 1 test ({zeep}: 1)"));
        let text = format!("{one}left out: web::writes: {zeep}\nleft out: users: {root}\n");
        assert_eq!(line(&text), format!("left out: 3 tests ({root}: 1; {zeep}: 2)"));
    }
}
