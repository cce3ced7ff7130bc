//! hrMemorySize, hrStorageTable and hrFSTable.
//!
//! Rows have Net-SNMP's numbers: 1 physical memory, 3 virtual memory, 6 buffers, 7 cache, 8 shared memory, 10
//! swap space, 11 available memory, and 30 + hrFSIndex for file systems. hrStorageSize is a signed 32-bit number:
//! if a file system has more blocks, the allocation unit is doubled until they fit. A remote file system that
//! does not answer has its last known size, or none ([`volumes`](trunkline_source::procfs::volumes)).

use std::sync::Arc;

use trunkline_smi::Value;
use trunkline_smi::module::host_resources_mib::{self as mib, HR_FS_TABLE, HR_STORAGE_TABLE, types};
use trunkline_tree::{Group, Loaded, Provider, RowBuilder, Snapshot, SnapshotBuilder, SourceError};

use super::{NO_DATE, kbytes};
use crate::HostOptions;
use crate::programs::Programs;
use trunkline_source::SourceRoot;
use trunkline_source::procfs::cut;
use trunkline_source::procfs::meminfo::MemInfo;
use trunkline_source::procfs::mounts::Mount;
use trunkline_source::procfs::volumes::{Volume, Volumes};

static GROUP: Group = Group {
    name: "hr-storage",
    scalars: &[&mib::HR_MEMORY_SIZE],
    tables: &[&HR_STORAGE_TABLE, &HR_FS_TABLE],
};

/// Serves the group `hr-storage`.
#[derive(Debug)]
pub(super) struct Storage {
    root: SourceRoot,
    programs: Programs,
    volumes: Arc<Volumes>,
}

impl Storage {
    pub(super) fn new(options: &HostOptions, volumes: Arc<Volumes>) -> Self {
        Storage { root: options.root.clone(), programs: options.programs.clone(), volumes }
    }
}

impl Provider for Storage {
    fn group(&self) -> &'static Group {
        &GROUP
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let memory = MemInfo::read(&self.root)?;
        let mut snapshot = Snapshot::builder(&GROUP);
        snapshot.scalar(&mib::HR_MEMORY_SIZE, Value::Integer(kbytes(u128::from(memory.total) * 1024)));
        memory_rows(&mut snapshot, &memory);
        let network_disks = self.programs.current().options.network_disks;
        for volume in self.volumes.list()? {
            if network_disks || !volume.mount.is_remote() {
                storage_row(&mut snapshot, &volume);
            }
            file_system_row(&mut snapshot, &volume);
        }
        Ok(Loaded::Snapshot(snapshot.finish()))
    }
}

fn memory_rows(snapshot: &mut SnapshotBuilder, memory: &MemInfo) {
    let total = memory.total;
    let swap_used = memory.swap_total.saturating_sub(memory.swap_free);
    let used = total.saturating_sub(memory.free);
    let rows = [
        (1, types::HR_STORAGE_RAM, "Physical memory", total, used),
        (
            3,
            types::HR_STORAGE_VIRTUAL_MEMORY,
            "Virtual memory",
            total.saturating_add(memory.swap_total),
            used.saturating_add(swap_used),
        ),
        (6, types::HR_STORAGE_OTHER, "Memory buffers", total, memory.buffers),
        (7, types::HR_STORAGE_OTHER, "Cached memory", memory.cache(), memory.cache()),
        (8, types::HR_STORAGE_OTHER, "Shared memory", memory.shared, memory.shared),
        (10, types::HR_STORAGE_VIRTUAL_MEMORY, "Swap space", memory.swap_total, swap_used),
    ];
    let available = memory.available.map(|size| (11, types::HR_STORAGE_OTHER, "Available memory", size, 0));
    for (index, kind, name, size, used) in rows.into_iter().chain(available) {
        let mut row = storage(snapshot, index, kind, name.as_bytes());
        sizes(&mut row, 1024, size, used);
    }
}

fn storage_row(snapshot: &mut SnapshotBuilder, volume: &Volume) {
    let mut row = storage(snapshot, storage_index(volume), storage_type(&volume.mount), &volume.mount.path);
    if let Some(size) = volume.size {
        sizes(&mut row, size.block, size.blocks, size.blocks.saturating_sub(size.free));
    }
}

fn storage<'s>(snapshot: &'s mut SnapshotBuilder, index: u32, kind: &[u32], name: &[u8]) -> RowBuilder<'s> {
    let mut row = snapshot.table(&HR_STORAGE_TABLE).row(&[index]);
    // The kernel does not count requests that failed for lack of space.
    row.integer(1, index as i32).oid(2, kind).octets(3, cut(name, 255)).counter32(7, 0);
    row
}

fn sizes(row: &mut RowBuilder<'_>, unit: u64, size: u64, used: u64) {
    let (unit, size, used) = fit(unit, size, used);
    row.integer(4, unit).integer(5, size).integer(6, used);
}

/// Allocation unit, size and use as Integer32: the unit doubled until both numbers fit.
fn fit(unit: u64, size: u64, used: u64) -> (i32, i32, i32) {
    let limit = i32::MAX as u64;
    let (mut unit, mut size, mut used) = (unit.max(1), size, used);
    while (size > limit || used > limit) && unit <= limit / 2 {
        (unit, size, used) = (unit * 2, size / 2, used / 2);
    }
    let narrow = |number: u64| number.min(limit) as i32;
    (narrow(unit), narrow(size), narrow(used))
}

fn storage_index(volume: &Volume) -> u32 {
    volume.index.saturating_add(30)
}

/// RFC 2790's names of storage, stricter than Net-SNMP, which calls a tmpfs a fixed disk.
fn storage_type(mount: &Mount) -> &'static [u32] {
    match mount.kind.as_slice() {
        _ if mount.is_remote() => types::HR_STORAGE_NETWORK_DISK,
        b"tmpfs" => types::HR_STORAGE_RAM_DISK,
        b"iso9660" | b"udf" => types::HR_STORAGE_COMPACT_DISC,
        b"jffs2" | b"ubifs" => types::HR_STORAGE_FLASH_MEMORY,
        _ => types::HR_STORAGE_FIXED_DISK,
    }
}

fn file_system_row(snapshot: &mut SnapshotBuilder, volume: &Volume) {
    let mount = &volume.mount;
    let server: &[u8] = if mount.is_remote() { &mount.device } else { b"" };
    let mut row = snapshot.table(&HR_FS_TABLE).row(&[volume.index]);
    row.integer(1, volume.index as i32)
        .octets(2, cut(&mount.path, 128))
        .octets(3, cut(server, 128))
        .oid(4, file_system_type(&mount.kind))
        .integer(5, if mount.read_only { 2 } else { 1 })
        .truth(6, mount.path == b"/")
        .integer(7, storage_index(volume) as i32)
        .octets(8, &NO_DATE)
        .octets(9, &NO_DATE);
}

fn file_system_type(kind: &[u8]) -> &'static [u32] {
    match kind {
        b"ext2" | b"ext3" | b"ext4" => types::HR_FS_LINUX_EXT2,
        b"vfat" | b"exfat" => types::HR_FS_FAT32,
        b"msdos" => types::HR_FS_FAT,
        b"ntfs" | b"ntfs3" | b"fuseblk" => types::HR_FS_NTFS,
        b"hpfs" => types::HR_FS_HPFS,
        b"hfs" | b"hfsplus" => types::HR_FS_HFS,
        b"iso9660" => types::HR_FS_ISO_9660,
        b"ufs" => types::HR_FS_BERKELEY_FFS,
        b"sysv" => types::HR_FS_SYS_5_FS,
        b"jfs" => types::HR_FS_JOURNALED,
        b"nfs" | b"nfs4" => types::HR_FS_NFS,
        b"ncpfs" => types::HR_FS_NETWARE,
        b"afs" => types::HR_FS_AFS,
        b"bfs" => types::HR_FS_BFS,
        _ => types::HR_FS_OTHER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_grows_until_the_size_fits() {
        assert_eq!(fit(4096, 1000, 10), (4096, 1000, 10));
        let max = i32::MAX as u64;
        assert_eq!(fit(4096, max, max), (4096, i32::MAX, i32::MAX));
        assert_eq!(fit(4096, max + 1, 3), (8192, 1 << 30, 1));
        // 1 EiB in blocks of 512 octets
        let (unit, size, used) = fit(512, 1 << 51, 1 << 50);
        assert_eq!(i128::from(unit) * i128::from(size), 1 << 60);
        assert_eq!(used, size / 2);
        assert_eq!(fit(0, u64::MAX, 0), (1 << 30, i32::MAX, 0), "no unit is large enough");
    }
}
