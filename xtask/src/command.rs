//! Running other programs: cargo above all, always from the root of the workspace.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

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
    fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

/// The time that processors have spent on programs that this process has started and that have ended, and on those that they started.
pub fn processor_time() -> Duration {
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    of_children(&text).unwrap_or_default()
}

/// The 16th and the 17th field of `/proc/PID/stat`, in hundredths of a second (proc_pid_stat(5)).
fn of_children(stat: &str) -> Option<Duration> {
    // The second field is a name in parentheses, which may hold anything.
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut fields = fields.split(' ').skip(13).map(|field| field.parse::<u64>().ok());
    Some(Duration::from_millis(10 * (fields.next()?? + fields.next()??)))
}

fn name(command: &Command, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", command.get_program().to_string_lossy()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_children_is_read() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4194304 100 2000 0 0 5 6 1250 250 20 0 1 0 99 1000 10";
        assert_eq!(of_children(stat), Some(Duration::from_secs(15)));
        assert_eq!(of_children("7 (a) S 1"), None);
        assert!(fs::read_to_string("/proc/self/stat").is_ok_and(|own| of_children(&own).is_some()));
    }
}
