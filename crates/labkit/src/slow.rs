//! A slow agent: a process with a CPU quota, through the kernel's control groups. It represents the slow machine
//! of Marinov 2006, `turtle`.
//!
//! A quota is not a slow processor: the process runs at full speed until its share of a period is spent, and then
//! waits for the next one. Work below its share is not slowed at all; heavy work takes longer by the factor.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A process under a quota. Dropping it sets the process free.
#[derive(Debug)]
pub struct Slowed {
    group: PathBuf,
    pid: u32,
}

impl Slowed {
    /// Limits a process to `share` of one processor, from 0 to 1.
    ///
    /// # Errors
    /// The system has no control groups for CPU time, or our rights do not suffice.
    pub fn to(pid: u32, share: f64) -> io::Result<Slowed> {
        let period = (f64::from(QUOTA_US) / share.clamp(0.001, 1.0)) as u32;
        let name = format!("{}{}-{pid}", crate::leftovers::PREFIX, std::process::id());
        let mut last = io::Error::other("no control groups for CPU time are mounted");
        for hierarchy in [Hierarchy::Unified, Hierarchy::Cpu] {
            let group = hierarchy.root().join(&name);
            match hierarchy
                .limit(&group, period)
                .and_then(|()| fs::write(group.join(MEMBERS), pid.to_string()))
            {
                Ok(()) => return Ok(Slowed { group, pid }),
                Err(error) => {
                    let _ = fs::remove_dir(&group);
                    last = error;
                }
            }
        }
        Err(last)
    }

    /// How it was slowed, in words.
    pub fn words(share: f64) -> String {
        let period = f64::from(QUOTA_US) / share / 1000.0;
        format!(
            "a CPU quota of {} ms in every {period:.1} ms (control group): at full speed until that is spent, so what takes \
             less in one go is not slowed",
            QUOTA_US / 1000
        )
    }
}

impl Drop for Slowed {
    fn drop(&mut self) {
        if let Some(parent) = self.group.parent() {
            let _ = fs::write(parent.join(MEMBERS), self.pid.to_string());
        }
        let _ = fs::remove_dir(&self.group);
    }
}

/// The two forms of control groups.
#[derive(Clone, Copy)]
enum Hierarchy {
    /// Version 2: one tree.
    Unified,
    /// Version 1: a separate tree for CPU time.
    Cpu,
}

impl Hierarchy {
    fn root(self) -> &'static Path {
        Path::new(match self {
            Hierarchy::Unified => "/sys/fs/cgroup",
            Hierarchy::Cpu => "/sys/fs/cgroup/cpu",
        })
    }

    /// Creates a group with the quota in every `period` microseconds.
    fn limit(self, group: &Path, period: u32) -> io::Result<()> {
        match self {
            Hierarchy::Unified => {
                let controllers = fs::read_to_string(self.root().join("cgroup.controllers"))?;
                if !controllers.split_whitespace().any(|it| it == "cpu") {
                    return Err(io::Error::other("the control groups do not limit CPU time"));
                }
                // Fails if it is enabled already or processes are in the way; what follows reports that.
                let _ = fs::write(self.root().join("cgroup.subtree_control"), "+cpu");
                fs::create_dir(group)?;
                fs::write(group.join("cpu.max"), format!("{QUOTA_US} {period}"))
            }
            Hierarchy::Cpu => {
                fs::create_dir(group)?;
                fs::write(group.join("cpu.cfs_period_us"), period.to_string())?;
                fs::write(group.join("cpu.cfs_quota_us"), QUOTA_US.to_string())
            }
        }
    }
}

/// The file of a group's processes.
const MEMBERS: &str = "cgroup.procs";
/// The minimum quota of the kernel, microseconds: the finer it is, the closer it is to a slow processor.
const QUOTA_US: u32 = 1000;

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};
    use trunkline_testkit::leave_out;

    #[test]
    fn a_process_is_under_a_quota_and_free_again() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let groups = || fs::read_to_string(format!("/proc/{}/cgroup", child.id())).unwrap();
        let slowed = match Slowed::to(child.id(), 0.2) {
            Ok(slowed) => slowed,
            Err(error) => {
                child.kill().unwrap();
                child.wait().unwrap();
                return leave_out(format_args!("no quota of CPU time here ({error})"));
            }
        };
        assert!(groups().contains("trunkline-lab-"), "{}", groups());
        let group = slowed.group.clone();
        drop(slowed);
        assert!(!groups().contains("trunkline-lab-") && !group.exists());
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn the_words_have_the_period() {
        assert!(Slowed::words(0.2).contains("1 ms in every 5.0 ms"), "{}", Slowed::words(0.2));
    }
}
