//! Running other programs: cargo above all, always from the root of the workspace.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::left_out;
use crate::workspace::Workspace;

/// `cargo`, the one that runs this xtask, in the root of the workspace.
pub fn cargo(workspace: &Workspace) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(workspace.root());
    command.env(left_out::VARIABLE, left_out::file(workspace));
    if is_ci() {
        // Incremental state is written and never read again in a clean clone.
        command.env("CARGO_INCREMENTAL", "0");
    }
    command
}

/// Where cargo keeps what it has fetched.
pub fn cargo_home() -> PathBuf {
    let home = || env::home_dir().unwrap_or_default().join(".cargo");
    env::var_os("CARGO_HOME").map_or_else(home, PathBuf::from)
}

/// Whether this is a run of CI, which uses the lock file as it is.
pub fn is_ci() -> bool {
    env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false")
}

/// CI takes the lock file as it is; a developer's run may complete it.
pub fn locked() -> &'static [&'static str] {
    if is_ci() { &["--locked"] } else { &[] }
}

/// Runs a command to its end with this process's streams; fails unless it succeeds.
pub fn run(command: &mut Command) -> io::Result<()> {
    let status = command.stdin(Stdio::null()).status().map_err(|error| name(command, &error))?;
    if status.success() {
        return Ok(());
    }
    Err(io::Error::other(format!("{} ended with {status}", line(command))))
}

/// Runs a command and returns its standard output; fails unless it succeeds.
pub fn output(command: &mut Command) -> io::Result<Vec<u8>> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| name(command, &error))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let words = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(io::Error::other(format!("{} ended with {}: {words}", line(command), output.status)))
}

/// The command as a person would type it.
pub fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

/// Where programs are: `PATH`, and where Debian keeps administrators' programs, which is not in everybody's
/// `PATH`.
pub fn path() -> OsString {
    let mut path = env::var_os("PATH").unwrap_or_default();
    path.push(":/usr/sbin:/sbin");
    path
}

/// The path of a program.
pub fn which(program: &str) -> Option<PathBuf> {
    env::split_paths(&path()).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// Is this process the super-user?
pub fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

fn name(command: &Command, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", command.get_program().to_string_lossy()))
}
