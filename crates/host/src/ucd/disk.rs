//! dskTable (.1.3.6.1.4.1.2021.9): the file systems that the configuration names, with their minimum of
//! free space, and every other that holds data, as Net-SNMP has it with `disk` and `includeAllDisks`.
//!
//! A named one has the number of its place in the configuration, mounted or not; the others have
//! theirs in hrFSTable, where those that are named at the start come first too. dskPercent is used space of all space, as with Net-SNMP; `df` leaves out
//! what is reserved for root. A file system mounted read-only (a CD, a snap) cannot run out of space, and
//! raises no error unless it is named.

use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use trunkline_smi::module::ucd_snmp_mib::DSK_TABLE;
use trunkline_tree::{Group, Loaded, Provider, RowBuilder, Snapshot, SourceError};

use super::{flag, integer};
use crate::programs::{DiskMinimum, DiskOptions, NamedDisk, Programs};
use trunkline_source::procfs::cut;
use trunkline_source::procfs::volumes::{Size, Volume, Volumes};

static GROUP: Group = Group { name: "ucd-disk", scalars: &[], tables: &[&DSK_TABLE] };

/// dskMinimum if the minimum is a percentage, and dskMinPercent if it is not.
const NO_MINIMUM: i32 = -1;

/// Serves the group `ucd-disk`.
#[derive(Debug)]
pub(super) struct Disk {
    volumes: Arc<Volumes>,
    programs: Programs,
    /// How many were named at the start.
    first: u32,
}

/// A row to be.
struct Watched {
    index: u32,
    volume: Volume,
    minimum: DiskMinimum,
    named: bool,
}

impl Disk {
    pub(super) fn new(volumes: Arc<Volumes>, programs: Programs) -> Self {
        let first = programs.current().options.disks.named.len() as u32;
        Disk { volumes, programs, first }
    }

    fn watched(&self) -> Result<Vec<Watched>, SourceError> {
        let current = self.programs.current();
        let DiskOptions { named, others } = &current.options.disks;
        let is = |named: &NamedDisk, volume: &Volume| named.path.as_os_str().as_bytes() == volume.mount.path;
        let row = |volume: Volume| {
            let place = named.iter().position(|disk| is(disk, &volume));
            let (index, minimum) = match place {
                Some(at) => (at as u32 + 1, named[at].minimum),
                None => (self.number(named.len() as u32, volume.index), (*others)?),
            };
            Some(Watched { index, volume, minimum, named: place.is_some() })
        };
        Ok(self.volumes.list()?.into_iter().filter_map(row).collect())
    }
}

impl Disk {
    /// The number of one that is not named, behind all that are: after a reload there may be others than at the start.
    fn number(&self, named: u32, index: u32) -> u32 {
        match index.checked_sub(self.first) {
            Some(rank) if rank > 0 => named + rank,
            _ => RENAMED + index,
        }
    }
}

/// Above all numbers of others: of those that are no longer named.
const RENAMED: u32 = 50_000;

impl Provider for Disk {
    fn group(&self) -> &'static Group {
        &GROUP
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let mut snapshot = Snapshot::builder(&GROUP);
        let table = snapshot.table(&DSK_TABLE);
        for watched in self.watched()? {
            let Watched { index, volume, minimum, .. } = &watched;
            let (least, percent) = match minimum {
                DiskMinimum::Kilobytes(least) => (integer(*least), NO_MINIMUM),
                DiskMinimum::Percent(percent) => (NO_MINIMUM, i32::from(*percent)),
            };
            let mut row = table.row(&[*index]);
            row.integer(1, *index as i32)
                .octets(2, cut(&volume.mount.path, 255))
                .octets(3, cut(&volume.mount.device, 255))
                .integer(4, least)
                .integer(5, percent);
            if let Some(size) = volume.size {
                sizes(&mut row, &size);
                let watched = watched.named || !volume.mount.read_only;
                let complaint = complaint(&volume.mount.path, *minimum, &size).filter(|_| watched);
                row.integer(100, flag(complaint.is_some()))
                    .octets(101, cut(complaint.unwrap_or_default().as_bytes(), 255));
            }
        }
        Ok(Loaded::Snapshot(snapshot.finish()))
    }
}

fn kbytes(blocks: u64, size: &Size) -> u64 {
    u64::try_from(u128::from(blocks) * u128::from(size.block) / 1024).unwrap_or(u64::MAX)
}

fn sizes(row: &mut RowBuilder<'_>, size: &Size) {
    let (total, available) = (kbytes(size.blocks, size), kbytes(size.available, size));
    let used = kbytes(size.blocks.saturating_sub(size.free), size);
    row.integer(6, integer(total))
        .integer(7, integer(available))
        .integer(8, integer(used))
        .integer(9, percent(size.blocks.saturating_sub(size.free), size.blocks))
        .integer(10, percent(size.inodes.saturating_sub(size.inodes_free), size.inodes));
    for (column, number) in [(11, total), (13, available), (15, used)] {
        row.unsigned32(column, number as u32).unsigned32(column + 1, (number >> 32) as u32);
    }
}

/// What is wrong, in Net-SNMP's wording.
fn complaint(path: &[u8], minimum: DiskMinimum, size: &Size) -> Option<String> {
    let path = String::from_utf8_lossy(path);
    match minimum {
        DiskMinimum::Kilobytes(least) => {
            let available = kbytes(size.available, size);
            (available < least).then(|| format!("{path}: less than {least} free (= {available})"))
        }
        DiskMinimum::Percent(least) => {
            let available = percent(size.available, size.blocks);
            let is_less = size.blocks > 0 && available < i32::from(least);
            is_less.then(|| format!("{path}: less than {least}% free (= {available}%)"))
        }
    }
}

/// Rounded to the nearest; 0 if there is no usable space.
fn percent(used: u64, total: u64) -> i32 {
    let rounded = (u128::from(used) * 100 + u128::from(total / 2)).checked_div(u128::from(total));
    rounded.map_or(0, |percent| percent.min(100) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_are_rounded() {
        let all = [(15, 1000), (14, 1000), (0, 0), (7, 7), (u64::MAX, u64::MAX), (9, 7)];
        assert_eq!(all.map(|(used, total)| percent(used, total)), [2, 1, 0, 100, 100, 100]);
    }

    #[test]
    fn complaints_are_those_of_net_snmp() {
        let size = Size { block: 4096, blocks: 1000, free: 200, available: 150, inodes: 0, inodes_free: 0 };
        for (minimum, expected) in [
            (DiskMinimum::Kilobytes(600), None),
            (DiskMinimum::Kilobytes(601), Some("/x: less than 601 free (= 600)")),
            (DiskMinimum::Percent(15), None),
            (DiskMinimum::Percent(16), Some("/x: less than 16% free (= 15%)")),
        ] {
            assert_eq!(complaint(b"/x", minimum, &size).as_deref(), expected);
        }
    }
}
