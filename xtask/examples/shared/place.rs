//! Where the agent is measured: a separate network namespace with as many interfaces as a case needs, which ends
//! with its process.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// A command that runs `program` in new network and mount namespaces, and ahead
/// of whatever else the machine does; without the rights for that, in a user
/// namespace that has the first of them. With `processes` it sees only its own ones.
pub fn enter(program: &Path, processes: bool) -> Command {
    let mut command;
    if is_root() {
        command = Command::new("nice");
        command.args(["-n", "-15", "unshare"]);
    } else {
        command = Command::new("unshare");
        command.arg("--map-root-user");
    }
    command.args(["--net", "--mount"]);
    if processes {
        command.args(["--pid", "--fork", "--kill-child", "--mount-proc"]);
    }
    command.arg("--").arg(program);
    command
}

/// Makes the namespace usable: /sys shows its interfaces, loopback is up.
pub fn prepare() -> io::Result<()> {
    let status = Command::new("mount").args(["-t", "sysfs", "none", "/sys"]).status()?;
    if !status.success() {
        return Err(io::Error::other(format!("mounting /sys ended with {status}")));
    }
    batch("link set lo up\n")
}

/// Adds pairs of virtual interfaces, and a bridge if the number is odd, until there are `total`.
pub fn fill_with_pairs(total: usize) -> io::Result<()> {
    let missing = missing(total)?;
    let mut lines: String =
        (0..missing / 2).map(|n| format!("link add a{n} type veth peer name b{n}\n")).collect();
    if missing % 2 == 1 {
        lines.push_str("link add c0 type bridge\n");
    }
    batch(&lines)
}

/// Adds bridges until there are `total` interfaces: the cheapest to make in thousands.
pub fn fill_with_bridges(total: usize) -> io::Result<()> {
    let lines: String = (0..missing(total)?).map(|n| format!("link add c{n} type bridge\n")).collect();
    batch(&lines)
}

/// Is this process the super-user?
fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

fn missing(total: usize) -> io::Result<usize> {
    let heading = 2;
    let present = fs::read_to_string("/proc/net/dev")?.lines().count() - heading;
    total
        .checked_sub(present)
        .ok_or_else(|| io::Error::other(format!("there are {present} interfaces already")))
}

/// Runs commands of `ip`, a line each.
pub fn batch(lines: &str) -> io::Result<()> {
    let mut ip = Command::new("ip").args(["-batch", "-"]).stdin(Stdio::piped()).spawn()?;
    if let Some(mut stdin) = ip.stdin.take() {
        stdin.write_all(lines.as_bytes())?;
    }
    let status = ip.wait()?;
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("`ip -batch` ended with {status}"))) }
}
