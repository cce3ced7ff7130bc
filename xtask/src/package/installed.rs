//! A step of `cargo xtask ci`: the package for Debian is installed, used, upgraded and removed in a Debian that is
//! made for it, and under its systemd where one can be started.
//!
//! The programs are those of the debug build, which the step before has built. What is done inside is a shell script,
//! `packaging/test/installed.sh`, as an administrator would type it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::command;
use crate::left_out;
use crate::outcome::Outcome;
use crate::workspace::Workspace;

use super::{PROGRAMS, cargo_deb, deb, manuals};

/// The version of the package that the first one is upgraded to.
const NEXT: &str = "99.0.0-1";

/// Makes the packages and the Debian, and runs the script in it.
pub fn check(workspace: &Workspace) -> Outcome {
    if let Some(reason) = missing() {
        println!("the package is not installed anywhere: {reason}");
        return left_out::note(workspace, "installing the .deb", &reason);
    }
    let root = debian(workspace)?;
    let result = inside(workspace, &root);
    // Kept when something failed, to look at.
    if result.is_ok() {
        fs::remove_dir_all(&root)?;
    }
    result
}

/// Fetches and builds what the check needs beside our programs, as far as it is missing.
pub fn prepare(workspace: &Workspace) -> Outcome {
    if missing().is_none() {
        archive(workspace)?;
        cargo_deb(workspace)?;
    }
    Ok(())
}

fn missing() -> Option<String> {
    if !command::is_root() {
        return Some("not root".to_owned());
    }
    let needed = ["mmdebstrap", "dpkg-deb"];
    let absent = needed.into_iter().find(|program| command::which(program).is_none())?;
    Some(format!("{absent} is not installed"))
}

/// A small Debian with systemd and Net-SNMP's agent.
fn debian(workspace: &Workspace) -> Result<PathBuf, Box<dyn std::error::Error>> {
    let archive = archive(workspace)?;
    let root = workspace.path(FOLDER).join(format!("root-{}", std::process::id()));
    fs::create_dir_all(&root)?;
    command::run(Command::new("tar").arg("-C").arg(&root).arg("-xf").arg(&archive))?;
    Ok(root)
}

/// Its archive, kept for the next run.
fn archive(workspace: &Workspace) -> Result<PathBuf, Box<dyn std::error::Error>> {
    let folder = workspace.path(FOLDER);
    fs::create_dir_all(&folder)?;
    let archive = folder.join("debian.tar");
    if !archive.is_file() {
        let unfinished = folder.join("debian.unfinished.tar");
        let mut mmdebstrap = Command::new("mmdebstrap");
        mmdebstrap.args(["--variant=minbase", "--quiet", "--skip=cleanup/tmp"]);
        mmdebstrap.arg("--include=systemd,systemd-sysv,dbus,adduser,debconf,libssl3,libgcc-s1,snmp,snmpd,procps,iproute2");
        command::run(mmdebstrap.arg("bookworm").arg(&unfinished))?;
        fs::rename(&unfinished, &archive)?;
    }
    Ok(archive)
}

/// Where the Debian is made and kept.
const FOLDER: &str = "target/package-test";

/// Puts the packages and the script in, and runs it: under systemd as process 1 of a container, or in namespaces of
/// its own if this machine lets no container be started. Nothing of it is seen outside.
fn inside(workspace: &Workspace, root: &Path) -> Outcome {
    manuals(workspace, &workspace.path("target/debug"))?;
    let packages = root.join("packages");
    fs::create_dir_all(&packages)?;
    for program in PROGRAMS.iter().take(2) {
        let made = deb(workspace, program, "dev", None)?;
        fs::rename(made, packages.join(format!("{}.deb", program.name)))?;
    }
    let next = deb(workspace, &PROGRAMS[0], "dev", Some(NEXT))?;
    fs::rename(next, packages.join("trunklined-next.deb"))?;
    fs::copy(workspace.path("packaging/test/installed.sh"), packages.join("installed.sh"))?;
    if let Some(log) = booted(root)? {
        return judge(&log);
    }
    println!("no container could be started here: without systemd");
    let mut unshare = Command::new("unshare");
    unshare.args([
        "--mount",
        "--pid",
        "--net",
        "--uts",
        "--ipc",
        "--fork",
        "--kill-child",
        "sh",
        "-ec",
        CHROOT,
        "sh",
    ]);
    unshare.arg(root).env("PATH", command::path()).env("LC_ALL", "C.UTF-8");
    judge(&String::from_utf8_lossy(&command::output(&mut unshare)?))
}

/// What the fallback does before the script: the file systems that programs expect, and loopback.
const CHROOT: &str = "mount --bind /dev \"$1/dev\"; mount -t proc proc \"$1/proc\"; mount -t sysfs -o ro sysfs \"$1/sys\"; \
                      ip link set lo up; exec chroot \"$1\" /bin/sh /packages/installed.sh 2>&1";

/// The unit that runs the script in the container and ends it.
const UNIT: &str = "[Unit]\nAfter=multi-user.target\nSuccessAction=poweroff-force\nFailureAction=poweroff-force\n\
                    [Service]\nType=oneshot\nTimeoutStartSec=300\nStandardOutput=file:/packages/log\nStandardError=file:/packages/log\n\
                    ExecStart=/bin/sh /packages/installed.sh\n";

/// What the script printed under systemd; none if no container could be started.
fn booted(root: &Path) -> Result<Option<String>, Box<dyn std::error::Error>> {
    if command::which("systemd-nspawn").is_none() {
        return Ok(None);
    }
    let units = root.join("etc/systemd/system");
    fs::write(units.join("packages-test.service"), UNIT)?;
    let wants = units.join("multi-user.target.wants");
    fs::create_dir_all(&wants)?;
    std::os::unix::fs::symlink(
        "/etc/systemd/system/packages-test.service",
        wants.join("packages-test.service"),
    )?;
    let mut nspawn = Command::new("timeout");
    nspawn.args([
        "--kill-after=10",
        "400",
        "systemd-nspawn",
        "--quiet",
        "--private-network",
        "--register=no",
        "--keep-unit",
    ]);
    // The hierarchy of control groups that this machine has.
    if !Path::new("/sys/fs/cgroup/cgroup.controllers").exists() {
        nspawn.env("SYSTEMD_NSPAWN_UNIFIED_HIERARCHY", "0");
    }
    let machine = format!("--machine=trunkline-{}", std::process::id());
    nspawn
        .arg("--directory")
        .arg(root)
        .args([&machine, "--console=pipe", "--boot"])
        .env("PATH", command::path());
    let words = nspawn.stdin(Stdio::null()).output()?;
    match fs::read_to_string(root.join("packages/log")) {
        Ok(log) => Ok(Some(log)),
        Err(_) => {
            println!("{}", String::from_utf8_lossy(&words.stderr).trim());
            Ok(None)
        }
    }
}

/// Prints the log and fails unless it ends as it should.
fn judge(log: &str) -> Outcome {
    println!("{}", log.trim_end());
    if log.trim_end().ends_with("installed: ok") {
        Ok(())
    } else {
        Err("the package was not installed and used as it should (see above)".into())
    }
}
