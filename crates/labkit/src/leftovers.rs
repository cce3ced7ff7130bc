//! What a run has outside its directory: folders with keys, captures and control groups. Their names have the process in them, so
//! that the next run can remove those of one that was killed.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::process::{Pid, Signal, geteuid, kill_process};

/// A new folder for the files of an agent, or for keys.
///
/// # Errors
/// The system's error.
pub fn temporary_folder() -> io::Result<tempfile::TempDir> {
    if ENDS.load(Ordering::SeqCst) {
        return Err(io::Error::other("the program ends"));
    }
    // Processes of another namespace have the same numbers.
    let prefix = format!("{PREFIX}{}-{}-", std::process::id(), pid_namespace());
    tempfile::Builder::new().prefix(&prefix).tempdir()
}

/// Whether the folder for temporary files can be written to, and has room for what an agent keeps.
///
/// # Errors
/// The system's error.
pub(crate) fn try_folder(folder: &Path) -> io::Result<()> {
    tempfile::tempfile_in(folder)?.write_all(&[0; ROOM])
}

/// Removes what runs left that no longer live.
pub fn remove_of_the_dead() {
    remove(&std::env::temp_dir(), &|pid| !is_alive(pid));
}

/// Whether a process runs: one that only waits for its parent to ask for its exit status does not.
fn is_alive(pid: u32) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    let state = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().next());
    !matches!(state, Some("Z" | "X"))
}

/// Kills the children of this process and removes what it has outside its directory: at the end of the program, whatever its
/// other threads do.
pub(crate) fn end_of_this_process() {
    // No agent starts without a folder.
    ENDS.store(true, Ordering::SeqCst);
    for look in 0..LOOKS {
        if look > 0 {
            // One may have been starting.
            std::thread::sleep(BETWEEN_LOOKS);
        }
        for pid in children() {
            if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
        remove(&std::env::temp_dir(), &|pid| pid == std::process::id());
    }
}

fn remove(temporary: &Path, is_over: &dyn Fn(u32) -> bool) {
    let ours = |path: &PathBuf| {
        let metadata = fs::symlink_metadata(path);
        metadata.is_ok_and(|it| it.uid() == geteuid().as_raw() && !it.is_symlink())
    };
    for path in named_alike(temporary, is_over).filter(ours) {
        // A child that is ending may write once more.
        let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        if removed.is_err() {
            let _ = fs::remove_dir_all(&path);
        }
    }
    for root in CONTROL_GROUPS.map(Path::new) {
        for group in named_alike(root, is_over) {
            let members = fs::read_to_string(group.join(MEMBERS)).unwrap_or_default();
            for pid in members.lines() {
                let _ = fs::write(root.join(MEMBERS), pid);
            }
            let _ = fs::remove_dir(&group);
        }
    }
}

/// Files of the laboratory whose process is over.
fn named_alike(directory: &Path, is_over: &dyn Fn(u32) -> bool) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(directory).into_iter().flatten().flatten().map(|it| it.path()).filter(move |path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        process_of(name, pid_namespace()).is_some_and(is_over)
    })
}

/// The process that a name was made by, unless it was in another namespace of processes.
fn process_of(name: &str, namespace: u64) -> Option<u32> {
    let rest = name.strip_prefix(PREFIX)?;
    let (pid, rest) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit())?);
    let mut parts = rest.strip_prefix('-').unwrap_or_default().split('-');
    let made_in = parts.next().and_then(|part| part.parse::<u64>().ok());
    // A folder has three parts, a control group two, a capture one.
    let is_here = parts.next().is_none() || made_in == Some(namespace);
    pid.parse().ok().filter(|_| is_here)
}

/// The number of this process' namespace of processes; 0 if it is unknown.
fn pid_namespace() -> u64 {
    let link = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    let digits: String = link.to_string_lossy().chars().filter(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0)
}

/// The children of this process.
fn children() -> Vec<u32> {
    let us = std::process::id().to_string();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_child = |pid: &u32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let parent = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1));
        parent == Some(us.as_str())
    };
    pids.filter(is_child).collect()
}

/// Set when the program ends: from then on there are no new folders.
static ENDS: AtomicBool = AtomicBool::new(false);
/// How often what is left is looked for at the end.
const LOOKS: u32 = 3;
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);
/// The start of all names.
pub(crate) const PREFIX: &str = "trunkline-lab-";
/// Where control groups for CPU time are.
const CONTROL_GROUPS: [&str; 2] = ["/sys/fs/cgroup", "/sys/fs/cgroup/cpu"];
/// The file of a group's processes.
const MEMBERS: &str = "cgroup.procs";

/// Octets that the files of an agent and its keys have at most, by far.
const ROOM: usize = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_cannot_be_used_is_named() {
        let place = tempfile::tempdir().unwrap();
        try_folder(place.path()).unwrap();
        let file = place.path().join("file");
        fs::write(&file, "").unwrap();
        let source = try_folder(&file).unwrap_err();
        let fault = crate::error::Error::Temporary { path: file.clone(), source }.to_string();
        assert!(fault.contains(&*file.to_string_lossy()) && fault.contains("TMPDIR"), "{fault}");
    }

    #[test]
    fn only_leftovers_of_the_dead_are_removed() {
        let directory = tempfile::tempdir().unwrap();
        let here = pid_namespace();
        let (dead, alive) = (u32::MAX, std::process::id());
        let names = [
            format!("trunkline-lab-{dead}-{here}-abc"),
            format!("trunkline-lab-{dead}-{}-abc", here + 1),
            format!("trunkline-lab-{alive}-{here}-abc"),
            "trunkline-lab-notes".into(),
        ];
        for name in &names {
            fs::create_dir(directory.path().join(name)).unwrap();
            fs::write(directory.path().join(name).join("ca.key"), "secret").unwrap();
        }
        std::os::unix::fs::symlink(
            directory.path().join("trunkline-lab-notes"),
            directory.path().join(format!("trunkline-lab-{dead}-{here}-link")),
        )
        .unwrap();
        remove(directory.path(), &|pid| pid == dead);
        let is_left: Vec<bool> = names.iter().map(|name| directory.path().join(name).exists()).collect();
        assert_eq!(is_left, [false, true, true, true]);
        assert!(directory.path().join("trunkline-lab-notes/ca.key").exists());
    }

    #[test]
    fn a_process_that_was_killed_is_dead() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        assert!(is_alive(child.id()) && is_alive(std::process::id()) && !is_alive(u32::MAX));
        child.kill().unwrap();
        let deadline = std::time::Instant::now() + Duration::from_secs(10);
        // Nobody has asked for its status.
        while is_alive(child.id()) && std::time::Instant::now() < deadline {
            std::thread::yield_now();
        }
        assert!(!is_alive(child.id()) && Path::new(&format!("/proc/{}", child.id())).exists());
        child.wait().unwrap();
    }

    #[test]
    fn names_have_a_process() {
        assert_eq!(process_of("trunkline-lab-12.pcapng", 5), Some(12));
        assert_eq!(process_of("trunkline-lab-12-99", 5), Some(12));
        assert_eq!(process_of("trunkline-lab-12-5-abc", 5), Some(12));
        assert_eq!(process_of("trunkline-lab-12-6-abc", 5), None);
        assert_eq!(process_of("trunkline-lab-", 5), None);
        let folder = temporary_folder().unwrap();
        let name = folder.path().file_name().unwrap().to_str().unwrap().to_owned();
        assert_eq!(process_of(&name, pid_namespace()), Some(std::process::id()));
    }
}
