//! What a UDP socket saw.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Counters of one UDP server socket, to be read at any time by any thread.
#[derive(Debug, Default)]
pub struct UdpCounters {
    received: AtomicU64,
    received_octets: AtomicU64,
    sent: AtomicU64,
    sent_octets: AtomicU64,
    truncated: AtomicU64,
    receive_errors: AtomicU64,
    too_long: AtomicU64,
    refused: AtomicU64,
    not_permitted: AtomicU64,
    no_buffers: AtomicU64,
    other_send_errors: AtomicU64,
    panics: AtomicU64,
}

/// The values of [`UdpCounters`] at one time. Octets are UDP payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UdpCounts {
    /// Datagrams received.
    pub received: u64,
    /// Octets received.
    pub received_octets: u64,
    /// Datagrams sent.
    pub sent: u64,
    /// Octets sent.
    pub sent_octets: u64,
    /// Datagrams longer than the receive buffer, dropped.
    pub truncated: u64,
    /// Receive calls that failed.
    pub receive_errors: u64,
    /// Answers that no datagram can carry (`EMSGSIZE`).
    pub too_long: u64,
    /// Answers refused because the peer's port is closed (`ECONNREFUSED`).
    pub refused: u64,
    /// Answers a firewall forbade (`EPERM`, `EACCES`).
    pub not_permitted: u64,
    /// Answers for which the kernel had no memory (`ENOBUFS`, `ENOMEM`).
    pub no_buffers: u64,
    /// Answers that failed otherwise (no route, ...).
    pub other_send_errors: u64,
    /// Datagrams whose handling panicked.
    pub panics: u64,
}

impl UdpCounters {
    /// The values now.
    #[must_use]
    pub fn read(&self) -> UdpCounts {
        UdpCounts {
            received: self.received.load(Relaxed),
            received_octets: self.received_octets.load(Relaxed),
            sent: self.sent.load(Relaxed),
            sent_octets: self.sent_octets.load(Relaxed),
            truncated: self.truncated.load(Relaxed),
            receive_errors: self.receive_errors.load(Relaxed),
            too_long: self.too_long.load(Relaxed),
            refused: self.refused.load(Relaxed),
            not_permitted: self.not_permitted.load(Relaxed),
            no_buffers: self.no_buffers.load(Relaxed),
            other_send_errors: self.other_send_errors.load(Relaxed),
            panics: self.panics.load(Relaxed),
        }
    }

    pub(super) fn received(&self, datagrams: u64, octets: u64) {
        self.received.fetch_add(datagrams, Relaxed);
        self.received_octets.fetch_add(octets, Relaxed);
    }

    pub(super) fn sent(&self, datagrams: u64, octets: u64) {
        self.sent.fetch_add(datagrams, Relaxed);
        self.sent_octets.fetch_add(octets, Relaxed);
    }

    pub(super) fn truncated(&self) {
        self.truncated.fetch_add(1, Relaxed);
    }

    pub(super) fn receive_failed(&self) {
        self.receive_errors.fetch_add(1, Relaxed);
    }

    pub(super) fn panicked(&self) {
        self.panics.fetch_add(1, Relaxed);
    }

    pub(super) fn refused(&self, error: &io::Error) {
        let counter = match error.raw_os_error() {
            Some(libc::EMSGSIZE) => &self.too_long,
            Some(libc::ECONNREFUSED) => &self.refused,
            Some(libc::EPERM | libc::EACCES) => &self.not_permitted,
            Some(libc::ENOBUFS | libc::ENOMEM) => &self.no_buffers,
            _ => &self.other_send_errors,
        };
        counter.fetch_add(1, Relaxed);
    }
}
