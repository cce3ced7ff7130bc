//! Counters of a UDP socket.

use std::io;
use std::sync::atomic::Ordering::Relaxed;

use crate::counters::counters;

counters! {
    /// Counters of one UDP server socket, which any thread can read at any time.
    UdpCounters,
    /// The values of [`UdpCounters`] at one moment. Octets are UDP payload.
    UdpCounts {
        /// Datagrams received.
        received,
        /// Octets received.
        received_octets,
        /// Datagrams sent.
        sent,
        /// Octets sent.
        sent_octets,
        /// Datagrams longer than the receive buffer, dropped.
        truncated,
        /// Receive calls that failed.
        receive_errors,
        /// Answers that no datagram can carry (`EMSGSIZE`).
        too_long,
        /// Answers refused because the peer's port is closed (`ECONNREFUSED`).
        refused,
        /// Answers that a firewall forbade (`EPERM`, `EACCES`).
        not_permitted,
        /// Answers for which the kernel had no memory (`ENOBUFS`, `ENOMEM`).
        no_buffers,
        /// Answers that failed otherwise (no route, ...).
        other_send_errors,
        /// Datagrams whose handling panicked.
        panics,
    }
}

impl UdpCounters {
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
