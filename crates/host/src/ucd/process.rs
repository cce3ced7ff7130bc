//! prTable (.1.3.6.1.4.1.2021.2): how many processes of a name there are, and how many there should be.

use std::collections::HashMap;
use std::fs::File;
use std::os::fd::AsFd;

use trunkline_smi::module::ucd_snmp_mib::PR_TABLE;
use trunkline_tree::{Group, Loaded, Provider, SetError, SetItem, SetTransaction, Snapshot, SourceError};

use super::{fix, flag, integer};
use crate::programs::{Fix, ProcessOptions, Programs, words_of};
use trunkline_source::SourceRoot;
use trunkline_source::procfs::cut;
use trunkline_source::procfs::process::{Stat, command_line, numbered, read_at};

static GROUP: Group = Group { name: "ucd-process", scalars: &[], tables: &[&PR_TABLE] };

/// Serves the group `ucd-process`.
#[derive(Debug)]
pub(super) struct Process {
    root: SourceRoot,
    programs: Programs,
}

impl Process {
    pub(super) fn new(root: SourceRoot, programs: Programs) -> Self {
        Process { root, programs }
    }

    /// How many processes each of these names has.
    fn count(&self, watched: &[ProcessOptions]) -> Result<HashMap<Vec<u8>, u32>, SourceError> {
        let mut counts: HashMap<Vec<u8>, u32> =
            watched.iter().map(|process| (process.name.clone().into_bytes(), 0)).collect();
        if counts.is_empty() {
            return Ok(counts);
        }
        let has_long = counts.keys().any(|name| name.len() > KEPT);
        let path = self.root.path("proc");
        let named = |cause| SourceError::new(path.display().to_string(), cause);
        let folder = File::open(&path).map_err(named)?;
        let (mut text, mut joined) = (Vec::new(), Vec::new());
        let read = |pid: &std::ffi::CStr, file: &str, into: &mut Vec<u8>| {
            let name = std::ffi::CString::new(format!("{}/{file}", pid.to_string_lossy()));
            name.is_ok_and(|name| read_at(&folder, &name, 4096, into).is_ok())
        };
        numbered(folder.as_fd(), |_, pid| {
            // A process that has ended meanwhile does not count.
            if !read(pid, "stat", &mut text) {
                return;
            }
            let Some(stat) = Stat::parse(&text) else { return };
            if let Some(count) = counts.get_mut(stat.name) {
                *count += 1;
            } else if has_long && stat.name.len() == KEPT {
                let beginning = stat.name.to_vec();
                if read(pid, "cmdline", &mut text) {
                    let (called, _) = command_line(&text, &mut joined);
                    let name = called.rsplit(|octet| *octet == b'/').next().unwrap_or(called);
                    if name.starts_with(&beginning)
                        && let Some(count) = counts.get_mut(name)
                    {
                        *count += 1;
                    }
                }
            }
        })
        .map_err(named)?;
        Ok(counts)
    }
}

impl Provider for Process {
    fn group(&self) -> &'static Group {
        &GROUP
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let current = self.programs.current();
        let watched = &current.options.processes;
        let counts = self.count(watched)?;
        let mut snapshot = Snapshot::builder(&GROUP);
        let table = snapshot.table(&PR_TABLE);
        for (index, process) in (1u32..).zip(watched) {
            let count = counts.get(process.name.as_bytes()).copied().unwrap_or(0);
            let message = complaint(process, count);
            let fix = process.fix.as_deref().map(words_of).unwrap_or_default();
            table
                .row(&[index])
                .integer(1, index as i32)
                .octets(2, cut(process.name.as_bytes(), 255))
                .integer(3, integer(process.min.into()))
                .integer(4, integer(process.max.unwrap_or(0).into()))
                .integer(5, integer(count.into()))
                .integer(100, flag(message.is_some()))
                .octets(101, cut(message.unwrap_or_default().as_bytes(), 255))
                .integer(102, 0)
                .octets(103, cut(fix.as_bytes(), 255));
        }
        Ok(Loaded::Snapshot(snapshot.finish()))
    }

    fn prepare_set(&self, items: &[SetItem<'_>]) -> Result<Box<dyn SetTransaction>, SetError> {
        let processes = &self.programs.current().options.processes;
        fix::prepare(&self.programs, items, "prErrFix", |row| {
            let process = processes.get(row)?;
            Some(process.fix.clone().map(|command| Fix { name: process.name.clone(), command }))
        })
    }
}

/// What is wrong, in Net-SNMP's wording.
fn complaint(ProcessOptions { name, min, max, .. }: &ProcessOptions, count: u32) -> Option<String> {
    match count {
        0 if *min > 0 => Some(format!("No {name} process running")),
        _ if count < *min => Some(format!("Too few {name} running (# = {count})")),
        _ if *max == Some(0) && count > 0 => Some(format!("{name} process should not be running.")),
        _ if max.is_some_and(|max| count > max) => Some(format!("Too many {name} running (# = {count})")),
        _ => None,
    }
}

/// As much of a process's name as the kernel keeps.
const KEPT: usize = 15;

#[cfg(test)]
mod tests {
    use super::*;

    fn watched(name: &str, min: u32, max: Option<u32>) -> ProcessOptions {
        ProcessOptions { name: name.into(), min, max, fix: None }
    }

    #[test]
    fn complaints_are_those_of_net_snmp() {
        for (min, max, count, expected) in [
            (1, None, 0, Some("No it process running")),
            (1, None, 7, None),
            (2, Some(3), 1, Some("Too few it running (# = 1)")),
            (2, Some(3), 3, None),
            (0, Some(3), 4, Some("Too many it running (# = 4)")),
            (0, Some(0), 1, Some("it process should not be running.")),
            (0, Some(0), 0, None),
            (0, None, 0, None),
        ] {
            assert_eq!(
                complaint(&watched("it", min, max), count).as_deref(),
                expected,
                "{min} {max:?} {count}"
            );
        }
    }

    #[test]
    fn processes_are_counted_by_name_or_by_what_they_were_called_as() {
        let folder = tempfile::tempdir().unwrap();
        let process = |pid: u32, name: &str, cmdline: &str| {
            let path = folder.path().join(format!("proc/{pid}"));
            std::fs::create_dir_all(&path).unwrap();
            let rest =
                "S 1 77 77 0 -1 4194560 2104 0 0 0 150 27 0 0 20 0 1 0 4233 1421312 285 18446744073709551615";
            std::fs::write(path.join("stat"), format!("{pid} ({name}) {rest}\n")).unwrap();
            std::fs::write(path.join("cmdline"), cmdline).unwrap();
        };
        process(5, "nginx", "nginx: master\0");
        process(6, "nginx", "nginx: worker\0");
        process(7, "NetworkManagerX", "/usr/sbin/NetworkManagerX-long\0-f\0");
        process(8, "NetworkManagerX", "/usr/sbin/NetworkManagerX-other\0");
        let provider = Process::new(SourceRoot::recording(folder.path()), Programs::default());
        let names = ["nginx", "NetworkManagerX", "NetworkManagerX-long", "sshd"];
        for (wanted, expected) in
            [(&names[..], [2, 2, 0, 0]), (&[names[0], names[2], names[3]], [2, 0, 1, 0])]
        {
            let watched: Vec<ProcessOptions> = wanted.iter().map(|name| watched(name, 1, None)).collect();
            let counts = provider.count(&watched).unwrap();
            assert_eq!(names.map(|name| counts.get(name.as_bytes()).copied().unwrap_or(0)), expected);
        }
    }
}
