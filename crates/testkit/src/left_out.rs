//! Tests that cannot run on this machine: a program is not installed, a peer is not built, a right is missing.
//!
//! Such a test calls [`leave_out`] and returns. `cargo xtask ci` counts the calls and prints them at its end.

use std::env;
use std::fmt::Display;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::thread;

/// The variable with the file that [`leave_out`] appends to; `cargo xtask ci` sets it and reads the file.
pub const FILE: &str = "TRUNKLINE_LEFT_OUT";

/// Says that the test on this thread is left out, and why: one line, on standard error and in [`FILE`]. The caller
/// returns from the test.
///
/// # Panics
/// In CI (`CI` is set, and neither empty nor `false`): a test that is left out there is a failure.
#[track_caller]
pub fn leave_out(reason: impl Display) {
    let line = format!("left out: {}: {}\n", test(), reason.to_string().replace('\n', " "));
    // libtest captures only what `eprint!` writes, so this line is seen of a test that passes.
    let _ = std::io::stderr().write_all(line.as_bytes());
    if let Some(file) = env::var_os(FILE) {
        let mut file =
            OpenOptions::new().append(true).create(true).open(file).expect("the file of the variable");
        // At once: many tests append to this file at the same time.
        file.write_all(line.as_bytes()).expect("append to the file of the variable");
    }
    let is_ci = env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false");
    assert!(!is_ci, "in CI no test may be left out: {reason}");
}

/// Whether a program is installed: an absolute path, or a name in `PATH` and where Debian keeps administrators'
/// programs. If it is not, the test is left out; `package` is Debian's.
#[track_caller]
pub fn has(program: &str, package: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path)
        .chain(["/usr/sbin".into(), "/sbin".into()])
        .any(|folder| folder.join(program).is_file());
    if !found {
        leave_out(format_args!("{program} is not installed (Debian: {package})"));
    }
    found
}

/// The test's name, which libtest gives to its thread. With one thread it uses the main one: the program's name then.
fn test() -> String {
    if let Some(name) = thread::current().name().filter(|name| *name != "main") {
        return name.to_owned();
    }
    let program = env::current_exe().unwrap_or_default();
    let stem = Path::file_stem(&program).unwrap_or_default().to_string_lossy();
    stem.rsplit_once('-').map_or(&*stem, |(name, _hash)| name).to_owned()
}
