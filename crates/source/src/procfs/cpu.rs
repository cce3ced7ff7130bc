//! /proc/stat and /proc/vmstat: processor time, interrupts, context switches, paging.

use super::{lines, number, words};

/// Processor time in ticks of 1/100 s (USER_HZ, on every architecture Debian has).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ticks {
    pub user: u64,
    pub nice: u64,
    pub system: u64,
    pub idle: u64,
    pub wait: u64,
    pub interrupt: u64,
    pub soft_interrupt: u64,
    pub steal: u64,
    /// Already in `user`.
    pub guest: u64,
    /// Already in `nice`.
    pub guest_nice: u64,
}

impl Ticks {
    /// All time: guests' time is part of user time and not counted twice.
    pub fn total(&self) -> u64 {
        [
            self.user,
            self.nice,
            self.system,
            self.idle,
            self.wait,
            self.interrupt,
            self.soft_interrupt,
            self.steal,
        ]
        .into_iter()
        .fold(0, u64::wrapping_add)
    }

    /// Reads the words after `cpu`; older kernels have fewer.
    fn parse<'a>(words: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut values = words.map_while(number);
        let mut next = || values.next().unwrap_or(0);
        Ticks {
            user: next(),
            nice: next(),
            system: next(),
            idle: next(),
            wait: next(),
            interrupt: next(),
            soft_interrupt: next(),
            steal: next(),
            guest: next(),
            guest_nice: next(),
        }
    }
}

/// /proc/stat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelStat {
    /// All processors together.
    pub all: Ticks,
    /// Each processor that is online, by its number.
    pub processors: Vec<(u32, Ticks)>,
    /// Interrupts since the start.
    pub interrupts: u64,
    /// Context switches since the start.
    pub contexts: u64,
}

impl KernelStat {
    /// Where the file lies.
    pub const FILE: &'static str = "proc/stat";

    /// Reads the lines of the file.
    pub fn parse(text: &[u8]) -> Self {
        let mut stat = KernelStat::default();
        for line in lines(text) {
            let mut words = words(line);
            match words.next() {
                Some(b"cpu") => stat.all = Ticks::parse(words),
                Some(b"intr") => stat.interrupts = words.next().and_then(number).unwrap_or(0),
                Some(b"ctxt") => stat.contexts = words.next().and_then(number).unwrap_or(0),
                Some(name) => {
                    let processor = name.strip_prefix(b"cpu").and_then(number);
                    if let Some(processor) = processor.and_then(|n| u32::try_from(n).ok()) {
                        stat.processors.push((processor, Ticks::parse(words)));
                    }
                }
                None => {}
            }
        }
        stat
    }
}

/// Input, output and swapping of /proc/vmstat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Paging {
    /// Read from block devices, in units of 1,024 octets.
    pub read: u64,
    /// Written to block devices, in units of 1,024 octets.
    pub written: u64,
    /// Pages swapped in.
    pub swapped_in: u64,
    /// Pages swapped out.
    pub swapped_out: u64,
}

impl Paging {
    /// Where the file lies.
    pub const FILE: &'static str = "proc/vmstat";

    /// Reads the lines of the file.
    pub fn parse(text: &[u8]) -> Self {
        let mut paging = Paging::default();
        for line in lines(text) {
            let mut words = words(line);
            let field = match words.next() {
                Some(b"pgpgin") => &mut paging.read,
                Some(b"pgpgout") => &mut paging.written,
                Some(b"pswpin") => &mut paging.swapped_in,
                Some(b"pswpout") => &mut paging.swapped_out,
                _ => continue,
            };
            *field = words.next().and_then(number).unwrap_or(0);
        }
        paging
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const STAT: &[u8] = b"cpu  10 1 5 80 2 1 1 0 3 0\ncpu0 4 1 2 40 2 1 1 0 0 0\ncpu7 6 0 3 40\nintr 55 1 2\nctxt 66\nbtime 7\n";

    #[test]
    fn processors_keep_their_numbers() {
        let stat = KernelStat::parse(STAT);
        assert_eq!(stat.all.total(), 100);
        assert_eq!(stat.all.guest, 3);
        assert_eq!(stat.processors.iter().map(|(n, _)| *n).collect::<Vec<_>>(), [0, 7]);
        assert_eq!(stat.processors[1].1, Ticks { user: 6, system: 3, idle: 40, ..Ticks::default() });
        assert_eq!((stat.interrupts, stat.contexts), (55, 66));
    }

    #[test]
    fn paging_is_read_by_name() {
        let paging = Paging::parse(b"pgpgin 1\npgpgout 2\npswpin 3\npswpout 4\npswpout_more 5\n");
        assert_eq!(paging, Paging { read: 1, written: 2, swapped_in: 3, swapped_out: 4 });
    }

    proptest! {
        #[test]
        fn truncated_and_mutated_texts_never_panic(cut in 0..STAT.len(), at in 0..STAT.len(), octet: u8) {
            let mut text = STAT[..cut].to_vec();
            if let Some(place) = text.get_mut(at) {
                *place = octet;
            }
            let _ = (KernelStat::parse(&text), Paging::parse(&text));
        }
    }
}
