//! hrSWOSIndex, hrSWRunTable and hrSWRunPerfTable: the processes, in one pass over /proc.
//!
//! hrSWRunPath is the first argument of the program, not its file (which only its owner may read). Reading the
//! arguments of a process whose memory is locked by a stuck page fault blocks, as in `ps`.

use std::ffi::CStr;
use std::fs::File;
use std::os::fd::AsFd;

use trunkline_smi::Value;
use trunkline_smi::module::host_resources_mib::{HR_SW_OS_INDEX, HR_SW_RUN_PERF_TABLE, HR_SW_RUN_TABLE};
use trunkline_tree::{Group, Loaded, Provider, Snapshot, SnapshotBuilder, SourceError};

use super::{UNKNOWN_PRODUCT, kbytes};
use trunkline_source::SourceRoot;
use trunkline_source::procfs::cut;
use trunkline_source::procfs::process::{Stat, command_line, numbered, read_at};

static GROUP: Group = Group {
    name: "hr-software-running",
    scalars: &[&HR_SW_OS_INDEX],
    tables: &[&HR_SW_RUN_TABLE, &HR_SW_RUN_PERF_TABLE],
};

/// Serves the group `hr-software-running`.
#[derive(Debug)]
pub(super) struct SoftwareRunning {
    root: SourceRoot,
}

/// Buffers that one pass uses for every process.
#[derive(Debug, Default)]
struct Scratch {
    name: Vec<u8>,
    stat: Vec<u8>,
    arguments: Vec<u8>,
    joined: Vec<u8>,
}

impl SoftwareRunning {
    pub(super) fn new(root: SourceRoot) -> Self {
        SoftwareRunning { root }
    }
}

impl Provider for SoftwareRunning {
    fn group(&self) -> &'static Group {
        &GROUP
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let path = self.root.path("proc");
        let named = |cause| SourceError::new(path.display().to_string(), cause);
        let folder = File::open(&path).map_err(named)?;
        let mut snapshot = Snapshot::builder(&GROUP);
        let mut scratch = Scratch::default();
        let mut system = None;
        numbered(folder.as_fd(), |pid, name| {
            let is_kernel = process(&mut snapshot, &folder, pid, name, &mut scratch);
            if is_kernel == Some(true) {
                system.get_or_insert(pid);
            }
        })
        .map_err(named)?;
        // The kernel's first thread; in a container, where none is visible, the first process.
        snapshot.scalar(&HR_SW_OS_INDEX, Value::Integer(system.unwrap_or(1) as i32));
        Ok(Loaded::Snapshot(snapshot.finish()))
    }
}

/// The rows of one process, and whether it is a thread of the kernel. `None`: it ended meanwhile.
fn process(
    snapshot: &mut SnapshotBuilder,
    folder: &File,
    pid: u32,
    name: &CStr,
    scratch: &mut Scratch,
) -> Option<bool> {
    let Scratch { name: path, stat, arguments, joined } = scratch;
    read_at(folder, file(name, b"/stat\0", path)?, STAT_LIMIT, stat).ok()?;
    let stat = Stat::parse(stat)?;
    arguments.clear();
    if !stat.kernel {
        // A process that ended since, or is a zombie, has none.
        let read = read_at(folder, file(name, b"/cmdline\0", path)?, ARGUMENTS_LIMIT, arguments);
        read.unwrap_or_else(|_| arguments.clear());
    }
    let (path, parameters) = command_line(arguments, joined);
    let mut row = snapshot.table(&HR_SW_RUN_TABLE).row(&[pid]);
    row.integer(1, pid as i32)
        .octets(2, cut(stat.name, 64))
        .oid(3, UNKNOWN_PRODUCT)
        .octets(4, cut(path, 128))
        .octets(5, cut(parameters, 128))
        .integer(6, if stat.kernel { OPERATING_SYSTEM } else { APPLICATION })
        .integer(7, status(stat.state));
    let mut row = snapshot.table(&HR_SW_RUN_PERF_TABLE).row(&[pid]);
    row.integer(1, i32::try_from(stat.ticks).unwrap_or(i32::MAX))
        .integer(2, kbytes(u128::from(stat.resident) * rustix::param::page_size() as u128));
    Some(stat.kernel)
}

/// The path of a process's file, below /proc.
fn file<'p>(folder: &CStr, file: &[u8], path: &'p mut Vec<u8>) -> Option<&'p CStr> {
    path.clear();
    path.extend_from_slice(folder.to_bytes());
    path.extend_from_slice(file);
    CStr::from_bytes_with_nul(path).ok()
}

/// hrSWRunStatus: sleeping is runnable(2) as with Net-SNMP; an idle thread of the kernel waits for an event.
fn status(state: u8) -> i32 {
    match state {
        b'R' => 1,
        b'S' => 2,
        b'D' | b'T' | b't' | b'I' => 3,
        _ => 4, // zombies and dying processes
    }
}

const OPERATING_SYSTEM: i32 = 2;
const APPLICATION: i32 = 4;

/// 52 numbers and a name.
const STAT_LIMIT: usize = 2048;
/// More than path and parameters can hold.
const ARGUMENTS_LIMIT: usize = 1024;
