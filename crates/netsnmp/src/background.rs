//! Into the background: the program starts itself again, waits until that process listens or has failed, and
//! exits with the result. So the caller learns of a port that is taken, and no process is forked that already has
//! threads or privileges.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio};

/// The background process's message when it listens.
const READY: &str = "listening";

/// Starts the background process, called `name`, with `marker` before the words, by which it knows that it is; and waits
/// for its result.
pub fn start(name: &str, marker: &str, words: &[OsString], say: impl Fn(&str)) -> ExitCode {
    let started = std::env::current_exe().and_then(|program| {
        let mut command = Command::new(program);
        command.arg0(name).arg(marker).args(words);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()
    });
    let mut child = match started {
        Ok(child) => child,
        Err(error) => {
            say(&format!("{name}: cannot go into the background: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let lines = child.stdout.take().into_iter().flat_map(|stdout| BufReader::new(stdout).lines());
    if lines.map_while(Result::ok).any(|line| line == READY) {
        return ExitCode::SUCCESS;
    }
    // It has reported the reason on stderr.
    let _ = child.wait();
    ExitCode::FAILURE
}

/// Leaves the terminal and the folder of the one who started it.
///
/// # Errors
/// `/` cannot be entered.
pub fn settle() -> std::io::Result<()> {
    // It may be the leader of its session already, which does not matter.
    let _ = rustix::process::setsid();
    std::env::set_current_dir("/")
}

/// Reports the result and releases everything that the parent may still wait for.
pub fn ready(keeps_stderr: bool) {
    let _ = writeln!(std::io::stdout(), "{READY}");
    let Ok(null) = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null") else { return };
    let _ = rustix::stdio::dup2_stdout(&null);
    if !keeps_stderr {
        let _ = rustix::stdio::dup2_stderr(&null);
    }
}
