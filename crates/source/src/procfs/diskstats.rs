//! /proc/diskstats: what each block device has done since it appeared, in the kernel's order.

use super::{lines, number, words};

/// The counters of one block device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiskStats {
    /// The kernel's name, `sda` or `sda1`.
    pub device: String,
    /// Reads that were completed.
    pub reads: u64,
    /// Octets read.
    pub read: u64,
    /// Writes that were completed.
    pub writes: u64,
    /// Octets written.
    pub written: u64,
    /// Milliseconds in which it had something to do.
    pub busy: u64,
}

impl DiskStats {
    /// Where the kernel has them.
    pub const FILE: &'static str = "proc/diskstats";

    /// One for each line that has at least the counters of Linux 2.6.
    pub fn parse(text: &[u8]) -> impl Iterator<Item = DiskStats> {
        lines(text).filter_map(|line| {
            let mut words = words(line).skip(2);
            let device = String::from_utf8_lossy(words.next()?).into_owned();
            let mut counters = [0; 10];
            for counter in &mut counters {
                *counter = number(words.next()?)?;
            }
            // Reads, merged ones, sectors and milliseconds; the same of writes; what is under way, and the time with something under way.
            let [reads, _, read, _, writes, _, written, _, _, busy] = counters;
            let octets = |sectors: u64| sectors.wrapping_mul(SECTOR);
            Some(DiskStats { device, reads, read: octets(read), writes, written: octets(written), busy })
        })
    }
}

/// Octets of the kernel's unit of counting, whatever the device's own sectors are.
const SECTOR: u64 = 512;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_are_read_in_their_order_and_short_ones_left_out() {
        let text = b"   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n 254       0 vda 474221 24065 19409442 610546 157819 208100 62798112 276164 0 71448 896089\n\
                     8 1 sda1 10 20 30 40\n";
        let found: Vec<DiskStats> = DiskStats::parse(text).collect();
        let vda = DiskStats {
            device: "vda".into(),
            reads: 474_221,
            read: 19_409_442 * 512,
            writes: 157_819,
            written: 62_798_112 * 512,
            busy: 71_448,
        };
        assert_eq!(found, [DiskStats { device: "loop0".into(), ..DiskStats::default() }, vda]);
    }

    proptest! {
        #[test]
        fn what_the_kernel_writes_is_read(counters in prop::array::uniform10(0..u64::MAX / 512), name in "[a-z]{1,8}[0-9]{0,3}") {
            let words: Vec<String> = counters.iter().map(u64::to_string).collect();
            let line = format!(" 8 0 {name} {}\n", words.join(" "));
            let found: Vec<DiskStats> = DiskStats::parse(line.as_bytes()).collect();
            let [reads, _, read, _, writes, _, written, _, _, busy] = counters;
            prop_assert_eq!(found, [DiskStats { device: name, reads, read: read * 512, writes, written: written * 512, busy }]);
        }

        #[test]
        fn any_text_is_read_without_panic(text in prop::collection::vec(any::<u8>(), 0..120)) {
            prop_assert!(DiskStats::parse(&text).count() <= 120);
        }
    }
}
