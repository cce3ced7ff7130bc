//! hrSWInstalledTable: Debian's packages, from dpkg's status file. Read again when that file has
//! changed; otherwise a load costs one stat(2). Packages of other managers (rpm) are not listed.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use trunkline_smi::module::host_resources_mib::{
    HR_SW_INSTALLED_LAST_CHANGE, HR_SW_INSTALLED_LAST_UPDATE_TIME, HR_SW_INSTALLED_TABLE,
};
use trunkline_smi::{Value, ValueRef};
use trunkline_tree::{Group, Live, Loaded, Provider, Snapshot, SnapshotBuilder, SourceError};

use super::date::date_and_time;
use super::{NO_DATE, UNKNOWN_PRODUCT};
use trunkline_source::SourceRoot;
use trunkline_source::procfs::dpkg::{self, Package};
use trunkline_source::procfs::{cut, read_bounded};

static GROUP: Group = Group {
    name: "hr-software-installed",
    scalars: &[&HR_SW_INSTALLED_LAST_CHANGE, &HR_SW_INSTALLED_LAST_UPDATE_TIME],
    tables: &[&HR_SW_INSTALLED_TABLE],
};

/// Serves the group `hr-software-installed`.
#[derive(Debug)]
pub(super) struct SoftwareInstalled {
    root: SourceRoot,
    started: Instant,
    /// Which state of the file was read last.
    read: Mutex<Option<FileState>>,
    /// sysUpTime when the table was last found to be true.
    updated: Arc<Updated>,
}

/// Tells one state of a file from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileState {
    inode: u64,
    size: u64,
    modified: (i64, i64),
}

#[derive(Debug, Default)]
struct Updated(AtomicU32);

impl Live for Updated {
    fn read(&self, _now: Instant) -> ValueRef<'_> {
        ValueRef::TimeTicks(self.0.load(Ordering::Relaxed))
    }
}

impl SoftwareInstalled {
    pub(super) fn new(root: SourceRoot, started: Instant) -> Self {
        SoftwareInstalled { root, started, read: Mutex::default(), updated: Arc::default() }
    }

    fn sys_up_time(&self) -> u32 {
        (self.started.elapsed().as_millis() / 10) as u32 // TimeTicks wrap
    }

    fn fill(&self, snapshot: &mut SnapshotBuilder, text: &[u8]) {
        let mut packages = dpkg::packages(text);
        packages.sort_by_key(|package| (package.name, package.architecture));
        let table = snapshot.table(&HR_SW_INSTALLED_TABLE);
        for (index, package) in (1u32..).zip(packages) {
            let name = [package.name, package.version, package.architecture].join(&b'_');
            let mut row = table.row(&[index]);
            row.integer(1, index as i32)
                .octets(2, cut(&name, 64))
                .oid(3, UNKNOWN_PRODUCT)
                .integer(4, if package.essential { OPERATING_SYSTEM } else { APPLICATION });
            match self.installed(&package) {
                Some(date) => row.octets(5, &date),
                None => row.octets(5, &NO_DATE),
            };
        }
    }

    /// When dpkg wrote the list of the package's files: at its installation.
    fn installed(&self, package: &Package<'_>) -> Option<[u8; 11]> {
        let name = std::str::from_utf8(package.name).ok()?;
        let architecture = std::str::from_utf8(package.architecture).ok()?;
        let metadata = |file: String| self.root.path(dpkg::INFO).join(file).metadata().ok();
        // Packages that several architectures may share a machine with carry theirs in the name.
        let list =
            metadata(format!("{name}.list")).or_else(|| metadata(format!("{name}:{architecture}.list")));
        list.and_then(|metadata| metadata.modified().ok()).map(date_and_time)
    }
}

impl Provider for SoftwareInstalled {
    fn group(&self) -> &'static Group {
        &GROUP
    }

    fn load(&self, previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let path = self.root.path(dpkg::STATUS);
        let state = path.metadata().ok().map(|metadata| FileState::of(&metadata));
        let mut read = self.read.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let now = self.sys_up_time();
        if previous.is_some() && *read == state {
            self.updated.0.store(now, Ordering::Relaxed);
            return Ok(Loaded::Unchanged);
        }
        let mut snapshot = Snapshot::builder(&GROUP);
        let mut text = Vec::new();
        if state.is_some() {
            read_bounded(&path, dpkg::LIMIT, &mut text)
                .map_err(|cause| SourceError::new(path.display().to_string(), cause))?;
        }
        self.fill(&mut snapshot, &text);
        // Before the first load nothing is known to have changed.
        let changed = if previous.is_some() { now } else { 0 };
        snapshot.scalar(&HR_SW_INSTALLED_LAST_CHANGE, Value::TimeTicks(changed));
        snapshot.live(&HR_SW_INSTALLED_LAST_UPDATE_TIME, Arc::clone(&self.updated) as Arc<dyn Live>);
        self.updated.0.store(now, Ordering::Relaxed);
        *read = state;
        Ok(Loaded::Snapshot(snapshot.finish()))
    }
}

impl FileState {
    fn of(metadata: &Metadata) -> Self {
        FileState {
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
        }
    }
}

const OPERATING_SYSTEM: i32 = 2;
const APPLICATION: i32 = 4;
