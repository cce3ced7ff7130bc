//! diskIOTable (.1.3.6.1.4.1.2021.13.15): what each block device has read and written, from /proc/diskstats.
//!
//! A device has the number of its line there, as with Net-SNMP. diskIOLA1, 5 and 15 are the share of time in which it was busy, averaged with
//! the weights of load averages. Net-SNMP samples every five seconds; here a sample is taken when somebody reads the table, and the time since
//! the last one counts as a whole: an idle agent does nothing. They are 0 until the second reading.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use trunkline_smi::module::ucd_diskio_mib::DISK_IO_TABLE;
use trunkline_source::SourceRoot;
use trunkline_source::procfs::cut;
use trunkline_source::procfs::diskstats::DiskStats;
use trunkline_tree::{Group, Loaded, Provider, Snapshot, SourceError};

use crate::programs::Programs;

static GROUP: Group = Group { name: "ucd-disk-io", scalars: &[], tables: &[&DISK_IO_TABLE] };

/// Serves the group `ucd-disk-io`.
#[derive(Debug)]
pub(super) struct DiskIo {
    root: SourceRoot,
    programs: Programs,
    seen: Mutex<HashMap<String, Load>>,
}

/// How busy a device was.
#[derive(Clone, Copy, Debug)]
struct Load {
    at: Instant,
    busy: u64,
    /// Shares of 1, 5 and 15 minutes, from 0 to 1.
    averages: [f64; 3],
}

impl DiskIo {
    pub(super) fn new(root: SourceRoot, programs: Programs) -> Self {
        DiskIo { root, programs, seen: Mutex::default() }
    }
}

impl Provider for DiskIo {
    fn group(&self) -> &'static Group {
        &GROUP
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let text = self.root.read_or_empty(DiskStats::FILE);
        let current = self.programs.current();
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let (now, mut known) = (Instant::now(), HashMap::new());
        let mut snapshot = Snapshot::builder(&GROUP);
        let table = snapshot.table(&DISK_IO_TABLE);
        let wanted = DiskStats::parse(&text).filter(|disk| current.options.disk_io.shows(&disk.device));
        for (index, disk) in (1..=MOST).zip(wanted) {
            let load = seen
                .get(&disk.device)
                .map_or_else(|| Load::first(now, disk.busy), |load| load.next(now, disk.busy));
            let percent = load.averages.map(|share| (share * 100.0).round() as i32);
            table
                .row(&[index])
                .integer(1, index.cast_signed())
                .octets(2, cut(disk.device.as_bytes(), 255))
                .counter32(3, disk.read)
                .counter32(4, disk.written)
                .counter32(5, disk.reads)
                .counter32(6, disk.writes)
                .integer(9, percent[0])
                .integer(10, percent[1])
                .integer(11, percent[2])
                .counter64(12, disk.read)
                .counter64(13, disk.written)
                .counter64(14, disk.busy.wrapping_mul(1000));
            known.insert(disk.device, load);
        }
        *seen = known;
        Ok(Loaded::Snapshot(snapshot.finish()))
    }
}

impl Load {
    const fn first(at: Instant, busy: u64) -> Load {
        Load { at, busy, averages: [0.0; 3] }
    }

    /// The averages a while later. `busy`: milliseconds in all; fewer than before are those of another device of the same name.
    fn next(&self, at: Instant, busy: u64) -> Load {
        let passed = at.saturating_duration_since(self.at);
        let Some(more) = busy.checked_sub(self.busy) else { return Load::first(at, busy) };
        // The kernel counts in ticks, which a short time is too coarse for.
        if passed < SHORTEST {
            return *self;
        }
        let share = (more as f64 / 1000.0 / passed.as_secs_f64()).min(1.0);
        let mut averages = self.averages;
        for (average, minutes) in averages.iter_mut().zip([1.0, 5.0, 15.0]) {
            let kept = (-passed.as_secs_f64() / (minutes * 60.0)).exp();
            *average = *average * kept + share * (1.0 - kept);
        }
        Load { at, busy, averages }
    }
}

/// Between two samples.
const SHORTEST: Duration = Duration::from_secs(1);
/// The largest diskIOIndex.
const MOST: u32 = 65_535;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averages_approach_the_share_of_busy_time_and_fall_again() {
        let begin = Instant::now();
        let mut load = Load::first(begin, 5000);
        assert_eq!(load.averages, [0.0; 3]);
        // Too soon to say anything; nothing of it is lost.
        let soon = load.next(begin + Duration::from_millis(10), 5010);
        assert_eq!((soon.busy, soon.averages), (5000, [0.0; 3]));
        // Busy for half of a minute: 1 - 1/e of a half, of the average of a minute.
        load = load.next(begin + Duration::from_secs(60), 35_000);
        let expected = [0.316_06, 0.090_63, 0.032_25];
        for (found, expected) in load.averages.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-4, "{found} {expected}");
        }
        // However often it is read, the same.
        let mut often = Load::first(begin, 0);
        (1..=60).for_each(|second| often = often.next(begin + Duration::from_secs(second), second * 500));
        assert!((often.averages[0] - load.averages[0]).abs() < 1e-9);
        load = load.next(begin + Duration::from_secs(6000), 35_000);
        assert!(load.averages[2] < 0.001);
        // A device that was taken away and came back.
        assert_eq!(load.next(begin + Duration::from_secs(6060), 10).averages, [0.0; 3]);
        // Never more than all of the time.
        let full = Load::first(begin, 0).next(begin + Duration::from_secs(100_000), u64::MAX);
        assert!(full.averages.iter().all(|share| *share <= 1.0));
    }
}
