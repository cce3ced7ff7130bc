//! Numbers for request-id and msgID.

use std::sync::atomic::{AtomicU32, Ordering};

/// Numbers for request-id and msgID, in sequence. Each takes four octets on the wire, so that message sizes do not
/// depend on chance.
pub(crate) struct Ids(AtomicU32);

impl Ids {
    const FIRST: i32 = 1 << 24;
    const COUNT: u32 = (1 << 31) - (1 << 24) - 1;

    /// A number that is never returned.
    pub(crate) const RESERVED: i32 = i32::MAX;

    /// Starts at a random number: answers are then hard to forge from outside.
    pub(crate) fn random() -> Self {
        Ids(AtomicU32::new(fastrand::u32(..)))
    }

    pub(crate) fn next(&self) -> i32 {
        let count = self.0.fetch_add(1, Ordering::Relaxed) % Self::COUNT;
        Self::FIRST + count as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_takes_four_octets() {
        for start in [0, Ids::COUNT - 1, u32::MAX, u32::MAX - Ids::COUNT] {
            let ids = Ids(AtomicU32::new(start));
            for _ in 0..3 {
                let id = ids.next();
                assert!((1 << 24..Ids::RESERVED).contains(&id), "{id} after a start at {start}");
            }
        }
    }
}
