//! dskTable (.1.3.6.1.4.1.2021.9): every mounted file system that holds data, as Net-SNMP has it
//! with `includeAllDisks 10%`; the numbers of the rows are those of hrFSTable.
//!
//! dskPercent is used space of all space, as with Net-SNMP; `df` leaves out what is reserved for root.
//! A file system mounted read-only (a CD, a snap) cannot run out of space and raises no error.

use std::sync::Arc;

use trunkline_smi::module::ucd_snmp_mib::DSK_TABLE;
use trunkline_tree::{Group, Loaded, Provider, RowBuilder, Snapshot, SourceError};

use super::{flag, integer};
use crate::source::procfs::cut;
use crate::source::procfs::volumes::{Size, Volume, Volumes};

static GROUP: Group = Group { name: "ucd-disk", scalars: &[], tables: &[&DSK_TABLE] };

/// Below this percentage of free space dskErrorFlag is raised.
const MINIMUM_PERCENT: i32 = 10;
/// dskMinimum where the minimum is a percentage.
const NO_MINIMUM: i32 = -1;

/// Serves the group `ucd-disk`.
#[derive(Debug)]
pub(super) struct Disk {
    volumes: Arc<Volumes>,
}

impl Disk {
    pub(super) fn new(volumes: Arc<Volumes>) -> Self {
        Disk { volumes }
    }
}

impl Provider for Disk {
    fn group(&self) -> &'static Group {
        &GROUP
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let mut snapshot = Snapshot::builder(&GROUP);
        let table = snapshot.table(&DSK_TABLE);
        for volume in self.volumes.list()? {
            let mut row = table.row(&[volume.index]);
            row.integer(1, volume.index as i32)
                .octets(2, cut(&volume.mount.path, 255))
                .octets(3, cut(&volume.mount.device, 255))
                .integer(4, NO_MINIMUM)
                .integer(5, MINIMUM_PERCENT);
            if let Some(size) = volume.size {
                sizes(&mut row, &volume, &size);
            }
        }
        Ok(Loaded::Snapshot(snapshot.finish()))
    }
}

fn sizes(row: &mut RowBuilder<'_>, volume: &Volume, size: &Size) {
    let kbytes =
        |blocks: u64| u64::try_from(u128::from(blocks) * u128::from(size.block) / 1024).unwrap_or(u64::MAX);
    let (total, available) = (kbytes(size.blocks), kbytes(size.available));
    let used = kbytes(size.blocks.saturating_sub(size.free));
    let percent = percent(size.blocks.saturating_sub(size.free), size.blocks);
    row.integer(6, integer(total))
        .integer(7, integer(available))
        .integer(8, integer(used))
        .integer(9, percent)
        .integer(10, self::percent(size.inodes.saturating_sub(size.inodes_free), size.inodes));
    for (column, number) in [(11, total), (13, available), (15, used)] {
        row.unsigned32(column, number as u32).unsigned32(column + 1, (number >> 32) as u32);
    }
    let free = 100 - percent;
    let is_full = free < MINIMUM_PERCENT && !volume.mount.read_only;
    let path = String::from_utf8_lossy(&volume.mount.path);
    let message =
        if is_full { format!("{path}: {free}% free, less than {MINIMUM_PERCENT}%") } else { String::new() };
    row.integer(100, flag(is_full)).octets(101, cut(message.as_bytes(), 255));
}

/// Rounded to the nearest; 0 where there is nothing to use.
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
}
