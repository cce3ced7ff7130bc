//! What a TCP server saw.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Counters of one TCP server, to be read at any time by any thread.
#[derive(Debug, Default)]
pub struct TcpCounters {
    pub(crate) accepted: AtomicU64,
    pub(crate) refused_total: AtomicU64,
    pub(crate) refused_per_peer: AtomicU64,
    pub(crate) refused_handshakes: AtomicU64,
    pub(crate) failed_handshakes: AtomicU64,
    pub(crate) slow_handshakes: AtomicU64,
    pub(crate) refused_sessions: AtomicU64,
    pub(crate) accept_errors: AtomicU64,
    pub(crate) open: AtomicU64,
    pub(crate) received: AtomicU64,
    pub(crate) received_octets: AtomicU64,
    pub(crate) sent: AtomicU64,
    pub(crate) sent_octets: AtomicU64,
    pub(crate) framing_errors: AtomicU64,
    pub(crate) too_long: AtomicU64,
    pub(crate) idle_closed: AtomicU64,
    pub(crate) slow_messages: AtomicU64,
    pub(crate) slow_readers: AtomicU64,
    pub(crate) cut_short: AtomicU64,
    pub(crate) io_errors: AtomicU64,
    pub(crate) panics: AtomicU64,
}

/// The values of [`TcpCounters`] at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpCounts {
    /// Connections accepted and served.
    pub accepted: u64,
    /// Connections closed at once: too many in all.
    pub refused_total: u64,
    /// Connections closed at once: too many from that address.
    pub refused_per_peer: u64,
    /// Connections closed at once: too many that had not yet proved who they are.
    pub refused_handshakes: u64,
    /// Handshakes that failed: no or a wrong proof, or something else than a handshake.
    pub failed_handshakes: u64,
    /// Handshakes that took too long.
    pub slow_handshakes: u64,
    /// Sessions that the handler did not want: nobody we answer.
    pub refused_sessions: u64,
    /// Failures to accept (no file descriptors, no memory, ...).
    pub accept_errors: u64,
    /// Connections open now.
    pub open: u64,
    /// Complete messages received.
    pub received: u64,
    /// Octets received.
    pub received_octets: u64,
    /// Answers queued to be sent.
    pub sent: u64,
    /// Octets sent.
    pub sent_octets: u64,
    /// Connections closed because their octets were no message.
    pub framing_errors: u64,
    /// Connections closed because a message was announced longer than allowed.
    pub too_long: u64,
    /// Connections closed because no message came for too long.
    pub idle_closed: u64,
    /// Connections closed because a message took too long to arrive.
    pub slow_messages: u64,
    /// Connections closed because the peer did not take its answers.
    pub slow_readers: u64,
    /// Connections the peer ended inside a message.
    pub cut_short: u64,
    /// Connections that failed (reset, ...).
    pub io_errors: u64,
    /// Connections ended by a panic while handling a message.
    pub panics: u64,
}

impl TcpCounters {
    /// Counts a session that a panic ended.
    pub(crate) fn panicked(&self) {
        count(&self.panics);
    }

    /// Counts a whole request of HTTP.
    pub(crate) fn asked(&self) {
        count(&self.received);
    }

    /// Counts octets received.
    pub(crate) fn took(&self, octets: usize) {
        add(&self.received_octets, octets);
    }

    /// Counts octets sent.
    pub(crate) fn gave(&self, octets: usize) {
        add(&self.sent_octets, octets);
    }

    /// Counts an answer to one.
    pub(crate) fn answered(&self) {
        count(&self.sent);
    }

    /// The values now.
    #[must_use]
    pub fn read(&self) -> TcpCounts {
        TcpCounts {
            accepted: self.accepted.load(Relaxed),
            refused_total: self.refused_total.load(Relaxed),
            refused_per_peer: self.refused_per_peer.load(Relaxed),
            refused_handshakes: self.refused_handshakes.load(Relaxed),
            failed_handshakes: self.failed_handshakes.load(Relaxed),
            slow_handshakes: self.slow_handshakes.load(Relaxed),
            refused_sessions: self.refused_sessions.load(Relaxed),
            accept_errors: self.accept_errors.load(Relaxed),
            open: self.open.load(Relaxed),
            received: self.received.load(Relaxed),
            received_octets: self.received_octets.load(Relaxed),
            sent: self.sent.load(Relaxed),
            sent_octets: self.sent_octets.load(Relaxed),
            framing_errors: self.framing_errors.load(Relaxed),
            too_long: self.too_long.load(Relaxed),
            idle_closed: self.idle_closed.load(Relaxed),
            slow_messages: self.slow_messages.load(Relaxed),
            slow_readers: self.slow_readers.load(Relaxed),
            cut_short: self.cut_short.load(Relaxed),
            io_errors: self.io_errors.load(Relaxed),
            panics: self.panics.load(Relaxed),
        }
    }
}

/// Counts one event.
pub(crate) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Relaxed);
}

/// Counts `n` of something.
pub(crate) fn add(counter: &AtomicU64, n: usize) {
    counter.fetch_add(n as u64, Relaxed);
}
