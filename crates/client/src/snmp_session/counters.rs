//! Counters of a session.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::exchange::Stray;

/// Counters of one session.
#[derive(Debug, Default)]
pub struct SessionCounters {
    pub(super) sent: AtomicU64,
    pub(super) sent_octets: AtomicU64,
    pub(super) received: AtomicU64,
    pub(super) received_octets: AtomicU64,
    pub(super) malformed: AtomicU64,
    pub(super) foreign: AtomicU64,
    pub(super) unmatched: AtomicU64,
    pub(super) reports: AtomicU64,
    pub(super) lies: AtomicU64,
    pub(super) timeouts: AtomicU64,
    pub(super) connections: AtomicU64,
    pub(super) connections_lost: AtomicU64,
    pub(super) dead_peers: AtomicU64,
    pub(super) idle_closed: AtomicU64,
    pub(super) repeated: AtomicU64,
}

/// The values of [`SessionCounters`] at one moment. Octets count messages, without transport headers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionCounts {
    /// Messages sent, repeated ones included.
    pub sent: u64,
    /// Their octets.
    pub sent_octets: u64,
    /// Messages received, of any kind.
    pub received: u64,
    /// Their octets.
    pub received_octets: u64,
    /// Messages that cannot be decoded up to their request-id.
    pub malformed: u64,
    /// Messages that are not a Response, or of another version or community.
    pub foreign: u64,
    /// Responses to no open request: late, duplicate, or forged.
    pub unmatched: u64,
    /// Reports of SNMPv3 to open requests that were used, or kept in case nothing better arrived.
    pub reports: u64,
    /// Answers to an open request that are malformed or do not fit the request.
    pub lies: u64,
    /// Requests given up without an answer.
    pub timeouts: u64,
    /// Connections and secure sessions that were opened.
    pub connections: u64,
    /// Those that broke, that the agent closed, or that were given up after silence.
    pub connections_lost: u64,
    /// Those of them that were given up.
    pub dead_peers: u64,
    /// Connections that we closed because they were idle.
    pub idle_closed: u64,
    /// Requests that were sent again on another connection.
    pub repeated: u64,
}

impl SessionCounters {
    /// The values now.
    #[must_use]
    pub fn read(&self) -> SessionCounts {
        SessionCounts {
            sent: self.sent.load(Relaxed),
            sent_octets: self.sent_octets.load(Relaxed),
            received: self.received.load(Relaxed),
            received_octets: self.received_octets.load(Relaxed),
            malformed: self.malformed.load(Relaxed),
            foreign: self.foreign.load(Relaxed),
            unmatched: self.unmatched.load(Relaxed),
            reports: self.reports.load(Relaxed),
            lies: self.lies.load(Relaxed),
            timeouts: self.timeouts.load(Relaxed),
            connections: self.connections.load(Relaxed),
            connections_lost: self.connections_lost.load(Relaxed),
            dead_peers: self.dead_peers.load(Relaxed),
            idle_closed: self.idle_closed.load(Relaxed),
            repeated: self.repeated.load(Relaxed),
        }
    }

    pub(super) fn sent(&self, octets: usize) {
        self.sent.fetch_add(1, Relaxed);
        self.sent_octets.fetch_add(octets as u64, Relaxed);
    }

    pub(super) fn received(&self, octets: usize) {
        self.received.fetch_add(1, Relaxed);
        self.received_octets.fetch_add(octets as u64, Relaxed);
    }

    pub(super) fn stray(&self, stray: Stray) {
        let counter = match stray {
            Stray::Malformed => &self.malformed,
            Stray::Foreign => &self.foreign,
            Stray::Unmatched => &self.unmatched,
        };
        counter.fetch_add(1, Relaxed);
    }
}
