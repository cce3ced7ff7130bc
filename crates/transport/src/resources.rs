//! What all listeners of a program share, so that limits apply to them together: octets waiting for peers,
//! descriptors, and log lines that strangers cause.

mod budget;

use std::os::fd::RawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering::Relaxed};

use tokio::sync::Notify;

pub(crate) use budget::{Account, Exhausted, STALLED, Work};
pub use budget::{Budget, DEFAULT_WAITING};

use crate::LogLimit;

/// Shared by the listeners of a program.
#[derive(Debug)]
pub struct Resources {
    pub(crate) waiting: Arc<Budget>,
    /// Connections may only use descriptors below this number.
    descriptors: AtomicI32,
    /// Connections that have ended since [`Resources::many_ended`] last returned.
    ended: AtomicUsize,
    many_ended: Notify,
    pub(crate) logs: Logs,
}

/// Whether there are descriptors for connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    Enough,
    /// Enough for this connection; another one should give its own back.
    Little,
    None,
}

/// Each kind of line has a separate limit, so that one does not hide the others.
#[derive(Debug)]
pub(crate) struct Logs {
    pub handshakes: LogLimit,
    pub refusals: LogLimit,
    pub local: LogLimit,
    pub sockets: LogLimit,
}

impl Default for Logs {
    fn default() -> Self {
        let [handshakes, refusals, local, sockets] = [(); 4].map(|()| LogLimit::for_strangers());
        Self { handshakes, refusals, local, sockets }
    }
}

impl Default for Resources {
    /// [`DEFAULT_WAITING`] octets, and every descriptor.
    fn default() -> Self {
        Self::new(DEFAULT_WAITING)
    }
}

impl Resources {
    /// At most `waiting` octets wait for peers. Every descriptor may be used.
    #[must_use]
    pub fn new(waiting: usize) -> Self {
        Self {
            waiting: Arc::new(Budget::new(waiting)),
            descriptors: AtomicI32::new(RawFd::MAX),
            ended: AtomicUsize::new(0),
            many_ended: Notify::new(),
            logs: Logs::default(),
        }
    }

    /// The octets waiting for peers.
    #[must_use]
    pub fn waiting(&self) -> &Budget {
        &self.waiting
    }

    /// Reserves this many of the `limit` descriptors (the soft RLIMIT_NOFILE) from now on for data sources, files
    /// and programs. Never more than half.
    pub fn keep_descriptors(&self, limit: u64, reserve: u64) {
        let below = limit - reserve.min(limit / 2);
        self.descriptors.store(RawFd::try_from(below).unwrap_or(RawFd::MAX), Relaxed);
    }

    /// Whether a connection may keep this descriptor. The kernel assigns the lowest free number, so those above a
    /// limit stay free for other uses if no connection keeps one of them.
    pub(crate) fn room_for(&self, descriptor: RawFd) -> Room {
        let left = self.descriptors.load(Relaxed) - descriptor;
        if left <= 0 {
            Room::None
        } else if left <= MARGIN {
            Room::Little
        } else {
            Room::Enough
        }
    }

    /// A connection has ended.
    pub(crate) fn connection_ended(&self) {
        if self.ended.fetch_add(1, Relaxed) + 1 == MANY {
            self.many_ended.notify_one();
        }
    }

    /// Waits until many connections have ended: time to return their memory to the system.
    pub async fn many_ended(&self) {
        self.many_ended.notified().await;
        self.ended.store(0, Relaxed);
    }
}

/// Connections begin to give way this many descriptors before the last one.
const MARGIN: RawFd = 8;

/// How many ended connections make returning their memory worthwhile.
const MANY: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_the_last_descriptors_to_others() {
        let resources = Resources::default();
        assert_eq!(resources.room_for(1_000_000), Room::Enough);
        resources.keep_descriptors(1_024, 64);
        let rooms = [951, 952, 959, 960].map(|descriptor| resources.room_for(descriptor));
        assert_eq!(rooms, [Room::Enough, Room::Little, Room::Little, Room::None]);
        resources.keep_descriptors(64, 64);
        assert_eq!([31, 32].map(|descriptor| resources.room_for(descriptor)), [Room::Little, Room::None]);
    }
}
