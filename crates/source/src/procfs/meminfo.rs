//! /proc/meminfo: memory and swap space, in units of 1,024 octets.

use trunkline_tree::SourceError;

use super::{lines, number, words};
use crate::SourceRoot;

/// What of /proc/meminfo is served. Lines that are missing leave 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemInfo {
    /// MemTotal.
    pub total: u64,
    /// MemFree.
    pub free: u64,
    /// MemAvailable (since Linux 3.14).
    pub available: Option<u64>,
    /// Buffers.
    pub buffers: u64,
    /// Cached, the page cache without reclaimable slab.
    pub cached: u64,
    /// SReclaimable: slab that the kernel frees under memory pressure.
    pub reclaimable: u64,
    /// Shmem: tmpfs and shared memory.
    pub shared: u64,
    /// SwapTotal.
    pub swap_total: u64,
    /// SwapFree.
    pub swap_free: u64,
}

impl MemInfo {
    /// Where the file lies.
    pub const FILE: &'static str = "proc/meminfo";

    /// Reads the file.
    pub fn read(root: &SourceRoot) -> Result<Self, SourceError> {
        let mut text = Vec::new();
        root.read_into(Self::FILE, &mut text)?;
        Ok(MemInfo::parse(&text))
    }

    /// Reads the lines of the file.
    pub fn parse(text: &[u8]) -> Self {
        let mut info = MemInfo::default();
        for line in lines(text) {
            let mut words = words(line);
            let (Some(name), Some(value)) = (words.next(), words.next().and_then(number)) else { continue };
            match name {
                b"MemTotal:" => info.total = value,
                b"MemFree:" => info.free = value,
                b"MemAvailable:" => info.available = Some(value),
                b"Buffers:" => info.buffers = value,
                b"Cached:" => info.cached = value,
                b"SReclaimable:" => info.reclaimable = value,
                b"Shmem:" => info.shared = value,
                b"SwapTotal:" => info.swap_total = value,
                b"SwapFree:" => info.swap_free = value,
                _ => {}
            }
        }
        info
    }

    /// The cache as Net-SNMP counts it: page cache and reclaimable slab.
    pub fn cache(&self) -> u64 {
        self.cached.saturating_add(self.reclaimable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_are_read_by_name() {
        let info = MemInfo::parse(
            b"MemTotal:       1000 kB\nSwapCached: 9 kB\nCached: 30 kB\nSReclaimable: 4 kB\nMemFree: x kB\n",
        );
        assert_eq!(info, MemInfo { total: 1000, cached: 30, reclaimable: 4, ..MemInfo::default() });
        assert_eq!(info.cache(), 34);
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic(text in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = MemInfo::parse(&text).cache();
        }
    }
}
